//! Label selectors.
//!
//! *Knows*: requirements on labels, read from text (`app=web,tier!=db,zone in (a,b),!canary`) or from a `LabelSelector`.
//! *Must not know*: whose labels they are.

use crate::{labels::Pairs, tree::Tree};
use planarium_protocol::Text;
use serde_json::Value;

/// A comparison of a label.
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
    /// The operator.
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

    /// Parses `app=web,tier!=db,zone in (a,b),!canary`. *Errors*: describes the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let end =
                end_of_requirement(rest).ok_or_else(|| format!("unable to parse requirement: {rest}"))?;
            let (one, more) = rest.split_at_checked(end).unwrap_or((rest, ""));
            requirements.push(requirement(one.trim())?);
            rest = more.strip_prefix(',').unwrap_or(more).trim_start();
            if rest.is_empty() && more.starts_with(',') {
                return Err("found '', expected: identifier after ','".to_owned());
            }
        }
        Ok(Self { requirements })
    }

    /// Reads a `LabelSelector` (`matchLabels`, `matchExpressions`). An operator that does not exist matches nothing.
    pub fn of_value(value: &Value) -> Self {
        let mut requirements = Vec::new();
        let labels = value.key("matchLabels").as_object();
        for (key, value) in labels.into_iter().flatten() {
            let values = vec![value.as_str().unwrap_or_default().into()];
            requirements.push(Requirement { key: key.as_str().into(), operator: Operator::In, values });
        }
        for one in value.items("matchExpressions") {
            let operator = match one.text("operator") {
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                _ => Operator::In,
            };
            requirements.push(Requirement {
                key: one.text("key").into(),
                operator,
                values: one.texts("values"),
            });
        }
        Self { requirements }
    }

    /// Reads a map of required labels, as in a Service.
    pub(crate) fn of_map(value: &Value) -> Self {
        let fields = value.as_object().into_iter().flatten();
        Self::of_pairs(fields.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default())))
    }

    /// True if it has no requirement.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// A label and value that has to be there, if there is one.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.requirements.iter().filter_map(|one| match (one.operator, one.values.as_slice()) {
            (Operator::In, [value]) => Some((&one.key, value)),
            _ => None,
        })
    }

    /// As tables and commands write it: `app=web,tier in (a,b)`.
    pub fn text(&self) -> String {
        let one = |one: &Requirement| {
            let key = &one.key;
            let values = one.values.iter().map(|value| &**value).collect::<Vec<_>>().join(",");
            match (one.operator, one.values.len()) {
                (Operator::In, 1) => format!("{key}={values}"),
                (Operator::In, _) => format!("{key} in ({values})"),
                (Operator::NotIn, 1) => format!("{key}!={values}"),
                (Operator::NotIn, _) => format!("{key} notin ({values})"),
                (Operator::Exists, _) => key.to_string(),
                (Operator::DoesNotExist, _) => format!("!{key}"),
            }
        };
        self.requirements.iter().map(one).collect::<Vec<_>>().join(",")
    }

    /// True if all requirements hold.
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

/// Finds the end of the first requirement: at a comma outside parentheses.
fn end_of_requirement(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0).then_some(text.len())
}

fn requirement(text: &str) -> Result<Requirement, String> {
    let bad = || format!("unable to parse requirement: {text}");
    let checked = |key: &str, operator, values: Vec<Text>| {
        let key = key.trim();
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if key.is_empty() || !key.chars().all(fits) {
            return Err(format!("unable to parse requirement: invalid label key {key:?}"));
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if let Some(value) = values.iter().find(|value| !value.chars().all(fits) || value.len() > 63) {
            return Err(format!("unable to parse requirement: invalid label value: {value:?}"));
        }
        Ok(Requirement { key: key.into(), operator, values })
    };
    if let Some(key) = text.strip_prefix('!') {
        return checked(key, Operator::DoesNotExist, Vec::new());
    }
    for (sign, operator) in [("!=", Operator::NotIn), ("==", Operator::In), ("=", Operator::In)] {
        if let Some((key, value)) = text.split_once(sign) {
            return checked(key, operator, vec![value.trim().into()]);
        }
    }
    let Some((key, rest)) = text.split_once(char::is_whitespace) else {
        return checked(text, Operator::Exists, Vec::new());
    };
    let rest = rest.trim_start();
    let (operator, list) = match (rest.strip_prefix("in"), rest.strip_prefix("notin")) {
        (Some(list), _) => (Operator::In, list),
        (_, Some(list)) => (Operator::NotIn, list),
        _ => return Err(bad()),
    };
    let list = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')')).ok_or_else(bad)?;
    checked(key, operator, list.split(',').map(|value| value.trim().into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Pairs {
        Pairs::new(pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())))
    }

    #[test]
    fn texts() {
        let web = labels(&[("app", "web"), ("tier", "front")]);
        for (text, matches, again) in [
            ("", true, ""),
            ("app=web", true, "app=web"),
            ("app==web", true, "app=web"),
            ("app!=web", false, "app!=web"),
            ("zone!=a", true, "zone!=a"),
            ("app", true, "app"),
            ("!app", false, "!app"),
            ("app in (web, db),tier", true, "app in (web,db),tier"),
            ("app notin (web),tier=front", false, "app!=web,tier=front"),
            (" app = web , tier = front ", true, "app=web,tier=front"),
            ("app=", false, "app="),
        ] {
            let selector = Selector::parse(text).expect(text);
            assert_eq!((selector.matches(&web), selector.text().as_str()), (matches, again), "{text}");
        }
        for bad in ["app=web,", "app in (a", "app like web", "=x", "a b=c", "app=a b", ",", "app in a"] {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values() {
        let selector = Selector::of_value(&serde_json::json!({
            "matchLabels": {"app": "web"},
            "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["db"]}, {"key": "x", "operator": "DoesNotExist"}],
        }));
        assert_eq!(selector.text(), "app=web,tier!=db,!x");
        assert!(selector.matches(&labels(&[("app", "web")])));
        assert!(!selector.matches(&labels(&[("app", "web"), ("tier", "db")])));
        assert_eq!(selector.pairs().map(|(key, _)| &**key).collect::<Vec<_>>(), ["app"]);
        assert!(Selector::of_value(&Value::Null).is_everything());
    }
}
