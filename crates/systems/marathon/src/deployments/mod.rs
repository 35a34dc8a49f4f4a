//! Deployments: accepted, carried out step by step, cancelled; and their locks.
//!
//! *Knows*: the deployments, their progress, and conflicts. *Must not know*: what an action does; how a plan is computed.
//!
//! The real process needs time for storing plans and stopping workers; here both take none: an accepted deployment
//! begins immediately, and a cancelled one is removed immediately.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentManagerActor.scala, DeploymentActor.scala,
//! MarathonSchedulerActor.scala`. Match.

pub(crate) mod actions;
pub(crate) mod invariants;
pub(crate) mod jobs;
pub(crate) mod lifecycle;
pub(crate) mod plan;
pub(crate) mod planning;
pub(crate) mod revert;

use crate::deployments::plan::Plan;
use crate::instances::tracker::SpecNo;
use crate::statuses::Words;
use jobs::progress::ReadinessResult;
use jobs::replacing::Replacing;
use planarium_kernel::{Cause, Digestible, SimTime, SortedMap, SortedSet};
use planarium_protocol::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of finished deployments that are still shown.
const REMEMBERED: usize = 8;

/// Stages of a deployment.
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
#[derive(Clone, Debug, Digestible)]
#[digest(no, plan.id, stage as u64, step, each open)]
pub(crate) struct Deployment {
    /// In order of acceptance, from 1.
    pub(crate) no: u32,
    pub(crate) plan: Arc<Plan>,
    pub(crate) stage: Stage,
    /// The step under way, from 1; 0 before the first.
    pub(crate) step: u32,
    /// Actions of the step that are not done.
    pub(crate) open: SortedSet<SpecNo>,
    /// Answers of readiness checks, by task.
    pub(crate) readiness: SortedMap<Text, ReadinessResult>,
    pub(crate) lock: u64,
    pub(crate) since: SimTime,
    /// When each step ended.
    pub(crate) ended: Vec<SimTime>,
    /// When it was over.
    pub(crate) over: Option<SimTime>,
    /// Its cause.
    pub(crate) cause: Cause,
    /// The event of its last progress.
    pub(crate) event: u64,
    /// Curves of finished restarts.
    pub(crate) curves: SortedMap<SpecNo, Arc<Replacing>>,
    /// Revision of the last view of a finished one.
    pub(crate) revision: u64,
    /// The words that are shown.
    pub(crate) words: Words,
}

impl Deployment {
    /// The step under way, by index; none before the first.
    pub(crate) fn under_way(&self) -> Option<usize> {
        usize::try_from(self.step).ok()?.checked_sub(1)
    }

    /// It is not over.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Scheduled | Stage::Deploying)
    }
}

/// All deployments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deployments {
    last: u32,
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

    /// Finds an unfinished deployment by id.
    pub(crate) fn find(&self, id: &str) -> Option<&Arc<Deployment>> {
        self.running().find(|deployment| *deployment.plan.id == *id)
    }

    /// Returns the number of deployments so far.
    pub(crate) fn count(&self) -> u32 {
        self.last
    }

    /// The number of a further deployment.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// A further deployment, which may go on.
    pub(crate) fn add(&mut self, deployment: Deployment) {
        self.awake.push_back(deployment.no);
        self.all.insert(deployment.no, Arc::new(deployment));
    }

    /// A deployment may go on.
    pub(crate) fn wake(&mut self, no: u32) {
        self.awake.push_back(no);
    }

    /// Takes the next deployment that may go on.
    pub(crate) fn next_awake(&mut self) -> Option<u32> {
        self.awake.pop_front()
    }

    /// No deployment may go on.
    pub(crate) fn let_all_sleep(&mut self) {
        self.awake.clear();
    }

    /// Changes a deployment.
    pub(crate) fn change(&mut self, no: u32, change: impl FnOnce(&mut Deployment)) {
        if let Some(deployment) = self.all.get_mut(&no) {
            change(Arc::make_mut(deployment));
        }
    }

    /// Keeps how a restart went.
    pub(crate) fn keep_curve(&mut self, no: u32, spec: SpecNo, replacing: &Replacing) {
        let curve = Replacing {
            curve: replacing.curve.clone(),
            ignition: replacing.ignition,
            ..Replacing::default()
        };
        self.change(no, |deployment| _ = deployment.curves.insert(spec, Arc::new(curve)));
    }

    /// Forgets the oldest of those that are over.
    pub(crate) fn forget(&mut self) {
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
