//! Reads JSON into plain data and data types; writes it.
//!
//! Every type is read from a [`Value`] only: each further source would double the reading code, in an engine that is
//! sent over a network. For the same reason [`json!`](crate::json!) uses calls where serde_json's macro of that name
//! expands code at every key.

mod place;
pub mod read;

use crate::Input;
pub use read::Read;
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::Error;
pub use serde_json::{Map, Value};

/// JSON literals: `json!({"name": name, "list": [1, null]})`. Keys are literals, names, or in parentheses.
#[macro_export]
macro_rules! json {
    (null) => { $crate::json::Value::Null };
    ([$($items:tt)*]) => {{
        #[allow(unused_mut, reason = "nothing is put into an empty one")]
        let mut items = ::std::vec::Vec::new();
        $crate::json_items!(items; $($items)*);
        $crate::json::Value::Array(items)
    }};
    ({$($fields:tt)*}) => {{
        #[allow(unused_mut, reason = "nothing is put into an empty one")]
        let mut object = $crate::json::Map::new();
        $crate::json_fields!(object; $($fields)*);
        $crate::json::Value::Object(object)
    }};
    ($value:expr) => { $crate::json::of(&$value) };
}

/// Fields of an object in [`json!`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_fields {
    ($object:ident;) => {};
    ($object:ident; $key:tt: {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::put(&mut $object, &$key, $crate::json!({$($inner)*}));
        $crate::json_fields!($object; $($($rest)*)?);
    };
    ($object:ident; $key:tt: [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::put(&mut $object, &$key, $crate::json!([$($inner)*]));
        $crate::json_fields!($object; $($($rest)*)?);
    };
    ($object:ident; $key:tt: null $(, $($rest:tt)*)?) => {
        $crate::json::put(&mut $object, &$key, $crate::json::Value::Null);
        $crate::json_fields!($object; $($($rest)*)?);
    };
    ($object:ident; $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::put(&mut $object, &$key, $crate::json::of(&$value));
        $crate::json_fields!($object; $($($rest)*)?);
    };
}

/// Items of a list in [`json!`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_items {
    ($items:ident;) => {};
    ($items:ident; {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::add(&mut $items, $crate::json!({$($inner)*}));
        $crate::json_items!($items; $($($rest)*)?);
    };
    ($items:ident; [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::add(&mut $items, $crate::json!([$($inner)*]));
        $crate::json_items!($items; $($($rest)*)?);
    };
    ($items:ident; null $(, $($rest:tt)*)?) => {
        $crate::json::add(&mut $items, $crate::json::Value::Null);
        $crate::json_items!($items; $($($rest)*)?);
    };
    ($items:ident; $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::add(&mut $items, $crate::json::of(&$value));
        $crate::json_items!($items; $($($rest)*)?);
    };
}

/// Converts any value to plain data; `Null` if JSON cannot represent it.
#[inline(never)]
pub fn of<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The JSON text of any value.
pub fn text<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    plain(&of(value))
}

/// The JSON text of plain data.
#[inline(never)]
fn plain(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// Returns a string as it is, and every other value as JSON.
pub fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Puts an item at the end of a list.
pub fn add(items: &mut Vec<Value>, value: Value) {
    items.push(value);
}

/// Puts a field into an object.
#[inline(never)]
pub fn put(object: &mut Map<String, Value>, key: &str, value: Value) {
    object.insert(key.to_owned(), value);
}

/// The value that a JSON text is.
pub fn value(text: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(text)
}

/// Levels of lists and objects that an input may have, itself included: a journal holds inputs some levels further
/// down, and has to be read again.
const LEVELS: usize = 100;

/// The value that a body is which becomes a part of an input.
///
/// *Errors*: no JSON, with line and column; or too many levels.
pub fn body(text: &[u8]) -> Result<Value, Error> {
    shallow(value(text)?, LEVELS - 1)
}

fn shallow(value: Value, levels: usize) -> Result<Value, Error> {
    if is_deeper(&value, levels) {
        return Err(Error::custom(format_args!("it is nested more than {levels} levels deep")));
    }
    Ok(value)
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let within = levels.checked_sub(1);
    let deeper = |inner: &Value| within.is_none_or(|within| is_deeper(inner, within));
    match value {
        Value::Array(items) => within.is_none() || items.iter().any(deeper),
        Value::Object(fields) => within.is_none() || fields.values().any(deeper),
        _ => false,
    }
}

/// Reads a value from a JSON text.
///
/// *Errors*: invalid JSON, with line and column; or another type, with the path of the part concerned.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    take(&value(text)?, text, &[])
}

/// Reads a value from plain data. *Errors*: it has another shape, with the path of the part that differs.
pub fn from<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    take(&value, &[], &[])
}

/// Reads the item at `index` (from 0) of the list in a JSON text. *Errors*: as for [`read`], the path being
/// one within the item.
pub fn item<T: DeserializeOwned>(value: Value, text: &[u8], index: usize) -> Result<T, Error> {
    take(&value, text, &[place::Step::At(index)])
}

/// Reads a value at the end of a path in `text`; the text is empty if it is unknown.
fn take<T: DeserializeOwned>(value: &Value, text: &[u8], way: &[place::Step]) -> Result<T, Error> {
    T::deserialize(value).map_err(|error| {
        let again = |value: &Value| T::deserialize(value).err().map(|error| error.to_string());
        placed(value, error, text, way, &again)
    })
}

