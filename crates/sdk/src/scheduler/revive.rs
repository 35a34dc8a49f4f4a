//! When offers are asked for again, and how often at most.
//!
//! *Knows*: the token bucket, whether offers are suppressed, what work the last cycle saw.
//! *Must not know*: offers or steps beyond the keys of their work.
//!
//! **Source**: `dcos-commons: …/framework/ReviveManager.java, TokenBucket.java, WorkSetTracker.java`. Match.

use planarium_kernel::{Digest, SimTime};

/// Tokens at the start and at most.
const CAPACITY: u32 = 256;
/// One more token after this long. *Units*: milliseconds.
const REFILL_MS: u64 = 256_000;
/// Between two takings at least. *Units*: milliseconds.
const SPACING_MS: u64 = 5_000;

/// Identity of one piece of work: step name, requirement, recovery type and parameters.
pub(crate) type WorkKey = u64;

/// Pieces of work: sorted, each once. Made anew in every cycle, so it is flat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkSet(Vec<WorkKey>);

impl FromIterator<WorkKey> for WorkSet {
    fn from_iter<I: IntoIterator<Item = WorkKey>>(keys: I) -> Self {
        let mut keys: Vec<WorkKey> = keys.into_iter().collect();
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }
}

impl WorkSet {
    fn is_subset(&self, of: &Self) -> bool {
        let mut others = of.0.iter();
        self.0.iter().all(|key| others.by_ref().find(|other| *other >= key) == Some(key))
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
#[derive(Clone, Debug)]
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

    /// Whether the master was told to send no offers.
    pub(crate) fn is_suppressed(&self) -> bool {
        self.suppressed
    }

    /// Whether a revive waits for a token.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested
    }

    /// Offers came, so the master is not suppressing.
    pub(crate) fn offers_came(&mut self) {
        self.suppressed = false;
    }

    /// A cycle found nothing to do. True when a suppress should go out.
    pub(crate) fn idle(&mut self) -> bool {
        self.work = WorkSet::default();
        self.requested = false;
        !std::mem::replace(&mut self.suppressed, true)
    }

    /// A cycle found this work: new work, or work while suppressed, asks for a revive.
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
        self.suppressed = false;
        true
    }

    /// Writes the state into a digest.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        digest.write_u32(self.bucket.tokens);
        digest.write_bool(self.suppressed);
        digest.write_bool(self.requested);
        digest.write_u64(self.work.0.len() as u64);
        self.work.0.iter().for_each(|key| digest.write_u64(*key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(keys: &[u64]) -> WorkSet {
        keys.iter().copied().collect()
    }

    #[test]
    fn only_new_work_asks_for_offers() {
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
    fn a_throttled_request_stays() {
        let mut revive = Revive::new(SimTime::ZERO);
        revive.working(work(&[1]));
        assert!(revive.take(SimTime::ZERO));
        revive.working(work(&[2]));
        assert!(!revive.take(SimTime(4_999)) && revive.is_requested());
        assert!(revive.take(SimTime(5_000)));
    }

    #[test]
    fn suppressed_until_there_is_work_again() {
        let mut revive = Revive::new(SimTime::ZERO);
        assert!(revive.idle());
        assert!(!revive.idle() && revive.is_suppressed());
        revive.working(work(&[1]));
        assert!(revive.take(SimTime::ZERO) && !revive.is_suppressed());
    }

    #[test]
    fn the_bucket_runs_dry_and_refills() {
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
