//! When offers are asked for again, and how often at most.
//!
//! *Knows*: the token bucket, whether offers are suppressed, what work the last cycle saw.
//! *Must not know*: offers or steps beyond the keys of their work.
//!
//! **Source**: `dcos-commons: …/framework/ReviveManager.java, TokenBucket.java, WorkSetTracker.java`. Match.

use crate::scheduler::requirement::WorkKey;
use planarium_kernel::{Digestible, SimTime};

/// Tokens at the start and at most.
const CAPACITY: u32 = 256;
/// One more token after this long. *Units*: milliseconds.
const REFILL_MS: u64 = 256_000;
/// Between two takings at least. *Units*: milliseconds.
const SPACING_MS: u64 = 5_000;

/// A set of work items, rebuilt in every cycle from keys that are fingerprints: each key is in the first free slot
/// after the one given by its lower bits.
#[derive(Clone, Debug, Default, Digestible)]
#[digest(sorted_keys())]
pub(crate) struct WorkSet {
    /// A power of two, at least twice as many as keys, or none; 0 is a free slot.
    slots: Vec<WorkKey>,
    /// Number of slots that are taken.
    used: u32,
    /// The set contains the key 0.
    zero: bool,
}

impl FromIterator<WorkKey> for WorkSet {
    fn from_iter<I: IntoIterator<Item = WorkKey>>(keys: I) -> Self {
        let mut set = Self::default();
        for key in keys {
            set.insert(key);
        }
        set
    }
}

impl WorkSet {
    /// Returns an empty set with room for this many keys.
    pub(crate) fn with_room(keys: usize) -> Self {
        let slots = if keys == 0 { Vec::new() } else { vec![0; (keys * 2).next_power_of_two()] };
        Self { slots, used: 0, zero: false }
    }

    /// Adds a key.
    pub(crate) fn insert(&mut self, key: WorkKey) {
        if key == 0 {
            self.zero = true;
            return;
        }
        if (self.used as usize + 1) * 2 > self.slots.len() {
            let mut larger = Self::with_room((self.used as usize + 1) * 2);
            self.slots.iter().filter(|key| **key != 0).for_each(|key| larger.insert(*key));
            *self = Self { zero: self.zero, ..larger };
        }
        let at = self.slot_of(key);
        if let Some(slot) = self.slots.get_mut(at) {
            self.used += u32::from(*slot == 0);
            *slot = key;
        }
    }

    /// Returns the slot of a key, or its free slot.
    fn slot_of(&self, key: WorkKey) -> usize {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = usize::try_from(key & mask as u64).unwrap_or_default();
        while self.slots.get(at).is_some_and(|slot| *slot != 0 && *slot != key) {
            at = (at + 1) & mask;
        }
        at
    }

    fn contains(&self, key: WorkKey) -> bool {
        self.slots.get(self.slot_of(key)).is_some_and(|slot| *slot != 0)
    }

    fn is_empty(&self) -> bool {
        self.used == 0 && !self.zero
    }

    fn sorted_keys(&self) -> Vec<WorkKey> {
        let mut keys: Vec<WorkKey> = self.slots.iter().copied().filter(|key| *key != 0).collect();
        keys.extend(self.zero.then_some(0));
        planarium_kernel::sorted::sort(&mut keys);
        keys
    }

    fn is_subset(&self, of: &Self) -> bool {
        (!self.zero || of.zero) && self.slots.iter().all(|key| *key == 0 || of.contains(*key))
    }
}

/// Limits how often a revive goes out.
#[derive(Clone, Debug)]
struct Bucket {
    tokens: u32,
    /// When the tokens were last counted up.
    counted: SimTime,
    /// When one was last taken.
    taken: Option<SimTime>,
}

impl Bucket {
    fn count_up(&mut self, now: SimTime) {
        let more = now.since(self.counted) / REFILL_MS;
        if more > 0 {
            self.counted = self.counted.saturating_add(more.saturating_mul(REFILL_MS));
            self.tokens = u32::try_from(u64::from(self.tokens) + more).unwrap_or(CAPACITY).min(CAPACITY);
        }
    }

    fn take(&mut self, now: SimTime) -> bool {
        self.count_up(now);
        if self.tokens == 0 || self.taken.is_some_and(|at| now.since(at) < SPACING_MS) {
            return false;
        }
        self.tokens -= 1;
        self.taken = Some(now);
        true
    }
}

/// Suppress and revive.
#[derive(Clone, Debug, Digestible)]
#[digest(bucket.tokens, suppressed, requested, work)]
pub(crate) struct Revive {
    bucket: Bucket,
    suppressed: bool,
    requested: bool,
    work: WorkSet,
}

impl Revive {
    /// At the start of a scheduler process.
    pub(crate) fn new(now: SimTime) -> Self {
        Self {
            bucket: Bucket { tokens: CAPACITY, counted: now, taken: None },
            suppressed: false,
            requested: false,
            work: WorkSet::default(),
        }
    }

