//! How the cluster reports facts to the world.
//!
//! *Knows*: one way of saying that something happened to an object. *Must not know*: who reads it.

use crate::object::Object;
use planarium_ground::Cx;
use planarium_protocol::{EventBody, Text, event::Importance};

/// What every pod goes through, and nobody has to read.
const CHATTER: &[&str] = &[
    "Scheduled",
    "Pulling",
    "Pulled",
    "Created",
    "SuccessfulCreate",
    "SuccessfulDelete",
    "RegisteredNode",
    "ExternalProvisioning",
    "ProvisioningSucceeded",
    "WaitForFirstConsumer",
];

/// Reports that something happened to an object; answers the number of the event.
pub(crate) fn say(
    cx: &mut Cx,
    about: &Object,
    warning: bool,
    reason: &str,
    message: &str,
    source: &str,
) -> u64 {
    let importance = match () {
        () if warning => Importance::High,
        () if CHATTER.contains(&reason) => Importance::Low,
        () => Importance::Normal,
    };
    let object = about.path();
    let text = format!("{object}: {message}");
    let mut facts: Vec<(Text, Text)> = vec![("object".into(), object)];
    if !about.namespace.is_empty() {
        facts.push(("namespace".into(), about.namespace.clone()));
    }
    cx.emit(EventBody::Happened {
        speaker: source.into(),
        what: reason.into(),
        importance,
        path: None,
        facts,
        text: text.into(),
    })
}
