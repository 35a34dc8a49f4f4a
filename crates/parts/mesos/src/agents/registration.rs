//! Machines join and leave; their agents register.
//!
//! Source: `apache/mesos: src/master/master.cpp` (registerSlave, unregisterSlave). Match; an agent registers at
//! the instant its machine joins or comes back.

use crate::{
    agents::{
        AGENT_PORT, Agent, AgentState, Agents, Host, Removal, RemovalReason, admission, holdings, removal,
    },
    api::{
        AgentId, AgentInfo, DiskInfo, DiskSource, Ranges, Reservation, Resource, Resources, Value,
        validity::is_role,
    },
    maintenance::{MachineId as MachineName, Maintenance},
    records::Records,
    tasks::untracked,
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet, MachineId, MachineSpec};
use planarium_kernel::{Limits, Milli, SimTime};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::{
    Amount, EventBody, Refusal, Text,
    input::{self, AddAgent},
    refusal::RefusalCode,
};
use std::{collections::BTreeMap, sync::Arc};

/// What a machine has unless the input says otherwise.
const DEFAULT_CPUS: Milli = Milli(8_000);
const DEFAULT_MEM_MIB: Milli = Milli(32_768_000);
const DEFAULT_DISK_MIB: Milli = Milli(204_800_000);
const DEFAULT_PORTS: (u64, u64) = (1025, 65_535);

fn bad<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalCode::BadRequest, text))
}

/// Brings machines with an agent on each into the cluster.
///
/// *Errors*: repeated names, invalid amounts or roles, more machines than a world allows.
pub(crate) fn add_agent(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    add: &AddAgent,
) -> Result<Vec<AgentId>, Refusal> {
    let total = total_of(&add.resources, &add.roles)?;
    let places = places(&records.cluster.agents, &records.maintenance, fleet, add)?;
    let mut ids = Vec::with_capacity(places.len());
    for place in places {
        let (hostname, ip) = match place {
            Place::New(hostname, ip) => (hostname, ip),
            Place::Again(machine) => {
                let total = match fleet.machine(machine) {
                    // What it has unless the input says otherwise.
                    Some(spec) if add.resources == input::Resources::default() && add.roles.is_empty() => {
                        total_of(&spec.resources, &spec.roles)?
                    }
                    _ => total.clone(),
                };
                ids.extend(register(records, cx, fleet, machine, total));
                continue;
            }
        };
        let spec = MachineSpec {
            hostname,
            ip,
            region: add.region.as_deref().map(Text::from),
            zone: add.zone.as_deref().map(Text::from),
            attributes: add.attributes.iter().map(|(k, v)| (k.as_str().into(), v.as_str().into())).collect(),
            resources: add.resources.clone(),
            roles: add.roles.clone(),
        };
        let key = MachineName::of_agent(spec.hostname.clone(), spec.ip.clone()).key();
        let machine = fleet.add_machine(cx, spec);
        let port = add.port.unwrap_or(AGENT_PORT);
        records.cluster.agents.hosts.insert(machine, Host { port, ..Host::default() });
        Arc::make_mut(&mut records.maintenance.by_name).entry(key).or_default().push(machine);
        ids.extend(register(records, cx, fleet, machine, total.clone()));
    }
    Ok(ids)
}

