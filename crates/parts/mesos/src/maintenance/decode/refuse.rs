//! Lifetimes of refusals.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (refuse_seconds). Match.

use crate::MAX_REFUSE_MS;

/// `refuse_seconds` as milliseconds; none stands for the default: for what is negative or cannot be a
/// duration. A remainder counts as a whole millisecond, so that only 0 itself means no filter.
pub fn refuse_ms(seconds: f64) -> Option<u64> {
    /// More seconds than 64 bits of nanoseconds hold are no duration.
    const MAX_SECONDS: f64 = 9_223_372_036.0;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return None;
    }
    let ms: u64 = format!("{:.0}", (seconds * 1_000.0).ceil()).parse().ok()?;
    Some(ms.min(MAX_REFUSE_MS))
}
