//! When each step had which status, and when somebody did something: the data under the timeline.
//!
//! *Knows*: status events and markers. *Must not know*: pixels, the cursor.

use super::ptr::Ptr;
use super::machine_lanes::MachineLanes;
use planarium_protocol::event::{ElementPath, EventBody, Importance};
use planarium_protocol::{Event, Text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A step took another status.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// When.
    pub(crate) at_ms: u64,
    /// Which event says so.
    pub(crate) seq: u64,
    /// The new status.
    pub(crate) status: Text,
}

/// One step over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lane {
    /// Which step.
    pub(crate) path: ElementPath,
    /// Status before the first change.
    pub(crate) first: Text,
    /// Since when it exists.
    pub(crate) born_ms: u64,
    /// Since when it no longer exists.
    pub(crate) gone_ms: Option<u64>,
    /// Changes in order.
    pub(crate) changes: Vec<Change>,
}

/// Why a moment is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// Somebody did something.
    Command,
    /// It was turned down.
    Refused,
    /// A failure was injected or a machine went.
    Fault,
    /// Narration.
    Note,
}

/// A marked moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    /// When.
    pub(crate) at_ms: u64,
    /// Which event.
    pub(crate) seq: u64,
    /// Why.
    pub(crate) kind: MarkKind,
    /// In words.
    pub(crate) text: Text,
}

/// A stretch of one status.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    /// From when.
    pub(crate) from_ms: u64,
    /// To when, exclusive.
    pub(crate) to_ms: u64,
    /// The status.
    pub(crate) status: Text,
}

/// The data under the timeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gantt {
    lanes: Vec<Arc<Lane>>,
    index: BTreeMap<ElementPath, usize>,
    /// By dialect and name.
    born: BTreeMap<(Text, Text), u64>,
    /// The same by machine.
    pub(crate) machines: MachineLanes,
    /// Marked moments in order.
    pub(crate) marks: Vec<Mark>,
    /// Sequence numbers and instants of all status changes of steps, phases and plans.
    pub(crate) status_seqs: Vec<(u64, u64)>,
}

impl Lane {
    /// The stretches up to `end_ms`.
    pub(crate) fn segments(&self, end_ms: u64) -> Vec<Segment> {
        let end_ms = self.gone_ms.map_or(end_ms, |gone| gone.min(end_ms));
        let mut out = Vec::with_capacity(self.changes.len() + 1);
        let (mut from_ms, mut status) = (self.born_ms, &self.first);
        for change in &self.changes {
            if change.at_ms > from_ms {
                out.push(Segment { from_ms, to_ms: change.at_ms, status: Arc::clone(status) });
            }
            (from_ms, status) = (change.at_ms, &change.status);
        }
        if end_ms >= from_ms {
            out.push(Segment { from_ms, to_ms: end_ms, status: Arc::clone(status) });
        }
        out
    }
}

impl Gantt {
    /// Takes in events that follow those already taken in.
    pub(crate) fn extend(&mut self, events: &[Event]) {
        for event in events {
            self.machines.take(event);
            self.take(event);
        }
    }

    /// The lane of a step.
    pub(crate) fn lane(&self, path: &ElementPath) -> Option<Ptr<Lane>> {
        self.index.get(path).and_then(|at| self.lanes.get(*at)).map(Ptr::from)
    }

    /// All lanes in order of first appearance.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = &Arc<Lane>> {
        self.lanes.iter()
    }

    /// When the service of a path was loaded.
    pub(crate) fn born(&self, path: &ElementPath) -> u64 {
        let key = (path.dialect.clone(), path.service.clone());
        self.born.get(&key).copied().unwrap_or(0)
    }

    /// The last status change before event `seq`.
    pub(crate) fn status_before(&self, seq: u64) -> Option<u64> {
        self.status_seqs.iter().rev().map(|(at, _)| *at).find(|at| *at < seq)
    }

    fn take(&mut self, event: &Event) {
        let at_ms = event.at_ms;
        let mut mark = |kind, text: Text| self.marks.push(Mark { at_ms, seq: event.seq, kind, text });
        match &event.body {
            EventBody::ServiceLoaded { service, dialect } => {
                self.born.entry((Arc::clone(dialect), Arc::clone(service))).or_insert(at_ms);
            }
            EventBody::ElementStatus { path, from, to } => {
                self.status_seqs.push((event.seq, at_ms));
                if path.step.is_some() {
                    self.change(path, from, Change { at_ms, seq: event.seq, status: Arc::clone(to) });
                }
            }
            EventBody::ServiceRemoved { service } => self.removed(service, at_ms),
            EventBody::PhaseChanged { path, change } if &**change != "added" => {
                for lane in &mut self.lanes {
                    let same = same_service(&lane.path, path)
                        && lane.path.plan == path.plan
                        && lane.path.phase == path.phase;
                    if same && lane.gone_ms.is_none() {
                        Arc::make_mut(lane).gone_ms = Some(at_ms);
                    }
                }
            }
            EventBody::InputApplied { text, .. } => mark(MarkKind::Command, Arc::clone(&text.0)),
            EventBody::Rejected { reason, .. } => mark(MarkKind::Refused, Arc::clone(&reason.0)),
            EventBody::FaultInjected { text, .. } => mark(MarkKind::Fault, Arc::clone(&text.0)),
            body @ EventBody::MachineLost { .. } => mark(MarkKind::Fault, body.sentence().into()),
            EventBody::Happened { text, importance: Importance::High, .. } => {
                mark(MarkKind::Note, Arc::clone(&text.0));
            }
            _ => {}
        }
    }

    /// Ends the lanes of a service that is gone. Its event does not say the dialect: where services of several dialects
    /// have the name, the view alone tells which of them is left.
    fn removed(&mut self, service: &Text, at_ms: u64) {
        let mut own = self.lanes.iter().filter(|lane| lane.path.service == *service);
        let first = own.next().map(|lane| lane.path.dialect.clone());
        if own.any(|lane| Some(&lane.path.dialect) != first.as_ref()) {
            return;
        }
        for lane in self.lanes.iter_mut().filter(|lane| lane.path.service == *service) {
            Arc::make_mut(lane).gone_ms.get_or_insert(at_ms);
        }
    }

    fn change(&mut self, path: &ElementPath, from: &Text, change: Change) {
        let known = self.index.get(path).copied();
        if let Some(lane) = known.and_then(|at| self.lanes.get_mut(at)) {
            let lane = Arc::make_mut(lane);
            lane.gone_ms = None;
            lane.changes.push(change);
            return;
        }
        let born_ms = if from.is_empty() { change.at_ms } else { self.born(path) };
        self.index.insert(path.clone(), self.lanes.len());
        self.lanes.push(Arc::new(Lane {
            path: path.clone(),
            first: Arc::clone(from),
            born_ms,
            gone_ms: None,
            changes: vec![change],
        }));
    }
}

