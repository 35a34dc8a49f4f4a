//! Instances of apps and pods: their state, the tracker of all of them, counts, addresses.
//!
//! *Knows*: what each instance is and is to become. *Must not know*: who wants it, where offers come from.

pub(crate) mod balance;
pub(crate) mod goals;
pub(crate) mod instance;
pub(crate) mod network;
pub(crate) mod rescaling;
pub(crate) mod scaling;
pub(crate) mod tracker;
