//! Words and places of pods.

use planarium_kube::{KindId, Object};
use planarium_protocol::Text;

use super::member::{Member, Part};
use crate::statuses;

/// The word of an object that a controller made, as the kind of its workload shows it.
pub(crate) fn part_word(member: &Member, part: &Object) -> &'static str {
    if part.kind != KindId::POD {
        return "";
    }
    let word = pod_word(part);
    if word == "Ready" && is_outdated(member, part) {
        return if is_on_delete(member) { "OnDelete" } else { "Outdated" };
    }
    word
}

/// Returns the status of a pod alone.
pub(crate) fn pod_word(pod: &Object) -> &'static str {
    let Some((shown, is_ready)) = pod.shown_status() else { return "Unknown" };
    match &*shown {
        "Running" if is_ready => "Ready",
        "Succeeded" => "Completed",
        "Failed" => "Error",
        shown => statuses::of(shown),
    }
}

/// Returns whether a pod was made by an earlier revision than its target.
fn is_outdated(member: &Member, pod: &Object) -> bool {
    let Some(object) = &member.object else { return false };
    let own = pod.labels.get("controller-revision-hash");
    match object.kind {
        KindId::STATEFUL_SET => {
            let Some(facts) = object.stateful_set() else { return false };
            let is_kept = ordinal(&pod.name).is_some_and(|at| at < facts.partition.unwrap_or(0));
            !is_kept && own.is_some_and(|own| *own != facts.update_revision)
        }
        KindId::DAEMON_SET => {
            let newest = member.newest().and_then(|part| part.object.labels.get("controller-revision-hash"));
            own.zip(newest).is_some_and(|(own, newest)| own != newest)
        }
        _ => false,
    }
}

fn is_on_delete(member: &Member) -> bool {
    let Some(object) = &member.object else { return false };
    let strategy = match object.kind {
        KindId::STATEFUL_SET => object.stateful_set().map(|facts| facts.update_strategy),
        KindId::DAEMON_SET => object.daemon_set().map(|facts| facts.update_strategy),
        _ => None,
    };
    strategy.is_some_and(|strategy| *strategy == *"OnDelete")
}

/// The ordinal in the name of a StatefulSet's pod.
pub(crate) fn ordinal(name: &str) -> Option<u32> {
    name.rsplit_once('-').and_then(|(_, ordinal)| ordinal.parse().ok())
}

/// Returns phase and step of a pod in the plan of its workload; `None` if it has none.
pub(crate) fn step_of(member: &Member, part: &Part) -> Option<(Text, Text)> {
    let pod = &part.object;
    if pod.kind != KindId::POD {
        return None;
    }
    let parent = member.parts.get(part.parent);
    match member.kind? {
        KindId::DEPLOYMENT => Some((parent?.phase.clone(), pod.name.clone())),
        KindId::CRON_JOB => Some((parent?.object.name.clone(), pod.name.clone())),
        KindId::DAEMON_SET => Some(("nodes".into(), node_of(pod))),
        KindId::STATEFUL_SET | KindId::JOB | KindId::REPLICA_SET => Some(("pods".into(), pod.name.clone())),
        _ => None,
    }
}

/// Returns the node of a DaemonSet's pod; the pod's name if that is unknown.
pub(super) fn node_of(pod: &Object) -> Text {
    let bound = pod.pod().map(|facts| facts.node).filter(|node| !node.is_empty());
    pod.wanted_node().cloned().or(bound).unwrap_or_else(|| pod.name.clone())
}
