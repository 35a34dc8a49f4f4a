//! Events in words, and where they come from.

use planarium_kernel::cause::Cause;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::{Event, Text};

use super::status::word;
use super::time::short;
use super::tree::title;

/// Who speaks in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A person or a script.
    Operator,
    /// An injected failure.
    Fault,
    /// A plan.
    Plan,
    /// A scheduler.
    Scheduler,
    /// The master and its agents.
    Cluster,
    /// A task.
    Task,
    /// The simulator.
    Simulator,
}

impl Source {
    /// The word shown.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Fault => "fault",
            Self::Plan => "plan",
            Self::Scheduler => "scheduler",
            Self::Cluster => "cluster",
            Self::Task => "task",
            Self::Simulator => "simulator",
        }
    }
}

/// The last part of a path, with what it is when that is no step.
fn short_title(path: &ElementPath) -> String {
    match (&path.step, &path.phase) {
        (Some(step), _) => step.to_string(),
        (None, Some(phase)) => format!("phase {phase}"),
        (None, None) => format!("plan {}", path.plan),
    }
}

fn list(names: &[Text]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => one.to_string(),
        [one, two] => format!("{one} and {two}"),
        [one, rest @ ..] if rest.len() > 3 => format!("{one} and {} more", rest.len()),
        more => more.iter().map(|name| &**name).collect::<Vec<_>>().join(", "),
    }
}

/// Who speaks, and what is said.
pub(crate) fn describe(body: &EventBody) -> (Source, String) {
    use Source::{Cluster, Fault, Operator, Plan, Scheduler, Simulator, Task};
    match body {
        EventBody::Happened { text, .. } => (Scheduler, text.to_string()),
        EventBody::Rejected { reason, .. } => (Operator, format!("refused: {reason}")),
        EventBody::InputApplied { text, .. } | EventBody::Note { text } | EventBody::Shares { text } => {
            (Operator, text.to_string())
        }
        EventBody::LimitReached { limit } => (Simulator, format!("limit reached: {limit}")),
        EventBody::InvariantBroken { text } => (Simulator, format!("defect of the simulator: {text}")),
        EventBody::MachineAdded { agent } => (Cluster, format!("{agent} joined")),
        EventBody::MachineRemoved { agent } => (Cluster, format!("{agent} was removed")),
        EventBody::MachineLost { agent, how } => (Fault, format!("{agent} is gone ({how})")),
        EventBody::MachineReturned { agent } => (Cluster, format!("{agent} is back")),
        EventBody::Check { task, check, exit_code, attempt } => {
            let outcome =
                if *exit_code == 0 { "passed".to_owned() } else { format!("failed with {exit_code}") };
            (Task, format!("{task}: {check} check {attempt} {outcome}"))
        }
        EventBody::FaultInjected { text, .. } => (Fault, text.to_string()),
        EventBody::FaultCleared { fault } => (Fault, format!("{fault} ended")),
        EventBody::FaultStruck { fault, target } => (Fault, format!("{fault} struck {target}")),
        EventBody::AgentRegistered { agent, .. } => (Cluster, format!("{agent} registered")),
        EventBody::AgentDisconnected { agent } => (Cluster, format!("lost the connection to {agent}")),
        EventBody::AgentUnreachable { agent } => (Cluster, format!("{agent} is unreachable")),
        EventBody::AgentReregistered { agent } => (Cluster, format!("{agent} registered again")),
        EventBody::AgentRemoved { agent, reason } => (Cluster, format!("{agent} was removed: {reason}")),
        EventBody::FrameworkSubscribed { framework } => (Cluster, format!("{framework} subscribed")),
        EventBody::FrameworkRemoved { framework } => (Cluster, format!("{framework} went away")),
        EventBody::Offered { framework, agents } => {
            (Cluster, format!("offers to {framework}: {}", list(agents)))
        }
        EventBody::Declined { framework, agents, refuse_ms } => {
            (Scheduler, format!("{framework} declined {} for {}", list(agents), short(*refuse_ms)))
        }
        EventBody::Rescinded { framework, agent } => {
            (Cluster, format!("offer of {agent} to {framework} was taken back"))
        }
        EventBody::InverseOffered { framework, agents } => {
            (Cluster, format!("{framework} is asked to leave {}", list(agents)))
        }
        EventBody::InverseAnswered { framework, agents, accepted } => (
            Scheduler,
            format!(
                "{framework} {} to leave {}",
                if *accepted { "agrees" } else { "declines" },
                list(agents)
            ),
        ),
        EventBody::InverseRescinded { framework, agent } => {
            (Cluster, format!("{framework} is no longer asked to leave {agent}"))
        }
        EventBody::Revived { framework } => (Scheduler, format!("{framework} asks for offers")),
        EventBody::Suppressed { framework } => (Scheduler, format!("{framework} wants no offers")),
        EventBody::Reserved { framework, agent, resources } => {
            (Cluster, format!("reserved on {agent} for {framework}: {resources}"))
        }
        EventBody::Unreserved { framework, agent, resources } => {
            (Cluster, format!("unreserved on {agent} by {framework}: {resources}"))
        }
        EventBody::Volume { agent, path, created, .. } => {
            (Cluster, format!("volume {path} {} on {agent}", if *created { "created" } else { "destroyed" }))
        }
        EventBody::VolumeResized { agent, path, from, to, .. } => {
            (Cluster, format!("volume {path} on {agent} resized from {from} to {to} MiB"))
        }
        EventBody::OperationDropped { agent, operation, reason, .. } => {
            (Cluster, format!("{operation} on {agent} was dropped: {reason}"))
        }
        EventBody::Launched { agent, task, .. } => (Scheduler, format!("launched {task} on {agent}")),
        EventBody::TaskStatus { task, state, reason, message, readiness_exit, healthy, .. } => {
            let mut text = format!("{task} is {}", word(state));
            if let Some(exit) = readiness_exit {
                text += if *exit == 0 { ", ready" } else { ", not ready" };
            }
            match healthy {
                Some(true) => text += ", healthy",
                Some(false) => text += ", unhealthy",
                None => {}
            }
            for part in [message, reason] {
                if !part.is_empty() {
                    text += " · ";
                    text += part.strip_prefix("REASON_").unwrap_or(part);
                }
            }
            (Task, text)
        }
        EventBody::KillRequested { task, grace_ms, .. } => {
            (Scheduler, format!("kill {task}, grace period {}", short(*grace_ms)))
        }
        EventBody::FrameworkEvent { framework, .. } => (Cluster, format!("message to {framework}")),
        EventBody::Maintenance { text, agents } => (Operator, format!("{text}: {}", list(agents))),
        EventBody::ServiceLoaded { service, .. } => (Operator, format!("{service} installed")),
        EventBody::ServiceUpdated { service, text } => (Operator, format!("{service} updated: {text}")),
        EventBody::ServiceRemoved { service } => (Operator, format!("{service} is gone")),
        EventBody::SchedulerStarted { service, .. } => (Scheduler, format!("scheduler of {service} started")),
        EventBody::ElementStatus { path, from, to } => {
            let change = if from.is_empty() { to.to_string() } else { format!("{from} → {to}") };
            (Plan, format!("{}: {change}", short_title(path)))
        }
        EventBody::PhaseChanged { path, change } => (Plan, format!("{} {change}", title(path))),
        EventBody::PlanCommanded { path, op } => (Operator, format!("{op} {}", title(path))),
        EventBody::PodCommanded { pod, op, .. } => (Operator, format!("{op} pod {pod}")),
        EventBody::Evaluated { path, agent, passed, text } => {
            let outcome = if *passed { "fits".to_owned() } else { format!("does not fit: {text}") };
            (Scheduler, format!("{} on {agent}: {outcome}", short_title(path)))
        }
        EventBody::Backoff { task, delay_ms, .. } => {
            (Scheduler, format!("{task} is launched again in {}", short(*delay_ms)))
        }
        EventBody::RecoveryNeeded { pod, recovery, .. } => {
            (Scheduler, format!("{pod} needs recovery ({})", recovery.to_ascii_lowercase()))
        }
        EventBody::ConfigFile { task, file, .. } => {
            let problem = file.problem.as_deref().unwrap_or("rendered");
            (Task, format!("{task}: config file {} {problem}", file.dest))
        }
    }
}

