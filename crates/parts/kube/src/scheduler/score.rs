//! Scores the feasible nodes of a pod.
//!
//! Source: `kubernetes/kubernetes: pkg/scheduler/framework/plugins/{noderesources,tainttoleration,nodeaffinity,
//! interpodaffinity,podtopologyspread,selectorspread}` (1.19); match in preferences and weights, in whole numbers;
//! present images do not count.

use super::{Candidate, Snapshot, placing::Found};
use crate::{
    records::nodes::{MOST, Node, resources, weighed},
    spec::{
        Spec,
        placement::{Effect, PodTerm},
    },
};
use planarium_protocol::Text;

impl Snapshot<'_> {
    /// Scores of nodes, in their order, apart from amounts that all of them get.
    pub(super) fn scores(&self, candidate: &Candidate<'_>, feasible: &[Found]) -> Vec<i64> {
        let requests = weighed(candidate.spec.requests);
        let by_node = |number: u32| self.nodes.get(number).map_or(0, |node| resources(requests, node));
        let mut scores: Vec<i64> =
            feasible.iter().map(|one| one.score.unwrap_or_else(|| by_node(one.number))).collect();
        let nodes = || -> Vec<&Node> {
            feasible.iter().filter_map(|one| self.nodes.get(one.number)).map(|node| &**node).collect()
        };
        if !feasible.iter().all(|one| one.is_open) {
            let soft = |node: &&Node| {
                let counts = |taint: &&crate::spec::placement::Taint| {
                    taint.effect == Effect::PreferNoSchedule
                        && !candidate.spec.tolerations.iter().any(|one| one.covers(taint))
                };
                i64::try_from(node.taints.iter().filter(counts).count()).unwrap_or(0)
            };
            // Without such a taint all get the same.
            add(&mut scores, fewest(nodes().iter().map(soft).collect()), 1);
        }
        if let Some(owner) = candidate.pod.controller() {
            let there = self.scheduler.spread_of(&owner.uid);
            let counts = counts_on(feasible, there);
            let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
            let less = |count: i64| MOST - MOST * (most - count) / most.max(1);
            if most > 0 && feasible.iter().any(|one| one.has_zone) {
                let zones = self.by_zone(there);
                let mut hosts = vec![MOST; feasible.len()];
                for (at, count) in counts {
                    if let Some(host) = hosts.get_mut(at) {
                        *host -= less(count);
                    }
                }
                let parts = feasible.iter().zip(hosts).map(|(one, host)| match self.zone_of(one) {
                    // Zones weigh twice as much as nodes.
                    Some(zone) => (host + 2 * zone_score(&zones, zone)) / 3,
                    None => host,
                });
                add(&mut scores, parts.collect(), 1);
            } else {
                // All others get the maximum, which makes no difference between them.
                for (at, count) in counts {
                    if let Some(score) = scores.get_mut(at) {
                        *score -= less(count);
                    }
                }
            }
        }
        let Some(place) = &candidate.spec.placement else { return scores };
        let nodes = nodes();
        if !place.preferred_nodes.is_empty() {
            let weight = |node: &&Node| {
                let terms =
                    place.preferred_nodes.iter().filter(|(_, term)| term.matches(&node.name, &node.labels));
                terms.map(|(weight, _)| *weight).sum::<i64>()
            };
            add(&mut scores, largest(nodes.iter().map(weight).collect()), 1);
        }
        let terms = place
            .preferred_affinity
            .iter()
            .map(|(weight, term)| (*weight, term))
            .chain(place.preferred_anti_affinity.iter().map(|(weight, term)| (-*weight, term)));
        let mut near = vec![0; nodes.len()];
        let mut any = false;
        for (weight, term) in terms {
            any = true;
            for (node, sum) in nodes.iter().zip(&mut near) {
                *sum += weight * self.neighbours(candidate, node, term);
            }
        }
        if any {
            let (least, most) =
                (near.iter().min().copied().unwrap_or(0), near.iter().max().copied().unwrap_or(0));
            if most > least {
                add(&mut scores, near.iter().map(|sum| MOST * (sum - least) / (most - least)).collect(), 1);
            }
        }
        for spread in place.spread.iter().filter(|spread| !spread.hard) {
            let counts = self.spread_counts(candidate, spread);
            let there = |node: &&Node| {
                let value = node.labels.get(&spread.topology_key);
                value
                    .and_then(|value| counts.get(value))
                    .map_or(i64::from(u32::MAX), |count| i64::from(*count))
            };
            add(&mut scores, fewest(nodes.iter().map(there).collect()), 2);
        }
        scores
    }

    /// Number of pods of the kind of a term that share a node's value of its topology key.
    fn neighbours(&self, candidate: &Candidate<'_>, node: &Node, term: &PodTerm) -> i64 {
        let Some(value) = node.labels.get(&term.topology_key) else { return 0 };
        let own = [candidate.pod.namespace.clone()];
        let namespaces: &[Text] = if term.namespaces.is_empty() { &own } else { &term.namespaces };
        let mut count = 0;
        for namespace in namespaces {
            for pod in self.store.pods_selected(namespace, &term.selector) {
                let there = match &pod.spec {
                    Spec::Pod(_, own) if own.is_bound() => self.nodes.named(&own.node),
                    _ => None,
                };
                count +=
                    i64::from(there.is_some_and(|node| node.labels.get(&term.topology_key) == Some(value)));
            }
        }
        count
    }

    /// The zone of a node.
    fn zone_of(&self, one: &Found) -> Option<&Text> {
        self.nodes.get(one.number).filter(|_| one.has_zone)?.zone.as_ref()
    }

    /// Sums a controller's pods per zone, from its pods per node.
    fn by_zone(&self, there: &[(u32, u32)]) -> Vec<(Text, i64)> {
        let mut zones: Vec<(Text, i64)> = Vec::new();
        for (number, count) in there {
            let Some(zone) = self.nodes.get(*number).and_then(|node| node.zone.as_ref()) else { continue };
            let count = i64::from(*count);
            match zones.iter_mut().find(|(other, _)| other == zone) {
                Some((_, sum)) => *sum += count,
                None => zones.push((zone.clone(), count)),
            }
        }
        zones
    }
}

