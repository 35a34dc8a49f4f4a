//! Previews a definition before anything runs.
//!
//! *Knows*: that a daemon on a cluster without machines shows it. *Must not know*: how plans are made.

use super::Daemon;
use crate::decode::Loaded;
use crate::port::Port;
use crate::shown;
use planarium_kernel::recorder::Recorder;
use planarium_mesos::Alone;
use planarium_part::{Flags, Loading, Number};
use planarium_protocol::Refusal;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::{PhaseView, PlanView, Progress, ServiceView, StepView};
use std::sync::Arc;

/// The plan of the deployment and of the apps, with nothing begun.
pub(super) fn preview(definition: &Loaded) -> Result<Arc<ServiceView>, Refusal> {
    let mut cx = Recorder::new(1);
    let mut alone = Alone::new(&mut cx, &Flags::default());
    let mut cluster = alone.cluster(cx.now());
    let port = &mut Port::new(&mut cx, &mut cluster);
    let mut daemon = Daemon::begin(port, Number(0), definition.env());
    let loading =
        Loading { number: Number(0), load: Arc::new(LoadService::default()), definition: definition.clone() };
    daemon.install(port, loading)?;
    let view = daemon.view();
    Ok(Arc::new(ServiceView {
        plans: view.plans.iter().map(|plan| Arc::new(not_begun(plan))).collect(),
        pods: Vec::new(),
        activity: "".into(),
        ..ServiceView::clone(&view)
    }))
}

fn not_begun(plan: &PlanView) -> PlanView {
    let none = |progress: Progress| Progress { done: 0, ..progress };
    let step = |step: &Arc<StepView>| {
        Arc::new(StepView {
            status: shown::SCHEDULED.into(),
            reason: "".into(),
            progress: step.progress.map(none),
            tasks: Vec::new(),
            actions: Arc::default(),
            ..StepView::clone(step)
        })
    };
    let phase = |phase: &Arc<PhaseView>| {
        Arc::new(PhaseView {
            status: shown::SCHEDULED.into(),
            progress: none(phase.progress),
            steps: phase.steps.iter().map(step).collect(),
            actions: Arc::default(),
            ..PhaseView::clone(phase)
        })
    };
    PlanView {
        status: shown::SCHEDULED.into(),
        progress: none(plan.progress),
        phases: plan.phases.iter().map(phase).collect(),
        actions: Arc::default(),
        errors: Vec::new(),
        ..plan.clone()
    }
}
