//! Defaults and rules of pods.
//!
//! **Source**: `marathon: api/v2/PodNormalization.scala, validation/PodsValidation.scala`. Match for the rules named here.

use super::canonical::secrets_and_env;
use super::double::Double;
use super::expect::are_unique;
use super::networks::{self, CONTAINER, HOST, mode};
use super::peek::Peek;
use super::{Around, Rules, Violation, canonical, container, roles, scheduling};
use crate::settings::features;
use planarium_protocol::json;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// Fills in the defaults of a pod.
pub(super) fn complete(pod: &mut Fields, around: &Around<'_>) {
    let id = crate::id::PathId::resolve(pod.word("id"), around.base);
    pod.insert("id".to_owned(), Value::String(id.to_string()));
    if !pod.contains_key("role") {
        pod.insert("role".to_owned(), Value::String(around.roles.default.to_string()));
    }
    if !pod.holds("networks") {
        pod.insert("networks".to_owned(), json!([{"mode": HOST, "labels": {}}]));
    }
    // Except on a container network, an endpoint has a port of the host.
    let on_host = pod.items("networks").iter().all(|net| mode(net) != CONTAINER);
    if let Some(Value::Array(nets)) = pod.get_mut("networks") {
        // A network without a name is refused below.
        let _ = networks::name_all(nets, around.settings);
    }
    if !pod.contains_key("scaling") {
        pod.insert("scaling".to_owned(), json!({"kind": "fixed", "instances": 1}));
    }
    if on_host && let Some(Value::Array(containers)) = pod.get_mut("containers") {
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

/// Returns the violations of a posted pod.
pub(super) fn flaws(pod: &Fields, around: &Around<'_>) -> Vec<Violation> {
    let mut rules = Rules::default();
    let id = pod.word("id");
    for flaw in crate::id::flaws(id) {
        rules.expect(false, "/id", flaw);
    }
    rules.expect(id.starts_with('/'), "/id", "Path needs to be absolute");
    rules.expect(!id.split('/').all(str::is_empty), "/id", "Path must contain at least one path element");
    rules.not_empty(pod.text("user") != Some(""), "/user");
    let wanted = pod.object("scaling").and_then(|scaling| scaling.whole("instances"));
    rules.room(wanted.unwrap_or(1), "/scaling/instances");
    secrets_and_env(pod, "environment", around.settings, &mut rules);
    check_volumes(pod, &mut rules);
    let containers = pod.items("containers");
    rules.not_empty(!containers.is_empty(), "/containers");
    for (at, one) in containers.iter().enumerate() {
        check_container(one, &format!("/containers({at})"), pod, around, &mut rules);
    }
    let names = containers.iter().map(|one| one.word("name")).collect();
    rules.expect(are_unique::<&str>(names), "/containers", "container names must be unique");
    networks::check(pod.items("networks"), around.settings, &mut rules);
    check_scheduling(pod, &mut rules);
    let endpoints = containers.iter().flat_map(|one| one.items("endpoints"));
    let names = endpoints.clone().map(|one| one.word("name")).collect();
    // Written like this in the real system.
    rules.expect(are_unique::<&str>(names), "/", "endpoint names nust be unique across all containers");
    let fixed = |key: &'static str| {
        let ports = endpoints.clone().filter_map(move |one| one.whole(key)).filter(|port| *port != 0);
        are_unique::<i64>(ports.collect())
    };
    rules.expect(fixed("containerPort"), "/", "container ports must be unique across all containers");
    rules.expect(fixed("hostPort"), "/", "host ports must be unique across all containers");
    if let Some(info) = pod.get("linuxInfo") {
        let seccomp = info.field("seccomp").is_some();
        let message = "Seccomp configuration on executor level is not supported";
        rules.expect(!seccomp, "/linuxInfo/seccomp", message);
        shared_memory(info, "/linuxInfo", &mut rules);
    }
    rules.into_found()
}

/// Returns the violations in the roles of a complete pod.
pub(super) fn role_flaws(pod: &Fields, around: &Around<'_>) -> Vec<Violation> {
    let mut rules = Rules::default();
    let role = pod.text("role");
    roles::valid(role, &accepted_roles(pod), around.roles, &mut rules);
    if persistent(pod) {
        rules.expect(role != Some("*"), "/role", "Resident pods cannot have the role *");
        roles::kept(role.unwrap_or_default(), around.roles, &mut rules);
    }
    rules.into_found()
}

fn accepted_roles(pod: &Fields) -> Vec<&str> {
    let placement = pod.object("scheduling").and_then(|scheduling| scheduling.object("placement"));
    placement.map(|placement| placement.texts("acceptedResourceRoles")).unwrap_or_default()
}

fn check_volumes(pod: &Fields, rules: &mut Rules) {
    let volumes = pod.items("volumes");
    let mounted = |name: &str| {
        let mounts = pod.items("containers").iter().flat_map(|one| one.items("volumeMounts"));
        mounts.into_iter().any(|mount| mount.word("name") == name)
    };
    for (at, one) in volumes.iter().enumerate() {
        let message = "volume must be referenced by at least one container";
        rules.expect(mounted(one.word("name")), format!("/volumes({at})"), message);
        if let Some(info) = one.field("persistent") {
            container::persistent(info, &format!("/volumes({at})/persistent"), rules);
        }
        if let Some(secret) = one.text("secret") {
            let known = pod.object("secrets").is_some_and(|secrets| secrets.contains_key(secret));
            let message = "volume.secret must refer to an existing secret";
            rules.expect(known, format!("/volumes({at})/secret"), message);
        }
    }
    let names = volumes.iter().map(|volume| volume.word("name")).collect();
    rules.expect(are_unique::<&str>(names), "/volumes", "volume names must be unique");
}

fn check_container(one: &Value, path: &str, pod: &Fields, around: &Around<'_>, rules: &mut Rules) {
    let networks = pod.items("networks");
    let endpoints = one.items("endpoints");
    for (at, endpoint) in endpoints.iter().enumerate() {
        check_endpoint(endpoint, &format!("{path}/endpoints({at})"), networks, rules);
    }
    if let Some(pull) = one.field("image").and_then(|image| image.object("pullConfig")) {
        let path = format!("{path}/image/pullConfig");
        if !around.settings.has(features::SECRETS) {
            rules.empty(false, path.clone());
            rules.feature(false, path.clone(), features::SECRETS);
        }
        let known = pod.object("secrets").is_some_and(|secrets| secrets.contains_key(pull.word("secret")));
        rules.expect(known, path, "pullConfig.secret must refer to an existing secret");
    }
    if let Some(limits) = one.object("resourceLimits") {
        let requested = |of: &str| one.field("resources").map_or(0.0, |resources| resources.number(of));
        canonical::limit(limits, path, "cpus", requested("cpus"), rules);
        canonical::limit(limits, path, "mem", requested("mem"), rules);
        let message = "resourceLimits cannot be defined if legacySharedCgroups is enabled";
        rules.expect(!pod.flag("legacySharedCgroups"), format!("{path}/resourceLimits"), message);
    }
    if let Some(check) = one.field("healthCheck") {
        check_health(check, &format!("{path}/healthCheck"), endpoints, rules);
    }
    for (at, mount) in one.items("volumeMounts").iter().enumerate() {
        let known = pod.items("volumes").iter().any(|volume| volume.word("name") == mount.word("name"));
        let message = "Referenced Volume in VolumeMount should exist";
        rules.expect(known, format!("{path}/volumeMounts({at})/name"), message);
    }
    if let Some(info) = one.field("linuxInfo") {
        linux(info, &format!("{path}/linuxInfo"), rules);
    }
}

fn check_endpoint(endpoint: &Value, path: &str, networks: &[Value], rules: &mut Rules) {
    let known: Vec<&str> = networks.iter().filter_map(|net| net.text("name")).collect();
    let wanted = endpoint.texts("networkNames");
    for (n, name) in wanted.iter().enumerate() {
        let message = format!("is not one of ({})", known.join(","));
        rules.expect(known.contains(name), format!("{path}/networkNames({n})"), message);
    }
    let any = |of: &str| networks.iter().any(|net| mode(net) == of);
    let port = endpoint.field("containerPort").is_some();
    let at = format!("{path}/containerPort");
    rules.expect(!(any(HOST) && port), at.clone(), "is not allowed when using host-mode networking");
    rules.expect(!any(CONTAINER) || port, at, "is required when using container-mode networking");
    let message = "Duplicate protocols within the same endpoint are not allowed";
    rules.expect(are_unique(endpoint.texts("protocol")), format!("{path}/protocol"), message);
    let several = networks.iter().filter(|net| mode(net) == CONTAINER).count() > 1;
    let told = !several || endpoint.field("hostPort").is_none() || wanted.len() == 1;
    rules.expect(told, path, container::ONE_NETWORK);
}

fn check_health(check: &Value, path: &str, endpoints: &[Value], rules: &mut Rules) {
    let (timeout, interval) =
        (check.whole("timeoutSeconds").unwrap_or(0), check.whole("intervalSeconds").unwrap_or(0));
    let message = format!("got {timeout}, expected less than {interval}");
    rules.expect(timeout < interval, format!("{path}/timeoutSeconds"), message);
    for kind in ["http", "tcp"] {
        let Some(name) = check.field(kind).map(|check| check.word("endpoint")) else { continue };
        let known = endpoints.iter().any(|endpoint| endpoint.word("name") == name);
        let path = format!("{path}/{kind}/endpoint");
        rules.expect(known, path, "contained in the container endpoints");
    }
    let given = ["http", "tcp", "exec"].iter().filter(|kind| check.field(kind).is_some()).count();
    rules.expect(given == 1, path, "Only one of http, tcp, or command may be specified");
}

/// Rules of a container's Linux settings.
///
/// **Source**: `marathon: state/LinuxInfo.scala (validLinuxInfoForContainerRaml)`. Match.
pub(super) fn linux(info: &Value, path: &str, rules: &mut Rules) {
    if let Some(seccomp) = info.field("seccomp").filter(|seccomp| seccomp.is_object()) {
        let (profile, unconfined) = (seccomp.field("profileName").is_some(), seccomp.flag("unconfined"));
        let path = format!("{path}/seccomp");
        let message = "Seccomp unconfined can NOT be true when Profile is defined";
        rules.expect(!(profile && unconfined), path.clone(), message);
        let message = "Seccomp unconfined must be true when Profile is NOT defined";
        rules.expect(profile || unconfined, path, message);
    }
    shared_memory(info, path, rules);
}

fn shared_memory(info: &Value, path: &str, rules: &mut Rules) {
    let Some(ipc) = info.field("ipcInfo") else { return };
    let shared = ipc.word("mode").eq_ignore_ascii_case("SHARE_PARENT");
    let message = "ipcInfo shmSize can NOT be set when mode is SHARE_PARENT";
    rules.expect(!(shared && ipc.field("shmSize").is_some()), format!("{path}/ipcInfo"), message);
}

fn check_scheduling(pod: &Fields, rules: &mut Rules) {
    let Some(scheduling) = pod.object("scheduling") else { return };
    let placement = scheduling.object("placement");
    let constraints = placement.map(|placement| placement.items("constraints")).unwrap_or_default();
    let before = rules.count();
    for (at, one) in constraints.iter().enumerate() {
        let path = format!("/scheduling/placement/constraints({at})");
        scheduling::constraint(one.word("fieldName"), one.word("operator"), one.text("value"), &path, rules);
    }
    // Must be empty, or contain valid constraints only: both are reported.
    rules.empty(rules.count() == before, "/scheduling/placement/constraints");
    let resident = persistent(pod);
    if let Some(upgrade) = scheduling.object("upgrade").filter(|_| resident) {
        rules.share(Double::of(upgrade.number("minimumHealthCapacity")), "/upgrade/minimumHealthCapacity");
        rules.zero(Double::of(upgrade.number("maximumOverCapacity")), "/upgrade/maximumOverCapacity");
    }
    let enabled = scheduling.get("unreachableStrategy").is_some_and(Value::is_object);
    let message = "unreachableStrategy must be disabled for pods with persistent volumes";
    rules.expect(!(resident && enabled), "/", message);
    let accepted = accepted_roles(pod);
    if !accepted.is_empty() {
        let before = rules.count();
        roles::accepted(&accepted, "/acceptedResourceRoles", "pod", resident, rules);
        rules.empty(rules.count() == before, "/acceptedResourceRoles");
    }
}
