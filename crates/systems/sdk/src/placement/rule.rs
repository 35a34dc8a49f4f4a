//! The rules themselves and their JSON form.

use super::Matcher;
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::Value;

/// Keys by which tasks are grouped or counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The machine.
    Hostname,
    /// The zone of the fault domain.
    Zone,
    /// The region of the fault domain.
    Region,
    /// The value of an agent attribute.
    Attribute(Text),
}

impl Key {
    /// The word in definitions.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Hostname => "hostname",
            Self::Zone => "@zone",
            Self::Region => "@region",
            Self::Attribute(name) => name,
        }
    }
}

/// A condition on an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// All must hold; an empty list never holds.
    And(Vec<Rule>),
    /// One must hold.
    Or(Vec<Rule>),
    /// Must not hold.
    Not(Box<Rule>),
    /// The machine's name fits.
    Hostname(Matcher),
    /// The agent has this attribute and its value fits.
    Attribute(Text, Matcher),
    /// The region fits.
    Region(Matcher),
    /// The zone fits.
    Zone(Matcher),
    /// The region is the master's, or one of the two has none.
    LocalRegion,
    /// No task of the pod type is on the same agent. No definition can write it.
    Avoid {
        /// The pod type.
        pod: Text,
    },
    /// Maximum of tasks of the pod type per key.
    MaxPer {
        /// Per what.
        key: Key,
        /// Maximum.
        max: u32,
        /// Pod type whose tasks count.
        pod: Text,
    },
    /// Tasks of the pod type spread evenly over the keys.
    RoundRobin {
        /// Over what.
        key: Key,
        /// Number of different keys, when given.
        distinct: Option<u32>,
        /// Pod type whose tasks count.
        pod: Text,
    },
    /// The text could not be understood; never holds.
    Invalid {
        /// The text.
        text: Text,
        /// The error.
        why: Text,
    },
}

impl Rule {
    /// Returns whether some part refers to the region.
    pub fn references_region(&self) -> bool {
        self.any(&mut |rule| {
            matches!(
                rule,
                Self::Region(_)
                    | Self::LocalRegion
                    | Self::MaxPer { key: Key::Region, .. }
                    | Self::RoundRobin { key: Key::Region, .. }
            )
        })
    }

    /// Returns whether some part refers to the zone.
    pub fn references_zone(&self) -> bool {
        self.any(&mut |rule| {
            matches!(
                rule,
                Self::Zone(_) | Self::MaxPer { key: Key::Zone, .. } | Self::RoundRobin { key: Key::Zone, .. }
            )
        })
    }

    /// Returns whether stored tasks matter.
    pub fn counts(&self) -> bool {
        self.any(&mut |rule| {
            matches!(rule, Self::Avoid { .. } | Self::MaxPer { .. } | Self::RoundRobin { .. })
        })
    }

    /// Returns whether tasks on other machines than the offer's matter. When not, it is enough to pass the stored
    /// tasks of that machine to [`Rule::evaluate`].
    pub fn counts_elsewhere(&self) -> bool {
        self.any(&mut |rule| match rule {
            Self::MaxPer { key, .. } => *key != Key::Hostname,
            Self::RoundRobin { .. } => true,
            _ => false,
        })
    }

    /// Why the rule can never hold, if it holds a part that could not be understood.
    pub fn invalid(&self) -> Option<Text> {
        match self {
            Self::And(rules) | Self::Or(rules) => rules.iter().find_map(Self::invalid),
            Self::Not(rule) => rule.invalid(),
            Self::Invalid { why, .. } => Some(why.clone()),
            _ => None,
        }
    }

    fn any(&self, test: &mut dyn FnMut(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::And(rules) | Self::Or(rules) => rules.iter().any(|rule| rule.any(test)),
                Self::Not(rule) => rule.any(test),
                _ => false,
            }
    }

    /// The form in which the real scheduler stores and shows rules.
    ///
    /// **Source**: `dcos-commons: …/offer/evaluate/placement`, the JSON annotations. Match.
    pub fn to_json(&self) -> Value {
        let list = |rules: &[Self]| rules.iter().map(Self::to_json).collect::<Vec<_>>();
        match self {
            Self::And(rules) => json!({"@type": "AndRule", "rules": list(rules)}),
            Self::Or(rules) => json!({"@type": "OrRule", "rules": list(rules)}),
            Self::Not(rule) => json!({"@type": "NotRule", "rule": rule.to_json()}),
            Self::Hostname(matcher) => json!({"@type": "HostnameRule", "matcher": matcher_json("", matcher)}),
            Self::Attribute(name, matcher) => {
                json!({"@type": "AttributeRule", "matcher": matcher_json(&format!("{name}:"), matcher)})
            }
            Self::Region(matcher) => json!({"@type": "RegionRule", "matcher": matcher_json("", matcher)}),
            Self::Zone(matcher) => json!({"@type": "ZoneRule", "matcher": matcher_json("", matcher)}),
            Self::LocalRegion => json!({"@type": "IsLocalRegionRule"}),
            Self::Avoid { pod } => json!({
                "@type": "TaskTypeRule", "type": pod, "converter": {"@type": "TaskTypeLabelConverter"},
                "behavior": "AVOID"
            }),
            Self::MaxPer { key, max, pod } => {
                let filter = task_filter(pod);
                match key {
                    Key::Hostname => {
                        json!({"@type": "MaxPerHostnameRule", "max": max, "task-filter": filter})
                    }
                    Key::Zone => json!({"@type": "MaxPerZoneRule", "max": max, "task-filter": filter}),
                    Key::Region => json!({"@type": "MaxPerRegionRule", "max": max, "task-filter": filter}),
                    Key::Attribute(name) => json!({
                        "@type": "MaxPerAttributeRule", "max": max,
                        "matcher": matcher_json(&format!("{name}:"), &Matcher::Any), "task-filter": filter
                    }),
                }
            }
            Self::RoundRobin { key, distinct, pod } => {
                let filter = task_filter(pod);
                match key {
                    Key::Hostname => {
                        json!({"@type": "RoundRobinByHostnameRule", "agent-count": distinct, "task-filter": filter})
                    }
                    Key::Zone => {
                        json!({"@type": "RoundRobinByZoneRule", "zone-count": distinct, "task-filter": filter})
                    }
                    Key::Region => {
                        json!({"@type": "RoundRobinByRegionRule", "region-count": distinct, "task-filter": filter})
                    }
                    Key::Attribute(name) => json!({
                        "@type": "RoundRobinByAttributeRule", "name": name, "value-count": distinct,
                        "task-filter": filter
                    }),
                }
            }
            Self::Invalid { text, why } => {
                json!({"@type": "InvalidPlacementRule", "constraints": text, "exception": why})
            }
        }
    }
}

fn matcher_json(prefix: &str, matcher: &Matcher) -> Value {
    match matcher {
        Matcher::Exact(text) => json!({"@type": "ExactMatcher", "string": format!("{prefix}{text}")}),
        Matcher::Regex(pattern) => {
            json!({"@type": "RegexMatcher", "pattern": format!("{prefix}{}", pattern.text())})
        }
        Matcher::Any if prefix.is_empty() => json!({"@type": "AnyMatcher"}),
        Matcher::Any => json!({"@type": "RegexMatcher", "pattern": format!("{prefix}.*")}),
    }
}

fn task_filter(pod: &str) -> Value {
    json!({"@type": "RegexMatcher", "pattern": format!("{pod}-.*")})
}
