//! The capacity curve of a Deployment's latest rollout: pods wanted, updated, available and unavailable over time.
//!
//! *Knows*: when counts change, and which samples are kept. *Must not know*: how a rollout works.

use std::sync::Arc;

use planarium_kernel::{SimTime, Weight};
use planarium_kube::Object;
use planarium_protocol::Text;

use super::member::Member;

/// Maximum samples of a rollout; above it every second one is dropped.
pub(crate) const SAMPLES: usize = 400;

/// Counts of a Deployment's pods at an instant, as its status has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Weight)]
#[weight(own 0)]
pub(crate) struct Sample {
    /// The instant.
    pub(crate) at: SimTime,
    /// Pods wanted, updated, available, unavailable.
    pub(crate) counts: [u32; 4],
}

/// The samples of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Curve {
    /// The revision that is rolled out; empty before the first one.
    pub(crate) revision: Text,
    /// Samples in order of time, from the first sync of the revision until the rollout was complete.
    pub(crate) samples: Arc<Vec<Sample>>,
    /// True once the rollout is complete: later changes of its pods are not part of it.
    pub(crate) is_over: bool,
}

/// A rollout as it is now: its revision, and pods wanted, updated, available, unavailable.
pub(crate) struct Point {
    revision: Text,
    counts: [u32; 4],
}

impl Point {
    /// The point of a Deployment; nothing for other kinds.
    pub(crate) fn of(member: &Member) -> Option<Self> {
        let counts = member.object.as_deref().and_then(counts)?;
        Some(Self { revision: member.newest()?.phase.clone(), counts })
    }
}

impl Curve {
    /// Records the point of a Deployment; one of a newer revision begins a new curve.
    pub(crate) fn note(&mut self, point: Point, status: &str, at: SimTime) {
        let Point { revision, counts } = point;
        if self.revision != revision {
            *self = Self { revision, ..Self::default() };
        }
        if self.is_over {
            return;
        }
        self.is_over = status == "Complete";
        self.add(Sample { at, counts });
    }

    fn add(&mut self, sample: Sample) {
        if self.samples.last().is_some_and(|last| last.counts == sample.counts) {
            return;
        }
        let samples = Arc::make_mut(&mut self.samples);
        if samples.last().is_some_and(|last| last.at == sample.at) {
            samples.pop();
        }
        samples.push(sample);
        if samples.len() > SAMPLES {
            let mut keep = false;
            samples.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }
}

/// The counts of a Deployment; nothing for other kinds, and while its controller has not looked at the latest change.
fn counts(object: &Object) -> Option<[u32; 4]> {
    let facts = object.deployment().filter(|facts| facts.observed_generation >= facts.generation)?;
    Some([facts.spec_replicas, facts.updated_replicas, facts.available_replicas, facts.unavailable_replicas])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_bounded_and_keep_both_ends() {
        let mut curve = Curve::default();
        for n in 0..5_000_u32 {
            curve.add(Sample { at: SimTime(u64::from(n)), counts: [5_000, n, n, 5_000 - n] });
            assert!(curve.samples.len() <= SAMPLES);
            assert_eq!(curve.samples.last().map(|last| last.counts[1]), Some(n));
        }
        assert_eq!(curve.samples.first().map(|first| first.at), Some(SimTime(0)));
        assert!(curve.samples.len() > SAMPLES / 2 - 2);
        assert!(curve.samples.is_sorted_by_key(|sample| sample.at));
    }

    #[test]
    fn the_last_counts_of_an_instant_are_kept() {
        let mut curve = Curve::default();
        for (at, updated) in [(1, 0), (1, 1), (2, 1), (3, 2)] {
            curve.add(Sample { at: SimTime(at), counts: [2, updated, 0, 0] });
        }
        let rows: Vec<(u64, u32)> = curve.samples.iter().map(|one| (one.at.ms(), one.counts[1])).collect();
        assert_eq!(rows, [(1, 1), (3, 2)]);
    }
}
