//! Deployments: accepted, carried out step by step, given up; who holds which lock.
//!
//! *Knows*: which deployments there are, how far each is, which ones stand in another's way. *Must not know*: what an action
//! does; how a plan is computed.
//!
//! What the real process does while it stores plans and waits for workers to stop takes no time here: a deployment that is
//! accepted begins at once, one that is given up is gone at once.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentManagerActor.scala, DeploymentActor.scala,
//! MarathonSchedulerActor.scala`. Match.

use super::Marathon;
use super::board::Words;
use super::bus::Happening;
use super::tracker::SpecNo;
use super::work::replace::Replacing;
use crate::definition::Refused;
use crate::deploy::Plan;
use planarium_kernel::{Cause, SimTime, SortedMap, SortedSet};
use planarium_mesos::Cluster;
use planarium_part::Cx;
use planarium_protocol::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// The reason that the events of a cancelled deployment give.
pub(crate) const CANCELLED: &str = "The upgrade has been cancelled";

/// So many deployments that are over are still shown.
const REMEMBERED: usize = 8;

/// What a readiness check answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadinessResult {
    pub(crate) name: Text,
    pub(crate) task: Text,
    pub(crate) ready: bool,
    pub(crate) status: i32,
    pub(crate) body: Text,
    /// The answer is shown.
    pub(crate) keeps: bool,
}

/// Where a deployment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Accepted.
    Scheduled,
    /// Under way.
    Deploying,
    /// All done.
    Finished,
    /// Given up.
    Canceled,
}

/// A deployment.
#[derive(Clone, Debug)]
pub(crate) struct Deployment {
    /// In order of acceptance, from 1.
    pub(crate) no: u32,
    pub(crate) plan: Arc<Plan>,
    pub(crate) stage: Stage,
    /// The step under way, from 1; 0 before the first.
    pub(crate) step: usize,
    /// Actions of the step that are not done.
    pub(crate) open: SortedSet<SpecNo>,
    /// Answers of readiness checks, by task.
    pub(crate) readiness: SortedMap<Text, ReadinessResult>,
    lock: u64,
    pub(crate) since: SimTime,
    /// When each step ended.
    pub(crate) ended: Vec<SimTime>,
    /// When it was over.
    pub(crate) over: Option<SimTime>,
    /// What brought it about.
    pub(crate) cause: Cause,
    /// The event of its last progress.
    pub(crate) event: u64,
    /// How restarts that are over went.
    pub(crate) curves: SortedMap<SpecNo, Arc<Replacing>>,
    /// What was shown last of one that is over.
    pub(crate) revision: u64,
    /// The words that are shown.
    pub(crate) words: Words,
}

impl Deployment {
    /// It is not over.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Scheduled | Stage::Deploying)
    }
}

/// All deployments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deployments {
    last: u32,
    lock: u64,
    all: SortedMap<u32, Arc<Deployment>>,
    /// Those that may go on.
    awake: VecDeque<u32>,
}

impl Deployments {
    /// All that are shown, in order of acceptance.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Deployment>> {
        self.all.values()
    }

    /// Those that are not over.
    pub(crate) fn running(&self) -> impl Iterator<Item = &Arc<Deployment>> {
        self.all.values().filter(|deployment| deployment.is_running())
    }

    /// By number.
    pub(crate) fn get(&self, no: u32) -> Option<&Arc<Deployment>> {
        self.all.get(&no)
    }

    /// By id; one that is not over.
    pub(crate) fn find(&self, id: &str) -> Option<&Arc<Deployment>> {
        self.running().find(|deployment| *deployment.plan.id == *id)
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u32 {
        self.last
    }

    pub(super) fn change(&mut self, no: u32, change: impl FnOnce(&mut Deployment)) {
        if let Some(deployment) = self.all.get_mut(&no) {
            change(Arc::make_mut(deployment));
        }
    }

    /// Keeps how a restart went.
    pub(super) fn keep_curve(&mut self, no: u32, spec: SpecNo, replacing: &Replacing) {
        let curve = Replacing {
            curve: replacing.curve.clone(),
            ignition: replacing.ignition,
            ..Replacing::default()
        };
        self.change(no, |deployment| _ = deployment.curves.insert(spec, Arc::new(curve)));
    }

    /// Forgets the oldest of those that are over.
    pub(super) fn forget(&mut self) {
        let over: Vec<u32> = self.all.values().filter(|one| !one.is_running()).map(|one| one.no).collect();
        for no in over.iter().take(over.len().saturating_sub(REMEMBERED)) {
            self.all.remove(no);
        }
    }

    pub(crate) fn weight(&self) -> u64 {
        let one = |deployment: &Arc<Deployment>| {
            256 + 64 * (deployment.open.len() + deployment.plan.steps.len()) as u64
        };
        self.all.values().map(one).sum()
    }
}

