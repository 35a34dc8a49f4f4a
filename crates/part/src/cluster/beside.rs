//! Machines with the processes that systems start on them by themselves.
//!
//! *Knows*: the ledger of machines; the words of the Mesos master for states of tasks, which serve for any process.
//! *Must not know*: whose processes they are.

use planarium_ground::{Fleet, Holding, ProcessId, ProcessState, Scalar};
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::{ActionView, MachineView, TaskView};
use planarium_protocol::why::ReasonKind;
use planarium_protocol::{Input, Text, Why};
use std::sync::Arc;

/// The word for the state of a process.
const fn word(state: ProcessState) -> &'static str {
    match state {
        ProcessState::Launching => "TASK_STAGING",
        ProcessState::Starting => "TASK_STARTING",
        ProcessState::Running => "TASK_RUNNING",
        ProcessState::Killing => "TASK_KILLING",
    }
}

/// Adds processes that belong to no agent and no kubelet; also a number that grows whenever one of them comes, goes or changes.
pub(super) fn with_processes(fleet: &Fleet, machines: Vec<Arc<MachineView>>) -> (Vec<Arc<MachineView>>, u64) {
    let newest = fleet.ledger().last_moved();
    if newest == 0 {
        return (machines, 0);
    }
    let merged = machines.into_iter().map(|machine| {
        let Some(id) = fleet.find_machine(&machine.hostname).filter(|_| machine.port.is_none()) else {
            return machine;
        };
        let moved = fleet.ledger().processes_moved(id);
        if moved == 0 {
            return machine;
        }
        let mut merged = MachineView::clone(&machine);
        // A sum, because either part may be the newer one.
        merged.revision = merged.revision.saturating_add(moved);
        let processes = fleet.ledger().processes(id);
        merged.tasks.extend(processes.filter_map(|(_, pid, holding)| view(fleet, pid, holding)));
        Arc::new(merged)
    });
    (merged.collect(), newest)
}

fn view(fleet: &Fleet, pid: ProcessId, holding: &Holding) -> Option<TaskView> {
    let (facts, labels) = (fleet.process(pid)?, fleet.labels(pid)?);
    let label = |name: &str| labels.get(name).cloned().unwrap_or_default();
    let refused = (facts.state == ProcessState::Killing).then_some("it is being ended");
    let service = holding.holder.service.clone();
    Some(TaskView {
        name: holding.holder.name.clone(),
        id: label("task-id"),
        actions: strikes(&service, &label("task-id"), refused),
        service,
        pod: label("pod"),
        state: word(facts.state).into(),
        since_ms: facts.since.ms(),
        healthy: facts.healthy,
        ready: (facts.readiness_attempts > 0).then_some(facts.readiness_last == Some(0)),
    })
}

/// A way to hurt a container.
pub(super) fn strike(
    (service, task): (&Text, &Text),
    refused: Option<&str>,
    title: &str,
    kind: FaultKind,
) -> ActionView {
    let target =
        Target { service: Some(service.to_string()), task: Some(task.to_string()), ..Target::default() };
    let fault = Fault {
        fault: kind,
        id: None,
        target,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    };
    ActionView::new(title, Input::Fault(fault)).unless(refused)
}

/// Ways to hurt a container.
pub(super) fn strikes(service: &Text, task: &Text, refused: Option<&str>) -> Vec<ActionView> {
    let strike = |title: &str, kind| strike((service, task), refused, title, kind);
    vec![
        strike("Fail this container", FaultKind::TaskFail),
        strike("Run it out of memory", FaultKind::TaskOom),
        strike("Make it hang", FaultKind::Hang),
    ]
}

/// So many holders are named.
const NAMED: usize = 3;

/// Who else holds how much of a scalar of a machine, where anybody does: `4096 held by pod web-0 and 2 more`.
fn held_by_others(fleet: &Fleet, hostname: &str, requirement: &str) -> Option<String> {
    let scalar = match requirement {
        "cpus" => Scalar::Cpus,
        "mem" => Scalar::Mem,
        "disk" => Scalar::Disk,
        "gpus" => Scalar::Gpus,
        _ => return None,
    };
    let machine = fleet.find_machine(hostname)?;
    let others = fleet.ledger().others_by_size(machine, planarium_mesos::OWNER, scalar);
    let amounts = fleet.ledger().held_by_others(machine, planarium_mesos::OWNER);
    let amount = match scalar {
        Scalar::Mem => amounts.mem_mib_up(),
        Scalar::Disk => amounts.disk_mib_up(),
        Scalar::Cpus | Scalar::Gpus => amounts.get(scalar),
    };
    let mut names: Vec<String> = others.iter().take(NAMED).map(|one| one.holder.text()).collect();
    match others.len().saturating_sub(names.len()) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    (!names.is_empty()).then(|| format!("{amount} held by {}", names.join(", ")))
}

/// Where an offer was too small, names those who hold the rest of the machine.
pub(super) fn name_holders(fleet: &Fleet, why: &mut Why) {
    for reason in &mut why.reasons {
        let ReasonKind::NoMatchingOffer { funnel } = &mut reason.kind else { continue };
        for agent in &mut funnel.agents {
            for outcome in agent.outcomes.iter_mut().filter(|outcome| !outcome.passed) {
                if let Some(rest) = held_by_others(fleet, &agent.agent, &outcome.requirement) {
                    outcome.text = format!("{}; {rest}", outcome.text);
                }
            }
        }
    }
}
