//! Names branches after their first input and its instant.
//!
//! *Knows*: inputs by kind. *Must not know*: their effects.

use planarium_protocol::Input;
use planarium_protocol::input::{Fault, FaultKind, PodOp};

/// Maximum number of letters of the input's description.
const LONG: usize = 40;

/// The name of a branch that begins with an input at an instant.
pub(super) fn named(input: &Input, at_ms: u64) -> String {
    let said = words(input);
    let said = match said.char_indices().nth(LONG) {
        Some((end, _)) => format!("{} …", said.get(..end).unwrap_or_default().trim_end()),
        None => said,
    };
    let s = at_ms / 1000;
    match s / 3600 {
        0 => format!("{said} at {}:{:02}", s / 60, s % 60),
        hours => format!("{said} at {hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

fn words(input: &Input) -> String {
    match input {
        Input::Plan(command) => {
            let parts = [&command.phase, &command.step].into_iter().flatten();
            format!("{} {}", command.op.as_str(), parts.last().unwrap_or(&command.plan))
        }
        Input::Pod(command) => format!("{} {}", pod_word(command.op), command.pod),
        Input::AddAgent(_) => "machine added".to_owned(),
        Input::RemoveAgent(_) => "machine removed".to_owned(),
        Input::LoadService(load) => installed(&load.name, "installed"),
        Input::UpdateService(load) => installed(&load.name, "updated"),
        Input::RemoveService(_) => "service removed".to_owned(),
        Input::Maintenance(_) => "maintenance changed".to_owned(),
        Input::Fault(fault) => struck(fault),
        Input::ClearFault(_) => "failure ended".to_owned(),
        Input::ProcessBehaviour(_) => "processes changed".to_owned(),
        Input::TaskStatus(_) => "task status reported".to_owned(),
        Input::OfferRound(_) => "offers made".to_owned(),
        Input::Framework(_) => "framework changed".to_owned(),
        Input::Call(call) => format!("{} {}", call.method, call.path),
    }
}

fn pod_word(op: PodOp) -> &'static str {
    match op {
        PodOp::Restart => "restart",
        PodOp::Replace => "replace",
        PodOp::Pause => "pause",
        PodOp::Resume => "resume",
    }
}

fn installed(name: &str, did: &str) -> String {
    format!("{} {did}", if name.is_empty() { "service" } else { name })
}

fn struck(fault: &Fault) -> String {
    let target = fault.target.parts().last().map_or("everything", |(_, pattern)| pattern);
    let did = match fault.fault {
        FaultKind::TaskFail => "crashed",
        FaultKind::TaskKill => "killed",
        FaultKind::TaskOom => "out of memory",
        FaultKind::CrashLoop => "in a crash loop",
        FaultKind::SlowStart => "slow to start",
        FaultKind::Hang => "hangs",
        FaultKind::ReadinessFail => "never ready",
        FaultKind::HealthFail => "unhealthy",
        FaultKind::ImageMissing => "without its image",
        FaultKind::PluginFail => "fails",
        FaultKind::AgentLost => "lost",
        FaultKind::AgentPartitioned => "cut off",
        FaultKind::AgentRestart | FaultKind::SchedulerRestart => "restarted",
        FaultKind::AgentFull => "full",
        FaultKind::OffersWithheld => return "offers withheld".to_owned(),
        FaultKind::StatusDropped => "unheard of",
        FaultKind::MasterFailover => return "master failed over".to_owned(),
    };
    format!("{target} {did}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::input::{HttpCall, Target};

    #[test]
    fn a_branch_is_named_after_its_first_input() {
        let lost = Input::Fault(Fault {
            fault: FaultKind::AgentLost,
            id: None,
            target: Target { agent: Some("host-2".to_owned()), ..Target::default() },
            for_ms: None,
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        });
        assert_eq!(named(&lost, 31_400), "host-2 lost at 0:31");
        assert_eq!(named(&lost, 3_661_000), "host-2 lost at 1:01:01");
        let call = |path: &str| {
            Input::Call(HttpCall {
                method: "PUT".to_owned(),
                path: path.to_owned(),
                body: serde_json::Value::Null,
                content_type: None,
            })
        };
        assert_eq!(named(&call("/v2/apps/web"), 0), "PUT /v2/apps/web at 0:00");
        let long = named(&call(&"/ä".repeat(90)), 5_000);
        assert!(long.ends_with(" … at 0:05") && long.chars().count() < 60, "{long}");
    }
}
