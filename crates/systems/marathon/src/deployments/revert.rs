//! Reverts the changes of a plan, in a tree that other changes may have modified since.
//!
//! **Source**: `marathon: core/deployment/impl/DeploymentPlanReverter.scala`. Match.

use crate::deployments::plan::Plan;
use crate::groups::Root;
use crate::id::PathId;
use crate::settings::Settings;
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// Returns the tree without the plan's changes.
pub(crate) fn revert(plan: &Plan, current: &Root, settings: &Settings) -> Root {
    let mut root = current.clone();
    revert_specs(plan, &mut root, settings);
    revert_groups(plan, &mut root, settings);
    root
}

fn revert_specs(plan: &Plan, root: &mut Root, settings: &Settings) {
    let (before, after) = (&plan.original, &plan.target);
    let ids: SortedSet<PathId> = before.specs.keys().chain(after.specs.keys()).cloned().collect();
    for id in &ids {
        match (before.spec(id), after.spec(id)) {
            (Some(old), Some(new)) if Arc::ptr_eq(old, new) || old == new => {}
            (Some(old), _) => root.put(old.clone(), settings),
            (None, Some(_)) => root.remove(id),
            (None, None) => {}
        }
    }
}

/// Inner groups first.
fn revert_groups(plan: &Plan, root: &mut Root, settings: &Settings) {
    let (before, after) = (&plan.original, &plan.target);
    let ids: SortedSet<PathId> = before.groups.keys().chain(after.groups.keys()).cloned().collect();
    for id in ids.iter().rev() {
        match (before.group(id), after.group(id)) {
            (Some(old), None) => {
                // Restore it with its dependencies.
                let mut needs = dependencies(root, id);
                needs.extend(old.dependencies.iter().cloned());
                root.make_group(id, settings);
                root.set_dependencies(id, needs.into_iter().collect(), settings);
            }
            (Some(old), Some(new)) if old.dependencies != new.dependencies => {
                let mut needs = dependencies(root, id);
                let removed = old.dependencies.iter().filter(|one| !new.dependencies.contains(one));
                needs.extend(removed.cloned());
                needs.retain(|one| old.dependencies.contains(one) || !new.dependencies.contains(one));
                root.set_dependencies(id, needs.into_iter().collect(), settings);
            }
            (None, Some(new)) => {
                let unchanged = root.group(id).is_some_and(|now| now.dependencies == new.dependencies);
                if unchanged && root.is_empty_group(id) {
                    root.remove_group(id);
                } else if !new.dependencies.is_empty() {
                    let mut needs = dependencies(root, id);
                    needs.retain(|one| !new.dependencies.contains(one));
                    root.set_dependencies(id, needs.into_iter().collect(), settings);
                }
            }
            _ => {}
        }
    }
}

fn dependencies(root: &Root, id: &PathId) -> SortedSet<PathId> {
    root.group(id).map(|group| group.dependencies.iter().cloned().collect()).unwrap_or_default()
}
