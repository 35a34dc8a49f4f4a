//! Bounds of inputs, independent of state.
//!
//! Knows: the limits. Must not know: what an input does.

use crate::limits::{AMOUNT, FILES, LIMITS, LIST, NAME_BYTES, TIME_MS};
use planarium_protocol::input::{AddAgent, Behaviour, Fault, LoadService, Resources, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Input, Refusal};

type Checked = Result<(), Refusal>;

fn beyond(message: String) -> Refusal {
    Refusal::new(RefusalCode::LimitReached, message)
}

/// Refuses an input that exceeds the limits.
pub(crate) fn check(input: &Input) -> Checked {
    match input {
        Input::AddAgent(add) => add_agent(add),
        Input::RemoveAgent(remove) => name(&remove.agent),
        Input::LoadService(load) | Input::UpdateService(load) => definition(load),
        Input::RemoveService(remove) => name(&remove.name),
        Input::Plan(command) => {
            names([&command.service, &command.plan])?;
            names(command.phase.iter().chain(&command.step))?;
            list("params", command.params.len())?;
            text("params", command.params.iter().map(|(k, v)| k.len() + v.len()).sum())
        }
        Input::Pod(command) => {
            names([&command.service, &command.pod])?;
            list("tasks", command.tasks.len())?;
            names(&command.tasks)
        }
        Input::Fault(fault) => check_fault(fault),
        Input::ClearFault(clear) => name(&clear.id),
        Input::ProcessBehaviour(rule) => {
            target(&rule.target)?;
            behaviour(&rule.behaviour)
        }
        Input::TaskStatus(status) => {
            names([&status.task, &status.state])?;
            names(status.service.iter().chain(&status.reason))?;
            text("message", status.message.as_ref().map_or(0, String::len))
        }
        Input::OfferRound(round) => {
            list("agents", round.agents.len())?;
            names(&round.agents)
        }
        Input::Maintenance(maintenance) => name(&maintenance.op),
        Input::Framework(framework) => {
            names([&framework.op, &framework.name])?;
            list("roles", framework.roles.len())?;
            names(&framework.roles)
        }
        Input::Call(call) => {
            name(&call.method)?;
            text("path", call.path.len())
        }
    }
}

fn add_agent(add: &AddAgent) -> Checked {
    let count = add.count.unwrap_or(1);
    if count == 0 {
        return Err(Refusal::new(RefusalCode::BadRequest, "`count` is 0: there is nothing to add"));
    }
    if count > LIMITS.machines {
        return Err(beyond(format!(
            "{count} machines are more than the {} a world can hold",
            LIMITS.machines
        )));
    }
    names(add.hostname.iter().chain(&add.ip).chain(&add.region).chain(&add.zone))?;
    list("attributes", add.attributes.len())?;
    names(add.attributes.iter().flat_map(|(key, value)| [key, value]))?;
    list("roles", add.roles.len())?;
    names(add.roles.keys())?;
    resources(&add.resources)?;
    add.roles.values().try_for_each(resources)
}

fn resources(resources: &Resources) -> Checked {
    let amounts = [
        ("cpus", resources.cpus),
        ("mem", resources.mem),
        ("disk", resources.disk),
        ("gpus", resources.gpus),
    ];
    let sizes = resources.disks.iter().map(|disk| ("size", Some(disk.size)));
    for (what, amount) in amounts.into_iter().chain(sizes) {
        let Some(amount) = amount else { continue };
        if amount.0 < 0 {
            return Err(Refusal::new(RefusalCode::BadRequest, format!("`{what}` is negative: {amount}")));
        }
        if amount.0 / 1000 > AMOUNT {
            return Err(beyond(format!("`{what}` of {amount} is more than {AMOUNT}")));
        }
    }
    list("disks", resources.disks.len())?;
    names(resources.disks.iter().flat_map(|disk| [&disk.kind, &disk.path]))?;
    names(&resources.ports)
}

fn definition(load: &LoadService) -> Checked {
    names([&load.dialect, &load.name, &load.framework])?;
    if load.files.len() > FILES {
        return Err(beyond(format!("{} files are more than {FILES}", load.files.len())));
    }
    names(load.files.keys())?;
    list("env", load.env.len())?;
    list("params", load.params.len())?;
    let bytes = load.files.values().map(String::len).sum::<usize>()
        + load.env.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    text("files", bytes)
}

