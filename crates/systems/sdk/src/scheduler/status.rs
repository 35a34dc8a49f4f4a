//! Task statuses: what is stored, which step moves, what must be recovered or killed.
//!
//! *Knows*: the rules for one status, delays that end, repeated kills, reconciliation.
//! *Must not know*: offers.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (processStatusUpdate), …/state/StateStore.java,
//! …/framework/TaskKiller.java, ExplicitReconciler.java, ImplicitReconciler.java`. Match.

use super::step::{DelayChange, from_tasks, reaction};
use super::store::{
    Override, OverrideProgress, OverrideTarget, Place, PodKey, Stored, TaskRecord, is_terminal,
};
use super::{Cx, Request, Scheduler, Timer, TimerKind};
use crate::spec::Goal;
use planarium_kernel::Cause;
use planarium_kernel::queue::Class;
use planarium_mesos::api::{Call, ReconcileTask, TaskStatus};
use planarium_plan::{Holder, StepState};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::Arc;

/// First wait before asking for statuses again. *Units*: milliseconds.
const RECONCILE_FIRST_MS: u64 = 8_000;
/// Longest such wait. *Units*: milliseconds.
const RECONCILE_MAX_MS: u64 = 30_000;
/// Between two requests for all statuses. *Units*: milliseconds.
const RECONCILE_ALL_MS: u64 = 3_600_000;

/// The stored task that a status is about.
#[derive(Clone, Copy)]
struct Reported<'a> {
    id: &'a Text,
    name: &'a Text,
    pod: &'a PodKey,
    place: Place,
    /// The step that had it killed.
    ended_by: Option<Holder>,
}

impl Scheduler {
    /// A task's status.
    pub(super) fn take_status(&mut self, cx: &mut Cx, status: &TaskStatus, out: &mut Vec<Request>) {
        let state = status.state.as_str();
        let mut ended_by = None;
        if is_terminal(state) {
            if let Some(kill) = self.kills.ended(&status.task_id) {
                // Steps of any plan may have waited for its end.
                self.touch_all(cx);
                ended_by = kill.by.filter(|_| state == "TASK_KILLED");
            }
        } else if self.kills.heard(&status.task_id, state == "TASK_UNREACHABLE") {
            self.kill(cx, &status.task_id, status.agent_id.as_ref(), out);
        }
        if self.reconciling.missing.heard(&status.task_id) && self.reconciling.missing.is_empty() {
            if let Some(id) = self.reconciling.timer.take() {
                self.timers.cancel(id);
            }
            self.need_cycle(cx);
        }
        let found = self.store.place_of_id(&status.task_id);
        let found = found.and_then(|place| Some((place, self.store.at(place)?)));
        let Some((place, record)) = found else {
            // A task nobody remembers under this id: it must not run on.
            if state != "TASK_STAGING" && !is_terminal(state) && state != "TASK_UNREACHABLE" {
                self.kill(cx, &status.task_id, status.agent_id.as_ref(), out);
            }
            return;
        };
        if record.status.as_ref().is_some_and(Stored::is_terminal)
            && matches!(
                state,
                "TASK_LOST" | "TASK_GONE" | "TASK_DROPPED" | "TASK_UNKNOWN" | "TASK_UNREACHABLE"
            )
        {
            return;
        }
        let (name, key) = (record.name.clone(), record.pod.clone());
        let task = Reported { id: &status.task_id, name: &name, pod: &key, place, ended_by };
        let stored = merge(record, status, cx);
        let news = record.status.as_ref().is_none_or(|old| !same(old, &stored));
        self.store.change(place, |record| {
            record.addressed |= state == "TASK_RUNNING";
            record.status = Some(stored.clone());
        });
        self.touch_service(cx);
        if news && self.kills.contains(&status.task_id) {
            // A task that is to end can be told so or not; steps of its pod say which.
            for (holder, _) in self.shown_of_pod(&key) {
                self.touch_step(cx, holder);
            }
        }
        self.note_pod(&key);
        let event = self.move_step(cx, task, &stored);
        if news {
            let cause = event.map_or(cx.cause(), Cause::Event);
            cx.scoped(cause, |cx| self.need_cycle(cx));
        }
    }

