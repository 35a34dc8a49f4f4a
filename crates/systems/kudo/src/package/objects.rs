//! The API objects that a package becomes.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/convert/resources.go`, `parameters.go`. Match.

use planarium_protocol::json;
use serde_json::{Map, Value};

use super::decode::Package;
use super::model::{Operator, Parameter, Plan, Task, TaskKind, Word};
use crate::codes::API_VERSION;

/// The objects of a package, without namespace.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The `Operator`.
    pub operator: Value,
    /// The `OperatorVersion`.
    pub version: Value,
    /// Name of the `OperatorVersion`.
    pub version_name: String,
}

/// The name of an `OperatorVersion`.
pub fn version_name(operator: &str, app_version: &str, operator_version: &str) -> String {
    if app_version.is_empty() {
        format!("{operator}-{operator_version}")
    } else {
        format!("{operator}-{app_version}-{operator_version}")
    }
}

/// Converts a package.
///
/// *Errors*: the refusals of the real conversion, one per line: missing files, unknown templates and unknown kinds of task.
pub fn objects(package: &Package) -> Result<Objects, String> {
    let Some(operator) = &package.operator else { return Err("operator.yaml file is missing".to_owned()) };
    let Some(params) = &package.params else { return Err("params.yaml file is missing".to_owned()) };
    let problems: Vec<String> =
        conversion_problems(operator, package).into_iter().map(|(_, problem)| problem).collect();
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let name = operator.name.value.as_str();
    let version_name = version_name(name, &operator.app_version.value, &operator.operator_version.value);
    let mut spec = Map::new();
    put(&mut spec, "description", &operator.description.value);
    put(&mut spec, "kudoVersion", &operator.kudo_version.value);
    put(&mut spec, "kubernetesVersion", &operator.kubernetes_version.value);
    if !operator.maintainers.is_empty() {
        let maintainers = operator.maintainers.iter().map(|(name, email)| {
            let mut fields = Map::new();
            put(&mut fields, "name", name);
            put(&mut fields, "email", email);
            Value::Object(fields)
        });
        spec.insert("maintainers".to_owned(), maintainers.collect());
    }
    put(&mut spec, "url", &operator.url.value);
    put(&mut spec, "namespaceManifest", &operator.namespace_manifest.value);
    let operator_object = json!({
        "apiVersion": API_VERSION,
        "kind": "Operator",
        "metadata": { "name": name },
        "spec": (Value::Object(spec)),
        "status": {},
    });

    let mut spec = Map::new();
    spec.insert("operator".to_owned(), json!({ "kind": "Operator", "name": name }));
    put(&mut spec, "version", &operator.operator_version.value);
    put(&mut spec, "appVersion", &operator.app_version.value);
    if !package.templates.is_empty() {
        let templates = package.templates.iter().map(|(name, file)| (name.clone(), Value::from(&*file.text)));
        spec.insert("templates".to_owned(), Value::Object(templates.collect()));
    }
    if !operator.tasks.is_empty() {
        spec.insert("tasks".to_owned(), operator.tasks.iter().map(task).collect());
    }
    if !params.parameters.is_empty() {
        spec.insert("parameters".to_owned(), params.parameters.iter().map(parameter).collect());
    }
    spec.insert("plans".to_owned(), plans(&operator.plans));
    let version = json!({
        "apiVersion": API_VERSION,
        "kind": "OperatorVersion",
        "metadata": { "name": version_name },
        "spec": (Value::Object(spec)),
        "status": {},
    });
    Ok(Objects { operator: operator_object, version, version_name })
}

/// An `Instance` as clients create it.
pub fn instance_object<'p>(
    name: &str,
    namespace: &str,
    operator: &str,
    version: &str,
    parameters: impl IntoIterator<Item = (&'p str, &'p str)>,
) -> Value {
    let parameters: Map<String, Value> =
        parameters.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
    let mut spec = Map::new();
    spec.insert("operatorVersion".to_owned(), json!({ "name": version }));
    if !parameters.is_empty() {
        spec.insert("parameters".to_owned(), Value::Object(parameters));
    }
    spec.insert("planExecution".to_owned(), json!({}));
    json!({
        "apiVersion": API_VERSION,
        "kind": "Instance",
        "metadata": { "name": name, "namespace": namespace, "labels": { "kudo.dev/operator": operator } },
        "spec": (Value::Object(spec)),
        "status": {},
    })
}

