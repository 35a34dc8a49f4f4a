//! Changes of a branch's log.

use crate::event_log::EventLog;
use planarium_protocol::Event;
use planarium_protocol::json::Read;
use serde::Serialize;

/// New events, and the total number.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) struct LogChange {
    lineage: (u32, u32),
    len: usize,
    /// Position of the first kept event.
    first: usize,
    /// Position of the first event in this message. The receiver has earlier ones.
    from: usize,
    events: Vec<Event>,
}

/// The difference between two logs.
pub(crate) fn change(old: &EventLog, new: &EventLog) -> LogChange {
    let (was, is) = (old.kept(), new.kept());
    let last = was.end.checked_sub(1);
    let goes_on = old.lineage == new.lineage
        && new.len() >= old.len()
        && (was.start..=was.end).contains(&is.start)
        && is.end >= was.end
        && last.is_some_and(|last| last < is.start || old.get(last) == new.get(last));
    let from = if goes_on { was.end.max(is.start) } else { is.start };
    LogChange {
        lineage: new.lineage,
        len: new.len(),
        first: is.start,
        from,
        events: new.from(from).cloned().collect(),
    }
}

/// Brings a log up to date.
pub(crate) fn apply(log: &mut EventLog, change: LogChange) {
    let LogChange { lineage, len, first, from, events } = change;
    if from == first {
        *log = EventLog::starting(lineage, first);
    }
    log.forget_before(first);
    log.extend(events);
    log.grow(len);
}
