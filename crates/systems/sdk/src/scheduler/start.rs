//! Starting a scheduler process: plans with their first statuses, what is kept.
//!
//! *Knows*: what survives a restart and which plans there are. *Must not know*: offers, how the target is chosen.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerBuilder.java, …/scheduler/plan/DeploymentStepFactory.java`. Match.

use super::action::Action;
use super::backoff::{Backoff, BackoffConfig};
use super::cycle::Cycle;
use super::evaluate::Overhead;
use super::failing::Failing;
use super::history::History;
use super::ids::Ids;
use super::kill::Kills;
use super::plan::{Assets, NewStep, Plan, PlanKind, phase_spec};
use super::requirement::{Config, Requirement};
use super::revive::Revive;
use super::store::{PodKey, Store};
use super::target::region_awareness;
use super::uninstall::{self, UNINSTALL_FLAG, Uninstall};
use super::waiting::Waiting;
use super::{Cx, Reconciling, Request, Scheduler};
use crate::load::Loaded;
use crate::lower::{self, LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy};
use crate::spec::{Goal, ServiceSpec};
use planarium_kernel::{Cause, EventQueue};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_plan::{Edge, Element, Holder, PlanId, PlanSpec, StepState, StrategySpec};
use planarium_protocol::Refusal;
use planarium_protocol::event::EventBody;
use planarium_protocol::refusal::RefusalCode;
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
    if let Some(error) = loaded.diagnostics.iter().find(|one| one.is_error() && previous.is_none()) {
        let text = format!("The definition has an error: {}", error.message);
        return Err(Refusal::new(RefusalCode::InvalidDefinition, text));
    }
    if let Some(previous) = previous.filter(|previous| previous.is_torn_down()) {
        return Err(if previous.exited().is_some() { previous.ends_again() } else { uninstall::over() });
    }
    let mut scheduler = blank(cx, loaded, &spec, previous);
    if loaded.env.contains_key(UNINSTALL_FLAG) {
        scheduler.begin_uninstall(cx, previous);
    } else if previous.is_some_and(Scheduler::is_uninstalling) {
        return Err(uninstall::irreversible(&scheduler.name));
    } else {
        scheduler.update_target(&spec, previous)?;
        scheduler.make_plans(cx)?;
    }
    scheduler.note_givers();
    let target = scheduler.target.id.clone();
    let seq = cx.emit(EventBody::SchedulerStarted { service: scheduler.name.clone(), target });
    // Later than anything the process before it has shown.
    scheduler.show_from((scheduler.revision + 1).max(seq));
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

impl Scheduler {
    /// Everything shown bears this revision or a later one.
    pub(crate) fn show_from(&mut self, revision: u64) {
        let shown = self.revision.max(revision);
        self.revision = shown;
        for plan in &mut self.plans {
            plan.revision = shown;
            plan.phases.for_each_mut(|_| true, |_, phase| phase.revision = shown);
        }
    }
}

/// A process without plans; what the state store keeps is taken over from the previous one.
fn blank(cx: &Cx, loaded: &Loaded, spec: &Arc<ServiceSpec>, previous: Option<&Scheduler>) -> Scheduler {
    let name = if loaded.name.is_empty() { spec.name.clone() } else { loaded.name.clone() };
    let prefix = spec.id_prefix();
    let ids = match previous {
        Some(previous) => previous.ids.next_generation(&prefix),
        None => Ids::new(cx.seed(), &name, &prefix).installed_at(cx.now()),
    };
    let env = Arc::new(loaded.env.clone());
    let target = Arc::new(Config::new("".into(), spec.clone(), region_awareness(&loaded.program, &env)));
    Scheduler {
        name: name.clone(),
        configs: previous.map(|previous| previous.configs.clone()).unwrap_or_default(),
        target,
        ids,
        store: previous.map_or_else(Store::default, |previous| previous.store.of_next_process()),
        backoff: Backoff::new(BackoffConfig::from_env(&env)),
        revive: Revive::new(cx.now()),
        declined: super::declined::Declined::default(),
        overhead: Overhead::from_env(&env),
        plans: Vec::new(),
        assets: Assets::default(),
        waiting: Waiting::default(),
        delayed: SortedSet::new(),
        kills: Kills::default(),
        kill_timer: None,
        backoff_timer: None,
        coming_again: None,
        timers: EventQueue::new(),
        cycle: Cycle::new(cx.now()),
        offers: Vec::new(),
        failing: Failing::default(),
        mentioned: Arc::default(),
        givers: SortedMap::new(),
        uninstall: previous.and_then(|previous| previous.uninstall).map(Uninstall::again),
        torn_down: false,
        exited: None,
        barred: false,
        namespace: loaded.framework.is_some().then(|| name.clone()),
        program: loaded.program.clone(),
        served: loaded.served.as_slice().into(),
        refused: Arc::from([]),
        withheld: SortedMap::new(),
        history: History::default(),
        metrics: super::metrics::Metrics::new(cx.now()),
        files: previous.map(|previous| previous.files.clone()).unwrap_or_default(),
        framework: previous.and_then(|previous| previous.framework.clone()),
        master_region: None,
        subscribed: false,
        reconciling: Reconciling::default(),
        now: cx.now(),
        completed_once: previous.is_some_and(|previous| previous.completed_once),
        revision: previous.map_or(0, |previous| previous.revision),
        touched: 0,
        env,
    }
}

