//! Questions that a world answers without changing.
//!
//! Knows: whom to ask. Must not know: any system's answer shape.

use crate::systems::SdkQuery;
use planarium_mesos::wire::MesosQuery;

/// A question to one of the simulated systems.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// To an SDK scheduler.
    Sdk {
        /// Service name; empty means the only or first SDK service.
        service: String,
        /// What.
        what: SdkQuery,
    },
    /// To the Mesos master.
    Mesos(MesosQuery),
}
