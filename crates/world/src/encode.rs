//! Writes plain data into a digest in a canonical form.
//!
//! Knows: serde's data model. Must not know: the data.
//!
//! Sentences are left out: a [`Prose`](planarium_protocol::event::Prose), an [`Implied`](planarium_protocol::event::Implied) fact, and texts under
//! `message` in a [`WireEvent`](planarium_protocol::event::WireEvent) write nothing. Field names are left out, since the type fixes their order. A
//! skipped field or absent option writes 0, a present option writes 1 and its value, a variant its index, a sequence or map its length. Nothing is
//! allocated.

use planarium_kernel::digest::Digest;
use planarium_protocol::Event;
use serde::ser::{self, Serialize};
use std::fmt;

/// Writes a value into a digest. Sequences and maps of unknown length write an end marker instead of their length.
pub(crate) fn write<T: Serialize + ?Sized>(digest: &mut Digest, value: &T) {
    // This serializer never fails; a type whose own `Serialize` fails writes a mark.
    if value.serialize(Encoder { digest, wire: Wire::No }).is_err() {
        digest.write_u64(u64::MAX);
    }
}

/// Returns the digest of one event. Events with different digests give runs different digests.
pub fn event_digest(event: &Event) -> u64 {
    let mut digest = Digest::new();
    digest.write_u64(event.at_ms);
    digest.write(&event.cause);
    write(&mut digest, &event.body);
    digest.finish()
}

struct Encoder<'a> {
    digest: &'a mut Digest,
    wire: Wire,
}

/// Positions in a message of the real wire.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wire {
    /// Nowhere: it is of our own.
    No,
    /// Inside.
    Yes,
    /// The value under `message`, where texts are sentences.
    Message,
}

impl Wire {
    /// Returns the position of the value's parts.
    fn parts(self) -> Self {
        if self == Self::No { Self::No } else { Self::Yes }
    }
}

/// Name of the type that holds sentences.
const PROSE: &str = "Prose";
/// Name of the type that holds derived facts.
const IMPLIED: &str = "Implied";
/// Name of the type that holds messages of the real wire.
const WIRE: &str = "WireEvent";

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

/// End marker of sequences and maps of unknown length; no real length equals it.
const END: u64 = u64::MAX - 1;

struct Compound<'a> {
    digest: &'a mut Digest,
    open: bool,
    wire: Wire,
    /// The key before was `message`.
    at_message: bool,
}

impl<'a> Compound<'a> {
    fn new(encoder: Encoder<'a>, len: Option<usize>) -> Self {
        if let Some(len) = len {
            encoder.digest.write_u64(len as u64);
        }
        Self { open: len.is_none(), ..Self::plain(encoder) }
    }

    fn plain(encoder: Encoder<'a>) -> Self {
        Self { wire: encoder.wire.parts(), digest: encoder.digest, open: false, at_message: false }
    }

    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        let wire = if self.at_message { Wire::Message } else { self.wire };
        value.serialize(Encoder { digest: self.digest, wire })
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
        if self.wire != Wire::Message {
            self.digest.write_str(value);
        }
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
        name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        match name {
            PROSE | IMPLIED => Ok(()),
            WIRE => value.serialize(Encoder { wire: Wire::Yes, ..self }),
            _ => value.serialize(self),
        }
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
        Ok(Compound::new(self, len))
    }

    fn serialize_tuple(self, len: usize) -> Result<Compound<'a>, Refused> {
        Ok(Compound::new(self, Some(len)))
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
        Ok(Compound::new(self, len))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Refused> {
        // Skipped fields write 0, so the number of fields adds nothing.
        Ok(Compound::plain(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Refused> {
        self.digest.write_u32(index);
        Ok(Compound::plain(self))
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
        self.at_message = false;
        if self.wire == Wire::No {
            return self.part(key);
        }
        // A key is identified by the digest of what it writes.
        let mut own = Digest::new();
        key.serialize(Encoder { digest: &mut own, wire: Wire::No })?;
        let mut message = Digest::new();
        message.write_str("message");
        self.part(key)?;
        self.at_message = own.finish() == message.finish();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.part(value)?;
        self.at_message = false;
        Ok(())
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::EventBody;
    use planarium_protocol::event::{ElementPath, WireEvent};
    use planarium_protocol::view::ConfigFileView;

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
            EventBody::FaultCleared { fault: "a".into() },
            EventBody::LimitReached { limit: "a".into(), text: "words".into() },
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
    fn sentences_do_not_change_the_digest_and_facts_do() {
        let refused = |code: &str, reason: &str| EventBody::Rejected {
            input: 1,
            code: code.into(),
            reason: reason.into(),
        };
        assert_eq!(of(&refused("conflict", "one")), of(&refused("conflict", "quite another")));
        assert_ne!(of(&refused("conflict", "one")), of(&refused("not-found", "one")));
        let file = |problem: Option<&str>| ConfigFileView {
            name: "n".into(),
            template: "t".into(),
            dest: "d".into(),
            missing_template: false,
            missing_variables: Vec::new(),
            problem: problem.map(Into::into),
        };
        assert_eq!(of(&file(Some("a"))), of(&file(Some("b"))));
        assert_ne!(of(&file(Some("a"))), of(&file(None)), "whether there is one is a fact");
    }

    #[test]
    fn on_the_wire_only_the_texts_under_message_are_sentences() {
        let told = |event: serde_json::Value| {
            of(&EventBody::FrameworkEvent { framework: "f".into(), event: WireEvent(event) })
        };
        let update = |state: &str, message: &str| {
            told(
                serde_json::json!({ "type": "UPDATE", "update": { "status": { "message": message, "state": state } } }),
            )
        };
        assert_eq!(update("TASK_LOST", "one"), update("TASK_LOST", "another"));
        assert_ne!(update("TASK_LOST", "one"), update("TASK_GONE", "one"), "what comes after it counts");
        // A `MESSAGE` event has its content under that key.
        let message =
            |data: &str| told(serde_json::json!({ "type": "MESSAGE", "message": { "data": data } }));
        assert_ne!(message("YQ=="), message("Yg=="));
        assert_ne!(of(&serde_json::json!({ "message": "a" })), of(&serde_json::json!({ "message": "b" })));
    }

    #[test]
    fn pinned() {
        // A change here changes every recorded digest and requires a new number of the semantics.
        let mut by_hand = Digest::new();
        by_hand.write_str("limit-reached");
        by_hand.write_str("steps");
        let reached = EventBody::LimitReached { limit: "steps".into(), text: "never written".into() };
        assert_eq!(of(&reached), by_hand.finish());
        let mut by_hand = Digest::new();
        by_hand.write_u64(2);
        by_hand.write_i64(-1);
        by_hand.write_u64(1);
        by_hand.write_bool(true);
        assert_eq!(of(&(-1_i32, Some(true))), by_hand.finish());
    }
}
