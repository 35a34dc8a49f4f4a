//! What is shown.

use crate::run::Marathon;
use crate::run::tracker::SpecNo;
use crate::shown;
use planarium_kernel::SimTime;

impl Marathon {
    /// The status word of an app or pod; empty for one that is nowhere.
    pub(crate) fn app_status(&self, no: SpecNo, now: SimTime) -> &'static str {
        let Some(run) = self.run(no) else { return "" };
        let counts = self.tracker.counts(no);
        let Some(spec) = self.root.spec(&run.id) else {
            return if run.job.is_some() || counts.all > 0 { shown::DEPLOYING } else { "" };
        };
        if counts.waiting > 0 {
            let delayed = !run.backoff.is_empty()
                && self.tracker.waiting_of(no).all(|(_, instance)| !run.backoff.allows(&instance.spec, now));
            return if delayed { shown::DELAYED } else { shown::WAITING };
        }
        if run.lock.is_some() && run.rescaling.is_none() {
            shown::DEPLOYING
        } else if spec.instances == 0 && counts.present == 0 {
            shown::SUSPENDED
        } else {
            shown::RUNNING
        }
    }
}
