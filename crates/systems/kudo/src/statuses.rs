//! Meanings of the status words for a reader.

use crate::status::Status;
use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// The status words of plans, phases and steps.
pub const STATUSES: &[StatusWord] = SHOWN.split_at(6).0;

/// Every word that a service shows: those of its plans, then those of its pods' containers.
pub(crate) const SHOWN: &[StatusWord] = &[
    word(
        Status::FatalError.word(),
        StatusClass::Failed,
        "error",
        "✗",
        "It failed and is not tried again; the plan is aborted.",
    ),
    word(
        Status::Error.word(),
        StatusClass::Delayed,
        "delayed",
        "!",
        "A task failed in the last pass and is tried again in the next.",
    ),
    word(
        Status::Pending.word(),
        StatusClass::Pending,
        "pending",
        "○",
        "The plan is scheduled; this has not been looked at yet.",
    ),
    word(
        Status::InProgress.word(),
        StatusClass::Working,
        "in-progress",
        "◐",
        "Objects are written, or are waited for.",
    ),
    word(Status::Complete.word(), StatusClass::Done, "complete", "✓", "All its tasks are done."),
    word(Status::NeverRun.word(), StatusClass::Unused, "never-run", "·", "The plan was never started."),
    word("Pending", StatusClass::Pending, "pending", "○", "The pod has no node yet, or waits on it."),
    word("PodInitializing", StatusClass::Preparing, "prepared", "◔", "Init containers run before it."),
    word(
        "ContainerCreating",
        StatusClass::Starting,
        "starting",
        "◑",
        "Its image is pulled, or it is started.",
    ),
    word("NotReady", StatusClass::Started, "starting", "◑", "It runs; its readiness probe has not passed."),
    word("Running", StatusClass::Running, "running", "●", "It runs and is ready."),
    word("Terminating", StatusClass::Stopping, "spanner", "◒", "Its pod is being deleted."),
    word("Completed", StatusClass::Done, "complete", "✓", "It ended by itself, and well."),
    word("Error", StatusClass::Failed, "error", "✗", "It ended with a failure."),
    word("OOMKilled", StatusClass::Failed, "error", "✗", "It used more memory than it may."),
    word(
        "CrashLoopBackOff",
        StatusClass::Delayed,
        "delayed",
        "!",
        "It keeps ending; the next start waits until a delay is over.",
    ),
    word("ErrImagePull", StatusClass::Delayed, "delayed", "!", "Its image cannot be pulled."),
    word(
        "ImagePullBackOff",
        StatusClass::Delayed,
        "delayed",
        "!",
        "Its image was not to be had; the next try waits until a delay is over.",
    ),
];
