//! The service account that a scheduler signs in to the cluster's authority with.
//!
//! *Knows*: the variable that names its credentials. *Must not know*: what certificates are for.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerConfig.java (getDcosAuthTokenProvider)`. Simplified: the credentials
//! themselves are not read, any text but an empty one counts as an account.

use crate::spec::{At, ServiceSpec};
use std::collections::BTreeMap;

/// The variable.
pub(crate) const CREDENTIAL: &str = "DCOS_SERVICE_ACCOUNT_CREDENTIAL";
/// The check that requires it.
pub(super) const CHECK: &str = "SDK206";

/// Returns whether a scheduler with this environment has an account.
pub(crate) fn is_given(env: &BTreeMap<String, String>) -> bool {
    env.get(CREDENTIAL).is_some_and(|credential| !credential.is_empty())
}

/// The first task that needs the scheduler to have one.
pub(crate) fn needed_at(spec: &ServiceSpec) -> Option<&At> {
    let mut tasks = spec.pods.iter().flat_map(|pod| &pod.tasks);
    tasks.find(|task| !task.transport_encryption.is_empty()).map(|task| &task.at)
}
