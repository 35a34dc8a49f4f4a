//! Reads fields of a message from a JSON object, by the rules by which the real system reads its messages.
//!
//! Unknown keys are ignored; `null` is the same as absent; numbers and truth values may be written as text; a single
//! object is taken where a list is expected; a value of another type and a missing required field are refused.
//! Source: `apache/mesos: 3rdparty/stout/include/stout/protobuf.hpp`. Match; the first fault is reported.

use planarium_kernel::Milli;
use planarium_protocol::{Refusal, Text, refusal::RefusalCode};
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// The value read, or the reason why the message is malformed (400).
pub(crate) type Read<T> = Result<T, Refusal>;

/// A fault of the caller (400).
pub(crate) fn bad(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::BadRequest, text)
}

/// The fields of one message.
#[derive(Clone, Debug)]
pub(crate) struct Message<'a> {
    map: &'a Map<String, Value>,
}

impl<'a> Message<'a> {
    /// A whole body.
    pub(crate) fn of(value: &'a Value) -> Read<Self> {
        value.as_object().map(|map| Self { map }).ok_or_else(|| bad("JSON object expected"))
    }

    /// A field that is present and not null.
    pub(crate) fn get(&self, field: &str) -> Option<&'a Value> {
        self.map.get(field).filter(|value| !value.is_null())
    }

    /// The keys, for a message that is a map.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a String> {
        self.map.keys()
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// Text.
    pub(crate) fn text(&self, field: &str) -> Read<Option<Text>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str().into())),
            Some(_) => Err(wrong(field)),
        }
    }

    /// Required text.
    pub(crate) fn needs_text(&self, field: &str) -> Read<Text> {
        self.text(field)?.ok_or_else(|| missing(field))
    }

    /// Truth value.
    pub(crate) fn flag(&self, field: &str) -> Read<bool> {
        match self.get(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) => text.parse().map_err(|_| wrong(field)),
            Some(_) => Err(wrong(field)),
        }
    }

    /// Whole number.
    pub(crate) fn int(&self, field: &str) -> Read<Option<i64>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Number(number)) => number.as_i64().map(Some).ok_or_else(|| wrong(field)),
            Some(Value::String(text)) => text.parse().map(Some).map_err(|_| wrong(field)),
            Some(_) => Err(wrong(field)),
        }
    }

    /// Any number.
    pub(crate) fn double(&self, field: &str) -> Read<Option<f64>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64()),
            Some(Value::String(text)) => match text.as_str() {
                "Infinity" => Ok(Some(f64::INFINITY)),
                "-Infinity" => Ok(Some(f64::NEG_INFINITY)),
                "NaN" => Ok(Some(f64::NAN)),
                text => planarium_kernel::float::parse(text).map(Some).ok_or_else(|| wrong(field)),
            },
            Some(_) => Err(wrong(field)),
        }
    }

    /// Reads a number with three decimals. Positive values below 0.001 are invalid.
    pub(crate) fn amount(&self, field: &str) -> Read<Milli> {
        let Some(value) = self.get(field) else { return Err(missing(field)) };
        let amount = self.rounded(field)?;
        let plain = self.double(field)?.unwrap_or_default();
        if !amount.is_positive() && plain != 0.0 {
            return Err(bad(format!("'{field}' is {value}, which is no amount")));
        }
        Ok(amount)
    }

    /// A number rounded to three decimals; zero where there is none.
    pub(crate) fn rounded(&self, field: &str) -> Read<Milli> {
        let Some(value) = self.get(field) else { return Ok(Milli::ZERO) };
        Milli::deserialize(value).map_err(|_| wrong(field))
    }

    /// A message.
    pub(crate) fn message(&self, field: &str) -> Read<Option<Self>> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self { map })),
            Some(_) => Err(wrong(field)),
        }
    }

    /// A required message.
    pub(crate) fn needs(&self, field: &str) -> Read<Self> {
        self.message(field)?.ok_or_else(|| missing(field))
    }

    /// Messages.
    pub(crate) fn messages(&self, field: &str) -> Read<Vec<Self>> {
        match self.get(field) {
            None => Ok(Vec::new()),
            Some(value) => messages(value, field),
        }
    }

    /// Texts.
    pub(crate) fn texts(&self, field: &str) -> Read<Vec<Text>> {
        let one = |value: &Value| value.as_str().map(Text::from).ok_or_else(|| wrong(field));
        match self.get(field) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => values.iter().map(one).collect(),
            Some(value) => Ok(vec![one(value)?]),
        }
    }

    /// The `value` of an id.
    pub(crate) fn id(&self, field: &str) -> Read<Option<Text>> {
        self.message(field)?.map(|id| id.needs_text("value")).transpose()
    }

    /// The `value` of a required id.
    pub(crate) fn needs_id(&self, field: &str) -> Read<Text> {
        self.id(field)?.ok_or_else(|| missing(field))
    }

    /// The `value`s of ids.
    pub(crate) fn ids(&self, field: &str) -> Read<Vec<Text>> {
        self.messages(field)?.iter().map(|id| id.needs_text("value")).collect()
    }

    /// `{"labels":[{"key":K,"value":V}]}` as pairs.
    pub(crate) fn labels(&self, field: &str) -> Read<Vec<(Text, Text)>> {
        let Some(labels) = self.message(field)? else { return Ok(Vec::new()) };
        let pair = |label: &Self| Ok((label.needs_text("key")?, label.text("value")?.unwrap_or_default()));
        labels.messages("labels")?.iter().map(pair).collect()
    }
}

/// A list of messages; one alone is a list too.
pub(crate) fn messages<'a>(value: &'a Value, field: &str) -> Read<Vec<Message<'a>>> {
    let one = |value: &'a Value| match value {
        Value::Object(map) => Ok(Message { map }),
        _ => Err(wrong(field)),
    };
    match value {
        Value::Array(values) => values.iter().filter(|value| !value.is_null()).map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

pub(crate) fn missing(field: &str) -> Refusal {
    bad(format!("Missing required field '{field}'"))
}

fn wrong(field: &str) -> Refusal {
    bad(format!("Field '{field}' has a value of another type"))
}
