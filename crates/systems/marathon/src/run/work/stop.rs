//! Ending all instances of what is not defined any more.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentActor.scala (stopRunnable)`. Match.

use super::super::bus::Happening;
use super::super::instance::Goal;
use super::super::tracker::{Change, Key, SpecNo};
use super::{Marathon, Work};
use crate::definition::RunSpec;
use crate::deploy::plan::InstanceNo;
use planarium_kernel::SortedSet;
use planarium_mesos::Cluster;
use planarium_part::Cx;
use std::sync::Arc;

/// Instances that have not ended yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopping {
    left: SortedSet<InstanceNo>,
}

impl Stopping {
    pub(super) fn hear(&mut self, change: &Change) {
        let ended = change.now.goal == Goal::Decommissioned && change.now.condition.is_considered_terminal();
        if change.deleted || ended {
            self.left.remove(&change.key.no);
        }
    }

    /// All have.
    pub(crate) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// Those that have not.
    pub(crate) fn left(&self) -> impl Iterator<Item = InstanceNo> + '_ {
        self.left.iter().copied()
    }
}

impl Marathon {
    pub(super) fn begin_stop(&mut self, cx: &mut Cx, cluster: &mut Cluster, no: SpecNo) -> bool {
        self.remove_checks(cx, cluster, no);
        let keys: Vec<Key> = self.tracker.of_spec(no).map(|(key, _)| key).collect();
        for key in keys {
            self.set_goal(cx, key, Goal::Decommissioned, "it is not defined any more");
        }
        let open =
            self.tracker.of_spec(no).filter(|(_, instance)| !instance.condition.is_considered_terminal());
        let left: SortedSet<InstanceNo> = open.map(|(key, _)| key.no).collect();
        let Some(mut job) = self.take_job(no) else { return true };
        if left.is_empty() {
            return self.stopped(cx, no, &job.spec);
        }
        Arc::make_mut(&mut job).work = Work::Stopping(Stopping { left });
        self.put_job(no, job);
        false
    }

    /// All instances have ended.
    pub(super) fn stopped(&mut self, cx: &mut Cx, no: SpecNo, spec: &RunSpec) -> bool {
        self.reset_delay(cx, no, spec);
        if let Some(run) = self.run_mut(no) {
            run.failure = None;
        }
        self.publish(cx, Happening::AppTerminated { id: spec.id.clone() });
        true
    }
}
