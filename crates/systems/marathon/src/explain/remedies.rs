//! Inputs that would get an element moving.
//!
//! *Invariant*: every input given here is accepted by the world in its present state.

use super::Explainer;
use crate::definition::RunSpec;
use crate::deployments::Deployment;
use crate::instances::instance::Instance;
use crate::view::actions::call;
use planarium_kernel::Milli;
use planarium_mesos::ProbeFacts;
use planarium_protocol::input::{
    AddAgent, ClearFault, Input, OfferRound, PodCommand, PodOp, Resources, TaskStatusInput,
};
use planarium_protocol::{Amount, Text};
use serde_json::Value;
use std::sync::Arc;

/// Order in which an operator tries ways out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// What holds it back is taken away: a fault, a delay, maintenance, a quota, the roles that it accepts.
    Cause,
    /// The definition is changed to what fits.
    Fit,
    /// The deployment is taken back.
    Back,
    /// More machines and offers.
    Room,
    /// The deployment is taken back, and its apps with it: there was nothing before.
    Away,
    /// The user speaks for a task.
    Said,
    /// Stop the deployment in its present state.
    Stop,
    /// The definition is for a person to change.
    Advice,
}

impl Explainer<'_> {
    /// A deployment can be rolled back and stopped.
    pub(super) fn deployment_remedies(&mut self, deployment: &Deployment) {
        // A rollback of the first deployment of its apps leaves nothing of them.
        let is_first =
            deployment.plan.affected().iter().all(|id| deployment.plan.original.spec(id).is_none());
        let back = if is_first { Turn::Away } else { Turn::Back };
        for action in crate::view::actions::deployment_actions(deployment) {
            if action.refused.is_none() {
                let name = crate::shown::deployment_name(deployment.no);
                let (turn, title) = match &*action.title {
                    "Rollback" => (back, format!("Roll {name} back")),
                    _ => (Turn::Stop, format!("Stop {name} where it is")),
                };
                self.help(turn, title, Some(action.input));
            }
        }
    }

    pub(super) fn delay_remedy(&mut self, spec: &RunSpec) {
        let path = format!("/v2/queue{}/delay", spec.id);
        self.help(
            Turn::Cause,
            format!("Reset the delay of {}", spec.id),
            Some(call("DELETE", path, Value::Null)),
        );
    }

    /// Nothing can be said in the name of a task of which nothing is heard.
    fn status(
        &self,
        instance: &Instance,
        probe: Option<&ProbeFacts>,
        state: &str,
        healthy: Option<bool>,
    ) -> Option<Input> {
        if probe.is_some_and(|probe| probe.silent) {
            return None;
        }
        let ready = instance.spec.def.readiness.is_some().then_some(0);
        Some(Input::TaskStatus(TaskStatusInput {
            task: instance.task()?.id.to_string(),
            state: state.to_owned(),
            service: Some(self.records.setup.settings.framework.to_string()),
            readiness_exit: ready,
            healthy,
            reason: None,
            message: None,
        }))
    }

    /// The user speaks first for tasks that are on manual.
    fn speaking(probe: Option<&ProbeFacts>) -> Turn {
        if probe.is_some_and(|probe| probe.manual) { Turn::Cause } else { Turn::Said }
    }

    pub(super) fn start_remedies(&mut self, instance: &Instance, probe: Option<&ProbeFacts>) {
        if let Some(input) = self.status(instance, probe, "TASK_RUNNING", None) {
            self.help(Self::speaking(probe), format!("Say that {} runs", instance.id), Some(input));
        }
    }

    pub(super) fn health_remedies(&mut self, instance: &Instance, probe: Option<&ProbeFacts>) {
        if let Some(input) = self.status(instance, probe, "TASK_RUNNING", Some(true)) {
            self.help(Self::speaking(probe), format!("Say that {} is well", instance.id), Some(input));
        }
    }

    pub(super) fn fault_remedies(&mut self, faults: &[(Text, &'static str)]) {
        for (id, kind) in faults {
            let input = Input::ClearFault(ClearFault { id: id.to_string() });
            self.help(Turn::Cause, format!("Clear the fault {id} ({kind})"), Some(input));
        }
    }

    /// A machine that is out by the operator's will.
    pub(super) fn machine_remedies(&mut self, host: &str) {
        let machines = self.cluster.machines();
        let Some(machine) = machines.iter().find(|machine| *machine.hostname == *host) else { return };
        let ends = match &*machine.state {
            "down" => "up",
            "draining" | "drained" | "deactivated" => "reactivate",
            _ => return,
        };
        let ending = machine.actions.iter().find(|action| {
            action.refused.is_none() && matches!(&action.input, Input::Maintenance(call) if call.op == ends)
        });
        if let Some(action) = ending {
            self.help(Turn::Cause, format!("{} ({host})", action.title), Some(action.input.clone()));
        }
    }

    /// Instances whose reserved resources are not offered can be wiped: others are launched in their place.
    pub(super) fn give_up_remedies(&mut self, bound: &[&Arc<Instance>]) {
        for instance in bound.iter().take(GIVEN_UP) {
            let command = PodCommand {
                dialect: crate::shown::DIALECT.to_owned(),
                service: self.records.setup.settings.framework.to_string(),
                pod: instance.id.to_string(),
                op: PodOp::Replace,
                tasks: Vec::new(),
            };
            let title = format!(
                "Wipe {}: its volumes and what is reserved for it are given up, and another instance takes its place",
                instance.id
            );
            self.help(Turn::Stop, title, Some(Input::Pod(command)));
        }
    }

    /// Proposes more offers, where a round would bring some, and more room.
    pub(super) fn offer_remedies(&mut self, spec: &RunSpec, waiting: usize, round_helps: bool) {
        if round_helps {
            let round = Input::OfferRound(OfferRound::default());
            self.help(Turn::Room, "Send one round of offers from every machine", Some(round));
        }
        let (title, machines) = match u32::try_from(waiting).unwrap_or(MACHINES).min(MACHINES) {
            machines @ 2.. => (format!("Add {machines} machines with room for one each"), machines),
            _ => ("Add a machine with room for it".to_owned(), 1),
        };
        self.help(Turn::Room, title, Some(roomy(spec, machines)));
        if !spec.def.constraints.is_empty() {
            self.help(Turn::Advice, "Relax its constraints in the definition", None);
        }
    }
}

/// Instances that are proposed to be given up at most.
const GIVEN_UP: usize = 3;

/// Machines that are proposed at most.
const MACHINES: u32 = 10;

/// Machines each of which holds an instance with something to spare.
fn roomy(spec: &RunSpec, machines: u32) -> Input {
    let needs = &spec.def.needs;
    let up = |value: Milli, spare: i64, least: i64| {
        let whole = value.thousandths().saturating_add(999) / 1000;
        Some(Amount::whole(whole.saturating_add(spare).max(least)))
    };
    let volumes = spec.def.volumes.iter().fold(Milli::ZERO, |sum, volume| sum.saturating_add(volume.size));
    let amounts = Resources {
        cpus: up(needs.cpus, 1, 4),
        mem: up(needs.mem, 512, 8192),
        disk: up(needs.disk.saturating_add(volumes), 1024, 20_480),
        gpus: if needs.gpus.is_positive() { up(needs.gpus, 0, 1) } else { None },
        ports: Some("[1-65535]".to_owned()),
        disks: Vec::new(),
    };
    Input::AddAgent(AddAgent { count: Some(machines), resources: amounts, ..AddAgent::default() })
}
