//! The plans of a service, and what each step waits for.
//!
//! *Knows*: states of steps, tasks and reservations that steps wait for, the view's revision. *Must not know*:
//! offers, the master, why a step moves.
//!
//! *Invariant*: `delayed` contains the DELAYED steps; `waiting` names steps that know the task.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/PlanManager.java, DefaultPlanCoordinator.java`.

pub(crate) mod action;
mod assets;
mod demand;
pub(crate) mod deployment;
mod differences;
mod draws;
mod lookup;
mod mentioned;
mod plan;
pub(crate) mod reaction;
mod report;
mod revision;
mod step_tasks;
mod waiting;
mod weight;

pub(crate) use action::Action;
pub(crate) use assets::Assets;
pub(crate) use demand::ClientStatus;
pub(crate) use mentioned::Mentioned;
pub(crate) use plan::{NewPhase, NewStep, Plan, PlanFactory, PlanKind, StepData};
pub(crate) use revision::Revision;
pub(crate) use step_tasks::StepTask;

use super::Cx;
use super::state::TaskRecord;
use crate::scheduler::ROW;
use planarium_kernel::{SortedMap, SortedSet, Weight};
use planarium_plan::{Element, Holder, PhaseId, PlanId, Status, StepState};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use waiting::Waiting;

/// Name of the plan that brings a service to its target.
pub(crate) const DEPLOY: &str = "deploy";
/// Name of the plan that brings failed tasks back.
pub(crate) const RECOVERY: &str = "recovery";

/// The plans of a service.
#[derive(Clone, Debug, Weight)]
#[weight(list, waiting, own ROW * (self.delayed.len() + self.releases.len() + self.withheld.len()) as u64)]
pub(crate) struct Plans {
    /// Name of the service, the head of every path.
    service: Text,
    /// In the order of priority and of lists.
    list: Vec<Plan>,
    /// Numbers for the tasks that steps work on.
    pub(crate) assets: Assets,
    /// Steps by the task ids they wait for.
    pub(crate) waiting: Waiting,
    /// Steps that are DELAYED.
    delayed: SortedSet<Holder>,
    /// Steps by the reservations that they wait to see given back.
    releases: SortedMap<Text, Holder>,
    /// Steps kept back by the last round, and by whom.
    pub(crate) withheld: SortedMap<Holder, Holder>,
    /// Revision of everything that is shown of the service.
    pub(crate) revision: Revision,
}

impl Plans {
    /// No plans yet.
    pub(crate) fn new(service: Text, revision: Revision) -> Self {
        Self {
            service,
            list: Vec::new(),
            assets: Assets::default(),
            waiting: Waiting::default(),
            delayed: SortedSet::new(),
            releases: SortedMap::new(),
            withheld: SortedMap::new(),
            revision,
        }
    }

    /// Adds a plan at the end.
    pub(crate) fn push(&mut self, plan: Plan) {
        self.list.push(plan);
    }

