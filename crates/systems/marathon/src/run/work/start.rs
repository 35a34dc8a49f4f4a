//! Starting what is missing, and waiting until exactly that many new instances are healthy and ready.
//!
//! **Source**: `marathon: core/deployment/impl/TaskStartActor.scala`. Match.

use super::super::jobs::{Job as Timed, tick_from};
use super::super::tracker::SpecNo;
use super::progress::{Heard, Progress};
use super::{Job, Marathon, News, Work};
use planarium_kernel::{Class, SimTime};
use planarium_mesos::Cluster;
use planarium_part::Cx;
use std::sync::Arc;

/// The first look whether something is missing again, and those after it.
const SYNC_MS: (u64, u64) = (1_000, 5_000);

/// New instances that are waited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starting {
    pub(crate) progress: Progress,
    /// How many are waited for.
    pub(crate) count: usize,
    /// Since when.
    since: SimTime,
}

impl Marathon {
    pub(super) fn begin_start(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        no: SpecNo,
        job: &mut Job,
    ) -> bool {
        let _ = cluster;
        let missing = job.spec.instances.saturating_sub(self.tracker.counts(no).present);
        let count = usize::try_from(missing).unwrap_or(usize::MAX);
        job.work = Work::Starting(Starting { count, since: cx.now(), ..Starting::default() });
        let spec = job.spec.clone();
        self.launch(cx, no, &spec, missing, "there are to be more instances");
        count == 0
    }

    pub(super) fn starting_hears(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        no: SpecNo,
        job: &mut Job,
        news: &News<'_>,
    ) -> bool {
        let Work::Starting(starting) = &mut job.work else { return false };
        let (spec, deployment) = (job.spec.clone(), job.deployment);
        match starting.progress.hear(self, cx, cluster, (&spec, deployment), news) {
            Heard::Advanced(_) => return starting.progress.is(starting.count),
            Heard::Understood => return false,
            Heard::Nothing => {}
        }
        if let News::Changed(change) = news
            && change.now.version() == spec.version.version
            && change.now.condition.is_terminal()
        {
            starting.progress.ended(change.key.no);
            if change.now.goal.is_terminal() {
                self.launch(cx, no, &spec, 1, "an instance that the deployment had started was taken away");
            }
        }
        self.watch_missing(cx, no, job);
        false
    }

    /// Wakes up when the job next looks, if something is missing.
    fn watch_missing(&mut self, cx: &Cx, no: SpecNo, job: &Job) {
        let Work::Starting(starting) = &job.work else { return };
        if job.spec.instances <= self.tracker.counts(no).present {
            self.disarm(Timed::Sync(no));
        } else if !self.is_armed(Timed::Sync(no)) {
            let at = tick_from(cx.now().saturating_add(1), starting.since, SYNC_MS);
            self.arm_job(Timed::Sync(no), at, Class::OneShot, cx.cause());
        }
    }

    /// Starts again what is missing.
    pub(in super::super) fn sync(&mut self, cx: &mut Cx, no: SpecNo) {
        let Some(job) = self.run(no).and_then(|run| run.job.clone()) else { return };
        if let Work::Starting(_) = job.work {
            let spec: Arc<_> = job.spec.clone();
            let missing = spec.instances.saturating_sub(self.tracker.counts(no).present);
            self.launch(cx, no, &spec, missing, "instances that the deployment had started are gone");
        }
    }
}
