//! LAUNCH and LAUNCH_GROUP.

use super::{
    Ground, never_was,
    validate::{self, Fit},
};
use crate::{
    Master,
    api::{ExecutorInfo, Reason, Resources, TaskInfo, TaskState},
    task::{Task, TaskNo},
};
use planarium_fleet::{Cx, Fleet, MachineId, ProcessSpec};
use planarium_kernel::SortedMap;
use planarium_protocol::EventBody;
use std::{collections::VecDeque, sync::Arc};

impl Master {
    /// Launches a task, or says why it is invalid.
    pub(super) fn launch_one(&mut self, cx: &mut Cx, fleet: &mut Fleet, ground: &mut Ground, task: TaskInfo) {
        let executor = task.executor.clone();
        let mut left = std::mem::take(&mut ground.left);
        let valid = self.validate_task(ground, &mut left, &task, executor.as_ref());
        ground.left = left;
        match valid {
            Ok(fit) => {
                self.start(cx, fleet, ground, (task, fit), executor.as_ref(), None);
            }
            Err(message) => {
                let agent_id = Some(ground.agent_name.clone());
                let status =
                    never_was(cx, &task, agent_id, TaskState::Error, Reason::TaskInvalid, message.into());
                self.counters.end(TaskState::Error);
                self.tell(cx, ground.framework, status);
            }
        }
    }

    /// Launches all tasks of a group, or none.
    pub(super) fn launch_group(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        ground: &mut Ground,
        executor: &ExecutorInfo,
        tasks: Vec<TaskInfo>,
    ) {
        let mut left = std::mem::take(&mut ground.left);
        // Of one task there is all or nothing anyway.
        let before = (tasks.len() > 1).then(|| left.clone());
        let valid = self.validate_group(ground, &mut left, executor, &tasks);
        ground.left = before.filter(|_| valid.is_err()).unwrap_or(left);
        let fits = match valid {
            Ok(fits) => fits,
            Err(message) => {
                for task in &tasks {
                    let (agent_id, reason) = (Some(ground.agent_name.clone()), Reason::TaskGroupInvalid);
                    let message = message.as_str().into();
                    let status = never_was(cx, task, agent_id, TaskState::Error, reason, message);
                    self.counters.end(TaskState::Error);
                    self.tell(cx, ground.framework, status);
                }
                return;
            }
        };
        let group = self.next_group.next();
        // One that is alone in its group has nobody to live and die with.
        let group = (tasks.len() > 1).then_some(group);
        for task in tasks.into_iter().zip(fits) {
            self.start(cx, fleet, ground, task, Some(executor), group);
        }
    }

    fn validate_task(
        &self,
        ground: &Ground,
        left: &mut Resources,
        task: &TaskInfo,
        executor: Option<&ExecutorInfo>,
    ) -> Result<Fit, String> {
        let agent = self.agent(ground.agent).ok_or("the agent is not known")?;
        let in_use = self.task_ids.contains_key(&(ground.framework, task.task_id.clone()));
        validate::task(ground, left, agent, task, executor, in_use)
    }

    /// Validates the tasks one after the other, each on what those before it leave.
    fn validate_group(
        &self,
        ground: &Ground,
        left: &mut Resources,
        executor: &ExecutorInfo,
        tasks: &[TaskInfo],
    ) -> Result<Vec<Fit>, String> {
        if tasks.is_empty() {
            return Err("the task group is empty".to_owned());
        }
        let mut fits = Vec::with_capacity(tasks.len());
        for (n, task) in tasks.iter().enumerate() {
            if task.executor.is_some() {
                return Err("a task of a group has no executor of its own".to_owned());
            }
            if tasks.iter().take(n).any(|before| before.task_id == task.task_id) {
                return Err(format!("task id {} occurs twice in the group", task.task_id));
            }
            // The executor's own resources count once, with the first task.
            let with_executor = (n == 0).then_some(executor);
            fits.push(self.validate_task(ground, left, task, with_executor)?);
        }
        Ok(fits)
    }

    /// Starts a valid task, whose resources are out of what is left already.
    fn start(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        ground: &Ground,
        (mut info, fit): (TaskInfo, Fit),
        executor: Option<&ExecutorInfo>,
        group: Option<u32>,
    ) {
        let no = TaskNo(self.next_task.next());
        let labels = std::mem::take(&mut info.process_labels);
        // The environment is the agent's business: the master keeps what it shows and decides by.
        info.env = SortedMap::new();
        // One list for what was asked for and what is held.
        info.resources = fit.own.clone();
        // A framework of several services says whose task it is.
        let service = labels.get("service").unwrap_or(&ground.info.name).clone();
        let labels = labels.with([
            ("agent", ground.hostname.clone()),
            ("agent-id", ground.agent_name.clone()),
            ("service", service),
            ("task", info.name.clone()),
            ("task-id", info.task_id.clone()),
        ]);
        let body = EventBody::Launched {
            framework: ground.info.name.clone(),
            agent: ground.hostname.clone(),
            task: info.name.clone(),
            task_id: info.task_id.clone(),
        };
        let mut task = Task {
            framework: ground.framework,
            agent: ground.agent,
            role: ground.role.clone(),
            resources: fit.own,
            executor: executor.map(|executor| executor.id.clone()),
            group,
            labels,
            process: None,
            state: TaskState::Staging,
            since: cx.now(),
            healthy: None,
            check: None,
            at_agent: TaskState::Staging,
            unheard: VecDeque::new(),
            sent: None,
            freed: false,
            retry_ms: 0,
            retry: None,
            kill_later: None,
            expired: false,
            unreachable_since: None,
            history: Vec::new(),
            info: Arc::new(info),
        };
        self.counters.launch_tasks += 1;
        self.task_ids.insert((task.framework, task.id().clone()), no);
        let hears = self.agent_mut(ground.agent).and_then(|agent| {
            agent.tasks.insert(no);
            if let Some(id) = &task.executor {
                agent.join_executor(ground.framework, id, &ground.role, fit.executor, no);
            }
            agent.hears().then_some(agent.machine)
        });
        cx.following(body, |cx| {
            if let Some(machine) = hears {
                let pid = fleet.launch(cx, process_of(&task, machine));
                self.by_process.insert(pid, no);
                task.process = Some(pid);
            }
        });
        self.tasks.insert(no, Arc::new(task));
        self.touch_agent(cx, ground.agent);
    }

    /// Lets the agent run a task's process.
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
