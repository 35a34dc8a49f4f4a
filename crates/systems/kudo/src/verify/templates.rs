//! Templates rendered with defaults, and namespaces in them.

use std::rc::Rc;

use planarium_kernel::Limits;
use planarium_protocol::Text;
use planarium_source::Span;
use planarium_source::template::gotemplate::{Dict, Environment, Template, Value};

use super::Finding;
use crate::codes;
use crate::engine::manifest;
use crate::engine::render::pipes_of;
use crate::package::Package;
use crate::package::model::{Operator, Parameter, ParamsFile, TaskKind};
use crate::package::params;

pub(super) fn render(package: &Package, operator: &Operator, params: &ParamsFile, found: &mut Vec<Finding>) {
    let mut values: Vec<(Rc<str>, Value)> = Vec::new();
    for parameter in &params.parameters {
        match params::unwrap(parameter.default.as_deref(), &parameter.kind) {
            Ok(value) => values.push((Rc::from(parameter.name.value.as_str()), value)),
            Err(problem) => {
                let help = format!("write YAML of type {}", parameter.kind);
                found.push(Finding::error(codes::BAD_DEFAULT, parameter.default_at, problem, help));
                return;
            }
        }
    }
    let mut pipes: Vec<(Text, Text)> = Vec::new();
    for plan in &operator.plans {
        match pipes_of("", plan, &operator.tasks) {
            Ok(more) => pipes.extend(more),
            Err(key) => {
                let task =
                    operator.tasks.iter().find(|task| task.pipe.iter().any(|pipe| pipe.key.value == key));
                let span = task.and_then(|task| task.pipe.iter().find(|pipe| pipe.key.value == key));
                let span = span.map_or(plan.name.span, |pipe| pipe.key.span);
                let help = format!("plan '{}' runs into this; it stays PENDING", plan.name.value);
                let text = format!("duplicated pipe key {key}");
                found.push(Finding::error(codes::SAME_PIPE_KEY, span, text, help));
                return;
            }
        }
    }
    for (name, file) in &package.templates {
        let context = context(&values, &pipes);
        let environment = Environment { file: file.file, ..Environment::default() };
        let rendered = Template::parse(name, std::sync::Arc::clone(&file.text))
            .map_err(|error| (format!("error parsing template: {error}"), error))
            .and_then(|template| {
                let rendered = template.execute(context, &environment);
                rendered.map_err(|error| (format!("error rendering template: {error}"), error))
            });
        let output = match rendered {
            Ok(output) => output,
            Err((text, error)) => {
                let span = Span::new(file.file, error.start, error.end);
                let help = "with the defaults of all parameters; a value may change it";
                found.push(Finding::error(codes::NOT_RENDERED, span, text, help));
                continue;
            }
        };
        let is_parameter_file = operator
            .tasks
            .iter()
            .any(|task| task.is() == Some(TaskKind::KudoOperator) && task.parameter_file.value == *name);
        if is_parameter_file {
            continue;
        }
        let manifests = match manifest::split(&output.text) {
            Ok(manifests) => manifests,
            Err(problem) => {
                let text = format!("parsing rendered YAML from {name} failed: {}", problem.message);
                let at = output.map.map(problem.offset, problem.offset).span;
                let help = "a task that applies this template ends its plan in FATAL_ERROR";
                found.push(Finding::error(codes::BAD_YAML, at, text, help));
                continue;
            }
        };
        for manifest in &manifests {
            let Some(number) = too_many(&manifest.value) else { continue };
            let text = format!(
                "{name} asks for {number} pods, more than the {} of one workload that the simulator takes",
                Limits::DEFAULT.instances
            );
            let number = number.to_string();
            let by_default = |parameter: &&Parameter| {
                parameter.default.as_deref().is_some_and(|default| default.trim() == number)
            };
            let at = match params.parameters.iter().find(by_default) {
                Some(parameter) => parameter.default_at,
                None => place_of(&output.text, manifest.offset, &number)
                    .map_or(Span::at(file.file, 0), |(start, end)| output.map.map(start, end).span),
            };
            let help = "write a smaller number; the cluster refuses the object";
            found.push(Finding::error(codes::TOO_MANY_PODS, at, text, help));
        }
    }
}

