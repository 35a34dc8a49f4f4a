//! `marathon.json.mustache`: from options to the environment of the scheduler process.

use super::options::Options;
use crate::build_marks as marked;
use crate::codes;
use crate::programs::UNNAMED;
use planarium_kernel::SortedSet;
use planarium_source::template::mustache::{self, Policy};
use planarium_source::template::{OffsetMap, Value as Context};
use planarium_source::yaml::{Limits, Reader};
use planarium_source::{Diagnostic, Diagnostics, FileId, Span, json};
use serde_json::Value;
use std::collections::BTreeMap;

/// Placeholder for the version that packaging tools fill in.
const VERSION: &str = "stub-universe";
/// Placeholder for the build time that packaging tools fill in.
const BUILD_TIME: (&str, &str) = ("1443830400000", "Sat Oct 03 2015 00:00:00 +0000");

/// Inputs of the template's rendering.
pub(super) struct Parts<'r> {
    /// Options over defaults.
    pub(super) options: Value,
    /// The options as they were given.
    pub(super) given: &'r Options<'r>,
    /// File and text of `config.json`.
    pub(super) config_file: Option<(FileId, &'r str)>,
    /// `resource.json`.
    pub(super) resource: Option<Value>,
    /// Its file and text.
    pub(super) resource_file: Option<(FileId, &'r str)>,
    /// `package.json`.
    pub(super) package: Option<Value>,
}

impl Parts<'_> {
    /// Returns the position of an option: among those given, else its default.
    fn place_of(&self, option: &str) -> Option<Span> {
        let path: Vec<&str> = option.split('.').collect();
        if let Some(span) = self.given.span_of(&path) {
            return Some(span);
        }
        let (file, text) = self.config_file?;
        let config = Reader::new(text, file).one(&mut Diagnostics::new()).root?;
        let schema = path.iter().flat_map(|part| ["properties", part]).chain(["default"]);
        config.at(&schema.collect::<Vec<_>>()).map(|node| node.span)
    }
}

/// Parts of the app that are used.
pub(super) struct App {
    /// Environment of the scheduler.
    pub(super) env: BTreeMap<String, String>,
    /// Command of the scheduler.
    pub(super) command: Option<String>,
}

/// Renders the app; none when it cannot be made.
pub(super) fn render(
    template: &str,
    file: FileId,
    parts: &Parts<'_>,
    found: &mut Diagnostics,
) -> Option<App> {
    let mut options = parts.options.clone();
    taken_for_texts(template, file, &mut options, parts, found);
    let mut context = Context::map();
    if let Context::Map(entries) = unmarked_options(&options, parts, found) {
        context = Context::Map(entries);
    }
    if let Some(resource) = &parts.resource {
        context.insert("resource", unmarked(resource, "resource.json holds", parts.resource_file, found));
    }
    let about =
        |key: &str| parts.package.as_ref().and_then(|package| package.get(key)).and_then(Value::as_str);
    let plain = |text: Option<&str>, otherwise: &str| {
        let text = text.filter(|text| !text.contains("{{")).unwrap_or(otherwise);
        Context::Str(text.to_owned())
    };
    context.insert("package-name", plain(about("name"), UNNAMED));
    context.insert("package-version", plain(about("version"), VERSION));
    context.insert("package-build-time-epoch-ms", plain(None, BUILD_TIME.0));
    context.insert("package-build-time-str", plain(None, BUILD_TIME.1));

    let rendered = mustache::render(template, file, &context, Policy::Json);
    found.extend(rendered.diagnostics);
    if !rendered.complete {
        return None;
    }
    let app = parse_app(template, &rendered.text, &rendered.map, parts, file, found)?;
    for missing in rendered.missing {
        let name = &missing.name;
        let span = missing.spans.first().copied().unwrap_or_default();
        let message = format!("The package has no value for '{name}'; it is left empty");
        found.push(
            Diagnostic::warning(codes::MISSING_VARIABLE, span, message)
                .with_help("give config.json a default for it, or set the option"),
        );
    }
    let command = app.get("cmd").and_then(Value::as_str).map(str::to_owned);
    let Some(env) = app.get("env").and_then(Value::as_object) else {
        found.push(
            Diagnostic::warning(codes::NO_APP_ENV, Span::at(file, 0), "The app has no 'env' block")
                .with_help("the environment of the scheduler comes from there"),
        );
        return Some(App { env: BTreeMap::new(), command });
    };
    let texts = env.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?)));
    Some(App { env: planarium_kernel::sorted::tree(texts), command })
}

