//! Status words of the systems of this build.

use planarium_messages::statuses::{Words, entry};
use planarium_protocol::view::StatusClass;

/// Returns the class of a status word in a dialect, or of a task state if the dialect is empty.
pub(crate) fn class_of(dialect: &str, status: &str) -> StatusClass {
    let dialects = planarium_world::dialects();
    let own: Words = dialects.iter().find(|known| known.word == dialect).map_or(&[], |known| known.statuses);
    let all = dialects.iter().map(|known| known.statuses);
    entry(own, planarium_world::states(), all, status).class
}
