//! An agent leaves the master's records: removed, marked gone, or marked unreachable.
//!
//! *Order* (the same for all): task updates, rescinded offers, rescinded inverse offers, FAILURE.
//!
//! Source: `apache/mesos: src/master/master.cpp` (removeSlave, markUnreachable). Match.

use crate::agents::{GONE, Removal, gone_event};
use crate::{
    Master,
    agents::AgentState,
    api::{AgentId, Reason, SchedulerEvent, Source, TaskState, TaskStatus},
    tasks::Update,
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::EventBody;

impl Master {
    pub(crate) fn retire_agent(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, how: Removal) {
        let Some(agent) = self.agent(id) else { return };
        let (hostname, agent_state) = (agent.hostname.clone(), agent.state);
        let body = match how {
            Removal::Removed(why) => EventBody::AgentRemoved {
                agent: hostname.clone(),
                how: why.word().into(),
                reason: why.text().into(),
            },
            Removal::Gone => gone_event(&hostname),
            Removal::Unreachable => EventBody::AgentUnreachable { agent: hostname.clone() },
        };
        self.counters.removals += 1;
        self.counters.recovery_removals += u64::from(agent_state == AgentState::Recovered);
        if how == Removal::Unreachable {
            self.counters.unreachable_completed += 1;
        }
        self.cancel_permit(id);
        cx.following(body, |cx| {
            self.mark_left(cx, id, how);
            self.lose_tasks(cx, fleet, id, how);
            self.lose_operations(cx, id, how);
            for offer in self.offers_on(id) {
                self.rescind(cx, offer);
            }
            self.reset_inverse_offers(cx, id);
            self.detach(id, how);
            self.allocator.remove_agent(id, cx.cause());
            let agent_id = self.agent(id).map(|agent| agent.name.clone()).unwrap_or_default();
            for framework in self.registered_frameworks() {
                self.send(cx, framework, SchedulerEvent::Failure { agent: id, agent_id: agent_id.clone() });
            }
            self.tell_agent_removed(cx, id, how);
            self.touch_agent(cx, id);
        });
    }

    fn mark_left(&mut self, cx: &Cx, id: AgentId, how: Removal) {
        let total = self.allocator.slot(id).map(crate::allocator::Slot::total);
        let now = cx.now();
        let Some(agent) = self.agent_mut(id) else { return };
        if let Some(total) = total {
            agent.last_total = total;
        }
        agent.connected = false;
        agent.state = match how {
            Removal::Removed(_) => AgentState::Removed,
            Removal::Gone => AgentState::Gone,
            Removal::Unreachable => AgentState::Unreachable,
        };
        agent.unreachable_since = (how == Removal::Unreachable).then_some(now);
        let timer = agent.ping_timer.take();
        self.disarm(timer);
        if !matches!(how, Removal::Removed(_)) {
            self.schedule_registry_gc(cx, id);
        }
    }

    fn lose_tasks(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, how: Removal) {
        let Some(agent) = self.agent(id) else { return };
        let (hostname, missed_shutdown) = (agent.hostname.clone(), agent.missed_shutdown);
        for no in agent.tasks.iter().copied().collect::<Vec<_>>() {
            let Some(framework) = self.task(no).map(|task| task.framework) else { continue };
            let precise = |state| self.lost_or(framework, state);
            let (state, cause) = match how {
                Removal::Removed(why) => (TaskState::Lost, why.text()),
                Removal::Gone => (precise(TaskState::GoneByOperator), GONE),
                Removal::Unreachable => (precise(TaskState::Unreachable), "health check timed out"),
            };
            let message = format!("Agent {hostname} removed: {cause}");
            let reason = match state {
                TaskState::GoneByOperator => Reason::AgentRemovedByOperator,
                _ => Reason::AgentRemoved,
            };
            let update = Update::new(cx.cause(), state, Source::Master).with_reason(reason, message);
            if missed_shutdown {
                self.untrack(no);
            } else if how != Removal::Unreachable {
                let process = self.task_mut(no).and_then(|task| task.process.take());
                self.shut_down_process(cx, fleet, id, process);
            }
            match how {
                Removal::Removed(_) | Removal::Gone => self.apply(cx, fleet, no, update),
                Removal::Unreachable => self.set_unreachable(cx, no, update),
            }
        }
    }

    /// The task stays on record, on the list of unreachable ones, even when its state is LOST. One that has
    /// ended and waits to be acknowledged keeps its state there, whatever its framework is told.
    fn set_unreachable(&mut self, cx: &mut Cx, no: crate::tasks::TaskNo, update: Update) {
        let now = cx.now();
        let Some(task) = self.task_mut(no) else { return };
        let ended = task.freed;
        if !ended {
            task.state = update.state;
            task.since = now;
        }
        task.unreachable_since = Some(now);
        let retry = task.retry.take();
        let (framework, agent) = (task.framework, task.agent);
        if !ended {
            self.counters.end(update.state);
        }
        self.disarm(retry);
        let agent_id = self.agent(agent).map(|agent| agent.name.clone()).unwrap_or_default();
        let Some(task) = self.task_mut(no) else { return };
        let status = TaskStatus {
            state: update.state,
            reason: update.reason,
            source: update.source,
            message: update.message,
            ..task.status(agent_id, now)
        };
        let plain = TaskStatus { healthy: None, check: None, ..status.clone() };
        let (is_new, state) = (task.record_status(&plain), task.state);
        self.tell_task_updated(cx, framework, &plain, state, is_new);
        self.send_update(cx, framework, status);
    }
}
