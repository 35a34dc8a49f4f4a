//! OpenAPI: the fields of each kind, for `kubectl explain` and for clients that merge themselves.
//!
//! *Knows*: the shapes of built-in kinds and the schemas of custom ones. *Must not know*: what a field does; descriptions are left out.
//!
//! **Source**: `kubernetes/kube-openapi: pkg/{builder3,handler3}`; match in structure: a document for each group and version, schemas with
//! their kinds, paths with their operations.

use crate::{
    kinds::{KindId, KindInfo},
    kube::Kube,
    nodes::description::VERSION,
    object::ObjectRef,
    schema::{Shape, Struct, shape_of},
    tree::Tree,
};
use planarium_protocol::{
    json,
    json::{Map, Value},
};

/// Prefix of schema names.
const PREFIX: &str = "io.k8s";

/// `/openapi/v3`: the index of the documents.
pub(super) fn index(kube: &Kube) -> Value {
    let mut paths = Map::new();
    for (_, info) in kube.api().kinds.served() {
        for version in &info.versions {
            let path = if info.group.is_empty() {
                format!("api/{version}")
            } else {
                format!("apis/{}/{version}", info.group)
            };
            let url = format!("/openapi/v3/{path}?hash={:X}", kube.resource_version());
            json::put(&mut paths, &path, json!({ "serverRelativeURL": url }));
        }
    }
    json!({ "paths": Value::Object(paths) })
}

/// The document of a group and version, if anything is served there.
pub(super) fn document(kube: &Kube, group: &str, version: &str) -> Option<Value> {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    let mut parts = Vec::new();
    for (kind, info) in kube.api().kinds.served().filter(|(_, info)| info.serves(&api_version)) {
        put_paths(&mut paths, info, group, version);
        let name =
            format!("{PREFIX}.api.{}.{version}.{}", if group.is_empty() { "core" } else { group }, info.kind);
        let mut schema = match shape_of(kind) {
            Shape::Of(of) => object(of, &mut parts),
            _ if info.custom => custom(kube, info, version, &mut parts),
            _ => json!({ "type": "object" }),
        };
        if let Some(fields) = schema.as_object_mut() {
            json::put(fields, "x-kubernetes-group-version-kind", Value::Array(vec![gvk(info, version)]));
        }
        json::put(&mut schemas, &name, schema);
    }
    if schemas.is_empty() {
        return None;
    }
    while let Some(of) = parts.pop() {
        let name = format!("{PREFIX}.{}", of.name);
        if !schemas.contains_key(&name) {
            let schema = object(of, &mut parts);
            json::put(&mut schemas, &name, schema);
        }
    }
    Some(json!({
        "openapi": "3.0.0", "info": { "title": "Kubernetes", "version": VERSION }, "paths": Value::Object(paths),
        "components": { "schemas": Value::Object(schemas) },
    }))
}

fn gvk(info: &KindInfo, version: &str) -> Value {
    json!({ "group": info.group, "version": version, "kind": info.kind })
}

/// Adds the paths of a kind, with the properties that clients look for.
fn put_paths(paths: &mut Map<String, Value>, info: &KindInfo, group: &str, version: &str) {
    let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    let here = if info.namespaced { format!("{root}/namespaces/{{namespace}}") } else { root.clone() };
    let operation = |action: &str| {
        json!({
            "parameters": [
                { "name": "dryRun", "in": "query", "schema": { "type": "string", "uniqueItems": true } },
                { "name": "fieldManager", "in": "query", "schema": { "type": "string", "uniqueItems": true } },
                { "name": "fieldValidation", "in": "query", "schema": { "type": "string", "uniqueItems": true } },
            ],
            "responses": { "200": { "description": "OK" } },
            "x-kubernetes-action": action, "x-kubernetes-group-version-kind": (gvk(info, version)),
        })
    };
    let collection = json!({ "get": (operation("list")), "post": (operation("post")) });
    let one = json!({
        "get": (operation("get")), "put": (operation("put")), "patch": (operation("patch")),
        "delete": (operation("delete")),
    });
    json::put(paths, &format!("{here}/{}", info.plural), collection);
    json::put(paths, &format!("{here}/{}/{{name}}", info.plural), one);
}

fn object(of: &'static Struct, parts: &mut Vec<&'static Struct>) -> Value {
    let mut properties = Map::new();
    for (name, shape, _) in of.fields {
        json::put(&mut properties, name, property(shape, parts));
    }
    json!({ "type": "object", "properties": Value::Object(properties) })
}

fn reference(of: &'static Struct, parts: &mut Vec<&'static Struct>) -> Value {
    parts.push(of);
    // A reference with additional properties is wrapped in a list of one.
    json!({ "allOf": [{ "$ref": format!("#/components/schemas/{PREFIX}.{}", of.name) }], "default": {} })
}

fn property(shape: &Shape, parts: &mut Vec<&'static Struct>) -> Value {
    let keyed = |of: &'static Struct, key: &str, strategy: &str, parts: &mut Vec<&'static Struct>| {
        json!({
            "type": "array", "items": (reference(of, parts)), "x-kubernetes-patch-merge-key": key,
            "x-kubernetes-patch-strategy": strategy, "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": [key],
        })
    };
    match shape {
        Shape::Str | Shape::Quantity => json!({ "type": "string" }),
        Shape::Int => json!({ "type": "integer", "format": "int32" }),
        Shape::Long => json!({ "type": "integer", "format": "int64" }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::IntOrStr => {
            json!({ "format": "int-or-string", "oneOf": [{ "type": "integer" }, { "type": "string" }] })
        }
        Shape::Any => json!({ "type": "object" }),
        Shape::Map(inner) => json!({ "type": "object", "additionalProperties": (property(inner, parts)) }),
        Shape::List(inner) => json!({ "type": "array", "items": (property(inner, parts)) }),
        Shape::Set => {
            json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-patch-strategy": "merge" })
        }
        Shape::Keyed(of, key) => keyed(of, key, "merge", parts),
        Shape::KeyedRetain(of, key) => keyed(of, key, "merge,retainKeys", parts),
        Shape::Of(of) => reference(of, parts),
        Shape::Retain(of) => {
            let mut value = reference(of, parts);
            if let Some(fields) = value.as_object_mut() {
                json::put(fields, "x-kubernetes-patch-strategy", "retainKeys".into());
            }
            value
        }
    }
}

/// The schema of a custom kind as its definition gives it, with the fields that every object has.
fn custom(kube: &Kube, info: &KindInfo, version: &str, parts: &mut Vec<&'static Struct>) -> Value {
    let name = format!("{}.{}", info.plural, info.group);
    let crd = kube.get(ObjectRef::new(KindId::CUSTOM_RESOURCE_DEFINITION, "", &name));
    let versions = crd.map(|crd| crd.content().at(&["spec"]).items("versions")).unwrap_or_default();
    let own = versions.iter().find(|one| one.text("name") == version).or_else(|| versions.first());
    let mut schema = own.map(|one| one.at(&["schema", "openAPIV3Schema"]).clone()).unwrap_or_default();
    if !schema.is_object() {
        schema = json!({ "type": "object" });
    }
    if let Some(properties) =
        schema.as_object_mut().and_then(|fields| crate::tree::object_at(fields, "properties"))
    {
        for key in ["apiVersion", "kind"] {
            json::put(properties, key, json!({ "type": "string" }));
        }
        json::put(properties, "metadata", property(&crate::schema::META, parts));
    }
    schema
}
