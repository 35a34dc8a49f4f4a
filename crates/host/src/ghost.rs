//! The run that the branch shown parted from, for drawing it behind the lanes.
//!
//! *Knows*: lanes of branches that were left. *Must not know*: what is drawn of them.

use super::Host;
use super::taken::Taken;
use planarium_messages::facts::Fact;
use planarium_messages::gantt::Gantt;
use planarium_messages::ghost::Ghost;
use planarium_messages::ptr::Ptr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Branches whose lanes are kept at most after leaving them; those of others are worked out again.
const KEPT: usize = 16;

/// Lanes of branches that were left, and what was told last.
#[derive(Default)]
pub(crate) struct Ghosts {
    left: BTreeMap<u32, Arc<Gantt>>,
    /// World and branch that the page has the ghost of, and whether there is any.
    told: ((u32, u32), bool),
}

impl Ghosts {
    /// A branch is left; another world begins with none.
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

/// Reports the run that the branch shown parted from, once for each time that the branch is made or entered.
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
    // A branch that stands in for another one since something was undone has no original: that was taken back.
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

/// The lanes of a branch that was not shown yet. Each branch remembers where it was left.
fn lanes_of(host: &mut Host, id: u32, here: u32) -> Option<Arc<Gantt>> {
    let engine = &mut host.shown.engine;
    if !engine.switch_branch(id) {
        return None;
    }
    let mut lanes = Taken::default();
    lanes.follow(engine);
    engine.switch_branch(here);
    Some(lanes.gantt)
}
