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
use planarium_ground::{Cx, Fleet, MachineId};
use planarium_kernel::{Milli, SimTime, SortedSet};
use planarium_protocol::{
    Amount, EventBody, Refusal, Text,
    input::{self, AddAgent},
    refusal::RefusalCode,
};
use std::{collections::BTreeMap, sync::Arc};

/// Default resources of a machine.
const DEFAULT_CPUS: Milli = Milli(8_000);
const DEFAULT_MEM_MIB: Milli = Milli(32_768_000);
const DEFAULT_DISK_MIB: Milli = Milli(204_800_000);
const DEFAULT_PORTS: (u64, u64) = (1025, 65_535);

fn bad<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(RefusalCode::BadRequest, text))
}

/// Refuses amounts or roles that no agent could register with.
pub(crate) fn admits(add: &AddAgent) -> Result<(), Refusal> {
    total_of(&add.resources, &add.roles).map(|_| ())
}

/// Registers the agent of a machine that joined, or a fresh agent on a machine whose agent is gone.
pub(crate) fn machine_joined(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    machine: MachineId,
    add: &AddAgent,
) {
    let Some(spec) = fleet.machine(machine).cloned() else { return };
    let is_new = records.cluster.agents.hosts.get(machine).is_none();
    // Default resources, unless the input sets them.
    let is_bare = add.resources == input::Resources::default() && add.roles.is_empty();
    let total = if is_new || is_bare {
        total_of(&spec.resources, &spec.roles)
    } else {
        total_of(&add.resources, &add.roles)
    };
    let Ok(total) = total else { return };
    if is_new {
        let key = MachineName::of_agent(spec.hostname.clone(), spec.ip.clone()).key();
        let port = fleet.machine_port(machine).unwrap_or(AGENT_PORT);
        records.cluster.agents.hosts.insert(machine, Host { port, ..Host::default() });
        Arc::make_mut(&mut records.maintenance.by_name).entry(key).or_default().push(machine);
    }
    register(records, cx, fleet, machine, total);
}

/// Removes all agents of a machine that is about to be removed.
pub(crate) fn machine_leaves(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
    let Some(agent) = records.cluster.agents.hosts.get(machine).and_then(|host| host.agent) else { return };
    // The master closes its records before the processes of the machine are reported as ended.
    if records.cluster.agents.get(agent).is_some_and(|agent| agent.state == AgentState::Registered) {
        removal::retire_agent(records, cx, fleet, agent, Removal::Removed(RemovalReason::TakenOut));
    }
    admission::remove_recovered(&mut records.operations, &mut records.cluster, agent);
    untracked::end_untracked(&mut records.tasks, &mut records.cluster, cx, fleet, agent);
    records.cluster.agents.hosts.remove(machine);
    for machines in Arc::make_mut(&mut records.maintenance.by_name).values_mut() {
        machines.retain(|other| *other != machine);
    }
}

/// Registers an agent under a new id. `None` if its machine is DOWN: the agent is told to shut down.
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

/// Returns whether a fresh agent may be started on a machine: its agent must be gone, and a new one must be able to register.
///
/// *Errors*: the agent is gone, but its machine is away or DOWN.
pub(crate) fn takes_again(
    agents: &Agents,
    maintenance: &Maintenance,
    fleet: &Fleet,
    machine: MachineId,
) -> Result<bool, Refusal> {
    let agent = agents.hosts.get(machine).and_then(|host| agents.get(host.agent?));
    let Some(agent) = agent.filter(|agent| agent.state == AgentState::Gone) else { return Ok(false) };
    let hostname = &agent.hostname;
    let conflict = |text: String| Err(Refusal::new(RefusalCode::Conflict, text));
    if fleet.absence(machine).is_some() {
        return conflict(format!("the machine {hostname} is away"));
    }
    if maintenance.machines.refuses(&MachineName::of_agent(hostname.clone(), agent.ip.clone())) {
        return conflict(format!("the machine {hostname} is DOWN: no agent of it may register"));
    }
    Ok(true)
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
