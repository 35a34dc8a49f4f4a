//! How long to wait before a status that got lost, or was not acknowledged, is sent again.
//!
//! Source: `apache/mesos: src/slave/constants.hpp` (STATUS_UPDATE_RETRY_INTERVAL_MIN, _MAX). Match.

/// First pause before a lost status is sent again.
const RETRY_MS: u64 = 10_000;
/// Longest such pause.
pub(crate) const MAX_RETRY_MS: u64 = 600_000;

/// The pause after one of this length.
pub(crate) fn next_retry_ms(ms: u64) -> u64 {
    if ms == 0 { RETRY_MS } else { ms.saturating_mul(2).min(MAX_RETRY_MS) }
}
