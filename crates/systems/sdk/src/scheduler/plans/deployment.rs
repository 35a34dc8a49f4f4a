//! Plans of the definition: deploy, update and those that operators start.
//!
//! *Knows*: first statuses of steps by the stored tasks. *Must not know*: how the target is chosen.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/DeploymentStepFactory.java`. Match.

use super::plan::{NewPhase, NewStep, Plan, PlanFactory, PlanKind};
use crate::lower::{LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy};
use crate::scheduler::configs::Config;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::TaskStore;
use crate::spec::Goal;
use planarium_plan::{Edge, StepState, StrategySpec};
use std::sync::Arc;

/// The records that a plan of the definition is made from.
pub(crate) struct Deployment<'a> {
    /// The target.
    pub(crate) target: &'a Config,
    /// Records of tasks, which hand out the keys of pods.
    pub(crate) tasks: &'a mut TaskStore,
    /// Makes the plan.
    pub(crate) factory: PlanFactory<'a>,
}

impl Deployment<'_> {
    /// Builds a plan from the definition's steps.
    pub(crate) fn plan(&mut self, kind: PlanKind, lowered: &LoweredPlan) -> Plan {
        let mut phases = Vec::with_capacity(lowered.phases.len());
        for phase in &lowered.phases {
            let steps = phase.steps.iter().map(|step| self.new_step(step)).collect();
            let key = self.factory.ids.random_key(&format!("{}/{}", lowered.name, phase.name));
            phases.push(NewPhase { name: phase.name.clone(), strategy: phase_strategy(phase, key), steps });
        }
        let key = self.factory.ids.random_key(&lowered.name);
        self.factory.plan(kind, lowered.name.clone(), strategy(lowered.strategy, &[], key), phases)
    }

    fn new_step(&mut self, lowered: &LoweredStep) -> NewStep {
        let requirement = self.target.pods.get(&lowered.pod).map(|pod| {
            let key = self.tasks.key(&lowered.pod, lowered.index);
            Arc::new(Requirement::new(key, pod.clone(), lowered.tasks.clone(), self.target.id.clone()))
        });
        let state = requirement
            .as_deref()
            .map_or(StepState::Pending, |requirement| first_state(requirement, self.target, self.tasks));
        NewStep {
            name: lowered.name.clone(),
            requirement,
            action: None,
            state,
            error: lowered.error.clone(),
            source: Some(lowered.at.source()),
        }
    }
}

/// COMPLETE if the step has stored tasks and all are done, else PENDING.
fn first_state(requirement: &Requirement, target: &Config, tasks: &TaskStore) -> StepState {
    let mut stored = requirement
        .task_specs()
        .filter_map(|spec| Some((spec.goal, tasks.task(&requirement.key, &spec.name)?)))
        .peekable();
    if stored.peek().is_none() {
        return StepState::Pending;
    }
    let done = stored.all(|(goal, task)| {
        let reached = task.status.as_ref().is_some_and(|status| {
            let current = task.config == target.id;
            match goal {
                Goal::Running => status.state == "TASK_RUNNING" && current && status.is_ready(),
                Goal::Finish => status.state == "TASK_FINISHED" && current,
                Goal::Once => status.state == "TASK_FINISHED",
            }
        });
        task.permanently_failed || reached
    });
    if done { StepState::Complete } else { StepState::Pending }
}

fn strategy(strategy: LoweredStrategy, steps: &[LoweredStep], key: u64) -> StrategySpec {
    match strategy {
        LoweredStrategy::Serial => StrategySpec::Serial,
        LoweredStrategy::Parallel => StrategySpec::Parallel,
        LoweredStrategy::Random => StrategySpec::Random { key },
        LoweredStrategy::Dependency => StrategySpec::dependency(
            (0_u32..)
                .zip(steps)
                .flat_map(|(child, step)| step.after.clone().map(move |parent| Edge { child, parent })),
        ),
    }
}

fn phase_strategy(phase: &LoweredPhase, key: u64) -> StrategySpec {
    let inner = strategy(phase.strategy, &phase.steps, key);
    if phase.canary { StrategySpec::canary(inner) } else { inner }
}
