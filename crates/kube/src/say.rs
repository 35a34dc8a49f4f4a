//! How the cluster reports facts to the world.
//!
//! *Knows*: one way of saying that something happened to an object. *Must not know*: who reads it.

use planarium_fleet::Cx;
use planarium_protocol::EventBody;

/// Reports that something happened; answers the number of the event.
pub(crate) fn say(cx: &mut Cx, warning: bool, object: &str, reason: &str, message: &str) -> u64 {
    let mark = if warning { "Warning " } else { "" };
    cx.emit(EventBody::Note { text: format!("{mark}{object}: {reason}: {message}").into() })
}
