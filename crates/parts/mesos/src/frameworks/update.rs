//! Calls that only frameworks over HTTP make: a new description, the end of an executor.
//!
//! Source: `apache/mesos: src/master/master.cpp` (updateFramework, shutdown). Match.

use crate::{
    api::{FrameworkId, FrameworkInfo, OfferId},
    cluster::Cluster,
    maintenance::{Maintenance, cluster::inverse_offers},
    offers::{Offers, exchange},
    wire::{operator_event, read::bad},
};
use planarium_ground::Cx;
use planarium_protocol::Refusal;
use std::sync::Arc;

/// Updates a framework's description. Drops offers and filters of roles that the framework leaves, and all its filters
/// against inverse offers. Triggers no run.
///
/// *Errors*: the user, principal or checkpoint flag differs.
pub(crate) fn update_framework(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: FrameworkId,
    info: FrameworkInfo,
) -> Result<(), Refusal> {
    let Some(framework) = cluster.frameworks.get(id) else { return Err(bad("Framework cannot be found")) };
    let before = framework.info.clone();
    for (field, changed) in [
        ("user", before.user != info.user),
        ("principal", before.principal != info.principal),
        ("checkpoint", before.checkpoint != info.checkpoint),
    ] {
        if changed {
            return Err(bad(format!("Updating '{field}' of a framework is not supported")));
        }
    }
    let left = offers
        .outstanding
        .values()
        .filter(|offer| offer.framework == id && !info.roles.contains(&offer.role));
    for offer in left.map(|offer| offer.id).collect::<Vec<OfferId>>() {
        exchange::rescind(offers, cluster, cx, offer);
    }
    let info = FrameworkInfo { name: before.name.clone(), ..info };
    cluster.allocator.update(id, &info, cx.cause());
    inverse_offers::clear_inverse_filters(maintenance, cluster, cx, id);
    if let Some(framework) = cluster.frameworks.get_mut(id) {
        framework.info = Arc::new(info);
    }
    operator_event::framework_updated(cluster, cx, id);
    Ok(())
}
