//! Branches: paths through one tree of worlds.
//!
//! Knows: where branches fork and what each has recorded. Must not know: how a world advances.

use super::Engine;
use super::branch_name;
use super::checkpoint::Checkpoints;
use super::log::Log;
use crate::input::Written;
use crate::world::World;
use planarium_kernel::journal::Entry;
use planarium_protocol::Event;
use serde::Serialize;
use std::sync::Arc;

/// A position on a branch. *Order*: by steps, then by time since the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) steps: u64,
    pub(super) now_ms: u64,
    pub(super) seq: u64,
    pub(super) inputs: u64,
}

impl Position {
    pub(super) fn of(world: &World) -> Self {
        Self { steps: world.steps(), now_ms: world.now_ms(), seq: world.seq(), inputs: world.inputs() }
    }
}

/// A branch as seen from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BranchView {
    /// Id, never reused within a timeline.
    pub id: u32,
    /// Display name: `main`, or the branch's first input, such as `host-2 lost at 0:31`.
    pub name: String,
    /// The branch it parted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Instant at which it left its parent. *Units*: milliseconds since genesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_at_ms: Option<u64>,
    /// Last event shared with its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_at_seq: Option<u64>,
    /// End of its simulated time. *Units*: milliseconds since genesis.
    pub head_ms: u64,
    /// Its last event.
    pub head_seq: u64,
    /// The cursor is on it.
    pub current: bool,
}

/// Point at which a branch left its parent.
#[derive(Clone, Copy, Debug)]
struct Fork {
    parent: u32,
    at: Position,
}

/// One path in the tree of worlds.
pub(super) struct Branch {
    id: u32,
    name: String,
    fork: Option<Fork>,
    entries: Vec<Arc<Entry<Written>>>,
    head: Position,
    /// Number of steps since the last event, if work of the head's instant is not finished.
    mid_instant: Option<u32>,
    /// The world at the head, kept while the cursor is on another branch.
    head_world: Option<Arc<World>>,
    /// The world at the cursor when the branch was left.
    left_at: Option<Arc<World>>,
    pub(super) checkpoints: Checkpoints,
    /// Events that are not in the log because the current branch does not share them.
    own: Vec<Event>,
}

