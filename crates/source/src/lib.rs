//! Reading text in which a person can err: YAML, JSON, mustache and Go templates with positions,
//! diagnostics that point at what was written, and the two ways of showing them.
//!
//! The crate knows bytes, lines, trees of scalars and tags. It must not know any dialect: which
//! fields exist, which diagnostic codes a dialect uses and how severe a finding is are arguments.
//!
//! A usual reading runs as follows: add the file to a [`SourceMap`], render it when it is a template
//! ([`template::mustache::render`]), read the text with a [`yaml::Reader`] that carries the template's
//! [`template::OffsetMap`], and take the tree apart with [`read::MapReader`]. Every span in the tree
//! then already points at the template.
//!
//! Limits on size, depth, node count and alias expansion come before anything else, so that no text
//! can make the reader panic, hang or recurse without bound.

mod codes;
pub mod detect;
pub mod diagnostic;
mod duration;
mod file;
mod index;
pub mod json;
pub mod read;
pub mod render;
mod span;
pub mod suggest;
pub mod template;
pub mod yaml;

pub use codes::CODES;
pub use diagnostic::{Diagnostic, Diagnostics, Fix, Label, Severity};
pub use duration::go_duration_ms;
pub use file::{Position, SourceFile, SourceMap};
pub use span::{FileId, Span, Spanned};
pub use suggest::suggest;
