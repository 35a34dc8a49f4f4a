//! Sets the state of processes that a system started itself, for manual control.
//!
//! *Knows*: the words for task states, and the report for each. *Must not know*: how a system handles a report.

use crate::ground::{Ground, SYSTEMS};
use crate::statuses::STATUSES;
use crate::system::Number;
use planarium_ground::{
    Cx, ExitReason, Fleet, FleetEvent, FleetEventKind, Owner, ProcessId, Said, SaidChecks,
};
use planarium_protocol::Refusal;
use planarium_protocol::input::TaskStatusInput;
use planarium_protocol::refusal::RefusalCode;

/// States that a task does not leave.
const ENDED: [&str; 8] = [
    "TASK_FINISHED",
    "TASK_FAILED",
    "TASK_KILLED",
    "TASK_ERROR",
    "TASK_LOST",
    "TASK_DROPPED",
    "TASK_GONE",
    "TASK_GONE_BY_OPERATOR",
];

/// Sets the state of a daemon's process, and returns the reports about it for that daemon.
///
/// *Errors*: no matching process; a word that is not a task state.
pub fn set_state(
    cx: &mut Cx,
    ground: &mut Ground<'_>,
    said: &TaskStatusInput,
) -> Result<Vec<(Number, FleetEvent)>, Refusal> {
    let Some((pid, number)) = find_process(ground.fleet(), said) else {
        return Err(Refusal::new(RefusalCode::NotFound, format!("no task {}", said.task)));
    };
    let (state, kinds) = reports(pid, said)?;
    let owner = ground.fleet().owner(pid);
    let cause = cx.cause();
    let told = kinds.into_iter().map(|kind| (number, FleetEvent { cause, owner, kind })).collect();
    if let Some(state) = state {
        ground.fleet_mut().say(cx, pid, state);
    }
    Ok(told)
}

/// Returns the state that the user says, and the reports that lead to it; none for a state that a process of a system does not have.
fn reports(pid: ProcessId, said: &TaskStatusInput) -> Result<(Option<Said>, Vec<FleetEventKind>), Refusal> {
    match said.state.as_str() {
        "TASK_STARTING" => Ok((Some(Said::Starting), vec![FleetEventKind::Started { pid }])),
        "TASK_RUNNING" => {
            let health = said.healthy.map(|healthy| FleetEventKind::Health { pid, healthy });
            let check = |code| FleetEventKind::Check { pid, exit_code: Some(code), attempt: 1 };
            let mut kinds = vec![FleetEventKind::Running { pid }];
            kinds.extend(health);
            kinds.extend(said.readiness_exit.map(check));
            let checks = SaidChecks { readiness: said.readiness_exit, healthy: said.healthy };
            Ok((Some(Said::Running(checks)), kinds))
        }
        word if ENDED.contains(&word) => {
            let code = i32::from(word != "TASK_FINISHED");
            let message = said.message.as_deref().unwrap_or(word).into();
            let kind = FleetEventKind::Exited { pid, code, reason: ExitReason::Exit, message };
            Ok((Some(Said::Ended), vec![kind]))
        }
        word if word.starts_with("TASK_") && STATUSES.iter().any(|known| known.word == word) => {
            Ok((None, Vec::new()))
        }
        word => Err(Refusal::new(RefusalCode::BadRequest, format!("`{word}` is not a task state"))),
    }
}

/// Finds the latest process of a system with this name or id.
fn find_process(fleet: &Fleet, said: &TaskStatusInput) -> Option<(ProcessId, Number)> {
    let is = |pid: ProcessId, label: &str, value: &str| {
        fleet.labels(pid).and_then(|labels| labels.get(label)).is_some_and(|own| &**own == value)
    };
    let matches = |pid: &ProcessId| {
        (is(*pid, "task-id", &said.task) || is(*pid, "task", &said.task))
            && said.service.as_deref().is_none_or(|service| is(*pid, "service", service))
    };
    let of_daemon = |owner: Owner| owner.0.checked_sub(SYSTEMS).map(Number);
    let owned = |pid: ProcessId| Some((pid, of_daemon(fleet.owner(pid)?)?));
    fleet.process_ids().filter(matches).filter_map(owned).last()
}
