//! Rules for where a pod may run: selectors, affinities, taints and tolerations.
//!
//! *Knows*: the rules as written, and how one matches labels or taints. *Must not know*: the existing nodes.

use crate::{
    labels::Pairs,
    selector::Selector,
    tree::{Tree, word},
};
use planarium_protocol::Text;
use serde_json::Value;

/// The effect of a taint on pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    NoSchedule,
    PreferNoSchedule,
    NoExecute,
}

impl Effect {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }

    pub(crate) fn read(word: &str) -> Option<Self> {
        match word {
            "NoSchedule" => Some(Self::NoSchedule),
            "PreferNoSchedule" => Some(Self::PreferNoSchedule),
            "NoExecute" => Some(Self::NoExecute),
            _ => None,
        }
    }
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taint {
    pub(crate) key: Text,
    pub(crate) value: Text,
    pub(crate) effect: Effect,
}

impl Taint {
    pub(crate) fn text(&self) -> String {
        let Self { key, value, effect } = self;
        if value.is_empty() {
            format!("{key}:{}", effect.as_str())
        } else {
            format!("{key}={value}:{}", effect.as_str())
        }
    }
}

/// A pod's toleration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Toleration {
    /// Empty for every key.
    pub(crate) key: Text,
    /// Nothing for every value.
    pub(crate) value: Option<Text>,
    /// Nothing for every effect.
    pub(crate) effect: Option<Effect>,
    /// The time that a `NoExecute` taint is endured.
    pub(crate) seconds: Option<i64>,
}

impl Toleration {
    pub(crate) fn read(value: &Value) -> Self {
        Self {
            key: value.text("key").into(),
            value: (value.text("operator") != "Exists").then(|| value.text("value").into()),
            effect: Effect::read(value.text("effect")),
            seconds: value.int("tolerationSeconds"),
        }
    }

    /// True if it is about the taint.
    pub(crate) fn covers(&self, taint: &Taint) -> bool {
        self.effect.is_none_or(|effect| effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && self.value.as_ref().is_none_or(|value| *value == taint.value)
    }
}

/// A comparison of a node's label (or name).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeRequirement {
    key: Text,
    operator: Text,
    values: Vec<Text>,
}

impl NodeRequirement {
    fn read(value: &Value) -> Self {
        Self {
            key: value.text("key").into(),
            operator: value.text("operator").into(),
            values: value.texts("values"),
        }
    }

    fn holds(&self, value: Option<&Text>) -> bool {
        let number = |text: &Text| text.parse::<i64>().ok();
        let compared = |by: fn(&i64, &i64) -> bool| {
            let pair = value.and_then(number).zip(self.values.first().and_then(number));
            pair.is_some_and(|(mine, wanted)| by(&mine, &wanted))
        };
        match &*self.operator {
            "In" => value.is_some_and(|value| self.values.contains(value)),
            "NotIn" => value.is_none_or(|value| !self.values.contains(value)),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            "Gt" => compared(i64::gt),
            "Lt" => compared(i64::lt),
            _ => false,
        }
    }
}

/// A term of a node selector: all of its requirements have to hold, and there has to be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeTerm {
    labels: Vec<NodeRequirement>,
    fields: Vec<NodeRequirement>,
}

impl NodeTerm {
    pub(crate) fn read(value: &Value) -> Self {
        let read = |key: &str| value.items(key).iter().map(NodeRequirement::read).collect();
        Self { labels: read("matchExpressions"), fields: read("matchFields") }
    }

    pub(crate) fn matches(&self, name: &Text, labels: &Pairs) -> bool {
        let some = !self.labels.is_empty() || !self.fields.is_empty();
        some && self.labels.iter().all(|one| one.holds(labels.get(&one.key)))
            && self.fields.iter().all(|one| one.holds((*one.key == *"metadata.name").then_some(name)))
    }
}

/// A rule about other pods near by.
#[derive(Clone, Debug)]
pub(crate) struct PodTerm {
    pub(crate) selector: Selector,
    /// Empty for the pod's own.
    pub(crate) namespaces: Vec<Text>,
    pub(crate) topology_key: Text,
}

impl PodTerm {
    fn read(value: &Value) -> Self {
        // Without a selector a term matches no pod.
        let none = Selector {
            requirements: vec![crate::selector::Requirement {
                key: "".into(),
                operator: crate::selector::Operator::In,
                values: Vec::new(),
            }],
        };
        let selector = value.key("labelSelector");
        Self {
            selector: if selector.is_null() { none } else { Selector::of_value(selector) },
            namespaces: value.texts("namespaces"),
            topology_key: value.text("topologyKey").into(),
        }
    }

