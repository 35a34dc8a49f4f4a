//! The recovery plan: which failed pods get a phase, of which kind, and which phases they replace.
//!
//! *Knows*: stored tasks in the version they run, the program's own way to recover. *Must not know*: offers.
//!
//! Brought up to date when the plan's candidates are collected, and only then; while the plan is
//! interrupted new failures do not even appear. *Cost*: by the pods that have something to recover.
//!
//! **Source**: `dcos-commons: …/scheduler/recovery/DefaultRecoveryPlanManager.java, RecoveryStep.java,
//! FailureUtils.java,
//! monitor/TimedFailureMonitor.java, …/offer/TaskUtils.java (getPodRequirements)`. Match.

use super::failing::{Failed, Needs};
use super::plan::{NewStep, Plan, phase_spec};
use super::requirement::{Recovery, Requirement};
use super::store::{PodKey, TaskRecord};
use super::{Cx, Scheduler, Timer, TimerKind};
use crate::programs::{KnownPhase, KnownStep, Lost, OwnStep};
use crate::spec::Goal;
use planarium_kernel::queue::Class;
use planarium_kernel::{Cause, SimTime};
use planarium_plan::coordinator::Round;
use planarium_plan::{Asset, Element, PhaseId, PlanId, StepId, StrategySpec};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::Arc;

/// A phase before it has a place in the plan.
struct NewPhase {
    name: Text,
    strategy: StrategySpec,
    steps: Vec<NewStep>,
}

impl NewPhase {
    /// One step for one pod instance.
    fn usual(requirement: Requirement) -> Self {
        let name = requirement.name();
        let steps = vec![NewStep::launching(name.clone(), requirement)];
        Self { name, strategy: StrategySpec::Parallel, steps }
    }
}

impl Scheduler {
    /// Brings the recovery plan up to date under what is dirty for it.
    pub(super) fn update_recovery(&mut self, cx: &mut Cx, id: PlanId, round: &Round) {
        let Some(plan) = self.plans.get_mut(id.index()) else { return };
        if plan.tree.is_interrupted(Element::Plan) {
            return;
        }
        // Before the first cycle it shows another strategy than its own.
        if plan.shown_strategy.take().is_some() {
            self.touch(cx, id);
        }
        self.watch_recovering(cx, id);
        let needed = self.needed(cx, id, round);
        if needed.is_empty() {
            return;
        }
        let before: Vec<PhaseId> = self.plan(id).map(|plan| plan.tree.phases().collect()).unwrap_or_default();
        let (own, usual): (Vec<_>, Vec<_>) = needed
            .into_iter()
            .map(|requirement| (self.own_phase(&requirement), requirement))
            .partition(|(own, _)| own.is_some());
        for (own, requirement) in own.into_iter().chain(usual) {
            self.add_recovery(cx, id, &before, own, requirement);
        }
    }

    /// What has to be recovered and is not being worked on yet, each with its kind of recovery.
    fn needed(&mut self, cx: &Cx, id: PlanId, round: &Round) -> Vec<Requirement> {
        let mut needed = Vec::new();
        for pod in self.failing.all() {
            let needs = self.needs(cx, &pod);
            for (requirement, asset) in &needs.requirements {
                if round.dirty_for(id, asset).is_some() || self.is_being_recovered(id, asset) {
                    continue;
                }
                if let Some(recovery) = self.type_now(cx, requirement) {
                    needed.push(requirement.recovering(recovery));
                }
            }
        }
        needed
    }

    /// What a pod instance needs to come back: as it was found out before, if nothing has changed since.
    fn needs(&mut self, cx: &Cx, pod: &Failed) -> Arc<Needs> {
        let timeless = self.backoff.is_empty();
        if let Some(known) = pod.needs.as_ref().filter(|_| timeless)
            && known.changes == self.store.changes(&pod.key)
        {
            debug_assert!(
                **known == self.found_needs(cx, &pod.key),
                "what {} needs has changed",
                pod.key.name()
            );
            return known.clone();
        }
        self.flag_gone(&pod.key);
        let needs = Arc::new(self.found_needs(cx, &pod.key));
        if timeless {
            self.failing.keep(&pod.key, &needs);
        }
        needs
    }

