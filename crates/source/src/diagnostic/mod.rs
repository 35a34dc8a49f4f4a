//! A finding about a text: what is wrong, where, and how to mend it.
//!
//! Plain data. How a finding is shown is the business of [`crate::render`].

mod collector;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::span::Span;
use crate::suggest::did_you_mean;
use crate::yaml::Node;

pub use collector::Diagnostics;

/// Severity of a finding.
///
/// *Order*: errors first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The definition cannot be used as written.
    Error,
    /// It can be used, and is probably not what was meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word as shown: `error`, `warning`, `info`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A second place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text replaced.
    pub text: String,
}

/// A change of the text that mends the finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// Description of the change, as a button's words.
    pub title: String,
    /// The text to be replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

impl Fix {
    /// A change of the text at `span`.
    pub fn new(title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        Self { title: title.into(), span, replacement: replacement.into() }
    }

    /// Renames a key; `None` if its text cannot be edited in place.
    pub fn rename(key: &Node, name: &str) -> Option<Self> {
        key.literal.then(|| Self::new(format!("Rename to '{name}'"), key.span, name))
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code; owns a page in the documentation.
    pub code: Cow<'static, str>,
    /// Its severity.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The place it is about.
    pub span: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// Advice for mending it.
    pub help: Option<String>,
    /// A mechanical mend.
    pub fix: Option<Fix>,
    /// Further facts, a line each.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A finding of any severity.
    pub fn new(
        severity: Severity,
        code: impl Into<Cow<'static, str>>,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            severity,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            fix: None,
            notes: Vec::new(),
        }
    }

    /// An error.
    pub fn error(code: impl Into<Cow<'static, str>>, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning.
    pub fn warning(code: impl Into<Cow<'static, str>>, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// A piece of information.
    pub fn info(code: impl Into<Cow<'static, str>>, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, span, message)
    }

    /// Adds a further place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the mechanical mend.
    #[must_use]
    pub fn with_fix(mut self, title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix::new(title, span, replacement));
        self
    }

    /// Asks in the help whether the near name was meant, and offers a fix for it; sets the other help if no name is near.
    ///
    /// ```
    /// use planarium_source::{Diagnostic, Fix, Span, suggest};
    ///
    /// let (name, span) = ("cuont", Span::default());
    /// let finding = Diagnostic::error("X001", span, "Unknown field 'cuont'").with_meant(
    ///     suggest(name, ["count", "tasks"]),
    ///     |meant| Some(Fix::new(format!("Write {meant}"), span, meant)),
    ///     || "remove it",
    /// );
    /// assert_eq!(finding.help.as_deref(), Some("did you mean 'count'?"));
    /// assert_eq!(finding.fix.map(|fix| fix.replacement).as_deref(), Some("count"));
    /// ```
    #[must_use]
    pub fn with_meant<S: Into<String>>(
        mut self,
        near: Option<&str>,
        fix: impl FnOnce(&str) -> Option<Fix>,
        otherwise: impl FnOnce() -> S,
    ) -> Self {
        self.fix = near.and_then(fix).or(self.fix);
        self.with_help(did_you_mean(near, otherwise))
    }

    /// Adds a fact.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// True for an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
