//! The ledger of machines: allocations of tasks, executors and reservations, and of other parts.
//!
//! *Knows*: what an agent runs by the master's records, including tasks that it does not list. *Must not know*: the other
//! parts. An offer allocates nothing: if another part takes the resources, the offer is rescinded.
//!
//! Source: `apache/mesos: src/master/master.cpp` (`Master::updateSlave`), for the rescinded offers.

use super::{Agent, AgentState};
use crate::{
    OWNER,
    allocator::{Allocator, Slot, Unwritten},
    api::{AgentId, OfferId, Ranges, Resource, Resources, Value},
    cluster::Cluster,
    offers::{Offers, exchange},
    tasks::{Task, Tasks},
};
use planarium_ground::{Amounts, Cx, Fleet, Holder, Holding, HoldingId, Ledger, MachineId, Ports};
use planarium_kernel::{Milli, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// The owner of all entries, in explanations.
const MESOS: &str = "Mesos";

/// Numbers of entries: the agent, then the kind, then the task's number.
const AGENT_BITS: u32 = 34;
const EXECUTOR: u64 = 1 << 32;
const RESERVATION: u64 = 2 << 32;

/// Target of a ledger entry: amounts and ports, and the name if it is new.
struct Wanted {
    amounts: Amounts,
    ports: Ranges,
    holder: Holder,
}

fn is_reserved(resource: &Resource) -> bool {
    !resource.reservations.is_empty()
}

/// Adds the amounts that a ledger counts: scalars of the machine and of its first disk, and ports.
fn count<'a>(resources: impl Iterator<Item = &'a Resource>, amounts: &mut Amounts, ports: &mut Ranges) {
    for resource in resources {
        match &resource.value {
            Value::Scalar(amount) => *amounts = amounts.plus(scalar(resource, *amount)),
            Value::Ranges(ranges) if *resource.name == *"ports" => ports.add(ranges),
            Value::Ranges(_) | Value::Set(_) => {}
        }
    }
}

fn scalar(resource: &Resource, amount: Milli) -> Amounts {
    const NO: Milli = Milli::ZERO;
    match &*resource.name {
        "cpus" => Amounts::in_mib(amount, NO, NO, NO),
        "mem" => Amounts::in_mib(NO, amount, NO, NO),
        "disk" if resource.disk_source().is_none() => Amounts::in_mib(NO, NO, amount, NO),
        "gpus" => Amounts::in_mib(NO, NO, NO, amount),
        _ => Amounts::NONE,
    }
}

/// Amounts of all that is counted.
pub(crate) fn amounts_of<'a>(resources: impl Iterator<Item = &'a Resource>) -> (Amounts, Ranges) {
    let (mut amounts, mut ports) = (Amounts::NONE, Ranges::new());
    count(resources, &mut amounts, &mut ports);
    (amounts, ports)
}

fn ports_of(ranges: &Ranges) -> Arc<[Ports]> {
    let port = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    ranges.pairs().iter().map(|(first, last)| Ports { first: port(*first), last: port(*last) }).collect()
}

/// Returns the other owners' holdings on a machine, as unreserved resources of its agent.
fn others_of(ledger: &Ledger, machine: MachineId) -> Resources {
    let held = ledger.held_by_others(machine, OWNER);
    let mut all = Resources::new();
    let (mem, disk) = (held.mem_mib_up(), held.disk_mib_up());
    for (name, amount) in [("cpus", held.cpus), ("mem", mem), ("disk", disk), ("gpus", held.gpus)] {
        if amount.is_positive() {
            all.add(Resource::scalar(name, amount));
        }
    }
    let ports = ledger.ports_of_others(machine, OWNER);
    let ports = Ranges::from_pairs(ports.map(|ports| (u64::from(ports.first), u64::from(ports.last))));
    if !ports.is_empty() {
        all.add(Resource::ranges("ports", ports));
    }
    all
}

/// Updates the ledger to the allocations of tasks, executors and reservations, once another part reads it. *Cost*: by what
/// runs on the changed agents.
pub(crate) fn settle_holdings(
    tasks: &Tasks,
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
) {
    if !cluster.allocator.has_unwritten() || !fleet.ledger().is_heard_besides(OWNER) {
        return;
    }
    let agents = match cluster.allocator.take_unwritten() {
        Unwritten::All => (0..cluster.agents.rows.len()).map(AgentId::at).collect(),
        Unwritten::Of(agents) => agents,
    };
    for id in agents {
        write_holdings(tasks, cluster, cx, fleet, id);
        // What others took while an agent's own records still held it is theirs as soon as the records let it go.
        let Some(agent) = cluster.agents.get(id) else { continue };
        let behind = cluster.allocator.slot(id).is_some_and(|slot| {
            let others = others_of(fleet.ledger(), agent.machine);
            slot.others != others && slot.own_total().contains(&others)
        });
        if behind {
            let machine = agent.machine;
            others_changed(offers, cluster, cx, fleet, machine);
        }
    }
}

