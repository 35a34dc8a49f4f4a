//! The user decides what happens: one offer round, one task status.

use crate::{
    Master,
    agents::{Agent, AgentState},
    allocator::Rules,
    api::{AgentId, CheckStatus, FrameworkId, Reason, Source, TaskState, TaskStatus},
    tasks::{CompletedTask, Task, TaskNo, Update},
};
use planarium_ground::{Absence, Cx, Fleet, ProcessId, Said};
use planarium_protocol::{
    Refusal, Text,
    input::{OfferRound, TaskStatusInput},
    refusal::RefusalCode,
};
use std::sync::Arc;

impl Master {
    /// Runs exactly one round over these machines, in this order (all machines in order of joining when none is
    /// named). Withheld offers are made, and where every framework has declined, filters do not count.
    /// Returns how many offers were made.
    ///
    /// *Errors*: an unknown machine.
    pub fn offer_round(&mut self, cx: &mut Cx, round: &OfferRound) -> Result<u32, Refusal> {
        let mut order: Vec<AgentId> = Vec::new();
        if round.agents.is_empty() {
            order.extend(self.hosts.agents());
        }
        for name in &round.agents {
            let named = self.hosts.agents().find(|id| {
                self.agent(*id)
                    .is_some_and(|agent| &*agent.hostname == name.as_str() || &*agent.name == name.as_str())
            });
            match named {
                Some(id) if !order.contains(&id) => order.push(id),
                Some(_) => {}
                None => return Err(Refusal::new(RefusalCode::NotFound, format!("no agent {name}"))),
            }
        }
        let mut grants = Vec::new();
        for unfiltered in [false, true] {
            let rules = Rules { withheld: None, unfiltered };
            grants.extend(self.allocator.run_in_order(&order, rules));
        }
        // One message with the offers in the order named.
        planarium_kernel::sorted::sort_by_key(&mut grants, |grant| {
            order.iter().position(|id| *id == grant.agent)
        });
        for grant in &mut grants {
            grant.cause = cx.cause();
        }
        let made = u32::try_from(grants.len()).unwrap_or(u32::MAX);
        self.make_offers(cx, grants);
        self.send_inverse_offers(cx, Some(&order));
        Ok(made)
    }

    /// Reports one status, as the user says. The process follows it.
    ///
    /// *Errors*: no such task, several such tasks, unknown words.
    pub fn task_status(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        said: &TaskStatusInput,
    ) -> Result<(), Refusal> {
        let bad = |text: String| Refusal::new(RefusalCode::BadRequest, text);
        let state = TaskState::parse(&said.state)
            .ok_or_else(|| bad(format!("`{}` is not a task state", said.state)))?;
        let reason = match said.reason.as_deref() {
            Some(word) => Some(Reason::parse(word).ok_or_else(|| bad(format!("`{word}` is not a reason")))?),
            None => None,
        };
        let source = if said.reason.is_some() && reason_is_masters(reason) {
            Source::Master
        } else {
            Source::Executor
        };
        let update = Update {
            reason,
            message: said.message.as_deref().unwrap_or("").into(),
            healthy: said.healthy,
            check: said.readiness_exit.map(|code| CheckStatus { exit_code: Some(code) }),
            ..Update::new(cx.cause(), state, source)
        };
        let Some(no) = self.live_task(said)? else {
            return match self.untracked_task(said) {
                Some((no, pid)) if source != Source::Master => {
                    self.record_untracked(cx, fleet, no, &update);
                    follow(cx, fleet, pid, state, said.readiness_exit);
                    Ok(())
                }
                _ => self.send_update_of_completed(cx, said, update),
            };
        };
        if state == TaskState::Unknown {
            let Some(task) = self.task(no) else { return Ok(()) };
            let (framework, agent) = (task.framework, task.agent);
            let agent_id = self.agent(agent).map(|agent| agent.name.clone()).unwrap_or_default();
            let Some(task) = self.task(no) else { return Ok(()) };
            let status =
                TaskStatus { state, reason, message: update.message, ..task.status(agent_id, cx.now()) };
            self.send_update(cx, framework, status);
            return Ok(());
        }
        let pid = self.task(no).and_then(|task| task.process);
        let agent = self.task(no).and_then(|task| self.agent(task.agent));
        let is_registered = agent.is_some_and(|agent| agent.state == AgentState::Registered);
        let is_reachable = agent.is_some_and(Agent::is_reachable);
        let is_lost = self.task(no).is_some_and(|task| self.is_silent(fleet, task));
        let conflict = |text: String| Err(Refusal::new(RefusalCode::Conflict, text));
        if source == Source::Master {
            if !is_registered {
                return conflict(format!("the agent of {} is not registered", said.task));
            }
        } else if is_lost {
            return conflict(format!("the machine of {} is lost: nothing is heard of it", said.task));
        }
        let acknowledged = self.task(no).is_some_and(|task| self.acknowledges_explicitly(task.framework));
        if source != Source::Master && (acknowledged || !is_reachable) {
            // It is queued: for an acknowledgement, or until the agent can be reached.
            self.on_agent_update(cx, fleet, no, update);
        } else {
            // A process that has ended stays ended, whatever is said of it; its own last report is still to come.
            if let Some(task) = self.task_mut(no).filter(|task| !task.agent_state.is_terminal()) {
                task.agent_state = state;
            }
            self.apply(cx, fleet, no, update);
        }
        follow(cx, fleet, pid, state, said.readiness_exit);
        Ok(())
    }

