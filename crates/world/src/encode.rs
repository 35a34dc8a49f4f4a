//! Canonical words of plain data, written straight into a digest.
//!
//! Knows: serde's data model. Must not know: what is written.
//!
//! Field names are left out (their order is fixed by the type), a skipped field and an absent option
//! write 0, a present option writes 1 and its value, a variant writes its index, a sequence or map its
//! length. Nothing is allocated.

use planarium_kernel::digest::Digest;
use serde::ser::{self, Serialize};
use std::fmt;

/// Writes a value into a digest. Types that would need memory to be written (a sequence or map of
/// unknown length) write their end instead of their length.
pub(crate) fn write<T: Serialize + ?Sized>(digest: &mut Digest, value: &T) {
    // Nothing in this serializer fails by itself; a type whose own `Serialize` refuses leaves a mark.
    if value.serialize(Encoder { digest }).is_err() {
        digest.write_u64(u64::MAX);
    }
}

struct Encoder<'a> {
    digest: &'a mut Digest,
}

/// A type refused to be written.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not plain data")
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Closes a sequence or map whose length was not known; no length has this value.
const END: u64 = u64::MAX - 1;

struct Compound<'a> {
    digest: &'a mut Digest,
    open: bool,
}

impl<'a> Compound<'a> {
    fn new(digest: &'a mut Digest, len: Option<usize>) -> Self {
        if let Some(len) = len {
            digest.write_u64(len as u64);
        }
        Self { digest, open: len.is_none() }
    }

    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        value.serialize(Encoder { digest: self.digest })
    }

    #[expect(clippy::unnecessary_wraps, reason = "the signature that serde's traits ask for")]
    fn close(self) -> Result<(), Refused> {
        if self.open {
            self.digest.write_u64(END);
        }
        Ok(())
    }
}

macro_rules! numbers {
    ($($name:ident $from:ty => $write:ident $to:ty;)+) => {$(
        fn $name(self, value: $from) -> Result<(), Refused> {
            self.digest.$write(<$to>::from(value));
            Ok(())
        }
    )+};
}

impl<'a> ser::Serializer for Encoder<'a> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    numbers! {
        serialize_bool bool => write_bool bool;
        serialize_i8 i8 => write_i64 i64;
        serialize_i16 i16 => write_i64 i64;
        serialize_i32 i32 => write_i64 i64;
        serialize_i64 i64 => write_i64 i64;
        serialize_u8 u8 => write_u64 u64;
        serialize_u16 u16 => write_u64 u64;
        serialize_u32 u32 => write_u64 u64;
        serialize_u64 u64 => write_u64 u64;
        serialize_char char => write_u64 u64;
    }

    fn serialize_f32(self, value: f32) -> Result<(), Refused> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Refused> {
        self.digest.write_u64(value.to_bits());
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Refused> {
        self.digest.write_str(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refused> {
        self.digest.write_bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.digest.write_u64(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refused> {
        self.digest.write_u64(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Refused> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Refused> {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        self.digest.write_u32(index);
        value.serialize(self)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Compound<'a>, Refused> {
        Ok(Compound::new(self.digest, len))
    }

    fn serialize_tuple(self, len: usize) -> Result<Compound<'a>, Refused> {
        Ok(Compound::new(self.digest, Some(len)))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Compound<'a>, Refused> {
        self.serialize_tuple(len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        len: usize,
    ) -> Result<Compound<'a>, Refused> {
        self.digest.write_u32(index);
        self.serialize_tuple(len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Compound<'a>, Refused> {
        Ok(Compound::new(self.digest, len))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Refused> {
        // Skipped fields are written as 0, so the number of fields says nothing more.
        Ok(Compound { digest: self.digest, open: false })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Refused> {
        self.digest.write_u32(index);
        Ok(Compound { digest: self.digest, open: false })
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Refused> {
        self.serialize_str(&value.to_string())
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! sequences {
    ($($trait:ident $method:ident;)+) => {$(
        impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
                self.part(value)
            }

            fn end(self) -> Result<(), Refused> {
                self.close()
            }
        }
    )+};
}

sequences! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! structs {
    ($($trait:ident;)+) => {$(
        impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Refused;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Refused> {
                self.part(value)
            }

            fn skip_field(&mut self, _: &'static str) -> Result<(), Refused> {
                self.digest.write_u64(0);
                Ok(())
            }

            fn end(self) -> Result<(), Refused> {
                self.close()
            }
        }
    )+};
}

structs! {
    SerializeStruct;
    SerializeStructVariant;
}

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.part(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.part(value)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::EventBody;
    use planarium_protocol::event::ElementPath;

    fn of<T: Serialize>(value: &T) -> u64 {
        let mut digest = Digest::new();
        write(&mut digest, value);
        digest.finish()
    }

    fn status(step: Option<&str>, to: &str) -> EventBody {
        EventBody::ElementStatus {
            path: ElementPath {
                dialect: "".into(),
                service: "s".into(),
                plan: "deploy".into(),
                phase: Some("p".into()),
                step: step.map(Into::into),
            },
            from: "PENDING".into(),
            to: to.into(),
        }
    }

    #[test]
    fn every_part_of_an_event_matters() {
        let bodies = [
            status(None, "STARTING"),
            status(Some(""), "STARTING"),
            status(Some("x"), "STARTING"),
            status(Some("x"), "STARTED"),
            EventBody::Note { text: "a".into() },
            EventBody::LimitReached { limit: "a".into() },
            EventBody::Offered { framework: "f".into(), agents: vec!["a".into(), "b".into()] },
            EventBody::Offered { framework: "f".into(), agents: vec!["ab".into()] },
        ];
        for (i, a) in bodies.iter().enumerate() {
            for (j, b) in bodies.iter().enumerate() {
                assert_eq!(of(a) == of(b), i == j, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn pinned() {
        // A change here changes every recorded digest.
        let mut by_hand = Digest::new();
        by_hand.write_str("note");
        by_hand.write_str("hello");
        assert_eq!(of(&EventBody::Note { text: "hello".into() }), by_hand.finish());
        let mut by_hand = Digest::new();
        by_hand.write_u64(2);
        by_hand.write_i64(-1);
        by_hand.write_u64(1);
        by_hand.write_bool(true);
        assert_eq!(of(&(-1_i32, Some(true))), by_hand.finish());
    }
}
