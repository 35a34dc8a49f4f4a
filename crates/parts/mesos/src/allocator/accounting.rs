//! Accounting of allocations: resources move between free and allocated, and every sum follows.

use super::{
    Allocation, Allocator, Slot,
    quota::{Delta, Ledger, Quota},
    share::{self, Quantities},
};
use crate::api::{AgentId, FrameworkId, Offer, Resources, resources::is_text};
use planarium_kernel::SortedMap;
use planarium_kernel::{Cause, Milli};
use planarium_protocol::Text;
use std::sync::Arc;

/// Changes of allocations since the sums were last brought up to date: what many agents add up to is looked up and
/// added once, where no one asks meanwhile.
pub(super) struct Tally {
    by: Delta,
    /// The framework and role.
    of: Option<(FrameworkId, Text)>,
    sums: Quantities,
    times: u64,
}

impl Tally {
    pub(super) const fn new(by: Delta) -> Self {
        Self { by, of: None, sums: Quantities::new(), times: 0 }
    }
}

impl Slot {
    /// Moves resources from free to allocated; false when they are not there in full.
    fn assign(&mut self, framework: FrameworkId, role: &Text, resources: &Resources) -> bool {
        if !self.free.subtract_all(resources) {
            return false;
        }
        match self.allocation_of(framework, role) {
            Some(allocated) => allocated.add_all(resources),
            None => self.allocated.entry((framework, role.clone())).or_default().add_all(resources),
        }
        true
    }

    /// Moves resources from allocated to free; false when they are not there in full.
    pub(super) fn release(&mut self, framework: FrameworkId, role: &Text, resources: &Resources) -> bool {
        let Some(allocated) = self.allocation_of(framework, role) else { return false };
        if !allocated.subtract_all(resources) {
            return false;
        }
        if allocated.is_empty() {
            self.allocated.remove(&(framework, role.clone()));
        }
        self.free.add_all(resources);
        true
    }

    /// Returns the allocation of a framework under a role. One agent has few of either.
    pub(super) fn allocation_of(&mut self, framework: FrameworkId, role: &Text) -> Option<&mut Allocation> {
        let mut all = self.allocated.iter_mut();
        all.find(|((of, under), _)| *of == framework && is_text(under, role)).map(|(_, allocated)| allocated)
    }
}

impl Allocator {
    /// Moves resources from free to allocated; returns the resources for the next offer.
    pub(super) fn assign(
        &mut self,
        tally: &mut Tally,
        agent: AgentId,
        framework: FrameworkId,
        role: &Text,
        resources: &Resources,
    ) -> Option<Arc<Offer>> {
        let slot = self.slot_mut(agent)?;
        let spare = slot.spare.take();
        if slot.assign(framework, role, resources) {
            self.count(tally, framework, role, resources);
        }
        spare
    }

    /// Counts a change of allocation; the sums include it once the tally is settled.
    pub(super) fn count(
        &mut self,
        tally: &mut Tally,
        framework: FrameworkId,
        role: &Text,
        resources: &Resources,
    ) {
        if !tally.of.as_ref().is_some_and(|(of, under)| *of == framework && is_text(under, role)) {
            self.settle(tally);
            tally.of = Some((framework, role.clone()));
        }
        if self.is_summed {
            share::add(&mut tally.sums, resources);
        }
        tally.times += 1;
        if let Some(ledger) = &mut self.ledger {
            ledger.allocated(role, resources, tally.by);
        }
    }

    /// Brings the sums up to date.
    pub(super) fn settle(&mut self, tally: &mut Tally) {
        let Some((framework, role)) = tally.of.take() else { return };
        let (sums, times) = (std::mem::take(&mut tally.sums), std::mem::take(&mut tally.times));
        let client = self.clients.get_mut(&framework);
        match tally.by {
            Delta::Add => {
                self.roles.add_allocated(&role, &sums, times);
                if let Some(client) = client {
                    let allocated = client.allocated.entry(role).or_default();
                    share::plus(&mut allocated.0, &sums);
                    allocated.1 += times;
                }
            }
            Delta::Remove => {
                self.roles.subtract_allocated(&role, &sums);
                if let Some((allocated, _)) = client.and_then(|client| client.allocated.get_mut(&role)) {
                    share::minus(allocated, &sums);
                }
            }
        }
    }

