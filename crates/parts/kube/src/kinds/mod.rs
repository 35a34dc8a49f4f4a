//! Which kinds of object there are, and how each is called in paths, tables and messages.
//!
//! *Knows*: groups, versions, plurals, short names, which kinds live in a namespace.
//! *Must not know*: what an object of a kind means; that is the controllers' business.

pub(crate) mod autoscaling;
pub(crate) mod crd;

use planarium_protocol::Text;
use std::sync::Arc;

/// A kind of object: a row of [`Kinds`]. Built-in kinds have fixed numbers; those of custom resources follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub(crate) u16);

/// The names of the kind.
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
    /// Categories of kinds that a client may request together: `all`.
    pub categories: Vec<Text>,
    /// True if its objects live in a namespace.
    pub namespaced: bool,
    /// Versions that are served, the preferred one first.
    pub versions: Vec<Text>,
    /// True if the status is a subresource: writes to the object do not change it, and the reverse.
    pub has_status: bool,
    /// True if there is a subresource `scale`.
    pub has_scale: bool,
    /// True if changes of the spec are counted in `metadata.generation`.
    pub has_generation: bool,
    /// True if its objects are custom resources: the CRD behind it is `PLURAL.GROUP`.
    pub custom: bool,
    /// Columns that its CRD gives tables: name, type, path, description, priority.
    pub columns: Vec<Column>,
    /// `apiVersion` of the preferred version.
    pub(crate) preferred: Text,
}

/// A column of a custom resource in tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Header.
    pub name: Text,
    /// `string`, `integer`, `date`, ...
    pub kind: Text,
    /// `.spec.version`.
    pub path: Text,
    /// 0 is always shown, more only on demand.
    pub priority: i64,
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

    /// The version that is served under an `apiVersion`, if one is.
    pub fn serves(&self, api_version: &str) -> bool {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        *self.group == *group && self.versions.iter().any(|served| **served == *version)
    }

    /// `apiVersion` of the preferred version.
    pub fn preferred(&self) -> Text {
        self.preferred.clone()
    }

    /// `apps/v1`, or `v1` in the core group.
    pub fn api_version(&self, version: &str) -> Text {
        api_version(&self.group, version)
    }
}

fn api_version(group: &str, version: &str) -> Text {
    if group.is_empty() { version.into() } else { format!("{group}/{version}").into() }
}

/// The `apiVersion` of the first of some versions.
fn preferred(group: &str, versions: &[Text]) -> Text {
    api_version(group, versions.first().map_or("v1", |version| version))
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
    /// `v1` ResourceQuota.
    RESOURCE_QUOTA = 27;
    /// `v1` LimitRange.
    LIMIT_RANGE = 28;
    /// `v1` ReplicationController. Kept, without a controller.
    REPLICATION_CONTROLLER = 29;
    /// `scheduling.k8s.io/v1` PriorityClass.
    PRIORITY_CLASS = 30;
    /// `coordination.k8s.io/v1` Lease.
    LEASE = 31;
    /// `autoscaling/v2` HorizontalPodAutoscaler.
    HORIZONTAL_POD_AUTOSCALER = 32;
    /// `networking.k8s.io/v1` IngressClass.
    INGRESS_CLASS = 33;
    /// `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration. Kept, without effect.
    MUTATING_WEBHOOK = 34;
    /// `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration. Kept, without effect.
    VALIDATING_WEBHOOK = 35;
    /// `discovery.k8s.io/v1` EndpointSlice. Those of Services are read off their Endpoints.
    ENDPOINT_SLICE = 36;
    /// `node.k8s.io/v1` RuntimeClass.
    RUNTIME_CLASS = 37;
    /// `v1` PodTemplate. Kept, without effect, as with the real one.
    POD_TEMPLATE = 38;
    /// `storage.k8s.io/v1` CSIDriver. Kept, without effect.
    CSI_DRIVER = 39;
    /// `storage.k8s.io/v1` CSINode. Kept, without effect.
    CSI_NODE = 40;
    /// `storage.k8s.io/v1` CSIStorageCapacity. Kept, without effect.
    CSI_STORAGE_CAPACITY = 41;
    /// `storage.k8s.io/v1` VolumeAttachment. Kept, without effect.
    VOLUME_ATTACHMENT = 42;
}

/// Marks of a built-in kind: namespaced, status, scale, generation, category `all`.
const N: u8 = 1;
const S: u8 = 2;
const X: u8 = 4;
const G: u8 = 8;
const ALL: u8 = 16;

