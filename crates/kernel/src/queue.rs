//! The event queue: timers ordered by instant, ties by order of creation.
//!
//! *Knows*: when each timer is due and whether it is one-shot or periodic work.
//! *Must not know*: what a timer means; the payload is opaque.
//!
//! *Order*: (instant, sequence number at creation). *Cost*: push and pop O(log n); cancel O(1)
//! amortised (a cancelled timer leaves its heap entry behind until it surfaces or the dead outnumber
//! the living). Two 4-ary heaps, one per [`Class`], share one slab of payloads.
//!
//! *Limits*: an instant beyond [`LAST_INSTANT`] counts as that instant.

use std::num::NonZeroU64;

use crate::{cow::bytes_of, time::SimTime, weight::Weight};

/// The last instant a timer can be armed for: 2^48 - 1 ms, some 8,900 years after genesis.
pub const LAST_INSTANT: SimTime = SimTime((1 << 48) - 1);

/// Classes of timers: one-shot or periodic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Fires once for work that is under way; a world with one is not idle.
    OneShot,
    /// Is armed again after each firing (a poll, a probe, a round); a world with only these is idle.
    Periodic,
}

/// Names one pushed timer. *Invariant*: never reused within a queue. *Order*: creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId {
    seq: NonZeroU64,
    slot: u32,
}

impl TimerId {
    /// The sequence number given at creation, from 1.
    pub const fn seq(self) -> u64 {
        self.seq.get()
    }
}

/// Timers with payloads `T`.
#[derive(Debug, Clone)]
pub struct EventQueue<T> {
    one_shot: Heap,
    periodic: Heap,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    next_seq: NonZeroU64,
}

#[derive(Debug, Clone)]
struct Slot<T> {
    /// Sequence number of the living timer here; none when the slot is free.
    seq: Option<NonZeroU64>,
    class: Class,
    item: Option<T>,
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> EventQueue<T> {
    /// An empty queue.
    pub const fn new() -> Self {
        Self {
            one_shot: Heap::new(),
            periodic: Heap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            next_seq: NonZeroU64::MIN,
        }
    }

    /// Arms a timer.
    pub fn push(&mut self, at: SimTime, class: Class, item: T) -> TimerId {
        let seq = self.next_seq;
        self.next_seq = seq.saturating_add(1);
        let fresh = Slot { seq: Some(seq), class, item: Some(item) };
        let slot = self.free.pop().unwrap_or(u32::MAX);
        let slot = if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = fresh;
            slot
        } else {
            let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            self.slots.push(fresh);
            slot
        };
        self.heap_mut(class).push(Node::new(at, seq, slot));
        TimerId { seq, slot }
    }

    /// Disarms a timer; returns false if it has fired or was cancelled.
    pub fn cancel(&mut self, id: TimerId) -> bool {
        let Some(slot) = self.slots.get_mut(id.slot as usize) else { return false };
        if slot.seq != Some(id.seq) {
            return false;
        }
        slot.seq = None;
        slot.item = None;
        let class = slot.class;
        self.free.push(id.slot);
        let slots = &self.slots;
        let heap = match class {
            Class::OneShot => &mut self.one_shot,
            Class::Periodic => &mut self.periodic,
        };
        heap.dead += 1;
        heap.settle(|node| is_alive(slots, node));
        true
    }

    /// Returns whether the timer is still armed.
    pub fn is_armed(&self, id: TimerId) -> bool {
        self.slots.get(id.slot as usize).is_some_and(|slot| slot.seq == Some(id.seq))
    }

    /// The instant of the earliest timer.
    pub fn next_due(&self) -> Option<SimTime> {
        match (self.one_shot.peek(), self.periodic.peek()) {
            (Some(a), Some(b)) => Some(a.at().min(b.at())),
            (a, b) => a.or(b).map(|node| node.at()),
        }
    }

