//! Fields of every built-in kind but what pods are made of.

use super::{
    Given::{Number, Text, Truth},
    Shape::{self, Any, Bool, Int, IntOrStr, Keyed, List, Map, Of, Quantity, Retain, Str},
    pod::{CLAIM, LABEL_SELECTOR, LOCAL_REFERENCE, OBJECT_META, POD_SPEC, POD_TEMPLATE, SCALE_SPEC},
    policies, structs,
};
use crate::kinds::KindId;

/// The shape of a kind's objects; [`Shape::Any`] for custom resources.
pub(crate) fn shape_of(kind: KindId) -> Shape {
    let of = match kind {
        KindId::NAMESPACE => &NAMESPACE,
        KindId::NODE => &NODE,
        KindId::POD => &POD,
        KindId::SERVICE => &SERVICE,
        KindId::ENDPOINTS => &ENDPOINTS,
        KindId::CONFIG_MAP => &CONFIG_MAP,
        KindId::SECRET => &SECRET,
        KindId::SERVICE_ACCOUNT => &SERVICE_ACCOUNT,
        KindId::PERSISTENT_VOLUME => &PERSISTENT_VOLUME,
        KindId::PERSISTENT_VOLUME_CLAIM => &CLAIM,
        KindId::DEPLOYMENT => &DEPLOYMENT,
        KindId::REPLICA_SET => &REPLICA_SET,
        KindId::STATEFUL_SET => &STATEFUL_SET,
        KindId::DAEMON_SET => &DAEMON_SET,
        KindId::JOB => &JOB,
        KindId::CRON_JOB => &CRON_JOB,
        KindId::POD_DISRUPTION_BUDGET => &BUDGET,
        KindId::ROLE | KindId::CLUSTER_ROLE => &ROLE,
        KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING => &ROLE_BINDING,
        KindId::STORAGE_CLASS => &STORAGE_CLASS,
        KindId::RESOURCE_QUOTA => &policies::RESOURCE_QUOTA,
        KindId::LIMIT_RANGE => &policies::LIMIT_RANGE,
        KindId::PRIORITY_CLASS => &policies::PRIORITY_CLASS,
        KindId::HORIZONTAL_POD_AUTOSCALER => &policies::HORIZONTAL_POD_AUTOSCALER,
        KindId::RUNTIME_CLASS => &policies::RUNTIME_CLASS,
        KindId::POD_TEMPLATE => &policies::POD_TEMPLATE_OBJECT,
        KindId::ENDPOINT_SLICE => &policies::ENDPOINT_SLICE,
        KindId::INGRESS => &policies::INGRESS,
        KindId::INGRESS_CLASS => &policies::INGRESS_CLASS,
        KindId::NETWORK_POLICY => &policies::NETWORK_POLICY,
        KindId::LEASE => &policies::LEASE,
        KindId::REPLICATION_CONTROLLER => &policies::REPLICATION_CONTROLLER,
        KindId::CSI_DRIVER => &policies::CSI_DRIVER,
        KindId::CSI_NODE => &policies::CSI_NODE,
        KindId::CSI_STORAGE_CAPACITY => &policies::CSI_STORAGE_CAPACITY,
        KindId::VOLUME_ATTACHMENT => &policies::VOLUME_ATTACHMENT,
        _ => return Any,
    };
    Of(of)
}

