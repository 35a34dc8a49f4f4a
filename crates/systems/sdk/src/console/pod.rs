//! `pod ...`: what each command asks and prints.
//!
//! **Source**: dcos-commons `cli/queries/pod.go`. Match.

use super::call::{Call, Done, Failure, Rules};
use super::tree;
use planarium_part::console::Given;
use serde_json::Value;

pub(super) fn list(call: &mut Call<'_>, _: &Given) -> Done {
    let body = call.get(Rules::Plain, &["pod"])?;
    call.say_json(&body);
    Ok(())
}

pub(super) fn status(call: &mut Call<'_>, given: &Given) -> Done {
    let (path, draw): (&[&str], fn(&Value) -> String) = match given.text(0) {
        "" => (&["pod", "status"], tree::service),
        pod => (&["pod", pod, "status"], tree::pod),
    };
    let body = call.get(Rules::Plain, path)?;
    if given.has("json") {
        call.say_json(&body);
        return Ok(());
    }
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) if value.is_object() => call.say(&draw(&value)),
        Ok(_) => return Err(Failure::Refused("the answer is not a status of pods".to_owned())),
        Err(error) => return Err(Failure::Refused(format!("the answer is not a status of pods: {error}"))),
    }
    Ok(())
}

pub(super) fn info(call: &mut Call<'_>, given: &Given) -> Done {
    let body = call.get(Rules::Plain, &["pod", given.text(0), "info"])?;
    call.say_json(&body);
    Ok(())
}

pub(super) fn restart(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, given.text(0), "restart", &[])
}

pub(super) fn replace(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, given.text(0), "replace", &[])
}

/// Sends a command with the names of the tasks meant, all without any, and prints the reply.
pub(super) fn command(call: &mut Call<'_>, pod: &str, op: &str, tasks: &[&str]) -> Done {
    let names = (!tasks.is_empty()).then(|| Value::from(tasks));
    let body = call.post(Rules::Plain, &["pod", pod, op], &[], names.as_ref())?;
    call.say_json(&body);
    Ok(())
}
