//! The jobs of deployments on apps: stored, taken, ended; a finished one continues its deployment.

use crate::definition::RunSpec;
use crate::deployments::jobs::progress::Asking;
use crate::deployments::jobs::{Job, Work};
use crate::deployments::lifecycle::Deploying;
use crate::instances::tracker::{Key, SpecNo};
use crate::timers::Job as Timed;
use std::sync::Arc;

impl Deploying<'_, '_> {
    pub(crate) fn put_job(&mut self, no: SpecNo, job: Arc<Job>) {
        if let Some(run) = self.records.run_mut(no) {
            run.job = Some(job);
        }
        self.records.touch(no);
    }

    /// Takes a job out to work on it; it has to be put back unless it is done.
    pub(crate) fn take_job(&mut self, no: SpecNo) -> Option<Arc<Job>> {
        self.records.run_mut(no)?.job.take()
    }

    /// A job is over, done or not.
    pub(crate) fn end_job(&mut self, no: SpecNo, job: &Job) {
        self.records.timers.disarm(Timed::Sync(no));
        let checking: Vec<Key> = match &job.work {
            Work::Starting(starting) => starting.progress.checking().collect(),
            Work::Replacing(replacing) => replacing.progress.checking().collect(),
            Work::Ending(_) | Work::Stopping(_) => Vec::new(),
        };
        for key in checking {
            self.probes.unwatch_readiness(self.records, self.port, key);
        }
        if let Work::Replacing(replacing) = &job.work {
            self.deployments.keep_curve(job.deployment, no, replacing);
        }
        self.records.touch(no);
    }

    /// Drops the job of a cancelled deployment on a spec.
    pub(crate) fn drop_job(&mut self, no: SpecNo, deployment: u32) {
        let mine = self
            .records
            .run(no)
            .and_then(|run| run.job.as_ref())
            .is_some_and(|job| job.deployment == deployment);
        if mine && let Some(job) = self.take_job(no) {
            self.end_job(no, &job);
        }
    }

    /// An action is done: the last one of a step leads to the next.
    pub(crate) fn action_done(&mut self, no: u32, spec: SpecNo) {
        self.records.statuses.moved(no, Some(spec));
        self.records.touch(spec);
        let mut last = false;
        self.deployments.change(no, |deployment| {
            deployment.open.remove(&spec);
            last = deployment.open.is_empty();
        });
        if last {
            self.deployments.wake(no);
        }
    }

    /// Starts an instance's readiness check, or records its answer.
    pub(crate) fn carry_asking_out(&mut self, spec: &RunSpec, deployment: u32, asking: Option<Asking>) {
        match asking {
            None => {}
            Some(Asking::Begins(key, instance)) => {
                if let Some(check) = &spec.def.readiness {
                    self.probes.watch_readiness(self.records, self.port, key, &instance, check);
                }
            }
            Some(Asking::Answered(key, result)) => {
                let ready = result.ready;
                self.records.statuses.revision += 1;
                self.deployments.change(deployment, |deployment| {
                    deployment.readiness.insert(result.task.clone(), result);
                });
                if ready {
                    self.probes.unwatch_readiness(self.records, self.port, key);
                }
            }
        }
    }
}