    /// Returns an instant before which only the earliest timer is due, or `None` without another timer. Cancelled timers may
    /// still count, so the true instant can be later.
    pub fn next_due_after_first(&self) -> Option<SimTime> {
        let (first, second) = match (self.one_shot.peek(), self.periodic.peek()) {
            (Some(a), Some(b)) if b < a => (&self.periodic, &self.one_shot),
            (Some(_), _) => (&self.one_shot, &self.periodic),
            (None, _) => (&self.periodic, &self.one_shot),
        };
        let children = first.nodes.iter().skip(1).take(ARITY);
        children.chain(second.peek()).min().map(|node| node.at())
    }

    /// The instant of the earliest one-shot timer.
    pub fn next_one_shot(&self) -> Option<SimTime> {
        self.one_shot.peek().map(|node| node.at())
    }

    /// Takes the earliest timer when it is due at `now`, with the instant it was armed for.
    pub fn pop_due(&mut self, now: SimTime) -> Option<(TimerId, SimTime, T)> {
        let class = match (self.one_shot.peek(), self.periodic.peek()) {
            (Some(a), Some(b)) if b < a => Class::Periodic,
            (Some(_), _) => Class::OneShot,
            (None, Some(_)) => Class::Periodic,
            (None, None) => return None,
        };
        let heap = match class {
            Class::OneShot => &mut self.one_shot,
            Class::Periodic => &mut self.periodic,
        };
        if heap.peek()?.at() > now {
            return None;
        }
        let node = heap.pop()?;
        let slot = self.slots.get_mut(node.slot() as usize)?;
        let seq = slot.seq.take()?;
        let item = slot.item.take()?;
        self.free.push(node.slot());
        let slots = &self.slots;
        heap.settle(|node| is_alive(slots, node));
        Some((TimerId { seq, slot: node.slot() }, node.at(), item))
    }

    /// Returns how many one-shot timers are armed.
    pub fn one_shots(&self) -> usize {
        self.one_shot.living()
    }

    /// Returns how many timers are armed.
    pub fn len(&self) -> usize {
        self.one_shot.living() + self.periodic.living()
    }

    /// Returns whether nothing is armed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every armed timer in firing order. *Cost*: sorts; for digests, views and checks.
    pub fn iter(&self) -> impl Iterator<Item = (TimerId, SimTime, Class, &T)> {
        let mut all: Vec<(Node, TimerId, Class, &T)> = Vec::with_capacity(self.len());
        for node in self.one_shot.nodes.iter().chain(&self.periodic.nodes) {
            let Some(slot) = self.slots.get(node.slot() as usize).filter(|_| is_alive(&self.slots, node))
            else {
                continue;
            };
            if let (Some(seq), Some(item)) = (slot.seq, slot.item.as_ref()) {
                all.push((*node, TimerId { seq, slot: node.slot() }, slot.class, item));
            }
        }
        all.sort_unstable_by_key(|(node, ..)| *node);

        all.into_iter().map(|(node, id, class, item)| (id, node.at(), class, item))
    }

    fn heap_mut(&mut self, class: Class) -> &mut Heap {
        match class {
            Class::OneShot => &mut self.one_shot,
            Class::Periodic => &mut self.periodic,
        }
    }
}

fn is_alive<T>(slots: &[Slot<T>], node: &Node) -> bool {
    slots.get(node.slot() as usize).and_then(|slot| slot.seq).is_some_and(|seq| node.is_of(seq))
}

/// A heap entry in one wide number, so that a comparison is branch-free and four children share a cache
/// line: 48 bits of instant, 48 of sequence number, 32 of slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Node(u128);

const SEQ_MASK: u64 = (1 << 48) - 1;

impl<T> Weight for EventQueue<T> {
    /// Copies share nothing.
    fn beyond(&self, _: Option<&Self>) -> u64 {
        let nodes = self.one_shot.nodes.len() + self.periodic.nodes.len();
        bytes_of::<Node>(nodes) + bytes_of::<Slot<T>>(self.slots.len()) + bytes_of::<u32>(self.free.len())
    }
}

impl Node {
    const fn new(at: SimTime, seq: NonZeroU64, slot: u32) -> Self {
        let at = if at.0 > LAST_INSTANT.0 { LAST_INSTANT.0 } else { at.0 };
        Self((at as u128) << 80 | ((seq.get() & SEQ_MASK) as u128) << 32 | slot as u128)
    }

