//! Memory that a copy of the scheduler does not share with an earlier one.
//!
//! *Knows*: which records copies share. *Must not know*: what the estimate is for.

use super::Scheduler;
use planarium_kernel::cow::bytes_of;

/// A row of an ordered map of texts. *Units*: bytes, by estimate.
const ROW: u64 = 64;

impl Scheduler {
    /// Bytes that this scheduler holds and `before` does not, by estimate. *Cost*: by the number of chunks.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let rows = self.failed.len() as u64 + u64::from(self.reconciler.len());
        bytes_of::<Self>(1)
            + self.plans.beyond(before.map(|before| &before.plans))
            + self.state.tasks.beyond(before.map(|before| &before.state.tasks))
            + self.timers.bytes()
            + self.offers.bytes()
            + ROW * rows
    }
}
