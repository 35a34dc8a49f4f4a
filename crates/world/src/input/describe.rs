//! Describes inputs in one line.
//!
//! Knows: words. Must not know: what an input does.

use planarium_protocol::Input;
use planarium_protocol::input::{AddAgent, LoadService, Maintenance, PlanCommand, PodOp, Target};
use serde_json::Value;

/// Maximum length of a quoted user text.
const LONGEST: usize = 80;

/// Describes an input in one line, e.g. `continue deploy`.
pub fn describe(input: &Input) -> String {
    match input {
        Input::AddAgent(add) => add_agent(add),
        Input::RemoveAgent(remove) => format!("remove machine {}", short(&remove.agent)),
        Input::LoadService(load) => service("load", load),
        Input::UpdateService(load) => service("update", load),
        Input::RemoveService(remove) if remove.force => format!("drop service {}", short(&remove.name)),
        Input::RemoveService(remove) => format!("uninstall service {}", short(&remove.name)),
        Input::Plan(command) => plan(command),
        Input::Pod(command) => {
            let op = match command.op {
                PodOp::Restart => "restart",
                PodOp::Replace => "replace",
                PodOp::Pause => "pause",
                PodOp::Resume => "resume",
            };
            let tasks = if command.tasks.is_empty() {
                String::new()
            } else {
                format!(" ({})", short(&command.tasks.join(", ")))
            };
            format!("{op} pod {}{tasks}", short(&command.pod))
        }
        Input::Maintenance(call) => maintenance(call),
        Input::Fault(fault) => format!("fault {}{}", fault.fault.as_str(), target(&fault.target)),
        Input::ClearFault(clear) => format!("clear fault {}", short(&clear.id)),
        Input::ProcessBehaviour(rule) if rule.behaviour.manual == Some(true) => {
            format!("processes on manual{}", target(&rule.target))
        }
        Input::ProcessBehaviour(rule) if rule.behaviour.manual == Some(false) => {
            format!("processes no longer on manual{}", target(&rule.target))
        }
        Input::ProcessBehaviour(rule) => format!("processes behave otherwise{}", target(&rule.target)),
        Input::TaskStatus(status) => format!("task {}: {}", short(&status.task), short(&status.state)),
        Input::OfferRound(round) if round.agents.is_empty() => "offer round".to_owned(),
        Input::OfferRound(round) => format!("offer round with {}", short(&round.agents.join(", "))),
        Input::Framework(framework) => {
            format!("framework {}: {}", short(&framework.name), short(&framework.op))
        }
        Input::Call(call) => format!("{} {}", short(&call.method), short(&call.path)),
    }
}

fn maintenance(call: &Maintenance) -> String {
    let windows = call.body.get("windows").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let in_windows = windows.iter().filter_map(|window| window.get("machine_ids")?.as_array()).flatten();
    let listed = call.body.as_array().map(Vec::as_slice).unwrap_or_default();
    let hosts = in_windows.chain(listed).filter_map(|machine| machine.get("hostname")?.as_str());
    let agent = call.body.pointer("/agent_id/value").and_then(Value::as_str);
    let names: Vec<&str> = hosts.chain(agent).collect();
    let of = |verb: &str| format!("{verb} {}", short(&names.join(", ")));
    match call.op.as_str() {
        "schedule" if names.is_empty() => "cancel the maintenance schedule".to_owned(),
        "schedule" | "schedule-add" => of("schedule maintenance of"),
        "schedule-remove" => of("take out of the maintenance schedule:"),
        "down" => of("start maintenance of"),
        "up" => of("stop maintenance of"),
        "drain" => of("drain the agent on"),
        "deactivate" => of("deactivate the agent on"),
        "reactivate" => of("reactivate the agent on"),
        "gone" => of("mark gone the agent on"),
        op => format!("maintenance: {}", short(op)),
    }
}

