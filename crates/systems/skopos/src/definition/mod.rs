//! Reads the files of a request into a definition: roles of files, variables, model, environment, plan.
//!
//! *Knows*: the order of these steps. *Must not know*: any single attribute.
//!
//! Reading never fails: parts that cannot be understood become findings, and the rest is read.

mod check;
pub(crate) mod decode;
pub(crate) mod env;
pub(crate) mod files;
pub(crate) mod generate;
pub(crate) mod model;
pub(crate) mod nearest;
mod substitute;

use self::decode::{Cx, Decoded, Places};
use self::env::Env;
use self::generate::{Made, Running};
use self::model::Model;
use self::substitute::Replaced;
use crate::codes;
use crate::plan::{Class, Plan, SharedPlan};
use crate::templates::values::Vars;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::{Kind, Node, Reader, Scalar, Style, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Name of an application that has none.
pub(crate) const NAMELESS: &str = "app";

/// The file that a generated plan counts as.
pub(crate) const GENERATED: &str = "plan.yaml (generated)";

/// A request as far as it could be read. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The runnable definition; none when there is any error.
    pub(crate) definition: Option<Arc<Definition>>,
    /// The application's name.
    pub name: Text,
    /// Everything found.
    pub diagnostics: Arc<Diagnostics>,
    /// The files that findings point into.
    pub sources: Arc<SourceMap>,
    /// Variables of the model without a value.
    pub missing: Vec<String>,
    /// Path of the plan, else of the model.
    pub path: Option<Text>,
    /// Names of usual companion files that are missing.
    pub beside: Vec<&'static str>,
    /// It has no name of its own.
    pub nameless: bool,
}

impl Loaded {
    /// Everything found, by file, line and code.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = (*self.diagnostics).clone().into_sorted();
        let place = |finding: &Diagnostic| (finding.span.file, self.sources.position(finding.span).line);
        planarium_kernel::sorted::sort_by(&mut found, |a, b| {
            (place(a), &a.code, a.span.start).cmp(&(place(b), &b.code, b.span.start))
        });
        found
    }
}

/// An application that can run.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Its name.
    pub(crate) name: Text,
    /// The project's name, for `.project`.
    pub(crate) project: Text,
    /// Path of the plan; none when it is generated.
    pub(crate) plan_path: Option<Text>,
    /// The given plan.
    pub(crate) given: Option<(SharedPlan, Text)>,
    pub(crate) model: Option<Arc<Model>>,
    pub(crate) env: Arc<Env>,
    /// Names of components: of the model, of running instances, of the plan.
    pub(crate) components: Arc<[Text]>,
    /// Scripts that were brought, with their texts.
    pub(crate) scripts: Arc<SortedMap<Text, Text>>,
    pub(crate) options: Options,
}

/// Options of a load command beside files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Everything is taken down.
    pub(crate) teardown: bool,
    /// Every instance counts as old.
    pub(crate) replace_all: bool,
    /// A failed step holds the plan.
    pub(crate) interactive: bool,
    /// The plan starts right away.
    pub(crate) run: bool,
    /// A plan that is made replaces instances pair by pair.
    pub(crate) pairwise: bool,
}

/// A plan that is about to run, with its text.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// `None` if there is nothing to do.
    pub(crate) plan: Option<SharedPlan>,
    pub(crate) text: Text,
    pub(crate) generated: bool,
}

/// Reads a request.
pub fn load(request: &LoadService) -> Loaded {
    load_beside(request, &|_| false)
}

