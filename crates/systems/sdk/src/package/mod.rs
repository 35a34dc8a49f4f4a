//! Package folders: convert options to the environment of the scheduler.
//!
//! *Knows*: `config.json`, `resource.json`, `package.json`, `marathon.json.mustache`, the choice of the definition
//! file. *Must not know*: the content of a definition.
//!
//! **Source**: `dcos/cosmos` (how a package is rendered). Match; the values that packaging tools fill in
//! (`package-version`, build times, artifact addresses) are placeholders.

mod app;
mod choose;
mod options;
mod schema;

pub(crate) use choose::{Choice, choose};
use options::Options;

use crate::programs::Marks;
use crate::{codes, config_file};
use planarium_kernel::SortedMap;
use planarium_protocol::input::LoadService;
use planarium_source::yaml::Limits;
use planarium_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span, json};
use serde_json::Value;
use std::collections::BTreeMap;

/// Variables that the real cluster adds to a scheduler's environment: Marathon its ports, the agent the metrics address.
pub(crate) const INJECTED: &[(&str, &str)] =
    &[("PORT0", "15000"), ("PORT_API", "15000"), config_file::STATSD_HOST, config_file::STATSD_PORT];

/// Result of reading a package.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    /// Environment of the scheduler process.
    pub(crate) env: BTreeMap<String, String>,
    /// The definition that the options choose (`service.yaml`).
    pub(crate) yaml: Option<Yaml>,
    /// Position in the options.
    pub(crate) yaml_span: Option<Span>,
    /// The options name the service.
    pub(crate) named: bool,
    /// The environment could not be made, and says nothing about variables without a value.
    pub(crate) broken: bool,
    /// Its name.
    name: Option<String>,
    /// The command of its scheduler.
    command: Option<String>,
}

impl Package {
    /// Returns the signs of its program.
    pub(crate) fn program_marks(&self) -> Marks<'_> {
        Marks { name: self.name.as_deref(), command: self.command.as_deref() }
    }
}

/// The definition file that options choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Yaml {
    /// File name without its ending.
    pub(crate) stem: String,
    /// Chosen by the user, not by a default of the package.
    pub(crate) explicit: bool,
}

/// Reads the package among the files, if there is one.
pub(crate) fn read(
    request: &LoadService,
    files: &SortedMap<&str, FileId>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Package {
    let options = Options::new(request, files, sources);
    let template = named(request, "marathon.json.mustache");
    let config =
        template.map_or_else(|| named(request, "config.json"), |path| beside(request, path, "config.json"));
    let folder = template.or(config);
    let about = folder
        .map_or_else(|| named(request, "package.json"), |folder| beside(request, folder, "package.json"))
        .and_then(|path| parse(request, files, path, found));
    let name = about.as_ref().and_then(|about| about.get("name")).and_then(Value::as_str).map(str::to_owned);
    let Some(folder) = folder else {
        options.report_useless(found);
        return Package { name, ..Package::default() };
    };

    let schema = config.and_then(|path| parse(request, files, path, found));
    let merged = match (&schema, config.and_then(|path| files.get(path))) {
        (Some(schema), Some(file)) if schema.get("properties").is_some_and(Value::is_object) => {
            // An option of the wrong type is reported once, without what would follow from it.
            let wrong = schema::check(schema, &options, *file, found);
            schema::merge(schema::defaults(schema), &options.without(&wrong))
        }
        (Some(_), Some(file)) => {
            found.push(
                Diagnostic::error(
                    codes::NOT_A_SCHEMA,
                    Span::at(*file, 0),
                    "config.json holds no 'properties'",
                )
                .with_help("config.json is a JSON schema: {\"type\": \"object\", \"properties\": {…}}"),
            );
            options.value.clone()
        }
        _ => options.value.clone(),
    };

    let mut package = Package {
        yaml_span: options.span_of(&["service", "yaml"]),
        named: options.at(&["service", "name"]).is_some(),
        name,
        ..Package::default()
    };
    package.yaml = merged
        .pointer("/service/yaml")
        .and_then(Value::as_str)
        .filter(|stem| !stem.is_empty())
        .map(|stem| Yaml { stem: stem.to_owned(), explicit: options.at(&["service", "yaml"]).is_some() });
    if let (Some(path), Some(file)) = (template, template.and_then(|path| files.get(path))) {
        let resource = beside(request, folder, "resource.json");
        let file_of = |path| Some((*files.get(path)?, request.files.get(path)?.as_str()));
        let parts = app::Parts {
            options: merged,
            given: &options,
            config_file: config.and_then(file_of),
            resource: resource.and_then(|path| parse(request, files, path, found)),
            resource_file: resource.and_then(file_of),
            package: about,
        };
        let text = request.files.get(path).map(String::as_str).unwrap_or_default();
        let app = app::render(text, *file, &parts, found);
        package.broken = app.is_none();
        (package.env, package.command) = app.map_or_else(Default::default, |app| (app.env, app.command));
    }
    package
}

fn parse(
    request: &LoadService,
    files: &SortedMap<&str, FileId>,
    path: &str,
    found: &mut Diagnostics,
) -> Option<Value> {
    let (text, file) = (request.files.get(path)?, files.get(path)?);
    json::parse_strict(text, *file, &Limits::default(), found)
}

/// The option that gives a variable of the environment its value, as the package's template says it.
pub(crate) fn option_behind(request: &LoadService, variable: &str) -> Option<String> {
    let template = request.files.get(named(request, "marathon.json.mustache")?)?;
    let (_, line) = template.split_once(&format!("\"{variable}\""))?;
    let (_, tag) = line.lines().next()?.split_once("{{")?;
    let (name, _) = tag.split_once("}}")?;
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '&'));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let option = name.contains('.') && !name.starts_with("resource.") && name.chars().all(plain);
    option.then(|| name.to_owned())
}

/// The file of that name that lies least deep.
fn named<'r>(request: &'r LoadService, name: &str) -> Option<&'r str> {
    let matching = request.files.keys().map(String::as_str).filter(|path| file_name(path) == name);
    matching.min_by_key(|path| path.matches('/').count())
}

/// The file of that name in the folder of another file.
fn beside<'r>(request: &'r LoadService, path: &str, name: &str) -> Option<&'r str> {
    let wanted = match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    request.files.get_key_value(&wanted).map(|(path, _)| path.as_str())
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
