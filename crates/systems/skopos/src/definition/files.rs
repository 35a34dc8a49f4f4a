//! Finds the plan, the model, environment files and scripts among a user's files.
//!
//! *Knows*: names of files, doctypes and outermost keys. *Must not know*: any other content.
//!
//! *Order*: an option that names a file comes first, then its exact name (`plan.yaml`), its doctype, its keys, and parts
//! of its name. Environment files are merged by name without the extension, those named after `common`, `base` or
//! `default` first, unless the option `env` sets an order.

use crate::codes;
use crate::definition::decode::{MODEL_DOCTYPE, PLAN_DOCTYPE};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::json;
use planarium_source::yaml::{Node, Reader};
use planarium_source::{Diagnostic, Diagnostics, FileId, Span};
use serde_json::Value;
use std::collections::BTreeMap;

/// Outermost keys of environment files.
pub(crate) const ENV_KEYS: [&str; 10] = [
    "core_plugin",
    "service_discovery_plugin",
    "service_discovery_auto",
    "load_balancer_plugin",
    "load_balancer_auto",
    "chatops_plugin",
    "plugin_config",
    "quality_gates",
    "simulation",
    "vars",
];

/// Roles of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plan,
    Model,
    Env,
    Compose,
}

/// The files by what they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorted<'a> {
    pub(crate) plan: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    /// In the order in which they are merged.
    pub(crate) envs: Vec<&'a str>,
    /// Names of scripts with their texts.
    pub(crate) scripts: SortedMap<Text, Text>,
}

/// Sorts files by role. Ambiguous ones become findings.
pub(crate) fn sort<'a>(
    files: &'a BTreeMap<String, String>,
    ids: &SortedMap<&str, FileId>,
    options: &Value,
    found: &mut Diagnostics,
) -> Sorted<'a> {
    let mut sorted = Sorted::default();
    let at = |path: &str| ids.get(path).map_or(Span::default(), |id| Span::at(*id, 0));
    let chosen = chosen(files, options, found);
    let mut plans = Vec::new();
    let mut models = Vec::new();
    let mut composes = Vec::new();
    let mut rest = Vec::new();
    for (path, text) in files {
        // The options file itself, for findings that point into it.
        let is_json = path.to_ascii_lowercase().ends_with(JSON);
        if is_json && options.is_object() && json::value(text.as_bytes()).is_ok_and(|own| own == *options) {
            continue;
        }
        if !is_yaml(path, text) {
            if let Some(name) = script_name(path) {
                sorted.scripts.insert(name.into(), text.as_str().into());
            }
            continue;
        }
        let path = path.as_str();
        match role(path, text, &chosen) {
            Some(Role::Plan) => plans.push(path),
            Some(Role::Model) => models.push(path),
            Some(Role::Env) => sorted.envs.push(path),
            Some(Role::Compose) => composes.push(path),
            None => rest.push(path),
        }
    }
    if plans.is_empty() && models.is_empty() {
        // An unrecognised file is read as the plan, whose header then shows the error.
        if let [only] = [composes.as_slice(), rest.as_slice()].concat().as_slice() {
            plans.push(only);
            composes.clear();
            rest.clear();
        }
    }
    for path in composes {
        let text = format!("'{path}' is a compose file: it is not read");
        let finding = Diagnostic::info(codes::IGNORED_FILE, at(path), text);
        found.push(finding.with_help("the model says which components there are; remove the file"));
    }
    for path in rest {
        let text = format!("'{path}' is neither a plan nor a model nor an environment file: it is not read");
        let finding = Diagnostic::info(codes::IGNORED_FILE, at(path), text);
        found.push(finding.with_help("remove the file, or name it plan.yaml, model.yaml or env.yaml"));
    }
    sorted.plan = one(&plans, "plan", at, found);
    sorted.model = one(&models, "model", at, found);
    order(&mut sorted.envs, &chosen.envs);
    if sorted.envs.len() > 1 && chosen.envs.is_empty() {
        let text = format!("Environment files are merged in this order: {}", sorted.envs.join(", "));
        let span = sorted.envs.first().map_or(Span::default(), |path| at(path));
        let finding = Diagnostic::info(codes::ENV_ORDER, span, text);
        found.push(
            finding.with_help("later ones win; the option 'env' gives another order, as a list of files"),
        );
    }
    if sorted.plan.is_none() && sorted.model.is_none() && plans.is_empty() && models.is_empty() {
        let span = sorted.envs.first().map_or(Span::default(), |path| at(path));
        let finding =
            Diagnostic::error(codes::NO_PLAN, span, "There is neither a plan nor a model among the files");
        found.push(finding.with_help("add plan.yaml, or model.yaml for a plan that is generated"));
    }
    sorted
}

