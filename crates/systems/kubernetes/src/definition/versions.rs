//! API versions that newer clusters do not serve, and kinds that this cluster does not have.
//!
//! **Source**: `kubernetes/website: content/en/docs/reference/using-api/deprecation-guide.md`. Match.

/// A version that was removed.
pub(super) struct Removed {
    /// The release without it.
    pub(super) release: &'static str,
    /// The version to write now; empty where there is none.
    pub(super) successor: &'static str,
}

/// `apiVersion`, kinds, successor, release.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str);

const ANY: &[&str] = &[];

const ROWS: &[Row] = &[
    ("extensions/v1beta1", &["Deployment", "DaemonSet", "ReplicaSet"], "apps/v1", "1.16"),
    ("extensions/v1beta1", &["NetworkPolicy"], "networking.k8s.io/v1", "1.16"),
    ("extensions/v1beta1", &["Ingress"], "networking.k8s.io/v1", "1.22"),
    ("extensions/v1beta1", &["PodSecurityPolicy"], "", "1.25"),
    ("apps/v1beta1", ANY, "apps/v1", "1.16"),
    ("apps/v1beta2", ANY, "apps/v1", "1.16"),
    ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"], "networking.k8s.io/v1", "1.22"),
    ("batch/v1beta1", &["CronJob"], "batch/v1", "1.25"),
    ("batch/v2alpha1", &["CronJob"], "batch/v1", "1.21"),
    ("policy/v1beta1", &["PodDisruptionBudget"], "policy/v1", "1.25"),
    ("policy/v1beta1", &["PodSecurityPolicy"], "", "1.25"),
    ("autoscaling/v2beta1", ANY, "autoscaling/v2", "1.25"),
    ("autoscaling/v2beta2", ANY, "autoscaling/v2", "1.26"),
    ("rbac.authorization.k8s.io/v1alpha1", ANY, "rbac.authorization.k8s.io/v1", "1.22"),
    ("rbac.authorization.k8s.io/v1beta1", ANY, "rbac.authorization.k8s.io/v1", "1.22"),
    ("apiextensions.k8s.io/v1beta1", ANY, "apiextensions.k8s.io/v1", "1.22"),
    ("apiregistration.k8s.io/v1beta1", ANY, "apiregistration.k8s.io/v1", "1.22"),
    (
        "admissionregistration.k8s.io/v1beta1",
        &["MutatingWebhookConfiguration"],
        "admissionregistration.k8s.io/v1",
        "1.22",
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        &["ValidatingWebhookConfiguration"],
        "admissionregistration.k8s.io/v1",
        "1.22",
    ),
    ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"], "certificates.k8s.io/v1", "1.22"),
    ("coordination.k8s.io/v1beta1", &["Lease"], "coordination.k8s.io/v1", "1.22"),
    ("scheduling.k8s.io/v1beta1", ANY, "scheduling.k8s.io/v1", "1.22"),
    ("scheduling.k8s.io/v1alpha1", ANY, "scheduling.k8s.io/v1", "1.17"),
    (
        "storage.k8s.io/v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
        "storage.k8s.io/v1",
        "1.22",
    ),
    ("storage.k8s.io/v1beta1", &["CSIStorageCapacity"], "storage.k8s.io/v1", "1.27"),
    ("discovery.k8s.io/v1beta1", ANY, "discovery.k8s.io/v1", "1.25"),
    ("events.k8s.io/v1beta1", ANY, "events.k8s.io/v1", "1.25"),
    ("node.k8s.io/v1beta1", ANY, "node.k8s.io/v1", "1.25"),
    ("flowcontrol.apiserver.k8s.io/v1beta1", ANY, "flowcontrol.apiserver.k8s.io/v1", "1.26"),
    ("flowcontrol.apiserver.k8s.io/v1beta2", ANY, "flowcontrol.apiserver.k8s.io/v1", "1.29"),
];

/// The release and successor of a version of a kind that was removed.
pub(super) fn removed(api_version: &str, kind: &str) -> Option<Removed> {
    let is =
        |(version, kinds, ..): &&Row| *version == api_version && (kinds.is_empty() || kinds.contains(&kind));
    ROWS.iter().find(is).map(|(_, _, successor, release)| Removed { release, successor })
}

/// Kinds of the real API server, by their group.
const UPSTREAM: &[(&str, &[&str])] = &[
    ("", &["Binding", "ComponentStatus", "PodTemplate"]),
    ("apps", &["ControllerRevision"]),
    ("autoscaling", &["HorizontalPodAutoscaler"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("events.k8s.io", &["Event"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    ("extensions", &["PodSecurityPolicy"]),
    ("storage.k8s.io", &["CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttachment"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("admissionregistration.k8s.io", &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]),
    ("networking.k8s.io", &["ServiceCIDR", "IPAddress"]),
    ("resource.k8s.io", &["ResourceClaim", "ResourceClaimTemplate", "DeviceClass"]),
];

/// Returns whether the real API server has the kind in this group.
pub(super) fn is_upstream(group: &str, kind: &str) -> bool {
    UPSTREAM.iter().any(|(own, kinds)| *own == group && kinds.contains(&kind))
}

/// Returns whether a group is one of the API server's own.
pub(super) fn is_own_group(group: &str) -> bool {
    matches!(group, "" | "apps" | "batch" | "policy" | "autoscaling" | "extensions")
        || group.ends_with(".k8s.io") && UPSTREAM.iter().any(|(own, _)| *own == group)
        || matches!(
            group,
            "rbac.authorization.k8s.io"
                | "apiextensions.k8s.io"
                | "coordination.k8s.io"
                | "scheduling.k8s.io"
        )
}
