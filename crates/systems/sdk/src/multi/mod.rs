//! Several services on one framework: what a service takes over from it, and who sees which offers.
//!
//! *Knows*: the framework's role and principal, whose a task or a reservation is, the turn in which offers go from
//! service to service, how many services may reserve at a time.
//! *Must not know*: what a service does with an offer; the master.
//!
//! **Source**: `dcos-commons: …/scheduler/multi/{MultiServiceEventClient,ParallelFootprintDiscipline,
//! AllDiscipline}.java`. Match, but: offers wait in the first service's batch instead of a queue of the framework's
//! own; a service at rest is not asked; every service counts its revives by itself; and a service whose turn to
//! reserve has come asks for offers at once.

mod hub;

pub use hub::{Hub, MemberId, Routed, Turn};

use planarium_mesos::api::{TaskState, TaskStatus};
use std::collections::BTreeMap;

/// The variable of the framework's environment that limits how many services reserve at a time.
const DISCIPLINE: &str = "RESERVE_DISCIPLINE";

/// Maximum of services of a framework that reserve at a time; no limit unless the environment names one above 0.
pub fn reserve_limit(env: &BTreeMap<String, String>) -> Option<u64> {
    env.get(DISCIPLINE).and_then(|text| text.trim().parse().ok()).filter(|limit| *limit > 0)
}

/// Returns whether a task without a service must be killed. An unreachable task is killed when it comes back; until
/// then the master would only say again that it is.
pub fn must_end(status: &TaskStatus) -> bool {
    let state = status.state;
    !state.is_terminal() && !matches!(state, TaskState::Staging | TaskState::Unreachable)
}
