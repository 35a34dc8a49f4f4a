//! Ports for load balancers: those left to Marathon are chosen here.
//!
//! **Source**: `marathon: core/group/impl/AssignDynamicServiceLogic.scala`. Match.

use super::Root;
use crate::definition::Refused;
use crate::definition::peek::Peek;
use crate::definition::spec::{self, RunSpec};
use crate::settings::Settings;
use planarium_kernel::SortedSet;
use serde_json::Value;
use std::sync::Arc;

/// The changed tree with every port of 0 assigned.
pub(crate) fn assign(from: &Root, mut to: Root, settings: &Settings) -> Result<Root, Refused> {
    let changed = |spec: &&Arc<RunSpec>| {
        spec.is_app()
            && spec.def.service_ports.contains(&0)
            && from.app(&spec.id).is_none_or(|old| !Arc::ptr_eq(old, spec) && old.is_upgrade(spec))
    };
    let open: Vec<Arc<RunSpec>> = to.specs.values().filter(changed).cloned().collect();
    if open.is_empty() {
        return Ok(to);
    }
    let (min, max) = settings.service_ports;
    let all = from.specs.values().chain(to.specs.values());
    let used: SortedSet<u32> = all.flat_map(|spec| spec.def.service_ports.iter().copied()).collect();
    let mut free = (min..=max).filter(|port| !used.contains(port));
    for spec in open {
        let old = from.app(&spec.id).map(|old| old.def.service_ports.clone()).unwrap_or_default();
        // The same app gets the same ports again.
        let own = old
            .into_iter()
            .filter(|port| (min..=max).contains(port) && !spec.def.service_ports.contains(port));
        let mut own = own.collect::<Vec<_>>().into_iter();
        let mut ports = Vec::with_capacity(spec.def.service_ports.len());
        for port in &spec.def.service_ports {
            let port = match port {
                0 => own.next().or_else(|| free.next()).ok_or_else(|| exhausted(min, max))?,
                port => *port,
            };
            ports.push(port);
        }
        let next = with_ports(&spec, &ports)?;
        to.specs.insert(spec.id.clone(), Arc::new(next));
    }
    Ok(to)
}

fn exhausted(min: u32, max: u32) -> Refused {
    Refused::Internal(format!("All ports in the range [{min}-{max}) are already in use"))
}

fn with_ports(spec: &RunSpec, ports: &[u32]) -> Result<RunSpec, Refused> {
    let mut json = spec.def.json.clone();
    let mapped = json.object("container").is_some_and(|container| container.holds("portMappings"));
    let (list, key) = if mapped {
        (json.get_mut("container").and_then(|container| container.get_mut("portMappings")), "servicePort")
    } else {
        (json.get_mut("portDefinitions"), "port")
    };
    if let Some(Value::Array(items)) = list {
        for (item, port) in items.iter_mut().filter_map(Value::as_object_mut).zip(ports) {
            item.insert(key.to_owned(), Value::from(*port));
        }
    }
    json.insert("id".to_owned(), Value::String(spec.id.to_string()));
    json.insert("instances".to_owned(), Value::from(spec.instances));
    let next = spec::app(&Value::Object(json))?;
    Ok(RunSpec { version: spec.version, ..next })
}
