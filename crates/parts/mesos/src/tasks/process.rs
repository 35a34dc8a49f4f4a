//! Reports about a process, turned into status updates of the task that it runs.
//!
//! Source: `apache/mesos: src/launcher/executor.cpp`, `src/slave/slave.cpp` (executorTerminated). Match in states,
//! reasons and sources.

use super::{MayBeDrained, Update};
use crate::{
    api::{CheckStatus, Reason, Source, TaskState},
    cluster::Cluster,
    tasks::{Tasks, update},
};
use planarium_ground::{Cx, ExitReason, Fleet, FleetEventKind, ProcessId};
use planarium_kernel::Cause;

/// Turns the report of a process into a status. Reports of a process that no task has any more are ignored.
pub(crate) fn on_process(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    report: FleetEventKind,
) -> MayBeDrained {
    match report {
        FleetEventKind::Started { pid } => update_of(tasks, cluster, cx, fleet, pid, |cause| {
            Update::new(cause, TaskState::Starting, Source::Executor)
        }),
        FleetEventKind::Running { pid } => update_of(tasks, cluster, cx, fleet, pid, |cause| {
            Update::new(cause, TaskState::Running, Source::Executor)
        }),
        FleetEventKind::Check { pid, exit_code, .. } => on_check(tasks, cluster, cx, fleet, pid, exit_code),
        FleetEventKind::Health { pid, healthy } => update_of(tasks, cluster, cx, fleet, pid, |cause| {
            let update = Update::new(cause, TaskState::Running, Source::Executor);
            let update = update.with_reason(Reason::TaskHealthCheckStatusUpdated, "");
            Update { healthy: Some(healthy), ..update }
        }),
        FleetEventKind::Exited { pid, code, reason, message } => {
            update_of(tasks, cluster, cx, fleet, pid, |cause| {
                let state = if code == 0 { TaskState::Finished } else { TaskState::Failed };
                let of = |source| Update::new(cause, state, source);
                match reason {
                    ExitReason::Exit => of(Source::Executor).with_message(message),
                    ExitReason::Oom => {
                        of(Source::Agent).with_reason(Reason::ContainerLimitationMemory, message)
                    }
                    ExitReason::ImageMissing | ExitReason::MachineFull => {
                        of(Source::Agent).with_reason(Reason::ContainerLaunchFailed, message)
                    }
                }
            })
        }
        FleetEventKind::Killed { pid, unhealthy, during_launch, message } => {
            update_of(tasks, cluster, cx, fleet, pid, |cause| {
                let of = |source| Update::new(cause, TaskState::Killed, source);
                let update = if during_launch {
                    of(Source::Agent).with_reason(Reason::TaskKilledDuringLaunch, message)
                } else {
                    of(Source::Executor).with_message(message)
                };
                Update { healthy: unhealthy.then_some(false), ..update }
            })
        }
        FleetEventKind::MachineLost { .. }
        | FleetEventKind::MachineReturned { .. }
        | FleetEventKind::OffersChanged
        | FleetEventKind::AbsencePlanned { .. }
        | FleetEventKind::HoldingsChanged { .. }
        | FleetEventKind::MasterFailover
        | FleetEventKind::SchedulerRestart { .. }
        | FleetEventKind::Watched { .. } => MayBeDrained::default(),
    }
}

fn update_of(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    pid: ProcessId,
    make: impl FnOnce(Cause) -> Update,
) -> MayBeDrained {
    let Some(no) = tasks.by_process.get(&pid).copied() else { return MayBeDrained::default() };
    let update = make(cx.cause());
    update::on_agent_update(tasks, cluster, cx, fleet, no, update)
}

/// Reports a check's result, if it differs from the last one.
fn on_check(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    pid: ProcessId,
    exit_code: Option<i32>,
) -> MayBeDrained {
    let Some(no) = tasks.by_process.get(&pid).copied() else { return MayBeDrained::default() };
    let Some(task) = tasks.get(no) else { return MayBeDrained::default() };
    let last = task.pending_updates.iter().rev().find_map(|update| update.check).or(task.check);
    let check = CheckStatus { exit_code };
    if last == Some(check) {
        return MayBeDrained::default();
    }
    let update = Update::new(cx.cause(), TaskState::Running, Source::Executor);
    let update = update.with_reason(Reason::TaskCheckStatusUpdated, "");
    update::on_agent_update(tasks, cluster, cx, fleet, no, Update { check: Some(check), ..update })
}
