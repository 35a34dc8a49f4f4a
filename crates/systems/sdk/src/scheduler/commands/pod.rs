//! Pod commands: restart, replace, pause, resume.
//!
//! *Knows*: which tasks each concerns and which override it sets. *Must not know*: how the pod comes back; that is the
//! recovery plan's.
//!
//! **Source**: `dcos-commons: …/http/queries/PodQueries.java`. Match.

use crate::scheduler::state::{OverrideTarget, PodKey, TaskRecord, TaskStore};
use planarium_kernel::SortedSet;
use planarium_protocol::input::{PodCommand, PodOp};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use serde_json::Value;

/// A task that a command concerns.
pub(crate) struct ChosenTask {
    /// Instance name.
    pub(crate) name: Text,
    /// Task id.
    pub(crate) id: Text,
    /// Agent id.
    pub(crate) agent: Text,
}

/// A command with the pod and the tasks that it concerns.
pub(crate) struct CommandedPod<'a> {
    /// The pod instance.
    pub(crate) key: PodKey,
    /// Its tasks that the command concerns.
    pub(crate) tasks: Vec<ChosenTask>,
    command: &'a PodCommand,
}

impl<'a> CommandedPod<'a> {
    /// Finds the pod and the tasks of a command.
    ///
    /// *Errors*: the pod, or one of the tasks named, is not stored (404).
    pub(crate) fn find(store: &TaskStore, command: &'a PodCommand) -> Result<Self, Refusal> {
        let not_found = || Refusal::new(RefusalCode::NotFound, format!("Pod {} not found", command.pod));
        let key = store.pod_named(&command.pod).ok_or_else(not_found)?;
        let tasks = chosen(store, &key, command).ok_or_else(not_found)?;
        Ok(Self { key, tasks, command })
    }

    /// The command's word.
    pub(crate) fn word(&self) -> &'static str {
        match self.command.op {
            PodOp::Restart => "restart",
            PodOp::Replace => "replace",
            PodOp::Pause => "pause",
            PodOp::Resume => "resume",
        }
    }

    /// The override that the command sets; `None` when it sets none.
    pub(crate) fn wanted(&self) -> Option<OverrideTarget> {
        match self.command.op {
            PodOp::Restart | PodOp::Replace => None,
            PodOp::Pause => Some(OverrideTarget::Paused),
            PodOp::Resume => Some(OverrideTarget::None),
        }
    }

    /// Returns whether the pod is given up as lost. A pod that was never launched is not.
    pub(crate) fn gives_up(&self) -> bool {
        self.command.op == PodOp::Replace && self.tasks.iter().any(|task| !task.id.is_empty())
    }

    /// The real system's reply.
    pub(crate) fn reply(&self) -> Value {
        let names: Vec<&str> = self.tasks.iter().map(|task| &*task.name).collect();
        json!({"pod": self.command.pod, "tasks": names})
    }
}

/// The tasks that a command names, or all of the pod; `None` when a name matches no task.
fn chosen(store: &TaskStore, key: &PodKey, command: &PodCommand) -> Option<Vec<ChosenTask>> {
    let tasks = store.pod(key)?;
    let row = |task: &TaskRecord| ChosenTask {
        name: task.name.clone(),
        id: task.id.clone(),
        agent: task.at.agent_id.clone(),
    };
    let filtered = matches!(command.op, PodOp::Pause | PodOp::Resume) && !command.tasks.is_empty();
    if !filtered {
        return Some(tasks.values().map(row).collect());
    }
    let named = |task: &&TaskRecord, name: &String| **name == *task.name || **name == *task.task;
    let wanted = tasks.values().filter(|task| command.tasks.iter().any(|name| named(task, name)));
    let wanted: Vec<_> = wanted.map(row).collect();
    // Fewer tasks than names: some name matches no task, or two names match the same one.
    let names: SortedSet<&String> = command.tasks.iter().collect();
    (wanted.len() >= names.len()).then_some(wanted)
}
