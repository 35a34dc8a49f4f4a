//! Delays before a lost or unacknowledged status is sent again.
//!
//! Source: `apache/mesos: src/slave/constants.hpp` (STATUS_UPDATE_RETRY_INTERVAL_MIN, _MAX). Match.

use crate::{
    cluster::{Cluster, Timer},
    tasks::{TaskNo, Tasks},
};
use planarium_ground::Cx;
use planarium_kernel::Class;

/// First pause before a lost status is sent again.
const RETRY_MS: u64 = 10_000;
/// Longest such pause.
pub(crate) const MAX_RETRY_MS: u64 = 600_000;

/// Returns the pause after one of this length.
pub(crate) fn next_retry_ms(ms: u64) -> u64 {
    if ms == 0 { RETRY_MS } else { ms.saturating_mul(2).min(MAX_RETRY_MS) }
}

/// Arms the timer that sends the first update of the queue again, each time after twice the pause.
pub(crate) fn schedule_retry(tasks: &mut Tasks, cluster: &mut Cluster, cx: &Cx, no: TaskNo, class: Class) {
    let Some(task) = tasks.get_mut(no) else { return };
    task.retry_ms = next_retry_ms(task.retry_ms);
    let (ms, old) = (task.retry_ms, task.retry.take());
    cluster.timers.disarm(old);
    let class = if ms < MAX_RETRY_MS { class } else { Class::Periodic };
    let timer = cluster.timers.arm(cx.now().saturating_add(ms), class, cx.cause(), Timer::Retry(no));
    if let Some(task) = tasks.get_mut(no) {
        task.retry = Some(timer);
    }
}