/// A built-in kind: group, versions, kind, plural, short names, marks.
type Row = (&'static str, &'static [&'static str], &'static str, &'static str, &'static [&'static str], u8);

const RBAC: &str = "rbac.authorization.k8s.io";
const V1: &[&str] = &["v1"];
const V1_BETA: &[&str] = &["v1", "v1beta1"];

/// *Order*: as the numbers of [`KindId`].
const BUILT_IN: &[Row] = &[
    ("", V1, "Namespace", "namespaces", &["ns"], S),
    ("", V1, "Node", "nodes", &["no"], S),
    ("", V1, "Pod", "pods", &["po"], N | S | ALL),
    ("", V1, "Service", "services", &["svc"], N | S | ALL),
    ("", V1, "Endpoints", "endpoints", &["ep"], N),
    ("", V1, "ConfigMap", "configmaps", &["cm"], N),
    ("", V1, "Secret", "secrets", &[], N),
    ("", V1, "ServiceAccount", "serviceaccounts", &["sa"], N),
    ("", V1, "PersistentVolume", "persistentvolumes", &["pv"], S),
    ("", V1, "PersistentVolumeClaim", "persistentvolumeclaims", &["pvc"], N | S),
    ("", V1, "Event", "events", &["ev"], N),
    ("apps", V1, "Deployment", "deployments", &["deploy"], N | S | X | G | ALL),
    ("apps", V1, "ReplicaSet", "replicasets", &["rs"], N | S | X | G | ALL),
    ("apps", V1, "StatefulSet", "statefulsets", &["sts"], N | S | X | G | ALL),
    ("apps", V1, "DaemonSet", "daemonsets", &["ds"], N | S | G | ALL),
    ("apps", V1, "ControllerRevision", "controllerrevisions", &[], N),
    ("batch", V1, "Job", "jobs", &[], N | S | ALL),
    ("batch", V1_BETA, "CronJob", "cronjobs", &["cj"], N | S | ALL),
    ("policy", V1_BETA, "PodDisruptionBudget", "poddisruptionbudgets", &["pdb"], N | S | G),
    (RBAC, V1_BETA, "Role", "roles", &[], N),
    (RBAC, V1_BETA, "RoleBinding", "rolebindings", &[], N),
    (RBAC, V1_BETA, "ClusterRole", "clusterroles", &[], 0),
    (RBAC, V1_BETA, "ClusterRoleBinding", "clusterrolebindings", &[], 0),
    (
        "apiextensions.k8s.io",
        V1_BETA,
        "CustomResourceDefinition",
        "customresourcedefinitions",
        &["crd", "crds"],
        S | G,
    ),
    ("storage.k8s.io", V1_BETA, "StorageClass", "storageclasses", &["sc"], 0),
    ("networking.k8s.io", V1_BETA, "Ingress", "ingresses", &["ing"], N | S | G),
    ("networking.k8s.io", V1, "NetworkPolicy", "networkpolicies", &["netpol"], N | G),
    ("", V1, "ResourceQuota", "resourcequotas", &["quota"], N | S),
    ("", V1, "LimitRange", "limitranges", &["limits"], N),
    ("", V1, "ReplicationController", "replicationcontrollers", &["rc"], N | S | X | G | ALL),
    ("scheduling.k8s.io", V1_BETA, "PriorityClass", "priorityclasses", &["pc"], 0),
    ("coordination.k8s.io", V1_BETA, "Lease", "leases", &[], N),
    (
        "autoscaling",
        &["v2", "v1"],
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        &["hpa"],
        N | S | ALL,
    ),
    ("networking.k8s.io", V1_BETA, "IngressClass", "ingressclasses", &[], 0),
    (
        "admissionregistration.k8s.io",
        V1_BETA,
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        &[],
        G,
    ),
    (
        "admissionregistration.k8s.io",
        V1_BETA,
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        &[],
        G,
    ),
    ("discovery.k8s.io", V1, "EndpointSlice", "endpointslices", &[], N | G),
    ("node.k8s.io", V1, "RuntimeClass", "runtimeclasses", &[], 0),
    ("", V1, "PodTemplate", "podtemplates", &[], N | G),
    ("storage.k8s.io", V1, "CSIDriver", "csidrivers", &[], 0),
    ("storage.k8s.io", V1, "CSINode", "csinodes", &[], 0),
    ("storage.k8s.io", V1, "CSIStorageCapacity", "csistoragecapacities", &[], N),
    ("storage.k8s.io", V1, "VolumeAttachment", "volumeattachments", &[], S),
];

/// All kinds, those of custom resources behind the built-in ones.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    infos: Vec<Arc<KindInfo>>,
    /// Kinds whose CRD is deleted or not established.
    withdrawn: Vec<KindId>,
}

impl Default for Kinds {
    fn default() -> Self {
        let texts = |words: &[&str]| words.iter().map(|word| Text::from(*word)).collect::<Vec<_>>();
        let info = |(group, versions, kind, plural, short, marks): &Row| {
            let versions = texts(versions);
            Arc::new(KindInfo {
                preferred: preferred(group, &versions),
                group: (*group).into(),
                kind: (*kind).into(),
                plural: (*plural).into(),
                singular: kind.to_lowercase().into(),
                short_names: texts(short),
                categories: texts(if marks & ALL > 0 { &["all"] } else { &[] }),
                namespaced: marks & N > 0,
                versions,
                has_status: marks & S > 0,
                has_scale: marks & X > 0,
                has_generation: marks & G > 0,
                custom: false,
                columns: Vec::new(),
            })
        };
        Self { infos: BUILT_IN.iter().map(info).collect(), withdrawn: Vec::new() }
    }
}

impl Kinds {
    pub(crate) fn info(&self, kind: KindId) -> Option<&Arc<KindInfo>> {
        self.infos.get(usize::from(kind.0))
    }

    /// All kinds that are served, in order.
    pub(crate) fn served(&self) -> impl Iterator<Item = (KindId, &Arc<KindInfo>)> {
        let all = self.infos.iter().zip(0..).map(|(info, number)| (KindId(number), info));
        all.filter(|(kind, _)| !self.withdrawn.contains(kind))
    }

    /// The kind of this `apiVersion` and `kind`.
    pub(crate) fn find(&self, api_version: &str, kind: &str) -> Option<KindId> {
        let found = |(_, info): &(KindId, &Arc<KindInfo>)| *info.kind == *kind && info.serves(api_version);
        self.served().find(found).map(|(kind, _)| kind)
    }

    /// The kind of this group and plural, singular or short name.
    pub(crate) fn find_plural(&self, group: &str, name: &str) -> Option<KindId> {
        let is_called = |info: &KindInfo| {
            *info.plural == *name
                || *info.singular == *name
                || info.short_names.iter().any(|short| **short == *name)
        };
        self.served().find(|(_, info)| *info.group == *group && is_called(info)).map(|(kind, _)| kind)
    }

    /// Serves a custom kind; one that was served before under the same group and plural keeps its number.
    pub(crate) fn serve(&mut self, info: KindInfo) -> Option<KindId> {
        let same = |old: &Arc<KindInfo>| old.custom && old.group == info.group && old.plural == info.plural;
        if let Some(at) = self.infos.iter().position(same) {
            let kind = KindId(u16::try_from(at).ok()?);
            if let Some(place) = self.infos.get_mut(at) {
                *place = Arc::new(info);
            }
            self.withdrawn.retain(|other| *other != kind);
            return Some(kind);
        }
        let kind = KindId(u16::try_from(self.infos.len()).ok()?);
        self.infos.push(Arc::new(info));
        Some(kind)
    }

    /// Stops serving a custom kind.
    pub(crate) fn withdraw(&mut self, kind: KindId) {
        if !self.withdrawn.contains(&kind) {
            self.withdrawn.push(kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_rows_agree() {
        let kinds = Kinds::default();
        for (kind, api_version, name) in [
            (KindId::NAMESPACE, "v1", "Namespace"),
            (KindId::EVENT, "v1", "Event"),
            (KindId::DEPLOYMENT, "apps/v1", "Deployment"),
            (KindId::CONTROLLER_REVISION, "apps/v1", "ControllerRevision"),
            (KindId::CRON_JOB, "batch/v1beta1", "CronJob"),
            (KindId::POD_DISRUPTION_BUDGET, "policy/v1beta1", "PodDisruptionBudget"),
            (KindId::CLUSTER_ROLE_BINDING, "rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding"),
            (KindId::CUSTOM_RESOURCE_DEFINITION, "apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            (KindId::STORAGE_CLASS, "storage.k8s.io/v1", "StorageClass"),
            (KindId::NETWORK_POLICY, "networking.k8s.io/v1", "NetworkPolicy"),
            (KindId::LEASE, "coordination.k8s.io/v1", "Lease"),
            (KindId::VALIDATING_WEBHOOK, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ] {
            assert_eq!(kinds.find(api_version, name), Some(kind), "{name}");
        }
        assert_eq!(kinds.find("apps/v1beta1", "Deployment"), None);
        assert_eq!(kinds.find_plural("apps", "deploy"), Some(KindId::DEPLOYMENT));
        assert_eq!(kinds.find_plural("", "deployments"), None);
    }
}
