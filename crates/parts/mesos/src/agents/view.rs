//! The cluster as a front end shows it: machines, their resources, their tasks, and the actions on them.
//!
//! A machine's view is built once per change and shared.

use crate::{
    actions::action,
    agents::{AGENT_PORT, Agent, AgentState, Host, registration, view_cache::Key},
    api::{AgentId, Resources},
    cluster::Cluster,
    maintenance::cluster::view as maintenance_view,
    records::Records,
    tasks::{Task, view::task_view},
};
use planarium_ground::{Fleet, MachineId};
use planarium_kernel::Milli;
use planarium_protocol::{
    Input,
    input::AddAgent,
    view::{MachineView, NoticeView, ResourceView},
};
use std::sync::Arc;

/// Clusters up to this many machines have their cached views compared with new ones in debug builds.
const COMPARED: usize = 64;

/// All machines in order of joining.
pub(crate) fn machines(records: &Records, fleet: &Fleet) -> Vec<Arc<MachineView>> {
    let all = records.cluster.agents.hosts.iter().filter_map(|(machine, host)| {
        let agent = records.cluster.agents.get(host.agent?)?;
        // A sum, because either part may be the newer one.
        let revision = host.revision.saturating_add(fleet.touched());
        let key = Key { revision, away: fleet.absence(machine).is_some(), stamp: Arc::clone(fleet.stamp()) };
        let view = host.view.get(key, || build(records, fleet, machine, host, agent, revision));
        if cfg!(debug_assertions) && records.cluster.agents.hosts.len() <= COMPARED {
            let fresh = build(records, fleet, machine, host, agent, revision);
            debug_assert!(
                *view == fresh,
                "what is shown of {} has changed without a new revision: {view:?} is {fresh:?}",
                agent.hostname
            );
        }
        Some(view)
    });
    all.collect()
}

fn build(
    records: &Records,
    fleet: &Fleet,
    machine: MachineId,
    host: &Host,
    agent: &Agent,
    revision: u64,
) -> MachineView {
    let id = host.agent.unwrap_or(AgentId(u32::MAX));
    let mut actions = fleet.machine_actions(machine);
    actions.extend(maintenance_view::maintenance_actions(
        &records.maintenance,
        &records.cluster.agents,
        id,
        agent,
    ));
    if agent.state == AgentState::Gone {
        let fresh = AddAgent {
            hostname: Some(agent.hostname.to_string()),
            ip: Some(agent.ip.to_string()),
            port: (agent.port != AGENT_PORT).then_some(agent.port),
            ..AddAgent::default()
        };
        let Records { cluster, maintenance, .. } = records;
        let refusal = registration::takes_again(&cluster.agents, maintenance, fleet, machine).err();
        let why = refusal.as_ref().map(|refusal| refusal.message.as_str());
        actions.push(action("Start a fresh agent on it", Input::AddAgent(fresh), why));
    }
    let tasks: Vec<&Task> = agent.tasks.iter().filter_map(|no| records.tasks.get(*no)).collect();
    MachineView {
        revision,
        hostname: agent.hostname.clone(),
        ip: agent.ip.clone(),
        agent_id: agent.name.clone(),
        port: (agent.port != AGENT_PORT).then_some(agent.port),
        state: maintenance_view::state_word(
            &records.maintenance,
            &records.cluster.agents,
            id,
            agent,
            fleet.absence(machine),
        )
        .into(),
        deactivated: records.cluster.agents.drains.is_deactivated(id),
        unavailability: maintenance_view::unavailability_view(&records.maintenance, agent),
        inverse_offers: maintenance_view::inverse_views(
            &records.maintenance,
            &records.cluster.frameworks,
            id,
        ),
        region: agent.region.clone(),
        zone: agent.zone.clone(),
        notices: notice(records, fleet, agent).into_iter().collect(),
        attributes: agent.attributes.clone(),
        promised_twice: false,
        without_size: 0,
        resources: resource_views(&records.cluster, host, agent, &tasks),
        tasks: tasks.iter().map(|task| task_view(&records.cluster, fleet, task)).collect(),
        actions,
    }
}

/// When the master gives up a silent agent; `None` if the agent is not silent or was given up.
pub(crate) fn notice(records: &Records, fleet: &Fleet, agent: &Agent) -> Option<NoticeView> {
    fleet.absence(agent.machine)?;
    let at = records.cluster.timers.due(agent.ping_timer?)?;
    Some(NoticeView { by: "the master".into(), at_ms: at.ms() })
}

fn resource_views(cluster: &Cluster, host: &Host, agent: &Agent, tasks: &[&Task]) -> Vec<ResourceView> {
    let (mut total, mut used) = (Sums::default(), Sums::default());
    match host.agent.and_then(|id| cluster.allocator.slot(id)) {
        Some(slot) => {
            total.add(&slot.free);
            total.add(&slot.others);
            slot.allocated
                .values()
                .flat_map(crate::allocator::Allocation::parts)
                .for_each(|part| total.add(part));
        }
        None => total.add(&agent.last_total),
    }
    let tasks = tasks.iter().map(|task| &task.resources);
    let executors = agent.executors.values().map(|executor| &executor.info.resources);
    for resources in tasks.chain(executors) {
        used.add(resources);
    }
    let rows = SHOWN.into_iter().zip(total.rows).zip(used.rows);
    rows.filter(|((_, (total, _)), _)| total.is_positive())
        .map(|((name, (total, reserved)), (used, used_reserved))| ResourceView {
            name: name.into(),
            total: total.0,
            used: used.0,
            reserved: reserved.0 - used_reserved.0,
        })
        .collect()
}

/// Scalars that are shown of a machine.
const SHOWN: [&str; 4] = ["cpus", "mem", "disk", "gpus"];

/// Sums of each of [`SHOWN`]: capacity, and the reserved part.
#[derive(Default)]
struct Sums {
    rows: [(Milli, Milli); SHOWN.len()],
}

impl Sums {
    fn add(&mut self, resources: &Resources) {
        for resource in resources {
            let row = SHOWN.iter().zip(&mut self.rows).find(|(name, _)| ***name == *resource.name);
            let Some((_, (all, reserved))) = row else { continue };
            *all = all.saturating_add(resource.amount());
            if resource.reservation().is_some() {
                *reserved = reserved.saturating_add(resource.amount());
            }
        }
    }
}
