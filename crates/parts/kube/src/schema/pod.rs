//! Fields of pods and what they are made of.

use super::{
    Given::{Number, Text},
    Shape::{Any, Bool, Int, IntOrStr, Keyed, KeyedRetain, List, Long, Map, Of, Quantity, Set, Str},
    structs,
};

structs! {
    OBJECT_META = "ObjectMeta" {
        name: Str, generateName: Str, namespace: Str, selfLink: Str, uid: Str, resourceVersion: Str, generation: Long,
        creationTimestamp: Str, deletionTimestamp: Str, deletionGracePeriodSeconds: Long, labels: Map(&Str),
        annotations: Map(&Str), ownerReferences: Keyed(&OWNER_REFERENCE, "uid"), finalizers: Set, clusterName: Str,
        managedFields: List(&Any),
    }
    OWNER_REFERENCE = "OwnerReference" {
        apiVersion: Str, kind: Str, name: Str, uid: Str, controller: Bool, blockOwnerDeletion: Bool,
    }
    LABEL_SELECTOR = "LabelSelector" { matchLabels: Map(&Str), matchExpressions: List(&Of(&SELECTOR_REQUIREMENT)) }
    SELECTOR_REQUIREMENT = "LabelSelectorRequirement" { key: Str, operator: Str, values: List(&Str) }
    POD_TEMPLATE = "PodTemplateSpec" { metadata: Of(&OBJECT_META), spec: Of(&POD_SPEC) }
    POD_SPEC = "PodSpec" {
        volumes: KeyedRetain(&VOLUME, "name"), initContainers: Keyed(&CONTAINER, "name"),
        containers: Keyed(&CONTAINER, "name"), ephemeralContainers: Keyed(&CONTAINER, "name"),
        restartPolicy: Str => Text("Always"), terminationGracePeriodSeconds: Long => Number(30),
        activeDeadlineSeconds: Long, dnsPolicy: Str => Text("ClusterFirst"), nodeSelector: Map(&Str),
        serviceAccountName: Str, serviceAccount: Str, automountServiceAccountToken: Bool, nodeName: Str, hostNetwork: Bool,
        hostPID: Bool, hostIPC: Bool, shareProcessNamespace: Bool, securityContext: Of(&POD_SECURITY_CONTEXT),
        imagePullSecrets: Keyed(&LOCAL_REFERENCE, "name"), hostname: Str, subdomain: Str, affinity: Of(&AFFINITY),
        schedulerName: Str => Text("default-scheduler"), tolerations: List(&Of(&TOLERATION)),
        hostAliases: Keyed(&HOST_ALIAS, "ip"), priorityClassName: Str, priority: Int, dnsConfig: Any,
        readinessGates: List(&Of(&READINESS_GATE)), runtimeClassName: Str, enableServiceLinks: Bool,
        preemptionPolicy: Str, overhead: Map(&Quantity),
        topologySpreadConstraints: Keyed(&SPREAD_CONSTRAINT, "topologyKey"), setHostnameAsFQDN: Bool,
        hostUsers: Bool, os: Any, resourceClaims: List(&Any), schedulingGates: Keyed(&SCHEDULING_GATE, "name"),
    }
    POD_SECURITY_CONTEXT = "PodSecurityContext" {
        seLinuxOptions: Any, windowsOptions: Any, runAsUser: Long, runAsGroup: Long, runAsNonRoot: Bool,
        supplementalGroups: List(&Long), fsGroup: Long, sysctls: List(&Any), fsGroupChangePolicy: Str, seccompProfile: Any,
    }
    SECURITY_CONTEXT = "SecurityContext" {
        capabilities: Any, privileged: Bool, seLinuxOptions: Any, windowsOptions: Any, runAsUser: Long, runAsGroup: Long,
        runAsNonRoot: Bool, readOnlyRootFilesystem: Bool, allowPrivilegeEscalation: Bool, procMount: Str,
        seccompProfile: Any,
    }
    LOCAL_REFERENCE = "LocalObjectReference" { name: Str }
    HOST_ALIAS = "HostAlias" { ip: Str, hostnames: List(&Str) }
    SCHEDULING_GATE = "PodSchedulingGate" { name: Str }
    READINESS_GATE = "PodReadinessGate" { conditionType: Str }
    TOLERATION = "Toleration" { key: Str, operator: Str, value: Str, effect: Str, tolerationSeconds: Long }
    SPREAD_CONSTRAINT = "TopologySpreadConstraint" {
        maxSkew: Int, topologyKey: Str, whenUnsatisfiable: Str, labelSelector: Of(&LABEL_SELECTOR),
        minDomains: Int, nodeAffinityPolicy: Str, nodeTaintsPolicy: Str, matchLabelKeys: List(&Str),
    }
    AFFINITY = "Affinity" {
        nodeAffinity: Of(&NODE_AFFINITY), podAffinity: Of(&POD_AFFINITY), podAntiAffinity: Of(&POD_AFFINITY),
    }
    NODE_AFFINITY = "NodeAffinity" {
        requiredDuringSchedulingIgnoredDuringExecution: Of(&NODE_SELECTOR),
        preferredDuringSchedulingIgnoredDuringExecution: List(&Of(&PREFERRED_TERM)),
    }
    NODE_SELECTOR = "NodeSelector" { nodeSelectorTerms: List(&Of(&NODE_SELECTOR_TERM)) }
    NODE_SELECTOR_TERM = "NodeSelectorTerm" {
        matchExpressions: List(&Of(&SELECTOR_REQUIREMENT)), matchFields: List(&Of(&SELECTOR_REQUIREMENT)),
    }
    PREFERRED_TERM = "PreferredSchedulingTerm" { weight: Int, preference: Of(&NODE_SELECTOR_TERM) }
    POD_AFFINITY = "PodAffinity" {
        requiredDuringSchedulingIgnoredDuringExecution: List(&Of(&POD_AFFINITY_TERM)),
        preferredDuringSchedulingIgnoredDuringExecution: List(&Of(&WEIGHTED_TERM)),
    }
    POD_AFFINITY_TERM = "PodAffinityTerm" {
        labelSelector: Of(&LABEL_SELECTOR), namespaces: List(&Str), topologyKey: Str,
        namespaceSelector: Of(&LABEL_SELECTOR), matchLabelKeys: List(&Str), mismatchLabelKeys: List(&Str),
    }
    WEIGHTED_TERM = "WeightedPodAffinityTerm" { weight: Int, podAffinityTerm: Of(&POD_AFFINITY_TERM) }
    CONTAINER = "Container" {
        name: Str, image: Str, command: List(&Str), args: List(&Str), workingDir: Str,
        ports: Keyed(&CONTAINER_PORT, "containerPort"), envFrom: List(&Of(&ENV_FROM)), env: Keyed(&ENV_VAR, "name"),
        resources: Of(&RESOURCES), volumeMounts: Keyed(&VOLUME_MOUNT, "mountPath"),
        volumeDevices: Keyed(&VOLUME_DEVICE, "devicePath"), livenessProbe: Of(&PROBE), readinessProbe: Of(&PROBE),
        startupProbe: Of(&PROBE), lifecycle: Of(&LIFECYCLE), terminationMessagePath: Str => Text("/dev/termination-log"),
        terminationMessagePolicy: Str => Text("File"), imagePullPolicy: Str, securityContext: Of(&SECURITY_CONTEXT),
        stdin: Bool, stdinOnce: Bool, tty: Bool, restartPolicy: Str, resizePolicy: List(&Any), targetContainerName: Str,
    }
    CONTAINER_PORT = "ContainerPort" {
        name: Str, hostPort: Int, containerPort: Int, protocol: Str => Text("TCP"), hostIP: Str,
    }
    ENV_VAR = "EnvVar" { name: Str, value: Str, valueFrom: Of(&ENV_SOURCE) }
    ENV_SOURCE = "EnvVarSource" {
        fieldRef: Of(&FIELD_REFERENCE), resourceFieldRef: Of(&RESOURCE_FIELD), configMapKeyRef: Of(&KEY_REFERENCE),
        secretKeyRef: Of(&KEY_REFERENCE),
    }
    FIELD_REFERENCE = "ObjectFieldSelector" { apiVersion: Str => Text("v1"), fieldPath: Str }
    RESOURCE_FIELD = "ResourceFieldSelector" { containerName: Str, resource: Str, divisor: Quantity => Text("0") }
    KEY_REFERENCE = "ConfigMapKeySelector" { name: Str, key: Str, optional: Bool }
    ENV_FROM = "EnvFromSource" { prefix: Str, configMapRef: Of(&OPTIONAL_REFERENCE), secretRef: Of(&OPTIONAL_REFERENCE) }
    OPTIONAL_REFERENCE = "ConfigMapEnvSource" { name: Str, optional: Bool }
    RESOURCES = "ResourceRequirements" { limits: Map(&Quantity), requests: Map(&Quantity), claims: List(&Any) }
    VOLUME_MOUNT = "VolumeMount" {
        name: Str, readOnly: Bool, mountPath: Str, subPath: Str, mountPropagation: Str, subPathExpr: Str,
    }
    VOLUME_DEVICE = "VolumeDevice" { name: Str, devicePath: Str }
    PROBE = "Probe" {
        exec: Of(&EXEC), httpGet: Of(&HTTP_GET), tcpSocket: Of(&TCP_SOCKET), grpc: Any, initialDelaySeconds: Int,
        timeoutSeconds: Int => Number(1), periodSeconds: Int => Number(10), successThreshold: Int => Number(1),
        failureThreshold: Int => Number(3), terminationGracePeriodSeconds: Long,
    }
    EXEC = "ExecAction" { command: List(&Str) }
    HTTP_GET = "HTTPGetAction" {
        path: Str => Text("/"), port: IntOrStr, host: Str, scheme: Str => Text("HTTP"), httpHeaders: List(&Of(&HTTP_HEADER)),
    }
    HTTP_HEADER = "HTTPHeader" { name: Str, value: Str }
    TCP_SOCKET = "TCPSocketAction" { port: IntOrStr, host: Str }
    LIFECYCLE = "Lifecycle" { postStart: Of(&HANDLER), preStop: Of(&HANDLER) }
    HANDLER = "Handler" { exec: Of(&EXEC), httpGet: Of(&HTTP_GET), tcpSocket: Of(&TCP_SOCKET), sleep: Any }
    VOLUME = "Volume" {
        name: Str, configMap: Of(&CONFIG_MAP_VOLUME), secret: Of(&SECRET_VOLUME), emptyDir: Of(&EMPTY_DIR),
        persistentVolumeClaim: Of(&CLAIM_VOLUME), hostPath: Of(&HOST_PATH), projected: Of(&PROJECTED),
        downwardAPI: Of(&DOWNWARD), ephemeral: Any, csi: Any, nfs: Any, gcePersistentDisk: Any, awsElasticBlockStore: Any,
        azureDisk: Any, azureFile: Any, gitRepo: Any, iscsi: Any, glusterfs: Any, rbd: Any, flexVolume: Any, cinder: Any,
        cephfs: Any, flocker: Any, fc: Any, vsphereVolume: Any, quobyte: Any, photonPersistentDisk: Any,
        portworxVolume: Any, scaleIO: Any, storageos: Any,
    }
    CONFIG_MAP_VOLUME = "ConfigMapVolumeSource" {
        name: Str, items: List(&Of(&KEY_TO_PATH)), defaultMode: Int => Number(420), optional: Bool,
    }
    SECRET_VOLUME = "SecretVolumeSource" {
        secretName: Str, items: List(&Of(&KEY_TO_PATH)), defaultMode: Int => Number(420), optional: Bool,
    }
    KEY_TO_PATH = "KeyToPath" { key: Str, path: Str, mode: Int }
    EMPTY_DIR = "EmptyDirVolumeSource" { medium: Str, sizeLimit: Quantity }
    CLAIM_VOLUME = "PersistentVolumeClaimVolumeSource" { claimName: Str, readOnly: Bool }
    HOST_PATH = "HostPathVolumeSource" { path: Str, type: Str => Text("") }
    PROJECTED = "ProjectedVolumeSource" { sources: List(&Any), defaultMode: Int => Number(420) }
    DOWNWARD = "DownwardAPIVolumeSource" { items: List(&Any), defaultMode: Int => Number(420) }
    CLAIM = "PersistentVolumeClaim" { apiVersion: Str, kind: Str, metadata: Of(&OBJECT_META), spec: Of(&CLAIM_SPEC), status: Any }
    CLAIM_SPEC = "PersistentVolumeClaimSpec" {
        accessModes: List(&Str), selector: Of(&LABEL_SELECTOR), resources: Of(&RESOURCES), volumeName: Str,
        storageClassName: Str, volumeMode: Str => Text("Filesystem"), dataSource: Any, dataSourceRef: Any,
        volumeAttributesClassName: Str,
    }
    SCALE_SPEC = "ScaleSpec" { replicas: Int }
}
