//! The present tree of groups, and the last versions of the tree and its members.
//!
//! *Invariant*: the present tree is among the versions; levels are those of the present tree.
//!
//! **Source**: `marathon: core/group/impl/GroupManagerImpl.scala`. Match.

use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::groups::{Levels, Root};
use crate::id::PathId;
use planarium_kernel::{Map, SimTime, SortedMap};
use std::sync::{Arc, OnceLock};

/// Maximum of versions kept of the tree, of an app and of a pod.
const KEPT: usize = 50;

/// The tree, now and in its last versions.
#[derive(Clone)]
pub(crate) struct Definitions {
    /// The present tree.
    pub(crate) root: Root,
    /// The levels of the present tree, once requested.
    levels: OnceLock<Option<Levels>>,
    /// Trees of the last versions.
    pub(crate) roots: SortedMap<Stamp, Root>,
    /// Apps and pods of the last versions.
    versions: Map<PathId, Arc<Vec<Arc<RunSpec>>>>,
    last_stamp: Stamp,
}

/// An app or pod that a change of the tree touched; none if it is not defined any more.
pub(crate) type Redefined = (PathId, Option<Arc<RunSpec>>);

impl Definitions {
    /// An empty tree.
    pub(crate) fn new(now: SimTime) -> Self {
        let root = Root { version: now.ms(), ..Root::default() };
        let mut roots = SortedMap::new();
        roots.insert(root.version, root.clone());
        Self { root, levels: OnceLock::new(), roots, versions: Map::new(), last_stamp: now.ms() }
    }

    /// A version for a change: later than all before.
    pub(crate) fn new_stamp(&mut self, now: SimTime) -> Stamp {
        self.last_stamp = now.ms().max(self.last_stamp.saturating_add(1));
        self.last_stamp
    }

    /// The levels of the present tree; none when something in it needs itself.
    pub(crate) fn levels(&self) -> Option<&Levels> {
        self.levels.get_or_init(|| Levels::of(&self.root)).as_ref()
    }

    /// Replaces the tree; returns the changed definitions.
    pub(crate) fn replace(&mut self, root: Root) -> Vec<Redefined> {
        let before = std::mem::replace(&mut self.root, root);
        self.levels = OnceLock::new();
        let mut changed: Vec<Redefined> = Vec::new();
        for pair in before.beside(&self.root) {
            match pair {
                (Some(old), Some(spec)) if Arc::ptr_eq(old, spec) || old == spec => {}
                (_, Some(spec)) => changed.push((spec.id.clone(), Some(spec.clone()))),
                (Some(old), None) => changed.push((old.id.clone(), None)),
                (None, None) => {}
            }
        }
        for (id, spec) in &changed {
            if let Some(spec) = spec {
                self.keep_version(id, spec.clone());
            }
        }
        self.roots.insert(self.root.version, self.root.clone());
        while self.roots.len() > KEPT {
            self.roots.pop_first();
        }
        changed
    }

    /// Stores the levels of the present tree from a caller that has computed them.
    pub(crate) fn set_levels(&mut self, levels: Option<Levels>) {
        self.levels = OnceLock::from(levels);
    }

    fn keep_version(&mut self, id: &PathId, spec: Arc<RunSpec>) {
        let empty = || Arc::new(Vec::new());
        self.versions.upsert(id.clone(), empty, |all| {
            let all = Arc::make_mut(all);
            all.retain(|old: &Arc<RunSpec>| old.version.version != spec.version.version);
            all.push(spec.clone());
            let surplus = all.len().saturating_sub(KEPT);
            all.drain(..surplus);
        });
    }

    /// Versions of an app or pod, newest first.
    pub(crate) fn versions_of(&self, id: &PathId) -> Vec<Arc<RunSpec>> {
        self.versions.get(id).map(|all| all.iter().rev().cloned().collect()).unwrap_or_default()
    }

    /// Returns an app or pod in a version.
    pub(crate) fn version_of(&self, id: &PathId, version: Stamp) -> Option<Arc<RunSpec>> {
        self.versions.get(id)?.iter().find(|spec| spec.version.version == version).cloned()
    }
}
