//! The cluster as a front end shows it: machines, their resources, their tasks, ways to hurt and heal them.
//!
//! A machine's view is built once per change and shared.

use crate::{
    Master,
    agent::{AGENT_PORT, Agent, Host},
    api::{AgentId, FrameworkId, Resources, TaskInfo, TaskState},
    task::Task,
};
use planarium_fleet::{Absence, Cx, Fleet, MachineId, ProcessId};
use planarium_kernel::{Milli, SimTime};
use planarium_protocol::{
    Input, Text,
    input::{ClearFault, Fault, FaultKind, Target, TaskStatusInput},
    view::{ActionView, MachineView, ResourceView, TaskView},
};
use std::sync::Arc;

/// Clusters up to this many machines have their cached views compared with new ones in debug builds.
const COMPARED: usize = 64;

/// What is known about a task's readiness check, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeFacts {
    /// Hostname.
    pub agent: Text,
    /// The task's state on the wire.
    pub state: &'static str,
    /// Readiness checks so far.
    pub attempts: u32,
    /// Exit code of the last one.
    pub last_exit: Option<i32>,
    /// When the next one is due.
    pub next: Option<SimTime>,
    /// Waits for the user to say what happens.
    pub manual: bool,
    /// Makes no progress.
    pub hung: bool,
    /// Ids and kinds of the faults meant for it.
    pub faults: Vec<(Text, &'static str)>,
    /// The process, while there is one.
    pub process: Option<ProcessId>,
}

impl Master {
    /// Notes that what is shown of an agent's machine changes.
    pub(crate) fn touch_agent(&mut self, cx: &Cx, id: AgentId) {
        let Some(machine) = self.agent(id).map(|agent| agent.machine) else { return };
        if let Some(host) = self.hosts.get_mut(machine)
            && host.agent == Some(id)
        {
            // Never the same twice: what is shown may change between two events.
            host.revision = (host.revision + 1).max(cx.next_seq() - 1);
        }
    }

    /// All machines in order of joining.
    pub fn machines(&self, fleet: &Fleet) -> Vec<Arc<MachineView>> {
        let all = self.hosts.iter().filter_map(|(machine, host)| {
            let agent = self.agent(host.agent?)?;
            // A sum, because either may change while the other is ahead.
            let revision = host.revision.saturating_add(fleet.touched());
            let away = u64::from(fleet.absence(machine).is_some());
            let view = host.view.get((revision, away), || self.build(fleet, machine, host, agent, revision));
            debug_assert!(
                self.hosts.len() > COMPARED || *view == self.build(fleet, machine, host, agent, revision),
                "what is shown of {} has changed without a new revision",
                agent.hostname
            );
            Some(view)
        });
        all.collect()
    }

    /// What is known about a task of a framework, by its id.
    pub fn probe(&self, fleet: &Fleet, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        let no = self.task_ids.get(&(framework, task_id.into()))?;
        let task = self.task(*no)?;
        let facts = task.process.and_then(|pid| fleet.process(pid));
        Some(ProbeFacts {
            agent: self.hostname(task.agent),
            state: task.state.as_str(),
            attempts: facts.as_ref().map_or(0, |facts| facts.readiness_attempts),
            last_exit: facts.as_ref().and_then(|facts| facts.readiness_last),
            next: facts.as_ref().and_then(|facts| facts.readiness_next),
            manual: facts.as_ref().is_some_and(|facts| facts.manual),
            hung: facts.as_ref().is_some_and(|facts| facts.hung),
            faults: task.process.map(|pid| fleet.faults_on(pid)).unwrap_or_default(),
            process: task.process,
        })
    }

    /// Tasks of a framework that have ended, as far as the master remembers, oldest first.
    pub fn completed_tasks(&self, framework: FrameworkId) -> impl Iterator<Item = (&TaskInfo, TaskState)> {
        let ended = self.framework(framework).into_iter().flat_map(|framework| &framework.ended);
        ended.map(|ended| (&*ended.info, ended.state))
    }

    /// The registered framework of this name.
    pub fn find_framework(&self, name: &str) -> Option<FrameworkId> {
        self.registered_frameworks().into_iter().find(|id| &*self.framework_name(*id) == name)
    }

    fn build(
        &self,
        fleet: &Fleet,
        machine: MachineId,
        host: &Host,
        agent: &Agent,
        revision: u64,
    ) -> MachineView {
        let id = host.agent.unwrap_or(AgentId(u32::MAX));
        let mut actions = machine_actions(fleet, machine, &agent.hostname);
        actions.extend(self.maintenance_actions(id, agent));
        let tasks: Vec<&Task> = agent.tasks.iter().filter_map(|no| self.task(*no)).collect();
        MachineView {
            revision,
            hostname: agent.hostname.clone(),
            ip: agent.ip.clone(),
            agent_id: agent.name.clone(),
            port: (agent.port != AGENT_PORT).then_some(agent.port),
            state: self.state_word(id, agent, fleet.absence(machine)).into(),
            deactivated: self.drains.is_deactivated(id),
            unavailability: self.unavailability_view(agent),
            inverse_offers: self.inverse_views(id),
            region: agent.region.clone(),
            zone: agent.zone.clone(),
            attributes: agent.attributes.clone(),
            resources: self.resource_views(host, agent, &tasks),
            tasks: tasks.iter().map(|task| self.task_view(fleet, task)).collect(),
            actions,
        }
    }

