//! All records of the master.
//!
//! *Knows*: the records, each of which keeps its own invariants. *Must not know*: any rule.
//!
//! A rule is a function in the module of its subject that takes the records it needs. Most take one record and the
//! [`Cluster`]; only rules that touch all records (an agent leaves, a framework is removed) take all of them.

use crate::{
    cluster::Cluster,
    maintenance::Maintenance,
    offers::{Offers, Operations},
    tasks::Tasks,
};

/// The master's records.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    /// Frameworks, agents and their resources, timers: what every room works with.
    pub(crate) cluster: Cluster,
    /// Tasks, and the processes that run them.
    pub(crate) tasks: Tasks,
    /// Outstanding offers, and requested allocation runs.
    pub(crate) offers: Offers,
    /// Operations that have an id, until their status is acknowledged.
    pub(crate) operations: Operations,
    /// The operator's schedule, modes of machines, inverse offers.
    pub(crate) maintenance: Maintenance,
}

impl Records {
    /// The records of an empty cluster. Its first batch run comes one interval after genesis.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            cluster: Cluster::new(seed),
            tasks: Tasks::default(),
            offers: Offers::default(),
            operations: Operations::default(),
            maintenance: Maintenance::default(),
        }
    }
}
