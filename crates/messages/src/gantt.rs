//! The data of the timeline: the statuses of each step over time, and user actions.
//!
//! *Knows*: status events and markers. *Must not know*: pixels, the cursor.

use crate::event_log::EventLog;
use crate::lane::Lane;
use crate::machine_lanes::MachineLanes;
use crate::ptr::Ptr;
use crate::statuses::ClassOf;
use planarium_protocol::event::{ElementPath, EventBody, Importance};
use planarium_protocol::json::Read;
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shortest stretch without changes that counts as idle. *Units*: virtual milliseconds.
pub const LONG_MS: u64 = 10_000;
/// Length of a stretch without changes that is drawn in full while a step is at work. *Units*: virtual milliseconds.
const WORK_MS: u64 = 120_000;
/// Marks that are kept at least.
const MARKS: usize = 1000;

/// Why a moment is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum MarkKind {
    /// A user action.
    Command,
    /// It was turned down.
    Refused,
    /// A failure was injected or a machine was lost.
    Fault,
    /// Narration.
    Note,
}

/// A marked moment.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Mark {
    /// When.
    pub at_ms: u64,
    /// Which event.
    pub seq: u64,
    /// Why.
    pub kind: MarkKind,
    /// In words.
    pub text: Text,
}

/// The data of the timeline. Copies share unchanged parts.
#[derive(Clone, Debug, Default)]
pub struct Gantt {
    pub(crate) lanes: Vec<Arc<Lane>>,
    pub(crate) index: Arc<BTreeMap<ElementPath, usize>>,
    /// Instants from which services (no plan), phases and reported steps exist.
    pub(crate) born: Arc<BTreeMap<ElementPath, u64>>,
    /// The same by machine.
    pub machines: MachineLanes,
    /// Marked moments in order; limited to the last ones.
    pub marks: Vec<Mark>,
    /// Stretches of more than [`LONG_MS`] without a status change or user action. One in which a step was at work begins after the
    /// two minutes that are drawn in full.
    pub quiet: Vec<(u64, u64)>,
    /// When something changed last.
    pub busy_ms: u64,
    /// Detailed lanes of older events at the cursor, with their first and last instant.
    pub(crate) detail: Option<(u64, u64, Arc<Gantt>)>,
}

impl Gantt {
    /// Adds the events that follow.
    pub fn extend(&mut self, events: &[Event], class_of: ClassOf) {
        for event in events {
            self.machines.take(event, class_of);
            self.take(event, class_of);
        }
        if self.marks.len() > 2 * MARKS {
            self.marks.drain(..MARKS);
        }
    }

    /// The lane of a phase or step.
    pub fn lane(&self, path: &ElementPath) -> Option<Ptr<Lane>> {
        self.index.get(path).and_then(|at| self.lanes.get(*at)).map(Ptr::from)
    }

    /// Keeps the details of the listed events, which the lanes may have reduced to counts.
    pub fn look_at(&mut self, log: &EventLog, class_of: ClassOf) {
        let kept = log.kept();
        let ends = log.get(kept.start).zip(kept.end.checked_sub(1).and_then(|last| log.get(last)));
        self.detail = ends.filter(|_| kept.end < log.len()).map(|(first, last)| {
            let mut detail = Self::default();
            log.from(0).for_each(|event| detail.extend(std::slice::from_ref(event), class_of));
            (first.at_ms, last.at_ms, Arc::new(detail))
        });
    }

    /// Returns details of the old part of a lane, with its first and last instant.
    pub fn detail(&self, lane: &Lane) -> Option<(u64, u64, Ptr<Lane>)> {
        let (from_ms, to_ms, detail) = self.detail.as_ref().filter(|it| it.0 < lane.kept_from_ms())?;
        let known = if lane.path.plan.is_empty() {
            detail.machines.lane(&lane.path)
        } else {
            detail.lane(&lane.path)
        };
        Some((*from_ms, *to_ms, known?))
    }

    /// The lanes of all steps in order of first appearance.
    pub fn lanes(&self) -> impl Iterator<Item = &Arc<Lane>> {
        self.lanes.iter().filter(|lane| lane.path.step.is_some())
    }

    /// Returns the lanes of steps that came after this many lanes.
    pub fn lanes_after(&self, count: usize) -> impl Iterator<Item = &Arc<Lane>> {
        self.lanes.iter().skip(count).filter(|lane| lane.path.step.is_some())
    }

