//! The recovery plan: which failed pods get a phase, of which kind, and which phases they replace.
//!
//! *Knows*: stored tasks in the version they run, the program's own way to recover. *Must not know*: offers.
//!
//! Brought up to date when the plan's candidates are collected, and only then; while the plan is
//! interrupted new failures do not even appear. *Cost*: by the pods that have something to recover.
//!
//! **Source**: `dcos-commons: …/scheduler/recovery/DefaultRecoveryPlanManager.java, RecoveryStep.java`. Match.

mod failed_pods;
mod needs;
mod program;
mod replacement;

pub(crate) use failed_pods::FailedPods;

use super::Cx;
use super::configs::Configs;
use super::delays::Backoff;
use super::ids::Ids;
use super::plans::{NewPhase, NewStep, Plan, Plans};
use super::requirement::{Recovery, Requirement};
use super::service::Service;
use super::state::{PodKey, TaskStore};
use super::timers::Timers;
use failed_pods::{FailedPod, Needs};
use needs::Evidence;
use planarium_kernel::{Cause, sorted};
use planarium_plan::coordinator::Round;
use planarium_plan::{Asset, Element, PhaseId, PlanId, StepId, StrategySpec};
use planarium_protocol::event::EventBody;
use program::Known;
use replacement::Watch;
use std::sync::Arc;

/// A phase with one step for one pod instance.
fn usual_phase(requirement: Requirement) -> NewPhase {
    let name = requirement.name();
    let steps = vec![NewStep::launching(name.clone(), requirement)];
    NewPhase { name, strategy: StrategySpec::Parallel, steps }
}

/// The records that a recovery reads and changes.
pub(crate) struct RecoveryPlanManager<'a> {
    /// Number of the recovery plan.
    pub(crate) id: PlanId,
    /// Program and environment.
    pub(crate) service: &'a Service,
    /// Versions of the failed tasks.
    pub(crate) configs: &'a Configs,
    /// Delays of launches.
    pub(crate) backoff: &'a Backoff,
    /// Draws ids of phases and steps.
    pub(crate) ids: &'a Ids,
    /// The failed tasks.
    pub(crate) tasks: &'a mut TaskStore,
    /// Pods that have them.
    pub(crate) failed: &'a mut FailedPods,
    /// The recovery plan and all others.
    pub(crate) plans: &'a mut Plans,
    /// Wakes for replacements.
    pub(crate) timers: &'a mut Timers,
}

