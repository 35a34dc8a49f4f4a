//! Discovery: versions, groups, resources.

use super::metrics;
use crate::{kinds::KindInfo, kube::Kube, nodes::description::VERSION, tree::put_new};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// Returns the valid paths.
pub(super) fn paths(kube: &Kube) -> Value {
    let mut all: Vec<String> = ["/api", "/api/v1", "/apis"].map(str::to_owned).to_vec();
    for (group, versions) in groups(kube) {
        all.push(format!("/apis/{group}"));
        all.extend(versions.iter().map(|version| format!("/apis/{group}/{version}")));
    }
    all.extend(
        ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].map(str::to_owned),
    );
    planarium_protocol::json!({ "paths": all })
}

/// `/version`.
pub(super) fn version() -> Value {
    planarium_protocol::json!({
        "major": "1", "minor": "29", "gitVersion": VERSION, "gitCommit": "simulated",
        "gitTreeState": "clean", "buildDate": "2024-12-11T00:00:00Z", "goVersion": "go1.22.10", "compiler": "gc",
        "platform": "linux/amd64",
    })
}

/// `/api`.
pub(super) fn core() -> Value {
    planarium_protocol::json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "" }],
    })
}

/// Groups with their versions, the preferred one first. *Order*: as the kinds come.
fn groups(kube: &Kube) -> Vec<(Text, Vec<Text>)> {
    let mut all: Vec<(Text, Vec<Text>)> = Vec::new();
    for (_, info) in kube.api().kinds.served().filter(|(_, info)| !info.group.is_empty()) {
        let at = all.iter().position(|(group, _)| *group == info.group).unwrap_or_else(|| {
            all.push((info.group.clone(), Vec::new()));
            all.len() - 1
        });
        let Some((_, versions)) = all.get_mut(at) else { continue };
        for version in &info.versions {
            if !versions.contains(version) {
                versions.push(version.clone());
            }
        }
    }
    all.push((metrics::GROUP.into(), vec![metrics::VERSION.into()]));
    all
}

fn group_value(group: &str, versions: &[Text]) -> Value {
    let one = |version: &Text| planarium_protocol::json!({ "groupVersion": format!("{group}/{version}"), "version": version });
    let all: Vec<Value> = versions.iter().map(one).collect();
    planarium_protocol::json!({ "name": group, "versions": all, "preferredVersion": all.first() })
}

/// `/apis`.
pub(super) fn group_list(kube: &Kube) -> Value {
    let all: Vec<Value> = groups(kube).iter().map(|(group, versions)| group_value(group, versions)).collect();
    planarium_protocol::json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": all })
}

/// Returns `/apis/GROUP`, if the group exists.
pub(super) fn group(kube: &Kube, name: &str) -> Option<Value> {
    let (group, versions) = groups(kube).into_iter().find(|(group, _)| **group == *name)?;
    let mut fields = Map::new();
    json::put(&mut fields, "kind", "APIGroup".into());
    json::put(&mut fields, "apiVersion", "v1".into());
    if let Value::Object(more) = group_value(&group, &versions) {
        more.into_iter().for_each(|(key, value)| put_new(&mut fields, &key, value));
    }
    Some(Value::Object(fields))
}

/// `/api/v1` or `/apis/GROUP/VERSION`, if anything is served there.
pub(super) fn resources(kube: &Kube, group: &str, version: &str) -> Option<Value> {
    let mut all = Vec::new();
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    for (_, info) in kube.api().kinds.served().filter(|(_, info)| info.serves(&api_version)) {
        all.push(resource(info, "", &info.kind, VERBS));
        if info.has_status {
            all.push(resource(info, "status", &info.kind, &["get", "patch", "update"]));
        }
        if info.has_scale {
            let mut scale = resource(info, "scale", "Scale", &["get", "patch", "update"]);
            if let Some(fields) = scale.as_object_mut() {
                json::put(fields, "group", "autoscaling".into());
                json::put(fields, "version", "v1".into());
            }
            all.push(scale);
        }
        if *info.kind == *"Pod" && group.is_empty() {
            for (sub, kind, verbs, group) in [
                ("binding", "Binding", &["create"][..], None),
                ("eviction", "Eviction", &["create"], Some("policy")),
                ("log", "Pod", &["get"], None),
                ("attach", "PodAttachOptions", &["create", "get"], None),
                ("exec", "PodExecOptions", &["create", "get"], None),
                ("portforward", "PodPortForwardOptions", &["create", "get"], None),
            ] {
                let mut one = resource(info, sub, kind, verbs);
                if let (Some(fields), Some(group)) = (one.as_object_mut(), group) {
                    json::put(fields, "group", group.into());
                    json::put(fields, "version", "v1".into());
                }
                all.push(one);
            }
        }
    }
    if all.is_empty() {
        return None;
    }
    Some(planarium_protocol::json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": all,
    }))
}

const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

fn resource(info: &Arc<KindInfo>, sub: &str, kind: &str, verbs: &[&str]) -> Value {
    let mut fields = Map::new();
    let name = if sub.is_empty() { info.plural.to_string() } else { format!("{}/{sub}", info.plural) };
    json::put(&mut fields, "name", name.into());
    let singular = if sub.is_empty() && info.custom { info.singular.as_ref() } else { "" };
    json::put(&mut fields, "singularName", singular.into());
    json::put(&mut fields, "namespaced", info.namespaced.into());
    json::put(&mut fields, "kind", kind.into());
    let verbs = if *info.kind == *"Event" && sub.is_empty() { &["get", "list", "watch"] } else { verbs };
    json::put(&mut fields, "verbs", json::of(&verbs));
    if sub.is_empty() {
        for (key, words) in [("shortNames", &info.short_names), ("categories", &info.categories)] {
            if !words.is_empty() {
                json::put(&mut fields, key, json::of(words));
            }
        }
    }
    Value::Object(fields)
}

/// `/openapi/v2`: a document without any type, so that clients leave checking to the server.
pub(super) fn openapi() -> Value {
    planarium_protocol::json!({
        "swagger": "2.0", "info": { "title": "Kubernetes", "version": VERSION }, "paths": {}, "definitions": {},
    })
}

/// The same as a protocol buffer (`openapi.v2.Document`): `swagger`, `info` with `title` and `version`, `paths`.
pub(super) fn openapi_protobuf() -> Vec<u8> {
    let field = |number: u8, bytes: &[u8]| {
        let mut all = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap_or(0)];
        all.extend_from_slice(bytes);
        all
    };
    let info = [field(1, b"Kubernetes"), field(2, VERSION.as_bytes())].concat();
    [field(1, b"2.0"), field(2, &info), field(8, b"")].concat()
}
