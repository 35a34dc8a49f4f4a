//! Instances of apps and pods: their state, their tracker, counts, addresses.
//!
//! *Knows*: the state and the goal of each instance. *Must not know*: who wants it, where offers come from.

pub(crate) mod balance;
pub(crate) mod goals;
pub(crate) mod instance;
pub(crate) mod network;
pub(crate) mod rescaling;
pub(crate) mod scaling;
pub(crate) mod tracker;
