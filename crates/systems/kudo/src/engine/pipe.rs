//! Pods that make files, and the ConfigMaps and Secrets that the files become.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/task_pipe.go`, `env_file.go`. Matched, but that files are made up: a line that names
//! them, or `KEY=value`. A tag of the init container's image says otherwise: `no-file` and `large-file`.

use planarium_kernel::base64::Base64;
use planarium_protocol::json;
use serde_json::{Map, Value};

use super::enhance;
use super::health::{self, Health};
use super::render::{Scope, pipe_name};
use super::{At, Outcome, Work, manifest};
use crate::package::model::PipeFile;
use crate::package::params;

/// Bytes of a file at most.
const LARGEST: usize = 1024 * 1024;

impl Work<'_, '_> {
    /// Runs the pod, keeps its files, deletes it.
    pub(super) fn pipe(&mut self, at: &At<'_>) -> Outcome {
        let template = &at.task.pod.value;
        let rendered = self.facts().template(at, template, Scope::Task);
        let (text, _) = rendered.map_err(|problem| self.meta.fatal(at, &problem, "TaskRenderingError"))?;
        let mut pod = params::yaml(&text).map_err(|problem| {
            self.meta.fatal(
                at,
                &format!("failed to unmarshall pipe pod: {problem}"),
                "ResourceUnmarshalError",
            )
        })?;
        if pod.is_null() {
            pod = json!({});
        }
        let mount = validate(&pod, &at.task.pipe)
            .map_err(|problem| self.meta.fatal(at, &problem, "ResourceValidationError"))?;
        let name = self.pipe_name(at, "pipepod");
        finish_pod(&mut pod, &name, &mount);
        let objects = self.enhanced(at, vec![pod.clone()])?;
        let applied = self.apply_all(at, &objects)?;
        let Some(live) = applied.first() else { return Ok(false) };
        // A pipe pod cannot fail permanently.
        if let Some(message) = health::of(live).message() {
            let message = message.to_owned();
            self.memory.waits(at.place(), Some((format!("Pod/{}", live.name).into(), message)));
            return Ok(false);
        }
        debug_assert_eq!(health::of(live), Health::Healthy);
        self.memory.waits(at.place(), None);
        let mut artifacts = Vec::new();
        for file in &at.task.pipe {
            let content =
                read_file(&pod, file).map_err(|problem| self.meta.fatal(at, &problem, "PipeTaskError"))?;
            let artifact = self.pipe_name(at, &file.key.value);
            artifacts.push(make_artifact(file, &artifact, &content));
        }
        let artifacts = self.enhanced(at, artifacts)?;
        self.apply_all(at, &artifacts)?;
        self.delete_all(&objects)?;
        Ok(true)
    }

    fn pipe_name(&self, at: &At<'_>, suffix: &str) -> String {
        let task = at.task.name.value.as_str();
        pipe_name([&self.meta.instance, &self.meta.plan, at.phase, at.step, task, suffix])
    }

    fn enhanced(&self, at: &At<'_>, values: Vec<Value>) -> Result<Vec<super::Prepared>, super::Failure> {
        // The result is parsed like any rendered text.
        let values = values.into_iter().filter_map(|value| {
            manifest::split(&value.to_string())
                .ok()
                .and_then(|all| all.into_iter().next())
                .map(|one| one.value)
        });
        enhance::objects(self.kube, self.version, self.meta, at, values.collect(), false)
            .map(|rendered| rendered.objects)
            .map_err(|unfit| self.meta.unfit(at, unfit))
    }
}

/// Name of the shared volume and where the init container mounts it.
type Mount = (String, String);

fn items<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(path).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn source(file: &PipeFile) -> &str {
    if file.file.is_empty() { &file.env_file } else { &file.file }
}

