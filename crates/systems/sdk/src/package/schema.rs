//! `config.json`: defaults, merging, checking options.
//!
//! **Source**: JSON Schema draft 4 as far as packages use it: `type`, `properties`, `required`, `enum`,
//! `minimum`, `maximum`, `default`. Unknown options are refused, as the package manager refuses them.

use super::Options;
use crate::codes;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, FileId, Fix, Span, suggest};
use serde_json::{Map, Value};

/// The defaults of a schema, nested. An object with properties is always there; without a default a
/// property is not.
pub(super) fn defaults(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Value::Null;
    };
    let present = properties.iter().map(|(name, schema)| (name.clone(), defaults(schema)));
    Value::Object(present.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}

/// Options over defaults, object by object.
pub(super) fn merge(defaults: Value, options: &Value) -> Value {
    match (defaults, options) {
        (Value::Object(mut merged), Value::Object(options)) => {
            for (name, option) in options {
                let under = merged.remove(name).unwrap_or(Value::Null);
                merged.insert(name.clone(), merge(under, option));
            }
            Value::Object(merged)
        }
        (defaults, Value::Null) => defaults,
        (_, option) => option.clone(),
    }
}

/// Checks the options, and that with the defaults all required ones are present. Returns the paths of options with the
/// wrong type.
pub(super) fn check(
    schema: &Value,
    options: &Options<'_>,
    config: FileId,
    found: &mut Diagnostics,
) -> Vec<Vec<String>> {
    let empty = Value::Null;
    let mut checker = Checker { found, path: Vec::new(), at: Span::at(config, 0), wrong: Vec::new() };
    checker.check(schema, Some(options.value).filter(|value| !value.is_null()), options.node.as_ref());
    let merged = merge(defaults(schema), if options.value.is_null() { &empty } else { options.value });
    checker.required(schema, &merged, options.node.as_ref());
    checker.wrong
}

struct Checker<'d> {
    found: &'d mut Diagnostics,
    path: Vec<String>,
    /// Position of findings without a place in the options.
    at: Span,
    /// Options of the wrong type.
    wrong: Vec<Vec<String>>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: Option<&Value>, node: Option<&Node>) {
        let Some(value) = value else { return };
        let span = node.map_or(self.at, |node| node.span);
        if let Some(wanted) = wrong_type(schema, value) {
            self.wrong.push(self.path.clone());
            let message = format!("The option '{}' is {}, it must be {wanted}", self.name(), describe(value));
            self.found.push(
                Diagnostic::error(codes::OPTION_TYPE, span, message).with_help(describe_property(schema)),
            );
            return;
        }
        self.check_enum(schema, value, span);
        self.check_range(schema, value, span);
        let (Some(properties), Some(options)) =
            (schema.get("properties").and_then(Value::as_object), value.as_object())
        else {
            return;
        };
        for (name, option) in options {
            let entry = node.and_then(|node| node.entry(name));
            self.path.push(name.clone());
            match properties.get(name) {
                Some(schema) => self.check(schema, Some(option), entry.map(|entry| &entry.value)),
                None if allows_more(schema) => {}
                None => {
                    let span = entry.map_or(self.at, |entry| entry.key.span);
                    let message = format!("The package has no option '{}'", self.name());
                    self.found.push(Diagnostic::error(codes::UNKNOWN_OPTION, span, message).with_meant(
                        suggest(name, properties.keys().map(String::as_str)),
                        |meant| {
                            Some(Fix::new(format!("rename it to '{meant}'"), span, format!("\"{meant}\"")))
                        },
                        || known(properties),
                    ));
                }
            }
            self.path.pop();
        }
    }

    fn check_enum(&mut self, schema: &Value, value: &Value, span: Span) {
        let Some(permitted) = schema.get("enum").and_then(Value::as_array) else { return };
        if permitted.contains(value) {
            return;
        }
        let message = format!("The option '{}' cannot be {value}", self.name());
        let texts: Vec<&str> = permitted.iter().filter_map(Value::as_str).collect();
        let meant = value.as_str().and_then(|value| suggest(value, texts.iter().copied()));
        let help = did_you_mean(meant, || {
            let list: Vec<String> = permitted.iter().map(Value::to_string).collect();
            format!("permitted: {}", list.join(", "))
        });
        self.found.push(Diagnostic::error(codes::OPTION_ENUM, span, message).with_help(help));
    }

    fn check_range(&mut self, schema: &Value, value: &Value, span: Span) {
        let Some(number) = value.as_f64() else { return };
        let bounds = [("minimum", "at least"), ("maximum", "at most")];
        for (key, words) in bounds {
            let Some(bound) = schema.get(key) else { continue };
            let Some(limit) = bound.as_f64() else { continue };
            let broken = if key == "minimum" { number < limit } else { number > limit };
            if broken {
                let message = format!("The option '{}' is {value}, it must be {words} {bound}", self.name());
                self.found.push(
                    Diagnostic::error(codes::OPTION_RANGE, span, message)
                        .with_help(describe_property(schema)),
                );
            }
        }
    }

    fn required(&mut self, schema: &Value, merged: &Value, node: Option<&Node>) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let needed = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for name in needed.iter().filter_map(Value::as_str) {
            if merged.get(name).is_none() {
                self.path.push(name.to_owned());
                let span = node.map_or(self.at, |node| node.span);
                let message = format!("The package needs the option '{}'", self.name());
                let help = properties.get(name).map_or_else(String::new, describe_property);
                self.found.push(Diagnostic::error(codes::OPTION_REQUIRED, span, message).with_help(help));
                self.path.pop();
            }
        }
        for (name, schema) in properties {
            if let Some(inner) = merged.get(name) {
                self.path.push(name.clone());
                self.required(schema, inner, node.and_then(|node| node.get(name)));
                self.path.pop();
            }
        }
    }

    fn name(&self) -> String {
        self.path.join(".")
    }
}

fn allows_more(schema: &Value) -> bool {
    schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false))
}

/// The wanted type in words, when the value has another one.
fn wrong_type(schema: &Value, value: &Value) -> Option<String> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = |name: &&str| match *name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    if types.is_empty() || types.iter().any(fits) {
        return None;
    }
    let words = types.iter().map(|name| match *name {
        "string" => "a text",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        other => other,
    });
    Some(words.collect::<Vec<_>>().join(" or "))
}

pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn describe_property(schema: &Value) -> String {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let default = schema.get("default").map(|value| format!("default: {value}")).unwrap_or_default();
    match (description.is_empty(), default.is_empty()) {
        (true, true) => "see config.json".to_owned(),
        (true, false) => default,
        (false, true) => description.to_owned(),
        (false, false) => format!("{description} ({default})"),
    }
}

fn known(properties: &Map<String, Value>) -> String {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    format!("known here: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_and_merging() {
        let schema = json!({"type": "object", "properties": {
            "service": {"type": "object", "properties": {
                "name": {"type": "string", "default": "hello"},
                "region": {"type": "string"},
                "list": {"type": "array", "default": []}}},
            "whole": {"type": "object", "default": {"a": 1}, "properties": {"b": {"default": 2}}},
            "empty": {"type": "object", "properties": {"x": {"type": "string"}}}}});
        let plain = defaults(&schema);
        assert_eq!(plain, json!({"service": {"name": "hello", "list": []}, "whole": {"a": 1}, "empty": {}}));
        let options = json!({"service": {"name": "other", "list": [1]}, "new": true});
        assert_eq!(
            merge(plain, &options),
            json!({"service": {"name": "other", "list": [1]}, "whole": {"a": 1}, "empty": {}, "new": true})
        );
    }
}
