//! The life of deployments: accepted, carried out step by step, finished, given up, begun again.
//!
//! *Knows*: which deployments stand in another's way, what ends with one. *Must not know*: what an action does; how a plan is
//! computed.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentManagerActor.scala, DeploymentActor.scala,
//! MarathonSchedulerActor.scala`. Match.

use crate::definition::Refused;
use crate::deployments::plan::Plan;
use crate::deployments::{Deployment, Deployments, Stage};
use crate::events::Happening;
use crate::health::probes::Probes;
use crate::instances::tracker::SpecNo;
use crate::port::Port;
use crate::records::Records;
use crate::statuses::Words;
use planarium_kernel::{Cause, SortedMap, SortedSet};
use std::sync::Arc;

/// The reason that the events of a cancelled deployment give.
pub(crate) const CANCELLED: &str = "The upgrade has been cancelled";

/// The records that deployments work on, and the port to the cluster.
pub(crate) struct Deploying<'a, 'p> {
    pub(crate) records: &'a mut Records,
    pub(crate) deployments: &'a mut Deployments,
    pub(crate) probes: &'a mut Probes,
    pub(crate) port: &'a mut Port<'p>,
}

impl Deploying<'_, '_> {
    /// Deployments that a plan may not run beside.
    fn conflicts(&self, plan: &Plan) -> Vec<u32> {
        let mine = plan.affected();
        let clash =
            |deployment: &&Arc<Deployment>| deployment.plan.affected().iter().any(|id| mine.contains(id));
        self.deployments.running().filter(clash).map(|deployment| deployment.no).collect()
    }

    /// Accepts a plan, or returns the conflicting deployments; `force` cancels these.
    ///
    /// *Errors*: conflicts without `force`.
    pub(crate) fn deploy(&mut self, plan: Arc<Plan>, force: bool) -> Result<u32, Refused> {
        let conflicts = self.conflicts(&plan);
        if !conflicts.is_empty() && !force {
            let ids = conflicts.iter().filter_map(|no| self.deployments.get(*no));
            return Err(Refused::Locked(ids.map(|deployment| deployment.plan.id.clone()).collect()));
        }
        for no in conflicts {
            self.cancel(no);
        }
        let specs: Vec<SpecNo> = plan.affected().iter().map(|id| self.records.number_of(id)).collect();
        let lock = self.records.apps.new_lock();
        for spec in specs {
            self.records.hold(spec, lock);
            self.records.touch(spec);
        }
        let no = self.deployments.next_number();
        self.records.count("deployments");
        let deployment = Deployment {
            no,
            plan,
            stage: Stage::Scheduled,
            step: 0,
            open: SortedSet::new(),
            readiness: SortedMap::new(),
            lock,
            since: self.port.cx.now(),
            ended: Vec::new(),
            over: None,
            cause: self.port.cx.cause(),
            event: 0,
            curves: SortedMap::new(),
            revision: 0,
            words: Words::default(),
        };
        let event =
            self.records.say_deployment(self.port.cx, "deployment-started", &deployment, "is under way");
        let deployment = Deployment { event, cause: Cause::Event(event), ..deployment };
        self.deployments.add(deployment);
        self.records.statuses.moved(no, None);
        Ok(no)
    }

    /// Carries on with a deployment that may go on. False when there is none.
    pub(crate) fn go_on_deploying(&mut self) -> bool {
        let Some(no) = self.deployments.next_awake() else { return false };
        let Some(deployment) = self.deployments.get(no).cloned().filter(|one| one.is_running()) else {
            return true;
        };
        if !deployment.open.is_empty() {
            return true;
        }
        self.port.cx.set_cause(deployment.cause);
        self.records.statuses.moved(no, None);
        let (plan, now) = (deployment.plan.clone(), self.port.cx.now());
        if deployment.step > 0 {
            let step = deployment.step - 1;
            self.records.publish(self.port.cx, Happening::StepDone { plan: plan.clone(), step });
            self.deployments.change(no, |deployment| deployment.ended.push(now));
        }
        self.deployments.change(no, |deployment| {
            deployment.stage = Stage::Deploying;
            deployment.step += 1;
        });
        let index = deployment.step as usize;
        let Some(step) = plan.steps.get(index).cloned() else {
            self.finish(no);
            return true;
        };
        self.records.publish(self.port.cx, Happening::StepInfo { plan: plan.clone(), step: deployment.step });
        let event = self.records.say_step(self.port.cx, &plan, no, index);
        self.port.cx.set_cause(Cause::Event(event));
        let specs: Vec<SpecNo> =
            step.actions.iter().map(|action| self.records.number_of(&action.spec.id)).collect();
        self.deployments.change(no, |deployment| {
            deployment.event = event;
            deployment.cause = Cause::Event(event);
            deployment.open = specs.iter().copied().collect();
        });
        for (action, spec) in step.actions.iter().zip(specs) {
            if self.begin_action(no, action, spec) {
                self.action_done(no, spec);
            }
        }
        true
    }

    fn finish(&mut self, no: u32) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        let count = u32::try_from(deployment.plan.steps.len()).unwrap_or(u32::MAX);
        self.deployments.change(no, |deployment| deployment.step = count);
        self.records.say_deployment(self.port.cx, "deployment-finished", &deployment, "is finished");
        self.records.publish(self.port.cx, Happening::Deployed { plan: deployment.plan.clone() });
        self.end(no, Stage::Finished);
    }

    fn end(&mut self, no: u32, stage: Stage) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        self.records.statuses.moved(no, None);
        let now = self.port.cx.now();
        let revision = self.records.statuses.revision;
        self.deployments.change(no, |deployment| {
            deployment.stage = stage;
            deployment.over = Some(now);
            deployment.revision = revision;
        });
        for id in deployment.plan.affected() {
            if let Some(spec) = self.records.known_number(id) {
                self.records.unlock(spec, deployment.lock);
                self.records.drop_old_checks(spec);
                self.records.touch(spec);
            }
        }
    }

    /// Gives a deployment up, without undoing anything.
    pub(crate) fn cancel(&mut self, no: u32) {
        let Some(deployment) = self.deployments.get(no).cloned().filter(|one| one.is_running()) else {
            return;
        };
        let event =
            self.records.say_deployment(self.port.cx, "deployment-canceled", &deployment, "is given up");
        let before = self.port.cx.cause();
        self.port.cx.set_cause(Cause::Event(event));
        for spec in &deployment.open {
            self.drop_job(*spec, no);
        }
        let reason = CANCELLED.into();
        self.records.publish(self.port.cx, Happening::Failed { plan: deployment.plan.clone(), reason });
        self.end(no, Stage::Canceled);
        self.port.cx.set_cause(before);
    }

    /// Begins all deployments from their first step again: the process has started again.
    pub(crate) fn begin_again(&mut self) {
        let running: Vec<u32> = self.deployments.running().map(|deployment| deployment.no).collect();
        self.deployments.let_all_sleep();
        for no in running {
            self.deployments.change(no, |deployment| {
                deployment.stage = Stage::Scheduled;
                deployment.step = 0;
                deployment.open = SortedSet::new();
                deployment.readiness.clear();
                deployment.ended.clear();
            });
            self.records.statuses.moved(no, None);
            if let Some(deployment) = self.deployments.get(no).cloned() {
                let event = self.records.say_deployment(
                    self.port.cx,
                    "deployment-started",
                    &deployment,
                    "begins again",
                );
                self.deployments.change(no, |deployment| deployment.cause = Cause::Event(event));
            }
            self.deployments.wake(no);
        }
    }
}
