//! The timeline: one world with its past, its recorded future and its branches.
//!
//! Knows: journals, checkpoints, cursors and branches. Must not know: what any input or event means.
//!
//! The *cursor* is the position of the shown world; the *head* is the end of the current branch. A cursor before the
//! head replays recorded inputs until it reaches the head, then simulates beyond it.

mod advance;
mod apply;
mod branch;
mod branch_name;
mod checkpoint;
mod journal;
mod log;
mod recall;
mod replayed;
mod seek;
mod trail;
mod tree;

pub use advance::Advanced;
pub use branch::BranchView;
pub use journal::{Difference, JOURNAL_VERSION, Journal, ReplayError, SEMANTICS};
pub use tree::{Grown, Place, Tree};

use crate::genesis::Genesis;
use crate::input::Written;
use crate::world::World;
use branch::{Branch, Position};
use log::Log;
use planarium_kernel::Stretch;
use planarium_kernel::digest::hex;
use planarium_kernel::journal::Entry;
use planarium_part::http::Source;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::ClockView;
use planarium_protocol::{Event, Input, View, Why};
use std::cell::Cell;
use std::sync::Arc;
use trail::Trail;

/// The handle used by everything outside this crate.
pub struct Engine {
    genesis: Genesis,
    /// The world at the cursor.
    world: World,
    /// The branch the cursor is on.
    branch: Branch,
    /// All other branches, by id.
    others: Vec<Branch>,
    next_branch: u32,
    /// Last events of the current branch up to its head.
    log: Log,
    /// Events of the last step, if it replayed forgotten events.
    replayed: Vec<Event>,
    /// Worlds kept for further steps back.
    trail: Trail,
    view: Cell<Option<CachedView>>,
    /// Maximum steps of one advance.
    steps_per_advance: u64,
    /// The last advance reached that limit.
    cut_off: bool,
}

/// A view with the state that it shows.
#[derive(Clone)]
struct CachedView {
    branch: u32,
    steps: u64,
    now_ms: u64,
    at_head: bool,
    view: Arc<View>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("now_ms", &self.now_ms())
            .field("seq", &self.seq())
            .field("branch", &self.branch.id())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An empty world at time zero.
    pub fn new(genesis: Genesis) -> Self {
        let world = World::genesis(genesis);
        Self {
            genesis,
            branch: Branch::main(&world),
            world,
            others: Vec::new(),
            next_branch: 2,
            log: Log::default(),
            replayed: Vec::new(),
            trail: Trail::default(),
            view: Cell::new(None),
            steps_per_advance: crate::limits::STEPS_PER_ADVANCE,
            cut_off: false,
        }
    }

    /// Virtual time at the cursor. *Units*: milliseconds since genesis.
    pub fn now_ms(&self) -> u64 {
        self.world.now_ms()
    }

    /// Virtual time at the head. *Units*: milliseconds since genesis.
    pub fn head_ms(&self) -> u64 {
        self.branch.head().now_ms
    }

    /// Number of the last event before the cursor.
    pub fn seq(&self) -> u64 {
        self.world.seq()
    }

    /// Number of the last event before the head.
    pub fn head_seq(&self) -> u64 {
        self.branch.head().seq
    }

    /// Returns whether the cursor is at the head.
    pub fn at_head(&self) -> bool {
        Position::of(&self.world) == self.branch.head()
    }

    /// Returns whether no further change will happen: no recorded input follows, and only periodic work without
    /// effect.
    pub fn idle(&self) -> bool {
        self.next_entry().is_none() && self.world.idle()
    }

    /// Returns the instant of the next timer or recorded input.
    pub fn next_event_ms(&self) -> Option<u64> {
        let recorded = self.next_entry().map(|entry| entry.at_ms);
        recorded.into_iter().chain(self.world.next_due_ms()).min()
    }

