//! An agent leaves the master's books: removed, marked gone, or given up as unreachable.
//!
//! *Order* (the same for all): task updates, rescinded offers, rescinded inverse offers, FAILURE.
//!
//! Source: `apache/mesos: src/master/master.cpp` (removeSlave, markUnreachable). Match.

use crate::{
    Master,
    agent::AgentState,
    api::{AgentId, Reason, SchedulerEvent, Source, TaskState},
    task::Update,
};
use planarium_fleet::{Cx, Fleet};
use planarium_protocol::{EventBody, Text};

/// What is said of an agent that was marked gone.
pub(crate) const GONE: &str = "it was marked gone";

/// In which way an agent leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    /// For good, and why: its tasks are LOST, for everyone.
    Removed(Why),
    /// The operator has marked it gone: its tasks are GONE_BY_OPERATOR, or LOST for those who do not know partitions.
    Gone,
    /// It does not answer: its tasks are UNREACHABLE, or LOST for those who do not know partitions.
    Unreachable,
}

/// Why an agent is removed for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its machine was taken away.
    TakenOut,
    /// Its machine is DOWN.
    Down,
    /// Another one registered at its address.
    Replaced,
}

impl Why {
    const fn word(self) -> &'static str {
        match self {
            Self::TakenOut => "taken-out",
            Self::Down => "down",
            Self::Replaced => "replaced",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::TakenOut => "the agent was taken out of the cluster",
            Self::Down => "its machine is DOWN for maintenance",
            Self::Replaced => "a new agent registered at the same address",
        }
    }
}

/// The event of an agent that was marked gone.
pub(crate) fn gone(hostname: &Text) -> EventBody {
    EventBody::AgentRemoved { agent: hostname.clone(), how: "gone".into(), reason: GONE.into() }
}

impl Master {
    pub(crate) fn take_out(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, how: Removal) {
        let Some(agent) = self.agent(id) else { return };
        let (hostname, agent_state) = (agent.hostname.clone(), agent.state);
        let body = match how {
            Removal::Removed(why) => EventBody::AgentRemoved {
                agent: hostname.clone(),
                how: why.word().into(),
                reason: why.text().into(),
            },
            Removal::Gone => gone(&hostname),
            Removal::Unreachable => EventBody::AgentUnreachable { agent: hostname.clone() },
        };
        self.counters.removals += 1;
        self.counters.recovery_removals += u64::from(agent_state == AgentState::Recovered);
        if how == Removal::Unreachable {
            self.counters.unreachable_completed += 1;
        }
        self.cancel_permit(id);
        cx.following(body, |cx| {
            self.close_books(cx, id, how);
            self.lose_tasks(cx, fleet, id, how);
            self.lose_operations(cx, id, how);
            for offer in self.offers_on(id) {
                self.rescind(cx, offer);
            }
            self.stop_asking(cx, id);
            self.detach(id, how);
            self.allocator.remove_agent(id, cx.cause());
            let agent_id = self.agent(id).map(|agent| agent.name.clone()).unwrap_or_default();
            for framework in self.registered_frameworks() {
                self.send(cx, framework, SchedulerEvent::Failure { agent: id, agent_id: agent_id.clone() });
            }
            self.touch_agent(cx, id);
        });
    }

    fn close_books(&mut self, cx: &Cx, id: AgentId, how: Removal) {
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
        let timer = agent.silent.take();
        self.disarm(timer);
        if !matches!(how, Removal::Removed(_)) {
            self.remember_for_now(cx, id);
        }
    }

    fn lose_tasks(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, how: Removal) {
        let Some(agent) = self.agent(id) else { return };
        let (hostname, unaware) = (agent.hostname.clone(), agent.unaware);
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
            let update = Update::new(cx.cause(), state, Source::Master).because(reason, message);
            if unaware {
                self.set_adrift(no);
            } else if how != Removal::Unreachable {
                let process = self.task_mut(no).and_then(|task| task.process.take());
                self.let_end(cx, fleet, id, process);
            }
            match how {
                Removal::Removed(_) | Removal::Gone => self.apply(cx, fleet, no, update),
                Removal::Unreachable => self.set_unreachable(cx, no, update),
            }
        }
    }

    /// The task stays in the books, on the list of unreachable ones, even when its state is LOST. One that has
    /// ended and waits to be acknowledged keeps its state there, whatever its framework is told.
    fn set_unreachable(&mut self, cx: &mut Cx, no: crate::task::TaskNo, update: Update) {
        let now = cx.now();
        let Some(task) = self.task_mut(no) else { return };
        let ended = task.freed;
        if !ended {
            task.state = update.state;
            task.since = now;
        }
        task.note(now, update.state, None);
        task.unreachable_since = Some(now);
        let retry = task.retry.take();
        let (framework, agent) = (task.framework, task.agent);
        if !ended {
            self.counters.end(update.state);
        }
        self.disarm(retry);
        let agent_id = self.agent(agent).map(|agent| agent.name.clone()).unwrap_or_default();
        let Some(task) = self.task(no) else { return };
        let status = crate::api::TaskStatus {
            state: update.state,
            reason: update.reason,
            source: update.source,
            message: update.message,
            ..task.status(agent_id, now)
        };
        self.tell(cx, framework, status);
    }
}
