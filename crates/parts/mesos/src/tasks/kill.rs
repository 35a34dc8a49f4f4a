//! KILL, SHUTDOWN, and the end of tasks with a `max_completion_time`.
//!
//! Source: `apache/mesos: src/master/master.cpp` (kill), `src/launcher/default_executor.cpp`. Match.

use crate::agents::shutdown::SHUTDOWN_GRACE_MS;
use crate::tasks::DEFAULT_KILL_GRACE_MS;
use crate::{
    Master,
    api::{Capability, FrameworkId, ReconcileTask, Source, TaskState},
    master::Timer,
    tasks::{TaskNo, Update},
};
use planarium_ground::{Cx, Fleet, ProcessState};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};

impl Master {
    pub(crate) fn kill(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        task_id: &Text,
        agent_id: Option<&Text>,
        grace_ms: Option<u64>,
    ) {
        let known = self.task_ids.get(&(framework, task_id.clone())).copied();
        let live =
            known.and_then(|no| self.task(no).filter(|task| task.unreachable_since.is_none()).map(|_| no));
        let Some(no) = live else {
            let asked = ReconcileTask { task_id: task_id.clone(), agent_id: agent_id.cloned() };
            return self.reconcile(cx, framework, &[asked]);
        };
        let Some((task, agent)) = self.task(no).and_then(|task| Some((task, self.agent(task.agent)?))) else {
            return;
        };
        if agent_id.is_some_and(|id| *id != agent.name) {
            return;
        }
        let own_ms = task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS);
        let body = EventBody::KillRequested {
            framework: self.framework_name(framework),
            task: task.name().clone(),
            grace_ms: grace_ms.unwrap_or(own_ms),
        };
        let is_reachable = agent.is_reachable();
        let agent = task.agent;
        cx.following(body, |cx| {
            if is_reachable {
                self.deliver_kill(cx, fleet, no, grace_ms);
            } else if let Some(task) = self.task_mut(no) {
                task.pending_kill_ms = Some(grace_ms.unwrap_or(own_ms));
            }
        });
        self.touch_agent(cx, agent);
    }

    /// A task with a `max_completion_time` starts to run.
    pub(crate) fn limit_completion(&mut self, cx: &Cx, no: TaskNo, ms: u64) {
        self.arm(cx.now().saturating_add(ms), Class::OneShot, cx.cause(), Timer::Completion(no));
    }

    /// A task has reached its `max_completion_time`: its executor ends it without any grace.
    pub(crate) fn expire_task(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        if let Some(pid) = self.mark_expired(no) {
            fleet.kill(cx, pid, 0);
        }
    }

    /// The agent receives a kill; the other tasks of the group are ended with it.
    pub(crate) fn deliver_kill(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo, grace_ms: Option<u64>) {
        let Some(task) = self.task(no) else { return };
        let Some(pid) = task.process else { return };
        let own_ms = task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS);
        let others = task.group.map(|group| self.group_members(task.agent, group)).unwrap_or_default();
        let tells = self.framework(task.framework).is_some_and(|f| f.can(Capability::TaskKillingState));
        let under_way =
            matches!(fleet.process_state(pid), Some(ProcessState::Starting | ProcessState::Running));
        if tells && under_way {
            let update = Update::new(cx.cause(), TaskState::Killing, Source::Executor);
            self.on_agent_update(cx, fleet, no, update);
        }
        fleet.kill(cx, pid, grace_ms.unwrap_or(own_ms));
        for (other, ms) in others {
            if other != pid {
                fleet.kill(cx, other, ms);
            }
        }
    }

    /// An executor is told to end with all its tasks. An agent that does not hear of it carries on.
    pub fn shut_down_executor(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        id: FrameworkId,
        agent_id: &str,
        executor: &str,
    ) {
        let agent = self.agent_named(agent_id).and_then(|agent| self.agent(agent));
        let Some(agent) = agent.filter(|agent| agent.is_reachable()) else { return };
        for no in agent.tasks.clone() {
            let of = self.task(no).filter(|task| task.framework == id);
            if of.and_then(|task| task.executor.as_deref()) == Some(executor) {
                self.deliver_kill(cx, fleet, no, Some(SHUTDOWN_GRACE_MS));
            }
        }
    }
}
