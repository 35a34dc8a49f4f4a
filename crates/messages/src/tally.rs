//! Totals of a run, for comparisons.
//!
//! *Knows*: events of tasks, pods, containers, plans and operators. *Must not know*: which run is better.

use crate::lives::{Lives, News};
use crate::statuses::ClassOf;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::json::Read;
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};
use serde::Serialize;

/// Totals of a run, updated with each event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Tally {
    /// When the first plan of the first service was last completed; see [`Tally::of`].
    pub done_ms: Option<u64>,
    /// Number of running tasks, pods and containers over time. In long runs every second change is dropped, repeatedly.
    pub running: Vec<(u64, u32)>,
    /// Maximum number of missing tasks, measured from the maximum that ran.
    pub short: u32,
    /// Total time in which tasks were missing. *Units*: task-milliseconds.
    pub short_ms: u64,
    /// Tasks launched.
    pub launched: u32,
    /// Tasks that failed or were lost.
    pub failed: u32,
    /// Plan and pod commands.
    pub commands: u32,
    /// The same without those that ended by themselves, such as tasks that run once: they are missing nowhere.
    #[serde(skip)]
    pub lasting: Vec<(u64, u32)>,
    /// Running processes, each with its beginning.
    #[serde(skip)]
    alive: SortedMap<Text, u64>,
    /// Unreachable tasks, which may come back; they already count as ended.
    #[serde(skip)]
    unreachable: SortedSet<Text>,
    /// Pods and containers without task statuses.
    #[serde(skip)]
    lives: Lives,
    /// Most tasks that ran at once, without those of them that have ended by themselves since.
    pub peak: u32,
    #[serde(skip)]
    peak_ms: u64,
    at_ms: u64,
    /// Number running now.
    now: u32,
    /// When each plan was last completed.
    #[serde(skip)]
    done: SortedMap<ElementPath, u64>,
    /// When each plan began its current or last run.
    #[serde(skip)]
    began: SortedMap<ElementPath, u64>,
    /// The last run of a plan that began another one: its beginning, its end, and when the other began.
    #[serde(skip)]
    before: SortedMap<ElementPath, (u64, u64, u64)>,
    /// When that plan began its current run; 0 for the first one. See [`Tally::of`].
    pub began_ms: u64,
}

/// State of a task whose agent is unreachable: the task may come back or end later.
const UNREACHABLE: &str = "TASK_UNREACHABLE";
/// Maximum number of kept changes of the task count.
const CHANGES: usize = 4096;

impl Tally {
    /// Returns these totals with `plan` as the main plan.
    pub fn of(&self, plan: Option<&ElementPath>) -> Self {
        let at = |times: &SortedMap<ElementPath, u64>| plan.and_then(|plan| times.get(plan)).copied();
        Self { done_ms: at(&self.done), began_ms: at(&self.began).unwrap_or(0), ..self.clone() }
    }

    /// Takes in the next event.
    pub fn take(&mut self, event: &Event, class_of: ClassOf) {
        match &event.body {
            EventBody::TaskStatus { task_id, state, .. } => {
                let mut finished = 0;
                match class_of("", state) {
                    StatusClass::Running => {
                        self.begin(task_id.clone(), event.at_ms);
                        self.unreachable.remove(task_id);
                    }
                    StatusClass::Done => {
                        finished = self.finish(task_id);
                        self.unreachable.remove(task_id);
                    }
                    class @ (StatusClass::Failed | StatusClass::Stopped) => {
                        self.alive.remove(task_id);
                        let counted = self.unreachable.remove(task_id);
                        self.failed += u32::from(class == StatusClass::Failed && !counted);
                        if **state == *UNREACHABLE {
                            self.unreachable.insert(task_id.clone());
                        }
                    }
                    _ => {}
                }
                self.count(event.at_ms, finished);
            }
            EventBody::ElementStatus { path, to, .. } if path.phase.is_none() && path.step.is_none() => {
                self.hear_plan(path, class_of(&path.dialect, to) == StatusClass::Done, event.at_ms);
            }
            EventBody::Launched { .. } => self.launched += 1,
            EventBody::PlanCommanded { .. } | EventBody::PodCommanded { .. } => self.commands += 1,
            _ => self.hear(event, class_of),
        }
    }

