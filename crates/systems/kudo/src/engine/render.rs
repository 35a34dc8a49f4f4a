//! Rendering the templates of tasks.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/task/render.go`, `pkg/engine/renderer/engine.go`, `PipesMap` in
//! `pkg/controller/instance/instance_controller.go`. Match; objects come in the order of the task and of their text, which is
//! random there.

use std::rc::Rc;
use std::sync::Arc;

use planarium_kube::Kube;
use planarium_protocol::Text;
use planarium_source::template::OffsetMap;
use planarium_source::template::gotemplate::{Dict, Environment, TemplateError, Value};

use super::{At, Failure, Meta, Rendered, Work, enhance, manifest};
use crate::package::model::{Plan, Task, TaskKind};
use crate::package::params;
use crate::version::Version;

/// Returns the name of a pipe's object: instance, plan, phase, step, task and key, each in small letters and digits.
pub fn pipe_name(parts: [&str; 6]) -> String {
    let clean = |part: &str| -> String {
        part.to_lowercase().chars().filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit()).collect()
    };
    parts.map(clean).join(".")
}

/// Returns the pipes of a plan: keys and names.
///
/// *Errors*: a key that occurs twice.
pub fn pipes_of(instance: &str, plan: &Plan, tasks: &[Task]) -> Result<Vec<(Text, Text)>, String> {
    let mut pipes: Vec<(Text, Text)> = Vec::new();
    if !tasks.iter().any(|task| task.is() == Some(TaskKind::Pipe)) {
        return Ok(pipes);
    }
    for phase in &plan.phases {
        for step in &phase.steps {
            for name in &step.tasks {
                let task = tasks.iter().find(|task| task.name.value == name.value);
                let Some(task) = task.filter(|task| task.is() == Some(TaskKind::Pipe)) else { continue };
                for file in &task.pipe {
                    let key = &file.key.value;
                    if pipes.iter().any(|(known, _)| **known == **key) {
                        return Err(key.clone());
                    }
                    let parts =
                        [instance, &plan.name.value, &phase.name.value, &step.name.value, &name.value, key];
                    pipes.push((Text::from(key.as_str()), Text::from(pipe_name(parts))));
                }
            }
        }
    }
    Ok(pipes)
}

/// Which variables a template sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Task,
    /// Those of a parameter file: the instance's and the parameters.
    ParameterFile,
}

/// Facts for rendering.
pub struct Facts<'f> {
    /// The run.
    pub meta: &'f Meta,
    /// The operator's version.
    pub version: &'f Version,
    /// Texts of parameters.
    pub params: &'f [(Text, Option<Text>)],
    /// Names of objects made by pipes.
    pub pipes: &'f [(Text, Text)],
    /// Calendar time. *Units*: milliseconds since 1970.
    pub now_ms: i64,
    /// Seed of all draws.
    pub seed: u64,
}

impl Facts<'_> {
    /// The variables of a template.
    fn context(&self, at: &At<'_>, scope: Scope) -> Value {
        let text = |name: &str, value: &str| (Rc::from(name), Value::str(value));
        let mut entries: Vec<(Rc<str>, Value)> = vec![
            text("OperatorName", &self.version.operator),
            text("Name", &self.meta.instance),
            text("Namespace", &self.meta.namespace),
            text("AppVersion", &self.version.app_version),
            text("OperatorVersion", &self.version.version),
        ];
        let values = self.params.iter().enumerate().map(|(at, (name, value))| {
            // They come in the order of the version's parameters.
            let parameter = self.version.parameters.get(at).filter(|it| *it.name.value == **name);
            let parameter = parameter.or_else(|| self.version.parameter(name));
            let kind = parameter.map_or("", |parameter| parameter.kind.as_str());
            // Texts that do not fit keep a plan from starting.
            let value = params::unwrap(value.as_deref(), kind).unwrap_or_default();
            (Rc::from(&**name), value)
        });
        entries.push((Rc::from("Params"), Value::Map(Dict::of_values(values.collect::<Vec<_>>()))));
        if scope == Scope::Task {
            entries.push(text("PlanName", &self.meta.plan));
            entries.push(text("PhaseName", at.phase));
            entries.push(text("StepName", at.step));
            let pipes = Dict::of_texts(self.pipes.iter().map(|(key, name)| (&**key, &**name)));
            entries.push((Rc::from("Pipes"), Value::Map(pipes)));
        }
        Value::Map(Dict::of_values(entries))
    }

    /// Renders one template.
    ///
    /// *Errors*: the real words, without the file's name before them.
    pub fn template(&self, at: &At<'_>, name: &str, scope: Scope) -> Result<(String, OffsetMap), String> {
        let failed = |word: &str, error: &TemplateError| format!("error {word} template: {error}");
        match self.version.templates.get(name) {
            None => Err(format!("error finding resource named {name}")),
            Some(Err(error)) => Err(format!("error expanding template {name}: {}", failed("parsing", error))),
            Some(Ok(template)) => {
                let entity = format!("{}/{}/{name}", self.meta.namespace, self.meta.instance);
                let environment = Environment {
                    now_ms: self.now_ms,
                    seed: self.seed,
                    entity: &entity,
                    ..Environment::default()
                };
                let output = template.execute(self.context(at, scope), &environment);
                let output = output.map_err(|error| {
                    format!("error expanding template {name}: {}", failed("rendering", &error))
                })?;
                Ok((output.text, output.map))
            }
        }
    }
}