    /// Whether a task's machine is lost: nothing that the task does is heard of.
    pub(super) fn is_silent(&self, fleet: &Fleet, task: &Task) -> bool {
        self.agent(task.agent).is_some_and(|agent| fleet.absence(agent.machine) == Some(Absence::Lost))
    }

    /// The latest untracked task of this name or id, and its process.
    fn untracked_task(&self, said: &TaskStatusInput) -> Option<(TaskNo, Option<ProcessId>)> {
        let is_meant = |task: &Task| {
            let is_named = *task.id().as_ref() == *said.task || *task.name().as_ref() == *said.task;
            is_named && self.is_service(task.framework, said.service.as_deref())
        };
        let all = self.untracked.iter().filter(|(_, untracked)| is_meant(&untracked.task));
        all.last().map(|(no, untracked)| (*no, untracked.task.process))
    }

    /// The latest live task of this name or id, if there is one.
    fn live_task(&self, said: &TaskStatusInput) -> Result<Option<TaskNo>, Refusal> {
        let matching: Vec<(TaskNo, FrameworkId)> = self
            .tasks
            .iter()
            .filter(|(_, task)| *task.id().as_ref() == *said.task || *task.name().as_ref() == *said.task)
            .filter(|(_, task)| {
                let service = said.service.as_deref();
                self.is_service(task.framework, service)
                    || task.labels.get("service").map(|name| &**name) == service
            })
            .map(|(no, task)| (*no, task.framework))
            .collect();
        let services: Vec<FrameworkId> = matching.iter().map(|(_, framework)| *framework).collect();
        if services.iter().any(|framework| Some(framework) != services.first()) {
            let text = format!("several services have a task {}; name the service", said.task);
            return Err(Refusal::new(RefusalCode::BadRequest, text));
        }
        Ok(matching.last().map(|(no, _)| *no))
    }

    fn is_service(&self, framework: FrameworkId, service: Option<&str>) -> bool {
        service.is_none_or(|service| &*self.framework_name(framework) == service)
    }

    /// A status for a task that has ended is passed on; the record does not change.
    fn send_update_of_completed(
        &mut self,
        cx: &mut Cx,
        said: &TaskStatusInput,
        update: Update,
    ) -> Result<(), Refusal> {
        let is_meant = |ended: &&Arc<CompletedTask>| {
            *ended.info.task_id.as_ref() == *said.task || *ended.info.name.as_ref() == *said.task
        };
        let found = self.registered_frameworks().into_iter().find_map(|id| {
            let framework = self.framework(id).filter(|_| self.is_service(id, said.service.as_deref()))?;
            framework.completed.iter().rev().find(is_meant).cloned().map(|ended| (id, ended))
        });
        let Some((framework, ended)) = found else {
            return Err(Refusal::new(RefusalCode::NotFound, format!("no task {}", said.task)));
        };
        let agent_id: Option<Text> = self.agent(ended.agent).map(|agent| agent.name.clone());
        let status = TaskStatus {
            task_id: ended.info.task_id.clone(),
            task_name: ended.info.name.clone(),
            agent_id,
            executor_id: ended.executor.clone(),
            state: update.state,
            reason: update.reason,
            source: update.source,
            message: update.message,
            healthy: update.healthy,
            check: update.check,
            timestamp_ms: cx.now().ms(),
            unreachable_since_ms: None,
            number: None,
        };
        self.send_update(cx, framework, status);
        Ok(())
    }
}

/// The process does what the status says.
fn follow(
    cx: &mut Cx,
    fleet: &mut Fleet,
    pid: Option<ProcessId>,
    state: TaskState,
    readiness_exit: Option<i32>,
) {
    let Some(pid) = pid else { return };
    match state {
        TaskState::Starting => fleet.say(cx, pid, Said::Starting),
        TaskState::Running => fleet.say(cx, pid, Said::Running(readiness_exit)),
        _ if state.is_terminal() => fleet.say(cx, pid, Said::Ended),
        _ => {}
    }
}

fn reason_is_masters(reason: Option<Reason>) -> bool {
    matches!(
        reason,
        Some(
            Reason::Reconciliation
                | Reason::AgentRemoved
                | Reason::AgentRemovedByOperator
                | Reason::AgentReregistered
                | Reason::AgentDisconnected
                | Reason::InvalidOffers
                | Reason::TaskInvalid
                | Reason::TaskGroupInvalid
        )
    )
}
