//! An operator package as a service's definition: the parsed package, and all findings.
//!
//! *Knows*: files, values and the cluster's version. *Must not know*: a running cluster.
//!
//! A package can be used if it converts to objects, its dependencies exist, it has a plan `deploy`, and its values would be
//! admitted. Errors of the package verifier alone do not prevent that, as in the real system.

use std::sync::Arc;

use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_source::suggest::did_you_mean;
use planarium_source::template::gotemplate::Version as Semver;
use planarium_source::{Diagnostic, Diagnostics, SourceMap, Span, suggest};

use crate::codes;
use crate::package::model::{Operator, TaskKind};
use crate::package::{self, Package, params};
use crate::verify;

/// The Kubernetes version that the cluster plays.
pub const CLUSTER_VERSION: &str = "1.29.0";

/// Result of reading a package. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Loaded(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: Text,
    namespace: Text,
    /// The package that the service is about comes first.
    packages: Vec<Package>,
    /// Those that it depends on, in the order of finding.
    dependencies: Vec<usize>,
    values: Vec<(Text, Text)>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    usable: bool,
    usable_as_update: bool,
    path: Option<Text>,
}

impl Loaded {
    /// Reads a request.
    pub fn read(load: &LoadService) -> Self {
        let mut sources = SourceMap::new();
        let mut found = Diagnostics::new();
        let mut packages = package::read(&load.files, &mut sources, &mut found);
        put_main_first(&mut packages, &load.name);
        let mut usable = true;
        let mut dependencies = Vec::new();
        if packages.first().is_some_and(|main| main.operator.is_some()) {
            match package::resolve::resolve(&mut packages) {
                Ok(found) => dependencies = found,
                Err(unresolved) => {
                    let operator =
                        packages.get(unresolved.package).and_then(|package| package.operator.as_ref());
                    let task = operator.and_then(|operator| operator.tasks.get(unresolved.task));
                    let span = task.map_or(Span::default(), |task| task.package.span);
                    let (code, help) = if unresolved.cycle {
                        (codes::CYCLE, "let packages depend on each other in one direction only")
                    } else {
                        let help = "put the package's folder beside this one and name it './FOLDER' or '../FOLDER', or by its \
                                    operator's name";
                        (codes::NO_DEPENDENCY, help)
                    };
                    usable = false;
                    found.push(Diagnostic::error(code, span, unresolved.message).with_help(help));
                }
            }
        }
        for package in &packages {
            for finding in verify::verify(package) {
                found.push(finding.diagnostic());
            }
            if let Some(operator) = &package.operator {
                never_done(operator, &mut found);
            }
        }
        let values: Vec<(Text, Text)> = load
            .params
            .iter()
            .filter_map(|(key, value)| Some((Text::from(key.as_str()), params::from_value(value)?)))
            .collect();
        let mut usable_as_update = false;
        match packages.first() {
            Some(main @ Package { operator: Some(operator), params: Some(_), .. }) => {
                let used = dependencies.iter().filter_map(|at| packages.get(*at)).chain([main]);
                if used.into_iter().any(|package| package::objects(package).is_err()) {
                    usable = false;
                }
                usable_as_update = usable;
                usable &= operator.plans.iter().any(|plan| plan.name.value == "deploy");
                cluster_version(operator, &mut found, &mut usable);
                given(main, &values, &mut found, &mut usable);
            }
            _ => usable = false,
        }
        let operator = packages.first().and_then(|package| package.operator.as_ref());
        let name = match (&*load.name, operator) {
            ("", Some(operator)) => Text::from(format!("{}-instance", operator.name.value)),
            (name, _) => Text::from(name),
        };
        let namespace = load.options.get("namespace").and_then(|value| value.as_str()).unwrap_or("default");
        let path = packages.first().map(|package| match package.root.as_str() {
            "" => Text::from("operator.yaml"),
            root => Text::from(format!("{root}/operator.yaml")),
        });
        Self(Arc::new(Inner {
            name,
            namespace: namespace.into(),
            packages,
            dependencies,
            values,
            sources,
            diagnostics: found.into_sorted(),
            usable,
            usable_as_update,
            path,
        }))
    }

    /// The service's name: that of its instance.
    pub fn name(&self) -> &Text {
        &self.0.name
    }

    /// The namespace that everything is put into.
    pub fn namespace(&self) -> &Text {
        &self.0.namespace
    }

    /// The package that the service is about.
    pub fn main(&self) -> Option<&Package> {
        self.0.packages.first()
    }

    /// Its operator.
    pub fn operator(&self) -> Option<&Operator> {
        self.main()?.operator.as_ref()
    }

    /// The packages that it depends on.
    pub fn dependencies(&self) -> impl Iterator<Item = &Package> {
        self.0.dependencies.iter().filter_map(|at| self.0.packages.get(*at))
    }

    /// Values of parameters that the request gives.
    pub fn values(&self) -> &[(Text, Text)] {
        &self.0.values
    }

    /// Returns whether it can be installed.
    pub fn is_usable(&self) -> bool {
        self.0.usable
    }

    /// Returns whether an instance can be upgraded to it. The client then checks neither values nor the cluster's version, and a plan
    /// `deploy` is needed at creation only: admission decides.
    ///
    /// **Source**: `kudobuilder/kudo: pkg/kudoctl/cmd/upgrade.go`. Match.
    pub fn is_usable_as_update(&self) -> bool {
        self.0.usable_as_update
    }

