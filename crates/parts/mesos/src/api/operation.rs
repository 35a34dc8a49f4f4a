//! States and statuses of operations that a framework gave an id.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (OperationState, OperationStatus). Match for what occurs here.

use super::{resources::Resources, task::words};
use planarium_protocol::Text;

words! {
    /// The states of an operation, including those shown to older frameworks instead.
    OperationState "OPERATION_" {
        /// Pending.
        Pending = "PENDING",
        /// Finished.
        Finished = "FINISHED",
        /// Dropped by the master.
        Error = "ERROR",
        /// Its agent is unreachable.
        Unreachable = "UNREACHABLE",
        /// Its agent was marked gone.
        GoneByOperator = "GONE_BY_OPERATOR",
        /// Its agent has not come back since the master failed over.
        Recovering = "RECOVERING",
        /// Unknown to the master.
        Unknown = "UNKNOWN",
    }
}

/// A status of an operation, as sent to a framework.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationStatus {
    /// The id that the framework gave it.
    pub operation_id: Text,
    /// The agent; none when the master dropped the operation or does not know it.
    pub agent_id: Option<Text>,
    /// The state.
    pub state: OperationState,
    /// Message in words; may be empty.
    pub message: Text,
    /// The resources that it made.
    pub converted: Resources,
    /// Number of the status when it has to be acknowledged.
    pub number: Option<u32>,
}

/// An operation that a framework asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReconcileOperation {
    /// The id that the framework gave it.
    pub operation_id: Text,
    /// The agent that it is thought to be on.
    pub agent_id: Option<Text>,
}
