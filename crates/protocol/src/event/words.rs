//! Words an event: speaker, kind, one sentence, importance.
//!
//! *Knows*: the words that people read, wherever they read them: transcripts, page, command line, spoken summaries.
//! *Must not know*: what made the event. No digest covers anything said here.

use super::{ElementPath, EventBody, Importance};
use crate::Text;
use std::fmt::Write as _;

impl EventBody {
    /// Returns the speaker: `operator`, `fault`, `plan`, `scheduler`, `cluster`, `task`, `simulator`, or a name of the system's own.
    pub fn speaker(&self) -> &str {
        match self {
            Self::Happened { speaker, .. } => speaker,
            Self::InputApplied { .. }
            | Self::Rejected { .. }
            | Self::Maintenance { .. }
            | Self::Shares { .. }
            | Self::ServiceLoaded { .. }
            | Self::ServiceUpdated { .. }
            | Self::ServiceRemoved { .. }
            | Self::PlanCommanded { .. }
            | Self::PodCommanded { .. } => "operator",
            Self::MachineLost { .. }
            | Self::FaultInjected { .. }
            | Self::FaultCleared { .. }
            | Self::FaultStruck { .. } => "fault",
            Self::ElementStatus { .. } | Self::PhaseChanged { .. } => "plan",
            Self::Declined { .. }
            | Self::InverseAnswered { .. }
            | Self::Revived { .. }
            | Self::Suppressed { .. }
            | Self::Launched { .. }
            | Self::KillRequested { .. }
            | Self::SchedulerStarted { .. }
            | Self::Evaluated { .. }
            | Self::Backoff { .. }
            | Self::RecoveryNeeded { .. } => "scheduler",
            Self::Check { .. } | Self::TaskStatus { .. } | Self::ConfigFile { .. } => "task",
            Self::LimitReached { .. } | Self::InvariantBroken { .. } => "simulator",
            Self::MachineAdded { .. }
            | Self::MachineRemoved { .. }
            | Self::MachineReturned { .. }
            | Self::AgentRegistered { .. }
            | Self::AgentDisconnected { .. }
            | Self::AgentUnreachable { .. }
            | Self::AgentReregistered { .. }
            | Self::AgentRemoved { .. }
            | Self::FrameworkSubscribed { .. }
            | Self::FrameworkRemoved { .. }
            | Self::Offered { .. }
            | Self::Rescinded { .. }
            | Self::Reserved { .. }
            | Self::Unreserved { .. }
            | Self::Volume { .. }
            | Self::VolumeResized { .. }
            | Self::OperationDropped { .. }
            | Self::FrameworkEvent { .. }
            | Self::InverseOffered { .. }
            | Self::InverseRescinded { .. } => "cluster",
        }
    }

    /// Returns the kind as a word: that of [`EventBody::Happened`], otherwise as in JSON.
    pub fn word(&self) -> &str {
        match self {
            Self::Happened { what, .. } => what,
            Self::InputApplied { .. } => "input-applied",
            Self::Rejected { .. } => "rejected",
            Self::LimitReached { .. } => "limit-reached",
            Self::InvariantBroken { .. } => "invariant-broken",
            Self::MachineAdded { .. } => "machine-added",
            Self::MachineRemoved { .. } => "machine-removed",
            Self::MachineLost { .. } => "machine-lost",
            Self::MachineReturned { .. } => "machine-returned",
            Self::Check { .. } => "check",
            Self::FaultInjected { .. } => "fault-injected",
            Self::FaultCleared { .. } => "fault-cleared",
            Self::FaultStruck { .. } => "fault-struck",
            Self::AgentRegistered { .. } => "agent-registered",
            Self::AgentDisconnected { .. } => "agent-disconnected",
            Self::AgentUnreachable { .. } => "agent-unreachable",
            Self::AgentReregistered { .. } => "agent-reregistered",
            Self::AgentRemoved { .. } => "agent-removed",
            Self::FrameworkSubscribed { .. } => "framework-subscribed",
            Self::FrameworkRemoved { .. } => "framework-removed",
            Self::Offered { .. } => "offered",
            Self::Declined { .. } => "declined",
            Self::Rescinded { .. } => "rescinded",
            Self::Revived { .. } => "revived",
            Self::Suppressed { .. } => "suppressed",
            Self::Reserved { .. } => "reserved",
            Self::Unreserved { .. } => "unreserved",
            Self::Volume { .. } => "volume",
            Self::VolumeResized { .. } => "volume-resized",
            Self::OperationDropped { .. } => "operation-dropped",
            Self::Launched { .. } => "launched",
            Self::TaskStatus { .. } => "task-status",
            Self::KillRequested { .. } => "kill-requested",
            Self::FrameworkEvent { .. } => "framework-event",
            Self::InverseOffered { .. } => "inverse-offered",
            Self::InverseAnswered { .. } => "inverse-answered",
            Self::InverseRescinded { .. } => "inverse-rescinded",
            Self::Maintenance { .. } => "maintenance",
            Self::ServiceLoaded { .. } => "service-loaded",
            Self::ServiceUpdated { .. } => "service-updated",
            Self::ServiceRemoved { .. } => "service-removed",
            Self::SchedulerStarted { .. } => "scheduler-started",
            Self::ElementStatus { .. } => "element-status",
            Self::PhaseChanged { .. } => "phase-changed",
            Self::PlanCommanded { .. } => "plan-commanded",
            Self::PodCommanded { .. } => "pod-commanded",
            Self::Evaluated { .. } => "evaluated",
            Self::Backoff { .. } => "backoff",
            Self::RecoveryNeeded { .. } => "recovery-needed",
            Self::ConfigFile { .. } => "config-file",
            Self::Shares { .. } => "shares",
        }
    }

