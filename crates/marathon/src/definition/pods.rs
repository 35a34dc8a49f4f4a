//! Defaults and rules of pods.
//!
//! **Source**: `marathon: api/v2/PodNormalization.scala, validation/PodsValidation.scala`. Match for the rules named here.

use super::canonical::secrets_and_env;
use super::expect::are_unique;
use super::networks::{self, BRIDGE, CONTAINER, HOST, mode};
use super::peek::Peek;
use super::{Around, Rules, Violation, container, roles, scheduling};
use planarium_protocol::json;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// Fills in what a pod leaves out.
pub(super) fn complete(pod: &mut Fields, around: &Around<'_>) {
    let id = crate::id::PathId::resolve(pod.word("id"), around.base);
    pod.insert("id".to_owned(), Value::String(id.to_string()));
    if !pod.contains_key("role") {
        pod.insert("role".to_owned(), Value::String(around.roles.default.to_string()));
    }
    if !pod.holds("networks") {
        pod.insert("networks".to_owned(), json!([{"mode": HOST, "labels": {}}]));
    }
    let bridged = pod.items("networks").iter().any(|net| mode(net) == BRIDGE);
    if let Some(Value::Array(nets)) = pod.get_mut("networks") {
        // A network without a name is refused below.
        let _ = networks::name_all(nets, around.settings);
    }
    if !pod.contains_key("scaling") {
        pod.insert("scaling".to_owned(), json!({"kind": "fixed", "instances": 1}));
    }
    if bridged && let Some(Value::Array(containers)) = pod.get_mut("containers") {
        let endpoints =
            containers.iter_mut().filter_map(|one| one.get_mut("endpoints")?.as_array_mut()).flatten();
        for endpoint in endpoints.filter_map(Value::as_object_mut) {
            if !endpoint.contains_key("hostPort") {
                endpoint.insert("hostPort".to_owned(), Value::from(0));
            }
        }
    }
    let resident = persistent(pod);
    let given = pod.shift_remove("scheduling").map(super::into_map).unwrap_or_default();
    let over = if resident { 0.0 } else { 1.0 };
    let defaults = [
        ("backoff", json!({"backoff": 1, "backoffFactor": 1.15, "maxLaunchDelay": 300})),
        (
            "upgrade",
            json!({"minimumHealthCapacity": if resident { 0.5 } else { 1.0 }, "maximumOverCapacity": over}),
        ),
        ("placement", json!({"constraints": [], "acceptedResourceRoles": []})),
        ("killSelection", json!("YOUNGEST_FIRST")),
        (
            "unreachableStrategy",
            if resident {
                json!("disabled")
            } else {
                json!({"inactiveAfterSeconds": 0, "expungeAfterSeconds": 0})
            },
        ),
    ];
    let mut scheduling = Fields::new();
    for (key, default) in defaults {
        let value = given.get(key).cloned().unwrap_or_else(|| whole_numbers(default));
        scheduling.insert(key.to_owned(), value);
    }
    pod.insert("scheduling".to_owned(), Value::Object(scheduling));
}

fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, whole_numbers(value))).collect())
        }
        Value::Number(number) => number.as_f64().map_or(Value::Null, crate::schema::plain),
        other => other,
    }
}

fn persistent(pod: &Fields) -> bool {
    pod.items("volumes").iter().any(|volume| volume.field("persistent").is_some())
}

/// What does not hold of a pod.
pub(super) fn flaws(pod: &Value, around: &Around<'_>) -> Vec<Violation> {
    let mut rules = Rules::default();
    let Some(pod) = pod.as_object() else { return Vec::new() };
    let id = pod.word("id");
    for flaw in crate::id::flaws(id) {
        rules.expect(false, "/id", flaw);
    }
    rules.expect(id != "/", "/id", "Path must contain at least one path element");
    rules.not_empty(pod.text("user") != Some(""), "/user");
    let containers = pod.items("containers");
    rules.not_empty(!containers.is_empty(), "/containers");
    let names = containers.iter().map(|one| one.word("name")).collect();
    rules.expect(are_unique::<&str>(names), "/containers", "container names are unique");
    let endpoints = containers.iter().flat_map(|one| one.items("endpoints"));
    let names = endpoints.clone().map(|one| one.word("name")).collect();
    rules.expect(are_unique::<&str>(names), "/containers", "Endpoint names are unique across all containers");
    let fixed = endpoints.filter_map(|one| one.whole("hostPort")).filter(|port| *port != 0).collect();
    rules.expect(are_unique::<i64>(fixed), "/containers", "Host ports are unique across all containers");
    let volumes = pod.items("volumes");
    let names = volumes.iter().map(|volume| volume.word("name")).collect();
    rules.expect(are_unique::<&str>(names), "/volumes", "volume names are unique");
    for (at, one) in volumes.iter().enumerate() {
        if let Some(info) = one.field("persistent") {
            container::persistent(info, &format!("/volumes({at})/persistent"), &mut rules);
        }
    }
    let networks = pod.items("networks");
    networks::check(networks, around.settings, &mut rules);
    secrets_and_env(pod, "environment", around.settings, &mut rules);
    for (at, one) in containers.iter().enumerate() {
        check_container(one, &format!("/containers({at})"), networks, volumes, &mut rules);
    }
    check_scheduling(pod, &mut rules);
    let placement = pod.object("scheduling").and_then(|scheduling| scheduling.object("placement"));
    let accepted = placement.map(|placement| placement.texts("acceptedResourceRoles")).unwrap_or_default();
    if !accepted.is_empty() {
        roles::accepted(&accepted, "/scheduling/placement/acceptedResourceRoles", "pod", false, &mut rules);
    }
    roles::valid(pod.text("role"), &accepted, around.roles, &mut rules);
    let stars = persistent(pod) && pod.text("role") == Some("*");
    rules.expect(!stars, "/role", "Resident pods cannot have the role *");
    rules.into_found()
}