    /// Returns the number of lanes.
    pub fn count(&self) -> usize {
        self.lanes.len()
    }

    /// Returns the instant from which an element exists: its own if it was reported, otherwise that of its phase or
    /// service.
    pub fn born(&self, path: &ElementPath) -> u64 {
        let phase = ElementPath { step: None, ..path.clone() };
        let service = service(&path.dialect, &path.service);
        [path, &phase, &service].into_iter().find_map(|it| self.born.get(it)).copied().unwrap_or(0)
    }

    /// Sets the steps of a service from an instant on. New steps begin now; missing ones end.
    pub fn stand(&mut self, at_ms: u64, of: &ElementPath, steps: &BTreeMap<ElementPath, Text>) {
        for lane in &mut self.lanes {
            let gone =
                lane.path.step.is_some() && same_service(&lane.path, of) && !steps.contains_key(&lane.path);
            if gone && lane.exists() {
                Arc::make_mut(lane).change(at_ms, "".into());
            }
        }
        let whole = |path: &ElementPath| ElementPath { step: None, ..path.clone() };
        // A reported phase came with its first steps.
        let told = |path: &ElementPath| {
            let phase = whole(path);
            let known = |_: &u64| self.born.keys().any(|it| it.step.is_some() && whole(it) == phase);
            self.born.get(&phase).copied().filter(|ms| !known(ms)).unwrap_or(at_ms)
        };
        let unknown = steps.keys().filter(|path| !self.born.contains_key(*path));
        let fresh: Vec<_> = unknown.map(|path| (path.clone(), told(path))).collect();
        let known = self.born.keys().filter(|path| same_service(path, of) && path.step.is_some());
        let gone: Vec<_> = known.filter(|path| !steps.contains_key(*path)).cloned().collect();
        if !fresh.is_empty() || !gone.is_empty() {
            let born = Arc::make_mut(&mut self.born);
            born.retain(|path, _| !gone.contains(path));
            born.extend(fresh);
        }
    }

    /// Returns the instant from which the stretch since the last change is idle: at once if no step is at work.
    pub fn idle_from_ms(&self, class_of: ClassOf) -> u64 {
        let works = |status: &Text, lane: &Lane| {
            matches!(
                class_of(&lane.path.dialect, status),
                StatusClass::Starting | StatusClass::Working | StatusClass::Started | StatusClass::Stopping
            )
        };
        let at_work = self.lanes().any(|lane| lane.status().is_some_and(|status| works(status, lane)));
        self.busy_ms + if at_work { WORK_MS } else { 0 }
    }

