//! The allocator: which framework is offered what.
//!
//! *Knows*: totals, free and held resources per agent, shares, filters, who wants offers.
//! *Must not know*: offers' ids, tasks, messages, time.
//!
//! *Cost*: an agent is looked at in a run only when something about it changed since the last look (`dirty`):
//! resources came back, a filter went, a framework wants offers again. A run over clean agents costs nothing.
//!
//! *Invariant*: per agent, free = total minus everything held (offered or in use).
//!
//! | part | module |
//! |---|---|
//! | what is held, and the sums over it | `books` |
//! | roles as a tree, weights, who comes first | `roles`, `share` |
//! | guarantees and limits | `quota` |
//! | decline filters | `filter` |
//! | what one framework holds | `held` |
//! | a run | `run` |
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp`.

mod books;
pub(crate) mod filter;
mod held;
pub(crate) mod quota;
pub(crate) mod roles;
mod run;
pub(crate) mod share;

use crate::{
    api::{AgentId, Capability, FrameworkId, FrameworkInfo, Resources},
    weight::resources,
};
use filter::{FilterId, Filters};
use planarium_kernel::{Cause, Map, cow::behind, draw};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use quota::{By, Ledger};
use roles::Roles;
use share::Quantities;
use std::sync::Arc;

pub(crate) use held::Held;
pub(crate) use run::{Grant, Rules};

/// An agent as the allocator sees it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The scalars of everything it has, by name; no operation changes them.
    pub(crate) size: Quantities,
    pub(crate) free: Resources,
    pub(crate) held: SortedMap<(FrameworkId, Text), Held>,
    pub(crate) active: bool,
    has_gpus: bool,
    region: Option<Text>,
    /// Key of its place in a run.
    entity: u64,
}

impl Slot {
    /// Everything the agent has: what is free and what is held. *Cost*: walks all of it.
    pub(crate) fn total(&self) -> Resources {
        let mut total = self.free.clone();
        self.held.values().flat_map(Held::parts).for_each(|part| total.add_all(part));
        total
    }
}

/// A framework as the allocator sees it.
#[derive(Clone, Debug)]
struct Client {
    roles: Vec<Text>,
    suppressed: SortedSet<Text>,
    active: bool,
    gpus: bool,
    region_aware: bool,
    refinement: bool,
    /// Per role: amounts of which one must be there for an offer.
    least: SortedMap<Text, Vec<Quantities>>,
    /// Per role: what it holds, and how often it was given something.
    held: SortedMap<Text, (Quantities, u64)>,
}

/// The allocator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocator {
    slots: Map<AgentId, Arc<Slot>>,
    clients: SortedMap<FrameworkId, Client>,
    /// What is held under each role, and weights.
    roles: Roles,
    /// Books about quotas, while there are any.
    ledger: Option<Box<Ledger>>,
    cluster: Quantities,
    filters: Filters,
    /// Agents that changed since they were last looked at, with what changed them.
    dirty: SortedMap<AgentId, Cause>,
    /// The master's region.
    region: Option<Text>,
}

impl Allocator {
    /// Takes an agent in; `held` is what is in use there already.
    pub(crate) fn add_agent(
        &mut self,
        id: AgentId,
        hostname: &str,
        region: Option<&Text>,
        total: &Resources,
        held: Vec<((FrameworkId, Text), Resources)>,
        cause: Cause,
    ) {
        share::add(&mut self.cluster, total);
        self.account_total(total, By::More);
        let slot = Slot {
            size: total.quantities(),
            free: total.clone(),
            held: SortedMap::new(),
            active: true,
            has_gpus: total.scalar("gpus").is_positive(),
            region: region.cloned(),
            entity: draw::entity(hostname),
        };
        self.slots.insert(id, Arc::new(slot));
        for ((framework, role), resources) in held {
            self.hold(id, framework, &role, &resources);
        }
        self.stir(cause);
        self.touch(id, cause);
    }

    /// Forgets an agent with everything held there.
    pub(crate) fn remove_agent(&mut self, id: AgentId, cause: Cause) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let total = slot.total();
        share::subtract(&mut self.cluster, &total);
        for ((framework, role), held) in &slot.held {
            held.parts().for_each(|part| self.unaccount(*framework, role, part));
        }
        self.account_total(&total, By::Less);
        self.filters.forget_agent(id);
        self.dirty.remove(&id);
        self.stir(cause);
    }

    /// Says whether an agent's resources may be offered.
    pub(crate) fn set_active(&mut self, id: AgentId, active: bool, cause: Cause) {
        if let Some(slot) = self.slots.get_mut(&id) {
            Arc::make_mut(slot).active = active;
            self.touch(id, cause);
        }
    }

    /// The master's region, once known; agents of others are remote.
    pub(crate) fn set_region(&mut self, region: Option<Text>) {
        self.region = region;
    }

    /// Takes a framework in, or back after a disconnection.
    pub(crate) fn activate(&mut self, id: FrameworkId, info: &FrameworkInfo, cause: Cause) {
        let held = self.clients.remove(&id).map(|client| client.held).unwrap_or_default();
        let client = Client {
            roles: info.roles.clone(),
            suppressed: info.suppressed_roles.iter().cloned().collect(),
            active: true,
            gpus: info.can(Capability::GpuResources),
            region_aware: info.can(Capability::RegionAware),
            refinement: info.can(Capability::ReservationRefinement),
            least: info.min_allocatable.clone(),
            held,
        };
        self.clients.insert(id, client);
        self.touch_all(cause);
    }

    /// A framework describes itself anew: filters of roles it leaves or wants offers for again are gone.
    pub(crate) fn update(&mut self, id: FrameworkId, info: &FrameworkInfo, cause: Cause) {
        let before = self.clients.get(&id).map(|client| client.suppressed.clone()).unwrap_or_default();
        let kept = |role: &str| {
            let has = |roles: &[Text]| roles.iter().any(|mine| **mine == *role);
            has(&info.roles) && (!before.contains(role) || has(&info.suppressed_roles))
        };
        self.filters.clear(id, |role| !kept(role));
        self.activate(id, info, cause);
    }

    /// Makes no more offers to a framework and drops its filters.
    pub(crate) fn deactivate(&mut self, id: FrameworkId) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.active = false;
        }
        self.filters.clear(id, |_| true);
    }

    /// Forgets a framework; what it held must have been recovered.
    pub(crate) fn remove_framework(&mut self, id: FrameworkId) {
        self.filters.clear(id, |_| true);
        self.clients.remove(&id);
    }

    /// No offers for these roles (all when empty) until a revive.
    pub(crate) fn suppress(&mut self, id: FrameworkId, roles: &[Text]) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let which = if roles.is_empty() { client.roles.clone() } else { roles.to_vec() };
        client.suppressed.extend(which);
    }

    /// Forgets filters and suppression of these roles (all when empty).
    pub(crate) fn revive(&mut self, id: FrameworkId, roles: &[Text], cause: Cause) {
        let meant = |role: &str| roles.is_empty() || roles.iter().any(|r| &**r == role);
        let concerned = self.filters.clear(id, meant);
        let Some(client) = self.clients.get_mut(&id) else { return };
        let before = client.suppressed.len();
        client.suppressed.retain(|role| !meant(role));
        if client.suppressed.len() < before {
            self.touch_all(cause);
        }
        for agent in concerned {
            self.touch(agent, cause);
        }
    }

    /// Gives resources back. With a life a filter is installed; its id and life are for the caller's timer.
    pub(crate) fn recover(
        &mut self,
        framework: FrameworkId,
        role: &Text,
        agent: AgentId,
        resources: &Resources,
        filter_ms: Option<u64>,
        cause: Cause,
    ) -> Option<(FilterId, u64)> {
        if resources.is_empty() {
            return None;
        }
        let slot = Arc::make_mut(self.slots.get_mut(&agent)?);
        let key = (framework, role.clone());
        let held = slot.held.get_mut(&key)?;
        if !held.subtract_all(resources) {
            return None;
        }
        if held.is_empty() {
            slot.held.remove(&key);
        }
        slot.free.add_all(resources);
        self.unaccount(framework, role, resources);
        self.stir(cause);
        self.touch(agent, cause);
        let life_ms = filter_ms?;
        let wanted = self.clients.get(&framework).is_some_and(|c| c.active && c.roles.contains(role));
        wanted.then(|| (self.filters.install(framework, role, agent, resources.clone()), life_ms))
    }

    /// Changes what a framework holds into something else, and the agent's total with it.
    pub(crate) fn convert(
        &mut self,
        framework: FrameworkId,
        role: &Text,
        agent: AgentId,
        from: &Resources,
        to: &Resources,
    ) {
        let Some(slot) = self.slots.get_mut(&agent).map(Arc::make_mut) else { return };
        let Some(held) = slot.held.get_mut(&(framework, role.clone())) else { return };
        if held.exchange(from, to)
            && let Some(ledger) = &mut self.ledger
        {
            ledger.held(role, from, By::Less);
            ledger.total(from, By::Less);
            ledger.total(to, By::More);
            ledger.held(role, to, By::More);
        }
    }

    /// Changes what is free on an agent into something else, and the agent's total with it; false when it is
    /// not there in full.
    pub(crate) fn convert_free(
        &mut self,
        agent: AgentId,
        from: &Resources,
        to: &Resources,
        cause: Cause,
    ) -> bool {
        let Some(slot) = self.slots.get_mut(&agent).map(Arc::make_mut) else { return false };
        if !slot.free.contains(from) {
            return false;
        }
        slot.free.subtract_all(from);
        slot.free.add_all(to);
        self.account_total(from, By::Less);
        self.account_total(to, By::More);
        self.stir(cause);
        self.touch(agent, cause);
        true
    }

    /// Active filters by role.
    pub(crate) fn filters_by_role(&self) -> SortedMap<Text, u64> {
        self.filters.by_role()
    }

    /// A filter's time is over.
    pub(crate) fn expire(&mut self, framework: FrameworkId, agent: AgentId, id: FilterId, cause: Cause) {
        if self.filters.expire(framework, agent, id) {
            self.touch(agent, cause);
        }
    }

    /// Looks at every agent again in the next run.
    pub(crate) fn touch_all(&mut self, cause: Cause) {
        let all: Vec<AgentId> = self.slots.keys().copied().collect();
        self.dirty.extend(all.into_iter().map(|id| (id, cause)));
    }

    /// Looks at this agent again in the next run.
    pub(crate) fn touch(&mut self, id: AgentId, cause: Cause) {
        if self.slots.contains_key(&id) {
            self.dirty.insert(id, cause);
        }
    }

    /// Something else stands behind the change of an agent, if it has changed.
    pub(crate) fn retouch(&mut self, id: AgentId, cause: Cause) {
        if let Some(change) = self.dirty.get_mut(&id) {
            *change = cause;
        }
    }

    /// Whether a batch run has agents to look at.
    pub(crate) fn has_work(&self) -> bool {
        self.dirty.keys().any(|id| self.slots.get(id).is_some_and(|slot| slot.active))
    }

    pub(crate) fn slot(&self, id: AgentId) -> Option<&Slot> {
        self.slots.get(&id).map(|slot| &**slot)
    }

    pub(crate) fn agents(&self) -> impl Iterator<Item = (AgentId, &Slot)> {
        self.slots.iter().map(|(id, slot)| (*id, &**slot))
    }

    pub(crate) fn filter_count(&self) -> usize {
        self.filters.len()
    }

    /// Bytes that this allocator holds and `before` does not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let slot = |slot: &Arc<Slot>, old: Option<&Arc<Slot>>| {
            behind(slot, old, |slot| {
                let old = old.map(|old| &**old);
                let held = |(key, held): (&(FrameworkId, Text), &Held)| {
                    let mut old = old.and_then(|old| old.held.get(key)).into_iter().flat_map(Held::parts);
                    let beyond = |part: &Resources| resources(part, old.find(|old| old.is_same(part)));
                    64 + held.parts().map(beyond).sum::<u64>()
                };
                slot.held.iter().map(held).sum::<u64>() + resources(&slot.free, old.map(|old| &old.free))
            })
        };
        self.slots.beyond(before.map(|before| &before.slots), slot)
            + self.filters.beyond(before.map(|before| &before.filters))
            + 64 * self.dirty.len() as u64
    }

    pub(crate) fn is_suppressed(&self, id: FrameworkId) -> bool {
        self.clients.get(&id).is_some_and(|c| c.roles.iter().all(|role| c.suppressed.contains(role)))
    }
}
