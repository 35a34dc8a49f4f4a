//! All tasks, and the processes that run them.
//!
//! *Invariant*: every listed task is found by its id, and by its process while it has one. *Must not know*: how tasks
//! come and go.

use super::{Task, TaskIds, TaskNo, UntrackedTask};
use crate::{
    agents::Agents,
    api::{AgentId, FrameworkId, Resources},
};
use planarium_ground::ProcessId;
use planarium_kernel::{IdMap, Map, SortedMap, SortedSet, id::Counter};
use planarium_protocol::Text;
use std::sync::Arc;

/// All tasks, by their number.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    /// Live and unreachable tasks.
    pub(crate) all: IdMap<TaskNo, Arc<Task>>,
    /// Tasks that run on although they were removed from the records.
    pub(crate) untracked: Map<TaskNo, UntrackedTask>,
    /// Processes that were told to end; their reports are ignored.
    pub(crate) shutting_down: SortedSet<ProcessId>,
    pub(crate) ids: TaskIds,
    pub(crate) by_process: IdMap<ProcessId, TaskNo>,
    pub(crate) next: Counter,
    pub(crate) next_group: Counter,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            all: IdMap::new(),
            untracked: Map::new(),
            shutting_down: SortedSet::default(),
            ids: TaskIds::new(),
            by_process: IdMap::new(),
            next: Counter::new(),
            next_group: Counter::new(),
        }
    }
}

impl Tasks {
    /// A task.
    pub(crate) fn get(&self, no: TaskNo) -> Option<&Task> {
        self.all.get(&no).map(|task| &**task)
    }

    /// A task, to change.
    pub(crate) fn get_mut(&mut self, no: TaskNo) -> Option<&mut Task> {
        self.all.get_mut(&no).map(Arc::make_mut)
    }

    /// Tasks of a framework that are not ended, in order of launch.
    pub(crate) fn of_framework(&self, framework: FrameworkId) -> Vec<TaskNo> {
        self.all.iter().filter(|(_, task)| task.framework == framework).map(|(no, _)| *no).collect()
    }

    /// Counts the processes that run unknown to the master.
    pub(crate) fn untracked_processes(&self) -> usize {
        self.untracked.values().filter(|untracked| untracked.task.process.is_some()).count()
    }

    /// Notes that a task, known to the master or not, has run for longer than it may; returns its process.
    pub(crate) fn mark_expired(&mut self, no: TaskNo) -> Option<ProcessId> {
        let task = match self.all.get_mut(&no) {
            Some(task) => Arc::make_mut(task),
            None => Arc::make_mut(&mut self.untracked.get_mut(&no)?.task),
        };
        task.expired = !task.agent_state.is_terminal();
        task.process.filter(|_| task.expired)
    }

    /// Sums up what tasks and executors on an agent use, by framework and role.
    pub(crate) fn allocated_on(&self, agents: &Agents, id: AgentId) -> Vec<((FrameworkId, Text), Resources)> {
        let mut allocated: SortedMap<(FrameworkId, Text), Resources> = SortedMap::new();
        let Some(agent) = agents.get(id) else { return Vec::new() };
        for task in agent.tasks.iter().filter_map(|no| self.get(*no)).filter(|task| !task.freed) {
            allocated.entry((task.framework, task.role.clone())).or_default().add_all(&task.resources);
        }
        for ((framework, _), executor) in agent.executors.iter() {
            allocated
                .entry((*framework, executor.role.clone()))
                .or_default()
                .add_all(&executor.info.resources);
        }
        allocated.into_iter().collect()
    }
}
