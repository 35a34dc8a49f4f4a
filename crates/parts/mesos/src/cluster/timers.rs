//! The master's timers.
//!
//! *Knows*: what a timer means and when it is due. *Must not know*: how it is handled.

use crate::{
    allocator::filter::{ALLOCATION_INTERVAL_MS, FilterGroupId},
    api::{AgentId, FrameworkId, OfferId},
    maintenance::InverseFilterId,
    tasks::TaskNo,
};
use planarium_ground::{MachineId, ProcessId};
use planarium_kernel::{Cause, Class, Digestible, EventQueue, SimTime, TimerId, Weight};

/// The meaning of a timer.
#[derive(Clone, Debug)]
pub(crate) enum Timer {
    /// The next batch run of the allocator.
    Batch,
    /// The filters made by one refusal expire.
    Filters(FilterGroupId),
    /// An agent has left too many pings unanswered.
    Unreachable(AgentId),
    /// A status that got lost, or was not acknowledged, is sent again.
    Retry(TaskNo),
    /// The same for the status of an operation.
    RetryOperation(u32),
    /// A permit to mark an agent unreachable is available.
    Permit,
    /// A task has reached its `max_completion_time`.
    Completion(TaskNo),
    /// The registry forgets a long-absent agent.
    RegistryGc(AgentId),
    /// An agent registers again after the master failed over.
    Reregister(AgentId),
    /// A process that was told to end is ended by force.
    Destroy(ProcessId),
    /// A framework has exceeded its failover timeout.
    Failover(FrameworkId),
    /// A filter against inverse offers expires.
    InverseFilter(AgentId, FrameworkId, InverseFilterId),
    /// An agent that was told to shut down, or was refused, is started again.
    Register(MachineId),
    /// `offer_timeout` of an offer or inverse offer.
    OfferTimeout(OfferId),
}

/// A timer with the cause that was current when it was armed.
#[derive(Clone, Debug)]
pub(crate) struct Armed {
    pub(crate) cause: Cause,
    pub(crate) timer: Timer,
}

/// All timers. *Invariant*: there is always a next batch run of the allocator.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(queue)]
#[weight(queue)]
pub(crate) struct Timers {
    queue: EventQueue<Armed>,
    /// The next batch run.
    pub(crate) batch: Option<(TimerId, SimTime)>,
}

impl Timers {
    /// Only the first batch run, one interval after genesis.
    pub(crate) fn new() -> Self {
        let mut timers = Self { queue: EventQueue::new(), batch: None };
        timers.arm_batch(SimTime::ZERO);
        timers
    }

    /// Arms a timer.
    pub(crate) fn arm(&mut self, at: SimTime, class: Class, cause: Cause, timer: Timer) -> TimerId {
        self.queue.push(at, class, Armed { cause, timer })
    }

    /// Returns when a timer fires; none when it is not armed.
    pub(crate) fn due(&self, timer: TimerId) -> Option<SimTime> {
        self.queue.iter().find(|(id, ..)| *id == timer).map(|(_, at, ..)| at)
    }

    /// Cancels a timer, if there is one.
    pub(crate) fn disarm(&mut self, timer: Option<TimerId>) {
        if let Some(timer) = timer {
            self.queue.cancel(timer);
        }
    }

    /// Arms the batch run after the one at `last`.
    pub(crate) fn arm_batch(&mut self, last: SimTime) {
        let at = last.saturating_add(ALLOCATION_INTERVAL_MS);
        self.batch = Some((self.arm(at, Class::Periodic, Cause::Genesis, Timer::Batch), at));
    }

    /// Removes the first timer, if it is due.
    pub(crate) fn pop_due(&mut self, now: SimTime) -> Option<Armed> {
        self.queue.pop_due(now).map(|(_, _, armed)| armed)
    }

    /// When the next timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.queue.next_due()
    }

    /// When the one after the next is due.
    pub(crate) fn next_due_after_first(&self) -> Option<SimTime> {
        self.queue.next_due_after_first()
    }

    /// Counts the timers that would change something.
    pub(crate) fn one_shots(&self) -> usize {
        self.queue.one_shots()
    }

    /// Counts the timers.
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}