    /// What a pod instance needs to come back, found out anew.
    fn found_needs(&mut self, cx: &Cx, key: &PodKey) -> Needs {
        let requirements = self.failed_requirements(cx, key).into_iter();
        let requirements = requirements.map(|requirement| {
            let asset = self.assets.of(&requirement);
            (requirement, asset)
        });
        Needs { requirements: requirements.collect(), changes: self.store.changes(key) }
    }

    /// A task whose agent an operator gave up is lost for good.
    fn flag_gone(&mut self, key: &PodKey) {
        let gone: Vec<Text> = self
            .store
            .pod(key)
            .into_iter()
            .flat_map(|tasks| tasks.values())
            .filter(|task| !task.permanently_failed)
            .filter(|task| task.own_status().is_some_and(|s| s.state == "TASK_GONE_BY_OPERATOR"))
            .map(|task| task.name.clone())
            .collect();
        for name in gone {
            self.store.update(&name, |task| task.permanently_failed = true);
        }
    }

    /// What a pod instance needs to come back, by the version its failed tasks run.
    fn failed_requirements(&self, cx: &Cx, key: &PodKey) -> Vec<Requirement> {
        let Some(tasks) = self.store.pod(key) else { return Vec::new() };
        let mut versions: Vec<Text> = Vec::new();
        for task in tasks.values().filter(|task| self.may_recover(task)) {
            if !versions.contains(&task.config) {
                versions.push(task.config.clone());
            }
        }
        versions.iter().filter_map(|config| self.failed_requirement(cx, key, config)).collect()
    }

    fn failed_requirement(&self, cx: &Cx, key: &PodKey, config: &Text) -> Option<Requirement> {
        let pod = self.configs.get(config)?.pods.get(&key.pod)?.clone();
        let tasks = self.store.pod(key)?;
        let failed: Vec<&TaskRecord> =
            tasks.values().filter(|task| task.config == *config && self.may_recover(task)).collect();
        let delayed = |spec: &crate::spec::TaskSpec| {
            !self.backoff.is_empty() && self.backoff.running(&key.task(&spec.name), cx.now()).is_some()
        };
        let essential =
            failed.iter().any(|task| pod.spec.task(&task.task).is_some_and(|spec| spec.essential));
        if essential && pod.spec.tasks.iter().any(|spec| delayed(spec)) {
            return None;
        }
        let chosen: Vec<&TaskRecord> = pod
            .spec
            .tasks
            .iter()
            .filter(|spec| essential || (failed.iter().any(|task| task.task == spec.name) && !delayed(spec)))
            .filter(|spec| spec.goal == Goal::Running)
            .filter_map(|spec| tasks.of(&spec.name).filter(|task| task.own_status().is_some()))
            .collect();
        if chosen.is_empty() {
            return None;
        }
        let names = chosen.iter().map(|task| task.name.clone()).collect();
        let chosen = self.assets.list(chosen.iter().map(|task| &task.task));
        Some(Requirement::named(key.clone(), pod, chosen, names, config.clone()))
    }

    /// Whether an unfinished step of the recovery plan already works on one of these tasks. One that recovers a pod
    /// in place does not count once the pod has been given up as lost.
    fn is_being_recovered(&self, id: PlanId, asset: &Asset) -> bool {
        let Some(plan) = self.plan(id) else { return false };
        let mut working = plan.tree.all_steps().filter(|step| {
            plan.tree.asset(*step).is_some_and(|other| other.conflicts_with(asset))
                && !plan.tree.status(Element::Step(*step)).is_complete()
        });
        working.any(|step| plan.requirement(step).is_some_and(|old| !self.escalated(plan, old)))
    }

