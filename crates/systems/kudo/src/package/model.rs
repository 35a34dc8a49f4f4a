//! Model of a package with positions, and of an `OperatorVersion` without.

use planarium_protocol::Text;
use planarium_source::Span;
use serde_json::Value;

/// `operator.yaml`.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Start of the file.
    pub at: Span,
    /// `name`.
    pub name: Word,
    /// `description`.
    pub description: Word,
    /// `operatorVersion`.
    pub operator_version: Word,
    /// `appVersion`.
    pub app_version: Word,
    /// `kudoVersion`.
    pub kudo_version: Word,
    /// `kubernetesVersion`.
    pub kubernetes_version: Word,
    /// `maintainers`: name and address.
    pub maintainers: Vec<(String, String)>,
    /// `url`.
    pub url: Word,
    /// `namespaceManifest`.
    pub namespace_manifest: Word,
    /// `tasks`.
    pub tasks: Vec<Task>,
    /// `plans`. *Order*: name.
    pub plans: Vec<Plan>,
}

/// An optional text and its position; a missing one has the position of the whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; empty if missing.
    pub value: String,
    /// Its place.
    pub span: Span,
}

/// The kinds of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// Creates or patches objects and waits until they are healthy.
    Apply,
    /// Deletes objects and waits until they are gone.
    Delete,
    /// Applies or deletes, by a parameter.
    Toggle,
    /// Does nothing, fails or waits, as specified.
    Dummy,
    /// Runs a pod and keeps the files that it makes.
    Pipe,
    /// Installs a child instance.
    KudoOperator,
}

impl TaskKind {
    /// The kind of a word; kinds are case-sensitive.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "Apply" => Self::Apply,
            "Delete" => Self::Delete,
            "Toggle" => Self::Toggle,
            "Dummy" => Self::Dummy,
            "Pipe" => Self::Pipe,
            "KudoOperator" => Self::KudoOperator,
            _ => return None,
        })
    }
}

/// A task: the work that steps do.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Its name.
    pub name: Word,
    /// Its kind, as written.
    pub kind: Word,
    /// `resources`: names of templates.
    pub resources: Vec<Word>,
    /// `parameter` of a Toggle.
    pub parameter: Word,
    /// `wantErr` of a Dummy.
    pub want_err: bool,
    /// `fatal` of a Dummy.
    pub fatal: bool,
    /// `done` of a Dummy.
    pub done: bool,
    /// `pod` of a Pipe: name of a template.
    pub pod: Word,
    /// `pipe`.
    pub pipe: Vec<PipeFile>,
    /// `package` of a child: its operator, or the package's location.
    pub package: Word,
    /// `instanceName` of a child.
    pub instance_name: Word,
    /// `appVersion` of a child.
    pub app_version: Word,
    /// `operatorVersion` of a child.
    pub operator_version: Word,
    /// `parameterFile` of a child: name of a template.
    pub parameter_file: Word,
}

impl Task {
    /// Its kind, if it is one.
    pub fn is(&self) -> Option<TaskKind> {
        TaskKind::parse(&self.kind.value)
    }

    /// The templates that it uses.
    pub fn templates(&self) -> Vec<&Word> {
        match self.is() {
            Some(TaskKind::Apply | TaskKind::Delete | TaskKind::Toggle) => self.resources.iter().collect(),
            Some(TaskKind::Pipe) => vec![&self.pod],
            Some(TaskKind::KudoOperator) if !self.parameter_file.value.is_empty() => {
                vec![&self.parameter_file]
            }
            _ => Vec::new(),
        }
    }
}

/// A file that a Pipe keeps.
#[derive(Clone, Debug, Default)]
pub struct PipeFile {
    /// `file`.
    pub file: String,
    /// `envFile`.
    pub env_file: String,
    /// `kind`: `Secret` or `ConfigMap`.
    pub kind: String,
    /// `key`.
    pub key: Word,
}

/// A plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Its name.
    pub name: Word,
    /// Its strategy as written: only `serial` makes phases wait for each other.
    pub strategy: Word,
    /// Its phases.
    pub phases: Vec<Phase>,
}

/// A phase.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// Its name.
    pub name: Word,
    /// Its strategy as written.
    pub strategy: Word,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Its name.
    pub name: Word,
    /// Names of its tasks.
    pub tasks: Vec<Word>,
}

/// `params.yaml`.
#[derive(Clone, Debug, Default)]
pub struct ParamsFile {
    /// Start of the file.
    pub at: Span,
    /// `groups`.
    pub groups: Vec<Group>,
    /// `parameters`.
    pub parameters: Vec<Parameter>,
}

/// A group of parameters.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its name.
    pub name: Word,
    /// `displayName`.
    pub display_name: String,
    /// `description`.
    pub description: String,
    /// `prio`.
    pub priority: i64,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Word,
    /// `displayName`.
    pub display_name: String,
    /// `description`.
    pub description: String,
    /// `hint`.
    pub hint: String,
    /// `default` as decoded; `None` if absent.
    pub given: Option<Value>,
    /// Position of the default.
    pub default_at: Span,
    /// The default as instances have it: a text.
    pub default: Option<Text>,
    /// `required`; true unless it says otherwise.
    pub required: bool,
    /// `immutable`.
    pub immutable: bool,
    /// `trigger`.
    pub trigger: Word,
    /// `type` as written; empty means text.
    pub kind: String,
    /// `enum` as decoded.
    pub enumeration: Option<Vec<Value>>,
    /// The allowed values as texts.
    pub allowed: Option<Vec<Text>>,
    /// `group`.
    pub group: Word,
    /// `advanced`.
    pub advanced: bool,
}

impl Parameter {
    /// Returns whether only the user can set its value.
    pub fn must_be_given(&self) -> bool {
        self.required && self.default.is_none()
    }
}