/// Reports options with a list or an object where the template inserts a text, and leaves them empty: rendered, they
/// would produce invalid JSON.
fn taken_for_texts(
    template: &str,
    file: FileId,
    options: &mut Value,
    parts: &Parts<'_>,
    found: &mut Diagnostics,
) {
    for (name, tag) in quoted_tags(template, file) {
        let pointer = format!("/{}", name.replace('.', "/"));
        let Some(value) = options.pointer_mut(&pointer) else { continue };
        if !(value.is_array() || value.is_object()) {
            continue;
        }
        let what = super::schema::describe(value);
        let message =
            format!("The option '{name}' is {what}, and the package's template takes it for a text");
        let mut finding = match parts.place_of(name) {
            Some(place) => Diagnostic::error(codes::OPTION_TYPE, place, message)
                .with_label(tag, "inserted as a text here"),
            None => Diagnostic::error(codes::OPTION_TYPE, tag, message),
        };
        finding = finding.with_help("give a text, or take the quotes around it out of the template");
        found.push(finding);
        *value = Value::from("");
    }
}

/// The variables that a template inserts inside of quotes, with their tags.
fn quoted_tags(template: &str, file: FileId) -> Vec<(&str, Span)> {
    let mut tags = Vec::new();
    let mut start = 0_usize;
    for line in template.split_inclusive('\n') {
        let (mut at, mut quoted) = (0_usize, false);
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with("{{") {
                let length = rest.find("}}").map_or(rest.len(), |end| {
                    let closing =
                        rest.get(end..).map_or(0, |rest| rest.len() - rest.trim_start_matches('}').len());
                    end.saturating_add(closing.min(3))
                });
                let tag = rest.get(..length).unwrap_or_default();
                let from = start.saturating_add(at);
                if let Some(name) = variable(tag).filter(|_| quoted) {
                    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                    tags.push((name, Span::new(file, place(from), place(from.saturating_add(length)))));
                }
                at = at.saturating_add(length.max(1));
                continue;
            }
            let mut chars = rest.chars();
            match chars.next() {
                // An escaped quote does not end a text.
                Some('\\') => at = at.saturating_add(1 + chars.next().map_or(0, char::len_utf8)),
                Some('"') => {
                    quoted = !quoted;
                    at = at.saturating_add(1);
                }
                Some(other) => at = at.saturating_add(other.len_utf8()),
                None => break,
            }
        }
        start = start.saturating_add(line.len());
    }
    tags
}

/// The variable that a tag inserts; none for sections and comments.
fn variable(tag: &str) -> Option<&str> {
    let name = tag.trim_start_matches('{').trim_end_matches('}').trim();
    let name = name.strip_prefix('&').unwrap_or(name).trim();
    (!name.is_empty() && !name.starts_with(['#', '^', '/', '!', '>', '='])).then_some(name)
}

fn parse_app(
    template: &str,
    text: &str,
    map: &OffsetMap,
    parts: &Parts<'_>,
    file: FileId,
    found: &mut Diagnostics,
) -> Option<Value> {
    let mut rendered = Diagnostics::new();
    let app = json::parse_strict(text, file, &Limits::default(), &mut rendered);
    for finding in rendered.into_sorted() {
        let span = map.map_span(finding.span);
        let line = text.get(..finding.span.range().start).unwrap_or_default().lines().count().max(1);
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let note = format!("line {line} of the rendered app: {shown}");
        found.push(match value_at(template, span) {
            Some((name, tag)) => {
                let message = format!("The value of '{name}' makes the app no JSON: {}", finding.message);
                let mut finding = Diagnostic::error(codes::APP_NOT_JSON, tag, message).with_note(note);
                if let Some(place) = parts.place_of(name) {
                    finding = finding.with_label(place, "its value is here");
                }
                finding.with_help(
                    "the template inserts it without quotes: give a number, true, false, a list or an object, or put \
                     the tag in quotes",
                )
            }
            None => {
                let message = format!("With these options the app is not JSON: {}", finding.message);
                Diagnostic::error(codes::APP_NOT_JSON, span, message)
                    .with_note(note)
                    .with_help("mend the template, or leave out the option that brings this text in")
            }
        });
    }
    app
}

