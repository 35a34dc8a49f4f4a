//! A rule as the real scheduler writes it into messages.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/placement`, the `toString` of every rule and matcher. Match, but for
//! limits per zone and per region, of which the real one shows an address in memory.

use super::{Key, Matcher, Rule};
use std::fmt;

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(rules) => write!(f, "AndRule{{rules={}}}", List(rules)),
            Self::Or(rules) => write!(f, "OrRule{{rules={}}}", List(rules)),
            Self::Not(rule) => write!(f, "NotRule{{rule={rule}}}"),
            Self::Hostname(matcher) => write!(f, "HostnameRule{{matcher={}}}", Shown("", matcher)),
            Self::Attribute(name, matcher) => {
                write!(f, "AttributeRule{{matcher={}}}", Shown(&format!("{name}:"), matcher))
            }
            Self::Region(matcher) => write!(f, "RegionRule{{matcher={}}}", Shown("", matcher)),
            Self::Zone(matcher) => write!(f, "ZoneRule{{matcher={}}}", Shown("", matcher)),
            Self::LocalRegion => f.write_str("IsLocalRegionRule"),
            Self::Avoid { pod } => {
                write!(f, "TaskTypeRule{{type={pod}, converter=TaskTypeLabelConverter{{}}, behavior=AVOID}}")
            }
            Self::MaxPer { key, max, pod } => {
                let filter = Tasks(pod);
                match key {
                    Key::Hostname => write!(f, "MaxPerHostnameRule{{max={max}, task-filter={filter}}}"),
                    Key::Zone => write!(f, "MaxPerZoneRule{{max={max}, task-filter={filter}}}"),
                    Key::Region => write!(f, "MaxPerRegionRule{{max={max}, task-filter={filter}}}"),
                    Key::Attribute(name) => {
                        let matcher = format!("RegexMatcher{{pattern='{name}:.*'}}");
                        write!(f, "MaxPerAttributeRule{{max={max}, matcher={matcher}, task-filter={filter}}}")
                    }
                }
            }
            Self::RoundRobin { key, distinct, pod } => {
                let count = match distinct {
                    Some(count) => format!("Optional[{count}]"),
                    None => "Optional.empty".to_owned(),
                };
                let filter = Tasks(pod);
                match key {
                    Key::Hostname => {
                        write!(f, "RoundRobinByHostnameRule{{agent-count={count}, task-filter={filter}}}")
                    }
                    Key::Zone => {
                        write!(f, "RoundRobinByZoneRule{{zone-count={count}, task-filter={filter}}}")
                    }
                    Key::Region => {
                        write!(f, "RoundRobinByRegionRule{{region-count={count}, task-filter={filter}}}")
                    }
                    Key::Attribute(name) => write!(
                        f,
                        "RoundRobinByAttributeRule{{attribute={name}, attribute-count={count}, task-filter={filter}}}"
                    ),
                }
            }
            Self::Invalid { text, why } => {
                write!(f, "InvalidPlacementRule{{constraints={text}, exception={why}}}")
            }
        }
    }
}

/// Rules in brackets.
struct List<'a>(&'a [Rule]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (n, rule) in self.0.iter().enumerate() {
            let before = if n == 0 { "" } else { ", " };
            write!(f, "{before}{rule}")?;
        }
        f.write_str("]")
    }
}

/// A matcher of texts with a prefix.
struct Shown<'a>(&'a str, &'a Matcher);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(prefix, matcher) = self;
        match matcher {
            Matcher::Exact(text) => write!(f, "ExactMatcher{{str='{prefix}{text}'}}"),
            Matcher::Regex(pattern) => write!(f, "RegexMatcher{{pattern='{prefix}{}'}}", pattern.text()),
            Matcher::Any if prefix.is_empty() => f.write_str("AnyMatcher{}"),
            Matcher::Any => write!(f, "RegexMatcher{{pattern='{prefix}.*'}}"),
        }
    }
}

/// The filter of the tasks of a pod type.
struct Tasks<'a>(&'a str);

impl fmt::Display for Tasks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegexMatcher{{pattern='{}-.*'}}", self.0)
    }
}
