//! `apply`, `create`, `patch`, `scale`, `set image`.

use planarium_part::Files;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_source::Diagnostics;
use planarium_source::yaml::Reader;
use serde_json::{Map, Value};

use super::Done;
use super::client::Client;
use super::kinds::{Resource, of_value, resource, targets};
use crate::LAST_APPLIED;
use crate::definition::Loaded;
use planarium_part::console::Given;

/// The objects of the files that `-f` names, in order, with the namespace that each belongs to.
pub(super) fn objects(
    client: &mut Client<'_, '_>,
    given: &Given,
) -> Result<Vec<(Resource, String, Value)>, String> {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let paths: Vec<String> = given.values("filename").map(str::to_owned).collect();
    for path in paths {
        let path = if path == "-" { "stdin".to_owned() } else { path };
        let text = client.read(&path).map_err(|problem| format!("error: {problem}"))?;
        let mut files = Files::new();
        let is_json = text.trim_start().starts_with(['{', '[']);
        let name = if is_json { "objects.json" } else { "objects.yaml" };
        files.insert(name.to_owned(), text);
        let asked = client.asked_namespace();
        let options = if asked.is_empty() { Value::Null } else { json!({ "namespace": asked }) };
        let loaded = Loaded::read(&LoadService { files, options, ..LoadService::default() });
        // The server refuses invalid objects in its own words when they are sent.
        if loaded.items().is_empty() {
            let first = loaded.diagnostics().iter().find(|finding| finding.is_error());
            let text = first.map_or("no objects passed to apply", |finding| &finding.message);
            return Err(format!("error: {text}"));
        }
        for item in loaded.items() {
            match of_value(client, &item.value) {
                Ok(kind) => found.push((kind, item.namespace.to_string(), Value::clone(&item.value))),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if found.is_empty() && problems.is_empty() {
        return Err("error: must specify one of -f and -k".to_owned());
    }
    for problem in &problems {
        client.warn(problem);
    }
    if found.is_empty() { Err(String::new()) } else { Ok(found) }
}

fn name_of(value: &Value) -> &str {
    value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn apply(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let mut failed = Vec::new();
    for (kind, namespace, value) in objects(client, given)? {
        match apply_one(client, &kind, &namespace, &value) {
            Ok(word) => client.say(&format!("{}/{} {word}", kind.word(), name_of(&value))),
            Err(problem) => failed.push(problem),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Creates an object, or changes it by a three-way patch of the last applied, the live, and the new object.
fn apply_one(
    client: &mut Client<'_, '_>,
    kind: &Resource,
    namespace: &str,
    value: &Value,
) -> Result<&'static str, String> {
    let path = kind.path(namespace, name_of(value));
    let mut wanted = value.clone();
    note(&mut wanted, value);
    let live = match client.try_get(&path) {
        Err(failed) if failed.status == 404 => {
            let made = client.send("POST", &kind.path(namespace, ""), &wanted, "application/json");
            return made.map(|_| "created").map_err(|failed| failed.text());
        }
        other => other.map_err(|failed| failed.text())?,
    };
    let last =
        live.pointer("/metadata/annotations").and_then(|all| all.get(LAST_APPLIED)).and_then(Value::as_str);
    let last = last.and_then(|text| json::value(text.as_bytes()).ok()).unwrap_or_default();
    let mut patch = wanted;
    removed(&last, value, &mut patch);
    let is_custom = planarium_kube::Reviewer::default()
        .find_kind(text(value, "apiVersion"), text(value, "kind"))
        .is_none();
    let media =
        if is_custom { "application/merge-patch+json" } else { "application/strategic-merge-patch+json" };
    let before = version_of(&live);
    let after = client.send("PATCH", &path, &patch, media).map_err(|failed| failed.text())?;
    Ok(if version_of(&after) == before { "unchanged" } else { "configured" })
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn version_of(value: &Value) -> String {
    value.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Writes the applied object into its annotation.
fn note(target: &mut Value, value: &Value) {
    let mut plain = value.to_string();
    plain.push('\n');
    let Some(metadata) = target.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let annotations = metadata.entry("annotations").or_insert_with(|| Value::Object(Map::new()));
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.insert(LAST_APPLIED.to_owned(), plain.into());
    }
}

/// Puts nulls into a patch for fields that were applied last and are not there any more, and deletions for items of lists with names.
fn removed(last: &Value, now: &Value, patch: &mut Value) {
    match (last, patch) {
        (Value::Object(last), Value::Object(patch)) => {
            for (key, old) in last {
                match now.get(key) {
                    None => _ = patch.entry(key.as_str()).or_insert(Value::Null),
                    Some(now) => {
                        if let Some(patch) = patch.get_mut(key) {
                            removed(old, now, patch);
                        }
                    }
                }
            }
        }
        (Value::Array(last), Value::Array(patch)) => {
            let Some(key) = key_of(last) else { return };
            let items = now.as_array().cloned().unwrap_or_default();
            for old in last {
                match items.iter().find(|item| item.get(key) == old.get(key)) {
                    None => patch.push(
                        json!({ "$patch": "delete", key: (old.get(key).cloned().unwrap_or_default()) }),
                    ),
                    Some(now) => {
                        if let Some(patch) = patch.iter_mut().find(|item| item.get(key) == old.get(key)) {
                            removed(old, now, patch);
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

/// The key by which the server merges a list of objects, as far as its items tell.
fn key_of(items: &[Value]) -> Option<&'static str> {
    ["mountPath", "devicePath", "containerPort", "name", "port"]
        .into_iter()
        .find(|key| !items.is_empty() && items.iter().all(|item| item.get(*key).is_some()))
}

pub(super) fn create(client: &mut Client<'_, '_>, given: &Given, kind: &str) -> Done {
    let [name] = given.arguments.as_slice() else {
        return Err("error: exactly one NAME is required, got 0".to_owned());
    };
    let kind = resource(client, kind)?;
    let mut value = json!({ "apiVersion": "v1", "kind": (kind.kind), "metadata": { "name": name } });
    let mut data = Map::new();
    for literal in given.values("from-literal") {
        let Some((key, text)) = literal.split_once('=') else {
            return Err(format!("error: invalid literal source {literal}, expected key=value"));
        };
        data.insert(key.to_owned(), text.into());
    }
    let field = if &*kind.kind == "Secret" { "stringData" } else { "data" };
    if let Some(fields) = value.as_object_mut().filter(|_| !data.is_empty()) {
        fields.insert(field.to_owned(), Value::Object(data));
    }
    let path = kind.path(&client.namespace(), "");
    client
        .send("POST", &path, &value, "application/json")
        .map_err(|failed| failed.text().replace("Error from server", "error: failed to create"))?;
    client.say(&format!("{}/{name} created", kind.word()));
    Ok(())
}

/// Reads a patch: JSON or YAML.
fn read_patch(text: &str) -> Result<Value, String> {
    let mut found = Diagnostics::new();
    let read = Reader::new(text, planarium_source::FileId::default()).one(&mut found);
    let value = read.root.map(|root| root.to_go_json()).filter(|_| !found.has_errors());
    value.ok_or_else(|| format!("error: unable to parse {text:?}: it is neither JSON nor YAML"))
}

pub(super) fn patch(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let Some(text) = given.value("patch") else {
        return Err(
            "error: must specify --patch or --patch-file containing the contents of the patch".to_owned()
        );
    };
    let media = match given.value("type").unwrap_or("strategic") {
        "strategic" => "application/strategic-merge-patch+json",
        "merge" => "application/merge-patch+json",
        "json" => "application/json-patch+json",
        other => return Err(format!("error: --type must be one of [json merge strategic], not {other:?}")),
    };
    let patch = read_patch(text)?;
    for (kind, name) in targets(client, &given.arguments)? {
        let path = kind.path(&client.namespace(), &name);
        let before = version_of(&client.get(&path)?);
        let after = client.send("PATCH", &path, &patch, media).map_err(|failed| failed.text())?;
        let word = if version_of(&after) == before { "patched (no change)" } else { "patched" };
        client.say(&format!("{}/{name} {word}", kind.word()));
    }
    Ok(())
}

pub(super) fn scale(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let required =
        "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0";
    let replicas: u32 = given.value("replicas").and_then(|text| text.parse().ok()).ok_or(required)?;
    for (kind, name) in targets(client, &given.arguments)? {
        let path = format!("{}/scale", kind.path(&client.namespace(), &name));
        let scale = client.get(&path)?;
        let now = scale.pointer("/spec/replicas").and_then(Value::as_u64).unwrap_or(0);
        if let Some(wanted) = given.value("current-replicas")
            && wanted.parse() != Ok(now)
        {
            return Err(format!("error: Expected replicas to be {wanted}, was {now}"));
        }
        client.merge(&path, &json!({ "spec": { "replicas": replicas } }))?;
        client.say(&format!("{}/{name} scaled", kind.word()));
    }
    Ok(())
}

pub(super) fn set_image(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let (images, resources): (Vec<String>, Vec<String>) =
        given.arguments.iter().cloned().partition(|argument| argument.contains('='));
    if images.is_empty() {
        return Err("error: at least one image update is required".to_owned());
    }
    for (kind, name) in targets(client, &resources)? {
        let path = kind.path(&client.namespace(), &name);
        let value = client.get(&path)?;
        let is_pod = &*kind.kind == "Pod";
        let template = match &*kind.kind {
            "Pod" => Some(&value),
            "CronJob" => value.pointer("/spec/jobTemplate/spec/template"),
            _ => value.pointer("/spec/template"),
        };
        let containers = template.and_then(|template| template.pointer("/spec/containers")?.as_array());
        let names: Vec<&str> = containers.into_iter().flatten().map(|one| text(one, "name")).collect();
        let mut wanted = Vec::new();
        for image in &images {
            let (container, image) = image.split_once('=').unwrap_or((image, ""));
            match container {
                "*" => wanted.extend(names.iter().map(|name| json!({ "name": name, "image": image }))),
                container if names.contains(&container) => {
                    wanted.push(json!({ "name": container, "image": image }));
                }
                container => return Err(format!("error: unable to find container named {container:?}")),
            }
        }
        let pod = json!({ "spec": { "containers": (Value::Array(wanted)) } });
        let patch = match &*kind.kind {
            _ if is_pod => pod,
            "CronJob" => json!({ "spec": { "jobTemplate": { "spec": { "template": pod } } } }),
            _ => json!({ "spec": { "template": pod } }),
        };
        let before = version_of(&value);
        let after = client
            .send("PATCH", &path, &patch, "application/strategic-merge-patch+json")
            .map_err(|failed| failed.text())?;
        if version_of(&after) != before {
            client.say(&format!("{}/{name} image updated", kind.word()));
        }
    }
    Ok(())
}
