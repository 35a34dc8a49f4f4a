//! A second run on the clock of the one shown.

use crate::ptr::Ptr;
use crate::tally::Tally;
use planarium_protocol::json::Read;
use planarium_protocol::{Text, View};
use serde::Serialize;

/// The run to compare with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub enum Against {
    /// Another branch.
    Branch(u32),
    /// The run shown before the world was last replaced.
    Before,
    /// A world with the definitions as edited.
    Edited,
    /// Two new worlds in place of the one shown: without the change of this recipe, and with it beside.
    Recipe(usize),
    /// The solution of the lesson that is open.
    Solution,
    /// An earlier try of the lesson that is open, by its number.
    Earlier(usize),
}

/// Another run on the clock of the one shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Which one.
    pub against: Against,
    /// In words.
    pub name: Text,
    /// Its view at the same instant.
    pub view: Ptr<View>,
    /// Ends of this run and the other.
    pub heads: [u64; 2],
    /// This run and the other in numbers.
    pub tallies: [Tally; 2],
}
