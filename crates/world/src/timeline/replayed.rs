//! Compares the state after a replay with that of the run.
//!
//! *Knows*: two worlds at one position, and the digests of their states. *Must not know*: the content of a state.
//!
//! The digest of a run covers its inputs and events. Two worlds with equal digests may still differ in state that no
//! event has shown; the states are compared here.

use super::Engine;
use super::branch::Position;
use crate::world::World;

impl Engine {
    /// Replays the journal of the current branch and compares the state at the cursor with the current one.
    ///
    /// *Errors*: it does not replay, or the first part of the world that differs. *Cost*: the whole run once more.
    pub fn compare_with_replay(&self) -> Result<(), String> {
        let mut again = Self::from_journal(&self.journal()).map_err(|error| error.to_string())?;
        again.go_to(Position::of(&self.world));
        match difference(&self.world, &again.world) {
            Some(part) => Err(format!("a replay comes to another state at {} ms: {part}", self.now_ms())),
            None => Ok(()),
        }
    }
}

/// Returns the first part in which two worlds at one position differ.
pub(super) fn difference(one: &World, other: &World) -> Option<String> {
    if one.digest() != other.digest() {
        return Some("what was put in and reported".to_owned());
    }
    let (one, other) = (one.state_digests(), other.state_digests());
    let parts = one.iter().zip(&other).find(|(one, other)| one != other);
    let differing = parts.map(|((name, _), _)| name.clone());
    differing.or_else(|| (one.len() != other.len()).then(|| "the number of daemons".to_owned()))
}