impl Work<'_, '_> {
    /// Calendar time. *Units*: milliseconds since 1970.
    pub(super) fn now_ms(&self) -> i64 {
        i64::try_from(self.epoch_ms.saturating_add(self.cx.now().ms())).unwrap_or(i64::MAX)
    }

    /// Facts for rendering.
    pub(super) fn facts(&self) -> Facts<'_> {
        Facts {
            meta: self.meta,
            version: self.version,
            params: self.params,
            pipes: self.pipes,
            now_ms: self.now_ms(),
            seed: self.cx.seed(),
        }
    }

    /// The objects of a task, rendered and enhanced; kept from pass to pass.
    ///
    /// *Errors*: everything about templates is fatal, and so are kinds that the cluster does not serve (when applied).
    pub(super) fn rendered(&mut self, at: &At<'_>, for_delete: bool) -> Result<Arc<Rendered>, Failure> {
        let place = at.place();
        if let Some(known) = self.memory.rendered.get(&place)
            && is_current(self.kube, known)
        {
            return Ok(Arc::clone(known));
        }
        let known = self.memory.rendered.get(&place).map(|known| known.texts.clone());
        let texts = match known {
            // Only dependencies have changed.
            Some(texts) => texts,
            None => {
                let facts = self.facts();
                let mut texts: Vec<(Text, Arc<str>, OffsetMap)> = Vec::new();
                for name in &at.task.resources {
                    if texts.iter().any(|(known, ..)| **known == *name.value) {
                        continue;
                    }
                    let rendered = facts.template(at, &name.value, Scope::Task);
                    let (text, map) =
                        rendered.map_err(|problem| self.meta.fatal(at, &problem, "TaskRenderingError"))?;
                    texts.push((Text::from(name.value.as_str()), text.into(), map));
                }
                texts
            }
        };
        let mut values = Vec::new();
        for (name, text, _) in &texts {
            let manifests = manifest::split(text).map_err(|problem| {
                let problem = format!("fatal error: parsing YAML from {name}: {}", problem.message);
                self.meta.fatal(at, &problem, "TaskRenderingError")
            })?;
            values.extend(manifests.into_iter().map(|manifest| manifest.value));
        }
        let mut rendered = enhance::objects(self.kube, self.version, self.meta, at, values, for_delete)
            .map_err(|unfit| self.meta.unfit(at, unfit))?;
        rendered.texts = texts;
        let rendered = Arc::new(rendered);
        self.memory.news.push(place.clone());
        self.memory.rendered.insert(place, Arc::clone(&rendered));
        Ok(rendered)
    }
}

/// Returns whether the inputs of the objects' hashes are unchanged, and the same kinds are served.
fn is_current(kube: &Kube, rendered: &Rendered) -> bool {
    let same = rendered.dependencies.iter().all(|(kind, namespace, name, version)| {
        enhance::dependency(kube, kind, namespace, name).map_or(0, |object| object.resource_version)
            == *version
    });
    same && rendered.objects.iter().all(|object| object.kind.is_some())
}
