//! Writes the files of a package from an operator version in the cluster.
//!
//! *Knows*: the content of a version, and what of the package it lacks. *Must not know*: the cluster. Reading the files gives the same
//! version again; comments and groups of parameters are not part of a version and are lost.

use std::collections::BTreeMap;

use planarium_protocol::json;
use planarium_source::yaml::to_go_yaml;
use serde_json::{Map, Value};

use super::model::{Operator, Parameter};
use super::objects::{parameter, plans, put, task};
use super::params;
use crate::codes::API_VERSION;
use crate::version::Version;

/// Returns the files of a version, by their path in the package. `operator` has the data kept in the `Operator`
/// object.
pub fn files(version: &Version, operator: &Operator) -> BTreeMap<String, String> {
    let mut fields = Map::new();
    fields.insert("apiVersion".to_owned(), API_VERSION.into());
    for (key, text) in [
        ("name", &*version.operator),
        ("operatorVersion", &*version.version),
        ("appVersion", &*version.app_version),
        ("description", &operator.description.value),
        ("kudoVersion", &operator.kudo_version.value),
        ("kubernetesVersion", &operator.kubernetes_version.value),
        ("url", &operator.url.value),
        ("namespaceManifest", &operator.namespace_manifest.value),
    ] {
        put(&mut fields, key, text);
    }
    if !operator.maintainers.is_empty() {
        let all = operator.maintainers.iter().map(|(name, email)| json!({ "name": name, "email": email }));
        fields.insert("maintainers".to_owned(), all.collect());
    }
    if !version.tasks.is_empty() {
        fields.insert("tasks".to_owned(), version.tasks.iter().map(task).collect());
    }
    fields.insert("plans".to_owned(), plans(&version.plans));
    let parameters: Value = version.parameters.iter().map(written).collect();
    let params = json!({ "apiVersion": API_VERSION, "parameters": parameters });
    let texts = version.templates.iter().filter_map(|(name, template)| Some((name, template.as_ref().ok()?)));
    let templates = texts.map(|(name, template)| (format!("templates/{name}"), template.text().to_string()));
    let own = [("operator.yaml", Value::Object(fields)), ("params.yaml", params)];
    own.into_iter().map(|(path, value)| (path.to_owned(), to_go_yaml(&value))).chain(templates).collect()
}

/// Returns a parameter in the form of `params.yaml`.
fn written(one: &Parameter) -> Value {
    let mut value = parameter(one);
    let Some(fields) = value.as_object_mut() else { return value };
    if let Some(kind) = fields.remove("value-type") {
        fields.insert("type".to_owned(), kind);
    }
    if matches!(one.kind.as_str(), "map" | "array")
        && let Some(default) = one.default.as_deref().and_then(|text| params::yaml(text).ok())
    {
        fields.insert("default".to_owned(), default);
    }
    value
}
