//! A scheduler in a test bench: machines with resources, tasks controlled by the test.

use crate::load::{Loaded, load};
use crate::scheduler::{Cx, Request, Scheduler};
use crate::view::ViewCache;
use planarium_kernel::{Milli, SimTime, SortedMap};
use planarium_mesos::api::{
    AgentId, AgentInfo, Call, CheckStatus, FrameworkId, Offer, OfferId, Operation, Ranges, Resource,
    Resources, SchedulerEvent, Source, TaskInfo, TaskState, TaskStatus,
};
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::input::{LoadService, PlanCommand, PlanOp, PodCommand, PodOp};
use planarium_protocol::{Refusal, Text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    pub(super) free: Resources,
    pub(super) executors: Vec<Text>,
    pub(super) attributes: Vec<(Text, Text)>,
    pub(super) away: bool,
}

/// A launched task.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) host: Text,
    pub(super) info: TaskInfo,
    pub(super) executor: Text,
    pub(super) executor_resources: Resources,
}

/// Everything.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    pub(super) cx: Cx,
    pub(super) scheduler: Scheduler,
    /// The last view of the scheduler.
    pub(super) shown: ViewCache,
    pub(super) machines: BTreeMap<Text, Machine>,
    pub(super) tasks: BTreeMap<Text, Live>,
    pub(super) offers: BTreeMap<OfferId, Text>,
    next_offer: u32,
    /// Calls in short, oldest first, since they were last taken.
    pub(super) calls: Vec<String>,
}

/// Reads a definition.
pub(super) fn loaded(yaml: &str, env: &[(&str, &str)]) -> Loaded {
    let request = LoadService {
        dialect: "sdk".into(),
        files: [("svc.yml".to_owned(), yaml.to_owned())].into(),
        env: env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..LoadService::default()
    };
    load(&request)
}

impl Bench {
    /// A service without machines.
    pub(super) fn new(yaml: &str) -> Self {
        Self::with_env(yaml, &[])
    }

    /// The same with an environment.
    pub(super) fn with_env(yaml: &str, env: &[(&str, &str)]) -> Self {
        let mut cx = Cx::new(1);
        let loaded = loaded(yaml, env);
        assert!(loaded.spec.is_some(), "{:?}", loaded.diagnostics);
        let (scheduler, calls) = Scheduler::start(&mut cx, &loaded, None).expect("starts");
        assert!(calls.is_empty());
        let mut bench = Self {
            cx,
            scheduler,
            shown: ViewCache::default(),
            machines: BTreeMap::new(),
            tasks: BTreeMap::new(),
            offers: BTreeMap::new(),
            next_offer: 0,
            calls: Vec::new(),
        };
        bench.subscribe();
        bench
    }

    /// The environment that a task was launched with.
    pub(super) fn env(&self, task: &str) -> SortedMap<Text, Text> {
        self.scheduler.pods(0).env_of(self.scheduler.state.tasks.named(task).expect("stored"))
    }

    fn subscribe(&mut self) {
        let event = SchedulerEvent::Subscribed { framework_id: "master-0001".into(), region: None };
        let calls = self.scheduler.on_event(&mut self.cx, event);
        self.answer(calls);
    }

    /// Restarts the scheduler process, with another definition perhaps.
    pub(super) fn restart(&mut self, yaml: &str) {
        self.restart_with(yaml, &[]);
    }

    /// The same with an environment.
    pub(super) fn restart_with(&mut self, yaml: &str, env: &[(&str, &str)]) {
        let loaded = loaded(yaml, env);
        let (scheduler, _) = Scheduler::start(&mut self.cx, &loaded, Some(&self.scheduler)).expect("starts");
        self.scheduler = scheduler;
        self.shown = ViewCache::default();
        self.offers.clear();
        self.subscribe();
    }

    /// Adds a machine with these cpus and MiB.
    pub(super) fn machine(&mut self, host: &str, cpus: i64, mem: i64) -> &mut Machine {
        let mut free = Resources::new();
        free.add(Resource::scalar("cpus", Milli::from_int(cpus)));
        free.add(Resource::scalar("mem", Milli::from_int(mem)));
        free.add(Resource::scalar("disk", Milli::from_int(100_000)));
        free.add(Resource::ranges("ports", Ranges::from_pairs([(1025, 2180), (31_000, 32_000)])));
        self.machines.insert(host.into(), Machine { free, ..Machine::default() });
        self.machines.get_mut(host).expect("just added")
    }

