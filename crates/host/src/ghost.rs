//! The original run of the branch shown, drawn behind its lanes.
//!
//! *Knows*: lanes of branches that were left. *Must not know*: how they are drawn.

use super::Host;
use super::summary::Summary;
use planarium_messages::facts::Fact;
use planarium_messages::gantt::Gantt;
use planarium_messages::ghost::Ghost;
use planarium_messages::ptr::Ptr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of branches whose lanes are kept after leaving; others are computed again.
const KEPT: usize = 16;

/// Lanes of branches that were left, and the last report.
#[derive(Default)]
pub(crate) struct Ghosts {
    left: BTreeMap<u32, Arc<Gantt>>,
    /// World and branch whose ghost was reported, and whether it has one.
    told: ((u32, u32), bool),
}

impl Ghosts {
    /// Keeps the lanes of a branch that is left; clears them in another world.
    pub(crate) fn leave(&mut self, branch: u32, gantt: &Arc<Gantt>) {
        self.left.insert(branch, Arc::clone(gantt));
        if self.left.len() > KEPT {
            self.left.pop_first();
        }
    }

    /// Another world is shown.
    pub(crate) fn forget(&mut self) {
        self.left.clear();
    }
}

/// Reports the original run of the branch shown, each time that the branch is made or entered.
pub(crate) fn ghost(host: &mut Host) -> Option<Fact> {
    let lineage = host.seen.lineage?;
    if host.ghosts.told.0 == lineage {
        return None;
    }
    let ghost = original(host);
    let before = std::mem::replace(&mut host.ghosts.told, (lineage, ghost.is_some())).1;
    (before || ghost.is_some()).then(|| Fact::Ghost(ghost.map(Ptr::new)))
}

fn original(host: &mut Host) -> Option<Ghost> {
    let branches = host.shown.engine.branches();
    let here = branches.iter().find(|branch| branch.current)?;
    // A branch that replaces another one after an undo has no original run: the original was undone.
    if host.shown.stand_ins.contains(&here.id) {
        return None;
    }
    let (id, from_ms) = (here.parent?, here.forked_at_ms?);
    let parent = branches.iter().find(|branch| branch.id == id)?;
    let gantt = match host.ghosts.left.get(&id) {
        Some(gantt) => Arc::clone(gantt),
        None => lanes_of(host, id, here.id)?,
    };
    Ghost::of(&gantt, from_ms, parent.head_ms)
}

/// Returns the lanes of a branch that was not shown yet. The engine keeps the cursor of each branch.
fn lanes_of(host: &mut Host, id: u32, here: u32) -> Option<Arc<Gantt>> {
    let engine = &mut host.shown.engine;
    if !engine.switch_branch(id) {
        return None;
    }
    let mut lanes = Summary::default();
    lanes.follow(engine);
    engine.switch_branch(here);
    Some(lanes.gantt)
}
