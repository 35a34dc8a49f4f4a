//! Allocation runs: when they happen, and the offers that result.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (batch, generateOffers). Match: several
//! requests raised by one call are one run, over all agents concerned.

use crate::{
    allocator::{Rules, filter::ALLOCATION_INTERVAL_MS},
    api::{AgentId, FrameworkId},
    cluster::Cluster,
    maintenance::{Maintenance, cluster::inverse_offers},
    offers::{Offers, Requested, exchange},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::SimTime;

/// Skips batch runs without work up to `until`, as long as no other timer is due; returns the last one and their
/// number. The world is the same as if each had run.
///
/// *Invariant*: the next batch run keeps its place among timers of its instant: behind all that were
/// armed before the last one skipped.
pub(crate) fn pass_quiet_batches(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    until: SimTime,
) -> Option<(SimTime, u64)> {
    if cluster.allocator.has_work()
        || !maintenance.candidates.is_empty()
        || offers.requested != Requested::Nothing
    {
        return None;
    }
    let (batch, first) = cluster.timers.batch.filter(|(_, at)| cluster.timers.next_due() == Some(*at))?;
    let others = cluster.timers.next_due_after_first();
    let end = others.map_or(until, |other| until.min(SimTime(other.ms().saturating_sub(1))));
    let count = (end.ms().checked_sub(first.ms())? / ALLOCATION_INTERVAL_MS).saturating_add(1);
    let last = first.saturating_add((count - 1).saturating_mul(ALLOCATION_INTERVAL_MS));
    cluster.timers.disarm(Some(batch));
    cluster.timers.arm_batch(last);
    cluster.counters.allocation_runs += count;
    Some((last, count))
}

/// Does the requested event runs, as one.
pub(crate) fn run_requested(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
) {
    let only = match std::mem::take(&mut offers.requested) {
        Requested::Nothing => return,
        Requested::Some(agents) => Some(agents),
        Requested::All => None,
    };
    run(offers, maintenance, cluster, cx, fleet, only.as_deref());
}

/// Runs the allocator once over those of these agents that have changed.
pub(crate) fn run(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    only: Option<&[AgentId]>,
) {
    cluster.counters.allocation_runs += 1;
    let grants = {
        let (frameworks, agents) = (&cluster.frameworks.rows, &cluster.agents.rows);
        let withheld = |framework: FrameworkId, agent: AgentId| {
            let pair = frameworks.get(framework.index()).zip(agents.get(agent.index()));
            pair.is_some_and(|(f, a)| fleet.offers_withheld(&f.info.name, &a.hostname, &a.name))
        };
        let rules = Rules { withheld: fleet.withholds_offers().then_some(&withheld), unfiltered: false };
        cluster.allocator.run(cluster.ids.seed, cx.now().ms(), only, rules)
    };
    exchange::make_offers(offers, maintenance, cluster, cx, grants);
    inverse_offers::send_inverse_offers(offers, maintenance, cluster, cx, only);
}
