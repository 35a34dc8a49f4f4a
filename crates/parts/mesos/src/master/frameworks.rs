//! Frameworks and their calls.

use super::Master;
use crate::{
    api::{Call, FrameworkId, FrameworkInfo, TaskInfo, TaskState},
    frameworks::{subscription, update as framework_update},
    maintenance::cluster::{drains, inverse_offers},
    offers::{Requested, accept, exchange, operations, run},
    records::Records,
    tasks::{
        ProbeFacts, Task,
        acknowledge::{self, Acknowledged},
        kill::{self, KillCall},
        reconcile, view as task_view,
    },
};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_protocol::{EventBody, Refusal, Text};
use std::sync::Arc;

impl Master {
    /// Subscribes a framework and makes offers at once.
    pub fn subscribe(&mut self, cx: &mut Cx, fleet: &Fleet, info: FrameworkInfo) -> FrameworkId {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        subscription::subscribe(offers, maintenance, cluster, cx, fleet, info)
    }

    /// Subscribes a framework that has its id from another master, under that id.
    ///
    /// *Errors*: one of this id was removed, or the id is malformed.
    pub fn subscribe_as(
        &mut self,
        cx: &mut Cx,
        fleet: &Fleet,
        info: FrameworkInfo,
        wire: &Text,
    ) -> Result<FrameworkId, String> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        subscription::subscribe_as(offers, maintenance, cluster, cx, fleet, info, wire)
    }

    /// Subscribes a framework again under its id, with its new description. False when it was removed meanwhile.
    pub fn resubscribe(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId, info: FrameworkInfo) -> bool {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        subscription::resubscribe(offers, maintenance, cluster, cx, fleet, id, info)
    }

    /// Frameworks that have lost their master since the last call.
    pub fn drain_orphans(&mut self) -> Vec<FrameworkId> {
        std::mem::take(&mut self.records.cluster.frameworks.masterless)
    }

    /// Subscribes a framework that has lost its master again, unchanged.
    pub fn resubscribe_as_before(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId) {
        let framework = self.records.cluster.frameworks.get(id);
        if let Some(info) = framework.map(|framework| (*framework.info).clone()) {
            self.resubscribe(cx, fleet, id, info);
        }
    }

    /// Disconnects a framework whose scheduler is gone: recovers its offers without filters, and sends it nothing
    /// more.
    pub fn disconnect_framework(&mut self, cx: &mut Cx, id: FrameworkId) {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        subscription::disconnect_framework(offers, maintenance, cluster, cx, id);
    }

    /// Updates a framework's description. Drops offers and filters of roles that it leaves, and all its filters
    /// against inverse offers. Triggers no run.
    ///
    /// *Errors*: the user, principal or checkpoint flag differs.
    pub fn update_framework(
        &mut self,
        cx: &mut Cx,
        id: FrameworkId,
        info: FrameworkInfo,
    ) -> Result<(), Refusal> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        framework_update::update_framework(offers, maintenance, cluster, cx, id, info)
    }

    /// From now on this framework acknowledges statuses by calls.
    pub fn acknowledges_by_calls(&mut self, id: FrameworkId) {
        self.records.cluster.frameworks.acknowledge_by_calls(id);
    }

    /// The registered framework with this id on the wire.
    pub fn framework_by_id(&self, wire: &str) -> Option<FrameworkId> {
        self.records.cluster.frameworks.by_wire_id(wire)
    }

    /// A framework's id on the wire.
    pub fn framework_id(&self, id: FrameworkId) -> &str {
        self.records.cluster.frameworks.wire_id(id)
    }

    /// Returns whether a framework is connected.
    pub fn is_connected(&self, id: FrameworkId) -> bool {
        self.records.cluster.frameworks.is_connected(id)
    }

    /// Handles a call of a framework. Calls of frameworks that are not connected are ignored.
    pub fn call(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId, call: Call) {
        let records = &mut self.records;
        let framework = records.cluster.frameworks.get(id).filter(|framework| framework.is_connected());
        let Some(framework) = framework else { return };
        let info = framework.info.clone();
        let all_known = |roles: &[Text]| roles.iter().all(|role| info.roles.contains(role));
        match call {
            Call::Accept { offer_ids, operations, refuse_ms } => {
                accept::accept(records, cx, fleet, id, &offer_ids, operations, refuse_ms);
            }
            Call::Decline { offer_ids, refuse_ms } => {
                records.cluster.counters.decline_offers += 1;
                exchange::decline(&mut records.offers, &mut records.cluster, cx, id, &offer_ids, refuse_ms);
            }
            Call::AnswerInverseOffers { offer_ids, response, refuse_ms } => {
                let Records { cluster, maintenance, .. } = records;
                inverse_offers::answer_inverse_offers(
                    maintenance,
                    cluster,
                    cx,
                    id,
                    &offer_ids,
                    response,
                    refuse_ms,
                );
            }
            Call::Revive { roles } if all_known(&roles) => {
                records.cluster.counters.revive_offers += 1;
                cx.following(EventBody::Revived { framework: info.name.clone() }, |cx| {
                    let Records { cluster, offers, maintenance, .. } = records;
                    cluster.allocator.revive(id, &roles, cx.cause());
                    inverse_offers::clear_inverse_filters(maintenance, cluster, cx, id);
                    offers.requested = Requested::All;
                    run::run_requested(offers, maintenance, cluster, cx, fleet);
                });
            }
            Call::Suppress { roles } if all_known(&roles) => {
                let cluster = &mut records.cluster;
                cluster.counters.suppress_offers += 1;
                if !cluster.allocator.is_suppressed(id) {
                    cx.emit(EventBody::Suppressed { framework: info.name.clone() });
                }
                cluster.allocator.suppress(id, &roles);
            }
            // A role that the framework does not have: the whole call is dropped.
            Call::Revive { .. } | Call::Suppress { .. } => {}
            Call::Kill { task_id, agent_id, grace_ms } => {
                records.cluster.counters.kill_task += 1;
                let Records { cluster, tasks, .. } = &mut *records;
                let call = KillCall { framework: id, task_id, agent_id, grace_ms };
                let left = kill::kill(tasks, cluster, cx, fleet, &call);
                drains::check(records, cx, fleet, left);
            }
            Call::Reconcile { tasks } => {
                records.cluster.counters.reconcile_tasks += 1;
                reconcile::reconcile(&mut records.tasks, &mut records.cluster, cx, id, &tasks);
            }
            Call::ReconcileOperations { operations } => {
                let asked = operations;
                operations::reconcile_operations(
                    &mut records.operations,
                    &mut records.cluster,
                    cx,
                    id,
                    &asked,
                );
            }
            Call::Teardown => subscription::remove_framework(records, cx, fleet, id),
        }
    }

    /// A framework has acknowledged a status: the task's next one is sent, or the task is removed when it was
    /// the last. Acknowledgements of anything else have no effect.
    pub fn acknowledge(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        task_id: &str,
        uuid: &[u8],
    ) {
        let acknowledged = Acknowledged { framework, agent_id, task_id, uuid };
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = acknowledge::acknowledge(tasks, cluster, cx, fleet, &acknowledged);
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// ACKNOWLEDGE_OPERATION_STATUS. Acknowledgements of anything else have no effect.
    pub fn acknowledge_operation(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        operation_id: &str,
        uuid: &[u8],
    ) {
        let Records { cluster, operations, .. } = &mut self.records;
        let left = operations::acknowledge_operation(
            operations,
            cluster,
            cx,
            framework,
            agent_id,
            operation_id,
            uuid,
        );
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// Tells an executor to end with all its tasks. An agent that does not receive the order continues.
    pub fn shut_down_executor(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        id: FrameworkId,
        agent_id: &str,
        executor: &str,
    ) {
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = kill::shut_down_executor(tasks, cluster, cx, fleet, id, agent_id, executor);
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// Returns the known facts of a framework's task, by its id.
    pub fn probe(&self, fleet: &Fleet, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        task_view::probe(&self.records.tasks, &self.records.cluster, fleet, framework, task_id)
    }

    /// Ids of all tasks of a framework that an implicit reconciliation tells of, each with that of its agent: those out of reach
    /// are not among them.
    pub fn tasks_of(&self, framework: FrameworkId) -> Vec<(Text, Text)> {
        let Records { tasks, cluster, .. } = &self.records;
        let is_told = |task: &&Arc<Task>| task.framework == framework && task.state != TaskState::Unreachable;
        let own = tasks.all.values().filter(is_told);
        own.map(|task| (task.id().clone(), cluster.agents.wire_id(task.agent))).collect()
    }

    /// Returns the process of a task, by the ids of task and agent, independent of the master's records.
    pub fn process_of(&self, framework: FrameworkId, task: &str, agent: &str) -> Option<ProcessId> {
        task_view::process_of(&self.records.tasks, &self.records.cluster, framework, task, agent)
    }

    /// Tasks of a framework that have ended, as far as the master remembers, oldest first.
    pub fn completed_tasks(&self, framework: FrameworkId) -> impl Iterator<Item = (&TaskInfo, TaskState)> {
        self.records.cluster.frameworks.completed_tasks(framework)
    }
}
