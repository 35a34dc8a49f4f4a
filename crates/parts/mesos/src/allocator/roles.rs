//! Roles as a tree: allocations under each of them, their weights, and the order in which they are served.
//!
//! *Knows*: that `a/b` is below `a`. *Must not know*: frameworks, agents.
//!
//! A role is compared with its siblings by the allocations of its whole subtree; a role with offers of its own is
//! also a sibling of the roles below it. So the allocations of `a/b` count for `a` when `a` is compared with `c`.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/sorter/drf/sorter.cpp` (tree of clients, virtual leaves,
//! weights by path). Match, with weights of three decimals.

use super::share::{self, Quantities, Share};
use planarium_kernel::Milli;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::cmp::Ordering;

/// Allocated resources, and the number of allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Allocated {
    sums: Quantities,
    count: u64,
}

/// A role: itself, and everything below it.
#[derive(Clone, Debug, Default)]
struct Node {
    own: Allocated,
    below: Allocated,
}

/// All roles that were ever allocated something, and all weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roles {
    nodes: SortedMap<Text, Node>,
    weights: SortedMap<Text, Milli>,
}

/// Position of a role among its siblings on one level of the tree.
struct Rank {
    share: Share,
    count: u64,
    path: Text,
}

/// Roles above this one, the topmost first.
pub(crate) fn ancestors(role: &str) -> impl Iterator<Item = &str> {
    role.match_indices('/').filter_map(|(at, _)| role.get(..at))
}

/// The top-level role of this one.
pub(crate) fn top_level(role: &str) -> &str {
    role.split('/').next().unwrap_or(role)
}

