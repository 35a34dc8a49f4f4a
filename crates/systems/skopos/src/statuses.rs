//! The words that plans, phases and steps show, and what they mean to a reader.
//!
//! *Knows*: the words. *Must not know*: when an element shows which.
//!
//! **Source**: states of a deployment: `opsani/servo-skopos: adjust`. Match. States of steps: ours, after the marks of the
//! original page.

use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// Every status word.
pub const STATUSES: &[StatusWord] = &[
    word("failed", StatusClass::Failed, "error", "✗", "It has failed."),
    word("error-wait", StatusClass::Held, "waiting", "‖", "A step failed, and the plan waits at its exit."),
    word("gate-wait", StatusClass::Held, "gate", "◇", "A manual gate waits for pass or fail."),
    word("waiting", StatusClass::Held, "gate", "◇", "This gate waits for pass or fail."),
    word("paused", StatusClass::Held, "waiting", "‖", "The plan is held before it."),
    word("running", StatusClass::Working, "in-progress", "◐", "It is being carried out."),
    word("ready", StatusClass::Pending, "pending", "○", "The plan has not been started."),
    word("pending", StatusClass::Pending, "pending", "○", "It has not been reached yet."),
    word("passed", StatusClass::Done, "complete", "●", "It has passed."),
    word("completed", StatusClass::Done, "complete", "●", "The plan has passed."),
    word("skipped", StatusClass::Unused, "never-run", "–", "Its chain has ended without it."),
    word("not-ready", StatusClass::Unused, "never-run", "–", "There is no plan: nothing is to be done."),
];
