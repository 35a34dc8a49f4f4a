//! Status updates: from the agent to the master to the framework.
//!
//! Updates wait in a queue per task while the master cannot be reached, and are sent again with doubling pauses when
//! they got lost. For frameworks that acknowledge by calls they also wait for those ([`super::acknowledge`]); all
//! others acknowledge in no time.
//!
//! Source: `apache/mesos: src/master/master.cpp` (statusUpdate, updateTask), `src/status_update_manager` (order,
//! retries), `src/launcher/default_executor.cpp` (groups end together). Match.

use super::retry::MAX_RETRY_MS;
use crate::tasks::{Acknowledgement, next_retry_ms};
use crate::{
    Master,
    agents::Executor,
    api::{
        AgentId, CheckStatus, FrameworkId, Reason, Resources, SchedulerEvent, Source, TaskState, TaskStatus,
    },
    master::Timer,
    tasks::DEFAULT_KILL_GRACE_MS,
    tasks::{CompletedTask, Task, TaskNo, Update},
};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

impl Master {
    /// The agent reports something about a task.
    pub(crate) fn on_agent_update(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, update: Update) {
        let Some(task) = self.task(no) else { return self.record_untracked(cx, fleet, no, &update) };
        if task.agent_state.is_terminal() {
            return;
        }
        let update = Update { made_at: Some(cx.now()), ..self.as_drained(task, task.as_expired(update)) };
        let (state, agent, group) = (update.state, task.agent, task.group);
        let begins = state == TaskState::Running && task.agent_state != TaskState::Running;
        let limit_ms = task.info.max_completion_ms.filter(|_| begins);
        let is_reachable = self.agent(agent).is_some_and(crate::agents::Agent::is_reachable);
        let waits = !is_reachable || !task.pending_updates.is_empty();
        let at_once = !waits && !self.acknowledges_explicitly(task.framework);
        let lost = at_once && fleet.drops_status(cx, &task.labels);
        if let Some(ms) = limit_ms {
            self.limit_completion(cx, no, ms);
        }
        if at_once && !lost {
            cx.scoped(update.cause, |cx| {
                self.apply_update(cx, fleet, no, update, Acknowledgement::NotAwaitedFromAgent);
            });
        } else if let Some(task) = self.task_mut(no) {
            task.agent_state = state;
            task.pending_updates.push_back(update);
            if lost {
                self.schedule_retry(cx, no, Class::OneShot);
            } else if !waits {
                self.send_next_update(cx, fleet, no);
            }
        }
        if let (TaskState::Failed | TaskState::Killed, Some(group)) = (state, group) {
            // A task of a group that failed or was killed takes the others of the group with it.
            for (pid, grace_ms) in self.group_members(agent, group) {
                fleet.kill(cx, pid, grace_ms);
            }
        }
        // What can be done to a task depends on its process, whether or not the master has heard of it.
        self.touch_agent(cx, agent);
    }

