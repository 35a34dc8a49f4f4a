//! Views of an application, built on demand and reused where nothing changed.
//!
//! *Knows*: how a plan with exits looks as a tree of phases and steps. *Must not know*: who shows it.
//!
//! A top-level step is a phase, its inner steps are steps in the order of the document; a loop comes before its steps, whose
//! names say that they are carried out for each instance. The drawing shows what the tree cannot ([`drawing()`]).

mod actions;
mod brief;
mod cache;
mod drawing;
mod why;

pub(crate) use actions::encoded;
#[cfg(test)]
pub(crate) use actions::input;
pub(crate) use cache::ViewCache;
pub(crate) use drawing::{drawing, line, path};
pub(crate) use why::{element, why};

use crate::application::App;
use crate::blueprint::Blueprint;
use crate::flow::slots;
use crate::instances::{InstanceState, Instances};
use crate::plan::{ChainId, ChainKind, Class, StepId};
use crate::run::{PLAN, Reason, Run, Shown};
use crate::{DIALECT, STATUSES};
use planarium_ground::MachineId;
use planarium_protocol::json;
use planarium_protocol::view::{
    ActionView, PhaseView, PlanView, PodTaskView, PodView, Progress, ServiceView, StepView,
};
use planarium_protocol::{Text, flow::FlowDrawing};
use std::sync::Arc;

/// Names a machine.
type HostOf<'a> = dyn Fn(MachineId) -> Option<Text> + 'a;

/// The application as a front end shows it. `host` names machines.
pub(crate) fn view(app: &App, host: &HostOf<'_>) -> Arc<ServiceView> {
    app.cache.at(app.touched, |old| build(app, old, host))
}

fn build(app: &App, old: Option<&ServiceView>, host: &HostOf<'_>) -> ServiceView {
    let App { run, blueprint, instances, .. } = app;
    let tree = Tree { run, blueprint, instances, revision: app.touched };
    let drawing = drawing(app);
    ServiceView {
        revision: app.touched,
        name: blueprint.name().clone(),
        dialect: DIALECT.into(),
        plans: vec![tree.plan_view(old.and_then(|old| old.plans.first()))],
        pods: pod_views(app.touched, instances, old, host),
        activity: drawing.line.as_str().into(),
        statuses: STATUSES,
        definitions: Vec::new(),
        more: Arc::new(more(app, &drawing)),
    }
}

/// Returns Skopos' own view beside the tree.
fn more(app: &App, drawing: &FlowDrawing) -> serde_json::Value {
    let made = app.prepared.generated && app.run.has_plan();
    let plan = made.then_some(&app.prepared.text);
    json!({ "kind": "flow", "flow": drawing, "plan": plan })
}

/// The records that the tree of phases and steps shows.
struct Tree<'a> {
    run: &'a Run,
    blueprint: &'a Blueprint,
    instances: &'a Instances,
    revision: u64,
}

