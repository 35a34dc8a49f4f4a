//! Rules of an app as it will run.
//!
//! **Source**: `marathon: state/AppDefinition.scala (validAppDefinition, validBasicAppDefinition, validWithRoleEnforcement)`.
//! Match; rules that the posted form has already ensured are not checked again.

use super::canonical;
use super::peek::Peek;
use super::spec::RunSpec;
use super::{RoleSettings, Rules, Violation, roles};
use crate::settings::{Settings, features};
use serde_json::Value;

/// Returns the violations of an app.
pub(super) fn flaws(spec: &RunSpec, settings: &Settings, roles: &RoleSettings) -> Vec<Violation> {
    let mut rules = Rules::default();
    with_roles(spec, roles, &mut rules);
    basic(spec, settings, &mut rules);
    rules.into_found()
}

/// Returns the violations of an app in the tree of groups: checked with every change of the tree.
pub(crate) fn flaws_in_group(spec: &RunSpec, settings: &Settings, roles: &RoleSettings) -> Vec<Violation> {
    flaws(spec, settings, roles)
}

fn with_roles(spec: &RunSpec, settings: &RoleSettings, rules: &mut Rules) {
    let role = &*spec.def.role;
    let accepted: Vec<&str> = spec.def.accepted.iter().map(|role| &**role).collect();
    roles::valid(Some(role), &accepted, settings, rules);
    if spec.is_resident() {
        rules.expect(role != "*", "/role", "Resident apps cannot have the role *");
        roles::kept(role, settings, rules);
    }
}

fn basic(spec: &RunSpec, settings: &Settings, rules: &mut Rules) {
    let (def, json) = (&spec.def, &spec.def.json);
    rules.share(def.min_health, "/upgradeStrategy/minimumHealthCapacity");
    rules.share(def.over_capacity, "/upgradeStrategy/maximumOverCapacity");
    let docker = json.object("container").is_some_and(|container| container.word("type") == "DOCKER");
    canonical::check_ports(json.items("portDefinitions"), rules);
    let executor = json.word("executor");
    rules.expect(
        is_executor(executor),
        "/executor",
        format!("must fully match regular expression '{EXECUTOR}'"),
    );
    // Fields that a posted plain container may lack are required when it runs.
    let container = json.object("container").is_some_and(|container| container.contains_key("docker"));
    let (cmd, args) = (json.contains_key("cmd"), json.holds("args"));
    rules.expect(cmd != args || !cmd && container, "/", canonical::NO_COMMAND);
    rules.expect(!(def.has_check && docker), "/", "AppDefinition must not use 'checks' if using docker");
    super::checks::ports_of_agents(json, rules);
    if let Some(check) = json.get("check") {
        check_port(check, super::checks::ports(json).len(), rules);
    }
    if let Some(info) = json.object("container").and_then(|container| container.get("linuxInfo")) {
        super::pods::linux(info, "/container/linuxInfo", rules);
    }
    if json.holds("secrets") {
        rules.feature(settings.has(features::SECRETS), "/secrets", features::SECRETS);
    }
    if !def.accepted.is_empty() {
        let all: Vec<&str> = def.accepted.iter().map(|role| &**role).collect();
        roles::accepted(&all, "/acceptedResourceRoles", "app", spec.is_resident(), rules);
    }
    let resident = spec.is_resident();
    if resident {
        rules.zero(def.over_capacity, "/upgradeStrategy/maximumOverCapacity");
    }
    if json.object("labels").is_some_and(|labels| labels.word(super::scheduling::SINGLE_INSTANCE) == "true") {
        // One of two conditions must hold; if neither does, both are reported.
        let alone = def.min_health.is_zero() && def.over_capacity.is_zero();
        rules.expect(alone, "/isSingleInstance", "must be false");
        rules.zero(def.min_health, "/upgradeStrategy/minimumHealthCapacity");
        rules.zero(def.over_capacity, "/upgradeStrategy/maximumOverCapacity");
        rules.expect(spec.instances <= 1, "/", "Single instance app may only have one instance");
    }
    rules.expect(
        !resident || def.unreachable.is_none(),
        "/",
        "unreachableStrategy must be disabled for resident tasks",
    );
    if let Some((inactive, expunge)) = def.unreachable {
        let (inactive, expunge) = (inactive / 1000, expunge / 1000);
        rules.expect(
            inactive <= expunge,
            "/unreachableStrategy/inactiveAfterSeconds",
            format!("inactiveAfterSeconds ({inactive}) must be less or equal to expungeAfterSeconds, which is {expunge}"),
        );
    }
}

fn check_port(check: &Value, ports: usize, rules: &mut Rules) {
    let asked = check.field("http").or_else(|| check.field("tcp"));
    let Some(asked) = asked else { return };
    let found = match asked.whole("portIndex") {
        Some(index) => usize::try_from(index).is_ok_and(|index| index < ports),
        None => asked.field("port").is_some() || ports == 1,
    };
    rules.expect(
        found,
        "/check/get",
        "check port index must address an element of the ports array or container port mappings.",
    );
}

const EXECUTOR: &str = "^(//cmd)|(/?[^/]+(/[^/]+)*)|$";

fn is_executor(text: &str) -> bool {
    text.is_empty() || text == "//cmd" || {
        let path = text.strip_prefix('/').unwrap_or(text);
        path.split('/').all(|part| !part.is_empty())
    }
}