/// Reads a request for an application that is there: `runs` says of which components instances run.
pub(crate) fn load_beside(request: &LoadService, runs: &dyn Fn(&str) -> bool) -> Loaded {
    let mut sources = SourceMap::new();
    let mut found = Diagnostics::new();
    let ids: SortedMap<&str, FileId> = request
        .files
        .iter()
        .map(|(path, text)| (path.as_str(), sources.add(path.as_str(), text.as_str())))
        .collect();
    let options = options(&request.options, &mut found);
    let sorted = files::sort(&request.files, &ids, &request.options, &mut found);
    let text_of = |path: &str| request.files.get(path).map_or("", String::as_str);
    let id_of = |path: &str| ids.get(path).copied().unwrap_or_default();

    let mut missing = Vec::new();
    let texts: Vec<(&str, FileId)> = sorted.envs.iter().map(|path| (text_of(path), id_of(path))).collect();
    let mut env = read_envs(&texts, &request.env, &mut missing, &mut found);
    let model = sorted
        .model
        .and_then(|path| read_model(text_of(path), id_of(path), &mut env, &mut missing, &mut found));
    let scripts: Vec<&str> = sorted.scripts.keys().map(|name| &**name).collect();

    let decoded = sorted.plan.and_then(|path| {
        let (text, id) = (text_of(path), id_of(path));
        read_plan(&sources, path, text, id, &mut found)
    });
    if let (Some(decoded), Some(path)) = (&decoded, sorted.plan) {
        let mut cx = Cx { sources: &sources, file: path.into(), found: &mut found };
        check::run(&mut cx, decoded, model.as_ref(), &env, &scripts, runs);
        no_model(&mut cx, decoded, sorted.model.is_some(), id_of(path));
    }
    cycle(model.as_ref(), sorted.plan.is_none(), &mut found);
    if let (Some(model), None, false) = (&model, sorted.plan, found.has_errors()) {
        check_made(&sources, model, &env, &scripts, options, &mut found);
    }
    let given = if request.name.is_empty() { project(&request.options) } else { Some(request.name.as_str()) };
    let nameless = given.is_none();
    let folder = files::folder_of(sorted.plan.or(sorted.model).unwrap_or_default());
    let name: Text = given.or(folder).unwrap_or(NAMELESS).into();
    let beside = files::beside(&sorted, &missing, &found);
    let usable = !found.has_errors() && (decoded.is_some() || (sorted.plan.is_none() && model.is_some()));
    let path = sorted.plan.or(sorted.model).or(sorted.envs.first().copied());
    let definition = usable.then(|| {
        let given = decoded.zip(sorted.plan).map(|(decoded, path)| (decoded.plan, Text::from(text_of(path))));
        let model = model.map(Arc::new);
        Arc::new(Definition {
            project: project(&request.options).map_or_else(|| name.clone(), Into::into),
            name: name.clone(),
            plan_path: sorted.plan.map(Into::into),
            components: components(model.as_deref(), &env, given.as_ref().map(|(plan, _)| &**plan)),
            given,
            model,
            env: Arc::new(env),
            scripts: Arc::new(sorted.scripts),
            options,
        })
    });
    Loaded {
        definition,
        name,
        diagnostics: Arc::new(found),
        missing,
        path: path.map(Into::into),
        beside,
        nameless,
        sources: Arc::new(sources),
    }
}

fn read_plan(
    sources: &SourceMap,
    path: &str,
    text: &str,
    file: FileId,
    found: &mut Diagnostics,
) -> Option<Decoded> {
    let mut own = Diagnostics::new();
    let parsed = Reader::new(text, file).one_around_errors(&mut own);
    if !parsed.complete {
        // The variables of a model are not YAML; in a text truncated elsewhere, missing parts are not reported.
        if let Some(doctype) = files::model_doctype(text) {
            let at = u32::try_from(doctype).unwrap_or(0);
            let (what, help) = decode::MODEL_FOR_PLAN;
            let finding = Diagnostic::error(codes::DOCTYPE, Span::at(file, at), format!("This is {what}"));
            found.push(finding.with_help(help));
        } else {
            found.extend(own);
        }
        return None;
    }
    found.extend(own);
    if let Some(root) = &parsed.root {
        report_duplicates_everywhere(root, Severity::Error, None, found);
    }
    let mut cx = Cx { sources, file: path.into(), found };
    decode::plan(&mut cx, parsed.root.as_ref(), Span::at(file, 0))
}

