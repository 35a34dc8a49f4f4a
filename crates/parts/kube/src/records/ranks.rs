//! Pods of a workload in the order in which they go when there are too many.
//!
//! *Knows*: what makes one pod go before another. *Must not know*: how many have to go.
//!
//! *Invariant*: the order equals the active pods sorted by their ranks; [`crate::Kube::check`] recomputes it.
//!
//! *Cost*: a pod that comes to a node or leaves it moves its fellows there, since a crowd goes first; all else is a look-up.

use crate::{
    object::{Object, ObjectNo},
    records::workloads::restarts,
    spec::Spec,
    status::{Phase, Status},
};
use planarium_kernel::{IdMap, Map, SimTime};
use planarium_protocol::Text;

/// The annotation with the cost of deleting a pod.
pub(crate) const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The lower its rank, the sooner a pod goes. No two pods have the same.
///
/// **Source**: `controller_utils.go` (`ActivePodsWithRanks`): not bound, pending, not ready, of a lower deletion cost, crowded, ready for a
/// shorter time, restarted more often, younger; simplified: times count as they are, not by their logarithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeletionRank {
    is_bound: bool,
    is_past_pending: bool,
    is_ready: bool,
    cost: i64,
    /// The more pods beside it, the lower.
    solitude: u64,
    /// The later it became ready, the lower.
    seniority: u64,
    steadiness: u32,
    age: u32,
}

impl DeletionRank {
    /// The rank of a pod; `crowd` is the number of pods of its workload on its node.
    pub(crate) fn of(pod: &Object, crowd: u64) -> Self {
        let (Spec::Pod(_, own), Status::Pod(status)) = (&pod.spec, &pod.status) else {
            return Self::default();
        };
        let cost = pod.annotations.get(COST).and_then(|cost| cost.parse::<i32>().ok()).unwrap_or(0);
        let since = status.ready_since().map_or(u64::MAX, SimTime::ms);
        Self {
            is_bound: own.is_bound(),
            is_past_pending: status.phase != Phase::Pending,
            is_ready: status.ready_since().is_some(),
            cost: i64::from(cost),
            // Pods without a node are all beside each other.
            solitude: if own.is_bound() { u64::MAX - crowd } else { 0 },
            seniority: u64::MAX - since,
            steadiness: u32::MAX - restarts(status),
            age: u32::MAX - pod.no.0,
        }
    }

    const fn no(self) -> ObjectNo {
        ObjectNo(u32::MAX - self.age)
    }
}

/// The active pods of a workload by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranks {
    order: Map<DeletionRank, ()>,
    pods: IdMap<ObjectNo, (Text, DeletionRank)>,
    /// Node and pod.
    places: Map<(Text, ObjectNo), ()>,
}

impl Ranks {
    /// Ranks of these active pods.
    pub(crate) fn of<'p>(pods: impl IntoIterator<Item = &'p Object>) -> Self {
        let mut all: Vec<(ObjectNo, Text, &Object)> = Vec::new();
        for pod in pods {
            if let Spec::Pod(_, own) = &pod.spec {
                all.push((pod.no, own.node.clone(), pod));
            }
        }
        let mut ranks = Self::default();
        for (no, node, _) in &all {
            ranks.places.insert((node.clone(), *no), ());
        }
        for (no, node, pod) in all {
            let rank = DeletionRank::of(pod, ranks.crowd(&node));
            ranks.order.insert(rank, ());
            ranks.pods.insert(no, (node, rank));
        }
        ranks
    }

    /// True if there are no pods.
    pub(crate) const fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The pods that go first.
    pub(crate) fn first(&self, count: u32) -> impl Iterator<Item = ObjectNo> {
        self.order.keys().take(count as usize).map(|rank| rank.no())
    }

    /// Notes a change of a pod; `None` if it is not active any more.
    pub(crate) fn note(&mut self, no: ObjectNo, pod: Option<&Object>) {
        let place = |pod: &Object| match &pod.spec {
            Spec::Pod(_, own) => Some(own.node.clone()),
            _ => None,
        };
        let node = pod.and_then(place);
        let before = self.pods.get(&no).cloned();
        if let (Some((was_on, rank)), Some(node), Some(pod)) = (&before, &node, pod)
            && was_on == node
            && *rank == DeletionRank::of(pod, u64::MAX - rank.solitude)
        {
            return;
        }
        let was_on = before.map(|(node, rank)| {
            self.order.remove(&rank);
            self.pods.remove(&no);
            node
        });
        if was_on != node {
            if let Some(left) = was_on {
                self.places.remove(&(left.clone(), no));
                self.recrowd(&left);
            }
            if let Some(joined) = &node {
                self.places.insert((joined.clone(), no), ());
                self.recrowd(joined);
            }
        }
        if let (Some(pod), Some(node)) = (pod, node) {
            let rank = DeletionRank::of(pod, self.crowd(&node));
            self.order.insert(rank, ());
            self.pods.insert(no, (node, rank));
        }
    }

    fn on(&self, node: &Text) -> impl Iterator<Item = ObjectNo> {
        let range = (node.clone(), ObjectNo(0))..=(node.clone(), ObjectNo(u32::MAX));
        self.places.range(range).map(|((_, no), ())| *no)
    }

    fn crowd(&self, node: &Text) -> u64 {
        if node.is_empty() { 0 } else { self.on(node).count() as u64 }
    }

    /// The pods of a node are more or fewer than before.
    fn recrowd(&mut self, node: &Text) {
        if node.is_empty() {
            return;
        }
        let there: Vec<ObjectNo> = self.on(node).collect();
        let solitude = u64::MAX - there.len() as u64;
        for no in there {
            let Some((_, rank)) = self.pods.get_mut(&no) else { continue };
            self.order.remove(rank);
            rank.solitude = solitude;
            self.order.insert(*rank, ());
        }
    }
}