/// Returns the number of pods requested by an object, if it exceeds the simulator's limit.
fn too_many(object: &serde_json::Value) -> Option<i64> {
    let keys: &[&str] = match object.get("kind").and_then(serde_json::Value::as_str)? {
        "Deployment" | "ReplicaSet" | "StatefulSet" => &["replicas"],
        "Job" => &["parallelism", "completions"],
        _ => return None,
    };
    let spec = object.get("spec")?;
    let numbers = keys.iter().filter_map(|key| spec.get(*key)?.as_i64());
    numbers.into_iter().find(|number| *number > i64::from(Limits::DEFAULT.instances))
}

/// The place of a number in a text, after an offset.
fn place_of(text: &str, offset: u32, number: &str) -> Option<(u32, u32)> {
    let offset = usize::try_from(offset).ok()?;
    let start = offset.saturating_add(text.get(offset..)?.find(number)?);
    Some((u32::try_from(start).ok()?, u32::try_from(start.saturating_add(number.len())).ok()?))
}

fn context(values: &[(Rc<str>, Value)], pipes: &[(Text, Text)]) -> Value {
    let implicit = [
        "OperatorName",
        "Name",
        "Namespace",
        "AppVersion",
        "OperatorVersion",
        "PlanName",
        "PhaseName",
        "StepName",
    ];
    let mut entries: Vec<(Rc<str>, Value)> =
        implicit.into_iter().map(|name| (Rc::from(name), Value::str(name))).collect();
    entries.push((Rc::from("Params"), Value::Map(Dict::of_values(values.to_vec()))));
    let pipes = Dict::of_texts(pipes.iter().map(|(key, name)| (&**key, &**name)));
    entries.push((Rc::from("Pipes"), Value::Map(pipes)));
    Value::Map(Dict::of_values(entries))
}

pub(super) fn namespace(package: &Package, operator: &Operator, found: &mut Vec<Finding>) {
    let wanted = &operator.namespace_manifest;
    for (name, file) in &package.templates {
        if *name == wanted.value {
            continue;
        }
        if let Some(at) = namespace_kind(&file.text) {
            let text = format!(
                "template {name:?} contains 'kind: Namespace' not allowed unless specified as 'NamespaceManifest'"
            );
            let help = "let 'namespaceManifest' of operator.yaml name the template";
            found.push(Finding::error(codes::NAMESPACE_KIND, Span::new(file.file, at.0, at.1), text, help));
        }
    }
    if wanted.value.is_empty() {
        return;
    }
    let shown = &wanted.value;
    let mut problem = |text: String| {
        let help = "name a template with one object of kind Namespace";
        found.push(Finding::error(codes::BAD_NAMESPACE_MANIFEST, wanted.span, text, help));
    };
    let Some(file) = package.templates.get(&wanted.value) else {
        problem(format!("NamespaceManifest {shown:?} not found in /templates folder"));
        return;
    };
    match manifest::split(&file.text).as_deref() {
        Err(_) => problem(format!("Unable to marshal NamespaceManifest {shown:?} ")),
        Ok([]) => problem(format!("NamespaceManifest {shown:?} found but does not contain a manifest")),
        Ok([only]) if only.value.get("kind").and_then(|kind| kind.as_str()) != Some("Namespace") => {
            problem(format!("NamespaceManifest {shown:?} found but manifest is not kind: Namespace"));
        }
        Ok([_]) => {}
        Ok(more) => {
            let count = more.len();
            problem(format!(
                "NamespaceManifest {shown:?} found but contains {count} manifests which is greater than 1"
            ));
        }
    }
}

/// Returns the position of `kind:`, blanks and `Namespace`.
fn namespace_kind(text: &str) -> Option<(u32, u32)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find("kind:") {
        let start = from + at;
        let after = text.get(start + 5..)?;
        let word = after.trim_start();
        if word.starts_with("Namespace") {
            let end = start + 5 + (after.len() - word.len()) + "Namespace".len();
            return Some((u32::try_from(start).ok()?, u32::try_from(end).ok()?));
        }
        from = start + 5;
    }
    None
}