/// The variable whose value an error of the rendered text is about: its tag lies there, or ends right before, and it
/// is not in quotes.
fn value_at(template: &str, span: Span) -> Option<(&str, Span)> {
    let at = span.range();
    let before = template.get(..at.start).unwrap_or_default().trim_end();
    let (from, to) = if template.get(at.start..).is_some_and(|rest| rest.starts_with("{{")) {
        let rest = template.get(at.start..)?;
        (at.start, at.start.saturating_add(rest.find("}}")?).saturating_add(2))
    } else if before.ends_with("}}") {
        (before.rfind("{{")?, before.len())
    } else {
        return None;
    };
    let start = template.get(..from)?.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let quotes = template.get(start..from)?.matches('"').count();
    let name = variable(template.get(from..to)?).filter(|_| quotes.is_multiple_of(2))?;
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Some((name, Span::new(span.file, place(from), place(to))))
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

/// The options without the marks of packaging tools: those that were given name their own file.
fn unmarked_options(options: &Value, parts: &Parts<'_>, found: &mut Diagnostics) -> Context {
    let mut given = SortedSet::new();
    unmark(Context::from(parts.given.value), &mut given);
    let file = parts.given.file.as_ref().map(|(file, text)| (*file, text.as_str()));
    report_marks(&given, "The options hold", file, found);
    let mut marks = SortedSet::new();
    let context = unmark(Context::from(options), &mut marks);
    marks.retain(|mark| !given.contains(mark));
    report_marks(&marks, "config.json holds", parts.config_file, found);
    context
}

/// Values with the marks of packaging tools (`{{artifact-dir}}`, `%(artifact-dir)s`) replaced by their bare names: with
/// the marks they would not be allowed in a definition.
fn unmarked(values: &Value, what: &str, file: Option<(FileId, &str)>, found: &mut Diagnostics) -> Context {
    let mut marks = SortedSet::new();
    let context = unmark(Context::from(values), &mut marks);
    report_marks(&marks, what, file, found);
    context
}

fn report_marks(
    marks: &SortedSet<String>,
    what: &str,
    file: Option<(FileId, &str)>,
    found: &mut Diagnostics,
) {
    let Some((file, text)) = file.filter(|_| !marks.is_empty()) else { return };
    let at = marks.iter().filter_map(|mark| Some((text.find(mark.as_str())?, mark.len()))).min();
    let (at, length) = at.unwrap_or_default();
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span::new(file, place(at), place(at.saturating_add(length)));
    let list = marks.iter().cloned().collect::<Vec<_>>().join(", ");
    let message = format!("{what} placeholders of a package build: {list}");
    found.push(
        Diagnostic::info(codes::PACKAGING_MARK, span, message)
            .with_help("nothing to do: the name of a mark takes its place here"),
    );
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
    let mut bare = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        bare.push_str(before);
        bare.push_str(name.trim());
        marks.insert(format!("{{{{{name}}}}}"));
        rest = after;
    }
    bare.push_str(rest);
    let mut out = String::new();
    let mut from = 0_usize;
    for (at, mark) in marked::percent(&bare) {
        out.push_str(bare.get(from..at).unwrap_or_default());
        out.push_str(marked::name_of(mark));
        marks.insert(mark.to_owned());
        from = at.saturating_add(mark.len());
    }
    out.push_str(bare.get(from..).unwrap_or_default());
    out
}
