//! The records used by every rule: definitions, apps, instances, timers, reports to listeners and readers.
//!
//! *Knows*: how the records are connected: numbers of ids, wrong counts, marks of changes. *Must not know*:
//! deployments, offers, kills, checks of processes; each of these has its own record.

use crate::apps::{Apps, SpecRun};
use crate::events::{Bus, Happening};
use crate::groups::Root;
use crate::groups::definitions::Definitions;
use crate::id::PathId;
use crate::instances::balance::Balance;
use crate::instances::instance::Instance;
use crate::instances::tracker::{SpecNo, Tracker};
use crate::setup::Setup;
use crate::statuses::Statuses;
use crate::timers::{Job, Timers};
use planarium_kernel::{SimTime, SortedMap};
use planarium_part::Cx;
use std::sync::Arc;

/// The records that every rule works on.
#[derive(Clone)]
pub(crate) struct Records {
    pub(crate) setup: Setup,
    /// Groups, apps and pods, in their present and earlier versions.
    pub(crate) definitions: Definitions,
    /// Runtime records by id, beside the instances.
    pub(crate) apps: Apps,
    pub(crate) instances: Tracker,
    /// Apps whose count is not right.
    pub(crate) balance: Balance,
    pub(crate) timers: Timers,
    /// Events for those who listen.
    pub(crate) events: Bus,
    /// Shown statuses, and those that may have changed.
    pub(crate) statuses: Statuses,
    /// Counters of the API's metrics.
    pub(crate) metrics: SortedMap<&'static str, u64>,
}

impl Records {
    /// The number of an id; a new one when it has none.
    pub(crate) fn number_of(&mut self, id: &PathId) -> SpecNo {
        self.apps.number_of(id, &self.definitions.root)
    }

    /// The number of an id that has one.
    pub(crate) fn known_number(&self, id: &PathId) -> Option<SpecNo> {
        self.apps.known_number(id)
    }

    /// Returns the runtime record of an id.
    pub(crate) fn run(&self, no: SpecNo) -> Option<&Arc<SpecRun>> {
        self.apps.get(no)
    }

    /// The same, to be changed.
    pub(crate) fn run_mut(&mut self, no: SpecNo) -> Option<&mut SpecRun> {
        self.apps.get_mut(no)
    }

    /// Finds the runtime record of an id.
    pub(crate) fn run_of(&self, id: &PathId) -> Option<&Arc<SpecRun>> {
        self.run(self.known_number(id)?)
    }

    /// The present tree.
    pub(crate) fn root(&self) -> &Root {
        &self.definitions.root
    }

    /// Instances of a spec.
    pub(crate) fn instances_of(&self, no: SpecNo) -> Vec<Arc<Instance>> {
        self.instances.of_spec(no).map(|(_, instance)| instance.clone()).collect()
    }

    /// Tells those who listen to events.
    pub(crate) fn publish(&mut self, cx: &Cx, what: Happening) {
        self.events.publish(cx.now(), cx.next_seq(), what);
    }

    /// Counts for the metrics.
    pub(crate) fn count(&mut self, name: &'static str) {
        *self.metrics.entry(name).or_default() += 1;
    }

    /// Notes that the view of a spec may change.
    pub(crate) fn touch(&mut self, no: SpecNo) {
        self.statuses.touch(no);
    }

    /// Returns the number of instances that the present tree requests for a spec; `None` if it is not defined.
    pub(crate) fn desired(&self, no: SpecNo) -> Option<u32> {
        Some(self.run(no)?.spec.as_ref()?.instances)
    }

    /// Checks again whether a spec has the right number of instances.
    pub(crate) fn weigh(&mut self, no: SpecNo) {
        let wanted = self.instances.counts(no).wanted;
        let locked = self.run(no).is_some_and(|run| run.lock.is_some());
        self.balance.weigh(no, self.desired(no), wanted, locked);
    }

    /// Returns when a wrong count of a spec without a job is checked, the desired and the present number.
    pub(crate) fn next_look_at_counts(&self, no: SpecNo) -> Option<(SimTime, u32, u32)> {
        if !self.balance.is_unbalanced(no) {
            return None;
        }
        let at = self.timers.due_at(Job::Scale)?;
        Some((at, self.desired(no)?, self.instances.counts(no).wanted))
    }

    // ---- locks -------------------------------------------------------------------------------

    /// Takes the lock of a spec from any holder.
    pub(crate) fn lock(&mut self, no: SpecNo) -> u64 {
        let lock = self.apps.new_lock();
        self.hold(no, lock);
        lock
    }

    /// Gives the lock of a spec to the holder of this number.
    pub(crate) fn hold(&mut self, no: SpecNo, lock: u64) {
        if let Some(run) = self.run_mut(no) {
            run.lock = Some(lock);
        }
        self.weigh(no);
    }

    /// Releases a lock, unless another holder has taken it.
    pub(crate) fn unlock(&mut self, no: SpecNo, lock: u64) {
        if let Some(run) = self.run_mut(no).filter(|run| run.lock == Some(lock)) {
            run.lock = None;
        }
        self.weigh(no);
    }
}
