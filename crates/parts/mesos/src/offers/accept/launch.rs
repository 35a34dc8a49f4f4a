//! LAUNCH and LAUNCH_GROUP.

use super::{
    accepted::{AcceptedOffers, never_launched},
    validate::{self, TaskNeeds},
};
use crate::{
    Master,
    api::{ExecutorInfo, FrameworkId, Reason, Resources, TaskInfo, TaskState},
    tasks::{Task, TaskNo},
};
use planarium_ground::{Cx, Fleet, MachineId, ProcessSpec};
use planarium_kernel::SortedMap;
use planarium_protocol::{EventBody, Text};
use std::{collections::VecDeque, sync::Arc};

impl Master {
    /// Launches a task, or says why it is invalid.
    pub(super) fn launch_one(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        accepted: &mut AcceptedOffers,
        task: TaskInfo,
    ) {
        let executor = task.executor.clone();
        let mut remaining = std::mem::take(&mut accepted.remaining);
        let valid = self.validate_task(accepted, &mut remaining, &task, executor.as_ref());
        accepted.remaining = remaining;
        match valid {
            Ok(needs) => {
                self.start(cx, fleet, accepted, (task, needs), executor.as_ref(), None);
            }
            Err(message) => {
                self.refuse_tasks(cx, &accepted.agent_name, accepted.framework, "LAUNCH", &[task], &message);
            }
        }
    }

    /// Tells a framework that the tasks of an invalid launch are in error.
    pub(super) fn refuse_tasks(
        &mut self,
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
            self.counters.end(TaskState::Error);
            self.send_update(cx, framework, status);
        }
    }

    /// Launches all tasks of a group, or none.
    pub(super) fn launch_group(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        accepted: &mut AcceptedOffers,
        executor: &ExecutorInfo,
        tasks: Vec<TaskInfo>,
    ) {
        let mut remaining = std::mem::take(&mut accepted.remaining);
        // A single task is all or nothing anyway.
        let before = (tasks.len() > 1).then(|| remaining.clone());
        let valid = self.validate_group(accepted, &mut remaining, executor, &tasks);
        accepted.remaining = before.filter(|_| valid.is_err()).unwrap_or(remaining);
        let all_needs = match valid {
            Ok(all_needs) => all_needs,
            Err(message) => {
                self.refuse_tasks(
                    cx,
                    &accepted.agent_name,
                    accepted.framework,
                    "LAUNCH_GROUP",
                    &tasks,
                    &message,
                );
                return;
            }
        };
        let group = self.next_group.next();
        // A task that is alone in its group has no others to end with.
        let group = (tasks.len() > 1).then_some(group);
        for task in tasks.into_iter().zip(all_needs) {
            self.start(cx, fleet, accepted, task, Some(executor), group);
        }
    }

    fn validate_task(
        &self,
        accepted: &AcceptedOffers,
        remaining: &mut Resources,
        task: &TaskInfo,
        executor: Option<&ExecutorInfo>,
    ) -> Result<TaskNeeds, String> {
        let agent = self.agent(accepted.agent).ok_or("the agent is not known")?;
        let in_use = self.task_ids.contains_key(&(accepted.framework, task.task_id.clone()));
        validate::task(accepted, remaining, agent, task, executor, in_use)
    }

    /// Validates the tasks one by one, each against what those before it leave.
    fn validate_group(
        &self,
        accepted: &AcceptedOffers,
        remaining: &mut Resources,
        executor: &ExecutorInfo,
        tasks: &[TaskInfo],
    ) -> Result<Vec<TaskNeeds>, String> {
        if tasks.is_empty() {
            return Err("the task group is empty".to_owned());
        }
        let mut all_needs = Vec::with_capacity(tasks.len());
        for (n, task) in tasks.iter().enumerate() {
            if task.executor.is_some() {
                return Err("a task of a group has no executor of its own".to_owned());
            }
            if tasks.iter().take(n).any(|before| before.task_id == task.task_id) {
                return Err(format!("task id {} occurs twice in the group", task.task_id));
            }
            // The executor's own resources count once, with the first task.
            let with_executor = (n == 0).then_some(executor);
            all_needs.push(self.validate_task(accepted, remaining, task, with_executor)?);
        }
        Ok(all_needs)
    }

    /// Starts a valid task, whose resources are already taken out of what is left.
    fn start(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        accepted: &AcceptedOffers,
        (mut info, needs): (TaskInfo, TaskNeeds),
        executor: Option<&ExecutorInfo>,
        group: Option<u32>,
    ) {
        let no = TaskNo(self.next_task.next());
        let labels = std::mem::take(&mut info.process_labels);
        // The environment concerns only the agent: the master keeps what it shows and decides by.
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
        self.counters.launch_tasks += 1;
        self.task_ids.insert((task.framework, task.id().clone()), no);
        let is_reachable = self.agent_mut(accepted.agent).and_then(|agent| {
            agent.tasks.insert(no);
            if let Some(id) = &task.executor {
                agent.join_executor(accepted.framework, id, &accepted.role, needs.executor, no);
            }
            agent.is_reachable().then_some(agent.machine)
        });
        cx.following(body, |cx| {
            if let Some(machine) = is_reachable {
                let pid = fleet.launch(cx, process_of(&task, machine));
                self.by_process.insert(pid, no);
                task.process = Some(pid);
            }
        });
        self.tasks.insert(no, Arc::new(task));
        self.allocator.note_held(accepted.agent);
        self.tell_task_added(cx, no);
        self.touch_agent(cx, accepted.agent);
    }

    /// The agent starts a task's process.
    pub(crate) fn run_process(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task(no) else { return };
        let machine = self.agent(task.agent).map_or(MachineId(u32::MAX), |agent| agent.machine);
        let pid = fleet.launch(cx, process_of(task, machine));
        self.by_process.insert(pid, no);
        if let Some(task) = self.task_mut(no) {
            task.process = Some(pid);
        }
    }
}

fn process_of(task: &Task, machine: MachineId) -> ProcessSpec {
    ProcessSpec {
        owner: crate::OWNER,
        name: task.name().clone(),
        machine,
        labels: task.labels.clone(),
        program: task.info.program.clone(),
        grace_ms: task.grace_ms(),
    }
}
