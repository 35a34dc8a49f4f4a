//! Processes that are told to end because their agent or framework leaves.
//!
//! The master has already removed them from its records. A process ends when it is told to; one that does not react,
//! or is slow, is ended by force after a grace period. Its statuses reach no one. An agent that shuts down waits for
//! all of its processes before it ends itself.
//!
//! Source: `apache/mesos: src/slave/slave.cpp` (shutdownExecutor, shutdownExecutorTimeout). Match.

use crate::{
    api::AgentId,
    cluster::{Cluster, Timer},
    tasks::Tasks,
};
use planarium_ground::{Cx, Fleet, ProcessId, ProcessState};
use planarium_kernel::Class;

/// Time that an executor has to end its tasks. *Units*: milliseconds. Source: `executor_shutdown_grace_period`.
pub(crate) const SHUTDOWN_GRACE_MS: u64 = 5_000;

/// Tells a process to end, and arms the timer that ends it by force when it does not.
pub(crate) fn shut_down_process(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &Cx,
    fleet: &mut Fleet,
    agent: AgentId,
    process: Option<ProcessId>,
) {
    let Some(pid) = process else { return };
    tasks.by_process.remove(&pid);
    let facts = fleet.process(pid);
    if !facts.is_some_and(|facts| facts.hung || facts.manual || facts.state == ProcessState::Killing) {
        return fleet.vanish(pid);
    }
    let until = cx.now().saturating_add(SHUTDOWN_GRACE_MS);
    tasks.shutting_down.insert(pid);
    cluster.timers.arm(until, Class::Periodic, cx.cause(), Timer::Destroy(pid));
    if let Some(agent) = cluster.agents.get_mut(agent) {
        agent.shutdown_done = until;
    }
}

/// Ends a process by force: the grace period is over.
pub(crate) fn destroy_process(tasks: &mut Tasks, fleet: &mut Fleet, pid: ProcessId) {
    tasks.shutting_down.remove(&pid);
    fleet.vanish(pid);
}
