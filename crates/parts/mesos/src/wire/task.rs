//! Tasks as JSON, wherever they occur.
//!
//! Source: `apache/mesos: src/common/http.cpp` (model of tasks), `src/master/http.cpp` (tasks). Match.

use super::{
    common::{Calendar, id},
    resource::{Form, labels_json, list, sums},
};
use crate::{
    api::{AgentId, FrameworkId, Source, TaskDetails, TaskInfo, TaskState, TaskStatus},
    cluster::Cluster,
    frameworks::Frameworks,
    tasks::{StatusRecord, Task, Tasks},
    wire::status,
};
use planarium_ground::HealthSpec;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Default `limit` of `/tasks`.
const DEFAULT_LIMIT: usize = 100;
/// Number of unreachable tasks of a framework that are listed, the latest.
const MAX_UNREACHABLE: usize = 1_000;

/// A task, live or ended.
#[derive(Clone, Copy)]
pub(super) struct TaskRow<'a> {
    info: &'a TaskInfo,
    pub(super) framework: FrameworkId,
    pub(super) agent: AgentId,
    pub(super) state: TaskState,
    executor: Option<&'a Text>,
    role: &'a Text,
    history: &'a [StatusRecord],
    /// When it became unreachable, if it is.
    lost_at: Option<SimTime>,
}

impl<'a> TaskRow<'a> {
    pub(super) fn task_id(&self) -> &'a str {
        &self.info.task_id
    }

    pub(super) fn executor(&self) -> Option<&'a str> {
        self.executor.map(|executor| &**executor)
    }

    pub(super) fn command(&self) -> &'a str {
        &self.info.program.command
    }

    /// Returns whether its command was started.
    pub(super) fn has_run(&self) -> bool {
        self.history.iter().any(|past| past.state == TaskState::Running)
    }

    /// The same in another state.
    pub(super) fn in_state(self, state: TaskState) -> Self {
        Self { state, ..self }
    }

    /// When its last status was made.
    pub(super) fn last_at(&self) -> Option<SimTime> {
        self.history.last().map(|past| past.at)
    }
}

/// Tasks of one framework by where they are listed.
#[derive(Default)]
pub(super) struct TaskRows<'a> {
    pub(super) live: Vec<TaskRow<'a>>,
    pub(super) unreachable: Vec<TaskRow<'a>>,
    pub(super) completed: Vec<TaskRow<'a>>,
}

impl<'a> TaskRows<'a> {
    pub(super) fn all(&self) -> impl Iterator<Item = &TaskRow<'a>> {
        self.live.iter().chain(&self.unreachable).chain(&self.completed)
    }
}

/// Tasks of every framework, by the framework's number.
pub(super) fn task_rows<'a>(tasks: &'a Tasks, frameworks: &'a Frameworks) -> Vec<TaskRows<'a>> {
    let mut rows: Vec<TaskRows<'_>> = Vec::new();
    for (row, framework) in frameworks.rows.iter().enumerate() {
        let completed = framework.completed.iter().map(|ended| TaskRow {
            info: &ended.info,
            framework: FrameworkId::at(row),
            agent: ended.agent,
            state: ended.state,
            executor: ended.executor.as_ref(),
            role: &ended.role,
            history: &ended.history,
            lost_at: None,
        });
        rows.push(TaskRows { completed: completed.collect(), ..TaskRows::default() });
    }
    for task in tasks.all.values() {
        let Some(of) = rows.get_mut(task.framework.index()) else { continue };
        let list = if task.unreachable_since.is_some() { &mut of.unreachable } else { &mut of.live };
        list.push(row_of(task));
    }
    for of in &mut rows {
        let collected = of.unreachable.len().saturating_sub(MAX_UNREACHABLE);
        if collected > 0 {
            planarium_kernel::sorted::sort_by_key(&mut of.unreachable, |row| row.lost_at);
            of.unreachable.drain(..collected);
        }
    }
    rows
}

pub(super) fn task_v0(cluster: &Cluster, calendar: Calendar, row: &TaskRow<'_>) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("id", json!(row.info.task_id));
    put("name", json!(row.info.name));
    put("framework_id", json!(cluster.frameworks.wire_id(row.framework)));
    put("executor_id", json!(row.executor.map_or("", |id| &**id)));
    put("slave_id", json!(cluster.agents.get(row.agent).map(|agent| &agent.name)));
    put("state", json!(row.state.as_str()));
    put("resources", sums(&row.info.resources));
    put("role", json!(row.role));
    put("statuses", row.history.iter().map(|past| status_v0(cluster, calendar, row, past)).collect());
    let shown = shown(row.info);
    if let Some(limits) = &shown.limits {
        put("limits", limits.clone());
    }
    if let Some(user) = &shown.user {
        put("user", json!(user));
    }
    if !row.info.labels.is_empty() {
        let labels = row.info.labels.iter().map(|(key, value)| json!({ "key": key, "value": value }));
        put("labels", labels.collect());
    }
    for (key, part) in shown.parts() {
        put(key, part);
    }
    Value::Object(map)
}

/// The v0 form of a status.
fn status_v0(cluster: &Cluster, calendar: Calendar, row: &TaskRow<'_>, past: &StatusRecord) -> Value {
    let mut map = Map::new();
    map.insert("state".to_owned(), json!(past.state.as_str()));
    map.insert("timestamp".to_owned(), calendar.seconds(past.at));
    if let Some(container) = container_of(cluster, row, past) {
        map.insert("container_status".to_owned(), container);
    }
    if let Some(healthy) = past.healthy {
        map.insert("healthy".to_owned(), json!(healthy));
    }
    Value::Object(map)
}

