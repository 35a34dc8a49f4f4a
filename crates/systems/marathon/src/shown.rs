//! Display words: names of plans, phases and steps, and status words.
//!
//! *Knows*: words. *Must not know*: when each is shown, which [`crate::view`] decides.

use crate::deployments::plan::Action;
use crate::id::PathId;
use planarium_protocol::Text;
use planarium_protocol::view::{StatusClass, StatusWord};
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
    StatusWord {
        word: SCHEDULED,
        class: StatusClass::Pending,
        icon: "pending",
        glyph: "○",
        meaning: "Earlier steps of the deployment have to be done first.",
    },
    StatusWord {
        word: WAITING,
        class: StatusClass::Preparing,
        icon: "prepared",
        glyph: "◔",
        meaning: "Instances wait for an offer that suits them.",
    },
    StatusWord {
        word: DEPLOYING,
        class: StatusClass::Working,
        icon: "in-progress",
        glyph: "◐",
        meaning: "A deployment is working on it.",
    },
    StatusWord {
        word: DELAYED,
        class: StatusClass::Delayed,
        icon: "delayed",
        glyph: "◷",
        meaning: "Tasks have failed; the next launch waits until a delay is over.",
    },
    StatusWord {
        word: RUNNING,
        class: StatusClass::Done,
        icon: "complete",
        glyph: "●",
        meaning: "No deployment works on the app, and no instance of it waits for an offer.",
    },
    StatusWord {
        word: FINISHED,
        class: StatusClass::Done,
        icon: "complete",
        glyph: "●",
        meaning: "The action, the step or the deployment is done.",
    },
    StatusWord {
        word: CANCELED,
        class: StatusClass::Stopped,
        icon: "error",
        glyph: "✗",
        meaning: "The deployment was stopped, rolled back or replaced by another one; what it had done stays.",
    },
    StatusWord {
        word: SUSPENDED,
        class: StatusClass::Unused,
        icon: "never-run",
        glyph: "–",
        meaning: "The app is to have no instances, and has none that run.",
    },
    StatusWord {
        word: UNDEFINED,
        class: StatusClass::Unused,
        icon: "never-run",
        glyph: "–",
        meaning: "The app is not defined, or not any more.",
    },
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
    const WORDS: [&str; 23] = [
        DIALECT,
        APPS,
        UNDEFINED,
        SCHEDULED,
        DEPLOYING,
        WAITING,
        DELAYED,
        FINISHED,
        CANCELED,
        RUNNING,
        SUSPENDED,
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
    static TEXTS: LazyLock<[Text; 23]> = LazyLock::new(|| WORDS.map(Text::from));
    let at = WORDS.iter().position(|known| *known == word);
    at.and_then(|at| TEXTS.get(at)).map_or_else(|| word.into(), Text::clone)
}

/// The fact that the bus has events for those who listen.
pub(crate) const BUS_EVENTS: &str = "events";
/// Its sentence.
pub(crate) const BUS_TEXT: &str = "events for listeners";
