//! Display words: names of plans, phases and steps, and status words.
//!
//! *Knows*: words. *Must not know*: when each is shown, which [`crate::view`] decides.

use crate::deployments::plan::Action;
use crate::id::PathId;
use planarium_protocol::Text;
use planarium_protocol::view::{StatusClass, StatusWord, status_word as word};
use std::sync::LazyLock;

/// The plan that shows all apps and pods: a phase for each group, a step for each app.
pub(crate) const APPS: &str = "apps";
/// The phase of apps that stand in no group. No group can be called so.
pub(crate) const NO_GROUP: &str = "(no group)";
/// Status of an app before it is defined and after it was removed.
pub(crate) const UNDEFINED: &str = "Unscheduled";

pub(crate) const SCHEDULED: &str = "Scheduled";
pub(crate) const DEPLOYING: &str = "Deploying";
pub(crate) const WAITING: &str = "Waiting";
pub(crate) const DELAYED: &str = "Delayed";
pub(crate) const FINISHED: &str = "Finished";
pub(crate) const CANCELED: &str = "Canceled";
pub(crate) const RUNNING: &str = "Running";
pub(crate) const SUSPENDED: &str = "Suspended";

/// All status words.
pub(crate) static STATUSES: &[StatusWord] = &[
    word(
        SCHEDULED,
        StatusClass::Pending,
        "pending",
        "○",
        "Earlier steps of the deployment have to be done first.",
    ),
    word(WAITING, StatusClass::Preparing, "prepared", "◔", "Instances wait for an offer that suits them."),
    word(DEPLOYING, StatusClass::Working, "in-progress", "◐", "A deployment is working on it."),
    word(
        DELAYED,
        StatusClass::Delayed,
        "delayed",
        "◷",
        "Tasks have failed; the next launch waits until a delay is over.",
    ),
    word(
        RUNNING,
        StatusClass::Done,
        "complete",
        "●",
        "No deployment works on the app, and no instance of it waits for an offer.",
    ),
    word(FINISHED, StatusClass::Done, "complete", "●", "The action, the step or the deployment is done."),
    word(
        CANCELED,
        StatusClass::Stopped,
        "error",
        "✗",
        "The deployment was stopped, rolled back or replaced by another one; what it had done stays.",
    ),
    word(
        SUSPENDED,
        StatusClass::Unused,
        "never-run",
        "–",
        "The app is to have no instances, and has none that run.",
    ),
    word(UNDEFINED, StatusClass::Unused, "never-run", "–", "The app is not defined, or not any more."),
];

/// Returns a deployment's name, by its number.
pub(crate) fn deployment_name(no: u32) -> String {
    format!("deployment-{no}")
}

/// Returns a step's name, by its index.
pub(crate) fn step_name(index: usize) -> String {
    format!("step-{}", index + 1)
}

/// Returns an action's name.
pub(crate) fn action_name(action: &Action) -> String {
    format!("{} {}", action.name(), action.spec.id)
}

/// An app's place in the plan of all apps.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its top-level group.
    pub(crate) phase: Text,
    /// The rest of its id.
    pub(crate) step: Text,
}

/// Returns an app's place in the plan of all apps.
pub(crate) fn place_of(id: &PathId) -> Place {
    match id.as_str().trim_start_matches('/').split_once('/') {
        Some((group, rest)) => Place { phase: group.into(), step: rest.into() },
        None => Place { phase: NO_GROUP.into(), step: id.name().into() },
    }
}

/// The app that a place shows.
pub(crate) fn app_at(phase: &str, step: &str) -> PathId {
    if phase == NO_GROUP { PathId::absolute(step) } else { PathId::absolute(&format!("{phase}/{step}")) }
}

/// Word of the dialect.
pub(crate) const DIALECT: &str = "marathon";

/// A word that is said again and again: one text for all.
pub(crate) fn shared(word: &'static str) -> Text {
    const OTHER: [&str; 14] = [
        DIALECT,
        APPS,
        "app",
        "instance",
        "host",
        "count",
        "deployment",
        "step",
        "instance-decommissioned",
        "instance-stopped",
        "instances-queued",
        "health-changed",
        BUS_EVENTS,
        BUS_TEXT,
    ];
    static TEXTS: LazyLock<Vec<Text>> =
        LazyLock::new(|| STATUSES.iter().map(|status| status.word).chain(OTHER).map(Text::from).collect());
    TEXTS.iter().find(|known| ***known == *word).map_or_else(|| word.into(), Text::clone)
}

/// The fact that the bus has events for those who listen.
pub(crate) const BUS_EVENTS: &str = "events";
/// Its sentence.
pub(crate) const BUS_TEXT: &str = "events for listeners";
