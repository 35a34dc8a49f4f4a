//! Who holds what: resources move between free and held, and every sum follows.

use super::{
    Allocator,
    quota::{By, Ledger, Quota},
    share::{self, Quantities},
};
use crate::api::{AgentId, FrameworkId, Resources};
use planarium_kernel::SortedMap;
use planarium_kernel::{Cause, Milli};
use planarium_protocol::Text;
use std::sync::Arc;

impl Allocator {
    /// Moves resources from free to held.
    pub(super) fn hold(
        &mut self,
        agent: AgentId,
        framework: FrameworkId,
        role: &Text,
        resources: &Resources,
    ) {
        let Some(slot) = self.slots.get_mut(&agent).map(Arc::make_mut) else { return };
        if !slot.free.subtract_all(resources) {
            return;
        }
        slot.held.entry((framework, role.clone())).or_default().add_all(resources);
        self.roles.give(role, resources);
        if let Some(ledger) = &mut self.ledger {
            ledger.held(role, resources, By::More);
        }
        if let Some(client) = self.clients.get_mut(&framework) {
            let sums = client.held.entry(role.clone()).or_default();
            share::add(&mut sums.0, resources);
            sums.1 += 1;
        }
    }

    /// Takes what is no longer held out of the sums.
    pub(super) fn unaccount(&mut self, framework: FrameworkId, role: &Text, resources: &Resources) {
        self.roles.take(role, resources);
        if let Some(ledger) = &mut self.ledger {
            ledger.held(role, resources, By::Less);
        }
        if let Some((sums, _)) = self.clients.get_mut(&framework).and_then(|client| client.held.get_mut(role))
        {
            share::subtract(sums, resources);
        }
    }

    /// An agent's total changes.
    pub(super) fn account_total(&mut self, resources: &Resources, by: By) {
        if let Some(ledger) = &mut self.ledger {
            ledger.total(resources, by);
        }
    }

    /// Something came back: what was held back for guarantees or by limits may be given now.
    pub(super) fn stir(&mut self, cause: Cause) {
        if let Some(ledger) = &mut self.ledger {
            let agents = std::mem::take(&mut ledger.held_back);
            self.dirty
                .extend(agents.into_iter().filter(|id| self.slots.contains_key(id)).map(|id| (id, cause)));
        }
    }

    /// Sets weights of roles. What is free is looked at again in the next run, what is offered stays.
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
        for slot in self.slots.values() {
            ledger.total(&slot.total(), By::More);
            for ((_, role), held) in &slot.held {
                held.parts().for_each(|part| ledger.held(role, part, By::More));
            }
        }
        ledger
    }

    /// Everything the cluster has, scalars by name.
    pub(crate) const fn cluster(&self) -> &Quantities {
        &self.cluster
    }

    /// What does not hold, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let mut cluster = Quantities::new();
        let mut roles: SortedMap<&Text, Quantities> = SortedMap::new();
        for (id, slot) in &self.slots {
            let mut sums = slot.free.quantities();
            for ((_, role), held) in &slot.held {
                let resources = held.all();
                share::add(&mut sums, &resources);
                share::add(roles.entry(role).or_default(), &resources);
            }
            if sums != slot.size {
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
        self.roles.check(&roles, &mut broken);
        if let Some(ledger) = &self.ledger
            && !ledger.agrees(&self.ledger_of(ledger.quotas().clone()))
        {
            broken.push(format!("the books about quotas are out of step: {ledger:?}"));
        }
        broken
    }
}
