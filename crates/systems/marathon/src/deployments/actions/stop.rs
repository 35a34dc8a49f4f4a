//! Ends all instances of a removed spec.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentActor.scala (stopRunnable)`. Match.

use crate::definition::RunSpec;
use crate::deployments::jobs::{Stopping, Work};
use crate::deployments::lifecycle::Deploying;
use crate::events::Happening;
use crate::instances::instance::{Goal, InstanceNo};
use crate::instances::tracker::{Key, SpecNo};
use planarium_kernel::SortedSet;
use std::sync::Arc;

impl Deploying<'_, '_> {
    pub(crate) fn begin_stop(&mut self, no: SpecNo) -> bool {
        self.probes.remove_checks(self.records, self.port, no);
        let all = self.records.instances.of_spec(no);
        let keys: Vec<(Key, Goal)> = all.map(|(key, instance)| (key, instance.goal)).collect();
        // The change of goal is reported before the end of the app, even if no instance has to end.
        let mut left: SortedSet<InstanceNo> = SortedSet::default();
        for (key, goal) in keys {
            if goal != Goal::Decommissioned {
                left.insert(key.no);
            }
            self.records.set_goal(self.port.cx, key, Goal::Decommissioned, "it is not defined any more");
        }
        let open = self
            .records
            .instances
            .of_spec(no)
            .filter(|(_, instance)| !instance.condition.is_considered_terminal());
        left.extend(open.map(|(key, _)| key.no));
        let Some(mut job) = self.take_job(no) else { return true };
        if left.is_empty() {
            return self.stopped(no, &job.spec);
        }
        Arc::make_mut(&mut job).work = Work::Stopping(Stopping::of(left));
        self.put_job(no, job);
        false
    }

    /// All instances have ended.
    pub(crate) fn stopped(&mut self, no: SpecNo, spec: &RunSpec) -> bool {
        self.records.reset_delay(self.port.cx, no, spec);
        if let Some(run) = self.records.run_mut(no) {
            run.failure = None;
        }
        self.records.publish(self.port.cx, Happening::AppTerminated { id: spec.id.clone() });
        true
    }
}