    /// Number of plans.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// All plans in order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Plan> {
        self.list.iter()
    }

    /// Numbers of all plans in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = PlanId> + use<> {
        (0..self.list.len()).map(PlanId::at)
    }

    /// The plan with this number.
    pub(crate) fn get(&self, id: PlanId) -> Option<&Plan> {
        self.list.get(id.index())
    }

    /// The same, to change.
    pub(crate) fn get_mut(&mut self, id: PlanId) -> Option<&mut Plan> {
        self.list.get_mut(id.index())
    }

    /// A plan by name.
    pub(crate) fn named(&self, name: &str) -> Option<(PlanId, &Plan)> {
        let at = self.list.iter().position(|plan| **plan.tree.plan_name() == *name)?;
        Some((PlanId::at(at), self.list.get(at)?))
    }

    /// The first plan of a kind.
    pub(crate) fn of_kind(&self, kind: PlanKind) -> Option<&Plan> {
        self.list.iter().find(|plan| plan.kind == kind)
    }

    /// Tells if the deploy plan is COMPLETE.
    pub(crate) fn is_deployed(&self) -> bool {
        self.of_kind(PlanKind::Deploy).is_some_and(Plan::is_complete)
    }

    /// Data of a step.
    pub(crate) fn step(&self, holder: Holder) -> Option<&StepData> {
        self.get(holder.plan)?.step(holder.step)
    }

    /// The same, to change.
    pub(crate) fn step_mut(&mut self, holder: Holder) -> Option<&mut StepData> {
        self.get_mut(holder.plan)?.step_mut(holder.step)
    }

    /// The real status of a step.
    pub(crate) fn step_status(&self, holder: Holder) -> Status {
        self.get(holder.plan).map_or(Status::Error, |plan| plan.tree.status(Element::Step(holder.step)))
    }

    /// Path of an element.
    pub(crate) fn path(&self, plan: PlanId, element: Element) -> ElementPath {
        self.get(plan).map_or_else(
            || ElementPath {
                dialect: crate::DIALECT.into(),
                service: self.service.clone(),
                plan: "".into(),
                phase: None,
                step: None,
            },
            |plan| plan.path(&self.service, element),
        )
    }

    /// Sets a step's state.
    pub(crate) fn set_state(&mut self, holder: Holder, state: StepState) {
        let Some(plan) = self.get_mut(holder.plan) else { return };
        plan.tree.set_step_state(holder.step, state);
        if state == StepState::Delayed {
            self.delayed.insert(holder);
        } else {
            self.delayed.remove(&holder);
        }
    }

    /// Steps that are DELAYED, in order.
    pub(crate) fn delayed(&self) -> Vec<Holder> {
        self.delayed.iter().copied().collect()
    }

    /// Removes a step from the delayed ones, because a command moves it.
    pub(crate) fn forget_delayed(&mut self, holder: Holder) {
        self.delayed.remove(&holder);
    }

    /// The step that waits for a task.
    pub(crate) fn step_waiting_for(&self, task: &TaskRecord) -> Option<Holder> {
        self.waiting.get(&task.pod, &task.id)
    }

    /// A step no longer waits for the tasks it launched.
    pub(crate) fn forget_tasks(&mut self, holder: Holder) {
        let Some(data) = self.step(holder).filter(|data| !data.tasks.is_empty()) else { return };
        let requirement = data.requirement.clone();
        let tasks = self.step_mut(holder).map(|data| std::mem::take(&mut data.tasks));
        let Some(key) = requirement.as_ref().map(|requirement| &requirement.key) else { return };
        for task in tasks.iter().flat_map(|tasks| tasks.iter()) {
            self.waiting.remove(key, &task.id);
        }
    }

    /// Takes a phase out of a plan; its steps no longer wait for anything.
    pub(crate) fn retire_phase(&mut self, id: PlanId, phase: PhaseId) {
        let Some(plan) = self.get(id) else { return };
        let steps: Vec<_> = plan.tree.steps(phase).collect();
        for step in steps {
            let holder = Holder { plan: id, step };
            self.forget_tasks(holder);
            self.delayed.remove(&holder);
        }
        if let Some(plan) = self.get_mut(id) {
            plan.retire(phase);
        }
    }

    /// Notes which step waits for which reservation to be given back.
    pub(crate) fn note_releases(&mut self) {
        for (at, plan) in self.list.iter().enumerate() {
            for step in plan.tree.all_steps() {
                let action = plan.step(step).and_then(|data| data.action.as_deref());
                if let Some(Action::Unreserve { id, .. }) = action {
                    self.releases.insert(id.clone(), Holder { plan: PlanId::at(at), step });
                }
            }
        }
    }

    /// Completes the steps that wait for these reservations, in any state. Returns true if there is such a step.
    pub(crate) fn complete_releases(&mut self, cx: &Cx, ids: &SortedSet<Text>) -> bool {
        let done: Vec<Holder> = ids.iter().filter_map(|id| self.releases.get(id).copied()).collect();
        for holder in &done {
            if !self.step_status(*holder).is_complete() {
                self.set_state(*holder, StepState::Complete);
                self.touch(cx, holder.plan);
            }
        }
        !done.is_empty()
    }
}
