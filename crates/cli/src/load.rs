//! From paths and options to something that can be run or checked.
//!
//! Knows: the file system, standard input, package folders. Must not know: how anything is decoded.

use crate::archive;
use crate::args::InputArgs;
use crate::files::{MAX_FILE, read, sorted_entries};
use crate::kind::{self, Kind};
use crate::{folders, hint, parameters, templates};
use anyhow::{Context as _, Result, bail};
use planarium_protocol::input::{AddAgent, LoadService};
use planarium_scenario::{ParsedScenario, Scenario};
use planarium_source::{Diagnostic, SourceMap};
use planarium_world::{Genesis, presets};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Most files taken from a folder.
pub(crate) const MAX_FILES: usize = 500;
/// Files of a package that the environment is made from.
const PACKAGE_FILES: &[&str] = &["config.json", "marathon.json.mustache", "resource.json", "package.json"];

/// Content of a path after loading.
pub(crate) enum Loaded {
    /// A scenario, read.
    Scenario(Box<ParsedScenario>),
    /// A definition, not yet read.
    Definition(Box<LoadService>),
}

/// Reads a path: a scenario, a folder with one, a package folder, a definition file, or `-`.
pub(crate) fn load(path: &Path, input: &InputArgs) -> Result<Loaded> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().take(MAX_FILE).read_to_string(&mut text).context("reading standard input")?;
        if kind::of("-", &text) == Kind::Scenario {
            return scenario(&text, "-", Path::new("."), input);
        }
        return definition(BTreeMap::from([("svc.yml".to_owned(), text)]), input);
    }
    if path.is_dir() {
        return folder(path, input);
    }
    if archive::is_one(path) {
        let files: BTreeMap<String, String> =
            archive::texts(path)?.into_iter().filter(|(name, _)| is_wanted(Path::new(name))).collect();
        if files.is_empty() {
            bail!("{}: no definition or package file in this archive", path.display());
        }
        return definition(files, input);
    }
    let text = read(path)?;
    let name = path.display().to_string();
    if kind::of(&name, &text) == Kind::Scenario {
        return scenario(&text, &name, path.parent().unwrap_or(Path::new(".")), input);
    }
    let mut files = BTreeMap::from([(name, text)]);
    templates::add(&mut files, Path::new(""));
    let folder = path.parent().unwrap_or(Path::new(""));
    let top = if path.is_absolute() { Path::new("/") } else { Path::new(".") };
    folders::completed(completed(definition(files, input)?, folder, folder), top)
}

/// Reads a text without a file of its own; the files it names are searched in `dir`.
pub(crate) fn text(text: String, name: &str, dir: &Path, input: &InputArgs) -> Result<Loaded> {
    if kind::of(name, &text) == Kind::Scenario {
        return scenario(&text, name, dir, input);
    }
    definition(BTreeMap::from([(name.to_owned(), text)]), input)
}

fn folder(path: &Path, input: &InputArgs) -> Result<Loaded> {
    if let Some(file) = scenario_files(path)?.into_iter().next() {
        return load(&file, input);
    }
    let mut files = BTreeMap::new();
    collect(path, path, &mut files, 0)?;
    if files.is_empty() {
        bail!("{}: no definition, scenario or package file in this folder", path.display());
    }
    templates::add(&mut files, path);
    folders::completed(completed(definition(files, input)?, path, Path::new("")), path)
}

/// Returns a definition with its usual companion files in `folder`, named after that folder if it has no name. `prefix` is
/// the folder in file names.
fn completed(loaded: Loaded, folder: &Path, prefix: &Path) -> Loaded {
    let Loaded::Definition(mut load) = loaded else { return loaded };
    let report = planarium_world::check(&load);
    let mut added = Vec::new();
    for name in &report.beside {
        let here = folder.join(name);
        let paths = if name.ends_with('/') { sorted_entries(&here).unwrap_or_default() } else { vec![here] };
        for path in paths.iter().filter(|path| path.is_file()).take(MAX_FILES) {
            let Some(file) =
                path.strip_prefix(folder).ok().map(|rest| prefix.join(rest).display().to_string())
            else {
                continue;
            };
            if let (false, Ok(text)) = (load.files.contains_key(&file), read(path)) {
                added.push(file.clone());
                load.files.insert(file, text);
            }
        }
    }
    if !added.is_empty() {
        eprintln!("also read: {}", added.join(", "));
    }
    if report.nameless && load.name.is_empty() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let whole = folder.canonicalize().unwrap_or_default();
        let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        load.name = name.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    }
    Loaded::Definition(load)
}

