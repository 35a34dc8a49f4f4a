//! `/state`, `/slaves`, `/frameworks`.
//!
//! Source: `apache/mesos: src/master/readonly_handler.cpp`, `src/common/http.cpp`. Match in keys.

use super::{
    common::{Calendar, MASTER_IP, MASTER_PORT, VERSION, domain},
    framework::capability_words,
    resource::sums,
    task::{TaskRow, TaskRows},
};
use crate::{
    agents::{Agent, AgentState, Agents},
    api::{Capability, FrameworkId, Offer, Resources},
    cluster::Cluster,
    frameworks::Framework,
    records::Records,
    wire::{agent, task},
};
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Largest number of completed frameworks shown.
const MAX_COMPLETED: usize = 50;
/// Capabilities of the simulated master.
const CAPABILITIES: [&str; 3] = ["AGENT_UPDATE", "AGENT_DRAINING", "QUOTA_V2"];

pub(super) fn state_v0(records: &Records, calendar: Calendar) -> Value {
    let agents = agent::agent_rows(records);
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    let pid = format!("master@{MASTER_IP}:{MASTER_PORT}");
    put("version", json!(VERSION));
    put("build_date", json!("2020-11-24 00:00:00"));
    put("build_time", json!(1_606_176_000.0));
    put("build_user", json!("planarium"));
    put("start_time", calendar.seconds(SimTime::ZERO));
    put("elected_time", calendar.seconds(SimTime::ZERO));
    put("id", json!(records.cluster.ids.uuid));
    put("pid", json!(pid));
    put("hostname", json!("localhost"));
    put("capabilities", json!(CAPABILITIES));
    let active = agents.iter().filter(|row| row.active).count();
    put("activated_slaves", json!(active));
    put("deactivated_slaves", json!(agents.len() - active));
    put("unreachable_slaves", json!(unreachable_agents(&records.cluster.agents)));
    if let Some(domain) = domain(records.cluster.agents.region.as_ref(), None) {
        put("domain", domain);
    }
    put("leader", json!(pid));
    put(
        "leader_info",
        json!({ "id": records.cluster.ids.uuid, "pid": pid, "port": MASTER_PORT, "hostname": "localhost" }),
    );
    put("flags", flags(records));
    put("slaves", agents.iter().map(|row| Value::Object(row.v0(calendar))).collect());
    put("recovered_slaves", agent::recovered_agents(&records.cluster.agents));
    if let Value::Object(frameworks) = frameworks_v0(records, calendar, None) {
        put("frameworks", frameworks.get("frameworks").cloned().unwrap_or_default());
        put("completed_frameworks", frameworks.get("completed_frameworks").cloned().unwrap_or_default());
    }
    put("orphan_tasks", json!([]));
    put("unregistered_frameworks", json!([]));
    Value::Object(map)
}

pub(super) fn unreachable_agents(agents: &Agents) -> usize {
    let unreachable = |agent: &&Arc<Agent>| agent.state == AgentState::Unreachable && !agent.collected;
    agents.rows.iter().filter(unreachable).count()
}

/// Writes `/slaves`; only one agent if its id is given, none if that does not exist.
pub(super) fn slaves_v0(records: &Records, calendar: Calendar, only: Option<&str>) -> Value {
    let rows = agent::agent_rows(records);
    let meant = rows.iter().filter(|row| only.is_none_or(|id| *id == *row.agent.name));
    json!({
        "slaves": meant.map(|row| row.v0_full(calendar)).collect::<Vec<_>>(),
        "recovered_slaves": agent::recovered_agents(&records.cluster.agents),
    })
}

/// `/frameworks`; of a single framework when its id is given.
pub(super) fn frameworks_v0(records: &Records, calendar: Calendar, only: Option<&str>) -> Value {
    let (mut registered, mut completed) = (Vec::new(), Vec::new());
    for (row, (framework, tasks)) in records
        .cluster
        .frameworks
        .rows
        .iter()
        .zip(task::task_rows(&records.tasks, &records.cluster.frameworks))
        .enumerate()
    {
        if only.is_some_and(|id| *id != *framework.name) {
            continue;
        }
        if !framework.is_listed() {
            continue;
        }
        let shown = framework_v0(records, calendar, FrameworkId::at(row), framework, &tasks);
        if framework.is_registered() { &mut registered } else { &mut completed }.push(shown);
    }
    let collected = completed.len().saturating_sub(MAX_COMPLETED);
    completed.drain(..collected);
    json!({
        "frameworks": registered,
        "completed_frameworks": completed,
        "unregistered_frameworks": [],
    })
}

/// The resources that a framework uses and is offered.
pub(super) fn resources_of_framework(records: &Records, id: FrameworkId) -> (Resources, Resources) {
    let mut used = Resources::new();
    for task in
        records.tasks.all.values().filter(|task| task.framework == id && task.unreachable_since.is_none())
    {
        used.add_all(&task.resources);
    }
    for agent in records
        .cluster
        .agents
        .rows
        .iter()
        .filter(|agent| agent.state == crate::agents::AgentState::Registered)
    {
        for ((_, _), executor) in agent.executors.iter().filter(|((framework, _), _)| *framework == id) {
            used.add_all(&executor.info.resources);
        }
    }
    let offers = records.offers.outstanding.values().filter(|offer| offer.framework == id);
    let offered = offers.flat_map(|offer| offer.resources.clone()).collect();
    (used, offered)
}

