//! Messages between a page and the host of a world, and their encoding.
//!
//! *Knows*: questions, facts, the log of a branch, its lanes and numbers, and how a message is kept small. *Must not know*:
//! the engine, the browser.
//!
//! A page asks [`questions::Question`]s and hears [`facts::Fact`]s. Between two threads or machines [`wire`] sends what
//! changed since the message before.

pub mod checked;
pub mod clock;
pub mod compared;
pub mod draft;
pub mod event_log;
pub mod facts;
pub mod gantt;
pub mod ghost;
pub mod help;
pub mod lane;
pub mod lessons;
pub mod links;
mod lives;
pub mod machine_lanes;
pub mod paths;
pub mod ptr;
pub mod questions;
pub mod statuses;
pub mod story;
pub mod tally;
pub mod wire;
