//! Changes that are refused of an app or pod that keeps volumes.
//!
//! **Source**: `marathon: state/AppDefinition.scala (residentUpdateIsValid), api/v2/validation/PodsValidation.scala`. Match.

use super::peek::Peek;
use super::spec::{HostPorts, RunSpec};
use super::{Rules, Violation};
use planarium_kernel::SortedSet;

const RESOURCES: &str = "Services with persistent volumes configured may not change resource requirements. \
    If you need to make this change, please create a new service.";
const PORTS: &str = "Services with persistent volumes configured may not change host ports. \
    If you need to make this change, please create a new service.";

/// Returns the violations of a change, at the place of the app among those that the deployment touches.
pub(crate) fn update_flaws(from: &RunSpec, to: &RunSpec, path: &str) -> Vec<Violation> {
    let mut rules = Rules::default();
    if !from.is_resident() && !to.is_resident() {
        return rules.into_found();
    }
    if !to.is_app() {
        let same = from.def.json.get("volumes") == to.def.json.get("volumes");
        rules.expect(same, path, "persistent volumes cannot be updated");
        let (old, new) = (from.def.needs, to.def.needs);
        for (name, same) in [
            ("cpus", old.cpus == new.cpus),
            ("mem", old.mem == new.mem),
            ("disk", old.disk == new.disk),
            ("gpus", old.gpus == new.gpus),
            ("host ports", pod_ports(from) == pod_ports(to)),
        ] {
            let message = format!("{name} cannot be updated if a pod has persistent volumes");
            rules.expect(same, path, message);
        }
        rules.share(to.def.min_health, &format!("{path}/upgradeStrategy/minimumHealthCapacity"));
        rules.zero(to.def.over_capacity, &format!("{path}/upgradeStrategy/maximumOverCapacity"));
        return rules.into_found();
    }
    rules.expect(volumes(from) == volumes(to), path, "Persistent volumes can not be changed!");
    let (old, new) = (from.def.needs, to.def.needs);
    let same = [
        ("cpus", old.cpus == new.cpus),
        ("mem", old.mem == new.mem),
        ("disk", old.disk == new.disk),
        ("gpus", old.gpus == new.gpus),
        ("requirePorts", from.def.json.flag("requirePorts") == to.def.json.flag("requirePorts")),
    ];
    for (name, same) in same {
        rules.expect(same, format!("{path}/{name}"), RESOURCES);
    }
    rules.expect(host_ports(from) == host_ports(to), path, PORTS);
    rules.share(to.def.min_health, &format!("{path}/upgradeStrategy/minimumHealthCapacity"));
    rules.zero(to.def.over_capacity, &format!("{path}/upgradeStrategy/maximumOverCapacity"));
    rules.into_found()
}

/// Persistent volumes in order of their paths.
fn volumes(spec: &RunSpec) -> Vec<(String, String)> {
    let container = spec.def.json.object("container");
    let all = container.map(|container| container.items("volumes")).unwrap_or_default();
    let persistent = all.iter().filter(|volume| volume.field("persistent").is_some());
    let mut kept: Vec<_> = persistent
        .map(|volume| (volume.word("containerPath").to_owned(), super::spec::in_order(volume)))
        .collect();
    planarium_kernel::sorted::sort(&mut kept);
    kept
}

/// Host ports of all containers of a pod.
fn pod_ports(spec: &RunSpec) -> SortedSet<i64> {
    let endpoints = spec.def.json.items("containers").iter().flat_map(|one| one.items("endpoints"));
    endpoints.filter_map(|endpoint| endpoint.whole("hostPort")).collect()
}

/// Host ports as the definition has them: without a container those defined, fixed or not.
fn host_ports(spec: &RunSpec) -> SortedSet<u32> {
    match &spec.def.ports {
        HostPorts::Mapped(ports) => ports.iter().copied().flatten().collect(),
        HostPorts::Fixed(_) | HostPorts::Any(_) => spec.def.service_ports.iter().copied().collect(),
    }
}
