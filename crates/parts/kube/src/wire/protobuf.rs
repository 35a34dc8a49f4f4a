//! Bodies in protocol buffers, converted to JSON.
//!
//! *Knows*: the envelope, and the fields of the kinds that `kubectl create`, `run`, `expose`, `scale`, `autoscale` and `auth` send. *Must not know*:
//! the meaning of fields. A field missing in the table below is an error, so that nothing is dropped silently; JSON is read in full.
//!
//! **Source**: `kubernetes/apimachinery: pkg/runtime/serializer/protobuf/protobuf.go` (envelope); `kubernetes/api: */generated.proto`
//! and `kubernetes/apimachinery: pkg/apis/meta/v1/generated.proto` (numbers). Matched for the fields that the table names.

use crate::error::{ApiError, Reason};
use planarium_kernel::base64::Base64;
use planarium_protocol::json::{self, Map, Value};

/// The media type, without parameters.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// First bytes of a body.
const MAGIC: &[u8] = b"k8s\0";

/// The message of a HorizontalPodAutoscaler of `autoscaling/v1`.
const V1_SCALER: &str = "HorizontalPodAutoscaler of v1";

/// Messages in messages that are read; the deepest kind has some ten.
const DEEPEST: u32 = 32;

/// Fields by message: number, name and type.
/// Types: `s` text, `i` number, `b` truth value, `y` bytes, `t` time, `x` number or text, `q` quantity, `-` skipped; otherwise
/// another message. `[]` before it makes a list, `{}` a map. `?` after it: not written if it is zero, as in the type's JSON. `~` in
/// place of a name: the fields of the message belong to the outer one.
const MESSAGES: &[(&str, &str)] = &[
    (
        "ObjectMeta",
        "1 name s?,2 generateName s?,3 namespace s?,4 selfLink -,5 uid s?,6 resourceVersion s?,7 generation -,8 creationTimestamp t,9 deletionTimestamp -,10 deletionGracePeriodSeconds -,11 labels {}s,12 annotations {}s,13 ownerReferences []OwnerReference,14 finalizers []s,15 clusterName -,17 managedFields -",
    ),
    ("OwnerReference", "1 kind s?,3 name s?,4 uid s?,5 apiVersion s?,6 controller b,7 blockOwnerDeletion b"),
    ("LabelSelector", "1 matchLabels {}s,2 matchExpressions []Requirement"),
    ("Requirement", "1 key s?,2 operator s?,3 values []s"),
    ("LocalObjectReference", "1 name s?"),
    (
        "ObjectReference",
        "1 kind s?,2 namespace s?,3 name s?,4 uid s?,5 apiVersion s?,6 resourceVersion s?,7 fieldPath s?",
    ),
    ("ConfigMap", "1 metadata ObjectMeta,2 data {}s,3 binaryData {}y,4 immutable b"),
    ("Secret", "1 metadata ObjectMeta,2 data {}y,3 type s?,4 stringData {}s,5 immutable b"),
    ("Namespace", "1 metadata ObjectMeta,2 spec NamespaceSpec,3 status -"),
    ("NamespaceSpec", "1 finalizers []s"),
    (
        "ServiceAccount",
        "1 metadata ObjectMeta,2 secrets []ObjectReference,3 imagePullSecrets []LocalObjectReference,4 automountServiceAccountToken b",
    ),
    ("Service", "1 metadata ObjectMeta,2 spec ServiceSpec,3 status -"),
    (
        "ServiceSpec",
        "1 ports []ServicePort,2 selector {}s,3 clusterIP s?,4 type s?,5 externalIPs []s,7 sessionAffinity s?,8 loadBalancerIP s?,9 loadBalancerSourceRanges []s,10 externalName s?,11 externalTrafficPolicy s?,12 healthCheckNodePort i?,13 publishNotReadyAddresses b?,17 ipFamilyPolicy s?,18 clusterIPs []s,19 ipFamilies []s,20 allocateLoadBalancerNodePorts b,21 loadBalancerClass s?,22 internalTrafficPolicy s?",
    ),
    ("ServicePort", "1 name s?,2 protocol s?,3 port i,4 targetPort x?,5 nodePort i?,6 appProtocol s?"),
    ("ResourceQuota", "1 metadata ObjectMeta,2 spec ResourceQuotaSpec,3 status -"),
    ("ResourceQuotaSpec", "1 hard {}q,2 scopes []s"),
    ("Pod", "1 metadata ObjectMeta,2 spec PodSpec,3 status -"),
    ("PodTemplateSpec", "1 metadata ObjectMeta,2 spec PodSpec"),
    (
        "PodSpec",
        "2 containers []Container,3 restartPolicy s?,4 terminationGracePeriodSeconds i,5 activeDeadlineSeconds i,6 dnsPolicy s?,7 nodeSelector {}s,8 serviceAccountName s?,9 serviceAccount s?,10 nodeName s?,11 hostNetwork b?,12 hostPID b?,13 hostIPC b?,14 securityContext Nothing,15 imagePullSecrets []LocalObjectReference,16 hostname s?,17 subdomain s?,19 schedulerName s?,20 initContainers []Container,21 automountServiceAccountToken b,22 tolerations []Toleration,24 priorityClassName s?,25 priority i,27 shareProcessNamespace b,30 enableServiceLinks b,31 preemptionPolicy s?",
    ),
    ("Nothing", ""),
    ("Toleration", "1 key s?,2 operator s?,3 value s?,4 effect s?,5 tolerationSeconds i"),
    (
        "Container",
        "1 name s?,2 image s?,3 command []s,4 args []s,5 workingDir s?,6 ports []ContainerPort,7 env []EnvVar,8 resources ResourceRequirements,13 terminationMessagePath s?,14 imagePullPolicy s?,15 securityContext Nothing,16 stdin b?,17 stdinOnce b?,18 tty b?,19 envFrom []EnvFromSource,20 terminationMessagePolicy s?",
    ),
    ("ContainerPort", "1 name s?,2 hostPort i?,3 containerPort i,4 protocol s?,5 hostIP s?"),
    ("EnvVar", "1 name s?,2 value s?,3 valueFrom EnvVarSource"),
    (
        "EnvVarSource",
        "1 fieldRef ObjectFieldSelector,3 configMapKeyRef KeySelector,4 secretKeyRef KeySelector",
    ),
    ("ObjectFieldSelector", "1 apiVersion s?,2 fieldPath s?"),
    ("KeySelector", "1 ~ LocalObjectReference,2 key s?,3 optional b"),
    ("EnvFromSource", "1 prefix s?,2 configMapRef EnvSource,3 secretRef EnvSource"),
    ("EnvSource", "1 ~ LocalObjectReference,2 optional b"),
    ("ResourceRequirements", "1 limits {}q,2 requests {}q"),
    ("Deployment", "1 metadata ObjectMeta,2 spec DeploymentSpec,3 status -"),
    (
        "DeploymentSpec",
        "1 replicas i,2 selector LabelSelector,3 template PodTemplateSpec,4 strategy DeploymentStrategy,5 minReadySeconds i?,6 revisionHistoryLimit i,7 paused b?,9 progressDeadlineSeconds i",
    ),
    ("DeploymentStrategy", "1 type s?,2 rollingUpdate RollingUpdate"),
    ("RollingUpdate", "1 maxUnavailable x,2 maxSurge x"),
    ("Job", "1 metadata ObjectMeta,2 spec JobSpec,3 status -"),
    (
        "JobSpec",
        "1 parallelism i,2 completions i,3 activeDeadlineSeconds i,4 selector LabelSelector,5 manualSelector b,6 template PodTemplateSpec,7 backoffLimit i,8 ttlSecondsAfterFinished i,9 completionMode s?,10 suspend b",
    ),
    ("CronJob", "1 metadata ObjectMeta,2 spec CronJobSpec,3 status -"),
    (
        "CronJobSpec",
        "1 schedule s?,2 startingDeadlineSeconds i,3 concurrencyPolicy s?,4 suspend b,5 jobTemplate JobTemplateSpec,6 successfulJobsHistoryLimit i,7 failedJobsHistoryLimit i,8 timeZone s?",
    ),
    ("JobTemplateSpec", "1 metadata ObjectMeta,2 spec JobSpec"),
    ("Role", "1 metadata ObjectMeta,2 rules []PolicyRule"),
    ("ClusterRole", "1 metadata ObjectMeta,2 rules []PolicyRule,3 aggregationRule AggregationRule"),
    ("AggregationRule", "1 clusterRoleSelectors []LabelSelector"),
    ("PolicyRule", "1 verbs []s,2 apiGroups []s,3 resources []s,4 resourceNames []s,5 nonResourceURLs []s"),
    ("RoleBinding", "1 metadata ObjectMeta,2 subjects []Subject,3 roleRef RoleRef"),
    ("ClusterRoleBinding", "1 metadata ObjectMeta,2 subjects []Subject,3 roleRef RoleRef"),
    ("Subject", "1 kind s?,2 apiGroup s?,3 name s?,4 namespace s?"),
    ("RoleRef", "1 apiGroup s?,2 kind s?,3 name s?"),
    ("PodDisruptionBudget", "1 metadata ObjectMeta,2 spec PodDisruptionBudgetSpec,3 status -"),
    (
        "PodDisruptionBudgetSpec",
        "1 minAvailable x,2 selector LabelSelector,3 maxUnavailable x,4 unhealthyPodEvictionPolicy s?",
    ),
    (
        "PriorityClass",
        "1 metadata ObjectMeta,2 value i,3 globalDefault b?,4 description s?,5 preemptionPolicy s?",
    ),
    ("Ingress", "1 metadata ObjectMeta,2 spec IngressSpec,3 status -"),
    (
        "IngressSpec",
        "1 defaultBackend IngressBackend,2 tls []IngressTLS,3 rules []IngressRule,4 ingressClassName s?",
    ),
    ("IngressBackend", "1 serviceName s?,2 servicePort x?,4 service IngressServiceBackend"),
    ("IngressServiceBackend", "1 name s?,2 port ServiceBackendPort"),
    ("ServiceBackendPort", "1 name s?,2 number i?"),
    ("IngressTLS", "1 hosts []s,2 secretName s?"),
    ("IngressRule", "1 host s?,2 ~ IngressRuleValue"),
    ("IngressRuleValue", "1 http HTTPIngressRuleValue"),
    ("HTTPIngressRuleValue", "1 paths []HTTPIngressPath"),
    ("HTTPIngressPath", "1 path s?,2 backend IngressBackend,3 pathType s?"),
    ("HorizontalPodAutoscaler", "1 metadata ObjectMeta,2 spec HorizontalPodAutoscalerSpec,3 status -"),
    (
        "HorizontalPodAutoscalerSpec",
        "1 scaleTargetRef CrossVersionObjectReference,2 minReplicas i,3 maxReplicas i?,4 metrics []MetricSpec",
    ),
    (V1_SCALER, "1 metadata ObjectMeta,2 spec ScalerSpecV1,3 status -"),
    (
        "ScalerSpecV1",
        "1 scaleTargetRef CrossVersionObjectReference,2 minReplicas i,3 maxReplicas i?,4 targetCPUUtilizationPercentage i",
    ),
    ("CrossVersionObjectReference", "1 kind s?,2 name s?,3 apiVersion s?"),
    ("MetricSpec", "1 type s?,4 resource ResourceMetricSource"),
    ("ResourceMetricSource", "1 name s?,2 target MetricTarget"),
    ("MetricTarget", "1 type s?,2 value q,3 averageValue q,4 averageUtilization i"),
    ("SelfSubjectAccessReview", "1 metadata ObjectMeta,2 spec AccessReviewSpec,3 status -"),
    ("LocalSubjectAccessReview", "1 metadata ObjectMeta,2 spec AccessReviewSpec,3 status -"),
    ("SubjectAccessReview", "1 metadata ObjectMeta,2 spec AccessReviewSpec,3 status -"),
    (
        "AccessReviewSpec",
        "1 resourceAttributes ResourceAttributes,2 nonResourceAttributes NonResourceAttributes,3 user s?,4 groups []s,6 uid s?",
    ),
    (
        "ResourceAttributes",
        "1 namespace s?,2 verb s?,3 group s?,4 version s?,5 resource s?,6 subresource s?,7 name s?,8 fieldSelector -,9 labelSelector -",
    ),
    ("NonResourceAttributes", "1 path s?,2 verb s?"),
    ("SelfSubjectRulesReview", "1 metadata ObjectMeta,2 spec RulesReviewSpec,3 status -"),
    ("RulesReviewSpec", "1 namespace s?"),
    ("SelfSubjectReview", "1 metadata ObjectMeta,2 status -"),
    ("TokenRequest", "1 metadata ObjectMeta,2 spec TokenRequestSpec,3 status -"),
    ("TokenRequestSpec", "1 audiences []s,3 boundObjectRef BoundObjectReference,4 expirationSeconds i"),
    ("BoundObjectReference", "1 kind s?,2 apiVersion s?,3 name s?,4 uid s?"),
    ("Scale", "1 metadata ObjectMeta,2 spec ScaleSpec,3 status -"),
    ("ScaleSpec", "1 replicas i?"),
    ("Eviction", "1 metadata ObjectMeta,2 deleteOptions DeleteOptions"),
    (
        "DeleteOptions",
        "1 gracePeriodSeconds i,2 preconditions Preconditions,3 orphanDependents b,4 propagationPolicy s?,5 dryRun []s",
    ),
    ("Preconditions", "1 uid s?,2 resourceVersion s?"),
];

