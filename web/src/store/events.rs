//! All events of the current branch up to its head, cheap to keep in a state that is copied per frame.
//!
//! *Knows*: order by sequence number. *Must not know*: what the events say.

use planarium_protocol::Event;
use std::sync::Arc;

const CHUNK: usize = 256;

/// An append-only list in shared chunks: appending copies at most one chunk and the list of chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    chunks: Arc<Vec<Arc<Vec<Event>>>>,
    len: usize,
    /// Which world and branch these belong to; another lineage shares no index with this one.
    pub(crate) lineage: (u32, u32),
}

impl PartialEq for EventLog {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.lineage == other.lineage && Arc::ptr_eq(&self.chunks, &other.chunks)
    }
}

impl EventLog {
    /// An empty list of a lineage.
    pub(crate) fn of(lineage: (u32, u32)) -> Self {
        Self { lineage, ..Self::default() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The event at a position counted from 0.
    pub(crate) fn get(&self, index: usize) -> Option<&Event> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    /// Appends events that follow the last one.
    pub(crate) fn extend(&mut self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let chunks = Arc::make_mut(&mut self.chunks);
        for event in events {
            match chunks.last_mut() {
                Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(event.clone()),
                _ => chunks.push(Arc::new(vec![event.clone()])),
            }
        }
        self.len += events.len();
    }

    /// Those from a position on.
    pub(crate) fn from(&self, start: usize) -> impl Iterator<Item = &Event> {
        (start..self.len).filter_map(|index| self.get(index))
    }

    /// How many have a sequence number of at most `seq`.
    pub(crate) fn count_to(&self, seq: u64) -> usize {
        let (mut low, mut high) = (0, self.len);
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
    pub(crate) fn by_seq(&self, seq: u64) -> Option<&Event> {
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
        log.extend(&all[..255]);
        let before = log.clone();
        log.extend(&all[255..]);
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
}
