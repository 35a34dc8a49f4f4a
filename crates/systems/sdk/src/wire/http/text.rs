//! JSON in the real scheduler's layout: line breaks, blanks and the key order of its two libraries.
//!
//! Knows: layout and order. Must not know: the content of a body.
//!
//! Source: dcos-commons `ResponseUtils`, `PrettyJsonResource` and their libraries. Match, except that characters beyond
//! ASCII stay unchanged.

use planarium_part::Response;
use serde_json::{Map, Value};

/// Writer of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Objects put together by hand: lone entries stay on their line, keys come in the order of their hashes.
    Assembled,
    /// Objects of a class: lists run on, a blank is on both sides of every colon, keys keep their order.
    Bean,
    /// The metrics library: everything on one line.
    Compact,
}

/// A JSON body.
pub(super) fn json(status: u16, value: &Value, form: Form) -> Response {
    let mut out = String::new();
    match form {
        Form::Assembled => assembled(&mut out, value, 0),
        Form::Bean => bean(&mut out, value, 0),
        Form::Compact => out = value.to_string(),
    }
    Response { content_type: "application/json", ..Response::text(status, out) }
}

const STEP: usize = 2;

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Appends a text with its quotes, or another value without parts.
fn plain(out: &mut String, value: impl Into<Value>) {
    out.push_str(&value.into().to_string());
}

/// *Invariant* of both: as deep as the body, whose shape the routes give.
fn assembled(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) => {
            let one = |out: &mut String, item: &&Value, indent| assembled(out, item, indent);
            entries(out, '[', ']', &items.iter().collect::<Vec<_>>(), indent, one);
        }
        Value::Object(map) => {
            let one = |out: &mut String, (key, value): &(&str, &Value), indent| {
                plain(out, *key);
                out.push_str(": ");
                assembled(out, value, indent);
            };
            entries(out, '{', '}', &by_hash(map), indent, one);
        }
        other => plain(out, other.clone()),
    }
}

fn entries<T>(
    out: &mut String,
    open: char,
    close: char,
    items: &[T],
    indent: usize,
    one: impl Fn(&mut String, &T, usize),
) {
    out.push(open);
    match items {
        [] => {}
        [only] => one(out, only, indent),
        items => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                new_line(out, indent + STEP);
                one(out, item, indent + STEP);
            }
            new_line(out, indent);
        }
    }
    out.push(close);
}

/// The entries as a hash table of the real one's language lists them: by slot, within a slot as they came.
fn by_hash(map: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut slots: u32 = 16;
    while map.len() > (slots / 4 * 3) as usize {
        slots *= 2;
    }
    let slot = |key: &str| {
        let hash =
            key.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
        (hash ^ hash >> 16) & (slots - 1)
    };
    let mut sorted: Vec<(&str, &Value)> = map.iter().map(|(key, value)| (key.as_str(), value)).collect();
    planarium_kernel::sorted::sort_by_key(&mut sorted, |(key, _)| slot(key));
    sorted
}

fn bean(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                bean(out, item, indent);
            }
            out.push_str(" ]");
        }
        Value::Object(map) if map.is_empty() => out.push_str("{ }"),
        Value::Object(map) => {
            out.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                new_line(out, indent + STEP);
                plain(out, key.as_str());
                out.push_str(" : ");
                bean(out, value, indent + STEP);
            }
            new_line(out, indent);
            out.push('}');
        }
        other => plain(out, other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(value: &Value, form: Form) -> String {
        let response = json(200, value, form);
        assert_eq!(response.content_type, "application/json");
        String::from_utf8(response.body).unwrap()
    }

    #[test]
    fn assembled_bodies() {
        for (value, text) in [
            (json!([]), "[]"),
            (json!({}), "{}"),
            (json!(["deploy"]), "[\"deploy\"]"),
            (json!(["deploy", "recovery"]), "[\n  \"deploy\",\n  \"recovery\"\n]"),
            (json!({"message": "Received cmd: stop"}), "{\"message\": \"Received cmd: stop\"}"),
            (
                json!({"pod": "a-0", "tasks": ["a-0-x"]}),
                "{\n  \"pod\": \"a-0\",\n  \"tasks\": [\"a-0-x\"]\n}",
            ),
            // A single entry does not indent its content.
            (
                json!([{"b": 1, "a": [true, null]}]),
                "[{\n  \"a\": [\n    true,\n    null\n  ],\n  \"b\": 1\n}]",
            ),
        ] {
            assert_eq!(written(&value, Form::Assembled), text);
        }
    }

    #[test]
    fn keys_of_assembled_bodies_are_in_hash_order() {
        for (keys, ordered) in [
            ("id name status", "name id status"),
            ("dns address vip", "address dns vip"),
            ("service pods", "service pods"),
            ("name instances", "instances name"),
            ("value reasons", "reasons value"),
            (
                "name status strategy totalSteps completedSteps phases",
                "completedSteps name totalSteps strategy phases status",
            ),
            // More than twelve take a larger table.
            ("a b c d e f g h i j k l m p", "a b c d e f g h i j k l m p"),
            ("a 0", "0 a"),
            ("0 a 1 2 3 4 5 6 7 8 9 b c", "a b c 0 1 2 3 4 5 6 7 8 9"),
        ] {
            let map: Map<String, Value> = keys.split(' ').map(|key| (key.to_owned(), Value::Null)).collect();
            let listed: Vec<&str> = by_hash(&map).into_iter().map(|(key, _)| key).collect();
            assert_eq!(listed.join(" "), ordered, "{keys}");
        }
    }

    #[test]
    fn beans_and_metrics() {
        let plan = json!({"phases": [{"name": "a", "steps": []}, {}], "errors": ["x", "y"]});
        assert_eq!(
            written(&plan, Form::Bean),
            "{\n  \"phases\" : [ {\n    \"name\" : \"a\",\n    \"steps\" : [ ]\n  }, { } ],\n  \"errors\" : [ \"x\", \"y\" ]\n}"
        );
        assert_eq!(written(&plan, Form::Compact), plan.to_string());
        assert_eq!(written(&json!([{"status": null}]), Form::Bean), "[ {\n  \"status\" : null\n} ]");
    }
}
