//! From the files of a request to a service spec: package, environment, template, YAML, spec.
//!
//! *Knows*: the order of these steps and how findings of one explain those of another.
//! *Must not know*: any single field of a definition.

use crate::build_marks;
use crate::codes;
use crate::config_file;
use crate::decode;
use crate::java_template;
use crate::package::{self, Choice};
use crate::programs::{self, Program, ServedFile};
use crate::spec::ServiceSpec;
use crate::unused_variables;
use crate::validate::account;
use crate::without_effect::{self, Kept};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_source::suggest::did_you_mean;
use planarium_source::template::mustache::{EscapedValue, MissingVar};
use planarium_source::yaml::{Reader, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A definition as far as it could be read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The spec; none when there is any error besides those that a scheduler judges ([`Loaded::is_clean`]).
    pub spec: Option<Arc<ServiceSpec>>,
    /// The readable part, also when there are errors: enough for outlines, not for running.
    pub partial: Option<Arc<ServiceSpec>>,
    /// Service name: the request's, else the definition's; empty when there is neither.
    pub name: Text,
    /// The complete environment of the scheduler process.
    pub env: BTreeMap<String, String>,
    /// Everything found.
    pub diagnostics: Diagnostics,
    /// The files that findings point into.
    pub sources: SourceMap,
    /// Variables without a value: those of templates, and the service account where one is needed.
    pub missing: Vec<MissingVariable>,
    /// Fields that are kept and have no effect yet.
    pub kept: Vec<Kept>,
    /// Path of the definition file.
    pub definition: Option<Text>,
    /// The framework that the service shares with others.
    pub framework: Option<Text>,
    /// The program that runs it.
    pub program: Program,
    /// The files that the program serves as endpoints.
    pub served: Vec<ServedFile>,
}

/// A variable without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVariable {
    /// Name.
    pub name: Text,
    /// Positions of its uses.
    pub spans: Vec<Span>,
    /// Set if some field cannot do without it.
    pub required: bool,
}

/// Reads a service definition with its context.
///
/// Never fails: parts that cannot be understood become findings, and the rest is read.
pub fn load(request: &LoadService) -> Loaded {
    let mut sources = SourceMap::new();
    let mut found = Diagnostics::new();
    let files: SortedMap<&str, FileId> = request
        .files
        .iter()
        .map(|(path, text)| (path.as_str(), sources.add(path.as_str(), text.as_str())))
        .collect();

    let mut package = package::read(request, &files, &mut sources, &mut found);
    let mut env = std::mem::take(&mut package.env);
    for (key, value) in package::INJECTED {
        env.insert((*key).to_owned(), (*value).to_owned());
    }
    env.extend(request.env.iter().map(|(key, value)| (key.clone(), value.clone())));
    if !request.name.is_empty() && !request.env.contains_key("FRAMEWORK_NAME") && !package.named {
        env.insert("FRAMEWORK_NAME".to_owned(), request.name.clone());
    }

    let mut loaded = Loaded {
        spec: None,
        partial: None,
        name: request.name.as_str().into(),
        env,
        diagnostics: Diagnostics::new(),
        sources,
        missing: Vec::new(),
        kept: Vec::new(),
        definition: None,
        framework: (!request.framework.is_empty()).then(|| request.framework.as_str().into()),
        program: Program::default(),
        served: Vec::new(),
    };
    let recognized = Program::recognize(&package.program_marks(), &loaded.env);
    loaded.program = recognized.clone().unwrap_or_default();
    let choice = package::choose(request, package.yaml.as_ref());
    match choice {
        Choice::File(path) => {
            loaded.definition = Some(path.into());
            if let Some(file) = files.get(path) {
                if let Some(program) = &recognized {
                    programs::report(program, &loaded.env, Span::at(*file, 0), &mut found);
                }
                read_definition(request, path, *file, package.broken, &mut loaded, &mut found);
            }
        }
        Choice::None => found.push(
            Diagnostic::error(
                codes::NO_DEFINITION,
                Span::default(),
                "There is no service definition among the files",
            )
            .with_help("add a file such as 'svc.yml' with the keys 'name' and 'pods'"),
        ),
        Choice::Several(paths) => {
            let span = paths
                .first()
                .and_then(|path| files.get(*path))
                .map_or(Span::default(), |id| Span::at(*id, 0));
            let list = paths.join(", ");
            found.push(
                Diagnostic::error(
                    codes::SEVERAL_DEFINITIONS,
                    span,
                    format!("Several files could be the definition: {list}"),
                )
                .with_help(
                    "leave one of them, name it 'svc.yml', or choose one with the option 'service.yaml'",
                ),
            );
        }
        Choice::Unknown { wanted, near } => {
            let finding = Diagnostic::error(
                codes::UNKNOWN_DEFINITION,
                package.yaml_span.unwrap_or_default(),
                format!("The option 'service.yaml' asks for '{wanted}.yml', which is not among the files"),
            );
            found.push(finding.with_help(did_you_mean(near, || "add that file, or choose another one")));
        }
    }
    if let Some(partial) = &loaded.partial {
        if let Some(at) = account::needed_at(partial).filter(|_| !account::is_given(&loaded.env)) {
            let spans = vec![decode::span_of(&loaded.sources, at)];
            loaded.missing.push(MissingVariable { name: account::CREDENTIAL.into(), spans, required: true });
        }
        loaded.kept = without_effect::of(partial);
        if loaded.name.is_empty() {
            loaded.name = partial.name.clone();
        }
        if readable(&found) {
            loaded.spec = Some(Arc::clone(partial));
        }
    }
    loaded.diagnostics = found;
    join_framework(&mut loaded);
    loaded
}

