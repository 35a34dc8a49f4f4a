//! Arrows of cause between lanes: the chain of causes of an event as far as its events are changes in lanes.
//!
//! *Knows*: which event changes which lane. *Must not know*: pixels.

use crate::store::events::EventLog;
use crate::store::selectors::log;
use crate::store::state::{State, Tab};
use crate::store::ways_out::WaysOut;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::{Event, Text, Why};

/// Most arrows that are drawn: those nearest to the event.
const MOST: usize = 12;
/// Events of a chain that are looked at.
const FOLLOWED: usize = 200;

/// A place among the lanes: row and instant.
pub(crate) type Stop = (usize, u64);

/// An arrow from a cause to its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// The cause.
    pub(crate) from: Stop,
    /// The effect.
    pub(crate) to: Stop,
}

/// Returns the arrows of a chain, effects first, between lanes; rows without a lane have no path. `of_task` finds the lane of
/// a task. An event that changes no lane is passed over: the one before it in the chain points to the one after it.
pub(crate) fn arrows(
    chain: &[&Event],
    lanes: &[Option<&ElementPath>],
    of_task: impl Fn(&Text) -> Option<ElementPath>,
) -> Vec<Arrow> {
    let row = |path: &ElementPath| lanes.iter().position(|lane| *lane == Some(path));
    let stops = chain.iter().take(FOLLOWED).filter_map(|event| {
        let path = match &event.body {
            EventBody::ElementStatus { path, .. } if path.step.is_some() => path.clone(),
            EventBody::Launched { task, .. }
            | EventBody::TaskStatus { task, .. }
            | EventBody::KillRequested { task, .. }
            | EventBody::Check { task, .. } => of_task(task)?,
            _ => return None,
        };
        // The steps of a folded phase are in its lane.
        let at = row(&path).or_else(|| row(&ElementPath { step: None, ..path.clone() }))?;
        Some((at, event.at_ms))
    });
    let stops: Vec<Stop> = stops.collect();
    let links = stops.iter().zip(stops.iter().skip(1));
    let between = links.filter(|(to, from)| to.0 != from.0);
    between.map(|(to, from)| Arrow { from: *from, to: *to }).take(MOST).collect()
}

/// Returns the selected event: in the log the one at the cursor, otherwise the first cause of the explanation shown.
pub(crate) fn selected(state: &State) -> Option<u64> {
    let seq = state.world.clock.seq;
    match state.ui.tab {
        Tab::Log => Some(seq),
        _ => cause_of(state.why.as_deref()?, &state.help, &state.world.log, seq),
    }
}

/// The event that an explanation goes back from: that of the element that holds it up in the end.
pub(crate) fn cause_of(why: &Why, help: &WaysOut, events: &EventLog, seq: u64) -> Option<u64> {
    let deepest = help.selected().map_or(why, |held| &*held.why);
    let named = deepest.reasons.iter().find_map(|reason| reason.event);
    named.or_else(|| log::origin(events, &deepest.path, seq))
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;

    fn path(phase: &str, step: Option<&str>) -> ElementPath {
        ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: Some(phase.into()),
            step: step.map(Into::into),
        }
    }

    fn event(seq: u64, body: EventBody) -> Event {
        Event { seq, at_ms: seq * 1000, cause: Cause::Event(seq - 1), body }
    }

    fn status(seq: u64, path: ElementPath) -> Event {
        event(seq, EventBody::ElementStatus { path, from: "A".into(), to: "B".into() })
    }

    #[test]
    fn arrows_lead_from_lane_to_lane_over_events_without_a_lane() {
        let (a, b, c) = (path("p", Some("a")), path("p", Some("b")), path("q", Some("c")));
        let told = event(3, EventBody::Rejected { input: 1, code: "".into(), reason: "no".into() });
        let chain =
            [status(5, c.clone()), status(4, b.clone()), told, status(2, a.clone()), status(1, a.clone())];
        let chain: Vec<&Event> = chain.iter().collect();
        let phase = path("p", None);
        let lanes = [None, Some(&phase), Some(&a), Some(&b), None, Some(&c)];
        let arrow = |from, to| Arrow { from, to };
        let want = [arrow((3, 4000), (5, 5000)), arrow((2, 2000), (3, 4000))];
        assert_eq!(arrows(&chain, &lanes, |_| None), want, "none within a lane");
        // Folded: both steps of the phase are in its lane.
        assert_eq!(arrows(&chain, &[Some(&phase), Some(&c)], |_| None), [arrow((0, 4000), (1, 5000))]);
        assert!(arrows(&chain, &[Some(&c)], |_| None).is_empty(), "what has no lane has no arrow");
        assert!(arrows(&[], &lanes, |_| None).is_empty());
    }

    #[test]
    fn events_of_a_task_are_in_the_lane_of_its_step() {
        let (a, b) = (path("p", Some("a")), path("p", Some("b")));
        let launched = |seq, task: &str| {
            let (framework, agent, task_id) = ("s".into(), "m".into(), "t".into());
            event(seq, EventBody::Launched { framework, agent, task: task.into(), task_id })
        };
        let chain = [status(3, b.clone()), launched(2, "a-task"), launched(1, "unknown")];
        let chain: Vec<&Event> = chain.iter().collect();
        let of_task = |task: &Text| (&**task == "a-task").then(|| a.clone());
        let drawn = arrows(&chain, &[Some(&a), Some(&b)], of_task);
        assert_eq!(drawn, [Arrow { from: (0, 2000), to: (1, 3000) }]);
    }

    #[test]
    fn a_long_chain_keeps_the_arrows_next_to_the_event() {
        let (a, b) = (path("p", Some("a")), path("p", Some("b")));
        let chain: Vec<Event> = (1..=100_u64)
            .rev()
            .map(|seq| status(seq, if seq % 2 == 0 { a.clone() } else { b.clone() }))
            .collect();
        let chain: Vec<&Event> = chain.iter().collect();
        let drawn = arrows(&chain, &[Some(&a), Some(&b)], |_| None);
        assert_eq!((drawn.len(), drawn.first().map(|arrow| arrow.to)), (MOST, Some((0, 100_000))));
    }
}
