//! Fields of a body that its kind does not have, or that it has twice: errors or warnings, as the request wishes.
//!
//! Source: `kubernetes/apiserver: pkg/endpoints/handlers/{create,patch,rest}.go`, match for built-in kinds.

use super::{Request, duplicates, path::Target};
use crate::{
    error::{ApiError, FieldCause, Reason},
    kinds::{KindId, autoscaling},
    schema::{Unknown, shape_of, unknown_fields},
};
use serde_json::Value;

/// Faulty fields of a body.
#[derive(Debug, Default)]
struct Findings {
    /// Keys that a YAML text has twice: `line 7: key "image" already set in map`.
    lines: Vec<String>,
    /// All others, in the words of the server.
    fields: Vec<String>,
}

impl Findings {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.fields.is_empty()
    }

    /// The lines as Go's reader of YAML puts them together.
    fn yaml(&self) -> Option<String> {
        (!self.lines.is_empty()).then(|| format!("yaml: unmarshal errors:\n  {}", self.lines.join("\n  ")))
    }

    /// Returns all of them in one text.
    fn text(&self) -> String {
        let all: Vec<String> = self.yaml().into_iter().chain(self.fields.iter().cloned()).collect();
        all.join(", ")
    }

    /// Returns each of them as a warning.
    fn warnings(self) -> Vec<String> {
        self.lines.into_iter().chain(self.fields).collect()
    }
}

/// Fields that a body has in vain, as warnings. *Errors*: with `fieldValidation=Strict`, 400.
pub(super) fn check_fields(
    request: &Request<'_>,
    target: &Target,
    value: &Value,
) -> Result<Vec<String>, ApiError> {
    let found = findings(request, target, value)?;
    if found.is_empty() || !is_strict(request) {
        return Ok(found.warnings());
    }
    let (kind, version) = (&target.info.kind, target.api_version.rsplit('/').next().unwrap_or_default());
    let text = format!(
        "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {}",
        found.text()
    );
    Err(ApiError::new(Reason::BadRequest, text))
}

/// The same of a patch. *Errors*: with `fieldValidation=Strict`, 422; 400 for what an applied YAML has twice.
pub(super) fn check_patch(
    request: &Request<'_>,
    target: &Target,
    value: &Value,
) -> Result<Vec<String>, ApiError> {
    let mut found = findings(request, target, value)?;
    if request.content_type.starts_with("application/apply-patch")
        && let Some(Value::String(text)) = request.body
        && !is_ignored(request)
    {
        // An applied body is YAML, also if it is written as JSON.
        found.lines = lines_of(text);
        found.fields.retain(|text| !text.starts_with("duplicate "));
    }
    if found.is_empty() || !is_strict(request) {
        return Ok(found.warnings());
    }
    if let Some(yaml) = found.yaml().filter(|_| request.content_type.starts_with("application/apply-patch")) {
        let text = format!("error strict decoding YAML: error converting YAML to JSON: {yaml}");
        return Err(ApiError::new(Reason::BadRequest, text));
    }
    let text = found.text();
    let mut error = ApiError::new(
        Reason::Invalid,
        format!(" {:?} is invalid: patch: Invalid value: {value}: strict decoding error: {text}", ""),
    );
    error.causes.push(FieldCause::invalid("patch", value, &format!("strict decoding error: {text}")));
    Err(error)
}

fn is_strict(request: &Request<'_>) -> bool {
    request.param("fieldValidation").as_deref() == Some("Strict")
}

fn is_ignored(request: &Request<'_>) -> bool {
    request.param("fieldValidation").as_deref() == Some("Ignore")
}

fn lines_of(text: &str) -> Vec<String> {
    let repeated = duplicates::of_yaml(text).into_iter();
    repeated.map(|(line, key)| format!("line {line}: key {key:?} already set in map")).collect()
}

fn findings(request: &Request<'_>, target: &Target, value: &Value) -> Result<Findings, ApiError> {
    match request.param("fieldValidation").as_deref() {
        None | Some("" | "Warn" | "Strict") => {}
        Some("Ignore") => return Ok(Findings::default()),
        Some(other) => {
            let text = format!(
                "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: {other:?}: supported values: \"Ignore\", \
                 \"Strict\", \"Warn\""
            );
            return Err(ApiError::new(Reason::Invalid, text));
        }
    }
    let shape = shape_of(target.kind);
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        if target.kind == KindId::HORIZONTAL_POD_AUTOSCALER
            && let Some(spec) = fields.get_mut("spec").and_then(Value::as_object_mut)
        {
            autoscaling::from_v1(spec);
        }
        // Directives of patches are not fields.
        without_directives(fields);
    }
    let unknown: Vec<String> = unknown_fields(&shape, &value).iter().map(Unknown::path).collect();
    let mut fields: Vec<String> =
        unknown.into_iter().map(|field| format!("unknown field {field:?}")).collect();
    let Some(Value::String(text)) = request.body else {
        return Ok(Findings { fields, ..Findings::default() });
    };
    let Some(written) = duplicates::of_json(text, &shape) else {
        return Ok(Findings { lines: lines_of(text), fields });
    };
    // In the order of the text.
    let mut all: Vec<String> =
        written.into_iter().filter(|one| one.starts_with("duplicate ") || fields.contains(one)).collect();
    fields.retain(|one| !all.contains(one));
    all.extend(fields);
    Ok(Findings { fields: all, ..Findings::default() })
}

fn without_directives(fields: &mut serde_json::Map<String, Value>) {
    fields.retain(|key, _| !key.starts_with('$'));
    for value in fields.values_mut() {
        match value {
            Value::Object(inner) => without_directives(inner),
            Value::Array(items) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(without_directives);
            }
            _ => {}
        }
    }
}
