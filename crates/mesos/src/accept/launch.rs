//! LAUNCH and LAUNCH_GROUP.

use super::{Ground, never_was, validate};
use crate::{
    Master,
    agent::Executor,
    api::{ExecutorInfo, Reason, TaskInfo, TaskState},
    kill::DEFAULT_KILL_GRACE_MS,
    task::{Task, TaskNo},
};
use planarium_fleet::{Cx, Fleet, MachineId, ProcessSpec};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::EventBody;
use std::{collections::VecDeque, sync::Arc};

impl Master {
    /// Launches a task, or says why it is invalid.
    pub(super) fn launch_one(&mut self, cx: &mut Cx, fleet: &mut Fleet, ground: &mut Ground, task: TaskInfo) {
        let executor = task.executor.clone();
        match self.validate_task(ground, &task, executor.as_ref()) {
            Ok(()) => self.start(cx, fleet, ground, task, executor.as_ref(), None),
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
        if let Err(message) = self.validate_group(ground, executor, &tasks) {
            for task in &tasks {
                let (agent_id, reason) = (Some(ground.agent_name.clone()), Reason::TaskGroupInvalid);
                let status = never_was(cx, task, agent_id, TaskState::Error, reason, message.as_str().into());
                self.counters.end(TaskState::Error);
                self.tell(cx, ground.framework, status);
            }
            return;
        }
        let group = self.next_group.next();
        for task in tasks {
            self.start(cx, fleet, ground, task, Some(executor), Some(group));
        }
    }

    fn validate_task(
        &self,
        ground: &Ground,
        task: &TaskInfo,
        executor: Option<&ExecutorInfo>,
    ) -> Result<(), String> {
        let agent = self.agent(ground.agent).ok_or("the agent is not known")?;
        let in_use = self.task_ids.contains_key(&(ground.framework, task.task_id.clone()));
        validate::task(ground, agent, task, executor, in_use)
    }

    /// Validates the tasks one after the other on what each leaves to the next.
    fn validate_group(
        &self,
        ground: &Ground,
        executor: &ExecutorInfo,
        tasks: &[TaskInfo],
    ) -> Result<(), String> {
        if tasks.is_empty() {
            return Err("the task group is empty".to_owned());
        }
        let mut trial = ground.clone();
        let running = self
            .agent(ground.agent)
            .is_some_and(|agent| agent.executors.contains_key(&(ground.framework, executor.id.clone())));
        for (n, task) in tasks.iter().enumerate() {
            if task.executor.is_some() {
                return Err("a task of a group has no executor of its own".to_owned());
            }
            if tasks.iter().take(n).any(|before| before.task_id == task.task_id) {
                return Err(format!("task id {} occurs twice in the group", task.task_id));
            }
            // The executor's own resources count once, with the first task.
            let with_executor = (n == 0).then_some(executor);
            self.validate_task(&trial, task, with_executor)?;
            trial.left.subtract_all(&task.resources.unallocated());
            if n == 0 && !running {
                trial.left.subtract_all(&executor.resources.unallocated());
            }
        }
        Ok(())
    }

    fn start(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        ground: &mut Ground,
        mut info: TaskInfo,
        executor: Option<&ExecutorInfo>,
        group: Option<u32>,
    ) {
        let no = TaskNo(self.next_task.next());
        let resources = info.resources.unallocated();
        ground.left.subtract_all(&resources);
        self.join_executor(ground, no, executor);
        let mut labels = std::mem::take(&mut info.process_labels);
        // The environment is the agent's business: the master keeps what it shows and decides by.
        info.env = SortedMap::new();
        // One list for what was asked for and what is held.
        info.resources = resources.clone();
        // A framework of several services says whose task it is.
        if labels.get("service").is_none() {
            labels.set("service", ground.info.name.clone());
        }
        for (name, value) in [
            ("task", &info.name),
            ("task-id", &info.task_id),
            ("agent", &ground.hostname),
            ("agent-id", &ground.agent_name),
        ] {
            labels.set(name, value.clone());
        }
        let body = EventBody::Launched {
            framework: ground.info.name.clone(),
            agent: ground.hostname.clone(),
            task: info.name.clone(),
            task_id: info.task_id.clone(),
        };
        let task = Task {
            framework: ground.framework,
            agent: ground.agent,
            role: ground.role.clone(),
            resources,
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
        self.tasks.insert(no, Arc::new(task));
        if let Some(agent) = self.agent_mut(ground.agent) {
            agent.tasks.insert(no);
        }
        let hears = self.agent(ground.agent).is_some_and(crate::agent::Agent::hears);
        cx.following(body, |cx| {
            if hears {
                self.run_process(cx, fleet, no);
            }
        });
        self.touch_agent(cx, ground.agent);
    }

    /// Lets the agent run a task's process.
    pub(crate) fn run_process(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task(no) else { return };
        let machine = self.agent(task.agent).map_or(MachineId(u32::MAX), |agent| agent.machine);
        let spec = ProcessSpec {
            name: task.name().clone(),
            machine,
            labels: task.labels.clone(),
            program: task.info.program.clone(),
            grace_ms: task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS),
        };
        let pid = fleet.launch(cx, spec);
        self.by_process.insert(pid, no);
        if let Some(task) = self.task_mut(no) {
            task.process = Some(pid);
        }
    }

    /// Adds the task to its executor; a new executor takes its own resources.
    fn join_executor(&mut self, ground: &mut Ground, no: TaskNo, info: Option<&ExecutorInfo>) {
        let (Some(info), key) = (info, ground.framework) else { return };
        let Some(agent) = self.agent_mut(ground.agent) else { return };
        if let Some(executor) = agent.executors.get_mut(&(key, info.id.clone())) {
            executor.tasks.insert(no);
            return;
        }
        let resources = info.resources.unallocated();
        ground.left.subtract_all(&resources);
        let executor = Executor {
            info: ExecutorInfo { id: info.id.clone(), resources },
            role: ground.role.clone(),
            tasks: SortedSet::from([no]),
        };
        agent.executors.insert((key, info.id.clone()), executor);
    }
}
