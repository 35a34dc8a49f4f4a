//! The `uuid` of a status that has to be acknowledged.

use planarium_kernel::draw;

/// Purpose of the draw that makes the id of a status.
const STATUS_ID: u32 = 0x0A10;

/// Sixteen drawn bytes.
pub(crate) fn status_id(seed: u64, task_id: &str, nth: u64) -> Vec<u8> {
    let entity = draw::entity(task_id);
    let half = |n: u64| draw::draw(seed, entity, STATUS_ID, n).to_be_bytes();
    [half(nth.saturating_mul(2)), half(nth.saturating_mul(2).saturating_add(1))].concat()
}
