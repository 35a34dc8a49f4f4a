//! Starting a scheduler process: target configuration, plans with their first statuses, what is kept.
//!
//! *Knows*: what survives a restart and how a new definition is compared with the one before.
//! *Must not know*: offers.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerBuilder.java, …/config/DefaultConfigurationUpdater.java,
//! …/scheduler/plan/DeploymentStepFactory.java`. Match.

use super::backoff::{Backoff, BackoffConfig};
use super::cycle::Cycle;
use super::evaluate::Overhead;
use super::history::History;
use super::ids::Ids;
use super::kill::Kills;
use super::plan::{Assets, NewStep, Plan, PlanKind, phase_spec};
use super::requirement::{Config, Recovery, Requirement};
use super::revive::Revive;
use super::store::{PodKey, Store};
use super::{Cx, Reconciling, Request, Scheduler};
use crate::compare;
use crate::load::Loaded;
use crate::lower::{self, LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy};
use crate::spec::{Goal, ServiceSpec};
use crate::view::ViewCache;
use planarium_kernel::{Cause, EventQueue};
use planarium_plan::{Edge, Element, PlanId, PlanSpec, StepState, StrategySpec};
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Name of the plan that brings a service to its target.
pub(crate) const DEPLOY: &str = "deploy";
/// Name of the plan that brings failed tasks back.
pub(crate) const RECOVERY: &str = "recovery";

/// See [`Scheduler::start`].
pub(super) fn start(
    cx: &mut Cx,
    loaded: &Loaded,
    previous: Option<&Scheduler>,
) -> Result<(Scheduler, Vec<Request>), Refusal> {
    let Some(spec) = loaded.spec.clone() else {
        let text = "The definition has errors, so its scheduler cannot start";
        return Err(Refusal::new(RefusalCode::InvalidDefinition, text));
    };
    let mut scheduler = blank(cx, loaded, &spec, previous);
    scheduler.choose_target(&spec, previous);
    scheduler.make_plans()?;
    let target = scheduler.target.id.clone();
    let seq = cx.emit(EventBody::SchedulerStarted { service: scheduler.name.clone(), target });
    // Later than anything the process before it has shown.
    let shown = (scheduler.revision + 1).max(seq);
    scheduler.revision = shown;
    for plan in &mut scheduler.plans {
        plan.revision = shown;
        for phase in &mut plan.phases {
            phase.revision = shown;
        }
    }
    for key in scheduler.store.pods().map(|(key, _)| key.clone()).collect::<Vec<PodKey>>() {
        scheduler.note_pod(&key);
    }
    cx.scoped(Cause::Event(seq), |cx| {
        if let Some(previous) = previous {
            scheduler.tell_differences(cx, previous);
        }
        scheduler.need_cycle(cx);
    });
    Ok((scheduler, Vec::new()))
}

/// A process without plans; what the state store keeps is taken over from the previous one.
fn blank(cx: &Cx, loaded: &Loaded, spec: &Arc<ServiceSpec>, previous: Option<&Scheduler>) -> Scheduler {
    let name = if loaded.name.is_empty() { spec.name.clone() } else { loaded.name.clone() };
    let prefix = spec.id_prefix();
    let ids = match previous {
        Some(previous) => previous.ids.next_generation(&prefix),
        None => Ids::new(cx.seed(), &name, &prefix),
    };
    let env = Arc::new(loaded.env.clone());
    let target = Arc::new(Config::new("".into(), spec.clone(), region_awareness(&env)));
    Scheduler {
        name,
        configs: previous.map(|previous| previous.configs.clone()).unwrap_or_default(),
        target,
        ids,
        store: previous.map_or_else(Store::default, |previous| previous.store.clone()),
        backoff: Backoff::new(BackoffConfig::from_env(&env)),
        revive: Revive::new(cx.now()),
        overhead: Overhead::from_env(&env),
        plans: Vec::new(),
        assets: Assets::default(),
        waiting: BTreeMap::new(),
        delayed: BTreeSet::new(),
        kills: Kills::default(),
        kill_timer: None,
        backoff_timer: None,
        timers: EventQueue::new(),
        cycle: Cycle::new(cx.now()),
        offers: Vec::new(),
        failing: BTreeSet::new(),
        mentioned: Arc::default(),
        withheld: BTreeMap::new(),
        history: History::default(),
        framework: previous.and_then(|previous| previous.framework.clone()),
        master_region: None,
        subscribed: false,
        reconciling: Reconciling::default(),
        now: cx.now(),
        completed_once: previous.is_some_and(|previous| previous.completed_once),
        revision: previous.map_or(0, |previous| previous.revision),
        touched: 0,
        cache: ViewCache::default(),
        env,
    }
}