/// Reads a body. *Errors*: 400 for invalid bytes and fields missing in the table, 415 for other kinds.
pub(crate) fn decode(body: &[u8]) -> Result<Value, ApiError> {
    let envelope =
        body.strip_prefix(MAGIC).ok_or_else(|| bad("the body does not begin with the prefix k8s\\0"))?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Fields(envelope) {
        match field? {
            (1, Wired::Bytes(meta)) => {
                for field in Fields(meta) {
                    match field? {
                        (1, Wired::Bytes(text)) => api_version = utf8(text)?,
                        (2, Wired::Bytes(text)) => kind = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wired::Bytes(bytes)) => raw = bytes,
            (3, Wired::Bytes(encoding)) if !encoding.is_empty() => {
                return Err(bad("the body has a content encoding, which is not read here"));
            }
            _ => {}
        }
    }
    let known = MESSAGES.iter().any(|(name, table)| *name == kind && table.starts_with("1 metadata"));
    if !known && kind != "DeleteOptions" {
        let text =
            format!("the body is a {kind} in protocol buffers, which are not read for this kind; send JSON");
        return Err(ApiError::new(Reason::UnsupportedMediaType, text));
    }
    let mut fields = Map::new();
    json::put(&mut fields, "apiVersion", api_version.into());
    json::put(&mut fields, "kind", kind.as_str().into());
    let is_old = api_version_of(&fields) == "autoscaling/v1" && kind == "HorizontalPodAutoscaler";
    message(if is_old { V1_SCALER } else { &kind }, raw, &mut fields, 0)?;
    Ok(Value::Object(fields))
}

fn api_version_of(fields: &Map<String, Value>) -> &str {
    fields.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
}

fn bad(text: impl Into<String>) -> ApiError {
    ApiError::new(Reason::BadRequest, text)
}

fn utf8(bytes: &[u8]) -> Result<String, ApiError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| bad("a text of the body is not UTF-8"))
}

