//! Reads fields of a message from a JSON object.
//!
//! *Must not know*: any message. Nothing here recurses, so depth costs nothing.
//! Source: `apache/mesos: 3rdparty/stout/include/stout/protobuf.hpp` (Parser). Match.

use crate::maintenance::{Refused, quirk};
use planarium_protocol::Text;
use serde_json::{Map, Number, Value};

/// Largest number of missing fields that are named; the rest are counted.
const MAX_NAMED: usize = 16;

/// The fields of one message.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The fields of a whole body, or of an element of a body that is an array.
    pub(super) fn of(value: &'a Value) -> Result<Self, Refused> {
        value.as_object().map(|map| Self { map }).ok_or(Refused::NotAnObject)
    }

    /// A field that is present and not null.
    fn get(&self, field: &'static str) -> Option<&'a Value> {
        self.map.get(field).filter(|value| !value.is_null())
    }

    /// Text.
    pub(super) fn text(&self, field: &'static str) -> Result<Option<Text>, Refused> {
        self.read(field, |value| match value {
            Value::String(text) => Ok(text.as_str().into()),
            _ => Err(wrong(field, value)),
        })
    }

    /// A whole number of 64 bits, also as text. A fraction is cut off.
    pub(super) fn int(&self, field: &'static str) -> Result<Option<i64>, Refused> {
        self.read(field, |value| {
            let number = number(field, value)?;
            whole(&number).ok_or_else(|| Refused::BadValue { field, text: number.to_string().into() })
        })
    }

    /// A truth value, also as text.
    pub(super) fn flag(&self, field: &'static str) -> Result<Option<bool>, Refused> {
        self.read(field, |value| match value {
            Value::Bool(flag) => Ok(*flag),
            Value::String(text) => {
                text.trim().parse().map_err(|_| Refused::BadValue { field, text: text.as_str().into() })
            }
            _ => Err(wrong(field, value)),
        })
    }

    /// A message.
    pub(super) fn message(&self, field: &'static str) -> Result<Option<Self>, Refused> {
        self.read(field, |value| match value {
            Value::Object(map) => Ok(Self { map }),
            _ => Err(wrong(field, value)),
        })
    }

    /// Messages. Nulls in the list are skipped.
    pub(super) fn messages(&self, field: &'static str) -> Result<Vec<Self>, Refused> {
        let mut messages = Vec::new();
        let mut rest: Vec<&'a Value> = match self.get(field) {
            Some(Value::Array(elements)) => elements.iter().rev().collect(),
            Some(value) if quirk::SINGLE_VALUE_IS_A_LIST => vec![value],
            Some(value) => return Err(wrong(field, value)),
            None => Vec::new(),
        };
        while let Some(value) = rest.pop() {
            match value {
                Value::Object(map) => messages.push(Self { map }),
                Value::Array(elements) if quirk::SINGLE_VALUE_IS_A_LIST => rest.extend(elements.iter().rev()),
                Value::Null => {}
                _ => return Err(wrong(field, value)),
            }
        }
        Ok(messages)
    }

    fn read<T>(
        &self,
        field: &'static str,
        read: impl FnOnce(&'a Value) -> Result<T, Refused>,
    ) -> Result<Option<T>, Refused> {
        self.get(field).map(read).transpose()
    }
}

/// A number, or text that is a number.
fn number(field: &'static str, value: &Value) -> Result<Number, Refused> {
    match value {
        Value::Number(number) => Ok(number.clone()),
        Value::String(text) => planarium_protocol::json::read(text.as_bytes())
            .map_err(|_| Refused::BadValue { field, text: text.as_str().into() }),
        _ => Err(wrong(field, value)),
    }
}

/// The whole part of a number, if it has 64 bits.
fn whole(number: &Number) -> Option<i64> {
    // Whole numbers never become doubles. Those with a point or an exponent are doubles in JSON already.
    number.as_i64().or_else(|| {
        let whole = number.as_f64()?.trunc();
        let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole);
        #[expect(clippy::cast_possible_truncation, reason = "whole, and of 64 bits")]
        fits.then_some(whole as i64)
    })
}

fn wrong(field: &'static str, value: &Value) -> Refused {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Refused::WrongType { field, found }
}

/// Collects missing fields, which are reported when everything else is right.
#[derive(Default)]
pub(super) struct Reader {
    paths: Vec<String>,
    more: u64,
}

impl Reader {
    /// Records a missing field.
    pub(super) fn missing<T>(&mut self, path: &Path) -> Option<T> {
        if self.paths.len() < MAX_NAMED {
            self.paths.push(path.to_text());
        } else {
            self.more += 1;
        }
        None
    }

    /// Refuses when a field is missing.
    pub(super) fn finish(self) -> Result<(), Refused> {
        let Self { paths, more } = self;
        if paths.is_empty() { Ok(()) } else { Err(Refused::MissingFields { paths, more }) }
    }
}

/// The path of a field: `windows[0].unavailability.start`.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    name: &'static str,
    row: Option<usize>,
}

impl<'a> Path<'a> {
    /// The body itself.
    pub(super) const ROOT: Path<'static> = Path { parent: None, name: "", row: None };

    /// A field of this message.
    pub(super) const fn field(&'a self, name: &'static str) -> Path<'a> {
        Path { parent: Some(self), name, row: None }
    }

    /// An element of a list of this message.
    pub(super) const fn element(&'a self, name: &'static str, row: usize) -> Path<'a> {
        Path { parent: Some(self), name, row: Some(row) }
    }

    fn to_text(self) -> String {
        let mut parts = Vec::new();
        let mut next = Some(&self);
        while let Some(path) = next.filter(|path| !path.name.is_empty()) {
            parts.push(path.row.map_or_else(|| path.name.to_owned(), |row| format!("{}[{row}]", path.name)));
            next = path.parent;
        }
        parts.reverse();
        parts.join(".")
    }
}
