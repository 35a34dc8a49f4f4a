//! The words that plans, phases, steps and paused tasks show, and what they mean to a reader.
//!
//! *Knows*: the words. *Must not know*: when an element shows which; that is the roll-up's.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/scheduler/plan/Status.java`. Match.

use planarium_plan::Status;
use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// Every status word.
pub const STATUSES: &[StatusWord] = &[
    word(
        Status::Error.as_str(),
        StatusClass::Failed,
        "error",
        "✗",
        "It has errors and will not go on by itself.",
    ),
    word(
        Status::Waiting.as_str(),
        StatusClass::Held,
        "waiting",
        "‖",
        "It waits for an operator to let it go on.",
    ),
    word(Status::Pending.as_str(), StatusClass::Pending, "pending", "○", "Nothing has been done yet."),
    word(
        Status::Prepared.as_str(),
        StatusClass::Preparing,
        "prepared",
        "◔",
        "Requirements are known, old tasks are being stopped, and offers are checked.",
    ),
    word(
        Status::Starting.as_str(),
        StatusClass::Starting,
        "starting",
        "◑",
        "Its tasks have been launched and are on their way up.",
    ),
    word(
        Status::Started.as_str(),
        StatusClass::Started,
        "started",
        "◕",
        "Its tasks run, and a readiness check or an exit is still to come.",
    ),
    word(Status::Complete.as_str(), StatusClass::Done, "complete", "●", "It is done."),
    word(
        Status::InProgress.as_str(),
        StatusClass::Working,
        "in-progress",
        "◐",
        "Some of it is done or being worked on.",
    ),
    word(
        Status::Delayed.as_str(),
        StatusClass::Delayed,
        "delayed",
        "◷",
        "It waits for a launch delay after failures to pass.",
    ),
    word("PAUSED", StatusClass::Held, "waiting", "‖", "The task runs the pause command in place of its own."),
    word(
        "PAUSING",
        StatusClass::Stopping,
        "waiting",
        "◒",
        "The task is being stopped, and will start again with the pause command.",
    ),
    word(
        "RESUMING",
        StatusClass::Starting,
        "waiting",
        "◑",
        "The task is ended, to be launched with its own command.",
    ),
];
