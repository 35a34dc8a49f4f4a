//! The launch queue: instances to launch, delays after failures, launch tokens.
//!
//! **Source**: `marathon: core/launchqueue/impl/LaunchQueueActor.scala, RateLimiterActor.scala,
//! core/flow/impl/OfferMatcherLaunchTokensActor.scala`. Match; tokens and delays are updated when read.

pub(crate) mod backoff;
mod failures;
pub(crate) mod tokens;

use crate::definition::RunSpec;
use crate::instances::instance::Goal;
use crate::instances::tracker::{Key, SpecNo};
use crate::records::Records;
use crate::reports::Queued;
use crate::timers::Job;
use planarium_kernel::{Cause, Class, SimTime};
use planarium_part::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

impl Records {
    /// Has further instances launched. Stopped ones that kept their reservation come first.
    pub(crate) fn launch(&mut self, cx: &mut Cx, no: SpecNo, spec: &Arc<RunSpec>, count: u32, text: &str) {
        if count == 0 {
            return;
        }
        let stopped = |(_, instance): &(Key, &Arc<crate::instances::instance::Instance>)| {
            instance.reservation.is_some()
                && instance.condition.is_terminal()
                && instance.goal == Goal::Stopped
        };
        let reserved: Vec<Key> =
            self.instances.of_spec(no).filter(stopped).take(count as usize).map(|(key, _)| key).collect();
        let now = cx.now();
        let (unix_ms, node) = self.setup.clock(now);
        let fresh = count as usize - reserved.len();
        let ids: Vec<Text> = (0..fresh).map(|_| self.instances.new_id(&spec.id, unix_ms, node)).collect();
        let first = match reserved.first() {
            Some(key) => self.instances.get(*key).map(|instance| instance.id.clone()),
            None => ids.first().cloned(),
        };
        let cause = self.say_queued(cx, &spec.id, Queued { count, first }, text);
        for key in &reserved {
            self.instances.reschedule(*key, spec, now, cause);
        }
        for id in ids {
            self.instances.schedule(no, spec, id, now, cause);
        }
    }

    /// Wakes up when the delay of a spec ends that ends next.
    pub(crate) fn watch_delay(&mut self, no: SpecNo, cause: Cause, now: SimTime) {
        self.instances.note_wish_change();
        let next = self.run(no).and_then(|run| run.backoff.next_end(now));
        match next {
            Some(at) => self.timers.arm(Job::Backoff(no), at, Class::OneShot, cause),
            None => self.timers.disarm(Job::Backoff(no)),
        }
    }

    /// A delay ends: offers are looked at again.
    pub(crate) fn delay_ended(&mut self, cx: &mut Cx, no: SpecNo) {
        let (now, wish) = (cx.now(), self.instances.wishes());
        if let Some(run) = self.run_mut(no) {
            run.wish_from = wish;
        }
        self.touch(no);
        self.watch_delay(no, cx.cause(), now);
    }

    /// Forgets the delay of a configuration.
    pub(crate) fn reset_delay(&mut self, cx: &mut Cx, no: SpecNo, spec: &RunSpec) {
        let Some(run) = self.run_mut(no) else { return };
        if run.backoff.is_empty() || !run.backoff.reset(spec) {
            return;
        }
        self.delay_ended(cx, no);
    }
}
