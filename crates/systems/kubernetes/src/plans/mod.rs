//! Workloads as plans: their status words, revisions and pods.
//!
//! *Knows*: objects in the cluster. *Must not know*: which service they belong to, and how they were created.
//!
//! | Kind | Phases | Steps |
//! |---|---|---|
//! | Deployment | its revisions (ReplicaSets), the newest last | pods of the revision |
//! | StatefulSet | `pods` | its ordinals |
//! | DaemonSet | `nodes` | nodes with a pod of it |
//! | Job | `pods` | its pods, failed ones included |
//! | CronJob | its runs (Jobs) | pods of the run |
//! | ReplicaSet | `pods` | its pods |
//! | Pod | `containers` | its containers |
//!
//! All other objects of a service are the steps of a plan `objects`.

mod actions;
mod curve;
mod member;
mod objects;
mod parts;
mod pods;
mod preview;
mod status;
mod tree;
mod words;

pub(crate) use actions::refusal;
pub(crate) use curve::{Point, Sample};
pub(crate) use member::{Member, Part, drop_view, revision_of};
pub(crate) use objects::{objects_plan, status as objects_status};
pub(crate) use pods::pod_view;
pub(crate) use preview::preview;
pub(crate) use status::MemberStatus;
pub(crate) use tree::{plan, step_word};
pub(crate) use words::{ordinal, part_word, step_of};

use planarium_kube::KindId;
use serde_json::Value;

/// Name of the plan of all objects that are not workloads.
pub(crate) const OBJECTS: &str = "objects";

/// Kinds with a plan of their own.
const WORKLOADS: &[(&str, KindId)] = &[
    ("Deployment", KindId::DEPLOYMENT),
    ("StatefulSet", KindId::STATEFUL_SET),
    ("DaemonSet", KindId::DAEMON_SET),
    ("ReplicaSet", KindId::REPLICA_SET),
    ("Job", KindId::JOB),
    ("CronJob", KindId::CRON_JOB),
    ("Pod", KindId::POD),
];

/// Returns whether objects of a kind have a plan of their own.
pub(crate) fn is_workload(kind: &str) -> bool {
    WORKLOADS.iter().any(|(own, _)| *own == kind)
}

/// The pod template of a workload and its path; nothing for other objects.
pub(crate) fn template_of<'v>(kind: &str, value: &'v Value) -> Option<(&'v Value, &'static str)> {
    let (pointer, path) = match kind {
        "Pod" => ("", "spec"),
        "CronJob" => ("/spec/jobTemplate/spec/template", "spec.jobTemplate.spec.template.spec"),
        kind if is_workload(kind) => ("/spec/template", "spec.template.spec"),
        _ => return None,
    };
    Some((value.pointer(pointer)?, path))
}

/// A number as counts have it.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