impl Marathon {
    // ---- locks -------------------------------------------------------------------------------

    /// Takes the lock of a spec, whoever holds it.
    pub(super) fn lock(&mut self, no: SpecNo) -> u64 {
        self.deployments.lock += 1;
        let lock = self.deployments.lock;
        if let Some(run) = self.run_mut(no) {
            run.lock = Some(lock);
        }
        self.weigh(no);
        lock
    }

    /// Gives a lock back, unless somebody else has taken it over.
    pub(super) fn unlock(&mut self, no: SpecNo, lock: u64) {
        if let Some(run) = self.run_mut(no).filter(|run| run.lock == Some(lock)) {
            run.lock = None;
        }
        self.weigh(no);
    }

    /// Takes the lock that a deployment holds anew.
    pub(super) fn relock(&mut self, no: SpecNo, deployment: &Deployment) {
        if let Some(run) = self.run_mut(no) {
            run.lock = Some(deployment.lock);
        }
        self.weigh(no);
    }

    // ---- life --------------------------------------------------------------------------------

    /// Deployments that a plan may not run beside.
    fn conflicts(&self, plan: &Plan) -> Vec<u32> {
        let mine = plan.affected();
        let clash =
            |deployment: &&Arc<Deployment>| deployment.plan.affected().iter().any(|id| mine.contains(id));
        self.deployments.running().filter(clash).map(|deployment| deployment.no).collect()
    }

    /// Accepts a plan, or says which deployments stand in its way; `force` gives these up.
    ///
    /// *Errors*: conflicts without `force`.
    pub(crate) fn deploy(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        plan: Arc<Plan>,
        force: bool,
    ) -> Result<u32, Refused> {
        let conflicts = self.conflicts(&plan);
        if !conflicts.is_empty() && !force {
            let ids = conflicts.iter().filter_map(|no| self.deployments.get(*no));
            return Err(Refused::Locked(ids.map(|deployment| deployment.plan.id.clone()).collect()));
        }
        for no in conflicts {
            self.cancel(cx, cluster, no);
        }
        let specs: Vec<SpecNo> = plan.affected().iter().map(|id| self.number_of(id)).collect();
        self.deployments.lock += 1;
        let lock = self.deployments.lock;
        for spec in specs {
            if let Some(run) = self.run_mut(spec) {
                run.lock = Some(lock);
            }
            self.weigh(spec);
            self.touch(spec);
        }
        self.deployments.last += 1;
        let no = self.deployments.last;
        self.count("deployments");
        let deployment = Deployment {
            no,
            plan,
            stage: Stage::Scheduled,
            step: 0,
            open: SortedSet::new(),
            readiness: SortedMap::new(),
            lock,
            since: cx.now(),
            ended: Vec::new(),
            over: None,
            cause: cx.cause(),
            event: 0,
            curves: SortedMap::new(),
            revision: 0,
            words: Words::default(),
        };
        let event = self.say_deployment(cx, "deployment-started", &deployment, "is under way");
        let deployment = Deployment { event, cause: Cause::Event(event), ..deployment };
        self.deployments.all.insert(no, Arc::new(deployment));
        self.deployments.awake.push_back(no);
        self.moved(no, None);
        Ok(no)
    }

    /// Carries on with a deployment that may go on. False when there is none.
    pub(super) fn go_on_deploying(&mut self, cx: &mut Cx, cluster: &mut Cluster) -> bool {
        let Some(no) = self.deployments.awake.pop_front() else { return false };
        let Some(deployment) = self.deployments.get(no).cloned().filter(|one| one.is_running()) else {
            return true;
        };
        if !deployment.open.is_empty() {
            return true;
        }
        cx.set_cause(deployment.cause);
        self.moved(no, None);
        let (plan, now) = (deployment.plan.clone(), cx.now());
        if deployment.step > 0 {
            let step = deployment.step - 1;
            self.publish(cx, Happening::StepDone { plan: plan.clone(), step });
            self.deployments.change(no, |deployment| deployment.ended.push(now));
        }
        self.deployments.change(no, |deployment| {
            deployment.stage = Stage::Deploying;
            deployment.step += 1;
        });
        let Some(step) = plan.steps.get(deployment.step).cloned() else {
            self.finish(cx, no);
            return true;
        };
        self.publish(cx, Happening::StepInfo { plan: plan.clone(), step: deployment.step });
        let event = self.say_step(cx, &plan, no, deployment.step);
        cx.set_cause(Cause::Event(event));
        let specs: Vec<SpecNo> = step.actions.iter().map(|action| self.number_of(&action.spec.id)).collect();
        self.deployments.change(no, |deployment| {
            deployment.event = event;
            deployment.cause = Cause::Event(event);
            deployment.open = specs.iter().copied().collect();
        });
        for (action, spec) in step.actions.iter().zip(specs) {
            if self.begin_action(cx, cluster, no, action, spec) {
                self.action_done(no, spec);
            }
        }
        true
    }

