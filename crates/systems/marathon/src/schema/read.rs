//! Reads a value by its schema: the result in canonical form, and every error.
//!
//! *Knows*: how a schema is walked. *Must not know*: any field.
//!
//! **Source**: the readers of `play-json` as Marathon uses them (words of errors, numbers, null as absent). Match; another
//! type in place of an object is an error here even if all its fields may be absent.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Field, Kind, Presence, Shape};
use serde_json::{Map, Number, Value};

/// A value that cannot be read, in the words of the real reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Path: `/container/docker/image`, `/healthChecks(0)/protocol`.
    pub(crate) path: String,
    /// Such as `error.expected.jsstring`.
    pub(crate) error: Cow<'static, str>,
}

impl Fault {
    /// Of the whole body.
    pub(crate) fn at_root(error: impl Into<Cow<'static, str>>) -> Self {
        Self { path: String::new(), error: error.into() }
    }
}

/// Result of reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readout {
    /// The value read: known fields in order, defaults filled in, words in their own case.
    pub(crate) value: Value,
    /// The faults found.
    pub(crate) faults: Vec<Fault>,
    /// Fields that do not exist, by path.
    pub(crate) unknown: Vec<String>,
}

#[cfg(test)]
thread_local! {
    /// Number of objects read by this thread.
    pub(crate) static READINGS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Reads an object. With `partial`, absent fields of the object itself stay away instead of having defaults.
pub(crate) fn read(shape: &Shape, value: &Value, partial: bool) -> Readout {
    #[cfg(test)]
    READINGS.set(READINGS.get() + 1);
    let mut reader = Reader::default();
    let value = reader.object(shape, value, partial);
    Readout { value, faults: reader.faults, unknown: reader.unknown }
}

/// Reads a list of objects.
pub(crate) fn read_list(shape: &'static Shape, value: &Value, partial: bool) -> Readout {
    let mut reader = Reader::default();
    let Value::Array(items) = value else {
        reader.fault("error.expected.jsarray");
        return Readout { value: Value::Array(Vec::new()), faults: reader.faults, unknown: Vec::new() };
    };
    let mut all = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let mark = reader.enter_item(at);
        all.push(reader.object(shape, item, partial));
        reader.path.truncate(mark);
    }
    Readout { value: Value::Array(all), faults: reader.faults, unknown: reader.unknown }
}

#[derive(Default)]
struct Reader {
    path: String,
    faults: Vec<Fault>,
    unknown: Vec<String>,
}

/// Maximum of faults and unknown fields reported.
const TOLD: usize = 200;

impl Reader {
    fn fault(&mut self, error: &'static str) {
        if self.faults.len() < TOLD {
            self.faults.push(Fault { path: self.path.clone(), error: error.into() });
        }
    }

    fn enter(&mut self, key: &str) -> usize {
        let mark = self.path.len();
        self.path.push('/');
        self.path.push_str(key);
        mark
    }

    fn enter_item(&mut self, at: usize) -> usize {
        let mark = self.path.len();
        let _ = write!(self.path, "({at})");
        mark
    }

    fn object(&mut self, shape: &Shape, value: &Value, partial: bool) -> Value {
        let mut all = Map::new();
        let Value::Object(given) = value else {
            // A required field is missing; an unexpected one shows the type.
            let mut required =
                shape.fields.iter().filter(|field| field.presence == Presence::Required && !partial);
            match required.next() {
                Some(first) => {
                    for field in std::iter::once(first).chain(required) {
                        let mark = self.enter(field.name);
                        self.fault("error.path.missing");
                        self.path.truncate(mark);
                    }
                }
                None => self.fault("error.expected.jsobject"),
            }
            return Value::Object(all);
        };
        for field in shape.fields {
            let mark = self.enter(field.name);
            if let Some(value) = self.field(field, given.get(field.name), partial) {
                all.insert(field.name.to_owned(), value);
            }
            self.path.truncate(mark);
        }
        for key in given.keys() {
            if !shape.fields.iter().any(|field| field.name == key) && self.unknown.len() < TOLD {
                self.unknown.push(format!("{}/{key}", self.path));
            }
        }
        Value::Object(all)
    }

    fn field(&mut self, field: &Field, given: Option<&Value>, partial: bool) -> Option<Value> {
        match (given, field.presence) {
            (None | Some(Value::Null), _) if partial => None,
            (None | Some(Value::Null), Presence::Optional) => None,
            (None | Some(Value::Null), Presence::Default(text)) => serde_json::from_str(text).ok(),
            (None, Presence::Required) => {
                self.fault("error.path.missing");
                None
            }
            (Some(value), _) => self.value(&field.kind, value),
        }
    }