/// Returns whether a file in a folder or an archive may be one of a definition's.
fn is_wanted(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["yml", "yaml", "json", "mustache"].iter().any(|w| e == *w))
}

/// Adds the files of a folder that may be a definition's, by their paths from `root`.
pub(crate) fn collect(
    root: &Path,
    dir: &Path,
    files: &mut BTreeMap<String, String>,
    depth: u32,
) -> Result<()> {
    if depth > 4 {
        return Ok(());
    }
    for path in sorted_entries(dir)? {
        if path.is_dir() {
            collect(root, &path, files, depth + 1)?;
            continue;
        }
        if is_wanted(&path) {
            if files.len() >= MAX_FILES {
                bail!("{}: more than {MAX_FILES} files", root.display());
            }
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            files.insert(name, read(&path)?);
        }
    }
    Ok(())
}

/// Scenario files directly in a folder.
pub(crate) fn scenario_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = sorted_entries(dir)?;
    paths.retain(|path| path.to_string_lossy().ends_with(".planarium.yaml"));
    Ok(paths)
}

fn scenario(text: &str, name: &str, dir: &Path, input: &InputArgs) -> Result<Loaded> {
    let files = |path: &str| read(&dir.join(path)).ok();
    let mut parsed = planarium_scenario::parse(text, name, &files);
    if let Some(scenario) = &mut parsed.scenario {
        if let Some(seed) = input.seed {
            scenario.genesis.seed = seed;
        }
        if let Some(cluster) = &input.cluster {
            scenario.cluster = machines(cluster)?;
        }
        let env = environment(input)?;
        let params = parameters::given(input)?;
        for service in &mut scenario.services {
            service.env.extend(env.clone());
            service.params.extend(params.clone());
        }
    }
    Ok(Loaded::Scenario(Box::new(parsed)))
}

fn definition(mut files: BTreeMap<String, String>, input: &InputArgs) -> Result<Loaded> {
    if let Some(package) = &input.package {
        let name = package.display();
        if !package.is_dir() {
            bail!("--package {name}: there is no such folder");
        }
        let parts = PACKAGE_FILES.iter().map(|name| package.join(name)).filter(|path| path.is_file());
        let parts: Vec<PathBuf> = parts.collect();
        if parts.is_empty() {
            bail!("--package {name}: this folder holds none of {}", PACKAGE_FILES.join(", "));
        }
        for path in parts {
            files.insert(path.display().to_string(), read(&path)?);
        }
    }
    let options = match &input.options {
        Some(path) => {
            let text = read(path)?;
            let options = serde_json::from_str(&text)
                .with_context(|| format!("{}: the options are not JSON", path.display()))?;
            // Findings about options point into this file.
            files.entry(path.display().to_string()).or_insert(text);
            options
        }
        None => serde_json::Value::Null,
    };
    Ok(Loaded::Definition(Box::new(LoadService {
        dialect: input.dialect.clone(),
        files,
        env: environment(input)?,
        params: parameters::given(input)?,
        options,
        ..LoadService::default()
    })))
}

fn environment(input: &InputArgs) -> Result<BTreeMap<String, String>> {
    let mut env = BTreeMap::new();
    for path in &input.env_file {
        for (number, line) in read(path)?.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                bail!("{}:{}: `{line}` is not K=V", path.display(), number + 1);
            };
            env.insert(key.trim().to_owned(), value.trim().trim_matches('"').to_owned());
        }
    }
    for pair in &input.env {
        let Some((key, value)) = pair.split_once('=') else { bail!(hint::not_a_pair(pair)) };
        env.insert(key.to_owned(), value.to_owned());
    }
    Ok(env)
}