    /// An action is done: the last one of a step leads to the next.
    pub(super) fn action_done(&mut self, no: u32, spec: SpecNo) {
        self.moved(no, Some(spec));
        self.touch(spec);
        let mut last = false;
        self.deployments.change(no, |deployment| {
            deployment.open.remove(&spec);
            last = deployment.open.is_empty();
        });
        if last {
            self.deployments.awake.push_back(no);
        }
    }

    fn finish(&mut self, cx: &mut Cx, no: u32) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        self.deployments.change(no, |deployment| deployment.step = deployment.plan.steps.len());
        self.say_deployment(cx, "deployment-finished", &deployment, "is finished");
        self.publish(cx, Happening::Deployed { plan: deployment.plan.clone() });
        self.end(cx, no, Stage::Finished);
    }

    fn end(&mut self, cx: &Cx, no: u32, stage: Stage) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        self.moved(no, None);
        let now = cx.now();
        let revision = self.revision;
        self.deployments.change(no, |deployment| {
            deployment.stage = stage;
            deployment.over = Some(now);
            deployment.revision = revision;
        });
        for id in deployment.plan.affected() {
            if let Some(spec) = self.known_number(id) {
                self.unlock(spec, deployment.lock);
                self.drop_old_checks(spec);
                self.touch(spec);
            }
        }
    }

    /// Gives a deployment up, without undoing anything.
    pub(crate) fn cancel(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: u32) {
        let Some(deployment) = self.deployments.get(no).cloned().filter(|one| one.is_running()) else {
            return;
        };
        let event = self.say_deployment(cx, "deployment-canceled", &deployment, "is given up");
        cx.scoped(Cause::Event(event), |cx| {
            for spec in &deployment.open {
                self.drop_job(cx, cluster, *spec, no);
            }
            let reason = CANCELLED.into();
            self.publish(cx, Happening::Failed { plan: deployment.plan.clone(), reason });
            self.end(cx, no, Stage::Canceled);
        });
    }

    /// A readiness check of a deployment answered.
    pub(super) fn note_readiness(&mut self, cx: &Cx, no: u32, result: ReadinessResult) {
        let _ = cx;
        self.revision += 1;
        self.deployments
            .change(no, |deployment| _ = deployment.readiness.insert(result.task.clone(), result));
    }

    /// Begins all deployments from their first step again: the process has started again.
    pub(super) fn begin_again(&mut self, cx: &mut Cx) {
        let running: Vec<u32> = self.deployments.running().map(|deployment| deployment.no).collect();
        self.deployments.awake.clear();
        for no in running {
            self.deployments.change(no, |deployment| {
                deployment.stage = Stage::Scheduled;
                deployment.step = 0;
                deployment.open = SortedSet::new();
                deployment.readiness.clear();
                deployment.ended.clear();
            });
            self.moved(no, None);
            if let Some(deployment) = self.deployments.get(no).cloned() {
                let event = self.say_deployment(cx, "deployment-started", &deployment, "begins again");
                self.deployments.change(no, |deployment| deployment.cause = Cause::Event(event));
            }
            self.deployments.awake.push_back(no);
        }
    }

    /// What does not hold, in words.
    pub(super) fn check_deployments(&self) -> Vec<String> {
        let mut found = Vec::new();
        for deployment in self.deployments.running() {
            let step = deployment.step.checked_sub(1).and_then(|step| deployment.plan.steps.get(step));
            for spec in &deployment.open {
                let Some(run) = self.run(*spec) else { continue };
                if !step.is_some_and(|step| step.actions.iter().any(|action| action.spec.id == run.id)) {
                    found.push(format!(
                        "{}: {} is open and in no action of the step",
                        deployment.plan.id, run.id
                    ));
                }
                if run.job.as_ref().is_none_or(|job| job.deployment != deployment.no) {
                    found.push(format!("{}: nobody works on {}", deployment.plan.id, run.id));
                }
            }
            if deployment.open.is_empty() {
                found.push(format!("{}: a deployment stands still", deployment.plan.id));
            }
        }
        for (no, run) in self.specs.iter() {
            let Some(job) = &run.job else { continue };
            let open = self.deployments.get(job.deployment).is_some_and(|one| one.open.contains(&no));
            if !open {
                found.push(format!("{}: a job without a deployment", run.id));
            }
        }
        let mut at_work: SortedSet<SpecNo> = SortedSet::new();
        for deployment in self.deployments.running() {
            for id in deployment.plan.affected() {
                if let Some(spec) = self.known_number(id)
                    && !at_work.insert(spec)
                {
                    found.push(format!("{id}: two deployments work on it"));
                }
            }
        }
        found
    }
}
