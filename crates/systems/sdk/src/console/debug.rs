//! `debug pod ...`, `debug config ...`, `debug state ...`.
//!
//! **Source**: dcos-commons `cli/commands/debug.go`, `cli/queries/{config,state}.go`. Match.

use super::call::{Call, Done, Rules};
use super::pod;
use planarium_part::console::Given;

pub(super) fn pod_pause(call: &mut Call<'_>, given: &Given) -> Done {
    pod::command(call, given.text(0), "pause", &given.values("tasks").collect::<Vec<_>>())
}

pub(super) fn pod_resume(call: &mut Call<'_>, given: &Given) -> Done {
    pod::command(call, given.text(0), "resume", &given.values("tasks").collect::<Vec<_>>())
}

pub(super) fn config_list(call: &mut Call<'_>, _: &Given) -> Done {
    show(call, &["configurations"])
}

pub(super) fn config_show(call: &mut Call<'_>, given: &Given) -> Done {
    show(call, &["configurations", given.text(0)])
}

pub(super) fn config_target(call: &mut Call<'_>, _: &Given) -> Done {
    show(call, &["configurations", "target"])
}

pub(super) fn config_target_id(call: &mut Call<'_>, _: &Given) -> Done {
    show(call, &["configurations", "targetId"])
}

pub(super) fn state_framework_id(call: &mut Call<'_>, _: &Given) -> Done {
    show(call, &["state", "frameworkId"])
}

pub(super) fn state_properties(call: &mut Call<'_>, _: &Given) -> Done {
    show(call, &["state", "properties"])
}

pub(super) fn state_property(call: &mut Call<'_>, given: &Given) -> Done {
    show(call, &["state", "properties", given.text(0)])
}

pub(super) fn state_refresh_cache(call: &mut Call<'_>, _: &Given) -> Done {
    let target = call.at(&["state", "refresh"]);
    let body = call.ask(Rules::Plain, "PUT", &target, None)?;
    call.say_json(&body);
    Ok(())
}

fn show(call: &mut Call<'_>, parts: &[&str]) -> Done {
    let body = call.get(Rules::Plain, parts)?;
    call.say_json(&body);
    Ok(())
}