    /// Offers everything free of these machines, and lets the batch be collected.
    pub(super) fn offer(&mut self, hosts: &[&str]) {
        let role = self.scheduler.framework_info().roles.first().cloned().expect("a role");
        let mut batch = Vec::new();
        for host in hosts {
            let Some(machine) = self.machines.get(*host).filter(|machine| !machine.away) else { continue };
            self.next_offer += 1;
            let id = OfferId::at(self.next_offer as usize);
            self.offers.insert(id, (*host).into());
            batch.push(Arc::new(Offer {
                id,
                master: "m".into(),
                framework: FrameworkId::at(0),
                agent: AgentId::at(0),
                info: Arc::new(AgentInfo {
                    agent_id: format!("S-{host}").into(),
                    hostname: (*host).into(),
                    ip: "10.0.0.1".into(),
                    port: 5051,
                    attributes: machine.attributes.clone(),
                    region: None,
                    zone: None,
                }),
                role: role.clone(),
                resources: machine.free.allocated(&role),
                executor_ids: machine.executors.as_slice().into(),
                unavailability: None,
            }));
        }
        let calls = self.scheduler.on_event(&mut self.cx, SchedulerEvent::Offers(batch));
        self.answer(calls);
        self.advance(200);
    }

    /// Offers all machines.
    pub(super) fn round(&mut self) {
        let hosts: Vec<Text> = self.machines.keys().cloned().collect();
        let hosts: Vec<&str> = hosts.iter().map(|host| &**host).collect();
        self.offer(&hosts);
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, ms: u64) {
        let end = self.cx.now().saturating_add(ms);
        while let Some(due) = self.scheduler.next_due().filter(|due| *due <= end) {
            self.cx.set_now(due);
            let calls = self.scheduler.fire(&mut self.cx);
            self.answer(calls);
        }
        self.cx.set_now(end);
        let broken = self.scheduler.check();
        assert!(broken.is_empty(), "{broken:?}");
    }

    /// Now.
    pub(super) fn now(&self) -> SimTime {
        self.cx.now()
    }

    /// A status of the task's current process.
    pub(super) fn status(&mut self, task: &str, state: TaskState) {
        self.status_with(task, state, None);
    }

    /// The same with a result of its readiness check.
    pub(super) fn status_with(&mut self, task: &str, state: TaskState, exit: Option<i32>) {
        let id = self.id(task);
        self.status_of(&id, state, exit);
    }

    /// A status by task id.
    pub(super) fn status_of(&mut self, id: &Text, state: TaskState, exit: Option<i32>) {
        let live = self.tasks.get(id).cloned();
        let checked = live.as_ref().is_some_and(|live| live.info.program.readiness.is_some());
        if state.is_terminal()
            && let Some(live) = live
        {
            self.end(id, &live);
        }
        let status = TaskStatus {
            task_id: id.clone(),
            task_name: "".into(),
            agent_id: None,
            executor_id: None,
            state,
            reason: None,
            source: Source::Executor,
            message: "".into(),
            healthy: None,
            check: checked.then_some(CheckStatus { exit_code: exit }),
            timestamp_ms: self.cx.now().ms(),
            unreachable_since_ms: None,
            number: None,
        };
        let calls = self.scheduler.on_event(&mut self.cx, SchedulerEvent::Update(status));
        self.answer(calls);
    }

    fn end(&mut self, id: &Text, live: &Live) {
        self.tasks.remove(id);
        let last = !self.tasks.values().any(|other| other.executor == live.executor);
        let Some(machine) = self.machines.get_mut(&live.host) else { return };
        machine.free.add_all(&live.info.resources.unallocated());
        if last {
            machine.free.add_all(&live.executor_resources.unallocated());
            machine.executors.retain(|executor| *executor != live.executor);
        }
    }

