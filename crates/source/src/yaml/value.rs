//! A tree as plain JSON data.

use serde_json::{Map, Number, Value};

use crate::yaml::node::{Kind, Node, Scalar, Style};
use crate::yaml::scalar::parse_int;

impl Node {
    /// Returns the node as data: a plain scalar is null, boolean, number or text by its form, a quoted one
    /// is text. The last of repeated keys wins; a key that is not a scalar becomes its JSON text.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar(_) if self.is_null() => Value::Null,
            Kind::Scalar(scalar) if scalar.style == Style::Plain && !self.is_forced_text() => plain(scalar),
            Kind::Scalar(scalar) => Value::String(scalar.text.to_string()),
            Kind::Sequence(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Kind::Mapping(entries) => {
                let mut map = Map::new();
                for entry in entries.iter() {
                    let key =
                        entry.key.as_str().map_or_else(|| entry.key.to_json().to_string(), str::to_owned);
                    map.insert(key, entry.value.to_json());
                }
                Value::Object(map)
            }
        }
    }
}

fn plain(scalar: &Scalar) -> Value {
    let text = &*scalar.text;
    match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => parse_int(text, true)
            .map(Number::from)
            .or_else(|| decimal(text))
            .map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// Returns a plain decimal number; words such as `inf`, versions and dates are texts.
fn decimal(text: &str) -> Option<Number> {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !text.contains(|c: char| c.is_ascii_digit()) || !text.chars().all(numeric) {
        return None;
    }
    match text.parse::<u64>() {
        Ok(number) => Some(Number::from(number)),
        Err(_) => Number::from_f64(planarium_kernel::float::parse(text)?),
    }
}
