//! Machines join and leave; their agents register.
//!
//! Source: `apache/mesos: src/master/master.cpp` (registerSlave, unregisterSlave). Match; an agent registers at
//! the instant its machine joins or comes back.

use crate::{
    Master,
    agents::Removal,
    agents::{AGENT_PORT, Agent, AgentState, Host},
    api::validity::is_role,
    api::{AgentId, AgentInfo, DiskInfo, DiskSource, Ranges, Reservation, Resource, Resources, Value},
    maintenance::MachineId as MachineName,
};
use planarium_fleet::{Cx, Fleet, MachineId, MachineSpec};
use planarium_kernel::{Limits, Milli, SimTime};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::{
    Amount, EventBody, Refusal, Text,
    input::{self, AddAgent},
    refusal::RefusalCode,
};
use std::sync::Arc;

/// What a machine has when the input does not say.
const DEFAULT_CPUS: Milli = Milli(8_000);
const DEFAULT_MEM_MIB: Milli = Milli(32_768_000);
const DEFAULT_DISK_MIB: Milli = Milli(204_800_000);
const DEFAULT_PORTS: (u64, u64) = (1025, 65_535);

fn bad<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalCode::BadRequest, text))
}

impl Master {
    /// Brings machines with an agent on each into the cluster.
    ///
    /// *Errors*: names that repeat, amounts that are none, roles that are none, more machines than a world takes.
    pub fn add_agent(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        add: &AddAgent,
    ) -> Result<Vec<AgentId>, Refusal> {
        let total = total_of(add)?;
        let names = self.new_names(fleet, add)?;
        let mut ids = Vec::with_capacity(names.len());
        for (hostname, ip) in names {
            let spec = MachineSpec {
                hostname,
                ip,
                region: add.region.as_deref().map(Text::from),
                zone: add.zone.as_deref().map(Text::from),
                attributes: add
                    .attributes
                    .iter()
                    .map(|(k, v)| (k.as_str().into(), v.as_str().into()))
                    .collect(),
                resources: add.resources.clone(),
                roles: add.roles.clone(),
            };
            let key = MachineName::of_agent(spec.hostname.clone(), spec.ip.clone()).key();
            let machine = fleet.add_machine(cx, spec);
            let port = add.port.unwrap_or(AGENT_PORT);
            self.hosts.insert(machine, Host { port, ..Host::default() });
            Arc::make_mut(&mut self.by_name).entry(key).or_default().push(machine);
            ids.extend(self.register(cx, fleet, machine, total.clone()));
        }
        self.run_requested(cx, fleet);
        Ok(ids)
    }

    /// Takes a machine away for good.
    ///
    /// *Errors*: no machine of this hostname or agent id.
    pub fn remove_agent(&mut self, cx: &mut Cx, fleet: &mut Fleet, which: &str) -> Result<(), Refusal> {
        let found = self.hosts.iter().find_map(|(machine, host)| {
            let agent = self.agent(host.agent?)?;
            (&*agent.hostname == which || &*agent.name == which).then_some((machine, host.agent?))
        });
        let Some((machine, agent)) = found else {
            return Err(Refusal::new(RefusalCode::NotFound, format!("no agent {which}")));
        };
        // The master must not hear of processes that end with the machine before it has closed its books.
        if self.agent(agent).is_some_and(|agent| agent.state == AgentState::Registered) {
            self.retire_agent(cx, fleet, agent, Removal::Removed("the agent was taken out of the cluster"));
        }
        self.remove_recovered(agent);
        self.end_untracked(cx, fleet, agent);
        fleet.remove_machine(cx, machine);
        self.hosts.remove(machine);
        for machines in Arc::make_mut(&mut self.by_name).values_mut() {
            machines.retain(|other| *other != machine);
        }
        Ok(())
    }

