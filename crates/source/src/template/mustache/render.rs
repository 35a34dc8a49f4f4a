//! From a tree of tags and a context to text.

use planarium_kernel::{SortedMap, SortedSet};
use std::borrow::Cow;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{FileId, Span, narrow};
use crate::template::mustache::escape::{escape_go_html, escape_html, escape_json};
use crate::template::mustache::parse::{Item, parse, slice};
use crate::template::{OffsetMap, OffsetMapBuilder, Value};

/// Bytes of template at most.
const MAX_TEMPLATE: usize = 2 * 1024 * 1024;
/// Tags and texts rendered at most: sections over long lists multiply, also when they print nothing.
const MAX_WORK: u32 = 2_000_000;

/// Escapes values on insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// `{{X}}` escapes for HTML, `{{{X}}}` and `{{&X}}` do not.
    #[default]
    Html,
    /// The same with the characters that Go's libraries escape, which are fewer; a section on a blank text is
    /// skipped.
    GoHtml,
    /// Texts are escaped as the inside of a JSON string, with two and with three braces; lists and
    /// maps are inserted as JSON.
    Json,
    /// Nothing is escaped.
    None,
}

/// Options of rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Escaping of inserted texts.
    pub policy: Policy,
    /// Set if a section on the number 0 is skipped.
    pub zero_is_false: bool,
    /// Bytes of output at most.
    pub max_output: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { policy: Policy::Html, zero_is_false: false, max_output: 8 * 1024 * 1024 }
    }
}

impl From<Policy> for Options {
    fn from(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// A variable that was to be inserted and has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVar {
    /// Its name.
    pub name: String,
    /// Every tag that asked for it, in the order of the template, each once.
    pub spans: Vec<Span>,
}

/// A value whose text changed because `{{X}}` escapes for HTML; most likely `{{{X}}}` was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscapedValue {
    /// The variable's name.
    pub name: String,
    /// The tag.
    pub span: Span,
}

/// A rendered template.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The way from the text back to the template.
    pub map: OffsetMap,
    /// Variables that were inserted as nothing because they have no value, by name.
    pub missing: Vec<MissingVar>,
    /// Variables that have a value with nothing in it, by name.
    pub empty: Vec<MissingVar>,
    /// Every name the template mentions, rendered or not.
    pub used: SortedSet<String>,
    /// Insertions that HTML escaping changed, in the order of the output, each tag once.
    pub escaped: Vec<EscapedValue>,
    /// Findings about the template itself.
    pub diagnostics: Diagnostics,
    /// False when a limit ended the rendering early.
    pub complete: bool,
}

/// Renders a template. Never fails: what cannot be rendered is a finding, and the rest is rendered.
pub fn render(template: &str, file: FileId, context: &Value, options: impl Into<Options>) -> Rendered {
    let mut diagnostics = Diagnostics::new();
    if template.len() > MAX_TEMPLATE {
        let message = format!("The template has {} bytes; the limit is {MAX_TEMPLATE}", template.len());
        diagnostics.push(
            Diagnostic::error(codes::TEMPLATE_TOO_LARGE, Span::at(file, 0), message)
                .with_help("split the template into smaller files"),
        );
        return Rendered {
            text: String::new(),
            map: OffsetMapBuilder::new(file).finish(),
            missing: Vec::new(),
            empty: Vec::new(),
            used: SortedSet::new(),
            escaped: Vec::new(),
            diagnostics,
            complete: false,
        };
    }
    let parsed = parse(template, file, &mut diagnostics);
    let mut renderer = Renderer {
        template,
        options: options.into(),
        text: String::with_capacity(template.len()),
        map: OffsetMapBuilder::new(file),
        missing: SortedMap::new(),
        empty: SortedMap::new(),
        escaped: SortedMap::new(),
        scopes: vec![context],
        work: 0,
        full_at: None,
    };
    renderer.all(&parsed.items);
    if let Some(span) = renderer.full_at {
        diagnostics.push(
            Diagnostic::error(codes::TEMPLATE_TOO_LARGE, span, "The rendered text grows too large")
                .with_help("shorten the lists or values that the sections are rendered for"),
        );
    }
    let complete = parsed.complete && renderer.full_at.is_none();
    Rendered {
        text: renderer.text,
        map: renderer.map.finish(),
        missing: by_name(renderer.missing),
        empty: by_name(renderer.empty),
        used: parsed.names,
        escaped: renderer.escaped.into_iter().map(|(span, name)| EscapedValue { name, span }).collect(),
        diagnostics,
        complete,
    }
}

fn by_name(variables: SortedMap<String, SortedSet<Span>>) -> Vec<MissingVar> {
    let variables = variables.into_iter();
    variables.map(|(name, spans)| MissingVar { name, spans: spans.into_iter().collect() }).collect()
}

