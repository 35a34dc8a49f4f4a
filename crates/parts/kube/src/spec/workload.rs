//! Workloads: what makes pods of a template.

use super::{Share, pod::PodSpec};
use crate::{
    labels::Pairs,
    selector::Selector,
    tree::{Tree, word},
};
use planarium_kernel::Digest;
use planarium_protocol::{Text, json};
use serde_json::Value;
use std::sync::Arc;

/// Containers, probes and amounts.
#[derive(Clone, Debug)]
pub(crate) struct PodTemplate {
    pub(crate) labels: Pairs,
    pub(crate) annotations: Pairs,
    pub(crate) spec: Arc<PodSpec>,
    /// The template as written, without the labels that controllers add; in place of its spec is null.
    pub(crate) frame: Arc<Value>,
    /// The content of its pods: `{"spec": ...}`.
    pub(crate) content: Arc<Value>,
}

/// A template with null in place of its spec.
fn frame(template: &Value) -> Value {
    let Value::Object(fields) = template else { return template.clone() };
    let outside = |(key, value): (&String, &Value)| {
        (key.clone(), if key == "spec" { Value::Null } else { value.clone() })
    };
    Value::Object(fields.iter().map(outside).collect())
}

impl PodTemplate {
    pub(crate) fn read(value: &Value, ends: bool) -> Self {
        let metadata = value.key("metadata");
        Self {
            labels: Pairs::of_value(metadata.key("labels")),
            annotations: Pairs::of_value(metadata.key("annotations")),
            spec: Arc::new(PodSpec::read(value.key("spec"), ends)),
            content: Arc::new(within_spec(value.key("spec").clone())),
            frame: Arc::new(frame(value)),
        }
    }

    /// The template as written, without the labels that controllers add.
    pub(crate) fn value(&self) -> Value {
        let mut value = Value::clone(&self.frame);
        if let Some(spec) = value.get_mut("spec") {
            *spec = self.content.key("spec").clone();
        }
        value
    }

    /// The same template with other labels.
    pub(crate) fn labelled(&self, labels: Pairs) -> Self {
        Self { labels, ..self.clone() }
    }

    /// Returns a hash of ten characters of the template, ignoring one label: as in `pod-template-hash`.
    ///
    /// **Source**: `kubernetes/kubernetes: pkg/controller/controller_utils.go` (`ComputeHash`); differs in the hash function,
    /// matches in the alphabet.
    pub(crate) fn hash(&self, apart: &str, collisions: u32) -> Text {
        let mut digest = Digest::new();
        self.labels.iter().filter(|(key, _)| ***key != *apart).for_each(|(key, value)| {
            digest.write_str(key);
            digest.write_str(value);
        });
        // The labels of the metadata count above.
        match &*self.frame {
            Value::Object(fields) => {
                write_fields(&mut digest, fields.iter(), &|digest, key, value| match value {
                    Value::Object(fields) if key == "metadata" => {
                        write_fields(digest, fields.iter().filter(|(key, _)| *key != "labels"), &write_field);
                    }
                    _ if key == "spec" => write_value(digest, self.content.key("spec")),
                    value => write_value(digest, value),
                });
            }
            other => write_value(&mut digest, other),
        }
        digest.write_u32(collisions);
        safe_text(digest.finish(), 10)
    }

    /// True if pods of both are the same, apart from one label.
    pub(crate) fn is_same(&self, other: &Self, apart: &str) -> bool {
        let labels_match = {
            let own = |(key, _): &(&Text, &Text)| ***key != *apart;
            self.labels.iter().filter(own).eq(other.labels.iter().filter(own))
        };
        labels_match
            && self.annotations == other.annotations
            && (Arc::ptr_eq(&self.content, &other.content) || self.content == other.content)
    }
}

/// Content that has a spec only.
pub(crate) fn within_spec(spec: Value) -> Value {
    let mut fields = json::Map::new();
    json::put(&mut fields, "spec", spec);
    Value::Object(fields)
}

/// Characters that make no words.
const SAFE: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Encodes a number as a text of `length` characters.
///
/// **Source**: `kubernetes/apimachinery: pkg/util/rand/rand.go`; the alphabet.
pub(crate) fn safe_text(mut number: u64, length: usize) -> Text {
    let mut text = String::with_capacity(length);
    for _ in 0..length {
        let at = usize::try_from(number % SAFE.len() as u64).unwrap_or(0);
        text.push(SAFE.get(at).map_or('x', |byte| char::from(*byte)));
        number /= SAFE.len() as u64;
    }
    text.into()
}

