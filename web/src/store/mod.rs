//! The page's state and how it changes.
//!
//! *Knows*: one state, the actions that components send, pure reducers and selectors, and the effects that
//! turn an action into engine calls and facts. *Must not know*: how anything is drawn.

pub(crate) mod action;
pub(crate) mod console;
pub(crate) mod draft;
pub(crate) mod effects;
pub(crate) mod events;
pub(crate) mod gantt;
pub(crate) mod help;
pub(crate) mod hub;
pub(crate) mod lane;
pub(crate) mod looks;
pub(crate) mod machine_lanes;
pub(crate) mod moment;
pub(crate) mod persist;
pub(crate) mod ptr;
pub(crate) mod reduce;
pub(crate) mod selectors;
pub(crate) mod state;
pub(crate) mod tally;
pub(crate) mod toast;

pub(crate) use action::Action;
pub(crate) use hub::{Hub, use_hub};
