//! Memory that a copy of the records does not share with an earlier one.

use super::{Held, PodTasks, TaskRecord};
use planarium_kernel::Weight;
use planarium_kernel::cow::{behind, bytes_of};

/// Texts of a stored task. *Units*: bytes, by estimate.
const TASK_TEXTS: u64 = 512;

impl Weight for PodTasks {
    /// Tasks are compared with those of the same name, which mostly have the same place.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let task = |(at, task): (u32, &TaskRecord)| {
            let old = before.and_then(|before| {
                before.nth(at).filter(|old| old.name == task.name).or_else(|| before.get(&task.name))
            });
            let launched = behind(&task.launched, old.map(|old| &old.launched), |launched| {
                TASK_TEXTS + bytes_of::<Held>(launched.held.len() + launched.executor.len())
            });
            bytes_of::<TaskRecord>(1) + launched
        };
        (0..).zip(self.values()).map(task).sum()
    }
}
