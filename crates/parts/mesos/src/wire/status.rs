//! Statuses of tasks as v1 JSON, and the containers that they name.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (TaskStatus, ContainerStatus, CheckStatusInfo). Match.

use super::common::{Calendar, id};
use crate::{
    api::{FrameworkId, Reason, Source, TaskInfo, TaskStatus},
    cluster::Cluster,
    frameworks::Frameworks,
    tasks::{Tasks, status_id},
};
use planarium_kernel::{SimTime, base64::Base64, draw};
use planarium_protocol::{Text, json};
use serde_json::{Map, Value};

/// Purpose of the draw that makes the id of a container.
const CONTAINER_ID: u32 = 0x0A13;

/// Writes a status of a task; `nth` distinguishes it from others without a number, if known.
pub(super) fn status_v1(
    tasks: &Tasks,
    cluster: &Cluster,
    calendar: Calendar,
    framework: FrameworkId,
    status: &TaskStatus,
    nth: Option<u64>,
) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("task_id", id(&status.task_id));
    if let Some(agent) = &status.agent_id {
        put("agent_id", id(agent));
    }
    if let Some(executor) = &status.executor_id {
        put("executor_id", id(executor));
    }
    put("state", json!(status.state.as_str()));
    put("source", json!(status.source.as_str()));
    if let Some(reason) = status.reason {
        put("reason", json!(reason.as_str()));
    }
    if !status.message.is_empty() {
        put("message", json!(status.message));
    }
    put("timestamp", calendar.seconds(SimTime(status.timestamp_ms)));
    // A status made by the master itself need not be acknowledged.
    if let Some(nth) = status.number.map(u64::from).or(nth).filter(|_| status.source != Source::Master) {
        put("uuid", json!(Base64::Padded.encode(&status_id(cluster.ids.seed, &status.task_id, nth))));
    }
    if let Some(healthy) = status.healthy {
        put("healthy", json!(healthy));
    }
    if let Some(check) = &status.check {
        put("check_status", check_status_v1(tasks, &cluster.frameworks, framework, status, check.exit_code));
    }
    let agent = status.agent_id.as_ref().and_then(|id| cluster.agents.get(cluster.agents.named(id)?));
    if let Some(agent) = agent.filter(|_| has_container(tasks, framework, status)) {
        let executor = status.executor_id.as_ref();
        put("container_status", container_status(cluster, framework, &status.task_id, executor, &agent.ip));
    }
    if let Some(at) = status.unreachable_since_ms {
        put("unreachable_time", calendar.nanoseconds(SimTime(at)));
    }
    Value::Object(map)
}

/// The result of a check, in the form of its kind; an exit code of 0 means success.
fn check_status_v1(
    tasks: &Tasks,
    frameworks: &Frameworks,
    framework: FrameworkId,
    status: &TaskStatus,
    exit_code: Option<i32>,
) -> Value {
    let kind = task_info(tasks, frameworks, framework, &status.task_id)
        .and_then(|info| info.details.as_ref()?.check.clone());
    match (kind.as_deref(), exit_code) {
        (Some("HTTP"), None) => json!({ "type": "HTTP", "http": {} }),
        (Some("HTTP"), Some(code)) => {
            json!({ "type": "HTTP", "http": { "status_code": if code == 0 { 200 } else { 500 } } })
        }
        (Some("TCP"), None) => json!({ "type": "TCP", "tcp": {} }),
        (Some("TCP"), Some(code)) => json!({ "type": "TCP", "tcp": { "succeeded": code == 0 } }),
        (_, None) => json!({ "type": "COMMAND", "command": {} }),
        (_, Some(code)) => json!({ "type": "COMMAND", "command": { "exit_code": code } }),
    }
}

/// Returns whether a status names the container of its task: statuses of executors do, and so does the latest one when a
/// framework reconciles.
fn has_container(tasks: &Tasks, framework: FrameworkId, status: &TaskStatus) -> bool {
    let reconciled = || {
        let no = tasks.ids.get(&(framework, status.task_id.clone()))?;
        tasks.get(*no).map(|task| task.history.iter().any(|past| past.source == Source::Executor))
    };
    status.source == Source::Executor
        || status.reason == Some(Reason::Reconciliation) && reconciled() == Some(true)
}

/// The description of a task that is listed, or that ended not long ago.
fn task_info<'a>(
    tasks: &'a Tasks,
    frameworks: &'a Frameworks,
    framework: FrameworkId,
    task_id: &Text,
) -> Option<&'a TaskInfo> {
    let listed = tasks.ids.get(&(framework, task_id.clone())).and_then(|no| tasks.get(*no));
    let completed = || {
        let all = &frameworks.get(framework)?.completed;
        all.iter().rev().find(|task| task.info.task_id == *task_id).map(|task| &*task.info)
    };
    listed.map(|task| &*task.info).or_else(completed)
}

/// The id of the container whose sandbox is the task's.
pub(super) fn container_id(
    cluster: &Cluster,
    framework: FrameworkId,
    task_id: &str,
    executor: Option<&str>,
) -> String {
    container_uuid(cluster, framework, executor.unwrap_or(task_id))
}

fn container_uuid(cluster: &Cluster, framework: FrameworkId, of: &str) -> String {
    let entity = draw::entity(&format!("{} {of}", cluster.frameworks.wire_id(framework)));
    draw::uuid(cluster.ids.seed, entity, CONTAINER_ID, 0)
}

/// The container of a task: its own, nested in that of an executor which runs several.
pub(super) fn container_status(
    cluster: &Cluster,
    framework: FrameworkId,
    task_id: &str,
    executor: Option<&Text>,
    ip: &str,
) -> Value {
    let uuid = |of: &str| container_uuid(cluster, framework, of);
    let container = match executor {
        Some(executor) => json!({ "value": uuid(task_id), "parent": { "value": uuid(executor) } }),
        None => json!({ "value": uuid(task_id) }),
    };
    let address = json!({ "protocol": "IPv4", "ip_address": ip });
    json!({ "container_id": container, "network_infos": [{ "ip_addresses": [address] }] })
}
