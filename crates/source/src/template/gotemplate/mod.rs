//! Go templates: `text/template` of the Go standard library with the functions of sprig.
//!
//! A template is parsed once ([`Template::parse`]) and executed for a context ([`Template::execute`]). Both fail as the
//! real engine fails, with its text and with the place in the template. Missing keys of maps are errors.
//!
//! *Knows*: tags, pipelines, values and functions. *Must not know*: where values come from or what the text means.
//!
//! *Order*: maps are walked by sorted keys, as Go walks them in `range` and prints them; where Go's order is random
//! (`keys`, `values`, `pluck`), they are sorted as well. *Limits*: nesting, steps, output and memory are bounded; what
//! goes beyond is an error of its own kind ([`ErrorKind::Limit`]).
//!
//! **Source**: `golang/go: src/text/template` of Go 1.16 (no `break` and `continue`; `and` and `or` evaluate all
//! arguments) and `Masterminds/sprig` v2.22.0. Matched, with these differences: texts are UTF-8 (what decodes to other
//! bytes is shown with replacement characters), complex numbers are refused, random functions are keyed draws, the
//! clock is an argument, time zones are UTC or fixed offsets, and keys and certificates are placeholders.

mod builtin;
mod call;
mod error;
mod exec;
mod format;
mod lex;
mod node;
mod number;
mod parse;
mod scan;
mod sprig;
mod value;

pub use error::{ErrorKind, TemplateError};
pub use exec::{Environment, Output};
pub use format::{go_float, go_quote};
pub use number::parse_float as parse_go_float;
pub use parse::Template;
pub use scan::Mention;
pub(crate) use sprig::base64;
pub use sprig::date::Instant;
pub use sprig::parse_go_bool;
pub use sprig::version::{Version, VersionError};
pub use value::{Dict, List, Value};

/// Every function that a template may call: those of the engine and those of sprig.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    builtin::TABLE.iter().chain(sprig::tables()).map(|function| function.name)
}

#[cfg(test)]
mod tests;