    /// The fact as one sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::InputApplied { text, .. }
            | Self::Maintenance { text, .. }
            | Self::Shares { text, .. }
            | Self::InvariantBroken { text }
            | Self::Happened { text, .. } => text.to_string(),
            Self::Rejected { reason, .. } => format!("refused: {reason}"),
            Self::LimitReached { text, .. } => format!("limit reached: {text}"),
            Self::MachineAdded { agent } => format!("{agent} joined"),
            Self::MachineRemoved { agent } => format!("{agent} was removed"),
            Self::MachineLost { agent, how } => format!("{agent} {how}"),
            Self::MachineReturned { agent } => format!("{agent} is back"),
            Self::Check { task, check, exit_code, attempt, .. } => {
                format!("{task} {check} check {attempt}: exit {exit_code}")
            }
            Self::FaultInjected { fault, text, .. } => format!("fault {fault}: {text}"),
            Self::FaultCleared { fault } => format!("fault {fault} ended"),
            Self::FaultStruck { fault, target, .. } => format!("fault {fault} struck {target}"),
            Self::AgentRegistered { agent, .. } => format!("{agent} registered"),
            Self::AgentDisconnected { agent } => format!("{agent} disconnected"),
            Self::AgentUnreachable { agent } => format!("{agent} unreachable"),
            Self::AgentReregistered { agent } => format!("{agent} reregistered"),
            Self::AgentRemoved { agent, reason, .. } => format!("{agent} removed: {reason}"),
            Self::FrameworkSubscribed { framework } => format!("{framework} subscribed"),
            Self::FrameworkRemoved { framework } => format!("{framework} went away"),
            Self::Offered { framework, agents } => format!("{framework} was offered {}", list(agents)),
            Self::Declined { framework, agents, refuse_ms } => {
                format!("{framework} declined {} for {refuse_ms} ms", list(agents))
            }
            Self::Rescinded { framework, agent } => format!("offer of {agent} to {framework} rescinded"),
            Self::InverseOffered { framework, agents } => {
                format!("{framework} was asked to leave {}", list(agents))
            }
            Self::InverseAnswered { framework, agents, accepted } => {
                let answer = if *accepted { "agrees" } else { "declines" };
                format!("{framework} {answer} to leave {}", list(agents))
            }
            Self::InverseRescinded { framework, agent } => {
                format!("inverse offer of {agent} to {framework} rescinded")
            }
            Self::Revived { framework } => format!("{framework} asked for offers"),
            Self::Suppressed { framework } => format!("{framework} wants no offers"),
            Self::Reserved { agent, resources, .. } => format!("reserved on {agent}: {resources}"),
            Self::Unreserved { agent, resources, .. } => format!("unreserved on {agent}: {resources}"),
            Self::VolumeResized { agent, path, from, to, .. } => {
                format!("volume {path} on {agent} resized from {from} to {to} MiB")
            }
            Self::Volume { agent, path, created: true, .. } => format!("volume {path} created on {agent}"),
            Self::Volume { agent, path, created: false, .. } => {
                format!("volume {path} destroyed on {agent}")
            }
            Self::OperationDropped { agent, operation, reason, .. } => {
                format!("{operation} on {agent} was dropped: {reason}")
            }
            Self::Launched { agent, task, .. } => format!("{task} launched on {agent}"),
            Self::TaskStatus { task, state, reason, message, healthy, readiness_exit, .. } => {
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
            Self::KillRequested { task, grace_ms, .. } => format!("kill {task}, grace {grace_ms} ms"),
            Self::FrameworkEvent { framework, .. } => format!("message to {framework}"),
            Self::ServiceLoaded { service, dialect } => format!("{service} installed ({dialect})"),
            Self::ServiceUpdated { service, text, .. } => format!("{service} updated: {text}"),
            Self::ServiceRemoved { service, .. } => format!("{service} is gone"),
            Self::SchedulerStarted { service, .. } => format!("scheduler of {service} started"),
            Self::ElementStatus { path: element, from, to } => format!("{} {from} -> {to}", path(element)),
            Self::PhaseChanged { path: element, change } => format!("{} {change}", path(element)),
            Self::PlanCommanded { path: element, op } => format!("{op} {}", path(element)),
            Self::PodCommanded { pod, op, .. } => format!("{op} {pod}"),
            Self::Evaluated { path: element, agent, passed: true, .. } => {
                format!("{} fits on {agent}", path(element))
            }
            Self::Evaluated { path: element, agent, text, .. } => {
                format!("{} does not fit on {agent}: {text}", path(element))
            }
            Self::Backoff { task, delay_ms, .. } => format!("{task} backs off for {delay_ms} ms"),
            Self::RecoveryNeeded { pod, recovery, .. } => format!("{pod} needs recovery: {recovery}"),
            Self::ConfigFile { task, file, .. } => {
                let problem = file.problem.as_deref().unwrap_or("rendered");
                format!("{task}: config file {} ({}) {problem}", file.dest, file.name)
            }
        }
    }

    /// Returns the importance to a reader.
    pub fn importance(&self) -> Importance {
        match self {
            Self::Happened { importance, .. } => *importance,
            Self::Offered { .. }
            | Self::Declined { .. }
            | Self::Rescinded { .. }
            | Self::InverseRescinded { .. }
            | Self::Revived { .. }
            | Self::Suppressed { .. }
            | Self::FrameworkEvent { .. }
            | Self::FrameworkSubscribed { .. }
            | Self::AgentRegistered { .. }
            | Self::MachineAdded { .. } => Importance::Low,
            Self::Check { exit_code, .. } if *exit_code == 0 => Importance::Low,
            // Reconciliation repeats known statuses.
            Self::TaskStatus { reason, .. } if &**reason == "REASON_RECONCILIATION" => Importance::Low,
            Self::Evaluated { passed, .. } if !*passed => Importance::Low,
            Self::Rejected { .. }
            | Self::LimitReached { .. }
            | Self::InvariantBroken { .. }
            | Self::MachineLost { .. }
            | Self::MachineRemoved { .. }
            | Self::FaultInjected { .. }
            | Self::FaultStruck { .. }
            | Self::FaultCleared { .. }
            | Self::PlanCommanded { .. }
            | Self::PodCommanded { .. }
            | Self::Backoff { .. }
            | Self::RecoveryNeeded { .. }
            | Self::Maintenance { .. }
            | Self::Shares { .. }
            | Self::AgentUnreachable { .. }
            | Self::AgentRemoved { .. } => Importance::High,
            _ => Importance::Normal,
        }
    }
}

