//! The original run of a branch after the fork, drawn behind the branch's lanes.
//!
//! *Order*: lanes by path. *Must not know*: pixels.

use crate::gantt::Gantt;
use crate::lane::Segment;
use crate::ptr::Ptr;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use serde::Serialize;

/// The stretches of a lane after the fork.
pub type GhostLane = Ptr<Vec<Segment>>;

/// The original run from the fork on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Ghost {
    /// When the branch parted from it.
    pub from_ms: u64,
    /// Its end.
    pub to_ms: u64,
    /// Its lanes.
    pub lanes: Vec<(ElementPath, GhostLane)>,
}

impl Ghost {
    /// Cuts the lanes of a run at an instant; `None` if nothing follows it.
    pub fn of(gantt: &Gantt, from_ms: u64, to_ms: u64) -> Option<Self> {
        let all = gantt.lanes().chain(&gantt.machines.lanes);
        let cut = all.filter_map(|lane| {
            let after = lane.segments(to_ms).into_iter().filter(|it| it.to_ms > from_ms);
            let after: Vec<_> = after.map(|it| Segment { from_ms: it.from_ms.max(from_ms), ..it }).collect();
            (!after.is_empty()).then(|| (lane.path.clone(), Ptr::new(after)))
        });
        let mut lanes: Vec<_> = cut.collect();
        lanes.sort_by(|a, b| a.0.cmp(&b.0));
        (to_ms > from_ms && !lanes.is_empty()).then_some(Self { from_ms, to_ms, lanes })
    }

    /// The lane of a step, or of a task on a machine.
    pub fn lane(&self, path: &ElementPath) -> Option<&GhostLane> {
        let at = self.lanes.binary_search_by(|(own, _)| own.cmp(path)).ok()?;
        self.lanes.get(at).map(|(_, lane)| lane)
    }
}
