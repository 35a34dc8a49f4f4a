//! ACCEPT_INVERSE_OFFERS and DECLINE_INVERSE_OFFERS of the scheduler API, and how long a refusal holds.
//!
//! Source: `apache/mesos: include/mesos/v1/scheduler/scheduler.proto`, `src/master/master.cpp`,
//! `src/master/allocator/mesos/hierarchical.cpp` (refuse_seconds). Match.

use super::{Fields, Path, Reader};
use crate::{MAX_REFUSE_MS, maintenance::Refused};
use planarium_protocol::Text;
use serde_json::Value;

/// Which inverse offers are answered, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InverseAnswer {
    /// Ids on the wire.
    pub offer_ids: Vec<Text>,
    /// How long not to be asked again; none is the default.
    pub refuse_ms: Option<u64>,
}

/// Reads the part of the call beside its type: `{inverse_offer_ids, filters}`.
pub fn inverse_answer(payload: &Value) -> Result<InverseAnswer, Refused> {
    let fields = Fields::of(payload)?;
    let mut reader = Reader::default();
    let filters = fields.message("filters")?;
    let seconds = filters.map(|filters| filters.double("refuse_seconds")).transpose()?.flatten();
    let mut offer_ids = Vec::new();
    for (row, id) in fields.messages("inverse_offer_ids")?.iter().enumerate() {
        let path = Path::ROOT.element("inverse_offer_ids", row);
        offer_ids.extend(id.text("value")?.or_else(|| reader.missing(&path.field("value"))));
    }
    reader.finish()?;
    Ok(InverseAnswer { offer_ids, refuse_ms: seconds.and_then(refuse_ms) })
}

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
