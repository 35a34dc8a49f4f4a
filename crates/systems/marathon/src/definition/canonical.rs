//! Rules of a posted app in canonical form.
//!
//! **Source**: `marathon: api/v2/validation/AppValidation.scala (validateCanonicalAppAPI), EnvVarValidation.scala,
//! SecretValidation.scala, ArtifactValidation.scala, state/ResourceRole.scala`. Match.

use super::expect::{are_unique, double};
use super::networks::{self, CONTAINER, HOST, mode};
use super::peek::Peek;
use super::{Around, Rules, Violation, checks, container, old, roles, scheduling};
use crate::settings::features;
use serde_json::{Map, Value};

/// Neither a command nor an image that brings one.
pub(super) const NO_COMMAND: &str =
    "AppDefinition must either contain one of 'cmd' or 'args', and/or a 'container'.";

/// Returns the violations of an app.
pub(super) fn flaws(app: &Map<String, Value>, around: &Around<'_>) -> Vec<Violation> {
    let mut rules = Rules::default();
    let settings = around.settings;
    container::check(app, settings, &mut rules);
    let definitions = app.items("portDefinitions");
    check_ports(definitions, &mut rules);
    let command_or_image = has_command(app);
    rules.expect(command_or_image, "/", NO_COMMAND);
    checks::health(app, &mut rules);
    for (at, artifact) in app.items("fetch").iter().enumerate() {
        let path = format!("/fetch({at})/uri");
        rules.expect(old::is_uri(artifact.word("uri")), path, "URI has invalid syntax.");
    }
    if let Some(limits) = app.object("resourceLimits") {
        limit(limits, "", "cpus", app.number("cpus"), &mut rules);
        limit(limits, "", "mem", app.number("mem"), &mut rules);
    }
    secrets_and_env(app, "env", settings, &mut rules);
    let resident = app.contains_key("residency");
    if app.contains_key("acceptedResourceRoles") {
        roles::accepted(
            &app.texts("acceptedResourceRoles"),
            "/acceptedResourceRoles",
            "app",
            resident,
            &mut rules,
        );
    }
    gpus(app, settings.has(features::GPU_RESOURCES), &mut rules);
    migration_api(app, &mut rules);
    checks::readiness(app, &mut rules);
    scheduling::single_instance(app, &mut rules);
    rules.room(app.whole("instances").unwrap_or(1), "/instances");
    scheduling::upgrade(app, resident, &mut rules);
    let nets = app.items("networks");
    let docker = app.object("container").is_some_and(|container| container.word("type") == "DOCKER");
    rules.expect(
        !docker || nets.iter().filter(|net| mode(net) == CONTAINER).count() <= 1,
        "/",
        "may only specify a single container network when using the Docker container engine",
    );
    let enabled = app.get("unreachableStrategy").is_some_and(Value::is_object);
    rules.expect(!(resident && enabled), "/", "unreachableStrategy must be disabled for resident tasks");
    for (at, constraint) in app.items("constraints").iter().enumerate() {
        scheduling::app_constraint(constraint, &format!("/constraints({at})"), &mut rules);
    }
    networks::check(nets, settings, &mut rules);
    roles::valid(app.text("role"), &app.texts("acceptedResourceRoles"), around.roles, &mut rules);
    id(app, &mut rules);
    let cmd = app.text("cmd");
    rules.expect(cmd.is_none_or(|cmd| cmd.chars().count() > 1), "/", "must not be an empty string");
    let on_host = nets.iter().any(|net| mode(net) == HOST);
    let mapped = app.object("container").is_some_and(|container| container.holds("portMappings"));
    rules.expect(!(on_host && mapped), "/", "portMappings are not allowed with host-networking");
    let elsewhere = nets.iter().any(|net| mode(net) != HOST);
    let defined = !definitions.is_empty();
    rules.expect(!(elsewhere && defined), "/", "portDefinitions are only allowed with host-networking");
    rules.into_found()
}

fn id(app: &Map<String, Value>, rules: &mut Rules) {
    let id = app.word("id");
    for flaw in crate::id::flaws(id) {
        rules.expect(false, "/id", flaw);
    }
    rules.expect(id != "/", "/id", "Path must contain at least one path element");
    for (at, dependency) in app.texts("dependencies").iter().enumerate() {
        for flaw in crate::id::flaws(dependency) {
            rules.expect(false, format!("/dependencies({at})"), flaw);
        }
    }
    rules.expect(id != "/", "/", "must not be root");
}

