//! What is told to end because its agent or its framework leaves.
//!
//! The master has closed its books on it by then. What runs ends when it is told to; what does not react, or needs
//! its time, is ended by force a while later. Nobody hears what it says meanwhile. An agent that shuts down waits for
//! all of it before it ends itself.
//!
//! Source: `apache/mesos: src/slave/slave.cpp` (shutdownExecutor, shutdownExecutorTimeout). Match.

use crate::{Master, api::AgentId, master::Timer};
use planarium_fleet::{Cx, Fleet, ProcessId, ProcessState};
use planarium_kernel::Class;

/// Time that an executor has to end its tasks. *Units*: milliseconds. Source: `executor_shutdown_grace_period`.
pub(crate) const SHUTDOWN_GRACE_MS: u64 = 5_000;

impl Master {
    /// A process is told to end, and is ended by force when it does not.
    pub(crate) fn shut_down_process(
        &mut self,
        cx: &Cx,
        fleet: &mut Fleet,
        agent: AgentId,
        process: Option<ProcessId>,
    ) {
        let Some(pid) = process else { return };
        self.by_process.remove(&pid);
        let facts = fleet.process(pid);
        if !facts.is_some_and(|facts| facts.hung || facts.manual || facts.state == ProcessState::Killing) {
            return fleet.vanish(pid);
        }
        let until = cx.now().saturating_add(SHUTDOWN_GRACE_MS);
        self.shutting_down.insert(pid);
        self.arm(until, Class::Periodic, cx.cause(), Timer::Destroy(pid));
        if let Some(agent) = self.agent_mut(agent) {
            agent.shutdown_done = until;
        }
    }

    /// Its time is over.
    pub(crate) fn destroy_process(&mut self, fleet: &mut Fleet, pid: ProcessId) {
        self.shutting_down.remove(&pid);
        fleet.vanish(pid);
    }
}
