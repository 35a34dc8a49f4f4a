//! Views of a service for front ends, built when requested and reused where nothing changed.
//!
//! *Knows*: words, commands with their refusals, revisions. *Must not know*: who shows it.
//!
//! *Cost*: an unchanged plan is shared; in a changed plan every step is compared and equal ones are shared. Pods with
//! unchanged tasks are shared.

mod actions;

use crate::explain::Brief;
use crate::scheduler::Scheduler;
use crate::scheduler::plans::{Plan, PlanKind};
use crate::scheduler::state::{PodKey, PodTasks, TaskRecord};
use crate::wire;
use actions::{Actions, Shut};
use planarium_kernel::SortedMap;
use planarium_plan::{Element, Holder, PhaseId, PlanId, PlanTree, Reason, Status, StepId, StrategySpec};
use planarium_protocol::view::{
    ActionView, PhaseView, PlanView, PodTaskView, PodView, Progress, ServiceView, StepView,
};
use std::sync::{Arc, Mutex};

/// The last view built.
#[derive(Debug, Default)]
pub(crate) struct ViewCache(Mutex<Arc<Built>>);

#[derive(Clone, Debug, Default)]
struct Built {
    touched: u64,
    view: Option<Arc<ServiceView>>,
    /// In order.
    pods: Vec<ShownPod>,
    plans: Vec<(u64, Arc<PlanView>)>,
    /// By plan, then in order of ids: what each step's view was made from.
    signs: Vec<Signs>,
    actions: Actions,
    shut: Shut,
}

/// A pod instance's view with its inputs.
#[derive(Clone, Debug)]
struct ShownPod {
    key: PodKey,
    tasks: Arc<PodTasks>,
    view: Arc<PodView>,
}

/// Sign of the view of a step that waits or is done. Equal signs mean equal views.
#[derive(Clone, Debug, PartialEq)]
struct StepSign {
    touched: u64,
    status: Status,
    candidate: bool,
    phase: PhaseSign,
}

/// Steps in order of ids.
type Signs = Vec<(StepId, StepSign)>;

/// The part of a sign that all steps of a phase share.
#[derive(Clone, Debug, PartialEq)]
struct PhaseSign {
    held: bool,
    plan_held: bool,
    error: bool,
    gates: u32,
    waits_for: Option<Element>,
}

impl Clone for ViewCache {
    fn clone(&self) -> Self {
        let built = self.0.lock().map(|built| built.clone()).unwrap_or_default();
        Self(Mutex::new(built))
    }
}

impl ViewCache {
    /// The service as a front end shows it. A cache serves one scheduler process, and those that are copied from it.
    pub(crate) fn view(&self, scheduler: &Scheduler) -> Arc<ServiceView> {
        // A poisoned lock means that building a view failed halfway: then it is built from nothing.
        let Ok(mut built) = self.0.lock() else { return scheduler.view() };
        match &built.view {
            Some(view) if built.touched == scheduler.shown_changes() => view.clone(),
            _ => ViewBuilder { scheduler }.rebuilt(Arc::make_mut(&mut built)),
        }
    }
}

impl Scheduler {
    /// The service as a front end shows it, built from nothing.
    pub fn view(&self) -> Arc<ServiceView> {
        ViewBuilder { scheduler: self }.rebuilt(&mut Built::default())
    }

    /// Counts everything that a view might show.
    fn shown_changes(&self) -> u64 {
        self.plans.revision.changes
    }
}

/// Builds views of one scheduler.
#[derive(Clone, Copy)]
struct ViewBuilder<'a> {
    scheduler: &'a Scheduler,
}

