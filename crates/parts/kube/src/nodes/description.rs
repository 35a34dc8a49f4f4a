//! Nodes as they describe themselves: amounts, labels and the status of its Node object.

use super::RETURN;
use crate::{
    amounts::Amounts,
    api::Api,
    calendar::Epoch,
    object::Pairs,
    quantity::{bytes_text, cpu_text},
    records::nodes::Node,
    status::Tri,
};
use planarium_ground::MachineSpec;
use planarium_kernel::{SimTime, draw};
use planarium_protocol::{
    Text,
    input::Resources,
    json::{self, Map, Value},
};

/// The version that nodes and server show.
pub(crate) const VERSION: &str = "v1.29.12";
/// Pods that a node takes.
const MOST_PODS: i64 = 110;

/// Amounts of a machine whose resources do not say otherwise: those of the Mesos agent on it. *Units*: thousandths of CPUs and of MiB.
const CPUS: i64 = 8_000;
const MEMORY: i64 = 32_768_000;
const STORAGE: i64 = 204_800_000;

/// Reads the amounts of a machine's resources.
pub(super) fn amounts(resources: &Resources) -> Amounts {
    let mib = |amount: Option<planarium_protocol::Amount>, usual: i64| {
        let milli = i128::from(amount.map_or(usual, planarium_protocol::Amount::thousandths));
        i64::try_from(milli * 1_048_576 / 1000).unwrap_or(i64::MAX)
    };
    Amounts {
        cpu_milli: resources.cpus.map_or(CPUS, planarium_protocol::Amount::thousandths),
        memory: mib(resources.mem, MEMORY),
        storage: mib(resources.disk, STORAGE),
        gpus: resources.gpus.map_or(0, |gpus| gpus.thousandths() / 1000),
        pods: MOST_PODS,
    }
}

/// Labels of a machine's node: its own attributes, as far as they make labels, and those that every node has.
pub(super) fn labels_of(spec: &MachineSpec) -> Pairs {
    let fits = |text: &Text| {
        text.len() <= 63
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let own = spec.attributes.iter().filter(|(key, value)| fits(key) && fits(value)).cloned();
    let mut all: Vec<(Text, Text)> = own.collect();
    for prefix in ["beta.kubernetes.io", "kubernetes.io"] {
        all.push((format!("{prefix}/arch").into(), "amd64".into()));
        all.push((format!("{prefix}/os").into(), "linux".into()));
    }
    all.push(("kubernetes.io/hostname".into(), spec.hostname.clone()));
    for (key, value) in [("region", &spec.region), ("zone", &spec.zone)] {
        if let Some(value) = value {
            all.push((format!("topology.kubernetes.io/{key}").into(), value.clone()));
            all.push((format!("failure-domain.beta.kubernetes.io/{key}").into(), value.clone()));
        }
    }
    Pairs::new(all)
}

fn amounts_value(amounts: Amounts) -> Value {
    let mut fields = Map::new();
    json::put(&mut fields, "cpu", cpu_text(amounts.cpu_milli).into());
    json::put(&mut fields, "ephemeral-storage", bytes_text(amounts.storage).into());
    json::put(&mut fields, "memory", bytes_text(amounts.memory).into());
    if amounts.gpus > 0 {
        json::put(&mut fields, "nvidia.com/gpu", amounts.gpus.to_string().into());
    }
    json::put(&mut fields, "pods", amounts.pods.to_string().into());
    Value::Object(fields)
}

fn condition(
    kind: &str,
    status: Tri,
    reason: &str,
    message: &str,
    epoch: Epoch,
    since: SimTime,
    now: SimTime,
) -> Value {
    planarium_protocol::json!({
        "type": kind, "status": status.as_str(), "lastHeartbeatTime": epoch.text(now),
        "lastTransitionTime": epoch.text(since), "reason": reason, "message": message,
    })
}

/// The status of a Node object.
pub(super) fn status(api: &Api, node: &Node, since: SimTime, now: SimTime) -> Value {
    let epoch = api.epoch;
    let (reason, message) = match node.ready {
        Tri::True => ("KubeletReady", "kubelet is posting ready status"),
        _ => ("NodeStatusUnknown", "Kubelet stopped posting node status."),
    };
    let pressure = |kind: &str, good: &str, text: &str| match node.ready {
        Tri::True => condition(kind, Tri::False, good, text, epoch, since, now),
        _ => condition(kind, Tri::Unknown, reason, message, epoch, since, now),
    };
    planarium_protocol::json!({
        "capacity": amounts_value(node.allocatable),
        "allocatable": amounts_value(node.allocatable),
        "conditions": [
            pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
            pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
            condition("Ready", node.ready, reason, message, epoch, since, now),
        ],
        "addresses": [
            { "type": "InternalIP", "address": node.address },
            { "type": "Hostname", "address": node.name },
        ],
        "daemonEndpoints": { "kubeletEndpoint": { "Port": 10_250 } },
        "nodeInfo": {
            "machineID": draw::uuid(api.seed, draw::entity(&node.name), RETURN, 1),
            "systemUUID": draw::uuid(api.seed, draw::entity(&node.name), RETURN, 2),
            "bootID": draw::uuid(api.seed, draw::entity(&node.name), RETURN, u64::from(node.absences) + 3),
            "kernelVersion": "5.4.0", "osImage": "Planarium", "containerRuntimeVersion": "docker://19.3.15",
            "kubeletVersion": VERSION, "kubeProxyVersion": VERSION, "operatingSystem": "linux", "architecture": "amd64",
        },
    })
}
