//! An app or a pod as answers show it.
//!
//! *Knows*: the order of fields and which are left out when empty. *Must not know*: what answers wrap around it.
//!
//! **Source**: `marathon: raml/AppConversion.scala (appWriter), PodConversion.scala`, and `omitEmpty` of the schema. Match.

use super::networks::{HOST, mode};
use super::peek::Peek;
use super::spec::{Kind, RunSpec, Stamp};
use crate::schema::{Shape, app::APP, pod::POD};
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Fields of an app that are left out when they are empty.
const OMITTED: [&str; 9] = [
    "args",
    "constraints",
    "dependencies",
    "env",
    "fetch",
    "healthChecks",
    "readinessChecks",
    "secrets",
    "acceptedResourceRoles",
];
/// The same of pods.
const OMITTED_OF_PODS: [&str; 5] = ["labels", "environment", "secrets", "volumes", "networks"];

/// Formats of instants.
pub(crate) trait Dates {
    /// An instant as text: `2024-01-01T00:00:00.000Z`.
    fn date(&self, at: Stamp) -> String;
}

/// Returns the JSON of an app or pod, with its versions.
pub(crate) fn spec(spec: &RunSpec, dates: &dyn Dates) -> Value {
    let mut all = Map::new();
    let (shape, omitted): (&Shape, &[&str]) = match spec.def.kind {
        Kind::App => (&APP, &OMITTED),
        Kind::Pod => (&POD, &OMITTED_OF_PODS),
    };
    let info = spec.version;
    for field in shape.fields {
        let value = match field.name {
            "id" => Some(Value::String(spec.id.to_string())),
            "instances" => Some(Value::from(spec.instances)),
            "scaling" => Some(json!({"kind": "fixed", "instances": spec.instances})),
            "version" => Some(Value::String(dates.date(info.version))),
            "versionInfo" => Some(json!({
                "lastScalingAt": dates.date(info.scaled),
                "lastConfigChangeAt": dates.date(info.changed),
            })),
            name => spec
                .def
                .json
                .get(name)
                .filter(|_| !omitted.contains(&name) || spec.def.json.holds(name))
                .cloned(),
        };
        if let Some(value) = value {
            all.insert(field.name.to_owned(), value);
        }
    }
    if spec.is_app() {
        tidy_app(&mut all);
    } else {
        tidy_pod(&mut all);
    }
    Value::Object(all)
}

/// Leaves out empty fields further down.
fn tidy_pod(pod: &mut Map<String, Value>) {
    drop_empty(pod.get_mut("networks"), "labels");
    for key in ["endpoints", "environment", "volumeMounts", "artifacts", "labels"] {
        drop_empty(pod.get_mut("containers"), key);
    }
    let containers = pod.get_mut("containers").and_then(Value::as_array_mut);
    for container in containers.into_iter().flatten() {
        for key in ["protocol", "labels"] {
            drop_empty(container.get_mut("endpoints"), key);
        }
        if let Some(Value::Object(image)) = container.get_mut("image")
            && !image.holds("labels")
        {
            image.shift_remove("labels");
        }
    }
    let Some(Value::Object(scheduling)) = pod.get_mut("scheduling") else { return };
    if let Some(Value::Object(placement)) = scheduling.get_mut("placement") {
        placement.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        if placement.is_empty() {
            scheduling.shift_remove("placement");
        }
    }
}

/// Leaves out empty fields further down, and ports where the network has none.
fn tidy_app(app: &mut Map<String, Value>) {
    drop_empty(app.get_mut("networks"), "labels");
    drop_empty(app.get_mut("portDefinitions"), "labels");
    let on_host = app.items("networks").iter().all(|net| mode(net) == HOST);
    if let Some(Value::Object(container)) = app.get_mut("container") {
        drop_empty(container.get_mut("portMappings"), "networkNames");
        if on_host {
            container.shift_remove("portMappings");
        } else if !container.contains_key("portMappings") {
            container.insert("portMappings".to_owned(), Value::Array(Vec::new()));
        }
        let is_docker = container.word("type") == "DOCKER";
        if let Some(Value::Object(docker)) = container.get_mut("docker")
            && !is_docker
        {
            // The schema's defaults, which are written for every image.
            docker.insert("parameters".to_owned(), Value::Array(Vec::new()));
            docker.insert("privileged".to_owned(), Value::Bool(false));
        }
    }
    if !on_host {
        app.shift_remove("portDefinitions");
    }
}

fn drop_empty(list: Option<&mut Value>, key: &str) {
    let Some(Value::Array(items)) = list else { return };
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        if !item.holds(key) {
            item.shift_remove(key);
        }
    }
}