    /// An agent registers under a new id. None when its machine is DOWN: it is told to shut down.
    pub(crate) fn register(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        machine: MachineId,
        total: Resources,
    ) -> Option<AgentId> {
        let spec = fleet.machine(machine)?.clone();
        let id = AgentId::at(self.agents.len());
        let name: Text = format!("{}-S{}", self.uuid, id.0).into();
        let (here, port) = (
            MachineName::of_agent(spec.hostname.clone(), spec.ip.clone()),
            self.hosts.get(machine).map_or(AGENT_PORT, |host| host.port),
        );
        // Before anything else about the agent.
        let let_in = Arc::make_mut(&mut self.machines).attach(&here, id).is_ok();
        let known = self.hosts.get(machine).and_then(|host| host.agent);
        if let (false, Some(known)) = (let_in, known) {
            self.refuse_registration(cx, fleet, known);
            return None;
        }
        if self.region.is_none() && spec.region.is_some() {
            self.region.clone_from(&spec.region);
            self.allocator.set_region(self.region.clone());
        }
        if let_in {
            fleet.set_agent_id(machine, name.clone());
        }
        let info = AgentInfo {
            agent_id: if let_in { name.clone() } else { Text::default() },
            hostname: spec.hostname.clone(),
            ip: spec.ip.clone(),
            port,
            attributes: spec.attributes.clone(),
            region: spec.region.clone(),
            zone: spec.zone.clone(),
        };
        let agent = Agent {
            name: info.agent_id.clone(),
            machine,
            info: Arc::new(info),
            state: if let_in { AgentState::Registered } else { AgentState::Removed },
            connected: let_in,
            shutdown_done: SimTime::ZERO,
            awaits_permit: false,
            missed_shutdown: false,
            ping_timer: None,
            registered: cx.now(),
            joined: cx.now(),
            returned: None,
            unreachable_since: None,
            gc_timer: None,
            collected: false,
            last_total: if let_in { Resources::new() } else { total.clone() },
            executors: crate::agents::Executors::default(),
            tasks: SortedSet::new(),
            untracked: Vec::new(),
        };
        self.agents.push(Arc::new(agent));
        if let Some(host) = self.hosts.get_mut(machine) {
            host.agent = Some(id);
        }
        if !let_in {
            self.refuse_registration(cx, fleet, id);
            return None;
        }
        self.counters.registrations += 1;
        cx.following(EventBody::AgentRegistered { agent: spec.hostname.clone(), agent_id: name }, |cx| {
            let region = spec.region.as_ref();
            self.allocator.add_agent(id, &spec.hostname, region, &total, Vec::new(), cx.cause());
            self.want_inverse_offers(id, cx.cause());
            self.request_run(id);
            self.touch_agent(cx, id);
        });
        Some(id)
    }

    /// Hostnames and addresses for the machines to come.
    fn new_names(&self, fleet: &Fleet, add: &AddAgent) -> Result<Vec<(Text, Text)>, Refusal> {
        let count = add.count.unwrap_or(1);
        let there = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        if there.saturating_add(count) > Limits::DEFAULT.machines {
            let text = format!("a world holds at most {} machines", Limits::DEFAULT.machines);
            return Err(Refusal::new(RefusalCode::LimitReached, text));
        }
        let pattern = add.hostname.as_deref().unwrap_or("agent-{n}");
        if pattern.is_empty() || pattern.contains(char::is_whitespace) {
            return bad("a hostname is one word");
        }
        if count != 1 && !pattern.contains("{n}") {
            return bad(format!("hostname `{pattern}` needs {{n}} for {count} machines"));
        }
        let port = add.port.unwrap_or(AGENT_PORT);
        let there: Vec<(&Arc<MachineSpec>, u16)> = fleet
            .machine_ids()
            .filter_map(|id| Some((fleet.machine(id)?, self.hosts.get(id)?.port)))
            .collect();
        // An agent with a port of its own may join a machine that is there.
        let in_the_way = |(_, other): &(_, u16)| add.port.is_none() || *other == port;
        let mut used: SortedSet<Text> =
            there.iter().filter(|there| in_the_way(there)).map(|(spec, _)| spec.hostname.clone()).collect();
        let addresses: SortedMap<Text, Text> = match add.port {
            Some(_) => there.iter().map(|(spec, _)| (spec.hostname.clone(), spec.ip.clone())).collect(),
            None => SortedMap::new(),
        };
        let mut names = Vec::new();
        let mut n = 0_u32;
        while names.len() < count as usize {
            n = n.saturating_add(1);
            let hostname: Text = pattern.replace("{n}", &n.to_string()).into();
            if used.insert(hostname.clone()) {
                let nth = u32::try_from(self.agents.len() + names.len() + 1).unwrap_or(u32::MAX);
                let ip: Text = match (&add.ip, addresses.get(&hostname)) {
                    (Some(ip), _) => ip.replace("{n}", &n.to_string()).into(),
                    (None, Some(ip)) => ip.clone(),
                    (None, None) => format!("10.0.{}.{}", nth >> 8 & 0xFF, nth & 0xFF).into(),
                };
                names.push((hostname, ip));
            } else if !pattern.contains("{n}") {
                return Err(Refusal::new(
                    RefusalCode::Conflict,
                    format!("a machine {hostname} is there already"),
                ));
            }
        }
        Ok(names)
    }
}

