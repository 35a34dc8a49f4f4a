//! Ports: fixed numbers, numbers chosen at launch, numbers kept from the launch before.
//!
//! *Knows*: which numbers a pod has spoken for. *Must not know*: other resources.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/PortEvaluationStage.java`. Match.

use super::Ask;
use super::check_text::Words;
use super::footprint::{Change, Part};
use super::outcome::Check;
use super::pool::Pool;
use crate::scheduler::state::HeldKind;
use crate::spec::{PodSpec, PortSpec};
use planarium_kernel::SortedSet;

/// First and last dynamic port on networks whose ports need no reservation.
const CONTAINER_PORTS: std::ops::RangeInclusive<u32> = 1025..=2025;

/// Port numbers that a dynamic port must avoid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used(SortedSet<u32>);

impl Used {
    /// The fixed ports of all tasks of the pod.
    pub(crate) fn of_pod(pod: &PodSpec) -> Self {
        let ports = pod.resource_sets.iter().flat_map(|set| &set.ports);
        Self(ports.map(|port| port.port).filter(|port| *port != 0).collect())
    }
}

/// One port, new.
pub(super) fn take(
    ask: &Ask<'_>,
    pool: &mut Pool<'_>,
    spec: &PortSpec,
    used: &mut Used,
    checks: &mut Vec<Check>,
) -> Option<Part> {
    let role = ask.source_role();
    if !ask.pod().uses_host_ports() {
        let port = if spec.port == 0 {
            CONTAINER_PORTS.clone().find(|port| in_ranges(spec, *port) && !used.0.contains(port))
        } else {
            Some(spec.port)
        };
        let Some(port) = port else {
            checks.push(Check::fail("ports", format!("no port of its own left for {}", spec.name)));
            return None;
        };
        used.0.insert(port);
        checks.push(Check::pass("ports", format!("{} is {port} on the container's network", spec.name)));
        return Some(part(spec, port, Change::Unreserved));
    }
    let port = if spec.port == 0 {
        let found = pool.first_port(role, |port| in_ranges(spec, port) && !used.0.contains(&port));
        let Some(port) = found else {
            let ranges: Vec<String> =
                spec.ranges.iter().map(|range| format!("{}-{}", range.begin, range.end)).collect();
            let within = if ranges.is_empty() { String::new() } else { format!(" in {}", ranges.join(", ")) };
            checks.push(Check::fail("ports", format!("no free port{within} for {}", spec.name)));
            return None;
        };
        port
    } else {
        spec.port
    };
    if !pool.take_port(role, port) {
        checks.push(Check::fail("ports", format!("port {port} ({}) is not free in the offer", spec.name)));
        return None;
    }
    used.0.insert(port);
    checks.push(Check::pass("ports", Words::Port { name: spec.name.clone(), port }));
    Some(part(spec, port, Change::Reserve))
}

fn in_ranges(spec: &PortSpec, port: u32) -> bool {
    spec.ranges.is_empty() || spec.ranges.iter().any(|range| (range.begin..=range.end).contains(&port))
}

fn part(spec: &PortSpec, port: u32, change: Change) -> Part {
    let kind = HeldKind::Port { name: spec.name.clone(), port };
    Part { id: None, kind, change, stack: None }
}
