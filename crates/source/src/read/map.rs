//! A mapping read field by field.

use crate::diagnostic::{Diagnostic, Diagnostics, Fix, Severity};
use crate::read::{ReadCodes, scalar};
use crate::span::{Span, Spanned};
use crate::suggest::suggest;
use crate::yaml::{Entry, Node};
use planarium_kernel::SortedSet;

/// Reads the fields of one mapping and remembers which were asked for, so that [`MapReader::finish`]
/// can report the others with a "did you mean".
///
/// *Order*: of repeated fields the last one is read, as the real systems' readers do. A null value
/// counts as absent.
#[derive(Debug)]
pub struct MapReader<'n, 'd> {
    entries: &'n [Entry],
    /// Position of findings about missing fields.
    head: Span,
    /// Name of the mapping in messages, such as `pod 'hello'`.
    what: String,
    codes: ReadCodes,
    known: Vec<&'static str>,
    /// Returns the mapping that an unknown field belongs to.
    home: fn(&str) -> Option<&'static str>,
    found: &'d mut Diagnostics,
}

impl<'n, 'd> MapReader<'n, 'd> {
    /// A reader of a mapping; none, with a finding, when the node is anything else.
    pub fn new(
        node: &'n Node,
        what: impl Into<String>,
        codes: ReadCodes,
        found: &'d mut Diagnostics,
    ) -> Option<Self> {
        let what = what.into();
        let Some(entries) = node.as_mapping() else {
            scalar::wrong_type(node, &what, "a mapping", &codes, found);
            return None;
        };
        let head = entries.first().map_or(node.span, |entry| entry.key.span);
        Some(Self { entries, head, what, codes, known: Vec::new(), home: |_| None, found })
    }

    /// As [`MapReader::new`], but null reads as a mapping without fields.
    pub fn new_or_empty(
        node: &'n Node,
        what: impl Into<String>,
        codes: ReadCodes,
        found: &'d mut Diagnostics,
    ) -> Option<Self> {
        if node.is_null() {
            let (head, what) = (node.span, what.into());
            return Some(Self { entries: &[], head, what, codes, known: Vec::new(), home: |_| None, found });
        }
        Self::new(node, what, codes, found)
    }

    /// Findings about missing fields point here, usually at the mapping's own key.
    #[must_use]
    pub fn with_head(mut self, head: Span) -> Self {
        self.head = head;
        self
    }

    /// Asked where a field belongs that is unknown here, before one of nearly its name is looked for.
    #[must_use]
    pub fn with_home(mut self, home: fn(&str) -> Option<&'static str>) -> Self {
        self.home = home;
        self
    }

    /// Returns the position of findings about missing fields.
    pub fn head(&self) -> Span {
        self.head
    }

