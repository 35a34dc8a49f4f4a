//! Carries out actions of deployments: how each begins, and how its job handles events.
//!
//! *Knows*: how a job begins, what is reported when it ends. *Must not know*: plans; what events mean to a job, which
//! [`jobs`](crate::deployments::jobs) decides.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentActor.scala`. Match.

mod jobs;
mod replace;
mod start;
mod stop;

use crate::deployments::jobs::{Job, JobEvent, Starting, Stopping, Work};
use crate::deployments::lifecycle::Deploying;
use crate::deployments::plan::{Action, ActionKind};
use crate::instances::instance::InstanceNo;
use crate::instances::scaling::{self, Ending};
use crate::instances::tracker::SpecNo;
use std::sync::Arc;

impl Deploying<'_, '_> {
    /// Begins an action. True when it is done at once.
    pub(crate) fn begin_action(&mut self, deployment: u32, action: &Action, no: SpecNo) -> bool {
        let spec = action.spec.clone();
        self.probes.add_checks(self.records, self.port, no, &spec);
        let job = |work| Job { deployment, spec: spec.clone(), work };
        let job = match action.kind {
            ActionKind::Start => return true,
            ActionKind::Restart if spec.instances == 0 => return true,
            ActionKind::Stop => job(Work::Stopping(Stopping::default())),
            ActionKind::Scale => job(Work::Ending(Ending::default())),
            ActionKind::Restart => job(Work::Replacing(Box::default())),
        };
        self.put_job(no, Arc::new(job));
        match action.kind {
            ActionKind::Stop => self.begin_stop(no),
            ActionKind::Scale => self.begin_scale(no, &action.kill),
            ActionKind::Start | ActionKind::Restart => self.begin_replace(no),
        }
    }

    /// Puts a job back, or reports that it is done.
    fn after(&mut self, no: SpecNo, job: Arc<Job>, done: bool) {
        if !done {
            self.put_job(no, job);
            return;
        }
        let deployment = job.deployment;
        self.end_job(no, &job);
        self.action_done(deployment, no);
    }

    /// Something happened to an instance of a spec.
    pub(crate) fn job_hears(&mut self, no: SpecNo, news: &JobEvent<'_>) {
        let Some(job) = self.records.run(no).and_then(|run| run.job.as_ref()) else { return };
        let concerns = match (&job.work, news) {
            (Work::Ending(_) | Work::Stopping(_), news) => matches!(news, JobEvent::Gone(_)),
            (Work::Starting(_) | Work::Replacing(_), news) => !matches!(news, JobEvent::Gone(_)),
        };
        if !concerns {
            return;
        }
        let Some(mut taken) = self.take_job(no) else { return };
        let job = Arc::make_mut(&mut taken);
        let done = match (&mut job.work, news) {
            (Work::Ending(waits), JobEvent::Gone(change)) => {
                waits.hear(&change.now, change.deleted);
                if waits.is_over() { self.go_on_scaling(no, job) } else { false }
            }
            (Work::Stopping(stopping), JobEvent::Gone(change)) => {
                stopping.hear(change);
                stopping.is_over() && self.stopped(no, &job.spec)
            }
            (Work::Starting(_), news) => self.starting_hears(no, job, news),
            (Work::Replacing(_), news) => self.replacing_hears(no, job, news),
            _ => false,
        };
        self.after(no, taken, done);
    }

    /// **Source**: `DeploymentActor.scala (scaleRunnable)`.
    fn begin_scale(&mut self, no: SpecNo, sentenced: &[InstanceNo]) -> bool {
        let Some(mut taken) = self.take_job(no) else { return true };
        let job = Arc::make_mut(&mut taken);
        let spec = job.spec.clone();
        let proposition = scaling::propose(&self.records.instances_of(no), sentenced, spec.instances, &spec);
        let waits =
            self.records.end_instances(self.port.cx, no, &proposition.go, "there are to be fewer instances");
        let over = waits.is_over();
        job.work = Work::Ending(waits);
        let done = over && self.go_on_scaling(no, job);
        if !done {
            self.put_job(no, taken);
        }
        done
    }

    /// Everybody has ended who was to: the others start.
    fn go_on_scaling(&mut self, no: SpecNo, job: &mut Job) -> bool {
        job.work = Work::Starting(Starting::default());
        self.begin_start(no, job)
    }
}