/// A status that the master keeps, in full.
fn status_record_v1(
    tasks: &Tasks,
    cluster: &Cluster,
    calendar: Calendar,
    row: &TaskRow<'_>,
    past: &StatusRecord,
) -> Value {
    let status = TaskStatus {
        task_id: row.info.task_id.clone(),
        task_name: row.info.name.clone(),
        agent_id: cluster.agents.get(row.agent).map(|agent| agent.name.clone()),
        executor_id: row.executor.cloned(),
        state: past.state,
        reason: past.reason,
        source: past.source,
        message: past.message.clone(),
        healthy: past.healthy,
        check: past.check,
        timestamp_ms: past.at.ms(),
        unreachable_since_ms: past.unreachable_since.map(SimTime::ms),
        number: past.number,
    };
    status::status_v1(tasks, cluster, calendar, row.framework, &status, past.number.map(u64::from))
}

fn container_of(cluster: &Cluster, row: &TaskRow<'_>, past: &StatusRecord) -> Option<Value> {
    let agent = cluster.agents.get(row.agent).filter(|_| past.source == Source::Executor)?;
    Some(status::container_status(cluster, row.framework, &row.info.task_id, row.executor, &agent.ip))
}

pub(super) fn task_v1(tasks: &Tasks, cluster: &Cluster, calendar: Calendar, row: &TaskRow<'_>) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("name", json!(row.info.name));
    put("task_id", id(&row.info.task_id));
    put("framework_id", id(cluster.frameworks.wire_id(row.framework)));
    if let Some(executor) = row.executor {
        put("executor_id", id(executor));
    }
    if let Some(agent) = cluster.agents.get(row.agent) {
        put("agent_id", id(&agent.name));
    }
    put("state", json!(row.state.as_str()));
    put("resources", list(&row.info.resources.allocated(row.role), Form::Refined, true));
    if !row.history.is_empty() {
        let statuses = row.history.iter().map(|past| status_record_v1(tasks, cluster, calendar, row, past));
        put("statuses", statuses.collect());
    }
    let shown = shown(row.info);
    for (key, part) in
        [("user", shown.user.as_ref().map(|user| json!(user))), ("limits", shown.limits.clone())]
    {
        if let Some(part) = part {
            put(key, part);
        }
    }
    if !row.info.labels.is_empty() {
        put("labels", labels_json(row.info.labels.iter()));
    }
    for (key, part) in shown.parts() {
        put(key, part);
    }
    if let Some(policy) = &shown.kill_policy {
        put("kill_policy", policy.clone());
    }
    Value::Object(map)
}

/// `/tasks`: live, unreachable and completed ones by the time of their first status.
pub(super) fn tasks_v0(
    tasks: &Tasks,
    cluster: &Cluster,
    calendar: Calendar,
    ask: &super::query::TasksQuery,
) -> Value {
    let rows = task_rows(tasks, &cluster.frameworks);
    let mut meant: Vec<&TaskRow<'_>> = rows
        .iter()
        .flat_map(TaskRows::all)
        .filter(|row| {
            let framework = || cluster.frameworks.wire_id(row.framework);
            ask.framework_id.as_ref().is_none_or(|id| id == framework())
                && ask.task_id.as_ref().is_none_or(|id| **id == *row.info.task_id)
        })
        .collect();
    let first = |row: &TaskRow<'_>| row.history.first().map(|past| past.at);
    planarium_kernel::sorted::sort_by_key(&mut meant, |row| first(row));
    if !ask.ascending {
        meant.reverse();
    }
    let offset = ask.offset.unwrap_or(0);
    let page = meant.into_iter().skip(offset).take(ask.limit.unwrap_or(DEFAULT_LIMIT));
    json!({ "tasks": page.map(|row| task_v0(cluster, calendar, row)).collect::<Vec<_>>() })
}

/// A task that has not ended.
pub(super) fn row_of(task: &Task) -> TaskRow<'_> {
    TaskRow {
        info: &task.info,
        framework: task.framework,
        agent: task.agent,
        state: task.state,
        executor: task.executor.as_ref(),
        role: &task.role,
        history: &task.history,
        lost_at: task.unreachable_since,
    }
}

/// Returns the shown details of a task: its description, or facts derived from its process.
fn shown(info: &TaskInfo) -> Arc<TaskDetails> {
    if let Some(details) = &info.details {
        return details.clone();
    }
    let docker = |image: &Text| json!({ "type": "DOCKER", "docker": { "name": image } });
    let health = |health: &HealthSpec| {
        json!({
            "delay_seconds": super::common::seconds(health.check.delay_ms),
            "interval_seconds": super::common::seconds(health.check.interval_ms),
            "timeout_seconds": super::common::seconds(health.check.timeout_ms),
            "consecutive_failures": health.max_failures,
            "grace_period_seconds": super::common::seconds(health.grace_ms),
            "type": "COMMAND",
            "command": { "shell": true, "value": health.check.command },
        })
    };
    Arc::new(TaskDetails {
        container: info
            .program
            .image
            .as_ref()
            .map(|image| json!({ "type": "MESOS", "mesos": { "image": docker(image) } })),
        health_check: info.program.health.as_ref().map(health),
        ..TaskDetails::default()
    })
}

impl TaskDetails {
    /// The fields that both forms have under the same names.
    fn parts(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let parts = [
            ("discovery", &self.discovery),
            ("container", &self.container),
            ("health_check", &self.health_check),
        ];
        parts.into_iter().filter_map(|(key, part)| Some((key, part.clone()?)))
    }
}
