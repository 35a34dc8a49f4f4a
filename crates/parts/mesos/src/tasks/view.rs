//! Tasks as a front end shows them, and the actions on them.

use crate::{
    actions::{action, fault},
    api::FrameworkId,
    cluster::Cluster,
    tasks::{Task, Tasks, manual},
};
use planarium_ground::{Fleet, ProcessId};
use planarium_kernel::SimTime;
use planarium_protocol::{
    Input, Text,
    input::{FaultKind, Target, TaskStatusInput},
    view::{ActionView, TaskView},
};

/// A task's readiness check, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeFacts {
    /// Hostname.
    pub agent: Text,
    /// The task's state on the wire.
    pub state: &'static str,
    /// Number of readiness checks so far.
    pub attempts: u32,
    /// Exit code of the last one.
    pub last_exit: Option<i32>,
    /// When the next one is due.
    pub next: Option<SimTime>,
    /// Waits for the user to say what happens.
    pub manual: bool,
    /// Makes no progress.
    pub hung: bool,
    /// No status arrives now: its machine is lost or disconnected, or its agent is down.
    pub silent: bool,
    /// Ids and kinds of the faults that target it.
    pub faults: Vec<(Text, &'static str)>,
    /// The process, while there is one.
    pub process: Option<ProcessId>,
}

/// The process of a task, also while the agent runs it unknown to the master, as after a failover.
pub(crate) fn process_of(
    tasks: &Tasks,
    cluster: &Cluster,
    framework: FrameworkId,
    task_id: &str,
    agent_id: &str,
) -> Option<ProcessId> {
    if let Some(no) = tasks.ids.get(&(framework, task_id.into())) {
        return tasks.get(*no)?.process;
    }
    let agent = cluster.agents.get(cluster.agents.named(agent_id)?)?;
    let untracked = agent.untracked.iter().filter_map(|no| tasks.untracked.get(no));
    let own = untracked.filter(|one| one.task.framework == framework && **one.task.id() == *task_id);
    own.last()?.task.process
}

/// Returns the known facts of a framework's task, by its id.
pub(crate) fn probe(
    tasks: &Tasks,
    cluster: &Cluster,
    fleet: &Fleet,
    framework: FrameworkId,
    task_id: &str,
) -> Option<ProbeFacts> {
    let no = tasks.ids.get(&(framework, task_id.into()))?;
    let task = tasks.get(*no)?;
    let facts = task.process.and_then(|pid| fleet.process(pid));
    Some(ProbeFacts {
        agent: cluster.agents.hostname(task.agent),
        state: task.state.as_str(),
        attempts: facts.as_ref().map_or(0, |facts| facts.readiness_attempts),
        last_exit: facts.as_ref().and_then(|facts| facts.readiness_last),
        next: facts.as_ref().and_then(|facts| facts.readiness_next),
        manual: facts.as_ref().is_some_and(|facts| facts.manual),
        hung: facts.as_ref().is_some_and(|facts| facts.hung),
        silent: manual::is_unheard(&cluster.agents, fleet, task),
        faults: task.process.map(|pid| fleet.faults_on(pid)).unwrap_or_default(),
        process: task.process,
    })
}

/// A task with the actions on it.
pub(crate) fn task_view(cluster: &Cluster, fleet: &Fleet, task: &Task) -> TaskView {
    let service =
        task.labels.get("service").cloned().unwrap_or_else(|| cluster.frameworks.name(task.framework));
    TaskView {
        name: task.name().clone(),
        id: task.id().clone(),
        pod: task.labels.get("pod").cloned().unwrap_or_default(),
        state: task.state.text(),
        since_ms: task.since.ms(),
        healthy: task.healthy,
        ready: task.check.map(|check| check.exit_code == Some(0)),
        actions: task_actions(fleet, task, &service, manual::is_silent(&cluster.agents, fleet, task)),
        service,
    }
}

fn task_actions(fleet: &Fleet, task: &Task, service: &Text, silent: bool) -> Vec<ActionView> {
    let target = || Target {
        service: Some((**service).to_owned()),
        task: Some((**task.id()).to_owned()),
        ..Target::default()
    };
    let facts = task.process.and_then(|pid| fleet.process(pid));
    let refused = match &facts {
        None => Some("nothing runs that could be hurt"),
        Some(facts) if facts.state == planarium_ground::ProcessState::Killing => {
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
        let refused = silent.then_some("its machine is lost: nothing is heard of it");
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
            actions.push(action(title, Input::TaskStatus(said), refused));
        }
    }
    actions
}
