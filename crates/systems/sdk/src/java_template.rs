//! Templates rendered like the scheduler's Java code: definitions, and files that a program serves.
//!
//! *Knows*: how such a template reads environment variables. *Must not know*: the purpose of a template.
//!
//! **Source**: `dcos-commons: …/specification/yaml/TemplateUtils.java`. Match.

use planarium_source::FileId;
use planarium_source::template::Value;
use planarium_source::template::mustache::{self, Policy, Rendered};
use std::collections::BTreeMap;

/// Renders a template with an environment, of which `true` and `false` become booleans.
pub(crate) fn render(text: &str, file: FileId, env: &BTreeMap<String, String>) -> Rendered {
    let value = |text: &String| {
        if text.eq_ignore_ascii_case("true") {
            Value::Bool(true)
        } else if text.eq_ignore_ascii_case("false") {
            Value::Bool(false)
        } else {
            Value::Str(text.clone())
        }
    };
    let context: Value = env.iter().map(|(key, text)| (key.clone(), value(text))).collect();
    mustache::render(text, file, &context, Policy::Html)
}
