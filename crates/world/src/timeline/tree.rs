//! Positions to return to, and all branches as data.
//!
//! Knows: where branches fork and what each recorded after that. Must not know: what an input means.

use super::Engine;
use super::branch::Position;
use super::journal::{Journal, ReplayError};
use crate::limits::LIMITS;
use serde::{Deserialize, Serialize};

/// A position on a branch, between two steps, possibly within an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The branch.
    pub branch: u32,
    /// Steps before it.
    steps: u64,
    /// *Units*: milliseconds since genesis.
    now_ms: u64,
    /// Last event before it.
    seq: u64,
    /// Last input before it.
    inputs: u64,
}

impl Place {
    fn of(branch: u32, at: Position) -> Self {
        Self { branch, steps: at.steps, now_ms: at.now_ms, seq: at.seq, inputs: at.inputs }
    }

    fn position(self) -> Position {
        Position { steps: self.steps, now_ms: self.now_ms, seq: self.seq, inputs: self.inputs }
    }
}

/// All branches, and the cursor.
///
/// *Invariant*: the branches are ordered by id, and each forks from an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// The branches.
    pub branches: Vec<Grown>,
    /// The cursor.
    pub cursor: Place,
}

/// A branch as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grown {
    /// Position at which it left its parent; `None` for the first branch.
    #[serde(default)]
    pub from: Option<Place>,
    /// Its journal after that.
    pub journal: Journal,
}

impl Tree {
    /// Returns everything recorded on the path to the head of a branch. `None` if the branch does not exist.
    pub fn whole(&self, branch: u32) -> Option<Journal> {
        let at = usize::try_from(branch).ok()?.checked_sub(1)?;
        let grown = self.branches.get(at)?;
        let mut journal = grown.journal.clone();
        if let Some(from) = grown.from.filter(|from| from.branch < branch) {
            let mut shared = self.whole(from.branch)?.entries;
            shared.truncate(usize::try_from(from.inputs).ok()?);
            shared.append(&mut journal.entries);
            journal.entries = shared;
        }
        Some(journal)
    }
}

impl Engine {
    /// Returns the cursor.
    pub fn place(&self) -> Place {
        Place::of(self.branch.id(), Position::of(&self.world))
    }

    /// Seeks a position. Returns false if it does not exist; the cursor is then somewhere on its branch.
    pub fn go_to_place(&mut self, place: Place) -> bool {
        self.switch_branch(place.branch) && {
            self.go_to(place.position());
            self.place() == place
        }
    }

    /// Opens a branch at a position and switches to it; later inputs stay on their own branch. Returns false if the
    /// position does not exist.
    pub fn branch_from(&mut self, place: Place) -> bool {
        let found = self.go_to_place(place);
        if found {
            self.fork();
        }
        found
    }

    /// Returns all branches as data. The cursor does not move.
    pub fn tree(&mut self) -> Tree {
        let cursor = self.place();
        let mut branches = Vec::new();
        for view in self.branches() {
            self.switch_branch(view.id);
            let from = self.branch.parted().map(|(parent, at)| Place::of(parent, at));
            let mut journal = self.journal();
            let shared = from.map_or(0, |from| usize::try_from(from.inputs).unwrap_or(usize::MAX));
            journal.entries.drain(..shared.min(journal.entries.len()));
            branches.push(Grown { from, journal });
        }
        self.go_to_place(cursor);
        Tree { branches, cursor }
    }

    /// Replays all branches and restores the cursor.
    ///
    /// *Errors*: a branch cannot be replayed, or forks from a position that does not exist.
    pub fn of_tree(tree: &Tree) -> Result<Self, ReplayError> {
        let first = tree.branches.first().map(|first| &first.journal);
        let (mut engine, _) = Self::open(first.unwrap_or(&Journal::default()))?;
        engine.grow(tree)?;
        Ok(engine)
    }

    /// Adds the other branches of a tree to an engine that has the first one.
    ///
    /// *Errors*: a branch cannot be replayed, or forks from a position that does not exist.
    pub fn grow(&mut self, tree: &Tree) -> Result<(), ReplayError> {
        for grown in tree.branches.iter().skip(1) {
            let Some(from) = grown.from.filter(|from| self.branch_from(*from)) else {
                return Err(ReplayError::OutOfOrder { seq: grown.from.map_or(0, |from| from.inputs) });
            };
            let mut steps = u64::from(LIMITS.timers_per_input);
            self.put_in_all(&grown.journal, from.inputs, &mut steps)?;
        }
        self.go_to_place(tree.cursor);
        Ok(())
    }
}
