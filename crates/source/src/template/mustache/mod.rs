//! Mustache: `{{X}}`, `{{{X}}}`, `{{&X}}`, `{{#X}}…{{/X}}`, `{{^X}}…{{/X}}`, `{{! … }}`, `{{=<% %>=}}`,
//! dotted names and `{{.}}`.
//!
//! A section or comment tag alone on its line removes the whole line. A name is
//! looked up from the innermost section outwards, first as a whole, then part by part at its dots.
//! Partials are refused with a diagnostic.
//!
//! **Source**: `spullara/mustache.java` 0.9 (what the DC/OS SDK and package manager render with) for
//! escaping; differs where that parser leaves a standalone comment's empty line behind, and where it
//! drops carriage returns.

mod escape;
mod parse;
mod render;

pub(crate) use escape::escape_json;
pub use render::{EscapedValue, MissingVar, Options, Policy, Rendered, render};

#[cfg(test)]
mod tests;
