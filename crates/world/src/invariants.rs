//! Invariants after every step, whatever was put in.
//!
//! Knows: whom to ask. Must not know: what the parts check.

use crate::daemons::Daemons;
use crate::parts::Parts;

/// The first thing that does not hold, in words.
pub(crate) fn first_broken(parts: &Parts, daemons: &Daemons) -> Option<String> {
    let mut found = parts.check();
    found.extend(daemons.check(&parts.fleet));
    found.into_iter().next()
}
