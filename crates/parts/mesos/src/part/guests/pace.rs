//! Limits how fast an automatic framework replaces tasks that end immediately.
//!
//! Knows: its last launches and their instants. Must not know: what it launches and why. A task that ends within a second of
//! its launch is not replaced before that second is over: until then offers are declined. Otherwise tasks without a duration
//! would start and end endlessly within one instant.
//!
//! *Source*: ours; real frameworks wait longer before they retry a failed task.

use crate::api::{Call, Operation, SchedulerEvent};
use planarium_protocol::Text;

/// Shortest run of a task after which the next one follows at once. *Units*: milliseconds.
const AT_ONCE_MS: u64 = 1_000;

/// Recent launches.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// Tasks of the last second and when they were launched.
    launched: Vec<(Text, u64)>,
    /// Nothing is launched before.
    until_ms: u64,
}

impl Pace {
    /// Handles an event before the framework does; declines offers that come too early.
    pub(super) fn holds_back(&mut self, event: &SchedulerEvent, now_ms: u64) -> Option<Call> {
        self.launched.retain(|(_, at_ms)| now_ms < at_ms.saturating_add(AT_ONCE_MS));
        match event {
            SchedulerEvent::Update(status) if status.state.is_terminal() => {
                let own = self.launched.iter().find(|(task, _)| *task == status.task_id);
                let over_ms = own.map(|(_, at_ms)| at_ms.saturating_add(AT_ONCE_MS));
                self.until_ms = self.until_ms.max(over_ms.unwrap_or_default());
                None
            }
            SchedulerEvent::Offers(offers) if now_ms < self.until_ms => {
                let offer_ids = offers.iter().map(|offer| offer.id).collect();
                Some(Call::Decline { offer_ids, refuse_ms: Some(self.until_ms - now_ms) })
            }
            _ => None,
        }
    }

    /// Records the framework's launches.
    pub(super) fn note(&mut self, calls: &[Call], now_ms: u64) {
        for call in calls {
            let Call::Accept { operations, .. } = call else { continue };
            for operation in operations {
                if let Operation::Launch(tasks) = operation {
                    self.launched.extend(tasks.iter().map(|task| (task.task_id.clone(), now_ms)));
                }
            }
        }
    }
}
