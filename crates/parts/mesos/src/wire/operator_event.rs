//! Events of the v1 operator API.
//!
//! Source: `apache/mesos: include/mesos/v1/master/master.proto` (Event), `src/common/protobuf_utils.cpp` (namespace
//! event), `src/master/master.cpp` (subscribers.send), `src/master/readonly_handler.cpp` (subscribe). Match; there is
//! no authorization, so every subscriber gets all events.

use super::{
    agent::agent_rows,
    common::{Calendar, HEARTBEAT_S, id},
    framework,
    operator::get_state,
    task::{row_of, task_v1},
};
use crate::{
    agents::Removal,
    api::{AgentId, FrameworkId, Reason, TaskState, TaskStatus},
    cluster::Cluster,
    frameworks::Framework,
    maintenance::quirk,
    records::Records,
    tasks::{TaskNo, Tasks},
    wire::status,
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// SUBSCRIBED: the event that comes first, with the whole state.
pub(crate) fn subscribed_event(records: &Records, calendar: Calendar) -> Value {
    json!({
        "type": "SUBSCRIBED",
        "subscribed": {
            "get_state": get_state(records, calendar),
            "heartbeat_interval_seconds": f64::from(HEARTBEAT_S),
        },
    })
}

/// The calendar, while anybody is subscribed.
fn listening(cluster: &Cluster, cx: &Cx) -> Option<Calendar> {
    cluster.operators.events.listening().map(|epoch_ms| Calendar { epoch_ms, now: cx.now() })
}

fn push(cluster: &mut Cluster, cx: &Cx, kind: &'static str, payload: Value) {
    let mut map = Map::new();
    map.insert("type".to_owned(), json!(kind));
    map.insert(kind.to_ascii_lowercase(), payload);
    cluster.operators.events.push(cx.now(), Value::Object(map));
}

/// AGENT_ADDED: an agent registered, or came back, with these tasks.
pub(crate) fn agent_added(records: &mut Records, cx: &Cx, agent: AgentId, tasks: &[TaskNo]) {
    let Some(calendar) = listening(&records.cluster, cx) else { return };
    for no in tasks {
        task_added(&records.tasks, &mut records.cluster, cx, *no);
    }
    let row = agent_rows(records).into_iter().find(|row| row.id == agent);
    let Some(row) = row.map(|row| row.v1(calendar)) else { return };
    push(&mut records.cluster, cx, "AGENT_ADDED", json!({ "agent": row }));
}

/// AGENT_REMOVED.
pub(crate) fn agent_removed(cluster: &mut Cluster, cx: &Cx, agent: AgentId, how: Removal) {
    if quirk::ONLY_REMOVED_AGENTS_ARE_TOLD && !matches!(how, Removal::Removed(_)) {
        return;
    }
    if listening(cluster, cx).is_none() {
        return;
    }
    let Some(agent_id) = cluster.agents.get(agent).map(|agent| id(&agent.name)) else { return };
    push(cluster, cx, "AGENT_REMOVED", json!({ "agent_id": agent_id }));
}

/// TASK_ADDED: a task was launched, or its agent came back with it.
pub(crate) fn task_added(tasks: &Tasks, cluster: &mut Cluster, cx: &Cx, no: TaskNo) {
    let Some(calendar) = listening(cluster, cx) else { return };
    let Some(task) = tasks.get(no) else { return };
    // The agent's report counts if the master has another state.
    let state = if task.freed { task.state } else { task.agent_state };
    let shown = task_v1(tasks, cluster, calendar, &row_of(task).in_state(state));
    push(cluster, cx, "TASK_ADDED", json!({ "task": shown }));
}

/// TASK_UPDATED: the master has received a status. Only the first status of a state is sent, and every check result.
pub(crate) fn task_updated(
    tasks: &Tasks,
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    status: &TaskStatus,
    state: TaskState,
    is_new: bool,
) {
    let is_check =
        matches!(status.reason, Some(Reason::TaskCheckStatusUpdated | Reason::TaskHealthCheckStatusUpdated));
    // A task that its agent comes back with is added instead.
    if !(is_new || is_check) || status.reason == Some(Reason::AgentReregistered) {
        return;
    }
    let Some(calendar) = listening(cluster, cx) else { return };
    let payload = json!({
        "framework_id": id(cluster.frameworks.wire_id(framework)),
        "status": status::status_v1(tasks, cluster, calendar, framework, status, None),
        "state": state.as_str(),
    });
    push(cluster, cx, "TASK_UPDATED", payload);
}

/// FRAMEWORK_ADDED: a framework subscribed for the first time.
pub(crate) fn framework_added(cluster: &mut Cluster, cx: &Cx, framework: FrameworkId) {
    push_framework(cluster, cx, framework, "FRAMEWORK_ADDED");
}

/// FRAMEWORK_UPDATED: a framework subscribed again, or sent a new description.
pub(crate) fn framework_updated(cluster: &mut Cluster, cx: &Cx, framework: FrameworkId) {
    push_framework(cluster, cx, framework, "FRAMEWORK_UPDATED");
}

fn push_framework(cluster: &mut Cluster, cx: &Cx, framework: FrameworkId, kind: &'static str) {
    let Some(calendar) = listening(cluster, cx) else { return };
    let Some(framework) = cluster.frameworks.get(framework) else { return };
    let payload = json!({ "framework": framework_event(calendar, framework) });
    push(cluster, cx, kind, payload);
}

/// FRAMEWORK_REMOVED.
pub(crate) fn framework_removed(cluster: &mut Cluster, cx: &Cx, framework: FrameworkId) {
    if listening(cluster, cx).is_none() {
        return;
    }
    let Some(framework) = cluster.frameworks.get(framework) else { return };
    let info = framework::v1(&framework.info, &framework.name);
    push(cluster, cx, "FRAMEWORK_REMOVED", json!({ "framework_info": info }));
}

/// A framework without its resources; instants that have not come are the epoch.
fn framework_event(calendar: Calendar, framework: &Framework) -> Value {
    let at = |at: Option<SimTime>| at.map_or(json!({ "nanoseconds": 0 }), |at| calendar.nanoseconds(at));
    json!({
        "framework_info": framework::v1(&framework.info, &framework.name),
        "active": framework.is_connected(),
        "connected": framework.is_connected(),
        "recovered": framework.recovered,
        "registered_time": calendar.nanoseconds(framework.registered),
        "reregistered_time": at(framework.reregistered),
        "unregistered_time": at(framework.unregistered),
    })
}
