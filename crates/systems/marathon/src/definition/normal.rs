//! Converts an app to its canonical form: the 1.4 dialect first, defaults last.
//!
//! *Knows*: which old field becomes which new one. *Must not know*: other refusals.
//!
//! **Source**: `marathon: api/v2/AppNormalization.scala (forDeprecated, forDeprecatedUpdates, forUpdates, forPostValidation)`.
//! Match.

use super::Refused;
use super::networks::{self, HOST, mode};
use super::peek::Peek;
use crate::id::PathId;
use crate::settings::Settings;
use planarium_protocol::json;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// Ids and dependencies against a group.
pub(crate) fn canonical_ids(app: &mut Fields, base: &PathId) {
    if let Some(id) = app.text("id").map(|id| PathId::resolve(id, base)) {
        app.insert("id".to_owned(), Value::String(id.to_string()));
    }
    if app.contains_key("dependencies") {
        let all = app
            .texts("dependencies")
            .into_iter()
            .map(|id| Value::String(PathId::resolve(id, base).to_string()));
        let all = all.collect();
        app.insert("dependencies".to_owned(), Value::Array(all));
    }
}

/// Old forms of a whole app.
pub(crate) fn migrate(app: &mut Fields, settings: &Settings) -> Result<(), Refused> {
    migrate_fetch(app)?;
    let old_network = old_network(app);
    let given = app.holds("networks").then(|| app.items("networks").to_vec());
    let nets = networks::translate(app.get("ipAddress"), old_network.as_deref(), given, settings)?
        .unwrap_or_default();
    let hosted = nets.is_empty() || nets.iter().any(|net| mode(net) == HOST);
    let other = nets.iter().any(|net| mode(net) != HOST);
    let declared = match (app.get("portDefinitions"), app.get("ports")) {
        (Some(given), _) => Some(given.clone()),
        (None, Some(_)) => Some(definitions_of(app)),
        (None, None) => None,
    };
    let discovery = discovered(app);
    let container = match app.remove("container") {
        Some(container) => Some(container),
        // An `ipAddress` implies a container, which may be left out.
        None => app.contains_key("ipAddress").then(empty_container),
    };
    if let Some(Value::Object(mut container)) = container {
        migrate_mappings(&mut container)?;
        migrate_discovery(&mut container, &discovery)?;
        drop_old_network(&mut container);
        if hosted {
            container.shift_remove("portMappings");
        } else {
            if !container.contains_key("portMappings") {
                container.insert("portMappings".to_owned(), default_mappings());
            }
            add_mappings(&mut container, other, declared.as_ref());
        }
        app.insert("container".to_owned(), Value::Object(container));
    }
    let mapped = app.get("container").is_some_and(|container| container.field("portMappings").is_some());
    if app.holds("portDefinitions") || mapped {
        default_port_index(app);
    }
    app.shift_remove("portDefinitions");
    if !other {
        let definitions = declared
            .unwrap_or_else(|| json!([{"port": 0, "labels": {}, "name": "default", "protocol": "tcp"}]));
        app.insert("portDefinitions".to_owned(), definitions);
    }
    app.insert("networks".to_owned(), Value::Array(nets));
    for old in ["uris", "ipAddress", "ports"] {
        app.shift_remove(old);
    }
    let persistent = app.get("container").is_some_and(|container| {
        container.items("volumes").iter().any(|volume| volume.field("persistent").is_some())
    });
    if persistent && !app.contains_key("residency") {
        app.insert("residency".to_owned(), residency());
    }
    default_status_codes(app);
    Ok(())
}

