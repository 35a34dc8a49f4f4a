//! Consequences of a task's status: the step that moves, pods to recover, tasks to kill.
//!
//! *Knows*: the rules for one status. *Must not know*: offers.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (processStatusUpdate), …/framework/TaskKiller.java`. Match.

use super::delays::Delays;
use super::killer::Kill;
use super::plans::Plans;
use super::plans::reaction::{DelayChange, from_tasks, reaction};
use super::state::{OverrideTarget, StatusChange, TakenStatus, is_terminal};
use super::{Cx, Scheduler};
use crate::spec::Goal;
use planarium_kernel::Cause;
use planarium_mesos::api::TaskStatus;
use planarium_plan::{Holder, StepState};
use planarium_protocol::Text;
use std::sync::Arc;

/// A status that moves a step.
struct StepMove {
    holder: Holder,
    /// Place of the task among those that the step launched.
    task: usize,
    /// New state of the task's part.
    state: StepState,
    delay: DelayChange,
}

impl Scheduler {
    /// The master knows this scheduler: zombies are killed, statuses asked for.
    pub(super) fn subscribed(&mut self, cx: &mut Cx, framework: Text, region: Option<Text>) {
        self.subscribed = true;
        self.state.framework.get_or_insert(framework);
        self.offers.master_region = region;
        for (id, agent) in self.zombies() {
            self.kill(cx, Kill { id: &id, agent: Some(&agent), by: None });
        }
        self.reconciler.begin(cx, &self.state.tasks, &mut self.timers, &mut self.outbox);
        self.timers.need_cycle(cx);
    }

    /// Ids and agents of living tasks without a plan. The plan of an uninstall kills all tasks itself.
    fn zombies(&self) -> Vec<(Text, Text)> {
        let tasks = self.state.tasks.tasks().filter(|_| !self.is_uninstalling());
        tasks
            .filter(|task| task.is_alive() && !self.failed.mentioned.contains(task))
            .filter(|task| task.goal.target != OverrideTarget::Decommissioned)
            .map(|task| (task.id.clone(), task.at.agent_id.clone()))
            .collect()
    }

    /// Takes a task's status.
    pub(super) fn take_status(&mut self, cx: &mut Cx, status: &TaskStatus) {
        let state = status.state.as_str();
        let ended_by = self.note_kill(cx, status);
        self.reconciler.heard(cx, &status.task_id, &mut self.timers);
        let change = match self.state.tasks.take_status(cx, status) {
            TakenStatus::UnknownTask => {
                // A task unknown under this id must not keep running.
                if state != "TASK_STAGING" && !is_terminal(state) && state != "TASK_UNREACHABLE" {
                    self.kill(cx, Kill { id: &status.task_id, agent: status.agent_id.as_ref(), by: None });
                }
                return;
            }
            TakenStatus::Ignored => return,
            TakenStatus::Stored(change) => change,
        };
        self.plans.revision.touch(cx);
        if change.is_news && self.killer.contains(&status.task_id) {
            // Whether an ending task can be told so is shown on the steps of its pod.
            for shown in self.plans.shown_of_pod(&change.pod, &self.state.tasks) {
                self.plans.touch_step(cx, shown.holder);
            }
        }
        self.note_pod(&change.pod);
        let event = self.move_step(cx, &status.task_id, &change, ended_by);
        if change.is_news {
            let cause = event.map_or(cx.cause(), Cause::Event);
            cx.scoped(cause, |cx| self.timers.need_cycle(cx));
        }
    }

    /// Records a status of a killed task; returns the step that requested the kill, if that is why it ended.
    fn note_kill(&mut self, cx: &mut Cx, status: &TaskStatus) -> Option<Holder> {
        let state = status.state.as_str();
        if is_terminal(state) {
            let kill = self.killer.ended(&status.task_id)?;
            // Steps of any plan may have waited for its end.
            self.plans.touch_all(cx);
            return kill.by.filter(|_| state == "TASK_KILLED");
        }
        if self.killer.heard(&status.task_id, state == "TASK_UNREACHABLE") {
            self.kill(cx, Kill { id: &status.task_id, agent: status.agent_id.as_ref(), by: None });
        }
        None
    }

    /// Moves the step that waits for a task; returns the last resulting event.
    fn move_step(
        &mut self,
        cx: &mut Cx,
        id: &Text,
        change: &StatusChange,
        ended_by: Option<Holder>,
    ) -> Option<u64> {
        let StepMove { holder, task, state, delay } = step_move(&self.plans, id, change)?;
        let data = self.plans.step_mut(holder)?;
        if let Some(entry) = data.tasks.get_mut(task) {
            entry.state = state;
            entry.ended_by = ended_by.filter(|by| *by != holder);
        }
        data.touched += 1;
        let next = from_tasks(&data.tasks);
        match delay {
            DelayChange::Keep => {}
            DelayChange::Clear => self.delays().clear(cx, &change.name),
            DelayChange::Add => self.add_delay(cx, &change.name),
        }
        self.state.tasks.move_override(change.place, state);
        if let Some(next) = next {
            let delayed = next == StepState::Delayed && self.delays().holds_back(cx, holder);
            let next = if next == StepState::Delayed && !delayed { StepState::Pending } else { next };
            self.plans.set_state(holder, next);
        }
        let event = self.plans.report_all(cx, &self.state.tasks);
        self.plans.touch(cx, holder.plan);
        event
    }

    fn add_delay(&mut self, cx: &mut Cx, task: &Text) {
        let mut delays =
            Delays { backoff: &mut self.backoff, plans: &mut self.plans, timers: &mut self.timers };
        delays.add(cx, &self.service.name, task);
    }
}

/// The move of the step that waits for a task; `None` when no step does, or the step only notes the status.
fn step_move(plans: &Plans, id: &Text, change: &StatusChange) -> Option<StepMove> {
    let holder = plans.waiting.get(&change.pod, id)?;
    let plan = plans.get(holder.plan)?;
    if plan.tree.step_state(holder.step) == Some(StepState::Complete) {
        return None;
    }
    let data = plan.step(holder.step)?;
    let at = data.tasks.iter().position(|task| Arc::ptr_eq(&task.id, id));
    let task = at.or_else(|| data.tasks.iter().position(|task| task.id == *id))?;
    let name = &data.tasks.get(task)?.task;
    let goal = data.requirement.as_ref()?.pod.spec.task(name).map_or(Goal::Running, |spec| spec.goal);
    let (state, delay) = reaction(&change.status, goal)?;
    Some(StepMove { holder, task, state, delay })
}