/// Returns the problems that keep a package from becoming objects, each with its position.
pub(crate) fn conversion_problems<'p>(operator: &'p Operator, package: &Package) -> Vec<(&'p Word, String)> {
    let mut problems = Vec::new();
    for task in &operator.tasks {
        let name = &task.name.value;
        match task.is() {
            Some(TaskKind::Toggle) if task.parameter.value.is_empty() => {
                problems.push((&task.name, format!("toggle task {name} does not have parameter specified")));
            }
            Some(TaskKind::Pipe) if task.pipe.is_empty() => {
                problems.push((&task.name, format!("task {name} does not have pipe files specified")));
            }
            Some(_) => {}
            None => problems.push((&task.kind, format!("unknown task kind {}", task.kind.value))),
        }
        for template in task.templates() {
            if !package.templates.contains_key(&template.value) {
                problems.push((template, format!("task {name} missing template: {}", template.value)));
            }
        }
    }
    problems
}

/// Puts a text unless it is empty.
pub(super) fn put(fields: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        fields.insert(key.to_owned(), text.into());
    }
}

pub(super) fn task(task: &Task) -> Value {
    let mut spec = Map::new();
    if !task.resources.is_empty() {
        let resources = task.resources.iter().map(|word| Value::from(word.value.as_str())).collect();
        spec.insert("resources".to_owned(), resources);
    }
    for (key, flag) in [("wantErr", task.want_err), ("fatal", task.fatal), ("done", task.done)] {
        if flag {
            spec.insert(key.to_owned(), true.into());
        }
    }
    put(&mut spec, "pod", &task.pod.value);
    if !task.pipe.is_empty() {
        let pipe = task.pipe.iter().map(|file| {
            json!({ "file": file.file, "envFile": file.env_file, "kind": file.kind, "key": file.key.value })
        });
        spec.insert("pipe".to_owned(), pipe.collect());
    }
    for (key, word) in [
        ("parameter", &task.parameter),
        ("package", &task.package),
        ("instanceName", &task.instance_name),
        ("appVersion", &task.app_version),
        ("operatorVersion", &task.operator_version),
        ("parameterFile", &task.parameter_file),
    ] {
        put(&mut spec, key, &word.value);
    }
    json!({ "name": task.name.value, "kind": task.kind.value, "spec": (Value::Object(spec)) })
}

pub(super) fn parameter(parameter: &Parameter) -> Value {
    let mut fields = Map::new();
    put(&mut fields, "displayName", &parameter.display_name);
    put(&mut fields, "name", &parameter.name.value);
    put(&mut fields, "description", &parameter.description);
    fields.insert("required".to_owned(), parameter.required.into());
    if let Some(default) = &parameter.default {
        fields.insert("default".to_owned(), Value::from(&**default));
    }
    put(&mut fields, "trigger", &parameter.trigger.value);
    put(&mut fields, "value-type", &parameter.kind);
    fields.insert("immutable".to_owned(), parameter.immutable.into());
    if let Some(allowed) = &parameter.allowed {
        fields.insert("enum".to_owned(), allowed.iter().map(|text| Value::from(&**text)).collect());
    }
    Value::Object(fields)
}

pub(super) fn plans(plans: &[Plan]) -> Value {
    let plans = plans.iter().map(|plan| {
        let phases = plan.phases.iter().map(|phase| {
            let steps = phase.steps.iter().map(|step| {
                let tasks: Vec<&str> = step.tasks.iter().map(|task| task.value.as_str()).collect();
                json!({ "name": step.name.value, "tasks": tasks })
            });
            let steps: Value = steps.collect();
            json!({ "name": phase.name.value, "strategy": phase.strategy.value, "steps": steps })
        });
        let phases: Value = phases.collect();
        let plan_object = json!({ "strategy": plan.strategy.value, "phases": phases });
        (plan.name.value.clone(), plan_object)
    });
    Value::Object(plans.collect())
}
