//! Ports for load balancers: those left to Marathon are chosen here.
//!
//! **Source**: `marathon: core/group/impl/AssignDynamicServiceLogic.scala`. Match.

use crate::definition::Refused;
use crate::definition::spec::RunSpec;
use crate::groups::Root;
use crate::id::PathId;
use crate::settings::Settings;
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// The changed tree with every port of 0 assigned.
pub(crate) fn assign(from: &Root, mut to: Root, settings: &Settings) -> Result<Root, Refused> {
    let changed = |spec: &&Arc<RunSpec>| {
        spec.is_app()
            && spec.def.service_ports.contains(&0)
            && from.app(&spec.id).is_none_or(|old| !Arc::ptr_eq(old, spec) && old.is_upgrade(spec))
    };
    let open: Vec<PathId> = to.specs.values().filter(changed).map(|spec| spec.id.clone()).collect();
    if open.is_empty() {
        return Ok(to);
    }
    let (min, max) = settings.service_ports;
    let all = from.specs.values().chain(to.specs.values());
    let used: SortedSet<u32> = all.flat_map(|spec| spec.def.service_ports.iter().copied()).collect();
    let mut free = (min..=max).filter(|port| !used.contains(port));
    for id in open {
        let old = from.app(&id).map(|old| old.def.service_ports.clone()).unwrap_or_default();
        let Some(spec) = to.specs.get_mut(&id).map(Arc::make_mut) else { continue };
        let def = Arc::make_mut(&mut spec.def);
        // The same app gets the same ports again.
        let own =
            old.into_iter().filter(|port| (min..=max).contains(port) && !def.service_ports.contains(port));
        let mut own = own.collect::<Vec<_>>().into_iter();
        let mut ports = Vec::with_capacity(def.service_ports.len());
        for port in &def.service_ports {
            let port = match port {
                0 => own.next().or_else(|| free.next()).ok_or_else(|| exhausted(min, max))?,
                port => *port,
            };
            ports.push(port);
        }
        def.set_service_ports(&ports);
    }
    Ok(to)
}

fn exhausted(min: u32, max: u32) -> Refused {
    Refused::Internal(format!("All ports in the range [{min}-{max}) are already in use"))
}