/// A value as encoded.
#[derive(Clone, Copy)]
enum Wired<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    fn field(&mut self) -> Option<(u64, Wired<'a>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Wired::Number(self.varint()?),
            1 => Wired::Bytes(self.take(8)?),
            2 => {
                let length = self.varint()?;
                Wired::Bytes(self.take(length)?)
            }
            5 => Wired::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Wired<'a>), ApiError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| bad("the body breaks off, or is no protocol buffer")))
    }
}

/// The name and type of a field.
fn entry(table: &'static str, number: u64) -> Option<(&'static str, &'static str)> {
    table.split(',').find_map(|entry| {
        let mut words = entry.split(' ');
        let own = words.next()?.parse::<u64>().ok()?;
        (own == number).then(|| Some((words.next()?, words.next()?))).flatten()
    })
}

/// Reads the fields of a message into an object.
fn message(name: &str, bytes: &[u8], fields: &mut Map<String, Value>, depth: u32) -> Result<(), ApiError> {
    let table = MESSAGES.iter().find(|(own, _)| *own == name).map_or("", |(_, table)| table);
    if depth > DEEPEST {
        return Err(bad("the body is nested too deeply"));
    }
    for field in Fields(bytes) {
        let (number, value) = field?;
        let Some((key, kind)) = entry(table, number) else {
            let text = format!("field {number} of {name} is not read in protocol buffers here; send JSON");
            return Err(bad(text));
        };
        if let (Some(of), Wired::Bytes(bytes)) = (kind.strip_prefix("[]"), value) {
            let one = single(of, Wired::Bytes(bytes), depth)?.unwrap_or_else(|| empty(of));
            if let Value::Array(all) =
                fields.entry(key.to_owned()).or_insert_with(|| Value::Array(Vec::new()))
            {
                all.push(one);
            }
        } else if let (Some(of), Wired::Bytes(bytes)) = (kind.strip_prefix("{}"), value) {
            let (name, one) = pair(of, bytes, depth)?;
            if let Value::Object(all) =
                fields.entry(key.to_owned()).or_insert_with(|| Value::Object(Map::new()))
            {
                json::put(all, &name, one);
            }
        } else if let ("~", Wired::Bytes(bytes)) = (key, value) {
            message(kind, bytes, fields, depth + 1)?;
        } else if kind != "-"
            && let Some(one) = single(kind, value, depth)?
        {
            json::put(fields, key, one);
        }
    }
    Ok(())
}