    const fn at(self) -> SimTime {
        SimTime((self.0 >> 80) as u64)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits")]
    const fn slot(self) -> u32 {
        self.0 as u32
    }

    /// Returns whether the entry belongs to the timer with this number, given that both refer to the same slot.
    #[expect(clippy::cast_possible_truncation, reason = "the mask keeps fewer bits still")]
    const fn is_of(self, seq: NonZeroU64) -> bool {
        (self.0 >> 32) as u64 & SEQ_MASK == seq.get() & SEQ_MASK
    }
}

/// A flat 4-ary min-heap. *Invariant*: between public calls the top node is alive.
#[derive(Debug, Clone)]
struct Heap {
    nodes: Vec<Node>,
    dead: u32,
}

const ARITY: usize = 4;
/// Fewer dead nodes than this are not compacted.
const COMPACT_FROM: u32 = 64;

impl Heap {
    const fn new() -> Self {
        Self { nodes: Vec::new(), dead: 0 }
    }

    fn living(&self) -> usize {
        self.nodes.len() - self.dead as usize
    }

    fn peek(&self) -> Option<&Node> {
        self.nodes.first()
    }

    fn push(&mut self, node: Node) {
        let at = self.nodes.len();
        self.nodes.push(node);
        self.sift_up(at, node);
    }

    fn pop(&mut self) -> Option<Node> {
        let last = self.nodes.pop()?;
        let Some(top) = self.nodes.first().copied() else { return Some(last) };
        self.sift_down(0, last);
        Some(top)
    }

    /// Drops dead nodes from the top, or all of them once they outnumber the living.
    fn settle(&mut self, is_alive: impl Fn(&Node) -> bool) {
        if self.dead == 0 {
            return;
        }
        if self.dead >= COMPACT_FROM && self.dead as usize * 2 > self.nodes.len() {
            self.nodes.retain(|node| is_alive(node));
            self.dead = 0;
            // A sorted array is a heap of any arity.
            self.nodes.sort_unstable();
        }
        while self.peek().is_some_and(|node| !is_alive(node)) {
            self.pop();
            self.dead -= 1;
        }
    }

    /// Moves the hole at `hole` towards the root until `node` fits, then fills it.
    fn sift_up(&mut self, mut hole: usize, node: Node) {
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            let Some(above) = self.nodes.get(parent).copied() else { break };
            if above <= node {
                break;
            }
            self.set(hole, above);
            hole = parent;
        }
        self.set(hole, node);
    }

    /// Moves the hole at `hole` towards the leaves until `node` fits, then fills it.
    fn sift_down(&mut self, mut hole: usize, node: Node) {
        loop {
            let first = hole * ARITY + 1;
            let smallest = if let Some([a, b, c, d]) = self.nodes.get(first..first + ARITY) {
                let (left, least_left) = if b < a { (1, b) } else { (0, a) };
                let (right, least_right) = if d < c { (3, d) } else { (2, c) };
                first + if least_right < least_left { right } else { left }
            } else {
                let children = self.nodes.get(first..).unwrap_or_default();
                match children.iter().enumerate().min_by_key(|(_, child)| **child) {
                    Some((offset, _)) => first + offset,
                    None => break,
                }
            };
            let Some(below) = self.nodes.get(smallest).copied() else { break };
            if node <= below {
                break;
            }
            self.set(hole, below);
            hole = smallest;
        }
        self.set(hole, node);
    }

