//! Placement rules: parsing, evaluation against an offer, descriptions.
//!
//! *Knows*: the constraint languages of definitions, and the facts of offers and stored tasks that rules use. *Must
//! not know*: resources, plans, how tasks are stored.
//!
//! **Source**: `dcos-commons: sdk/scheduler/src/main/java/com/mesosphere/sdk/offer/evaluate/placement`. Match,
//! except that the pod type in a task filter and the name of an attribute are taken literally, not as a
//! regular expression, and that regular expressions are those of the `regex-lite` crate.

mod evaluate;
mod matcher;
mod parse;
mod rule;
#[cfg(test)]
mod tests;
mod text;

pub use evaluate::{OfferFacts, Outcome, StoredTaskFacts};
pub use matcher::{Matcher, Pattern};
pub use parse::{ParseError, ParseErrorKind, parse};
pub use rule::{Key, Rule};

use planarium_protocol::Text;

/// A pod's placement as written and as understood. Equal when it means the same, however written.
#[derive(Clone, Debug, Eq)]
pub struct Placement {
    /// The text of the definition.
    pub text: Text,
    /// The rule.
    pub rule: Rule,
}

impl PartialEq for Placement {
    fn eq(&self, other: &Self) -> bool {
        self.rule == other.rule
    }
}

/// Returns the rule that places a pod: its own, combined with a rule about the region unless it already refers to
/// regions.
///
/// `region` is the service's region, used only if `region_awareness` is on; otherwise tasks stay in the region of the
/// master.
///
/// **Source**: `dcos-commons: …/scheduler/SchedulerBuilder.java`, the region constraint of a cluster with
/// fault domains. Match.
pub fn effective(placement: Option<&Placement>, region: Option<&str>, region_awareness: bool) -> Rule {
    let own = placement.map(|placement| &placement.rule);
    if own.is_some_and(Rule::references_region) {
        return own.cloned().unwrap_or(Rule::LocalRegion);
    }
    let first = match region.filter(|region| region_awareness && !region.is_empty()) {
        Some(region) => Rule::Region(Matcher::Exact(region.into())),
        None => Rule::LocalRegion,
    };
    match own {
        Some(own) => Rule::And(vec![first, own.clone()]),
        None => first,
    }
}
