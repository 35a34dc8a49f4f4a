//! Child instances.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/task_kudo_operator.go`. Match: a child whose plan has failed fatally has no
//! scheduled plan, and so counts as done.

use planarium_kube::{ObjectRef, Part, Patch};
use planarium_protocol::{Text, json};
use serde_json::{Map, Value};

use super::render::Scope;
use super::{At, Failure, Outcome, Work, health};
use crate::codes::API_VERSION;
use crate::instance::Instance;
use crate::package::{instance_object, params, version_name};

impl Work<'_, '_> {
    /// Creates or updates the child, and checks whether its plan has ended.
    pub(super) fn child(&mut self, at: &At<'_>) -> Outcome {
        let task = at.task;
        let operator = task.package.value.as_str();
        let version = version_name(operator, &task.app_version.value, &task.operator_version.value);
        let name = if task.instance_name.value.is_empty() {
            format!("{}-{operator}", self.meta.instance)
        } else {
            task.instance_name.value.clone()
        };
        let parameters = self
            .child_parameters(at, &task.parameter_file.value)
            .map_err(|problem| self.meta.fatal(at, &problem, "TaskRenderingError"))?;
        let pairs = parameters.iter().map(|(key, value)| (&**key, &**value));
        let mut value = instance_object(&name, &self.meta.namespace, operator, &version, pairs);
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            let owner = json!({
                "apiVersion": API_VERSION,
                "kind": "Instance",
                "name": self.meta.instance,
                "uid": self.meta.instance_uid,
            });
            metadata.insert("ownerReferences".to_owned(), json!([owner]));
        }
        let kind = self.kube.find_kind(API_VERSION, "Instance");
        let Some(kind) = kind else {
            return Err(Failure::Transient("no matches for kind \"Instance\"".to_owned()));
        };
        let reference = ObjectRef::new(kind, &self.meta.namespace, &name);
        let written = if self.kube.get(reference).is_some() {
            let mut spec = Map::new();
            spec.insert("operatorVersion".to_owned(), json!({ "name": version }));
            if !parameters.is_empty() {
                let values = parameters.iter().map(|(key, value)| (key.to_string(), Value::from(&**value)));
                spec.insert("parameters".to_owned(), Value::Object(values.collect()));
            }
            spec.insert("planExecution".to_owned(), json!({}));
            let patch = Patch::Merge(json!({ "spec": (Value::Object(spec)) }));
            self.kube.patch(self.cx, reference, Part::Whole, &patch)
        } else {
            self.kube.create(self.cx, value)
        };
        let object = written.map_err(|error| Failure::Transient(error.message))?;
        match health::instance(&Instance::read(&object)).message() {
            Some(message) => {
                let path = format!("Instance/{}", object.name);
                self.memory.waits(at.place(), Some((path.into(), message.to_owned())));
                Ok(false)
            }
            None => {
                self.memory.waits(at.place(), None);
                Ok(true)
            }
        }
    }

    fn child_parameters(&self, at: &At<'_>, file: &str) -> Result<Vec<(Text, Text)>, String> {
        if file.is_empty() {
            return Ok(Vec::new());
        }
        if !self.version.templates.contains_key(file) {
            return Err(format!("error finding parameter file {file} in templates"));
        }
        let rendered = self.facts().template(at, file, Scope::ParameterFile);
        let (text, _) = rendered.map_err(|problem| {
            let reason =
                problem.strip_prefix(&format!("error expanding template {file}: ")).unwrap_or(&problem);
            format!("error expanding parameter file {file}: {reason}")
        })?;
        params::from_file(file, &text)
    }
}
