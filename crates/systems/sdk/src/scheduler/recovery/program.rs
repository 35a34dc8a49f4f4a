//! The program's own way to recover a lost pod.

use crate::programs::{KnownPhase, KnownStep, Lost, OwnStep};
use crate::scheduler::configs::Config;
use crate::scheduler::plans::{NewPhase, NewStep, Plans};
use crate::scheduler::requirement::{Recovery, Requirement};
use crate::scheduler::service::Service;
use crate::scheduler::state::TaskStore;
use planarium_plan::{PhaseId, StepId, StrategySpec};
use std::sync::Arc;

/// The records that a program uses.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) service: &'a Service,
    pub(super) target: &'a Config,
    pub(super) tasks: &'a TaskStore,
    pub(super) plans: &'a Plans,
}

impl Known<'_> {
    /// Returns the phase in which the program recovers a lost pod, if it has its own.
    pub(super) fn own_phase(self, requirement: &Requirement) -> Option<NewPhase> {
        if requirement.recovery != Recovery::Permanent {
            return None;
        }
        let (_, plan) = self.plans.named(self.service.program.needed_plan()?)?;
        let phases: Vec<PhaseId> = plan.tree.phases().collect();
        let steps: Vec<Vec<StepId>> = phases.iter().map(|phase| plan.tree.steps(*phase).collect()).collect();
        let known = |step: &StepId| {
            let of = plan.requirement(*step)?;
            Some(KnownStep { pod: of.pod.spec.clone(), index: of.key.index })
        };
        let known: Vec<KnownPhase> = phases
            .iter()
            .zip(&steps)
            .map(|(phase, steps)| KnownPhase {
                name: plan.phase_name(*phase),
                steps: steps.iter().map(known).collect(),
            })
            .collect();
        let lost = Lost {
            pod: &requirement.key.pod,
            index: requirement.key.index,
            phases: &known,
            address: &|pod, index, task| {
                let record = self.tasks.named(&format!("{pod}-{index}-{task}"))?;
                record.addressed.then(|| record.at.ip.clone())
            },
            env: &self.service.env,
        };
        let own = self.service.program.recovery(&lost)?;
        let steps: Option<Vec<NewStep>> = own
            .steps
            .iter()
            .map(|own| {
                let of = *steps.get(own.of.phase)?.get(own.of.step)?;
                Some(NewStep::launching(plan.step_name(of), self.own_requirement(own, plan.requirement(of)?)))
            })
            .collect();
        Some(NewPhase { name: own.name, strategy: StrategySpec::Serial, steps: steps? })
    }

    /// Returns the requirement of a step of such a phase: that of the repeated step, possibly with another command.
    fn own_requirement(self, own: &OwnStep, of: &Requirement) -> Requirement {
        let recovery = if own.anew { Recovery::Permanent } else { Recovery::Transient };
        let mut requirement = of.recovering(recovery);
        if let Some((task, command)) = &own.command {
            requirement.pod = Arc::new(of.pod.with_command(&self.target.spec, task, command));
        }
        requirement
    }
}
