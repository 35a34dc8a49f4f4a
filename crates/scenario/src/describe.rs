//! Events and inputs in words, a line each.

use planarium_protocol::Input;
use planarium_protocol::event::{ElementPath, EventBody};
use std::fmt::Write as _;

fn path(path: &ElementPath) -> String {
    let mut text = path.plan.to_string();
    for part in [&path.phase, &path.step].into_iter().flatten() {
        let _ = write!(text, "/{part}");
    }
    text
}

/// One line for an event; `None` where it says nothing to a reader.
pub fn event(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::InputApplied { text, .. }
        | EventBody::Note { text }
        | EventBody::Maintenance { text, .. }
        | EventBody::Shares { text }
        | EventBody::InvariantBroken { text } => text.to_string(),
        EventBody::Happened { text, .. } => text.to_string(),
        EventBody::Rejected { reason, .. } => format!("refused: {reason}"),
        EventBody::LimitReached { limit } => format!("limit reached: {limit}"),
        EventBody::MachineAdded { agent } => format!("{agent} joined"),
        EventBody::MachineRemoved { agent } => format!("{agent} was removed"),
        EventBody::MachineLost { agent, how } => format!("{agent} {how}"),
        EventBody::MachineReturned { agent } => format!("{agent} is back"),
        EventBody::Check { task, check, exit_code, attempt } => {
            format!("{task} {check} check {attempt}: exit {exit_code}")
        }
        EventBody::FaultInjected { fault, text } => format!("fault {fault}: {text}"),
        EventBody::FaultCleared { fault } => format!("fault {fault} ended"),
        EventBody::FaultStruck { fault, target } => format!("fault {fault} struck {target}"),
        EventBody::AgentRegistered { agent, .. } => format!("{agent} registered"),
        EventBody::AgentDisconnected { agent } => format!("{agent} disconnected"),
        EventBody::AgentUnreachable { agent } => format!("{agent} unreachable"),
        EventBody::AgentReregistered { agent } => format!("{agent} reregistered"),
        EventBody::AgentRemoved { agent, reason } => format!("{agent} removed: {reason}"),
        EventBody::FrameworkSubscribed { framework } => format!("{framework} subscribed"),
        EventBody::FrameworkRemoved { framework } => format!("{framework} went away"),
        EventBody::Offered { framework, agents } => format!("{framework} was offered {}", agents.join(", ")),
        EventBody::Declined { framework, agents, .. } => {
            format!("{framework} declined {}", agents.join(", "))
        }
        EventBody::Rescinded { framework, agent } => format!("offer of {agent} to {framework} rescinded"),
        EventBody::InverseOffered { framework, agents } => {
            format!("{framework} was asked to leave {}", agents.join(", "))
        }
        EventBody::InverseAnswered { framework, agents, accepted } => {
            format!(
                "{framework} {} to leave {}",
                if *accepted { "agrees" } else { "declines" },
                agents.join(", ")
            )
        }
        EventBody::InverseRescinded { framework, agent } => {
            format!("inverse offer of {agent} to {framework} rescinded")
        }
        EventBody::Revived { framework } => format!("{framework} asked for offers"),
        EventBody::Suppressed { framework } => format!("{framework} wants no offers"),
        EventBody::Reserved { agent, resources, .. } => format!("reserved on {agent}: {resources}"),
        EventBody::Unreserved { agent, resources, .. } => format!("unreserved on {agent}: {resources}"),
        EventBody::VolumeResized { agent, path, from, to, .. } => {
            format!("volume {path} on {agent} resized from {from} to {to} MiB")
        }
        EventBody::Volume { agent, path, created: true, .. } => format!("volume {path} created on {agent}"),
        EventBody::Volume { agent, path, created: false, .. } => {
            format!("volume {path} destroyed on {agent}")
        }
        EventBody::OperationDropped { agent, operation, reason, .. } => {
            format!("{operation} on {agent} was dropped: {reason}")
        }
        EventBody::Launched { agent, task, .. } => format!("{task} launched on {agent}"),
        EventBody::TaskStatus { task, state, reason, message, healthy, readiness_exit, .. } => {
            let mut text = format!("{task} {state}");
            if !reason.is_empty() {
                let _ = write!(text, " {reason}");
            }
            if let Some(exit) = readiness_exit {
                let _ = write!(text, " readiness exit {exit}");
            }
            if *healthy == Some(false) {
                text.push_str(" unhealthy");
            }
            if !message.is_empty() {
                let _ = write!(text, " ({message})");
            }
            text
        }
        EventBody::KillRequested { task, grace_ms, .. } => format!("kill {task}, grace {grace_ms} ms"),
        EventBody::FrameworkEvent { .. } => return None,
        EventBody::ServiceLoaded { service, dialect } => format!("{service} installed ({dialect})"),
        EventBody::ServiceUpdated { service, text } => format!("{service} updated: {text}"),
        EventBody::ServiceRemoved { service } => format!("{service} is gone"),
        EventBody::SchedulerStarted { service, .. } => format!("scheduler of {service} started"),
        EventBody::ElementStatus { path: element, from, to } => format!("{} {from} -> {to}", path(element)),
        EventBody::PhaseChanged { path: element, change } => format!("{} {change}", path(element)),
        EventBody::PlanCommanded { path: element, op } => format!("{op} {}", path(element)),
        EventBody::PodCommanded { pod, op, .. } => format!("{op} {pod}"),
        EventBody::Evaluated { path: element, agent, passed: true, .. } => {
            format!("{} fits on {agent}", path(element))
        }
        EventBody::Evaluated { path: element, agent, text, .. } => {
            format!("{} does not fit on {agent}: {text}", path(element))
        }
        EventBody::Backoff { task, delay_ms, .. } => format!("{task} backs off for {delay_ms} ms"),
        EventBody::RecoveryNeeded { pod, recovery, .. } => format!("{pod} needs recovery: {recovery}"),
        EventBody::ConfigFile { task, file, .. } => {
            let problem = file.problem.as_deref().unwrap_or("rendered");
            format!("{task}: config file {} ({}) {problem}", file.dest, file.name)
        }
    })
}

/// One line for an input.
pub fn input(input: &Input) -> String {
    match input {
        Input::LoadService(load) | Input::UpdateService(load) => {
            let name = if load.name.is_empty() {
                load.files.keys().next().map_or("", String::as_str)
            } else {
                load.name.as_str()
            };
            format!("{} {name}", input.kind())
        }
        Input::Plan(command) => {
            let mut text = format!("plan {} {}/{}", command.op.as_str(), command.service, command.plan);
            for part in [&command.phase, &command.step].into_iter().flatten() {
                let _ = write!(text, "/{part}");
            }
            for (key, value) in &command.params {
                let _ = write!(text, " {key}={value}");
            }
            text
        }
        other => {
            let mut value = serde_json::to_value(other).unwrap_or_default();
            let kind = value.as_object_mut().and_then(|map| map.remove("kind"));
            debug_assert!(kind.is_some(), "every input has a kind");
            format!("{} {value}", other.kind())
        }
    }
}
