//! The sentences of `kubectl rollout status`.
//!
//! *Knows*: counts of a status. *Must not know*: their source: the command line reads them from JSON, views from objects.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go`. Match, without the warning
//! about single pods that newer clients add.

use planarium_kube::{KindId, Object};
use serde_json::Value;

/// Progress of a rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rollout {
    /// The rollout continues.
    Waiting(String),
    /// It is finished.
    Done(String),
    /// The status is unavailable, or the rollout has failed.
    Error(String),
}

impl Rollout {
    /// The sentence.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Waiting(text) | Self::Done(text) | Self::Error(text) => text,
        }
    }
}

/// The sentence about an object.
pub(crate) fn sentence(object: &Object) -> String {
    let value = object.to_value();
    let sentence = match object.kind {
        KindId::DEPLOYMENT => deployment(&value),
        KindId::STATEFUL_SET => stateful_set(&value),
        KindId::DAEMON_SET => daemon_set(&value),
        _ => {
            let info = object.info();
            return format!("{} {} is not finished", info.singular, object.name);
        }
    };
    sentence.text().to_owned()
}

/// Reads the progress of a rollout off an object as the API shows it; nothing for kinds without one.
pub(crate) fn of_value(value: &Value) -> Option<Rollout> {
    match value.get("kind").and_then(Value::as_str)? {
        "Deployment" => Some(deployment(value)),
        "StatefulSet" => Some(stateful_set(value)),
        "DaemonSet" => Some(daemon_set(value)),
        _ => None,
    }
}

fn number(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn is_observed(value: &Value) -> bool {
    number(value, "/metadata/generation") <= number(value, "/status/observedGeneration")
}

fn deployment(value: &Value) -> Rollout {
    let name = text(value, "/metadata/name");
    if !is_observed(value) {
        return Rollout::Waiting("Waiting for deployment spec update to be observed...".to_owned());
    }
    let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
    let is_late = |one: &Value| {
        text(one, "/type") == "Progressing" && text(one, "/reason") == "ProgressDeadlineExceeded"
    };
    if conditions.into_iter().flatten().any(is_late) {
        return Rollout::Error(format!("deployment {name:?} exceeded its progress deadline"));
    }
    let (wanted, all) = (number(value, "/spec/replicas"), number(value, "/status/replicas"));
    let (updated, available) =
        (number(value, "/status/updatedReplicas"), number(value, "/status/availableReplicas"));
    let waiting = |what: String| {
        Rollout::Waiting(format!("Waiting for deployment {name:?} rollout to finish: {what}..."))
    };
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new replicas have been updated"));
    }
    if all > updated {
        return waiting(format!("{} old replicas are pending termination", all.saturating_sub(updated)));
    }
    if available < updated {
        return waiting(format!("{available} of {updated} updated replicas are available"));
    }
    Rollout::Done(format!("deployment {name:?} successfully rolled out"))
}

fn daemon_set(value: &Value) -> Rollout {
    let name = text(value, "/metadata/name");
    if text(value, "/spec/updateStrategy/type") != "RollingUpdate" {
        return Rollout::Error("rollout status is only available for RollingUpdate strategy type".to_owned());
    }
    if !is_observed(value) {
        return Rollout::Waiting("Waiting for daemon set spec update to be observed...".to_owned());
    }
    let desired = number(value, "/status/desiredNumberScheduled");
    let updated = number(value, "/status/updatedNumberScheduled");
    let available = number(value, "/status/numberAvailable");
    let waiting = |what: String| {
        Rollout::Waiting(format!("Waiting for daemon set {name:?} rollout to finish: {what}..."))
    };
    if updated < desired {
        return waiting(format!("{updated} out of {desired} new pods have been updated"));
    }
    if available < desired {
        return waiting(format!("{available} of {desired} updated pods are available"));
    }
    Rollout::Done(format!("daemon set {name:?} successfully rolled out"))
}

fn stateful_set(value: &Value) -> Rollout {
    if text(value, "/spec/updateStrategy/type") != "RollingUpdate" {
        return Rollout::Error("rollout status is only available for RollingUpdate strategy type".to_owned());
    }
    if number(value, "/status/observedGeneration") == 0 || !is_observed(value) {
        return Rollout::Waiting("Waiting for statefulset spec update to be observed...".to_owned());
    }
    let (wanted, ready) = (number(value, "/spec/replicas"), number(value, "/status/readyReplicas"));
    let updated = number(value, "/status/updatedReplicas");
    if ready < wanted {
        return Rollout::Waiting(format!("Waiting for {} pods to be ready...", wanted.saturating_sub(ready)));
    }
    if value.pointer("/spec/updateStrategy/rollingUpdate").is_some_and(Value::is_object) {
        let fresh = wanted.saturating_sub(number(value, "/spec/updateStrategy/rollingUpdate/partition"));
        if updated < fresh {
            return Rollout::Waiting(format!(
                "Waiting for partitioned roll out to finish: {updated} out of {fresh} new pods have been updated..."
            ));
        }
        return Rollout::Done(format!(
            "partitioned roll out complete: {updated} new pods have been updated..."
        ));
    }
    let (current, update) = (text(value, "/status/currentRevision"), text(value, "/status/updateRevision"));
    if current != update {
        return Rollout::Waiting(format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {update}..."
        ));
    }
    let pods = number(value, "/status/currentReplicas");
    Rollout::Done(format!("statefulset rolling update complete {pods} pods at revision {current}..."))
}
