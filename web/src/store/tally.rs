//! What a run amounts to in numbers: the data under a comparison.
//!
//! *Knows*: events of tasks, plans and operators. *Must not know*: which run is the better one.

use super::selectors::status::{entry, is_done, words};
use planarium_kernel::SortedSet;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};

/// Numbers of a run, kept as its events come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Events taken in.
    pub(crate) taken: usize,
    /// When the first plan of the first service was complete for the last time.
    pub(crate) done_ms: Option<u64>,
    /// How many tasks ran from when on.
    pub(crate) running: Vec<(u64, u32)>,
    /// Most tasks missing of those that had been running together.
    pub(crate) short: u32,
    /// For how long some were missing, in task-milliseconds.
    pub(crate) short_ms: u64,
    /// Tasks launched.
    pub(crate) launched: u32,
    /// Tasks that failed or were lost.
    pub(crate) failed: u32,
    /// Plan and pod commands.
    pub(crate) commands: u32,
    alive: SortedSet<Text>,
    peak: u32,
    at_ms: u64,
    plan: Option<ElementPath>,
}

impl Tally {
    /// Takes in what was not taken in yet.
    pub(crate) fn follow(&mut self, plan: Option<&ElementPath>, events: &[Event]) {
        if self.plan.as_ref() != plan {
            *self = Self { plan: plan.cloned(), ..Self::default() };
        }
        for event in events.get(self.taken..).unwrap_or_default() {
            self.take(event);
        }
        self.taken = events.len();
    }

    fn take(&mut self, event: &Event) {
        match &event.body {
            EventBody::TaskStatus { task_id, state, .. } => {
                match entry(&[], state).class {
                    StatusClass::Running => {
                        self.alive.insert(task_id.clone());
                    }
                    class @ (StatusClass::Failed | StatusClass::Done | StatusClass::Stopped) => {
                        self.alive.remove(task_id);
                        self.failed += u32::from(class == StatusClass::Failed);
                    }
                    _ => {}
                }
                self.count(event.at_ms);
            }
            EventBody::ElementStatus { path, to, .. } if Some(path) == self.plan.as_ref() => {
                self.done_ms = is_done(words(&path.dialect), to).then_some(event.at_ms);
            }
            EventBody::Launched { .. } => self.launched += 1,
            EventBody::PlanCommanded { .. } | EventBody::PodCommanded { .. } => self.commands += 1,
            _ => {}
        }
    }

    fn count(&mut self, at_ms: u64) {
        let now = u32::try_from(self.alive.len()).unwrap_or(u32::MAX);
        let before = self.running.last().map_or(0, |(_, count)| *count);
        if now == before {
            return;
        }
        self.short_ms += u64::from(self.peak.saturating_sub(before)) * (at_ms - self.at_ms);
        self.at_ms = at_ms;
        self.peak = self.peak.max(now);
        self.short = self.short.max(self.peak - now);
        match self.running.last_mut() {
            Some((at, count)) if *at == at_ms => *count = now,
            _ => self.running.push((at_ms, now)),
        }
    }

    /// For how long some tasks were missing up to an instant, in task-milliseconds.
    pub(crate) fn short_until(&self, ms: u64) -> u64 {
        let now = self.running.last().map_or(0, |(_, count)| *count);
        self.short_ms + u64::from(self.peak.saturating_sub(now)) * ms.saturating_sub(self.at_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;

    #[test]
    fn counts_what_ran_and_what_was_missing() {
        let task = |at_ms, id: &str, state: &str| {
            let body = EventBody::TaskStatus {
                framework: "s".into(),
                task: id.into(),
                task_id: id.into(),
                state: state.into(),
                reason: "".into(),
                message: "".into(),
                healthy: None,
                readiness_exit: None,
            };
            Event { seq: at_ms, at_ms, cause: Cause::Genesis, body }
        };
        let events = [
            task(1000, "a", "TASK_STAGING"),
            task(2000, "a", "TASK_RUNNING"),
            task(3000, "b", "TASK_RUNNING"),
            task(5000, "a", "TASK_FAILED"),
            task(9000, "a2", "TASK_RUNNING"),
            task(9500, "b", "TASK_KILLED"),
        ];
        let mut tally = Tally::default();
        tally.follow(None, &events[..4]);
        tally.follow(None, &events);
        assert_eq!(tally.running, [(2000, 1), (3000, 2), (5000, 1), (9000, 2), (9500, 1)]);
        assert_eq!((tally.short, tally.short_ms, tally.failed), (1, 4000, 1));
        assert_eq!(tally.short_until(10_000), 4500, "b is still missing");
    }
}
