//! Dependencies between apps, and the level of each.
//!
//! *Knows*: edges, longest paths, cycles. *Must not know*: what changes.
//!
//! A group with dependants is a vertex of length zero, so that the number of edges is the sum of dependencies and
//! members, not their product.
//!
//! *Cost*: linear in specs, groups, dependencies and members of groups with dependants.
//!
//! **Source**: `marathon: state/RootGroup.scala (applicationDependencies, dependencyGraph),
//! core/deployment/DeploymentPlan.scala (runSpecsGroupedByLongestPath)`. Match.

use crate::groups::Root;
use crate::id::PathId;
use planarium_kernel::sorted;
use std::cmp::Ordering;
use std::sync::Arc;

/// The level of every spec: the number of specs on the longest dependency path that begins with it. Cheap to clone.
///
/// *Order*: by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels(Arc<[u32]>);

/// The vertices of a walk: specs first, then groups that something depends on.
struct Graph<'a> {
    ids: Vec<&'a PathId>,
    targets: Vec<&'a PathId>,
    /// From where to where, in order.
    edges: Vec<(u32, u32)>,
}

const NEW: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Levels {
    /// The levels of everything there is; none when something needs itself.
    pub(crate) fn of(root: &Root) -> Option<Self> {
        let graph = Graph::of(root);
        let first = graph.first_edges();
        let mut levels = vec![NEW; first.len()];
        // Vertices on the way, each with the edge that comes next and the deepest level behind those before.
        let mut path: Vec<(usize, usize, u32)> = Vec::new();
        for (start, edge) in first.iter().enumerate() {
            if levels.get(start) != Some(&NEW) {
                continue;
            }
            path.push((start, *edge, 0));
            *levels.get_mut(start)? = OPEN;
            while let Some((at, next, deepest)) = path.last_mut() {
                let edge = graph.edges.get(*next).filter(|(from, _)| *from as usize == *at);
                let Some((_, to)) = edge else {
                    let length = u32::from(*at < graph.ids.len());
                    let level = deepest.saturating_add(length);
                    *levels.get_mut(*at)? = level;
                    path.pop();
                    if let Some((_, _, deepest)) = path.last_mut() {
                        *deepest = level.max(*deepest);
                    }
                    continue;
                };
                *next += 1;
                let to = *to as usize;
                match levels.get(to).copied() {
                    Some(NEW) => {
                        *levels.get_mut(to)? = OPEN;
                        path.push((to, *first.get(to)?, 0));
                    }
                    Some(OPEN) | None => return None,
                    Some(level) => *deepest = level.max(*deepest),
                }
            }
        }
        levels.truncate(graph.ids.len());
        Some(Self(levels.into()))
    }

    /// The level of the spec at this place among all, in order of ids; 1 for none.
    pub(crate) fn at(&self, place: usize) -> u32 {
        self.0.get(place).copied().unwrap_or(1)
    }
}

impl<'a> Graph<'a> {
    fn of(root: &'a Root) -> Self {
        let ids: Vec<&PathId> = root.specs.keys().collect();
        let mut targets: Vec<&PathId> = Vec::new();
        for (_, group) in &root.groups {
            targets.extend(group.dependencies.iter().filter(|id| root.group(id).is_some()));
        }
        let is_app: Vec<bool> = root.specs.values().map(|spec| spec.is_app()).collect();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        // Specs that need something other than an app.
        let mut others: Vec<(u32, &PathId)> = Vec::new();
        let mut near = 0;
        for (at, spec) in (0..).zip(root.specs.values()).filter(|(_, spec)| spec.is_app()) {
            for id in &spec.def.dependencies {
                // The dependencies of consecutive apps are usually close together.
                let found = seek(&ids, id, near).filter(|at| is_app.get(*at) == Some(&true));
                near = found.unwrap_or(near);
                match found.and_then(|to| u32::try_from(to).ok()) {
                    Some(to) => edges.push((at, to)),
                    None => others.push((at, id)),
                }
            }
        }
        targets.extend(others.iter().map(|(_, id)| *id).filter(|id| root.group(id).is_some()));
        sorted::sort(&mut targets);
        targets.dedup();
        let mut graph = Self { ids, targets, edges };
        for (at, id) in others {
            graph.edges.extend(graph.target(id).map(|to| (at, to)));
        }
        for at in 0..graph.targets.len() {
            let Some(target) = graph.targets.get(at).copied() else { continue };
            let Some(from) = graph.target(target) else { continue };
            for spec in root.specs_within(target).filter(|spec| spec.is_app() && spec.id != *target) {
                graph.edges.extend(graph.spec(&spec.id).map(|to| (from, to)));
            }
        }
        for (id, group) in &root.groups {
            let needed: Vec<u32> = group.dependencies.iter().filter_map(|id| graph.target(id)).collect();
            if needed.is_empty() {
                continue;
            }
            for spec in root.specs_within(id).filter(|spec| spec.is_app()) {
                let Some(from) = graph.spec(&spec.id) else { continue };
                graph.edges.extend(needed.iter().map(|to| (from, *to)));
            }
        }
        sorted::sort(&mut graph.edges);
        graph
    }

    fn spec(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.ids.binary_search(&id).ok()?).ok()
    }

    fn target(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.targets.binary_search(&id).ok()? + self.ids.len()).ok()
    }

    /// Returns the offset of each vertex's edges.
    fn first_edges(&self) -> Vec<usize> {
        let mut next = 0;
        let vertices = 0..self.ids.len() + self.targets.len();
        let first = vertices.map(|at| {
            let first = next;
            while self.edges.get(next).is_some_and(|(from, _)| *from as usize == at) {
                next += 1;
            }
            first
        });
        first.collect()
    }
}

/// The place of an id among sorted ones, looked for in steps that double from a place that it is near.
fn seek(ids: &[&PathId], id: &PathId, near: usize) -> Option<usize> {
    let order = |at: usize| ids.get(at).map_or(Ordering::Greater, |one| (*one).cmp(id));
    let (mut low, mut high) = match order(near) {
        Ordering::Equal => return Some(near),
        Ordering::Less => (near + 1, ids.len()),
        Ordering::Greater => (0, near.min(ids.len())),
    };
    let (up, mut step) = (low > near, 1);
    while high - low > step {
        let at = if up { low + step - 1 } else { high - step };
        match order(at) {
            Ordering::Equal => return Some(at),
            Ordering::Less if up => low = at + 1,
            Ordering::Greater if !up => high = at,
            Ordering::Less => {
                low = at + 1;
                break;
            }
            Ordering::Greater => {
                high = at;
                break;
            }
        }
        step *= 2;
    }
    let found = ids.get(low..high)?.binary_search(&id).ok()?;
    Some(low + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_from_any_position() {
        let all: Vec<PathId> = (10..50).map(|n| PathId::absolute(&format!("/a/{n}"))).collect();
        let even: Vec<&PathId> = all.iter().step_by(2).collect();
        for (n, id) in all.iter().enumerate() {
            for near in 0..=even.len() {
                let expected = (n % 2 == 0).then_some(n / 2);
                assert_eq!(seek(&even, id, near), expected, "{id} from {near}");
            }
        }
        assert_eq!(seek(&[], &PathId::root(), 0), None);
    }
}
