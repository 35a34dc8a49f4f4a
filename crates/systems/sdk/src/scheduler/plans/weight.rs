//! Memory that a copy of the plans does not share with an earlier one.

use super::{Plan, Plans, StepData, StepTask};
use crate::scheduler::offers::Look;
use planarium_kernel::cow::{behind, bytes_of};
use std::cell::Cell;
use std::sync::Arc;

/// A row of an ordered map of texts. *Units*: bytes, by estimate.
const ROW: u64 = 64;

impl Plans {
    /// Bytes that these plans hold and `before` do not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let plans = self.list.iter().enumerate();
        let rows = self.delayed.len() + self.releases.len() + self.withheld.len();
        plans.map(|(at, plan)| plan.beyond(before.and_then(|before| before.list.get(at)))).sum::<u64>()
            + self.waiting.beyond(before.map(|before| &before.waiting))
            + ROW * rows as u64
    }
}

impl Plan {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        // Steps evaluated together share one evaluation: it counts for the first of them.
        let counted: Cell<Option<*const Look>> = Cell::new(None);
        let step = |step: &StepData, old: Option<&StepData>| {
            let look = step.look.as_ref().map_or(0, |look| {
                if counted.replace(Some(Arc::as_ptr(look))) == Some(Arc::as_ptr(look)) {
                    return 0;
                }
                let old = old.and_then(|old| old.look.as_ref());
                behind(look, old, |look| look.beyond(old.map(|old| &**old)))
            });
            look + bytes_of::<StepTask>(step.tasks.len())
        };
        bytes_of::<Self>(1)
            + self.tree.bytes()
            + self.steps.beyond(before.map(|before| &before.steps), step)
            + self.phases.beyond(before.map(|before| &before.phases), |_, _| ROW)
    }
}
