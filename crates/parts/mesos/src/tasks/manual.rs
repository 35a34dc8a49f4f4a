//! The user decides what happens: one task status.

use crate::{
    agents::{Agent, AgentState, Agents},
    api::{CheckStatus, FrameworkId, Reason, Source, TaskState, TaskStatus},
    cluster::Cluster,
    frameworks::Frameworks,
    tasks::{CompletedTask, MayBeDrained, Task, TaskNo, Tasks, Update, status, untracked, update},
};
use planarium_ground::{Absence, Cx, Fleet, ProcessId, Said, SaidChecks};
use planarium_protocol::{Refusal, Text, input::TaskStatusInput, refusal::RefusalCode};
use std::sync::Arc;

/// Reports one status chosen by the user. The process follows it.
///
/// *Errors*: no matching task, several matching tasks, unknown words.
pub(crate) fn task_status(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    said: &TaskStatusInput,
) -> Result<MayBeDrained, Refusal> {
    let mut left = MayBeDrained::default();
    let bad = |text: String| Refusal::new(RefusalCode::BadRequest, text);
    let state =
        TaskState::parse(&said.state).ok_or_else(|| bad(format!("`{}` is not a task state", said.state)))?;
    let reason = match said.reason.as_deref() {
        Some(word) => Some(Reason::parse(word).ok_or_else(|| bad(format!("`{word}` is not a reason")))?),
        None => None,
    };
    let source =
        if said.reason.is_some() && reason_is_masters(reason) { Source::Master } else { Source::Executor };
    let update = Update {
        reason,
        message: said.message.as_deref().unwrap_or("").into(),
        healthy: said.healthy,
        check: said.readiness_exit.map(|code| CheckStatus { exit_code: Some(code) }),
        ..Update::new(cx.cause(), state, source)
    };
    let checks = SaidChecks { readiness: said.readiness_exit, healthy: said.healthy };
    let Some(no) = live_task(tasks, &cluster.frameworks, said)? else {
        return match untracked_task(tasks, &cluster.frameworks, said) {
            Some((no, pid)) if source != Source::Master => {
                untracked::record_untracked(tasks, cluster, cx, fleet, no, &update);
                follow(cx, fleet, pid, state, checks);
                Ok(left)
            }
            _ => send_update_of_completed(cluster, cx, said, update).map(|()| left),
        };
    };
    if state == TaskState::Unknown {
        let Some(task) = tasks.get(no) else { return Ok(left) };
        let (framework, agent) = (task.framework, task.agent);
        let agent_id = cluster.agents.get(agent).map(|agent| agent.name.clone()).unwrap_or_default();
        let Some(task) = tasks.get(no) else { return Ok(left) };
        let status = TaskStatus { state, reason, message: update.message, ..task.status(agent_id, cx.now()) };
        status::send_update(&mut cluster.frameworks, cx, framework, status);
        return Ok(left);
    }
    let pid = tasks.get(no).and_then(|task| task.process);
    let agent = tasks.get(no).and_then(|task| cluster.agents.get(task.agent));
    let is_registered = agent.is_some_and(|agent| agent.state == AgentState::Registered);
    let is_reachable = agent.is_some_and(Agent::is_reachable);
    let is_lost = tasks.get(no).is_some_and(|task| is_silent(&cluster.agents, fleet, task));
    let conflict = |text: String| Err(Refusal::new(RefusalCode::Conflict, text));
    if source == Source::Master {
        if !is_registered {
            return conflict(format!("the agent of {} is not registered", said.task));
        }
    } else if is_lost {
        return conflict(format!("the machine of {} is lost: nothing is heard of it", said.task));
    }
    let acknowledged =
        tasks.get(no).is_some_and(|task| cluster.frameworks.acknowledges_explicitly(task.framework));
    if source != Source::Master && (acknowledged || !is_reachable) {
        // It is queued: for an acknowledgement, or until the agent can be reached.
        left = update::on_agent_update(tasks, cluster, cx, fleet, no, update);
    } else {
        // An ended process stays ended, whatever the user reports; its own last report is still on its way.
        if let Some(task) = tasks.get_mut(no).filter(|task| !task.agent_state.is_terminal()) {
            task.agent_state = state;
        }
        left = status::apply(tasks, cluster, cx, fleet, no, update);
    }
    follow(cx, fleet, pid, state, checks);
    Ok(left)
}

