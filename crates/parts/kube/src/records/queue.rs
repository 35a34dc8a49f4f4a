//! The queue: work of this instant, and timers.
//!
//! *Knows*: the order of work, and how often an item was queued at one instant. *Must not know*: what it does.
//!
//! *Invariant*: an item is queued once; one that is queued repeatedly at one instant is postponed, so that controllers that
//! undo each other's work cannot stop the clock.

use crate::object::ObjectNo;
use planarium_ground::{Cx, ProcessId};
use planarium_kernel::{Cause, Class, EventQueue, Map, SimTime, TimerId, Weight};
use std::collections::VecDeque;

/// So often one piece of work is done at one instant.
const TURNS: u32 = 100;
/// Number of items up to which a queue is searched item by item.
const FEW: usize = 16;
/// The time that work is put off that came up more often. *Units*: milliseconds.
const PUT_OFF_MS: u64 = 1_000;

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// Sync an object by its kind's controller.
    Sync(ObjectNo),
    /// Find a node for a pod.
    Schedule(ObjectNo),
    /// Sync a pod by its node's kubelet.
    Kubelet(ObjectNo),
    /// Check an object for garbage collection.
    Collect(ObjectNo),
    /// Pods that found no node may find one now.
    Retry,
}

/// The meaning of a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Work that had to wait.
    Work(Work),
    /// An image has been fetched: pod, container.
    Pulled(ObjectNo, u16),
    /// A container may be started again: pod, container.
    Restart(ObjectNo, u16),
    /// A command has done its time: pod, container, its process.
    Over(ObjectNo, u16, ProcessId),
    /// A probe has passed as often as it has to: pod, container, its process.
    Passed(ObjectNo, u16, ProcessId),
    /// A preStop hook has ended; the containers are told to end.
    Stop(ObjectNo),
    /// A pod has been ready for long enough to count as available.
    Available(ObjectNo),
    /// A pod's active deadline.
    Deadline(ObjectNo),
    /// A node has not been heard of for the grace period. The number tells apart absences.
    NodeGrace(u32, u32),
    /// A pod has tolerated a taint for as long as it does.
    Evict(ObjectNo),
    /// A provisioner has made a volume for a claim.
    Provisioned(ObjectNo),
    /// A load balancer has an address for a Service.
    Balanced(ObjectNo),
    /// A CronJob is due.
    Cron(ObjectNo),
    /// Measure the usage of an autoscaler's target.
    Autoscale(ObjectNo),
    /// A drain asks again.
    Drain(u32),
    /// The kubelet of a node that came back reports.
    NodeReturns(u32, u32),
}

#[derive(Clone, Debug)]
struct Armed {
    cause: Cause,
    timer: Timer,
}

/// Work and timers.
#[derive(Clone, Debug, Default, Weight)]
#[weight(timers)]
pub(crate) struct Queue {
    work: VecDeque<(Work, Cause)>,
    /// The queued items, of a queue that is longer than [`FEW`].
    queued: Map<Work, ()>,
    /// When the oldest work was asked for.
    since: SimTime,
    /// The first pieces of work of `instant`, up to [`TURNS`]: until there are more, none can have come up too often.
    first_turns: Vec<Work>,
    /// Number of times that each piece of work was done at `instant`, once there are more.
    turns: Map<Work, u32>,
    instant: SimTime,
    timers: EventQueue<Armed>,
    /// Timers that only go on and on.
    pub(crate) periodic: u32,
}

/// Something that is due.
pub(crate) enum Due {
    Work(Work, Cause),
    Timer(Timer, Cause),
}

impl Queue {
    /// Queues an item at this instant.
    pub(crate) fn push(&mut self, work: Work, now: SimTime, cause: Cause) {
        if self.has(work) {
            return;
        }
        if self.work.is_empty() {
            self.since = now;
        }
        self.work.push_back((work, cause));
        match self.work.len() {
            0..=FEW => {}
            length if length == FEW + 1 => {
                self.queued = self.work.iter().map(|(work, _)| (*work, ())).collect();
            }
            _ => _ = self.queued.insert(work, ()),
        }
    }

    /// True if an item is queued.
    fn has(&self, work: Work) -> bool {
        if self.work.len() > FEW {
            return self.queued.contains_key(&work);
        }
        self.work.iter().any(|(queued, _)| *queued == work)
    }

    /// Takes the first item out.
    fn pop_work(&mut self) -> Option<(Work, Cause)> {
        let (work, cause) = self.work.pop_front()?;
        match self.work.len() {
            length if length > FEW => _ = self.queued.remove(&work),
            FEW => self.queued = Map::new(),
            _ => {}
        }
        Some((work, cause))
    }

    /// Counts a turn of a piece of work; returns whether it has come up too often at this instant.
    fn is_too_often(&mut self, work: Work) -> bool {
        if self.first_turns.len() < TURNS as usize {
            self.first_turns.push(work);
            return false;
        }
        let Self { first_turns, turns, .. } = self;
        let is_first = turns.is_empty();
        let mut count = |work: Work| {
            turns.upsert(
                work,
                || 0,
                |turns| {
                    *turns += 1;
                    *turns
                },
            )
        };
        if is_first {
            for first in first_turns.iter() {
                count(*first);
            }
        }
        count(work) > TURNS
    }

    /// Queues an item at this instant, under the current cause.
    pub(crate) fn ask(&mut self, cx: &Cx, work: Work) {
        self.push(work, cx.now(), cx.cause());
    }

    /// Arms a timer under the current cause.
    pub(crate) fn arm_in(&mut self, cx: &Cx, delay_ms: u64, timer: Timer) -> TimerId {
        self.arm(cx.now().saturating_add(delay_ms), Class::OneShot, cx.cause(), timer)
    }

    pub(crate) fn arm(&mut self, at: SimTime, class: Class, cause: Cause, timer: Timer) -> TimerId {
        self.timers.push(at, class, Armed { cause, timer })
    }

    pub(crate) fn disarm(&mut self, timer: Option<TimerId>) {
        if let Some(timer) = timer {
            self.timers.cancel(timer);
        }
    }

    /// Returns when a timer of this meaning fires first.
    pub(crate) fn due(&self, timer: &Timer) -> Option<SimTime> {
        let own = self.timers.iter().filter(|(.., armed)| armed.timer == *timer);
        own.map(|(_, at, ..)| at).min()
    }

    pub(crate) fn next_due(&self) -> Option<SimTime> {
        let timer = self.timers.next_due();
        if self.work.is_empty() { timer } else { Some(timer.map_or(self.since, |at| at.min(self.since))) }
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.work.len() + self.timers.one_shots()
    }

    /// Takes the next item: work of this instant before timers.
    pub(crate) fn pop(&mut self, now: SimTime) -> Option<Due> {
        if self.instant != now {
            self.instant = now;
            self.first_turns.clear();
            self.turns = Map::new();
        }
        while let Some((work, cause)) = self.pop_work() {
            if !self.is_too_often(work) {
                return Some(Due::Work(work, cause));
            }
            self.arm(now.saturating_add(PUT_OFF_MS), Class::OneShot, cause, Timer::Work(work));
        }
        let (_, _, armed) = self.timers.pop_due(now)?;
        Some(Due::Timer(armed.timer, armed.cause))
    }

    pub(crate) fn len(&self) -> usize {
        self.work.len() + self.timers.len()
    }
}