    /// The id a task has now.
    pub(super) fn id(&self, task: &str) -> Text {
        self.scheduler
            .state
            .tasks
            .named(task)
            .map_or_else(|| panic!("{task} is not stored"), |task| task.id.clone())
    }

    /// Returns the host of a task.
    pub(super) fn host(&self, task: &str) -> String {
        self.scheduler.state.tasks.named(task).map(|task| task.at.hostname.to_string()).unwrap_or_default()
    }

    /// Carries out the scheduler's requests to the master.
    pub(super) fn answer(&mut self, requests: Vec<Request>) {
        for Request { call, .. } in requests {
            match call {
                Call::Accept { offer_ids, operations, .. } => {
                    let host = offer_ids.iter().find_map(|id| self.offers.remove(id)).expect("a known offer");
                    for operation in operations {
                        self.operate(&host, operation);
                    }
                }
                Call::Decline { offer_ids, refuse_ms } => {
                    let hosts: Vec<Text> = offer_ids.iter().filter_map(|id| self.offers.remove(id)).collect();
                    let seconds = refuse_ms.unwrap_or(5_000) / 1000;
                    self.calls.push(format!("decline {} {seconds}s", hosts.join(",")));
                }
                Call::Revive { .. } => self.calls.push("revive".to_owned()),
                Call::Suppress { .. } => self.calls.push("suppress".to_owned()),
                Call::Kill { task_id, .. } => {
                    let name =
                        self.tasks.get(&task_id).map_or(task_id.clone(), |live| live.info.name.clone());
                    self.calls.push(format!("kill {name}"));
                }
                Call::Reconcile { tasks } => self.calls.push(format!("reconcile {}", tasks.len())),
                Call::Teardown => self.calls.push("teardown".to_owned()),
                Call::AnswerInverseOffers { .. } => panic!("the SDK does not answer inverse offers"),
                Call::ReconcileOperations { .. } => panic!("the SDK does not ask after operations"),
            }
        }
    }

    fn operate(&mut self, host: &Text, operation: Operation) {
        let machine = self.machines.get_mut(host).expect("a machine");
        let mut swap = |from: Resource, to: Resource| {
            let (from, to) = (from.unallocated(), to.unallocated());
            assert!(machine.free.subtract(&from), "{host} lacks {from}, has {}", machine.free);
            machine.free.add(to);
        };
        match operation {
            Operation::Reserve(all) => {
                self.calls.push(format!("reserve {}", all.len()));
                for resource in all {
                    swap(resource.popped(), resource);
                }
            }
            Operation::Unreserve(all) => {
                self.calls.push(format!("unreserve {}", all.len()));
                for resource in all {
                    swap(resource.clone(), resource.popped());
                }
            }
            Operation::Create(all) => {
                for resource in all {
                    swap(resource.without_volume(), resource);
                }
            }
            Operation::Destroy(all) => {
                self.calls.push(format!("destroy {}", all.len()));
                for resource in all {
                    swap(resource.clone(), resource.without_volume());
                }
            }
            Operation::LaunchGroup { executor, tasks } => {
                if !machine.executors.contains(&executor.id) {
                    machine.executors.push(executor.id.clone());
                    for resource in executor.resources.unallocated() {
                        assert!(machine.free.subtract(&resource), "{host} lacks {resource} for the executor");
                    }
                }
                for info in tasks {
                    for resource in info.resources.unallocated() {
                        assert!(
                            machine.free.subtract(&resource),
                            "{host} lacks {resource} for {}",
                            info.name
                        );
                    }
                    self.calls.push(format!("launch {} on {host}", info.name));
                    let live = Live {
                        host: host.clone(),
                        executor: executor.id.clone(),
                        executor_resources: executor.resources.clone(),
                        info,
                    };
                    self.tasks.insert(live.info.task_id.clone(), live);
                }
            }
            other => panic!("the SDK does not use {other:?}"),
        }
    }

    /// Calls since the last time, joined.
    pub(super) fn taken(&mut self) -> String {
        std::mem::take(&mut self.calls).join("; ")
    }

