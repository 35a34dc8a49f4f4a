//! From the files of a package to what they say.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/reader/parser.go` and `pkg/kudoctl/packages/types.go`, read by
//! `sigs.k8s.io/yaml`. Match: fields that do not exist are ignored, keys are found in any letters, of repeated keys the last
//! one counts, a number in a field of text is its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::suggest::did_you_mean;
use planarium_source::template::gotemplate::Template;
use planarium_source::yaml::{Kind, Node, Reader, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span, suggest};

use super::bundle::{Parts, taken_apart};
use super::folder::{Folder, folders};
use super::model::{Group, Operator, Parameter, ParamsFile, Phase, PipeFile, Plan, Step, Task, Word};
use super::params;
use crate::codes;

/// The readable part of one package.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Path of its folder; empty for the top.
    pub root: String,
    /// `operator.yaml`, if it exists and can be used.
    pub operator: Option<Operator>,
    /// `params.yaml` likewise.
    pub params: Option<ParamsFile>,
    /// Templates by name.
    pub templates: SortedMap<String, TemplateFile>,
}

/// A template of a package.
#[derive(Clone, Debug)]
pub struct TemplateFile {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub text: Text,
    /// The template, if it is one.
    pub parsed: Option<Template>,
}

/// Reads every package among some files; the first one is the main package.
///
/// *Errors*: a first package that cannot be used has no operator or no parameters.
pub fn read(
    files: &BTreeMap<String, String>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Vec<Package> {
    let Some(parts) = taken_apart(files) else {
        return folders(files).iter().map(|folder| package(folder, &Parts::new(), sources, found)).collect();
    };
    let own = parts.iter().map(|(path, (_, part))| (path.clone(), part.clone())).collect();
    folders(&own).iter().map(|folder| package(folder, &parts, sources, found)).collect()
}

/// Reads a package. Findings point into the texts that its files are parts of.
fn package(folder: &Folder<'_>, parts: &Parts, sources: &mut SourceMap, found: &mut Diagnostics) -> Package {
    let source = |path: &String| parts.get(path).map_or(path, |(whole, _)| whole).clone();
    let mut package = Package { root: folder.root.clone(), ..Package::default() };
    let operator = folder.operator.as_ref().map(|(path, text)| (sources.add(source(path), *text), *text));
    let params = folder.params.as_ref().map(|(path, text)| (sources.add(source(path), *text), *text));
    let here = operator.or(params).map_or(Span::default(), |(file, _)| Span::at(file, 0));
    let missing = |found: &mut Diagnostics, code: &'static str, name: &str| {
        let at = if folder.root.is_empty() { String::new() } else { format!(" in '{}'", folder.root) };
        found.push(
            Diagnostic::error(code, here, format!("The package has no {name}{at}"))
                .with_help(format!("add {name} at the top of the package's folder")),
        );
    };
    match operator {
        None => missing(found, codes::NO_OPERATOR, "operator.yaml"),
        Some((file, text)) => {
            package.operator = root(text, file, found).and_then(|node| self::operator(&node, file, found));
        }
    }
    match params {
        None => missing(found, codes::NO_PARAMS, "params.yaml"),
        Some((file, text)) => {
            let node = root(text, file, found);
            package.params = match node {
                Some(node) => params_file(&node, file, found),
                // An empty file is a file without parameters.
                None if text.trim().is_empty() => {
                    Some(ParamsFile { at: Span::at(file, 0), ..ParamsFile::default() })
                }
                None => None,
            };
        }
    }
    for (name, (path, text)) in &folder.templates {
        let text: Text = Text::from(*text);
        let file = sources.add(source(path), Arc::clone(&text));
        let parsed = Template::parse(name, Arc::clone(&text)).ok();
        package.templates.insert(name.clone(), TemplateFile { file, text, parsed });
    }
    package
}

/// The first document of a file; none where the text cannot be read.
fn root(text: &str, file: FileId, found: &mut Diagnostics) -> Option<Node> {
    let mut own = Diagnostics::new();
    let parsed = Reader::new(text, file).with_go_rules().one(&mut own);
    let fine = parsed.complete && !own.has_errors();
    found.extend(own);
    let node = parsed.root.filter(|_| fine)?;
    report_duplicates_everywhere(&node, Severity::Warning, Some(codes::TWICE.into()), found);
    Some(node)
}

