//! Metadata that KUDO adds to every object that it writes.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/renderer/enhancer.go`, `consts.go`, `dependencies.go`. Matched; the hash of
//! dependencies is another digest of the same content.

use std::sync::Arc;

use planarium_kernel::{Digest, digest};
use planarium_kube::{Kube, Object, ObjectRef};
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Value};

use super::{At, Failure, LAST_APPLIED, Meta, Prepared, Rendered};
use crate::codes::API_VERSION;
use crate::pods::INSTANCE_LABEL;
use crate::version::Version;

/// Group and kind of objects with pod templates, and the way to the template.
const POD_TEMPLATES: [(&str, &str, &[&str]); 7] = [
    ("apps", "StatefulSet", &["spec", "template"]),
    ("apps", "Deployment", &["spec", "template"]),
    ("", "ReplicaSet", &["spec", "template"]),
    ("", "ReplicationController", &["spec", "template"]),
    ("", "DaemonSet", &["spec", "template"]),
    ("batch", "Job", &["spec", "template"]),
    ("batch", "CronJob", &["spec", "jobTemplate", "spec", "template"]),
];

/// Makes objects ready to be applied or deleted. For deletion, kinds that the cluster does not serve are left out.
///
/// *Errors*: for applying, a kind that the cluster does not serve, which is fatal; a field whose value has the wrong type, which
/// is not, because the real conversion loses that mark.
pub(super) fn objects(
    kube: &Kube,
    version: &Version,
    meta: &Meta,
    at: &At<'_>,
    values: Vec<Value>,
    for_delete: bool,
) -> Result<Rendered, Unfit> {
    let mut rendered = Rendered::default();
    let mut all = Vec::new();
    for mut value in values {
        let api_version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind_name = value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let found = kube.find_kind(&api_version, &kind_name);
        let info = found.and_then(|kind| kube.kind_info(kind));
        let Some(info) = info else {
            if for_delete {
                continue;
            }
            let (group, api) = api_version.split_once('/').unwrap_or(("", &api_version));
            let shown = format!("{group}/{api}, Kind={kind_name}");
            return Err(Unfit::Fatal(format!(
                "fatal error: failed to determine if object {shown} is namespaced: a resource with GVK {shown} seems to be \
                 missing in API resource list"
            )));
        };
        let group = info.group.clone();
        labels(&mut value, &group, &kind_name, version, meta);
        annotations(&mut value, &group, &kind_name, version, meta, at);
        let metadata = object_at(&mut value, "metadata");
        if let Some(metadata) = metadata {
            if info.namespaced {
                metadata.insert("namespace".to_owned(), Value::from(&*meta.namespace));
                let owner = json!({
                    "apiVersion": API_VERSION,
                    "kind": "Instance",
                    "name": meta.instance,
                    "uid": meta.instance_uid,
                    "controller": true,
                    "blockOwnerDeletion": true,
                });
                let mut owners =
                    metadata.get("ownerReferences").and_then(Value::as_array).cloned().unwrap_or_default();
                owners.push(owner);
                metadata.insert("ownerReferences".to_owned(), Value::Array(owners));
            } else {
                metadata.remove("namespace");
            }
        }
        let name =
            value.get("metadata").and_then(|it| it.get("name")).and_then(Value::as_str).unwrap_or_default();
        let name = Text::from(name);
        let namespace = if info.namespaced { meta.namespace.clone() } else { Text::default() };
        all.push((value, found, namespace, name));
    }
    for at in 0..all.len() {
        let wanted = all.get(at).map(|(value, ..)| needs(value)).unwrap_or_default();
        if wanted.is_empty() {
            continue;
        }
        let mut hash = Digest::new();
        for (kind, name) in &wanted {
            let own = all.iter().find(|(value, _, _, known)| {
                value.get("kind").and_then(Value::as_str) == Some(*kind) && **known == **name
            });
            match own {
                Some((value, ..)) => content(value, &mut hash),
                None => {
                    let live = dependency(kube, kind, &meta.namespace, name);
                    let version = live.map_or(0, |live| live.resource_version);
                    let key = (Text::from(*kind), meta.namespace.clone(), Text::from(name.as_str()), version);
                    rendered.dependencies.push(key);
                    if let Some(live) = live {
                        live_content(live, &mut hash);
                    }
                }
            }
        }
        let hash = digest::hex(hash.finish());
        if let Some((value, ..)) = all.get_mut(at) {
            template_annotation(value, "kudo.dev/dependencies-hash", &format!("{hash}{hash}"));
        }
    }
    for (value, kind, ..) in &all {
        if let Some(mismatch) = kind.and_then(|kind| kube.mismatch(kind, value)) {
            let problem = conversion(mismatch.got, mismatch.wanted);
            return Err(Unfit::Transient(format!(
                "failed to convert objects to typed: fatal error: converting from unstructured failed: {problem}"
            )));
        }
    }
    rendered.objects = all
        .into_iter()
        .map(|(value, kind, namespace, name)| Prepared { value: Arc::new(value), kind, namespace, name })
        .collect();
    Ok(rendered)
}