fn check_container(one: &Value, path: &str, networks: &[Value], volumes: &[Value], rules: &mut Rules) {
    let joined = networks.iter().any(|net| mode(net) == CONTAINER);
    let endpoints = one.items("endpoints");
    for (at, endpoint) in endpoints.iter().enumerate() {
        let path = format!("{path}/endpoints({at})/containerPort");
        let message = "is required when using container-mode networking";
        rules.expect(!joined || endpoint.field("containerPort").is_some(), path, message);
    }
    for (at, mount) in one.items("volumeMounts").iter().enumerate() {
        let known = volumes.iter().any(|volume| volume.word("name") == mount.word("name"));
        let names: Vec<&str> = volumes.iter().map(|volume| volume.word("name")).collect();
        let message = format!("volumeMount.name must refer to an existing volume ({})", names.join(","));
        rules.expect(known, format!("{path}/volumeMounts({at})"), message);
    }
    let Some(check) = one.field("healthCheck") else { return };
    let kinds = ["http", "tcp", "exec"];
    let given = kinds.iter().filter(|kind| check.field(kind).is_some()).count();
    rules.expect(given == 1, format!("{path}/healthCheck"), "must specify exactly one of: http, tcp, exec");
    for kind in ["http", "tcp"] {
        let Some(name) = check.field(kind).map(|check| check.word("endpoint")) else { continue };
        let known = endpoints.iter().any(|endpoint| endpoint.word("name") == name);
        let names: Vec<&str> = endpoints.iter().map(|endpoint| endpoint.word("name")).collect();
        let message = format!("is not one of ({})", names.join(","));
        rules.expect(known, format!("{path}/healthCheck/{kind}/endpoint"), message);
    }
}

fn check_scheduling(pod: &Fields, rules: &mut Rules) {
    let Some(scheduling) = pod.object("scheduling") else { return };
    let resident = persistent(pod);
    if let Some(upgrade) = scheduling.object("upgrade") {
        rules.share(upgrade.number("minimumHealthCapacity"), "/upgrade/minimumHealthCapacity");
        rules.share(upgrade.number("maximumOverCapacity"), "/upgrade/maximumOverCapacity");
        if resident {
            rules.zero(upgrade.number("maximumOverCapacity"), "/upgrade/maximumOverCapacity");
        }
    }
    let constraints = scheduling.object("placement").map(|placement| placement.items("constraints"));
    for (at, one) in constraints.unwrap_or_default().iter().enumerate() {
        let path = format!("/scheduling/placement/constraints({at})");
        scheduling::constraint(one.word("fieldName"), one.word("operator"), one.text("value"), &path, rules);
    }
    let enabled = scheduling.get("unreachableStrategy").is_some_and(Value::is_object);
    let message = "unreachableStrategy must be disabled for pods with persistent volumes";
    rules.expect(!(resident && enabled), "/", message);
    if let Some(strategy) = scheduling.object("unreachableStrategy") {
        let (inactive, expunge) = (
            strategy.whole("inactiveAfterSeconds").unwrap_or(0),
            strategy.whole("expungeAfterSeconds").unwrap_or(0),
        );
        let message = format!(
            "inactiveAfterSeconds ({inactive}) must be less or equal to expungeAfterSeconds, which is {expunge}"
        );
        rules.expect(inactive <= expunge, "/unreachableStrategy/inactiveAfterSeconds", message);
    }
}
