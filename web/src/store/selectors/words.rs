//! Appearance of an event, and its source. Its words are in `planarium_protocol::event`.

use planarium_kernel::cause::Cause;
use planarium_protocol::Event;
use planarium_protocol::event::{EventBody, Importance};

/// The status that an event is about, for its icon.
pub(crate) fn icon(event: &Event) -> (&'static str, &'static str) {
    match &event.body {
        EventBody::ElementStatus { path, to, .. } => {
            let look = super::status::look_at(path, to);
            (look.icon, look.family)
        }
        EventBody::TaskStatus { state, .. } => {
            let look = super::status::state(state);
            (look.icon, look.family)
        }
        EventBody::FaultInjected { .. } | EventBody::FaultStruck { .. } | EventBody::MachineLost { .. } => {
            ("lightning", "forced")
        }
        EventBody::Rejected { .. }
        | EventBody::InvariantBroken { .. }
        | EventBody::LimitReached { .. }
        | EventBody::ConfigFile { .. } => ("error", "error"),
        EventBody::Backoff { .. } => ("delayed", "waiting"),
        EventBody::InputApplied { .. } | EventBody::PlanCommanded { .. } | EventBody::PodCommanded { .. } => {
            ("flag", "forced")
        }
        EventBody::Happened { importance: Importance::High, .. } => ("book", "neutral"),
        EventBody::Launched { .. } => ("rocket", "active"),
        _ => ("dot", "neutral"),
    }
}

/// The event behind another, if it is one.
pub(crate) fn because(event: &Event) -> Option<u64> {
    match event.cause {
        Cause::Event(seq) => Some(seq),
        Cause::Genesis | Cause::Input(_) => None,
    }
}
