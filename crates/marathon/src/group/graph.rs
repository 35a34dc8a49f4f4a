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

/// The level of every spec: the number of specs on the longest path of needs that begins with it.
#[derive(Debug)]
pub(crate) struct Levels {
    /// By id, sorted.
    all: Vec<(PathId, u32)>,
}

/// The vertices of a walk: specs first, then groups that something depends on.
struct Graph {
    ids: Vec<PathId>,
    targets: Vec<PathId>,
    edges: Vec<Vec<u32>>,
}

const NEW: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Levels {
    /// The levels of everything there is; none when something needs itself.
    pub(crate) fn of(root: &Root) -> Option<Self> {
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
        let at = self.all.binary_search_by(|(one, _)| one.cmp(id));
        at.ok().and_then(|at| self.all.get(at)).map_or(1, |(_, level)| *level)
    }
}

impl Graph {
    fn of(root: &Root) -> Self {
        let ids: Vec<PathId> = root.specs.keys().cloned().collect();
        let mut targets: Vec<PathId> = Vec::new();
        for (_, group) in &root.groups {
            targets.extend(group.dependencies.iter().filter(|id| root.group(id).is_some()).cloned());
        }
        let is_app: Vec<bool> = root.specs.values().map(|spec| spec.is_app()).collect();
        // What apps need, in order: the apps among it, and gaps for what is none.
        let mut needs: Vec<Option<u32>> = Vec::new();
        for spec in root.specs.values().filter(|spec| spec.is_app()) {
            for id in &spec.def.dependencies {
                let found = ids.binary_search(id).ok().filter(|at| is_app.get(*at) == Some(&true));
                needs.push(found.and_then(|at| u32::try_from(at).ok()));
                if found.is_none() && root.group(id).is_some() {
                    targets.push(id.clone());
                }
            }
        }
        sorted::sort(&mut targets);
        targets.dedup();
        let mut graph = Self { edges: vec![Vec::new(); ids.len() + targets.len()], ids, targets };
        for at in 0..graph.targets.len() {
            let Some(target) = graph.targets.get(at).cloned() else { continue };
            let members = root.specs_within(&target).filter(|spec| spec.is_app() && spec.id != target);
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
                graph.connect(at, &needed);
            }
        }
        let mut needs = needs.into_iter();
        for (at, spec) in root.specs.values().enumerate().filter(|(_, spec)| spec.is_app()) {
            let of = |id: &PathId| needs.next().flatten().or_else(|| graph.target(id));
            let needed: Vec<u32> = spec.def.dependencies.iter().filter_map(of).collect();
            graph.connect(u32::try_from(at).ok(), &needed);
        }
        graph
    }

    fn spec(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.ids.binary_search(id).ok()?).ok()
    }

    fn target(&self, id: &PathId) -> Option<u32> {
        u32::try_from(self.targets.binary_search(id).ok()? + self.ids.len()).ok()
    }

    fn connect(&mut self, at: Option<u32>, to: &[u32]) {
        if let Some(edges) = at.and_then(|at| self.edges.get_mut(at as usize)) {
            edges.extend_from_slice(to);
        }
    }
}
