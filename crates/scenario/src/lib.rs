//! Scenario files, their player and transcripts, share links, and text pictures of a view.
//!
//! Knows: file contents passed in, the engine's handle. Must not know: HTTP, DOM, the file system.

pub mod clock;
mod codes;
pub mod describe;
mod instances;
pub mod lesson;
mod model;
mod parse;
mod player;
pub mod share;
pub mod text;
mod transcript;

pub use codes::CODES;
pub use model::{Action, DEFAULT_LIMIT_MS, Entry, Scenario, Show, Trigger};
pub use parse::{Files, ParsedScenario, parse};
pub use player::{Bookmark, Note, NoteKind, Player, find_element};
pub use transcript::{Outcome, run};
