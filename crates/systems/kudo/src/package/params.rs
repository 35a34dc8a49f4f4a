//! Parameters as texts and as template values; conversion by type.
//!
//! **Source**: `kudobuilder/kudo: pkg/util/convert/convert.go`, `pkg/apis/kudo/v1beta1/parameter_types_helpers.go`,
//! `pkg/kudoctl/cmd/params/parser.go`. Match.

use planarium_protocol::Text;
use planarium_source::template::gotemplate::{self, Value, go_quote, parse_go_bool};
use planarium_source::yaml::{Node, Reader, to_go_yaml};
use planarium_source::{Diagnostics, FileId};
use serde_json::Value as Json;

use super::model::Parameter;

/// A value as the text that instances hold: YAML for lists and maps, Go's `%v` for anything else. Nothing stays nothing,
/// but for lists and maps, whose nothing is the text `null`.
pub fn wrap(value: Option<&Json>, kind: &str) -> Option<String> {
    match (kind, value) {
        ("map" | "array", value) => Some(to_go_yaml(value.unwrap_or(&Json::Null))),
        (_, None | Some(Json::Null)) => None,
        (_, Some(Json::String(text))) => Some(text.clone()),
        (_, Some(value)) => Some(Value::from_json(value).to_string()),
    }
}

/// Converts a text to the value that a template sees.
///
/// *Errors*: the text of a list or a map is not such YAML.
pub fn unwrap(text: Option<&str>, kind: &str) -> Result<Value, String> {
    let text = text.unwrap_or_default();
    match kind {
        "map" => yaml(text).map(|value| Value::from_json(&value)),
        "array" => match yaml(text)? {
            Json::Null => Ok(Value::list(Vec::new())),
            list @ Json::Array(_) => Ok(Value::from_json(&list)),
            other => Err(not_a_list(&other)),
        },
        _ => Ok(Value::str(text)),
    }
}

fn not_a_list(value: &Json) -> String {
    format!(
        "error unmarshaling JSON: json: cannot unmarshal {} into Go value of type []interface {{}}",
        json_kind(value)
    )
}

fn json_kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// A text as YAML.
///
/// *Errors*: the first problem, with its line.
pub fn yaml(text: &str) -> Result<Json, String> {
    node(text).map(|node| node.map_or(Json::Null, |node| node.to_go_json()))
}

/// A text as a tree of YAML.
pub fn node(text: &str) -> Result<Option<Node>, String> {
    let mut found = Diagnostics::new();
    let parsed = Reader::new(text, FileId(0)).with_go_rules().one(&mut found);
    let problem = found.iter().find(|finding| finding.is_error()).map(|finding| {
        let file = planarium_source::SourceFile::new("", text);
        let line = file.position(finding.span.start).line;
        format!("error converting YAML to JSON: yaml: line {line}: {}", finding.message)
    });
    match problem {
        Some(problem) => Err(problem),
        None if !parsed.complete => Err("error converting YAML to JSON: yaml: unexpected end".to_owned()),
        None => Ok(parsed.root),
    }
}

/// Checks that a text fits the type of its parameter.
///
/// *Errors*: the words of the real check.
pub fn fits_type(kind: &str, text: &str) -> Result<(), String> {
    let shown = go_quote(text);
    let (parser, problem) = match kind {
        "integer" => {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            match (text.parse::<i64>(), is_number) {
                (Ok(_), _) => return Ok(()),
                (Err(_), true) => ("ParseInt", "value out of range"),
                (Err(_), false) => ("ParseInt", "invalid syntax"),
            }
        }
        "number" => {
            if gotemplate::parse_go_float(text).is_some() {
                return Ok(());
            }
            ("ParseFloat", "invalid syntax")
        }
        "boolean" => {
            if parse_go_bool(text).is_some() {
                return Ok(());
            }
            ("ParseBool", "invalid syntax")
        }
        "array" => {
            let fits = yaml(text).is_ok_and(|value| matches!(value, Json::Array(_) | Json::Null));
            return fits
                .then_some(())
                .ok_or_else(|| format!("type is \"array\", but format of {text} is invalid"));
        }
        "map" => {
            let fits = yaml(text).is_ok_and(|value| matches!(value, Json::Object(_) | Json::Null));
            return fits
                .then_some(())
                .ok_or_else(|| format!("type is \"map\", but format of {text} is invalid"));
        }
        _ => return Ok(()),
    };
    Err(format!(
        "type is \"{kind}\" but format of {shown} is invalid: strconv.{parser}: parsing {shown}: {problem}"
    ))
}