struct Renderer<'t, 'c> {
    template: &'t str,
    options: Options,
    text: String,
    map: OffsetMapBuilder,
    missing: SortedMap<String, SortedSet<Span>>,
    empty: SortedMap<String, SortedSet<Span>>,
    escaped: SortedMap<Span, String>,
    /// Innermost last.
    scopes: Vec<&'c Value>,
    work: u32,
    /// The piece that did not fit any more; rendering has ended.
    full_at: Option<Span>,
}

impl<'c> Renderer<'_, 'c> {
    fn all(&mut self, items: &[Item]) {
        for item in items {
            if self.full_at.is_some() {
                return;
            }
            match item {
                Item::Text(span) => self.copy(*span),
                Item::Variable { name, raw, tag } => self.insert(name, *raw, *tag),
                Item::Section { name, inverted, standalone, tag, inner } => {
                    self.section(name, *inverted, *standalone, *tag, inner);
                }
            }
        }
    }

    fn copy(&mut self, span: Span) {
        let text = slice(self.template, span);
        if self.fits(text.len(), span) {
            self.text.push_str(text);
            self.map.copied(span.start, span.end);
        }
    }

    fn insert(&mut self, name: &str, raw: bool, tag: Span) {
        let mut text = String::new();
        match self.look_up(name) {
            None => {
                self.missing.entry(name.to_owned()).or_default().insert(tag);
            }
            Some(value) => {
                if self.write(value, raw, &mut text) {
                    self.escaped.entry(tag).or_insert_with(|| name.to_owned());
                }
                if text.is_empty() {
                    self.empty.entry(name.to_owned()).or_default().insert(tag);
                }
            }
        }
        if self.fits(text.len(), tag) {
            self.text.push_str(&text);
            self.map.substituted(narrow(text.len()), tag.start, tag.end);
        }
    }

    /// Writes a value; true when HTML escaping changed it.
    fn write(&self, value: &Value, raw: bool, out: &mut String) -> bool {
        let plain = match value {
            Value::Null => return false,
            Value::Str(text) => Cow::Borrowed(text.as_str()),
            Value::Bool(_) | Value::Num(_) | Value::List(_) | Value::Map(_) => {
                let mut json = String::new();
                value.write_json(&mut json);
                Cow::Owned(json)
            }
        };
        match self.options.policy {
            Policy::Json if matches!(value, Value::Str(_)) => escape_json(&plain, out),
            Policy::Html if !raw => {
                escape_html(&plain, out);
                return *out != *plain;
            }
            Policy::GoHtml if !raw => {
                escape_go_html(&plain, out);
                return *out != *plain;
            }
            Policy::Html | Policy::GoHtml | Policy::Json | Policy::None => out.push_str(&plain),
        }
        false
    }

    fn section(&mut self, name: &str, inverted: bool, standalone: bool, tag: Span, inner: &[Item]) {
        if !self.fits(0, tag) {
            return;
        }
        let value = self.look_up(name).filter(|value| !self.skips(value));
        match (value, inverted) {
            (None, true) => self.all(inner),
            (Some(Value::List(items)), false) => {
                for item in items {
                    if self.full_at.is_some() {
                        break;
                    }
                    self.within(item, inner);
                }
            }
            (Some(value), false) => self.within(value, inner),
            // In the middle of a line the place where nothing was rendered is worth knowing.
            _ if !standalone => self.map.substituted(0, tag.start, tag.end),
            _ => {}
        }
    }

    /// Returns whether a section on the value is skipped.
    fn skips(&self, value: &Value) -> bool {
        let is_blank = matches!(value, Value::Str(text) if text.trim().is_empty());
        value.is_falsy(self.options.zero_is_false) || (self.options.policy == Policy::GoHtml && is_blank)
    }

    fn within(&mut self, scope: &'c Value, inner: &[Item]) {
        // Counted also when there is nothing inside.
        self.work = self.work.saturating_add(1);
        self.scopes.push(scope);
        self.all(inner);
        self.scopes.pop();
    }

    fn look_up(&self, name: &str) -> Option<&'c Value> {
        if name == "." {
            return self.scopes.last().copied();
        }
        if let Some(value) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(value);
        }
        let mut parts = name.split('.');
        let first = parts.next().filter(|part| part.len() < name.len())?;
        let start = self.scopes.iter().rev().find_map(|scope| scope.get(first))?;
        parts.try_fold(start, |value, part| value.get(part))
    }

    /// Counts the work and returns whether this many bytes still fit.
    fn fits(&mut self, bytes: usize, at: Span) -> bool {
        self.work = self.work.saturating_add(1);
        let fits = self.work <= MAX_WORK && self.text.len().saturating_add(bytes) <= self.options.max_output;
        if !fits {
            self.full_at.get_or_insert(at);
        }
        fits
    }
}
