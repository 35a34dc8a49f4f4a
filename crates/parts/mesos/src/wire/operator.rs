//! Reads of the v1 operator API.
//!
//! Source: `apache/mesos: include/mesos/v1/master/master.proto`, `src/master/http.cpp`. Match for these types.

use super::{
    common::{Calendar, version},
    framework,
    resource::{Form, list},
    task::{TaskRow, TaskRows},
};
use crate::{
    agents::AgentState,
    api::FrameworkId,
    cluster::Cluster,
    maintenance::cluster::view,
    operator::{quota, weights},
    records::Records,
    tasks::Tasks,
    wire::{agent, common, metrics, operation, state, summary, task},
};
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// `{"type":TYPE,"type in small letters":PAYLOAD}`.
fn reply(kind: &str, payload: Value) -> Value {
    let mut map = Map::new();
    map.insert("type".to_owned(), json!(kind));
    map.insert(kind.to_ascii_lowercase(), payload);
    Value::Object(map)
}

/// Answers a read; none for other types.
pub(super) fn operator_read(records: &Records, calendar: Calendar, kind: &str) -> Option<Value> {
    let payload = match kind {
        "GET_HEALTH" => json!({ "healthy": true }),
        "GET_VERSION" => json!({ "version_info": version() }),
        "GET_FLAGS" => {
            let Value::Object(flags) = state::flags(records) else { return None };
            let flags = flags.into_iter().map(|(name, value)| json!({ "name": name, "value": value }));
            json!({ "flags": flags.collect::<Vec<_>>() })
        }
        "GET_METRICS" => {
            let Value::Object(metrics) = metrics::metrics(records, calendar) else { return None };
            let metrics = metrics.into_iter().map(|(name, value)| json!({ "name": name, "value": value }));
            json!({ "metrics": metrics.collect::<Vec<_>>() })
        }
        "GET_MASTER" => json!({
            "master_info": common::master_info(&records.cluster),
            "start_time": calendar.seconds(SimTime::ZERO),
            "elected_time": calendar.seconds(SimTime::ZERO),
        }),
        "GET_MAINTENANCE_SCHEDULE" => json!({ "schedule": view::maintenance_schedule(&records.maintenance) }),
        "GET_MAINTENANCE_STATUS" => {
            json!({ "status": view::maintenance_status(&records.maintenance, &records.cluster.frameworks, calendar.epoch_ms) })
        }
        "GET_AGENTS" => agents_v1(records, calendar),
        "GET_TASKS" => tasks_v1(&records.tasks, &records.cluster, calendar),
        "GET_FRAMEWORKS" => frameworks_v1(records, calendar),
        "GET_EXECUTORS" => executors_v1(&records.cluster),
        "GET_ROLES" => {
            let roles = summary::role_names(&records.cluster)
                .into_iter()
                .map(|role| summary::role_v1(&records.offers, &records.cluster, &role));
            common::filled(vec![("roles", roles.collect())])
        }
        "GET_WEIGHTS" => match weights::weights_json(&records.cluster.allocator) {
            none if none.is_empty() => return Some(json!({ "type": kind })),
            weights => json!({ "weight_infos": weights }),
        },
        "GET_QUOTA" => json!({ "status": quota::quota_json(&records.cluster.allocator) }),
        "GET_STATE" => get_state(records, calendar),
        "GET_OPERATIONS" => operation::operations_v1(&records.operations, &records.cluster),
        "GET_LOGGING_LEVEL" => json!({ "level": records.cluster.operators.logging_level(calendar.now) }),
        _ => return None,
    };
    Some(reply(kind, payload))
}

/// GET_STATE.
pub(super) fn get_state(records: &Records, calendar: Calendar) -> Value {
    json!({
        "get_tasks": tasks_v1(&records.tasks, &records.cluster, calendar),
        "get_executors": executors_v1(&records.cluster),
        "get_frameworks": frameworks_v1(records, calendar),
        "get_agents": agents_v1(records, calendar),
    })
}

fn agents_v1(records: &Records, calendar: Calendar) -> Value {
    json!({
        "agents": agent::agent_rows(records).iter().map(|row| row.v1(calendar)).collect::<Vec<_>>(),
        "recovered_agents": agent::recovered_v1(&records.cluster.agents),
    })
}

fn tasks_v1(tasks: &Tasks, cluster: &Cluster, calendar: Calendar) -> Value {
    let rows = task::task_rows(tasks, &cluster.frameworks);
    let shown = |which: &dyn for<'r> Fn(&'r TaskRows<'_>) -> &'r [TaskRow<'r>]| -> Vec<Value> {
        rows.iter().flat_map(which).map(|row| task::task_v1(tasks, cluster, calendar, row)).collect()
    };
    json!({
        "pending_tasks": [],
        "tasks": shown(&|of| &of.live),
        "unreachable_tasks": shown(&|of| &of.unreachable),
        "completed_tasks": shown(&|of| &of.completed),
        "orphan_tasks": [],
    })
}

fn frameworks_v1(records: &Records, calendar: Calendar) -> Value {
    let (mut registered, mut completed) = (Vec::new(), Vec::new());
    for (row, framework) in records.cluster.frameworks.rows.iter().enumerate() {
        if !framework.is_listed() {
            continue;
        }
        let (used, offered) = state::resources_of_framework(records, FrameworkId::at(row));
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("framework_info", framework::v1(&framework.info, &framework.name));
        put("active", json!(framework.is_connected()));
        put("connected", json!(framework.is_connected()));
        put("recovered", json!(framework.recovered));
        put("registered_time", calendar.nanoseconds(framework.registered));
        if let Some(at) = framework.reregistered {
            put("reregistered_time", calendar.nanoseconds(at));
        }
        if let Some(at) = framework.unregistered {
            put("unregistered_time", calendar.nanoseconds(at));
        }
        for (key, resources) in [("allocated_resources", used), ("offered_resources", offered)] {
            if !resources.is_empty() {
                put(key, list(&resources, Form::Refined, false));
            }
        }
        if framework.is_registered() { &mut registered } else { &mut completed }.push(Value::Object(map));
    }
    common::filled(vec![("frameworks", registered), ("completed_frameworks", completed)])
}

fn executors_v1(cluster: &Cluster) -> Value {
    let mut executors = Vec::new();
    for agent in cluster.agents.rows.iter().filter(|agent| agent.state == AgentState::Registered) {
        for ((framework, id), executor) in agent.executors.iter() {
            executors.push(json!({
                "agent_id": super::common::id(&agent.name),
                "executor_info": {
                    "executor_id": super::common::id(id),
                    "framework_id": super::common::id(cluster.frameworks.wire_id(*framework)),
                    "resources": list(&executor.info.resources.allocated(&executor.role), Form::Refined, true),
                },
            }));
        }
    }
    common::filled(vec![("executors", executors)])
}
