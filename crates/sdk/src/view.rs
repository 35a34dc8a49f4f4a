//! What a front end shows of a service, built when asked for and kept as far as nothing changed.
//!
//! *Knows*: words, commands with their refusals, revisions. *Must not know*: who shows it.
//!
//! *Cost*: a plan in which nothing changed is shared as it is; in a plan that changed every step is
//! compared and those that read the same are shared.

use crate::scheduler::plan::{Plan, PlanKind};
use crate::scheduler::{Scheduler, op_of};
use crate::wire;
use planarium_plan::{Element, PhaseId, PlanId, PlanTree, Status, StepId};
use planarium_protocol::Text;
use planarium_protocol::input::PlanOp;
use planarium_protocol::view::{
    CommandView, PhaseView, PlanView, PodTaskView, PodView, Progress, ServiceView, StepView,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The last view built.
#[derive(Debug, Default)]
pub(crate) struct ViewCache(Mutex<Built>);

#[derive(Clone, Debug, Default)]
struct Built {
    touched: u64,
    view: Option<Arc<ServiceView>>,
    plans: Vec<(u64, Arc<PlanView>)>,
    commands: Commands,
}

impl Clone for ViewCache {
    fn clone(&self) -> Self {
        let built = self.0.lock().map(|built| built.clone()).unwrap_or_default();
        Self(Mutex::new(built))
    }
}

impl Scheduler {
    /// The service as a front end shows it.
    pub fn view(&self) -> Arc<ServiceView> {
        // A poisoned lock means that building a view failed halfway; a fresh cache builds it again.
        let mut fresh = Built::default();
        match self.cache.0.lock() {
            Ok(mut built) => self.rebuilt(&mut built),
            Err(_) => self.rebuilt(&mut fresh),
        }
    }

    fn rebuilt(&self, built: &mut Built) -> Arc<ServiceView> {
        if built.touched == self.touched
            && let Some(view) = &built.view
        {
            return view.clone();
        }
        let mut plans = Vec::with_capacity(self.plans.len());
        for (at, plan) in self.plans.iter().enumerate() {
            let old = built.plans.get(at).cloned();
            let view = match old {
                Some((touched, view)) if touched == plan.touched => view,
                old => self.plan_view(PlanId::at(at), plan, old.map(|(_, view)| view), &mut built.commands),
            };
            plans.push((plan.touched, view));
        }
        let view = Arc::new(ServiceView {
            revision: self.revision,
            name: self.name.clone(),
            dialect: "sdk".into(),
            plans: plans.iter().map(|(_, view)| view.clone()).collect(),
            pods: self.pod_views(),
            activity: self.activity().into(),
        });
        built.plans = plans;
        built.touched = self.touched;
        built.view = Some(view.clone());
        view
    }

    fn plan_view(
        &self,
        id: PlanId,
        plan: &Plan,
        old: Option<Arc<PlanView>>,
        commands: &mut Commands,
    ) -> Arc<PlanView> {
        let old_phases: BTreeMap<&str, &Arc<PhaseView>> =
            old.iter().flat_map(|old| &old.phases).map(|phase| (&*phase.id, phase)).collect();
        let mut progress = Progress::default();
        let mut phases = Vec::new();
        for phase in plan.tree.phases() {
            let key = plan.phases.get(phase.index()).map_or("", |data| &*data.id);
            let view = self.phase_view(id, plan, phase, old_phases.get(key).copied(), commands);
            progress.done += view.progress.done;
            progress.total += view.progress.total;
            phases.push(view);
        }
        let ops = [
            PlanOp::Start,
            PlanOp::Stop,
            PlanOp::Interrupt,
            PlanOp::Continue,
            PlanOp::Restart,
            PlanOp::ForceComplete,
        ];
        Arc::new(PlanView {
            revision: plan.revision.max(phases.iter().map(|phase| phase.revision).max().unwrap_or(0)),
            name: plan.name(),
            status: plan.tree.status(Element::Plan).as_str().into(),
            strategy: plan.strategy().into(),
            interrupted: plan.tree.is_interrupted(Element::Plan),
            errors: plan.tree.errors().cloned().collect(),
            progress,
            phases,
            commands: offered(commands, &plan.tree, Element::Plan, &ops),
            custom: plan.kind == PlanKind::Custom,
        })
    }

    fn phase_view(
        &self,
        id: PlanId,
        plan: &Plan,
        phase: PhaseId,
        old: Option<&Arc<PhaseView>>,
        commands: &mut Commands,
    ) -> Arc<PhaseView> {
        let element = Element::Phase(phase);
        let steps: Vec<Arc<StepView>> = plan
            .tree
            .steps(phase)
            .enumerate()
            .map(|(n, step)| self.step_view(id, plan, step, old.and_then(|old| old.steps.get(n)), commands))
            .collect();
        let tally = plan.tree.tally(element);
        let ops = [PlanOp::Interrupt, PlanOp::Continue, PlanOp::Restart, PlanOp::ForceComplete];
        let view = PhaseView {
            revision: 0,
            id: plan.phases.get(phase.index()).map_or_else(|| "".into(), |data| data.id.clone()),
            name: plan.phase_name(phase),
            status: plan.tree.status(element).as_str().into(),
            strategy: plan.tree.strategy(element).map_or("", planarium_plan::StrategySpec::name).into(),
            interrupted: plan.tree.is_interrupted(element),
            gates_left: plan.tree.proceeds_left(phase),
            progress: Progress {
                done: tally.map_or(0, |tally| tally.count(Status::Complete)),
                total: tally.map_or(0, planarium_plan::Tally::total),
            },
            steps,
            commands: offered(commands, &plan.tree, element, &ops),
        };
        match old {
            Some(old) if same_phase(old, &view) => old.clone(),
            _ => Arc::new(PhaseView { revision: self.revision, ..view }),
        }
    }

    fn step_view(
        &self,
        id: PlanId,
        plan: &Plan,
        step: StepId,
        old: Option<&Arc<StepView>>,
        commands: &mut Commands,
    ) -> Arc<StepView> {
        let element = Element::Step(step);
        let Some(data) = plan.step(step) else { return Arc::new(empty_step()) };
        let commands = offered(commands, &plan.tree, element, &[PlanOp::Restart, PlanOp::ForceComplete]);
        let status = self.display_status(id, element);
        let reason = self.brief(id, plan, step);
        if let Some(old) = old
            && old.id == data.id
            && *old.status == *status
            && *old.reason == *reason
            && old.forced == data.forced
            && old.since_ms == data.since.ms()
            && Arc::ptr_eq(&old.commands, &commands)
        {
            return old.clone();
        }
        let requirement = data.requirement.as_deref();
        Arc::new(StepView {
            revision: self.revision,
            id: data.id.clone(),
            name: plan.step_name(step),
            status: status.into(),
            reason: reason.into(),
            forced: data.forced && plan.tree.status(element).is_complete(),
            since_ms: data.since.ms(),
            pod: requirement.map(|requirement| requirement.key.name()),
            tasks: requirement.map(|requirement| requirement.task_names().collect()).unwrap_or_default(),
            source: data.source.clone(),
            commands,
        })
    }

    fn pod_views(&self) -> Vec<PodView> {
        self.store
            .pods()
            .map(|(key, tasks)| PodView {
                name: key.name(),
                tasks: tasks
                    .values()
                    .map(|task| PodTaskView {
                        name: task.name.clone(),
                        id: task.id.clone(),
                        status: wire::task_word(task).map(Into::into),
                        agent: (!task.id.is_empty()).then(|| task.at.hostname.clone()),
                    })
                    .collect(),
            })
            .collect()
    }

    fn activity(&self) -> String {
        if !self.is_subscribed() {
            return "not registered with the master".to_owned();
        }
        if self.is_reconciling() {
            return "waiting for task statuses".to_owned();
        }
        if self.is_suppressed() {
            return "offers suppressed".to_owned();
        }
        match self.offers.len() {
            0 => "waiting for offers".to_owned(),
            1 => "1 offer at hand".to_owned(),
            n => format!("{n} offers at hand"),
        }
    }
}

/// Command lists in use, by what is in them.
type Commands = BTreeMap<Vec<(PlanOp, Option<&'static str>)>, Arc<[CommandView]>>;

/// Commands with the reason where one is refused; equal lists are one.
fn offered(known: &mut Commands, tree: &PlanTree, element: Element, ops: &[PlanOp]) -> Arc<[CommandView]> {
    let key: Vec<(PlanOp, Option<&'static str>)> =
        ops.iter().map(|op| (*op, refusal(tree, element, *op))).collect();
    if let Some(list) = known.get(&key) {
        return list.clone();
    }
    let list: Arc<[CommandView]> =
        key.iter().map(|(op, refused)| CommandView { op: *op, refused: refused.map(Text::from) }).collect();
    known.insert(key, list.clone());
    list
}

/// Why a command is refused now, in plain words.
fn refusal(tree: &PlanTree, element: Element, op: PlanOp) -> Option<&'static str> {
    tree.allowed(element, op_of(op)).err()?;
    let complete = tree.status(element).is_complete();
    Some(match op {
        PlanOp::Interrupt if complete => "It is complete: there is nothing left to interrupt",
        PlanOp::Interrupt => "It is interrupted already",
        PlanOp::Continue if complete => "It is complete: there is nothing left to continue",
        PlanOp::Continue => "It is under way already",
        PlanOp::Restart => "It is pending already: nothing of it has begun",
        PlanOp::ForceComplete => "It is complete already",
        PlanOp::Start | PlanOp::Stop => "Only a whole plan can be started or stopped",
    })
}

fn same_phase(old: &PhaseView, new: &PhaseView) -> bool {
    old.steps.len() == new.steps.len()
        && old.steps.iter().zip(&new.steps).all(|(a, b)| Arc::ptr_eq(a, b))
        && old.status == new.status
        && old.strategy == new.strategy
        && old.interrupted == new.interrupted
        && old.gates_left == new.gates_left
        && Arc::ptr_eq(&old.commands, &new.commands)
}

fn empty_step() -> StepView {
    StepView {
        revision: 0,
        id: "".into(),
        name: "".into(),
        status: "ERROR".into(),
        reason: "".into(),
        forced: false,
        since_ms: 0,
        pod: None,
        tasks: Vec::new(),
        source: None,
        commands: Arc::from([]),
    }
}
