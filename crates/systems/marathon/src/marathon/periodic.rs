//! Periodic jobs of the process.
//!
//! **Source**: `marathon: MarathonSchedulerService.scala, core/task/jobs/impl/OverdueInstancesActor.scala,
//! ExpungeOverdueLostTasksActor.scala, MarathonSchedulerActor.scala`. Match; the periodic reconciliation, with an explicit and an
//! implicit half, asks only about tasks whose state in the master differs from the last report, including unreported and
//! forgotten ones: other answers change nothing.

use crate::instances::instance::{Condition, Goal, Instance};
use crate::instances::tracker::{Key, Tracked, reservation_deadline};
use crate::marathon::Marathon;
use crate::port::Port;
use crate::timers::Job;
use planarium_kernel::Class;
use planarium_mesos::api::{Call, ReconcileTask};
use planarium_part::Cx;
use std::sync::Arc;

/// From the answer that the lead is given up until it is.
///
/// **Source**: `marathon: api/v2/LeaderResource.scala`. Match.
const ABDICATION_MS: u64 = 500;

impl Marathon {
    /// Gives up the lead in a moment.
    pub(crate) fn abdicate(&mut self, cx: &Cx) {
        if !self.records.timers.is_armed(Job::Abdicate) {
            let at = cx.now().saturating_add(ABDICATION_MS);
            self.records.timers.arm(Job::Abdicate, at, Class::OneShot, cx.cause());
        }
    }

    /// Handles one due timer.
    pub(crate) fn fire(&mut self, port: &mut Port<'_>) {
        let Some(armed) = self.records.timers.pop_due(port.cx.now()) else { return };
        port.cx.set_cause(armed.cause);
        match armed.job {
            Job::Scale => self.scale_all(port),
            Job::Reconcile => self.reconcile(port),
            Job::Overdue => self.end_overdue(port),
            Job::Expunge => self.expunge_lost(port.cx),
            Job::KillRetry => self.kills.retry(&mut self.records, port),
            Job::Revive | Job::Resent => {}
            Job::ReviveAgain => self.demand.revive_again(&mut self.records, port),
            Job::Backoff(spec) => self.records.delay_ended(port.cx, spec),
            Job::Sync(spec) => self.deploying(port).sync(spec),
            Job::Abdicate => self.start_again(port),
        }
        self.settle(port);
    }

    fn scale_all(&mut self, port: &mut Port<'_>) {
        for no in self.records.balance.unbalanced() {
            self.records.rescale(port.cx, no);
        }
    }

    /// Asks the master about tasks, and drops instances of removed specs.
    fn reconcile(&mut self, port: &mut Port<'_>) {
        self.in_doubt = false;
        for no in self.records.balance.orphans() {
            let keys: Vec<Key> = self.records.instances.of_spec(no).map(|(key, _)| key).collect();
            for key in keys {
                self.records.set_goal(
                    port.cx,
                    key,
                    Goal::Decommissioned,
                    "nothing with its id is defined any more",
                );
            }
        }
        let mut tasks = Vec::new();
        for (_, instance) in self.records.instances.iter() {
            let doubtful =
                matches!(instance.condition, Condition::Unreachable | Condition::UnreachableInactive);
            for task in instance.tasks.iter().filter(|task| !task.condition.is_terminal()) {
                let known = || port.task(self.records.setup.framework, &task.id).map(|facts| facts.state);
                let differs = match &task.status {
                    Some(status) => doubtful || known() != Some(status.state.as_str()),
                    // Never reported: the master answers for tasks that it knows only.
                    None => known().is_some_and(|state| state != "TASK_UNREACHABLE"),
                };
                if differs {
                    let agent_id = instance.agent.as_ref().map(|agent| agent.agent_id.clone());
                    tasks.push(ReconcileTask { task_id: task.id.clone(), agent_id });
                }
            }
        }
        for (task_id, agent_id) in port.tasks_of(self.records.setup.framework) {
            if self.records.instances.of_task(&task_id).is_none() {
                tasks.push(ReconcileTask { task_id, agent_id: Some(agent_id) });
            }
        }
        if !tasks.is_empty() {
            port.call(self.records.setup.framework, Call::Reconcile { tasks });
        }
    }

    /// Kills what does not come up, and forgets reservations that do not show up.
    fn end_overdue(&mut self, port: &mut Port<'_>) {
        for key in self.records.instances.take_overdue(port.cx.now()) {
            let Some(instance) = self.records.instances.get(key).cloned() else { continue };
            if reservation_deadline(&instance).is_some_and(|deadline| deadline <= port.cx.now()) {
                let cause = self.records.say_instance(
                    port.cx,
                    "reservation-timeout",
                    Tracked { key, instance: &instance },
                    "its reservation has not shown up in time",
                );
                self.records.instances.time_out(key, cause);
            } else {
                self.kill_overdue(port, key, instance);
            }
        }
    }

    fn kill_overdue(&mut self, port: &mut Port<'_>, key: Key, instance: Arc<Instance>) {
        let text = if instance.condition == Condition::Provisioned {
            "its launch has not been confirmed in time"
        } else {
            "its task has not started in time"
        };
        let cause = self.records.say_instance(
            port.cx,
            "instance-overdue",
            Tracked { key, instance: &instance },
            text,
        );
        port.scoped(cause, |port| self.kills.kill_instances(&mut self.records, port, &[(key, instance)]));
    }

    fn expunge_lost(&mut self, cx: &mut Cx) {
        for key in self.records.instances.take_lost(cx.now()) {
            let Some(instance) = self.records.instances.get(key).cloned() else { continue };
            let text = "it has not answered for so long that it is forgotten";
            let cause = self.records.say_instance(
                cx,
                "instance-expunged",
                Tracked { key, instance: &instance },
                text,
            );
            self.records.instances.force_expunge(key, cause);
        }
    }
}
