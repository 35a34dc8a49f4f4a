//! Mesos as a part of a world: the master, its listeners inside and outside, its API's calls.
//!
//! *Knows*: which call and which input is for the master. *Must not know*: what a call does; services.

mod alone;
mod calls;
mod cluster;
mod guests;
mod holders;
mod layer;
mod maintenance;
mod routes;

pub use alone::Alone;
pub use cluster::{Cluster, Framework};
pub use guests::OutsideView;

use crate::Master;
use crate::api::{AgentId, FrameworkId, Message};
use guests::Guests;
use planarium_ground::{Cx, Fleet, FleetEventKind, Place, there_already};
use planarium_kernel::{Cause, Digestible, SortedMap, Weight};
use planarium_part::{Delivery, Ground, Number};
use planarium_protocol::input::{AddAgent, OfferRound};
use planarium_protocol::{Refusal, json};
use serde_json::Value;
use std::collections::VecDeque;

/// Messages from Mesos to a scheduler.
#[derive(Clone, Debug)]
pub enum News {
    /// A message of the master.
    Message(Message),
    /// An operator has removed its framework.
    Removed,
    /// The user made exactly one offer round, and its offers have arrived.
    OfferRound,
}

/// Mesos with everybody who listens to it.
#[derive(Clone, Digestible, Weight)]
#[digest(master)]
#[weight(master)]
pub struct Mesos {
    pub(crate) master: Master,
    pub(crate) guests: Guests,
    seed: u64,
    /// The daemon of each framework.
    schedulers: SortedMap<FrameworkId, Number>,
    /// Daemons whose frameworks an operator has removed, and that were not notified yet.
    removed: VecDeque<Number>,
    /// The cause of a failover that was not handled yet.
    orphaned: Option<Cause>,
    /// The user has made an offer round, of which schedulers have not heard.
    round_made: bool,
    /// Number of the last event when the schedule may have changed.
    changed: u64,
    /// The highest revision shown by a removed framework's service. A framework that takes its name continues from there,
    /// so that equal revisions show the same.
    past_revision: u64,
}

impl Mesos {
    /// The master, to be asked.
    pub fn master(&self) -> &Master {
        &self.master
    }

    /// Accesses the master, then passes it the reports about its own processes.
    pub(crate) fn act<R>(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        work: impl FnOnce(&mut Master, &mut Fleet, &mut Cx) -> R,
    ) -> R {
        let result = work(&mut self.master, ground.fleet_mut(), cx);
        self.hear_own(cx, ground);
        // The schedule may have changed although no machine here is in it.
        self.changed = self.changed.max(cx.next_seq() - 1);
        result
    }

    /// Passes the master the reports about its own processes.
    fn hear_own(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.settle_holdings(cx, ground.fleet_mut());
        while let Some(event) = ground.fleet_mut().next_event_of(crate::OWNER) {
            cx.set_cause(event.cause);
            debug_assert!(!matches!(event.kind, FleetEventKind::MasterFailover));
            self.master.on_fleet(cx, ground.fleet_mut(), event);
            self.master.settle_holdings(cx, ground.fleet_mut());
        }
    }

    /// All machines of a request have joined: what they have is offered.
    fn all_joined(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.run_requested(cx, ground.fleet_mut());
        self.hear_own(cx, ground);
    }

    /// Returns whether there are messages, or frameworks without a socket that have not heard that the master has failed over.
    fn has_messages(&self) -> bool {
        self.orphaned.is_some() || self.master.waiting_messages() > 0
    }

    /// Lets frameworks without a socket return to a master that has failed over. Returns the number of messages for frameworks.
    fn begin_messages(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> usize {
        if let Some(cause) = self.orphaned.take() {
            cx.set_cause(cause);
            let orphans = self.master.drain_orphans();
            self.return_guests(cx, ground, &orphans);
        }
        self.master.waiting_messages()
    }

    /// Delivers the oldest message: to a framework from outside at once, otherwise by way of its daemon.
    fn deliver_message(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> Delivery<News> {
        let Some(message) = self.master.next_message() else { return Delivery::Outside };
        match self.schedulers.get(&message.framework) {
            Some(number) => Delivery::To(*number, News::Message(message)),
            None => {
                self.tell_guest(cx, ground, &message);
                Delivery::Outside
            }
        }
    }

    /// Makes exactly one offer round.
    pub(crate) fn offer_round(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        round: &OfferRound,
    ) -> Result<Value, Refusal> {
        let made = self.master.offer_round(cx, round)?;
        self.hear_own(cx, ground);
        self.round_made = true;
        Ok(json!({ "offers": made }))
    }
}

impl Master {
    /// Adds machines in a cluster where only this master exists.
    ///
    /// *Errors*: repeated names, invalid amounts or roles, more machines than a world allows.
    pub fn add_agent(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        add: &AddAgent,
    ) -> Result<Vec<AgentId>, Refusal> {
        Self::admits(add)?;
        let mut machines = Vec::new();
        let places = fleet.places(add)?;
        for place in &places {
            if let Place::Again(machine) = place
                && !self.takes_again(fleet, *machine)?
            {
                return Err(there_already(fleet.machine(*machine).map_or("", |spec| &spec.hostname)));
            }
        }
        for place in places {
            let machine = match place {
                Place::New(hostname, ip) => fleet.join(cx, add, hostname, ip),
                Place::Again(machine) => machine,
            };
            self.machine_joined(cx, fleet, machine, add);
            machines.push(machine);
        }
        self.run_requested(cx, fleet);
        let hosts = &self.records.cluster.agents.hosts;
        Ok(machines.into_iter().filter_map(|machine| hosts.get(machine)?.agent).collect())
    }

    /// Removes machines in a cluster where only this master exists.
    ///
    /// *Errors*: no matching machine, several matching machines.
    pub fn remove_agent(&mut self, cx: &mut Cx, fleet: &mut Fleet, which: &str) -> Result<(), Refusal> {
        for machine in fleet.machines_meant(which)? {
            self.machine_leaves(cx, fleet, machine);
            fleet.remove_machine(cx, machine);
        }
        Ok(())
    }
}