/// Whether tasks are kept to the service's own region (on unless the environment says otherwise).
fn region_awareness(env: &BTreeMap<String, String>) -> bool {
    env.get("ALLOW_REGION_AWARENESS").is_none_or(|value| !value.eq_ignore_ascii_case("false"))
}

impl Scheduler {
    /// Keeps the target when the definition is the one it stands for, else makes a new one; tasks of pods
    /// that did not change move to it.
    fn choose_target(&mut self, spec: &Arc<ServiceSpec>, previous: Option<&Scheduler>) {
        let id = match previous {
            Some(previous) if compare::same_target(&previous.target.spec, spec) => previous.target.id.clone(),
            _ => self.ids.config(),
        };
        let target = Arc::new(Config::new(id.clone(), spec.clone(), region_awareness(&self.env)));
        self.configs.insert(id.clone(), target.clone());
        self.target = target;
        let behind: Vec<(Text, PodKey, Text, bool)> = self
            .store
            .tasks()
            .filter(|task| task.config != id)
            .map(|task| (task.name.clone(), task.pod.clone(), task.config.clone(), task.permanently_failed))
            .collect();
        for (name, key, config, flagged) in behind {
            let old = self.configs.get(&config).and_then(|config| config.pods.get(&key.pod));
            let new = self.target.pods.get(&key.pod);
            let unchanged = !compare::pod_needs_update(old.map(|pod| &*pod.spec), new.map(|pod| &*pod.spec));
            if flagged || unchanged {
                self.store.update(&name, |task| task.config = id.clone());
            }
        }
        self.collect_configs();
    }

    /// Forgets configurations that neither the target nor a task refers to.
    fn collect_configs(&mut self) {
        let used: BTreeSet<Text> = self.store.tasks().map(|task| task.config.clone()).collect();
        let target = self.target.id.clone();
        self.configs.retain(|id, _| *id == target || used.contains(id));
    }

    /// Makes all plans in the order of their managers.
    fn make_plans(&mut self) -> Result<(), Refusal> {
        let lowered = lower::at_start(&self.target.spec, self.completed_once);
        let refuse = |text: &str| Err(Refusal::new(RefusalCode::InvalidDefinition, text));
        match lowered.iter().filter(|plan| *plan.name == *DEPLOY).count() {
            0 => return refuse("There is no plan named 'deploy'"),
            1 => {}
            _ => return refuse("There are several plans named 'deploy'"),
        }
        let (deploy, custom): (Vec<_>, Vec<_>) = lowered.into_iter().partition(|plan| *plan.name == *DEPLOY);
        for plan in deploy {
            let plan = self.build(PlanKind::Deploy, &plan);
            self.plans.push(plan);
        }
        let mut recovery = self.empty_recovery();
        recovery.shown_strategy = Some("serial");
        self.plans.push(recovery);
        for plan in custom {
            let mut plan = self.build(PlanKind::Custom, &plan);
            plan.tree.interrupt(Element::Plan);
            plan.tree.clear_changes();
            self.plans.push(plan);
        }
        let mentioned =
            self.plans.iter().flat_map(|plan| &plan.steps).filter_map(|step| step.requirement.as_ref());
        self.mentioned = Arc::new(mentioned.flat_map(|requirement| requirement.task_names()).collect());
        Ok(())
    }