/// Converts old forms in a change of an app: only present fields.
pub(crate) fn migrate_update(update: &mut Fields, settings: &Settings) -> Result<(), Refused> {
    migrate_fetch(update)?;
    let old_network = old_network(update);
    let given = update.get("networks").and_then(Value::as_array).cloned();
    let nets = networks::translate(update.get("ipAddress"), old_network.as_deref(), given, settings)?;
    let discovery = discovered(update);
    let container = match update.remove("container") {
        Some(container) => Some(container),
        None => update.contains_key("ipAddress").then(empty_container),
    };
    if let Some(Value::Object(mut container)) = container {
        migrate_mappings(&mut container)?;
        migrate_discovery(&mut container, &discovery)?;
        drop_old_network(&mut container);
        update.insert("container".to_owned(), Value::Object(container));
    }
    if !update.contains_key("portDefinitions") && update.contains_key("ports") {
        let definitions = definitions_of(update);
        update.insert("portDefinitions".to_owned(), definitions);
    }
    if let Some(nets) = nets {
        update.insert("networks".to_owned(), Value::Array(nets));
    }
    for old in ["uris", "ipAddress", "ports"] {
        update.shift_remove(old);
    }
    if update.contains_key("healthChecks") {
        default_port_index(update);
    }
    default_status_codes(update);
    Ok(())
}

/// Defaults of a change of an app.
pub(crate) fn complete_update(update: &mut Fields, settings: &Settings) -> Result<(), Refused> {
    if let Some(Value::Array(nets)) = update.get_mut("networks") {
        networks::name_all(nets, settings)?;
    }
    let nets = update.get("networks").and_then(Value::as_array).cloned();
    complete_container(update, nets.as_deref());
    Ok(())
}

