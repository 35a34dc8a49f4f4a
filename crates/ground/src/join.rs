//! Adds and removes machines.
//!
//! *Knows*: names, addresses and ports. *Must not know*: who registers with whom after a machine has joined.

use crate::spec::{MachineId, MachineSpec};
use crate::{Cx, Fleet};
use planarium_kernel::{Limits, SortedMap, SortedSet};
use planarium_protocol::input::AddAgent;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use std::sync::Arc;

/// Default port of a machine's agent.
const USUAL_PORT: u16 = 5051;

/// Targets of an input's placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A new machine: its hostname and address.
    New(Text, Text),
    /// An existing machine.
    Again(MachineId),
}

fn bad<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalCode::BadRequest, text))
}

/// The refusal of a machine that exists already.
pub fn there_already(hostname: &str) -> Refusal {
    Refusal::new(RefusalCode::Conflict, format!("a machine {hostname} is there already"))
}

impl Fleet {
    /// Returns hostnames and addresses of the machines that an input adds, or the existing machine it names.
    ///
    /// *Errors*: repeated names, more machines than a world allows.
    pub fn places(&self, add: &AddAgent) -> Result<Vec<Place>, Refusal> {
        let count = add.count.unwrap_or(1);
        let there = u32::try_from(self.machine_ids().count()).unwrap_or(u32::MAX);
        if there.saturating_add(count) > Limits::DEFAULT.machines {
            let text = format!("a world holds at most {} machines", Limits::DEFAULT.machines);
            return Err(Refusal::new(RefusalCode::LimitReached, text));
        }
        let pattern = add.hostname.as_deref().unwrap_or("agent-{n}");
        if pattern.is_empty() || pattern.contains(|c: char| c.is_whitespace() || c == '@') {
            return bad("a hostname is one word without @");
        }
        if count != 1 && !pattern.contains("{n}") {
            return bad(format!("hostname `{pattern}` needs {{n}} for {count} machines"));
        }
        let port = add.port.unwrap_or(USUAL_PORT);
        let there: Vec<(MachineId, &Arc<MachineSpec>, u16)> = self
            .machine_ids()
            .filter_map(|id| Some((id, self.machine(id)?, self.machine_ref(id)?.port.unwrap_or(USUAL_PORT))))
            .collect();
        // With its own port, another agent may join an existing machine.
        let in_the_way = |other: u16| add.port.is_none() || other == port;
        let mut used: SortedSet<Text> = there
            .iter()
            .filter(|(.., other)| in_the_way(*other))
            .map(|(_, spec, _)| spec.hostname.clone())
            .collect();
        let addresses: SortedMap<Text, Text> = match add.port {
            Some(_) => there.iter().map(|(_, spec, _)| (spec.hostname.clone(), spec.ip.clone())).collect(),
            None => SortedMap::new(),
        };
        let mut places = Vec::new();
        let mut n = 0_u32;
        while places.len() < count as usize {
            n = n.saturating_add(1);
            let hostname: Text = pattern.replace("{n}", &n.to_string()).into();
            let own_ip: Option<Text> = add.ip.as_ref().map(|ip| ip.replace("{n}", &n.to_string()).into());
            if used.insert(hostname.clone()) {
                let nth = u32::try_from(self.machines.len() + places.len() + 1).unwrap_or(u32::MAX);
                let ip: Text = match (own_ip, addresses.get(&hostname)) {
                    (Some(ip), _) => ip,
                    (None, Some(ip)) => ip.clone(),
                    (None, None) => format!("10.0.{}.{}", nth >> 8 & 0xFF, nth & 0xFF).into(),
                };
                places.push(Place::New(hostname, ip));
            } else if !pattern.contains("{n}") {
                let same = there.iter().find(|(_, spec, other)| {
                    spec.hostname == hostname
                        && *other == port
                        && own_ip.as_ref().is_none_or(|ip| spec.ip == *ip)
                });
                places.push(match (same, own_ip) {
                    (Some((machine, ..)), _) => Place::Again(*machine),
                    // The same name at another address is another machine.
                    (None, Some(ip)) => Place::New(hostname, ip),
                    (None, None) => return Err(there_already(&hostname)),
                });
            }
        }
        Ok(places)
    }

    /// Adds a machine as described by an input.
    pub fn join(&mut self, cx: &mut Cx, add: &AddAgent, hostname: Text, ip: Text) -> MachineId {
        let spec = MachineSpec {
            hostname,
            ip,
            region: add.region.as_deref().map(Text::from),
            zone: add.zone.as_deref().map(Text::from),
            attributes: add.attributes.iter().map(|(k, v)| (k.as_str().into(), v.as_str().into())).collect(),
            resources: add.resources.clone(),
            roles: add.roles.clone(),
        };
        let id = self.add_machine(cx, spec);
        if let Some(machine) = self.machines.get_mut(id.index()).map(Arc::make_mut) {
            machine.port = add.port;
        }
        id
    }

    /// The port of a machine's agent, if it is not the default.
    pub fn machine_port(&self, id: MachineId) -> Option<u16> {
        self.machine_ref(id)?.port
    }

    /// Returns the machines named by an input: all with a hostname, one as `HOSTNAME@ADDRESS`, or the one with an agent id.
    ///
    /// *Errors*: no such machine, or several addresses with that name.
    pub fn machines_meant(&self, which: &str) -> Result<Vec<MachineId>, Refusal> {
        let (hostname, ip) = which.split_once('@').map_or((which, None), |(name, ip)| (name, Some(ip)));
        let of_agent = |id: &MachineId| {
            self.machine_ref(*id)
                .and_then(|machine| machine.labels.get("agent-id"))
                .is_some_and(|own| &**own == which)
        };
        let of_name = |id: &MachineId| {
            self.machine(*id)
                .is_some_and(|spec| &*spec.hostname == hostname && ip.is_none_or(|ip| &*spec.ip == ip))
        };
        let mut found: Vec<MachineId> = self.machine_ids().filter(of_agent).collect();
        if found.is_empty() {
            found.extend(self.machine_ids().filter(of_name));
        }
        let specs: Vec<&Arc<MachineSpec>> = found.iter().filter_map(|id| self.machine(*id)).collect();
        let Some(first) = specs.first() else {
            return Err(Refusal::new(RefusalCode::NotFound, format!("no agent {which}")));
        };
        if let Some(other) = specs.iter().find(|spec| spec.ip != first.ip) {
            let text = format!(
                "several machines are called {which}: write {which}@{} or {which}@{}, or an agent's id",
                first.ip, other.ip
            );
            return bad(text);
        }
        Ok(found)
    }
}
