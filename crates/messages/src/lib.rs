//! Messages between a page and the host of a world, and their encoding.
//!
//! *Knows*: questions, facts, the log of a branch, its lanes and totals, and the compact encoding. *Must not know*: the
//! engine, the browser.
//!
//! A page sends [`questions::Question`]s and receives [`facts::Fact`]s. Between threads or machines, [`wire`] sends the
//! difference from the previous message.

pub mod checked;
pub mod clock;
pub mod compared;
pub mod draft;
pub mod event_log;
pub mod facts;
pub mod gantt;
pub mod ghost;
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
pub mod ways_out;
pub mod wire;
