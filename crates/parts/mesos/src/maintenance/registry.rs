//! Machines as the master knows them: mode, unavailability, agents on them.
//!
//! A machine is added when an agent registers from it or when a schedule names it, and never removed: it goes
//! goes back to UP. The first spelling of its name stays.
//!
//! *Order*: machines in order of appearance, agents of a machine in order of registration (the real master
//! has no order).
//! Source: `apache/mesos: src/master/master.hpp` (Machine), `src/master/master.cpp` (registration of agents
//! from deactivated machines). Match.

use super::{MachineId, MachineKey, Schedule, Unavailability};
use crate::api::AgentId;
use planarium_kernel::{Digestible, id_types};
use planarium_kernel::{Map, SortedMap, SortedSet};
use std::sync::Arc;

id_types! {
    /// Number of a machine. Never reused.
    pub(super) MachineRow;
}

/// The modes of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Not scheduled.
    #[default]
    Up,
    /// Scheduled for maintenance; tasks keep running, and frameworks are asked to leave.
    Draining,
    /// In maintenance; its agents may not register.
    Down,
}

impl Mode {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Draining => "DRAINING",
            Self::Down => "DOWN",
        }
    }
}

/// The record of a machine. *Invariant*: it has an unavailability exactly when its mode is not UP.
#[derive(Clone, Debug, PartialEq, Eq, Digestible)]
#[digest(
    id.to_string(), mode.as_str(), unavailability.map_or(0, |away| away.start_ns),
    unavailability.and_then(|away| away.duration_ns).unwrap_or(-1),
)]
pub struct MachineInfo {
    /// Its name as first spelled.
    pub id: MachineId,
    /// Its mode.
    pub mode: Mode,
    /// When it is expected to be unavailable.
    pub unavailability: Option<Unavailability>,
}

/// A machine with the agents on it.
#[derive(Clone, Debug, PartialEq, Eq, Digestible)]
#[digest(info, agents)]
pub struct Machine {
    /// Its record.
    pub info: MachineInfo,
    /// Registered agents, connected or not. *Invariant*: none when DOWN.
    pub agents: Vec<AgentId>,
}

/// An agent may not register because its machine is DOWN. It must be told to shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineIsDown;

/// All machines, and the schedule as posted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(
    all machines, schedule.is_some(),
    schedule.as_deref().map(|schedule| schedule.windows.as_slice()).unwrap_or_default(),
)]
pub struct MachineRegistry {
    machines: Vec<Machine>,
    rows: Map<MachineKey, MachineRow>,
    by_agent: SortedMap<AgentId, MachineRow>,
    /// None before the first post and after the last machine came up; a cancelled schedule is an empty one.
    pub(super) schedule: Option<Arc<Schedule>>,
}

impl MachineRegistry {
    /// No machines and no schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// An agent registers, or comes back, from a machine: attaches it and returns the unavailability for its
    /// offers.
    ///
    /// *Errors*: the machine is DOWN. This is checked before anything else about the agent.
    pub fn attach(
        &mut self,
        id: &MachineId,
        agent: AgentId,
    ) -> Result<Option<Unavailability>, MachineIsDown> {
        if self.refuses(id) {
            return Err(MachineIsDown);
        }
        let row = self.row_or_new(id);
        if self.by_agent.get(&agent) != Some(&row) {
            self.detach(agent);
            self.by_agent.insert(agent, row);
            if let Some(machine) = self.at_mut(row) {
                machine.agents.push(agent);
            }
        }
        Ok(self.at(row).and_then(|machine| machine.info.unavailability))
    }

    /// Detaches an agent that was removed, marked unreachable or marked gone. A disconnected one stays attached.
    pub fn detach(&mut self, agent: AgentId) {
        let Some(row) = self.by_agent.remove(&agent) else { return };
        if let Some(machine) = self.at_mut(row) {
            machine.agents.retain(|attached| *attached != agent);
        }
    }

    /// Returns whether agents of this machine may not register.
    pub fn refuses(&self, id: &MachineId) -> bool {
        self.mode(id) == Mode::Down
    }

