//! Errors of templates, in the real engine's words and with the position.

use std::fmt;

/// The class of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text is not a template.
    Parse,
    /// It calls a function that does not exist.
    UnknownFunction,
    /// It cannot be executed for this context.
    Execution,
    /// A bound of this engine, which the real one does not have.
    Limit,
}

/// Why a template was not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The class.
    pub kind: ErrorKind,
    /// The whole text of the real engine, `template: FILE:LINE: …` or `template: FILE:LINE:COLUMN: executing …`.
    pub message: String,
    /// The last part of it, without place and context.
    pub reason: String,
    /// First byte of what it is about, in the template's text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
