//! Invariants checked after every step.
//!
//! Knows: which parts to ask. Must not know: what they check.

use crate::daemons::Daemons;
use crate::parts::Parts;

/// Describes the first broken invariant.
pub(crate) fn first_broken(parts: &Parts, daemons: &Daemons) -> Option<String> {
    let mut found = parts.check();
    found.extend(daemons.check(&parts.fleet));
    found.into_iter().next()
}
