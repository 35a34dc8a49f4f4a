//! Labels of the reservations of instances with volumes.
//!
//! **Source**: `marathon: core/launcher/impl/TaskLabels.scala, ReservationLabels.scala,
//! mesosphere/mesos/PersistentVolumeMatcher.scala`. Match.

use crate::instances::instance::{Instance, LocalVolume};
use planarium_mesos::api::{Reservation, Resource, Resources};
use planarium_protocol::Text;
use std::sync::Arc;

const FRAMEWORK: &str = "marathon_framework_id";
const INSTANCE: &str = "marathon_task_id";

/// Returns whether a resource is reserved for some instance of some Marathon.
pub(crate) fn is_marked(resource: &Resource) -> bool {
    resource.label(FRAMEWORK).is_some() || resource.label(INSTANCE).is_some()
}

/// Returns whether a resource is reserved for this instance of this framework.
pub(crate) fn is_for(resource: &Resource, framework: &str, instance: &str) -> bool {
    let is = |key, value: &str| resource.label(key).is_some_and(|own| **own == *value);
    is(FRAMEWORK, framework) && is(INSTANCE, instance)
}

/// The instance of this framework that a resource is reserved for.
pub(crate) fn instance_of<'a>(resource: &'a Resource, framework: &str) -> Option<&'a Text> {
    let label = resource.label(INSTANCE)?;
    resource.label(FRAMEWORK).is_some_and(|own| **own == *framework).then_some(label)
}

/// A resource reserved for an instance.
pub(crate) fn reserved(resource: &Resource, role: &Text, framework: &Text, instance: &Text) -> Resource {
    let layer = Reservation::dynamic(role.clone(), None);
    resource.pushed(layer.with_label(FRAMEWORK, framework.clone()).with_label(INSTANCE, instance.clone()))
}

/// The first waiting instance whose volumes are all there, with them.
pub(crate) fn volumes_of<'a>(
    left: &Resources,
    waiting: impl Iterator<Item = &'a Arc<Instance>>,
) -> Option<(&'a Arc<Instance>, Vec<Resource>)> {
    let find = |volume: &LocalVolume| {
        left.iter().find(|resource| resource.persistence().is_some_and(|own| own.id == volume.id)).cloned()
    };
    for instance in waiting {
        let Some(reservation) = &instance.reservation else { continue };
        let found: Option<Vec<Resource>> = reservation.volumes.iter().map(find).collect();
        if let Some(found) = found {
            return Some((instance, found));
        }
    }
    None
}
