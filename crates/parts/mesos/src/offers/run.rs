//! Allocation runs: when they happen, and the offers that result.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (batch, generateOffers). Match: several
//! requests raised by one call are one run, over all agents concerned.

use crate::{
    Master,
    allocator::{Rules, filter::ALLOCATION_INTERVAL_MS},
    api::{AgentId, FrameworkId},
    master::{Requested, Timer},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::{Cause, Class, SimTime};

impl Master {
    /// Skips the batch runs up to `until` that would find nothing to do, as long as no other timer is due; returns the
    /// last of them and how many they were. The world is as if each had run.
    ///
    /// *Invariant*: the next batch run keeps its place among timers of its instant: behind all that were
    /// armed before the last one skipped.
    pub fn pass_quiet_batches(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        if self.allocator.has_work()
            || !self.inverse_candidates.is_empty()
            || self.requested != Requested::Nothing
        {
            return None;
        }
        let (batch, first) = self.batch.filter(|(_, at)| self.timers.next_due() == Some(*at))?;
        let others = self.timers.next_due_after_first();
        let end = others.map_or(until, |other| until.min(SimTime(other.ms().saturating_sub(1))));
        let count = (end.ms().checked_sub(first.ms())? / ALLOCATION_INTERVAL_MS).saturating_add(1);
        let last = first.saturating_add((count - 1).saturating_mul(ALLOCATION_INTERVAL_MS));
        self.timers.cancel(batch);
        self.arm_batch(last);
        self.counters.allocation_runs += count;
        Some((last, count))
    }

    /// Arms the batch run after the one at `last`.
    pub(crate) fn arm_batch(&mut self, last: SimTime) {
        let at = last.saturating_add(ALLOCATION_INTERVAL_MS);
        self.batch = Some((self.arm(at, Class::Periodic, Cause::Genesis, Timer::Batch), at));
    }

    /// Requests an event run over an agent.
    pub(crate) fn request_run(&mut self, agent: AgentId) {
        match &mut self.requested {
            Requested::Nothing => self.requested = Requested::Some(vec![agent]),
            Requested::Some(agents) => agents.push(agent),
            Requested::All => {}
        }
    }

    /// Does the requested event runs, as one.
    pub(crate) fn run_requested(&mut self, cx: &mut Cx, fleet: &Fleet) {
        let only = match std::mem::take(&mut self.requested) {
            Requested::Nothing => return,
            Requested::Some(agents) => Some(agents),
            Requested::All => None,
        };
        self.run(cx, fleet, only.as_deref());
    }

    /// One allocation run over those of these agents that have changed.
    pub(crate) fn run(&mut self, cx: &mut Cx, fleet: &Fleet, only: Option<&[AgentId]>) {
        self.counters.allocation_runs += 1;
        let grants = {
            let (frameworks, agents) = (&self.frameworks, &self.agents);
            let withheld = |framework: FrameworkId, agent: AgentId| {
                let pair = frameworks.get(framework.index()).zip(agents.get(agent.index()));
                pair.is_some_and(|(f, a)| fleet.offers_withheld(&f.info.name, &a.hostname, &a.name))
            };
            let rules = Rules { withheld: fleet.withholds_offers().then_some(&withheld), unfiltered: false };
            self.allocator.run(self.seed, cx.now().ms(), only, rules)
        };
        self.make_offers(cx, grants);
        self.send_inverse_offers(cx, only);
    }
}