    /// Starts keeping sums once there is more than one framework or role; a single one needs no comparison. *Cost*:
    /// walks the cluster when the second one is added.
    pub(super) fn keep_sums(&mut self) {
        let roles = self.clients.values().map(|client| client.roles.len());
        let were = std::mem::replace(&mut self.is_summed, roles.sum::<usize>() > 1);
        if were || !self.is_summed {
            return;
        }
        self.roles.forget_sums();
        for client in self.clients.values_mut() {
            client.allocated.values_mut().for_each(|(sums, _)| *sums = Quantities::new());
        }
        for slot in self.slots.iter().flatten() {
            for ((framework, role), allocated) in &slot.allocated {
                let mut sums = Quantities::new();
                allocated.parts().for_each(|part| share::add(&mut sums, part));
                self.roles.add_allocated(role, &sums, 0);
                if let Some(client) = self.clients.get_mut(framework) {
                    share::plus(&mut client.allocated.entry(role.clone()).or_default().0, &sums);
                }
            }
        }
    }

    /// An agent's total changes.
    pub(super) fn account_total(&mut self, resources: &Resources, by: Delta) {
        if let Some(ledger) = &mut self.ledger {
            ledger.total(resources, by);
        }
    }

    /// Offers held-back resources again after resources came back, since guarantees or limits may now allow it.
    pub(super) fn revisit_held_back(&mut self, cause: Cause) {
        if let Some(ledger) = &mut self.ledger {
            let agents = std::mem::take(&mut ledger.held_back);
            for agent in agents {
                self.touch(agent, cause);
            }
        }
    }

    /// Sets weights of roles. Free resources are considered again in the next run; outstanding offers stay.
    pub(crate) fn set_weights(&mut self, weights: &[(Text, Milli)], cause: Cause) {
        self.roles.set_weights(weights);
        self.touch_all(cause);
    }

    /// Weights that were set, by role.
    pub(crate) const fn weights(&self) -> &SortedMap<Text, Milli> {
        self.roles.weights()
    }

    /// The weight of a role.
    pub(crate) fn weight(&self, role: &str) -> Milli {
        self.roles.weight(role)
    }

    /// Quotas that are set, by role.
    pub(crate) fn quotas(&self) -> SortedMap<Text, Quota> {
        self.ledger.as_ref().map(|ledger| ledger.quotas().clone()).unwrap_or_default()
    }

    /// Sets all quotas. *Cost*: walks the cluster.
    pub(crate) fn set_quotas(&mut self, quotas: SortedMap<Text, Quota>, cause: Cause) {
        self.ledger = (!quotas.is_empty()).then(|| Box::new(self.ledger_of(quotas)));
        self.touch_all(cause);
    }

    fn ledger_of(&self, quotas: SortedMap<Text, Quota>) -> Ledger {
        let mut ledger = Ledger::new(quotas);
        for (_, slot) in self.agents() {
            ledger.total(&slot.own_total(), Delta::Add);
            for ((_, role), allocated) in &slot.allocated {
                allocated.parts().for_each(|part| ledger.allocated(role, part, Delta::Add));
            }
        }
        ledger
    }

    /// Everything the cluster has, scalars by name.
    pub(crate) const fn cluster(&self) -> &Quantities {
        &self.cluster
    }

