//! Encodes explanations: the words of a reason apart from its data, which may have words of its own.

use crate::ptr::Ptr;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::read::Misread;
use planarium_protocol::json::{Read, Value};
use planarium_protocol::why::{Reason, ReasonKind, Unblock};
use planarium_protocol::{Text, Why};
use serde::{Serialize, Serializer};

#[derive(Serialize, Read)]
struct Sent {
    path: ElementPath,
    status: Text,
    sentence: String,
    reasons: Vec<(String, Option<u64>, ReasonKind)>,
    unblock: Vec<Unblock>,
}

impl Sent {
    fn of(why: &Why) -> Self {
        let reason = |reason: &Reason| (reason.text.clone(), reason.event, reason.kind.clone());
        Self {
            path: why.path.clone(),
            status: why.status.clone(),
            sentence: why.sentence.clone(),
            reasons: why.reasons.iter().map(reason).collect(),
            unblock: why.unblock.clone(),
        }
    }

    fn why(self) -> Ptr<Why> {
        let reason = |(text, event, kind)| Reason { text, event, kind };
        Ptr::new(Why {
            path: self.path,
            status: self.status,
            sentence: self.sentence,
            reasons: self.reasons.into_iter().map(reason).collect(),
            unblock: self.unblock,
        })
    }
}

/// An explanation.
pub(crate) mod one {
    use super::{Misread, Ptr, Read, Sent, Serialize, Serializer, Value, Why};

    pub(crate) fn serialize<S: Serializer>(why: &Ptr<Why>, to: S) -> Result<S::Ok, S::Error> {
        Sent::of(why).serialize(to)
    }

    pub(crate) fn read(value: Value) -> Result<Ptr<Why>, Misread> {
        Sent::read(value).map(Sent::why)
    }
}

/// An explanation, or none.
pub(crate) mod some {
    use super::{Misread, Ptr, Read, Sent, Serialize, Serializer, Value, Why};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(why: &Option<Ptr<Why>>, to: S) -> Result<S::Ok, S::Error> {
        why.as_ref().map(|why| Sent::of(why)).serialize(to)
    }

    pub(crate) fn read(value: Value) -> Result<Option<Ptr<Why>>, Misread> {
        Option::<Sent>::read(value).map(|why| why.map(Sent::why))
    }
}
