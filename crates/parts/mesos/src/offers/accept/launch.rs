//! LAUNCH and LAUNCH_GROUP.

use super::{
    accepted::{AcceptedOffers, never_launched},
    validate::{self, TaskNeeds},
};
use crate::{
    agents::Agents,
    api::{ExecutorInfo, FrameworkId, Reason, Resources, TaskInfo, TaskState},
    cluster::Cluster,
    tasks::{Task, TaskNo, Tasks, start, status},
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::SortedMap;
use planarium_protocol::{EventBody, Text};
use std::{collections::VecDeque, sync::Arc};

/// Launches a task, or says why it is invalid.
pub(super) fn launch_one(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    accepted: &mut AcceptedOffers,
    task: TaskInfo,
) {
    let executor = task.executor.clone();
    let mut remaining = std::mem::take(&mut accepted.remaining);
    let valid = validate_task(tasks, &cluster.agents, accepted, &mut remaining, &task, executor.as_ref());
    accepted.remaining = remaining;
    match valid {
        Ok(needs) => {
            let valid = ValidTask { info: task, needs, executor: executor.as_ref(), group: None };
            start(tasks, cluster, cx, fleet, accepted, valid);
        }
        Err(message) => {
            refuse_tasks(cluster, cx, &accepted.agent_name, accepted.framework, "LAUNCH", &[task], &message);
        }
    }
}

/// Tells a framework that the tasks of an invalid launch are in error.
pub(super) fn refuse_tasks(
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent_id: &Text,
    framework: FrameworkId,
    kind: &str,
    tasks: &[TaskInfo],
    message: &str,
) {
    let reason = if kind == "LAUNCH_GROUP" { Reason::TaskGroupInvalid } else { Reason::TaskInvalid };
    for task in tasks {
        let agent_id = Some(agent_id.clone());
        let status = never_launched(cx, task, agent_id, TaskState::Error, reason, message.into());
        cluster.counters.end(TaskState::Error);
        status::send_update(&mut cluster.frameworks, cx, framework, status);
    }
}

/// Launches all tasks of a group, or none.
pub(super) fn launch_group(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    accepted: &mut AcceptedOffers,
    executor: &ExecutorInfo,
    infos: Vec<TaskInfo>,
) {
    let mut remaining = std::mem::take(&mut accepted.remaining);
    // A single task is all or nothing anyway.
    let before = (infos.len() > 1).then(|| remaining.clone());
    let valid = validate_group(tasks, &cluster.agents, accepted, &mut remaining, executor, &infos);
    accepted.remaining = before.filter(|_| valid.is_err()).unwrap_or(remaining);
    let all_needs = match valid {
        Ok(all_needs) => all_needs,
        Err(message) => {
            refuse_tasks(
                cluster,
                cx,
                &accepted.agent_name,
                accepted.framework,
                "LAUNCH_GROUP",
                &infos,
                &message,
            );
            return;
        }
    };
    let group = tasks.next_group.next();
    // A task that is alone in its group has no others to end with.
    let group = (infos.len() > 1).then_some(group);
    for (info, needs) in infos.into_iter().zip(all_needs) {
        let valid = ValidTask { info, needs, executor: Some(executor), group };
        start(tasks, cluster, cx, fleet, accepted, valid);
    }
}

fn validate_task(
    tasks: &Tasks,
    agents: &Agents,
    accepted: &AcceptedOffers,
    remaining: &mut Resources,
    task: &TaskInfo,
    executor: Option<&ExecutorInfo>,
) -> Result<TaskNeeds, String> {
    let agent = agents.get(accepted.agent).ok_or("the agent is not known")?;
    let in_use = tasks.ids.contains_key(&(accepted.framework, task.task_id.clone()));
    validate::task(accepted, remaining, agent, task, executor, in_use)
}

/// Validates the tasks one by one, each against what those before it leave.
fn validate_group(
    tasks: &Tasks,
    agents: &Agents,
    accepted: &AcceptedOffers,
    remaining: &mut Resources,
    executor: &ExecutorInfo,
    infos: &[TaskInfo],
) -> Result<Vec<TaskNeeds>, String> {
    if infos.is_empty() {
        return Err("the task group is empty".to_owned());
    }
    let mut all_needs = Vec::with_capacity(infos.len());
    for (n, task) in infos.iter().enumerate() {
        if task.executor.is_some() {
            return Err("a task of a group has no executor of its own".to_owned());
        }
        if infos.iter().take(n).any(|before| before.task_id == task.task_id) {
            return Err(format!("task id {} occurs twice in the group", task.task_id));
        }
        // The executor's own resources count once, with the first task.
        let with_executor = (n == 0).then_some(executor);
        all_needs.push(validate_task(tasks, agents, accepted, remaining, task, with_executor)?);
    }
    Ok(all_needs)
}

/// A task that may be launched.
struct ValidTask<'a> {
    info: TaskInfo,
    needs: TaskNeeds,
    executor: Option<&'a ExecutorInfo>,
    /// Tasks with the same number start and end together.
    group: Option<u32>,
}

/// Starts a valid task, whose resources were already removed from the rest.
fn start(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    accepted: &AcceptedOffers,
    task: ValidTask<'_>,
) {
    let ValidTask { mut info, needs, executor, group } = task;
    let no = TaskNo(tasks.next.next());
    let labels = std::mem::take(&mut info.process_labels);
    // Only the agent needs the environment: the master keeps the fields that it shows and decides by.
    info.env = SortedMap::new();
    // One list for the resources that were asked for and those in use.
    info.resources = needs.own.clone();
    // A framework of several services says which service the task belongs to.
    let service = labels.get("service").unwrap_or(&accepted.info.name).clone();
    let labels = labels.with([
        ("agent", accepted.hostname.clone()),
        ("agent-id", accepted.agent_name.clone()),
        ("service", service),
        ("task", info.name.clone()),
        ("task-id", info.task_id.clone()),
    ]);
    let body = EventBody::Launched {
        framework: accepted.info.name.clone(),
        agent: accepted.hostname.clone(),
        task: info.name.clone(),
        task_id: info.task_id.clone(),
    };
    let mut task = Task {
        framework: accepted.framework,
        agent: accepted.agent,
        role: accepted.role.clone(),
        resources: needs.own,
        executor: executor.map(|executor| executor.id.clone()),
        group,
        labels,
        process: None,
        state: TaskState::Staging,
        since: cx.now(),
        healthy: None,
        check: None,
        agent_state: TaskState::Staging,
        pending_updates: VecDeque::new(),
        awaiting_ack: None,
        freed: false,
        retry_ms: 0,
        retry: None,
        pending_kill_ms: None,
        expired: false,
        unreachable_since: None,
        history: Vec::new(),
        info: Arc::new(info),
    };
    cluster.counters.launch_tasks += 1;
    tasks.ids.insert((task.framework, task.id().clone()), no);
    let is_reachable = cluster.agents.get_mut(accepted.agent).and_then(|agent| {
        agent.tasks.insert(no);
        if let Some(id) = &task.executor {
            agent.join_executor(accepted.framework, id, &accepted.role, needs.executor, no);
        }
        agent.is_reachable().then_some(agent.machine)
    });
    cx.following(body, |cx| {
        if let Some(machine) = is_reachable {
            let pid = fleet.launch(cx, start::process_of(&task, machine));
            tasks.by_process.insert(pid, no);
            task.process = Some(pid);
        }
    });
    tasks.all.insert(no, Arc::new(task));
    cluster.allocator.note_held(accepted.agent);
    operator_event::task_added(tasks, cluster, cx, no);
    cluster.agents.touch(cx, accepted.agent);
}