    fn set(&mut self, at: usize, node: Node) {
        if let Some(place) = self.nodes.get_mut(at) {
            *place = node;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;
    use std::collections::BTreeMap;

    fn drain<T>(queue: &mut EventQueue<T>, now: u64) -> Vec<(u64, T)> {
        std::iter::from_fn(|| queue.pop_due(SimTime(now)).map(|(_, at, item)| (at.0, item))).collect()
    }

    #[test]
    fn earliest_first_and_ties_by_creation() {
        let mut queue = EventQueue::new();
        for (at, class, name) in [
            (5, Class::OneShot, "c"),
            (3, Class::Periodic, "a"),
            (5, Class::Periodic, "d"),
            (3, Class::OneShot, "b"),
            (9, Class::OneShot, "late"),
        ] {
            queue.push(SimTime(at), class, name);
        }
        assert_eq!((queue.len(), queue.one_shots()), (5, 3));
        assert_eq!((queue.next_due(), queue.next_one_shot()), (Some(SimTime(3)), Some(SimTime(3))));
        assert_eq!(drain(&mut queue, 8), [(3, "a"), (3, "b"), (5, "c"), (5, "d")]);
        assert_eq!(queue.next_due(), Some(SimTime(9)));
        assert!(queue.pop_due(SimTime(8)).is_none());
        assert_eq!(drain(&mut queue, 9), [(9, "late")]);
        assert!(queue.is_empty());
    }

    #[test]
    fn cancelled_timers_never_fire_and_ids_are_not_reused() {
        let mut queue = EventQueue::new();
        let a = queue.push(SimTime(1), Class::OneShot, 'a');
        assert!(queue.is_armed(a) && queue.cancel(a) && !queue.cancel(a) && !queue.is_armed(a));
        assert_eq!((queue.next_due(), queue.len()), (None, 0));
        let b = queue.push(SimTime(2), Class::OneShot, 'b');
        assert_ne!(a, b);
        assert!(!queue.cancel(a), "the slot has a new tenant");
        assert_eq!(drain(&mut queue, 2), [(2, 'b')]);
        assert!(!queue.cancel(b));
    }

    #[test]
    fn the_far_future_has_an_end() {
        let mut queue = EventQueue::new();
        queue.push(SimTime::MAX, Class::OneShot, "first");
        queue.push(LAST_INSTANT, Class::OneShot, "second");
        assert_eq!(queue.next_due(), Some(LAST_INSTANT));
        assert_eq!(drain(&mut queue, u64::MAX), [(LAST_INSTANT.0, "first"), (LAST_INSTANT.0, "second")]);
    }

    /// Random pushes, cancels and pops against an ordered map.
    #[test]
    fn agrees_with_an_ordered_map() {
        for seed in 0..20_u64 {
            let mut queue = EventQueue::new();
            let mut model: BTreeMap<(u64, u64), (TimerId, Class, u64)> = BTreeMap::new();
            let mut now = 0;
            for n in 0..3000_u64 {
                let word = mix64(seed << 32 | n);
                // Phases of growth and shrinking, so that compaction happens.
                let growing = n / 500 % 2 == 0;
                match word % 8 {
                    0..=3 if growing => {
                        let at = now + (word >> 8) % 50;
                        let class = if word >> 20 & 1 == 0 { Class::OneShot } else { Class::Periodic };
                        let id = queue.push(SimTime(at), class, n);
                        model.insert((at, id.seq()), (id, class, n));
                    }
                    4..=5 => {
                        let nth = (word >> 8) as usize % model.len().max(1);
                        if let Some((&key, &(id, ..))) = model.iter().nth(nth) {
                            model.remove(&key);
                            assert!(queue.cancel(id));
                        }
                    }
                    6 => {
                        now += (word >> 8) % 4;
                        let expected = model.first_key_value().filter(|(key, _)| key.0 <= now);
                        let expected = expected.map(|(&key, &(id, _, item))| (key, id, item));
                        if let Some((key, ..)) = expected {
                            model.remove(&key);
                        }
                        let got =
                            queue.pop_due(SimTime(now)).map(|(id, at, item)| ((at.0, id.seq()), id, item));
                        assert_eq!(got, expected);
                    }
                    _ => {}
                }
                assert_eq!(queue.len(), model.len());
                assert_eq!(queue.next_due().map(SimTime::ms), model.keys().next().map(|key| key.0));
                let one_shots = || model.iter().filter(|(_, timer)| timer.1 == Class::OneShot);
                assert_eq!(queue.one_shots(), one_shots().count());
                assert_eq!(queue.next_one_shot().map(SimTime::ms), one_shots().next().map(|(key, _)| key.0));
                if n % 100 == 0 {
                    let listed: Vec<u64> = queue.iter().map(|(.., item)| *item).collect();
                    assert_eq!(listed, model.values().map(|timer| timer.2).collect::<Vec<_>>());
                }
            }
        }
    }
}
