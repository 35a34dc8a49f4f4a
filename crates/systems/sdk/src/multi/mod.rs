//! Several services on one framework: inherited settings, and the routing of offers.
//!
//! *Knows*: the framework's role and principal, the service of a task or a reservation, the order in which offers are
//! passed between services, how many services may reserve at the same time. *Must not know*: what a service does with
//! an offer; the master.
//!
//! **Source**: `dcos-commons: …/scheduler/multi/{MultiServiceEventClient,ParallelFootprintDiscipline,
//! AllDiscipline}.java`. Match, except: offers wait in the first service's batch instead of the framework's own
//! queue; an idle service is skipped; every service counts its own revives; and a service whose turn to reserve has
//! come requests offers immediately.

mod hub;

pub use hub::{Hub, MemberId, Routed, Turn};

use planarium_mesos::api::{TaskState, TaskStatus};
use std::collections::BTreeMap;

/// The variable in the framework's environment that limits how many services reserve at the same time.
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