/// Returns whether a task's machine is lost: nothing that the task does is heard of.
pub(super) fn is_silent(agents: &Agents, fleet: &Fleet, task: &Task) -> bool {
    agents.get(task.agent).is_some_and(|agent| fleet.absence(agent.machine) == Some(Absence::Lost))
}

/// Returns whether a status set for a task would reach no one now.
pub(super) fn is_unheard(agents: &Agents, fleet: &Fleet, task: &Task) -> bool {
    agents.get(task.agent).is_none_or(|agent| !agent.is_reachable() || fleet.absence(agent.machine).is_some())
}

/// The latest untracked task of this name or id, and its process.
fn untracked_task(
    tasks: &Tasks,
    frameworks: &Frameworks,
    said: &TaskStatusInput,
) -> Option<(TaskNo, Option<ProcessId>)> {
    let is_meant = |task: &Task| {
        let is_named = *task.id().as_ref() == *said.task || *task.name().as_ref() == *said.task;
        is_named && is_service(frameworks, task.framework, said.service.as_deref())
    };
    let all = tasks.untracked.iter().filter(|(_, untracked)| is_meant(&untracked.task));
    all.last().map(|(no, untracked)| (*no, untracked.task.process))
}

/// The latest live task of this name or id, if there is one.
fn live_task(
    tasks: &Tasks,
    frameworks: &Frameworks,
    said: &TaskStatusInput,
) -> Result<Option<TaskNo>, Refusal> {
    let matching: Vec<(TaskNo, FrameworkId)> = tasks
        .all
        .iter()
        .filter(|(_, task)| *task.id().as_ref() == *said.task || *task.name().as_ref() == *said.task)
        .filter(|(_, task)| {
            let service = said.service.as_deref();
            is_service(frameworks, task.framework, service)
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

fn is_service(frameworks: &Frameworks, framework: FrameworkId, service: Option<&str>) -> bool {
    service.is_none_or(|service| &*frameworks.name(framework) == service)
}

/// A status for a task that has ended is passed on; the record does not change.
fn send_update_of_completed(
    cluster: &mut Cluster,
    cx: &mut Cx,
    said: &TaskStatusInput,
    update: Update,
) -> Result<(), Refusal> {
    let is_meant = |ended: &&Arc<CompletedTask>| {
        *ended.info.task_id.as_ref() == *said.task || *ended.info.name.as_ref() == *said.task
    };
    let found = cluster.frameworks.registered().into_iter().find_map(|id| {
        let framework = cluster
            .frameworks
            .get(id)
            .filter(|_| is_service(&cluster.frameworks, id, said.service.as_deref()))?;
        framework.completed.iter().rev().find(is_meant).cloned().map(|ended| (id, ended))
    });
    let Some((framework, ended)) = found else {
        return Err(Refusal::new(RefusalCode::NotFound, format!("no task {}", said.task)));
    };
    let agent_id: Option<Text> = cluster.agents.get(ended.agent).map(|agent| agent.name.clone());
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
    status::send_update(&mut cluster.frameworks, cx, framework, status);
    Ok(())
}

/// Makes the process match the status.
fn follow(cx: &mut Cx, fleet: &mut Fleet, pid: Option<ProcessId>, state: TaskState, checks: SaidChecks) {
    let Some(pid) = pid else { return };
    match state {
        TaskState::Starting => fleet.say(cx, pid, Said::Starting),
        TaskState::Running => fleet.say(cx, pid, Said::Running(checks)),
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
