//! Runtime records of apps and pods beside definitions and instances.
//!
//! *Knows*: the parts. *Must not know*: rules.

use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::deployments::jobs::Job;
use crate::groups::Root;
use crate::health::Checks;
use crate::id::PathId;
use crate::instances::tracker::SpecNo;
use crate::launch_queue::backoff::Backoff;
use crate::offers::statistics::OfferStats;
use crate::shown::{Place, place_of};
use planarium_kernel::cow::Table;
use planarium_kernel::{Digestible, Map, SimTime, SortedMap, Weight};
use planarium_protocol::Text;
use planarium_protocol::view::StepView;
use std::sync::{Arc, OnceLock};

/// The last failure of a task.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) at: SimTime,
    pub(crate) task: Text,
    pub(crate) host: Text,
    pub(crate) agent_id: Option<Text>,
    pub(crate) state: &'static str,
    pub(crate) message: Text,
    pub(crate) version: Stamp,
    /// The event that reported it.
    pub(crate) event: u64,
}

/// A scaling outside of deployments that waits for instances to end.
#[derive(Clone, Debug)]
pub(crate) struct Rescaling {
    pub(crate) lock: u64,
    /// Instances that are to end first, with their tasks at that time.
    pub(crate) waits: crate::instances::scaling::Ending,
    /// Number to start then.
    pub(crate) start: u32,
}

/// Runtime record of an app or pod.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(shown, lock.unwrap_or(0), stats.processed, backoff.next_end(SimTime::ZERO).unwrap_or_default())]
#[weight(
    own 512 + 96 * self.stats.last.len() as u64,
    own self.checks.values().map(|checks| checks.weight()).sum::<u64>(),
)]
pub(crate) struct SpecRun {
    pub(crate) id: PathId,
    /// Its place in the view.
    pub(crate) place: Place,
    /// Its specification in the present tree.
    pub(crate) spec: Option<Arc<RunSpec>>,
    pub(crate) backoff: Backoff,
    pub(crate) stats: Arc<OfferStats>,
    /// The deployment that holds the lock.
    pub(crate) lock: Option<u64>,
    pub(crate) rescaling: Option<Arc<Rescaling>>,
    /// Its job in a deployment.
    pub(crate) job: Option<Arc<Job>>,
    /// Health checks under way, by version.
    pub(crate) checks: SortedMap<Stamp, Arc<Checks>>,
    pub(crate) failure: Option<Arc<Failure>>,
    /// The newest wish for offers when its last delay ended.
    pub(crate) wish_from: u64,
    /// The displayed status; empty if it is not defined.
    pub(crate) shown: &'static str,
    /// Since when.
    pub(crate) shown_since: SimTime,
    /// Grows with every change.
    pub(crate) revision: u64,
    /// Its view, made on demand.
    pub(crate) step: OnceLock<Arc<StepView>>,
}

/// Runtime records of apps and pods, by number: numbers are given in order and never taken back.
#[derive(Clone, Default, Weight)]
#[weight(all, flat numbers)]
pub(crate) struct Apps {
    all: Table<Arc<SpecRun>>,
    /// Numbers of ids.
    numbers: Map<PathId, SpecNo>,
    /// Number of the last lock.
    lock: u64,
}

impl Apps {
    /// The number of an id; a new one when it has none. `root` is the present tree.
    pub(crate) fn number_of(&mut self, id: &PathId, root: &Root) -> SpecNo {
        if let Some(no) = self.numbers.get(id) {
            return *no;
        }
        let no = SpecNo(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Arc::new(SpecRun::new(id.clone(), root.spec(id).cloned())));
        self.numbers.insert(id.clone(), no);
        no
    }

    /// The number of an id that has one.
    pub(crate) fn known_number(&self, id: &PathId) -> Option<SpecNo> {
        self.numbers.get(id).copied()
    }

    /// The number of a further lock.
    pub(crate) fn new_lock(&mut self) -> u64 {
        self.lock += 1;
        self.lock
    }

    /// Returns the record of a number.
    pub(crate) fn get(&self, no: SpecNo) -> Option<&Arc<SpecRun>> {
        self.all.get(no.0 as usize)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, no: SpecNo) -> Option<&mut SpecRun> {
        self.all.get_mut(no.0 as usize).map(Arc::make_mut)
    }

    /// Returns the number of specs.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// All numbers, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = SpecNo> + use<> {
        (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).map(SpecNo)
    }

    /// All with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SpecNo, &Arc<SpecRun>)> {
        self.numbers().zip(self.all.iter())
    }
}

impl SpecRun {
    /// Of an id that nothing is known of yet.
    pub(crate) fn new(id: PathId, spec: Option<Arc<RunSpec>>) -> Self {
        Self {
            place: place_of(&id),
            id,
            spec,
            backoff: Backoff::default(),
            stats: Arc::default(),
            lock: None,
            rescaling: None,
            job: None,
            checks: SortedMap::new(),
            failure: None,
            wish_from: 0,
            shown: "",
            shown_since: SimTime::ZERO,
            revision: 0,
            step: OnceLock::new(),
        }
    }
}
