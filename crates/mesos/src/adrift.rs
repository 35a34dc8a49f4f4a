//! Tasks that run on although the master has closed its books on them.
//!
//! An agent that is cut off, or whose process is just not running, does not hear the order to shut down when its
//! machine goes DOWN. It runs on what it has. If it comes back when the machine is UP again it keeps its id, and its
//! tasks are announced anew; if it comes back before, it hears the order and everything ends.
//!
//! Source: `apache/mesos: src/master/master.cpp` (reregisterSlave, removeTask). Match.

use crate::{
    Master,
    agent::Executor,
    api::{AgentId, ExecutorInfo},
    task::{Task, TaskNo, Update},
};
use planarium_fleet::{Absence, Cx, Fleet};
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// A task as its agent knows it.
#[derive(Clone, Debug)]
pub(crate) struct Adrift {
    task: Arc<Task>,
    executor: Option<ExecutorInfo>,
}

impl Master {
    /// Whether an agent hears now that it is to shut down. One that does not is marked.
    pub(crate) fn obeys(&mut self, fleet: &Fleet, id: AgentId) -> bool {
        let Some(agent) = self.agent_mut(id) else { return true };
        agent.unaware =
            matches!(fleet.absence(agent.machine), Some(Absence::Partitioned | Absence::AgentRestart));
        !agent.unaware
    }

    /// The master is about to close its books on a task that runs on.
    pub(crate) fn set_adrift(&mut self, no: TaskNo) {
        let Some(task) = self.tasks.get(&no).filter(|task| task.process.is_some()).cloned() else { return };
        let executor = task.executor.as_ref().and_then(|id| {
            let agent = self.agent(task.agent)?;
            agent.executors.get(&(task.framework, id.clone())).map(|executor| executor.info.clone())
        });
        if let Some(task) = self.task_mut(no) {
            task.process = None;
        }
        self.adrift.insert(no, Adrift { task, executor });
    }

    /// An agent has something to say of a task that nobody listens for: it is found out when the agent returns.
    pub(crate) fn note_adrift(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, update: &Update) {
        let Some(adrift) = self.adrift.get_mut(&no) else { return };
        let task = Arc::make_mut(&mut adrift.task);
        if task.at_agent.is_terminal() {
            return;
        }
        task.at_agent = update.state;
        let (agent, group) = (task.agent, task.group);
        if group.is_some() && update.state.is_terminal() && update.state != crate::api::TaskState::Finished {
            let others = self.adrift.values().filter(|other| {
                other.task.agent == agent && other.task.group == group && !other.task.at_agent.is_terminal()
            });
            let of = |other: &Adrift| Some((other.task.process?, other.task.grace_ms()));
            for (pid, grace_ms) in others.filter_map(of).collect::<Vec<_>>() {
                fleet.kill(cx, pid, grace_ms);
            }
        }
    }

    fn take_adrift(&mut self, id: AgentId) -> Vec<(TaskNo, Adrift)> {
        let of = self.adrift.iter().filter(|(_, adrift)| adrift.task.agent == id).map(|(no, _)| *no);
        let of: Vec<TaskNo> = of.collect();
        of.into_iter().filter_map(|no| Some((no, self.adrift.remove(&no)?))).collect()
    }

    /// What an agent runs unknown to the master ends.
    pub(crate) fn end_adrift(&mut self, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
        if let Some(agent) = self.agent_mut(id).filter(|agent| agent.unaware) {
            agent.unaware = false;
        }
        for (_, adrift) in self.take_adrift(id) {
            self.let_end(cx, fleet, id, adrift.task.process);
        }
    }

    /// An agent that was removed reports what it runs: it is in the books again, where its framework is still there.
    pub(crate) fn take_back_adrift(&mut self, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
        for (no, adrift) in self.take_adrift(id) {
            let Adrift { task, executor } = adrift;
            let key = (task.framework, task.id().clone());
            let there = self.framework(task.framework).is_some_and(crate::framework::Framework::is_registered);
            if !there || self.task_ids.contains_key(&key) {
                self.let_end(cx, fleet, id, task.process);
                continue;
            }
            let mut task = Arc::unwrap_or_clone(task);
            (task.retry, task.retry_ms) = (None, 0);
            let ended = self.framework_mut(task.framework).and_then(|framework| framework.forget(&task));
            if let Some(ended) = ended {
                (task.state, task.history) = (ended.state, ended.history);
            }
            let (framework, role) = (task.framework, task.role.clone());
            self.task_ids.insert(key, no);
            self.tasks.insert(no, Arc::new(task));
            let Some(agent) = self.agent_mut(id) else { continue };
            agent.tasks.insert(no);
            if let Some(info) = executor {
                let new = || Executor { info: info.clone(), role, tasks: SortedSet::default() };
                agent.executors.entry((framework, info.id.clone())).or_insert_with(new).tasks.insert(no);
            }
        }
    }
}