fn framework_v0(
    records: &Records,
    calendar: Calendar,
    id: FrameworkId,
    framework: &Framework,
    tasks: &TaskRows<'_>,
) -> Value {
    let info = &framework.info;
    let (used, offered) = resources_of_framework(records, id);
    let mut both = used.clone();
    both.add_all(&offered);
    let listed = |rows: &[TaskRow<'_>]| -> Value {
        rows.iter().map(|row| task::task_v0(&records.cluster, calendar, row)).collect()
    };
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("id", json!(framework.name));
    put("name", json!(info.name));
    put("used_resources", sums(&used));
    put("offered_resources", sums(&offered));
    put("resources", sums(&both));
    put("capabilities", json!(capability_words(info)));
    put("hostname", json!(""));
    put("webui_url", json!(""));
    put("active", json!(framework.is_connected()));
    put("connected", json!(framework.is_connected()));
    put("recovered", json!(framework.recovered));
    put("user", json!(info.user));
    put("failover_timeout", super::common::seconds(info.failover_ms));
    put("checkpoint", json!(info.checkpoint));
    put("registered_time", calendar.seconds(framework.registered));
    put("unregistered_time", framework.unregistered.map_or(json!(0.0), |at| calendar.seconds(at)));
    if let Some(at) = framework.reregistered {
        put("reregistered_time", calendar.seconds(at));
    }
    if let Some(principal) = &info.principal {
        put("principal", json!(principal));
    }
    if info.can(Capability::MultiRole) {
        put("roles", json!(info.roles));
    } else {
        put("role", json!(info.roles.first().map_or("*", |role| &**role)));
    }
    put("tasks", listed(&tasks.live));
    put("unreachable_tasks", listed(&tasks.unreachable));
    put("completed_tasks", listed(&tasks.completed));
    let offers = records.offers.outstanding.values().filter(|offer| offer.framework == id);
    put("offers", offers.map(|offer| offer_v0(&records.cluster, offer)).collect());
    put("executors", executors_v0(&records.cluster.agents, id, framework));
    put("offer_constraints", json!({}));
    Value::Object(map)
}

fn offer_v0(cluster: &Cluster, offer: &Offer) -> Value {
    json!({
        "id": offer.name(),
        "framework_id": cluster.frameworks.wire_id(offer.framework),
        "allocation_info": { "role": offer.role },
        "slave_id": offer.agent_id,
        "resources": sums(&offer.resources),
    })
}

fn executors_v0(agents: &Agents, id: FrameworkId, framework: &Framework) -> Value {
    let registered = agents.rows.iter().filter(|a| a.state == crate::agents::AgentState::Registered);
    let all = registered.flat_map(|agent| agent.executors.iter().map(move |entry| (agent, entry)));
    all.filter(|(_, ((of, _), _))| *of == id)
        .map(|(agent, ((_, executor_id), executor))| {
            json!({
                "executor_id": executor_id,
                "name": "",
                "source": "",
                "framework_id": framework.name,
                "slave_id": agent.name,
                "resources": sums(&executor.info.resources),
                "role": executor.role,
            })
        })
        .collect()
}

/// Writes the flags that a user may look for, with durations in the real master's format.
pub(super) fn flags(records: &Records) -> Value {
    let Records { cluster, offers, .. } = records;
    let mut flags = json!({
        "allocation_interval": "1secs",
        "agent_ping_timeout": "15secs",
        "max_agent_ping_timeouts": "5",
        "agent_reregister_timeout": "10mins",
        "max_completed_frameworks": "50",
        "max_completed_tasks_per_framework": "1000",
        "max_unreachable_tasks_per_framework": "1000",
        "min_allocatable_resources": "cpus:0.01|mem:32",
        "filter_gpu_resources": "true",
        "authenticate_http_readwrite": "false",
        "authenticate_frameworks": "false",
        "port": MASTER_PORT.to_string(),
    });
    if let (Some(flags), Some(ms)) = (flags.as_object_mut(), offers.timeout_ms) {
        flags.insert("offer_timeout".to_owned(), json!(duration(ms)));
    }
    if let (Some(flags), Some(ms)) = (flags.as_object_mut(), cluster.agents.removal_limit.interval_ms) {
        flags.insert("agent_removal_rate_limit".to_owned(), json!(format!("1/{}", duration(ms))));
    }
    flags
}

/// A duration in the largest unit of which it is a whole number.
fn duration(ms: u64) -> String {
    const UNITS: [(u64, &str); 5] = [
        (7 * 86_400_000, "weeks"),
        (86_400_000, "days"),
        (3_600_000, "hrs"),
        (60_000, "mins"),
        (1_000, "secs"),
    ];
    let whole = UNITS.iter().find(|(unit, _)| ms > 0 && ms.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{ms}ms"), |(unit, word)| format!("{}{word}", ms / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (ms, expected) in
            [(30_000, "30secs"), (90_000, "90secs"), (120_000, "2mins"), (1_500, "1500ms"), (0, "0ms")]
        {
            assert_eq!(duration(ms), expected);
        }
    }
}