    /// True if it is about a pod; `own` is the namespace of the pod whose term this is.
    pub(crate) fn covers(&self, own: &str, namespace: &Text, labels: &Pairs) -> bool {
        let here = if self.namespaces.is_empty() {
            **namespace == *own
        } else {
            self.namespaces.contains(namespace)
        };
        here && self.selector.matches(labels)
    }
}

/// A rule on how evenly pods lie over a topology.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub(crate) max_skew: u32,
    pub(crate) topology_key: Text,
    /// True if a node that would break it is out of the question.
    pub(crate) hard: bool,
    pub(crate) selector: Selector,
}

/// All rules of a pod about its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    pub(crate) node_selector: Vec<(Text, Text)>,
    /// One of these has to match, where there are any.
    pub(crate) node_terms: Option<Vec<NodeTerm>>,
    pub(crate) preferred_nodes: Vec<(i64, NodeTerm)>,
    pub(crate) affinity: Vec<PodTerm>,
    pub(crate) preferred_affinity: Vec<(i64, PodTerm)>,
    pub(crate) anti_affinity: Vec<PodTerm>,
    pub(crate) preferred_anti_affinity: Vec<(i64, PodTerm)>,
    pub(crate) spread: Vec<Spread>,
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

impl Placement {
    /// Nothing when the pod has no rules.
    pub(crate) fn read(spec: &Value) -> Option<Self> {
        let affinity = spec.key("affinity");
        let node = affinity.key("nodeAffinity");
        let weight = |value: &Value| value.int("weight").unwrap_or(1);
        let pods = |of: &str| affinity.key(of).items(REQUIRED).iter().map(PodTerm::read).collect::<Vec<_>>();
        let preferred = |of: &str| {
            let terms = affinity.key(of).items(PREFERRED).iter();
            terms.map(|term| (weight(term), PodTerm::read(term.key("podAffinityTerm")))).collect::<Vec<_>>()
        };
        let spread = |value: &Value| Spread {
            max_skew: value.count("maxSkew").unwrap_or(1),
            topology_key: value.text("topologyKey").into(),
            hard: value.text("whenUnsatisfiable") != "ScheduleAnyway",
            selector: Selector::of_value(value.key("labelSelector")),
        };
        let selector = spec.key("nodeSelector").as_object().into_iter().flatten();
        let all = Self {
            node_selector: selector
                .map(|(key, value)| (key.as_str().into(), value.as_str().unwrap_or_default().into()))
                .collect(),
            node_terms: node
                .key(REQUIRED)
                .is_object()
                .then(|| node.key(REQUIRED).items("nodeSelectorTerms").iter().map(NodeTerm::read).collect()),
            preferred_nodes: node
                .items(PREFERRED)
                .iter()
                .map(|term| (weight(term), NodeTerm::read(term.key("preference"))))
                .collect(),
            affinity: pods("podAffinity"),
            preferred_affinity: preferred("podAffinity"),
            anti_affinity: pods("podAntiAffinity"),
            preferred_anti_affinity: preferred("podAntiAffinity"),
            spread: spec.items("topologySpreadConstraints").iter().map(spread).collect(),
        };
        let none = all.node_selector.is_empty()
            && all.node_terms.is_none()
            && all.preferred_nodes.is_empty()
            && all.affinity.is_empty()
            && all.preferred_affinity.is_empty()
            && all.anti_affinity.is_empty()
            && all.preferred_anti_affinity.is_empty()
            && all.spread.is_empty();
        (!none).then_some(all)
    }

    /// True if node selector and node affinity take a node.
    pub(crate) fn takes_node(&self, name: &Text, labels: &Pairs) -> bool {
        self.node_selector.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self
                .node_terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|term| term.matches(name, labels)))
    }
}

/// The part of a node that an operator writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSpec {
    pub(crate) unschedulable: bool,
    pub(crate) taints: Vec<Taint>,
}

impl NodeSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let taint = |value: &Value| {
            Some(Taint {
                key: word(value, "key")?,
                value: value.text("value").into(),
                effect: Effect::read(value.text("effect"))?,
            })
        };
        Self {
            unschedulable: spec.flag("unschedulable"),
            taints: spec.items("taints").iter().filter_map(taint).collect(),
        }
    }
}