/// A service of a shared framework reserves for the role and as the principal of the framework.
fn join_framework(loaded: &mut Loaded) {
    let Some(framework) = loaded.framework.clone() else { return };
    let role = decode::framework_role(&framework, &loaded.env);
    for spec in [&mut loaded.spec, &mut loaded.partial].into_iter().flatten() {
        let spec = Arc::make_mut(spec);
        spec.role = role.clone();
        spec.principal = format!("{framework}-principal").into();
    }
}

impl Loaded {
    /// Returns whether the definition can be used. With a spec and errors, the errors come from the real scheduler's
    /// validators: a scheduler with a running definition keeps that one.
    pub fn is_clean(&self) -> bool {
        !self.diagnostics.has_errors()
    }
}

/// Returns whether the definition can be read as far as a scheduler's validators need it.
fn readable(found: &Diagnostics) -> bool {
    let validated = |one: &Diagnostic| codes::VALIDATED.contains(&one.code.as_ref());
    !found.has_errors() || found.dropped() == 0 && found.iter().filter(|one| one.is_error()).all(validated)
}

fn read_definition(
    request: &LoadService,
    path: &str,
    file: FileId,
    broken: bool,
    loaded: &mut Loaded,
    found: &mut Diagnostics,
) {
    let Some(text) = request.files.get(path) else { return };
    let mut rendered = java_template::render(text, file, &loaded.env);
    found.extend(std::mem::take(&mut rendered.diagnostics));
    if !rendered.complete {
        return;
    }
    // Findings about fields are held back: a variable without a value explains some of them.
    let mut about_fields = Diagnostics::new();
    let readable = build_marks::named(&rendered.text);
    let reader = Reader::new(&readable, file).with_map(&rendered.map).with_aliases_as_text();
    let parsed = reader.one_around_errors(&mut about_fields);
    if let Some(root) = &parsed.root {
        report_duplicates_everywhere(root, Severity::Error, None, &mut about_fields);
    }
    // A truncated text is read as far as it goes; parts missing because of that are not reported.
    let mut unsaid = Diagnostics::new();
    let complaints = if parsed.complete { &mut about_fields } else { &mut unsaid };
    let mut cx = decode::Cx::new(&loaded.sources, complaints, &loaded.env);
    cx.files = Some((path, &request.files));
    cx.name_override = Some(request.name.as_str()).filter(|name| !name.is_empty());
    cx.program = loaded.program.clone();
    match &parsed.root {
        Some(root) => loaded.partial = decode::service(&mut cx, root).map(Arc::new),
        None => cx.error(codes::EMPTY, reader.end(), "The definition is empty", "start with 'name: hello'"),
    }
    if let Some(spec) = loaded.partial.as_ref().filter(|_| parsed.complete) {
        config_file::check(spec, path, &request.files, &loaded.sources, &mut about_fields);
        let (env, files) = (&loaded.env, &request.files);
        loaded.served =
            programs::served(&loaded.program, spec, env, path, files, &loaded.sources, &mut about_fields);
    }
    if parsed.holes {
        unsaid.into_sorted().into_iter().filter(around_holes).for_each(|finding| about_fields.push(finding));
    }
    build_marks::report(text, &rendered, file, found);
    unused_variables::report(&request.env, loaded.partial.as_deref(), &rendered.used, file, found);
    if broken {
        // It is then unknown which variables lack a value; only errors in present values are reported.
        about_fields.into_sorted().into_iter().filter(around_holes).for_each(|finding| found.push(finding));
        return;
    }
    let options = |variable: &str| package::option_behind(request, variable);
    let mut missing = rendered.missing;
    for variable in &mut missing {
        variable.spans.retain(|span| !in_comment(text, *span));
    }
    missing.retain(|variable| !variable.spans.is_empty());
    let about_fields = explain_left_out(text, &rendered.used, &loaded.env, about_fields);
    let about_fields = explain_empty(&rendered.empty, about_fields, &options, found);
    explain_missing(&missing, about_fields, &options, loaded, found);
    report_escaped(text, &rendered.escaped, found);
}

