//! What the status words mean to a reader.

use planarium_protocol::view::{StatusClass, StatusWord};

const fn word(
    word: &'static str,
    class: StatusClass,
    icon: &'static str,
    glyph: &'static str,
    meaning: &'static str,
) -> StatusWord {
    StatusWord { word, class, icon, glyph, meaning }
}

/// Every status word.
pub const STATUSES: &[StatusWord] = &[
    word(
        "FATAL_ERROR",
        StatusClass::Failed,
        "error",
        "✗",
        "It failed and is not tried again; the plan is aborted.",
    ),
    word(
        "ERROR",
        StatusClass::Delayed,
        "delayed",
        "!",
        "A task failed in the last pass and is tried again in the next.",
    ),
    word(
        "PENDING",
        StatusClass::Pending,
        "pending",
        "○",
        "The plan is scheduled; this has not been looked at yet.",
    ),
    word("IN_PROGRESS", StatusClass::Working, "in-progress", "◐", "Objects are written, or are waited for."),
    word("COMPLETE", StatusClass::Done, "complete", "✓", "All its tasks are done."),
    word("NEVER_RUN", StatusClass::Unused, "never-run", "·", "The plan was never started."),
];
