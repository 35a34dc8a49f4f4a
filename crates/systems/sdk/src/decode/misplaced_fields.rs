//! Frequent mistakes: a field on the wrong level, or a missing level.
//!
//! *Knows*: the level of each field. *Must not know*: the meaning of fields.

use super::{Cx, Named};
use crate::codes;
use planarium_source::yaml::Node;

/// A level of named things, with the fields around and inside them.
pub(super) struct Level {
    /// The field that holds them.
    things: &'static str,
    /// The word for one thing.
    thing: &'static str,
    /// Fields that all, or nearly all, of them have.
    marks: &'static [&'static str],
    /// The mapping of the field, and the fields beside it.
    owner: (&'static str, &'static [&'static str]),
    /// Fields of one thing.
    inner: &'static [&'static str],
}

const SERVICE: &[&str] = &["name", "web-url", "scheduler", "plans", "pods"];
const TASK: &[&str] = &[
    "goal",
    "cmd",
    "essential",
    "env",
    "labels",
    "configs",
    "cpus",
    "gpus",
    "memory",
    "ports",
    "resource-set",
    "resource-limits",
    "health-check",
    "readiness-check",
    "kill-grace-period",
    "transport-encryption",
];

/// `pods` of a service.
pub(super) const PODS: Level = Level {
    things: "pods",
    thing: "a pod",
    marks: &["count", "tasks"],
    owner: ("the service", SERVICE),
    inner: super::pod::FIELDS,
};
/// `tasks` of a pod.
pub(super) const TASKS: Level = Level {
    things: "tasks",
    thing: "a task",
    marks: &["goal", "cmd"],
    owner: ("the pod", super::pod::FIELDS),
    inner: TASK,
};
/// `resource-sets` of a pod.
pub(super) const SETS: Level = Level {
    things: "resource-sets",
    thing: "a resource set",
    marks: &["cpus", "memory", "gpus", "ports"],
    owner: ("the pod", &["count", "tasks", "placement", "image", "networks", "secrets", "uris"]),
    inner: super::resources::FIELDS,
};
/// `plans` of a service.
pub(super) const PLANS: Level = Level {
    things: "plans",
    thing: "a plan",
    marks: &["phases"],
    owner: ("the service", SERVICE),
    inner: &["phases", "strategy"],
};
/// `phases` of a plan.
pub(super) const PHASES: Level = Level {
    things: "phases",
    thing: "a phase",
    marks: &["pod"],
    owner: ("the plan", &["strategy"]),
    inner: &["pod", "steps"],
};

/// Returns the entries that are in the right place; the others are reported and left out.
pub(super) fn in_place<'n>(cx: &mut Cx<'_>, named: Vec<Named<'n>>, level: &Level) -> Vec<Named<'n>> {
    let Level { things, thing, marks, owner: (owner, beside), inner } = *level;
    let is_thing = |value: &Node| marks.iter().any(|mark| value.get(mark).is_some());
    let mut between = false;
    let mut right = Vec::new();
    for one in named {
        let name = one.name;
        let (outer, inner) = (beside.contains(&name), inner.contains(&name));
        if is_thing(one.value) || !(outer || inner) {
            right.push(one);
        } else if outer && (!inner || !right.is_empty()) {
            // What could belong on either level belongs outside where there are things with names.
            let message = format!("'{name}' is a field of {owner}, but is written among its {things}");
            cx.error(
                codes::UNKNOWN_FIELD,
                one.key.span,
                &message,
                &format!("indent it as '{things}:' itself"),
            );
        } else if !std::mem::replace(&mut between, true) {
            let message = format!(
                "'{name}' is written directly under '{things}': the name of {thing} is missing in between"
            );
            let help =
                format!("write the name of {thing} and a colon before it, and indent its fields below");
            cx.error(codes::UNKNOWN_FIELD, one.key.span, &message, &help);
        }
    }
    right
}

/// Returns the mapping that a misplaced field belongs to.
pub(super) fn home(field: &str) -> Option<&'static str> {
    Some(match field {
        "count"
        | "placement"
        | "image"
        | "networks"
        | "rlimits"
        | "uris"
        | "secrets"
        | "resource-sets"
        | "tasks"
        | "pre-reserved-role"
        | "allow-decommission"
        | "share-pid-namespace"
        | "seccomp-unconfined"
        | "seccomp-profile-name"
        | "host-volumes" => "it is a field of a pod",
        "external-volumes" => "it is a field of a pod, beside 'volumes'",
        "goal"
        | "cmd"
        | "essential"
        | "env"
        | "labels"
        | "configs"
        | "resource-set"
        | "health-check"
        | "readiness-check"
        | "kill-grace-period"
        | "transport-encryption"
        | "discovery" => "it is a field of a task",
        "cpus" | "gpus" | "memory" | "ports" | "resource-limits" => {
            "it is a field of a task, or of a resource set"
        }
        "volume" | "volumes" => "it is a field of a task, of a resource set or of a pod",
        "pods" | "plans" | "scheduler" | "web-url" => "it is a field of the service, without indentation",
        "principal" | "user" | "zookeeper" => "it is a field of 'scheduler'",
        "phases" => "it is a field of a plan",
        "pod" | "steps" => "it is a field of a phase",
        "strategy" => "it is a field of a plan, or of a phase",
        "driver-name" | "driver-options" | "volume-name" | "volume-mode" => {
            "it is a field of a volume under 'external-volumes'"
        }
        "host-path" => "it is a field of a volume under 'host-volumes'",
        "interval" | "timeout" | "grace-period" | "max-consecutive-failures" => "it is a field of a check",
        "advertise" | "env-key" | "vip" => "it is a field of a port",
        _ => return None,
    })
}