/// Returns the error with the path and the position of the part of `value` concerned.
#[inline(never)]
fn placed(
    value: &Value,
    error: Error,
    text: &[u8],
    way: &[place::Step],
    again: &dyn Fn(&Value) -> Option<String>,
) -> Error {
    let path = place::of(value, again);
    let whole: Vec<place::Step> = way.iter().chain(&path).cloned().collect();
    let named = if path.is_empty() { String::new() } else { format!("`{}`: ", place::words(&path)) };
    // That nothing is where something should be has no place but the whole.
    let at = place::line_and_column(text, &whole).filter(|_| !whole.is_empty());
    let at = at.map(|(line, column)| format!(" at line {line} column {column}")).unwrap_or_default();
    if named.is_empty() && at.is_empty() {
        return error;
    }
    Error::custom(format_args!("{named}{error}{at}"))
}

impl<'de> serde::Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        shallow(value, LEVELS).and_then(input).map_err(D::Error::custom)
    }
}

fn input(value: Value) -> Result<Input, Error> {
    let Value::Object(mut fields) = value else {
        return Err(Error::custom("an input is an object with a field `kind`"));
    };
    let kind = fields.shift_remove("kind").ok_or_else(|| Error::missing_field("kind"))?;
    let Value::String(kind) = kind else { return Err(Error::custom("`kind` is a word")) };
    Input::read_as(&kind, &Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_as_written() {
        let texts = [
            r#"{"kind":"add-agent","count":2,"resources":{"cpus":0.5}}"#,
            r#"{"kind":"remove-agent","agent":"a"}"#,
            r#"{"kind":"load-service","dialect":"auto","files":{"svc.yml":"name: a"}}"#,
            r#"{"kind":"update-service","dialect":"auto","files":{"svc.yml":"name: a"}}"#,
            r#"{"kind":"remove-service","name":"a"}"#,
            r#"{"kind":"plan","service":"a","plan":"deploy","op":"start"}"#,
            r#"{"kind":"pod","service":"a","pod":"b-0","op":"restart"}"#,
            r#"{"kind":"maintenance","op":"down","body":["a"]}"#,
            r#"{"kind":"fault","fault":"agent-lost"}"#,
            r#"{"kind":"clear-fault","id":"fault-1"}"#,
            r#"{"kind":"process-behaviour","behaviour":{"start_ms":50}}"#,
            r#"{"kind":"task-status","task":"b-0","state":"TASK_FAILED"}"#,
            r#"{"kind":"offer-round","agents":["a"]}"#,
            r#"{"kind":"framework","op":"add","name":"f"}"#,
            r#"{"kind":"call","method":"GET","path":"/x"}"#,
        ];
        let mut read_kinds = Vec::new();
        for text in texts {
            let input: Input = read(text.as_bytes()).expect(text);
            let again: Input = serde_json::from_str(&serde_json::to_string(&input).expect(text)).expect(text);
            assert_eq!(again, input, "{text}");
            assert!(text.contains(&format!("\"kind\":\"{}\"", input.kind())), "{text}");
            read_kinds.push(input.kind());
            assert_eq!(super::text(&input), serde_json::to_vec(&input).expect(text));
        }
        assert_eq!(read_kinds, Input::KINDS);
    }

    #[test]
    fn levels_are_counted() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!is_deeper(&json!({"a": [1], "b": {}}), 2) && is_deeper(&json!({"a": [[]], "b": 1}), 2));
        assert!(!is_deeper(&json!("x"), 0) && is_deeper(&json!([]), 0));
        assert!(body(nested(99).as_bytes()).is_ok());
        let refused = body(nested(100).as_bytes()).expect_err("too deep").to_string();
        assert_eq!(refused, "it is nested more than 99 levels deep");
        let call =
            |levels| format!(r#"{{"kind":"call","method":"POST","path":"/x","body":{}}}"#, nested(levels));
        assert!(read::<Input>(call(99).as_bytes()).is_ok());
        assert!(read::<Input>(call(100).as_bytes()).is_err());
    }

    #[test]
    fn json_literals_have_their_value() {
        let (name, list) = ("n".to_owned(), vec![1, 2]);
        let value = json!({
            "null": null, "none": Option::<u8>::None, name: {"deep": [[], {}, null, true, -1.5, "text"]},
            ("sum".to_owned() + "s"): list.iter().sum::<i32>(), "list": list, "len": [1, 2].len(),
        });
        let text = r#"{"null":null,"none":null,"n":{"deep":[[],{},null,true,-1.5,"text"]},"sums":3,"list":[1,2],"len":2}"#;
        assert_eq!(value.to_string(), text);
        assert_eq!(json!(null), Value::Null);
        assert_eq!(json!(["a", [1,],]).to_string(), r#"["a",[1]]"#);
        assert_eq!(json!({}).to_string(), "{}");
    }

    #[test]
    fn malformed_inputs_are_explained() {
        for (text, says) in [
            ("[]", "an input is an object"),
            ("{}", "missing field `kind`"),
            (r#"{"kind":1}"#, "`kind` is a word"),
            (r#"{"kind":"nothing"}"#, "unknown variant `nothing`, expected one of `add-agent`, "),
            (r#"{"kind":"remove-service","name":"a","more":1}"#, "unknown field `more`"),
        ] {
            let error = read::<Input>(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
