//! Deployment plans: what has to be done, in which order, to get from one tree to another; and back.
//!
//! *Knows*: trees. *Must not know*: instances, how actions are carried out.

pub(crate) mod plan;
pub(crate) mod revert;

pub(crate) use plan::{Action, ActionKind, Plan};