fn validate(pod: &Value, files: &[PipeFile]) -> Result<Mount, String> {
    if items(pod, "/spec/containers").next().is_some() {
        return Err(
            "pipe pod should not have containers. pipe artifacts are generated in the init container"
                .to_owned(),
        );
    }
    if items(pod, "/spec/initContainers").count() != 1 {
        return Err("pipe pod should define one init container that generated artifacts defined".to_owned());
    }
    let policy = pod.pointer("/spec/restartPolicy").and_then(Value::as_str).unwrap_or_default();
    if !matches!(policy, "" | "OnFailure") {
        return Err("pipe pod RestartPolicy should be OnFailure".to_owned());
    }
    let shared: Vec<&Value> = items(pod, "/spec/volumes")
        .filter(|volume| volume.get("emptyDir").is_some_and(|it| !it.is_null()))
        .collect();
    let [volume] = shared.as_slice() else {
        return Err(
            "pipe pod should define one emptyDir shared volume where the artifacts are temporary stored"
                .to_owned(),
        );
    };
    let volume = text(volume, "name").to_owned();
    let mount = items(pod, "/spec/initContainers/0/volumeMounts").find(|mount| text(mount, "name") == volume);
    let Some(mount) = mount.map(|mount| text(mount, "mountPath").to_owned()) else {
        return Err(format!("pipe pod should save generated artifacts in {volume}"));
    };
    for file in files {
        let source = source(file);
        if !is_below(&mount, source) {
            return Err(format!("pipe file {source} should be a child of {mount} mount path"));
        }
        let base = base_name(source);
        if !base.chars().any(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')) {
            return Err(format!(
                "pipe file name {base} should only contain alphanumeric characters, '.', '_' and '-'"
            ));
        }
    }
    Ok((volume, mount))
}

/// Parts of a path, `.` and `..` resolved.
fn cleaned(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    parts
}

/// Strictly below, and the next segment does not begin with a dot.
fn is_below(folder: &str, file: &str) -> bool {
    if folder.starts_with('/') != file.starts_with('/') {
        return false;
    }
    let (folder, file) = (cleaned(folder), cleaned(file));
    file.strip_prefix(folder.as_slice())
        .and_then(|rest| rest.first().copied())
        .is_some_and(|next| !next.starts_with('.'))
}

fn base_name(path: &str) -> &str {
    cleaned(path).last().copied().unwrap_or("/")
}

fn finish_pod(pod: &mut Value, name: &str, mount: &Mount) {
    let Some(fields) = pod.as_object_mut() else { return };
    // Whatever kind the template declares, the task makes a pod of it.
    fields.entry("apiVersion").or_insert_with(|| "v1".into());
    fields.entry("kind").or_insert_with(|| "Pod".into());
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    if !metadata.is_object() {
        *metadata = json!({});
    }
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("name".to_owned(), name.into());
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if !annotations.is_object() {
            *annotations = json!({});
        }
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert("kudo.dev/pipepod".to_owned(), "true".into());
        }
    }
    if let Some(spec) = fields.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("restartPolicy".to_owned(), "OnFailure".into());
        let waiter = json!({
            "name": "waiter",
            "image": "busybox",
            "command": ["/bin/sh", "-c"],
            "args": ["sleep infinity"],
            "volumeMounts": [{ "name": (mount.0), "mountPath": (mount.1) }],
        });
        spec.insert("containers".to_owned(), json!([waiter]));
    }
}

/// Reads a file that the pod made.
fn read_file(pod: &Value, file: &PipeFile) -> Result<String, String> {
    let source = source(file);
    let image = pod.pointer("/spec/initContainers/0/image").and_then(Value::as_str).unwrap_or_default();
    let tag = image.rsplit_once(':').map_or("", |(_, tag)| tag);
    if tag.contains("no-file") {
        return Err(format!(
            "command failed: failed to get the size of {source}, err: command terminated with exit code 1, stderr: stat: \
             can't stat '{source}': No such file or directory\r\n"
        ));
    }
    if tag.contains("large-file") {
        let size = LARGEST.saturating_mul(2);
        return Err(format!("pipe file {source} size {size} exceeds maximum file size of {LARGEST} bytes"));
    }
    Ok(if file.file.is_empty() { "KEY=value\n".to_owned() } else { format!("{source}, made by {image}\n") })
}

fn make_artifact(file: &PipeFile, name: &str, content: &str) -> Value {
    let mut entries: Map<String, Value> = Map::new();
    let secret = file.kind == "Secret";
    let encoded = |text: &str| Value::from(Base64::Padded.encode(text.as_bytes()));
    let key = if file.file.is_empty() {
        for line in
            content.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some((key, value)) = line.split_once('=') {
                entries.insert(key.to_owned(), if secret { encoded(value) } else { value.into() });
            }
        }
        "data"
    } else {
        entries.insert(base_name(&file.file).to_owned(), encoded(content));
        if secret { "data" } else { "binaryData" }
    };
    let mut object = json!({ "apiVersion": "v1", "kind": file.kind, "metadata": { "name": name } });
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), Value::Object(entries));
    }
    object
}
