//! Filters of nodes for a pod, and reasons why one is refused: the filters in their order, with their words.
//!
//! Source: `kubernetes/kubernetes: pkg/scheduler/framework/plugins/*`, `apis/config/v1/default_plugins.go` (1.29), match.

use super::{Candidate, Snapshot};
use crate::{
    object::Object,
    records::nodes::Node,
    spec::{
        Spec,
        placement::{Effect, PodTerm, Spread, Taint},
    },
};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

const UNSCHEDULABLE: &str = "node(s) were unschedulable";
pub(super) const NODE_SELECTOR: &str = "node(s) didn't match Pod's node affinity/selector";
const HOST_PORTS: &str = "node(s) didn't have free ports for the requested pod ports";
const VOLUME_NODE: &str = "node(s) had volume node affinity conflict";
const SPREAD: &str = "node(s) didn't match pod topology spread constraints";
const SPREAD_LABEL: &str = "node(s) didn't match pod topology spread constraints (missing required label)";
const AFFINITY_RULES: &str = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY_RULES: &str = "node(s) didn't match pod anti-affinity rules";
const EXISTING_RULES: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// Taints that every daemon tolerates.
const DAEMON: [&str; 6] =
    ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];

/// Distribution of existing pods, as far as a pod's rules need it.
#[derive(Debug, Default)]
pub(super) struct Company {
    /// Per required affinity term: values of its topology key that have a pod of the kind.
    affinity: Vec<Vec<Text>>,
    /// True if nothing anywhere matches the affinity terms, and the pod itself does.
    first_of_its_kind: bool,
    /// Per required anti-affinity term: values that have a pod of the kind.
    anti_affinity: Vec<Vec<Text>>,
    /// Topology keys and values where a pod does not want this one.
    existing: Vec<(Text, Text)>,
    /// Per hard spread constraint: pods by value, and the minimum.
    spread: Vec<(SortedMap<Text, u32>, u32)>,
}

impl Company {
    /// True if no existing pod matters.
    pub(super) fn is_empty(&self) -> bool {
        self.affinity.is_empty()
            && self.anti_affinity.is_empty()
            && self.existing.is_empty()
            && self.spread.is_empty()
    }
}

impl Snapshot<'_> {
    /// The node that a bound pod is on.
    fn node_of_pod(&self, pod: &Object) -> Option<&Node> {
        match &pod.spec {
            Spec::Pod(_, own) if own.is_bound() => self.nodes.named(&own.node),
            _ => None,
        }
    }

    /// Values of a topology key where a pod of the kind of a term is.
    fn domains(&self, own: &str, term: &PodTerm) -> Vec<Text> {
        let mut values: Vec<Text> = Vec::new();
        let here = [Text::from(own)];
        let namespaces: &[Text] = if term.namespaces.is_empty() { &here } else { &term.namespaces };
        for namespace in namespaces {
            for pod in self.store.pods_selected(namespace, &term.selector) {
                if pod.is_being_deleted() || pod.is_over() {
                    continue;
                }
                let value = self.node_of_pod(pod).and_then(|node| node.labels.get(&term.topology_key));
                if let Some(value) = value
                    && !values.contains(value)
                {
                    values.push(value.clone());
                }
            }
        }
        values
    }

    /// Reads the distribution of existing pods, as far as a candidate's rules, or theirs about it, need it.
    pub(super) fn company_of(&self, candidate: &Candidate<'_>) -> Company {
        let mut company = Company::default();
        let pod = candidate.pod;
        for no in self.scheduler.loners.keys() {
            let Some(other) = self.store.object(*no) else { continue };
            let Spec::Pod(spec, _) = &other.spec else { continue };
            let Some(place) = &spec.placement else { continue };
            for term in &place.anti_affinity {
                if term.covers(&other.namespace, &pod.namespace, &pod.labels)
                    && let Some(value) =
                        self.node_of_pod(other).and_then(|node| node.labels.get(&term.topology_key))
                {
                    company.existing.push((term.topology_key.clone(), value.clone()));
                }
            }
        }
        let Some(place) = &candidate.spec.placement else { return company };
        company.affinity = place.affinity.iter().map(|term| self.domains(&pod.namespace, term)).collect();
        company.anti_affinity =
            place.anti_affinity.iter().map(|term| self.domains(&pod.namespace, term)).collect();
        company.first_of_its_kind = company.affinity.iter().all(Vec::is_empty)
            && place.affinity.iter().all(|term| term.covers(&pod.namespace, &pod.namespace, &pod.labels));
        for spread in place.spread.iter().filter(|spread| spread.hard) {
            let counts = self.spread_counts(candidate, spread);
            let least = counts.values().copied().min().unwrap_or(0);
            company.spread.push((counts, least));
        }
        company
    }

    /// Counts pods by value of a topology key, over the nodes that the pod could use.
    pub(super) fn spread_counts(&self, candidate: &Candidate<'_>, spread: &Spread) -> SortedMap<Text, u32> {
        let mut counts: SortedMap<Text, u32> = SortedMap::new();
        for node in self.nodes.present() {
            let takes = candidate
                .spec
                .placement
                .as_ref()
                .is_none_or(|place| place.takes_node(&node.name, &node.labels));
            if let Some(value) = node.labels.get(&spread.topology_key).filter(|_| takes) {
                counts.entry(value.clone()).or_default();
            }
        }
        for pod in self.store.pods_selected(&candidate.pod.namespace, &spread.selector) {
            if pod.is_being_deleted() {
                continue;
            }
            let value = self.node_of_pod(pod).and_then(|node| node.labels.get(&spread.topology_key));
            if let Some(count) = value.and_then(|value| counts.get_mut(value)) {
                *count += 1;
            }
        }
        counts
    }
}

