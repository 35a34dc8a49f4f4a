//! Config files: templates of a task that the bootstrap program renders in the sandbox before the command runs.
//!
//! *Knows*: where a template is looked for, its variables, what can be missing. *Must not know*: offers, plans, how a
//! task is launched.
//!
//! A variable without a value is left empty, silently in the real system. Here it is reported twice: in advance, for
//! variables that no launch can set, and on the task with each launch.
//!
//! **Source**: `dcos-commons: sdk/bootstrap/main.go` (rendering, false values, the largest template); `dcos-commons:
//! …/specification/DefaultConfigFileSpec.java`. Match, except for a missing template: the real scheduler does not
//! start without it, here the run continues and the task names the missing one.

use crate::codes;
use crate::spec::{ConfigFile, PodSpec, ServiceSpec, TaskSpec};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use planarium_protocol::view::ConfigFileView;
use planarium_source::template::Value;
use planarium_source::template::mustache::{self, Policy, Rendered};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Largest template that the bootstrap program takes. *Units*: bytes.
const LARGEST_TEMPLATE: usize = 1024 * 1024;
/// Most text that is rendered to find variables without a value beforehand. *Units*: bytes.
const CHECKED_BYTES: usize = 8 * 1024 * 1024;
/// Tasks named in one finding at most.
const NAMED_TASKS: usize = 3;

/// Variables that the agent sets beside those of the scheduler.
const AGENT_NAMES: &[&str] =
    &["LIBPROCESS_IP", "MESOS_CONTAINER_IP", "MESOS_SANDBOX", "STATSD_UDP_HOST", "STATSD_UDP_PORT"];
/// Address for container metrics on DC/OS agents. There every container has its own port; here all have the same.
pub(crate) const STATSD_HOST: (&str, &str) = ("STATSD_UDP_HOST", "198.51.100.1");
/// The port that goes with it.
pub(crate) const STATSD_PORT: (&str, &str) = ("STATSD_UDP_PORT", "61825");

/// Variables that the scheduler sets for every task.
const SCHEDULER_NAMES: &[&str] = &[
    "POD_INSTANCE_INDEX",
    "FRAMEWORK_NAME",
    "FRAMEWORK_HOST",
    "FRAMEWORK_VIP_HOST",
    "SCHEDULER_API_HOSTNAME",
    "SCHEDULER_API_PORT",
    "TASK_NAME",
    "PLACEMENT_REFERENCED_REGION",
    "PLACEMENT_REFERENCED_ZONE",
    "REGION",
    "ZONE",
];

/// The template of that path: beside the definition, else under that very path, else a file of that name.
pub(crate) fn find<'f>(
    definition: &str,
    files: &'f BTreeMap<String, String>,
    template: &str,
) -> Option<(&'f str, &'f str)> {
    let folder = definition.rsplit_once('/').map_or("", |(folder, _)| folder);
    let plain = template.trim_start_matches("./");
    let beside = if folder.is_empty() { plain.to_owned() } else { format!("{folder}/{plain}") };
    let ending = format!("/{}", plain.rsplit('/').next().unwrap_or(plain));
    let found = files.get_key_value(&beside).or_else(|| files.get_key_value(plain));
    let found = found.or_else(|| files.iter().find(|(path, _)| path.ends_with(&ending)));
    found.map(|(path, text)| (path.as_str(), text.as_str()))
}

/// Returns the environment of the rendering process: the task's, with the agent's additions.
pub(crate) fn process_env(mut env: SortedMap<Text, Text>, ip: &Text) -> SortedMap<Text, Text> {
    for name in ["LIBPROCESS_IP", "MESOS_CONTAINER_IP"] {
        env.insert(name.into(), ip.clone());
    }
    env.insert("MESOS_SANDBOX".into(), "/mnt/mesos/sandbox".into());
    for (name, value) in [STATSD_HOST, STATSD_PORT] {
        env.insert(name.into(), value.into());
    }
    env
}

/// Renders one file as the bootstrap program would; `None` if its template is missing.
pub(crate) fn text(file: &ConfigFile, env: &SortedMap<Text, Text>) -> Option<String> {
    Some(render(file.content.as_deref()?, FileId(0), &context(env)).text)
}

/// Returns the state of one file, for people.
pub(crate) fn view(file: &ConfigFile, env: &SortedMap<Text, Text>) -> ConfigFileView {
    let mut view = ConfigFileView {
        name: file.name.clone(),
        template: file.template.clone(),
        dest: file.dest.clone(),
        missing_template: file.content.is_none(),
        missing_variables: Vec::new(),
        problem: None,
    };
    let Some(content) = &file.content else {
        let words = format!("not rendered: the template '{}' is not among the files", file.template);
        view.problem = Some(words.into());
        return view;
    };
    if content.len() > LARGEST_TEMPLATE {
        let words = format!("not rendered: the template has more than {LARGEST_TEMPLATE} bytes");
        view.problem = Some(words.into());
        return view;
    }
    let rendered = render(content, FileId(0), &context(env));
    view.missing_variables = rendered.missing.iter().map(|missing| missing.name.as_str().into()).collect();
    if let Some(fault) = rendered.diagnostics.iter().find(|finding| finding.is_error()) {
        view.problem = Some(format!("not rendered: {}", fault.message).into());
    } else if !view.missing_variables.is_empty() {
        let names: Vec<&str> = view.missing_variables.iter().map(|name| &**name).collect();
        view.problem = Some(format!("left empty for want of a value: {}", names.join(", ")).into());
    }
    view
}