/// Whether two paths lead into one service.
pub(crate) fn same_service(a: &ElementPath, b: &ElementPath) -> bool {
    a.service == b.service && a.dialect == b.dialect
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;

    fn path() -> ElementPath {
        ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: Some("p".into()),
            step: Some("a".into()),
        }
    }

    fn events(bodies: Vec<(u64, EventBody)>) -> Vec<Event> {
        (1..)
            .zip(bodies)
            .map(|(seq, (at_ms, body))| Event { seq, at_ms, cause: Cause::Genesis, body })
            .collect()
    }

    fn status(from: &str, to: &str) -> EventBody {
        EventBody::ElementStatus { path: path(), from: from.into(), to: to.into() }
    }

    #[test]
    fn cuts_a_lane_into_stretches() {
        let mut gantt = Gantt::default();
        gantt.extend(&events(vec![
            (5, EventBody::ServiceLoaded { service: "s".into(), dialect: "".into() }),
            (10, status("PENDING", "STARTING")),
            (10, status("STARTING", "STARTED")),
            (40, status("STARTED", "COMPLETE")),
            (
                50,
                EventBody::FaultInjected { fault: "f".into(), what: "task-fail".into(), text: "boom".into() },
            ),
        ]));
        let lane = gantt.lane(&path()).expect("a lane");
        let cut: Vec<_> =
            lane.segments(60).into_iter().map(|s| (s.from_ms, s.to_ms, s.status.to_string())).collect();
        let want = [(5, 10, "PENDING"), (10, 40, "STARTED"), (40, 60, "COMPLETE")];
        assert_eq!(cut, want.map(|(from, to, status)| (from, to, status.to_owned())));
        assert_eq!(
            gantt.marks.iter().map(|m| (m.at_ms, m.kind)).collect::<Vec<_>>(),
            [(50, MarkKind::Fault)]
        );
        for (seq, want) in [(1, None), (2, None), (3, Some(2)), (4, Some(3)), (9, Some(4))] {
            assert_eq!(gantt.status_before(seq), want, "before {seq}");
        }
    }

    #[test]
    fn a_removed_service_ends_its_lanes() {
        let mut gantt = Gantt::default();
        gantt.extend(&events(vec![
            (10, status("PENDING", "STARTING")),
            (40, EventBody::ServiceRemoved { service: "s".into() }),
        ]));
        assert_eq!(gantt.lane(&path()).and_then(|lane| lane.gone_ms), Some(40));
    }

    #[test]
    fn a_removed_phase_ends_its_lanes() {
        let mut gantt = Gantt::default();
        let phase = ElementPath { step: None, ..path() };
        gantt.extend(&events(vec![
            (10, status("PENDING", "STARTING")),
            (30, EventBody::PhaseChanged { path: phase, change: "removed".into() }),
        ]));
        let lane = gantt.lane(&path()).expect("a lane");
        assert_eq!(lane.segments(60).last().map(|s| s.to_ms), Some(30));
    }

    #[test]
    fn services_of_one_name_in_two_systems_have_lanes_of_their_own() {
        let of = |dialect: &str, to: &str| {
            let path = ElementPath { dialect: dialect.into(), ..path() };
            EventBody::ElementStatus { path, from: "PENDING".into(), to: to.into() }
        };
        let loaded =
            |dialect: &str| EventBody::ServiceLoaded { service: "s".into(), dialect: dialect.into() };
        let mut gantt = Gantt::default();
        let said = vec![
            (1, loaded("one")),
            (5, loaded("two")),
            (10, of("one", "STARTING")),
            (20, of("two", "COMPLETE")),
        ];
        gantt.extend(&events(said));
        let cut = |dialect: &str| {
            let lane = gantt.lane(&ElementPath { dialect: dialect.into(), ..path() }).expect("a lane");
            lane.segments(30).iter().map(|s| (s.from_ms, s.status.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(cut("one"), [(1, "PENDING".into()), (10, "STARTING".into())]);
        assert_eq!(cut("two"), [(5, "PENDING".into()), (20, "COMPLETE".into())]);
    }
}
