//! Comparing texts: exactly or by regular expression, always the whole text.

use planarium_kernel::Milli;
use planarium_protocol::Text;
use regex_lite::{Regex, RegexBuilder};
use std::sync::Arc;

/// Bytes of a compiled expression at most.
const SIZE_LIMIT: usize = 256 * 1024;

/// Patterns of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// The same text.
    Exact(Text),
    /// The whole text fits the expression.
    Regex(Pattern),
    /// Any text.
    Any,
}

impl Matcher {
    /// Returns whether the whole text fits.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(wanted) => **wanted == *text,
            Self::Regex(pattern) => pattern.matches(text),
            Self::Any => true,
        }
    }

    /// Returns whether the value of an agent attribute fits. Numbers are compared as numbers of three decimals.
    pub fn matches_attribute(&self, value: &str) -> bool {
        match self {
            Self::Exact(wanted) => attribute_text(wanted) == attribute_text(value),
            Self::Regex(_) | Self::Any => self.matches(&attribute_text(value)),
        }
    }

    /// Words for people.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Exact(wanted) => format!("'{wanted}'"),
            Self::Regex(pattern) => format!("like '{}'", pattern.text()),
            Self::Any => "anything".to_owned(),
        }
    }
}

/// Formats an agent attribute's value: numbers without trailing decimals, everything else unchanged.
pub(super) fn attribute_text(value: &str) -> String {
    Milli::parse(value).map_or_else(|_| value.to_owned(), |number| number.to_string())
}

/// A regular expression that must fit a whole text. Cheap to clone; equal when written the same.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Text,
    regex: Arc<Regex>,
}

impl Pattern {
    /// Compiles an expression.
    ///
    /// *Errors*: describes the fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = format!("^(?:{text})$");
        let regex = RegexBuilder::new(&whole).size_limit(SIZE_LIMIT).build().map_err(|e| e.to_string())?;
        Ok(Self { text: text.into(), regex: Arc::new(regex) })
    }

    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the whole text fits.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}