fn read_model(
    text: &str,
    file: FileId,
    env: &mut Env,
    missing: &mut Vec<String>,
    found: &mut Diagnostics,
) -> Option<Model> {
    // Variables that the model gives itself are the ones that environment files may leave out.
    let mut vars = Vars::default();
    let unsaid = &mut Diagnostics::with_limit(0);
    let before = substitute::replace(text, file, &|name| env.vars.text(name));
    if let Some(own) =
        Reader::new(&before.text, file).one(unsaid).root.as_ref().and_then(|root| root.get("vars"))
    {
        vars.extend(own);
    }
    for (name, value) in env.vars.iter() {
        vars.set(name, value.clone());
    }
    let replaced = substitute::replace(text, file, &|name| vars.text(name));
    let gaps = report_missing(&replaced, "model", codes::MODEL_VARIABLE, missing, found);
    let reader = Reader::new(&replaced.text, file).with_map(&replaced.map);
    let parsed = reader.one_around_errors(found);
    if let Some(root) = &parsed.root {
        report_duplicates_everywhere(root, Severity::Error, None, found);
    }
    env.vars = vars;
    if !parsed.complete {
        return None;
    }
    let mut own = Diagnostics::new();
    let model = model::read(parsed.root.as_ref(), Span::at(file, 0), &mut own);
    report_unless_missing(own, &gaps, found);
    model
}

/// Reads the environment files, each with the variables of all of them; those of the load command come first.
fn read_envs(
    texts: &[(&str, FileId)],
    given: &BTreeMap<String, String>,
    missing: &mut Vec<String>,
    found: &mut Diagnostics,
) -> Env {
    let mut vars = Vars::default();
    let unsaid = &mut Diagnostics::with_limit(0);
    let over = |vars: &mut Vars| {
        for (name, value) in given {
            vars.set(name, plain(value));
        }
    };
    over(&mut vars);
    for (text, file) in texts {
        let before = substitute::replace(text, *file, &|name| vars.text(name));
        if let Some(own) =
            Reader::new(&before.text, *file).one(unsaid).root.as_ref().and_then(|root| root.get("vars"))
        {
            vars.extend(own);
            over(&mut vars);
        }
    }
    let mut gaps = Vec::new();
    let mut roots = Vec::new();
    for (text, file) in texts {
        let replaced = substitute::replace(text, *file, &|name| vars.text(name));
        gaps.extend(report_missing(&replaced, "environment", codes::ENV_VARIABLE, missing, found));
        let parsed = Reader::new(&replaced.text, *file).with_map(&replaced.map).one_around_errors(found);
        if let Some(root) = &parsed.root {
            report_duplicates_everywhere(root, Severity::Error, None, found);
        }
        roots.extend(parsed.root.filter(|_| parsed.complete));
    }
    let mut own = Diagnostics::new();
    let mut env = env::read(env::merge(roots).as_ref(), &mut own);
    report_unless_missing(own, &gaps, found);
    over(&mut env.vars);
    env
}

/// Reports variables without a value, each with all its uses; returns the positions.
fn report_missing(
    replaced: &Replaced,
    what: &str,
    code: &'static str,
    missing: &mut Vec<String>,
    found: &mut Diagnostics,
) -> Vec<Span> {
    for (name, spans) in &replaced.missing {
        if !missing.contains(name) {
            missing.push(name.clone());
        }
        let span = spans.first().copied().unwrap_or_default();
        let message = format!("The variable '{name}' of the {what} has no value");
        let mut finding = Diagnostic::error(code, span, message).with_help(format!(
            "add '{name}' to the vars of an environment file, or write ${{{name}-DEFAULT}}"
        ));
        for span in spans.iter().skip(1) {
            finding = finding.with_label(*span, "used here as well");
        }
        found.push(finding);
    }
    replaced.missing.iter().flat_map(|(_, spans)| spans.iter().copied()).collect()
}

/// Reports findings about values, except those caused by a variable without a value, which was reported.
fn report_unless_missing(own: Diagnostics, gaps: &[Span], found: &mut Diagnostics) {
    const ABOUT_VALUES: [&str; 5] = [
        codes::MODEL_VALUE,
        codes::MODEL_REFERENCE,
        codes::MODEL_UNKNOWN,
        codes::ENV_VALUE,
        codes::ENV_UNKNOWN,
    ];
    let gap = |span: Span| {
        let inside = |gap: &&Span| span.file == gap.file && span.start <= gap.start && gap.end <= span.end;
        gaps.iter().find(inside).is_some()
    };
    let own = own.into_sorted().into_iter();
    own.filter(|finding| !ABOUT_VALUES.contains(&&*finding.code) || !gap(finding.span))
        .for_each(|one| found.push(one));
}

