//! `install` and `upgrade`.

use planarium_protocol::Text;
use planarium_protocol::json;
use planarium_source::template::gotemplate::Version;
use serde_json::{Map, Value};
use std::cmp::Ordering;

use super::client::Client;
use super::instance::{self, text};
use super::load;
use super::{Done, wait_time};
use crate::definition::CLUSTER_VERSION;
use crate::package::{Objects, instance_object, namespace_object};
use planarium_part::console::Given;

pub(super) fn install(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let parameters = load::parameters(client, given)?;
    let [path] = given.arguments.as_slice() else {
        return Err("expecting exactly one argument - name of the package or path to install".to_owned());
    };
    if given.flag("in-cluster") && (given.flag("skip-instance") || given.value("repo").is_some()) {
        return Err(
            "you can't use skip-instance or repo option when installing from in-cluster operators".to_owned()
        );
    }
    let wait = given.flag("wait").then(|| wait_time(given)).transpose()?;
    if given.flag("in-cluster") {
        return from_cluster(client, given, path, &parameters, wait);
    }
    let loaded = load::package(client, path)?;
    let objects = load::objects(&loaded)?;
    let Some(operator) = loaded.operator() else { return Err("operator.yaml file is missing".to_owned()) };
    let file = loaded.main().and_then(|main| main.params.as_ref());
    if !given.flag("skip-instance") {
        let missing: Vec<&str> = file
            .into_iter()
            .flat_map(|file| &file.parameters)
            .filter(|parameter| parameter.must_be_given())
            .map(|parameter| parameter.name.value.as_str())
            .filter(|name| !parameters.iter().any(|(key, _)| **key == **name))
            .collect();
        if !missing.is_empty() {
            return Err(format!("missing required parameters during installation: {}", missing.join(",")));
        }
    }
    server_fits(&operator.kubernetes_version.value)?;
    let name = match given.value("instance") {
        None | Some("") => format!("{}-instance", operator.name.value),
        Some(name) => name.to_owned(),
    };
    if given.flag("create-namespace")
        && let Some(main) = loaded.main()
    {
        let namespace = namespace_object(main, &name, &client.namespace, &parameters)?;
        client.create_namespace(&namespace)?;
    }
    let Some((main, dependencies)) = objects.split_first() else { return Ok(()) };
    put_version(client, main, dependencies)?;
    if given.flag("skip-instance") {
        return Ok(());
    }
    put_instance(client, &name, &operator.name.value, &main.version_name, &parameters, wait)
}

fn server_fits(wanted: &str) -> Done {
    let expected = Version::parse(wanted)
        .map_err(|error| format!("unable to parse operators kubernetes version: {error}"))?;
    let Ok(server) = Version::parse(CLUSTER_VERSION) else { return Ok(()) };
    if (expected.major, expected.minor) > (server.major, server.minor) {
        return Err(format!(
            "expected kubernetes version of {expected} is not supported with version: {server}"
        ));
    }
    Ok(())
}

fn from_cluster(
    client: &mut Client<'_, '_>,
    given: &Given,
    name: &str,
    parameters: &[(Text, Text)],
    wait: Option<u64>,
) -> Done {
    let namespace = client.namespace.clone();
    let versions = client.list("operatorversions")?;
    if versions.is_empty() {
        return Err(format!(
            "failed to resolve operator package for: {name} failed to find any operator version in namespace {namespace}"
        ));
    }
    let own = given.value("operator-version").unwrap_or_default();
    let app = given.value("app-version").unwrap_or_default();
    let spec = |value: &Value, key: &str| text(value, &["spec", key]).to_owned();
    let fits = |value: &&Value| {
        text(value, &["spec", "operator", "name"]) == name
            && (own.is_empty() || spec(value, "version") == own)
            && (app.is_empty() || spec(value, "appVersion") == app)
    };
    let newest = versions.iter().filter(fits).max_by(|a, b| {
        let compare = crate::package::resolve::compare_versions;
        compare(&spec(a, "appVersion"), &spec(b, "appVersion"))
            .then_with(|| compare(&spec(a, "version"), &spec(b, "version")))
    });
    let Some(version) = newest else {
        return Err(format!(
            "failed to resolve operator package for: {name} failed to resolve operator version in namespace {namespace:?} for \
             name {name:?}, version {own:?}, appVersion {app:?}"
        ));
    };
    let version = text(version, &["metadata", "name"]).to_owned();
    let instance = given.value("instance").map_or_else(|| format!("{name}-instance"), str::to_owned);
    put_instance(client, &instance, name, &version, parameters, wait)
}

/// Creates operator and version, what they depend on first, unless they are there.
fn put_version(client: &mut Client<'_, '_>, main: &Objects, dependencies: &[Objects]) -> Done {
    put_operator(client, main)?;
    if is_installed(client, main)? {
        let (namespace, name) = (client.namespace.clone(), &main.version_name);
        client.say(&format!("operatorversion {namespace}/{name} already installed"));
        return Ok(());
    }
    for dependency in dependencies {
        put_dependency(client, dependency).map_err(|problem| {
            let (namespace, name) = (&client.namespace, &main.version_name);
            format!("failed to install dependencies of operatorversion {namespace}/{name}: {problem}")
        })?;
    }
    create_version(client, main)
}