    /// A plan as one line: statuses of the plan, then of each phase with its steps.
    pub(super) fn show(&self, plan: &str) -> String {
        let view = self.scheduler.view();
        let Some(plan) = view.plans.iter().find(|view| *view.name == *plan) else {
            return "absent".to_owned();
        };
        let phases = plan.phases.iter().map(|phase| {
            let steps: Vec<&str> = phase.steps.iter().map(|step| &*step.status).collect();
            format!(" | {} [{}]", phase.status, steps.join(", "))
        });
        std::iter::once(plan.status.to_string()).chain(phases).collect()
    }

    /// A plan command; `target` is `plan`, `plan/phase` or `plan/phase/step`.
    pub(super) fn plan(&mut self, op: PlanOp, target: &str) -> Result<String, Refusal> {
        self.plan_with(op, target, &[])
    }

    /// The same with parameters.
    pub(super) fn plan_with(
        &mut self,
        op: PlanOp,
        target: &str,
        params: &[(&str, &str)],
    ) -> Result<String, Refusal> {
        let mut parts = target.splitn(3, '/').map(str::to_owned);
        let command = PlanCommand {
            dialect: crate::DIALECT.to_owned(),
            service: self.scheduler.name().to_string(),
            plan: parts.next().unwrap_or_default(),
            op,
            phase: parts.next(),
            step: parts.next(),
            params: params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        };
        let (reply, calls) = self.scheduler.plan_command(&mut self.cx, &command)?;
        self.answer(calls);
        Ok(reply.get("message").and_then(|text| text.as_str()).unwrap_or_default().to_owned())
    }

    /// A pod command.
    pub(super) fn pod(&mut self, op: PodOp, pod: &str, tasks: &[&str]) -> Result<serde_json::Value, Refusal> {
        let command = PodCommand {
            dialect: crate::DIALECT.to_owned(),
            service: self.scheduler.name().to_string(),
            pod: pod.to_owned(),
            op,
            tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
        };
        let (reply, calls) = self.scheduler.pod_command(&mut self.cx, &command)?;
        self.answer(calls);
        Ok(reply)
    }

    /// Path of an element of the service.
    pub(super) fn path(&self, target: &str) -> ElementPath {
        let mut parts = target.splitn(3, '/').map(Text::from);
        ElementPath {
            dialect: crate::DIALECT.into(),
            service: self.scheduler.name().clone(),
            plan: parts.next().unwrap_or_else(|| "".into()),
            phase: parts.next(),
            step: parts.next(),
        }
    }

    /// The reasons why an element is not finished, as their tags.
    pub(super) fn why(&self, target: &str) -> Vec<String> {
        let why = self.scheduler.why(&self.path(target)).unwrap_or_else(|| panic!("{target} exists"));
        assert!(!why.reasons.is_empty() && !why.sentence.is_empty(), "{target}");
        why.reasons
            .iter()
            .map(|reason| {
                let json = serde_json::to_value(reason).expect("plain data");
                json.get("reason").and_then(|tag| tag.as_str()).unwrap_or_default().to_owned()
            })
            .collect()
    }

    /// Status events of elements since the last time, oldest first: `name from>to`.
    pub(super) fn moves(&mut self) -> Vec<String> {
        self.cx
            .drain()
            .into_iter()
            .filter_map(|event| match event.body {
                EventBody::ElementStatus { path, from, to } => {
                    let name = path.step.or(path.phase).unwrap_or(path.plan);
                    Some(format!("{name} {from}>{to}"))
                }
                _ => None,
            })
            .collect()
    }

    /// Brings every task that was launched and is not running to RUNNING and ready.
    pub(super) fn all_run(&mut self) {
        let ids: Vec<Text> = self.tasks.keys().cloned().collect();
        for id in ids {
            self.status_of(&id, TaskState::Running, Some(0));
        }
    }

    /// Plays rounds until the deploy plan is complete.
    pub(super) fn deploy(&mut self) {
        for _ in 0..50 {
            if self.show("deploy").starts_with("COMPLETE") {
                // The next cycle suppresses offers.
                self.advance(5_000);
                self.calls.clear();
                return;
            }
            self.round();
            self.all_run();
            self.advance(5_000);
        }
        panic!("not deployed: {}", self.show("deploy"));
    }
}