    fn resource_views(&self, host: &Host, agent: &Agent, tasks: &[&Task]) -> Vec<ResourceView> {
        let (mut total, mut used) = (Sums::default(), Sums::default());
        match host.agent.and_then(|id| self.allocator.slot(id)) {
            Some(slot) => {
                total.add(&slot.free);
                slot.held.values().flat_map(crate::allocator::Held::parts).for_each(|part| total.add(part));
            }
            None => total.add(&agent.last_total),
        }
        let tasks = tasks.iter().map(|task| &task.resources);
        let executors = agent.executors.values().map(|executor| &executor.info.resources);
        for resources in tasks.chain(executors) {
            used.add(resources);
        }
        let rows = SHOWN.into_iter().zip(total.rows).zip(used.rows);
        rows.filter(|((_, (total, _)), _)| total.is_positive())
            .map(|((name, (total, reserved)), (used, used_reserved))| ResourceView {
                name: name.into(),
                total: total.0,
                used: used.0,
                reserved: reserved.0 - used_reserved.0,
            })
            .collect()
    }

    fn task_view(&self, fleet: &Fleet, task: &Task) -> TaskView {
        let service =
            task.labels.get("service").cloned().unwrap_or_else(|| self.framework_name(task.framework));
        TaskView {
            name: task.name().clone(),
            id: task.id().clone(),
            pod: task.labels.get("pod").cloned().unwrap_or_default(),
            state: task.state.text(),
            since_ms: task.since.ms(),
            healthy: task.healthy,
            ready: task.check.map(|check| check.exit_code == Some(0)),
            actions: task_actions(fleet, task, &service),
            service,
        }
    }
}

/// Scalars that are shown of a machine.
const SHOWN: [&str; 4] = ["cpus", "mem", "disk", "gpus"];

/// How much there is of each of [`SHOWN`], and how much of that is reserved.
#[derive(Default)]
struct Sums {
    rows: [(Milli, Milli); SHOWN.len()],
}

impl Sums {
    fn add(&mut self, resources: &Resources) {
        for resource in resources {
            let row = SHOWN.iter().zip(&mut self.rows).find(|(name, _)| ***name == *resource.name);
            let Some((_, (all, reserved))) = row else { continue };
            *all = all.saturating_add(resource.amount());
            if resource.reservation().is_some() {
                *reserved = reserved.saturating_add(resource.amount());
            }
        }
    }
}

fn fault(kind: FaultKind, target: Target) -> Fault {
    Fault {
        fault: kind,
        id: None,
        target,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    }
}

fn action(title: &str, input: Input, refused: Option<&str>) -> ActionView {
    ActionView { title: title.into(), input, consequence: None, refused: refused.map(Into::into) }
}

fn machine_actions(fleet: &Fleet, machine: MachineId, hostname: &Text) -> Vec<ActionView> {
    let target = || Target { agent: Some((**hostname).to_owned()), ..Target::default() };
    let away = fleet.absence(machine);
    let lost = (away == Some(Absence::Lost)).then_some("the machine is lost already");
    let silent = away.map(|_| "the machine is away already");
    let mut actions = vec![
        action("Lose this machine", Input::Fault(fault(FaultKind::AgentLost, target())), lost),
        action("Cut it off the network", Input::Fault(fault(FaultKind::AgentPartitioned, target())), silent),
        action(
            "Restart its agent (30 s)",
            Input::Fault(Fault { for_ms: Some(30_000), ..fault(FaultKind::AgentRestart, target()) }),
            silent,
        ),
    ];
    let keepers = fleet.keeping_away(machine);
    if keepers.is_empty() {
        let input = Input::ClearFault(ClearFault { id: String::new() });
        actions.push(action("Bring it back", input, Some("the machine is here")));
    }
    for id in keepers {
        actions.push(action("Bring it back", Input::ClearFault(ClearFault { id: id.to_string() }), None));
    }
    actions
}

fn task_actions(fleet: &Fleet, task: &Task, service: &Text) -> Vec<ActionView> {
    let target = || Target {
        service: Some((**service).to_owned()),
        task: Some((**task.id()).to_owned()),
        ..Target::default()
    };
    let facts = task.process.and_then(|pid| fleet.process(pid));
    let refused = match &facts {
        None => Some("nothing runs that could be hurt"),
        Some(facts) if facts.state == planarium_fleet::ProcessState::Killing => {
            Some("the task is being killed")
        }
        Some(_) => None,
    };
    let strike = |title: &str, kind| action(title, Input::Fault(fault(kind, target())), refused);
    let mut actions = Vec::with_capacity(6);
    actions.extend([
        strike("Fail this task", FaultKind::TaskFail),
        strike("Kill this task", FaultKind::TaskKill),
        strike("Run it out of memory", FaultKind::TaskOom),
        strike("Make it hang", FaultKind::Hang),
    ]);
    if task.is_checked() {
        actions.push(strike("Fail its readiness checks", FaultKind::ReadinessFail));
    }
    if task.info.program.health.is_some() {
        actions.push(strike("Fail its health checks", FaultKind::HealthFail));
    }
    if facts.is_some_and(|facts| facts.manual) {
        for (title, state, readiness_exit) in [
            ("Say it is running", "TASK_RUNNING", None),
            ("Say it is ready", "TASK_RUNNING", Some(0)),
            ("Say it has finished", "TASK_FINISHED", None),
            ("Say it has failed", "TASK_FAILED", None),
            ("Say it was killed", "TASK_KILLED", None),
        ] {
            let said = TaskStatusInput {
                task: task.id().to_string(),
                state: state.to_owned(),
                service: Some(service.to_string()),
                readiness_exit,
                healthy: None,
                reason: None,
                message: None,
            };
            actions.push(action(title, Input::TaskStatus(said), None));
        }
    }
    actions
}
