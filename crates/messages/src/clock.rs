//! The clock of the world as a page shows it, branches as tabs, durations in words.

use planarium_protocol::Text;
use planarium_protocol::json::Read;
use serde::Serialize;

/// The clock as shown; moves every frame while playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Clock {
    /// The cursor.
    pub now_ms: u64,
    /// End of what was simulated on this branch.
    pub head_ms: u64,
    /// End of the simulated time on this branch.
    pub seq: u64,
    /// Last event on this branch.
    pub head_seq: u64,
    /// When something happens next.
    pub next_event_ms: Option<u64>,
    /// The seed.
    pub seed: u64,
    /// Nothing more will happen without an input.
    pub idle: bool,
    /// Nothing happens before this scheduled instant.
    pub scheduled_ms: Option<u64>,
    /// Something is planned for a later instant: an entry of the script, a turn of a maintenance window, the end of a failure.
    #[serde(default)]
    pub planned: bool,
}

impl Clock {
    /// Returns whether the cursor is at the end of the simulated time.
    pub fn at_head(&self) -> bool {
        self.now_ms >= self.head_ms && self.seq >= self.head_seq
    }
}

/// A branch as a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct BranchTab {
    /// Id.
    pub id: u32,
    /// Name.
    pub name: Text,
    /// Instant at which the branch left its parent.
    pub forked_at_ms: u64,
    /// Its end.
    pub head_ms: u64,
    /// Shown now.
    pub current: bool,
    /// Its last operation was undone; another branch replaces it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

impl BranchTab {
    /// Its name in a list.
    pub fn title(&self) -> String {
        format!("{}{}", self.name, if self.undone { " (undone)" } else { "" })
    }
}

/// A time as a clock: `00:42.350`, `1:02:03.000` from an hour on.
pub fn clock(ms: u64) -> String {
    let (s, part) = (ms / 1000, ms % 1000);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}.{part:03}") } else { format!("{m:02}:{s:02}.{part:03}") }
}

/// A length in few characters: `350 ms`, `4.2 s`, `42 s`, `3 m 5 s`, `2 h 4 m`.
pub fn short(ms: u64) -> String {
    let s = ms / 1000;
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..10_000 if ms % 1000 >= 100 => format!("{s}.{} s", ms % 1000 / 100),
        1000..60_000 => format!("{s} s"),
        60_000..3_600_000 if s.is_multiple_of(60) => format!("{} m", s / 60),
        60_000..3_600_000 => format!("{} m {} s", s / 60, s % 60),
        _ if (s / 60).is_multiple_of(60) => format!("{} h", s / 3600),
        _ => format!("{} h {} m", s / 3600, s / 60 % 60),
    }
}
