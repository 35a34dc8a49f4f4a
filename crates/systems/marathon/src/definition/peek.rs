//! Looking into JSON that was read by its shape.

use planarium_kernel::Milli;
use serde_json::{Map, Value};

/// Fields of an object; absent ones read as empty values.
pub(crate) trait Peek {
    /// A field.
    fn field(&self, key: &str) -> Option<&Value>;

    /// A text.
    fn text(&self, key: &str) -> Option<&str> {
        self.field(key)?.as_str()
    }

    /// A word; empty when absent.
    fn word(&self, key: &str) -> &str {
        self.text(key).unwrap_or_default()
    }

    /// A list; empty when absent.
    fn items(&self, key: &str) -> &[Value] {
        self.field(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Texts of a list.
    fn texts(&self, key: &str) -> Vec<&str> {
        self.items(key).iter().filter_map(Value::as_str).collect()
    }

    /// A whole number.
    fn whole(&self, key: &str) -> Option<i64> {
        self.field(key)?.as_i64()
    }

    /// A number; 0 when absent.
    fn number(&self, key: &str) -> f64 {
        self.field(key).and_then(Value::as_f64).unwrap_or_default()
    }

    /// A number in thousandths; 0 when absent.
    fn milli(&self, key: &str) -> Milli {
        planarium_kernel::float::thousandths(self.number(key)).map_or(Milli::ZERO, Milli)
    }

    /// Returns whether a field is true.
    fn flag(&self, key: &str) -> bool {
        self.field(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// An object.
    fn object(&self, key: &str) -> Option<&Map<String, Value>> {
        self.field(key)?.as_object()
    }

    /// Returns whether a field is there and not empty.
    fn holds(&self, key: &str) -> bool {
        match self.field(key) {
            None | Some(Value::Null) => false,
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(fields)) => !fields.is_empty(),
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        }
    }
}

impl Peek for Value {
    fn field(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }
}

impl Peek for Map<String, Value> {
    fn field(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }
}