/// Why objects cannot be made ready.
pub(super) enum Unfit {
    /// The plan is aborted.
    Fatal(String),
    /// It is tried again.
    Transient(String),
}

impl Meta {
    /// Returns the failure of a task whose objects cannot be made ready.
    pub(super) fn unfit(&self, at: &At<'_>, unfit: Unfit) -> Failure {
        match unfit {
            Unfit::Fatal(problem) => self.fatal(at, &problem, "TaskEnhancementError"),
            Unfit::Transient(problem) => Failure::Transient(problem),
        }
    }
}

/// Returns Go's message for a value that does not become a field of another type.
///
/// **Source**: `kubernetes/apimachinery: pkg/runtime/converter.go` (`fromUnstructured`). Match for whole numbers.
fn conversion(got: &str, wanted: &str) -> String {
    let from = match got {
        "number" => "int64",
        "array" => "slice",
        "object" => "map",
        other => other,
    };
    match wanted {
        "string" if got == "number" => "cannot convert int64 to string".to_owned(),
        "string" | "bool" | "int32" | "int64" => format!("unrecognized type: {wanted}"),
        _ if wanted.starts_with("map") => format!("cannot restore map from {from}"),
        "array" => format!("cannot restore slice from {from}"),
        _ => format!("cannot restore struct from: {from}"),
    }
}

/// A ConfigMap or Secret of the cluster.
pub(super) fn dependency<'k>(
    kube: &'k Kube,
    kind: &str,
    namespace: &str,
    name: &str,
) -> Option<&'k Arc<Object>> {
    let kind = kube.find_kind("v1", kind)?;
    kube.get(ObjectRef::new(kind, namespace, name))
}

fn labels(value: &mut Value, group: &str, kind: &str, version: &Version, meta: &Meta) {
    let added =
        [("heritage", "kudo"), ("kudo.dev/operator", &*version.operator), (INSTANCE_LABEL, &*meta.instance)];
    merge_texts(value, &["metadata", "labels"], &added);
    for path in pod_templates(group, kind) {
        let mut path = path.to_vec();
        path.extend(["metadata", "labels"]);
        merge_texts(value, &path, &added);
    }
    if group == "apps" && kind == "StatefulSet" {
        let claims = value.pointer_mut("/spec/volumeClaimTemplates").and_then(Value::as_array_mut);
        for claim in claims.into_iter().flatten() {
            merge_texts(claim, &["metadata", "labels"], &added);
        }
    }
}

fn annotations(value: &mut Value, group: &str, kind: &str, version: &Version, meta: &Meta, at: &At<'_>) {
    for path in pod_templates(group, kind) {
        let mut path = path.to_vec();
        path.extend(["metadata", "annotations"]);
        merge_texts(value, &path, &[("kudo.dev/operator-version", &version.version)]);
    }
    let added = [
        ("kudo.dev/plan", &*meta.plan),
        ("kudo.dev/phase", at.phase),
        ("kudo.dev/step", at.step),
        ("kudo.dev/last-plan-execution-uid", &*meta.uid),
    ];
    merge_texts(value, &["metadata", "annotations"], &added);
}