impl Tree<'_> {
    fn plan_view(&self, old: Option<&Arc<PlanView>>) -> Arc<PlanView> {
        let tops = self.run.plan.steps_of(ChainId::ROOT);
        let mut progress = Progress::default();
        let mut phases = Vec::with_capacity(tops.len());
        for (at, top) in tops.iter().enumerate() {
            let before = old.and_then(|old| old.phases.get(at));
            let Some(phase) = self.phase_view(*top, before) else { continue };
            progress.done = progress.done.saturating_add(phase.progress.done);
            progress.total = progress.total.saturating_add(phase.progress.total);
            phases.push(phase);
        }
        let errors = match &self.run.reason {
            Some(Reason::Guard(text)) => vec![text.clone()],
            _ => Vec::new(),
        };
        let fresh = PlanView {
            revision: self.revision,
            name: PLAN.into(),
            status: self.run.names.mode(self.run.mode),
            strategy: "flow".into(),
            interrupted: self.run.mode.is_held(),
            errors,
            progress,
            phases,
            actions: actions::plan_actions(self.run).into(),
            custom: true,
        };
        kept(old, fresh, |old, fresh| PlanView { revision: fresh.revision, ..(**old).clone() } == *fresh)
    }

    fn phase_view(&self, top: StepId, old: Option<&Arc<PhaseView>>) -> Option<Arc<PhaseView>> {
        let step = self.run.plan.step(top)?;
        let own = self.run.step(top)?;
        let mut steps = Vec::new();
        let mut progress = Progress::default();
        let mut open: Vec<(ChainId, u64)> = step.inside().map(|chain| (chain, 1)).into_iter().collect();
        // The document's order: steps are numbered in it.
        let mut ids: Vec<(StepId, u64)> = Vec::new();
        while let Some((chain, times)) = open.pop() {
            for id in self.run.plan.steps_of(chain) {
                ids.push((*id, times));
                let Some(inner) = self.run.plan.step(*id) else { continue };
                // A loop that cleans up is expected only once it is entered.
                let entered = !inner.cleanup || self.run.loops.get(id).is_some();
                let times = if entered { times.saturating_mul(self.iterations_of(*id)) } else { 0 };
                open.extend(inner.inside().map(|inside| (inside, times)));
            }
        }
        planarium_kernel::sorted::sort(&mut ids);
        for (at, (id, times)) in ids.iter().enumerate() {
            let before = old.and_then(|old| old.steps.get(at));
            self.count(*id, *times, &mut progress);
            steps.extend(self.step_view(*id, before));
        }
        let fresh = PhaseView {
            revision: self.revision,
            id: step.id.clone(),
            name: step.id.clone(),
            status: own.shown.word().into(),
            strategy: step.class.word().into(),
            interrupted: self.held_inside(top),
            gates_left: 0,
            progress,
            steps,
            actions: Arc::from([]),
        };
        Some(kept(old, fresh, |old, fresh| {
            PhaseView { revision: fresh.revision, ..(**old).clone() } == *fresh
        }))
    }

    /// Returns whether the run is held at an exit inside a phase.
    fn held_inside(&self, top: StepId) -> bool {
        let at = self.run.hold.and_then(|hold| hold.at);
        at.is_some_and(|(id, _)| id != top && self.run.plan.top(id) == top)
    }

    /// Returns a loop's number of iterations, as far as known.
    fn iterations_of(&self, id: StepId) -> u64 {
        let Some(Class::Loop { chain, iterate }) = self.run.plan.step(id).map(|step| &step.class) else {
            return 1;
        };
        match self.run.loops.get(&id) {
            Some(run) => run.planned,
            None => slots(*chain, iterate, self.blueprint, self.instances).len(),
        }
    }

    /// Counts a leaf's completed and expected work: forward leaves as often as expected, cleanup leaves once they are entered.
    fn count(&self, id: StepId, times: u64, progress: &mut Progress) {
        let (Some(step), Some(own)) = (self.run.plan.step(id), self.run.step(id)) else { return };
        if !step.is_leaf() {
            return;
        }
        let done = own.entries.saturating_sub(u32::from(own.shown.is_open()));
        let expected = u32::try_from(times).unwrap_or(u32::MAX);
        let over = self.run.mode.is_final() || own.shown == Shown::Skipped;
        let total = if step.cleanup || over { own.entries } else { own.entries.max(expected) };
        progress.done = progress.done.saturating_add(done);
        progress.total = progress.total.saturating_add(total.max(done));
    }

    fn step_view(&self, id: StepId, old: Option<&Arc<StepView>>) -> Option<Arc<StepView>> {
        let (step, own) = (self.run.plan.step(id)?, self.run.step(id)?);
        let each = self.run.plan.chain(step.chain).is_some_and(|chain| chain.kind == ChainKind::Loop);
        let labelled = each || step.label != step.id;
        let name = if each { format!("each: {}", step.label).into() } else { step.label.clone() };
        let gate = matches!(step.class, Class::Gate { .. });
        let actions: Arc<[ActionView]> =
            if gate { actions::gate_actions(self.run, id).into() } else { Arc::from([]) };
        let instance = brief::instance_at_work(self.run, self.instances, id);
        let fresh = StepView {
            revision: self.revision,
            id: step.id.clone(),
            name,
            namesake: labelled,
            status: own.shown.word().into(),
            reason: brief::brief(self.run, id).into(),
            progress: None,
            forced: false,
            since_ms: own.since.ms(),
            tasks: instance.iter().cloned().collect(),
            pod: instance,
            source: Some(step.source.clone()),
            actions,
        };
        Some(kept(old, fresh, |old, fresh| {
            StepView { revision: fresh.revision, ..(**old).clone() } == *fresh
        }))
    }
}

fn pod_views(
    revision: u64,
    instances: &Instances,
    old: Option<&ServiceView>,
    host: &HostOf<'_>,
) -> Vec<Arc<PodView>> {
    let mut views = Vec::with_capacity(instances.len());
    for (at, (_, instance)) in instances.iter().enumerate() {
        let status = match instance.state {
            InstanceState::Running if instance.unhealthy => "unhealthy",
            state => state.word(),
        };
        let task = PodTaskView {
            name: instance.id.clone(),
            id: instance.id.clone(),
            status: Some(status.into()),
            agent: instance.machine.and_then(host),
            configs: Arc::from([]),
        };
        let fresh =
            PodView { revision, name: instance.id.clone(), tasks: vec![task], actions: Arc::from([]) };
        let before = old.and_then(|old| old.pods.get(at));
        views.push(kept(before, fresh, |old, fresh| {
            PodView { revision: fresh.revision, ..(**old).clone() } == *fresh
        }));
    }
    views
}

/// The view before where the new one says the same.
fn kept<V>(old: Option<&Arc<V>>, fresh: V, same: impl Fn(&Arc<V>, &V) -> bool) -> Arc<V> {
    match old {
        Some(old) if same(old, &fresh) => old.clone(),
        _ => Arc::new(fresh),
    }
}
