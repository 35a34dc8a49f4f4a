//! Readiness of an instance while no plan runs.
//!
//! **Source**: `kudobuilder/kudo: pkg/kubernetes/status/readiness.go`. Match.

use planarium_kube::{Kube, Selector};

use super::health::{self, Health};

/// The kinds that are looked at, in their order.
const KINDS: [(&str, &str); 5] = [
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "DaemonSet"),
    ("v1", "Pod"),
];

/// Returns the first problem of an instance's objects; `None` if all are healthy.
///
/// *Errors*: an object of unknown health: then the instance's readiness is unknown, too.
pub fn of(kube: &Kube, namespace: &str, instance: &str) -> Result<Option<String>, String> {
    let labels = Selector::of_pairs([(crate::pods::INSTANCE_LABEL, instance), ("heritage", "kudo")]);
    let mut messages = Vec::new();
    for (api_version, kind) in KINDS {
        let Some(kind) = kube.find_kind(api_version, kind) else { continue };
        for object in kube.list(kind, Some(namespace), &labels) {
            match health::of(&object) {
                Health::Healthy => {}
                Health::Unhealthy(message) | Health::Failed(message) => messages.push(message),
                Health::Unclear(problem) => return Err(problem),
            }
        }
    }
    Ok((!messages.is_empty()).then(|| messages.join(", ")))
}
