//! Launches the tasks of a step.
//!
//! *Knows*: the changes of records by a launch. *Must not know*: which offer is selected.

use crate::scheduler::offers::ACCEPT_FILTER_MS;
use crate::scheduler::offers::evaluate::Ask;
use crate::scheduler::offers::evaluate::build::{self, Context, Launch};
use crate::scheduler::offers::evaluate::footprint::Footprint;
use crate::scheduler::plans::StepTask;
use crate::scheduler::requirement::{Recovery, Requirement};
use crate::scheduler::state::{OverrideProgress, TaskRecord, TaskStore};
use crate::scheduler::{Cx, Scheduler};
use crate::spec::Goal;
use planarium_kernel::Cause;
use planarium_mesos::api::{Call, Offer};
use planarium_plan::{Holder, StepState};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::Arc;

/// An offer that is used.
pub(super) struct Used {
    pub(super) offer: Arc<Offer>,
    /// The parts that the pod takes.
    pub(super) footprint: Footprint,
    /// The event that reports it.
    pub(super) event: u64,
}

impl Scheduler {
    /// Launches a step's tasks; returns the records to be stored at the end of the cycle, each with the event of the launch.
    pub(super) fn launch(
        &mut self,
        cx: &mut Cx,
        holder: Holder,
        requirement: &Arc<Requirement>,
        used: Used,
    ) -> Vec<(TaskRecord, u64)> {
        let (offer, event) = (used.offer.id, used.event);
        let Some(mut launch) = self.build(cx, holder, requirement, used) else { return Vec::new() };
        self.plans.forget_tasks(holder);
        if let Some(data) = self.plans.step_mut(holder) {
            data.look = None;
        }
        for record in &mut launch.records {
            report_files(cx, event, &self.service.name, record);
            if !record.id.is_empty() {
                if record.goal.progress == OverrideProgress::Pending {
                    record.goal.progress = OverrideProgress::InProgress;
                }
                let (id, task) = (record.id.clone(), record.task.clone());
                let task = StepTask { id, task, state: StepState::Starting, ended_by: None };
                self.plans.waiting.insert(&requirement.key, &record.id, holder);
                if let Some(data) = self.plans.step_mut(holder) {
                    data.tasks.push(task);
                }
            }
        }
        cx.scoped(Cause::Event(event), |cx| {
            self.plans.set_state(holder, StepState::Starting);
            self.plans.report(cx, holder.plan, &self.state.tasks);
            self.plans.touch(cx, holder.plan);
            self.timers.need_cycle(cx);
        });
        let operations = launch.operations;
        let call = Call::Accept { offer_ids: vec![offer], operations, refuse_ms: Some(ACCEPT_FILTER_MS) };
        self.outbox.push_caused(Cause::Event(event), call);
        launch.records.into_iter().map(|record| (record, event)).collect()
    }

    /// Turns an offer into operations and records.
    fn build(&mut self, cx: &Cx, holder: Holder, requirement: &Requirement, used: Used) -> Option<Launch> {
        let plan = self.plans.get(holder.plan)?;
        let step = plan.step_name(holder.step);
        let params = plan.step(holder.step).map(|data| data.params.clone()).unwrap_or_default();
        let version = version_of(requirement, &self.state.tasks).unwrap_or(&self.configs.target.id).clone();
        let target = &self.configs.target.spec;
        let framework: Text = self.state.framework.clone().unwrap_or_else(|| "".into());
        let ask = Ask {
            requirement,
            offer: &used.offer,
            tasks: &self.state.tasks,
            overhead: self.offers.overhead,
            service_role: &target.role,
            master_region: self.offers.master_region.as_ref(),
        };
        let context = Context {
            spec: &self.configs.version_or_target(&requirement.config).spec,
            config: &version,
            principal: &target.principal,
            framework: &framework,
            step: &step,
            params: &params,
            namespace: self.service.namespace.as_ref(),
            pause_command: self.service.env.get("PAUSE_OVERRIDE_CMD").map(String::as_str),
            now: cx.now(),
        };
        Some(build::build(&ask, &context, &mut self.ids, used.footprint))
    }
}

/// Id of the configuration that launched tasks are labelled with; `None` for the target. A recovery keeps the one of
/// its tasks: that of the first task with goal RUNNING, by name, otherwise of the first other task.
///
/// **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java (getTargetConfig)`. Match; the first of several is
/// used.
fn version_of<'a>(requirement: &'a Requirement, tasks: &'a TaskStore) -> Option<&'a Text> {
    if requirement.recovery == Recovery::None {
        return Some(&requirement.config);
    }
    let stored = requirement.task_specs().filter_map(|spec| {
        let task = tasks.task(&requirement.key, &spec.name)?;
        Some((spec.goal != Goal::Running, &task.name, &task.config))
    });
    let first = stored.min_by(|(a, x, _), (b, y, _)| a.cmp(b).then_with(|| x.cmp(y)));
    first.map(|(_, _, config)| config)
}

/// Tells of config files that a launched task lacks something for.
fn report_files(cx: &mut Cx, event: u64, service: &Text, record: &TaskRecord) {
    for file in record.files.iter().filter(|file| file.problem.is_some()) {
        let (service, task) = (service.clone(), record.name.clone());
        cx.scoped(Cause::Event(event), |cx| {
            cx.emit(EventBody::ConfigFile { service, task, file: Box::new(file.clone()) });
        });
    }
}
