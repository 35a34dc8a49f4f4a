//! The timers of the process: one for each job, with its next wake-up.
//!
//! *Knows*: the jobs and their wake-ups. *Must not know*: what they do.
//!
//! A job without work is not woken; one with work is woken at its own tick, counted from the start of the process.

use crate::instances::tracker::SpecNo;
use planarium_kernel::{Cause, Class, EventQueue, SimTime, SortedMap, TimerId, Weight};

/// The jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Job {
    /// Counts of instances against definitions.
    Scale,
    /// Reconciles tasks with the master.
    Reconcile,
    /// Launches and reservations that take too long.
    Overdue,
    /// Instances that do not answer for too long.
    Expunge,
    /// Kills without an answer.
    KillRetry,
    /// Roles whose wish for offers has changed too soon after the last change.
    Revive,
    /// Request offers again for roles.
    ReviveAgain,
    /// Offers declined without launch tokens have come again.
    Resent,
    /// A launch delay ends.
    Backoff(SpecNo),
    /// Check for missing instances in a start phase.
    Sync(SpecNo),
    /// The process gives up the lead.
    Abdicate,
}

/// Ticks of a job: the initial delay and the interval of Marathon's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rhythm {
    /// From the start of the process to the first tick. *Units*: milliseconds.
    pub(crate) first_ms: u64,
    /// From one tick to the next. *Units*: milliseconds.
    pub(crate) every_ms: u64,
}

/// The first tick from an instant on, of a rhythm that begins at `born`.
pub(crate) fn tick_from(at: SimTime, born: SimTime, rhythm: Rhythm) -> SimTime {
    let (first, every) = (born.saturating_add(rhythm.first_ms), rhythm.every_ms.max(1));
    first.saturating_add(at.since(first).div_ceil(every).saturating_mul(every))
}

/// A job that is to wake up, and the cause it does so for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Armed {
    pub(crate) job: Job,
    pub(crate) cause: Cause,
}

/// The timers of all jobs.
///
/// *Invariant*: a job has at most one timer.
#[derive(Clone, Default, Weight)]
#[weight(queue)]
pub(crate) struct Timers {
    queue: EventQueue<Armed>,
    /// The one timer of each job.
    armed: SortedMap<Job, TimerId>,
    /// Wake-ups of the jobs that check themselves whether there is work.
    due: SortedMap<Job, (SimTime, Class)>,
}

impl Timers {
    /// Returns whether a job has a timer.
    pub(crate) fn is_armed(&self, job: Job) -> bool {
        self.armed.contains_key(&job)
    }

    /// Takes the timer of a job away.
    pub(crate) fn disarm(&mut self, job: Job) {
        if let Some(timer) = self.armed.remove(&job) {
            self.queue.cancel(timer);
        }
    }

    /// Wakes a job at an instant, and not at another one.
    pub(crate) fn arm(&mut self, job: Job, at: SimTime, class: Class, cause: Cause) {
        self.disarm(job);
        let timer = self.queue.push(at, class, Armed { job, cause });
        self.armed.insert(job, timer);
    }

    /// Wakes a job when it wants to be woken, unless it will be anyway.
    pub(crate) fn arm_as_wanted(&mut self, job: Job, wanted: Option<(SimTime, Class)>, cause: Cause) {
        let now = self.due.get(&job).copied();
        if now == wanted && (now.is_none() || self.is_armed(job)) {
            return;
        }
        match wanted {
            Some((at, class)) => {
                self.due.insert(job, (at, class));
                self.arm(job, at, class, cause);
            }
            None => {
                self.due.remove(&job);
                self.disarm(job);
            }
        }
    }

    /// When a job wants to be woken.
    pub(crate) fn due_at(&self, job: Job) -> Option<SimTime> {
        self.due.get(&job).map(|(at, _)| *at)
    }

    /// Takes the next timer that is due.
    pub(crate) fn pop_due(&mut self, now: SimTime) -> Option<Armed> {
        let (_, _, armed) = self.queue.pop_due(now)?;
        self.armed.remove(&armed.job);
        self.due.remove(&armed.job);
        Some(armed)
    }

    /// When the next timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.queue.next_due()
    }

    /// Timers that would change something.
    pub(crate) fn one_shots(&self) -> usize {
        self.queue.one_shots()
    }
}
