//! The running process: instances, the launch queue, deployments, and what drives them.
//!
//! *Knows*: everything that the real process holds in memory or in its store. *Must not know*: requests, views, files.
//!
//! Parts of the real process tell each other of changes by messages. Here each change of an instance is put in a line
//! ([`tracker::Tracker`]), and everything that reacts to it does so in the real order before the next one is looked at
//! ([`Marathon::settle`]). All of that takes no time.

pub(crate) mod backoff;
pub(crate) mod board;
mod build;
pub(crate) mod bus;
mod changes;
mod check;
pub(crate) mod deployments;
mod digest;
pub(crate) mod groups;
pub(crate) mod health;
pub(crate) mod instance;
mod jobs;
pub(crate) mod kill;
mod launch;
pub(crate) mod matching;
pub(crate) mod network;
mod offers;
mod revive;
pub(crate) mod scaling;
pub(crate) mod spec_run;
mod start;
pub(crate) mod stats;
mod statuses;
pub(crate) mod tell;
pub(crate) mod tracker;
mod watches;
pub(crate) mod work;

use crate::dates::Calendar;
use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::group::{Levels, Root};
use crate::id::PathId;
use crate::settings::Settings;
use bus::{Bus, Happening};
use deployments::Deployments;
use jobs::Job;
use kill::Kills;
use planarium_ground::ProcessId;
use planarium_kernel::{Cause, Class, EventQueue, Map, SimTime, SortedMap, SortedSet, TimerId, draw};
use planarium_mesos::Cluster;
use planarium_mesos::api::FrameworkId;
use planarium_part::{Cx, Number};
use planarium_protocol::Text;
use revive::Revive;
use spec_run::{SpecRun, Specs};
use std::sync::{Arc, OnceLock};
use tracker::{Key, SpecNo, Tracker};

/// A job that is to wake up, and what stands behind it.
#[derive(Clone, Copy, Debug)]
struct Armed {
    job: Job,
    cause: Cause,
}

/// The running process.
#[derive(Clone)]
pub(crate) struct Marathon {
    /// Number of the process among all in the world.
    pub(crate) number: Number,
    pub(crate) settings: Arc<Settings>,
    pub(crate) seed: u64,
    pub(crate) calendar: Calendar,
    pub(crate) framework: FrameworkId,
    /// Id of the framework on the wire, once the master has said it.
    pub(crate) framework_id: Text,
    /// The master's own region.
    pub(crate) region: Option<Text>,
    /// When the process started, or last started again.
    pub(crate) born: SimTime,
    /// The present tree.
    pub(crate) root: Root,
    /// The levels of the present tree, once somebody has asked.
    levels: OnceLock<Option<Levels>>,
    /// Trees of the last versions.
    pub(crate) roots: SortedMap<Stamp, Root>,
    /// Apps and pods of the last versions.
    pub(crate) versions: Map<PathId, Arc<Vec<Arc<RunSpec>>>>,
    last_stamp: Stamp,
    /// Numbers of ids.
    numbers: Map<PathId, SpecNo>,
    /// What goes with each id beside its instances.
    pub(crate) specs: Specs,
    pub(crate) tracker: Tracker,
    pub(crate) deployments: Deployments,
    kills: Kills,
    revive: Revive,
    pub(crate) bus: Bus,
    timers: EventQueue<Armed>,
    /// The one timer of each job.
    armed: SortedMap<Job, TimerId>,
    /// When and how those jobs are to wake up that find out by themselves whether there is something to do.
    due: SortedMap<Job, (SimTime, Class)>,
    /// Processes that are checked from here, and the other way round.
    watched: Map<ProcessId, Key>,
    asked: Map<Key, ProcessId>,
    /// Specs that have not as many instances as they should, and that nobody works on.
    unbalanced: Map<SpecNo, ()>,
    /// Specs that are not defined any more and have instances that are to run.
    orphans: Map<SpecNo, ()>,
    /// The master may know something that it has not said.
    in_doubt: bool,
    /// Launch tokens left, as of the last refreshing.
    tokens: u64,
    tokens_at: SimTime,
    /// What is shown is as of this; grows with every change.
    pub(crate) revision: u64,
    /// Specs whose shown status may have changed.
    touched: SortedMap<SpecNo, ()>,
    /// Deployments of which what is shown may have changed: as a whole, or one spec in it.
    moved: SortedSet<(u32, Option<SpecNo>)>,
    /// Status words of apps, counted by phase.
    pub(crate) tally: board::Tally,
    /// What was shown last.
    pub(crate) view: crate::view::ViewCache,
    /// The change that failed last, until its refusal is told.
    failed: Option<Arc<groups::FailedChange>>,
    /// Counters of the API's metrics.
    pub(crate) metrics: SortedMap<&'static str, u64>,
}

impl Marathon {
    /// The number of an id; a new one when it has none.
    pub(crate) fn number_of(&mut self, id: &PathId) -> SpecNo {
        if let Some(no) = self.numbers.get(id) {
            return *no;
        }
        let spec = self.root.spec(id).cloned();
        let no = self.specs.add(SpecRun::new(id.clone(), spec));
        self.numbers.insert(id.clone(), no);
        no
    }

    /// The number of an id that has one.
    pub(crate) fn known_number(&self, id: &PathId) -> Option<SpecNo> {
        self.numbers.get(id).copied()
    }

    /// What goes with an id.
    pub(crate) fn run(&self, no: SpecNo) -> Option<&Arc<SpecRun>> {
        self.specs.get(no)
    }

    /// The same, to be changed.
    pub(crate) fn run_mut(&mut self, no: SpecNo) -> Option<&mut SpecRun> {
        self.specs.get_mut(no)
    }

    /// What goes with an id, found by it.
    pub(crate) fn run_of(&self, id: &PathId) -> Option<&Arc<SpecRun>> {
        self.run(self.known_number(id)?)
    }

    /// A version for a change: later than all before.
    pub(crate) fn new_stamp(&mut self, now: SimTime) -> Stamp {
        self.last_stamp = now.ms().max(self.last_stamp.saturating_add(1));
        self.last_stamp
    }

    /// A UUID that nobody has had before.
    pub(crate) fn uuid(&self, purpose: u32, n: u64) -> Text {
        draw::uuid(self.seed, draw::entity(&self.settings.framework), purpose, n).into()
    }

    /// Tells those who listen to events.
    pub(crate) fn publish(&mut self, cx: &Cx, what: Happening) {
        self.bus.publish(cx.now(), cx.next_seq(), what);
    }

    /// Counts for the metrics.
    pub(crate) fn count(&mut self, name: &'static str) {
        *self.metrics.entry(name).or_default() += 1;
    }

    /// Works off everything that has been brought about and not reacted to.
    pub(crate) fn settle(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let cause = cx.cause();
        loop {
            if let Some(change) = self.tracker.next_change() {
                cx.set_cause(change.cause);
                self.react(cx, cluster, &change);
            } else if !self.go_on_deploying(cx, cluster) {
                break;
            }
        }
        cx.set_cause(cause);
        self.update_wish(cx, cluster);
        self.rearm(cx);
        self.show_changes(cx);
        self.tell_of_bus(cx);
    }

    /// When the next timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// Timers that would change something.
    pub(crate) fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }
}