impl Scheduler {
    /// Makes all plans in the order of their managers.
    fn make_plans(&mut self, cx: &Cx) -> Result<(), Refusal> {
        let mut lowered = lower::at_start(&self.target.spec, self.completed_once);
        self.program.customize(&mut lowered, &self.env)?;
        let refuse = |text: &str| Err(Refusal::new(RefusalCode::InvalidDefinition, text));
        match lowered.iter().filter(|plan| *plan.name == *DEPLOY).count() {
            0 => return refuse("There is no plan named 'deploy'"),
            1 => {}
            _ => return refuse("There are several plans named 'deploy'"),
        }
        let (deploy, custom): (Vec<_>, Vec<_>) = lowered.into_iter().partition(|plan| *plan.name == *DEPLOY);
        for plan in deploy {
            let mut plan = self.build(PlanKind::Deploy, &plan);
            if !self.refused.is_empty() {
                plan.tree.set_plan_errors(self.refused.to_vec());
                plan.tree.clear_changes();
            }
            self.plans.push(plan);
        }
        let mut recovery = self.empty_recovery();
        recovery.shown_strategy = Some("serial");
        self.plans.push(recovery);
        let decommission = self.decommission_plan(cx);
        self.plans.extend(decommission);
        for plan in custom {
            let mut plan = self.build(PlanKind::Custom, &plan);
            plan.tree.interrupt(Element::Plan);
            plan.tree.clear_changes();
            self.plans.push(plan);
        }
        let mentioned = self
            .plans
            .iter()
            .flat_map(|plan| plan.steps.iter())
            .filter_map(|step| step.requirement.as_deref());
        self.mentioned = Arc::new(mentioned.collect());
        Ok(())
    }

    /// The service is on its way out: one plan, from what the process before knew.
    fn begin_uninstall(&mut self, cx: &Cx, previous: Option<&Scheduler>) {
        self.uninstall.get_or_insert_with(|| Uninstall::new(cx.now()));
        if let Some(previous) = previous {
            self.target = previous.target.clone();
        }
        let plan = self.uninstall_plan(cx);
        self.plans.push(plan);
        self.arm_removal(cx);
    }

    /// Notes which step waits for which reservation.
    fn note_givers(&mut self) {
        for (at, plan) in self.plans.iter().enumerate() {
            for step in plan.tree.all_steps() {
                let action = plan.step(step).and_then(|data| data.action.as_deref());
                if let Some(Action::Unreserve { id, .. }) = action {
                    self.givers.insert(id.clone(), Holder { plan: PlanId::at(at), step });
                }
            }
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
            let key = self.ids.lots(&format!("{}/{}", lowered.name, phase.name));
            phases.push(phase_spec(phase.name.clone(), phase_strategy(phase, key), &steps, &mut self.assets));
            rows.push(steps);
        }
        let key = self.ids.lots(&lowered.name);
        let spec = PlanSpec::new(lowered.name.clone(), strategy(lowered.strategy, &[], key), phases);
        Plan::new(kind, &spec, rows, &self.ids, self.now)
    }

    fn new_step(&mut self, lowered: &LoweredStep) -> NewStep {
        let requirement = self.target.pods.get(&lowered.pod).map(|pod| {
            let key = self.store.key(&lowered.pod, lowered.index);
            Arc::new(Requirement::new(key, pod.clone(), lowered.tasks.clone(), self.target.id.clone()))
        });
        let state =
            requirement.as_deref().map_or(StepState::Pending, |requirement| self.first_state(requirement));
        NewStep {
            name: lowered.name.clone(),
            requirement,
            action: None,
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

fn strategy(strategy: LoweredStrategy, steps: &[LoweredStep], key: u64) -> StrategySpec {
    match strategy {
        LoweredStrategy::Serial => StrategySpec::Serial,
        LoweredStrategy::Parallel => StrategySpec::Parallel,
        LoweredStrategy::Random => StrategySpec::Random { key },
        LoweredStrategy::Dependency => StrategySpec::dependency(
            (0_u32..)
                .zip(steps)
                .flat_map(|(child, step)| step.after.clone().map(move |parent| Edge { child, parent })),
        ),
    }
}

fn phase_strategy(phase: &LoweredPhase, key: u64) -> StrategySpec {
    let inner = strategy(phase.strategy, &phase.steps, key);
    if phase.canary { StrategySpec::canary(inner) } else { inner }
}
