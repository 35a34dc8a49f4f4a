//! Which kinds of object there are, and how each is called in paths, tables and messages.
//!
//! *Knows*: groups, versions, plurals, short names, which kinds live in a namespace.
//! *Must not know*: what an object of a kind means; that is the controllers' business.

use planarium_protocol::Text;

/// A kind of object: a row of [`Kinds`]. Built-in kinds have fixed numbers; those of custom resources follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub(crate) u16);

/// How the kind is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// API group; empty for the core group.
    pub group: Text,
    /// `Deployment`.
    pub kind: Text,
    /// `deployments`.
    pub plural: Text,
    /// `deployment`.
    pub singular: Text,
    /// `deploy`.
    pub short_names: Vec<Text>,
    /// Groups of kinds a client may ask for at once: `all`.
    pub categories: Vec<Text>,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// Versions that are served, the preferred one first.
    pub versions: Vec<Text>,
    /// Whether the status is a subresource: writes to the object do not change it, and the reverse.
    pub has_status: bool,
    /// Whether there is a subresource `scale`.
    pub has_scale: bool,
}

impl KindInfo {
    /// `deployments.apps`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_string()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// `Deployment.apps`, or `Pod` in the core group.
    pub fn qualified_kind(&self) -> String {
        if self.group.is_empty() { self.kind.to_string() } else { format!("{}.{}", self.kind, self.group) }
    }

    /// `apps/v1`, or `v1` in the core group.
    pub fn api_version(&self, version: &str) -> Text {
        if self.group.is_empty() { version.into() } else { format!("{}/{version}", self.group).into() }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal;)*) => {
        impl KindId {
            $($(#[$doc])* pub const $name: Self = Self($number);)*
        }
    };
}

kinds! {
    /// `v1` Namespace.
    NAMESPACE = 0;
    /// `v1` Node.
    NODE = 1;
    /// `v1` Pod.
    POD = 2;
    /// `v1` Service.
    SERVICE = 3;
    /// `v1` Endpoints.
    ENDPOINTS = 4;
    /// `v1` ConfigMap.
    CONFIG_MAP = 5;
    /// `v1` Secret.
    SECRET = 6;
    /// `v1` ServiceAccount.
    SERVICE_ACCOUNT = 7;
    /// `v1` PersistentVolume.
    PERSISTENT_VOLUME = 8;
    /// `v1` PersistentVolumeClaim.
    PERSISTENT_VOLUME_CLAIM = 9;
    /// `v1` Event. Events are kept in a log of their own; see [`crate::Kube::occurrences`].
    EVENT = 10;
    /// `apps/v1` Deployment.
    DEPLOYMENT = 11;
    /// `apps/v1` ReplicaSet.
    REPLICA_SET = 12;
    /// `apps/v1` StatefulSet.
    STATEFUL_SET = 13;
    /// `apps/v1` DaemonSet.
    DAEMON_SET = 14;
    /// `apps/v1` ControllerRevision.
    CONTROLLER_REVISION = 15;
    /// `batch/v1` Job.
    JOB = 16;
    /// `batch/v1` CronJob.
    CRON_JOB = 17;
    /// `policy/v1` PodDisruptionBudget.
    POD_DISRUPTION_BUDGET = 18;
    /// `rbac.authorization.k8s.io/v1` Role.
    ROLE = 19;
    /// `rbac.authorization.k8s.io/v1` RoleBinding.
    ROLE_BINDING = 20;
    /// `rbac.authorization.k8s.io/v1` ClusterRole.
    CLUSTER_ROLE = 21;
    /// `rbac.authorization.k8s.io/v1` ClusterRoleBinding.
    CLUSTER_ROLE_BINDING = 22;
    /// `apiextensions.k8s.io/v1` CustomResourceDefinition.
    CUSTOM_RESOURCE_DEFINITION = 23;
    /// `storage.k8s.io/v1` StorageClass.
    STORAGE_CLASS = 24;
    /// `networking.k8s.io/v1` Ingress.
    INGRESS = 25;
    /// `networking.k8s.io/v1` NetworkPolicy.
    NETWORK_POLICY = 26;
    /// `v1` ResourceQuota. Kept, without effect.
    RESOURCE_QUOTA = 27;
    /// `v1` LimitRange. Kept, without effect.
    LIMIT_RANGE = 28;
    /// `v1` ReplicationController. Kept, without a controller.
    REPLICATION_CONTROLLER = 29;
    /// `scheduling.k8s.io/v1` PriorityClass.
    PRIORITY_CLASS = 30;
    /// `coordination.k8s.io/v1` Lease.
    LEASE = 31;
    /// `autoscaling/v1` HorizontalPodAutoscaler. Kept, without a controller.
    HORIZONTAL_POD_AUTOSCALER = 32;
    /// `networking.k8s.io/v1` IngressClass.
    INGRESS_CLASS = 33;
    /// `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration. Kept, without effect.
    MUTATING_WEBHOOK = 34;
    /// `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration. Kept, without effect.
    VALIDATING_WEBHOOK = 35;
}