/// Adds a part to each score.
fn add(scores: &mut [i64], parts: Vec<i64>, weight: i64) {
    for (score, part) in scores.iter_mut().zip(parts) {
        *score += part * weight;
    }
}

/// Places among some nodes of those that have pods of a controller, with their number; `there` has all nodes that have any.
fn counts_on(feasible: &[Found], there: &[(u32, u32)]) -> Vec<(usize, i64)> {
    // Numbers ascend up to the last node, and once more from the first one on.
    let first = feasible.first().map_or(0, |one| one.number);
    let turn = feasible.partition_point(|one| one.number >= first);
    let (late, early) = feasible.split_at(turn);
    let count = |(number, pods): &(u32, u32)| {
        let (part, before) = if *number >= first { (late, 0) } else { (early, turn) };
        let at = part.binary_search_by_key(number, |one| one.number).ok()?;
        Some((before + at, i64::from(*pods)))
    };
    there.iter().filter_map(count).collect()
}

fn zone_score(zones: &[(Text, i64)], zone: &Text) -> i64 {
    let most = zones.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let count = zones.iter().find(|(other, _)| other == zone).map_or(0, |(_, count)| *count);
    if most == 0 { MOST } else { MOST * (most - count) / most }
}

/// The most to the largest, the others in proportion.
fn largest(counts: Vec<i64>) -> Vec<i64> {
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.into_iter().map(|count| if most == 0 { 0 } else { MOST * count / most }).collect()
}

/// Gives the maximum to nodes without pods, and nothing to the one with the most.
fn fewest(counts: Vec<i64>) -> Vec<i64> {
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.into_iter().map(|count| if most == 0 { MOST } else { MOST * (most - count) / most }).collect()
}
