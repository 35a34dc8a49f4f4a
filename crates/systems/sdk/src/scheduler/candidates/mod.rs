//! Selects steps and works on them: kill, evaluate offers, launch.
//!
//! *Knows*: how one candidate is handled. *Must not know*: when a cycle runs.
//!
//! A machine's offer serves one step per cycle.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/DefaultPlanScheduler.java, DefaultPlanCoordinator.java`. Match.

mod actions;
mod evaluator;
mod launch;

use super::killer::Kill;
use super::plans::PlanKind;
use super::recovery::RecoveryPlanManager;
use super::requirement::{Recovery, Requirement};
use super::state::{TaskRecord, TaskStore};
use super::{Cx, Scheduler};
use evaluator::{Findings, Fit, OfferEvaluator};
use planarium_mesos::api::Offer;
use planarium_plan::coordinator::Round;
use planarium_plan::{Holder, PlanId, Status, StepState};
use planarium_protocol::Text;
use std::sync::Arc;

impl Scheduler {
    /// The steps to work on, in order. The recovery plan is brought up to date on its turn.
    pub(super) fn coordinate(&mut self, cx: &mut Cx) -> Vec<Holder> {
        let mut round = {
            let plans = self.plans.iter().enumerate();
            Round::begin(plans.map(|(at, plan)| (PlanId::at(at), &plan.tree)))
        };
        for id in self.plans.ids() {
            if self.plans.get(id).is_some_and(|plan| plan.kind == PlanKind::Recovery) {
                self.recovery(id).update(cx, &round);
            }
            if let Some(plan) = self.plans.get(id) {
                round.collect(id, &plan.tree);
            }
        }
        let outcome = round.finish();
        let withheld = outcome.withheld.iter().map(|withheld| (withheld.step, withheld.held_by)).collect();
        if self.plans.withheld != withheld {
            self.plans.withheld = withheld;
            self.plans.touch_all(cx);
        }
        outcome.candidates
    }

    fn recovery(&mut self, id: PlanId) -> RecoveryPlanManager<'_> {
        RecoveryPlanManager {
            id,
            service: &self.service,
            configs: &self.configs,
            backoff: &self.backoff,
            ids: &self.ids,
            tasks: &mut self.state.tasks,
            failed: &mut self.failed,
            plans: &mut self.plans,
            timers: &mut self.timers,
        }
    }

    /// Works on the candidates; returns the unused offers.
    pub(super) fn work_on(
        &mut self,
        cx: &mut Cx,
        candidates: &[Holder],
        offers: Vec<Arc<Offer>>,
    ) -> Vec<Arc<Offer>> {
        let mut left = offers;
        let mut findings = Findings::default();
        let mut launched = Vec::new();
        for holder in candidates {
            let Some(requirement) = self.prepare(cx, *holder, left.is_empty()) else { continue };
            match self.look(cx, *holder, &requirement, &left, &mut findings) {
                Some(Fit { at, footprint, event }) => {
                    let offer = left.remove(at);
                    findings.used(&offer);
                    launched.extend(self.launch(
                        cx,
                        *holder,
                        &requirement,
                        launch::Used { offer, footprint, event },
                    ));
                }
                None => self.prepared(cx, *holder),
            }
        }
        self.store_launched(launched);
        left
    }

    /// Works on a candidate as far as possible without offers; returns the requirement that needs offers.
    fn prepare(&mut self, cx: &mut Cx, holder: Holder, no_offers: bool) -> Option<Arc<Requirement>> {
        let plan = self.plans.get(holder.plan)?;
        let status = plan.tree.status(holder.step.into());
        if !matches!(status, Status::Pending | Status::Prepared) {
            return None;
        }
        if plan.tree.step_error(holder.step).is_some() {
            self.plans.set_state(holder, StepState::Error);
            self.plans.report(cx, holder.plan, &self.state.tasks);
            return None;
        }
        if let Some(action) = plan.step(holder.step).and_then(|data| data.action.clone()) {
            self.act(cx, holder, &action);
            return None;
        }
        let requirement = plan.requirement(holder.step).cloned()?;
        let untouched = self.state.tasks.pod(&requirement.key).is_none();
        if no_offers && untouched && status == Status::Prepared {
            return None;
        }
        if requirement.recovery == Recovery::Permanent {
            self.state.tasks.flag_pod(&requirement.key);
        }
        for (id, agent) in in_the_way(&requirement, &self.state.tasks) {
            self.kill(cx, Kill { id: &id, agent: Some(&agent), by: Some(holder) });
        }
        Some(requirement)
    }

    fn look(
        &mut self,
        cx: &mut Cx,
        holder: Holder,
        requirement: &Arc<Requirement>,
        left: &[Arc<Offer>],
        findings: &mut Findings,
    ) -> Option<Fit> {
        let mut evaluator = OfferEvaluator {
            target: &self.configs.target,
            tasks: &mut self.state.tasks,
            plans: &mut self.plans,
            offers: &mut self.offers,
            findings,
        };
        evaluator.look(cx, holder, requirement, left)
    }

    /// No offer fitted, or there was none.
    fn prepared(&mut self, cx: &mut Cx, holder: Holder) {
        self.plans.forget_tasks(holder);
        self.plans.set_state(holder, StepState::Prepared);
        if self.plans.report(cx, holder.plan, &self.state.tasks).is_some() {
            // A prepared step makes its asset dirty for other plans from the next cycle on.
            self.timers.need_cycle(cx);
        }
    }

    /// Stores the launches of a cycle, each with the event behind it, after all of its steps: until then every step sees, and counts, the earlier
    /// tasks of each machine.
    ///
    /// *Order*: tasks that wait for their launch first, so that launches of another step in the cycle stay.
    ///
    /// **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (processOffers),
    /// …/state/PersistentLaunchRecorder.java`. Match.
    fn store_launched(&mut self, launched: Vec<(TaskRecord, u64)>) {
        let (stubs, launches): (Vec<_>, Vec<_>) =
            launched.into_iter().partition(|(record, _)| record.id.is_empty());
        for (record, event) in stubs.into_iter().chain(launches) {
            let key = record.pod.clone();
            self.state.tasks.put(record, event);
            self.note_pod(&key);
        }
    }
}

/// Returns ids and agents of conflicting tasks: those of the pod that use a resource set of the launch, in the
/// launched version.
fn in_the_way(requirement: &Requirement, tasks: &TaskStore) -> Vec<(Text, Text)> {
    let stored = tasks.pod(&requirement.key).into_iter().flat_map(|tasks| tasks.values());
    stored
        .filter(|task| task.is_alive())
        .filter(|task| {
            let set = requirement.pod.spec.task(&task.task).map(|spec| &spec.resource_set.id);
            set.is_some_and(|set| requirement.task_specs().any(|spec| spec.resource_set.id == *set))
        })
        .map(|task| (task.id.clone(), task.at.agent_id.clone()))
        .collect()
}
