//! Networks: modes, names, the old ways of asking for them.
//!
//! **Source**: `marathon: api/v2/AppNormalization.scala (NetworkTranslation), NetworkNormalization.scala,
//! validation/NetworkValidation.scala`. Match.

use super::expect::are_unique;
use super::peek::Peek;
use super::{Refused, Rules};
use crate::settings::Settings;
use planarium_protocol::json;
use serde_json::Value;

pub(crate) const HOST: &str = "host";
pub(crate) const BRIDGE: &str = "container/bridge";
pub(crate) const CONTAINER: &str = "container";

/// The mode of a network.
pub(crate) fn mode(net: &Value) -> &str {
    net.word("mode")
}

/// Returns the networks of the old fields, or the given ones.
pub(super) fn translate(
    address: Option<&Value>,
    docker: Option<&str>,
    networks: Option<Vec<Value>>,
    settings: &Settings,
) -> Result<Option<Vec<Value>>, Refused> {
    let labels = address.and_then(|address| address.field("labels")).cloned().unwrap_or_else(|| json!({}));
    let name = address.and_then(|address| address.text("networkName"));
    let one = |mode: &str, name: Option<&str>, labels: Value| {
        let mut net = serde_json::Map::new();
        if let Some(name) = name {
            net.insert("name".to_owned(), Value::String(name.to_owned()));
        }
        net.insert("mode".to_owned(), Value::String(mode.to_owned()));
        net.insert("labels".to_owned(), labels);
        Ok(Some(vec![Value::Object(net)]))
    };
    match (address, docker, networks) {
        (None, None, networks) => Ok(networks),
        (_, Some("HOST"), None) => one(HOST, None, json!({})),
        (_, Some("USER"), None) => one(CONTAINER, name, labels),
        (_, Some("BRIDGE"), None) => one(BRIDGE, None, labels),
        (_, Some(other), None) => Err(Refused::Internal(format!("unsupported docker network type {other}"))),
        (Some(_), None, None) if name == Some(&settings.bridge) => one(BRIDGE, None, labels),
        (Some(_), None, None) => one(CONTAINER, name, labels),
        _ => Err(Refused::Internal("cannot mix deprecated and canonical network APIs".to_owned())),
    }
}

/// Gives container networks without a name the default one.
pub(super) fn name_all(networks: &mut [Value], settings: &Settings) -> Result<(), Refused> {
    for net in networks.iter_mut().filter(|net| mode(net) == CONTAINER && net.field("name").is_none()) {
        let (Some(name), Some(fields)) = (&settings.network, net.as_object_mut()) else {
            return Err(Refused::Internal("container network name is not defined".to_owned()));
        };
        // The name comes first where networks are written.
        let mut named = serde_json::Map::new();
        named.insert("name".to_owned(), Value::String(name.to_string()));
        named.extend(std::mem::take(fields));
        *fields = named;
    }
    Ok(())
}

/// Rules of networks.
pub(super) fn check(networks: &[Value], settings: &Settings, rules: &mut Rules) {
    let named = |net: &Value| net.text("name").is_some_and(|name| !name.is_empty());
    let of = |wanted: &str| networks.iter().filter(|net| mode(net) == wanted).count();
    let hosts = || networks.iter().filter(|net| mode(net) == HOST);
    rules.expect(
        !hosts().any(|net| named(net) || net.holds("labels")),
        "/networks",
        "Host networks may not have names or labels",
    );
    let bridges = networks.iter().filter(|net| mode(net) == BRIDGE);
    rules.expect(!bridges.clone().any(named), "/networks", "Bridge networks may not have names");
    let unnamed = networks.iter().filter(|net| mode(net) == CONTAINER && net.text("name").is_none()).count();
    let names: Vec<&str> = networks.iter().filter_map(|net| net.text("name")).collect();
    rules.expect(unnamed < 2 && are_unique(names), "/networks", "Duplicate networks are not allowed");
    let (host, bridge, container) = (of(HOST), of(BRIDGE), of(CONTAINER));
    let alone = (host <= 1 && bridge == 0 && container == 0)
        || (host == 0 && bridge <= 1 && container == 0)
        || (host == 0 && bridge == 0 && container > 0);
    rules.expect(
        alone,
        "/networks",
        "May specify a single host network, single bridge network, or else 1-to-n container networks",
    );
    let nameable = unnamed == 0 || settings.network.is_some();
    rules.expect(nameable, "/networks", "Network name must be specified when container network is selected.");
}
