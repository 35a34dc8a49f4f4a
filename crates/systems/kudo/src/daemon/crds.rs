//! KUDO's own kinds.
//!
//! **Source**: `kudobuilder/kudo: config/crds`. Simplified: no schemas, which the simulated cluster would not enforce.

use planarium_protocol::json;
use serde_json::Value;

/// Kind, plural and singular of each, the last ones first needed.
const KINDS: [(&str, &str, &str); 3] = [
    ("Operator", "operators", "operator"),
    ("OperatorVersion", "operatorversions", "operatorversion"),
    ("Instance", "instances", "instance"),
];

/// The custom resource definitions that an installed KUDO has.
pub(super) fn definitions() -> impl Iterator<Item = Value> {
    KINDS.into_iter().map(|(kind, plural, singular)| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": (format!("{plural}.kudo.dev")), "labels": { "app": "kudo-manager" } },
            "spec": {
                "group": "kudo.dev",
                "names": { "kind": kind, "listKind": (format!("{kind}List")), "plural": plural, "singular": singular },
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1beta1",
                    "served": true,
                    "storage": true,
                    "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
                    "subresources": { "status": {} },
                }],
            },
        })
    })
}
