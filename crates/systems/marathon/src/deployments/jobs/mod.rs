//! The jobs of deployments on one app or pod: their progress, and how they handle each event.
//!
//! *Knows*: plain data and decisions over it. *Must not know*: how a decision is carried out; plans, other jobs.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentActor.scala`. Match.

pub(crate) mod progress;
pub(crate) mod replacing;

use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::instances::instance::{Goal, Instance, InstanceNo};
use crate::instances::scaling::Ending;
use crate::instances::tracker::{Change, Key};
use planarium_kernel::{SimTime, SortedSet};
use progress::Progress;
use replacing::Replacing;
use std::sync::Arc;

/// Work of one action that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Number of the deployment.
    pub(crate) deployment: u32,
    pub(crate) spec: Arc<RunSpec>,
    pub(crate) work: Work,
}

/// Progress of an action.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Waits for instances to end, and starts others then.
    Ending(Ending),
    /// Waits for new instances.
    Starting(Starting),
    /// Waits for all instances to end.
    Stopping(Stopping),
    /// Replaces old instances by new ones.
    Replacing(Box<Replacing>),
}

/// An event for a job.
pub(crate) enum JobEvent<'a> {
    /// Condition or goal of an instance changed.
    Changed(&'a Change),
    /// The same for jobs that wait for instances to end, including changes without a report.
    Gone(&'a Change),
    /// An instance is healthy or not, in this version.
    Health { no: InstanceNo, version: Stamp, healthy: Option<bool> },
    /// An answer of a readiness check.
    Readiness { key: Key, instance: &'a Instance, exit_code: Option<i32> },
}

/// New instances that are waited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starting {
    pub(crate) progress: Progress,
    /// Number of instances waited for.
    pub(crate) count: u32,
    /// Since when.
    pub(crate) since: SimTime,
}

/// Instances that have not ended yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopping {
    left: SortedSet<InstanceNo>,
}

impl Stopping {
    /// Those that are to end.
    pub(crate) fn of(left: SortedSet<InstanceNo>) -> Self {
        Self { left }
    }

    /// An instance changed.
    pub(crate) fn hear(&mut self, change: &Change) {
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