    /// A plan is done, or is not any more. One that is done again in the same instant had no other run.
    fn hear_plan(&mut self, path: &ElementPath, done: bool, at_ms: u64) {
        if done {
            let before = self.before.remove(path).filter(|(.., left_ms)| *left_ms == at_ms);
            let (began_ms, done_ms) = match before {
                Some((began_ms, done_ms, _)) => (Some(began_ms), done_ms),
                None => (None, at_ms),
            };
            self.began.extend(began_ms.map(|began_ms| (path.clone(), began_ms)));
            self.done.insert(path.clone(), done_ms);
        } else if let Some(done_ms) = self.done.remove(path) {
            let began_ms = self.began.insert(path.clone(), at_ms).unwrap_or_default();
            self.before.insert(path.clone(), (began_ms, done_ms, at_ms));
        }
    }

    /// Counts a change of a pod or container.
    fn hear(&mut self, event: &Event, class_of: ClassOf) {
        let mut finished = 0;
        for news in self.lives.hear(event, class_of) {
            match news {
                News::Placed => self.launched += 1,
                News::Runs(key) => self.begin(key, event.at_ms),
                News::Finished(key) => finished += self.finish(&key),
                News::Ended(key, failed) => {
                    let ran = self.alive.remove(&key).is_some();
                    self.failed += u32::from(failed && ran);
                }
            }
        }
        self.count(event.at_ms, finished);
    }

    fn begin(&mut self, key: Text, at_ms: u64) {
        self.alive.entry(key).or_insert(at_ms);
    }

    /// Something has ended by itself and is missing nowhere; returns the number by which the peak was higher for it.
    fn finish(&mut self, key: &Text) -> u32 {
        let Some(since) = self.alive.remove(key) else { return 0 };
        for (_, count) in self.lasting.iter_mut().rev().take_while(|(at, _)| *at >= since) {
            *count = count.saturating_sub(1);
        }
        u32::from(since <= self.peak_ms)
    }

    fn count(&mut self, at_ms: u64, finished: u32) {
        let now = u32::try_from(self.alive.len()).unwrap_or(u32::MAX);
        let before = std::mem::replace(&mut self.now, now);
        if now == before {
            return;
        }
        self.short_ms += u64::from(self.peak.saturating_sub(before)) * (at_ms - self.at_ms);
        self.at_ms = at_ms;
        self.peak = self.peak.saturating_sub(finished);
        if now > self.peak {
            (self.peak, self.peak_ms) = (now, at_ms);
        }
        self.short = self.short.max(self.peak - now);
        for changes in [&mut self.running, &mut self.lasting] {
            match changes.last_mut() {
                Some((at, count)) if *at == at_ms => *count = now,
                _ => changes.push((at_ms, now)),
            }
            if changes.len() > CHANGES {
                let mut nth = 0;
                changes.retain(|_| {
                    nth += 1;
                    nth % 2 == 1
                });
            }
        }
    }

    /// Number of tasks that ran at an instant.
    pub fn running_at(&self, ms: u64) -> u32 {
        let known = self.running.partition_point(|(at, _)| *at <= ms);
        known.checked_sub(1).and_then(|last| self.running.get(last)).map_or(0, |(_, count)| *count)
    }

