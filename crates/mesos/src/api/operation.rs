//! What a framework is told of operations that it has given an id.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (OperationState, OperationStatus). Match for what occurs here.

use super::{resources::Resources, task::words};
use planarium_protocol::Text;

words! {
    /// The states an operation can be in or be said to be in.
    OperationState "OPERATION_" {
        /// On its way.
        Pending = "PENDING",
        /// Carried out.
        Finished = "FINISHED",
        /// Refused by the master.
        Error = "ERROR",
        /// Its agent does not answer.
        Unreachable = "UNREACHABLE",
        /// Its agent was marked gone.
        GoneByOperator = "GONE_BY_OPERATOR",
        /// Its agent has not come back since the master failed over.
        Recovering = "RECOVERING",
        /// Nobody knows it.
        Unknown = "UNKNOWN",
    }
}

/// What a framework is told about an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationStatus {
    /// The id that the framework gave it.
    pub operation_id: Text,
    /// On which agent; none when the master refused it, or does not know.
    pub agent_id: Option<Text>,
    /// In which state.
    pub state: OperationState,
    /// For people; empty when there is nothing to say.
    pub message: Text,
    /// What became of the resources.
    pub converted: Resources,
    /// Number of the status when it has to be acknowledged.
    pub number: Option<u32>,
}

/// One operation asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReconcileOperation {
    /// The id that the framework gave it.
    pub operation_id: Text,
    /// Where it is thought to be.
    pub agent_id: Option<Text>,
}
