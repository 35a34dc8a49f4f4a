//! The package verifier.
//!
//! *Order*: that of the real verifiers; results without a defined order are sorted by name.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/cmd/verify/verify.go` and `pkg/kudoctl/packages/verifier`. Match. The verifier only
//! advises: a package with its errors can be installed if it converts to objects.

mod extended;
mod parameters;
mod references;
mod templates;

use planarium_source::template::gotemplate::Version;
use planarium_source::{Diagnostic, Severity, Span};

use crate::codes;
use crate::package::Package;
use crate::package::model::{Operator, ParamsFile, PipeFile, Task, TaskKind, Word};

pub use extended::{CHECKS, extended};

/// One finding of the verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Error or warning.
    pub severity: Severity,
    /// The code here.
    pub code: &'static str,
    /// The real text.
    pub text: String,
    /// The part it is about.
    pub span: Span,
    /// Advice for mending it.
    pub help: String,
}

impl Finding {
    fn error(code: &'static str, span: Span, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, text: text.into(), span, help: help.into() }
    }

    fn warning(code: &'static str, span: Span, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, code, text: text.into(), span, help: help.into() }
    }

    /// As a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(self.severity, self.code, self.span, self.text.clone()).with_help(self.help.clone())
    }
}

/// Everything that the verifiers find, in their order.
pub fn verify(package: &Package) -> Vec<Finding> {
    let (Some(operator), Some(params)) = (&package.operator, &package.params) else { return Vec::new() };
    let mut found = Vec::new();
    names(params, &mut found);
    versions(operator, &mut found);
    tasks(operator, &mut found);
    references::tasks(operator, &mut found);
    references::plans(operator, params, &mut found);
    parameters::verify(package, operator, params, &mut found);
    references::templates(package, operator, &mut found);
    templates::render(package, operator, params, &mut found);
    templates::namespace(package, operator, &mut found);
    found
}

fn names(params: &ParamsFile, found: &mut Vec<Finding>) {
    let mut seen: Vec<String> = Vec::new();
    for parameter in &params.parameters {
        let name = parameter.name.value.to_lowercase();
        if seen.contains(&name) {
            let text = format!("parameter {:?} has a duplicate", parameter.name.value);
            let help = "names differ by more than capital letters; give this one another name";
            found.push(Finding::error(codes::SAME_PARAMETER, parameter.name.span, text, help));
        }
        seen.push(name);
    }
    for parameter in &params.parameters {
        for c in parameter.name.value.to_lowercase().chars().filter(|c| matches!(c, ';' | ',')) {
            let text = format!("parameter {:?} contains invalid character '{c}'", parameter.name.value);
            let help = "leave ';' and ',' out of names";
            found.push(Finding::error(codes::BAD_CHARACTER, parameter.name.span, text, help));
        }
    }
}

fn versions(operator: &Operator, found: &mut Vec<Finding>) {
    for (name, word, required) in [
        ("operatorVersion", &operator.operator_version, true),
        ("appVersion", &operator.app_version, false),
        ("kubernetesVersion", &operator.kubernetes_version, true),
        ("kudoVersion", &operator.kudo_version, false),
    ] {
        let span = if word.value.is_empty() { operator.at } else { word.span };
        let help = format!("write a version such as '{name}: \"1.2.3\"'");
        if word.value.trim().is_empty() {
            if required {
                let text = format!("{name:?} is required and must be semver");
                found.push(Finding::error(codes::BAD_VERSION, span, text, help));
            }
        } else if let Err(error) = Version::parse(&word.value) {
            let text = format!("unable to parse {name:?}: {error}");
            found.push(Finding::error(codes::BAD_VERSION, span, text, help));
        }
    }
}

fn tasks(operator: &Operator, found: &mut Vec<Finding>) {
    for task in &operator.tasks {
        let problem = match task.is() {
            Some(TaskKind::KudoOperator) if task.package.value.is_empty() => Some(format!(
                "task validation error: kudo operator task '{}' has an empty package name",
                task.name.value
            )),
            Some(TaskKind::KudoOperator) => None,
            _ => build_problem(task),
        };
        if let Some(problem) = problem {
            let known = task.is().is_some();
            let span = if known { task.name.span } else { task.kind.span };
            let help = if known {
                "a plan that reaches this task ends in FATAL_ERROR"
            } else {
                "kinds are Apply, Delete, Toggle, Dummy, Pipe and KudoOperator, in these letters"
            };
            found.push(Finding::error(codes::BAD_TASK, span, problem, help));
        }
    }
}

/// Why a task cannot be built when a plan reaches it.
///
/// **Source**: `kudobuilder/kudo: pkg/engine/task/task.go`. Match.
pub fn build_problem(task: &Task) -> Option<String> {
    let name = &task.name.value;
    let instead = "if that's what you need, use a Dummy task instead";
    match task.is() {
        Some(TaskKind::Apply) if task.resources.is_empty() => {
            Some(format!("task validation error: apply task '{name}' has an empty resource list. {instead}"))
        }
        Some(TaskKind::Delete) if task.resources.is_empty() => {
            Some(format!("task validation error: delete task '{name}' has an empty resource list. {instead}"))
        }
        Some(TaskKind::Toggle) if task.resources.is_empty() => {
            Some(format!("task validation error: toggle task has an empty resource list. {instead}"))
        }
        Some(TaskKind::Toggle) if task.parameter.value.is_empty() => {
            Some("task validation error: Missing parameter to evaluate the Toggle Task".to_owned())
        }
        Some(TaskKind::Pipe) if task.pipe.is_empty() => {
            Some("task validation error: pipe task has an empty pipe files list".to_owned())
        }
        Some(TaskKind::Pipe) => task.pipe.iter().find_map(pipe_problem),
        Some(TaskKind::KudoOperator) if task.package.value.is_empty() => {
            Some(format!("task validation error: kudo operator task '{name}' has an empty package name"))
        }
        Some(TaskKind::KudoOperator) if task.operator_version.value.is_empty() => {
            Some(format!("task validation error: kudo operator task '{name}' has an empty operatorVersion"))
        }
        Some(_) => None,
        None => Some(format!("unknown task kind {}", task.kind.value)),
    }
}

fn pipe_problem(file: &PipeFile) -> Option<String> {
    let shown = format!("{{{} {} {} {}}}", file.file, file.env_file, file.kind, file.key.value);
    if file.file.is_empty() == file.env_file.is_empty() {
        return Some(format!(
            "task validation error: pipe file {shown} must have either 'file' or 'envFile' field set but not both"
        ));
    }
    if !matches!(file.kind.as_str(), "Secret" | "ConfigMap") {
        return Some(format!(
            "task validation error: invalid pipe kind (must be Secret or ConfigMap): {shown}"
        ));
    }
    let key = &file.key.value;
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    {
        return Some(format!(
            "task validation error: invalid pipe key (only letters, numbers and _ and - are allowed): {shown}"
        ));
    }
    None
}

/// Returns the position of a name, or `otherwise` if it has none.
fn place(word: &Word, otherwise: Span) -> Span {
    if word.value.is_empty() { otherwise } else { word.span }
}