fn write_holdings(tasks: &Tasks, cluster: &Cluster, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
    let Some(agent) = cluster.agents.get(id) else { return };
    let wanted = holdings_of(tasks, cluster, id, agent);
    let first = u64::from(id.0) << AGENT_BITS;
    let all = first..=first + (1 << AGENT_BITS) - 1;
    let there = fleet.ledger().holdings_between(agent.machine, OWNER, all);
    let gone: Vec<u64> = there.map(|(key, _)| key).filter(|key| !wanted.contains_key(key)).collect();
    for key in gone {
        fleet.release(cx, agent.machine, HoldingId { owner: OWNER, number: key });
    }
    for (key, Wanted { amounts, ports, holder }) in wanted {
        let old = fleet.ledger().holding(agent.machine, OWNER, key);
        // A task holds the same as long as it holds anything.
        let is_same = |old: &Holding| {
            old.amounts == amounts && old.holder.name == holder.name && old.ports.len() == ports.pairs().len()
        };
        if old.is_none_or(|old| !is_same(old)) {
            let holding = Holding { holder, amounts, ports: ports_of(&ports) };
            fleet.hold(cx, agent.machine, HoldingId { owner: OWNER, number: key }, holding);
        }
    }
}

/// All that an agent's tasks, executors and reservations hold, by number: nothing once its machine has another agent.
fn holdings_of(tasks: &Tasks, cluster: &Cluster, id: AgentId, agent: &Agent) -> SortedMap<u64, Wanted> {
    let first = u64::from(id.0) << AGENT_BITS;
    let mut all = SortedMap::new();
    if cluster.agents.on(agent.machine) != Some(id) {
        return all;
    }
    let (mut reserved, mut reserved_ports) = reserved_on(&cluster.allocator, id, agent);
    let mut add = |key: u64, resources: &Resources, holder: Holder| {
        let (amounts, ports) = amounts_of(resources.iter());
        let (used, used_ports) = amounts_of(resources.iter().filter(|one| is_reserved(one)));
        reserved = reserved.less(used);
        reserved_ports.subtract(&used_ports);
        if !amounts.is_none() || !ports.is_empty() {
            all.insert(first + key, Wanted { amounts, ports, holder });
        }
    };
    let task_holder = |task: &Task| Holder {
        owner: MESOS,
        kind: "task",
        name: task.name().clone(),
        service: task.labels.get("service").cloned().unwrap_or_default(),
    };
    let executor_holder =
        |name: &Text| Holder { owner: MESOS, kind: "executor", name: name.clone(), service: Text::default() };
    for (no, task) in agent.tasks.iter().filter_map(|no| Some((no, tasks.get(*no)?))) {
        if !task.freed {
            add(u64::from(no.0), &task.resources, task_holder(task));
        }
    }
    for executor in agent.executors.values() {
        let no = executor.tasks.first().map_or(0, |no| no.0);
        add(EXECUTOR + u64::from(no), &executor.info.resources, executor_holder(&executor.info.id));
    }
    let mut known: Vec<&Text> = Vec::new();
    for (no, untracked) in agent.untracked.iter().filter_map(|no| Some((no, tasks.untracked.get(no)?))) {
        let task = &untracked.task;
        if task.process.is_none() || task.freed || task.agent_state.is_terminal() {
            continue;
        }
        add(u64::from(no.0), &task.resources, task_holder(task));
        if let Some(executor) = &untracked.executor
            && !known.contains(&&executor.id)
        {
            known.push(&executor.id);
            add(EXECUTOR + u64::from(no.0), &executor.resources, executor_holder(&executor.id));
        }
    }
    if !reserved.is_none() || !reserved_ports.is_empty() {
        let holder = Holder {
            owner: MESOS,
            kind: "reservation",
            name: reserving_roles(&cluster.allocator, id, agent),
            service: Text::default(),
        };
        all.insert(first + RESERVATION, Wanted { amounts: reserved, ports: reserved_ports, holder });
    }
    all
}

