//! `plan status`, `plan history` and `plan trigger`.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/cmd/plan`. Matched, but that the strategy of a phase is looked up in its own plan.

use planarium_protocol::json;
use serde_json::Value;

use super::client::Client;
use super::get::write_one;
use super::instance::{self, named, text};
use super::tree::Tree;
use super::{Done, wait_time};
use crate::instance::Instance;
use planarium_part::console::Given;

pub(super) fn status(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let name = named(client, given);
    if name.is_empty() {
        return Err("required flag(s) \"instance\" not set".to_owned());
    }
    let namespace = client.namespace.clone();
    loop {
        let Some(value) = client.get("instances", &name)? else {
            return Err(format!("instance {namespace}/{name} does not exist"));
        };
        if let Some(output) = given.value("output").filter(|output| !output.is_empty()) {
            let status = value.get("status").cloned().unwrap_or_else(|| json!({}));
            return write_one(client, &status, output);
        }
        let instance = Instance::of_value(&value);
        let done = instance::is_done(&instance, None);
        if given.flag("wait") && !done && client.second() {
            continue;
        }
        return show(client, &instance, &namespace);
    }
}

fn show(client: &mut Client<'_, '_>, instance: &Instance, namespace: &str) -> Done {
    let (name, version) = (&instance.name, &instance.version);
    let Some(object) = client.get("operatorversions", version)? else {
        return Err(format!("OperatorVersion {version} from instance {namespace}/{name} does not exist"));
    };
    let Some(last) = instance.last_plan() else {
        client.say(&format!("No plan ever run for instance - nothing to show for instance {name}"));
        return Ok(());
    };
    let mut tree = Tree::new(".");
    let root = tree.add(format!("{name} (Operator-Version: \"{version}\" Active-Plan: \"{}\")", last.name));
    let mut plans: Vec<(&String, &Value)> =
        object.pointer("/spec/plans").and_then(Value::as_object).into_iter().flatten().collect();
    planarium_kernel::sorted::sort_by(&mut plans, |a, b| a.0.cmp(b.0));
    let message = |text: &str| if text.is_empty() { String::new() } else { format!(" ({text})") };
    for (plan, spec) in plans {
        let strategy = text(spec, &["strategy"]);
        let phases = || spec.get("phases").and_then(Value::as_array).into_iter().flatten();
        if *plan != *last.name {
            let branch = root.add(format!("Plan {plan} ({strategy} strategy) [NOT ACTIVE]"));
            for phase in phases() {
                let (name, strategy) = (text(phase, &["name"]), text(phase, &["strategy"]));
                let branch = branch.add(format!("Phase {name} ({strategy} strategy) [NOT ACTIVE]"));
                for step in phase.get("steps").and_then(Value::as_array).into_iter().flatten() {
                    branch.add(format!("Step {} [NOT ACTIVE]", text(step, &["name"])));
                }
            }
            continue;
        }
        let updated = match last.updated.get(..19) {
            Some(updated) => format!(", last updated {}", updated.replace('T', " ")),
            None => String::new(),
        };
        let shown = message(&last.message);
        let branch =
            root.add(format!("Plan {plan} ({strategy} strategy) [{}]{shown}{updated}", last.status.word()));
        for phase in &last.phases {
            let own = phases().find(|it| text(it, &["name"]) == &*phase.name);
            let strategy = own.map_or("", |own| text(own, &["strategy"]));
            let (word, shown) = (phase.status.word(), message(&phase.message));
            let branch = branch.add(format!("Phase {} ({strategy} strategy) [{word}]{shown}", phase.name));
            for step in &phase.steps {
                branch.add(format!("Step {} [{}]{}", step.name, step.status.word(), message(&step.message)));
            }
        }
    }
    client.say(&format!("Plan(s) for \"{name}\" in namespace \"{namespace}\":"));
    client.say(&tree.text());
    Ok(())
}

pub(super) fn history(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let name = named(client, given);
    if name.is_empty() {
        return Err("please choose the instance with '--instance=<instanceName>'".to_owned());
    }
    let namespace = client.namespace.clone();
    let value = client.get("instances", &name).map_err(|problem| format!("client Error: {problem}"))?;
    let Some(value) = value else {
        return Err(format!("client Error: instance {namespace}/{name} does not exist"));
    };
    let instance = Instance::of_value(&value);
    let mut tree = Tree::new(".");
    for plan in instance.plans.values() {
        let told = match plan.updated.get(..19) {
            Some(updated) => format!("last finished run at {updated} ({})", plan.status.word()),
            None if plan.status.is_running() => "is running".to_owned(),
            None => plan.status.word().to_owned(),
        };
        tree.add(format!("{} ({told})", plan.name));
    }
    client.say(&tree.text());
    Ok(())
}

pub(super) fn trigger(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let name = named(client, given);
    if name.is_empty() {
        return Err("please choose the instance with '--instance=<instanceName>'".to_owned());
    }
    let plan = given.value("name").unwrap_or_default().to_owned();
    if plan.is_empty() {
        return Err("please choose the plan name with '--name=<planName>'".to_owned());
    }
    let namespace = client.namespace.clone();
    let old = client.get("instances", &name)?.map(|value| Instance::of_value(&value));
    // Admission gives every run a new uid; this one only has to differ from the present one.
    let spec = json!({ "operatorVersion": {}, "planExecution": { "planName": plan, "uid": "triggered" } });
    client.merge("instances", &name, &json!({ "spec": spec }))?;
    if given.flag("wait") {
        let seconds = wait_time(given)?;
        instance::wait(client, &name, old.as_ref(), seconds)?;
    }
    client.say(&format!("Triggered {plan} plan for {namespace}/{name} instance"));
    Ok(())
}
