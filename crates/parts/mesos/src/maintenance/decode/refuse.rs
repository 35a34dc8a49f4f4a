//! Lifetimes of refusals.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (refuse_seconds). Match.

use crate::MAX_REFUSE_MS;

/// Converts `refuse_seconds` to milliseconds; `None` means the default, for negative values and values that cannot be
/// a duration. Rounds up, so that only 0 itself means no filter.
pub fn refuse_ms(seconds: f64) -> Option<u64> {
    /// Upper limit: the seconds that fit into 64 bits of nanoseconds.
    const MAX_SECONDS: f64 = 9_223_372_036.0;
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return None;
    }
    let ms: u64 = format!("{:.0}", (seconds * 1_000.0).ceil()).parse().ok()?;
    Some(ms.min(MAX_REFUSE_MS))
}
