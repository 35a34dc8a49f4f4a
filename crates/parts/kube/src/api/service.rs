//! Addresses and ports of Services.
//!
//! *Knows*: the ranges of cluster addresses, `10.96.0.0/12`, and of node ports, 30000 to 32767. *Must not know*: who answers there.

use super::{Api, Draft, create::invalid};
use crate::{
    error::{ApiError, FieldCause},
    kinds::KindId,
    status::Ip,
    tree::{Tree, as_object, object_at},
};
use planarium_protocol::json;
use serde_json::Value;

/// 10.96.0.0; addresses up to 10.111.255.255 belong to it.
const FIRST: u32 = 0x0A60_0000;
const LAST: u32 = 0x0A6F_FFFF;
/// Addresses below are left to requests for a specific one.
const RESERVED: u32 = 256;

/// Ports of nodes that Services may have.
const NODE_PORTS: std::ops::RangeInclusive<i64> = 30_000..=32_767;

fn parse(text: &str) -> Option<u32> {
    let mut parts = text.split('.').map(|part| part.parse::<u8>().ok());
    let bytes = [parts.next()??, parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then(|| u32::from_be_bytes(bytes))
}

impl Api {
    /// Sets a Service's cluster address and node ports, at creation and when its type changes. *Errors*: the requested
    /// address is out of range or taken.
    pub(crate) fn take_addresses(&mut self, draft: &mut Draft) -> Result<(), ApiError> {
        if draft.kind != KindId::SERVICE {
            return Ok(());
        }
        let spec = draft.content.key("spec");
        let kind = spec.text("type").to_owned();
        let wanted = spec.text("clusterIP").to_owned();
        let mut address = None;
        match wanted.as_str() {
            "None" => {}
            _ if kind == "ExternalName" => {}
            "" => {
                let next = FIRST.saturating_add(RESERVED).saturating_add(self.next_cluster_ip.next());
                address = Some(Ip(next).text());
            }
            wanted => {
                let value = Value::from(wanted);
                let refuse = |detail: &str| vec![FieldCause::invalid("spec.clusterIP", &value, detail)];
                if !parse(wanted).is_some_and(|ip| (FIRST..=LAST).contains(&ip)) {
                    let detail =
                        "provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/12";
                    return Err(invalid(draft, refuse(detail)));
                }
                let taken = self.store.of_kind(KindId::SERVICE, None).any(|other| {
                    *other.name != *draft.name() && other.content().key("spec").text("clusterIP") == wanted
                });
                if taken {
                    return Err(invalid(draft, refuse("provided IP is already allocated")));
                }
            }
        }
        let ports = if matches!(kind.as_str(), "NodePort" | "LoadBalancer")
            && draft.content.at(&["spec", "allocateLoadBalancerNodePorts"]) != &Value::Bool(false)
        {
            self.node_ports(draft)?
        } else {
            Vec::new()
        };
        let Some(spec) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) else {
            return Ok(());
        };
        if let Some(address) = address {
            json::put(spec, "clusterIP", address.into());
        }
        let all = spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
        for (port, number) in all.filter_map(as_object).zip(ports) {
            json::put(port, "nodePort", number.into());
        }
        Ok(())
    }

    /// Returns the node port of each port of a Service: the requested one, or the next free one. *Errors*: it is out of range or
    /// taken.
    fn node_ports(&mut self, draft: &Draft) -> Result<Vec<i64>, ApiError> {
        let namespace = draft.meta.namespace.as_deref().unwrap_or_default();
        let mut taken: Vec<(i64, String)> = Vec::new();
        for other in self.store.of_kind(KindId::SERVICE, None) {
            if *other.name == *draft.name() && *other.namespace == *namespace {
                continue;
            }
            let ports = other.content().key("spec").items("ports").iter();
            taken.extend(ports.filter_map(|port| Some((port.int("nodePort")?, protocol_of(port)))));
        }
        let mut numbers = Vec::new();
        let ports = draft.content.key("spec").items("ports");
        let mut found = Vec::new();
        for (at, port) in ports.iter().enumerate() {
            let Some(wanted) = port.int("nodePort").filter(|number| *number != 0) else { continue };
            let key = (wanted, protocol_of(port));
            let detail = if !NODE_PORTS.contains(&wanted) {
                "provided port is not in the valid range. The range of valid ports is 30000-32767"
            } else if taken.contains(&key) {
                "provided port is already allocated"
            } else {
                taken.push(key);
                continue;
            };
            found.push(FieldCause::invalid(format!("spec.ports[{at}].nodePort"), &wanted.into(), detail));
        }
        if !found.is_empty() {
            return Err(invalid(draft, found));
        }
        for port in ports {
            let number = match port.int("nodePort").filter(|number| *number != 0) {
                Some(wanted) => wanted,
                None => self.free_node_port(&taken).ok_or_else(|| {
                    let text = "failed to allocate a nodePort: range is full";
                    ApiError::new(crate::error::Reason::InternalError, text)
                })?,
            };
            taken.push((number, protocol_of(port)));
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// A node port that no Service has.
    fn free_node_port(&mut self, taken: &[(i64, String)]) -> Option<i64> {
        for _ in NODE_PORTS {
            // Steps of 37 pass through all 2768 ports.
            let number = 30_000 + i64::from(self.next_node_port.next()) * 37 % 2_768;
            if taken.iter().all(|(other, _)| *other != number) {
                return Some(number);
            }
        }
        None
    }
}

/// The protocol of a port.
fn protocol_of(port: &Value) -> String {
    let word = port.text("protocol");
    if word.is_empty() { "TCP".to_owned() } else { word.to_owned() }
}
