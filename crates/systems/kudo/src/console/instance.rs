//! `update` and `uninstall`, and waiting for an instance.

use planarium_protocol::json;
use serde_json::{Map, Value};

use super::client::Client;
use super::load;
use super::{Done, wait_time};
use crate::instance::Instance;
use planarium_part::console::Given;

/// The text at a path of a value; empty where there is none.
pub(super) fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    let found = path.iter().try_fold(value, |value, key| value.get(key));
    found.and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn update(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let parameters = load::parameters(client, given)?;
    if !given.arguments.is_empty() {
        return Err("expecting no arguments provided for update. Only named flags are accepted".to_owned());
    }
    let name = named(client, given);
    if name.is_empty() {
        return Err(
            "--instance flag has to be provided to indicate which instance you want to update".to_owned()
        );
    }
    if parameters.is_empty() {
        return Err(
            "need to specify at least one parameter to override via -p otherwise there is nothing to update"
                .to_owned(),
        );
    }
    let namespace = client.namespace.clone();
    let Some(old) = client.get("instances", &name)? else {
        return Err(format!("instance {name} in namespace {namespace} does not exist in the cluster"));
    };
    let mut spec = Map::new();
    spec.insert("operatorVersion".to_owned(), json!({}));
    let values = parameters.iter().map(|(key, value)| (key.to_string(), Value::from(&**value)));
    spec.insert("parameters".to_owned(), Value::Object(values.collect()));
    spec.insert("planExecution".to_owned(), json!({}));
    let failed = |problem: String| format!("updating instance {name} {problem}");
    client.merge("instances", &name, &json!({ "spec": (Value::Object(spec)) })).map_err(failed)?;
    if given.flag("wait") {
        let seconds = wait_time(given)?;
        wait(client, &name, Some(&Instance::of_value(&old)), seconds).map_err(failed)?;
    }
    client.say(&format!("Instance {name} was updated."));
    Ok(())
}

pub(super) fn uninstall(client: &mut Client<'_, '_>, given: &Given) -> Done {
    if !given.arguments.is_empty() {
        return Err("the command expects no arguments and --instance flag must be provided.".to_owned());
    }
    let name = named(client, given);
    if name.is_empty() {
        return Err("required flag(s) \"instance\" not set".to_owned());
    }
    let namespace = client.namespace.clone();
    if client.get("instances", &name)?.is_none() {
        return Err(format!("instance {name} in namespace {namespace} does not exist in the cluster"));
    }
    client.delete("instances", &name)?;
    if given.flag("wait") {
        let mut left = wait_time(given)?;
        while client.get("instances", &name)?.is_some() {
            if left == 0 || !client.second() {
                return Err(TIMEOUT.to_owned());
            }
            left -= 1;
        }
    }
    client.say(&format!("instance.{}/{name} deleted", crate::codes::API_VERSION));
    Ok(())
}

const TIMEOUT: &str = "timed out waiting for the condition";

/// Returns the instance: from the flag, otherwise the selected one.
pub(super) fn named(client: &Client<'_, '_>, given: &Given) -> String {
    given.value("instance").unwrap_or_else(|| client.chosen()).to_owned()
}

/// Waits until the last plan of an instance is complete; with an older state, until a newer run is.
///
/// *Errors*: the time is over; also after a plan has failed fatally, since the wait continues.
pub(super) fn wait(client: &mut Client<'_, '_>, name: &str, old: Option<&Instance>, seconds: u64) -> Done {
    let mut left = seconds;
    loop {
        let value = client.get("instances", name)?;
        if value.as_ref().is_some_and(|value| is_done(&Instance::of_value(value), old)) {
            return Ok(());
        }
        if left == 0 || !client.second() {
            return Err(TIMEOUT.to_owned());
        }
        left -= 1;
    }
}

/// Returns whether the last plan is complete.
pub(super) fn is_done(instance: &Instance, old: Option<&Instance>) -> bool {
    let unchanged = old.is_some_and(|old| {
        old.plans.iter().all(|(name, plan)| instance.plans.get(name).is_some_and(|now| now.uid == plan.uid))
    });
    !unchanged && instance.last_plan().is_some_and(|plan| plan.status.is_finished())
}
