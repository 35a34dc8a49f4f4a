//! Templates: text with tags that become values, and the way back from the rendered text.
//!
//! Knows tags, sections and values; must not know where values come from or what the text means.

pub mod gotemplate;
mod map;
pub mod mustache;
mod value;

pub use map::{Mapped, OffsetMap, OffsetMapBuilder};
pub use value::Value;