/// Returns whether a role is `above` or below it.
pub(crate) fn is_within(above: &str, role: &str) -> bool {
    above == role || role.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

impl Roles {
    /// Adds amounts allocated under a role, in this many allocations.
    pub(crate) fn add_allocated(&mut self, role: &Text, sums: &Quantities, count: u64) {
        let add = |allocated: &mut Allocated| {
            share::plus(&mut allocated.sums, sums);
            allocated.count += count;
        };
        add(&mut self.nodes.entry(role.clone()).or_default().own);
        for above in ancestors(role) {
            add(&mut self.nodes.entry(above.into()).or_default().below);
        }
    }

    /// Subtracts recovered amounts.
    pub(crate) fn subtract_allocated(&mut self, role: &str, sums: &Quantities) {
        if let Some(node) = self.nodes.get_mut(role) {
            share::minus(&mut node.own.sums, sums);
        }
        for above in ancestors(role) {
            if let Some(node) = self.nodes.get_mut(above) {
                share::minus(&mut node.below.sums, sums);
            }
        }
    }

    /// Clears the amounts, but keeps the number of allocations.
    pub(crate) fn forget_sums(&mut self) {
        for node in self.nodes.values_mut() {
            node.own.sums = Quantities::new();
            node.below.sums = Quantities::new();
        }
    }

    /// Sets weights.
    pub(crate) fn set_weights(&mut self, weights: &[(Text, Milli)]) {
        self.weights.extend(weights.iter().cloned());
    }

    /// Weights that were set, by role.
    pub(crate) const fn weights(&self) -> &SortedMap<Text, Milli> {
        &self.weights
    }

    /// The weight of a role.
    pub(crate) fn weight(&self, role: &str) -> Milli {
        self.weights.get(role).copied().unwrap_or(Milli::ONE)
    }

    /// Roles in the order in which they are served: smaller share of the cluster over weight, then fewer allocations,
    /// then name; on every level of the tree, the topmost first. `wanted` is sorted and without repetitions.
    pub(crate) fn by_share(&self, wanted: Vec<Text>, cluster: &Quantities) -> Vec<Text> {
        if wanted.len() < 2 {
            return wanted;
        }
        if wanted.iter().all(|role| !role.contains('/')) {
            let mut ranked: Vec<Rank> = wanted.into_iter().map(|role| self.rank(role, cluster)).collect();
            planarium_kernel::sorted::sort_by(&mut ranked, Rank::compare);
            return ranked.into_iter().map(|rank| rank.path).collect();
        }
        let mut ranked: Vec<(Vec<Rank>, Text)> =
            wanted.into_iter().map(|role| (self.ranks(&role, cluster), role)).collect();
        planarium_kernel::sorted::sort_by(&mut ranked, |a, b| compare(&a.0, &b.0));
        ranked.into_iter().map(|(_, role)| role).collect()
    }

    /// Positions of a role and its ancestors, topmost first; the last one is that of the role itself among the roles
    /// below it.
    fn ranks(&self, role: &Text, cluster: &Quantities) -> Vec<Rank> {
        let mut ranks: Vec<Rank> = ancestors(role).map(|above| self.rank(above.into(), cluster)).collect();
        ranks.push(self.rank(role.clone(), cluster));
        let own = self.nodes.get(role).map(|node| &node.own);
        let share = own.map_or(Share::NOTHING, |own| Share::of(&own.sums, cluster));
        ranks.push(Rank { share, count: own.map_or(0, |own| own.count), path: format!("{role}/.").into() });
        ranks
    }

    fn rank(&self, path: Text, cluster: &Quantities) -> Rank {
        let weight = self.weight(&path);
        match self.nodes.get(&path) {
            Some(Node { own, below }) if below.count > 0 => {
                let share = Share::of_both(&own.sums, &below.sums, cluster).over(weight);
                Rank { share, count: own.count + below.count, path }
            }
            Some(Node { own, .. }) => {
                Rank { share: Share::of(&own.sums, cluster).over(weight), count: own.count, path }
            }
            None => Rank { share: Share::NOTHING, count: 0, path },
        }
    }

    /// Broken invariants, in words; `own` are the allocations by role.
    pub(crate) fn check(&self, own: &SortedMap<&Text, Quantities>, broken: &mut Vec<String>) {
        let mut below: SortedMap<&str, Quantities> = SortedMap::new();
        for (role, sums) in own {
            for above in ancestors(role) {
                let all = below.entry(above).or_default();
                for (name, amount) in sums {
                    let sum = all.entry(name.clone()).or_default();
                    *sum = sum.saturating_add(*amount);
                }
            }
        }
        for (role, node) in &self.nodes {
            if node.own.sums != own.get(role).cloned().unwrap_or_default() {
                broken.push(format!("role {role}: held sums are out of step"));
            }
            if node.below.sums != below.get(&**role).cloned().unwrap_or_default() {
                broken.push(format!("role {role}: sums of what is below it are out of step"));
            }
        }
    }
}

impl Rank {
    fn compare(&self, other: &Self) -> Ordering {
        let shares = self.share.compare(&other.share);
        shares.then_with(|| self.count.cmp(&other.count)).then_with(|| self.path.cmp(&other.path))
    }
}

/// The first level on which two roles differ in position decides.
fn compare(a: &[Rank], b: &[Rank]) -> Ordering {
    let apart = a.iter().zip(b).find(|(a, b)| a.path != b.path);
    apart.map_or(Ordering::Equal, |(a, b)| a.compare(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Resources;

    fn cluster() -> Quantities {
        Resources::parse("cpus:100;mem:1000").expect("test text").quantities()
    }

    fn order(given: &[(&str, &str)], weights: &[(&str, i64)], wanted: &[&str]) -> String {
        let mut roles = Roles::default();
        for (role, text) in given {
            roles.add_allocated(&(*role).into(), Resources::parse(text).expect("test text").sums(), 1);
        }
        let weights: Vec<(Text, Milli)> =
            weights.iter().map(|(role, w)| ((*role).into(), Milli(*w))).collect();
        roles.set_weights(&weights);
        let mut wanted: Vec<Text> = wanted.iter().map(|role| (*role).into()).collect();
        wanted.sort_unstable();
        roles.by_share(wanted, &cluster()).join(" ")
    }

    #[test]
    fn order_of_turns() {
        for (given, weights, wanted, expected) in [
            (&[][..], &[][..], &["b", "a"][..], "a b"),
            (&[("a", "cpus:1")], &[], &["a", "b"], "b a"),
            // The same share: fewer allocations, then the name.
            (&[("a", "cpus:1"), ("b", "cpus:0.5"), ("b", "cpus:0.5")], &[], &["a", "b"], "a b"),
            // A share of 30 % with a weight of 3 equals one of 10 %.
            (&[("a", "cpus:29"), ("b", "cpus:10")], &[("a", 3_000)], &["a", "b"], "a b"),
            (&[("a", "cpus:31"), ("b", "cpus:10")], &[("a", 3_000)], &["a", "b"], "b a"),
            (&[("a", "cpus:1"), ("b", "cpus:1.9")], &[("a", 500)], &["a", "b"], "b a"),
            // Allocations below count for the role above.
            (&[("a/x", "cpus:5"), ("c", "cpus:3")], &[], &["a/x", "a/y", "c"], "c a/y a/x"),
            (&[("a/x", "cpus:5"), ("c", "cpus:6")], &[], &["a/x", "a/y", "c"], "a/y a/x c"),
            // A role with its own offers is a sibling of those below it.
            (&[("a", "cpus:2"), ("a/x", "cpus:1")], &[], &["a", "a/x", "a/y"], "a/y a/x a"),
            (&[("a", "cpus:1"), ("a/x", "cpus:2")], &[], &["a", "a/x", "a/y"], "a/y a a/x"),
            (&[("a", "cpus:1")], &[], &["a", "a/x"], "a/x a"),
            (&[], &[], &["a", "a/x"], "a a/x"),
            // Weights belong to a path: the weight of `a` is for its whole subtree.
            (&[("a", "cpus:3"), ("a/x", "cpus:2")], &[("a", 9_000)], &["a", "a/x", "b"], "b a/x a"),
            (&[("a/x", "cpus:3"), ("a/y", "cpus:2")], &[("a/x", 2_000)], &["a/x", "a/y"], "a/x a/y"),
            (
                &[("a/b/c", "mem:500"), ("a/d", "mem:1"), ("e", "mem:600")],
                &[],
                &["a/b/c", "a/d", "e"],
                "a/d a/b/c e",
            ),
        ] {
            assert_eq!(order(given, weights, wanted), expected, "{given:?} {weights:?}");
        }
    }

    #[test]
    fn above_and_below() {
        assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!((ancestors("a").count(), top_level("a/b/c"), top_level("*")), (0, "a", "*"));
        for (above, role, expected) in [
            ("eng", "eng", true),
            ("eng", "eng/backend", true),
            ("eng/backend", "eng", false),
            ("eng", "engine", false),
            ("eng", "ops", false),
        ] {
            assert_eq!(is_within(above, role), expected, "{above} above {role}");
        }
    }
}
