//! Taking a tree apart with a finding for everything that is not as it should be.
//!
//! Knows mappings, fields and the types of scalars; the names of fields, what must be there and the
//! diagnostic codes come from the dialect.

mod map;
mod scalar;

pub use map::MapReader;
pub use scalar::{boolean, int, mapping, sequence, text, thousandths, wrong_type};

/// The diagnostic codes a dialect uses for findings about the shape of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCodes {
    /// A field that does not exist.
    pub unknown: &'static str,
    /// A field that must be there and is not.
    pub missing: &'static str,
    /// A value of the wrong type.
    pub wrong_type: &'static str,
}

#[cfg(test)]
mod tests;
