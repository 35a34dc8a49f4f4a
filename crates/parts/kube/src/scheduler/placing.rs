//! The decision for a pod: feasible nodes, and the best of them.

use super::{
    Candidate,
    filter::{self, Company, Refusal},
    preempt::{self, Chances},
};
use crate::{
    amounts::Amounts,
    records::{
        nodes::{Node, Nodes, weighed},
        rooms::{Need, Room},
        scheduling::Scheduler,
        store::Store,
    },
    spec::Spec,
};
use planarium_kernel::{SortedMap, draw};
use planarium_protocol::Text;

/// With more nodes than this not all are looked at.
const ALL_NODES: usize = 100;
const TIE: u32 = 0x4B07;

/// The facts that a decision is made by.
pub(super) struct Snapshot<'a> {
    pub(super) seed: u64,
    pub(super) store: &'a Store,
    pub(super) nodes: &'a Nodes,
    pub(super) scheduler: &'a Scheduler,
}

/// A node that takes a pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) number: u32,
    /// Its score by resources, where its room knows that.
    pub(super) score: Option<i64>,
    /// True if it has no taint.
    pub(super) is_open: bool,
    /// True if it is in a zone.
    pub(super) has_zone: bool,
}

impl Found {
    fn of(number: u32, room: &Room, weight: Amounts) -> Self {
        Self { number, score: room.score(weight), is_open: room.is_open(), has_zone: room.has_zone() }
    }
}

/// Nodes that take a pod.
pub(super) struct Feasible {
    /// These nodes. *Order*: ascending from the node that is looked at first, then from the beginning.
    pub(super) found: Vec<Found>,
    /// Reasons of infeasible nodes, with the number of nodes for each.
    pub(super) refused: SortedMap<Text, u32>,
    /// The others by whether room is all that is missing.
    pub(super) chances: Chances,
    /// The existing pods, as far as the candidate's rules need them.
    pub(super) company: Company,
    /// The node that is looked at first next time.
    pub(super) next: u32,
}

impl Feasible {
    fn refuse(&mut self, number: u32, refusal: Refusal) {
        for reason in refusal.reasons {
            *self.refused.entry(reason).or_default() += 1;
        }
        if refusal.is_final {
            self.chances.helpless += 1;
        } else {
            self.chances.open.push(number);
        }
    }
}

impl Snapshot<'_> {
    /// A node with the more important pods that it was promised to; nothing where there are none.
    pub(super) fn with_promised(&self, candidate: &Candidate<'_>, number: u32, node: &Node) -> Option<Node> {
        let mut promised = Vec::new();
        for (no, (place, priority)) in &self.scheduler.nominated {
            if *place == number
                && *priority >= candidate.own.rank.value
                && *no != candidate.pod.no
                && let Some(Spec::Pod(spec, _)) = self.store.object(*no).map(|pod| &pod.spec)
            {
                promised.push(spec.clone());
            }
        }
        (!promised.is_empty()).then(|| preempt::with_nominated(node, &promised))
    }

    /// Tells whether a node takes a pod, beside the more important ones that it was promised to.
    fn takes(
        &self,
        candidate: &Candidate<'_>,
        number: u32,
        node: &Node,
        company: &Company,
    ) -> Result<(), Refusal> {
        let promised = self.with_promised(candidate, number, node);
        filter::filter(candidate, promised.as_ref().unwrap_or(node), company)
    }

    /// True if nothing but its requests decides which nodes without taints take a pod.
    fn is_plain(&self, candidate: &Candidate<'_>, company: &Company) -> bool {
        let Candidate { spec, own, volumes, .. } = candidate;
        spec.placement.is_none()
            && spec.host_ports.is_empty()
            && own.pinned.is_none()
            && volumes.is_empty()
            && company.is_empty()
            && self.scheduler.nominated.is_empty()
    }

    /// Nodes that take a pod, and reasons why others do not.
    pub(super) fn feasible(&self, candidate: &Candidate<'_>) -> Feasible {
        let there = self.nodes.count_present();
        let mut feasible = Feasible {
            found: Vec::new(),
            refused: SortedMap::new(),
            chances: Chances::default(),
            company: self.company_of(candidate),
            next: self.scheduler.next,
        };
        let weight = weighed(candidate.spec.requests);
        if let Some(pinned) = &candidate.own.pinned {
            // All others are out of the question.
            let others = u32::try_from(there).unwrap_or(u32::MAX);
            let number = self.nodes.number_of(pinned);
            let node = number.and_then(|number| self.nodes.get(number)).filter(|node| node.object.is_some());
            let others = others.saturating_sub(u32::from(node.is_some()));
            if let Some((number, node)) = number.zip(node) {
                match self.takes(candidate, number, node, &feasible.company) {
                    Ok(()) => {
                        let room = self.nodes.rooms.get(number as usize);
                        feasible.found.extend(room.map(|room| Found::of(number, room, weight)));
                    }
                    Err(refusal) => feasible.refuse(number, refusal),
                }
            }
            if others > 0 {
                feasible.refused.insert(filter::NODE_SELECTOR.into(), others);
                feasible.chances.helpless += others;
            }
            return feasible;
        }
        let wanted = enough(there);
        let is_plain = self.is_plain(candidate, &feasible.company);
        let need = Need::of(candidate.spec.requests);
        feasible.found.reserve(wanted);
        let (mut step, mut looked) = (0, 0);
        'all: for (first, rooms) in self.nodes.rooms.around(self.scheduler.next) {
            for (number, room) in (first..).zip(rooms) {
                step += 1;
                // Only a node that refuses is asked for its reasons.
                if !is_plain || !room.takes(&need) {
                    let node = self.nodes.get(number).filter(|node| node.object.is_some());
                    let Some(node) = node else { continue };
                    if let Err(refusal) = self.takes(candidate, number, node, &feasible.company) {
                        looked = step;
                        feasible.refuse(number, refusal);
                        continue;
                    }
                }
                looked = step;
                feasible.found.push(Found::of(number, room, weight));
                if feasible.found.len() >= wanted {
                    break 'all;
                }
            }
        }
        let total = self.nodes.all.len();
        let next = (self.scheduler.next as usize + looked).checked_rem(total);
        feasible.next = next.map_or(self.scheduler.next, |next| u32::try_from(next).unwrap_or(0));
        feasible
    }

    /// The best of the nodes that take a pod.
    pub(super) fn choose(&self, candidate: &Candidate<'_>, found: &[Found]) -> Option<u32> {
        if found.len() <= 1 {
            return found.first().map(|one| one.number);
        }
        let scores = self.scores(candidate, found);
        let best = scores.iter().max().copied()?;
        let ties = || found.iter().zip(&scores).filter(|(_, score)| **score == best);
        let entity = draw::entity_of(&[&candidate.pod.namespace, "/", &candidate.pod.name]);
        let last = ties().count().saturating_sub(1) as u64;
        let chosen = draw::between(self.seed, entity, TIE, 0, 0, last);
        ties().nth(usize::try_from(chosen).unwrap_or(0)).map(|(one, _)| one.number)
    }
}

/// Number of nodes that are enough to choose from.
///
/// **Source**: `core/generic_scheduler.go` (`numFeasibleNodesToFind`), match.
fn enough(nodes: usize) -> usize {
    if nodes < ALL_NODES {
        return nodes;
    }
    let percent = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(ALL_NODES)
}
