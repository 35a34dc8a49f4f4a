//! Addresses and ports of tasks as answers show them.
//!
//! **Source**: `marathon: core/task/state/NetworkInfo.scala`. Simplified: containers with a network of their own have an
//! address that is made of their id.

use crate::definition::peek::Peek;
use crate::instances::instance::{Instance, Task};
use planarium_kernel::draw;
use planarium_protocol::json;
use serde_json::Value;

/// Returns whether the tasks of an instance use the network of their machine.
pub(crate) fn is_on_host(instance: &Instance) -> bool {
    let networks = instance.spec.def.json.items("networks");
    networks.iter().all(|network| matches!(network.word("mode"), "host" | ""))
}

/// The address of an instance, once its agent has said something.
pub(crate) fn address(instance: &Instance) -> Option<String> {
    let agent = instance.agent.as_ref()?;
    instance.tasks.iter().find(|task| task.status.is_some())?;
    if is_on_host(instance) {
        return Some(agent.ip.to_string());
    }
    let number = draw::mix64(draw::entity(&instance.id));
    Some(format!("172.17.{}.{}", number >> 8 & 0x7F, 2 + number % 250))
}

/// `ipAddresses` of an instance.
pub(crate) fn addresses(instance: &Instance) -> Value {
    match address(instance) {
        Some(address) => json!([{"ipAddress": address, "protocol": "IPv4"}]),
        None => json!([]),
    }
}

/// Ports of a task on its machine.
pub(crate) fn host_ports(task: &Task) -> Value {
    Value::Array(task.ports.iter().copied().flatten().map(Value::from).collect())
}