    /// The mode of a machine; unknown ones are UP.
    pub fn mode(&self, id: &MachineId) -> Mode {
        self.machine(id).map_or(Mode::Up, |machine| machine.info.mode)
    }

    /// A machine by its name.
    pub fn machine(&self, id: &MachineId) -> Option<&Machine> {
        self.at(self.row(&id.key())?)
    }

    /// The machine of an agent.
    pub fn machine_of(&self, agent: AgentId) -> Option<&Machine> {
        self.at(*self.by_agent.get(&agent)?)
    }

    /// The unavailability for an agent's offers.
    pub fn unavailability(&self, agent: AgentId) -> Option<Unavailability> {
        // Without a schedule all machines are up.
        self.schedule.as_ref()?;
        self.machine_of(agent)?.info.unavailability
    }

    /// Returns whether the machine of an agent is in the current schedule.
    pub fn is_scheduled(&self, agent: AgentId) -> bool {
        self.machine_of(agent).is_some_and(|machine| machine.info.mode != Mode::Up)
    }

    /// All machines known, in order of appearance.
    pub fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.machines.iter()
    }

    /// The schedule as posted, when there is one.
    pub fn schedule(&self) -> Option<&Arc<Schedule>> {
        self.schedule.as_ref()
    }

    /// Broken invariants, in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let scheduled: SortedSet<MachineKey> =
            self.schedule.iter().flat_map(|schedule| schedule.machines()).map(|(id, _)| id.key()).collect();
        for key in &scheduled {
            if self.row(key).is_none() {
                broken.push(format!("scheduled machine {key:?} is not known"));
            }
        }
        for (key, row) in &self.rows {
            let Some(Machine { info, agents }) = self.at(*row) else {
                broken.push(format!("machine {key:?} has no row"));
                continue;
            };
            let (id, mode) = (&info.id, info.mode);
            if id.key() != *key {
                broken.push(format!("machine {id} is filed as {key:?}"));
            }
            if scheduled.contains(key) == (mode == Mode::Up) {
                broken.push(format!("machine {id} is {} and scheduled: {}", mode.as_str(), mode == Mode::Up));
            }
            if info.unavailability.is_some() == (mode == Mode::Up) {
                broken.push(format!("machine {id} is {} with {:?}", mode.as_str(), info.unavailability));
            }
            if mode == Mode::Down && !agents.is_empty() {
                broken.push(format!("machine {id} is DOWN and has agents {agents:?}"));
            }
            for agent in agents {
                if self.by_agent.get(agent) != Some(row) {
                    broken.push(format!("agent {} of machine {id} is filed elsewhere", agent.0));
                }
            }
        }
        let attached: usize = self.machines.iter().map(|machine| machine.agents.len()).sum();
        if attached != self.by_agent.len() || self.rows.len() != self.machines.len() {
            broken.push("machines, names and agents do not add up".into());
        }
        broken
    }

    pub(super) fn row(&self, key: &MachineKey) -> Option<MachineRow> {
        self.rows.get(key).copied()
    }

    /// The row of a machine, which is added when it is new.
    pub(super) fn row_or_new(&mut self, id: &MachineId) -> MachineRow {
        let key = id.key();
        if let Some(row) = self.row(&key) {
            return row;
        }
        let row = MachineRow::at(self.machines.len());
        let info = MachineInfo { id: id.clone(), mode: Mode::Up, unavailability: None };
        self.machines.push(Machine { info, agents: Vec::new() });
        self.rows.insert(key, row);
        row
    }

    pub(super) fn all_rows(&self) -> impl Iterator<Item = MachineRow> + use<> {
        (0..self.machines.len()).map(MachineRow::at)
    }

    pub(super) fn at(&self, row: MachineRow) -> Option<&Machine> {
        self.machines.get(row.index())
    }

    pub(super) fn at_mut(&mut self, row: MachineRow) -> Option<&mut Machine> {
        self.machines.get_mut(row.index())
    }
}