/// Checks the plan generated from the instances at load time like a given one. Findings point at the part of the model or the
/// environment that a step comes from.
fn check_made(
    sources: &SourceMap,
    model: &Model,
    env: &Env,
    scripts: &[&str],
    options: Options,
    found: &mut Diagnostics,
) {
    let running = planted(model, env, options);
    let made = generate::generate(model, env, &running, options.teardown, options.pairwise);
    let Ok(Some(made)) = made else { return };
    let mut own_sources = SourceMap::new();
    let file = own_sources.add(GENERATED, made.text.as_str());
    let decoded = read_plan(&own_sources, GENERATED, &made.text, file, &mut Diagnostics::with_limit(0));
    let Some(mut decoded) = decoded else { return };
    let hooks: SortedMap<&str, Span> = made.places.iter().map(|(id, span)| (id.as_str(), *span)).collect();
    for ((_, step), places) in decoded.plan.steps().zip(&mut decoded.places) {
        let hook = hooks.get(&*step.id).copied();
        let chain = match &step.class {
            Class::Component { chain, .. } => *chain,
            _ => step.chain,
        };
        let component = decoded.plan.chain(chain).and_then(|chain| chain.component.as_deref());
        let component = component.and_then(|name| model.component(name)).map(|component| component.span);
        *places = Places::at(hook.or(component).unwrap_or_default());
    }
    let mut own = Diagnostics::new();
    check::run_on_made(
        &mut Cx { sources, file: GENERATED.into(), found: &mut own },
        &decoded,
        model,
        env,
        scripts,
    );
    // Steps from the same line have the same findings.
    let mut told: SortedSet<(Text, FileId, u32, String)> = SortedSet::new();
    for finding in own.into_sorted() {
        let mut words = finding
            .message
            .split(" of step '")
            .map(|part| part.split_once('\'').map_or(part, |(_, rest)| rest));
        let text: String = words.by_ref().collect();
        let span = finding.span;
        if told.insert((Text::from(&*finding.code), span.file, span.start, text)) {
            found.push(finding);
        }
    }
}

/// Returns the instances that run at load time, by component.
fn planted(model: &Model, env: &Env, options: Options) -> Vec<Running> {
    let mut running: Vec<Running> = Vec::new();
    for instance in env.simulation.instances.iter().filter(|instance| !instance.stopped) {
        let at = running.iter().position(|own| own.component == instance.component).unwrap_or_else(|| {
            running.push(Running { component: instance.component.clone(), ..Running::default() });
            running.len().saturating_sub(1)
        });
        let component = model.component(&instance.component);
        let target = component.filter(|own| own.replicas > 0).and_then(|own| own.image.as_ref());
        let stays = !options.teardown && !options.replace_all && target == Some(&instance.image);
        if let Some(own) = running.get_mut(at) {
            if stays { &mut own.same } else { &mut own.old }.push(instance.image.clone());
        }
    }
    running
}

/// Reports a plan without a model for its components.
fn no_model(cx: &mut Cx<'_>, decoded: &Decoded, has_model: bool, file: FileId) {
    let components = decoded.plan.steps().any(|(_, step)| matches!(step.class, Class::Component { .. }));
    if components && !has_model {
        let text = "There is no model: components have no image and no replicas".to_owned();
        let help = "add model.yaml; without it no instance can be created, and loops over 'target' are empty";
        cx.info(codes::NO_MODEL, Span::at(file, 0), text, help);
    }
}

fn cycle(model: Option<&Model>, generates: bool, found: &mut Diagnostics) {
    let Some(model) = model else { return };
    let Err(circle) = generate::order(model) else { return };
    let span =
        circle.first().and_then(|name| model.component(name)).map_or(Span::default(), |own| own.uses_span);
    let names: Vec<&str> = circle.iter().chain(circle.first()).map(|name| &**name).collect();
    let text = format!("Components use each other in a circle: {}", names.join(", "));
    let severity = if generates { Severity::Error } else { Severity::Warning };
    let finding = Diagnostic::new(severity, codes::MODEL_CYCLE, span, text);
    found.push(finding.with_help("remove one of the 'uses': no order of deployment satisfies all of them"));
}

