//! The way from the rules to the cluster: calls of the framework, questions about its tasks, checks of its processes.
//!
//! *Knows*: what Marathon asks of a cluster. *Must not know*: why; any rule.
//!
//! Everything that a rule asks of the cluster goes through here; explanations, which only read, have the cluster itself.

use planarium_ground::{Owner, ProcessId, Watch};
use planarium_kernel::{Cause, SimTime};
use planarium_mesos::Cluster;
use planarium_mesos::ProbeFacts;
use planarium_mesos::api::{Call, FrameworkId, FrameworkInfo};
use planarium_part::Cx;
use planarium_protocol::Text;

/// Access of a rule outside of Marathon: the recorder of events, and the cluster.
pub(crate) struct Port<'a> {
    /// Time, cause and events.
    pub(crate) cx: &'a mut Cx,
    cluster: Cluster<'a>,
}

impl<'a> Port<'a> {
    /// A port to a cluster.
    pub(crate) fn new(cx: &'a mut Cx, cluster: &'a mut Cluster<'_>) -> Self {
        Self { cx, cluster: cluster.again() }
    }

    /// The present instant.
    pub(crate) fn now(&self) -> SimTime {
        self.cx.now()
    }

    /// Runs `work` under a cause.
    pub(crate) fn scoped<R>(&mut self, cause: Cause, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.cx.cause();
        self.cx.set_cause(cause);
        let result = work(self);
        self.cx.set_cause(before);
        result
    }

    /// The calendar's first instant. *Units*: milliseconds since 1970.
    pub(crate) fn epoch_ms(&self) -> u64 {
        self.cluster.epoch_ms()
    }

    // ---- the framework -----------------------------------------------------------------------

    /// Subscribes a new framework.
    pub(crate) fn subscribe(&mut self, info: FrameworkInfo) -> FrameworkId {
        self.cluster.subscribe(self.cx, info)
    }

    /// Subscribes a framework again.
    pub(crate) fn resubscribe(&mut self, framework: FrameworkId, info: FrameworkInfo) {
        self.cluster.resubscribe(self.cx, framework, info);
    }

    /// Changes how a framework describes itself.
    pub(crate) fn update_framework(&mut self, framework: FrameworkId, info: FrameworkInfo) {
        // It stays registered unchanged: the master does not refuse the update.
        let _ = self.cluster.update_framework(self.cx, framework, info);
    }

    /// Carries a call of a framework out.
    pub(crate) fn call(&mut self, framework: FrameworkId, call: Call) {
        self.cluster.call(self.cx, framework, call);
    }

    // ---- tasks and their processes -----------------------------------------------------------

    /// Returns the cluster's knowledge of a task.
    pub(crate) fn task(&self, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        self.cluster.probe(framework, task_id)
    }

    /// The process of a task, by the ids of task and agent.
    pub(crate) fn process_of(&self, framework: FrameworkId, task: &str, agent: &str) -> Option<ProcessId> {
        self.cluster.process_of(framework, task, agent)
    }

    /// Ids of all tasks of a framework that an implicit reconciliation tells of, each with that of its agent.
    pub(crate) fn tasks_of(&self, framework: FrameworkId) -> Vec<(Text, Text)> {
        self.cluster.tasks_of(framework)
    }

    /// Has a process checked from now on.
    pub(crate) fn watch(&mut self, process: ProcessId, watch: Watch) {
        self.cluster.fleet_mut().watch(self.cx, process, watch);
    }

    /// Ends checks of a process, by their numbers.
    pub(crate) fn unwatch(&mut self, process: ProcessId, owner: Owner, numbers: impl Iterator<Item = u32>) {
        let fleet = self.cluster.fleet_mut();
        for number in numbers {
            fleet.unwatch(process, owner, number);
        }
    }
}
