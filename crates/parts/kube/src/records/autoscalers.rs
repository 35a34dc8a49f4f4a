//! Memories of autoscalers: their latest recommendations and the changes that they made.

use crate::object::ObjectNo;
use planarium_kernel::{Map, SimTime};
use std::sync::Arc;

/// Longest period of a policy or window. *Units*: milliseconds.
const MOST_MS: u64 = 3_600_000;

/// The memory of one autoscaler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) recommended: Vec<(SimTime, u32)>,
    /// Number of pods that came or went, and whether they came.
    pub(crate) changes: Vec<(SimTime, u32, bool)>,
}

impl Memory {
    /// Notes that pods were asked for, or given up.
    pub(crate) fn note_change(&mut self, now: SimTime, count: u32, grows: bool) {
        self.changes.retain(|(at, ..)| now.since(*at) < MOST_MS);
        self.changes.push((now, count, grows));
    }
}

/// The memories of all autoscalers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Autoscalers(Map<ObjectNo, Arc<Memory>>);

impl Autoscalers {
    pub(crate) fn get(&self, no: ObjectNo) -> Memory {
        self.0.get(&no).map(|memory| Memory::clone(memory)).unwrap_or_default()
    }

    pub(crate) fn put(&mut self, no: ObjectNo, memory: Memory) {
        self.0.insert(no, Arc::new(memory));
    }

    pub(crate) fn forget(&mut self, no: ObjectNo) {
        self.0.remove(&no);
    }
}
