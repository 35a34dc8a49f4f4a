//! The decision for a pod: nodes that take it, and the best of them.

use super::{Candidate, filter};
use crate::records::{nodes::Nodes, scheduling::Scheduler, store::Store};
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

/// Nodes that take a pod.
pub(super) struct Feasible {
    /// Their numbers.
    pub(super) found: Vec<u32>,
    /// Reasons why others do not, with how many nodes each holds for.
    pub(super) refused: SortedMap<Text, u32>,
    /// The node that is looked at first next time.
    pub(super) next: u32,
}

impl Snapshot<'_> {
    /// Nodes that take a pod, and reasons why others do not.
    pub(super) fn feasible(&self, candidate: &Candidate<'_>) -> Feasible {
        let mut refused: SortedMap<Text, u32> = SortedMap::new();
        let total = self.nodes.all.len();
        let there = self.nodes.present().count();
        let company = self.company_of(candidate);
        let mut found = Vec::new();
        if let Some(pinned) = &candidate.own.pinned {
            // All others are out of the question.
            let others = u32::try_from(there).unwrap_or(u32::MAX);
            let number = self.nodes.number_of(pinned);
            let node = number.and_then(|number| self.nodes.get(number)).filter(|node| node.object.is_some());
            let others = others.saturating_sub(u32::from(node.is_some()));
            match number
                .zip(node)
                .map(|(number, node)| filter::filter(candidate, node, &company).map(|()| number))
            {
                Some(Ok(number)) => found.push(number),
                Some(Err(reasons)) => {
                    for reason in reasons {
                        *refused.entry(reason).or_default() += 1;
                    }
                }
                None => {}
            }
            if others > 0 {
                refused.insert(filter::NODE_SELECTOR.into(), others);
            }
            return Feasible { found, refused, next: self.scheduler.next };
        }
        let wanted = enough(there);
        let mut looked = 0;
        for step in 0..total {
            let at = (self.scheduler.next as usize + step) % total.max(1);
            let Some(node) = self.nodes.all.get(at).filter(|node| node.object.is_some()) else { continue };
            looked = step + 1;
            match filter::filter(candidate, node, &company) {
                Ok(()) => {
                    found.push(u32::try_from(at).unwrap_or(u32::MAX));
                    if found.len() >= wanted {
                        break;
                    }
                }
                Err(reasons) => {
                    for reason in reasons {
                        *refused.entry(reason).or_default() += 1;
                    }
                }
            }
        }
        let next = (self.scheduler.next as usize + looked).checked_rem(total);
        let next = next.map_or(self.scheduler.next, |next| u32::try_from(next).unwrap_or(0));
        Feasible { found, refused, next }
    }

    /// The best of the nodes that take a pod.
    pub(super) fn choose(&self, candidate: &Candidate<'_>, feasible: &[u32]) -> Option<u32> {
        if feasible.len() <= 1 {
            return feasible.first().copied();
        }
        let scores = self.scores(candidate, feasible);
        let best = scores.iter().max().copied()?;
        let ties: Vec<u32> = feasible
            .iter()
            .zip(&scores)
            .filter(|(_, score)| **score == best)
            .map(|(number, _)| *number)
            .collect();
        let entity = draw::entity_of(&[&candidate.pod.namespace, "/", &candidate.pod.name]);
        let last = ties.len().saturating_sub(1) as u64;
        let chosen = draw::between(self.seed, entity, TIE, 0, 0, last);
        ties.get(usize::try_from(chosen).unwrap_or(0)).copied()
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