    /// Moves the step that waits for a task; the last event that came of it.
    fn move_step(&mut self, cx: &mut Cx, task: Reported<'_>, status: &Stored) -> Option<u64> {
        let Reported { id, name, pod, place, ended_by } = task;
        let holder = self.waiting.get(pod, id)?;
        let plan = self.plan(holder.plan)?;
        if plan.tree.step_state(holder.step) == Some(StepState::Complete) {
            return None;
        }
        let data = plan.step(holder.step)?;
        let at = data.tasks.iter().position(|task| Arc::ptr_eq(&task.id, id));
        let at = at.or_else(|| data.tasks.iter().position(|task| task.id == *id))?;
        let task = &data.tasks.get(at)?.task;
        let goal = data.requirement.as_ref()?.pod.spec.task(task).map_or(Goal::Running, |spec| spec.goal);
        let (state, delay) = reaction(status, goal)?;
        let data = self.step_data_mut(holder)?;
        if let Some(entry) = data.tasks.get_mut(at) {
            entry.state = state;
            entry.ended_by = ended_by.filter(|by| *by != holder);
        }
        data.touched += 1;
        let next = from_tasks(&data.tasks);
        match delay {
            DelayChange::Keep => {}
            DelayChange::Clear => self.clear_delay(cx, name),
            DelayChange::Add => self.add_delay(cx, name),
        }
        self.move_override(place, state);
        if let Some(next) = next {
            let delayed = next == StepState::Delayed && self.has_delay(cx, holder);
            let next = if next == StepState::Delayed && !delayed { StepState::Pending } else { next };
            self.set_state(holder, next);
        }
        let event = self.report_all(cx);
        self.touch(cx, holder.plan);
        event
    }

    fn add_delay(&mut self, cx: &mut Cx, name: &Text) {
        let Some(delay) = self.backoff.add(name, cx.now(), cx.next_seq()) else { return };
        cx.emit(EventBody::Backoff {
            service: self.name.clone(),
            task: name.clone(),
            delay_ms: delay.size_ms(),
            until_ms: delay.until().ms(),
        });
        cx.scoped(Cause::Event(delay.event), |cx| self.arm_backoff(cx));
        self.touch_all(cx);
    }

    /// Wakes when the next delay ends.
    pub(super) fn arm_backoff(&mut self, cx: &Cx) {
        if let Some(id) = self.backoff_timer.take() {
            self.timers.cancel(id);
        }
        if let Some(at) = self.backoff.next_end(cx.now()) {
            let timer = Timer { cause: cx.cause(), kind: TimerKind::Backoff };
            self.backoff_timer = Some(self.timers.push(at, Class::OneShot, timer));
        }
    }

    /// Forgets a task's delay.
    pub(super) fn clear_delay(&mut self, cx: &Cx, name: &str) {
        if self.backoff.clear(name) {
            self.arm_backoff(cx);
            self.touch_all(cx);
            let delayed: Vec<Holder> = self.delayed.iter().copied().collect();
            for holder in delayed {
                self.settle_delay(cx, holder);
            }
        }
    }

    /// An override follows its task's entry until it is complete.
    fn move_override(&mut self, place: Place, state: StepState) {
        let Some(Override { target, progress }) = self.store.at(place).map(|record| record.goal) else {
            return;
        };
        if progress == OverrideProgress::Complete || target == OverrideTarget::Decommissioned {
            return;
        }
        let progress = match state {
            StepState::Pending => OverrideProgress::Pending,
            StepState::Started | StepState::Complete => OverrideProgress::Complete,
            _ => OverrideProgress::InProgress,
        };
        self.store.change(place, |record| record.goal.progress = progress);
    }

