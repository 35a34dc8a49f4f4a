//! Plain data that crosses the engine's boundary.
//!
//! Knows: inputs as seen from outside, events, views with revisions, typed reasons, refusals.
//! Must not know: behaviour of any kind. Nothing here decides anything; the engine fills these
//! types in and every front end (page, command line, HTTP, JavaScript) reads them.

extern crate self as planarium_protocol;

pub mod amount;
pub mod changes;
pub mod event;
pub mod flow;
pub mod input;
mod interned;
pub mod json;
pub mod objects;
pub mod refusal;
pub mod view;
pub mod why;

pub use amount::Amount;
pub use event::{Event, EventBody};
pub use input::Input;
pub use interned::shared;
pub use planarium_kernel::cause::Cause;
pub use refusal::Refusal;
pub use view::View;
pub use why::Why;

/// Shared text: names and words that appear in many places.
pub type Text = std::sync::Arc<str>;
