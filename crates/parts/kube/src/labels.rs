//! Labels and annotations.
//!
//! *Invariant*: keys ascend, none twice.

use planarium_kernel::{Weight, cow::behind};
use planarium_protocol::Text;
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

/// Labels or annotations. *Order*: by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs(Arc<Vec<(Text, Text)>>);

impl Default for Pairs {
    /// No pairs. All that have none share one list.
    fn default() -> Self {
        static NONE: LazyLock<Pairs> = LazyLock::new(|| Pairs(Arc::default()));
        NONE.clone()
    }
}

impl Pairs {
    /// Pairs; the last of a repeated key wins.
    pub fn new(pairs: impl IntoIterator<Item = (Text, Text)>) -> Self {
        let mut all: Vec<(Text, Text)> = pairs.into_iter().collect();
        // Stable: of a repeated key the last stays behind.
        planarium_kernel::sorted::sort_by(&mut all, |(one, _), (other, _)| one.cmp(other));
        all.reverse();
        all.dedup_by(|(one, _), (other, _)| one == other);
        all.reverse();
        Self(Arc::new(all))
    }

    /// The texts of a map.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value.as_object() {
            Some(fields) if !fields.is_empty() => {
                let text = |value: &Value| Text::from(value.as_str().unwrap_or_default());
                Self::new(fields.iter().map(|(key, value)| (key.as_str().into(), text(value))))
            }
            _ => Self::default(),
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        let fields = self.iter().map(|(key, value)| (key.to_string(), Value::from(value.as_ref())));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Text> {
        let at = self.0.binary_search_by(|(mine, _)| (**mine).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// All pairs.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// These pairs and one more, or another value for its key.
    pub(crate) fn with(&self, key: &str, value: impl Into<Text>) -> Self {
        let mut all = Vec::clone(&self.0);
        match all.binary_search_by(|(mine, _)| (**mine).cmp(key)) {
            Ok(at) => {
                if let Some(place) = all.get_mut(at) {
                    place.1 = value.into();
                }
            }
            Err(at) => all.insert(at, (key.into(), value.into())),
        }
        Self(Arc::new(all))
    }

    /// True if both are the same list.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self == other
    }
}

impl Weight for Pairs {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        behind(&self.0, before.map(|before| &before.0), |all| {
            all.iter().map(|(key, value)| 64 + (key.len() + value.len()) as u64).sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_and_unique() {
        let pairs =
            Pairs::new([("b", "1"), ("a", "2"), ("b", "3")].map(|(key, value)| (key.into(), value.into())));
        assert_eq!(pairs.to_value().to_string(), r#"{"a":"2","b":"3"}"#);
        assert_eq!(pairs.get("b").map(|value| &**value), Some("3"));
        assert_eq!(pairs.with("c", "4").to_value().to_string(), r#"{"a":"2","b":"3","c":"4"}"#);
        assert_eq!(pairs.with("a", "x").len(), 2);
        assert_eq!(Pairs::of_value(&pairs.to_value()), pairs);
    }
}
