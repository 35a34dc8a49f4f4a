//! A world as a user works with it.
//!
//! *Knows*: engine, player, narration, undo, lanes, log, console, drafts, lessons. *Must not know*: the browser, storage, sockets.
//!
//! A [`Host`] answers the questions of one page ([`planarium_messages::questions`]) with facts, and hands out what is to be
//! kept before it does anything that could fail. Its engine is its own, or one that a server lends it for each question (`guest`).

mod address;
mod call;
mod catalogue;
mod check;
mod compare;
mod completion;
mod console;
mod demo;
mod export;
mod finish;
mod ghost;
mod guest;
mod host;
mod inputs;
mod lesson;
mod names;
mod open;
mod own_definition;
mod rebuild;
mod recipe;
mod saved;
mod snapshot;
mod statuses;
mod story;
mod stuck;
mod suggest;
mod summary;
mod tab;
mod texts;
mod travel;
mod undo;
mod wants;
mod windows;

pub use catalogue::catalogue;
pub use guest::Guest;
pub use host::Host;
pub(crate) use host::Shown;
pub use planarium_gallery::TextFile;
pub use texts::{BuiltIn, Damaged, ExampleTexts, Fetched, LessonTexts, Texts};
pub use travel::FRAME_MS;
pub use wants::{Absent, absent_for, fetch, not_loaded, was_absent};