fn add_agent(add: &AddAgent) -> String {
    match (add.count.unwrap_or(1), &add.hostname) {
        (1, None) => "add a machine".to_owned(),
        (1, Some(name)) => format!("add machine {}", short(name)),
        (count, None) => format!("add {count} machines"),
        (count, Some(name)) => format!("add {count} machines named {}", short(&name.replace("{n}", "*"))),
    }
}

fn service(verb: &str, load: &LoadService) -> String {
    let name = if load.name.is_empty() { String::new() } else { format!(" {}", short(&load.name)) };
    match load.dialect.as_str() {
        "" | "auto" => format!("{verb} service{name}"),
        dialect => format!("{verb} {} service{name}", short(dialect)),
    }
}

fn plan(command: &PlanCommand) -> String {
    let mut text = format!("{} {}", command.op.as_str(), short(&command.plan));
    for part in [&command.phase, &command.step].into_iter().flatten() {
        text.push('/');
        text.push_str(&short(part));
    }
    text
}

fn target(target: &Target) -> String {
    let words: Vec<String> = target
        .parts()
        .map(|(name, pattern)| {
            format!("{} {}", if name == "agent" { "machine" } else { name }, short(pattern))
        })
        .collect();
    if words.is_empty() { String::new() } else { format!(" on {}", words.join(", ")) }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_inputs_in_one_line() {
        for (json, line) in [
            (r#"{"kind":"add-agent"}"#, "add a machine"),
            (r#"{"kind":"add-agent","count":3}"#, "add 3 machines"),
            (r#"{"kind":"add-agent","hostname":"web"}"#, "add machine web"),
            (r#"{"kind":"add-agent","count":3,"hostname":"web-{n}"}"#, "add 3 machines named web-*"),
            (r#"{"kind":"load-service","dialect":"sdk","name":"hello"}"#, "load sdk service hello"),
            (r#"{"kind":"load-service","dialect":"auto"}"#, "load service"),
            (r#"{"kind":"remove-service","name":"hello"}"#, "uninstall service hello"),
            (r#"{"kind":"plan","service":"s","plan":"deploy","op":"continue"}"#, "continue deploy"),
            (
                r#"{"kind":"plan","service":"s","plan":"deploy","op":"force-complete","phase":"p","step":"a:[b]"}"#,
                "force-complete deploy/p/a:[b]",
            ),
            (r#"{"kind":"pod","service":"s","pod":"hello-0","op":"replace"}"#, "replace pod hello-0"),
            (
                r#"{"kind":"fault","fault":"task-fail","target":{"task":"hello-*","agent":"a"}}"#,
                "fault task-fail on task hello-*, machine a",
            ),
            (r#"{"kind":"maintenance","op":"schedule","body":{}}"#, "cancel the maintenance schedule"),
            (
                r#"{"kind":"maintenance","op":"schedule","body":{"windows":[{"machine_ids":[{"hostname":"a"}]},{"machine_ids":[{"hostname":"b"}]}]}}"#,
                "schedule maintenance of a, b",
            ),
            (r#"{"kind":"maintenance","op":"down","body":[{"hostname":"a"},7]}"#, "start maintenance of a"),
            (
                r#"{"kind":"maintenance","op":"gone","body":{"agent_id":{"value":"a"}}}"#,
                "mark gone the agent on a",
            ),
            (r#"{"kind":"maintenance","op":"rest"}"#, "maintenance: rest"),
            (r#"{"kind":"task-status","task":"t","state":"TASK_LOST"}"#, "task t: TASK_LOST"),
            (r#"{"kind":"offer-round","agents":["a","b"]}"#, "offer round with a, b"),
            (r#"{"kind":"call","method":"GET","path":"/v1/plans"}"#, "GET /v1/plans"),
        ] {
            let input: Input = serde_json::from_str(json).expect(json);
            assert_eq!(describe(&input), line);
        }
        let long = Input::RemoveAgent(planarium_protocol::input::RemoveAgent { agent: "ä".repeat(1000) });
        assert_eq!(describe(&long).chars().count(), "remove machine ".len() + LONGEST + 1);
    }
}
