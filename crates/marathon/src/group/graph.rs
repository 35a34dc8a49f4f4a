//! Dependencies between apps, and the level that each stands on.
//!
//! *Knows*: edges, longest paths, cycles. *Must not know*: what changes.
//!
//! A group that something depends on is a vertex without a length of its own, so that there are as many edges as
//! dependencies and members, and not their product.
//!
//! *Cost*: linear in specs, groups, dependencies and members of groups that something depends on.
//!
//! **Source**: `marathon: state/RootGroup.scala (applicationDependencies, dependencyGraph),
//! core/deployment/DeploymentPlan.scala (runSpecsGroupedByLongestPath)`. Match.

use super::Root;
use crate::id::PathId;
use planarium_kernel::sorted;
use std::cmp::Ordering;

/// The level of every spec: the number of specs on the longest path of needs that begins with it.
#[derive(Debug)]
pub(crate) struct Levels<'a> {
    /// By id, sorted.
    all: Vec<(&'a PathId, u32)>,
}

/// The vertices of a walk: specs first, then groups that something depends on.
struct Graph<'a> {
    ids: Vec<&'a PathId>,
    targets: Vec<&'a PathId>,
    edges: Vec<Vec<u32>>,
}

const NEW: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl<'a> Levels<'a> {
    /// The levels of everything there is; none when something needs itself.
    pub(crate) fn of(root: &'a Root) -> Option<Self> {
        let graph = Graph::of(root);
        let mut levels = vec![NEW; graph.edges.len()];
        let mut path: Vec<(usize, usize, u32)> = Vec::new();
        for start in 0..graph.edges.len() {
            if levels.get(start) != Some(&NEW) {
                continue;
            }
            path.push((start, 0, 0));
            *levels.get_mut(start)? = OPEN;
            while let Some((at, next, deepest)) = path.last_mut() {
                let Some(to) = graph.edges.get(*at).and_then(|edges| edges.get(*next)) else {
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
                        path.push((to, 0, 0));
                    }
                    Some(OPEN) | None => return None,
                    Some(level) => *deepest = level.max(*deepest),
                }
            }
        }
        Some(Self { all: graph.ids.into_iter().zip(levels).collect() })
    }

    /// The level of the spec at this place among all, in order of ids; 1 for none.
    pub(crate) fn at(&self, place: usize) -> u32 {
        self.all.get(place).map_or(1, |(_, level)| *level)
    }

    /// The level of a spec; 1 for one that is not there.
    pub(crate) fn level(&self, id: &PathId) -> u32 {
        let at = self.all.binary_search_by(|(one, _)| (*one).cmp(id));
        at.ok().and_then(|at| self.all.get(at)).map_or(1, |(_, level)| *level)
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
        // What apps need, in order: the apps among it, and gaps for what is none.
        let mut needs: Vec<Option<u32>> = Vec::new();
        let mut near = 0;
        for spec in root.specs.values().filter(|spec| spec.is_app()) {
            for id in &spec.def.dependencies {
                // What one app needs stands close to what the one before it needs.
                let found = seek(&ids, id, near).filter(|at| is_app.get(*at) == Some(&true));
                near = found.unwrap_or(near);
                needs.push(found.and_then(|at| u32::try_from(at).ok()));
                if found.is_none() && root.group(id).is_some() {
                    targets.push(id);
                }
            }
        }
        sorted::sort(&mut targets);
        targets.dedup();
        let mut graph = Self { edges: vec![Vec::new(); ids.len() + targets.len()], ids, targets };
        for at in 0..graph.targets.len() {
            let Some(target) = graph.targets.get(at).copied() else { continue };
            let members = root.specs_within(target).filter(|spec| spec.is_app() && spec.id != *target);
            let members = members.filter_map(|spec| graph.spec(&spec.id)).collect();
            if let Some(edges) = graph.edges.get_mut(graph.ids.len() + at) {
                *edges = members;
            }
        }
        for (id, group) in &root.groups {
            let needed: Vec<u32> = group.dependencies.iter().filter_map(|id| graph.target(id)).collect();
            if needed.is_empty() {
                continue;
            }
            for spec in root.specs_within(id).filter(|spec| spec.is_app()) {
                let at = graph.spec(&spec.id);
                graph.connect(at, needed.iter().copied());
            }
        }
        let mut needs = needs.into_iter();
        for (at, spec) in root.specs.values().enumerate().filter(|(_, spec)| spec.is_app()) {
            let mut needed: Vec<u32> = Vec::with_capacity(spec.def.dependencies.len());
            for id in &spec.def.dependencies {
                needed.extend(needs.next().flatten().or_else(|| graph.target(id)));
            }
            graph.connect(u32::try_from(at).ok(), needed.into_iter());
        }
        graph
    }

    fn spec(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.ids.binary_search(&id).ok()?).ok()
    }

    fn target(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.targets.binary_search(&id).ok()? + self.ids.len()).ok()
    }

    fn connect(&mut self, at: Option<u32>, to: impl Iterator<Item = u32>) {
        if let Some(edges) = at.and_then(|at| self.edges.get_mut(at as usize)) {
            edges.extend(to);
        }
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
    fn ids_are_found_from_everywhere() {
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
