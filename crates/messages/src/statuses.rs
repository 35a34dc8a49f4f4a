//! Looks up status words.

use planarium_protocol::view::{StatusClass, StatusWord};

/// A table of status words.
pub type Words = &'static [StatusWord];

/// Returns the class of a status word in a dialect, or of a task state if the dialect is empty.
pub type ClassOf = fn(&str, &str) -> StatusClass;

/// Entry for unknown words, in a neutral class.
static UNKNOWN: StatusWord =
    StatusWord { word: "", class: StatusClass::Pending, icon: "pending", glyph: "·", meaning: "" };

/// Prefix of task states on the wire.
const PREFIX: &str = "TASK_";

/// Returns a status word for display, without the prefix of task states.
pub fn word(status: &str) -> &str {
    status.strip_prefix(PREFIX).unwrap_or(status)
}

/// Returns the entry of a status word: from its system's table, then from task and machine states if the system shows
/// those, then from the first other table that has it.
pub fn entry(
    own: Words,
    states: Words,
    others: impl IntoIterator<Item = Words>,
    status: &str,
) -> &'static StatusWord {
    StatusWord::find(own, status)
        .or_else(|| StatusWord::find(states, status))
        .or_else(|| states.iter().find(|state| state.word.strip_prefix(PREFIX) == Some(status)))
        .or_else(|| others.into_iter().find_map(|words| StatusWord::find(words, status)))
        .unwrap_or(&UNKNOWN)
}
