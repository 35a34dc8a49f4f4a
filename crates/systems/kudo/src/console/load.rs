//! Loads packages from files that can be read one by one: files named by tasks, other files if folders can be listed, and
//! packages that they depend on.

use std::collections::BTreeMap;

use planarium_kernel::{SortedMap, SortedSet, sorted};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;

use super::client::Client;
use crate::definition::Loaded;
use crate::package::model::TaskKind;
use crate::package::{self, params};
use planarium_part::console::Given;

/// Packages that depend on each other at most.
const DEEPEST: usize = 16;

/// Templates of a package that are read at most.
const MOST_FILES: usize = 10_000;

/// Reads the package of a folder and those that it depends on.
///
/// *Errors*: files that cannot be read or understood, in the real words where there are any.
pub(super) fn package(client: &mut Client<'_, '_>, path: &str) -> Result<Loaded, String> {
    let root = path.trim_end_matches('/');
    let mut files = BTreeMap::new();
    let mut roots = vec![(root.to_owned(), "package".to_owned())];
    let mut at = 0;
    while let Some((folder, name)) = roots.get(at).cloned() {
        at += 1;
        if at > DEEPEST {
            break;
        }
        let operator = client.read(&join(&folder, "operator.yaml"));
        let operator = match operator {
            Ok(text) => text,
            Err(_) if at > 1 => continue,
            Err(problem) => {
                return Err(format!(
                    "failed to resolve operator package for: {path} operator.yaml: {problem}"
                ));
            }
        };
        let mut own = sorted::tree([("operator.yaml".to_owned(), operator)]);
        if let Ok(text) = client.read(&join(&folder, "params.yaml")) {
            own.insert("params.yaml".to_owned(), text);
        }
        let load =
            LoadService { dialect: crate::WORD.to_owned(), files: own.clone(), ..LoadService::default() };
        let read = Loaded::read(&load);
        if let Some(operator) = read.operator() {
            let manifest = operator.namespace_manifest.value.as_str();
            let named =
                operator.tasks.iter().flat_map(|task| task.templates()).map(|word| word.value.as_str());
            let mut files: SortedSet<String> = named
                .chain([manifest])
                .filter(|template| !template.is_empty())
                .map(|template| format!("templates/{template}"))
                .collect();
            // Where folders can be listed, templates that no task names count as well.
            if let Ok(list) = client.read(&format!("{}/", join(&folder, "templates"))) {
                files.extend(list.lines().map(|file| format!("templates/{file}")));
            }
            for file in files.into_iter().take(MOST_FILES) {
                if let Ok(text) = client.read(&join(&folder, &file)) {
                    own.insert(file, text);
                }
            }
            for task in operator.tasks.iter().filter(|task| task.is() == Some(TaskKind::KudoOperator)) {
                let package = task.package.value.as_str();
                if package.starts_with("./") || package.starts_with("../") {
                    roots.push((join(&folder, package), join(&name, package)));
                }
            }
        }
        files.extend(own.into_iter().map(|(path, text)| (normal(&format!("{name}/{path}")), text)));
    }
    let load = LoadService {
        dialect: crate::WORD.to_owned(),
        name: "package".to_owned(),
        files,
        ..LoadService::default()
    };
    let loaded = Loaded::read(&load);
    let main = loaded.main().ok_or_else(|| format!("failed to resolve operator package for: {path}"))?;
    if main.operator.is_none() || main.params.is_none() {
        let problem = loaded.diagnostics().iter().find(|finding| finding.is_error());
        let problem = problem.map_or("operator.yaml file is missing", |finding| finding.message.as_str());
        return Err(format!("failed to resolve operator package for: {path} {problem}"));
    }
    Ok(loaded)
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { normal(path) } else { normal(&format!("{folder}/{path}")) }
}

/// A path without `.` and `..`, as far as that goes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.is_empty()) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Values of parameters from the command line and from files, the former before the latter.
///
/// *Errors*: every problem, joined.
pub(super) fn parameters(client: &mut Client<'_, '_>, given: &Given) -> Result<Vec<(Text, Text)>, String> {
    let mut problems = Vec::new();
    let mut values: SortedMap<Text, Text> = SortedMap::new();
    let mut own: Vec<(Text, Text)> = Vec::new();
    for raw in given.values("parameter") {
        match raw.split_once('=') {
            None => problems.push(format!("parameter not set: {raw}")),
            Some(("", _)) => problems.push(format!("parameter name can not be empty: {raw}")),
            Some((_, "")) => problems.push(format!("parameter value can not be empty: {raw}")),
            Some((key, value)) => own.push((key.into(), value.into())),
        }
    }
    for path in given.values("parameter-file") {
        let read = client
            .read(path)
            .map_err(|problem| format!("error reading from parameter file {path}: {problem}"));
        match read.and_then(|text| params::from_file(path, &text)) {
            Ok(read) => values.extend(read),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(format!("could not parse parameters: {}", problems.join(", ")));
    }
    values.extend(own);
    Ok(values.into_iter().collect())
}

/// Returns a package's objects, or the error in the package or its dependencies.
pub(super) fn objects(loaded: &Loaded) -> Result<Vec<package::Objects>, String> {
    let unresolved = loaded
        .diagnostics()
        .iter()
        .find(|finding| finding.code == crate::codes::NO_DEPENDENCY || finding.code == crate::codes::CYCLE);
    if let Some(unresolved) = unresolved {
        return Err(unresolved.message.clone());
    }
    let main = loaded.main().into_iter();
    main.chain(loaded.dependencies()).map(package::objects).collect()
}
