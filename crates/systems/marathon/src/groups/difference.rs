//! Differences between two trees.
//!
//! *Knows*: added, removed and changed specs. *Must not know*: the consequences.

use crate::definition::RunSpec;
use crate::groups::Levels;
use crate::groups::Root;
use std::sync::Arc;

/// Specs that are in one tree only, or differ.
#[derive(Debug)]
pub(crate) struct Difference<'a> {
    /// Removed specs, with their place among all before, in order of ids.
    pub(crate) removed: Vec<(usize, &'a Arc<RunSpec>)>,
    /// New and changed specs, with the former one and their place among all after, in order of ids.
    pub(crate) changed: Vec<Change<'a>>,
    /// Set if the dependencies are unchanged.
    needs_stay: bool,
}

/// A new or changed app or pod.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    /// Its place among all after.
    pub(crate) place: usize,
    /// The former spec; none for a new one.
    pub(crate) old: Option<&'a Arc<RunSpec>>,
    /// Description.
    pub(crate) new: &'a Arc<RunSpec>,
}

impl<'a> Difference<'a> {
    /// Returns the changes from `before` to `after`.
    pub(crate) fn between(before: &'a Root, after: &'a Root) -> Self {
        let mut found =
            Self { removed: Vec::new(), changed: Vec::new(), needs_stay: before.has_groups_of(after) };
        let (mut gone, mut place) = (0, 0);
        for pair in before.beside(after) {
            match pair {
                (Some(old), Some(new)) if Arc::ptr_eq(old, new) => {}
                (Some(old), Some(new)) => {
                    found.needs_stay = found.needs_stay && needs_same(old, new);
                    if old != new {
                        found.changed.push(Change { place, old: Some(old), new });
                    }
                }
                (Some(old), None) => found.removed.push((gone, old)),
                (None, Some(new)) => found.changed.push(Change { place, old: None, new }),
                (None, None) => {}
            }
            gone += usize::from(pair.0.is_some());
            place += usize::from(pair.1.is_some());
        }
        let added = found.changed.iter().any(|change| change.old.is_none());
        found.needs_stay = found.needs_stay && found.removed.is_empty() && !added;
        found
    }

    /// Returns the levels of `after`, derived from those of `before` if possible.
    pub(crate) fn levels(&self, before: Option<&Levels>, after: &Root) -> Option<Levels> {
        if self.needs_stay {
            debug_assert_eq!(before, Levels::of(after).as_ref(), "levels are not as kept");
            return before.cloned();
        }
        Levels::of(after)
    }
}

fn needs_same(old: &RunSpec, new: &RunSpec) -> bool {
    let (old, new) = (&old.def, &new.def);
    Arc::ptr_eq(old, new) || old.kind == new.kind && old.dependencies == new.dependencies
}
