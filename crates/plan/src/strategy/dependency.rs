//! Dependency: each child after its declared prerequisites.
//!
//! **Source**: `…/plan/strategy/DependencyStrategyHelper.java`: a child may run when every declared
//! parent is complete; dependencies are not transitive. Match. Kept as the number of prerequisites not
//! complete per child, so a change costs the number of children that wait for the changed one.

use std::sync::Arc;

use crate::spec::Edge;

/// State of a dependency strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// Number of incomplete prerequisites, per child.
    unmet: Vec<u32>,
    graph: Arc<Graph>,
}

#[derive(Debug, PartialEq, Eq)]
struct Graph {
    /// Edges by waiting child, distinct, within range.
    by_child: Vec<Edge>,
    /// The same by prerequisite.
    by_parent: Vec<Edge>,
    /// Offset of each prerequisite's edges in `by_parent`, and one last entry for the end.
    starts: Vec<u32>,
}

impl Dependency {
    pub(crate) fn new(edges: &[Edge], complete: &[bool]) -> Self {
        let children = u32::try_from(complete.len()).unwrap_or(u32::MAX);
        let mut by_child: Vec<Edge> =
            edges.iter().filter(|edge| edge.child < children && edge.parent < children).copied().collect();
        by_child.sort_unstable();
        by_child.dedup();
        let mut by_parent = by_child.clone();
        by_parent.sort_unstable_by_key(|edge| (edge.parent, edge.child));
        let starts = (0..=children)
            .map(|parent| by_parent.partition_point(|edge| edge.parent < parent))
            .map(|start| u32::try_from(start).unwrap_or(u32::MAX))
            .collect();
        let mut unmet = vec![0; complete.len()];
        for edge in &by_child {
            let done = complete.get(edge.parent as usize).copied().unwrap_or(false);
            if let (false, Some(count)) = (done, unmet.get_mut(edge.child as usize)) {
                *count += 1;
            }
        }
        Self { unmet, graph: Arc::new(Graph { by_child, by_parent, starts }) }
    }

    /// Adds a child without prerequisites at the end.
    pub(crate) fn push(&mut self) {
        self.unmet.push(0);
    }

    pub(crate) fn is_open(&self, child: usize) -> bool {
        self.unmet.get(child) == Some(&0)
    }

    /// Prerequisites of a child, complete or not.
    pub(crate) fn prerequisites(&self, child: usize) -> impl Iterator<Item = usize> {
        let edges = &self.graph.by_child;
        let start = edges.partition_point(|edge| (edge.child as usize) < child);
        edges
            .iter()
            .skip(start)
            .take_while(move |edge| edge.child as usize == child)
            .map(|e| e.parent as usize)
    }

    /// Notes that a child became or ceased to be complete; `toggled` is called for every gate that opened
    /// (true) or closed (false).
    pub(crate) fn complete_changed(
        &mut self,
        child: usize,
        complete: bool,
        mut toggled: impl FnMut(usize, bool),
    ) {
        let starts = &self.graph.starts;
        let (Some(&start), Some(&end)) = (starts.get(child), starts.get(child + 1)) else { return };
        for edge in self.graph.by_parent.get(start as usize..end as usize).unwrap_or_default() {
            let waiting = edge.child as usize;
            let Some(count) = self.unmet.get_mut(waiting) else { continue };
            if complete {
                *count -= 1;
                if *count == 0 {
                    toggled(waiting, true);
                }
            } else {
                *count += 1;
                if *count == 1 {
                    toggled(waiting, false);
                }
            }
        }
    }
}