/// The status that an event is about, for its icon.
pub(crate) fn icon(event: &Event) -> (&'static str, &'static str) {
    match &event.body {
        EventBody::ElementStatus { path, to, .. } => {
            let look = super::status::look_at(path, to);
            (look.icon, look.family)
        }
        EventBody::TaskStatus { state, .. } => {
            let look = super::status::state(state);
            (look.icon, look.family)
        }
        EventBody::FaultInjected { .. } | EventBody::FaultStruck { .. } | EventBody::MachineLost { .. } => {
            ("lightning", "forced")
        }
        EventBody::Rejected { .. }
        | EventBody::InvariantBroken { .. }
        | EventBody::LimitReached { .. }
        | EventBody::ConfigFile { .. } => ("error", "error"),
        EventBody::Backoff { .. } => ("delayed", "waiting"),
        EventBody::InputApplied { .. } | EventBody::PlanCommanded { .. } | EventBody::PodCommanded { .. } => {
            ("flag", "forced")
        }
        EventBody::Note { .. } => ("book", "neutral"),
        EventBody::Launched { .. } => ("rocket", "active"),
        _ => ("dot", "neutral"),
    }
}

/// The event behind another, if it is one.
pub(crate) fn because(event: &Event) -> Option<u64> {
    match event.cause {
        Cause::Event(seq) => Some(seq),
        Cause::Genesis | Cause::Input(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_happened() {
        let path = ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: Some("hello".into()),
            step: None,
        };
        for (body, source, text) in [
            (
                EventBody::ElementStatus { path, from: "PENDING".into(), to: "COMPLETE".into() },
                Source::Plan,
                "phase hello: PENDING → COMPLETE",
            ),
            (
                EventBody::TaskStatus {
                    framework: "s".into(),
                    task: "hello-0".into(),
                    task_id: "x".into(),
                    state: "TASK_RUNNING".into(),
                    reason: "".into(),
                    message: "".into(),
                    healthy: None,
                    readiness_exit: Some(1),
                },
                Source::Task,
                "hello-0 is RUNNING, not ready",
            ),
            (
                EventBody::Offered { framework: "s".into(), agents: vec!["a".into(), "b".into()] },
                Source::Cluster,
                "offers to s: a and b",
            ),
        ] {
            assert_eq!(describe(&body), (source, text.to_owned()));
        }
    }
}
