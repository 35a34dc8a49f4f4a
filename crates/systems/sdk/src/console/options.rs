//! Options of a package: locations of its files, defaults, merging.
//!
//! Knows: how the package manager handles options. Must not know: the meaning of an option.
//!
//! **Source**: `dcos/cosmos` (package rendering).

use serde_json::{Map, Value};

/// Finds a package's file next to its app template, or the one at the lowest depth.
pub(super) fn package_file<'f>(files: &'f Map<String, Value>, name: &str) -> Option<&'f str> {
    let template = least_deep(files, "marathon.json.mustache");
    let path = match template.and_then(|path| path.rsplit_once('/')) {
        Some((folder, _)) => format!("{folder}/{name}"),
        None if template.is_some() => name.to_owned(),
        None => least_deep(files, name)?.to_owned(),
    };
    files.get(&path).and_then(Value::as_str)
}

fn least_deep<'f>(files: &'f Map<String, Value>, name: &str) -> Option<&'f str> {
    let matching = files.keys().filter(|path| path.rsplit('/').next() == Some(name));
    matching.min_by_key(|path| path.matches('/').count()).map(String::as_str)
}

/// The defaults of a schema, nested. *Invariant*: as deep as the schema, which a JSON reader has bounded.
pub(super) fn defaults(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Value::Null };
    let present = properties.iter().map(|(name, schema)| (name.clone(), defaults(schema)));
    Value::Object(present.filter(|(_, value)| !value.is_null()).collect())
}

/// One value over another, object by object; `null` changes nothing.
pub(super) fn merged(under: Value, over: &Value) -> Value {
    match (under, over) {
        (Value::Object(mut under), Value::Object(over)) => {
            for (name, value) in over {
                let below = under.get(name).cloned().unwrap_or_default();
                under.insert(name.clone(), merged(below, value));
            }
            Value::Object(under)
        }
        (under, Value::Null) => under,
        (_, over) => over.clone(),
    }
}

/// Rewrites a value like the real command line: keys in alphabetical order, whole numbers without a point.
/// *Invariant*: the depth is limited by the JSON reader.
pub(super) fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> =
                map.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            planarium_kernel::sorted::sort_by(&mut entries, |(a, _), (b, _)| a.cmp(b));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").and_then(|whole| whole.parse::<i64>().ok());
            whole.map_or(Value::Number(number), Value::from)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_defaults_and_merging() {
        let files = json!({"a/b/config.json": "deep", "u/config.json": "right", "u/marathon.json.mustache": "", "config.json": "top"});
        let files = files.as_object().unwrap();
        assert_eq!(package_file(files, "config.json"), Some("right"));
        assert_eq!(package_file(files, "package.json"), None);
        let bare = json!({"a/config.json": "deep", "config.json": "top"});
        assert_eq!(package_file(bare.as_object().unwrap(), "config.json"), Some("top"));

        let schema = json!({"properties": {"a": {"properties": {"x": {"default": 1}, "y": {}}}, "b": {"default": [1]}}});
        assert_eq!(defaults(&schema), json!({"a": {"x": 1}, "b": [1]}));
        let over = json!({"a": {"y": 2}, "b": [], "c": {"d": null}});
        assert_eq!(
            merged(defaults(&schema), &over),
            json!({"a": {"x": 1, "y": 2}, "b": [], "c": {"d": null}})
        );
        assert_eq!(merged(json!(1), &Value::Null), json!(1));
    }

    #[test]
    fn values_are_rewritten() {
        let value = json!({"b": [{"d": 1.0, "c": 0.5}], "a": {"z": -2.0, "y": "1.0", "x": null}, "B": 1e300});
        let written = r#"{"B":1e+300,"a":{"x":null,"y":"1.0","z":-2},"b":[{"c":0.5,"d":1}]}"#;
        assert_eq!(sorted(value).to_string(), written);
    }
}
