//! The page's state and how it changes.
//!
//! *Knows*: one state, the actions of components, pure reducers and selectors, questions to the host and the effects of
//! its facts. *Must not know*: how anything is drawn, and the engine.

pub(crate) mod action;
pub(crate) mod catalogue;
pub(crate) mod console;
pub(crate) mod draft;
pub(crate) mod effects;
pub(crate) mod engine;
mod files;
pub(crate) mod frame;
pub(crate) mod hub;
pub(crate) mod link;
mod meant;
pub(crate) mod moment;
pub(crate) mod pending;
pub(crate) mod persist;
pub(crate) mod progress;
pub(crate) mod reduce;
pub(crate) mod selectors;
pub(crate) mod served;
mod settings;
pub(crate) mod state;
pub(crate) mod stopped;
pub(crate) mod toast;
mod tries;
pub(crate) mod view_state;
pub(crate) mod watch;

#[cfg(test)]
mod tests;

pub(crate) use action::Action;
pub(crate) use hub::{Hub, use_hub};
pub(crate) use planarium_messages::{event_log as events, gantt, ghost, lane, lessons, ptr, ways_out};
