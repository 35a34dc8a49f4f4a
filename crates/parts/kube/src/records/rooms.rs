//! The room of each node, side by side: most pods have no rules, and the scheduler asks hundreds of nodes about each of them.
//!
//! *Knows*: what decides about a pod without rules. *Must not know*: rules, and who is preferred.
//!
//! *Invariant*: the room of a node follows from the node; [`crate::Kube::check`] recomputes it.

use super::nodes::Node;
use crate::amounts::Amounts;
use planarium_kernel::Table;

/// Room of a node for pods without rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// True if it takes pods at all: it has a Node object, is schedulable, and has no taint.
    is_open: bool,
    /// True if it is in a zone.
    has_zone: bool,
    /// Free amounts; as for pods, how many more it may have.
    free: Amounts,
    /// As the node has it: a weight, and the score for a pod of that weight.
    score: Option<(Amounts, i64)>,
}

/// The room that a pod needs: the least for an amount that it does not request, since that may be overdrawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need(Amounts);

impl Need {
    /// The need of a pod with these requests.
    pub(crate) fn of(requests: Amounts) -> Self {
        let need = |wanted: i64| if wanted <= 0 { i64::MIN } else { wanted };
        Self(Amounts {
            cpu_milli: need(requests.cpu_milli),
            memory: need(requests.memory),
            storage: need(requests.storage),
            gpus: need(requests.gpus),
            pods: 1,
        })
    }
}

impl Room {
    fn of(node: &Node) -> Self {
        let pods = i64::try_from(node.pods.len()).unwrap_or(i64::MAX);
        let free = node.free();
        Self {
            is_open: node.object.is_some() && !node.unschedulable && node.taints.is_empty(),
            has_zone: node.zone.is_some(),
            free: Amounts { pods: node.allocatable.pods.saturating_sub(pods), ..free },
            score: node.score,
        }
    }

    /// True if it takes pods at all: it has a Node object, is schedulable, and has no taint.
    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// True if it is in a zone.
    pub(crate) const fn has_zone(&self) -> bool {
        self.has_zone
    }

    /// True if a pod without rules fits.
    pub(crate) const fn takes(&self, Need(need): &Need) -> bool {
        self.is_open
            && need.pods <= self.free.pods
            && need.cpu_milli <= self.free.cpu_milli
            && need.memory <= self.free.memory
            && need.storage <= self.free.storage
            && need.gpus <= self.free.gpus
    }

    /// The score for a pod of this weight, where it is known.
    pub(crate) fn score(&self, weight: Amounts) -> Option<i64> {
        self.score.filter(|(known, _)| *known == weight).map(|(_, score)| score)
    }
}

/// Rooms by the number of their node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rooms(Table<Room>);

impl Rooms {
    /// The room of a node.
    pub(crate) fn get(&self, number: usize) -> Option<&Room> {
        self.0.get(number)
    }

    /// All rooms, slice by slice, each with the number of its first: from one on, and then from the beginning up to that one.
    pub(crate) fn around(&self, first: u32) -> impl Iterator<Item = (u32, &[Room])> {
        let first = first as usize;
        let slices = self.0.slices(first..self.0.len()).chain(self.0.slices(0..first));
        slices.map(|(number, rooms)| (u32::try_from(number).unwrap_or(u32::MAX), rooms))
    }

    /// Adds the room of a new node.
    pub(super) fn add(&mut self, node: &Node) {
        self.0.push(Room::of(node));
    }

    /// Brings a room in line with its node.
    pub(super) fn refresh(&mut self, number: u32, node: &Node) {
        let room = Room::of(node);
        if self.0.get(number as usize) != Some(&room)
            && let Some(own) = self.0.get_mut(number as usize)
        {
            *own = room;
        }
    }

    /// True if the room of a number follows from this node.
    pub(crate) fn is_of(&self, number: usize, node: &Node) -> bool {
        self.0.get(number) == Some(&Room::of(node))
    }
}