/// Checks that a default or an allowed value of a package fits the type, as the package verifier checks decoded YAML.
///
/// *Errors*: its words, in which a number of YAML is a float.
pub fn decoded_fits_type(kind: &str, value: &Json) -> Result<(), String> {
    let printed = || Value::from_json(value).to_string();
    // Go's `%s` of a value that is not a text.
    let with_s = || match value {
        Json::String(text) => text.clone(),
        Json::Bool(flag) => format!("%!s(bool={flag})"),
        Json::Number(_) => format!("%!s(float64={})", printed()),
        Json::Null => "%!s(<nil>)".to_owned(),
        Json::Array(_) | Json::Object(_) => printed(),
    };
    match (kind, value) {
        ("string", Json::String(_))
        | ("number", Json::Number(_))
        | ("boolean", Json::Bool(_))
        | ("array", Json::Array(_))
        | ("map", Json::Object(_)) => Ok(()),
        ("string", _) => Err(format!("type is \"string\" but format is invalid: {}", with_s())),
        ("integer" | "number" | "boolean" | "array" | "map", Json::String(text)) => fits_type(kind, text),
        ("integer" | "number" | "boolean", _) => {
            Err(format!("type is \"{kind}\" but format of {} is invalid", with_s()))
        }
        ("array", _) => Err(format!("type is \"array\" but value {} is not an array", with_s())),
        ("map", _) => Err(format!("type is \"map\" but value {} is not a map", with_s())),
        _ => Ok(()),
    }
}

/// Checks that a value may be given to a parameter.
///
/// *Errors*: the words that an instance is denied with.
pub fn validate(parameter: &Parameter, value: &str) -> Result<(), String> {
    let name = go_quote(&parameter.name.value);
    if parameter.must_be_given() && value.is_empty() {
        return Err(format!("parameter {name} is required but has no value set"));
    }
    if value.is_empty() {
        return Ok(());
    }
    let invalid =
        |problem: String| format!("parameter {name} has an invalid value {}: {problem}", go_quote(value));
    fits_type(&parameter.kind, value).map_err(invalid)?;
    fits_enum(parameter, value).map_err(invalid)
}

fn fits_enum(parameter: &Parameter, value: &str) -> Result<(), String> {
    match &parameter.allowed {
        Some(allowed) if !allowed.iter().any(|one| &**one == value) => {
            let shown: Vec<&str> = allowed.iter().map(|one| &**one).collect();
            Err(format!("value is {}, but only allowed values are [{}]", go_quote(value), shown.join(" ")))
        }
        _ => Ok(()),
    }
}

/// Reads the parameters of a parameter file as texts.
///
/// *Errors*: the text is not a mapping, or a value is null.
pub fn from_file(path: &str, text: &str) -> Result<Vec<(Text, Text)>, String> {
    let value = yaml(text)
        .map_err(|error| format!("error unmarshalling content of parameter file {path}: {error}"))?;
    let map = match value {
        Json::Null => return Ok(Vec::new()),
        Json::Object(map) => map,
        other => {
            let kind = json_kind(&other);
            return Err(format!(
                "error unmarshalling content of parameter file {path}: error unmarshaling JSON: json: cannot unmarshal \
                 {kind} into Go value of type map[string]interface {{}}"
            ));
        }
    };
    let (mut read, mut problems) = (Vec::new(), Vec::new());
    let mut sorted: Vec<_> = map.into_iter().collect();
    planarium_kernel::sorted::sort_by(&mut sorted, |a, b| a.0.cmp(&b.0));
    for (key, value) in sorted {
        match from_value(&value) {
            Some(text) => read.push((Text::from(key), text)),
            None => problems.push(format!(
                "{key} has a null value (https://yaml.org/spec/1.2/spec.html#id2803362) which is currently not supported"
            )),
        }
    }
    if problems.is_empty() {
        return Ok(read);
    }
    let problems = problems.join(", ");
    Err(format!("errors while unmarshaling following keys of the parameter file {path}: {problems}"))
}

/// A value of a parameter file or of an input, as a text; none for nothing.
pub fn from_value(value: &Json) -> Option<Text> {
    let kind = match value {
        Json::Object(_) => "map",
        Json::Array(_) => "array",
        _ => "string",
    };
    wrap(Some(value), kind).map(Text::from)
}
