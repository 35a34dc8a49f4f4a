//! Objects that every cluster has from the beginning.

use super::Cluster;
use crate::{
    api::{Parts, SYSTEM},
    kinds::KindId,
    object::Pairs,
    records::queue::Queue,
    status::Status,
};
use planarium_ground::Cx;
use planarium_protocol::json;
use std::sync::Arc;

/// The default storage class.
pub(crate) const CLASS: &str = "standard";

impl Cluster {
    /// A cluster with namespaces, accounts, the storage class and the API server's own Service.
    pub(crate) fn new(seed: u64, epoch_ms: u64) -> Self {
        let mut cluster = Self::empty(seed, epoch_ms);
        // No one is notified: these objects existed before the run.
        let cx = &mut Cx::new(seed);
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            let mut parts = Parts::new(KindId::NAMESPACE, &"".into(), name);
            parts.content = Arc::new(json!({ "spec": { "finalizers": ["kubernetes"] } }));
            parts.status = Status::Plain(Arc::new(json!({ "phase": "Active" })));
            let made = cluster.create_owned(cx, None, parts);
            debug_assert!(made.is_ok(), "namespace {name}");
            let made =
                cluster.create_owned(cx, None, Parts::new(KindId::SERVICE_ACCOUNT, &name.into(), "default"));
            debug_assert!(made.is_ok(), "account of {name}");
        }
        let mut parts = Parts::new(KindId::STORAGE_CLASS, &"".into(), CLASS).with_content(json!({
            "provisioner": "kubernetes.io/simulated", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
            "allowVolumeExpansion": true,
        }));
        parts.annotations = Pairs::new([(crate::api::DEFAULT_CLASS.into(), "true".into())]);
        let made = cluster.create_owned(cx, None, parts);
        debug_assert!(made.is_ok(), "storage class");
        let mut parts = Parts::new(KindId::SERVICE, &"default".into(), "kubernetes").with_content(json!({
            "spec": {
                "clusterIP": "10.96.0.1", "type": "ClusterIP", "sessionAffinity": "None",
                "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 }],
            },
        }));
        parts.labels = Pairs::new(
            [("component", "apiserver"), ("provider", "kubernetes")]
                .map(|(key, value)| (key.into(), value.into())),
        );
        parts.status = Status::Plain(Arc::new(json!({ "loadBalancer": {} })));
        let made = cluster.create_owned(cx, None, parts);
        debug_assert!(made.is_ok(), "the API server's Service");
        for (from_end, (name, value, description)) in (0..).zip(SYSTEM) {
            let content = json!({ "value": value, "description": description, "preemptionPolicy": "PreemptLowerPriority" });
            cluster.api.seat(KindId::PRIORITY_CLASS, name, content, from_end);
        }
        cluster.queue = Queue::default();
        cluster
    }
}