/// Removes a machine for good, with all agents on it; given an agent's id, only that agent.
///
/// *Errors*: no machine of this hostname, or agent of this id; several machines of this hostname, unless it is
/// written `HOSTNAME@ADDRESS`.
pub(crate) fn remove_agent(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    which: &str,
) -> Result<(), Refusal> {
    let (hostname, ip) = which.split_once('@').map_or((which, None), |(name, ip)| (name, Some(ip)));
    let all = || {
        records
            .cluster
            .agents
            .hosts
            .iter()
            .filter_map(|(host, of)| Some((host, of.agent?, records.cluster.agents.get(of.agent?)?)))
    };
    let is_meant = |agent: &Agent| &*agent.hostname == hostname && ip.is_none_or(|ip| &*agent.ip == ip);
    let mut found: Vec<(MachineId, AgentId, &Agent)> =
        all().filter(|(.., agent)| &*agent.name == which).collect();
    if found.is_empty() {
        found.extend(all().filter(|(.., agent)| is_meant(agent)));
    }
    let Some((.., first)) = found.first() else {
        return Err(Refusal::new(RefusalCode::NotFound, format!("no agent {which}")));
    };
    if let Some((.., other)) = found.iter().find(|(.., agent)| agent.ip != first.ip) {
        let text = format!(
            "several machines are called {which}: write {which}@{} or {which}@{}, or an agent's id",
            first.ip, other.ip
        );
        return bad(text);
    }
    let found: Vec<(MachineId, AgentId)> = found.into_iter().map(|(host, id, _)| (host, id)).collect();
    for (machine, agent) in found {
        take_machine_out(records, cx, fleet, machine, agent);
    }
    Ok(())
}

fn take_machine_out(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    machine: MachineId,
    agent: AgentId,
) {
    // The master closes its records before it hears of processes that end with the machine.
    if records.cluster.agents.get(agent).is_some_and(|agent| agent.state == AgentState::Registered) {
        removal::retire_agent(records, cx, fleet, agent, Removal::Removed(RemovalReason::TakenOut));
    }
    admission::remove_recovered(&mut records.operations, &mut records.cluster, agent);
    untracked::end_untracked(&mut records.tasks, &mut records.cluster, cx, fleet, agent);
    fleet.remove_machine(cx, machine);
    records.cluster.agents.hosts.remove(machine);
    for machines in Arc::make_mut(&mut records.maintenance.by_name).values_mut() {
        machines.retain(|other| *other != machine);
    }
}

/// Registers an agent under a new id. None when its machine is DOWN: the agent is told to shut down.
pub(crate) fn register(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    machine: MachineId,
    total: Resources,
) -> Option<AgentId> {
    let spec = fleet.machine(machine)?.clone();
    let id = AgentId::at(records.cluster.agents.rows.len());
    let name: Text = format!("{}-S{}", records.cluster.ids.uuid, id.0).into();
    let (here, port) = (
        MachineName::of_agent(spec.hostname.clone(), spec.ip.clone()),
        records.cluster.agents.hosts.get(machine).map_or(AGENT_PORT, |host| host.port),
    );
    // Before anything else about the agent.
    let let_in = Arc::make_mut(&mut records.maintenance.machines).attach(&here, id).is_ok();
    let known = records.cluster.agents.hosts.get(machine).and_then(|host| host.agent);
    if let (false, Some(known)) = (let_in, known) {
        admission::refuse_registration(records, cx, fleet, known);
        return None;
    }
    if let Some(known) = known {
        records.cluster.allocator.note_held(known);
    }
    if records.cluster.agents.region.is_none() && spec.region.is_some() {
        records.cluster.agents.region.clone_from(&spec.region);
        records.cluster.allocator.set_region(records.cluster.agents.region.clone());
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
    records.cluster.agents.rows.push(Arc::new(agent));
    if let Some(host) = records.cluster.agents.hosts.get_mut(machine) {
        host.agent = Some(id);
    }
    if !let_in {
        admission::refuse_registration(records, cx, fleet, id);
        return None;
    }
    records.cluster.counters.registrations += 1;
    cx.following(EventBody::AgentRegistered { agent: spec.hostname.clone(), agent_id: name }, |cx| {
        let region = spec.region.as_ref();
        records.cluster.allocator.add_agent(id, &spec.hostname, region, &total, Vec::new(), cx.cause());
        fleet.hear_holdings(crate::OWNER);
        fleet.widen_machine(machine, holdings::amounts_of(total.iter()).0);
        holdings::look_at_others(&mut records.offers, &mut records.cluster, cx, fleet, id);
        records.maintenance.want_inverse_offers(id, cx.cause());
        records.offers.request_run(id);
        records.cluster.agents.touch(cx, id);
        operator_event::agent_added(records, cx, id, &[]);
    });
    Some(id)
}

/// Returns where new agents go: hostnames and addresses of new machines, or machines whose agent is gone.
fn places(
    agents: &Agents,
    maintenance: &Maintenance,
    fleet: &Fleet,
    add: &AddAgent,
) -> Result<Vec<Place>, Refusal> {
    let count = add.count.unwrap_or(1);
    let there = u32::try_from(agents.hosts.len()).unwrap_or(u32::MAX);
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
    let port = add.port.unwrap_or(AGENT_PORT);
    let there: Vec<(MachineId, &Arc<MachineSpec>, &Host)> =
        fleet.machine_ids().filter_map(|id| Some((id, fleet.machine(id)?, agents.hosts.get(id)?))).collect();
    // An agent with a port of its own may join an existing machine.
    let in_the_way = |other: u16| add.port.is_none() || other == port;
    let mut used: SortedSet<Text> = there
        .iter()
        .filter(|(.., host)| in_the_way(host.port))
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
            let nth = u32::try_from(agents.rows.len() + places.len() + 1).unwrap_or(u32::MAX);
            let ip: Text = match (own_ip, addresses.get(&hostname)) {
                (Some(ip), _) => ip,
                (None, Some(ip)) => ip.clone(),
                (None, None) => format!("10.0.{}.{}", nth >> 8 & 0xFF, nth & 0xFF).into(),
            };
            places.push(Place::New(hostname, ip));
        } else if !pattern.contains("{n}") {
            let same = there.iter().find(|(_, spec, host)| {
                spec.hostname == hostname
                    && host.port == port
                    && own_ip.as_ref().is_none_or(|ip| spec.ip == *ip)
            });
            places.push(match (same, own_ip) {
                (Some((machine, ..)), _) => place_again(agents, maintenance, fleet, *machine, &hostname)?,
                // The same name at another address is another machine.
                (None, Some(ip)) => Place::New(hostname, ip),
                (None, None) => return there_already(&hostname),
            });
        }
    }
    Ok(places)
}