    /// Whether a pod was given up as lost while it was being recovered in place.
    fn escalated(&self, plan: &Plan, old: &Requirement) -> bool {
        if !self.store.is_flagged(&old.key) {
            return false;
        }
        let mut same = plan.tree.all_steps().filter(|step| {
            !plan.tree.status(Element::Step(*step)).is_complete()
                && plan.requirement(*step).is_some_and(|other| other.key == old.key)
        });
        !same.any(|step| plan.requirement(step).is_some_and(|other| other.recovery == Recovery::Permanent))
    }

    /// In place when none of the tasks is lost for good, anew when all are, not at all in between.
    fn type_now(&mut self, cx: &Cx, requirement: &Requirement) -> Option<Recovery> {
        let names = requirement.task_names();
        for name in names {
            self.watch(cx, name);
        }
        let flagged = names
            .iter()
            .filter(|name| self.store.named(name).is_some_and(|task| task.permanently_failed))
            .count();
        match flagged {
            0 => Some(Recovery::Transient),
            all if all == names.len() => Some(Recovery::Permanent),
            _ => None,
        }
    }

    /// Adds a phase for a failed pod: the program's own one, or one with a single step. It replaces those of the
    /// phases that the plan had `before` that share a task with it.
    ///
    /// **Source**: `…/DefaultRecoveryPlanManager.java (createPlan)`.
    fn add_recovery(
        &mut self,
        cx: &mut Cx,
        id: PlanId,
        before: &[PhaseId],
        own: Option<NewPhase>,
        requirement: Requirement,
    ) {
        let cause = self.failure_cause(&requirement).unwrap_or(cx.cause());
        let noticed = EventBody::RecoveryNeeded {
            service: self.name.clone(),
            pod: requirement.key.name(),
            recovery: requirement.recovery.as_str().into(),
        };
        let seq = cx.emit_caused(noticed, cause);
        let NewPhase { name, strategy, steps } = own.unwrap_or_else(|| NewPhase::usual(requirement));
        let spec = phase_spec(name, strategy, &steps, &mut self.assets);
        let replaced = self.replaced_by(id, before, &steps);
        cx.scoped(Cause::Event(seq), |cx| {
            let now = cx.now();
            let Some(plan) = self.plans.get_mut(id.index()) else { return };
            let phase = plan.tree.push_phase(spec);
            plan.add_rows(steps, &self.ids, now);
            for phase in &replaced {
                self.retire_phase(id, *phase);
            }
            let Some(plan) = self.plans.get_mut(id.index()) else { return };
            // The real plan is made anew as a whole: nobody sees it with both phases, or with neither.
            plan.tree.merge_plan_changes();
            let path = plan.path(&self.name, Element::Phase(phase));
            let change = if replaced.is_empty() { "added" } else { "replaced" };
            let seq = cx.emit(EventBody::PhaseChanged { path, change: change.into() });
            if let Some(data) = plan.phases.get_mut(phase.index()) {
                data.revision = seq;
            }
            plan.revision = seq;
            self.report(cx, id);
            self.touch(cx, id);
            self.need_cycle(cx);
        });
    }

    /// Which of the earlier phases share a task with the new steps.
    fn replaced_by(&mut self, id: PlanId, before: &[PhaseId], steps: &[NewStep]) -> Vec<PhaseId> {
        let new: Vec<Asset> = steps
            .iter()
            .filter_map(|step| step.requirement.as_deref())
            .map(|requirement| self.assets.of(requirement))
            .collect();
        let Some(plan) = self.plan(id) else { return Vec::new() };
        let overtaken = |phase: &PhaseId| {
            let mut assets = plan.tree.steps(*phase).filter_map(|step| plan.tree.asset(step));
            assets.any(|old| new.iter().any(|new| old.conflicts_with(new)))
        };
        plan.tree.phases().filter(|phase| before.contains(phase)).filter(overtaken).collect()
    }

    /// Takes a phase out of the plan; its steps no longer wait for anything.
    fn retire_phase(&mut self, id: PlanId, phase: PhaseId) {
        let Some(plan) = self.plans.get(id.index()) else { return };
        let steps: Vec<_> = plan.tree.steps(phase).collect();
        for step in steps {
            let holder = planarium_plan::Holder { plan: id, step };
            self.forget_tasks(holder);
            self.delayed.remove(&holder);
        }
        if let Some(plan) = self.plans.get_mut(id.index()) {
            plan.retire(phase);
        }
    }

