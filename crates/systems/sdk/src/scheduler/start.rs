//! Starts a scheduler process: plans with their first statuses, kept data.
//!
//! *Knows*: what survives a restart and which plans exist. *Must not know*: offers, how the target is selected.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerBuilder.java`. Match.

use super::configs::{Config, Configs, region_awareness};
use super::delays::{Backoff, BackoffConfig};
use super::ids::Ids;
use super::killer::TaskKiller;
use super::lifecycle::{Lifecycle, UNINSTALL_FLAG, irreversible, uninstall};
use super::metrics::Metrics;
use super::offers::Offers;
use super::offers::evaluate::Overhead;
use super::outbox::Outbox;
use super::plans::deployment::Deployment;
use super::plans::{DEPLOY, PlanFactory, PlanKind, Plans, RECOVERY, Revision};
use super::reconciler::Reconciler;
use super::recovery::FailedPods;
use super::service::Service;
use super::state::PodKey;
use super::timers::Timers;
use super::{Cx, Request, Scheduler, decommission};
use crate::load::Loaded;
use crate::lower::{self, LoweredPlan};
use crate::spec::ServiceSpec;
use planarium_kernel::{Cause, SimTime};
use planarium_plan::{Element, StrategySpec};
use planarium_protocol::Refusal;
use planarium_protocol::event::EventBody;
use planarium_protocol::refusal::RefusalCode;
use std::sync::Arc;

/// See [`Scheduler::start`].
pub(super) fn start(
    cx: &mut Cx,
    loaded: &Loaded,
    previous: Option<&Scheduler>,
) -> Result<(Scheduler, Vec<Request>), Refusal> {
    let Some(spec) = loaded.spec.clone() else {
        return Err(invalid("The definition has errors, so its scheduler cannot start"));
    };
    if let Some(error) = loaded.diagnostics.iter().find(|one| one.is_error() && previous.is_none()) {
        return Err(invalid(format!("The definition has an error: {}", error.message)));
    }
    if let Some(previous) = previous {
        previous.lifecycle.may_start_again(previous.name())?;
    }
    let mut scheduler = blank(cx, loaded, &spec, previous);
    if loaded.env.contains_key(UNINSTALL_FLAG) {
        scheduler.begin_uninstall(cx, previous);
    } else if previous.is_some_and(Scheduler::is_uninstalling) {
        return Err(irreversible(scheduler.name()));
    } else {
        scheduler.update_target(&spec, previous)?;
        scheduler.make_plans(cx.now())?;
    }
    scheduler.plans.note_releases();
    let target = scheduler.configs.target.id.clone();
    let seq = cx.emit(EventBody::SchedulerStarted { service: scheduler.name().clone(), target });
    // Later than anything the process before it has shown.
    scheduler.show_from((scheduler.revision() + 1).max(seq));
    for key in scheduler.state.tasks.pods().map(|(key, _)| key.clone()).collect::<Vec<PodKey>>() {
        scheduler.note_pod(&key);
    }
    cx.scoped(Cause::Event(seq), |cx| {
        if let Some(previous) = previous {
            let before = (&previous.plans, &previous.state.tasks);
            scheduler.plans.report_differences(cx, &scheduler.state.tasks, before);
        }
        scheduler.timers.need_cycle(cx);
    });
    Ok((scheduler, Vec::new()))
}

fn invalid(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::InvalidDefinition, text)
}

/// Creates a process without plans; takes over the previous one's state store.
fn blank(cx: &Cx, loaded: &Loaded, spec: &Arc<ServiceSpec>, previous: Option<&Scheduler>) -> Scheduler {
    let name = if loaded.name.is_empty() { spec.name.clone() } else { loaded.name.clone() };
    let prefix = spec.id_prefix();
    let ids = match previous {
        Some(previous) => previous.ids.next_generation(&prefix),
        None => Ids::new(cx.seed(), &name, &prefix).installed_at(cx.now()),
    };
    let env = Arc::new(loaded.env.clone());
    let target = Arc::new(Config::new("".into(), spec.clone(), region_awareness(&loaded.program, &env)));
    let versions = previous.map(|previous| previous.configs.versions.clone()).unwrap_or_default();
    let revision = Revision { event: previous.map_or(0, Scheduler::revision), changes: 0 };
    Scheduler {
        configs: Configs { target, versions, refused: Arc::from([]) },
        ids,
        state: previous.map(|previous| previous.state.of_next_process()).unwrap_or_default(),
        plans: Plans::new(name.clone(), revision),
        backoff: Backoff::new(BackoffConfig::from_env(&env)),
        offers: Offers::new(cx.now(), Overhead::from_env(&env)),
        killer: TaskKiller::default(),
        failed: FailedPods::default(),
        reconciler: Reconciler::default(),
        timers: Timers::new(cx.now()),
        lifecycle: previous.map(|previous| previous.lifecycle.of_next_process()).unwrap_or_default(),
        outbox: Outbox::default(),
        metrics: Metrics::new(cx.now()),
        subscribed: false,
        barred: false,
        now: cx.now(),
        service: Service {
            namespace: loaded.framework.is_some().then(|| name.clone()),
            name,
            env,
            program: loaded.program.clone(),
            served: loaded.served.as_slice().into(),
        },
    }
}

