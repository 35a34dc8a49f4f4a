//! Memory that a copy of the records does not share with an earlier one.

use super::{Held, PodTasks, TaskRecord};
use planarium_kernel::cow::{behind, bytes_of};
use std::sync::Arc;

/// Texts of a stored task. *Units*: bytes, by estimate.
const TASK_TEXTS: u64 = 512;

/// Bytes of the tasks of a pod.
pub(super) fn pod(tasks: &Arc<PodTasks>, before: Option<&Arc<PodTasks>>) -> u64 {
    behind(tasks, before, |tasks| {
        let task = |(at, task): (u32, &TaskRecord)| {
            let old = before.and_then(|before| {
                before.nth(at).filter(|old| old.name == task.name).or_else(|| before.get(&task.name))
            });
            let launched = behind(&task.launched, old.map(|old| &old.launched), |launched| {
                TASK_TEXTS + bytes_of::<Held>(launched.held.len() + launched.executor.len())
            });
            bytes_of::<TaskRecord>(1) + launched
        };
        (0..).zip(tasks.values()).map(task).sum()
    })
}