/// Writes plain data; the order of fields does not count.
pub(crate) fn write_value(digest: &mut Digest, value: &Value) {
    match value {
        Value::Null => digest.write_u32(0),
        Value::Bool(truth) => digest.write_bool(*truth),
        Value::Number(number) => digest.write_str(&number.to_string()),
        Value::String(text) => digest.write_str(text),
        Value::Array(items) => {
            digest.write_u64(items.len() as u64);
            for item in items {
                write_value(digest, item);
            }
        }
        Value::Object(fields) => write_fields(digest, fields.iter(), &write_field),
    }
}

fn write_field(digest: &mut Digest, _: &str, value: &Value) {
    write_value(digest, value);
}

/// Writes fields in the order of their keys, each value as `write` does.
fn write_fields<'a>(
    digest: &mut Digest,
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    write: &dyn Fn(&mut Digest, &str, &Value),
) {
    let mut sorted: Vec<(&String, &Value)> = fields.collect();
    planarium_kernel::sorted::sort_by(&mut sorted, |(one, _), (other, _)| one.cmp(other));
    digest.write_u64(sorted.len() as u64);
    for (key, value) in sorted {
        digest.write_str(key);
        write(digest, key, value);
    }
}

/// A Deployment.
#[derive(Clone, Debug)]
pub(crate) struct DeploymentSpec {
    pub(crate) selector: Selector,
    pub(crate) template: Arc<PodTemplate>,
    pub(crate) recreate: bool,
    pub(crate) max_surge: Share,
    pub(crate) max_unavailable: Share,
    pub(crate) min_ready_s: u32,
    pub(crate) history: u32,
    pub(crate) paused: bool,
    pub(crate) progress_s: Option<u32>,
}

impl DeploymentSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let rolling = spec.at(&["strategy", "rollingUpdate"]);
        let share = |key: &str| Share::read(rolling.key(key)).unwrap_or(Share::Percent(25));
        Self {
            selector: Selector::of_value(spec.key("selector")),
            template: Arc::new(PodTemplate::read(spec.key("template"), false)),
            recreate: spec.at(&["strategy", "type"]) == "Recreate",
            max_surge: share("maxSurge"),
            max_unavailable: share("maxUnavailable"),
            min_ready_s: spec.count("minReadySeconds").unwrap_or(0),
            history: spec.count("revisionHistoryLimit").unwrap_or(10),
            paused: spec.flag("paused"),
            // The greatest number there is means: no deadline.
            progress_s: spec.count("progressDeadlineSeconds").filter(|seconds| *seconds < 2_147_483_647),
        }
    }

    /// Number of pods that may be there beyond the wanted ones, and of wanted ones that may be unavailable.
    ///
    /// **Source**: `kubernetes/kubernetes: pkg/controller/deployment/util/deployment_util.go` (`ResolveFenceposts`), match.
    pub(crate) fn fence(&self, replicas: u32) -> (u32, u32) {
        if self.recreate {
            return (0, 0);
        }
        let surge = self.max_surge.of(replicas, true);
        let unavailable = self.max_unavailable.of(replicas, false);
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        (surge, unavailable.min(replicas))
    }
}

/// A ReplicaSet.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaSetSpec {
    pub(crate) selector: Selector,
    pub(crate) template: Arc<PodTemplate>,
    pub(crate) min_ready_s: u32,
}

impl ReplicaSetSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        Self {
            selector: Selector::of_value(spec.key("selector")),
            template: Arc::new(PodTemplate::read(spec.key("template"), false)),
            min_ready_s: spec.count("minReadySeconds").unwrap_or(0),
        }
    }
}

/// A StatefulSet.
#[derive(Clone, Debug)]
pub(crate) struct StatefulSetSpec {
    pub(crate) selector: Selector,
    pub(crate) template: Arc<PodTemplate>,
    pub(crate) service: Text,
    pub(crate) parallel: bool,
    /// `RollingUpdate` or `OnDelete`.
    pub(crate) strategy: Text,
    /// Nothing without the block `rollingUpdate`.
    pub(crate) partition: Option<u32>,
    pub(crate) history: u32,
    pub(crate) min_ready_s: u32,
    /// Claims by the name of their volume.
    pub(crate) claims: Vec<(Text, Arc<Value>)>,
}

