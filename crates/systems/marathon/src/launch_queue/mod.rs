//! The launch queue: instances that are to be launched, delays after failures, launch tokens.
//!
//! **Source**: `marathon: core/launchqueue/impl/LaunchQueueActor.scala, RateLimiterActor.scala,
//! core/flow/impl/OfferMatcherLaunchTokensActor.scala`. Match; tokens and delays are brought up to date when somebody looks.

pub(crate) mod backoff;

use crate::definition::RunSpec;
use crate::instances::instance::Goal;
use crate::instances::tracker::{Key, SpecNo};
use crate::marathon::Marathon;
use crate::timers::{self, Job};
use planarium_kernel::{Cause, Class, SimTime, draw};
use planarium_part::Cx;
use std::sync::Arc;

/// Delays that are long over are forgotten so often.
const SWEEP_MS: u64 = 10_000;
/// The node of instance ids.
const NODE: u32 = 0x6d10;

impl Marathon {
    /// Has further instances launched. Stopped ones that kept their reservation come first.
    pub(crate) fn launch(&mut self, cx: &mut Cx, no: SpecNo, spec: &Arc<RunSpec>, count: u32, text: &str) {
        if count == 0 {
            return;
        }
        let cause = self.say_queued(cx, &spec.id, count, text);
        let stopped = |(_, instance): &(Key, &Arc<crate::instances::instance::Instance>)| {
            instance.reservation.is_some()
                && instance.condition.is_terminal()
                && instance.goal == Goal::Stopped
        };
        let reserved: Vec<Key> =
            self.tracker.of_spec(no).filter(stopped).take(count as usize).map(|(key, _)| key).collect();
        let now = cx.now();
        for key in &reserved {
            self.tracker.reschedule(*key, spec, now, cause);
        }
        let unix = self.calendar.epoch_ms.saturating_add(now.ms());
        let clock = (unix, draw::draw(self.seed, draw::entity(&self.settings.framework), NODE, 0));
        for _ in reserved.len()..count as usize {
            self.tracker.schedule(no, spec, (now, clock), cause);
        }
    }

    // ---- delays ------------------------------------------------------------------------------

    /// When delays were last swept.
    pub(crate) fn sweep_tick(&self, now: SimTime) -> SimTime {
        let past = now.since(self.born) / SWEEP_MS;
        self.born.saturating_add(past * SWEEP_MS)
    }

    /// Wakes up when the delay of a spec ends that ends next.
    pub(crate) fn watch_delay(&mut self, no: SpecNo, cause: Cause, now: SimTime) {
        self.wish_changed();
        let next = self.run(no).and_then(|run| run.backoff.next_end(now));
        match next {
            Some(at) => self.arm_job(Job::Backoff(no), at, Class::OneShot, cause),
            None => self.disarm(Job::Backoff(no)),
        }
    }

    /// A delay ends: offers are looked at again.
    pub(crate) fn delay_ended(&mut self, cx: &mut Cx, no: SpecNo) {
        let (now, wish) = (cx.now(), self.tracker.wishes());
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

    // ---- tokens ------------------------------------------------------------------------------

    /// How many instances may be launched at once.
    pub(crate) fn tokens(&mut self, now: SimTime) -> u64 {
        let last = timers::tick_from(now.saturating_add(1), self.born, (0, self.settings.tokens_ms));
        let last = last.saturating_sub(self.settings.tokens_ms).max(self.born);
        if last > self.tokens_at || self.tokens_at == SimTime::MAX {
            self.tokens = self.settings.tokens;
            self.tokens_at = last;
        }
        self.tokens
    }

    pub(crate) fn take_token(&mut self) {
        self.tokens = self.tokens.saturating_sub(1);
    }

    /// A healthy instance gives one back.
    pub(crate) fn add_token(&mut self, cx: &Cx) {
        self.tokens(cx.now());
        self.tokens = self.tokens.saturating_add(1);
    }
}
