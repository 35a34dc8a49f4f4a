//! Which events the log shows, kept up to date without looking at the old ones again.

use super::text::contains;
use super::words::because;
use crate::store::events::EventLog;
use crate::store::state::LogFilter;
use planarium_protocol::Event;

/// Positions of the events that pass a filter.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogIndex {
    filter: LogFilter,
    lineage: (u32, u32),
    first: usize,
    looked_at: usize,
    /// Positions in the log, oldest first.
    pub(crate) shown: Vec<usize>,
}

impl LogIndex {
    /// Takes in what is new, or starts over when the filter or the branch is another.
    pub(crate) fn update(&mut self, log: &EventLog, filter: &LogFilter) {
        let kept = log.kept();
        let place = (self.lineage, self.first) == (log.lineage, kept.start);
        if self.filter != *filter || !place || self.looked_at > kept.end {
            let (lineage, first) = (log.lineage, kept.start);
            *self = Self { filter: filter.clone(), lineage, first, looked_at: first, ..Self::default() };
        }
        let wanted = (self.looked_at..).zip(log.from(self.looked_at));
        self.shown.extend(wanted.filter(|(_, event)| passes(event, filter)).map(|(at, _)| at));
        self.looked_at = kept.end;
    }

    /// How many of those shown are among the first `count` events.
    pub(crate) fn shown_to(&self, count: usize) -> usize {
        self.shown.partition_point(|at| *at < count)
    }
}

/// Longest chain of causes that is shown.
const LINKS: usize = 40;

/// An event and what brought it about, back to where it began. A link that leads out of the log ends it.
pub(crate) fn chain(log: &EventLog, seq: u64) -> Vec<&Event> {
    let mut out: Vec<&Event> = Vec::new();
    let mut next = Some(seq);
    while let Some(event) = next.and_then(|seq| log.by_seq(seq)) {
        // Causes lie in the past, so this ends; the bound is for those who read it.
        let earlier = out.last().is_none_or(|last| event.seq < last.seq);
        if !earlier || out.len() == LINKS {
            break;
        }
        out.push(event);
        next = because(event);
    }
    out
}

fn passes(event: &Event, filter: &LogFilter) -> bool {
    event.body.importance() >= filter.level
        && (filter.text.is_empty() || {
            let body = &event.body;
            let said = [body.speaker(), body.word()];
            contains(&body.sentence(), &filter.text) || said.iter().any(|word| contains(word, &filter.text))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;
    use planarium_protocol::EventBody;
    use planarium_protocol::event::{ElementPath, Importance};

    fn path(plan: &str) -> ElementPath {
        let none = || "".into();
        ElementPath { dialect: none(), service: none(), plan: plan.into(), phase: None, step: None }
    }

    fn log() -> Vec<Event> {
        let bodies = [
            EventBody::MachineAdded { agent: "agent-1".into() },
            EventBody::PlanCommanded { path: path("here"), op: "restart".into() },
            EventBody::MachineLost { agent: "agent-1".into(), how: "lost".into() },
            EventBody::ServiceLoaded { service: "also-here".into(), dialect: "sdk".into() },
        ];
        (1..).zip(bodies).map(|(seq, body)| Event { seq, at_ms: 0, cause: Cause::Genesis, body }).collect()
    }

    #[test]
    fn a_chain_goes_back_to_where_it_began() {
        let cause = |seq| if seq == 1 { Cause::Input(1) } else { Cause::Event(seq / 2) };
        let events: Vec<_> = (1..=9)
            .map(|seq| Event {
                seq,
                at_ms: 0,
                cause: cause(seq),
                body: EventBody::FaultCleared { fault: "x".into() },
            })
            .collect();
        let mut log = EventLog::of((1, 1));
        log.extend(&events);
        let seqs = |seq| chain(&log, seq).iter().map(|event| event.seq).collect::<Vec<_>>();
        assert_eq!((seqs(9), seqs(1), seqs(77)), (vec![9, 4, 2, 1], vec![1], vec![]));
    }

    #[test]
    fn filters_by_importance_and_text_and_grows() {
        for (level, text, want) in [
            (Importance::Low, "", vec![0, 1, 2, 3]),
            (Importance::Normal, "", vec![1, 2, 3]),
            (Importance::High, "", vec![1, 2]),
            (Importance::Low, "HERE", vec![1, 3]),
            (Importance::Low, "fault", vec![2]),
            (Importance::Low, "service-loaded", vec![3]),
        ] {
            let filter = LogFilter { level, text: text.into() };
            let mut log_now = EventLog::of((1, 1));
            let mut index = LogIndex::default();
            for event in log() {
                log_now.extend(&[event]);
                index.update(&log_now, &filter);
            }
            assert_eq!(index.shown, want, "{filter:?}");
            assert_eq!(index.shown_to(2), want.iter().filter(|at| **at < 2).count());
            let mut other = EventLog::of((1, 2));
            other.extend(&log()[..2]);
            index.update(&other, &filter);
            assert!(index.shown.iter().all(|at| *at < 2), "another branch starts over");
        }
    }
}
