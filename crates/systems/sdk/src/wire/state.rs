//! Reads of the state store beside tasks.
//!
//! **Source**: `dcos-commons: …/http/queries/StateQueries.java, …/state/StateStoreUtils.java`. Match.

use super::{nothing, pod};
use crate::scheduler::service::Service;
use crate::scheduler::state::{StateStore, TaskRecord, TaskStore};
use planarium_kernel::SortedMap;
use planarium_protocol::Refusal;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

const COMPLETED: &str = "last-completed-update-type";
/// Head of the properties that hold files.
const FILE: &str = "file-";
/// Set in the environment of a scheduler that keeps no cache of its state store.
const NO_CACHE: &str = "DISABLE_STATE_CACHE";

/// The framework id.
pub(super) fn framework(state: &StateStore) -> Result<Value, Refusal> {
    let id = state.framework.as_ref().ok_or_else(nothing)?;
    Ok(vec![Value::from(&**id)].into())
}

/// Names of all properties.
pub(super) fn property_names(state: &StateStore) -> Value {
    properties(state, 0).into_keys().collect()
}

/// The value of a property.
pub(super) fn property(state: &StateStore, key: &str, epoch_ms: u64) -> Result<Value, Refusal> {
    properties(state, epoch_ms).remove(key).ok_or_else(nothing)
}

/// The stored files' names, as Java writes a list.
pub(super) fn file_names(state: &StateStore) -> Value {
    let names: Vec<&str> = state.files.iter().map(|(name, _)| &**name).collect();
    format!("[{}]", names.join(", ")).into()
}

/// The text of a file.
pub(super) fn file(state: &StateStore, name: &str) -> Result<Value, Refusal> {
    let text = state.files.get(name).map(|text| Value::from(&**text));
    text.ok_or_else(|| Refusal::new(RefusalCode::NotFound, "Failed to get the file"))
}

/// Reloads the cache of the state store: it never differs from the store here.
pub(super) fn refresh(service: &Service) -> Result<Value, Refusal> {
    if service.env.contains_key(NO_CACHE) {
        return Err(Refusal::new(RefusalCode::Conflict, ""));
    }
    Ok(json!({ "message": "Received cmd: refresh" }))
}

/// Zones by task, of the tasks whose machine has one.
pub(super) fn zones(tasks: &TaskStore) -> Value {
    let zone = |task: &TaskRecord| Some((task.name.to_string(), Value::from(&**task.at.zone.as_ref()?)));
    Value::Object(tasks.tasks().filter_map(zone).collect())
}

/// The zone of a task.
pub(super) fn zone_of_task(tasks: &TaskStore, task: &str) -> Result<Value, Refusal> {
    let zone = tasks.named(task).and_then(|task| task.at.zone.as_deref());
    zone.map(Value::from).ok_or_else(nothing)
}

/// The zone of the tasks that run at an address and whose names begin so; a task that has reported nothing ends
/// the search.
pub(super) fn zone_of_pod(tasks: &TaskStore, pod: &str, ip: &str) -> Result<Value, Refusal> {
    let named = tasks.tasks().filter(|task| task.name.starts_with(pod));
    let mut there = named.take_while(|task| task.status.is_some()).filter(|task| *task.at.ip == *ip);
    there.find_map(|task| task.at.zone.as_deref()).map(Value::from).ok_or_else(nothing)
}

fn properties(state: &StateStore, epoch_ms: u64) -> SortedMap<String, Value> {
    let mut all = SortedMap::new();
    if state.completed_once {
        all.insert(COMPLETED.to_owned(), Value::from("DEPLOY"));
    }
    for (name, text) in state.files.iter() {
        all.insert(format!("{FILE}{name}"), Value::from(&**text));
    }
    for task in state.tasks.tasks().filter(|task| task.addressed) {
        let status = pod::task_status(task, epoch_ms).unwrap_or(Value::Null);
        all.insert(format!("{}:task-status", task.name), status);
    }
    all
}