/// A preset by name, or a file with a list of machines (or a mapping with `machines:`).
pub(crate) fn machines(text: &str) -> Result<Vec<AddAgent>> {
    if let Some(cluster) = presets::cluster(text) {
        return Ok(cluster);
    }
    let path = Path::new(text);
    if !path.is_file() {
        let names: Vec<&str> = presets::PRESETS.iter().map(|preset| preset.name).collect();
        bail!("--cluster `{text}` is neither a file nor one of the presets: {}", names.join(", "));
    }
    let value: serde_json::Value =
        serde_yaml::from_str(&read(path)?).with_context(|| format!("{}: not YAML", path.display()))?;
    let list = value.get("machines").cloned().unwrap_or(value);
    let list = if list.is_array() { list } else { serde_json::Value::Array(vec![list]) };
    serde_json::from_value(list).with_context(|| format!("{}: not a list of machines", path.display()))
}

/// The scenario to run, or the findings that forbid it.
pub(crate) enum Runnable {
    /// A scenario (a definition becomes one that waits for its deploy plan) with findings that do not prevent a run.
    Yes(Box<Scenario>, Vec<Diagnostic>, SourceMap),
    /// Errors.
    No(Vec<Diagnostic>, SourceMap),
}

/// Returns the condition for a completed definition: its plan `deploy`, or its first one, is complete. If the system has no such word, its
/// last plan (the newest of several deployments) has the last word for completion.
fn done(service: &planarium_protocol::view::ServiceView) -> Option<planarium_world::Condition> {
    use planarium_protocol::view::StatusClass;
    let done = service.statuses.iter().filter(|word| word.class == StatusClass::Done);
    let words: Vec<&str> = done.map(|word| word.word).collect();
    let (plan, word) = match words.iter().find(|word| word.eq_ignore_ascii_case("complete")) {
        // Other plans may come before it by name, and are started on demand only.
        Some(word) => {
            let deploy = service.plans.iter().find(|plan| &*plan.name == "deploy");
            (deploy.or(service.plans.first())?, word)
        }
        None => (service.plans.last()?, words.last()?),
    };
    planarium_world::Condition::parse(&format!("{}={word}", plan.name)).ok()
}

/// Makes a definition run on its own, even if its system would wait for a command.
fn started(mut load: LoadService, dialect: &str) -> LoadService {
    planarium_world::carry_out(dialect, &mut load);
    load
}

/// Reads a path up to something that can be played.
pub(crate) fn runnable(path: &Path, input: &InputArgs) -> Result<Runnable> {
    playable(load(path, input)?, path, input)
}

/// Turns a loaded input into something that can be played.
pub(crate) fn playable(loaded: Loaded, path: &Path, input: &InputArgs) -> Result<Runnable> {
    match loaded {
        Loaded::Scenario(parsed) => Ok(match parsed.scenario {
            Some(scenario) => Runnable::Yes(Box::new(scenario), parsed.diagnostics, parsed.sources),
            None => Runnable::No(parsed.diagnostics, parsed.sources),
        }),
        Loaded::Definition(load) => {
            let report = planarium_world::check(&load);
            // Advice of a check does not prevent a run that the real system accepts.
            if report.preview.is_none() && report.has_errors() {
                let missing = if input.package.is_none() { report.missing.len() } else { 0 };
                eprint!("{}", hint::package("run", path, missing).unwrap_or_default());
                return Ok(Runnable::No(report.diagnostics, report.sources));
            }
            let default = Genesis::default();
            let genesis = Genesis { seed: input.seed.unwrap_or(default.seed), ..default };
            let cluster = machines(input.cluster.as_deref().unwrap_or("default"))?;
            let mut scenario = Scenario::of_definition(started(*load, report.dialect), cluster, genesis);
            scenario.until = report.preview.as_ref().and_then(|service| done(service));
            Ok(Runnable::Yes(Box::new(scenario), report.diagnostics, report.sources))
        }
    }
}