    fn value(&mut self, kind: &Kind, value: &Value) -> Option<Value> {
        match kind {
            Kind::Any => Some(value.clone()),
            Kind::Text { min, max, fits } => self.text(value, *min, *max, *fits),
            Kind::Int { min, max } => self.whole(value, *min, *max, true),
            Kind::Long { min } => self.whole(value, *min, i64::MAX, false),
            Kind::Number { min, max } => self.number(value, *min, *max),
            Kind::Boolean => self.of(matches!(value, Value::Bool(_)), value, "error.expected.jsboolean"),
            Kind::Word(words) => {
                let meant =
                    value.as_str().and_then(|text| words.iter().find(|word| word.eq_ignore_ascii_case(text)));
                if meant.is_none() {
                    self.fault("error.unknown.enum.literal");
                }
                meant.map(|word| Value::String((*word).to_owned()))
            }
            Kind::List { of, min, max } => self.list(of, value, *min, *max),
            Kind::Object(shape) => Some(self.object(shape, value, false)),
            Kind::Map(of) => self.map(of, value),
            Kind::Either(shapes) => {
                let has = |name: &str| value.get(name).is_some_and(|value| !value.is_null());
                let meant = shapes.iter().find(|(name, _)| has(name)).or(shapes.last());
                meant.map(|(_, shape)| self.object(shape, value, false))
            }
            Kind::TextOr(shape) if value.is_object() => Some(self.object(shape, value, false)),
            Kind::TextOr(_) => self.of(value.is_string(), value, "error.expected.jsstring"),
            Kind::WordOr(word, shape) => match value {
                // Any text is the word, as the real reader takes it.
                Value::String(_) => Some(Value::String((*word).to_owned())),
                Value::Object(_) => Some(self.object(shape, value, false)),
                _ => {
                    self.fault("error.expected.jsobject");
                    None
                }
            },
            Kind::WordOrNumber => match value {
                Value::String(_) => Some(value.clone()),
                _ => self.number(value, i64::MIN, i64::MAX),
            },
        }
    }

    fn of(&mut self, is: bool, value: &Value, error: &'static str) -> Option<Value> {
        if !is {
            self.fault(error);
        }
        is.then(|| value.clone())
    }

    fn text(
        &mut self,
        value: &Value,
        min: usize,
        max: usize,
        fits: Option<fn(&str) -> bool>,
    ) -> Option<Value> {
        let Value::String(text) = value else {
            self.fault("error.expected.jsstring");
            return None;
        };
        let length = text.chars().count();
        if length < min {
            self.fault("error.minLength");
        }
        if length > max {
            self.fault("error.maxLength");
        }
        if fits.is_some_and(|fits| !fits(text)) {
            self.fault("error.pattern");
        }
        Some(value.clone())
    }

    fn whole(&mut self, value: &Value, min: i64, max: i64, narrow: bool) -> Option<Value> {
        let Value::Number(number) = value else {
            self.fault("error.expected.jsnumber");
            return None;
        };
        let wide = whole_of(number).filter(|n| !narrow || i32::try_from(*n).is_ok());
        let Some(number) = wide else {
            self.fault(if narrow { "error.expected.int" } else { "error.expected.long" });
            return None;
        };
        if number < min {
            self.fault("error.min");
        }
        if number > max {
            self.fault("error.max");
        }
        Some(Value::from(number))
    }

    fn number(&mut self, value: &Value, min: i64, max: i64) -> Option<Value> {
        let Some(number) = value.as_f64().filter(|_| value.is_number()) else {
            self.fault("error.expected.jsnumber");
            return None;
        };
        if number < bound(min) {
            self.fault("error.min");
        }
        if number > bound(max) {
            self.fault("error.max");
        }
        Some(plain(number))
    }

    fn list(&mut self, of: &Kind, value: &Value, min: usize, max: usize) -> Option<Value> {
        let Value::Array(items) = value else {
            self.fault("error.expected.jsarray");
            return None;
        };
        if items.len() < min {
            self.fault("error.minLength");
        }
        if items.len() > max {
            self.fault("error.maxLength");
        }
        let mut all = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let mark = self.enter_item(at);
            all.extend(self.value(of, item));
            self.path.truncate(mark);
        }
        Some(Value::Array(all))
    }

    fn map(&mut self, of: &Kind, value: &Value) -> Option<Value> {
        let Value::Object(given) = value else {
            self.fault("error.expected.jsobject");
            return None;
        };
        let mut all = Map::new();
        for (key, value) in given {
            let mark = self.enter(key);
            if let Some(value) = self.value(of, value) {
                all.insert(key.clone(), value);
            }
            self.path.truncate(mark);
        }
        Some(Value::Object(all))
    }
}

/// A bound in thousandths as a number.
fn bound(thousandths: i64) -> f64 {
    match thousandths {
        i64::MIN => f64::NEG_INFINITY,
        i64::MAX => f64::INFINITY,
        #[expect(clippy::cast_precision_loss, reason = "bounds are small")]
        other => other as f64 / 1000.0,
    }
}

fn whole_of(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| number.as_f64().and_then(exact))
}

/// The whole number that a float is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "only where it is the same number"
)]
fn exact(number: f64) -> Option<i64> {
    let whole = number as i64;
    #[expect(clippy::float_cmp, reason = "the question is whether it is the same number")]
    let same = whole as f64 == number;
    (same && whole.unsigned_abs() < 1 << 53).then_some(whole)
}

/// Writes a number: whole ones without a decimal point.
pub(crate) fn plain(number: f64) -> Value {
    match exact(number) {
        Some(whole) => Value::from(whole),
        None => Value::from(number),
    }
}