/// Returns whether a tag is in a comment line, where a missing value does not matter.
fn in_comment(text: &str, tag: Span) -> bool {
    let before = text.get(..tag.range().start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#')
}

/// Returns whether a finding holds although parts of the text were left out: it is about a value that is there.
fn around_holes(finding: &Diagnostic) -> bool {
    let code: &str = &finding.code;
    let absent = code == codes::WRONG_TYPE && finding.message.ends_with("is nothing");
    codes::LOCAL.contains(&code) && !absent
}

/// Turns errors about emptied fields into errors about the variable that is set and empty; returns the rest.
fn explain_empty(
    empty: &[MissingVar],
    about_fields: Diagnostics,
    option_of: &dyn Fn(&str) -> Option<String>,
    found: &mut Diagnostics,
) -> Diagnostics {
    let variables = by_tag(empty);
    let mut rest = Diagnostics::new();
    for finding in about_fields.into_sorted() {
        let known = emptied(&finding, &variables).and_then(|tag| Some((tag, *variables.get(&tag)?)));
        let Some((tag, name)) = known else {
            rest.push(finding);
            continue;
        };
        let help = match option_of(name) {
            Some(option) => format!("set the option '{option}', or give the variable a text ({name}=…)"),
            None => format!("give it a text ({name}=…)"),
        };
        let message = format!("The template variable '{name}' is empty, and the field needs a value");
        found.push(
            Diagnostic::error(codes::MISSING_VARIABLE, tag, message)
                .with_note(format!("left empty: {}", finding.message))
                .with_help(help),
        );
    }
    rest
}

/// Variables by their tags.
fn by_tag(variables: &[MissingVar]) -> SortedMap<Span, &str> {
    let tags = variables.iter().flat_map(|one| one.spans.iter().map(|span| (*span, one.name.as_str())));
    tags.collect()
}

/// Findings that may be due to a section that was left out.
const LEFT_OUT: &[&str] = &[codes::EMPTY, codes::NO_PODS, codes::NO_TASKS];
/// Sections named at most.
const SECTIONS_NAMED: usize = 5;

/// Names the absent sections if nothing is left.
fn explain_left_out(
    text: &str,
    used: &SortedSet<String>,
    env: &BTreeMap<String, String>,
    found: Diagnostics,
) -> Diagnostics {
    let off = |name: &str| env.get(name).is_none_or(|value| value.is_empty() || value == "false");
    let sections: Vec<&str> = used
        .iter()
        .map(String::as_str)
        .filter(|name| off(name) && text.contains(&format!("{{{{#{name}}}}}")))
        .collect();
    if sections.is_empty() {
        return found;
    }
    let more = if sections.len() > SECTIONS_NAMED { ", …" } else { "" };
    let names: Vec<&str> = sections.into_iter().take(SECTIONS_NAMED).collect();
    let names = names.join(", ");
    let note = format!("left out: the sections of {names}{more}, whose variables have no value or are false");
    let mut all = Diagnostics::new();
    for finding in found.into_sorted() {
        let hollow = LEFT_OUT.contains(&finding.code.as_ref());
        all.push(if hollow { finding.with_note(note.clone()) } else { finding });
    }
    all
}

/// Turns errors about emptied fields into errors about the variable, and warns of the other variables.
fn explain_missing(
    missing: &[MissingVar],
    about_fields: Diagnostics,
    option_of: &dyn Fn(&str) -> Option<String>,
    loaded: &mut Loaded,
    found: &mut Diagnostics,
) {
    let mut refused: SortedMap<Span, String> = SortedMap::new();
    let variables = by_tag(missing);
    for finding in about_fields.into_sorted() {
        match emptied(&finding, &variables) {
            Some(tag) => {
                refused.entry(tag).or_insert_with(|| finding.message.clone());
            }
            None => found.push(finding),
        }
    }
    for variable in missing {
        let bad = variable.spans.iter().find_map(|span| refused.get(span).map(|why| (*span, why)));
        let name = &variable.name;
        let span = bad.map_or_else(|| variable.spans.first().copied().unwrap_or_default(), |(span, _)| span);
        let mark = build_marks::is_mark(name);
        let (code, what) = if mark {
            (codes::PACKAGING_MARK, format!("'{{{{{name}}}}}' is a placeholder of a package build; it"))
        } else {
            (codes::MISSING_VARIABLE, format!("The template variable '{name}' has no value"))
        };
        let mut finding = match bad {
            Some((_, why)) => {
                let rest = if mark {
                    " is left empty, and the field needs a value"
                } else {
                    ", and the field needs one"
                };
                Diagnostic::error(code, span, format!("{what}{rest}")).with_note(format!("left empty: {why}"))
            }
            None => {
                let joint = if mark { "" } else { " and" };
                Diagnostic::warning(code, span, format!("{what}{joint} is left empty"))
            }
        };
        for other in variable.spans.iter().filter(|other| **other != span) {
            finding = finding.with_label(*other, "used here too");
        }
        let help = match option_of(name) {
            _ if mark => {
                format!("write what the build would put there, or give it in the environment ({name}=…)")
            }
            Some(option) => {
                format!("set the option '{option}', or give the variable in the environment ({name}=…)")
            }
            None => format!("give it one in the environment ({name}=…) or with the package's options"),
        };
        found.push(finding.with_help(help));
        loaded.missing.push(MissingVariable {
            name: name.as_str().into(),
            spans: variable.spans.clone(),
            required: bad.is_some(),
        });
    }
}

/// Returns the tag without a value that caused an error: the whole value is this tag, but for quotes.
fn emptied(finding: &Diagnostic, variables: &SortedMap<Span, &str>) -> Option<Span> {
    if !finding.is_error() {
        return None;
    }
    let from = Span { start: finding.span.start, end: finding.span.start, ..finding.span };
    variables
        .range(from..)
        .map(|(tag, _)| *tag)
        .take_while(|tag| tag.file == finding.span.file && tag.start <= finding.span.start.saturating_add(1))
        .find(|tag| tag.end <= finding.span.end && finding.span.end.saturating_sub(tag.end) <= 1)
}

fn report_escaped(text: &str, escaped: &[EscapedValue], found: &mut Diagnostics) {
    for EscapedValue { name, span } in escaped {
        let message = format!("The value of '{name}' holds characters that {{{{{name}}}}} escapes for HTML");
        let mut finding = Diagnostic::warning(codes::HTML_ESCAPED, *span, message)
            .with_help(format!("write {{{{{{{name}}}}}}} to insert it as it is"));
        if text.get(span.range()) == Some(format!("{{{{{name}}}}}").as_str()) {
            finding = finding.with_fix("use three braces", *span, format!("{{{{{{{name}}}}}}}"));
        }
        found.push(finding);
    }
}
