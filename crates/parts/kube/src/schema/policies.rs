//! Fields of kinds that limit, scale and connect workloads, and of descriptions by storage drivers and nodes.
//!
//! **Source**: `kubernetes/api: {core,autoscaling,scheduling,networking,discovery,node,coordination,storage}` (1.29), with the fields of
//! Ingress `v1beta1`.

use super::{
    Given::{Number, Text},
    Shape::{Any, Bool, Int, IntOrStr, List, Map, Of, Quantity, Str},
    kinds::SECRET_REFERENCE,
    pod::{LABEL_SELECTOR, OBJECT_META, POD_TEMPLATE, TOLERATION},
    structs,
};

structs! {
    RESOURCE_QUOTA = "ResourceQuota" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&RESOURCE_QUOTA_SPEC), status: Any,
    }
    LIMIT_RANGE = "LimitRange" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&LIMIT_RANGE_SPEC),
    }
    PRIORITY_CLASS = "PriorityClass" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), description: Str, globalDefault: Bool,
        preemptionPolicy: Str, value: Int,
    }
    HORIZONTAL_POD_AUTOSCALER = "HorizontalPodAutoscaler" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&HORIZONTAL_POD_AUTOSCALER_SPEC),
        status: Any,
    }
    RUNTIME_CLASS = "RuntimeClass" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), handler: Str, overhead: Of(&OVERHEAD),
        scheduling: Of(&SCHEDULING),
    }
    POD_TEMPLATE_OBJECT = "PodTemplate" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), template: Of(&POD_TEMPLATE),
    }
    ENDPOINT_SLICE = "EndpointSlice" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), addressType: Str, endpoints: List(&Of(&ENDPOINT)),
        ports: List(&Of(&ENDPOINT_PORT)),
    }
    INGRESS = "Ingress" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&INGRESS_SPEC), status: Any,
    }
    NETWORK_POLICY = "NetworkPolicy" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&NETWORK_POLICY_SPEC),
    }
    LEASE = "Lease" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&LEASE_SPEC) }
    INGRESS_CLASS = "IngressClass" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&INGRESS_CLASS_SPEC),
    }
    REPLICATION_CONTROLLER = "ReplicationController" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&REPLICATION_CONTROLLER_SPEC),
        status: Any,
    }
    CSI_DRIVER = "CSIDriver" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&CSI_DRIVER_SPEC) }
    CSI_NODE = "CSINode" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&CSI_NODE_SPEC) }
    CSI_STORAGE_CAPACITY = "CSIStorageCapacity" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), capacity: Quantity, maximumVolumeSize: Quantity,
        nodeTopology: Of(&LABEL_SELECTOR), storageClassName: Str,
    }
    VOLUME_ATTACHMENT = "VolumeAttachment" {
        apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&VOLUME_ATTACHMENT_SPEC), status: Any,
    }
    RESOURCE_QUOTA_SPEC = "ResourceQuotaSpec" {
        hard: Map(&Quantity), scopeSelector: Of(&SCOPE_SELECTOR), scopes: List(&Str),
    }
    LIMIT_RANGE_SPEC = "LimitRangeSpec" { limits: List(&Of(&LIMIT_RANGE_ITEM)) }
    HORIZONTAL_POD_AUTOSCALER_SPEC = "HorizontalPodAutoscalerSpec" {
        behavior: Of(&HORIZONTAL_POD_AUTOSCALER_BEHAVIOR), maxReplicas: Int, metrics: List(&Of(&METRIC_SPEC)),
        minReplicas: Int => Number(1), scaleTargetRef: Of(&CROSS_VERSION_OBJECT_REFERENCE),
    }
    OVERHEAD = "Overhead" { podFixed: Map(&Quantity) }
    SCHEDULING = "Scheduling" { nodeSelector: Map(&Str), tolerations: List(&Of(&TOLERATION)) }
    ENDPOINT = "Endpoint" {
        addresses: List(&Str), conditions: Of(&ENDPOINT_CONDITIONS), deprecatedTopology: Map(&Str),
        hints: Of(&ENDPOINT_HINTS), hostname: Str, nodeName: Str, targetRef: Of(&SECRET_REFERENCE), zone: Str,
    }
    ENDPOINT_PORT = "EndpointPort" { appProtocol: Str, name: Str, port: Int, protocol: Str }
    INGRESS_SPEC = "IngressSpec" {
        backend: Of(&INGRESS_BACKEND), defaultBackend: Of(&INGRESS_BACKEND), ingressClassName: Str, rules: List(&Of(&INGRESS_RULE)),
        tls: List(&Of(&INGRESS_TLS)),
    }
    NETWORK_POLICY_SPEC = "NetworkPolicySpec" {
        egress: List(&Of(&NETWORK_POLICY_EGRESS_RULE)), ingress: List(&Of(&NETWORK_POLICY_INGRESS_RULE)),
        podSelector: Of(&LABEL_SELECTOR), policyTypes: List(&Str),
    }
    LEASE_SPEC = "LeaseSpec" {
        acquireTime: Str, holderIdentity: Str, leaseDurationSeconds: Int, leaseTransitions: Int, renewTime: Str,
    }
    INGRESS_CLASS_SPEC = "IngressClassSpec" { controller: Str, parameters: Of(&INGRESS_CLASS_PARAMETERS_REFERENCE) }
    REPLICATION_CONTROLLER_SPEC = "ReplicationControllerSpec" {
        minReadySeconds: Int, replicas: Int => Number(1), selector: Map(&Str), template: Of(&POD_TEMPLATE),
    }
    CSI_DRIVER_SPEC = "CSIDriverSpec" {
        attachRequired: Bool, fsGroupPolicy: Str, podInfoOnMount: Bool, requiresRepublish: Bool,
        seLinuxMount: Bool, storageCapacity: Bool, tokenRequests: List(&Of(&STORAGE_V1_TOKEN_REQUEST)),
        volumeLifecycleModes: List(&Str),
    }
    CSI_NODE_SPEC = "CSINodeSpec" { drivers: List(&Of(&CSI_NODE_DRIVER)) }
    VOLUME_ATTACHMENT_SPEC = "VolumeAttachmentSpec" {
        attacher: Str, nodeName: Str, source: Of(&VOLUME_ATTACHMENT_SOURCE),
    }
    SCOPE_SELECTOR = "ScopeSelector" { matchExpressions: List(&Of(&SCOPED_RESOURCE_SELECTOR_REQUIREMENT)) }
    LIMIT_RANGE_ITEM = "LimitRangeItem" {
        default: Map(&Quantity), defaultRequest: Map(&Quantity), max: Map(&Quantity),
        maxLimitRequestRatio: Map(&Quantity), min: Map(&Quantity), type: Str,
    }
    HORIZONTAL_POD_AUTOSCALER_BEHAVIOR = "HorizontalPodAutoscalerBehavior" {
        scaleDown: Of(&HPA_SCALING_RULES), scaleUp: Of(&HPA_SCALING_RULES),
    }
    METRIC_SPEC = "MetricSpec" {
        containerResource: Of(&CONTAINER_RESOURCE_METRIC_SOURCE), external: Of(&EXTERNAL_METRIC_SOURCE),
        object: Of(&OBJECT_METRIC_SOURCE), pods: Of(&PODS_METRIC_SOURCE), resource: Of(&RESOURCE_METRIC_SOURCE),
        type: Str,
    }
    CROSS_VERSION_OBJECT_REFERENCE = "CrossVersionObjectReference" { apiVersion: Str, kind: Str, name: Str }
    ENDPOINT_CONDITIONS = "EndpointConditions" { ready: Bool, serving: Bool, terminating: Bool }
    ENDPOINT_HINTS = "EndpointHints" { forZones: List(&Of(&FOR_ZONE)) }
    INGRESS_BACKEND = "IngressBackend" {
        resource: Of(&TYPED_LOCAL_OBJECT_REFERENCE), service: Of(&INGRESS_SERVICE_BACKEND), serviceName: Str,
        servicePort: IntOrStr,
    }
    INGRESS_RULE = "IngressRule" { host: Str, http: Of(&HTTP_INGRESS_RULE_VALUE) }
    INGRESS_TLS = "IngressTLS" { hosts: List(&Str), secretName: Str }
    NETWORK_POLICY_EGRESS_RULE = "NetworkPolicyEgressRule" {
        ports: List(&Of(&NETWORK_POLICY_PORT)), to: List(&Of(&NETWORK_POLICY_PEER)),
    }
    NETWORK_POLICY_INGRESS_RULE = "NetworkPolicyIngressRule" {
        from: List(&Of(&NETWORK_POLICY_PEER)), ports: List(&Of(&NETWORK_POLICY_PORT)),
    }
    INGRESS_CLASS_PARAMETERS_REFERENCE = "IngressClassParametersReference" {
        kind: Str, apiGroup: Str, name: Str, namespace: Str, scope: Str,
    }
    STORAGE_V1_TOKEN_REQUEST = "StorageV1TokenRequest" { audience: Str, expirationSeconds: Int }
    CSI_NODE_DRIVER = "CSINodeDriver" {
        allocatable: Of(&VOLUME_NODE_RESOURCES), name: Str, nodeID: Str, topologyKeys: List(&Str),
    }
    VOLUME_ATTACHMENT_SOURCE = "VolumeAttachmentSource" { inlineVolumeSpec: Any, persistentVolumeName: Str }
    SCOPED_RESOURCE_SELECTOR_REQUIREMENT = "ScopedResourceSelectorRequirement" {
        operator: Str, scopeName: Str, values: List(&Str),
    }
    HPA_SCALING_RULES = "HPAScalingRules" {
        policies: List(&Of(&HPA_SCALING_POLICY)), selectPolicy: Str, stabilizationWindowSeconds: Int,
    }
    CONTAINER_RESOURCE_METRIC_SOURCE = "ContainerResourceMetricSource" {
        container: Str, name: Str, target: Of(&METRIC_TARGET),
    }
    EXTERNAL_METRIC_SOURCE = "ExternalMetricSource" { metric: Of(&METRIC_IDENTIFIER), target: Of(&METRIC_TARGET) }
    OBJECT_METRIC_SOURCE = "ObjectMetricSource" {
        describedObject: Of(&CROSS_VERSION_OBJECT_REFERENCE), metric: Of(&METRIC_IDENTIFIER),
        target: Of(&METRIC_TARGET),
    }
    PODS_METRIC_SOURCE = "PodsMetricSource" { metric: Of(&METRIC_IDENTIFIER), target: Of(&METRIC_TARGET) }
    RESOURCE_METRIC_SOURCE = "ResourceMetricSource" { name: Str, target: Of(&METRIC_TARGET) }
    FOR_ZONE = "ForZone" { name: Str }
    TYPED_LOCAL_OBJECT_REFERENCE = "TypedLocalObjectReference" { kind: Str, apiGroup: Str, name: Str }
    INGRESS_SERVICE_BACKEND = "IngressServiceBackend" { name: Str, port: Of(&SERVICE_BACKEND_PORT) }
    HTTP_INGRESS_RULE_VALUE = "HTTPIngressRuleValue" { paths: List(&Of(&HTTP_INGRESS_PATH)) }
    NETWORK_POLICY_PORT = "NetworkPolicyPort" { endPort: Int, port: IntOrStr, protocol: Str => Text("TCP") }
    NETWORK_POLICY_PEER = "NetworkPolicyPeer" {
        ipBlock: Of(&IP_BLOCK), namespaceSelector: Of(&LABEL_SELECTOR), podSelector: Of(&LABEL_SELECTOR),
    }
    VOLUME_NODE_RESOURCES = "VolumeNodeResources" { count: Int }
    HPA_SCALING_POLICY = "HPAScalingPolicy" { periodSeconds: Int, type: Str, value: Int }
    METRIC_TARGET = "MetricTarget" { averageUtilization: Int, averageValue: Quantity, type: Str, value: Quantity }
    METRIC_IDENTIFIER = "MetricIdentifier" { name: Str, selector: Of(&LABEL_SELECTOR) }
    SERVICE_BACKEND_PORT = "ServiceBackendPort" { name: Str, number: Int }
    HTTP_INGRESS_PATH = "HTTPIngressPath" { backend: Of(&INGRESS_BACKEND), path: Str, pathType: Str }
    IP_BLOCK = "IPBlock" { cidr: Str, except: List(&Str) }
}
