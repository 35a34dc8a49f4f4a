//! Which change makes which new version.
//!
//! **Source**: `marathon: upgrade/GroupVersioningUtil.scala`. Match.

use crate::definition::spec::{RunSpec, Stamp, VersionInfo};
use crate::groups::Root;
use crate::id::PathId;
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// Specs to restart without a change.
pub(crate) type Marks = SortedSet<PathId>;

/// Returns the changed tree with its new versions. `marks` are restarted.
pub(crate) fn with_versions(version: Stamp, from: &Root, mut to: Root, marks: &Marks) -> Root {
    to.version = version;
    let mut changed: Vec<Arc<RunSpec>> = Vec::new();
    for (old, spec) in from.beside(&to) {
        let Some(spec) = spec else { continue };
        let info = info_of(version, old, spec, !marks.is_empty() && marks.contains(&spec.id));
        if info != spec.version {
            changed.push(Arc::new(RunSpec { version: info, ..RunSpec::clone(spec) }));
        }
    }
    for spec in changed {
        if let Some(place) = to.specs.get_mut(&spec.id) {
            *place = spec;
        }
    }
    to
}

/// *Order* of the rules: new, upgraded, scaled, marked, unchanged.
fn info_of(version: Stamp, old: Option<&Arc<RunSpec>>, new: &Arc<RunSpec>, marked: bool) -> VersionInfo {
    let Some(old) = old else { return VersionInfo::all(version) };
    if old.is_upgrade(new) {
        VersionInfo::all(version)
    } else if old.instances != new.instances {
        VersionInfo { version, scaled: version, changed: old.version.changed }
    } else if marked {
        VersionInfo { version, scaled: old.version.scaled, changed: version }
    } else {
        old.version
    }
}