/// The pod templates of a kind.
fn pod_templates(group: &str, kind: &str) -> impl Iterator<Item = &'static [&'static str]> {
    let fits = POD_TEMPLATES
        .iter()
        .filter(move |(known, name, _)| *name == kind && (known.is_empty() || *known == group));
    fits.map(|(_, _, path)| *path)
}

fn template_annotation(value: &mut Value, key: &str, text: &str) {
    let group = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    let group = group.split_once('/').map_or("", |(group, _)| group).to_owned();
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    for path in pod_templates(&group, &kind) {
        let mut path = path.to_vec();
        path.extend(["metadata", "annotations"]);
        merge_texts(value, &path, &[(key, text)]);
    }
}

/// The mapping under a key, made where there is nothing; none where there is something else.
fn object_at<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Map<String, Value>> {
    let map = value.as_object_mut()?;
    let inner = map.entry(key.to_owned()).or_insert(Value::Null);
    if inner.is_null() {
        *inner = Value::Object(Map::new());
    }
    inner.as_object_mut()
}

/// Adds texts to the mapping at a path. Other values on the path stay unchanged.
fn merge_texts(value: &mut Value, path: &[&str], added: &[(&str, &str)]) {
    let Some((last, before)) = path.split_last() else { return };
    let mut at = value;
    for key in before {
        if object_at(at, key).is_none() {
            return;
        }
        let Some(next) = at.get_mut(*key) else { return };
        at = next;
    }
    let Some(map) = object_at(at, last) else { return };
    if map.values().all(Value::is_string) {
        for (key, text) in added {
            map.insert((*key).to_owned(), Value::from(*text));
        }
    }
}

/// Returns the objects that a pod template refers to through volumes and pull secrets. *Order*: kind, name.
fn needs(value: &Value) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for path in ["/spec/template/spec", "/spec/jobTemplate/spec/template/spec"] {
        let Some(spec) = value.pointer(path) else { continue };
        let items = |key: &str| spec.get(key).and_then(Value::as_array).into_iter().flatten();
        let text = |value: Option<&Value>, key: &str| {
            value.map(|value| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned())
        };
        found.extend(items("imagePullSecrets").filter_map(|it| Some(("Secret", text(Some(it), "name")?))));
        for volume in items("volumes") {
            found.extend(text(volume.get("configMap"), "name").map(|name| ("ConfigMap", name)));
            found.extend(text(volume.get("secret"), "secretName").map(|name| ("Secret", name)));
        }
    }
    planarium_kernel::sorted::sort(&mut found);
    found
}

/// Hashes the significant content of an object: without its origin and times.
fn content(value: &Value, hash: &mut Digest) {
    let annotations = value.pointer("/metadata/annotations");
    if annotations.is_some_and(|annotations| annotations.get("kudo.dev/skip-hash-calculation").is_some()) {
        return;
    }
    for (key, part) in sorted(value.as_object()) {
        match key.as_str() {
            "metadata" => {
                for key in ["labels", "name"] {
                    if let Some(part) = part.get(key) {
                        write(part, hash);
                    }
                }
            }
            "apiVersion" | "kind" | "status" => {}
            _ => {
                hash.write_str(key);
                write(part, hash);
            }
        }
    }
}

/// Hashes the configuration last applied by KUDO, or the object itself if another client created it.
fn live_content(live: &Object, hash: &mut Digest) {
    let applied = live.annotations.get(LAST_APPLIED).and_then(|text| json::value(text.as_bytes()).ok());
    content(&applied.unwrap_or_else(|| live.to_value()), hash);
}

fn sorted(map: Option<&Map<String, Value>>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.into_iter().flatten().collect();
    planarium_kernel::sorted::sort_by(&mut entries, |a, b| a.0.cmp(b.0));
    entries
}

fn write(value: &Value, hash: &mut Digest) {
    match value {
        Value::Object(map) => {
            for (key, value) in sorted(Some(map)) {
                hash.write_str(key);
                write(value, hash);
            }
        }
        Value::Array(items) => {
            hash.write_u64(items.len() as u64);
            for item in items {
                write(item, hash);
            }
        }
        Value::String(text) => hash.write_str(text),
        other => hash.write_str(&other.to_string()),
    }
}