    /// Broken invariants, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let mut cluster = Quantities::new();
        let mut roles: SortedMap<&Text, Quantities> = SortedMap::new();
        for (id, slot) in self.agents() {
            let mut sums = slot.free.quantities();
            share::add(&mut sums, &slot.others);
            for ((_, role), allocated) in &slot.allocated {
                let resources = allocated.all();
                share::add(&mut sums, &resources);
                share::add(roles.entry(role).or_default(), &resources);
            }
            if sums != *slot.size {
                broken.push(format!("agent {}: free and held make {sums:?}, it has {:?}", id.0, slot.size));
            }
            for (name, amount) in sums {
                let sum = cluster.entry(name).or_default();
                *sum = sum.saturating_add(amount);
            }
        }
        if cluster != self.cluster {
            broken.push(format!("cluster sums {:?}, recomputed {cluster:?}", self.cluster));
        }
        if self.is_summed {
            self.roles.check(&roles, &mut broken);
        }
        for id in self.dirty.fully_filtered() {
            let wanting = self.clients.iter().filter(|(_, client)| client.active);
            let blocks = |slot: &Slot| {
                let mut roles =
                    wanting.flat_map(|(of, client)| client.roles.iter().map(move |role| (*of, role)));
                roles.all(|(framework, role)| slot.blocks(framework, role, &slot.free))
            };
            if self.ledger.is_some() || !self.slot(id).is_some_and(blocks) {
                broken.push(format!("agent {} is passed over, and something of it may be offered", id.0));
            }
        }
        self.check_filters(&mut broken);
        for (id, _) in self.dirty.iter().filter(|(id, _)| !self.slot(*id).is_some_and(|slot| slot.active)) {
            broken.push(format!("agent {} has changed, and is not to be offered", id.0));
        }
        if self.dirty.iter().count() != self.dirty.len() {
            broken.push("agents that have changed are miscounted".to_owned());
        }
        if let Some(ledger) = &self.ledger
            && !ledger.agrees(&self.ledger_of(ledger.quotas().clone()))
        {
            broken.push(format!("the books about quotas are out of step: {ledger:?}"));
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::{Grant, Return, Rules};
    use crate::api::FrameworkInfo;

    const ANEW: Cause = Cause::Genesis;

    fn join(all: &mut Allocator, framework: u32, role: &str) {
        let info = FrameworkInfo { roles: vec![role.into()], ..FrameworkInfo::default() };
        all.activate(FrameworkId(framework), &info, ANEW);
    }

    fn run(all: &mut Allocator, now_ms: u64) -> Vec<Grant> {
        all.run(1, now_ms, None, Rules { withheld: None, unfiltered: false })
    }

    fn recover_resources(all: &mut Allocator, grant: &Grant, refused: bool) {
        let Grant { framework, role, agent, resources, .. } = grant;
        let mut returns = std::iter::once(Return::Rest { role, agent: *agent, resources });
        all.recover(*framework, &mut returns, refused, ANEW);
    }

    fn allocated(all: &Allocator, framework: u32, role: &str) -> (Quantities, u64) {
        let client = all.clients.get(&FrameworkId(framework)).expect("a framework");
        client.allocated.get(role).cloned().unwrap_or_default()
    }

    #[test]
    fn shares_are_computed_once_needed() {
        let sums = |text: &str| Resources::parse(text).expect("test text").quantities();
        let mut all = Allocator::default();
        for n in 0..3 {
            let total = Resources::parse("cpus:4;mem:64").expect("test text");
            all.add_agent(AgentId(n), &format!("m{n}"), None, &total, Vec::new(), ANEW);
        }
        join(&mut all, 0, "a");
        let alone = run(&mut all, 0);
        assert_eq!(alone.len(), 3);
        recover_resources(&mut all, &alone[0], true);
        assert_eq!((all.is_summed, all.check()), (false, Vec::new()));
        join(&mut all, 1, "b");
        assert_eq!((all.is_summed, all.check()), (true, Vec::new()));
        assert_eq!(allocated(&all, 0, "a"), (sums("cpus:8;mem:128"), 3));
        recover_resources(&mut all, &alone[1], false);
        assert_eq!(allocated(&all, 0, "a"), (sums("cpus:4;mem:64"), 3));
        let both = run(&mut all, 1);
        assert!(both.iter().any(|grant| grant.framework == FrameworkId(1)), "it has less so far");
        assert_eq!(all.check(), Vec::<String>::new());
        for grant in &both {
            recover_resources(&mut all, grant, false);
        }
        all.remove_framework(FrameworkId(1));
        run(&mut all, 2);
        assert_eq!((all.is_summed, all.check()), (false, Vec::new()));
        join(&mut all, 2, "b");
        assert_eq!(
            (allocated(&all, 0, "a").0, all.check()),
            (sums("cpus:8;mem:128"), Vec::new()),
            "all that it has not refused"
        );
    }

    #[test]
    fn agents_refused_by_the_only_framework_are_skipped_until_they_change() {
        let mut all = Allocator::default();
        let total = Resources::parse("cpus:4;mem:64").expect("test text");
        all.add_agent(AgentId(0), "m0", None, &total, Vec::new(), ANEW);
        join(&mut all, 0, "a");
        for (change, offered) in [(0, 0), (1, 1), (2, 1)] {
            let grants = run(&mut all, 10 * change);
            assert_eq!(grants.len(), 1);
            recover_resources(&mut all, &grants[0], true);
            assert_eq!(all.dirty.fully_filtered().collect::<Vec<_>>(), [AgentId(0)]);
            assert!(all.has_work(), "it counts as changed");
            match change {
                1 => join(&mut all, 1, "b"),
                2 => all.revive(FrameworkId(0), &[], ANEW),
                _ => {}
            }
            assert_eq!(run(&mut all, 10 * change + 1).len(), offered, "{change}");
            all = Allocator::default();
            all.add_agent(AgentId(0), "m0", None, &total, Vec::new(), ANEW);
            join(&mut all, 0, "a");
        }
    }
}
