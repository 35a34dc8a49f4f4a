//! The running process: its records, and who is asked in which order when something happens.
//!
//! *Knows*: which record reacts to what, and in which order. *Must not know*: any rule of one of them; requests, views, files.
//!
//! Parts of the real process tell each other of changes by messages. Here each change of an instance is put in a line
//! ([`Tracker`](crate::instances::tracker::Tracker)), and everything that reacts to it does so in the real order before the next
//! one is looked at ([`Marathon::settle`]). All of that takes no time.

pub(crate) mod change;
mod digest;
mod health_results;
mod invariants;
mod messages;
mod periodic;
mod reactions;
mod settle;
mod start;

use crate::deployments::Deployments;
use crate::deployments::lifecycle::Deploying;
use crate::deployments::planning::FailedChange;
use crate::health::probes::Probes;
use crate::kills::Kills;
use crate::launch_queue::tokens::Tokens;
use crate::offers::demand::Demand;
use crate::port::Port;
use crate::records::Records;
use planarium_kernel::SimTime;
use std::sync::Arc;

/// The running process.
#[derive(Clone)]
pub(crate) struct Marathon {
    /// Records that every rule works on.
    pub(crate) records: Records,
    pub(crate) deployments: Deployments,
    pub(crate) kills: Kills,
    /// Processes that are checked from here.
    pub(crate) probes: Probes,
    /// Which roles want offers, and what the master was told of that.
    pub(crate) demand: Demand,
    pub(crate) tokens: Tokens,
    /// The master may know something that it has not said.
    in_doubt: bool,
    /// The change that failed last, until its refusal is told.
    failed: Option<Arc<FailedChange>>,
}

impl Marathon {
    /// Borrows the records that deployments work on.
    pub(crate) fn deploying<'a, 'p>(&'a mut self, port: &'a mut Port<'p>) -> Deploying<'a, 'p> {
        Deploying {
            records: &mut self.records,
            deployments: &mut self.deployments,
            probes: &mut self.probes,
            port,
        }
    }

    /// When the next timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.records.timers.next_due()
    }

    /// Timers that would change something.
    pub(crate) fn one_shots(&self) -> usize {
        self.records.timers.one_shots()
    }
}
