//! The records of a cluster: plain data with their own small invariants.
//!
//! *Must not know*: verbs, controllers, kubelets; they are above, and come here through [`crate::cluster`].

pub(crate) mod autoscalers;
pub(crate) mod evictions;
pub(crate) mod nodes;
pub(crate) mod queue;
pub(crate) mod ranks;
pub(crate) mod reports;
pub(crate) mod rooms;
pub(crate) mod runs;
pub(crate) mod scheduling;
pub(crate) mod selections;
pub(crate) mod store;
pub(crate) mod workloads;
