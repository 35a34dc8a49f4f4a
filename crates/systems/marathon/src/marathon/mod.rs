//! The running process: its records, and the order in which they react.
//!
//! *Knows*: which record reacts to what, and in which order. *Must not know*: any rule of one of them; requests, views, files.
//!
//! Parts of the real process notify each other by messages. Here each change of an instance is queued
//! ([`Tracker`](crate::instances::tracker::Tracker)), and everything that reacts to it does so in the real order before the next
//! change is handled ([`Marathon::settle`]). All of that takes no time.

pub(crate) mod change;
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
use crate::instances::tracker::SpecNo;
use crate::kills::Kills;
use crate::launch_queue::tokens::Tokens;
use crate::offers::demand::Demand;
use crate::port::Port;
use crate::records::Records;
use planarium_kernel::{Digestible, SimTime, Weight, cow::bytes_of};
use std::sync::Arc;

/// The running process.
#[derive(Clone, Digestible, Weight)]
#[digest(
    records.setup.settings.framework, records.setup.framework_id, records.definitions.root.version,
    all records.definitions.root.specs, records.instances.iter().count(),
    each records.instances.iter().map(|(_, instance)| instance), each deployments.iter(),
    each records.apps.iter(), kills.counts(), tokens.left(),
)]
#[weight(
    own bytes_of::<Self>(1), records.instances, records.apps, records.events, probes,
    flat records.definitions.root.specs, flat records.definitions.root.groups, records.timers,
    own self.deployments.weight(), own self.kills.weight(),
    own bytes_of::<SpecNo>(self.records.balance.len()),
)]
pub(crate) struct Marathon {
    /// Records that every rule works on.
    pub(crate) records: Records,
    pub(crate) deployments: Deployments,
    pub(crate) kills: Kills,
    /// Processes that are checked from here.
    pub(crate) probes: Probes,
    /// The roles that want offers, and their last report to the master.
    pub(crate) demand: Demand,
    pub(crate) tokens: Tokens,
    /// The master may know something that it has not said.
    in_doubt: bool,
    /// The last failed change, until its refusal is reported.
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
