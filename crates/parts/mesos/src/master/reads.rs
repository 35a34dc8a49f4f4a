//! Reads: questions, events as JSON, checks, the weight of a copy.

use super::Master;
use crate::{
    api::{FrameworkId, SchedulerEvent},
    check,
    operator::TimedEvent,
    records::Records,
    wire::{self, Calendar, MesosQuery},
};
use planarium_ground::Fleet;
use planarium_protocol::Refusal;
use serde_json::Value;

impl Master {
    /// Answers a question.
    ///
    /// *Errors*: an operator call that is not a read.
    pub fn read(&self, calendar: Calendar, query: &MesosQuery) -> Result<Value, Refusal> {
        wire::reads::read(&self.records, calendar, query)
    }

    /// An event for a framework. `nth` distinguishes the status from others of the same task.
    pub fn event_json(
        &self,
        calendar: Calendar,
        framework: FrameworkId,
        event: &SchedulerEvent,
        nth: u64,
    ) -> Value {
        let Records { cluster, tasks, .. } = &self.records;
        wire::event::event_json(tasks, cluster, calendar, framework, event, nth)
    }

    /// SUBSCRIBED: the event that comes first to an operator, with the whole state.
    pub fn subscribed_event(&self, calendar: Calendar) -> Value {
        wire::operator_event::subscribed_event(&self.records, calendar)
    }

    /// An operator subscribes: events are kept from now on.
    pub fn listen(&mut self, epoch_ms: u64) {
        self.records.cluster.operators.events.listen(epoch_ms);
    }

    /// The events for operators from this number on, and the number of the next one; none when they are not kept any
    /// more.
    pub fn operator_events(&self, since: u64) -> Option<(Vec<TimedEvent>, u64)> {
        self.records.cluster.operators.events.since(since)
    }

    /// The number of the next event for operators; none when they are not kept.
    pub fn next_operator_event(&self) -> Option<u64> {
        self.records.cluster.operators.events.next_number()
    }

    /// Broken invariants, in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self, fleet: &Fleet) -> Vec<String> {
        check::check(&self.records, fleet)
    }

    /// Estimates the bytes of a full copy.
    pub fn weight(&self) -> u64 {
        let Records { cluster, tasks, offers, .. } = &self.records;
        1024 * cluster.agents.rows.len() as u64
            + 512 * tasks.all.len() as u64
            + 256 * offers.outstanding.len() as u64
            + 64 * cluster.timers.len() as u64
    }
}
