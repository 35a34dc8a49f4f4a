//! The schemas that Marathon reads: fields, types, bounds, defaults, as data.
//!
//! *Knows*: the existing fields and the valid single values. *Must not know*: rules between fields.
//!
//! **Source**: `marathon: docs/docs/rest-api/public/api/v2/types/*.raml` and the readers generated from them. Match for the
//! listed parts of apps, groups and pods; the first alternative of an object whose required fields are present wins.

pub(crate) mod app;
pub(crate) mod group;
pub(crate) mod pod;
pub(crate) mod read;

pub(crate) use read::{Fault, Readout, plain, read, read_list};

/// An object's fields, in the order in which they are written.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The fields.
    pub(crate) fields: &'static [Field],
}

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) presence: Presence,
}

/// Presence rules of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It has to be.
    Required,
    /// It stays away.
    Optional,
    /// It reads as this JSON text.
    Default(&'static str),
}

/// Types of a value.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A text with this length that `fits` accepts.
    Text { min: usize, max: usize, fits: Option<fn(&str) -> bool> },
    /// A whole number between bounds, of 32 bits.
    Int { min: i64, max: i64 },
    /// A whole number between bounds, of 64 bits.
    Long { min: i64 },
    /// A number between bounds, in thousandths.
    Number { min: i64, max: i64 },
    /// True or false.
    Boolean,
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// A list with this number of items.
    List { of: &'static Kind, min: usize, max: usize },
    /// An object.
    Object(&'static Shape),
    /// An object of any keys with values of one kind.
    Map(&'static Kind),
    /// Objects distinguished by a field that only one of them has.
    Either(&'static [(&'static str, &'static Shape)]),
    /// A text, or an object.
    TextOr(&'static Shape),
    /// This very word, or an object.
    WordOr(&'static str, &'static Shape),
    /// This very word, or a number.
    WordOrNumber,
    /// Anything, unchanged.
    Any,
}

/// Any text.
pub(crate) const TEXT: Kind = Kind::Text { min: 0, max: usize::MAX, fits: None };
/// A text of at least one character.
pub(crate) const SOME_TEXT: Kind = Kind::Text { min: 1, max: usize::MAX, fits: None };
/// A URI or a path.
pub(crate) const LONG_TEXT: Kind = Kind::Text { min: 1, max: 1024, fits: None };
/// A path of an app or group.
pub(crate) const PATH: Kind = Kind::Text { min: 1, max: usize::MAX, fits: Some(is_path) };
/// A name of at most 63 characters.
pub(crate) const NAME: Kind = Kind::Text { min: 1, max: 63, fits: Some(is_name) };
/// A name of any length.
pub(crate) const LEGACY_NAME: Kind = Kind::Text { min: 1, max: usize::MAX, fits: Some(is_name) };
/// A name of a network.
pub(crate) const NETWORK_NAME: Kind = Kind::Text { min: 1, max: 63, fits: Some(is_network_name) };
/// A whole number that is not negative.
pub(crate) const COUNT: Kind = Kind::Int { min: 0, max: i32::MAX as i64 };
/// A number that is not negative.
pub(crate) const AMOUNT: Kind = Kind::Number { min: 0, max: i64::MAX };
/// A share of one.
pub(crate) const SHARE: Kind = Kind::Number { min: 0, max: 1000 };
/// A port, or 0 for any.
pub(crate) const PORT: Kind = Kind::Int { min: 0, max: 65_535 };
/// Names to texts.
pub(crate) const TEXTS: Kind = Kind::Map(&TEXT);
/// A list of texts.
pub(crate) const TEXT_LIST: Kind = Kind::List { of: &TEXT, min: 0, max: usize::MAX };
/// A transport protocol.
pub(crate) const PROTOCOL: Kind = Kind::Word(&["tcp", "udp", "udp,tcp"]);
/// A list of objects.
pub(crate) const fn list(of: &'static Kind) -> Kind {
    Kind::List { of, min: 0, max: usize::MAX }
}

pub(crate) const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, presence: Presence::Required }
}

pub(crate) const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, presence: Presence::Optional }
}

pub(crate) const fn or(name: &'static str, kind: Kind, default: &'static str) -> Field {
    Field { name, kind, presence: Presence::Default(default) }
}

/// `^(\/?((\.\.)|labels)?($|\/))+$`: segments, `..` or nothing between slashes.
fn is_path(text: &str) -> bool {
    text.split('/').all(|part| part.is_empty() || part != "." && crate::id::is_segment(part))
}

fn is_name(text: &str) -> bool {
    let inner = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-');
    text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn is_network_name(text: &str) -> bool {
    let inner = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let edge = |c: char| matches!(c, '-' | '_');
    text.bytes().all(inner) && !text.starts_with(edge) && !text.ends_with(edge)
}