impl Branch {
    /// The first branch.
    pub(super) fn main(world: &World) -> Self {
        Self {
            id: 1,
            name: "main".to_owned(),
            fork: None,
            entries: Vec::new(),
            head: Position::of(world),
            mid_instant: world.mid_instant(),
            head_world: None,
            left_at: None,
            checkpoints: Checkpoints::new(world),
            own: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Returns the parent branch and the position of the fork.
    pub(super) fn parted(&self) -> Option<(u32, Position)> {
        self.fork.map(|fork| (fork.parent, fork.at))
    }

    pub(super) fn head(&self) -> Position {
        self.head
    }

    /// Returns the number of steps since the last event, if work of the head's instant is not finished.
    pub(super) fn mid_instant(&self) -> Option<u32> {
        self.mid_instant
    }

    pub(super) fn head_world(&self) -> Option<&Arc<World>> {
        self.head_world.as_ref()
    }

    pub(super) fn entries(&self) -> &[Arc<Entry<Written>>] {
        &self.entries
    }

    pub(super) fn entry_after(&self, inputs: u64) -> Option<&Arc<Entry<Written>>> {
        self.entries.get(usize::try_from(inputs).ok()?)
    }

    pub(super) fn record(&mut self, entry: Entry<Written>) {
        let shared = self.fork.and_then(|fork| usize::try_from(fork.at.inputs).ok());
        if shared == Some(self.entries.len()) {
            self.name = branch_name::named(&entry.input, entry.at_ms);
        }
        self.entries.push(Arc::new(entry));
    }

    /// Moves the head to a world beyond it.
    pub(super) fn move_head(&mut self, world: &World) {
        self.head = Position::of(world);
        self.mid_instant = world.mid_instant();
        self.head_world = None;
    }

    /// Keeps the world at the head so that returning is free.
    pub(super) fn keep_head(&mut self, world: &World) {
        if self.head_world.is_none() && Position::of(world) == self.head {
            self.head_world = Some(Arc::new(world.clone()));
        }
    }

    fn view(&self, current: bool) -> BranchView {
        BranchView {
            id: self.id,
            name: self.name.clone(),
            parent: self.fork.map(|fork| fork.parent),
            forked_at_ms: self.fork.map(|fork| fork.at.now_ms),
            forked_at_seq: self.fork.map(|fork| fork.at.seq),
            head_ms: self.head.now_ms,
            head_seq: self.head.seq,
            current,
        }
    }
}

impl Engine {
    /// Returns all branches in order of creation.
    pub fn branches(&self) -> Vec<BranchView> {
        let mut all: Vec<_> = self.others.iter().map(|branch| branch.view(false)).collect();
        all.push(self.branch.view(true));
        planarium_kernel::sorted::sort_by_key(&mut all, |branch| branch.id);
        all
    }

    /// Switches to another branch, at the position where it was left. For the parent of a new fork that is the
    /// instant of the fork, so switching back undoes the fork. Returns false if the branch does not exist.
    pub fn switch_branch(&mut self, id: u32) -> bool {
        if id == self.branch.id {
            return true;
        }
        let Some(at) = self.others.iter().position(|branch| branch.id == id) else { return false };
        // Do this first: the path to the current branch may pass through the other one.
        self.unload_log(0);
        let target = self.others.swap_remove(at);
        self.branch.keep_head(&self.world);
        self.branch.left_at = Some(Arc::new(self.world.clone()));
        let left = std::mem::replace(&mut self.branch, target);
        self.others.push(left);
        self.load_log();
        let start = self.branch.left_at.take().or_else(|| self.branch.head_world.clone());
        match start {
            Some(world) => self.world = World::clone(&world),
            None => self.go_to(self.branch.head()),
        }
        self.thin_others();
        true
    }

    /// Opens a branch at the cursor and switches to it.
    pub(super) fn fork(&mut self) {
        let at = Position::of(&self.world);
        let shared = usize::try_from(at.inputs).unwrap_or(usize::MAX);
        let parent = self.branch_around(at);
        let id = self.next_branch;
        self.next_branch = self.next_branch.saturating_add(1);
        let child = Branch {
            id,
            name: format!("branch {id}"),
            fork: Some(Fork { parent, at }),
            entries: self.branch.entries.iter().take(shared).cloned().collect(),
            head: at,
            mid_instant: self.world.mid_instant(),
            head_world: None,
            left_at: None,
            checkpoints: self.branch.checkpoints.up_to(at.steps),
            own: Vec::new(),
        };
        self.unload_log(at.seq);
        self.branch.left_at = Some(Arc::new(self.world.clone()));
        let parent = std::mem::replace(&mut self.branch, child);
        self.others.push(parent);
        self.thin_others();
    }

    /// Returns the branch that owns a position on the path to the current one: the current branch or an ancestor that
    /// forked later.
    fn branch_around(&self, at: Position) -> u32 {
        let mut branch = &self.branch;
        while let Some(fork) = branch.fork
            && at < fork.at
            && let Some(parent) = self.others.iter().find(|other| other.id == fork.parent)
        {
            branch = parent;
        }
        branch.id
    }

    /// Moves events after number `seq` from the log to the branches that own them.
    fn unload_log(&mut self, seq: u64) {
        for (id, from) in self.path().into_iter().rev() {
            let mut events = self.log.split_off(from.max(seq));
            if let Some(branch) = self.branch_mut(id) {
                events.append(&mut branch.own);
                branch.own = events;
            }
        }
    }

    /// Fills the empty log with the events on the path to the current branch.
    fn load_log(&mut self) {
        let path = self.path();
        let head = self.branch.head.seq;
        let ends = path.iter().skip(1).map(|(_, from)| *from).chain([head]).collect::<Vec<_>>();
        let mut log = std::mem::take(&mut self.log);
        for ((id, _), end) in path.into_iter().zip(ends) {
            if let Some(branch) = self.branch_mut(id) {
                log.take_from(&mut branch.own, end);
            }
        }
        self.log = log;
    }

    /// Returns the branches from the root to the current one, each with the last event shared with its parent.
    fn path(&self) -> Vec<(u32, u64)> {
        let mut path = Vec::new();
        let mut branch = Some(&self.branch);
        while let Some(this) = branch {
            path.push((this.id, this.fork.map_or(0, |fork| fork.at.seq)));
            // A parent is older than its child, so the loop ends.
            branch = this.fork.and_then(|fork| {
                self.others.iter().find(|other| other.id == fork.parent && other.id < this.id)
            });
        }
        path.reverse();
        path
    }

    fn branch_mut(&mut self, id: u32) -> Option<&mut Branch> {
        if self.branch.id == id {
            return Some(&mut self.branch);
        }
        self.others.iter_mut().find(|branch| branch.id == id)
    }

    /// Limits the checkpoints of the other branches to the budget that the current branch leaves.
    pub(super) fn thin_others(&mut self) {
        let mut left = crate::limits::CHECKPOINT_BYTES.saturating_sub(self.branch.checkpoints.bytes());
        for branch in self.others.iter_mut().rev() {
            if branch.checkpoints.own_bytes() > left {
                branch.checkpoints.forget_own();
            }
            left = left.saturating_sub(branch.checkpoints.own_bytes());
        }
    }
}

/// Events of a single branch, and the shared log; see [`Log`].
impl Log {
    /// Appends events up to number `end` from the front of `own`.
    fn take_from(&mut self, own: &mut Vec<Event>, end: u64) {
        let count = own.partition_point(|event| event.seq <= end);
        let rest = own.split_off(count);
        let events = std::mem::replace(own, rest);
        // If a branch has forgotten its oldest events, earlier ones are useless.
        self.skip_to(events.first().map_or(end, |event| event.seq - 1));
        self.append(events);
    }
}