    /// Folders that tasks of its packages name by a path and that are not among the files, each once.
    pub fn folders(&self) -> Vec<String> {
        let mut folders = Vec::new();
        for package in &self.0.packages {
            let tasks = package.operator.iter().flat_map(|operator| &operator.tasks);
            for task in tasks.filter(|task| task.is() == Some(TaskKind::KudoOperator)) {
                let path = package::resolve::outside(&package.root, &task.package.value);
                let new = path.filter(|path| {
                    !folders.contains(path) && self.0.packages.iter().all(|other| other.root != *path)
                });
                folders.extend(new);
            }
        }
        folders
    }

    /// Findings in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The texts that findings point into.
    pub fn sources(&self) -> &SourceMap {
        &self.0.sources
    }

    /// Path of `operator.yaml`.
    pub fn path(&self) -> Option<&Text> {
        self.0.path.as_ref()
    }
}

/// Puts the main package first: the one that no other depends on, the top folder before others; a package named like the service
/// wins.
fn put_main_first(packages: &mut Vec<Package>, name: &str) {
    if packages.first().is_none_or(|first| first.root.is_empty()) {
        return;
    }
    let needed: Vec<String> = packages
        .iter()
        .flat_map(|package| {
            let tasks = package.operator.iter().flat_map(|operator| &operator.tasks);
            let children = tasks.filter(|task| task.is() == Some(TaskKind::KudoOperator));
            children.map(|task| task.package.value.rsplit('/').next().unwrap_or_default().to_owned())
        })
        .collect();
    let is_needed = |package: &Package| {
        let folder = package.root.rsplit('/').next().unwrap_or_default();
        let own = package.operator.as_ref().map_or("", |operator| operator.name.value.as_str());
        needed.iter().any(|needed| needed == folder || needed == own)
    };
    let is_named = |package: &Package| {
        let own = package.operator.as_ref().map_or("", |operator| operator.name.value.as_str());
        package.root == name || own == name || !own.is_empty() && format!("{own}-instance") == name
    };
    let main = packages
        .iter()
        .position(|package| !is_needed(package) && is_named(package))
        .or_else(|| packages.iter().position(|package| !is_needed(package)));
    if let Some(main) = main {
        let package = packages.remove(main);
        packages.insert(0, package);
    }
}

fn cluster_version(operator: &Operator, found: &mut Diagnostics, usable: &mut bool) {
    let word = &operator.kubernetes_version;
    let problem = match (Semver::parse(&word.value), Semver::parse(CLUSTER_VERSION)) {
        (Ok(wanted), Ok(cluster)) if (wanted.major, wanted.minor) > (cluster.major, cluster.minor) => {
            Some(format!("expected kubernetes version of {wanted} is not supported with version: {cluster}"))
        }
        (Ok(_), _) => None,
        (Err(error), _) => {
            // The verifier has said so already.
            *usable = false;
            let _ = error;
            None
        }
    };
    if let Some(problem) = problem {
        *usable = false;
        let help = format!("the simulated cluster is {CLUSTER_VERSION}; write that version or an older one");
        found.push(Diagnostic::error(codes::NEWER_CLUSTER, word.span, problem).with_help(help));
    }
}

fn given(main: &Package, values: &[(Text, Text)], found: &mut Diagnostics, usable: &mut bool) {
    let Some(file) = &main.params else { return };
    let map: SortedMap<&str, &str> = values.iter().map(|(key, value)| (&**key, &**value)).collect();
    for parameter in &file.parameters {
        let name = parameter.name.value.as_str();
        let value = map.get(name).copied();
        if parameter.must_be_given() && value.is_none() {
            *usable = false;
            let message = format!("missing required parameters during installation: {name}");
            let help = format!(
                "give it a value: '-p {name}=VALUE' or '-P FILE' on the command line, 'params' in a scenario or a request, the form \
                 of parameters in the page; or write a default or 'required: false'"
            );
            found.push(Diagnostic::error(codes::NOT_GIVEN, parameter.name.span, message).with_help(help));
            continue;
        }
        if let Err(problem) = params::validate(parameter, value.unwrap_or_default()) {
            *usable = false;
            let help = "give it another value; an instance with this one is not admitted";
            found.push(Diagnostic::error(codes::BAD_VALUE, parameter.name.span, problem).with_help(help));
        }
    }
    for (name, _) in values {
        if file.parameters.iter().any(|parameter| *parameter.name.value == **name) {
            continue;
        }
        let known = file.parameters.iter().map(|parameter| parameter.name.value.as_str());
        let help = did_you_mean(suggest(name, known), || "leave it out; it has no effect");
        let message = format!("A value is given to '{name}', which is no parameter");
        found.push(Diagnostic::warning(codes::UNKNOWN_VALUE, file.at, message).with_help(help));
    }
}

/// Steps that wait for ever, as some operators mean them to.
fn never_done(operator: &Operator, found: &mut Diagnostics) {
    for plan in &operator.plans {
        for step in plan.phases.iter().flat_map(|phase| &phase.steps) {
            let task = step.tasks.iter().find_map(|name| {
                let task = operator.tasks.iter().find(|task| task.name.value == name.value)?;
                (task.is() == Some(TaskKind::Dummy) && !task.done && !task.want_err).then_some(task)
            });
            let Some(task) = task else { continue };
            let message = format!(
                "Step '{}' never ends: task '{}' is a Dummy without 'done: true'",
                step.name.value, task.name.value
            );
            let help = "some operators block changes that way; otherwise write 'done: true'";
            found.push(Diagnostic::info(codes::NEVER_DONE, step.name.span, message).with_help(help));
        }
    }
}
