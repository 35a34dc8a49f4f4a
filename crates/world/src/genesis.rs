//! The full starting parameters of a world.
//!
//! Knows: the seed, the calendar time of genesis, the flags of the master. Must not know: anything that inputs can set
//! later.

use planarium_part::Flags;
use planarium_protocol::input::Sharing;
use planarium_protocol::json::Value;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Starting parameters of a world; together with the inputs they determine the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Genesis {
    /// Fixes every draw.
    pub seed: u64,
    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// The master's flag `offer_timeout`: how long an unanswered offer stays open; without end if absent.
    /// *Units*: milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_timeout_ms: Option<u64>,
    /// The master's flag `agent_removal_rate_limit`: minimum time between removals of two unresponsive agents; none if
    /// absent. *Units*: milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_removal_interval_ms: Option<u64>,
    /// Sharing mode: each layer sees the others' allocations, or each has whole machines.
    pub sharing: Sharing,
    /// Mesos runs from the beginning, so that machines register with its master when they join; otherwise it starts with the
    /// first input that needs it.
    #[serde(skip_serializing_if = "is_true")]
    pub mesos: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_true(flag: &bool) -> bool {
    *flag
}

impl Genesis {
    /// Returns the cluster's flags.
    pub(crate) fn flags(self) -> Flags {
        let Self { seed, epoch_ms, offer_timeout_ms, agent_removal_interval_ms, sharing, .. } = self;
        let of_programs =
            [("offer_timeout", offer_timeout_ms), ("agent_removal_rate_limit", agent_removal_interval_ms)];
        Flags { seed, epoch_ms, sharing, of_programs }
    }
}

impl Default for Genesis {
    fn default() -> Self {
        Self {
            seed: 1,
            epoch_ms: 1_443_830_400_000,
            offer_timeout_ms: None,
            agent_removal_interval_ms: None,
            mesos: true,
            sharing: Sharing::Together,
        }
    }
}

/// Reads a run's genesis. Runs recorded before the sharing mode existed use separate machines.
///
/// *Errors*: unknown fields, values of other types.
pub(crate) fn recorded<'de, D: Deserializer<'de>>(source: D) -> Result<Genesis, D::Error> {
    let mut value = Value::deserialize(source)?;
    if let Some(fields) = value.as_object_mut() {
        fields.entry("sharing").or_insert_with(|| Sharing::Apart.as_str().into());
    }
    Genesis::deserialize(value).map_err(D::Error::custom)
}

/// Returns the genesis of a run that records none.
pub(crate) fn unsaid() -> Genesis {
    Genesis { sharing: Sharing::Apart, ..Genesis::default() }
}
