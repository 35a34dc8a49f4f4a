//! The values a template may insert.

use planarium_kernel::SortedMap;

/// A value of the context. Numbers are kept as the text they were written with.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Value {
    /// Present without a value: renders as nothing, and sections on it are skipped.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// Text.
    Str(String),
    /// A number as written.
    Num(String),
    /// A list; a section on it is rendered once per item.
    List(Vec<Value>),
    /// Named values.
    Map(SortedMap<String, Value>),
}

impl Value {
    /// An empty map.
    pub fn map() -> Self {
        Self::Map(SortedMap::new())
    }

    /// A map of texts.
    pub fn from_texts<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        pairs.into_iter().map(|(key, value)| (key.into(), Self::Str(value.into()))).collect()
    }

    /// The value of one name in a map.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.get(name),
            _ => None,
        }
    }

    /// Sets one name; does nothing on anything but a map.
    pub fn insert(&mut self, name: impl Into<String>, value: Self) {
        if let Self::Map(entries) = self {
            entries.insert(name.into(), value);
        }
    }

    /// Sections on these are skipped: nothing, false, empty text, empty list, and zero if so asked.
    pub(crate) fn is_falsy(&self, zero_is_false: bool) -> bool {
        match self {
            Self::Null | Self::Bool(false) => true,
            Self::Bool(true) | Self::Map(_) => false,
            Self::Str(text) => text.is_empty(),
            Self::Num(text) => zero_is_false && is_zero(text),
            Self::List(items) => items.is_empty(),
        }
    }

    /// Appends the value as JSON text.
    pub(crate) fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Num(text) => out.push_str(text),
            Self::Str(text) => {
                out.push('"');
                super::mustache::escape_json(text, out);
                out.push('"');
            }
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Map(entries) => {
                out.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if at > 0 { ",\"" } else { "\"" });
                    super::mustache::escape_json(key, out);
                    out.push_str("\":");
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }
}

impl FromIterator<(String, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(pairs: I) -> Self {
        Self::Map(pairs.into_iter().collect())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Num(number.to_string())
    }
}

/// JSON as a context. *Invariant*: JSON that came through this crate's readers is bounded in depth.
impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(flag) => Self::Bool(*flag),
            serde_json::Value::Number(number) => Self::Num(number.to_string()),
            serde_json::Value::String(text) => Self::Str(text.clone()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect()
            }
        }
    }
}

fn is_zero(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let mut digits = mantissa.chars().filter(char::is_ascii_digit).peekable();
    digits.peek().is_some() && digits.all(|digit| digit == '0')
}