    /// Returns whether offers are suppressed at the master.
    pub(crate) fn is_suppressed(&self) -> bool {
        self.suppressed
    }

    /// Tells if a revive waits for a token.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested
    }

    /// Offers came, so the master is not suppressing.
    pub(crate) fn offers_came(&mut self) {
        self.suppressed = false;
    }

    /// A cycle found nothing to do. True when a suppress should go out. A revive that waits for a token still goes out.
    pub(crate) fn idle(&mut self) -> bool {
        self.work = WorkSet::default();
        !std::mem::replace(&mut self.suppressed, true)
    }

    /// Records the work of a cycle: new work, or work while suppressed, requests a revive.
    pub(crate) fn working(&mut self, work: WorkSet) {
        if self.suppressed || !work.is_subset(&self.work) {
            self.requested = true;
        }
        self.work = work;
    }

    /// True when a revive should go out now.
    pub(crate) fn take(&mut self, now: SimTime) -> bool {
        if !self.requested || !self.bucket.take(now) {
            return false;
        }
        self.requested = false;
        // With nothing to do, the offers that this brings end the suppression.
        self.suppressed &= self.work.is_empty();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(keys: &[u64]) -> WorkSet {
        keys.iter().copied().collect()
    }

    #[test]
    fn work_is_distinguished_by_its_key() {
        let set = |keys: &[u64]| keys.iter().copied().collect::<WorkSet>();
        let many: Vec<u64> = (0..1_000).map(|n| planarium_kernel::draw::mix64(n) << 3).collect();
        for (work, before, new) in [
            (&[][..], &[][..], false),
            (&[1], &[], true),
            (&[], &[1], false),
            (&[0], &[0, 5], false),
            (&[8, 16, 24], &[24, 16, 8], false),
            (&[8, 16, 24, 32], &[24, 16, 8], true),
            (&many, &many, false),
            (&many[..999], &many, false),
            (&many, &many[1..], true),
        ] {
            assert_eq!(!set(work).is_subset(&set(before)), new, "{} after {}", work.len(), before.len());
        }
    }

    #[test]
    fn only_new_work_requests_offers() {
        let mut revive = Revive::new(SimTime::ZERO);
        let mut at = 0;
        for (keys, expected) in
            [(&[1][..], true), (&[1], false), (&[1, 2], true), (&[2], false), (&[], false), (&[2], true)]
        {
            at += 10;
            revive.working(work(keys));
            assert_eq!(revive.take(SimTime::from_secs(at)), expected, "{keys:?}");
        }
    }

    #[test]
    fn parts_of_work() {
        for (part, whole, expected) in [
            (&[][..], &[][..], true),
            (&[], &[1], true),
            (&[1], &[], false),
            (&[3, 1, 3], &[1, 2, 3], true),
            (&[0, 1], &[1, 2], false),
            (&[2, 4], &[1, 2, 3], false),
        ] {
            assert_eq!(work(part).is_subset(&work(whole)), expected, "{part:?} in {whole:?}");
        }
    }

    #[test]
    fn a_throttled_request_is_kept() {
        let mut revive = Revive::new(SimTime::ZERO);
        revive.working(work(&[1]));
        assert!(revive.take(SimTime::ZERO));
        revive.working(work(&[2]));
        assert!(!revive.take(SimTime(4_999)) && revive.is_requested());
        assert!(revive.take(SimTime(5_000)));
    }

    #[test]
    fn a_throttled_request_outlives_the_work() {
        let mut revive = Revive::new(SimTime::ZERO);
        revive.working(work(&[1]));
        assert!(revive.take(SimTime::ZERO));
        revive.working(work(&[2]));
        assert!(revive.idle() && !revive.take(SimTime(4_999)));
        assert!(revive.take(SimTime(5_000)) && revive.is_suppressed());
        revive.offers_came();
        assert!(revive.idle() && !revive.take(SimTime(10_000)), "suppressed once more");
    }

    #[test]
    fn suppressed_until_new_work() {
        let mut revive = Revive::new(SimTime::ZERO);
        assert!(revive.idle());
        assert!(!revive.idle() && revive.is_suppressed());
        revive.working(work(&[1]));
        assert!(revive.take(SimTime::ZERO) && !revive.is_suppressed());
    }

    #[test]
    fn the_bucket_empties_and_refills() {
        let mut bucket = Bucket { tokens: CAPACITY, counted: SimTime::ZERO, taken: None };
        let mut now = SimTime::ZERO;
        let mut given = 0;
        while bucket.take(now) {
            given += 1;
            now = now.saturating_add(SPACING_MS);
        }
        // 256 at once, and those that trickled in meanwhile: one per 51.2 takings.
        assert_eq!(given, 261);
        assert!(bucket.take(now.saturating_add(REFILL_MS)));
    }
}
