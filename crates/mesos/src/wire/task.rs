//! Tasks as JSON, wherever they occur.
//!
//! Source: `apache/mesos: src/common/http.cpp` (model of tasks), `src/master/http.cpp` (tasks). Match.

use super::{
    common::{Calendar, id},
    resource::{Form, labels_json, list, sums},
};
use crate::{
    Master,
    api::{AgentId, FrameworkId, TaskInfo, TaskState},
    tasks::{StatusRecord, Task},
};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// How many tasks `/tasks` answers when nobody says.
const DEFAULT_LIMIT: usize = 100;
/// So many unreachable tasks of a framework are listed, those that became so last.
const MAX_UNREACHABLE: usize = 1_000;

/// A task, live or ended.
#[derive(Clone, Copy)]
pub(super) struct TaskRow<'a> {
    info: &'a TaskInfo,
    framework: FrameworkId,
    pub(super) agent: AgentId,
    pub(super) state: TaskState,
    executor: Option<&'a Text>,
    role: &'a Text,
    history: &'a [StatusRecord],
    /// When it became unreachable, if it is.
    lost_at: Option<SimTime>,
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

impl Master {
    /// Tasks of every framework, by the framework's row.
    pub(super) fn task_rows(&self) -> Vec<TaskRows<'_>> {
        let mut rows: Vec<TaskRows<'_>> = Vec::new();
        for (row, framework) in self.frameworks.iter().enumerate() {
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
        for task in self.tasks.values() {
            let Some(of) = rows.get_mut(task.framework.index()) else { continue };
            let list = if task.unreachable_since.is_some() { &mut of.unreachable } else { &mut of.live };
            list.push(live(task));
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

    pub(super) fn task_v0(&self, calendar: Calendar, row: &TaskRow<'_>) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("id", json!(row.info.task_id));
        put("name", json!(row.info.name));
        put("framework_id", json!(self.framework_wire_id(row.framework)));
        put("executor_id", json!(row.executor.map_or("", |id| &**id)));
        put("slave_id", json!(self.agent(row.agent).map(|agent| &agent.name)));
        put("state", json!(row.state.as_str()));
        put("resources", sums(&row.info.resources));
        put("role", json!(row.role));
        let status = |past: &StatusRecord| {
            let mut status = Map::new();
            status.insert("state".to_owned(), json!(past.state.as_str()));
            status.insert("timestamp".to_owned(), calendar.seconds(past.at));
            if let Some(healthy) = past.healthy {
                status.insert("healthy".to_owned(), json!(healthy));
            }
            Value::Object(status)
        };
        put("statuses", row.history.iter().map(status).collect());
        if !row.info.labels.is_empty() {
            let labels = row.info.labels.iter().map(|(key, value)| json!({ "key": key, "value": value }));
            put("labels", labels.collect());
        }
        Value::Object(map)
    }

    pub(super) fn task_v1(&self, calendar: Calendar, row: &TaskRow<'_>) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("name", json!(row.info.name));
        put("task_id", id(&row.info.task_id));
        put("framework_id", id(self.framework_wire_id(row.framework)));
        if let Some(executor) = row.executor {
            put("executor_id", id(executor));
        }
        if let Some(agent) = self.agent(row.agent) {
            put("agent_id", id(&agent.name));
        }
        put("state", json!(row.state.as_str()));
        put("resources", list(&row.info.resources.allocated(row.role), Form::Refined, true));
        let status = |past: &StatusRecord| {
            let mut status = Map::new();
            status.insert("task_id".to_owned(), id(&row.info.task_id));
            status.insert("state".to_owned(), json!(past.state.as_str()));
            status.insert("timestamp".to_owned(), calendar.seconds(past.at));
            if let Some(healthy) = past.healthy {
                status.insert("healthy".to_owned(), json!(healthy));
            }
            Value::Object(status)
        };
        if !row.history.is_empty() {
            put("statuses", row.history.iter().map(status).collect());
        }
        if !row.info.labels.is_empty() {
            put("labels", labels_json(row.info.labels.iter()));
        }
        Value::Object(map)
    }

    pub(super) fn framework_wire_id(&self, id: FrameworkId) -> &str {
        self.framework(id).map_or("", |framework| &framework.name)
    }

    /// `/tasks`: live, unreachable and completed ones by the time of their first status.
    pub(super) fn tasks_v0(&self, calendar: Calendar, ask: &super::query::TasksQuery) -> Value {
        let rows = self.task_rows();
        let mut meant: Vec<&TaskRow<'_>> = rows
            .iter()
            .flat_map(TaskRows::all)
            .filter(|row| {
                let framework = || self.framework_wire_id(row.framework);
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
        json!({ "tasks": page.map(|row| self.task_v0(calendar, row)).collect::<Vec<_>>() })
    }
}

fn live(task: &Task) -> TaskRow<'_> {
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
