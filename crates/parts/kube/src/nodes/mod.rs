//! Nodes: machines as the cluster sees them.
//!
//! *Knows*: what a node has and what its pods ask for, whether its kubelet is heard of. *Must not know*: how pods are run.
//! Source: `kubernetes/kubernetes: pkg/kubelet/kubelet_node_status.go`, `pkg/controller/nodelifecycle`; match for the times
//! (grace period 40 s), conditions, taints and evictions; a heartbeat is not an event of its own.
//!
//! Their books are in [`crate::records::nodes`]; what a change of an object means for them is in [`crate::cluster`].

pub(crate) mod cordon;
pub(crate) mod description;
pub(crate) mod drain;
pub(crate) mod holdings;
pub(crate) mod joining;
pub(crate) mod silence;
pub(crate) mod taints;

/// The purpose of draws about nodes.
const RETURN: u32 = 0x4B06;
