//! Invariants after every step, whatever was put in.
//!
//! Knows: whom to ask. Must not know: what the parts check.

use crate::parts::Parts;
use crate::programs::Programs;

/// The first thing that does not hold, in words.
pub(crate) fn first_broken(parts: &Parts, programs: &Programs) -> Option<String> {
    let mut found = parts.check();
    found.extend(programs.check(&parts.fleet));
    found.into_iter().next()
}
