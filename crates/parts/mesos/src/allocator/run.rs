//! One allocation run: dominant-resource fairness over the agents that changed, coarse-grained.
//!
//! With quotas a run has two stages: first roles that lack some of their guarantees; then all roles, within limits and
//! what must be kept for guarantees.

use super::{
    Allocator, Client, Quantities, Slot, Slots,
    accounting::Tally,
    quota::{Delta, Ledger},
    roles::is_within,
    share::Share,
};
use crate::api::{AgentId, FrameworkId, Offer, Resources};
use planarium_kernel::{Cause, Milli, draw};
use planarium_protocol::Text;
use std::{cmp::Ordering, sync::Arc};

/// Least cpus worth offering. Source: `min_allocatable_resources`, default `cpus:0.01|mem:32`.
const MIN_CPUS: Milli = Milli(10);
/// Least memory worth offering, in MiB.
const MIN_MEM: Milli = Milli(32_000);
/// Purpose of the draw that orders the agents of a run.
const ORDER: u32 = 0x0A01;

/// Resources granted to a framework on an agent, to be offered.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) framework: FrameworkId,
    pub(crate) role: Text,
    pub(crate) agent: AgentId,
    pub(crate) resources: Resources,
    /// An offer of the agent that came back and may be reused.
    pub(crate) spare: Option<Arc<Offer>>,
    /// Cause of the visit.
    pub(crate) cause: Cause,
}

/// The stages of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Only roles that lack some of their guarantees.
    Guarantees,
    /// All roles.
    Rest,
}

/// An agent with its position in a run, and what changed it.
#[derive(Clone, Copy)]
struct Placed {
    place: u64,
    id: AgentId,
    cause: Cause,
}

/// Sorts agents by position, and by number within one position. *Cost*: positions are evenly spread draws, so each
/// agent is put near its final place and few are moved afterwards.
fn in_order(agents: Vec<Placed>) -> Vec<Placed> {
    let count = agents.len();
    let near = |agent: &Placed| {
        let scaled = (u128::from(agent.place) * count as u128) >> 64;
        usize::try_from(scaled).unwrap_or_default()
    };
    // Of each part of all numbers: where the next agent goes that belongs there.
    let mut next = vec![0_usize; count];
    for agent in &agents {
        if let Some(in_part) = next.get_mut(near(agent)) {
            *in_part += 1;
        }
    }
    let mut before = 0;
    for part in &mut next {
        before += std::mem::replace(part, before);
    }
    let mut order = agents.clone();
    for agent in agents {
        if let Some(at) = next.get_mut(near(&agent))
            && let Some(place) = order.get_mut(*at)
        {
            *place = agent;
            *at += 1;
        }
    }
    let key = |agent: &Placed| (agent.place, agent.id);
    for end in 1..count {
        let mut at = end;
        while at > 0
            && let Some([one, other]) = order.get_mut(at - 1..=at)
            && key(other) < key(one)
        {
            std::mem::swap(one, other);
            at -= 1;
        }
    }
    order
}

/// Differences of a run from a batch run.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// Returns whether a framework gets nothing from an agent now; none means that all may.
    pub(crate) withheld: Option<&'a dyn Fn(FrameworkId, AgentId) -> bool>,
    /// Ignores filters.
    pub(crate) unfiltered: bool,
}

/// Returns whether an offer is worth making; `least` is the framework's `offer_filters` for the role.
fn is_allocatable(resources: &Resources, least: Option<&Vec<Quantities>>) -> bool {
    match least {
        None => {
            let all = resources.summary();
            all.cpus >= MIN_CPUS || all.mem >= MIN_MEM
        }
        Some(least) if least.is_empty() => !resources.is_empty(),
        Some(least) => {
            let all = |one: &Quantities| one.iter().all(|(name, amount)| resources.scalar(name) >= *amount);
            !resources.is_empty() && least.iter().any(all)
        }
    }
}

impl Allocator {
    /// A run over the changed agents among `only` (all when none). Agents come in a seeded order that
    /// depends on the instant.
    pub(crate) fn run(
        &mut self,
        seed: u64,
        now_ms: u64,
        only: Option<&[AgentId]>,
        rules: Rules<'_>,
    ) -> Vec<Grant> {
        let mut agents = Vec::with_capacity(only.map_or(self.dirty.len(), <[_]>::len));
        let mut add = |slots: &Slots, id: AgentId, cause: Cause| {
            if let Some(slot) = slots.get(id.index()).and_then(Option::as_ref) {
                let place = draw::draw(seed, slot.entity, ORDER, now_ms);
                agents.push(Placed { place, id, cause });
            }
        };
        match only {
            None => self.dirty.take_all(|id, cause| add(&self.slots, id, cause)),
            Some(only) => {
                for id in only.iter().copied() {
                    // An agent named twice was already visited.
                    if let Some(cause) = self.dirty.remove(id) {
                        add(&self.slots, id, cause);
                    }
                }
            }
        }
        self.run_over(&in_order(agents), rules)
    }