    /// Tells which elements show another status than in the process before, and which phases are gone.
    fn tell_differences(&mut self, cx: &mut Cx, previous: &Scheduler) {
        let now: BTreeMap<ElementPath, &'static str> = shown_statuses(self).into_iter().collect();
        for (path, from) in shown_statuses(previous) {
            let seq = match now.get(&path) {
                Some(to) if *to == from => continue,
                Some(to) => cx.emit(EventBody::ElementStatus { path, from: from.into(), to: (*to).into() }),
                None if path.step.is_none() && path.phase.is_some() => {
                    cx.emit(EventBody::PhaseChanged { path, change: "removed".into() })
                }
                None => continue,
            };
            self.revision = (self.revision + 1).max(seq);
        }
    }

    fn empty_recovery(&self) -> Plan {
        let spec = PlanSpec::new(RECOVERY, StrategySpec::Parallel, Vec::<planarium_plan::PhaseSpec>::new());
        Plan::new(PlanKind::Recovery, &spec, Vec::new(), &self.ids, self.now)
    }

    fn build(&mut self, kind: PlanKind, lowered: &LoweredPlan) -> Plan {
        let mut rows = Vec::new();
        let mut phases = Vec::new();
        for phase in &lowered.phases {
            let steps: Vec<NewStep> = phase.steps.iter().map(|step| self.new_step(step)).collect();
            phases.push(phase_spec(phase.name.clone(), phase_strategy(phase), &steps, &mut self.assets));
            rows.push(steps);
        }
        let spec = PlanSpec::new(lowered.name.clone(), strategy(lowered.strategy, &[]), phases);
        Plan::new(kind, &spec, rows, &self.ids, self.now)
    }

    fn new_step(&self, lowered: &LoweredStep) -> NewStep {
        let requirement = self.target.pods.get(&lowered.pod).map(|pod| {
            Arc::new(Requirement {
                key: PodKey::new(&lowered.pod, lowered.index),
                pod: pod.clone(),
                tasks: lowered.tasks.clone(),
                config: self.target.id.clone(),
                recovery: Recovery::None,
            })
        });
        let state =
            requirement.as_deref().map_or(StepState::Pending, |requirement| self.first_state(requirement));
        NewStep {
            name: lowered.name.clone(),
            requirement,
            state,
            error: lowered.error.clone(),
            source: Some(lowered.at.source()),
        }
    }

    /// COMPLETE when every stored task of the step is done, PENDING otherwise and when none is stored.
    fn first_state(&self, requirement: &Requirement) -> StepState {
        let mut stored = requirement
            .task_specs()
            .filter_map(|spec| Some((spec.goal, self.store.task(&requirement.key, &spec.name)?)))
            .peekable();
        if stored.peek().is_none() {
            return StepState::Pending;
        }
        let done = stored.all(|(goal, task)| {
            let reached = task.status.as_ref().is_some_and(|status| {
                let current = task.config == self.target.id;
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
}

/// Every element by its path with the status it shows.
fn shown_statuses(scheduler: &Scheduler) -> Vec<(ElementPath, &'static str)> {
    let mut all = Vec::new();
    for (at, plan) in scheduler.plans.iter().enumerate() {
        let id = PlanId::at(at);
        let mut add =
            |element| all.push((scheduler.path(id, element), scheduler.display_status(id, element)));
        for phase in plan.tree.phases() {
            plan.tree.steps(phase).for_each(|step| add(Element::Step(step)));
            add(Element::Phase(phase));
        }
        add(Element::Plan);
    }
    all
}

fn strategy(strategy: LoweredStrategy, steps: &[LoweredStep]) -> StrategySpec {
    match strategy {
        LoweredStrategy::Serial => StrategySpec::Serial,
        LoweredStrategy::Parallel => StrategySpec::Parallel,
        LoweredStrategy::Dependency => StrategySpec::dependency(
            (0_u32..)
                .zip(steps)
                .flat_map(|(child, step)| step.after.clone().map(move |parent| Edge { child, parent })),
        ),
    }
}

fn phase_strategy(phase: &LoweredPhase) -> StrategySpec {
    let inner = strategy(phase.strategy, &phase.steps);
    if phase.canary { StrategySpec::canary(inner) } else { inner }
}