/// Returns the reservations on an agent, used or not; nothing once it has been removed.
fn reserved_on(allocator: &Allocator, id: AgentId, agent: &Agent) -> (Amounts, Ranges) {
    match allocator.slot(id) {
        Some(slot) => amounts_of(slot.all_of(is_reserved)),
        None if matches!(agent.state, AgentState::Unreachable | AgentState::Recovered) => {
            amounts_of(agent.last_total.iter().filter(|one| is_reserved(one)))
        }
        None => (Amounts::NONE, Ranges::new()),
    }
}

/// Roles that something of an agent is reserved for, as one text.
fn reserving_roles(allocator: &Allocator, id: AgentId, agent: &Agent) -> Text {
    let mut roles: Vec<&str> = match allocator.slot(id) {
        Some(slot) => slot.all_of(is_reserved).map(Resource::role).collect(),
        None => agent.last_total.iter().filter(|one| is_reserved(one)).map(Resource::role).collect(),
    };
    planarium_kernel::sorted::sort(&mut roles);
    roles.dedup();
    roles.join(", ").into()
}

/// Adjusts an agent's offers after other parts took or released resources of its machine. *Order*: offers that contain
/// taken resources are rescinded one by one, oldest first.
pub(crate) fn others_changed(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    machine: MachineId,
) {
    let Some(id) = cluster.agents.hosts.get(machine).and_then(|host| host.agent) else { return };
    let Some(slot) = cluster.allocator.slot(id) else { return };
    let wanted = others_of(fleet.ledger(), machine);
    for offer in offers_in_the_way(offers, id, slot, &wanted) {
        exchange::rescind(offers, cluster, cx, offer);
    }
    cluster.allocator.set_others(id, &wanted, cx.cause());
    cluster.agents.touch(cx, id);
}

/// Returns the offers of an agent that contain what other parts hold of its machine now, oldest first.
fn offers_in_the_way(offers: &Offers, id: AgentId, slot: &Slot, wanted: &Resources) -> Vec<OfferId> {
    let mut open = offers.outstanding.values().filter(|offer| offer.agent == id).peekable();
    let mut taken = Vec::new();
    // Mostly nothing is out, and nothing needs to be added up.
    if open.peek().is_none() {
        return taken;
    }
    let mut free = slot.free.clone();
    free.add_all(&slot.others);
    for offer in open {
        if free.contains(wanted) {
            break;
        }
        let short = wanted.minus(&free);
        if short.minus(&offer.resources) != short {
            free.add_all(&offer.resources);
            taken.push(offer.id);
        }
    }
    taken
}

/// An agent is offered again: what others hold of its machine is not.
pub(crate) fn look_at_others(
    offers: &mut Offers,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    id: AgentId,
) {
    if let Some(machine) = cluster.agents.get(id).map(|agent| agent.machine) {
        others_changed(offers, cluster, cx, fleet, machine);
    }
}

/// Lists the differences between ledger and records in words.
pub(crate) fn check_holdings(tasks: &Tasks, cluster: &Cluster, fleet: &Fleet, broken: &mut Vec<String>) {
    if !fleet.ledger().is_heard_besides(OWNER) {
        // No part reads the allocations of Mesos, so it has written none: an entry would become outdated.
        for agent in &cluster.agents.rows {
            if fleet.ledger().holdings_between(agent.machine, OWNER, 0..=u64::MAX).next().is_some() {
                broken
                    .push(format!("{}: Mesos holds something in a ledger that nobody reads", agent.hostname));
            }
        }
        return;
    }
    if cluster.allocator.has_unwritten() {
        return;
    }
    for (row, agent) in cluster.agents.rows.iter().enumerate() {
        let id = AgentId::at(row);
        let first = u64::from(id.0) << AGENT_BITS;
        let all = first..=first + (1 << AGENT_BITS) - 1;
        let there = fleet.ledger().holdings_between(agent.machine, OWNER, all);
        let there: Vec<(u64, Amounts)> = there.map(|(key, one)| (key, one.amounts)).collect();
        let wanted: Vec<(u64, Amounts)> =
            holdings_of(tasks, cluster, id, agent).iter().map(|(key, one)| (*key, one.amounts)).collect();
        if there != wanted && fleet.machine(agent.machine).is_some() {
            broken.push(format!("agent {}: the ledger has {there:?}, records {wanted:?}", agent.hostname));
        }
        if let Some(slot) = cluster.allocator.slot(id)
            && slot.others != others_of(fleet.ledger(), agent.machine)
            && slot.own_total().contains(&others_of(fleet.ledger(), agent.machine))
        {
            broken.push(format!("agent {}: others hold something else than {}", agent.hostname, slot.others));
        }
    }
}
