//! One line of the timeline: statuses over time. The last changes are kept individually, older ones as counts, so
//! that a task that crashes for hours takes no more space than one that crashes for a minute.
//!
//! *Order*: by time. *Must not know*: pixels, the cursor.

use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use serde::Serialize;
use std::sync::Arc;

/// Maximum number of changes kept individually; above it, the older half becomes counts.
const KEPT: usize = 64;
/// Changes that become one count.
const TOGETHER: usize = 8;

/// A status from an instant on. An empty status: the element does not exist.
type Change = (u64, Text);

/// A stretch of one status, or a summary of several changes.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Segment {
    /// From when.
    pub from_ms: u64,
    /// To when, exclusive.
    pub to_ms: u64,
    /// The status; in a summary, the one that lasted longest.
    pub status: Text,
    /// Number of status changes in the stretch.
    pub count: u32,
}

/// One element over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Which one.
    pub path: ElementPath,
    counts: Vec<Segment>,
    changes: Vec<Change>,
}

impl Lane {
    /// Creates an empty lane.
    pub fn of(path: ElementPath) -> Self {
        Self { path, counts: Vec::new(), changes: Vec::new() }
    }

    /// Creates a lane with counts of older changes.
    pub(crate) fn with(path: ElementPath, counts: Vec<Segment>) -> Self {
        Self { path, counts, changes: Vec::new() }
    }

    /// Counts of older changes.
    pub(crate) fn counts(&self) -> &[Segment] {
        &self.counts
    }

    /// Changes that are kept individually.
    pub(crate) fn changes(&self) -> &[(u64, Text)] {
        &self.changes
    }

    /// Keeps the first `kept` changes and appends others.
    pub(crate) fn go_on(&mut self, kept: usize, tail: Vec<(u64, Text)>) {
        self.changes.truncate(kept);
        self.changes.extend(tail);
    }

    /// Adds a change. Later changes are dropped; of several changes at one instant the last counts.
    pub fn change(&mut self, at_ms: u64, status: Text) {
        while self.changes.last().is_some_and(|last| last.0 >= at_ms) {
            self.changes.pop();
        }
        if self.status() == Some(&status) || (self.changes.is_empty() && status.is_empty()) {
            return;
        }
        self.changes.push((at_ms, status));
        if self.changes.len() > KEPT {
            self.fold();
        }
    }

    /// Returns the last status; `None` if the element no longer exists.
    pub fn status(&self) -> Option<&Text> {
        self.changes.last().map(|last| &last.1)
    }

    /// Returns whether the element exists at the end.
    pub fn exists(&self) -> bool {
        self.status().is_some_and(|status| !status.is_empty())
    }

    /// When it ended, if it did.
    pub fn ended_ms(&self) -> u64 {
        self.changes.last().map_or(0, |last| last.0)
    }

    /// Instant from which changes are kept individually.
    pub fn kept_from_ms(&self) -> u64 {
        self.counts.last().map_or(0, |last| last.to_ms)
    }

    /// The stretches up to `end_ms`.
    pub fn segments(&self, end_ms: u64) -> Vec<Segment> {
        let mut out = self.counts.clone();
        let ends = self.changes.iter().skip(1).map(|next| next.0).chain([end_ms]);
        let kept = self.changes.iter().zip(ends).filter(|(change, _)| !change.1.is_empty());
        out.extend(kept.filter(|(change, to_ms)| *to_ms >= change.0).map(|(change, to_ms)| Segment {
            from_ms: change.0,
            to_ms,
            status: Arc::clone(&change.1),
            count: 1,
        }));
        out
    }

    /// Makes counts of the older half.
    fn fold(&mut self) {
        let to_ms = self.changes.get(KEPT / 2).map_or(0, |next| next.0);
        let old = Self {
            path: self.path.clone(),
            counts: Vec::new(),
            changes: self.changes.drain(..KEPT / 2).collect(),
        };
        let told = old.segments(to_ms);
        self.counts.extend(told.chunks(TOGETHER).filter_map(together));
        if self.counts.len() > KEPT {
            self.counts = self.counts.chunks(2).filter_map(together).collect();
        }
    }
}

/// Several stretches as one.
pub fn together(segments: &[Segment]) -> Option<Segment> {
    let (first, last) = (segments.first()?, segments.last()?);
    let longest = segments.iter().max_by_key(|one| one.to_ms - one.from_ms)?;
    Some(Segment {
        from_ms: first.from_ms,
        to_ms: last.to_ms,
        status: Arc::clone(&longest.status),
        count: segments.iter().map(|one| one.count).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane() -> Lane {
        let none = || "".into();
        Lane::of(ElementPath { dialect: none(), service: none(), plan: none(), phase: None, step: None })
    }

    #[test]
    fn stretches_without_a_status_are_left_out() {
        let mut lane = lane();
        for (at_ms, status) in [(0, ""), (5, "A"), (9, "A"), (10, ""), (20, "B"), (20, "C")] {
            lane.change(at_ms, status.into());
        }
        let cut: Vec<_> =
            lane.segments(30).iter().map(|s| (s.from_ms, s.to_ms, s.status.to_string())).collect();
        assert_eq!(cut, [(5, 10, "A".to_owned()), (20, 30, "C".to_owned())]);
    }

    #[test]
    fn years_of_crashes_stay_small_and_are_all_counted() {
        let mut lane = lane();
        for n in 0..100_000_u64 {
            lane.change(n * 10, if n % 2 == 0 { "UP".into() } else { "DOWN".into() });
        }
        let all = lane.segments(1_000_000);
        assert!(all.len() <= 2 * KEPT + 1, "{}", all.len());
        assert_eq!(all.iter().map(|one| one.count).sum::<u32>(), 100_000);
        assert!(all.windows(2).all(|two| two[0].to_ms == two[1].from_ms), "no holes");
        assert_eq!(all.last().map(|one| (one.from_ms, one.count)), Some((999_990, 1)));
        assert!(lane.kept_from_ms() < 999_990 && lane.kept_from_ms() > 900_000);
    }
}
