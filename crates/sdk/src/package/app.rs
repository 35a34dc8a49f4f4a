//! `marathon.json.mustache`: from options to the environment of the scheduler process.

use super::super::codes;
use planarium_kernel::SortedSet;
use planarium_source::template::mustache::{self, Policy};
use planarium_source::template::{OffsetMap, Value as Context};
use planarium_source::yaml::Limits;
use planarium_source::{Diagnostic, Diagnostics, FileId, Span, json};
use serde_json::Value;
use std::collections::BTreeMap;

/// Stands for the version that packaging tools fill in.
const VERSION: &str = "stub-universe";
/// Stands for the build time that packaging tools fill in.
const BUILD_TIME: (&str, &str) = ("1443830400000", "Sat Oct 03 2015 00:00:00 +0000");

/// What the template is rendered with.
pub(super) struct Parts<'r> {
    /// Options over defaults.
    pub(super) options: Value,
    /// File and text of `config.json`.
    pub(super) config_file: Option<(FileId, &'r str)>,
    /// `resource.json`.
    pub(super) resource: Option<Value>,
    /// Its file and text.
    pub(super) resource_file: Option<(FileId, &'r str)>,
    /// `package.json`.
    pub(super) package: Option<Value>,
}

/// Renders the app and takes its environment.
pub(super) fn environment(
    template: &str,
    file: FileId,
    parts: &Parts<'_>,
    found: &mut Diagnostics,
) -> BTreeMap<String, String> {
    let mut context = unmarked(&parts.options, "config.json", parts.config_file, found);
    if !matches!(context, Context::Map(_)) {
        context = Context::map();
    }
    if let Some(resource) = &parts.resource {
        context.insert("resource", unmarked(resource, "resource.json", parts.resource_file, found));
    }
    let about =
        |key: &str| parts.package.as_ref().and_then(|package| package.get(key)).and_then(Value::as_str);
    let plain = |text: Option<&str>, otherwise: &str| {
        let text = text.filter(|text| !text.contains("{{")).unwrap_or(otherwise);
        Context::Str(text.to_owned())
    };
    context.insert("package-name", plain(about("name"), "package"));
    context.insert("package-version", plain(about("version"), VERSION));
    context.insert("package-build-time-epoch-ms", plain(None, BUILD_TIME.0));
    context.insert("package-build-time-str", plain(None, BUILD_TIME.1));

    let rendered = mustache::render(template, file, &context, Policy::Json);
    found.extend(rendered.diagnostics);
    for missing in rendered.missing {
        let name = &missing.name;
        let span = missing.spans.first().copied().unwrap_or_default();
        let message = format!("The package has no value for '{name}'; it is left empty");
        found.push(
            Diagnostic::warning(codes::MISSING_VARIABLE, span, message)
                .with_help("give config.json a default for it, or set the option"),
        );
    }
    if !rendered.complete {
        return BTreeMap::new();
    }
    let Some(app) = parse_app(&rendered.text, &rendered.map, file, found) else { return BTreeMap::new() };
    let Some(env) = app.get("env").and_then(Value::as_object) else {
        found.push(
            Diagnostic::warning(codes::NO_APP_ENV, Span::at(file, 0), "The app has no 'env' block")
                .with_help("the environment of the scheduler comes from there"),
        );
        return BTreeMap::new();
    };
    let texts = env.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?)));
    texts.collect()
}

fn parse_app(text: &str, map: &OffsetMap, file: FileId, found: &mut Diagnostics) -> Option<Value> {
    let mut rendered = Diagnostics::new();
    let app = json::parse_strict(text, file, &Limits::default(), &mut rendered);
    for finding in rendered.into_sorted() {
        let span = map.map_span(finding.span);
        let line = text.get(..finding.span.range().start).unwrap_or_default().lines().count().max(1);
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        found.push(
            Diagnostic::error(
                codes::APP_NOT_JSON,
                span,
                format!("With these options the app is not JSON: {}", finding.message),
            )
            .with_note(format!("line {line} of the rendered app: {shown}"))
            .with_help("mend the template, or leave out the option that brings this text in"),
        );
    }
    app
}

/// An environment value; references to secrets have none here.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Values with the marks of packaging tools (`{{artifact-dir}}`) replaced by their bare names: with braces they
/// could not stand in a definition.
fn unmarked(values: &Value, name: &str, file: Option<(FileId, &str)>, found: &mut Diagnostics) -> Context {
    let mut marks = SortedSet::new();
    let context = unmark(Context::from(values), &mut marks);
    if let (Some((file, text)), false) = (file, marks.is_empty()) {
        let at = text.find("{{").and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        let end = text.find("}}").and_then(|at| u32::try_from(at.saturating_add(2)).ok()).unwrap_or(at);
        let list = marks.into_iter().collect::<Vec<_>>().join(", ");
        found.push(
            Diagnostic::info(
                codes::PACKAGING_MARK,
                Span::new(file, at, end),
                format!("{name} holds marks that a package build fills in: {list}"),
            )
            .with_help("nothing to do: a mark stands for itself here, without its braces"),
        );
    }
    context
}

fn unmark(context: Context, marks: &mut SortedSet<String>) -> Context {
    match context {
        Context::Str(text) => Context::Str(unmark_text(&text, marks)),
        Context::List(items) => Context::List(items.into_iter().map(|item| unmark(item, marks)).collect()),
        Context::Map(entries) => {
            Context::Map(entries.into_iter().map(|(key, value)| (key, unmark(value, marks))).collect())
        }
        plain @ (Context::Null | Context::Bool(_) | Context::Num(_)) => plain,
    }
}

fn unmark_text(text: &str, marks: &mut SortedSet<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(name.trim());
        marks.insert(name.trim().to_owned());
        rest = after;
    }
    out.push_str(rest);
    out
}