    fn take(&mut self, event: &Event, class_of: ClassOf) {
        let at_ms = event.at_ms;
        if at_ms - self.busy_ms > LONG_MS && is_change(&event.body) {
            let from_ms = self.idle_from_ms(class_of);
            if at_ms > from_ms + LONG_MS {
                self.quiet.push((from_ms, at_ms));
            }
        }
        let mut mark = |kind, text: Text| self.marks.push(Mark { at_ms, seq: event.seq, kind, text });
        match &event.body {
            EventBody::ServiceLoaded { service: name, dialect } => {
                Arc::make_mut(&mut self.born).entry(service(dialect, name)).or_insert(at_ms);
            }
            EventBody::ElementStatus { path, from, to } if path.phase.is_some() => {
                self.change(path, from, at_ms, to);
            }
            EventBody::ServiceRemoved { service: name, dialect } => {
                self.removed(&service(&dialect.0, name), at_ms);
            }
            EventBody::PhaseChanged { path, change } => {
                self.phase(path, at_ms, &**change == "removed");
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
        if is_change(&event.body) {
            self.busy_ms = at_ms;
        }
    }

    /// Adds a phase, replacing one with the same name, or removes it. Its steps follow.
    fn phase(&mut self, path: &ElementPath, at_ms: u64, gone: bool) {
        let within =
            |it: &ElementPath| same_service(it, path) && it.plan == path.plan && it.phase == path.phase;
        // A phase precedes its steps in path order.
        let lanes =
            self.index.range::<ElementPath, _>(path..).take_while(|(it, _)| within(it)).map(|(_, at)| *at);
        for at in lanes {
            if let Some(lane) = self.lanes.get_mut(at).filter(|lane| lane.exists()) {
                Arc::make_mut(lane).change(at_ms, "".into());
            }
        }
        let known = self
            .born
            .range::<ElementPath, _>(path..)
            .take_while(|(it, _)| within(it))
            .map(|(it, _)| it.clone());
        let known: Vec<_> = known.collect();
        let born = Arc::make_mut(&mut self.born);
        for it in known {
            born.remove(&it);
        }
        if !gone {
            born.insert(path.clone(), at_ms);
        }
    }

    /// Ends the lanes of a removed service.
    fn removed(&mut self, gone: &ElementPath, at_ms: u64) {
        for lane in self.lanes.iter_mut().filter(|lane| same_service(&lane.path, gone)) {
            Arc::make_mut(lane).change(at_ms, "".into());
        }
        Arc::make_mut(&mut self.born).retain(|path, _| !same_service(path, gone));
    }

    fn change(&mut self, path: &ElementPath, from: &Text, at_ms: u64, to: &Text) {
        let born_ms = if from.is_empty() { at_ms } else { self.born(path) };
        let at = match self.index.get(path) {
            Some(at) => *at,
            None => {
                Arc::make_mut(&mut self.index).insert(path.clone(), self.lanes.len());
                self.lanes.push(Arc::new(Lane::of(path.clone())));
                self.lanes.len() - 1
            }
        };
        let Some(lane) = self.lanes.get_mut(at).map(Arc::make_mut) else { return };
        if !lane.exists() {
            lane.change(born_ms.max(lane.ended_ms()), Arc::clone(from));
        }
        lane.change(at_ms, Arc::clone(to));
    }
}

/// Returns whether an event is a status change or is marked: it ends a stretch without changes.
fn is_change(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::ElementStatus { .. }
            | EventBody::PhaseChanged { .. }
            | EventBody::InputApplied { .. }
            | EventBody::Rejected { .. }
            | EventBody::FaultInjected { .. }
            | EventBody::MachineLost { .. }
            | EventBody::Happened { importance: Importance::High, .. }
    )
}

/// The path of a service.
fn service(dialect: &Text, name: &Text) -> ElementPath {
    let (dialect, service) = (dialect.clone(), name.clone());
    ElementPath { dialect, service, plan: "".into(), phase: None, step: None }
}

/// Returns whether two paths belong to one service.
pub fn same_service(a: &ElementPath, b: &ElementPath) -> bool {
    a.service == b.service && a.dialect == b.dialect
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::tests::class_of;
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

    fn cut(gantt: &Gantt, path: &ElementPath, end_ms: u64) -> Vec<(u64, u64, String)> {
        let lane = gantt.lane(path).expect("a lane");
        lane.segments(end_ms).into_iter().map(|s| (s.from_ms, s.to_ms, s.status.to_string())).collect()
    }

    #[test]
    fn cuts_a_lane_into_stretches() {
        let mut gantt = Gantt::default();
        gantt.extend(
            &events(vec![
                (5, EventBody::ServiceLoaded { service: "s".into(), dialect: "".into() }),
                (10, status("PENDING", "STARTING")),
                (10, status("STARTING", "STARTED")),
                (40, status("STARTED", "COMPLETE")),
                (
                    50,
                    EventBody::FaultInjected {
                        fault: "f".into(),
                        what: "task-fail".into(),
                        text: "boom".into(),
                    },
                ),
            ]),
            class_of,
        );
        let lane = gantt.lane(&path()).expect("a lane");
        let cut: Vec<_> =
            lane.segments(60).into_iter().map(|s| (s.from_ms, s.to_ms, s.status.to_string())).collect();
        let want = [(5, 10, "PENDING"), (10, 40, "STARTED"), (40, 60, "COMPLETE")];
        assert_eq!(cut, want.map(|(from, to, status)| (from, to, status.to_owned())));
        assert_eq!(
            gantt.marks.iter().map(|m| (m.at_ms, m.kind)).collect::<Vec<_>>(),
            [(50, MarkKind::Fault)]
        );
    }

    #[test]
    fn time_in_which_a_step_is_at_work_is_not_idle() {
        let said = |to_ms| {
            let mut gantt = Gantt::default();
            gantt.extend(
                &events(vec![
                    (1_000, status("PENDING", "STARTING")),
                    (to_ms, status("STARTING", "COMPLETE")),
                    (to_ms + 20_000, status("COMPLETE", "PENDING")),
                ]),
                class_of,
            );
            gantt
        };
        // Twenty seconds of work are drawn in full, and the same time after it is idle.
        assert_eq!(said(21_000).quiet, [(21_000, 41_000)]);
        // Of an hour of work the first two minutes are.
        assert_eq!(said(3_600_000).quiet, [(121_000, 3_600_000), (3_600_000, 3_620_000)]);
        let mut works = Gantt::default();
        works.extend(&events(vec![(1_000, status("PENDING", "STARTING"))]), class_of);
        assert_eq!(works.idle_from_ms(class_of), 121_000);
        assert_eq!(said(21_000).idle_from_ms(class_of), 41_000);
    }

    #[test]
    fn a_removed_service_ends_its_lanes() {
        let mut gantt = Gantt::default();
        let gone = |dialect: &str| EventBody::ServiceRemoved { service: "s".into(), dialect: dialect.into() };
        gantt.extend(
            &events(vec![(10, status("PENDING", "STARTING")), (30, gone("other")), (40, gone(""))]),
            class_of,
        );
        assert_eq!(
            cut(&gantt, &path(), 90).last().map(|s| s.1),
            Some(40),
            "another dialect's service has the name too"
        );
    }

    #[test]
    fn a_removed_phase_ends_its_lanes() {
        let mut gantt = Gantt::default();
        let phase = ElementPath { step: None, ..path() };
        gantt.extend(
            &events(vec![
                (10, status("PENDING", "STARTING")),
                (30, EventBody::PhaseChanged { path: phase, change: "removed".into() }),
            ]),
            class_of,
        );
        assert_eq!(cut(&gantt, &path(), 60).last().map(|s| s.1), Some(30));
    }

    #[test]
    fn later_events_are_not_visible_earlier() {
        let phase = ElementPath { step: None, ..path() };
        let told = |change: &str| EventBody::PhaseChanged { path: phase.clone(), change: change.into() };
        let mut gantt = Gantt::default();
        gantt.extend(
            &events(vec![
                (1, EventBody::ServiceLoaded { service: "s".into(), dialect: "".into() }),
                (20, told("added")),
                (22, status("PENDING", "COMPLETE")),
                (40, told("replaced")),
                (45, status("PENDING", "COMPLETE")),
            ]),
            class_of,
        );
        let word = |from, to, status: &str| (from, to, status.to_owned());
        let twice = [
            word(20, 22, "PENDING"),
            word(22, 40, "COMPLETE"),
            word(40, 45, "PENDING"),
            word(45, 60, "COMPLETE"),
        ];
        assert_eq!(cut(&gantt, &path(), 60), twice);
        // An update added one step and removed another.
        let grown = ElementPath { step: Some("b".into()), ..path() };
        let stands =
            |paths: &[&ElementPath]| paths.iter().map(|it| ((*it).clone(), "PENDING".into())).collect();
        gantt.stand(1, &path(), &stands(&[&path()]));
        gantt.stand(70, &path(), &stands(&[&path(), &grown]));
        assert_eq!((gantt.born(&grown), gantt.born(&path())), (70, 40));
        let to =
            EventBody::ElementStatus { path: grown.clone(), from: "PENDING".into(), to: "COMPLETE".into() };
        gantt.extend(&[Event { seq: 9, at_ms: 75, cause: Cause::Genesis, body: to }], class_of);
        gantt.stand(80, &path(), &stands(&[&grown]));
        assert_eq!(cut(&gantt, &grown, 90), [word(70, 75, "PENDING"), word(75, 90, "COMPLETE")]);
        assert_eq!(cut(&gantt, &path(), 90).last().map(|s| s.1), Some(80));
    }

    #[test]
    fn services_with_equal_names_in_two_systems_have_separate_lanes() {
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
        gantt.extend(&events(said), class_of);
        let cut = |dialect: &str| {
            let lane = gantt.lane(&ElementPath { dialect: dialect.into(), ..path() }).expect("a lane");
            lane.segments(30).iter().map(|s| (s.from_ms, s.status.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(cut("one"), [(1, "PENDING".into()), (10, "STARTING".into())]);
        assert_eq!(cut("two"), [(5, "PENDING".into()), (20, "COMPLETE".into())]);
    }
}