    /// Digest of the run up to the cursor: 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        hex(self.world.digest())
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.genesis.seed
    }

    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub fn epoch_ms(&self) -> u64 {
        self.genesis.epoch_ms
    }

    /// The starting parameters.
    pub fn genesis(&self) -> Genesis {
        self.genesis
    }

    /// Reports a new listener to a part, at the cursor; not recorded in the journal.
    pub fn stream_begins(&mut self, source: &Source) {
        self.world.stream_begins(source);
    }

    /// Reports to a part that the last listener of a stream has left; returns the input that follows.
    pub fn stream_closed(&mut self, source: &Source) -> Option<Input> {
        self.world.stream_closed(source)
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Clock and identity at the cursor.
    pub fn clock(&self) -> ClockView {
        ClockView {
            now_ms: self.now_ms(),
            epoch_ms: self.genesis.epoch_ms,
            seed: self.genesis.seed,
            seq: self.seq(),
            idle: self.idle(),
            next_event_ms: self.next_event_ms(),
            digest: self.digest(),
        }
    }

    /// Returns the view. Asking twice without a change in between returns the same `Arc`.
    pub fn view(&self) -> Arc<View> {
        let last = self.view.take().filter(|last| last.branch == self.branch.id());
        let at_head = self.at_head();
        let current = match last {
            Some(last)
                if last.steps == self.world.steps()
                    && last.now_ms == self.now_ms()
                    && last.at_head == at_head =>
            {
                last
            }
            last => {
                let mut view = self.world.view(self.clock());
                if let Some(last) = last {
                    share(&mut view, &last.view);
                }
                CachedView {
                    branch: self.branch.id(),
                    steps: self.world.steps(),
                    now_ms: self.now_ms(),
                    at_head,
                    view: Arc::new(view),
                }
            }
        };
        let view = Arc::clone(&current.view);
        self.view.set(Some(current));
        view
    }

    /// Returns the kept events up to the cursor, oldest first: all of them, unless [`Engine::forget_events`] was
    /// called.
    pub fn events(&self) -> Stretch<'_, Event> {
        self.log.up_to(self.seq())
    }

    /// Returns the kept events after number `seq` up to the cursor.
    pub fn events_since(&self, seq: u64) -> Stretch<'_, Event> {
        self.log.between(seq, self.seq())
    }

    /// Returns the kept events of the current branch up to its head, including those after the cursor.
    pub fn all_events(&self) -> Stretch<'_, Event> {
        self.log.up_to(u64::MAX)
    }

    /// Estimates the memory of the world at the cursor without events and checkpoints. *Units*: bytes.
    pub fn weight(&self) -> u64 {
        self.world.weight()
    }

    /// Estimates the memory of the current branch's checkpoints. *Units*: bytes.
    pub fn checkpoint_bytes(&self) -> u64 {
        self.branch.checkpoints.bytes()
    }

    /// Inputs of the current branch up to its head, oldest first. Those after the cursor have a number
    /// above [`Engine::inputs`].
    pub fn entries(&self) -> &[Arc<Entry<Written>>] {
        self.branch.entries()
    }

    /// Number of the last input before the cursor.
    pub fn inputs(&self) -> u64 {
        self.world.inputs()
    }

    /// The request that loaded or last updated a service. Without a dialect, the service of that name that was
    /// installed first.
    pub fn definition(&self, dialect: &str, service: &str) -> Option<&Arc<LoadService>> {
        self.world.definition(dialect, service)
    }

    /// Explains why an element is not finished; `None` if it does not exist.
    pub fn why(&self, path: &ElementPath) -> Option<Why> {
        self.world.why(path)
    }

    /// The next recorded input after the cursor.
    fn next_entry(&self) -> Option<&Arc<Entry<Written>>> {
        self.branch.entry_after(self.world.inputs())
    }
}

/// Reuses the cluster view if neither a machine nor the maintenance schedule has changed; services share their own parts.
fn share(view: &mut View, last: &View) {
    let (machines, before) = (&view.cluster.machines, &last.cluster.machines);
    let same = machines.len() == before.len() && machines.iter().zip(before).all(|(a, b)| Arc::ptr_eq(a, b));
    if same && view.cluster.windows == last.cluster.windows {
        view.cluster = Arc::clone(&last.cluster);
    }
}