/// Reads the fields of a mapping the way Go's decoder does. Not [`planarium_source::read::MapReader`]: Go matches names in any
/// case and ignores unknown ones.
struct Fields<'n, 'd> {
    node: &'n Node,
    /// Name of the mapping in messages.
    what: String,
    known: Vec<&'static str>,
    found: &'d mut Diagnostics,
    /// Something had a type that the real reader refuses.
    refused: bool,
}

impl<'n, 'd> Fields<'n, 'd> {
    fn new(node: &'n Node, what: impl Into<String>, found: &'d mut Diagnostics) -> Self {
        let mut fields = Self { node, what: what.into(), known: Vec::new(), found, refused: false };
        if node.as_mapping().is_none() && !node.is_null() {
            let what = fields.what.clone();
            fields.wrong(node, &what, "a mapping");
        }
        fields
    }

    fn get(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        let entries = self.node.as_mapping()?;
        let exact = entries.iter().rev().find(|entry| entry.key.as_str() == Some(key));
        let any = || {
            entries
                .iter()
                .rev()
                .find(|entry| entry.key.as_str().is_some_and(|own| own.eq_ignore_ascii_case(key)))
        };
        exact.or_else(any).map(|entry| &entry.value).filter(|value| !value.is_null())
    }

    fn wrong(&mut self, node: &Node, what: &str, expected: &str) {
        self.refused = true;
        let message = format!("{what} must be {expected}, but is {}", node.describe());
        self.found.push(
            Diagnostic::error(codes::WRONG_TYPE, node.span, message).with_help(format!("write {expected}")),
        );
    }

    fn word(&mut self, key: &'static str) -> Word {
        let Some(node) = self.get(key) else { return Word { value: String::new(), span: self.node.span } };
        if node.as_scalar().is_none() {
            self.wrong(node, &format!("'{key}'"), "a text");
        }
        Word { value: node.go_text().unwrap_or_default(), span: node.span }
    }

    fn flag(&mut self, key: &'static str) -> Option<bool> {
        let node = self.get(key)?;
        let flag = node.go_bool();
        if flag.is_none() {
            self.wrong(node, &format!("'{key}'"), "true or false");
        }
        flag
    }