/// The value of an element that says nothing.
fn empty(kind: &str) -> Value {
    if kind == "s" { Value::from("") } else { Value::Object(Map::new()) }
}

/// An entry of a map.
fn pair(of: &str, bytes: &[u8], depth: u32) -> Result<(String, Value), ApiError> {
    let (mut name, mut value) = (String::new(), Value::from(""));
    for field in Fields(bytes) {
        match field? {
            (1, Wired::Bytes(text)) => name = utf8(text)?,
            (2, one) => value = single(of, one, depth)?.unwrap_or_else(|| Value::from("")),
            _ => {}
        }
    }
    Ok((name, value))
}

/// A value; none where JSON would leave it out.
fn single(kind: &str, value: Wired<'_>, depth: u32) -> Result<Option<Value>, ApiError> {
    let (kind, zero) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
    let wrong = || bad("a field of the body has another type than it should");
    Ok(match (kind, value) {
        ("s", Wired::Bytes(text)) => {
            let text = utf8(text)?;
            (!zero || !text.is_empty()).then(|| text.into())
        }
        ("i", Wired::Number(number)) => (!zero || number != 0).then(|| number.cast_signed().into()),
        ("b", Wired::Number(number)) => (!zero || number != 0).then(|| (number != 0).into()),
        ("y", Wired::Bytes(bytes)) => Some(Base64::Padded.encode(bytes).into()),
        // Only the server says when something was made.
        ("t", Wired::Bytes(_)) => None,
        ("q", Wired::Bytes(bytes)) => {
            let mut text = String::new();
            for field in Fields(bytes) {
                if let (1, Wired::Bytes(one)) = field? {
                    text = utf8(one)?;
                }
            }
            Some(text.into())
        }
        ("x", Wired::Bytes(bytes)) => {
            Some(int_or_string(bytes)?).filter(|value| !zero || value.as_i64() != Some(0))
        }
        ("s" | "i" | "b" | "y" | "t" | "q" | "x", _) | (_, Wired::Number(_)) => return Err(wrong()),
        (name, Wired::Bytes(bytes)) => {
            let mut fields = Map::new();
            message(name, bytes, &mut fields, depth + 1)?;
            // An empty selector selects everything, and none nothing; everything else that is empty says nothing.
            (!fields.is_empty() || name == "LabelSelector").then_some(Value::Object(fields))
        }
    })
}

fn int_or_string(bytes: &[u8]) -> Result<Value, ApiError> {
    let (mut is_text, mut number, mut text) = (false, 0, String::new());
    for field in Fields(bytes) {
        match field? {
            (1, Wired::Number(kind)) => is_text = kind == 1,
            (2, Wired::Number(value)) => number = value.cast_signed(),
            (3, Wired::Bytes(value)) => text = utf8(value)?,
            _ => {}
        }
    }
    Ok(if is_text { text.into() } else { number.into() })
}