impl Scheduler {
    /// Chooses the target; stored tasks that match it already count as updated.
    fn update_target(&mut self, spec: &Arc<ServiceSpec>, previous: Option<&Self>) -> Result<(), Refusal> {
        let previous = previous.map(Self::as_predecessor);
        self.configs.update_target(spec, self.ids.config(), previous, &self.service)?;
        self.configs.move_to_target(&mut self.state.tasks);
        self.configs.forget_unused(&self.state.tasks);
        Ok(())
    }

    /// Makes all plans in the order of their managers.
    fn make_plans(&mut self, now: SimTime) -> Result<(), Refusal> {
        let mut lowered = lower::at_start(&self.configs.target.spec, self.state.completed_once);
        self.service.program.customize(&mut lowered, &self.service.env)?;
        match lowered.iter().filter(|plan| *plan.name == *DEPLOY).count() {
            0 => return Err(invalid("There is no plan named 'deploy'")),
            1 => {}
            _ => return Err(invalid("There are several plans named 'deploy'")),
        }
        let (deploy, custom): (Vec<_>, Vec<_>) = lowered.into_iter().partition(|plan| *plan.name == *DEPLOY);
        for lowered in deploy {
            self.add_deployment(PlanKind::Deploy, &lowered, now);
        }
        let mut recovery =
            self.factory(now).plan(PlanKind::Recovery, RECOVERY, StrategySpec::Parallel, Vec::new());
        recovery.shown_strategy = Some("serial");
        self.plans.push(recovery);
        self.add_decommission(now);
        for lowered in custom {
            self.add_deployment(PlanKind::Custom, &lowered, now);
        }
        let steps = self.plans.iter().flat_map(|plan| plan.steps.iter());
        let mentioned = steps.filter_map(|step| step.requirement.as_deref());
        self.failed.mentioned = Arc::new(mentioned.collect());
        Ok(())
    }

    /// Adds a plan of the definition. A deploy plan carries the errors of a definition that was refused; others wait for
    /// an operator.
    fn add_deployment(&mut self, kind: PlanKind, lowered: &LoweredPlan, now: SimTime) {
        let factory = PlanFactory { assets: &mut self.plans.assets, ids: &self.ids, now };
        let mut deployment =
            Deployment { target: &self.configs.target, tasks: &mut self.state.tasks, factory };
        let mut plan = deployment.plan(kind, lowered);
        match kind {
            PlanKind::Deploy if self.configs.refused.is_empty() => {}
            PlanKind::Deploy => {
                plan.tree.set_plan_errors(self.configs.refused.to_vec());
                plan.tree.clear_changes();
            }
            PlanKind::Custom | PlanKind::Recovery | PlanKind::Decommission => {
                plan.tree.interrupt(Element::Plan);
                plan.tree.clear_changes();
            }
        }
        self.plans.push(plan);
    }

    /// Adds the decommission plan, if a pod has to go, and marks the tasks concerned.
    fn add_decommission(&mut self, now: SimTime) {
        let leaving = decommission::leaving(&self.configs.target.spec.pods, &self.state.tasks);
        for (task, goal) in decommission::overrides(&leaving, &self.state.tasks) {
            self.state.tasks.update(&task, |record| record.goal = goal);
        }
        let mut factory = PlanFactory { assets: &mut self.plans.assets, ids: &self.ids, now };
        let plan = decommission::plan(&leaving, &self.state.tasks, &self.service, &mut factory);
        if let Some(plan) = plan {
            self.plans.push(plan);
        }
    }

    /// Begins to uninstall: one plan, from the previous process's data.
    fn begin_uninstall(&mut self, cx: &Cx, previous: Option<&Self>) {
        self.lifecycle.begin_uninstall(cx.now());
        if let Some(previous) = previous {
            self.configs.target = previous.configs.target.clone();
        }
        let mut factory = PlanFactory { assets: &mut self.plans.assets, ids: &self.ids, now: cx.now() };
        let plan = uninstall::plan(&self.configs.target.spec, &self.state.tasks, &mut factory);
        self.plans.push(plan);
        Lifecycle::arm_removal(cx, &self.service, &mut self.timers);
    }

    fn factory(&mut self, now: SimTime) -> PlanFactory<'_> {
        PlanFactory { assets: &mut self.plans.assets, ids: &self.ids, now }
    }
}
