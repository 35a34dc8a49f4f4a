//! The schedule and the status of machines, as the operator reads them.
//!
//! *Order*: machines as in the schedule (the real lists have no order); answers by agent in order of
//! registration, then by framework.
//! Source: `apache/mesos: src/master/readonly_handler.cpp`, `src/master/http.cpp`,
//! `include/mesos/maintenance/maintenance.proto`. Match.

use super::{
    InverseOffers, Machine, MachineId, MachineRegistry, Mode, Response, Schedule, quirk, window::nanoseconds,
};
use crate::api::FrameworkId;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use serde_json::{Map, Value};

/// A framework's last answer about an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InverseOfferStatus {
    /// The answer; a framework that has not answered has no status.
    pub status: Response,
    /// The framework.
    pub framework: FrameworkId,
    /// When it answered. *Units*: nanoseconds since 1970.
    pub timestamp_ns: i64,
}

/// A DRAINING machine with the answers of frameworks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainingMachine {
    /// The machine.
    pub id: MachineId,
    /// One entry per agent on the machine and framework that has ever answered.
    pub statuses: Vec<InverseOfferStatus>,
}

/// Machines that are not UP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterStatus {
    /// DRAINING ones.
    pub draining_machines: Vec<DrainingMachine>,
    /// DOWN ones.
    pub down_machines: Vec<MachineId>,
}

impl MachineRegistry {
    /// The schedule, as far as the caller may see it. Empty when nothing is scheduled.
    pub fn get_schedule(&self, permit: impl Fn(&MachineId) -> bool) -> Schedule {
        self.schedule().map(|schedule| schedule.keeping(permit)).unwrap_or_default()
    }

    /// Machines that are not UP, as far as the caller may see them. `epoch_ms` is the calendar time of
    /// genesis.
    pub fn get_status(
        &self,
        inverse_offers: &InverseOffers,
        epoch_ms: u64,
        permit: impl Fn(&MachineId) -> bool,
    ) -> ClusterStatus {
        let mut status = ClusterStatus::default();
        for (posted, _) in self.schedule().into_iter().flat_map(|schedule| schedule.machines()) {
            let Some(machine) = self.machine(posted).filter(|machine| permit(&machine.info.id)) else {
                continue;
            };
            let first = &machine.info.id;
            let id = if quirk::STATUS_SHOWS_FIRST_SPELLING { first.clone() } else { posted.clone() };
            match machine.info.mode {
                Mode::Up => {}
                Mode::Draining => {
                    let statuses = answers(machine, inverse_offers, epoch_ms);
                    status.draining_machines.push(DrainingMachine { id, statuses });
                }
                Mode::Down => status.down_machines.push(id),
            }
        }
        status
    }
}

fn answers(machine: &Machine, inverse_offers: &InverseOffers, epoch_ms: u64) -> Vec<InverseOfferStatus> {
    let on_agents = machine.agents.iter().flat_map(|agent| inverse_offers.answers_on(*agent));
    let statuses = on_agents.map(|(framework, status, at)| InverseOfferStatus {
        status,
        framework,
        timestamp_ns: calendar_ns(epoch_ms, at),
    });
    statuses.collect()
}

fn calendar_ns(epoch_ms: u64, at: SimTime) -> i64 {
    i64::try_from(epoch_ms.saturating_add(at.ms()).saturating_mul(1_000_000)).unwrap_or(i64::MAX)
}

impl ClusterStatus {
    /// As JSON; empty lists are left out. `name` gives a framework's id on the wire.
    pub fn to_json(&self, name: impl Fn(FrameworkId) -> Text) -> Value {
        let mut fields = Map::new();
        if !self.draining_machines.is_empty() {
            let machines = self.draining_machines.iter().map(|machine| machine.to_json(&name));
            fields.insert("draining_machines".into(), machines.collect());
        }
        if !self.down_machines.is_empty() {
            fields
                .insert("down_machines".into(), self.down_machines.iter().map(MachineId::to_json).collect());
        }
        Value::Object(fields)
    }
}

impl DrainingMachine {
    fn to_json(&self, name: &impl Fn(FrameworkId) -> Text) -> Value {
        let mut fields = Map::new();
        fields.insert("id".into(), self.id.to_json());
        if !self.statuses.is_empty() {
            fields
                .insert("statuses".into(), self.statuses.iter().map(|status| status.to_json(name)).collect());
        }
        Value::Object(fields)
    }
}

impl InverseOfferStatus {
    fn to_json(self, name: &impl Fn(FrameworkId) -> Text) -> Value {
        let mut framework = Map::new();
        framework.insert("value".into(), Value::from(&*name(self.framework)));
        let mut fields = Map::new();
        fields.insert("status".into(), Value::from(self.status.as_str()));
        fields.insert("framework_id".into(), Value::Object(framework));
        fields.insert("timestamp".into(), nanoseconds(self.timestamp_ns));
        Value::Object(fields)
    }
}
