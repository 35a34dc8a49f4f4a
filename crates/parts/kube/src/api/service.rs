//! Addresses and ports of Services.
//!
//! *Knows*: the range of cluster addresses, `10.96.0.0/12`, and of node ports, from 30000. *Must not know*: who answers there.

use super::{Api, Draft, create::invalid};
use crate::{
    error::{ApiError, FieldCause},
    kinds::KindId,
    status::Ip,
    tree::{Tree, as_object, object_at, put_new},
};
use planarium_protocol::json;
use serde_json::Value;

/// 10.96.0.0; addresses up to 10.111.255.255 belong to it.
const FIRST: u32 = 0x0A60_0000;
const LAST: u32 = 0x0A6F_FFFF;
/// Addresses below are left to those who ask for one.
const RESERVED: u32 = 256;

fn parse(text: &str) -> Option<u32> {
    let mut parts = text.split('.').map(|part| part.parse::<u8>().ok());
    let bytes = [parts.next()??, parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then(|| u32::from_be_bytes(bytes))
}

impl Api {
    /// Gives a Service its cluster address and node ports, at creation and when its type changes. *Errors*: the address it
    /// asks for is not in the range, or taken.
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
        let nodes = matches!(kind.as_str(), "NodePort" | "LoadBalancer");
        let Some(spec) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) else {
            return Ok(());
        };
        if let Some(address) = address {
            json::put(spec, "clusterIP", address.into());
        }
        for port in
            spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten().filter_map(as_object)
        {
            if nodes && port.get("nodePort").and_then(Value::as_i64).unwrap_or(0) == 0 {
                port.shift_remove("nodePort");
                let number = 30_000 + u64::from(self.next_node_port.next()) * 37 % 2_768;
                put_new(port, "nodePort", number.into());
            }
        }
        Ok(())
    }
}