fn check_fault(fault: &Fault) -> Checked {
    target(&fault.target)?;
    names(&fault.id)?;
    text("message", fault.message.as_ref().map_or(0, String::len))?;
    time("for_ms", fault.for_ms)?;
    time("delay_ms", fault.delay_ms)?;
    match fault.probability {
        Some(chance) if !(0..=1000).contains(&chance.0) => Err(Refusal::new(
            RefusalCode::BadRequest,
            format!("`probability` is {chance}; it lies between 0 and 1"),
        )),
        _ => Ok(()),
    }
}

fn behaviour(behaviour: &Behaviour) -> Checked {
    time("start_ms", behaviour.start_ms)?;
    time("ready_after_ms", behaviour.ready_after_ms)?;
    time("exit_after_ms", behaviour.exit_after_ms)?;
    list("readiness", behaviour.readiness.len())?;
    list("health", behaviour.health.len())
}

fn target(target: &Target) -> Checked {
    let Target { service, pod, task, agent, step, plugin, action } = target;
    names([service, pod, task, agent, step, plugin, action].into_iter().flatten())
}

fn time(what: &str, ms: Option<u64>) -> Checked {
    match ms {
        Some(ms) if ms > TIME_MS => Err(beyond(format!("`{what}` of {ms} ms is more than a hundred years"))),
        _ => Ok(()),
    }
}

fn names<'a>(all: impl IntoIterator<Item = &'a String>) -> Checked {
    all.into_iter().try_for_each(|one| name(one))
}

fn name(name: &str) -> Checked {
    if name.len() > NAME_BYTES {
        return Err(beyond(format!("a name of {} bytes is longer than {NAME_BYTES}", name.len())));
    }
    Ok(())
}

fn list(what: &str, len: usize) -> Checked {
    if len > LIST {
        return Err(beyond(format!("`{what}` has {len} entries, more than {LIST}")));
    }
    Ok(())
}

fn text(what: &str, bytes: usize) -> Checked {
    if bytes > LIMITS.text_bytes as usize {
        return Err(beyond(format!("`{what}` holds {bytes} bytes, more than {}", LIMITS.text_bytes)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_inputs_are_refused() {
        let long = "x".repeat(NAME_BYTES + 1);
        for (json, code) in [
            (r#"{"kind":"add-agent","count":10000000}"#.to_owned(), Some(RefusalCode::LimitReached)),
            (r#"{"kind":"add-agent","count":0}"#.to_owned(), Some(RefusalCode::BadRequest)),
            (r#"{"kind":"add-agent","resources":{"cpus":1e12}}"#.to_owned(), Some(RefusalCode::LimitReached)),
            (r#"{"kind":"add-agent","resources":{"cpus":-1}}"#.to_owned(), Some(RefusalCode::BadRequest)),
            (r#"{"kind":"add-agent","count":10000}"#.to_owned(), None),
            (format!(r#"{{"kind":"remove-agent","agent":"{long}"}}"#), Some(RefusalCode::LimitReached)),
            (
                r#"{"kind":"fault","fault":"agent-lost","for_ms":1000000000000000000}"#.to_owned(),
                Some(RefusalCode::LimitReached),
            ),
            (
                r#"{"kind":"fault","fault":"task-fail","probability":1.5}"#.to_owned(),
                Some(RefusalCode::BadRequest),
            ),
            (r#"{"kind":"fault","fault":"task-fail","probability":0.5}"#.to_owned(), None),
            (
                r#"{"kind":"process-behaviour","behaviour":{"start_ms":18446744073709551615}}"#.to_owned(),
                Some(RefusalCode::LimitReached),
            ),
        ] {
            let input: Input = serde_json::from_str(&json).expect(&json);
            assert_eq!(check(&input).err().map(|refusal| refusal.code), code, "{json}");
        }
        let mut load = LoadService::default();
        load.files.insert("svc.yml".to_owned(), "x".repeat(LIMITS.text_bytes as usize + 1));
        let refusal = check(&Input::LoadService(load)).expect_err("too large");
        assert_eq!(refusal.code, RefusalCode::LimitReached);
    }
}