/// Words an element's path within its service.
fn path(path: &ElementPath) -> String {
    let mut text = path.plan.to_string();
    for part in [&path.phase, &path.step].into_iter().flatten() {
        let _ = write!(text, "/{part}");
    }
    text
}

/// Most names that a sentence lists.
const NAMED: usize = 8;

fn list(names: &[Text]) -> String {
    match names {
        [first, rest @ ..] if rest.len() >= NAMED => format!("{first} and {} more", rest.len()),
        names => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(step: Option<&str>) -> ElementPath {
        ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: Some("hello".into()),
            step: step.map(Into::into),
        }
    }

    #[test]
    fn an_event_describes_itself() {
        for (body, words) in [
            (
                EventBody::ElementStatus {
                    path: element(Some("hello-0:[a]")),
                    from: "PENDING".into(),
                    to: "COMPLETE".into(),
                },
                (
                    "plan",
                    "element-status",
                    "deploy/hello/hello-0:[a] PENDING -> COMPLETE",
                    Importance::Normal,
                ),
            ),
            (
                EventBody::TaskStatus {
                    framework: "s".into(),
                    task: "hello-0".into(),
                    task_id: "x".into(),
                    state: "TASK_RUNNING".into(),
                    reason: "".into(),
                    message: "well".into(),
                    healthy: Some(false),
                    readiness_exit: Some(1),
                },
                (
                    "task",
                    "task-status",
                    "hello-0 TASK_RUNNING readiness exit 1 unhealthy (well)",
                    Importance::Normal,
                ),
            ),
            (
                EventBody::Happened {
                    speaker: "marathon".into(),
                    what: "deployment-started".into(),
                    importance: Importance::High,
                    path: None,
                    facts: Vec::new(),
                    text: "a deployment started".into(),
                },
                ("marathon", "deployment-started", "a deployment started", Importance::High),
            ),
            (
                EventBody::Offered { framework: "s".into(), agents: vec!["a".into(), "b".into()] },
                ("cluster", "offered", "s was offered a, b", Importance::Low),
            ),
        ] {
            let said = (body.speaker(), body.word(), &*body.sentence(), body.importance());
            assert_eq!(said, words);
            let json = serde_json::to_value(&body).expect("plain data");
            let kind = json.get("kind").and_then(serde_json::Value::as_str);
            assert!(kind == Some(body.word()) || kind == Some("happened"), "{json}");
        }
    }
}