/// Why a node does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// As the first filter that refuses says.
    pub(super) reasons: Vec<Text>,
    /// True if it would not take it without any other pod either.
    pub(super) is_final: bool,
}

impl Refusal {
    fn of(reason: &str) -> Self {
        Self { reasons: vec![reason.into()], is_final: false }
    }

    fn for_good(reason: &str) -> Self {
        Self { is_final: true, ..Self::of(reason) }
    }
}

/// Tells whether a node takes a pod. *Errors*: why not, as the first filter that refuses says.
pub(super) fn filter(candidate: &Candidate<'_>, node: &Node, company: &Company) -> Result<(), Refusal> {
    let Candidate { spec, own, .. } = candidate;
    let tolerates = |taint: &Taint| {
        let daemon = own.pinned.is_some()
            && taint.key.strip_prefix("node.kubernetes.io/").is_some_and(|key| DAEMON.contains(&key));
        daemon || spec.tolerations.iter().any(|toleration| toleration.covers(taint))
    };
    if node.unschedulable {
        let taint = Taint {
            key: "node.kubernetes.io/unschedulable".into(),
            value: "".into(),
            effect: Effect::NoSchedule,
        };
        if !tolerates(&taint) {
            return Err(Refusal::for_good(UNSCHEDULABLE));
        }
    }
    let hard = |taint: &&Taint| taint.effect != Effect::PreferNoSchedule && !tolerates(taint);
    if let Some(taint) = node.taints.iter().find(hard) {
        let reason = format!("node(s) had untolerated taint {{{}: {}}}", taint.key, taint.value);
        return Err(Refusal::for_good(&reason));
    }
    let selected = spec.placement.as_ref().is_none_or(|place| place.takes_node(&node.name, &node.labels));
    let pinned = own.pinned.as_ref().is_none_or(|pinned| *pinned == node.name);
    if !selected || !pinned {
        return Err(Refusal::for_good(NODE_SELECTOR));
    }
    if spec.host_ports.iter().any(|(port, protocol)| {
        node.ports.iter().any(|(used, by, _)| used == port && by == protocol) || node.is_port_taken(*port)
    }) {
        return Err(Refusal::of(HOST_PORTS));
    }
    let short = shortages(spec.requests, node);
    if !short.is_empty() {
        return Err(Refusal { reasons: short, is_final: false });
    }
    if !candidate.volumes.iter().all(|terms| terms.iter().any(|term| term.matches(&node.name, &node.labels)))
    {
        return Err(Refusal::for_good(VOLUME_NODE));
    }
    keeps_company(candidate, node, company)
}

fn keeps_company(candidate: &Candidate<'_>, node: &Node, company: &Company) -> Result<(), Refusal> {
    let value = |key: &Text| node.labels.get(key);
    if let Some(place) = &candidate.spec.placement {
        let hard = place.spread.iter().filter(|spread| spread.hard);
        for (spread, (counts, least)) in hard.zip(&company.spread) {
            let Some(count) = value(&spread.topology_key).and_then(|value| counts.get(value)) else {
                return Err(Refusal::for_good(SPREAD_LABEL));
            };
            let own = u32::from(spread.selector.matches(&candidate.pod.labels));
            if count.saturating_add(own).saturating_sub(*least) > spread.max_skew {
                return Err(Refusal::of(SPREAD));
            }
        }
        let near = place.affinity.iter().zip(&company.affinity).all(|(term, values)| {
            value(&term.topology_key).is_some_and(|value| values.contains(value) || company.first_of_its_kind)
        });
        if !near {
            return Err(Refusal::for_good(AFFINITY_RULES));
        }
        let crowded = place
            .anti_affinity
            .iter()
            .zip(&company.anti_affinity)
            .any(|(term, values)| value(&term.topology_key).is_some_and(|value| values.contains(value)));
        if crowded {
            return Err(Refusal::of(ANTI_AFFINITY_RULES));
        }
    }
    if company.existing.iter().any(|(key, taken)| value(key) == Some(taken)) {
        return Err(Refusal::of(EXISTING_RULES));
    }
    Ok(())
}

/// Resources of which a node has too little.
fn shortages(requests: crate::amounts::Amounts, node: &Node) -> Vec<Text> {
    let free = node.free();
    let mut short: Vec<Text> = Vec::new();
    if i64::try_from(node.pods.len()).unwrap_or(i64::MAX) + 1 > node.allocatable.pods {
        short.push("Too many pods".into());
    }
    for (wanted, free, word) in [
        (requests.cpu_milli, free.cpu_milli, "Insufficient cpu"),
        (requests.memory, free.memory, "Insufficient memory"),
        (requests.storage, free.storage, "Insufficient ephemeral-storage"),
        (requests.gpus, free.gpus, "Insufficient nvidia.com/gpu"),
    ] {
        if wanted > 0 && wanted > free {
            short.push(word.into());
        }
    }
    short
}
