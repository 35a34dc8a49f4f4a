//! Which events the log shows, kept up to date without looking at the old ones again.

use super::status;
use super::text::contains;
use super::words::because;
use crate::store::events::EventLog;
use crate::store::state::LogFilter;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{Event, EventBody, Text};

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
    /// Adds new events, or starts over if the filter or the branch has changed.
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

    /// Returns how many of the shown events are among the first `count`.
    pub(crate) fn shown_to(&self, count: usize) -> usize {
        self.shown.partition_point(|at| *at < count)
    }
}

/// Longest chain of causes that is shown whole.
const LINKS: usize = 12;
/// Most events looked at for the last change of an element.
const LOOKED_AT: usize = 5_000;
/// Longest chain of causes that is followed.
const FOLLOWED: usize = 10_000;

/// Returns an event with its causes, back to the first. A cause outside of the log ends the chain.
pub(crate) fn chain(log: &EventLog, seq: u64) -> Vec<&Event> {
    let mut out: Vec<&Event> = Vec::new();
    let mut next = Some(seq);
    while let Some(event) = next.and_then(|seq| log.by_seq(seq)) {
        // Causes lie in the past, so this ends; the bound is for those who read it.
        let earlier = out.last().is_none_or(|last| event.seq < last.seq);
        if !earlier || out.len() == FOLLOWED {
            break;
        }
        out.push(event);
        next = because(event);
    }
    out
}

/// A displayed link of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Link<'a> {
    /// An event.
    Event(&'a Event),
    /// This many were left out.
    Left(usize),
}

/// Returns a long chain without its middle: its first cause is always included.
pub(crate) fn shortened(chain: Vec<&Event>) -> Vec<Link<'_>> {
    let left = chain.len().saturating_sub(LINKS);
    if left < 2 {
        return chain.into_iter().map(Link::Event).collect();
    }
    let (near, far) = (LINKS - 4, chain.len() - 4);
    let mut out: Vec<Link<'_>> = chain.iter().take(near).map(|event| Link::Event(event)).collect();
    out.push(Link::Left(left));
    out.extend(chain.iter().skip(far).map(|event| Link::Event(event)));
    out
}

/// The last change of an element's status up to an event.
pub(crate) fn last_change(log: &EventLog, path: &ElementPath, seq: u64) -> Option<u64> {
    let count = log.count_to(seq);
    (count.saturating_sub(LOOKED_AT)..count)
        .rev()
        .filter_map(|at| log.get(at))
        .find(|event| is_of(event, path))
        .map(|event| event.seq)
}

/// Returns the event with which an element's chain of causes begins: the last change of it or of its parents,
/// otherwise the installation of its service.
pub(crate) fn origin(log: &EventLog, path: &ElementPath, seq: u64) -> Option<u64> {
    let mut at = Some(path.clone());
    while let Some(element) = at.filter(|element| !element.plan.is_empty()) {
        if let Some(found) = last_change(log, &element, seq) {
            return Some(found);
        }
        at = super::tree::parent(&element);
    }
    let came = |event: &&Event| matches!(&event.body, EventBody::ServiceLoaded { service, .. } if *service == path.service);
    log.from(0).take_while(|event| event.seq <= seq).find(came).map(|event| event.seq)
}

/// Returns a step's time in each status up to an event, in order; completed steps stop counting.
pub(crate) fn spent(log: &EventLog, path: &ElementPath, seq: u64) -> Vec<(Text, u64)> {
    let mut out: Vec<(Text, u64)> = Vec::new();
    let mut add = |status: &Text, ms: u64| match out.iter_mut().find(|(known, _)| known == status) {
        Some((_, sum)) => *sum += ms,
        None => out.push((status.clone(), ms)),
    };
    let mut open: Option<(Text, u64)> = None;
    for event in (0..log.count_to(seq)).filter_map(|at| log.get(at)).filter(|event| is_of(event, path)) {
        let EventBody::ElementStatus { from, to, .. } = &event.body else { continue };
        let (status, since) = open.take().unwrap_or_else(|| (from.clone(), 0));
        add(&status, event.at_ms.saturating_sub(since));
        open = Some((to.clone(), event.at_ms));
    }
    let words = status::words(&path.dialect);
    out.retain(|(status, ms)| *ms > 0 && !status::is_done(words, status));
    out
}

fn is_of(event: &Event, path: &ElementPath) -> bool {
    matches!(&event.body, EventBody::ElementStatus { path: changed, .. } if changed == path)
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
    use planarium_protocol::event::Importance;

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
    fn a_chain_goes_back_to_its_first_cause() {
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
        log.extend(events);
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
                log_now.extend([event]);
                index.update(&log_now, &filter);
            }
            assert_eq!(index.shown, want, "{filter:?}");
            assert_eq!(index.shown_to(2), want.iter().filter(|at| **at < 2).count());
            let mut other = EventLog::of((1, 2));
            other.extend(log().into_iter().take(2));
            index.update(&other, &filter);
            assert!(index.shown.iter().all(|at| *at < 2), "another branch starts over");
        }
    }
}
