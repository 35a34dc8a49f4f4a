//! Rules of the fields of the 1.4 dialect.
//!
//! **Source**: `marathon: api/v2/validation/AppValidation.scala (validateOldAppAPI)`. Match.

use super::expect::are_unique;
use super::peek::Peek;
use super::{Rules, Violation};
use serde_json::{Map, Value};

/// Returns the violations in the old fields of an app.
pub(super) fn flaws(app: &Map<String, Value>) -> Vec<Violation> {
    let mut rules = Rules::default();
    let container = app.object("container");
    let docker = container.and_then(|container| container.object("docker"));
    let is_docker = container.is_some_and(|container| container.word("type") == "DOCKER");
    if let Some(docker) = docker {
        rules.empty(!docker.contains_key("credential"), "/container/docker/credential");
        if !is_docker {
            rules.empty(!docker.contains_key("network"), "/container/docker/network");
            rules.empty(!docker.holds("parameters"), "/container/docker/parameters");
            rules.empty(!docker.contains_key("portMappings"), "/container/docker/portMappings");
        }
        let names: Vec<&str> =
            docker.items("portMappings").iter().filter_map(|mapping| mapping.text("name")).collect();
        rules.expect(are_unique(names), "/container/docker/portMappings", "Port names must be unique.");
    }
    let address = app.object("ipAddress");
    let discovers = address.is_some_and(|address| address.contains_key("discovery"));
    rules.expect(
        !(is_docker && discovers),
        "/ipAddress",
        "ipAddress/discovery is not allowed for Docker containers",
    );
    for (at, uri) in app.texts("uris").iter().enumerate() {
        rules.expect(is_uri(uri), format!("/uris({at})"), "URI has invalid syntax.");
    }
    let twice = app.holds("uris") && app.holds("fetch");
    rules.expect(!twice, "/uris", "may not be set in conjunction with fetch");
    let networked = app.holds("networks");
    let old_network = docker.is_some_and(|docker| docker.contains_key("network"));
    rules.expect(
        !(old_network && networked),
        "/",
        "must not specify both container.docker.network and networks",
    );
    rules.expect(!(address.is_some() && networked), "/", "must not specify both networks and ipAddress");
    let ports: Vec<i64> = app.items("ports").iter().filter_map(Value::as_i64).collect();
    let fixed = ports.iter().copied().filter(|port| *port != 0).collect();
    rules.expect(are_unique(fixed), "/", "ports must be unique");
    let portless = !app.holds("ports") && !app.holds("portDefinitions");
    rules.expect(address.is_none() || portless, "/", "cannot specify both an IP address and port");
    let defined: Vec<i64> =
        app.items("portDefinitions").iter().map(|port| port.whole("port").unwrap_or(0)).collect();
    let one = !app.contains_key("ports") || !app.contains_key("portDefinitions") || defined == ports;
    rules.expect(one, "/", "cannot specify both ports and port definitions");
    rules.into_found()
}

/// Returns whether Java's `URI` takes the text.
///
/// **Source**: RFC 2396 as `java.net.URI` reads it. Simplified: characters and the form of escapes, and a scheme before `:`.
pub(super) fn is_uri(text: &str) -> bool {
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let fine = match byte {
            b'%' => {
                let hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
                hex(rest.next()) && hex(rest.next())
            }
            b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => false,
            byte => !byte.is_ascii_control(),
        };
        if !fine {
            return false;
        }
    }
    let head = text.split(['/', '?', '#']).next().unwrap_or_default();
    match head.split_once(':') {
        None => true,
        Some((scheme, _)) => {
            let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(word)
                && text.len() > scheme.len() + 1
        }
    }
}