impl ViewBuilder<'_> {
    fn rebuilt(self, built: &mut Built) -> Arc<ServiceView> {
        let shut =
            Shut { ended: self.scheduler.exited().is_some(), uninstalling: self.scheduler.is_uninstalling() };
        if built.shut != shut {
            *built = Built { shut, ..Built::default() };
        }
        let mut plans = Vec::with_capacity(self.scheduler.plans.len());
        built.signs.resize(self.scheduler.plans.len(), Vec::new());
        for (at, plan) in self.scheduler.plans.iter().enumerate() {
            let old = built.plans.get(at).cloned();
            let view = match old {
                Some((touched, view)) if touched == plan.touched => view,
                old => {
                    let before = built.signs.get_mut(at).map(std::mem::take).unwrap_or_default();
                    let mut signs = Vec::with_capacity(before.len());
                    let before = before.into_iter().peekable();
                    let actions = &mut built.actions;
                    let mut known = Known { before, signs: &mut signs, actions, shut };
                    let view = self.plan_view(PlanId::at(at), plan, old.map(|(_, view)| view), &mut known);
                    if let Some(place) = built.signs.get_mut(at) {
                        *place = signs;
                    }
                    view
                }
            };
            plans.push((plan.touched, view));
        }
        let view = Arc::new(ServiceView {
            revision: self.scheduler.revision(),
            name: self.scheduler.name().clone(),
            dialect: crate::DIALECT.into(),
            plans: plans.iter().map(|(_, view)| view.clone()).collect(),
            pods: self.pod_views(&mut built.pods, &mut built.actions, shut),
            activity: self.activity().into(),
            statuses: crate::STATUSES,
            definitions: Vec::new(),
            more: Arc::default(),
        });
        built.plans = plans;
        built.touched = self.scheduler.shown_changes();
        built.view = Some(view.clone());
        view
    }

    fn plan_view(
        self,
        id: PlanId,
        plan: &Plan,
        old: Option<Arc<PlanView>>,
        known: &mut Known<'_>,
    ) -> Arc<PlanView> {
        let old_phases: SortedMap<&str, &Arc<PhaseView>> =
            old.iter().flat_map(|old| &old.phases).map(|phase| (&*phase.id, phase)).collect();
        let mut progress = Progress::default();
        let mut phases = Vec::new();
        for phase in plan.tree.phases() {
            let key = plan.phases.get(phase.index()).map_or("", |data| &*data.id);
            let view = self.phase_view(id, plan, phase, old_phases.get(key).copied(), known);
            progress.done += view.progress.done;
            progress.total += view.progress.total;
            phases.push(view);
        }
        Arc::new(PlanView {
            revision: plan.revision.max(phases.iter().map(|phase| phase.revision).max().unwrap_or(0)),
            name: plan.name(),
            status: plan.tree.status(Element::Plan).as_str().into(),
            strategy: plan.strategy().into(),
            interrupted: plan.tree.is_interrupted(Element::Plan),
            errors: plan.tree.errors().cloned().collect(),
            progress,
            phases,
            actions: known.actions.of_element(&plan.tree, Element::Plan, known.shut, self.scheduler.name()),
            custom: plan.kind == PlanKind::Custom,
        })
    }

    fn phase_view(
        self,
        id: PlanId,
        plan: &Plan,
        phase: PhaseId,
        old: Option<&Arc<PhaseView>>,
        known: &mut Known<'_>,
    ) -> Arc<PhaseView> {
        let element = Element::Phase(phase);
        let sign = phase_sign(&plan.tree, phase);
        let steps: Vec<Arc<StepView>> = plan
            .tree
            .steps(phase)
            .enumerate()
            .map(|(n, step)| {
                let old = old.and_then(|old| old.steps.get(n));
                let held = self.scheduler.plans.withheld.contains_key(&Holder { plan: id, step });
                let now = if held { None } else { step_sign(plan, step, &sign) };
                while known.before.next_if(|(other, _)| *other < step).is_some() {}
                let before = known.before.next_if(|(other, _)| *other == step);
                let same = now.is_some() && before.map(|(_, before)| before) == now;
                known.signs.extend(now.map(|now| (step, now)));
                match old {
                    Some(old) if same => old.clone(),
                    old => self.step_view(id, plan, step, old, known),
                }
            })
            .collect();
        let tally = plan.tree.tally(element);
        let view = PhaseView {
            revision: 0,
            id: plan.phases.get(phase.index()).map_or_else(|| "".into(), |data| data.id.clone()),
            name: plan.phase_name(phase),
            status: plan.tree.status(element).as_str().into(),
            strategy: plan.tree.strategy(element).map_or("", StrategySpec::name).into(),
            interrupted: plan.tree.is_interrupted(element),
            gates_left: plan.tree.proceeds_left(phase),
            progress: Progress {
                done: tally.map_or(0, |tally| tally.count(Status::Complete)),
                total: tally.map_or(0, planarium_plan::Tally::total),
            },
            steps,
            actions: known.actions.of_element(&plan.tree, element, known.shut, self.scheduler.name()),
        };
        match old {
            Some(old) if same_phase(old, &view) => old.clone(),
            _ => Arc::new(PhaseView { revision: self.scheduler.revision(), ..view }),
        }
    }

    fn step_view(
        self,
        id: PlanId,
        plan: &Plan,
        step: StepId,
        old: Option<&Arc<StepView>>,
        known: &mut Known<'_>,
    ) -> Arc<StepView> {
        let element = Element::Step(step);
        let Some(data) = plan.step(step) else { return Arc::new(empty_step()) };
        let actions = known.actions.of_element(&plan.tree, element, known.shut, self.scheduler.name());
        let status = self.scheduler.display_status(id, element);
        let reason = Brief::new(self.scheduler, plan, Holder { plan: id, step }).line();
        if let Some(old) = old
            && old.id == data.id
            && *old.status == *status
            && *old.reason == *reason
            && old.forced == data.forced
            && old.since_ms == data.since.ms()
            && Arc::ptr_eq(&old.actions, &actions)
        {
            return old.clone();
        }
        let requirement = data.requirement.as_deref();
        Arc::new(StepView {
            revision: self.scheduler.revision(),
            id: data.id.clone(),
            name: plan.step_name(step),
            namesake: plan.is_namesake(step),
            status: status.into(),
            reason: reason.into(),
            progress: None,
            forced: data.forced && plan.tree.status(element).is_complete(),
            since_ms: data.since.ms(),
            pod: requirement.map(|requirement| requirement.key.name()),
            tasks: requirement.map(|requirement| requirement.task_names().to_vec()).unwrap_or_default(),
            source: data.source.clone(),
            actions,
        })
    }

    fn pod_views(self, shown: &mut Vec<ShownPod>, actions: &mut Actions, shut: Shut) -> Vec<Arc<PodView>> {
        let mut before = std::mem::take(shown).into_iter().peekable();
        shown.reserve(self.scheduler.state.tasks.pod_count() as usize);
        for (key, tasks) in self.scheduler.state.tasks.pods() {
            while before.next_if(|old| old.key < *key).is_some() {}
            let old = before.next_if(|old| old.key == *key);
            let view = match old {
                Some(old) if Arc::ptr_eq(&old.tasks, tasks) => old.view,
                old => {
                    let view = self.pod_view(key, tasks, actions.of_pod(tasks, shut));
                    old.map(|old| old.view)
                        .filter(|old| same_pod(old, &view))
                        .unwrap_or_else(|| Arc::new(view))
                }
            };
            shown.push(ShownPod { key: key.clone(), tasks: tasks.clone(), view });
        }
        shown.iter().map(|pod| pod.view.clone()).collect()
    }

    fn pod_view(self, key: &PodKey, tasks: &PodTasks, actions: Arc<[ActionView]>) -> PodView {
        let task_view = |task: &TaskRecord| PodTaskView {
            name: task.name.clone(),
            id: task.id.clone(),
            status: wire::task_word(task).map(Into::into),
            agent: (!task.id.is_empty()).then(|| task.at.hostname.clone()),
            configs: task.files.clone(),
        };
        let shown = tasks.values().map(task_view).collect();
        PodView { revision: self.scheduler.revision(), name: key.name(), tasks: shown, actions }
    }

    fn activity(self) -> String {
        if let Some(line) = self.scheduler.exit_line() {
            return line;
        }
        if self.scheduler.is_torn_down() {
            return "the framework is over; the package manager removes the scheduler".to_owned();
        }
        if !self.scheduler.is_subscribed() {
            return "not registered with the master".to_owned();
        }
        if self.scheduler.is_reconciling() {
            return "waiting for task statuses".to_owned();
        }
        if self.scheduler.is_barred() {
            return "waiting until another service of the framework has its footprint".to_owned();
        }
        if self.scheduler.offers.revive.is_suppressed() {
            return "offers suppressed".to_owned();
        }
        match self.scheduler.offers.open.len() {
            0 => "waiting for offers".to_owned(),
            1 => "1 open offer".to_owned(),
            n => format!("{n} open offers"),
        }
    }
}

