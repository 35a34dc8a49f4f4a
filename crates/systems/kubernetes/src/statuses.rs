//! Meanings of the status words for a reader.

use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};

/// The status words of workloads, their revisions and their pods. Those of workloads come first.
pub const STATUSES: &[StatusWord] = &[
    word("Complete", StatusClass::Done, "complete", "✓", "All of it is as the object asks for."),
    word("Progressing", StatusClass::Working, "in-progress", "◐", "Pods are made, replaced or taken away."),
    word("Pending", StatusClass::Pending, "pending", "○", "Nobody has taken it up yet, or it has no node."),
    word("Paused", StatusClass::Held, "waiting", "‖", "The rollout is paused: a new template waits."),
    word(
        "ProgressDeadlineExceeded",
        StatusClass::Failed,
        "error",
        "✗",
        "It made no progress within its deadline. The controller goes on trying.",
    ),
    word("ReplicaFailure", StatusClass::Failed, "error", "✗", "A pod of it cannot be created."),
    word("Failed", StatusClass::Failed, "error", "✗", "It failed and is not tried again."),
    word("Suspended", StatusClass::Held, "waiting", "‖", "It is suspended: no pods or runs begin."),
    word("Scheduled", StatusClass::Done, "complete", "✓", "Its runs begin by the clock; none is under way."),
    word("Terminating", StatusClass::Stopping, "spanner", "◒", "It is being deleted."),
    word("NotApplied", StatusClass::Failed, "error", "✗", "The API server refused it."),
    word("Deleted", StatusClass::Stopped, "killed", "□", "It was deleted."),
    word(
        "ScalingDown",
        StatusClass::Stopping,
        "spanner",
        "◒",
        "A newer revision takes its place, pod by pod.",
    ),
    word("Superseded", StatusClass::Done, "never-run", "·", "A newer revision has taken its place."),
    word("Outdated", StatusClass::Pending, "pending", "○", "Its pod is of an earlier revision."),
    word("OnDelete", StatusClass::Held, "waiting", "‖", "Its pod is replaced when somebody deletes it."),
    word("Ready", StatusClass::Running, "running", "●", "The pod runs and is ready."),
    word("Running", StatusClass::Started, "starting", "◑", "The pod runs and is not ready yet."),
    word("NotReady", StatusClass::Started, "starting", "◑", "It runs; its readiness probe has not passed."),
    word("ContainerCreating", StatusClass::Starting, "starting", "◑", "Images are pulled, containers made."),
    word("PodInitializing", StatusClass::Preparing, "prepared", "◔", "Its init containers have ended."),
    word("Init", StatusClass::Preparing, "prepared", "◔", "Init containers run first."),
    word("Init:Error", StatusClass::Delayed, "delayed", "!", "An init container failed."),
    word("Init:CrashLoopBackOff", StatusClass::Delayed, "delayed", "!", "An init container keeps failing."),
    word("Init:ImagePullBackOff", StatusClass::Delayed, "delayed", "!", "An init container has no image."),
    word("Init:ErrImagePull", StatusClass::Delayed, "delayed", "!", "An init container has no image."),
    word("CrashLoopBackOff", StatusClass::Delayed, "delayed", "!", "It keeps ending; the next start waits."),
    word("ErrImagePull", StatusClass::Delayed, "delayed", "!", "Its image cannot be pulled."),
    word(
        "ImagePullBackOff",
        StatusClass::Delayed,
        "delayed",
        "!",
        "Its image could not be pulled; it is tried again.",
    ),
    word("InvalidImageName", StatusClass::Failed, "error", "✗", "The name of its image cannot be read."),
    word(
        "ErrImageNeverPull",
        StatusClass::Failed,
        "error",
        "✗",
        "Its image is not on the node and may not be pulled.",
    ),
    word(
        "CreateContainerConfigError",
        StatusClass::Delayed,
        "delayed",
        "!",
        "A ConfigMap or Secret is missing.",
    ),
    word("Completed", StatusClass::Done, "complete", "✓", "It ended by itself, and well."),
    word("Error", StatusClass::Failed, "error", "✗", "It ended with a failure."),
    word("OOMKilled", StatusClass::Failed, "error", "✗", "It used more memory than it may."),
    word("DeadlineExceeded", StatusClass::Failed, "error", "✗", "It ran longer than it may."),
    word("Evicted", StatusClass::Failed, "error", "✗", "Its node had no room for it any more."),
    word("NodeLost", StatusClass::Failed, "lost", "?", "Its node does not answer."),
    word("Unknown", StatusClass::Failed, "lost", "?", "Nobody knows what became of it."),
    word("Applied", StatusClass::Done, "complete", "✓", "It is there as it was applied."),
    word("Bound", StatusClass::Done, "complete", "✓", "The claim has its volume."),
    word("Released", StatusClass::Stopped, "killed", "□", "The claim of the volume is gone."),
    word("Available", StatusClass::Done, "complete", "✓", "The volume waits for a claim."),
    word("Lost", StatusClass::Failed, "lost", "?", "The volume of the claim is gone."),
];

/// Returns the static word for a text of the cluster; `Unknown` for other texts.
pub(crate) fn of(text: &str) -> &'static str {
    if text.starts_with("Init:") {
        return init(text);
    }
    if text.starts_with("ExitCode:") || text.starts_with("Signal:") {
        return "Error";
    }
    STATUSES.iter().find(|one| one.word == text).map_or("Unknown", |one| one.word)
}

fn init(text: &str) -> &'static str {
    let exact = STATUSES.iter().find(|one| one.word == text).map(|one| one.word);
    let rest = text.strip_prefix("Init:").unwrap_or_default();
    let is_count = rest.starts_with(|c: char| c.is_ascii_digit());
    exact.unwrap_or(if is_count { "Init" } else { "Init:Error" })
}
