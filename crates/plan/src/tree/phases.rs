//! The phases of a tree by id.
//!
//! *Knows*: that ids are given in order and never again. *Must not know*: the contents of a phase.
//!
//! *Cost*: every copy has the most recent phases in one piece of its own, so changing one does not look for copies of a chunk;
//! earlier phases are in chunks that copies share. Chunks of phases that left the tree are one.

use std::sync::Arc;

use planarium_kernel::{
    Table,
    cow::{behind, bytes_of},
};

use crate::{ids::PhaseId, tree::PhaseRow};

/// Phases of a chunk, and of the most recent piece.
const CHUNK: usize = 64;

/// A phase in the tree.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// Its position in the plan.
    pub(crate) place: u32,
    row: Arc<PhaseRow>,
}

/// Phases by id; those that left the tree keep an empty row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phases {
    /// Full chunks only.
    old: Table<Option<Placed>, CHUNK>,
    /// Number of rows in `old`.
    before: u32,
    /// At most a chunk.
    last: Vec<Option<Placed>>,
}

impl Phases {
    /// Returns no phases, with room for this many.
    pub(crate) fn with_room(phases: usize) -> Self {
        Self { last: Vec::with_capacity(phases.min(CHUNK)), ..Self::default() }
    }

    /// Number of ids given.
    pub(crate) const fn len(&self) -> usize {
        self.before as usize + self.last.len()
    }

    /// A phase in the tree.
    #[inline]
    pub(crate) fn get(&self, id: PhaseId) -> Option<&PhaseRow> {
        self.placed(id).map(|placed| &*placed.row)
    }

    /// Its position in the plan.
    pub(crate) fn place(&self, id: PhaseId) -> Option<u32> {
        self.placed(id).map(|placed| placed.place)
    }

    /// The place of a phase in `last`, unless it is in `old`.
    #[inline]
    fn recent(&self, id: PhaseId) -> Option<usize> {
        id.0.checked_sub(self.before).map(|at| at as usize)
    }

    #[inline]
    fn placed(&self, id: PhaseId) -> Option<&Placed> {
        match self.recent(id) {
            Some(at) => self.last.get(at)?.as_ref(),
            None => self.old.get(id.index())?.as_ref(),
        }
    }

    /// A phase in the tree, to change. *Cost*: copies it if a copy of the tree shares it.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: PhaseId) -> Option<&mut PhaseRow> {
        let slot = match self.recent(id) {
            Some(at) => self.last.get_mut(at)?,
            None => self.old.get_mut(id.index())?,
        };
        slot.as_mut().map(|placed| Arc::make_mut(&mut placed.row))
    }

    /// Adds a phase in this place of the plan.
    pub(crate) fn push(&mut self, place: usize, row: PhaseRow) {
        if self.last.len() == CHUNK {
            self.old.append(self.last.drain(..));
            self.before = self.before.saturating_add(number(CHUNK));
        }
        self.last.push(Some(Placed { place: number(place), row: Arc::new(row) }));
    }

    /// Moves a phase to another place of the plan. The phase itself stays shared with copies.
    pub(crate) fn set_place(&mut self, id: PhaseId, place: usize) {
        let place = number(place);
        if self.place(id).is_none_or(|before| before == place) {
            return;
        }
        let slot = match self.recent(id) {
            Some(at) => self.last.get_mut(at),
            None => self.old.get_mut(id.index()),
        };
        if let Some(placed) = slot.and_then(Option::as_mut) {
            placed.place = place;
        }
    }

    /// Removes a phase from the tree.
    pub(crate) fn retire(&mut self, id: PhaseId) {
        match self.recent(id) {
            None => self.old.retire(id.index(), None, Option::is_none),
            Some(at) => self.last.get_mut(at).into_iter().for_each(|slot| *slot = None),
        }
    }

    /// Estimates the bytes that this copy holds and `before` does not.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let inside = |slot: &Option<Placed>, old: Option<&Placed>| {
            let row =
                |placed: &Placed| behind(&placed.row, old.map(|old| &old.row), |phase| phase.group.bytes());
            slot.as_ref().map_or(0, row)
        };
        let last = (self.before..)
            .zip(&self.last)
            .map(|(id, slot)| inside(slot, before.and_then(|before| before.placed(PhaseId(id)))));
        self.old.beyond_with(before.map(|before| &before.old), |slot, old| {
            inside(slot, old.and_then(Option::as_ref))
        }) + bytes_of::<Option<Placed>>(self.last.len())
            + last.sum::<u64>()
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