/// Knowledge from the view before.
struct Known<'a> {
    before: std::iter::Peekable<std::vec::IntoIter<(StepId, StepSign)>>,
    signs: &'a mut Signs,
    actions: &'a mut Actions,
    shut: Shut,
}

fn phase_sign(tree: &PlanTree, phase: PhaseId) -> PhaseSign {
    let element = Element::Phase(phase);
    let waits_for = tree.why(element, None).into_iter().find_map(|reason| match reason {
        Reason::NotItsTurn { waiting_for } => waiting_for.first().copied(),
        _ => None,
    });
    PhaseSign {
        held: tree.is_interrupted(element),
        plan_held: tree.is_interrupted(Element::Plan),
        error: tree.status(element) == Status::Error,
        gates: tree.proceeds_left(phase),
        waits_for,
    }
}

/// Returns the signature of a step whose view it determines: a completed one, one pending in a serial phase directly
/// after an unfinished step, or one pending in a parallel phase that waits as a whole.
fn step_sign(plan: &Plan, step: StepId, phase: &PhaseSign) -> Option<StepSign> {
    let status = plan.tree.status(step.into());
    let strategy = plan.tree.phase_of(step).and_then(|phase| plan.tree.strategy(phase.into()));
    let told = match (status, strategy.map(StrategySpec::base)) {
        (Status::Complete, _) => true,
        (Status::Pending, Some(StrategySpec::Parallel)) => phase.waits_for.is_some(),
        (Status::Pending, Some(StrategySpec::Serial)) => step.index().checked_sub(1).is_some_and(|before| {
            let before = StepId::at(before);
            let sibling = plan.tree.phase_of(before) == plan.tree.phase_of(step);
            sibling && !plan.tree.status(before.into()).is_complete()
        }),
        _ => false,
    };
    told.then(|| StepSign {
        touched: plan.step(step).map_or(0, |data| data.touched),
        status,
        candidate: plan.tree.is_candidate(step),
        phase: phase.clone(),
    })
}

fn same_pod(old: &PodView, new: &PodView) -> bool {
    old.name == new.name && old.tasks == new.tasks && Arc::ptr_eq(&old.actions, &new.actions)
}

fn same_phase(old: &PhaseView, new: &PhaseView) -> bool {
    old.steps.len() == new.steps.len()
        && old.steps.iter().zip(&new.steps).all(|(a, b)| Arc::ptr_eq(a, b))
        && old.status == new.status
        && old.strategy == new.strategy
        && old.interrupted == new.interrupted
        && old.gates_left == new.gates_left
        && Arc::ptr_eq(&old.actions, &new.actions)
}

fn empty_step() -> StepView {
    StepView {
        revision: 0,
        id: "".into(),
        name: "".into(),
        namesake: false,
        status: "ERROR".into(),
        reason: "".into(),
        progress: None,
        forced: false,
        since_ms: 0,
        pod: None,
        tasks: Vec::new(),
        source: None,
        actions: Arc::from([]),
    }
}