fn components(model: Option<&Model>, env: &Env, plan: Option<&Plan>) -> Arc<[Text]> {
    let mut names: Vec<Text> = Vec::new();
    let mut known: SortedSet<Text> = SortedSet::new();
    let own = model.into_iter().flat_map(|model| &model.components).map(|component| &component.name);
    let planted = env.simulation.instances.iter().map(|instance| &instance.component);
    let stepped = plan.into_iter().flat_map(Plan::chains).filter_map(|(_, chain)| chain.component.as_ref());
    for name in own.chain(planted).chain(stepped) {
        if known.insert(name.clone()) {
            names.push(name.clone());
        }
    }
    names.into()
}

fn project(options: &Value) -> Option<&str> {
    options.get("project").and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// Options of a load. Each has a row in `docs/reference/skopos.md`.
pub(crate) const OPTIONS: [&str; 9] =
    ["project", "plan", "model", "env", "mode", "strategy", "replace_all", "interactive", "run"];

fn options(given: &Value, found: &mut Diagnostics) -> Options {
    let mut refuse = |text: String, help: &str| {
        let finding = Diagnostic::error(codes::UNKNOWN_OPTION, Span::default(), text);
        found.push(finding.with_help(help));
    };
    let mut options = Options::default();
    let Some(fields) = given.as_object() else {
        if !given.is_null() {
            refuse("The options must be an object".to_owned(), "write {\"mode\": \"teardown\"}");
        }
        return options;
    };
    for (name, value) in fields {
        let flag = match name.as_str() {
            "project" | "plan" | "model" | "env" => continue,
            "mode" => {
                match value.as_str() {
                    Some("deploy") => options.teardown = false,
                    Some("teardown") => options.teardown = true,
                    _ => refuse(format!("There is no mode {value}"), "write deploy or teardown"),
                }
                continue;
            }
            "strategy" => {
                match value.as_str() {
                    Some("all-at-once") => options.pairwise = false,
                    Some("pairwise") => options.pairwise = true,
                    _ => refuse(format!("There is no strategy {value}"), "write all-at-once or pairwise"),
                }
                continue;
            }
            "replace_all" | "replace-all" => &mut options.replace_all,
            "interactive" => &mut options.interactive,
            "run" | "start" => &mut options.run,
            _ => {
                let help = did_you_mean(crate::definition::nearest::nearest(name, &OPTIONS), || {
                    format!("the options are {}", OPTIONS.join(", "))
                });
                refuse(format!("There is no option '{name}'"), &help);
                continue;
            }
        };
        match value.as_bool() {
            Some(value) => *flag = value,
            None => refuse(format!("The option '{name}' must be true or false"), "write true or false"),
        }
    }
    options
}

/// A text as a node.
fn plain(text: &str) -> Node {
    let kind = Kind::Scalar(Scalar { text: text.into(), style: Style::DoubleQuoted });
    Node { span: Span::default(), literal: false, tag: None, kind }
}

impl Definition {
    /// Returns the plan from the running instances to the definition: the given one, otherwise a generated one.
    ///
    /// *Errors*: why none can be generated.
    pub(crate) fn prepare(&self, running: &[Running]) -> Result<Prepared, String> {
        if let Some((plan, text)) = &self.given {
            return Ok(Prepared { plan: Some(plan.clone()), text: text.clone(), generated: false });
        }
        let Some(model) = &self.model else { return Err("there is neither a plan nor a model".to_owned()) };
        let text =
            generate::generate(model, &self.env, running, self.options.teardown, self.options.pairwise)
                .map_err(|circle| format!("components use each other in a circle: {}", circle.join(", ")))?;
        let Some(Made { text, .. }) = text else {
            return Ok(Prepared { plan: None, text: "".into(), generated: true });
        };
        let mut sources = SourceMap::new();
        let mut found = Diagnostics::new();
        let file = sources.add(GENERATED, text.as_str());
        let decoded = read_plan(&sources, GENERATED, &text, file, &mut found);
        match decoded.filter(|_| !found.has_errors()) {
            Some(decoded) => Ok(Prepared { plan: Some(decoded.plan), text: text.into(), generated: true }),
            None => {
                let first = found.into_sorted().into_iter().find(Diagnostic::is_error);
                Err(first.map_or_else(String::new, |finding| finding.message))
            }
        }
    }

    /// Returns the instances that run at load time.
    pub(crate) fn planted(&self) -> Vec<Running> {
        match &self.model {
            Some(model) => planted(model, &self.env, self.options),
            None => Vec::new(),
        }
    }
}