    /// Returns the time in which tasks were missing up to an instant. *Units*: task-milliseconds.
    pub fn short_until(&self, ms: u64) -> u64 {
        self.short_ms + u64::from(self.peak.saturating_sub(self.now)) * ms.saturating_sub(self.at_ms)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;

    /// Class of a few status words that belong to no specific system.
    pub(crate) fn class_of(_: &str, status: &str) -> StatusClass {
        match status.trim_start_matches("TASK_") {
            "RUNNING" => StatusClass::Running,
            "FAILED" | "LOST" | "UNREACHABLE" => StatusClass::Failed,
            "KILLED" => StatusClass::Stopped,
            "COMPLETE" => StatusClass::Done,
            "STAGING" | "STARTING" => StatusClass::Starting,
            _ => StatusClass::Pending,
        }
    }

    /// A task's status.
    pub(crate) fn task(at_ms: u64, id: &str, state: &str) -> Event {
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
    }

    #[test]
    fn counts_what_ran_and_what_was_missing() {
        let events = [
            task(1000, "a", "TASK_STAGING"),
            task(2000, "a", "TASK_RUNNING"),
            task(3000, "b", "TASK_RUNNING"),
            task(5000, "a", "TASK_FAILED"),
            task(9000, "a2", "TASK_RUNNING"),
            task(9500, "b", "TASK_KILLED"),
        ];
        let mut tally = Tally::default();
        for event in &events {
            tally.take(event, class_of);
        }
        assert_eq!(tally.running, [(2000, 1), (3000, 2), (5000, 1), (9000, 2), (9500, 1)]);
        assert_eq!((tally.short, tally.short_ms, tally.failed), (1, 4000, 1));
        assert_eq!(tally.short_until(10_000), 4500, "b is still missing");
    }

    #[test]
    fn tasks_that_end_by_themselves_are_missing_nowhere() {
        let events = [
            task(1000, "a", "TASK_RUNNING"),
            task(2000, "setup", "TASK_RUNNING"),
            task(3000, "setup", "TASK_COMPLETE"),
            task(4000, "b", "TASK_RUNNING"),
            task(5000, "a", "TASK_FAILED"),
            task(6000, "a2", "TASK_RUNNING"),
        ];
        let mut tally = Tally::default();
        for event in &events {
            tally.take(event, class_of);
        }
        assert_eq!(tally.running, [(1000, 1), (2000, 2), (3000, 1), (4000, 2), (5000, 1), (6000, 2)]);
        assert_eq!(tally.lasting, [(1000, 1), (2000, 1), (3000, 1), (4000, 2), (5000, 1), (6000, 2)]);
        assert_eq!((tally.peak, tally.short, tally.short_ms), (2, 1, 1000));
    }

    #[test]
    fn a_plan_that_is_done_again_at_once_had_no_other_run() {
        let path = ElementPath {
            dialect: "sdk".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: None,
            step: None,
        };
        let mut tally = Tally::default();
        let mut run = |changes: &[(u64, bool)]| {
            for (at_ms, done) in changes {
                tally.hear_plan(&path, *done, *at_ms);
            }
            let of = tally.of(Some(&path));
            (of.began_ms, of.done_ms)
        };
        assert_eq!(run(&[(7_000, true)]), (0, Some(7_000)));
        assert_eq!(run(&[(9_000, false), (9_000, true)]), (0, Some(7_000)), "paused, and still complete");
        assert_eq!(run(&[(10_000, false), (12_000, true)]), (10_000, Some(12_000)));
        assert_eq!(run(&[(13_000, false), (13_000, true)]), (10_000, Some(12_000)));
    }

    #[test]
    fn a_lost_task_counts_once_until_it_comes_back() {
        let counted = |states: &[&str]| {
            let mut tally = Tally::default();
            for (state, at_ms) in states.iter().zip(1..) {
                tally.take(&task(at_ms, "a", state), class_of);
            }
            tally.failed
        };
        assert_eq!(counted(&["TASK_RUNNING", "TASK_UNREACHABLE", "TASK_LOST"]), 1);
        assert_eq!(counted(&["TASK_RUNNING", "TASK_UNREACHABLE", "TASK_RUNNING", "TASK_FAILED"]), 2);
        assert_eq!(counted(&["TASK_STAGING", "TASK_FAILED"]), 1);
    }

    #[test]
    fn hours_of_crashes_stay_small() {
        let mut tally = Tally::default();
        for n in 0..100_000_u64 {
            let state = if n % 2 == 0 { "TASK_RUNNING" } else { "TASK_FAILED" };
            tally.take(&task(n * 10, "a", state), class_of);
        }
        assert!(tally.running.len() <= CHANGES, "{}", tally.running.len());
        assert_eq!((tally.peak, tally.short, tally.failed), (1, 1, 50_000));
        assert_eq!(tally.short_until(1_000_000), 500_000);
    }

    #[test]
    fn a_plan_completed_twice_counts_with_its_last_completion() {
        let plan = |name: &str| ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: name.into(),
            phase: None,
            step: None,
        };
        let mut tally = Tally::default();
        for (at_ms, name, to) in
            [(5, "a", "COMPLETE"), (6, "b", "COMPLETE"), (7, "b", "PENDING"), (9, "a", "COMPLETE")]
        {
            let body = EventBody::ElementStatus { path: plan(name), from: "".into(), to: to.into() };
            tally.take(&Event { seq: at_ms, at_ms, cause: Cause::Genesis, body }, class_of);
        }
        let done = |name: &str| tally.of(Some(&plan(name))).done_ms;
        assert_eq!((done("a"), done("b"), done("c"), tally.of(None).done_ms), (Some(9), None, None, None));
        let began = |name: &str| tally.of(Some(&plan(name))).began_ms;
        assert_eq!(
            (began("a"), began("b"), began("c")),
            (0, 7, 0),
            "a second run begins where the first was left"
        );
    }

    #[test]
    fn running_tasks_at_an_instant_follow_the_last_change() {
        let mut tally = Tally::default();
        for event in
            [task(2000, "a", "TASK_RUNNING"), task(3000, "b", "TASK_RUNNING"), task(5000, "a", "TASK_FAILED")]
        {
            tally.take(&event, class_of);
        }
        let at = |ms| tally.running_at(ms);
        assert_eq!((at(0), at(2000), at(4999), at(5000), at(9000)), (0, 1, 2, 1, 1));
    }
}
