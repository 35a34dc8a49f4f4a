//! Tasks with a `max_completion_time`.
//!
//! Source: `apache/mesos: src/launcher/default_executor.cpp`. Match.

use crate::{
    cluster::{Cluster, Timer},
    tasks::{TaskNo, Tasks},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;

/// Arms the timer of a task that starts to run.
pub(crate) fn limit_completion(cluster: &mut Cluster, cx: &Cx, no: TaskNo, ms: u64) {
    cluster.timers.arm(cx.now().saturating_add(ms), Class::OneShot, cx.cause(), Timer::Completion(no));
}

/// Ends a task that has reached its `max_completion_time`, without any grace.
pub(crate) fn expire_task(tasks: &mut Tasks, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
    if let Some(pid) = tasks.mark_expired(no) {
        fleet.kill(cx, pid, 0);
    }
}
