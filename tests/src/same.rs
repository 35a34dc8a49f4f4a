//! Compares views: the first difference of two JSON values.

use serde_json::Value;

/// Returns the first difference with its path, short; `None` if there is none. Keys called `revision` are skipped: they say
/// when something was last updated, not what it is.
pub fn difference(left: &Value, right: &Value) -> Option<String> {
    walk("", left, right)
}

fn walk(path: &str, left: &Value, right: &Value) -> Option<String> {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = b
                .keys()
                .find(|key| !a.contains_key(*key))
                .map(|key| format!("{path}/{key}: only on the right"));
            let differs =
                a.iter().filter(|(key, _)| *key != "revision").find_map(|(key, value)| match b.get(key) {
                    Some(other) => walk(&format!("{path}/{key}"), value, other),
                    None => Some(format!("{path}/{key}: only on the left")),
                });
            differs.or(missing)
        }
        (Value::Array(a), Value::Array(b)) => {
            let inside =
                a.iter().zip(b).enumerate().find_map(|(n, (x, y))| walk(&format!("{path}/{n}"), x, y));
            let lengths =
                || (a.len() != b.len()).then(|| format!("{path}: {} and {} entries", a.len(), b.len()));
            inside.or_else(lengths)
        }
        _ if left == right => None,
        _ => Some(format!("{path}: {} and {}", short(left), short(right))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_named() {
        let rows = [
            (json!({ "a": [1, 2] }), json!({ "a": [1, 2] }), None),
            (json!({ "revision": 1 }), json!({ "revision": 2 }), None),
            (json!({ "a": [1, { "b": 2 }] }), json!({ "a": [1, { "b": 3 }] }), Some("/a/1/b: 2 and 3")),
            (json!([1]), json!([1, 2]), Some(": 1 and 2 entries")),
            (json!({ "a": 1 }), json!({}), Some("/a: only on the left")),
            (json!({}), json!({ "a": 1 }), Some("/a: only on the right")),
        ];
        for (left, right, want) in rows {
            assert_eq!(difference(&left, &right).as_deref(), want);
        }
    }
}