fn one<'a>(
    paths: &[&'a str],
    what: &str,
    at: impl Fn(&str) -> Span,
    found: &mut Diagnostics,
) -> Option<&'a str> {
    if let [first, _, ..] = paths {
        let text = format!("Several files could be the {what}: {}", paths.join(", "));
        let help = format!("leave one of them, or choose one with the option '{what}'");
        found.push(Diagnostic::error(codes::SEVERAL, at(first), text).with_help(help));
        return None;
    }
    paths.first().copied()
}

/// Returns a file's folder, if it can be an application's name.
pub(crate) fn folder_of(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    let name = folder.rsplit('/').next()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits)).then_some(name)
}

/// Returns names of usual companion files that are missing: the model of a plan, the environment of a plan or of variables
/// without a value, called scripts.
pub(super) fn beside(sorted: &Sorted<'_>, missing: &[String], found: &Diagnostics) -> Vec<&'static str> {
    let mut names = Vec::new();
    if sorted.plan.is_some() && sorted.model.is_none() {
        names.extend(["model.yaml", "model.yml"]);
    }
    if sorted.envs.is_empty() && (sorted.plan.is_some() || !missing.is_empty()) {
        names.extend(["env.yaml", "env.yml"]);
    }
    if found.iter().any(|finding| finding.code == codes::SCRIPT_UNKNOWN) {
        names.extend(["scripts/", "bin/"]);
    }
    names
}

/// Files that options name.
#[derive(Default)]
struct Chosen {
    plan: Option<String>,
    model: Option<String>,
    envs: Vec<String>,
}

fn chosen(files: &BTreeMap<String, String>, options: &Value, found: &mut Diagnostics) -> Chosen {
    let mut chosen = Chosen::default();
    let mut named = |value: &Value, option: &str| {
        let name = value.as_str()?;
        let path = files.keys().find(|path| *path == name || path.ends_with(&format!("/{name}")));
        if path.is_none() {
            let text = format!("The option '{option}' names '{name}', which is not among the files");
            let finding = Diagnostic::error(codes::UNKNOWN_FILE, Span::default(), text);
            found.push(finding.with_help("add that file, or name another one"));
        }
        path.cloned()
    };
    if let Some(value) = options.get("plan") {
        chosen.plan = named(value, "plan");
    }
    if let Some(value) = options.get("model") {
        chosen.model = named(value, "model");
    }
    match options.get("env") {
        Some(Value::Array(items)) => {
            chosen.envs = items.iter().filter_map(|value| named(value, "env")).collect();
        }
        Some(value) => chosen.envs.extend(named(value, "env")),
        None => {}
    }
    chosen
}

fn role(path: &str, text: &str, chosen: &Chosen) -> Option<Role> {
    if chosen.plan.as_deref() == Some(path) {
        return Some(Role::Plan);
    }
    if chosen.model.as_deref() == Some(path) {
        return Some(Role::Model);
    }
    if chosen.envs.iter().any(|env| env == path) {
        return Some(Role::Env);
    }
    let stem = stem(path);
    let exact = match stem.as_str() {
        "plan" => Some(Role::Plan),
        "model" => Some(Role::Model),
        "env" | "environment" | "ted" => Some(Role::Env),
        "docker-compose" | "compose" => Some(Role::Compose),
        _ => None,
    };
    // An explicit file name must match its doctype, unless another file was chosen.
    let role = exact.or_else(|| by_content(text)).or_else(|| by_name(&stem))?;
    let other_chosen = match role {
        Role::Plan => chosen.plan.is_some(),
        Role::Model => chosen.model.is_some(),
        Role::Env => !chosen.envs.is_empty(),
        Role::Compose => false,
    };
    (!other_chosen).then_some(role)
}

/// Returns the role by doctype and outermost keys.
fn by_content(text: &str) -> Option<Role> {
    let root = Reader::new(text, FileId(0)).one(&mut Diagnostics::with_limit(0)).root;
    let keys = planarium_source_keys(text);
    let has = |key: &str| match &root {
        Some(root) if root.as_mapping().is_some() => root.get(key).is_some(),
        _ => keys.iter().any(|(own, _)| own == key),
    };
    let doctype = root.as_ref().and_then(|root| root.get("doctype")).and_then(Node::as_str);
    let doctype = doctype.map(str::to_owned).or_else(|| {
        keys.iter()
            .find(|(key, _)| key == "doctype")
            .map(|(_, value)| value.trim_matches(['"', '\'', ' ']).to_owned())
    });
    match doctype.as_deref() {
        Some(PLAN_DOCTYPE) => return Some(Role::Plan),
        Some(MODEL_DOCTYPE) => return Some(Role::Model),
        Some(other) if other.ends_with("deploy-plan") => return Some(Role::Plan),
        Some(other) if other.ends_with("/model") => return Some(Role::Model),
        _ => {}
    }
    if has("steps") {
        Some(Role::Plan)
    } else if root.as_ref().is_some_and(super::model::resembles)
        || root.is_none() && has("components") && text.contains("image:")
    {
        Some(Role::Model)
    } else if has("services") {
        Some(Role::Compose)
    } else {
        ENV_KEYS.iter().any(|key| has(key)).then_some(Role::Env)
    }
}

/// Returns the position of the models' doctype in an unreadable text, if it is there.
pub(crate) fn model_doctype(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("doctype:") && line.contains(MODEL_DOCTYPE) {
            return Some(at);
        }
        at = line.len().saturating_add(at);
    }
    None
}