fn put_dependency(client: &mut Client<'_, '_>, dependency: &Objects) -> Done {
    put_operator(client, dependency)?;
    if is_installed(client, dependency)? { Ok(()) } else { create_version(client, dependency) }
}

fn put_operator(client: &mut Client<'_, '_>, objects: &Objects) -> Done {
    let name = text(&objects.operator, &["metadata", "name"]).to_owned();
    let namespace = client.namespace.clone();
    if client.get("operators", &name)?.is_none() {
        let created = client.create("operators", &objects.operator);
        created.map_err(|problem| format!("failed to install operator {namespace}/{name}: {problem}"))?;
        client.say(&format!("operator {namespace}/{name} created"));
    }
    Ok(())
}

/// Returns whether a version with this number exists, for any version of the application.
fn is_installed(client: &mut Client<'_, '_>, objects: &Objects) -> Result<bool, String> {
    let operator = text(&objects.operator, &["metadata", "name"]);
    let version = text(&objects.version, &["spec", "version"]);
    let known = client.list("operatorversions")?;
    Ok(known.iter().any(|known| {
        text(known, &["spec", "operator", "name"]) == operator && text(known, &["spec", "version"]) == version
    }))
}

fn create_version(client: &mut Client<'_, '_>, objects: &Objects) -> Done {
    let (namespace, name) = (client.namespace.clone(), &objects.version_name);
    let created = client.create("operatorversions", &objects.version);
    created.map_err(|problem| format!("failed to install operatorversion {namespace}/{name}: {problem}"))?;
    client.say(&format!("operatorversion {namespace}/{name} created"));
    Ok(())
}

fn put_instance(
    client: &mut Client<'_, '_>,
    name: &str,
    operator: &str,
    version: &str,
    parameters: &[(Text, Text)],
    wait: Option<u64>,
) -> Done {
    let namespace = client.namespace.clone();
    if client.get("instances", name)?.is_some() {
        return Err(format!(
            "cannot install instance '{name}' because an instance of that name already exists in namespace {namespace}"
        ));
    }
    let pairs = parameters.iter().map(|(key, value)| (&**key, &**value));
    let value = instance_object(name, &namespace, operator, version, pairs);
    let created = client.create("instances", &value);
    created.map_err(|problem| format!("failed to install instance {namespace}/{name}: {problem}"))?;
    client.say(&format!("instance {namespace}/{name} created"));
    if let Some(seconds) = wait {
        if let Err(problem) = instance::wait(client, name, None, seconds) {
            client.say(&format!("timeout waiting for instance {namespace}/{name}"));
            return Err(format!("failed to wait on instance {namespace}/{name}: {problem}"));
        }
        client.say(&format!("instance {namespace}/{name} ready"));
    }
    Ok(())
}

pub(super) fn upgrade(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let parameters = load::parameters(client, given)?;
    let [path] = given.arguments.as_slice() else {
        return Err("expecting exactly one argument - name of the package or path to upgrade".to_owned());
    };
    let name = given.value("instance").unwrap_or_default().to_owned();
    if name.is_empty() {
        return Err("please use --instance and specify instance name. It cannot be empty".to_owned());
    }
    let loaded = load::package(client, path)?;
    let objects = load::objects(&loaded)?;
    let Some((main, dependencies)) = objects.split_first() else { return Ok(()) };
    let namespace = client.namespace.clone();
    let Some(instance) = client.get("instances", &name)? else {
        return Err(format!("instance {namespace}/{name} does not exist in the cluster"));
    };
    let version = text(&instance, &["spec", "operatorVersion", "name"]).to_owned();
    let Some(old) = client.get("operatorversions", &version)? else {
        return Err(format!("operatorversion {namespace}/{version} does not exist in the cluster"));
    };
    let (old, new) = (text(&old, &["spec", "version"]), text(&main.version, &["spec", "version"]));
    let parse = |text: &str| {
        Version::parse(text).map_err(|error| format!("failed to parse {text} as semver: {error}"))
    };
    if parse(old)?.compare(&parse(new)?) != Ordering::Less {
        return Err(format!(
            "upgraded version {new} is the same or smaller as current version {old} -> not upgrading"
        ));
    }
    put_version(client, main, dependencies)?;
    let mut spec = Map::new();
    spec.insert("operatorVersion".to_owned(), json!({ "name": (main.version_name) }));
    if !parameters.is_empty() {
        let values = parameters.iter().map(|(key, value)| (key.to_string(), Value::from(&**value)));
        spec.insert("parameters".to_owned(), Value::Object(values.collect()));
    }
    spec.insert("planExecution".to_owned(), json!({}));
    let patch = json!({ "spec": (Value::Object(spec)) });
    let to = &main.version_name;
    client.merge("instances", &name, &patch).map_err(|problem| {
        format!("failed to update instance for new operatorversion {namespace}/{to}: {problem}")
    })?;
    client.say(&format!("instance {namespace}/{name} updated"));
    Ok(())
}