impl StatefulSetSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let strategy = spec.at(&["updateStrategy", "type"]).as_str().unwrap_or("RollingUpdate");
        let rolling = spec.at(&["updateStrategy", "rollingUpdate"]);
        let claim = |value: &Value| Some((word(value.key("metadata"), "name")?, Arc::new(value.clone())));
        Self {
            selector: Selector::of_value(spec.key("selector")),
            template: Arc::new(PodTemplate::read(spec.key("template"), false)),
            service: spec.text("serviceName").into(),
            parallel: spec.text("podManagementPolicy") == "Parallel",
            strategy: strategy.into(),
            partition: rolling.is_object().then(|| rolling.count("partition").unwrap_or(0)),
            history: spec.count("revisionHistoryLimit").unwrap_or(10),
            min_ready_s: spec.count("minReadySeconds").unwrap_or(0),
            claims: spec.items("volumeClaimTemplates").iter().filter_map(claim).collect(),
        }
    }

    pub(crate) fn on_delete(&self) -> bool {
        *self.strategy == *"OnDelete"
    }
}

/// A DaemonSet.
#[derive(Clone, Debug)]
pub(crate) struct DaemonSetSpec {
    pub(crate) selector: Selector,
    pub(crate) template: Arc<PodTemplate>,
    /// `RollingUpdate` or `OnDelete`.
    pub(crate) strategy: Text,
    pub(crate) max_unavailable: Share,
    /// Pods that may be there beside those that they replace.
    pub(crate) max_surge: Share,
    pub(crate) min_ready_s: u32,
    pub(crate) history: u32,
}

impl DaemonSetSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let strategy = spec.at(&["updateStrategy", "type"]).as_str().unwrap_or("RollingUpdate");
        let rolling = spec.at(&["updateStrategy", "rollingUpdate"]);
        Self {
            selector: Selector::of_value(spec.key("selector")),
            template: Arc::new(PodTemplate::read(spec.key("template"), false)),
            strategy: strategy.into(),
            max_unavailable: Share::read(rolling.key("maxUnavailable")).unwrap_or(Share::Number(1)),
            max_surge: Share::read(rolling.key("maxSurge")).unwrap_or(Share::Number(0)),
            min_ready_s: spec.count("minReadySeconds").unwrap_or(0),
            history: spec.count("revisionHistoryLimit").unwrap_or(10),
        }
    }
}

/// A Job.
#[derive(Clone, Debug)]
pub(crate) struct JobSpec {
    pub(crate) selector: Selector,
    pub(crate) template: Arc<PodTemplate>,
    /// Nothing for a work queue.
    pub(crate) completions: Option<u32>,
    pub(crate) parallelism: u32,
    pub(crate) backoff_limit: u32,
    pub(crate) deadline_s: Option<u32>,
    pub(crate) ttl_s: Option<u32>,
    pub(crate) suspended: bool,
    /// True if each completion has a number.
    pub(crate) indexed: bool,
}

/// The annotation and label with the number of an indexed Job's pod.
pub(crate) const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// A pod template whose containers know the number that they work at.
fn with_index(template: &Value) -> Value {
    let mut template = template.clone();
    for list in ["initContainers", "containers"] {
        let containers =
            template.get_mut("spec").and_then(|spec| spec.get_mut(list)).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let has = container.items("env").iter().any(|one| one.text("name") == "JOB_COMPLETION_INDEX");
            let Some(fields) = container.as_object_mut().filter(|_| !has) else { continue };
            let path = format!("metadata.annotations['{INDEX}']");
            let variable = json!({ "name": "JOB_COMPLETION_INDEX", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": path } } });
            if let Some(all) = fields.entry("env").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
            {
                all.push(variable);
            }
        }
    }
    template
}

impl JobSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        Self {
            selector: Selector::of_value(spec.key("selector")),
            template: Arc::new(if spec.text("completionMode") == "Indexed" {
                PodTemplate::read(&with_index(spec.key("template")), true)
            } else {
                PodTemplate::read(spec.key("template"), true)
            }),
            completions: spec.count("completions"),
            parallelism: spec.count("parallelism").unwrap_or(1),
            backoff_limit: spec.count("backoffLimit").unwrap_or(6),
            deadline_s: spec.count("activeDeadlineSeconds"),
            ttl_s: spec.count("ttlSecondsAfterFinished"),
            suspended: spec.flag("suspend"),
            indexed: spec.text("completionMode") == "Indexed",
        }
    }
}

/// A ControllerRevision: a template that a StatefulSet or DaemonSet had.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    pub(crate) number: i64,
    pub(crate) template: Arc<PodTemplate>,
}

impl Revision {
    pub(crate) fn read(content: &Value) -> Self {
        Self {
            number: content.int("revision").unwrap_or(0),
            template: Arc::new(PodTemplate::read(content.at(&["data", "spec", "template"]), false)),
        }
    }
}
