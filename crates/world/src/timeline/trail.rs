//! The last few worlds before the cursor, which a step back keeps for further ones.
//!
//! Knows: worlds in order, and that the past of a branch never changes. Must not know: how they were replayed.

use super::branch::Position;
use crate::limits::TRAIL_BYTES;
use crate::world::World;
use planarium_kernel::Weight;
use std::collections::VecDeque;

/// Worlds after the steps that produced events, oldest first.
#[derive(Default)]
pub(super) struct Trail {
    branch: u32,
    worlds: VecDeque<(World, u64)>,
    bytes: u64,
}

impl Trail {
    pub(super) fn new(branch: u32) -> Self {
        Self { branch, ..Self::default() }
    }

    /// Adds the world after the next such step; drops the oldest ones beyond the budget.
    pub(super) fn push(&mut self, world: &World) {
        if let Some((last, bytes)) = self.worlds.back_mut() {
            *bytes = last.beyond(Some(world));
            self.bytes += *bytes;
        }
        self.worlds.push_back((world.clone(), 0));
        while self.bytes > TRAIL_BYTES
            && let Some((_, bytes)) = self.worlds.pop_front()
        {
            self.bytes -= bytes;
        }
    }

    /// Takes the last world before a position of a branch, and drops those after it, which are no longer needed.
    pub(super) fn pop_before(&mut self, branch: u32, place: Position) -> Option<World> {
        if self.branch != branch {
            return None;
        }
        while let Some((world, _)) = self.worlds.pop_back() {
            self.bytes -= self.worlds.back().map_or(0, |(_, bytes)| *bytes);
            if Position::of(&world) < place {
                return Some(world);
            }
        }
        None
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
