//! W2: a rollout on a cluster, deploy then update, with failures and recovery; W3: a thousand of them.

pub(crate) mod figures;

pub(crate) use planarium_workloads::rollout::{REFERENCE, SWEEP, SWEEP_REFERENCE, Setup, run, sweep};