    /// A run over these agents in this order.
    pub(crate) fn run_in_order(&mut self, order: &[AgentId], rules: Rules<'_>) -> Vec<Grant> {
        let mut agents = Vec::with_capacity(order.len());
        for id in order.iter().copied() {
            if self.slot(id).is_some_and(|slot| slot.active) {
                agents.push(Placed { place: 0, id, cause: self.dirty.remove(id).unwrap_or_default() });
            }
        }
        self.run_over(&agents, rules)
    }

    /// A run over these active agents in this order, with the cause of each.
    fn run_over(&mut self, agents: &[Placed], rules: Rules<'_>) -> Vec<Grant> {
        if agents.is_empty() {
            return Vec::new();
        }
        let mut grants = Vec::with_capacity(agents.len());
        if let Some(ledger) = &mut self.ledger {
            let mut again: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
            again.sort_unstable();
            ledger.held_back.retain(|id| again.binary_search(id).is_err());
            self.stage(Stage::Guarantees, agents, rules, &mut grants);
        }
        self.stage(Stage::Rest, agents, rules, &mut grants);
        // A role below may have satisfied the guarantee of the one above: less must be kept back.
        if let Some(last) = grants.last() {
            self.revisit_held_back(last.cause);
        }
        grants
    }

    /// One stage of a run over these agents. The order of roles is found again after each grant.
    fn stage(&mut self, stage: Stage, agents: &[Placed], rules: Rules<'_>, grants: &mut Vec<Grant>) {
        let mut turns = self.turns();
        // A single one needs no order.
        let competing = turns.iter().map(|(_, frameworks)| frameworks.len()).sum::<usize>() > 1;
        let mut tally = Tally::new(Delta::Add);
        for agent in agents {
            let before = grants.len();
            self.allocate(agent.id, agent.cause, stage, &turns, rules, &mut tally, grants);
            if competing && grants.len() > before {
                self.settle(&mut tally);
                turns = self.turns();
            }
        }
        self.settle(&mut tally);
    }