/// Defaults of an app that keeps the rules.
pub(crate) fn complete(app: &mut Fields, settings: &Settings) -> Result<(), Refused> {
    let mut nets = app.items("networks").to_vec();
    if nets.is_empty() {
        nets = vec![json!({"mode": HOST, "labels": {}})];
    }
    networks::name_all(&mut nets, settings)?;
    complete_container(app, Some(&nets));
    let persistent = app.get("container").is_some_and(|container| {
        container.items("volumes").iter().any(|volume| volume.field("persistent").is_some())
    });
    if !app.contains_key("unreachableStrategy") {
        let default = if persistent {
            json!("disabled")
        } else {
            json!({"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0})
        };
        app.insert("unreachableStrategy".to_owned(), default);
    }
    if nets.iter().any(|net| mode(net) != HOST) {
        app.insert("requirePorts".to_owned(), Value::Bool(false));
    }
    app.insert("networks".to_owned(), Value::Array(nets));
    Ok(())
}

fn complete_container(app: &mut Fields, nets: Option<&[Value]>) {
    let bridged = nets.is_some_and(|nets| nets.iter().any(|net| mode(net) == networks::BRIDGE));
    let other = nets.is_some_and(|nets| nets.iter().any(|net| mode(net) != HOST));
    if !app.contains_key("container") && other {
        let container = json!({"type": "MESOS", "volumes": [], "portMappings": default_mappings()});
        app.insert("container".to_owned(), container);
    }
    let Some(Value::Object(container)) = app.get_mut("container") else { return };
    drop_old_network(container);
    if bridged && let Some(Value::Array(mappings)) = container.get_mut("portMappings") {
        for mapping in mappings.iter_mut().filter_map(Value::as_object_mut) {
            if !mapping.contains_key("hostPort") {
                mapping.insert("hostPort".to_owned(), Value::from(0));
            }
        }
    }
}

fn migrate_fetch(app: &mut Fields) -> Result<(), Refused> {
    if !app.holds("uris") {
        return Ok(());
    }
    if app.holds("fetch") {
        return Err(Refused::Internal("cannot specify both uris and fetch fields".to_owned()));
    }
    let artifact =
        |uri: &&str| json!({"uri": uri, "extract": is_archive(uri), "executable": false, "cache": false});
    let all = app.texts("uris").iter().map(artifact).collect();
    app.insert("fetch".to_owned(), Value::Array(all));
    Ok(())
}

/// Returns whether something old is unpacked.
///
/// **Source**: `marathon: state/FetchUri.scala (isExtract)`. Match.
/// Returns whether the path of a URI has the ending of an archive, which is unpacked.
///
/// **Source**: `marathon: state/FetchUri.scala (isExtract)`. Match.
fn is_archive(uri: &str) -> bool {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    [".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz", ".zip"].iter().any(|end| path.ends_with(end))
}

fn old_network(app: &Fields) -> Option<String> {
    Some(app.object("container")?.object("docker")?.text("network")?.to_owned())
}

fn drop_old_network(container: &mut Fields) {
    if let Some(Value::Object(docker)) = container.get_mut("docker") {
        docker.shift_remove("network");
    }
}

fn discovered(app: &Fields) -> Vec<Value> {
    let ports = app
        .object("ipAddress")
        .and_then(|address| address.object("discovery"))
        .map(|found| found.items("ports"));
    ports.unwrap_or_default().to_vec()
}

/// Port mappings move from `container.docker` to `container`.
fn migrate_mappings(container: &mut Fields) -> Result<(), Refused> {
    let Some(Value::Object(docker)) = container.get_mut("docker") else { return Ok(()) };
    let Some(old) = docker.shift_remove("portMappings") else { return Ok(()) };
    let here = container.contains_key("portMappings");
    let none_there = old.as_array().is_none_or(Vec::is_empty);
    match (here, none_there) {
        (true, false) => {
            return Err(Refused::Internal(
                "cannot specify both portMappings and docker.portMappings".to_owned(),
            ));
        }
        (true, true) => {}
        (false, _) => _ = container.insert("portMappings".to_owned(), old),
    }
    Ok(())
}

/// Converts service discovery ports to port mappings.
fn migrate_discovery(container: &mut Fields, ports: &[Value]) -> Result<(), Refused> {
    if ports.is_empty() {
        return Ok(());
    }
    if container.word("type") != "MESOS" {
        let text =
            format!("ipAddress.discovery.ports do not apply for container type {}", container.word("type"));
        return Err(Refused::Internal(text));
    }
    if container.contains_key("portMappings") {
        let text = "container.portMappings and ipAddress.discovery.ports must not both be set";
        return Err(Refused::Internal(text.to_owned()));
    }
    let mapping = |port: &Value| {
        json!({
            "containerPort": port.whole("number").unwrap_or(0), "labels": port.field("labels").cloned().unwrap_or_default(),
            "name": port.word("name"), "protocol": port.word("protocol"), "servicePort": 0, "networkNames": [],
        })
    };
    container.insert("portMappings".to_owned(), ports.iter().map(mapping).collect());
    Ok(())
}

/// As many mappings as ports were declared.
fn add_mappings(container: &mut Fields, other: bool, declared: Option<&Value>) {
    let wanted = declared.and_then(Value::as_array).map_or(0, Vec::len);
    if !other {
        return;
    }
    if let Some(Value::Array(mappings)) = container.get_mut("portMappings") {
        while mappings.len() < wanted {
            mappings.push(mapping(None));
        }
    }
}

fn mapping(name: Option<&str>) -> Value {
    let mut mapping =
        json!({"containerPort": 0, "labels": {}, "protocol": "tcp", "servicePort": 0, "networkNames": []});
    if let (Some(name), Some(fields)) = (name, mapping.as_object_mut()) {
        fields.insert("name".to_owned(), Value::String(name.to_owned()));
    }
    mapping
}

fn default_mappings() -> Value {
    Value::Array(vec![mapping(Some("default"))])
}

fn empty_container() -> Value {
    json!({"type": "MESOS", "volumes": []})
}

/// The deprecated object that only says that there are persistent volumes.
pub(crate) fn residency() -> Value {
    json!({"relaunchEscalationTimeoutSeconds": 3600, "taskLostBehavior": "WAIT_FOREVER"})
}

fn definitions_of(app: &Fields) -> Value {
    let definition = |port: &Value| json!({"port": port, "labels": {}, "protocol": "tcp"});
    app.items("ports").iter().map(definition).collect()
}

/// Sets the first port for checks without one.
fn default_port_index(app: &mut Fields) {
    let Some(Value::Array(checks)) = app.get_mut("healthChecks") else { return };
    for check in checks.iter_mut().filter_map(Value::as_object_mut) {
        let named = check.contains_key("port") || check.contains_key("portIndex");
        if check.word("protocol") != "COMMAND" && !named {
            check.insert("portIndex".to_owned(), Value::from(0));
        }
    }
}

fn default_status_codes(app: &mut Fields) {
    let Some(Value::Array(checks)) = app.get_mut("readinessChecks") else { return };
    for check in checks.iter_mut().filter_map(Value::as_object_mut) {
        if !check.contains_key("httpStatusCodesForReady") {
            check.insert("httpStatusCodesForReady".to_owned(), json!([200]));
        }
    }
}
