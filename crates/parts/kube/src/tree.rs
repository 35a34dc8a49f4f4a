//! Access to plain data by path.

use planarium_protocol::Text;
use serde_json::{Map, Value};

static NOTHING: Value = Value::Null;

/// Read access to plain data; missing values are null.
pub(crate) trait Tree {
    /// The value of a key.
    fn key(&self, key: &str) -> &Value;

    /// The value at the end of a path of keys.
    fn at(&self, path: &[&str]) -> &Value;

    /// The text of a key; empty where there is none.
    fn text(&self, key: &str) -> &str {
        self.key(key).as_str().unwrap_or_default()
    }

    /// The whole number of a key.
    fn int(&self, key: &str) -> Option<i64> {
        self.key(key).as_i64()
    }

    /// The whole number of a key that is at least zero.
    fn count(&self, key: &str) -> Option<u32> {
        self.key(key).as_i64().map(|number| u32::try_from(number.max(0)).unwrap_or(u32::MAX))
    }

    /// True if a key is `true`.
    fn flag(&self, key: &str) -> bool {
        self.key(key).as_bool().unwrap_or(false)
    }

    /// The items of a key.
    fn items(&self, key: &str) -> &[Value] {
        self.key(key).as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts among the items of a key.
    fn texts(&self, key: &str) -> Vec<Text> {
        self.items(key).iter().filter_map(Value::as_str).map(Text::from).collect()
    }
}

/// Objects with at most this many fields are searched field by field, which costs less than a hash of the key.
const FEW: usize = 12;

impl Tree for Value {
    fn key(&self, key: &str) -> &Value {
        let Value::Object(fields) = self else { return &NOTHING };
        let found = if fields.len() <= FEW {
            fields.iter().find(|(own, _)| *own == key).map(|(_, value)| value)
        } else {
            fields.get(key)
        };
        found.unwrap_or(&NOTHING)
    }

    fn at(&self, path: &[&str]) -> &Value {
        path.iter().fold(self, |value, key| value.key(key))
    }
}

/// The object at a key, made where there is none (or something else).
pub(crate) fn object_at<'a>(
    object: &'a mut Map<String, Value>,
    key: &str,
) -> Option<&'a mut Map<String, Value>> {
    let slot = object.entry(key).or_insert(Value::Null);
    as_object(slot)
}

/// The list under a key, which becomes one where there is none; so there always is one.
pub(crate) fn array_at<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Vec<Value>> {
    let slot = object.entry(key).or_insert(Value::Null);
    if !slot.is_array() {
        *slot = Value::Array(Vec::new());
    }
    slot.as_array_mut()
}

/// Returns the fields of a value, after turning a value that is not an object into one.
pub(crate) fn as_object(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// Puts a field there unless there is one.
pub(crate) fn put_new(object: &mut Map<String, Value>, key: &str, value: Value) {
    if !object.contains_key(key) {
        object.insert(key.to_owned(), value);
    }
}

/// A text as shared text; an empty one takes no memory.
pub(crate) fn shared_text(text: &str) -> Text {
    if text.is_empty() { Text::default() } else { text.into() }
}

/// Returns the text of a key as shared text; `None` if it is empty or absent.
pub(crate) fn word(value: &Value, key: &str) -> Option<Text> {
    let text = value.text(key);
    (!text.is_empty()).then(|| text.into())
}