    fn list(&mut self, key: &'static str) -> &'n [Node] {
        let Some(node) = self.get(key) else { return &[] };
        if node.as_sequence().is_none() {
            self.wrong(node, &format!("'{key}'"), "a list");
        }
        node.as_sequence().unwrap_or_default()
    }

    fn words(&mut self, key: &'static str) -> Vec<Word> {
        let nodes = self.list(key);
        let mut words = Vec::with_capacity(nodes.len());
        for node in nodes {
            if node.as_scalar().is_none() {
                self.wrong(node, &format!("An item of '{key}'"), "a text");
            }
            words.push(Word { value: node.go_text().unwrap_or_default(), span: node.span });
        }
        words
    }

    /// Reports unknown fields; returns whether all known ones could be read.
    fn finish(self) -> bool {
        for entry in self.node.as_mapping().unwrap_or_default() {
            let Some(name) = entry.key.as_str() else { continue };
            if self.known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            let message = format!("Unknown field '{name}' in {}: it has no effect", self.what);
            let help = did_you_mean(
                suggest(name, self.known.iter().copied()),
                || "remove it; KUDO does not read it",
            );
            self.found
                .push(Diagnostic::warning(codes::UNKNOWN_FIELD, entry.key.span, message).with_help(help));
        }
        !self.refused
    }
}

fn supported(fields: &mut Fields<'_, '_>) -> bool {
    let version = fields.word("apiVersion");
    if version.value.is_empty() || version.value == codes::API_VERSION {
        return true;
    }
    let message = format!("expecting supported API version {} but got {}", codes::API_VERSION, version.value);
    let help = format!("write 'apiVersion: {}', or leave it out", codes::API_VERSION);
    fields.found.push(Diagnostic::error(codes::BAD_API_VERSION, version.span, message).with_help(help));
    false
}

fn operator(node: &Node, file: FileId, found: &mut Diagnostics) -> Option<Operator> {
    let mut fields = Fields::new(node, "operator.yaml", found);
    let supported = supported(&mut fields);
    let mut operator = Operator {
        at: Span::at(file, 0),
        name: fields.word("name"),
        description: fields.word("description"),
        operator_version: fields.word("operatorVersion"),
        app_version: fields.word("appVersion"),
        kudo_version: fields.word("kudoVersion"),
        kubernetes_version: fields.word("kubernetesVersion"),
        url: fields.word("url"),
        namespace_manifest: fields.word("namespaceManifest"),
        ..Operator::default()
    };
    let (maintainers, tasks, plans) = (fields.list("maintainers"), fields.list("tasks"), fields.get("plans"));
    let mut fine = fields.finish();
    for node in maintainers {
        let mut fields = Fields::new(node, "a maintainer", found);
        let (name, email) = (fields.word("name").value, fields.word("email").value);
        fine &= fields.finish();
        operator.maintainers.push((name, email));
    }
    for node in tasks {
        let (task, read) = task(node, found);
        operator.tasks.push(task);
        fine &= read;
    }
    if let Some(plans) = plans {
        if plans.as_mapping().is_none() {
            let message = format!("'plans' must be a mapping, but is {}", plans.describe());
            found.push(
                Diagnostic::error(codes::WRONG_TYPE, plans.span, message)
                    .with_help("write plans by name: 'deploy:'"),
            );
            fine = false;
        }
        let mut by_name: SortedMap<String, Plan> = SortedMap::new();
        for entry in plans.as_mapping().unwrap_or_default() {
            let name =
                Word { value: entry.key.as_str().unwrap_or_default().to_owned(), span: entry.key.span };
            let (plan, read) = plan(name.clone(), &entry.value, found);
            fine &= read;
            by_name.insert(name.value, plan);
        }
        operator.plans = by_name.into_values().collect();
    }
    if operator.name.value.is_empty() {
        found.push(
            Diagnostic::error(codes::NO_NAME, operator.at, "The operator has no name")
                .with_help("add 'name:' to operator.yaml"),
        );
        fine = false;
    }
    (fine && supported).then_some(operator)
}

fn task(node: &Node, found: &mut Diagnostics) -> (Task, bool) {
    let mut fields = Fields::new(node, "a task", found);
    let mut task = Task { name: fields.word("name"), kind: fields.word("kind"), ..Task::default() };
    let spec = fields.get("spec");
    let mut fine = fields.finish();
    let Some(spec) = spec else {
        task.pod.span = node.span;
        task.parameter.span = node.span;
        return (task, fine);
    };
    let mut fields = Fields::new(spec, format!("the spec of task '{}'", task.name.value), found);
    task.resources = fields.words("resources");
    task.parameter = fields.word("parameter");
    task.want_err = fields.flag("wantErr").unwrap_or(false);
    task.fatal = fields.flag("fatal").unwrap_or(false);
    task.done = fields.flag("done").unwrap_or(false);
    task.pod = fields.word("pod");
    let pipe = fields.list("pipe");
    task.package = fields.word("package");
    task.instance_name = fields.word("instanceName");
    task.app_version = fields.word("appVersion");
    task.operator_version = fields.word("operatorVersion");
    task.parameter_file = fields.word("parameterFile");
    fine &= fields.finish();
    for node in pipe {
        let mut fields = Fields::new(node, "a pipe file", found);
        task.pipe.push(PipeFile {
            file: fields.word("file").value,
            env_file: fields.word("envFile").value,
            kind: fields.word("kind").value,
            key: fields.word("key"),
        });
        fine &= fields.finish();
    }
    (task, fine)
}

fn plan(name: Word, node: &Node, found: &mut Diagnostics) -> (Plan, bool) {
    let mut fields = Fields::new(node, format!("plan '{}'", name.value), found);
    let strategy = fields.word("strategy");
    let phases = match fields.get("phases") {
        // Written so by people who mean none.
        Some(Node { kind: Kind::Mapping(entries), .. }) if entries.is_empty() => &[],
        _ => fields.list("phases"),
    };
    let mut fine = fields.finish();
    let mut plan = Plan { name, strategy, phases: Vec::new() };
    check_strategy(&plan.strategy, "plan", found);
    for node in phases {
        let mut fields = Fields::new(node, "a phase", found);
        let (name, strategy, steps) = (fields.word("name"), fields.word("strategy"), fields.list("steps"));
        fine &= fields.finish();
        check_strategy(&strategy, "phase", found);
        let mut phase = Phase { name, strategy, steps: Vec::new() };
        for node in steps {
            let mut fields = Fields::new(node, "a step", found);
            let step = Step { name: fields.word("name"), tasks: fields.words("tasks") };
            fine &= fields.finish();
            phase.steps.push(step);
        }
        plan.phases.push(phase);
    }
    (plan, fine)
}

fn check_strategy(strategy: &Word, of: &str, found: &mut Diagnostics) {
    if matches!(strategy.value.as_str(), "serial" | "parallel") {
        return;
    }
    let message = if strategy.value.is_empty() {
        format!("This {of} has no strategy and runs in parallel")
    } else {
        format!("Strategy '{}' is not known: this {of} runs in parallel", strategy.value)
    };
    found.push(
        Diagnostic::new(
            if strategy.value.is_empty() { Severity::Info } else { Severity::Warning },
            codes::STRATEGY,
            strategy.span,
            message,
        )
        .with_help("write 'strategy: serial' or 'strategy: parallel'"),
    );
}

fn params_file(node: &Node, file: FileId, found: &mut Diagnostics) -> Option<ParamsFile> {
    let mut fields = Fields::new(node, "params.yaml", found);
    let supported = supported(&mut fields);
    let (groups, parameters) = (fields.list("groups"), fields.list("parameters"));
    let mut fine = fields.finish();
    let mut read = ParamsFile { at: Span::at(file, 0), ..ParamsFile::default() };
    for node in groups {
        let mut fields = Fields::new(node, "a group", found);
        let name = fields.word("name");
        let display_name = fields.word("displayName").value;
        let description = fields.word("description").value;
        let prio = fields.get("prio");
        let priority = prio.and_then(Node::go_int);
        if let (Some(prio), None) = (prio, priority) {
            fields.wrong(prio, "'prio'", "a whole number");
        }
        fine &= fields.finish();
        read.groups.push(Group { name, display_name, description, priority: priority.unwrap_or(0) });
    }
    for node in parameters {
        let (parameter, good) = parameter(node, found);
        read.parameters.push(parameter);
        fine &= good;
    }
    (fine && supported).then_some(read)
}

fn parameter(node: &Node, found: &mut Diagnostics) -> (Parameter, bool) {
    let mut fields = Fields::new(node, "a parameter", found);
    let name = fields.word("name");
    fields.what = format!("parameter '{}'", name.value);
    let default = fields.get("default");
    let kind = fields.word("type").value;
    let allowed = match fields.get("enum") {
        None => None,
        Some(node) if node.as_sequence().is_none() => {
            fields.wrong(node, "'enum'", "a list");
            None
        }
        Some(node) => {
            Some(node.as_sequence().unwrap_or_default().iter().map(Node::to_go_json).collect::<Vec<_>>())
        }
    };
    let given = default.map(Node::to_go_json);
    let parameter = Parameter {
        display_name: fields.word("displayName").value,
        description: fields.word("description").value,
        hint: fields.word("hint").value,
        default_at: default.map_or(name.span, |node| node.span),
        default: params::wrap(given.as_ref(), &kind).map(Text::from),
        required: fields.flag("required").unwrap_or(true),
        immutable: fields.flag("immutable").unwrap_or(false),
        trigger: fields.word("trigger"),
        allowed: allowed.as_ref().map(|values| {
            values.iter().map(|value| params::wrap(Some(value), &kind).unwrap_or_default().into()).collect()
        }),
        enumeration: allowed,
        group: fields.word("group"),
        advanced: fields.flag("advanced").unwrap_or(false),
        given,
        kind,
        name,
    };
    let fine = fields.finish();
    (parameter, fine)
}