/// Rules of ports on the host's own network.
pub(super) fn check_ports(definitions: &[Value], rules: &mut Rules) {
    let names = definitions.iter().filter_map(|port| port.text("name")).collect();
    rules.expect(are_unique::<&str>(names), "/portDefinitions", "Port names must be unique.");
    let fixed = definitions.iter().filter_map(|port| port.whole("port")).filter(|port| *port != 0).collect();
    rules.expect(are_unique::<i64>(fixed), "/portDefinitions", "Ports must be unique.");
}

/// One of command and arguments, or neither with a container that brings its own.
fn has_command(app: &Map<String, Value>) -> bool {
    let (cmd, args) = (app.contains_key("cmd"), app.holds("args"));
    let container = app
        .object("container")
        .is_some_and(|container| container.contains_key("docker") || container.word("type") == "MESOS");
    cmd != args || !cmd && container
}

/// Checks that a limit is not below its request.
pub(super) fn limit(limits: &Map<String, Value>, at: &str, of: &str, requested: f64, rules: &mut Rules) {
    let path = format!("{at}/resourceLimits/{of}");
    match limits.get(of) {
        Some(Value::String(text)) => {
            let message =
                format!("'{text}' is an invalid resource limit. It must be 'unlimited' or a number");
            rules.expect(text == "unlimited", path, message);
        }
        Some(Value::Number(number)) => {
            let message = format!(
                "resource limit must be greater than or equal to requested resource ({})",
                double(requested)
            );
            rules.expect(number.as_f64().is_none_or(|number| number >= requested), path, message);
        }
        _ => {}
    }
}

/// Rules of secrets and of the variables that use them.
pub(super) fn secrets_and_env(
    spec: &Map<String, Value>,
    env_key: &str,
    settings: &crate::settings::Settings,
    rules: &mut Rules,
) {
    let enabled = settings.has(features::SECRETS);
    let secrets = spec.object("secrets");
    if spec.holds("secrets") {
        rules.feature(enabled, "/secrets", features::SECRETS);
        if enabled && secrets.is_some_and(|secrets| secrets.contains_key("")) {
            rules.not_empty(false, "/secrets/keys(0)");
        }
    }
    let Some(env) = spec.object(env_key) else { return };
    for (at, name) in env.keys().enumerate() {
        rules.not_empty(!name.is_empty(), format!("/{env_key}/keys({at})"));
    }
    let references = || env.iter().filter_map(|(name, value)| Some((name, value.text("secret")?)));
    rules.expect(
        enabled || references().next().is_none(),
        format!("/{env_key}"),
        "use of secret-references in the environment requires the secrets feature to be enabled",
    );
    for (name, secret) in references() {
        let known = secrets.is_some_and(|secrets| secrets.contains_key(secret));
        rules.expect(known, format!("/{env_key}/{name}/secret"), "references an undefined secret");
    }
}

fn gpus(app: &Map<String, Value>, enabled: bool, rules: &mut Rules) {
    if app.whole("gpus").unwrap_or(0) > 0 {
        let docker = app.object("container").is_some_and(|container| container.word("type") == "DOCKER");
        rules.expect(!docker, "/", "GPU resources only work with the Mesos containerizer");
        rules.feature(enabled, "/", features::GPU_RESOURCES);
    }
}

/// Labels of DC/OS services hold together.
fn migration_api(app: &Map<String, Value>, rules: &mut Rules) {
    let label = |name: &str| app.object("labels").map(|labels| labels.word(name)).unwrap_or_default();
    let version = label("DCOS_MIGRATION_API_VERSION");
    let complete = version == "v1"
        && !label("DCOS_PACKAGE_FRAMEWORK_NAME").is_empty()
        && !label("DCOS_MIGRATION_API_PATH").is_empty();
    rules.expect(
        version.is_empty() || complete,
        "/",
        "DCOS_PACKAGE_FRAMEWORK_NAME and DCOS_MIGRATION_API_PATH must be defined when using DCOS_MIGRATION_API_VERSION",
    );
}
