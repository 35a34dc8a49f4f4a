//! Invariants of the cluster.

use crate::{
    agents::{AgentState, holdings},
    api::{AgentId, FrameworkId, Resources},
    maintenance::cluster::drains,
    offers::operations,
    records::Records,
};
use planarium_ground::Fleet;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

/// Broken invariants, in words. *Cost*: walks everything; for debug builds and property tests.
pub(crate) fn check(records: &Records, fleet: &Fleet) -> Vec<String> {
    let mut broken = records.cluster.allocator.check();
    check_books(records, &mut broken);
    holdings::check_holdings(&records.tasks, &records.cluster, fleet, &mut broken);
    check_tasks(records, fleet, &mut broken);
    drains::check_maintenance(records, &mut broken);
    operations::check_operations(&records.operations, &records.cluster, &mut broken);
    for offer in records.offers.outstanding.values() {
        let name = offer.name();
        if !records.cluster.agents.get(offer.agent).is_some_and(crate::agents::Agent::is_active) {
            broken.push(format!("offer {name} is of an agent that is not active"));
        }
        if !records
            .cluster
            .frameworks
            .get(offer.framework)
            .is_some_and(crate::frameworks::Framework::is_connected)
        {
            broken.push(format!("offer {name} is to a framework that is not connected"));
        }
    }
    broken
}

/// Per registered agent: offered and used resources equal the allocator's allocations, and do not exceed the total.
fn check_books(records: &Records, broken: &mut Vec<String>) {
    let Records { cluster, tasks, offers, .. } = records;
    for (row, agent) in cluster.agents.rows.iter().enumerate() {
        let id = AgentId::at(row);
        let slot = cluster.allocator.slot(id);
        if (agent.state == AgentState::Registered) != slot.is_some() {
            broken.push(format!("agent {}: registered and not allocatable, or the reverse", agent.hostname));
        }
        let Some(slot) = slot else { continue };
        let mut allocated: SortedMap<(FrameworkId, Text), Resources> =
            tasks.allocated_on(&cluster.agents, id).into_iter().collect();
        for offer in offers.outstanding.values().filter(|offer| offer.agent == id) {
            let sum = allocated.entry((offer.framework, offer.role.clone())).or_default();
            sum.add_all(&offer.resources);
        }
        allocated.retain(|_, resources| !resources.is_empty());
        let same = allocated.len() == slot.allocated.len()
            && allocated.iter().zip(&slot.allocated).all(|((a, one), (b, other))| a == b && *other == *one);
        if !same {
            broken.push(format!(
                "agent {}: held {:?}, recomputed {allocated:?}",
                agent.hostname, slot.allocated
            ));
        }
        let all: Resources = allocated.values().flatten().cloned().collect();
        if !slot.total().contains(&all) {
            broken.push(format!("agent {} is over-allocated: {all} of {}", agent.hostname, slot.total()));
        }
        if slot.active != (agent.connected && !cluster.agents.drains.is_deactivated(id)) {
            broken.push(format!("agent {}: what it is and what is offered differ", agent.hostname));
        }
    }
}

/// Every task has one agent and one framework, and every index knows it.
fn check_tasks(records: &Records, fleet: &Fleet, broken: &mut Vec<String>) {
    let Records { cluster, tasks, .. } = records;
    for (no, task) in tasks.all.iter() {
        let id = task.id();
        let agent = cluster.agents.get(task.agent);
        if !agent.is_some_and(|agent| agent.tasks.contains(no)) {
            broken.push(format!("task {id} is not listed on its agent"));
        }
        if !cluster.frameworks.get(task.framework).is_some_and(crate::frameworks::Framework::is_registered) {
            broken.push(format!("task {id} has no framework"));
        }
        if tasks.ids.get(&(task.framework, id.clone())) != Some(no) {
            broken.push(format!("task {id} is not found by its id"));
        }
        if task.process.is_some_and(|pid| tasks.by_process.get(&pid) != Some(no)) {
            broken.push(format!("task {id} is not found by its process"));
        }
        let unreachable = agent.is_some_and(|agent| agent.state == AgentState::Unreachable);
        if unreachable != task.unreachable_since.is_some() {
            broken.push(format!("task {id}: unreachable is not what its agent is"));
        }
        let waits = cluster.frameworks.acknowledges_explicitly(task.framework)
            && task.freed
            && !task.pending_updates.is_empty();
        if task.state.is_terminal() && !unreachable && !waits {
            broken.push(format!("task {id} has ended and is in the books"));
        }
        if task.freed && (!task.state.is_terminal() || !task.resources.is_empty()) {
            broken.push(format!("task {id} is freed and has not ended, or holds something"));
        }
        if task.awaiting_ack.is_some() && task.pending_updates.is_empty() {
            broken.push(format!("task {id} waits for an acknowledgement of nothing"));
        }
        let lost =
            agent.is_some_and(|agent| fleet.absence(agent.machine) == Some(planarium_ground::Absence::Lost));
        let runs = task.process.is_some_and(|pid| fleet.process_state(pid).is_some());
        if !runs
            && !lost
            && !task.agent_state.is_terminal()
            && agent.is_some_and(crate::agents::Agent::is_reachable)
        {
            broken.push(format!("task {id} runs nowhere"));
        }
    }
    // A process with an agent's id was launched here and must have a task.
    let ours =
        |pid: &planarium_ground::ProcessId| fleet.labels(*pid).is_some_and(|l| l.get("agent-id").is_some());
    if fleet
        .process_ids()
        .filter(ours)
        .any(|pid| !tasks.by_process.contains_key(&pid) && !tasks.shutting_down.contains(&pid))
    {
        broken.push("a process runs without a task".to_owned());
    }
    let listed: usize = cluster.agents.rows.iter().map(|agent| agent.tasks.len()).sum();
    let processes =
        tasks.all.values().filter(|task| task.process.is_some()).count() + tasks.untracked_processes();
    if listed != tasks.all.len() || tasks.ids.len() != tasks.all.len() || tasks.by_process.len() != processes
    {
        broken.push("an index of tasks holds a stranger".to_owned());
    }
}