    /// Delays may have ended: steps that were held back by them alone are pending again.
    pub(super) fn settle_delays(&mut self, cx: &mut Cx) {
        self.arm_backoff(cx);
        let delayed: Vec<Holder> = self.delayed.iter().copied().collect();
        for holder in delayed {
            self.settle_delay(cx, holder);
        }
        let event = self.report_all(cx);
        // A failed pod may be free to recover although none of its steps was held back.
        cx.scoped(event.map_or(cx.cause(), Cause::Event), |cx| self.need_cycle(cx));
    }

    /// A DELAYED step none of whose tasks has a delay any more reads PENDING.
    pub(super) fn settle_delay(&mut self, cx: &Cx, holder: Holder) {
        let Some(plan) = self.plan(holder.plan) else { return };
        if plan.tree.step_state(holder.step) != Some(StepState::Delayed) {
            return;
        }
        if !self.has_delay(cx, holder) {
            self.set_state(holder, StepState::Pending);
        }
    }

    /// Whether one of the tasks to launch has a delay that still runs.
    fn has_delay(&self, cx: &Cx, holder: Holder) -> bool {
        let requirement = self.plan(holder.plan).and_then(|plan| plan.requirement(holder.step));
        requirement.is_some_and(|requirement| {
            requirement.task_names().iter().any(|task| self.backoff.running(task, cx.now()).is_some())
        })
    }

    /// Notes whether a pod instance has anything to recover.
    pub(super) fn note_pod(&mut self, key: &PodKey) {
        let failing =
            self.store.pod(key).is_some_and(|tasks| tasks.values().any(|task| self.may_recover(task)));
        self.failing.note(key, failing);
    }

    /// A goal-RUNNING task of some plan that failed or is flagged as lost. A stub's status is that of a launch before.
    pub(super) fn may_recover(&self, task: &TaskRecord) -> bool {
        let Some(status) = task.own_status() else { return false };
        (status.needs_recovery() || task.permanently_failed)
            && self.goal_of(task) == Some(Goal::Running)
            && self.mentioned.contains(task)
    }

    /// The goal of a stored task in the version it was launched with.
    pub(crate) fn goal_of(&self, task: &TaskRecord) -> Option<Goal> {
        let config = self.configs.get(&task.config)?;
        Some(config.pods.get(&task.pod.pod)?.spec.task(&task.task)?.goal)
    }

    // ---- kills -------------------------------------------------------------------------------

    /// Makes sure that pending kills are repeated.
    pub(super) fn arm_kills(&mut self, cx: &Cx) {
        let armed = self.kill_timer.is_some_and(|id| self.timers.is_armed(id));
        if !armed && let Some(at) = self.kills.next_due() {
            let timer = Timer { cause: cx.cause(), kind: TimerKind::Kills };
            self.kill_timer = Some(self.timers.push(at.max(cx.now()), Class::Periodic, timer));
        }
    }

    /// Repeats pending kills.
    pub(super) fn kill_again(&mut self, cx: &Cx, out: &mut Vec<Request>) {
        for (id, pending) in self.kills.again(cx.now()) {
            let call = Call::Kill { task_id: id, agent_id: pending.agent, grace_ms: None };
            out.push(Request { cause: pending.cause, call });
        }
        self.arm_kills(cx);
    }

    // ---- reconciliation ------------------------------------------------------------------------

