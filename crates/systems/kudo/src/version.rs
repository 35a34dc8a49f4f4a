//! An `OperatorVersion` as the controller reads it.

use std::sync::Arc;

use planarium_kernel::{SortedMap, Weight};
use planarium_kube::Object;
use planarium_protocol::Text;
use planarium_source::Span;
use planarium_source::template::gotemplate::{Template, TemplateError};
use serde_json::Value;

use crate::package::model::{Parameter, Phase, PipeFile, Plan, Step, Task, Word};

/// An operator's version, decoded.
#[derive(Clone, Debug)]
pub struct Version {
    /// Its name.
    pub name: Text,
    /// Its namespace.
    pub namespace: Text,
    /// `spec.operator.name`.
    pub operator: Text,
    /// `spec.version`.
    pub version: Text,
    /// `spec.appVersion`.
    pub app_version: Text,
    /// `spec.tasks`.
    pub tasks: Vec<Task>,
    /// `spec.parameters`.
    pub parameters: Vec<Parameter>,
    /// `spec.plans`. *Order*: name.
    pub plans: Vec<Plan>,
    /// `spec.templates`, each read once.
    pub templates: SortedMap<Text, Result<Template, TemplateError>>,
    /// Version of the object that this was read from.
    pub resource_version: u64,
}

impl Version {
    /// Reads an object.
    pub fn read(object: &Object) -> Self {
        let spec = object.content().get("spec").unwrap_or(&Value::Null);
        Self { templates: templates(spec), ..Self::outline(object) }
    }

    /// Reads an object without its templates.
    pub fn outline(object: &Object) -> Self {
        let spec = object.content().get("spec").unwrap_or(&Value::Null);
        Self::of_spec(spec, object.name.clone(), object.namespace.clone(), object.resource_version)
    }

    /// Reads a value that is not an object of the cluster yet.
    pub fn of_value(value: &Value) -> Self {
        let spec = value.get("spec").unwrap_or(&Value::Null);
        let metadata = value.get("metadata");
        let (name, namespace) = (text(metadata, "name").into(), text(metadata, "namespace").into());
        Self { templates: templates(spec), ..Self::of_spec(spec, name, namespace, 0) }
    }

    fn of_spec(spec: &Value, name: Text, namespace: Text, resource_version: u64) -> Self {
        let plans = spec.get("plans").and_then(Value::as_object);
        let mut plans: Vec<Plan> =
            plans.into_iter().flatten().map(|(name, value)| plan(name, value)).collect();
        planarium_kernel::sorted::sort_by(&mut plans, |a, b| a.name.value.cmp(&b.name.value));
        Self {
            name,
            namespace,
            operator: text(spec.get("operator"), "name").into(),
            version: text(Some(spec), "version").into(),
            app_version: text(Some(spec), "appVersion").into(),
            tasks: items(Some(spec), "tasks").map(task).collect(),
            parameters: items(Some(spec), "parameters").map(parameter).collect(),
            plans,
            templates: SortedMap::new(),
            resource_version,
        }
    }

    /// A plan by name.
    pub fn plan(&self, name: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.name.value == name)
    }

    /// Returns the first of some plans that exists.
    pub fn first_plan<'p>(&self, names: &[&'p str]) -> Option<&'p str> {
        names.iter().copied().find(|name| self.plan(name).is_some())
    }

    /// A parameter by name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name.value == name)
    }

    /// A task by name: the first of those that share it.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name.value == name)
    }
}

impl Weight for Version {
    /// Estimates its size. *Units*: bytes.
    fn beyond(&self, _: Option<&Self>) -> u64 {
        let parts = self.parameters.len() + self.tasks.len() + self.plans.len();
        let templates = self.templates.values().map(|template| {
            template.as_ref().map_or(256, |template| template.text().len().saturating_mul(3))
        });
        u64::try_from(templates.sum::<usize>() + parts * 512).unwrap_or(u64::MAX)
    }
}

/// A version that is read only when its object has changed.
pub fn read_again(known: Option<&Arc<Version>>, object: &Object) -> Arc<Version> {
    match known {
        Some(known) if known.resource_version == object.resource_version => Arc::clone(known),
        _ => Arc::new(Version::read(object)),
    }
}

fn templates(spec: &Value) -> SortedMap<Text, Result<Template, TemplateError>> {
    let templates = spec.get("templates").and_then(Value::as_object);
    let templates = templates.into_iter().flatten().map(|(name, text)| {
        let text = text.as_str().unwrap_or_default();
        (Text::from(name.as_str()), Template::parse(name, text))
    });
    templates.collect()
}

fn text(value: Option<&Value>, key: &str) -> String {
    value.and_then(|value| value.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn word(value: Option<&Value>, key: &str) -> Word {
    Word { value: text(value, key), span: Span::default() }
}

fn flag(value: Option<&Value>, key: &str) -> bool {
    value.and_then(|value| value.get(key)).and_then(Value::as_bool).unwrap_or(false)
}

fn items<'v>(value: Option<&'v Value>, key: &str) -> impl Iterator<Item = &'v Value> {
    value.and_then(|value| value.get(key)).and_then(Value::as_array).into_iter().flatten()
}

fn words(value: Option<&Value>, key: &str) -> Vec<Word> {
    let texts = items(value, key).filter_map(Value::as_str);
    texts.map(|text| Word { value: text.to_owned(), span: Span::default() }).collect()
}

fn task(value: &Value) -> Task {
    let (own, spec) = (Some(value), value.get("spec"));
    Task {
        name: word(own, "name"),
        kind: word(own, "kind"),
        resources: words(spec, "resources"),
        parameter: word(spec, "parameter"),
        want_err: flag(spec, "wantErr"),
        fatal: flag(spec, "fatal"),
        done: flag(spec, "done"),
        pod: word(spec, "pod"),
        pipe: items(spec, "pipe")
            .map(|file| PipeFile {
                file: text(Some(file), "file"),
                env_file: text(Some(file), "envFile"),
                kind: text(Some(file), "kind"),
                key: word(Some(file), "key"),
            })
            .collect(),
        package: word(spec, "package"),
        instance_name: word(spec, "instanceName"),
        app_version: word(spec, "appVersion"),
        operator_version: word(spec, "operatorVersion"),
        parameter_file: word(spec, "parameterFile"),
    }
}

fn plan(name: &str, value: &Value) -> Plan {
    let phases = items(Some(value), "phases").map(|phase| Phase {
        name: word(Some(phase), "name"),
        strategy: word(Some(phase), "strategy"),
        steps: items(Some(phase), "steps")
            .map(|step| Step { name: word(Some(step), "name"), tasks: words(Some(step), "tasks") })
            .collect(),
    });
    Plan {
        name: Word { value: name.to_owned(), span: Span::default() },
        strategy: word(Some(value), "strategy"),
        phases: phases.collect(),
    }
}

fn parameter(value: &Value) -> Parameter {
    let own = Some(value);
    let allowed = value.get("enum").and_then(Value::as_array);
    let default = value.get("default").and_then(Value::as_str);
    Parameter {
        name: word(own, "name"),
        display_name: text(own, "displayName"),
        description: text(own, "description"),
        hint: String::new(),
        given: default.map(Value::from),
        default_at: Span::default(),
        default: default.map(Text::from),
        required: flag(own, "required"),
        immutable: flag(own, "immutable"),
        trigger: word(own, "trigger"),
        kind: text(own, "value-type"),
        enumeration: allowed.cloned(),
        allowed: allowed.map(|values| values.iter().filter_map(Value::as_str).map(Text::from).collect()),
        group: Word::default(),
        advanced: false,
    }
}