    /// The event of the failure that made a recovery necessary: the last one among its tasks.
    fn failure_cause(&self, requirement: &Requirement) -> Option<Cause> {
        let last = requirement
            .task_names()
            .iter()
            .filter_map(|name| self.store.named(name)?.status.as_ref())
            .filter(|status| status.needs_recovery())
            .map(|status| status.event)
            .max()?;
        (last > 0).then_some(Cause::Event(last))
    }

    // ---- the program's own way -----------------------------------------------------------------

    /// The phase in which the program recovers a lost pod, if it has one of its own.
    fn own_phase(&self, requirement: &Requirement) -> Option<NewPhase> {
        if requirement.recovery != Recovery::Permanent {
            return None;
        }
        let (_, plan) = self.plan_named(self.program.needed_plan()?)?;
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
                let record = self.store.named(&format!("{pod}-{index}-{task}"))?;
                record.addressed.then(|| record.at.ip.clone())
            },
            env: &self.env,
        };
        let own = self.program.recovery(&lost)?;
        let steps: Option<Vec<NewStep>> = own
            .steps
            .iter()
            .map(|own| {
                let (phase, step) = own.of;
                let of = *steps.get(phase)?.get(step)?;
                Some(NewStep::launching(plan.step_name(of), self.own_requirement(own, plan.requirement(of)?)))
            })
            .collect();
        Some(NewPhase { name: own.name, strategy: StrategySpec::Serial, steps: steps? })
    }

    /// What a step of such a phase launches: the same as the step that it repeats, possibly with another command.
    fn own_requirement(&self, own: &OwnStep, of: &Requirement) -> Requirement {
        let recovery = if own.anew { Recovery::Permanent } else { Recovery::Transient };
        let mut requirement = of.recovering(recovery);
        if let Some((task, command)) = &own.command {
            requirement.pod = Arc::new(of.pod.with_command(&self.target.spec, task, command));
        }
        requirement
    }

    // ---- timed replacement ---------------------------------------------------------------------

    /// With a replacement policy, the tasks of every incomplete recovery are watched as well, running or
    /// not.
    ///
    /// Quirk: a relaunched pod that stays STARTED for longer than the timeout is given up and replaced.
    fn watch_recovering(&mut self, cx: &Cx, id: PlanId) {
        if self.target.spec.replacement_failure_policy.is_none() {
            return;
        }
        let Some(plan) = self.plan(id) else { return };
        let keys: Vec<PodKey> = plan
            .tree
            .all_steps()
            .filter(|step| !plan.tree.status(Element::Step(*step)).is_complete())
            .filter_map(|step| plan.requirement(step).map(|requirement| requirement.key.clone()))
            .collect();
        for key in keys {
            let names: Vec<Text> =
                self.store.pod(&key).into_iter().flat_map(|tasks| tasks.keys().cloned()).collect();
            for name in names {
                self.watch(cx, &name);
            }
        }
    }

    /// Notes since when a task has been failing; flags its pod once that is too long.
    fn watch(&mut self, cx: &Cx, name: &str) {
        let Some(policy) = self.target.spec.replacement_failure_policy else { return };
        let timeout = policy.permanent_failure_timeout_s.saturating_mul(1000);
        let now = cx.now();
        let since = self.store.update(name, |task| *task.watched_since.get_or_insert(now));
        let Some(since) = since else { return };
        if now > since.saturating_add(timeout) {
            if let Some(key) = self.store.named(name).map(|task| task.pod.clone()) {
                self.store.flag_pod(&key);
                self.note_pod(&key);
            }
        } else if since == now {
            let at: SimTime = since.saturating_add(timeout).saturating_add(1);
            self.timers.push(at, Class::OneShot, Timer { cause: cx.cause(), kind: TimerKind::Replacement });
        }
    }
}
