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
use planarium_kernel::{Digestible, Weight, cow::bytes_of};

/// The master's records.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    cluster.ids.uuid, each cluster.agents.rows, each cluster.allocator.agents(),
    each cluster.frameworks.rows, each offers.outstanding.values(), each tasks.all,
    each operations.keys(), each tasks.untracked.keys(), each cluster.allocator.weights().iter(),
    each cluster.allocator.quotas(), maintenance.machines, maintenance.inverse, cluster.agents.drains,
    cluster.allocator.filter_count(), cluster.timers,
)]
#[weight(
    own bytes_of::<Self>(1), cluster.agents.rows, cluster.frameworks.rows, cluster.agents.hosts,
    offers.outstanding, tasks.all, tasks.untracked, tasks.ids, flat tasks.by_process, cluster.allocator,
    cluster.timers,
)]
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