    /// The master knows this scheduler: zombies are killed, statuses asked for.
    pub(super) fn subscribed(
        &mut self,
        cx: &mut Cx,
        framework: Text,
        region: Option<Text>,
        out: &mut Vec<Request>,
    ) {
        self.subscribed = true;
        self.framework.get_or_insert(framework);
        self.master_region = region;
        let unmentioned: Vec<(Text, Text)> = self
            .store
            .tasks()
            .filter(|task| task.is_alive() && !self.mentioned.contains(task))
            // The plan of an uninstall ends all tasks by itself.
            .filter(|_| !self.is_uninstalling())
            .filter(|task| task.goal.target != OverrideTarget::Decommissioned)
            .map(|task| (task.id.clone(), task.at.agent_id.clone()))
            .collect();
        for (id, agent) in unmentioned {
            self.kill(cx, &id, Some(&agent), out);
        }
        let alive = self.store.tasks().filter(|task| task.is_alive());
        self.reconciling.missing = alive.map(|task| (task.id.clone(), task.at.agent_id.clone())).collect();
        self.reconciling.wait_ms = RECONCILE_FIRST_MS;
        self.ask_missing(cx, out);
        self.reconcile_all(cx, out);
        self.need_cycle(cx);
    }

    fn ask_missing(&mut self, cx: &Cx, out: &mut Vec<Request>) {
        if self.reconciling.missing.is_empty() {
            return;
        }
        // A task whose record is gone by now is asked for without an agent.
        let first = self.reconciling.wait_ms == RECONCILE_FIRST_MS;
        let tasks = self.reconciling.missing.iter().map(|(id, agent)| ReconcileTask {
            task_id: id.clone(),
            agent_id: (first || self.store.by_id(id).is_some()).then(|| agent.clone()),
        });
        out.push(Request { cause: cx.cause(), call: Call::Reconcile { tasks: tasks.collect() } });
        let at = cx.now().saturating_add(self.reconciling.wait_ms);
        let timer = Timer { cause: cx.cause(), kind: TimerKind::Reconcile };
        self.reconciling.timer = Some(self.timers.push(at, Class::OneShot, timer));
        self.reconciling.wait_ms = self.reconciling.wait_ms.saturating_mul(2).min(RECONCILE_MAX_MS);
    }

    /// Statuses that did not come are asked for again.
    pub(super) fn reconcile_again(&mut self, cx: &Cx, out: &mut Vec<Request>) {
        self.ask_missing(cx, out);
    }

    /// All statuses are asked for, now and every hour.
    pub(super) fn reconcile_all(&mut self, cx: &Cx, out: &mut Vec<Request>) {
        if !self.store.is_empty() {
            out.push(Request { cause: cx.cause(), call: Call::Reconcile { tasks: Vec::new() } });
        }
        let at = cx.now().saturating_add(RECONCILE_ALL_MS);
        self.timers.push(at, Class::Periodic, Timer { cause: cx.cause(), kind: TimerKind::ReconcileAll });
    }
}

/// The status to store, with what is remembered of earlier ones.
fn merge(record: &TaskRecord, status: &TaskStatus, cx: &Cx) -> Stored {
    let old = record.status.as_ref();
    let exit = status.check.and_then(|check| check.exit_code);
    let seen = old.map_or(0, |old| old.readiness_seen);
    let state = status.state.as_str();
    let unchanged = old.is_some_and(|old| old.state == state);
    let event = match cx.cause() {
        Cause::Event(seq) => seq,
        Cause::Input(_) | Cause::Genesis => 0,
    };
    let reason = status.reason.map_or("", planarium_mesos::api::Reason::as_str);
    let known = old.map(|old| &old.reason).filter(|known| ***known == *reason);
    Stored {
        state,
        reason: match known {
            Some(known) => known.clone(),
            None if reason.is_empty() => Text::default(),
            None => reason.into(),
        },
        message: status.message.clone(),
        healthy: status.healthy,
        checked: status.check.is_some(),
        readiness_exit: exit,
        readiness_seen: seen.saturating_add(u32::from(exit.is_some())),
        at: if unchanged { old.map_or(cx.now(), |old| old.at) } else { cx.now() },
        event,
    }
}

/// Whether a status says nothing new to the control loop.
fn same(old: &Stored, new: &Stored) -> bool {
    old.state == new.state && old.checked == new.checked && old.readiness_exit == new.readiness_exit
}
