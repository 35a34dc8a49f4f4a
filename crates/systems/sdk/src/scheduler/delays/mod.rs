//! Launch delays of tasks, and the steps that they hold back.
//!
//! *Knows*: how a failure delays the launches of its task, and when a DELAYED step is pending again.
//! *Must not know*: why a task failed, offers.

pub(crate) mod backoff;

pub(crate) use backoff::{Backoff, BackoffConfig, Delay};

use super::Cx;
use super::plans::Plans;
use super::timers::Timers;
use planarium_kernel::Cause;
use planarium_plan::{Holder, StepState};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;

/// The records that a delay changes.
pub(crate) struct Delays<'a> {
    /// The delays.
    pub(crate) backoff: &'a mut Backoff,
    /// The steps they hold back.
    pub(crate) plans: &'a mut Plans,
    /// Wakes when one ends.
    pub(crate) timers: &'a mut Timers,
}

impl Delays<'_> {
    /// Delays the launches of a task that failed.
    pub(crate) fn add(&mut self, cx: &mut Cx, service: &Text, task: &Text) {
        let Some(delay) = self.backoff.add(task, cx.now(), cx.next_seq()) else { return };
        cx.emit(EventBody::Backoff {
            service: service.clone(),
            task: task.clone(),
            delay_ms: delay.size_ms(),
            until_ms: delay.until().ms(),
        });
        cx.scoped(Cause::Event(delay.event), |cx| self.arm(cx));
        self.plans.touch_all(cx);
    }

    /// Forgets a task's delay.
    pub(crate) fn clear(&mut self, cx: &Cx, task: &str) {
        if self.backoff.clear(task) {
            self.arm(cx);
            self.plans.touch_all(cx);
            self.settle_steps(cx);
        }
    }

    /// Delays may have ended: steps that were held back by them alone are pending again.
    pub(crate) fn settle(&mut self, cx: &Cx) {
        self.arm(cx);
        self.settle_steps(cx);
    }

    /// Wakes when the next delay ends.
    fn arm(&mut self, cx: &Cx) {
        self.timers.arm_backoff(cx, self.backoff.next_end(cx.now()));
    }

    /// A DELAYED step none of whose tasks has a delay any more reads PENDING.
    fn settle_steps(&mut self, cx: &Cx) {
        for holder in self.plans.delayed() {
            let plan = self.plans.get(holder.plan);
            let delayed =
                plan.is_some_and(|plan| plan.tree.step_state(holder.step) == Some(StepState::Delayed));
            if delayed && !self.holds_back(cx, holder) {
                self.plans.set_state(holder, StepState::Pending);
            }
        }
    }

    /// Tells if one of the tasks to launch has a delay that still runs.
    pub(crate) fn holds_back(&self, cx: &Cx, holder: Holder) -> bool {
        let requirement = self.plans.get(holder.plan).and_then(|plan| plan.requirement(holder.step));
        requirement.is_some_and(|requirement| {
            requirement.task_names().iter().any(|task| self.backoff.running(task, cx.now()).is_some())
        })
    }
}
