//! Definitions that were read last: a text is read once, however often it is asked for.
//!
//! *Knows*: that reading is a pure function of the request. *Must not know*: any dialect.
//!
//! An edit in an editor is checked, shown, tried in a copy of the world and replayed with its journal; each of these asks for the
//! same definition.

use crate::systems::Definition;
use planarium_protocol::input::LoadService;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Definitions that are kept: those of a world with several services, before and after an edit.
const KEPT: usize = 8;

/// A definition with the request that it was read from.
type Kept = (Arc<LoadService>, Definition);

thread_local! {
    static LAST: Cell<VecDeque<Kept>> = const { Cell::new(VecDeque::new()) };
    static READ: Cell<u64> = const { Cell::new(0) };
}

/// The definition of a request: as it was read before, or by reading it.
pub(crate) fn read_once(load: &LoadService, read: impl FnOnce() -> Option<Definition>) -> Option<Definition> {
    // Whoever reads while this one reads finds nothing kept, and reads.
    let mut last = LAST.take();
    let found = last.iter().position(|(kept, _)| **kept == *load);
    let definition = match found.and_then(|at| last.remove(at)) {
        Some((kept, definition)) => {
            last.push_front((kept, definition.clone()));
            Some(definition)
        }
        None => {
            READ.set(READ.get().saturating_add(1));
            let definition = read();
            if let Some(definition) = &definition {
                last.truncate(KEPT - 1);
                last.push_front((Arc::new(load.clone()), definition.clone()));
            }
            definition
        }
    };
    LAST.set(last);
    definition
}

/// Returns how many definitions this thread has read so far.
pub fn readings() -> u64 {
    READ.get()
}
