//! Changes that several rules make: each touches more than one record.
//!
//! *Knows*: which records go together. *Must not know*: why something changes.

use super::delays::Delays;
use super::killer::Kill;
use super::state::PodKey;
use super::{Cx, Scheduler};
use planarium_kernel::Cause;

impl Scheduler {
    /// Requests a task's end, repeatedly until it is answered.
    pub(super) fn kill(&mut self, cx: &Cx, kill: Kill<'_>) {
        if self.killer.kill(cx, kill, &mut self.timers, &mut self.outbox) {
            self.plans.touch_all(cx);
        }
    }

    /// Notes whether a pod instance has anything to recover.
    pub(super) fn note_pod(&mut self, key: &PodKey) {
        self.failed.note_pod(key, &self.state.tasks, &self.configs);
    }

    pub(super) fn delays(&mut self) -> Delays<'_> {
        Delays { backoff: &mut self.backoff, plans: &mut self.plans, timers: &mut self.timers }
    }

    /// Once `deploy` of a service that is uninstalled is COMPLETE the package manager notices.
    pub(super) fn await_removal(&mut self, cx: &Cx) {
        self.lifecycle.await_removal(cx, self.plans.is_deployed(), &mut self.timers);
    }

    /// A scheduler without a framework has nothing to wait for but its removal.
    pub(super) fn stop(&mut self) {
        self.timers.stop();
        self.offers.open.clear();
    }

    /// Delays may have ended: steps that were held back by them alone are pending again.
    pub(super) fn settle_delays(&mut self, cx: &mut Cx) {
        self.delays().settle(cx);
        let event = self.plans.report_all(cx, &self.state.tasks);
        // A failed pod may be free to recover although none of its steps was held back.
        cx.scoped(event.map_or(cx.cause(), Cause::Event), |cx| self.timers.need_cycle(cx));
    }

    /// Everything shown bears this revision or a later one.
    pub(crate) fn show_from(&mut self, revision: u64) {
        self.plans.show_from(revision);
    }
}
