//! The words for states of tasks and machines, and what they mean to a reader.
//!
//! *Knows*: the words. *Must not know*: when a task or a machine is in which state.
//!
//! **Source**: apache/mesos `include/mesos/v1/mesos.proto` (`TaskState`). Match. The words for machines are the simulator's.

use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// Every state of a task, then every state of a machine.
pub const STATUSES: &[StatusWord] = &[
    word("TASK_STAGING", StatusClass::Preparing, "prepared", "◔", "The agent is getting it ready."),
    word("TASK_STARTING", StatusClass::Starting, "starting", "◑", "Its executor is starting it."),
    word("TASK_RUNNING", StatusClass::Running, "running", "●", "It runs."),
    word(
        "TASK_KILLING",
        StatusClass::Stopping,
        "spanner",
        "◒",
        "It is being ended, within its grace period.",
    ),
    word("TASK_FINISHED", StatusClass::Done, "complete", "●", "It ended by itself, and well."),
    word("TASK_FAILED", StatusClass::Failed, "error", "✗", "It ended with a failure."),
    word("TASK_KILLED", StatusClass::Stopped, "killed", "□", "It was ended on request."),
    word(
        "TASK_ERROR",
        StatusClass::Failed,
        "error",
        "✗",
        "Its description was invalid: it was never launched.",
    ),
    word("TASK_LOST", StatusClass::Failed, "lost", "?", "Nobody knows what became of it."),
    word("TASK_DROPPED", StatusClass::Failed, "lost", "?", "It was never launched."),
    word(
        "TASK_UNREACHABLE",
        StatusClass::Failed,
        "lost",
        "?",
        "Its agent does not answer; it may come back.",
    ),
    word("TASK_GONE", StatusClass::Failed, "lost", "?", "It is over, with its agent."),
    word("TASK_GONE_BY_OPERATOR", StatusClass::Failed, "lost", "?", "An operator marked its agent as gone."),
    word("TASK_UNKNOWN", StatusClass::Failed, "lost", "?", "The master does not know it."),
    word("up", StatusClass::Running, "running", "●", "The machine is there and its agent is registered."),
    word("restarting", StatusClass::Delayed, "delayed", "◷", "Its agent restarts."),
    word(
        "recovered",
        StatusClass::Delayed,
        "delayed",
        "◷",
        "It is not back yet since the master failed over.",
    ),
    word(
        "draining",
        StatusClass::Stopping,
        "spanner",
        "◒",
        "It is scheduled for maintenance, or its agent is drained.",
    ),
    word("drained", StatusClass::Held, "check", "‖", "Its agent has been drained and makes no offers."),
    word("deactivated", StatusClass::Held, "waiting", "‖", "An operator has its agent make no offers."),
    word("down", StatusClass::Held, "lock", "‖", "It is in maintenance."),
    word("lost", StatusClass::Failed, "lost", "?", "It is gone with everything on it."),
    word("partitioned", StatusClass::Failed, "lost", "?", "It is cut off the network."),
    word(
        "unreachable",
        StatusClass::Failed,
        "lost",
        "?",
        "The master has given its agent up as unreachable.",
    ),
    word("gone", StatusClass::Failed, "lost", "?", "An operator marked its agent as gone."),
    word("removed", StatusClass::Failed, "lost", "?", "The master has removed its agent."),
];