impl RecoveryPlanManager<'_> {
    /// Updates the recovery plan, given the dirty assets.
    pub(crate) fn update(&mut self, cx: &mut Cx, round: &Round) {
        let id = self.id;
        let Some(plan) = self.plans.get_mut(id) else { return };
        if plan.tree.is_interrupted(Element::Plan) {
            return;
        }
        // Before the first cycle it shows another strategy than its own.
        if plan.shown_strategy.take().is_some() {
            self.plans.touch(cx, id);
        }
        Watch { configs: self.configs, tasks: self.tasks, failed: self.failed, timers: self.timers }
            .recovering(cx, self.plans, id);
        let needed = self.needed(cx, round);
        if needed.is_empty() {
            return;
        }
        let before = self.plans.get(id).and_then(|plan| plan.tree.phases().max());
        let known = Known {
            service: self.service,
            target: &self.configs.target,
            tasks: self.tasks,
            plans: self.plans,
        };
        let (own, usual): (Vec<_>, Vec<_>) = needed
            .into_iter()
            .map(|requirement| (known.own_phase(&requirement), requirement))
            .partition(|(own, _)| own.is_some());
        for (own, requirement) in own.into_iter().chain(usual) {
            self.add_phase(cx, before, own, requirement);
        }
    }

    /// Returns the requirements to recover that are not worked on yet, each with its kind of recovery.
    fn needed(&mut self, cx: &Cx, round: &Round) -> Vec<Requirement> {
        let mut needed = Vec::new();
        let mut at_work = None;
        for pod in self.failed.all() {
            let needs = self.needs(cx, &pod);
            for (requirement, asset) in &needs.requirements {
                if round.dirty_for(self.id, asset).is_some() {
                    continue;
                }
                let at_work = at_work.get_or_insert_with(|| self.at_work());
                if self.is_being_recovered(asset, at_work) {
                    continue;
                }
                if let Some(recovery) = self.type_now(cx, requirement) {
                    needed.push(requirement.recovering(recovery));
                }
            }
        }
        needed
    }

    /// Needs of a pod instance: as they were found before, if nothing has changed since.
    fn needs(&mut self, cx: &Cx, pod: &FailedPod) -> Arc<Needs> {
        let timeless = self.backoff.is_empty();
        if let Some(known) = pod.needs.as_ref().filter(|_| timeless)
            && known.changes == self.tasks.changes(&pod.key)
        {
            debug_assert!(
                **known == self.found_needs(cx, &pod.key),
                "the needs of {} have changed",
                pod.key.name()
            );
            return known.clone();
        }
        for name in needs::gone_by_operator(&pod.key, self.tasks) {
            self.tasks.update(&name, |task| task.permanently_failed = true);
        }
        let needs = Arc::new(self.found_needs(cx, &pod.key));
        if timeless {
            self.failed.set_needs(&pod.key, &needs);
        }
        needs
    }

    fn found_needs(&mut self, cx: &Cx, key: &PodKey) -> Needs {
        let evidence = Evidence {
            tasks: self.tasks,
            configs: self.configs,
            backoff: self.backoff,
            failed: self.failed,
            now: cx.now(),
        };
        evidence.needs(key, &mut self.plans.assets)
    }

    /// Returns the unfinished steps of the recovery plan, sorted by the group of their asset.
    fn at_work(&self) -> Vec<(u32, StepId)> {
        let Some(plan) = self.plans.get(self.id) else { return Vec::new() };
        let unfinished = plan.tree.all_steps().filter(|step| !plan.tree.status((*step).into()).is_complete());
        let with_group = unfinished.filter_map(|step| Some((plan.tree.asset(step)?.group(), step)));
        let mut steps: Vec<(u32, StepId)> = with_group.collect();
        sorted::sort(&mut steps);
        steps
    }

    /// Returns whether an unfinished step of the recovery plan already works on one of these tasks. An in-place
    /// recovery does not count once the pod was given up as lost.
    fn is_being_recovered(&self, asset: &Asset, at_work: &[(u32, StepId)]) -> bool {
        let Some(plan) = self.plans.get(self.id) else { return false };
        let from = at_work.partition_point(|(group, _)| *group < asset.group());
        let same = at_work.iter().skip(from).take_while(|(group, _)| *group == asset.group());
        same.map(|(_, step)| *step)
            .filter(|step| plan.tree.asset(*step).is_some_and(|other| other.conflicts_with(asset)))
            .any(|step| plan.requirement(step).is_some_and(|old| !escalated(plan, old, self.tasks)))
    }

    /// In place if no task is permanently lost, replaced if all are, not at all otherwise.
    fn type_now(&mut self, cx: &Cx, requirement: &Requirement) -> Option<Recovery> {
        let names = requirement.task_names();
        let mut watch =
            Watch { configs: self.configs, tasks: self.tasks, failed: self.failed, timers: self.timers };
        for name in names {
            watch.task(cx, name);
        }
        let flagged = names
            .iter()
            .filter(|name| self.tasks.named(name).is_some_and(|task| task.permanently_failed))
            .count();
        match flagged {
            0 => Some(Recovery::Transient),
            all if all == names.len() => Some(Recovery::Permanent),
            _ => None,
        }
    }

    /// Adds a phase for a failed pod: the program's own one, or one with a single step. It replaces those of the
    /// phases up to `before` that share a task with it.
    ///
    /// **Source**: `…/DefaultRecoveryPlanManager.java (createPlan)`.
    fn add_phase(
        &mut self,
        cx: &mut Cx,
        before: Option<PhaseId>,
        own: Option<NewPhase>,
        requirement: Requirement,
    ) {
        let cause = needs::failure_cause(&requirement, self.tasks).unwrap_or(cx.cause());
        let noticed = EventBody::RecoveryNeeded {
            service: self.service.name.clone(),
            pod: requirement.key.name(),
            recovery: requirement.recovery.as_str().into(),
        };
        let seq = cx.emit_caused(noticed, cause);
        let phase = own.unwrap_or_else(|| usual_phase(requirement));
        cx.scoped(Cause::Event(seq), |cx| self.replace(cx, before, phase));
    }

    /// Puts a phase in the place of those that it overtakes.
    fn replace(&mut self, cx: &mut Cx, before: Option<PhaseId>, new: NewPhase) {
        let (id, now) = (self.id, cx.now());
        let spec = new.spec(&mut self.plans.assets);
        let replaced = self.overtaken(before, &new.steps);
        let Some(plan) = self.plans.get_mut(id) else { return };
        let phase = plan.tree.push_phase(spec);
        plan.add_rows(new.steps, self.ids, now);
        for phase in &replaced {
            self.plans.retire_phase(id, *phase);
        }
        let Some(plan) = self.plans.get_mut(id) else { return };
        // The real plan is rebuilt as a whole: no reader sees it with both phases, or with neither.
        plan.tree.merge_plan_changes();
        let path = plan.path(&self.service.name, Element::Phase(phase));
        let change = if replaced.is_empty() { "added" } else { "replaced" };
        let seq = cx.emit(EventBody::PhaseChanged { path, change: change.into() });
        if let Some(data) = plan.phases.get_mut(phase.index()) {
            data.revision = seq;
        }
        plan.revision = seq;
        self.plans.report(cx, id, self.tasks);
        self.plans.touch(cx, id);
        self.timers.need_cycle(cx);
    }

    /// The phases up to `before` that share a task with the new steps.
    fn overtaken(&mut self, before: Option<PhaseId>, steps: &[NewStep]) -> Vec<PhaseId> {
        let assets = &mut self.plans.assets;
        let new: Vec<Asset> = steps
            .iter()
            .filter_map(|step| step.requirement.as_deref())
            .map(|requirement| assets.of(requirement))
            .collect();
        let Some(plan) = self.plans.get(self.id) else { return Vec::new() };
        let overtaken = |phase: &PhaseId| {
            let mut assets = plan.tree.steps(*phase).filter_map(|step| plan.tree.asset(step));
            assets.any(|old| new.iter().any(|new| old.conflicts_with(new)))
        };
        plan.tree.phases().filter(|phase| Some(*phase) <= before).filter(overtaken).collect()
    }
}

/// Tells if a pod was given up as lost while it was being recovered in place.
fn escalated(plan: &Plan, old: &Requirement, tasks: &TaskStore) -> bool {
    if !tasks.is_flagged(&old.key) {
        return false;
    }
    let mut same = plan.tree.all_steps().filter(|step| {
        !plan.tree.status(Element::Step(*step)).is_complete()
            && plan.requirement(*step).is_some_and(|other| other.key == old.key)
    });
    !same.any(|step| plan.requirement(step).is_some_and(|other| other.recovery == Recovery::Permanent))
}
