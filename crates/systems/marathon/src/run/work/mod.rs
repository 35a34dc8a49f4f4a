//! What deployments do with one app or pod.
//!
//! *Knows*: how a job is begun, whom it tells when it is done, what it hears. *Must not know*: plans, other jobs.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentActor.scala`. Match.

pub(crate) mod progress;
pub(crate) mod replace;
pub(crate) mod start;
pub(crate) mod stop;

use super::Marathon;
use super::instance::Instance;
use super::scaling::{self, Ending};
use super::tracker::{Change, Key, SpecNo};
use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::deploy::plan::InstanceNo;
use crate::deploy::{Action, ActionKind};
use planarium_mesos::Cluster;
use planarium_part::Cx;
use replace::Replacing;
use start::Starting;
use std::sync::Arc;

/// What one action does while it is under way.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Number of the deployment.
    pub(crate) deployment: u32,
    pub(crate) spec: Arc<RunSpec>,
    pub(crate) work: Work,
}

/// How far it is.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Waits for instances to end, and starts others then.
    Ending(Ending),
    /// Waits for new instances.
    Starting(Starting),
    /// Waits for all instances to end.
    Stopping(stop::Stopping),
    /// Replaces old instances by new ones.
    Replacing(Box<Replacing>),
}

/// What a job hears.
pub(crate) enum News<'a> {
    /// Condition or goal of an instance changed.
    Changed(&'a Change),
    /// The same for those who wait for instances to end: also what nobody is told of.
    Gone(&'a Change),
    /// An instance is healthy or not, in this version.
    Health { no: InstanceNo, version: Stamp, healthy: Option<bool> },
    /// An answer of a readiness check.
    Readiness { key: Key, instance: &'a Instance, exit_code: Option<i32> },
}

impl Marathon {
    /// Begins an action. True when it is done at once.
    pub(super) fn begin_action(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        deployment: u32,
        action: &Action,
        no: SpecNo,
    ) -> bool {
        let spec = action.spec.clone();
        self.add_checks(cx, cluster, no, &spec);
        let job = |work| Job { deployment, spec: spec.clone(), work };
        let job = match action.kind {
            ActionKind::Start => return true,
            ActionKind::Restart if spec.instances == 0 => return true,
            ActionKind::Stop => job(Work::Stopping(stop::Stopping::default())),
            ActionKind::Scale => job(Work::Ending(Ending::default())),
            ActionKind::Restart => job(Work::Replacing(Box::default())),
        };
        self.put_job(no, Arc::new(job));
        match action.kind {
            ActionKind::Stop => self.begin_stop(cx, cluster, no),
            ActionKind::Scale => self.begin_scale(cx, cluster, no, &action.kill),
            ActionKind::Start | ActionKind::Restart => self.begin_replace(cx, cluster, no),
        }
    }

    fn put_job(&mut self, no: SpecNo, job: Arc<Job>) {
        if let Some(run) = self.run_mut(no) {
            run.job = Some(job);
        }
        self.touch(no);
    }

    /// Takes a job out to work on it; it has to be put back unless it is done.
    fn take_job(&mut self, no: SpecNo) -> Option<Arc<Job>> {
        self.run_mut(no)?.job.take()
    }

    /// Puts a job back, or reports that it is done.
    fn after(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo, job: Arc<Job>, done: bool) {
        if !done {
            self.put_job(no, job);
            return;
        }
        let deployment = job.deployment;
        self.end_job(cx, cluster, no, &job);
        self.action_done(deployment, no);
    }

    /// A job is over, done or not.
    fn end_job(&mut self, _: &mut Cx, cluster: &mut Cluster, no: SpecNo, job: &Job) {
        self.disarm(super::jobs::Job::Sync(no));
        let checking: Vec<Key> = match &job.work {
            Work::Starting(starting) => starting.progress.checking().collect(),
            Work::Replacing(replacing) => replacing.progress.checking().collect(),
            Work::Ending(_) | Work::Stopping(_) => Vec::new(),
        };
        for key in checking {
            self.unwatch_readiness(cluster, key);
        }
        if let Work::Replacing(replacing) = &job.work {
            self.deployments.keep_curve(job.deployment, no, replacing);
        }
        self.touch(no);
    }

    /// A deployment is given up: nobody works on the spec any more.
    pub(super) fn drop_job(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo, deployment: u32) {
        let mine =
            self.run(no).and_then(|run| run.job.as_ref()).is_some_and(|job| job.deployment == deployment);
        if mine && let Some(job) = self.take_job(no) {
            self.end_job(cx, cluster, no, &job);
        }
    }

    /// Something happened to an instance of a spec.
    pub(super) fn job_hears(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo, news: &News<'_>) {
        let Some(job) = self.run(no).and_then(|run| run.job.as_ref()) else { return };
        let concerns = match (&job.work, news) {
            (Work::Ending(_) | Work::Stopping(_), news) => matches!(news, News::Gone(_)),
            (Work::Starting(_) | Work::Replacing(_), news) => !matches!(news, News::Gone(_)),
        };
        if !concerns {
            return;
        }
        let Some(mut taken) = self.take_job(no) else { return };
        let job = Arc::make_mut(&mut taken);
        let done = match (&mut job.work, news) {
            (Work::Ending(waits), News::Gone(change)) => {
                waits.hear(&change.now, change.deleted);
                if waits.is_over() { self.go_on_scaling(cx, cluster, no, job) } else { false }
            }
            (Work::Stopping(stopping), News::Gone(change)) => {
                stopping.hear(change);
                stopping.is_over() && self.stopped(cx, no, &job.spec)
            }
            (Work::Starting(_), news) => self.starting_hears(cx, cluster, no, job, news),
            (Work::Replacing(_), news) => self.replacing_hears(cx, cluster, no, job, news),
            _ => false,
        };
        self.after(cx, cluster, no, taken, done);
    }

    /// **Source**: `DeploymentActor.scala (scaleRunnable)`.
    fn begin_scale(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        no: SpecNo,
        sentenced: &[InstanceNo],
    ) -> bool {
        let Some(mut taken) = self.take_job(no) else { return true };
        let job = Arc::make_mut(&mut taken);
        let spec = job.spec.clone();
        let proposition = scaling::propose(&self.instances_of(no), sentenced, spec.instances, &spec);
        let waits = self.end_instances(cx, no, &proposition.go, "there are to be fewer instances");
        let over = waits.is_over();
        job.work = Work::Ending(waits);
        let done = over && self.go_on_scaling(cx, cluster, no, job);
        if !done {
            self.put_job(no, taken);
        }
        done
    }

    /// Everybody has ended who was to: the others start.
    fn go_on_scaling(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo, job: &mut Job) -> bool {
        job.work = Work::Starting(Starting::default());
        self.begin_start(cx, cluster, no, job)
    }
}
