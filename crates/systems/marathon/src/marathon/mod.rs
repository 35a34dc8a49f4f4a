//! The running process: its records, and who is asked in which order when something happens.
//!
//! *Knows*: which record reacts to what, and in which order. *Must not know*: any rule of one of them; requests, views, files.
//!
//! Parts of the real process tell each other of changes by messages. Here each change of an instance is put in a line
//! ([`Tracker`](crate::instances::tracker::Tracker)), and everything that reacts to it does so in the real order before the next
//! one is looked at ([`Marathon::settle`]). All of that takes no time.

pub(crate) mod change;
mod digest;
mod invariants;
mod messages;
mod periodic;
mod reactions;
mod start;

use crate::api::reader::Reader;
use crate::deployments::Deployments;
use crate::deployments::lifecycle::Deploying;
use crate::health::probes::Probes;
use crate::kills::Kills;
use crate::launch_queue::tokens::Tokens;
use crate::offers::demand::Demand;
use crate::port::Port;
use crate::records::Records;
use crate::statuses;
use crate::view::{Shown, ViewCache};
use change::FailedChange;
use planarium_kernel::SimTime;
use std::sync::Arc;

/// The running process.
#[derive(Clone)]
pub(crate) struct Marathon {
    /// What every rule works on.
    pub(crate) records: Records,
    pub(crate) deployments: Deployments,
    pub(crate) kills: Kills,
    /// Processes that are checked from here.
    pub(crate) probes: Probes,
    /// Which roles want offers, and what the master was told of that.
    pub(crate) demand: Demand,
    pub(crate) tokens: Tokens,
    /// What was shown last.
    pub(crate) view: ViewCache,
    /// The master may know something that it has not said.
    in_doubt: bool,
    /// The change that failed last, until its refusal is told.
    failed: Option<Arc<FailedChange>>,
}

impl Marathon {
    /// What questions are answered from.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { records: &self.records, deployments: &self.deployments, kills: &self.kills }
    }

    /// What is shown is built from this.
    pub(crate) fn shown(&self) -> Shown<'_> {
        Shown { records: &self.records, deployments: &self.deployments }
    }

    /// What deployments work on.
    pub(crate) fn deploying<'a, 'p>(&'a mut self, port: &'a mut Port<'p>) -> Deploying<'a, 'p> {
        Deploying {
            records: &mut self.records,
            deployments: &mut self.deployments,
            probes: &mut self.probes,
            port,
        }
    }

    /// Works off everything that has been brought about and not reacted to.
    pub(crate) fn settle(&mut self, port: &mut Port<'_>) {
        let cause = port.cx.cause();
        loop {
            if let Some(change) = self.records.instances.next_change() {
                port.cx.set_cause(change.cause);
                self.react(port, &change);
            } else if !self.deploying(port).go_on_deploying() {
                break;
            }
        }
        port.cx.set_cause(cause);
        self.demand.update_wish(&mut self.records, port);
        self.rearm(port.cx);
        statuses::show_changes(&mut self.records, &mut self.deployments, port.cx);
        self.records.tell_of_bus(port.cx);
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