structs! {
    NAMESPACE = "Namespace" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Any, status: Any }
    NODE = "Node" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&NODE_SPEC), status: Of(&NODE_STATUS) }
    NODE_SPEC = "NodeSpec" {
        podCIDR: Str, podCIDRs: List(&Str), providerID: Str, unschedulable: Bool, taints: List(&Of(&TAINT)), configSource: Any,
        externalID: Str,
    }
    TAINT = "Taint" { key: Str, value: Str, effect: Str, timeAdded: Str }
    NODE_STATUS = "NodeStatus" {
        capacity: Map(&Quantity), allocatable: Map(&Quantity), phase: Str, conditions: Keyed(&CONDITION, "type"),
        addresses: Keyed(&ADDRESS, "type"), daemonEndpoints: Any, nodeInfo: Any, images: List(&Any),
        volumesInUse: List(&Str), volumesAttached: List(&Any), config: Any,
    }
    ADDRESS = "NodeAddress" { type: Str, address: Str }
    CONDITION = "Condition" {
        type: Str, status: Str, reason: Str, message: Str, lastHeartbeatTime: Str, lastTransitionTime: Str,
        lastProbeTime: Str, lastUpdateTime: Str, observedGeneration: Int,
    }
    POD = "Pod" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&POD_SPEC), status: Of(&POD_STATUS) }
    POD_STATUS = "PodStatus" {
        phase: Str, conditions: Keyed(&CONDITION, "type"), message: Str, reason: Str, nominatedNodeName: Str, hostIP: Str,
        podIP: Str, podIPs: List(&Any), startTime: Str, initContainerStatuses: List(&Any), containerStatuses: List(&Any),
        qosClass: Str, ephemeralContainerStatuses: List(&Any), hostIPs: List(&Any), resize: Str,
        resourceClaimStatuses: List(&Any),
    }
    SERVICE = "Service" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&SERVICE_SPEC), status: Any }
    SERVICE_SPEC = "ServiceSpec" {
        ports: Keyed(&SERVICE_PORT, "port"), selector: Map(&Str), clusterIP: Str, clusterIPs: List(&Str),
        type: Str => Text("ClusterIP"), externalIPs: List(&Str), sessionAffinity: Str => Text("None"), loadBalancerIP: Str,
        loadBalancerSourceRanges: List(&Str), externalName: Str, externalTrafficPolicy: Str, healthCheckNodePort: Int,
        publishNotReadyAddresses: Bool, sessionAffinityConfig: Any, ipFamily: Str, ipFamilies: List(&Str),
        ipFamilyPolicy: Str, topologyKeys: List(&Str), allocateLoadBalancerNodePorts: Bool, loadBalancerClass: Str,
        internalTrafficPolicy: Str,
    }
    SERVICE_PORT = "ServicePort" {
        name: Str, protocol: Str => Text("TCP"), appProtocol: Str, port: Int, targetPort: IntOrStr, nodePort: Int,
    }
    ENDPOINTS = "Endpoints" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), subsets: List(&Any) }
    CONFIG_MAP = "ConfigMap" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), immutable: Bool, data: Map(&Str), binaryData: Map(&Str),
    }
    SECRET = "Secret" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), immutable: Bool, data: Map(&Str), stringData: Map(&Str),
        type: Str => Text("Opaque"),
    }
    SERVICE_ACCOUNT = "ServiceAccount" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), secrets: Keyed(&SECRET_REFERENCE, "name"),
        imagePullSecrets: List(&Of(&LOCAL_REFERENCE)), automountServiceAccountToken: Bool,
    }
    SECRET_REFERENCE = "ObjectReference" {
        kind: Str, namespace: Str, name: Str, uid: Str, apiVersion: Str, resourceVersion: Str, fieldPath: Str,
    }
    PERSISTENT_VOLUME = "PersistentVolume" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Any, status: Any,
    }
    DEPLOYMENT = "Deployment" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&DEPLOYMENT_SPEC), status: Any,
    }
    DEPLOYMENT_SPEC = "DeploymentSpec" {
        replicas: Int => Number(1), selector: Of(&LABEL_SELECTOR), template: Of(&POD_TEMPLATE),
        strategy: Retain(&DEPLOYMENT_STRATEGY), minReadySeconds: Int, revisionHistoryLimit: Int => Number(10), paused: Bool,
        progressDeadlineSeconds: Int => Number(600),
    }
    DEPLOYMENT_STRATEGY = "DeploymentStrategy" { type: Str, rollingUpdate: Of(&ROLLING_DEPLOYMENT) }
    ROLLING_DEPLOYMENT = "RollingUpdateDeployment" {
        maxUnavailable: IntOrStr => Text("25%"), maxSurge: IntOrStr => Text("25%"),
    }
    REPLICA_SET = "ReplicaSet" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&REPLICA_SET_SPEC), status: Any,
    }
    REPLICA_SET_SPEC = "ReplicaSetSpec" {
        replicas: Int => Number(1), minReadySeconds: Int, selector: Of(&LABEL_SELECTOR), template: Of(&POD_TEMPLATE),
    }
    STATEFUL_SET = "StatefulSet" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&STATEFUL_SET_SPEC), status: Any,
    }
    STATEFUL_SET_SPEC = "StatefulSetSpec" {
        replicas: Int => Number(1), selector: Of(&LABEL_SELECTOR), template: Of(&POD_TEMPLATE),
        volumeClaimTemplates: List(&Of(&CLAIM)), serviceName: Str, podManagementPolicy: Str => Text("OrderedReady"),
        updateStrategy: Of(&STATEFUL_SET_STRATEGY), revisionHistoryLimit: Int => Number(10), minReadySeconds: Int,
        persistentVolumeClaimRetentionPolicy: Of(&CLAIM_RETENTION), ordinals: Of(&ORDINALS),
    }
    CLAIM_RETENTION = "StatefulSetPersistentVolumeClaimRetentionPolicy" {
        whenDeleted: Str => Text("Retain"), whenScaled: Str => Text("Retain"),
    }
    ORDINALS = "StatefulSetOrdinals" { start: Int }
    STATEFUL_SET_STRATEGY = "StatefulSetUpdateStrategy" { type: Str, rollingUpdate: Of(&PARTITION) }
    PARTITION = "RollingUpdateStatefulSetStrategy" { partition: Int => Number(0), maxUnavailable: IntOrStr }
    DAEMON_SET = "DaemonSet" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&DAEMON_SET_SPEC), status: Any,
    }
    DAEMON_SET_SPEC = "DaemonSetSpec" {
        selector: Of(&LABEL_SELECTOR), template: Of(&POD_TEMPLATE), updateStrategy: Of(&DAEMON_SET_STRATEGY),
        minReadySeconds: Int, revisionHistoryLimit: Int => Number(10),
    }
    DAEMON_SET_STRATEGY = "DaemonSetUpdateStrategy" { type: Str, rollingUpdate: Of(&ROLLING_DAEMON_SET) }
    ROLLING_DAEMON_SET = "RollingUpdateDaemonSet" { maxUnavailable: IntOrStr, maxSurge: IntOrStr => Number(0) }
    JOB = "Job" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&JOB_SPEC), status: Any }
    JOB_SPEC = "JobSpec" {
        parallelism: Int, completions: Int, activeDeadlineSeconds: Shape::Long, backoffLimit: Int => Number(6),
        selector: Of(&LABEL_SELECTOR), manualSelector: Bool, template: Of(&POD_TEMPLATE), ttlSecondsAfterFinished: Int,
        completionMode: Str, suspend: Bool, podFailurePolicy: Any, backoffLimitPerIndex: Int, maxFailedIndexes: Int,
        podReplacementPolicy: Str,
    }
    JOB_TEMPLATE = "JobTemplateSpec" { metadata: Of(&OBJECT_META), spec: Of(&JOB_SPEC) }
    CRON_JOB = "CronJob" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&CRON_JOB_SPEC), status: Any }
    CRON_JOB_SPEC = "CronJobSpec" {
        schedule: Str, timeZone: Str, startingDeadlineSeconds: Shape::Long, concurrencyPolicy: Str => Text("Allow"),
        suspend: Bool => Truth(false), jobTemplate: Of(&JOB_TEMPLATE), successfulJobsHistoryLimit: Int => Number(3),
        failedJobsHistoryLimit: Int => Number(1),
    }
    BUDGET = "PodDisruptionBudget" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&BUDGET_SPEC), status: Any,
    }
    BUDGET_SPEC = "PodDisruptionBudgetSpec" {
        minAvailable: IntOrStr, selector: Of(&LABEL_SELECTOR), maxUnavailable: IntOrStr, unhealthyPodEvictionPolicy: Str,
    }
    ROLE = "Role" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), rules: List(&Of(&RULE)), aggregationRule: Any,
    }
    RULE = "PolicyRule" {
        verbs: List(&Str), apiGroups: List(&Str), resources: List(&Str), resourceNames: List(&Str), nonResourceURLs: List(&Str),
    }
    ROLE_BINDING = "RoleBinding" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), subjects: List(&Of(&SUBJECT)), roleRef: Of(&ROLE_REFERENCE),
    }
    SUBJECT = "Subject" { kind: Str, apiGroup: Str, name: Str, namespace: Str }
    ROLE_REFERENCE = "RoleRef" { apiGroup: Str, kind: Str, name: Str }
    STORAGE_CLASS = "StorageClass" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), provisioner: Str, parameters: Map(&Str),
        reclaimPolicy: Str => Text("Delete"), mountOptions: List(&Str), allowVolumeExpansion: Bool,
        volumeBindingMode: Str => Text("Immediate"), allowedTopologies: List(&Any),
    }
}

/// Shape of the subresource `scale`.
pub(crate) static SCALE: super::Struct = super::Struct {
    name: "Scale",
    fields: &[
        ("apiVersion", Str, super::Given::Nothing),
        ("kind", Str, super::Given::Nothing),
        ("metadata", Of(&OBJECT_META), super::Given::Nothing),
        ("spec", Of(&SCALE_SPEC), super::Given::Nothing),
        ("status", Any, super::Given::Nothing),
    ],
};
