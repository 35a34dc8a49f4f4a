//! The allocator: which framework is offered what.
//!
//! *Knows*: totals, free and allocated resources per agent, shares, filters, which frameworks want offers.
//! *Must not know*: offers' ids, tasks, messages, time.
//! *Cost*: a run visits an agent only if it has changed since the last visit (`dirty`): resources came back, a filter
//! expired, a framework wants offers again. A run over unchanged agents costs nothing.
//!
//! *Invariant*: per agent, free = total minus all allocations (offered or in use) and what other parts hold of its machine.
//!
//! | part | module |
//! |---|---|
//! | what is allocated, and the sums over it | `accounting` |
//! | the tree of roles, weights, the order in which roles are served | `roles`, `share` |
//! | guarantees and limits | `quota` |
//! | decline filters, by agent and by refusal | `filter` |
//! | what is allocated to one framework on one agent | `allocation` |
//! | what others than frameworks hold | `others` |
//! | what has changed | `dirty` |
//! | a run | `run` |
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp`.

mod accounting;
mod allocation;
mod dirty;
pub(crate) mod filter;
mod others;
pub(crate) mod quota;
pub(crate) mod roles;
mod run;
pub(crate) mod share;

use crate::api::{AgentId, Capability, FrameworkId, FrameworkInfo, Offer, Resources, resources::is_text};
use accounting::Tally;
use dirty::Dirty;
use filter::{Filter, FilterGroupId, FilterGroups};
use planarium_kernel::{Cause, Table, cow::bytes_of, draw};
use planarium_kernel::{Digestible, SortedMap, SortedSet, Weight};
use planarium_protocol::Text;
use quota::{Delta, Ledger};
use roles::Roles;
use share::Quantities;
use std::sync::Arc;

pub(crate) use allocation::Allocation;
pub(crate) use others::Unwritten;
pub(crate) use run::{Grant, Rules};

/// An agent as the allocator sees it.
#[derive(Clone, Debug, Digestible)]
#[digest(total().to_string(), free.to_string())]
pub(crate) struct Slot {
    /// Scalar sums of everything it has, by name; no operation changes them.
    pub(crate) size: Arc<Quantities>,
    pub(crate) free: Resources,
    /// Holdings of owners other than frameworks on the machine.
    pub(crate) others: Resources,
    pub(crate) allocated: SortedMap<(FrameworkId, Text), Allocation>,
    pub(crate) active: bool,
    has_gpus: bool,
    region: Option<Text>,
    /// Key of its position in a run.
    entity: u64,
    /// The decline filters on it.
    filters: Vec<Filter>,
    /// Its last returned offer, for reuse.
    spare: Option<Arc<Offer>>,
}

/// Resources of an agent that come back from a framework.
#[derive(Debug)]
pub(crate) enum Return<'a> {
    /// An unused offer.
    Offer(Arc<Offer>),
    /// Some resources.
    Rest {
        /// The role they were allocated to.
        role: &'a Text,
        /// The agent.
        agent: AgentId,
        /// The resources.
        resources: &'a Resources,
    },
}

impl Return<'_> {
    fn parts(&self) -> (&Text, AgentId, &Resources) {
        match self {
            Self::Offer(offer) => (&offer.role, offer.agent, &offer.resources),
            Self::Rest { role, agent, resources } => (role, *agent, resources),
        }
    }
}

impl Slot {
    /// All resources of the agent: free, allocated, and held by other parts. *Cost*: walks all of them.
    pub(crate) fn total(&self) -> Resources {
        let mut total = self.own_total();
        total.add_all(&self.others);
        total
    }
}

impl Weight for Slot {
    /// Resources are compared with those of the same holder, whichever place they had.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let allocated = |(key, allocated): (&(FrameworkId, Text), &Allocation)| {
            let mut old =
                before.and_then(|old| old.allocated.get(key)).into_iter().flat_map(Allocation::parts);
            let beyond = |part: &Resources| part.beyond(old.find(|old| old.is_same(part)));
            64 + bytes_of::<Resources>(allocated.parts().count()) + allocated.parts().map(beyond).sum::<u64>()
        };
        let refused = self.filters.iter().map(|filter| {
            let mut old = before.into_iter().flat_map(|old| &old.filters).map(|filter| &filter.refused);
            filter.refused.beyond(old.find(|old| old.is_same(&filter.refused)))
        });
        self.allocated.iter().map(allocated).sum::<u64>()
            + self.free.beyond(before.map(|before| &before.free))
            + self.others.beyond(before.map(|before| &before.others))
            + bytes_of::<Filter>(self.filters.len())
            + bytes_of::<Offer>(usize::from(self.spare.is_some()))
            + refused.sum::<u64>()
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
    /// Per role: `offer_filters`.
    least: SortedMap<Text, Vec<Quantities>>,
    /// Per role: its allocated amounts, and the number of its allocations.
    allocated: SortedMap<Text, (Quantities, u64)>,
}

/// Agents by their numbers.
type Slots = Table<Option<Arc<Slot>>>;

/// The allocator.
#[derive(Clone, Debug, Default, Weight)]
#[weight(slots, filter_groups, dirty)]
pub(crate) struct Allocator {
    /// By the agents' numbers.
    slots: Slots,
    clients: SortedMap<FrameworkId, Client>,
    /// Set if sums of allocations are kept, for comparing frameworks or roles. Otherwise existing sums are outdated.
    is_summed: bool,
    /// Allocations under each role, and weights.
    roles: Roles,
    /// Sums for quotas, while there are any.
    ledger: Option<Box<Ledger>>,
    cluster: Quantities,
    filter_groups: FilterGroups,
    /// Agents that changed since they were last looked at, of those that may be offered: an agent that becomes active
    /// again has changed.
    dirty: Dirty,
    /// Agents whose holdings the ledger does not have yet.
    unwritten: Unwritten,
    /// The master's region.
    region: Option<Text>,
}

impl Allocator {
    /// Adds an agent; `held` is already in use there.
    pub(crate) fn add_agent(
        &mut self,
        id: AgentId,
        hostname: &str,
        region: Option<&Text>,
        total: &Resources,
        allocated: Vec<((FrameworkId, Text), Resources)>,
        cause: Cause,
    ) {
        share::add(&mut self.cluster, total);
        self.account_total(total, Delta::Add);
        let slot = Slot {
            size: Arc::new(total.quantities()),
            free: total.clone(),
            others: Resources::new(),
            allocated: SortedMap::new(),
            active: true,
            has_gpus: total.scalar("gpus").is_positive(),
            region: region.cloned(),
            entity: draw::entity(hostname),
            filters: Vec::new(),
            spare: None,
        };
        while self.slots.len() <= id.index() {
            self.slots.push(None);
        }
        if let Some(place) = self.slots.get_mut(id.index()) {
            *place = Some(Arc::new(slot));
        }
        let mut tally = Tally::new(Delta::Add);
        for ((framework, role), resources) in allocated {
            self.assign(&mut tally, id, framework, &role, &resources);
        }
        self.settle(&mut tally);
        self.revisit_held_back(cause);
        self.touch(id, cause);
        self.note_held(id);
    }

    /// Removes an agent with everything allocated there.
    pub(crate) fn remove_agent(&mut self, id: AgentId, cause: Cause) {
        let Some(slot) = self.slots.get_mut(id.index()).and_then(Option::take) else { return };
        let total = slot.total();
        share::subtract(&mut self.cluster, &total);
        let mut tally = Tally::new(Delta::Remove);
        for ((framework, role), allocated) in &slot.allocated {
            allocated.parts().for_each(|part| self.count(&mut tally, *framework, role, part));
        }
        self.settle(&mut tally);
        self.account_total(&slot.own_total(), Delta::Remove);
        self.note_held(id);
        let gone: Vec<FilterGroupId> = slot.filters.iter().map(|filter| filter.group).collect();
        self.lose_filters(&gone);
        self.dirty.remove(id);
        self.revisit_held_back(cause);
    }

    /// Activates or deactivates an agent.
    pub(crate) fn set_active(&mut self, id: AgentId, active: bool, cause: Cause) {
        if let Some(slot) = self.slot_mut(id) {
            slot.active = active;
            self.dirty.remove(id);
            self.touch(id, cause);
        }
    }

    /// The master's region, once known; agents in others are remote.
    pub(crate) fn set_region(&mut self, region: Option<Text>) {
        self.region = region;
    }

    /// Adds a framework, or activates it again after a disconnection.
    pub(crate) fn activate(&mut self, id: FrameworkId, info: &FrameworkInfo, cause: Cause) {
        let allocated = self.clients.remove(&id).map(|client| client.allocated).unwrap_or_default();
        let client = Client {
            roles: info.roles.clone(),
            suppressed: info.suppressed_roles.iter().cloned().collect(),
            active: true,
            gpus: info.can(Capability::GpuResources),
            region_aware: info.can(Capability::RegionAware),
            refinement: info.can(Capability::ReservationRefinement),
            least: info.min_allocatable.clone(),
            allocated,
        };
        self.clients.insert(id, client);
        self.keep_sums();
        self.touch_all(cause);
    }

    /// Updates a framework's description: drops filters of roles that it leaves or no longer suppresses.
    pub(crate) fn update(&mut self, id: FrameworkId, info: &FrameworkInfo, cause: Cause) {
        let before = self.clients.get(&id).map(|client| client.suppressed.clone()).unwrap_or_default();
        let kept = |role: &str| {
            let has = |roles: &[Text]| roles.iter().any(|mine| **mine == *role);
            has(&info.roles) && (!before.contains(role) || has(&info.suppressed_roles))
        };
        self.clear_filters(id, |role| !kept(role));
        self.activate(id, info, cause);
    }

    /// Deactivates a framework and drops its filters.
    pub(crate) fn deactivate(&mut self, id: FrameworkId) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.active = false;
        }
        self.clear_filters(id, |_| true);
    }

    /// Removes a framework; its resources must have been recovered.
    pub(crate) fn remove_framework(&mut self, id: FrameworkId) {
        self.clear_filters(id, |_| true);
        self.clients.remove(&id);
        self.keep_sums();
    }

    /// Suppresses offers for these roles (all when empty) until a REVIVE.
    pub(crate) fn suppress(&mut self, id: FrameworkId, roles: &[Text]) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let which = if roles.is_empty() { client.roles.clone() } else { roles.to_vec() };
        client.suppressed.extend(which);
    }

    /// Drops filters and suppression of these roles (all when empty).
    pub(crate) fn revive(&mut self, id: FrameworkId, roles: &[Text], cause: Cause) {
        let meant = |role: &str| roles.is_empty() || roles.iter().any(|r| &**r == role);
        let concerned = self.clear_filters(id, meant);
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

    /// Recovers resources. Those that were refused make filters; the caller arms the timers that end them.
    pub(crate) fn recover(
        &mut self,
        framework: FrameworkId,
        returns: &mut dyn Iterator<Item = Return<'_>>,
        refused: bool,
        cause: Cause,
    ) -> Option<FilterGroupId> {
        let group = self.filter_groups.next();
        // Resources refused by the only framework are offered to no one while the filter lasts.
        let is_alone = self.ledger.is_none() && !self.is_summed;
        let mut tally = Tally::new(Delta::Remove);
        let mut filtered = Vec::with_capacity(if refused { returns.size_hint().0 } else { 0 });
        let (mut recovered, mut filters_of) = (false, None::<(Text, bool)>);
        for returned in returns {
            let (role, agent, resources) = returned.parts();
            if resources.is_empty() {
                continue;
            }
            // Usually all of them belong to one role.
            let filters = match &filters_of {
                Some((of, filters)) if is_text(of, role) => *filters,
                _ => {
                    let has = |client: &Client| client.roles.iter().any(|own| is_text(own, role));
                    let wanted = |client: &Client| client.active && has(client);
                    let filters = refused && self.clients.get(&framework).is_some_and(wanted);
                    filters_of = Some((role.clone(), filters));
                    filters
                }
            };
            let Some(slot) = self.slot_mut(agent) else { continue };
            if !slot.release(framework, role, resources) {
                continue;
            }
            let (active, all) = (slot.active, slot.free.is_same(resources));
            if filters {
                let refused = resources.clone();
                slot.filters.push(Filter { framework, role: role.clone(), refused, group });
                filtered.push(agent);
            }
            if let Return::Offer(offer) = &returned {
                slot.spare = Some(offer.clone());
            }
            // With only one framework nothing is counted.
            if !is_alone {
                self.count(&mut tally, framework, role, resources);
            }
            if active && filters && all && is_alone {
                self.dirty.insert_filtered(agent, cause);
            } else if active {
                self.dirty.insert(agent, cause);
            }
            recovered = true;
        }
        if !recovered {
            return None;
        }
        self.settle(&mut tally);
        self.revisit_held_back(cause);
        self.filter_groups.note(framework, &filtered)
    }

    /// Converts resources allocated to a framework, and the agent's total with them.
    pub(crate) fn convert(
        &mut self,
        framework: FrameworkId,
        role: &Text,
        agent: AgentId,
        from: &Resources,
        to: &Resources,
    ) {
        self.note_held(agent);
        let Some(slot) = self.slot_mut(agent) else { return };
        let Some(allocated) = slot.allocation_of(framework, role) else { return };
        if allocated.exchange(from, to)
            && let Some(ledger) = &mut self.ledger
        {
            ledger.allocated(role, from, Delta::Remove);
            ledger.total(from, Delta::Remove);
            ledger.total(to, Delta::Add);
            ledger.allocated(role, to, Delta::Add);
        }
    }

    /// Converts free resources of an agent, and the agent's total with them; returns false if they are not all free.
    pub(crate) fn convert_free(
        &mut self,
        agent: AgentId,
        from: &Resources,
        to: &Resources,
        cause: Cause,
    ) -> bool {
        let Some(slot) = self.slot_mut(agent) else { return false };
        if !slot.free.contains(from) {
            return false;
        }
        slot.free.subtract_all(from);
        slot.free.add_all(to);
        self.account_total(from, Delta::Remove);
        self.account_total(to, Delta::Add);
        self.note_held(agent);
        self.revisit_held_back(cause);
        self.touch(agent, cause);
        true
    }

    /// Visits every agent in the next run.
    pub(crate) fn touch_all(&mut self, cause: Cause) {
        for row in 0..self.slots.len() {
            self.touch(AgentId::at(row), cause);
        }
    }

    /// Visits this agent in the next run.
    pub(crate) fn touch(&mut self, id: AgentId, cause: Cause) {
        if self.slot(id).is_some_and(|slot| slot.active) {
            self.dirty.insert(id, cause);
        }
    }

    /// Replaces the cause of an agent's change, if it has changed.
    pub(crate) fn update_cause(&mut self, id: AgentId, cause: Cause) {
        if self.dirty.get(id).is_some() {
            self.dirty.insert(id, cause);
        }
    }

    /// Returns whether a batch run has agents to look at.
    pub(crate) const fn has_work(&self) -> bool {
        !self.dirty.is_empty()
    }

    pub(crate) fn slot(&self, id: AgentId) -> Option<&Slot> {
        self.slots.get(id.index())?.as_deref()
    }

    fn slot_mut(&mut self, id: AgentId) -> Option<&mut Slot> {
        self.slots.get_mut(id.index())?.as_mut().map(Arc::make_mut)
    }

    pub(crate) fn agents(&self) -> impl Iterator<Item = (AgentId, &Slot)> {
        let rows = self.slots.iter().enumerate();
        rows.filter_map(|(row, slot)| Some((AgentId::at(row), slot.as_deref()?)))
    }

    pub(crate) fn is_suppressed(&self, id: FrameworkId) -> bool {
        self.clients.get(&id).is_some_and(|c| c.roles.iter().all(|role| c.suppressed.contains(role)))
    }
}
