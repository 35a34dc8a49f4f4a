//! Causes of events.

use planarium_kernel::Cause;

/// The event that a cause is, if it is one.
pub(crate) fn event_of(cause: Cause) -> u64 {
    match cause {
        Cause::Event(event) => event,
        _ => 0,
    }
}
