//! What the state store holds beside tasks.
//!
//! **Source**: `dcos-commons: …/http/queries/StateQueries.java, …/state/StateStoreUtils.java`. Match.

use super::{nothing, pod};
use crate::scheduler::Scheduler;
use planarium_protocol::Refusal;
use serde_json::Value;
use std::collections::BTreeMap;

const COMPLETED: &str = "last-completed-update-type";

impl Scheduler {
    pub(super) fn framework_body(&self) -> Result<Value, Refusal> {
        let id = self.framework.as_ref().ok_or_else(nothing)?;
        Ok(vec![Value::from(&**id)].into())
    }

    pub(super) fn property_names(&self) -> Value {
        self.properties(0).into_keys().collect()
    }

    pub(super) fn property(&self, key: &str, epoch_ms: u64) -> Result<Value, Refusal> {
        self.properties(epoch_ms).remove(key).ok_or_else(nothing)
    }

    fn properties(&self, epoch_ms: u64) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        if self.completed_once {
            all.insert(COMPLETED.to_owned(), Value::from("DEPLOY"));
        }
        for task in self.store.tasks().filter(|task| task.addressed) {
            let status = pod::task_status(task, epoch_ms).unwrap_or(Value::Null);
            all.insert(format!("{}:task-status", task.name), status);
        }
        all
    }
}
