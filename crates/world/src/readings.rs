//! Cache of the definitions read last, so that equal requests are read once.
//!
//! *Knows*: that reading is a pure function of the request. *Must not know*: any dialect.
//!
//! An edited definition is checked, shown, tried in a copy of the world and replayed with its journal; each needs the same
//! definition.

use crate::definition::Definition;
use planarium_protocol::input::LoadService;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of cached definitions: those of a world with several services, before and after an edit.
const KEPT: usize = 8;

/// A definition with its request.
type Kept = (Arc<LoadService>, Definition);

thread_local! {
    static LAST: Cell<VecDeque<Kept>> = const { Cell::new(VecDeque::new()) };
    static READ: Cell<u64> = const { Cell::new(0) };
}

/// Returns the definition of a request from the cache, or by reading it.
pub(crate) fn read_once(load: &LoadService, read: impl FnOnce() -> Option<Definition>) -> Option<Definition> {
    // A nested read finds an empty cache and reads on its own.
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
