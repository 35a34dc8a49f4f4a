//! Records that all modules use: frameworks, agents and their resources, timers.
//!
//! *Must not know*: tasks, offers, maintenance.
//!
//! | part | module |
//! |---|---|
//! | timers, and what each of them means | `timers` |
//! | resources that come back to the allocator | `recovery` |

pub(crate) mod recovery;
mod timers;

pub(crate) use timers::{Timer, Timers};

use crate::{
    agents::Agents, allocator::Allocator, counters::Counters, frameworks::Frameworks, operator::Operators,
};
use planarium_kernel::{draw, id::Counter};
use planarium_protocol::Text;

/// Inputs of ids and drawn values.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    pub(crate) seed: u64,
    /// Prefix of every id on the wire.
    pub(crate) uuid: Text,
    /// Numbers for statuses that have to be acknowledged.
    pub(crate) next_status: Counter,
}

/// Frameworks, agents and the allocator's data about them.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) ids: Ids,
    pub(crate) timers: Timers,
    pub(crate) frameworks: Frameworks,
    pub(crate) agents: Agents,
    pub(crate) allocator: Allocator,
    pub(crate) counters: Counters,
    pub(crate) operators: Operators,
}

impl Cluster {
    /// An empty cluster.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            ids: Ids {
                seed,
                uuid: draw::uuid(seed, draw::entity("mesos master"), 0x0A00, 0).into(),
                next_status: Counter::new(),
            },
            timers: Timers::new(),
            frameworks: Frameworks::default(),
            agents: Agents::default(),
            allocator: Allocator::default(),
            counters: Counters::default(),
            operators: Operators::default(),
        }
    }
}