/// Everything a machine has: what it says, defaults, static reservations.
fn total_of(add: &AddAgent) -> Result<Resources, Refusal> {
    let amount = |given: Option<Amount>, default: Milli| given.map_or(default, |a| Milli(a.thousandths()));
    let own = &add.resources;
    let with_defaults = input::Resources {
        cpus: Some(Amount(amount(own.cpus, DEFAULT_CPUS).0)),
        mem: Some(Amount(amount(own.mem, DEFAULT_MEM_MIB).0)),
        disk: Some(Amount(amount(own.disk, DEFAULT_DISK_MIB).0)),
        ports: Some(
            own.ports.clone().unwrap_or_else(|| format!("[{}-{}]", DEFAULT_PORTS.0, DEFAULT_PORTS.1)),
        ),
        ..own.clone()
    };
    let mut total = resources_of(&with_defaults, None)?;
    for (role, resources) in &add.roles {
        if role == "*" || !is_role(role) {
            return bad(format!("`{role}` is not a role that resources can be reserved for"));
        }
        total.add_all(&resources_of(resources, Some(role))?);
    }
    Ok(total)
}

/// An input's resources, set apart for a role if one is given.
fn resources_of(given: &input::Resources, role: Option<&str>) -> Result<Resources, Refusal> {
    let mut all = Resources::new();
    let mut put = |resource: Resource| {
        all.add(match role {
            Some(role) => resource.pushed(Reservation::fixed(role)),
            None => resource,
        });
    };
    for (name, amount) in
        [("cpus", given.cpus), ("mem", given.mem), ("disk", given.disk), ("gpus", given.gpus)]
    {
        let Some(amount) = amount.map(|amount| Milli(amount.thousandths())) else { continue };
        if amount.0 < 0 {
            return bad(format!("{name} is negative"));
        }
        if name == "gpus" && amount.0 % 1000 != 0 {
            return bad("gpus are whole numbers");
        }
        put(Resource::scalar(name, amount));
    }
    if let Some(text) = &given.ports {
        match Value::parse(text) {
            Ok(Value::Ranges(ranges)) => put(Resource::ranges("ports", ranges)),
            Ok(Value::Scalar(port)) if port.0 % 1000 == 0 => {
                put(Resource::ranges("ports", Ranges::one(port.whole().unsigned_abs())));
            }
            _ => return bad(format!("ports `{text}` are not ranges such as [1024-65535]")),
        }
    }
    let mut paths = SortedSet::new();
    for disk in &given.disks {
        let (root, profile): (Text, _) = (disk.path.as_str().into(), disk.profile.as_deref().map(Text::from));
        if disk.size.0 <= 0 || disk.path.is_empty() || !paths.insert(&disk.path) {
            return bad(format!("disk `{}` needs a path of its own and a size", disk.path));
        }
        let source = match disk.kind.to_ascii_uppercase().as_str() {
            "MOUNT" => DiskSource::Mount { root, profile },
            "PATH" => DiskSource::Path { root, profile },
            other => return bad(format!("disk type `{other}` is not MOUNT or PATH")),
        };
        let disk_info = DiskInfo { source: Some(source), persistence: None };
        put(Resource {
            disk: Some(Arc::new(disk_info)),
            ..Resource::scalar("disk", Milli(disk.size.thousandths()))
        });
    }
    Ok(all)
}