    /// Processes of a group with their grace periods.
    pub(crate) fn group_members(&self, agent: crate::api::AgentId, group: u32) -> Vec<(ProcessId, u64)> {
        let on_agent = self.agent(agent).into_iter().flat_map(|agent| &agent.tasks);
        on_agent
            .filter_map(|no| self.task(*no))
            .filter(|task| task.group == Some(group) && !task.agent_state.is_terminal())
            .filter_map(|task| {
                Some((task.process?, task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS)))
            })
            .collect()
    }

    /// Sends a status; it may get lost.
    fn deliver_update(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, update: Update) {
        let Some(labels) = self.task(no).map(|task| task.labels.clone()) else { return };
        if fleet.drops_status(cx, &labels) {
            if let Some(task) = self.task_mut(no) {
                task.pending_updates.push_front(update);
            }
            return self.schedule_retry(cx, no, Class::OneShot);
        }
        if let Some(task) = self.task_mut(no) {
            task.retry_ms = 0;
        }
        cx.scoped(update.cause, |cx| self.apply(cx, fleet, no, update));
    }

    /// Arms the timer that sends the first update of the queue again, each time after twice the pause.
    pub(crate) fn schedule_retry(&mut self, cx: &Cx, no: TaskNo, class: Class) {
        let Some(task) = self.task_mut(no) else { return };
        task.retry_ms = next_retry_ms(task.retry_ms);
        let (ms, old) = (task.retry_ms, task.retry.take());
        self.disarm(old);
        let class = if ms < MAX_RETRY_MS { class } else { Class::Periodic };
        let timer = self.arm(cx.now().saturating_add(ms), class, cx.cause(), Timer::Retry(no));
        if let Some(task) = self.task_mut(no) {
            task.retry = Some(timer);
        }
    }

    /// Sends again what got lost.
    pub(crate) fn retry_status(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task_mut(no) else { return };
        task.retry = None;
        let framework = task.framework;
        if self.acknowledges_explicitly(framework) {
            return self.send_next_update(cx, fleet, no);
        }
        self.deliver_pending(cx, fleet, no);
    }

    /// Sends everything in the queue, until something gets lost again.
    pub(crate) fn deliver_pending(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        if self.task(no).is_some_and(|task| self.acknowledges_explicitly(task.framework)) {
            return self.resend_updates(cx, fleet, no);
        }
        loop {
            let Some(task) = self.task(no) else { return };
            if task.retry.is_some() || !self.agent(task.agent).is_some_and(crate::agents::Agent::is_reachable)
            {
                return;
            }
            let Some(update) = self.task_mut(no).and_then(|task| task.pending_updates.pop_front()) else {
                return;
            };
            self.deliver_update(cx, fleet, no, update);
        }
    }

    /// The master receives a status and passes it on.
    pub(crate) fn apply(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, update: Update) {
        self.apply_update(cx, fleet, no, update, Acknowledgement::NotAwaited);
    }

    /// The same for a status that may be older than what the agent knows. Once a task has ended its state
    /// stays, whatever later statuses say.
    pub(crate) fn apply_update(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        no: TaskNo,
        update: Update,
        leaves: Acknowledgement,
    ) {
        let now = cx.now();
        let Some(task) = self.tasks.get_mut(&no).map(Arc::make_mut) else { return };
        if leaves == Acknowledgement::NotAwaitedFromAgent {
            (task.agent_state, task.retry_ms) = (update.state, 0);
        }
        let number = if let Acknowledgement::Awaited(number) = leaves { Some(number) } else { None };
        let latest = if number.is_none() { update.state } else { task.agent_state };
        if !task.freed && task.state != latest {
            task.state = latest;
            task.since = now;
        }
        let (state, ends) = (task.state, latest.is_terminal() && !task.freed);
        task.healthy = update.healthy.or(task.healthy);
        task.check = update.check.or(task.check);
        if update.state == TaskState::Running && task.is_checked() {
            // A checked task carries check information from its first RUNNING on, without a result at first.
            task.check = task.check.or(Some(CheckStatus::default()));
        }
        let (framework, agent) = (task.framework, task.agent);
        let agent_id = self.agents.get(agent.index()).map(|agent| agent.name.clone()).unwrap_or_default();
        let status = TaskStatus {
            state: update.state,
            reason: update.reason,
            source: update.source,
            message: update.message,
            number: number.flatten(),
            ..task.status(agent_id, update.made_at.unwrap_or(now))
        };
        let is_new = task.record_status(&status);
        self.tell_task_updated(cx, framework, &status, state, is_new);
        if ends {
            self.counters.end(state);
        }
        if status.source != Source::Master {
            self.counters.status_updates += 1;
        }
        let leaves = number.is_none() && update.state.is_terminal();
        self.send_update_then(cx, framework, status, |master, cx| {
            if leaves {
                master.end_task(cx, fleet, no, state);
            } else if ends {
                master.free_task(cx, fleet, no);
            }
        });
        if leaves {
            self.check_drained(cx, fleet, agent);
        }
        self.touch_agent(cx, agent);
    }

    /// Tells a framework about a task.
    pub(crate) fn send_update(&mut self, cx: &mut Cx, framework: FrameworkId, status: TaskStatus) {
        self.send_update_then(cx, framework, status, |_, _| {});
    }

    fn send_update_then(
        &mut self,
        cx: &mut Cx,
        framework: FrameworkId,
        status: TaskStatus,
        then: impl FnOnce(&mut Self, &mut Cx),
    ) {
        let body = EventBody::TaskStatus {
            framework: self.framework_name(framework),
            task: status.task_name.clone(),
            task_id: status.task_id.clone(),
            state: status.state.text(),
            reason: status.reason.map(Reason::text).unwrap_or_default(),
            message: status.message.clone().into(),
            healthy: status.healthy,
            readiness_exit: status.check.and_then(|check| check.exit_code),
        };
        cx.following(body, |cx| {
            then(self, cx);
            self.send(cx, framework, SchedulerEvent::Update(status));
        });
    }

    /// A task has ended: its resources are free again.
    pub(crate) fn free_task(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task_mut(no).filter(|task| !task.freed) else { return };
        task.freed = true;
        let (id, framework, process) = (task.agent, task.framework, task.process.take());
        let (role, resources) = (task.role.clone(), std::mem::take(&mut task.resources));
        let executor = task.executor.clone();
        self.allocator.note_held(id);
        self.forget_process(fleet, process);
        let executor = self.agent_mut(id).and_then(|agent| agent.leave_executor(framework, executor?, no));
        self.release_resources(cx, (framework, id), role, resources, executor);
    }

    fn forget_process(&mut self, fleet: &mut Fleet, process: Option<ProcessId>) {
        if let Some(pid) = process {
            self.by_process.remove(&pid);
            fleet.vanish(pid);
        }
    }

    /// Frees a task's resources, and those of its executor when that has ended with it.
    fn release_resources(
        &mut self,
        cx: &Cx,
        (framework, agent): (FrameworkId, AgentId),
        role: Text,
        mut resources: Resources,
        executor: Option<Executor>,
    ) {
        let mut give = |role: &Text, resources: &Resources| {
            self.recover_resources(cx, framework, role, agent, resources, None, Class::Periodic);
        };
        match executor {
            Some(executor) if executor.role == role => {
                // One change of the agent's allocation does for both.
                resources.add_all(&executor.info.resources);
                give(&role, &resources);
            }
            other => {
                give(&role, &resources);
                if let Some(executor) = other {
                    give(&executor.role, &executor.info.resources);
                }
            }
        }
    }

    /// Removes a task from the records; its resources are free again.
    pub(crate) fn end_task(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, state: TaskState) {
        let Some(task) = self.tasks.remove(&no) else { return };
        let task = Arc::unwrap_or_clone(task);
        let (id, framework) = (task.agent, task.framework);
        self.task_ids.remove(&(framework, task.id().clone()));
        self.disarm(task.retry);
        self.allocator.note_held(id);
        if !task.freed {
            self.forget_process(fleet, task.process);
        }
        let mut executor = None;
        if let Some(agent) = self.agent_mut(id) {
            agent.tasks.remove(&no);
            if let Some(of) = task.executor.clone().filter(|_| !task.freed) {
                executor = agent.leave_executor(framework, of, no);
            }
        }
        if !task.freed {
            self.release_resources(cx, (framework, id), task.role.clone(), task.resources, executor);
        }
        let Task { info, executor, role, history, .. } = task;
        if let Some(framework) = self.framework_mut(framework) {
            framework.add_completed(CompletedTask { info, agent: id, state, executor, role, history });
        }
        self.touch_agent(cx, id);
    }

    /// Tasks of a framework that are not ended, in order of launch.
    pub(crate) fn tasks_of(&self, framework: FrameworkId) -> Vec<TaskNo> {
        self.tasks.iter().filter(|(_, task)| task.framework == framework).map(|(no, _)| *no).collect()
    }
}
