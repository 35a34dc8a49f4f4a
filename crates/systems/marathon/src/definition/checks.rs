//! Rules of health and readiness checks.
//!
//! **Source**: `marathon: api/v2/validation/AppValidation.scala (portIndexIsValid, haveAtMostOneMesosHealthCheck,
//! complyWithIpProtocolRules, readinessCheckValidator), raml/HealthCheckConversion.scala`. Match.

use super::Rules;
use super::peek::Peek;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

const PORT_INDEX: &str =
    "Health check port indices must address an element of the ports array or container port mappings.";

/// The ports that checks may name, in order.
pub(crate) fn ports(app: &Fields) -> &[Value] {
    let mapped = app.object("container").map(|container| container.items("portMappings")).unwrap_or_default();
    if mapped.is_empty() { app.items("portDefinitions") } else { mapped }
}

/// Returns whether the agent runs a check.
pub(crate) fn is_mesos(check: &Value) -> bool {
    check.field("command").is_some() || !matches!(check.word("protocol"), "HTTP" | "HTTPS" | "TCP")
}

/// Returns whether a check names an existing port, among `count` ports.
fn has_port(check: &Value, count: usize) -> bool {
    match check.whole("portIndex") {
        Some(index) => usize::try_from(index).is_ok_and(|index| index < count),
        None => check.field("port").is_some() || count == 1,
    }
}

/// Checks the ports of agent-run checks: for the app as it runs, not as posted.
pub(super) fn ports_of_agents(app: &Fields, rules: &mut Rules) {
    let count = ports(app).len();
    for (at, check) in app.items("healthChecks").iter().enumerate() {
        if is_mesos(check) && check.field("command").is_none() {
            rules.expect(has_port(check, count), format!("/healthChecks({at})"), PORT_INDEX);
        }
    }
}

pub(super) fn health(app: &Fields, rules: &mut Rules) {
    let count = ports(app).len();
    let docker = app.object("container").is_some_and(|container| container.word("type") == "DOCKER");
    let checks = app.items("healthChecks");
    for (at, check) in checks.iter().enumerate() {
        let path = format!("/healthChecks({at})");
        if !is_mesos(check) {
            rules.expect(has_port(check, count), path.clone(), PORT_INDEX);
        }
        let by_agent = matches!(check.word("protocol"), "MESOS_HTTP" | "MESOS_HTTPS" | "MESOS_TCP");
        rules.expect(
            check.word("ipProtocol") != "IPv6" || by_agent && docker,
            path,
            "IPv6 can only be used for container type DOCKER and Mesos http/https/tcp health checks",
        );
    }
    let by_agent = checks.iter().filter(|check| is_mesos(check)).count();
    let commands = checks.iter().filter(|check| check.field("command").is_some()).count();
    rules.expect(by_agent - commands <= 1, "/", "AppDefinition can contain at most one Mesos health check");
}

pub(super) fn readiness(app: &Fields, rules: &mut Rules) {
    let checks = app.items("readinessChecks");
    let message = format!("got {}, expected 1 or less", checks.len());
    rules.expect(checks.len() <= 1, "/readinessChecks/size", message);
    let names: Vec<&str> = ports(app).iter().filter_map(|port| port.text("name")).collect();
    for (at, check) in checks.iter().enumerate() {
        let name = check.word("portName");
        let path = format!("/readinessChecks({at})");
        let message = format!("No port definition reference for portName {name}");
        rules.expect(names.contains(&name), format!("{path}/portName"), message);
        let (timeout, interval) =
            (check.whole("timeoutSeconds").unwrap_or(0), check.whole("intervalSeconds").unwrap_or(0));
        let message = format!("got {timeout}, expected less than {interval}");
        rules.expect(timeout < interval, format!("{path}/timeoutSeconds"), message);
    }
}

/// Keeps only the fields of a health check that its protocol uses, so that equal checks have one form.
///
/// *Order*: the fields' order in answers.
///
/// **Source**: `marathon: raml/HealthCheckConversion.scala (appHealthCheckRamlReader, appHealthCheckWrites)`. Match: the setting
/// about 1xx answers is read and dropped.
pub(super) fn settle(check: &mut Fields) {
    let protocol = check.word("protocol").to_owned();
    check.shift_remove("ignoreHttp1xx");
    match &*protocol {
        "HTTP" | "HTTPS" => {
            let at = check.keys().position(|key| key == "intervalSeconds").unwrap_or(0);
            check.shift_insert(at, "ignoreHttp1xx".to_owned(), Value::Bool(false));
        }
        "TCP" | "MESOS_TCP" => _ = check.shift_remove("path"),
        "COMMAND" => _ = check.shift_remove("portIndex"),
        _ => {}
    }
    if matches!(&*protocol, "HTTP" | "HTTPS" | "TCP") {
        // Only the agent waits before its first check.
        check.insert("delaySeconds".to_owned(), Value::from(15));
    }
    if !matches!(&*protocol, "MESOS_HTTP" | "MESOS_HTTPS" | "MESOS_TCP") {
        check.insert("ipProtocol".to_owned(), Value::from("IPv4"));
    }
}

/// Returns the error for a readable but invalid check: the real system fails when it converts it.
pub(super) fn senseless(check: &Value) -> Option<String> {
    let protocol = check.word("protocol");
    match (check.field("command").is_some(), protocol) {
        (true, "COMMAND") if check.field("path").is_none() && check.field("port").is_none() => None,
        (true, "COMMAND") => Some("Invalid combination of HealthCheck parameters".to_owned()),
        (true, other) => Some(format!("illegal protocol {other} specified with command")),
        (false, "COMMAND") => Some("illegal protocol COMMAND for non-command health check".to_owned()),
        (false, _) => None,
    }
}
