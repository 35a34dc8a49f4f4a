//! Finding the entry of a status word.

use planarium_protocol::view::{StatusClass, StatusWord};

/// A table of status words.
pub type Words = &'static [StatusWord];

/// The class of a status word in a dialect; of a state of a task where the dialect is empty.
pub type ClassOf = fn(&str, &str) -> StatusClass;

/// A word that nobody knows: it stays calm.
static UNKNOWN: StatusWord =
    StatusWord { word: "", class: StatusClass::Pending, icon: "pending", glyph: "·", meaning: "" };

/// Prefix of states of tasks on the wire.
const PREFIX: &str = "TASK_";

/// A status word as shown: without the prefix that states of tasks have on the wire.
pub fn word(status: &str) -> &str {
    status.strip_prefix(PREFIX).unwrap_or(status)
}

/// The entry of a status word: in its own table; else among the states of tasks and machines, where a system shows those;
/// else in the first of the other tables that has it.
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
