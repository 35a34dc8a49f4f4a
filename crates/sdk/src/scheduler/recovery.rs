//! The recovery plan: which failed pods get a phase, of which kind, and which phases they replace.
//!
//! *Knows*: stored tasks in the version they run. *Must not know*: offers.
//!
//! Brought up to date when the plan's candidates are collected, and only then; while the plan is
//! interrupted new failures do not even appear. *Cost*: by the pods that have something to recover.
//!
//! **Source**: `dcos-commons: …/scheduler/recovery/DefaultRecoveryPlanManager.java, FailureUtils.java,
//! monitor/TimedFailureMonitor.java, …/offer/TaskUtils.java (getPodRequirements)`. Match.

use super::failing::{Failed, Needs};
use super::plan::{NewStep, phase_spec};
use super::requirement::{Recovery, Requirement};
use super::store::{PodKey, TaskRecord};
use super::{Cx, Scheduler, Timer, TimerKind};
use crate::spec::Goal;
use planarium_kernel::queue::Class;
use planarium_kernel::{Cause, SimTime};
use planarium_plan::coordinator::Round;
use planarium_plan::{Asset, Element, PhaseId, PlanId, StepState, StrategySpec};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::Arc;

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
        for pod in self.failing.all() {
            let needs = self.needs(cx, &pod);
            for (requirement, asset) in &needs.requirements {
                self.recover(cx, id, round, requirement, asset);
            }
        }
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

    /// Adds a phase for a failed pod, unless something else already works on it.
    fn recover(&mut self, cx: &mut Cx, id: PlanId, round: &Round, requirement: &Requirement, asset: &Asset) {
        if round.dirty_for(id, asset).is_some() {
            return;
        }
        let (mut conflicting, mut replaced) = (false, Vec::new());
        let Some(plan) = self.plan(id) else { return };
        for phase in plan.tree.phases() {
            let mut steps = plan.tree.steps(phase);
            let Some((step, old)) = steps.find_map(|step| Some((step, plan.requirement(step)?))) else {
                continue;
            };
            if !plan.tree.asset(step).is_some_and(|other| other.conflicts_with(asset)) {
                continue;
            }
            replaced.push(phase);
            conflicting |= !plan.tree.status(Element::Step(step)).is_complete() && !self.escalated(old);
        }
        if conflicting {
            return;
        }
        let Some(recovery) = self.type_now(cx, requirement) else { return };
        self.add_recovery(cx, id, &replaced, requirement.recovering(recovery));
    }

    /// Whether a pod that was being recovered in place is lost for good by now.
    fn escalated(&self, old: &Requirement) -> bool {
        old.recovery == Recovery::Transient && self.store.is_flagged(&old.key)
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

    fn add_recovery(&mut self, cx: &mut Cx, id: PlanId, replaced: &[PhaseId], requirement: Requirement) {
        let requirement = Arc::new(requirement);
        let name = requirement.name();
        let cause = self.failure_cause(&requirement).unwrap_or(cx.cause());
        let noticed = EventBody::RecoveryNeeded {
            service: self.name.clone(),
            pod: requirement.key.name(),
            recovery: requirement.recovery.as_str().into(),
        };
        let seq = cx.emit_caused(noticed, cause);
        let step = NewStep {
            name: name.clone(),
            requirement: Some(requirement),
            action: None,
            state: StepState::Pending,
            error: None,
            source: None,
        };
        let steps = vec![step];
        let spec = phase_spec(name, StrategySpec::Parallel, &steps, &mut self.assets);
        cx.scoped(Cause::Event(seq), |cx| {
            let now = cx.now();
            let Some(plan) = self.plans.get_mut(id.index()) else { return };
            let phase = plan.tree.push_phase(spec);
            plan.add_rows(steps, &self.ids, now);
            for phase in replaced {
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

    /// Takes a phase out of the plan; its steps wait for nothing any more.
    fn retire_phase(&mut self, id: PlanId, phase: PhaseId) {
        let Some(plan) = self.plans.get(id.index()) else { return };
        let steps: Vec<_> = plan.tree.steps(phase).collect();
        for step in steps {
            let holder = planarium_plan::Holder { plan: id, step };
            self.forget_tasks(holder);
            self.delayed.remove(&holder);
        }
        if let Some(plan) = self.plans.get_mut(id.index()) {
            plan.tree.remove_phase(phase);
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