/// Outermost keys with what follows on their lines, for texts that cannot be read.
fn planarium_source_keys(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        let outermost = !key.is_empty() && !key.starts_with([' ', '\t', '#', '-']);
        outermost.then(|| (key.trim().trim_matches(['"', '\'']).to_owned(), value.trim().to_owned()))
    });
    lines.collect()
}

/// Returns the role by parts of the name: `prod-env`, `plan.v2`.
fn by_name(stem: &str) -> Option<Role> {
    stem.split(['-', '_', '.']).find_map(|part| match part {
        "plan" => Some(Role::Plan),
        "model" => Some(Role::Model),
        "env" | "ted" | "environment" => Some(Role::Env),
        "compose" => Some(Role::Compose),
        _ => None,
    })
}

/// The name without folders and ending, in lower case.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    stem.to_ascii_lowercase()
}

const JSON: &str = ".json";
const ENDINGS: [&str; 4] = [".yaml", ".yml", JSON, ".ted"];

fn is_yaml(path: &str, text: &str) -> bool {
    if ENDINGS.iter().any(|ending| path.to_ascii_lowercase().ends_with(ending)) {
        return true;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    // Returns whether a text has no name of its own, like piped input.
    !name.contains('.') && !text.starts_with("#!") && by_content(text).is_some()
}

/// Returns the name by which plans call a script file; `None` for files of another kind.
fn script_name(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if stem.is_empty() {
        return None;
    }
    match ending {
        "" | "sh" | "py" | "rb" | "pl" | "js" | "bash" => Some(name),
        _ => None,
    }
}

fn order(envs: &mut Vec<&str>, chosen: &[String]) {
    let place = |path: &str| chosen.iter().position(|own| own == path).unwrap_or(chosen.len());
    let common = |stem: &str| {
        let general = ["common", "base", "default", "defaults"];
        !stem.split(['-', '_', '.']).any(|part| general.contains(&part))
    };
    planarium_kernel::sorted::sort_by_key(envs, |path| {
        let stem = stem(path);
        (place(path), common(&stem), stem)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(files: &[(&str, &str)], options: Value) -> String {
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut found = Diagnostics::new();
        let sorted = sort(&files, &SortedMap::new(), &options, &mut found);
        let codes: Vec<String> = found.iter().map(|finding| finding.code.to_string()).collect();
        format!(
            "plan={} model={} env={} scripts={} {}",
            sorted.plan.unwrap_or("-"),
            sorted.model.unwrap_or("-"),
            sorted.envs.join(","),
            sorted.scripts.keys().map(|name| &**name).collect::<Vec<_>>().join(","),
            codes.join(",")
        )
    }

    #[test]
    fn files_are_recognised() {
        const PLAN: &str = "doctype: com.datagridsys.doctype/skopos/deploy-plan\nsteps: []\n";
        const MODEL: &str = "doctype: com.datagridsys.doctype/skopos/model\ncomponents: {}\n";
        const COMPOSE: &str = "version: '3'\nservices:\n  a: {image: b}\n";
        let none = || Value::Null;
        for (files, options, told) in [
            (&[("x.yaml", PLAN), ("y.yaml", MODEL)][..], none(), "plan=x.yaml model=y.yaml env= scripts= "),
            (&[("plan.yaml", MODEL)], none(), "plan=plan.yaml model=- env= scripts= "),
            (&[("x.yaml", MODEL)], none(), "plan=- model=x.yaml env= scripts= "),
            (&[("x.yaml", COMPOSE)], none(), "plan=x.yaml model=- env= scripts= "),
            (&[("x.yaml", "a: 1")], none(), "plan=x.yaml model=- env= scripts= "),
            (
                &[("docker-compose.yml", COMPOSE), ("model.yaml", MODEL), ("README.md", "# x")],
                none(),
                "plan=- model=model.yaml env= scripts= SKO005",
            ),
            (
                &[("model-v1.yaml", MODEL), ("model-v2.yaml", MODEL)],
                none(),
                "plan=- model=- env= scripts= SKO002",
            ),
            (
                &[("model-v1.yaml", MODEL), ("model-v2.yaml", MODEL)],
                serde_json::json!({"model": "model-v2.yaml"}),
                "plan=- model=model-v2.yaml env= scripts= SKO005",
            ),
            (
                &[
                    ("env-all.yaml", "vars: {}"),
                    ("env-common.yaml", "vars: {}"),
                    ("env.yaml", "core_plugin: d"),
                    ("m.yaml", MODEL),
                ],
                none(),
                "plan=- model=m.yaml env=env-common.yaml,env.yaml,env-all.yaml scripts= SKO093",
            ),
            (
                &[("a.yaml", "vars: {}"), ("b.yaml", "vars: {}"), ("m.yaml", MODEL)],
                serde_json::json!({"env": ["b.yaml", "a.yaml"]}),
                "plan=- model=m.yaml env=b.yaml,a.yaml scripts= ",
            ),
            (
                &[("plan", PLAN), ("bin/check_perf", "#!/bin/sh\n")],
                none(),
                "plan=plan model=- env= scripts=check_perf ",
            ),
            (
                &[("m.yaml", MODEL)],
                serde_json::json!({"plan": "p.yaml"}),
                "plan=- model=m.yaml env= scripts= SKO003",
            ),
            (&[], none(), "plan=- model=- env= scripts= SKO001"),
            (&[("env.yaml", "vars: {}")], none(), "plan=- model=- env=env.yaml scripts= SKO001"),
            (&[("x.yaml", "doctype: [\nsteps:\n")], none(), "plan=x.yaml model=- env= scripts= "),
            (
                &[("model.tmpl.yaml", "components:\n  a: {image: x:${v}}\n")],
                none(),
                "plan=- model=model.tmpl.yaml env= scripts= ",
            ),
        ] {
            assert_eq!(sorted(files, options), told, "{files:?}");
        }
    }
}
