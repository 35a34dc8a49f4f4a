//! Networks of a pod.
//!
//! **Source**: `dcos-commons: …/yaml/YAMLToInternalMappers.java`, networks. Match.

use super::{Cx, Named, labels, word};
use crate::codes;
use crate::spec::{NetworkSpec, PortMapping};
use planarium_source::Diagnostic;
use planarium_source::read;
use planarium_source::yaml::Node;

pub(super) fn networks(cx: &mut Cx<'_>, node: Option<&Node>, ports: &[u32]) -> Vec<NetworkSpec> {
    let mut networks = Vec::new();
    for Named { name, key, value } in cx.named(node, "'networks'") {
        let mut network = NetworkSpec { name: name.into(), port_mappings: Vec::new(), labels: Vec::new() };
        // A plain text in place of the fields is taken for no fields.
        if value.as_scalar().is_none() {
            let Some(mut fields) = cx.fields(value, &format!("network '{name}'"), key.span) else { continue };
            let (host, container) = (fields.optional("host-ports"), fields.optional("container-ports"));
            let (has_host, has_container) = (host.is_some(), container.is_some());
            let labels_word = word(&mut fields, "labels");
            fields.finish();
            let host = numbers(cx, host, "'host-ports'");
            let container = numbers(cx, container, "'container-ports'");
            network.labels = labels(cx, labels_word);
            if has_host != has_container {
                let (given, lacking) = if has_host {
                    ("host-ports", "container-ports")
                } else {
                    ("container-ports", "host-ports")
                };
                let message = format!("'{given}' of network '{name}' have no effect without '{lacking}'");
                cx.push(
                    Diagnostic::warning(codes::PORT_MAPPING_LENGTHS, key.span, message)
                        .with_help("write one container port for each host port, in the same order"),
                );
            } else if host.len() != container.len() {
                let message = format!(
                    "You need to specify the same number of host ports and container ports: {} and {}",
                    host.len(),
                    container.len()
                );
                let help = "write one container port for each host port, in the same order";
                cx.error(codes::PORT_MAPPING_LENGTHS, key.span, &message, help);
            } else if !host.is_empty() && !network.maps_ports() {
                let message = format!("Virtual Network {name} doesn't support container->host port mapping");
                let help = "remove host-ports and container-ports, or use 'mesos-bridge'";
                cx.error(codes::PORT_MAPPING, key.span, &message, help);
            } else {
                if let Some(twice) = host.iter().enumerate().find_map(|(at, port)| {
                    host.iter().take(at).any(|earlier| earlier == port).then_some(port)
                }) {
                    let message = format!("The host port {twice} of network '{name}' is mapped twice");
                    let help = "map each host port to one container port";
                    cx.error(codes::PORT_MAPPING_LENGTHS, key.span, &message, help);
                }
                let pairs = host.into_iter().zip(container);
                network.port_mappings =
                    pairs.map(|(host, container)| PortMapping { host, container }).collect();
            }
        }
        if network.maps_ports() {
            for port in ports {
                if !network.port_mappings.iter().any(|mapping| mapping.host == *port) {
                    network.port_mappings.push(PortMapping { host: *port, container: *port });
                }
            }
        }
        networks.push(network);
    }
    networks
}

fn numbers(cx: &mut Cx<'_>, node: Option<&Node>, what: &str) -> Vec<u32> {
    let Some(node) = node else { return Vec::new() };
    let items = read::sequence(node, what, &codes::READ, cx.found).unwrap_or_default();
    let mut ports = Vec::new();
    for item in items {
        if let Some(port) = read::int(item, &format!("an item of {what}"), &codes::READ, cx.found) {
            ports.push(super::port::number(cx, port.value, port.span));
        }
    }
    ports
}

/// Every port number written in a pod, in its resource sets and in its tasks.
pub(super) fn ports_of(pod: &Node) -> Vec<u32> {
    let mut found = Vec::new();
    for group in ["resource-sets", "tasks"] {
        for owner in pod.get(group).and_then(Node::as_mapping).unwrap_or_default() {
            for port in owner.value.get("ports").and_then(Node::as_mapping).unwrap_or_default() {
                let number = port.value.get("port").and_then(Node::as_i64);
                found.extend(number.and_then(|number| u32::try_from(number).ok()));
            }
        }
    }
    found
}
