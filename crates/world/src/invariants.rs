//! Invariants after every step, whatever was put in.
//!
//! Knows: whom to ask. Must not know: what the parts check.

use crate::parts::Parts;
use crate::processes::Processes;

/// The first thing that does not hold, in words.
pub(crate) fn first_broken(parts: &Parts, processes: &Processes) -> Option<String> {
    let mut found = parts.check();
    found.extend(processes.check(&parts.fleet));
    found.into_iter().next()
}
