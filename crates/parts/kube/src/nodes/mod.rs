//! Nodes: machines as the cluster sees them.
//!
//! *Knows*: a node's capacity and its pods' requests, whether its kubelet reports. *Must not know*: how pods run. Source:
//! `kubernetes/kubernetes: pkg/kubelet/kubelet_node_status.go`, `pkg/controller/nodelifecycle`; match for the times (grace
//! period 40 s), conditions, taints and evictions; heartbeats are not separate events.
//!
//! Their records are in [`crate::records::nodes`]; consequences of object changes for them are in [`crate::cluster`].

pub(crate) mod cordon;
pub(crate) mod description;
pub(crate) mod drain;
pub(crate) mod holdings;
pub(crate) mod joining;
pub(crate) mod silence;
pub(crate) mod taints;

/// The purpose of draws about nodes.
const RETURN: u32 = 0x4B06;
