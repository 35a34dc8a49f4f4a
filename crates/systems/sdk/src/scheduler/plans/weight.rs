//! Memory that a copy of the plans does not share with an earlier one.

use super::{Plan, StepData, StepTask};
use crate::scheduler::ROW;
use crate::scheduler::offers::Look;
use planarium_kernel::{Weight, cow::bytes_of};
use std::cell::Cell;
use std::sync::Arc;

impl Weight for Plan {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        // Steps evaluated together share one evaluation: it counts for the first of them.
        let counted: Cell<Option<*const Look>> = Cell::new(None);
        let step = |step: &StepData, old: Option<&StepData>| {
            let look = step.look.as_ref().map_or(0, |look| {
                if counted.replace(Some(Arc::as_ptr(look))) == Some(Arc::as_ptr(look)) {
                    return 0;
                }
                look.beyond(old.and_then(|old| old.look.as_ref()))
            });
            look + bytes_of::<StepTask>(step.tasks.len())
        };
        self.tree.beyond(before.map(|before| &before.tree))
            + self.steps.beyond_with(before.map(|before| &before.steps), step)
            + self.phases.beyond_with(before.map(|before| &before.phases), |_, _| ROW)
    }
}
