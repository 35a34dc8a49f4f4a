//! Inputs that would get an element moving.
//!
//! *Invariant*: every input given here is accepted by the world in its present state.

use super::{ClusterFacts, sentences};
use crate::scheduler::Scheduler;
use crate::scheduler::offers::evaluate::build::total;
use crate::scheduler::plans::Plan;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::TaskRecord;
use crate::spec::{VolumeKind, VolumeSpec};
use planarium_kernel::Milli;
use planarium_plan::{Element, Holder, PhaseId, PlanId};
use planarium_protocol::Amount;
use planarium_protocol::input::{
    AddAgent, Disk, Input, OfferRound, PlanCommand, PlanOp, PodCommand, PodOp, Resources, TaskStatusInput,
};
use planarium_protocol::why::{OfferFunnel, Unblock};
use std::collections::BTreeMap;

/// Collects remedies for one question.
pub(super) struct Remedies<'a> {
    pub(super) scheduler: &'a Scheduler,
    pub(super) facts: &'a dyn ClusterFacts,
    /// In the order they were found in, each once.
    pub(super) found: Vec<Unblock>,
}

impl Remedies<'_> {
    /// Adds a remedy, unless it is known already.
    pub(super) fn add(&mut self, title: impl Into<String>, input: Option<Input>) {
        let remedy = Unblock { title: title.into(), input };
        if !self.found.contains(&remedy) {
            self.found.push(remedy);
        }
    }

    /// A plan command, unless it would be refused.
    pub(super) fn plan_command(&mut self, id: PlanId, title: String, op: PlanOp, element: Element) {
        let Some(plan) = self.scheduler.plans.get(id) else { return };
        if plan.tree.allowed(element, crate::scheduler::op_of(op)).is_err() {
            return;
        }
        let (phase, step) = match element {
            Element::Plan => (None, None),
            Element::Phase(phase) => (Some(phase_key(plan, phase)), None),
            Element::Step(step) => {
                let phase = plan.tree.phase_of(step).map(|phase| phase_key(plan, phase));
                let path = plan.path(self.scheduler.name(), Element::Step(step));
                (phase, path.step.map(|step| step.to_string()))
            }
        };
        let command = PlanCommand {
            dialect: crate::DIALECT.to_owned(),
            service: self.scheduler.name().to_string(),
            plan: plan.name().to_string(),
            op,
            phase,
            step,
            params: BTreeMap::new(),
        };
        self.add(title, Some(Input::Plan(command)));
    }

    pub(super) fn restart(&mut self, holder: Holder) {
        let name = sentences::called(&self.scheduler.path(holder.plan, holder.step.into()));
        self.plan_command(
            holder.plan,
            format!("Restart {name} without the delay"),
            PlanOp::Restart,
            holder.step.into(),
        );
        self.force(holder);
    }

    fn force(&mut self, holder: Holder) {
        let name = sentences::called(&self.scheduler.path(holder.plan, holder.step.into()));
        self.plan_command(
            holder.plan,
            format!("Force-complete {name}"),
            PlanOp::ForceComplete,
            holder.step.into(),
        );
    }

    /// The machine's offer would do; giving up on it is the operator's.
    pub(super) fn reservation(&mut self, holder: Holder, host: &str) {
        if self.facts.machine_state(host).is_none() && self.facts.round_reaches(Some(host)) {
            let round = OfferRound { agents: vec![host.to_owned()] };
            self.add(format!("Send one offer of {host}"), Some(Input::OfferRound(round)));
        }
        self.force(holder);
    }

    /// Only another definition helps.
    pub(super) fn definition(&mut self) {
        self.add("Update the service with a definition that the checks let pass", None);
    }

    /// Sets a task's status by hand, if the task can still be heard.
    fn status(&mut self, title: String, task: &TaskRecord, state: &str, readiness_exit: Option<i32>) {
        if self.facts.is_silent(&task.id) {
            return;
        }
        let said = TaskStatusInput {
            task: task.id.to_string(),
            state: state.to_owned(),
            service: Some(self.scheduler.name().to_string()),
            readiness_exit,
            healthy: None,
            reason: None,
            message: None,
        };
        self.add(title, Some(Input::TaskStatus(said)));
    }

    fn pod_input(&self, requirement: &Requirement, op: PodOp) -> Input {
        Input::Pod(PodCommand {
            dialect: crate::DIALECT.to_owned(),
            service: self.scheduler.name().to_string(),
            pod: requirement.key.name().to_string(),
            op,
            tasks: Vec::new(),
        })
    }

    pub(super) fn start(&mut self, holder: Holder, task: &TaskRecord) {
        let checked =
            self.scheduler.configs.task_spec(task).is_some_and(|spec| spec.readiness_check.is_some());
        self.status(format!("Say that {} runs", task.name), task, "TASK_RUNNING", checked.then_some(0));
        self.force(holder);
    }

    pub(super) fn readiness(&mut self, holder: Holder, requirement: &Requirement, task: &TaskRecord) {
        self.status(format!("Say that {} is ready", task.name), task, "TASK_RUNNING", Some(0));
        let input = self.pod_input(requirement, PodOp::Restart);
        self.add(format!("Restart pod {}", requirement.key.name()), Some(input));
        self.force(holder);
    }

    pub(super) fn resume(&mut self, requirement: &Requirement) {
        let input = self.pod_input(requirement, PodOp::Resume);
        self.add(format!("Resume pod {}", requirement.key.name()), Some(input));
    }

    pub(super) fn exit(&mut self, holder: Holder, task: &TaskRecord, manual: bool) {
        if manual {
            self.status(format!("Say that {} finished", task.name), task, "TASK_FINISHED", None);
        }
        self.force(holder);
    }

    /// More room, or the pod elsewhere when its reservations are out of reach.
    pub(super) fn offer(&mut self, requirement: &Requirement, funnel: &OfferFunnel) {
        let failed = |name: &str| {
            funnel.agents.iter().any(|agent| {
                agent.outcomes.iter().any(|outcome| !outcome.passed && *outcome.requirement == *name)
            })
        };
        let name = requirement.key.name();
        if self.scheduler.state.tasks.pod(&requirement.key).is_some()
            && !self.scheduler.state.tasks.is_flagged(&requirement.key)
        {
            let input = self.pod_input(requirement, PodOp::Replace);
            self.add(
                format!("Replace pod {name} (its volumes are lost; it starts anew with the next offers)"),
                Some(input),
            );
            if failed("reservation") {
                // Alone it does nothing for a pod that is tied to where its reservations are.
                self.add(
                    "Add a machine for the pod once it is replaced",
                    Some(self.roomy_agent(requirement)),
                );
                return;
            }
        }
        self.add("Add a machine with room for it", Some(self.roomy_agent(requirement)));
        if failed("placement") {
            self.add("Relax the placement rule in the definition", None);
        }
    }

    /// Adds a round of offers, if it would make any.
    pub(super) fn round(&mut self) {
        if self.facts.round_reaches(None) {
            let round = Input::OfferRound(OfferRound::default());
            self.add("Send one round of offers from every machine", Some(round));
        }
    }

    pub(super) fn drought(&mut self, requirement: &Requirement) {
        self.round();
        self.add("Add a machine with room for it", Some(self.roomy_agent(requirement)));
    }

    /// A machine that holds the whole pod with something to spare.
    fn roomy_agent(&self, requirement: &Requirement) -> Input {
        let pod = &requirement.pod.spec;
        let held: Vec<_> = self
            .scheduler
            .state
            .tasks
            .pod(&requirement.key)
            .into_iter()
            .flat_map(|tasks| tasks.values())
            .flat_map(|task| task.held.iter().cloned())
            .collect();
        let sum = |of: &dyn Fn(&crate::spec::ResourceSet) -> Option<Milli>, name: &str| {
            let wanted =
                pod.resource_sets.iter().filter_map(|set| of(set)).fold(Milli::ZERO, Milli::saturating_add);
            wanted.max(total(&held, name))
        };
        let up = |value: Milli, spare: i64, least: i64| {
            let whole = value.thousandths().saturating_add(999) / 1000;
            Some(Amount::whole(whole.saturating_add(spare).max(least)))
        };
        let volumes: Vec<&VolumeSpec> =
            pod.volumes.iter().chain(pod.resource_sets.iter().flat_map(|set| &set.volumes)).collect();
        let root = volumes.iter().filter(|volume| volume.kind == VolumeKind::Root);
        let root = root.fold(Milli::ZERO, |sum, volume| sum.saturating_add(volume.size));
        let disks = volumes
            .iter()
            .filter(|volume| volume.kind != VolumeKind::Root)
            .enumerate()
            .map(|(n, volume)| Disk {
                kind: "MOUNT".to_owned(),
                path: format!("/dcos/volume{n}"),
                size: Amount(volume.size.thousandths()),
                profile: volume.profiles.first().map(ToString::to_string),
            })
            .collect();
        let gpus = sum(&|set| set.gpus, "gpus");
        let amounts = Resources {
            cpus: up(sum(&|set| set.cpus, "cpus"), 1, 4),
            mem: up(sum(&|set| set.mem, "mem"), 512, 8192),
            disk: up(root, 1024, 20_480),
            gpus: if gpus.is_positive() { up(gpus, 0, 1) } else { None },
            ports: Some("[1-65535]".to_owned()),
            disks,
        };
        let mut agent = AddAgent { count: Some(1), ..AddAgent::default() };
        if *pod.pre_reserved_role == *"*" {
            agent.resources = amounts;
        } else {
            agent.roles.insert(pod.pre_reserved_role.to_string(), amounts);
        }
        Input::AddAgent(agent)
    }
}

/// A phase's name, or its id when the name is not unique.
fn phase_key(plan: &Plan, phase: PhaseId) -> String {
    let name = plan.phase_name(phase);
    if plan.tree.phases_named(&name).count() == 1 {
        return name.to_string();
    }
    plan.phases.get(phase.index()).map_or_else(|| name.to_string(), |data| data.id.to_string())
}