/// Checks that the agent of an existing machine is gone, and that a new one may register.
fn place_again(
    agents: &Agents,
    maintenance: &Maintenance,
    fleet: &Fleet,
    machine: MachineId,
    hostname: &Text,
) -> Result<Place, Refusal> {
    let agent = agents.hosts.get(machine).and_then(|host| agents.get(host.agent?));
    let Some(agent) = agent.filter(|agent| agent.state == AgentState::Gone) else {
        return there_already(hostname);
    };
    let conflict = |text: String| Err(Refusal::new(RefusalCode::Conflict, text));
    if fleet.absence(machine).is_some() {
        return conflict(format!("the machine {hostname} is away"));
    }
    if maintenance.machines.refuses(&MachineName::of_agent(agent.hostname.clone(), agent.ip.clone())) {
        return conflict(format!("the machine {hostname} is DOWN: no agent of it may register"));
    }
    Ok(Place::Again(machine))
}

/// Where an agent joins.
enum Place {
    /// On a new machine: its hostname and address.
    New(Text, Text),
    /// On a machine whose agent is gone.
    Again(MachineId),
}

fn there_already<T>(hostname: &Text) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalCode::Conflict, format!("a machine {hostname} is there already")))
}

/// Returns everything that a machine has: amounts of the input, defaults, static reservations.
fn total_of(
    own: &input::Resources,
    roles: &BTreeMap<String, input::Resources>,
) -> Result<Resources, Refusal> {
    let amount = |given: Option<Amount>, default: Milli| given.map_or(default, |a| Milli(a.thousandths()));
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
    for (role, resources) in roles {
        if role == "*" || !is_role(role) {
            return bad(format!("`{role}` is not a role that resources can be reserved for"));
        }
        total.add_all(&resources_of(resources, Some(role))?);
    }
    Ok(total)
}

/// An input's resources, reserved for a role if one is given.
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