    /// Returns the collector, for findings of the dialect's own while the reader lives.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        self.found
    }

    /// Every entry, known or not.
    pub fn entries(&self) -> &'n [Entry] {
        self.entries
    }

    /// Names of fields that exist but are not read here.
    pub fn also_known(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// A field with its key, null values included.
    pub fn entry(&mut self, key: &'static str) -> Option<&'n Entry> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.iter().rev().find(|entry| entry.key.as_str() == Some(key))
    }

    /// A field's value, unless it is absent or null.
    pub fn optional(&mut self, key: &'static str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value).filter(|value| !value.is_null())
    }

    /// A field's value; a finding when it is absent or null.
    pub fn required(&mut self, key: &'static str) -> Option<&'n Node> {
        let value = self.optional(key);
        if value.is_none() {
            self.missing(key);
        }
        value
    }

    /// An optional text.
    pub fn text(&mut self, key: &'static str) -> Option<Spanned<String>> {
        let node = self.optional(key)?;
        scalar::text(node, &named(key), &self.codes, self.found)
    }

    /// A required text; empty text counts as missing.
    pub fn required_text(&mut self, key: &'static str) -> Option<Spanned<String>> {
        let node = self.required(key)?;
        let text = scalar::text(node, &named(key), &self.codes, self.found)?;
        if text.value.is_empty() {
            self.missing(key);
            return None;
        }
        Some(text)
    }

    /// An optional whole number.
    pub fn int(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let node = self.optional(key)?;
        scalar::int(node, &named(key), &self.codes, self.found)
    }

    /// A required whole number; empty text counts as missing.
    pub fn required_int(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let node = self.required(key)?;
        if node.as_str().is_some_and(|text| text.trim().is_empty()) {
            self.missing(key);
            return None;
        }
        scalar::int(node, &named(key), &self.codes, self.found)
    }

    /// An optional decimal number in thousandths.
    pub fn thousandths(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let node = self.optional(key)?;
        scalar::thousandths(node, &named(key), &self.codes, self.found)
    }

    /// An optional boolean.
    pub fn boolean(&mut self, key: &'static str) -> Option<Spanned<bool>> {
        let node = self.optional(key)?;
        scalar::boolean(node, &named(key), &self.codes, self.found)
    }

    /// An optional list.
    pub fn sequence(&mut self, key: &'static str) -> Option<&'n [Node]> {
        let node = self.optional(key)?;
        scalar::sequence(node, &named(key), &self.codes, self.found)
    }

    /// The entries of an optional mapping.
    pub fn mapping(&mut self, key: &'static str) -> Option<&'n [Entry]> {
        let node = self.optional(key)?;
        scalar::mapping(node, &named(key), &self.codes, self.found)
    }

    /// Reports a missing field, at its key when it was written without a value.
    pub fn missing(&mut self, key: &'static str) {
        let written = self.entries.iter().rev().find(|entry| entry.key.as_str() == Some(key));
        let message = format!("Missing required '{key}' in {}", self.what);
        let finding = match written {
            None => Diagnostic::error(self.codes.missing, self.head, message)
                .with_help(format!("add '{key}:' with a value")),
            Some(entry) if entry.value.span.is_empty() => {
                Diagnostic::error(self.codes.missing, entry.key.span, message)
                    .with_help(format!("write a value after '{key}:'"))
            }
            Some(entry) => Diagnostic::error(self.codes.missing, entry.value.span, message)
                .with_help(format!("give '{key}' a value; this one reads as nothing")),
        };
        self.found.push(finding);
    }

    /// Reports every field that was not asked for, as errors.
    pub fn finish(self) {
        self.finish_with(Severity::Error);
    }

    /// Reports every field that was not asked for.
    pub fn finish_with(self, severity: Severity) {
        let written: SortedSet<_> = self.entries.iter().filter_map(|entry| entry.key.as_str()).collect();
        let absent: Vec<_> = self.known.iter().copied().filter(|known| !written.contains(known)).collect();
        for entry in self.entries {
            let name = entry.key.as_str();
            if name.is_some_and(|name| self.known.contains(&name)) {
                continue;
            }
            if self.found.is_full() {
                self.found.push(Diagnostic::new(
                    severity,
                    self.codes.unknown,
                    entry.key.span,
                    "Unknown field",
                ));
                return;
            }
            let finding = self.unknown(severity, &entry.key, &absent);
            self.found.push(finding);
        }
    }

    fn unknown(&self, severity: Severity, key: &Node, absent: &[&'static str]) -> Diagnostic {
        let Some(name) = key.as_str() else {
            let message =
                format!("A field's name in {} must be a text, but is {}", self.what, key.describe());
            return Diagnostic::new(severity, self.codes.unknown, key.span, message)
                .with_help("write the name as plain text");
        };
        let message = format!("Unknown field '{name}' in {}", self.what);
        let finding = Diagnostic::new(severity, self.codes.unknown, key.span, message);
        if let Some(home) = (self.home)(name) {
            return finding.with_help(home);
        }
        let near = suggest(name, absent.iter().copied());
        finding.with_meant(
            near,
            |meant| Fix::rename(key, meant),
            || match self.known.as_slice() {
                [] => "remove it".to_owned(),
                known => format!("fields here are: {}", known.join(", ")),
            },
        )
    }
}

fn named(key: &str) -> String {
    format!("'{key}'")
}
