//! Starts missing instances, and waits until exactly that many new instances are healthy and ready.
//!
//! **Source**: `marathon: core/deployment/impl/TaskStartActor.scala`. Match.

use crate::deployments::jobs::progress::Heard;
use crate::deployments::jobs::{Job, JobEvent, Starting, Work};
use crate::deployments::lifecycle::Deploying;
use crate::instances::tracker::SpecNo;
use crate::timers::{Job as Timed, Rhythm, tick_from};
use planarium_kernel::Class;
use std::sync::Arc;

/// The first check for missing instances, and the interval of later ones.
const SYNC: Rhythm = Rhythm { first_ms: 1_000, every_ms: 5_000 };

impl Deploying<'_, '_> {
    pub(crate) fn begin_start(&mut self, no: SpecNo, job: &mut Job) -> bool {
        let missing = job.spec.instances.saturating_sub(self.records.instances.counts(no).present);
        job.work =
            Work::Starting(Starting { count: missing, since: self.port.cx.now(), ..Starting::default() });
        let spec = job.spec.clone();
        self.records.launch(self.port.cx, no, &spec, missing, "there are to be more instances");
        missing == 0
    }

    pub(crate) fn starting_hears(&mut self, no: SpecNo, job: &mut Job, news: &JobEvent<'_>) -> bool {
        let Work::Starting(starting) = &mut job.work else { return false };
        let (spec, deployment) = (job.spec.clone(), job.deployment);
        let (heard, asking) = starting.progress.hear(&spec, news);
        self.carry_asking_out(&spec, deployment, asking);
        match heard {
            Heard::Advanced(_) => return starting.progress.is(starting.count),
            Heard::Understood => return false,
            Heard::Nothing => {}
        }
        if let JobEvent::Changed(change) = news
            && change.now.version() == spec.version.version
            && change.now.condition.is_terminal()
        {
            starting.progress.ended(change.key.no);
            if change.now.goal.is_terminal() {
                self.records.launch(
                    self.port.cx,
                    no,
                    &spec,
                    1,
                    "an instance that the deployment had started was taken away",
                );
            }
        }
        self.watch_missing(no, job);
        false
    }

    /// Schedules the job's next check for missing instances.
    fn watch_missing(&mut self, no: SpecNo, job: &Job) {
        let Work::Starting(starting) = &job.work else { return };
        if job.spec.instances <= self.records.instances.counts(no).present {
            self.records.timers.disarm(Timed::Sync(no));
        } else if !self.records.timers.is_armed(Timed::Sync(no)) {
            let at = tick_from(self.port.cx.now().saturating_add(1), starting.since, SYNC);
            self.records.timers.arm(Timed::Sync(no), at, Class::OneShot, self.port.cx.cause());
        }
    }

    /// Starts missing instances again.
    pub(crate) fn sync(&mut self, no: SpecNo) {
        let Some(job) = self.records.run(no).and_then(|run| run.job.clone()) else { return };
        if let Work::Starting(_) = job.work {
            let spec: Arc<_> = job.spec.clone();
            let missing = spec.instances.saturating_sub(self.records.instances.counts(no).present);
            self.records.launch(
                self.port.cx,
                no,
                &spec,
                missing,
                "instances that the deployment had started are gone",
            );
        }
    }
}
