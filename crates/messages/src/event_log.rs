//! Events of the current branch, cheap to copy with every frame. In long runs only the events around the cursor are
//! kept; moving the cursor restores others.
//!
//! *Knows*: order by sequence number. *Must not know*: the meaning of events.

use planarium_protocol::Event;
use std::sync::Arc;

const CHUNK: usize = 256;
/// Number of events kept around the cursor; up to twice as many before the log is trimmed.
const KEPT: usize = 16 * CHUNK;

/// Returns the events from one position up to, but not including, another.
pub type Recall<'a> = &'a mut dyn FnMut(usize, usize) -> Vec<Event>;

/// A list in shared chunks: appending copies at most one chunk and the list of chunks.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    chunks: Arc<Vec<Arc<Vec<Event>>>>,
    /// Number of events before the first kept one.
    first: usize,
    /// Number of the last one kept.
    end: usize,
    len: usize,
    /// World and branch of the events; logs of different lineages have no positions in common.
    pub lineage: (u32, u32),
}

impl PartialEq for EventLog {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.lineage == other.lineage && Arc::ptr_eq(&self.chunks, &other.chunks)
    }
}

impl EventLog {
    /// An empty list of a lineage.
    pub fn of(lineage: (u32, u32)) -> Self {
        Self { lineage, ..Self::default() }
    }

    /// Creates an empty log of a lineage that begins at a position.
    pub(crate) fn starting(lineage: (u32, u32), first: usize) -> Self {
        Self { first, end: first, len: first, lineage, ..Self::default() }
    }

    /// Drops the events before a position, in whole chunks.
    pub(crate) fn forget_before(&mut self, first: usize) {
        let surplus = first.saturating_sub(self.first) / CHUNK;
        if surplus > 0 {
            let chunks = Arc::make_mut(&mut self.chunks);
            chunks.drain(..surplus.min(chunks.len()));
            self.first += surplus * CHUNK;
        }
    }

    /// Counts events that are not kept.
    pub(crate) fn grow(&mut self, len: usize) {
        self.len = len;
    }

    /// Creates a log of the events around a place, of `len` events in all.
    fn around(lineage: (u32, u32), len: usize, place: usize, recall: Recall<'_>) -> Self {
        let first = place.saturating_sub(KEPT / 2).min(len.saturating_sub(KEPT));
        let mut out = Self { first, end: first, len: first, lineage, ..Self::default() };
        out.extend(recall(first, (first + KEPT).min(len)));
        out.len = len;
        out
    }

    /// Moves the log to `len` events with the cursor at `place`.
    pub fn follow(&mut self, len: usize, place: usize, recall: Recall<'_>) {
        let few = len.saturating_sub(self.len) <= KEPT;
        let near =
            few && place >= self.first && (place < self.end || self.end == self.len) && len >= self.len;
        if !near || (len > self.len && self.end < self.len) {
            *self = Self::around(self.lineage, len, place, recall);
            return;
        }
        if len > self.len {
            self.extend(recall(self.len, len));
        }
        if self.end - self.first > 2 * KEPT && place + KEPT / 2 >= self.end {
            let surplus = (self.end - self.first - KEPT) / CHUNK;
            Arc::make_mut(&mut self.chunks).drain(..surplus);
            self.first += surplus * CHUNK;
        }
    }

    /// Returns the number of events, kept or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the positions of the kept events.
    pub fn kept(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }

    /// Returns the event at a position counted from 0, if it is kept.
    pub fn get(&self, index: usize) -> Option<&Event> {
        let index = index.checked_sub(self.first)?;
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    /// Appends events that follow the last one.
    pub fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.push(event);
        }
    }

    fn push(&mut self, event: Event) {
        let chunks = Arc::make_mut(&mut self.chunks);
        match chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(event),
            _ => chunks.push(Arc::new(vec![event])),
        }
        self.len += 1;
        self.end += 1;
    }

    /// Returns the kept events from a position on.
    pub fn from(&self, start: usize) -> impl Iterator<Item = &Event> {
        (start.max(self.first)..self.end).filter_map(|index| self.get(index))
    }

    /// Returns the number of events up to sequence number `seq`.
    pub fn count_to(&self, seq: u64) -> usize {
        let (mut low, mut high) = (self.first, self.end);
        while low < high {
            let mid = low.midpoint(high);
            if self.get(mid).is_some_and(|event| event.seq <= seq) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        low
    }

    /// The event with a sequence number.
    pub fn by_seq(&self, seq: u64) -> Option<&Event> {
        let index = self.count_to(seq).checked_sub(1)?;
        self.get(index).filter(|event| event.seq == seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;
    use planarium_protocol::EventBody;

    fn note(seq: u64) -> Event {
        Event {
            seq,
            at_ms: seq * 10,
            cause: Cause::Genesis,
            body: EventBody::FaultCleared { fault: "x".into() },
        }
    }

    #[test]
    fn appends_over_chunk_borders_and_finds_by_number() {
        let mut log = EventLog::of((1, 0));
        let all: Vec<_> = (1..=600).map(note).collect();
        log.extend(all[..255].iter().cloned());
        let before = log.clone();
        log.extend(all[255..].iter().cloned());
        assert_eq!((before.len(), log.len()), (255, 600));
        assert_eq!(before.from(0).count(), 255, "an older copy is not touched");
        assert_eq!(log.from(0).map(|e| e.seq).collect::<Vec<_>>(), (1..=600).collect::<Vec<_>>());
        for (seq, count) in [(0, 0), (1, 1), (256, 256), (600, 600), (999, 600)] {
            assert_eq!(log.count_to(seq), count, "up to {seq}");
        }
        assert_eq!(log.by_seq(257).map(|e| e.at_ms), Some(2570));
        assert!(log.by_seq(601).is_none());
        assert!(before != log && log == log.clone());
    }

    #[test]
    fn keeps_those_around_the_cursor_and_counts_the_rest() {
        let all: Vec<_> = (1..=50_000).map(note).collect();
        let mut log = EventLog::of((1, 0));
        for head in (0..=50_000).step_by(700) {
            log.follow(head, head, &mut |from, to| all[from..to].to_vec());
            assert_eq!((log.len(), log.kept().end), (head, head));
            assert!(log.kept().len() <= 2 * KEPT && log.kept().len() >= KEPT.min(head), "{head}");
            assert_eq!(log.get(log.kept().start).map(|e| e.at_ms), log.from(0).next().map(|e| e.at_ms));
        }
        for place in [100, 20_000, 49_700, 0, 49_000] {
            log.follow(49_700, place, &mut |from, to| all[from..to].to_vec());
            assert!(log.kept().contains(&place.min(49_699)) && log.len() == 49_700, "{place}");
            assert!(place == 0 || log.by_seq(place as u64).is_some_and(|event| event.seq == place as u64));
            assert_eq!(log.count_to(place as u64), place);
        }
    }
}