    /// Roles and their frameworks in the order in which they are served.
    fn turns(&self) -> Vec<(Text, Vec<FrameworkId>)> {
        let with_frameworks = |role: Text| {
            let frameworks = self.frameworks_by_share(&role);
            (role, frameworks)
        };
        self.roles_by_share().into_iter().map(with_frameworks).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "what a run is about, and what it has found so far")]
    fn allocate(
        &mut self,
        agent: AgentId,
        cause: Cause,
        stage: Stage,
        turns: &[(Text, Vec<FrameworkId>)],
        rules: Rules<'_>,
        tally: &mut Tally,
        grants: &mut Vec<Grant>,
    ) {
        for (role, frameworks) in turns {
            if stage == Stage::Guarantees && !self.is_short(role) {
                continue;
            }
            for framework in frameworks.iter().copied() {
                let Some(slot) = self.slot(agent) else { return };
                let Some(client) = self.clients.get(&framework) else { continue };
                let offerable = self.offerable(slot, client, role);
                let least = client.least.get(role);
                if !is_allocatable(&offerable, least)
                    || rules.withheld.is_some_and(|withheld| withheld(framework, agent))
                {
                    continue;
                }
                if self.ledger.is_none() && !rules.unfiltered && slot.blocks(framework, role, &offerable) {
                    continue;
                }
                let offerable = match (&mut self.ledger, stage) {
                    (None, _) => offerable,
                    (Some(ledger), Stage::Guarantees) => ledger.guaranteed(role, &offerable),
                    (Some(ledger), Stage::Rest) => ledger.trimmed(agent, role, offerable),
                };
                let blocks = |slot: &Slot| !rules.unfiltered && slot.blocks(framework, role, &offerable);
                if self.ledger.is_some()
                    && (!is_allocatable(&offerable, least) || self.slot(agent).is_some_and(blocks))
                {
                    continue;
                }
                let spare = self.assign(tally, agent, framework, role, &offerable);
                let role = role.clone();
                grants.push(Grant { framework, role, agent, resources: offerable, spare, cause });
            }
        }
    }

    fn is_short(&self, role: &str) -> bool {
        self.ledger.as_deref().is_some_and(|ledger: &Ledger| ledger.is_short(role))
    }

    /// Returns the resources of an agent that could be offered to a framework under a role.
    fn offerable(&self, slot: &Slot, client: &Client, role: &str) -> Resources {
        let remote = slot.region.is_some() && slot.region != self.region;
        if (slot.has_gpus && !client.gpus) || (remote && !client.region_aware) {
            return Resources::new();
        }
        let all = slot.free.summary();
        if all.roles.iter().all(|of| is_within(of, role)) && (client.refinement || !all.refined) {
            return slot.free.clone();
        }
        slot.free.filter(|resource| {
            (resource.reservations.is_empty() || is_within(resource.role(), role))
                && (client.refinement || resource.reservations.len() <= 1)
        })
    }

    /// Roles that any framework wants offers for, in the order in which they are served.
    fn roles_by_share(&self) -> Vec<Text> {
        let wanted = self.clients.values().filter(|client| client.active);
        let mut names: Vec<Text> = wanted
            .flat_map(|client| client.roles.iter().filter(|role| !client.suppressed.contains(*role)))
            .cloned()
            .collect();
        names.sort_unstable();
        names.dedup();
        self.roles.by_share(names, &self.cluster)
    }

    /// Frameworks that want offers for a role: smaller share within it first, then fewer allocations, then age.
    fn frameworks_by_share(&self, role: &Text) -> Vec<FrameworkId> {
        let wanted = |c: &Client| c.active && c.roles.contains(role) && !c.suppressed.contains(role);
        let mut wanting = self.clients.iter().filter(|(_, client)| wanted(client)).peekable();
        let first = wanting.next();
        let Some(first) = first.filter(|_| wanting.peek().is_some()) else {
            return first.into_iter().map(|(id, _)| *id).collect();
        };
        let mut keyed: Vec<(Share, u64, FrameworkId)> = std::iter::once(first)
            .chain(wanting)
            .map(|(id, client)| match client.allocated.get(role) {
                Some((sums, count)) => (Share::of(sums, &self.cluster), *count, *id),
                None => (Share::of(&Quantities::new(), &self.cluster), 0, *id),
            })
            .collect();
        keyed.sort_by(order);
        keyed.into_iter().map(|(.., id)| id).collect()
    }
}

fn order<T: Ord>(a: &(Share, u64, T), b: &(Share, u64, T)) -> Ordering {
    a.0.compare(&b.0).then_with(|| a.1.cmp(&b.1)).then_with(|| a.2.cmp(&b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_ordered_by_position() {
        let drawn = |n: u32| draw::draw(7, u64::from(n), ORDER, 5);
        let crowded = |n: u32| u64::from(n * 7 % 5);
        for (count, place) in
            [(0, &drawn as &dyn Fn(u32) -> u64), (1, &drawn), (2, &drawn), (300, &drawn), (40, &crowded)]
        {
            let agents: Vec<Placed> = (0..count)
                .rev()
                .map(|n| Placed { place: place(n), id: AgentId(n), cause: Cause::Event(n.into()) })
                .collect();
            let mut expected: Vec<(u64, u32)> = (0..count).map(|n| (place(n), n)).collect();
            expected.sort_unstable();
            let got = in_order(agents);
            assert!(got.iter().all(|agent| agent.cause == Cause::Event(agent.id.0.into())));
            assert_eq!(got.iter().map(|agent| (agent.place, agent.id.0)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn minimum_offerable_resources() {
        for (text, expected) in [
            ("cpus:0.01", true),
            ("cpus:0.009;mem:31", false),
            ("cpus(r):0.005;cpus:0.005", true),
            ("mem:32", true),
            ("disk:100000;ports:[1-5]", false),
            ("", false),
        ] {
            assert_eq!(is_allocatable(&Resources::parse(text).expect("test text"), None), expected, "{text}");
        }
        let sums = |text: &str| Resources::parse(text).expect("test text").quantities().into_iter().collect();
        let least: Vec<Quantities> = vec![sums("cpus:2;disk:10"), sums("mem:64")];
        for (text, expected) in [
            ("cpus:2;disk:10", true),
            ("cpus:8;mem:63", false),
            ("mem:64", true),
            ("disk:10", false),
            ("", false),
        ] {
            let resources = Resources::parse(text).expect("test text");
            assert_eq!(is_allocatable(&resources, Some(&least)), expected, "{text}");
            assert_eq!(is_allocatable(&resources, Some(&Vec::new())), !text.is_empty(), "{text}");
        }
    }
}
