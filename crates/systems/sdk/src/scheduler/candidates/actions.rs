//! Steps that launch nothing.
//!
//! *Knows*: what each of them does in its turn and what completes it. *Must not know*: its plan, offers beyond the
//! ids of released reservations.

use crate::scheduler::killer::{Kill, TaskKiller};
use crate::scheduler::plans::Action;
use crate::scheduler::state::{Override, OverrideProgress, OverrideTarget};
use crate::scheduler::{Cx, Scheduler};
use planarium_mesos::api::Call;
use planarium_plan::{Holder, Status, StepState};
use planarium_protocol::Text;

impl Scheduler {
    /// Works on a candidate that launches nothing.
    pub(super) fn act(&mut self, cx: &mut Cx, holder: Holder, action: &Action) {
        let prepared = self.plans.step_status(holder) == Status::Prepared;
        let next = match action {
            // It waits; nothing is said again.
            Action::Unreserve { .. } if prepared => return,
            Action::Decommission { task } => {
                self.decommission_task(cx, task);
                StepState::Complete
            }
            Action::Kill { id, agent } => {
                self.kill(cx, Kill { id, agent: Some(agent), by: None });
                StepState::Complete
            }
            Action::Erase { task } => {
                self.erase(task);
                StepState::Complete
            }
            Action::TlsCleanup | Action::Custom => StepState::Complete,
            Action::Deregister if prepared => {
                self.tear_down(cx);
                StepState::Complete
            }
            Action::Unreserve { .. } | Action::Deregister => StepState::Prepared,
        };
        self.plans.set_state(holder, next);
        if self.plans.report(cx, holder.plan, &self.state.tasks).is_some() {
            self.timers.need_cycle(cx);
        }
        self.plans.touch(cx, holder.plan);
    }

    fn decommission_task(&mut self, cx: &mut Cx, task: &Text) {
        let goal =
            Override { target: OverrideTarget::Decommissioned, progress: OverrideProgress::InProgress };
        let place = self.state.tasks.update(task, |record| {
            record.goal = goal;
            (record.is_alive(), record.id.clone(), record.at.agent_id.clone())
        });
        if let Some((true, id, agent)) = place {
            self.kill(cx, Kill { id: &id, agent: Some(&agent), by: None });
        }
    }

    fn erase(&mut self, task: &Text) {
        let key = self.state.tasks.named(task).map(|record| record.pod.clone());
        self.state.tasks.remove(task);
        if let Some(key) = key {
            self.note_pod(&key);
        }
    }

    /// The framework's end: the master removes it with all its tasks, and nothing is remembered.
    fn tear_down(&mut self, cx: &Cx) {
        self.outbox.push(cx, Call::Teardown);
        self.state.wipe();
        self.killer = TaskKiller::default();
        self.failed.clear();
        self.configs.keep_target_only();
        self.lifecycle.tear_down();
        self.stop();
    }
}