fn render(content: &str, file: FileId, context: &Value) -> Rendered {
    mustache::render(content, file, context, Policy::GoHtml)
}

/// Only `false` is more than text to the bootstrap program.
fn context(env: &SortedMap<Text, Text>) -> Value {
    let value = |text: &Text| {
        if text.eq_ignore_ascii_case("false") { Value::Bool(false) } else { Value::Str(text.to_string()) }
    };
    env.iter().map(|(name, text)| (name.to_string(), value(text))).collect()
}

/// A template with its problems in all tasks that use it.
#[derive(Default)]
struct Used {
    /// By variable: its tags, and the tasks in which it has no value.
    missing: SortedMap<String, (SortedSet<Span>, Vec<String>)>,
    faults: Vec<Diagnostic>,
}

/// Reports variables of config templates that no launch can give a value, and templates that cannot be rendered.
pub(crate) fn check(
    spec: &ServiceSpec,
    definition: &str,
    files: &BTreeMap<String, String>,
    sources: &SourceMap,
    found: &mut Diagnostics,
) {
    let mut used: SortedMap<FileId, Used> = SortedMap::new();
    let mut left = CHECKED_BYTES;
    for pod in &spec.pods {
        for task in &pod.tasks {
            let mut env = None;
            for config in &task.configs {
                let Some((path, content)) = find(definition, files, &config.template) else { continue };
                let Some((file, _)) = sources.iter().find(|(_, file)| *file.name() == *path) else {
                    continue;
                };
                let Some(rest) = left.checked_sub(content.len()) else { return };
                left = rest;
                let rendered = render(content, file, env.get_or_insert_with(|| foreseen(pod, task)));
                let used = used.entry(file).or_default();
                for missing in rendered.missing {
                    let (spans, tasks) = used.missing.entry(missing.name).or_default();
                    spans.extend(missing.spans);
                    tasks.push(format!("{}-{}", pod.name, task.name));
                }
                if used.faults.is_empty() {
                    used.faults = rendered.diagnostics.into_sorted();
                }
            }
        }
    }
    for used in used.into_values() {
        report(used, found);
    }
}

fn report(used: Used, found: &mut Diagnostics) {
    for mut fault in used.faults {
        // The definition is sound; it is the task that would fail.
        fault.severity = Severity::Warning;
        found.push(fault);
    }
    for (name, (spans, tasks)) in used.missing {
        let mut spans = spans.into_iter();
        let span = spans.next().unwrap_or_default();
        let mut shown = tasks.iter().take(NAMED_TASKS).cloned().collect::<Vec<_>>().join(", ");
        if let Some(more) = tasks.len().checked_sub(NAMED_TASKS).filter(|more| *more > 0) {
            let _ = write!(shown, " and {more} more");
        }
        let message = format!("The template variable '{name}' has no value in {shown} and is left empty");
        let mut finding = Diagnostic::warning(codes::CONFIG_VARIABLE, span, message);
        for other in spans {
            finding = finding.with_label(other, "used here too");
        }
        let help = format!(
            "give it one in the task's 'env', or route one to the task: TASKCFG_ALL_{name}=… in the scheduler's environment"
        );
        found.push(finding.with_help(help));
    }
}

/// Every variable that a launch of the task gives a value, with a value that no section takes for false.
fn foreseen(pod: &PodSpec, task: &TaskSpec) -> Value {
    let mut env: SortedMap<String, Value> = SortedMap::new();
    let some = || Value::from("x");
    for name in SCHEDULER_NAMES.iter().chain(AGENT_NAMES) {
        env.insert((*name).to_owned(), some());
    }
    for config in &task.configs {
        env.insert(template_variable(&config.name), some());
    }
    for key in task.resource_set.ports.iter().filter_map(|port| port.env_key.as_ref()) {
        env.insert(key.to_string(), some());
    }
    for key in pod.secrets.iter().filter_map(|secret| secret.env_key.as_ref()) {
        env.insert(key.to_string(), some());
    }
    for (name, text) in &task.env {
        let value = if text.eq_ignore_ascii_case("false") {
            Value::Bool(false)
        } else {
            Value::Str(text.to_string())
        };
        env.entry(name.to_string()).or_insert(value);
    }
    env.into_iter().collect()
}

/// The variable that tells the bootstrap program about a config.
pub(crate) fn template_variable(config: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("CONFIG_TEMPLATE_{}", config.chars().map(plain).collect::<String>())
}
