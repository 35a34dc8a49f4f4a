//! Reading with little code: a value is taken out of plain data field by field.
//!
//! *Knows*: shapes of data. *Must not know*: where they come from. serde's own reading is some ten times the code for each type, since it is
//! made for every format; it stays where texts of people are read, whose mistakes are explained.

use super::{Map, Value};
use planarium_kernel::Cause;
pub use planarium_kernel::Read;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of the data has another shape: the name of a field, of a type or of a kind of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misread(pub &'static str);

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` has another shape", self.0)
    }
}

/// A type that is read from plain data.
pub trait Read: Sized {
    /// Reads it. *Errors*: the data have another shape.
    fn read(value: Value) -> Result<Self, Misread>;

    /// The value of a field that is not written; `None` if it has to be.
    fn absent() -> Option<Self> {
        None
    }
}

/// Fields that are taken out one by one.
#[derive(Debug)]
pub struct Named(Map<String, Value>);

impl Named {
    /// The fields of an object.
    #[inline(never)]
    pub fn of(value: Value) -> Result<Self, Misread> {
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(Misread("object")),
        }
    }

    /// Takes a field as it is; `Null` if it is not written.
    #[inline(never)]
    pub fn value(&mut self, name: &str) -> Value {
        self.0.get_mut(name).map(Value::take).unwrap_or_default()
    }

    #[inline(never)]
    fn taken(&mut self, name: &str) -> Option<Value> {
        self.0.get_mut(name).map(Value::take)
    }

    /// Takes a field.
    #[inline(never)]
    pub fn get<T: Read>(&mut self, name: &'static str) -> Result<T, Misread> {
        match self.taken(name) {
            Some(value) => T::read(value),
            None => T::absent().ok_or(Misread(name)),
        }
    }

    /// Takes a field that may not be written.
    #[inline(never)]
    pub fn maybe<T: Read>(&mut self, name: &'static str) -> Result<Option<T>, Misread> {
        self.taken(name).map(T::read).transpose()
    }

    /// Takes the word that tells which variant it is.
    #[inline(never)]
    pub fn word(&mut self, name: &'static str) -> Result<String, Misread> {
        self.get(name)
    }

    /// The fields that are left.
    #[inline(never)]
    pub fn rest(&mut self) -> Value {
        Value::Object(std::mem::take(&mut self.0))
    }
}

/// Items that are taken out one after the other.
#[derive(Debug)]
pub struct Listed(std::vec::IntoIter<Value>);

impl Listed {
    /// The items of a list.
    #[inline(never)]
    pub fn of(value: Value) -> Result<Self, Misread> {
        match value {
            Value::Array(items) => Ok(Self(items.into_iter())),
            _ => Err(Misread("list")),
        }
    }

    /// Takes the next one.
    #[inline(never)]
    #[expect(clippy::should_implement_trait, reason = "each item has a type of its own")]
    pub fn next<T: Read>(&mut self) -> Result<T, Misread> {
        match self.0.next() {
            Some(value) => T::read(value),
            None => T::absent().ok_or(Misread("list")),
        }
    }
}

/// The name of a variant, and its content: a word alone, or an object with one field.
#[inline(never)]
pub fn variant(value: Value) -> Result<(String, Value), Misread> {
    match value {
        Value::String(name) => Ok((name, Value::Null)),
        Value::Object(fields) => fields.into_iter().next().ok_or(Misread("variant")),
        _ => Err(Misread("variant")),
    }
}

/// Reads a JSON text. *Errors*: it is none, or has another shape.
pub fn text<T: Read>(text: &[u8]) -> Result<T, String> {
    let value = super::value(text).map_err(|error| error.to_string())?;
    T::read(value).map_err(|error| error.to_string())
}

macro_rules! numbers {
    ($($type:ty, $of:ident;)*) => {
        $(impl Read for $type {
            fn read(value: Value) -> Result<Self, Misread> {
                value.$of().and_then(|number| number.try_into().ok()).ok_or(Misread("number"))
            }
        })*
    };
}

numbers! {
    u8, as_u64;
    u16, as_u64;
    u32, as_u64;
    u64, as_u64;
    usize, as_u64;
    i32, as_i64;
    i64, as_i64;
}

impl Read for f64 {
    fn read(value: Value) -> Result<Self, Misread> {
        value.as_f64().ok_or(Misread("number"))
    }
}

impl Read for bool {
    fn read(value: Value) -> Result<Self, Misread> {
        value.as_bool().ok_or(Misread("bool"))
    }
}

impl Read for String {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(Misread("text")),
        }
    }
}

impl Read for Arc<str> {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        String::read(value).map(Into::into)
    }
}

impl Read for &'static str {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        String::read(value).map(|text| crate::interned::word(&text))
    }
}

impl Read for &'static [crate::view::StatusWord] {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        Vec::read(value).map(crate::interned::table)
    }
}

impl Read for Value {
    fn read(value: Value) -> Result<Self, Misread> {
        Ok(value)
    }
}

impl Read for Cause {
    fn read(value: Value) -> Result<Self, Misread> {
        let (name, number) = variant(value)?;
        Ok(match &*name {
            "genesis" => Self::Genesis,
            "input" => Self::Input(u64::read(number)?),
            "event" => Self::Event(u64::read(number)?),
            _ => return Err(Misread("cause")),
        })
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: Value) -> Result<Self, Misread> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Read> Read for Box<T> {
    fn read(value: Value) -> Result<Self, Misread> {
        T::read(value).map(Self::new)
    }
}

impl<T: Read> Read for Arc<T> {
    fn read(value: Value) -> Result<Self, Misread> {
        T::read(value).map(Self::new)
    }
}

impl<T: Read> Read for Vec<T> {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        Listed::of(value)?.0.map(T::read).collect()
    }
}

impl<T: Read> Read for Arc<[T]> {
    fn read(value: Value) -> Result<Self, Misread> {
        Vec::read(value).map(Into::into)
    }
}

impl<T: Read, const N: usize> Read for [T; N] {
    fn read(value: Value) -> Result<Self, Misread> {
        Vec::read(value)?.try_into().map_err(|_: Vec<T>| Misread("list"))
    }
}

impl<K: From<String> + Ord, V: Read> Read for BTreeMap<K, V> {
    #[inline(never)]
    fn read(value: Value) -> Result<Self, Misread> {
        let entries = Named::of(value)?.0.into_iter();
        entries.map(|(key, value)| Ok((key.into(), V::read(value)?))).collect()
    }
}

impl<T: Read, E: Read> Read for Result<T, E> {
    fn read(value: Value) -> Result<Self, Misread> {
        let (name, value) = variant(value)?;
        if name == "Ok" { T::read(value).map(Ok) } else { E::read(value).map(Err) }
    }
}

macro_rules! tuples {
    ($(($($type:ident),*);)*) => {
        $(impl<$($type: Read),*> Read for ($($type,)*) {
            fn read(value: Value) -> Result<Self, Misread> {
                let mut items = Listed::of(value)?;
                Ok(($(items.next::<$type>()?,)*))
            }
        })*
    };
}

tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{AddAgent, LoadService};
    use crate::why::{Helps, ReasonKind};
    use crate::{Event, Input};
    use serde::Serialize;

    /// Reads a text, after a comparison with serde's way.
    fn same<T: Read + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(json: &str) -> T {
        let read = text::<T>(json.as_bytes()).expect(json);
        assert_eq!(read, serde_json::from_str(json).expect(json), "{json}");
        read
    }

    #[test]
    fn what_serde_reads_is_read_alike() {
        same::<Input>(
            r#"{"kind":"add-agent","count":2,"resources":{"cpus":0.5,"ports":"1-2"},"attributes":{"rack":"a"}}"#,
        );
        same::<Input>(
            r#"{"kind":"update-service","dialect":"auto","files":{"svc.yml":"name: a"},"params":{"a":[1,{}]}}"#,
        );
        same::<Input>(r#"{"kind":"plan","service":"a","plan":"deploy","op":"force-complete","phase":"x"}"#);
        same::<Input>(r#"{"kind":"fault","fault":"agent-lost","target":{"agent":"agent-1"},"for_ms":5}"#);
        same::<Input>(r#"{"kind":"call","method":"GET","path":"/x"}"#);
        same::<Event>(
            r#"{"seq":7,"at_ms":5,"cause":{"input":3},"kind":"check","task":"t","task_id":"","check":"health","exit_code":-1,"attempt":2}"#,
        );
        same::<Event>(
            r#"{"seq":8,"at_ms":5,"cause":"genesis","kind":"offered","framework":"f","agents":["a","b"]}"#,
        );
        same::<ReasonKind>(r#"{"reason":"complete"}"#);
        same::<ReasonKind>(r#"{"reason":"canary-gate","proceeds_left":2}"#);
        same::<Helps>(r#"{"then":"restart"}"#);
        same::<Helps>(r#""moves""#);
        assert_eq!(same::<LoadService>("{}"), LoadService::default());
        assert_eq!(same::<AddAgent>("{}").count, AddAgent::default().count);
        same::<(u8, Option<bool>, Vec<String>)>(r#"[1,null,["x"]]"#);
        assert_eq!(same::<Result<u16, String>>(r#"{"Err":"no"}"#), Err("no".to_owned()));
        same::<BTreeMap<String, [i64; 2]>>(r#"{"a":[-1,2]}"#);
    }

    #[test]
    fn what_is_written_is_read() {
        fn again<T: Read + Serialize + PartialEq + std::fmt::Debug>(value: &T) {
            assert_eq!(T::read(super::super::of(value)).as_ref(), Ok(value));
        }
        again(&Cause::Genesis);
        again(&Cause::Event(u64::MAX));
        again(&crate::Amount(7_500));
    }

    #[test]
    fn another_shape_is_named() {
        assert_eq!(text::<Input>(br#"{"kind":"remove-agent"}"#), Err("`agent` has another shape".to_owned()));
        assert_eq!(text::<Input>(br#"{"kind":"nothing"}"#), Err("`Input` has another shape".to_owned()));
        assert_eq!(text::<Vec<u8>>(b"[256]"), Err("`number` has another shape".to_owned()));
        assert_eq!(text::<Vec<u8>>(b"{}"), Err("`list` has another shape".to_owned()));
        assert!(text::<u8>(b"x").is_err());
    }
}
