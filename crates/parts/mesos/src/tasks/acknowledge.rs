//! Statuses that a framework acknowledges by calls.
//!
//! The agent queues the updates of a task. The first one is sent, stays in the queue until its framework has
//! acknowledged it, and is sent again meanwhile; the others wait. Each update also carries the latest state of the
//! task: so the master frees what an ended task used as soon as it hears of the end, and lists the task until the
//! status of the end is acknowledged.
//!
//! Frameworks over HTTP do this. The others use a library that acknowledges for them, in no time.
//!
//! Source: `apache/mesos: src/slave/task_status_update_manager.cpp`, `src/slave/slave.cpp` (forward),
//! `src/master/master.cpp` (acknowledge, updateTask). Match; an acknowledgement that the agent cannot hear has no
//! effect at all, where the real master would take a task that has ended off its list.

use crate::{
    Master,
    agents::Agent,
    api::{AgentId, FrameworkId},
    tasks::Acknowledgement,
    tasks::TaskNo,
    tasks::status_id,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;

impl Master {
    /// From now on this framework acknowledges statuses by calls.
    pub fn acknowledges_by_calls(&mut self, id: FrameworkId) {
        if let Some(framework) = self.framework_mut(id) {
            framework.acknowledges_explicitly = true;
        }
    }

    pub(crate) fn acknowledges_explicitly(&self, id: FrameworkId) -> bool {
        self.framework(id).is_some_and(|framework| framework.acknowledges_explicitly)
    }

    /// The agent with this id on the wire, in whatever state.
    pub(crate) fn agent_named(&self, name: &str) -> Option<AgentId> {
        let row = name.strip_prefix(&*self.uuid)?.strip_prefix("-S")?.parse().ok()?;
        self.agent(AgentId(row)).filter(|agent| *agent.name == *name).map(|_| AgentId(row))
    }

    /// Sends the first update of the queue, if the agent can be reached. It may get lost; either way it is sent again.
    pub(crate) fn send_next_update(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task(no) else { return };
        let Some(update) = task.pending_updates.front().cloned() else { return };
        if !self.agent(task.agent).is_some_and(Agent::is_reachable) {
            return;
        }
        let (labels, awaiting_ack) = (task.labels.clone(), task.awaiting_ack);
        let number = awaiting_ack.unwrap_or_else(|| self.next_status.next());
        if let Some(task) = self.task_mut(no) {
            task.awaiting_ack = Some(number);
        }
        let lost = fleet.drops_status(cx, &labels);
        // It waits for a framework outside now: nothing follows by itself.
        self.schedule_retry(cx, no, if lost { Class::OneShot } else { Class::Periodic });
        if !lost {
            cx.scoped(update.cause, |cx| {
                self.apply_update(cx, fleet, no, update, Acknowledgement::Awaited(Some(number)));
            });
        }
    }

    /// Sends the first update of the queue, starting over with the shortest pause.
    pub(crate) fn resend_updates(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task_mut(no) else { return };
        task.retry_ms = 0;
        let timer = task.retry.take();
        self.disarm(timer);
        self.send_next_update(cx, fleet, no);
    }

    /// A framework has acknowledged a status: the task's next one is sent, or the task is removed when it was
    /// the last. Acknowledgements of anything else have no effect.
    pub fn acknowledge(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        task_id: &str,
        uuid: &[u8],
    ) {
        let agent = self.agent_named(agent_id);
        let Some(agent) = agent.filter(|id| self.agent(*id).is_some_and(Agent::is_active)) else {
            self.counters.invalid_acknowledgements += 1;
            return;
        };
        self.counters.acknowledgements += 1;
        let Some(no) = self.task_ids.get(&(framework, task_id.into())).copied() else { return };
        let seed = self.seed;
        let is_reachable = self.agent(agent).is_some_and(Agent::is_reachable);
        let Some(task) = self.task_mut(no).filter(|task| task.agent == agent && is_reachable) else { return };
        if task.awaiting_ack.is_none_or(|number| status_id(seed, task_id, u64::from(number)) != uuid) {
            return;
        }
        task.awaiting_ack = None;
        let ended = task.pending_updates.pop_front().is_some_and(|update| update.state.is_terminal());
        let state = task.state;
        if ended {
            self.end_task(cx, fleet, no, state);
            self.check_drained(cx, fleet, agent);
        } else {
            self.resend_updates(cx, fleet, no);
        }
        self.touch_agent(cx, agent);
    }
}
