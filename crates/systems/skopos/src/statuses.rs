//! The words that plans, phases and steps show, and what they mean to a reader.
//!
//! *Knows*: the words. *Must not know*: when an element shows which.
//!
//! **Source**: states of a deployment: `opsani/servo-skopos: adjust`. Match. States of steps: ours, after the marks of the
//! original page.

use crate::run::{Mode, Shown};
use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// Every status word.
pub const STATUSES: &[StatusWord] = &[
    word(Shown::Failed.word(), StatusClass::Failed, "error", "✗", "It has failed."),
    word(
        Mode::ErrorWait.word(),
        StatusClass::Held,
        "waiting",
        "‖",
        "A step failed, and the plan waits at its exit.",
    ),
    word(Mode::GateWait.word(), StatusClass::Held, "gate", "◇", "A manual gate waits for pass or fail."),
    word(Shown::Waiting.word(), StatusClass::Held, "gate", "◇", "This gate waits for pass or fail."),
    word(Shown::Paused.word(), StatusClass::Held, "waiting", "‖", "The plan is held before it."),
    word(Shown::Running.word(), StatusClass::Working, "in-progress", "◐", "It is being carried out."),
    word(Mode::Ready.word(), StatusClass::Pending, "pending", "○", "The plan has not been started."),
    word(Shown::Pending.word(), StatusClass::Pending, "pending", "○", "It has not been reached yet."),
    word(Shown::Passed.word(), StatusClass::Done, "complete", "●", "It has passed."),
    word(Mode::Completed.word(), StatusClass::Done, "complete", "●", "The plan has passed."),
    word(Shown::Skipped.word(), StatusClass::Unused, "never-run", "–", "Its chain has ended without it."),
    word(
        Mode::NotReady.word(),
        StatusClass::Unused,
        "never-run",
        "–",
        "There is no plan: nothing is to be done.",
    ),
];
