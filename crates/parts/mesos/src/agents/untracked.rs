//! Tasks that run on although the master has removed them from its records.
//!
//! An agent that is partitioned, or whose process is not running, does not hear the order to shut down when its
//! machine goes DOWN, and runs on. If it comes back when the machine is UP again it keeps its id, and its tasks are
//! announced anew; if it comes back before, it hears the order and everything ends. When the master fails over, the
//! tasks of all agents are untracked for a while ([`super::failover`]).
//!
//! Source: `apache/mesos: src/master/master.cpp` (reregisterSlave, removeTask). Match.

use crate::tasks::UntrackedTask;
use crate::{
    Master,
    agents::Executor,
    api::{AgentId, TaskState},
    tasks::{Task, TaskNo, Update},
};
use planarium_ground::{Absence, Cx, Fleet, ProcessId};
use planarium_kernel::SortedSet;
use std::sync::Arc;

impl Master {
    /// Whether an agent hears now that it is to shut down; one that does not is marked.
    pub(crate) fn receives_shutdown(&mut self, fleet: &Fleet, id: AgentId) -> bool {
        let Some(agent) = self.agent_mut(id) else { return true };
        agent.missed_shutdown =
            matches!(fleet.absence(agent.machine), Some(Absence::Partitioned | Absence::AgentRestart));
        !agent.missed_shutdown
    }

    /// The master is about to remove a task that runs on.
    pub(crate) fn untrack(&mut self, no: TaskNo) {
        let is_there = |task: &&Arc<Task>| task.process.is_some() || task.freed;
        let Some(task) = self.tasks.get(&no).filter(is_there).cloned() else { return };
        let executor = task.executor.as_ref().and_then(|id| {
            let agent = self.agent(task.agent)?;
            agent.executors.get(&(task.framework, id.clone())).map(|executor| executor.info.clone())
        });
        if let Some(task) = self.task_mut(no) {
            task.process = None;
        }
        self.allocator.note_held(task.agent);
        if let Some(agent) = self.agent_mut(task.agent) {
            agent.untracked.push(no);
        }
        self.untracked.insert(no, UntrackedTask { task, executor });
    }

    /// An agent has news of a task that the master does not know: it comes out when the agent returns.
    pub(crate) fn record_untracked(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, update: &Update) {
        let Some(untracked) = self.untracked.get_mut(&no) else { return };
        let task = Arc::make_mut(&mut untracked.task);
        if task.agent_state.is_terminal() {
            return;
        }
        let update = Update { made_at: Some(cx.now()), ..task.as_expired(update.clone()) };
        let (state, agent, group) = (update.state, task.agent, task.group);
        self.allocator.note_held(agent);
        task.agent_state = state;
        task.pending_updates.push_back(update);
        if group.is_none() || !matches!(state, TaskState::Failed | TaskState::Killed) {
            return;
        }
        let on_agent = self.agent(agent).into_iter().flat_map(|agent| &agent.untracked);
        let others = on_agent.filter_map(|other| Some(&self.untracked.get(other)?.task));
        let alive = others.filter(|other| other.group == group && !other.agent_state.is_terminal());
        let doomed: Vec<_> = alive.filter_map(|other| Some((other.process?, other.grace_ms()))).collect();
        for (pid, grace_ms) in doomed {
            fleet.kill(cx, pid, grace_ms);
        }
    }

    /// A task's process, known to the master or not, has run for longer than it may.
    pub(crate) fn mark_expired(&mut self, no: TaskNo) -> Option<ProcessId> {
        let task = match self.tasks.get_mut(&no) {
            Some(task) => Arc::make_mut(task),
            None => Arc::make_mut(&mut self.untracked.get_mut(&no)?.task),
        };
        task.expired = !task.agent_state.is_terminal();
        task.process.filter(|_| task.expired)
    }

    /// How many processes run unknown to the master.
    pub(crate) fn untracked_processes(&self) -> usize {
        self.untracked.values().filter(|untracked| untracked.task.process.is_some()).count()
    }

    fn take_untracked(&mut self, id: AgentId) -> Vec<(TaskNo, UntrackedTask)> {
        let Some(agent) = self.agent_mut(id).filter(|agent| !agent.untracked.is_empty()) else {
            return Vec::new();
        };
        let of = std::mem::take(&mut agent.untracked);
        self.allocator.note_held(id);
        of.into_iter().filter_map(|no| Some((no, self.untracked.remove(&no)?))).collect()
    }

    /// Everything that an agent runs unknown to the master ends.
    pub(crate) fn end_untracked(&mut self, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
        if let Some(agent) = self.agent_mut(id).filter(|agent| agent.missed_shutdown) {
            agent.missed_shutdown = false;
        }
        for (_, untracked) in self.take_untracked(id) {
            self.shut_down_process(cx, fleet, id, untracked.task.process);
        }
    }

    /// A removed agent reports what it runs: it is on record again where its framework still exists.
    pub(crate) fn track_again(&mut self, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
        for (no, untracked) in self.take_untracked(id) {
            let UntrackedTask { task, executor } = untracked;
            let key = (task.framework, task.id().clone());
            let there =
                self.framework(task.framework).is_some_and(crate::frameworks::Framework::is_registered);
            if !there || self.task_ids.contains_key(&key) {
                self.shut_down_process(cx, fleet, id, task.process);
                continue;
            }
            let mut task = Arc::unwrap_or_clone(task);
            (task.retry, task.retry_ms, task.pending_kill_ms) = (None, 0, None);
            let ended =
                self.framework_mut(task.framework).and_then(|framework| framework.take_completed(&task));
            if let Some(ended) = ended {
                (task.state, task.history) = (ended.state, ended.history);
            }
            let (framework, role, freed) = (task.framework, task.role.clone(), task.freed);
            self.task_ids.insert(key, no);
            self.tasks.insert(no, Arc::new(task));
            let Some(agent) = self.agent_mut(id) else { continue };
            agent.tasks.insert(no);
            if let Some(info) = executor.filter(|_| !freed) {
                let key = (framework, info.id.clone());
                match agent.executors.get_mut(&key) {
                    Some(executor) => _ = executor.tasks.insert(no),
                    None => {
                        agent.executors.insert(key, Executor { info, role, tasks: SortedSet::from([no]) });
                    }
                }
            }
        }
    }
}
