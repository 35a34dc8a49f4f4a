//! Releases unneeded reservations in unused offers.
//!
//! *Knows*: which reservations are expected. *Must not know*: why others remain.
//!
//! **Source**: `dcos-commons: …/offer/DefaultResourceCleaner.java`. Simplified: ids are searched among the tasks of the
//! offer's machine only, where the real one searches all tasks; a task's reservations are nowhere else.

use super::ACCEPT_FILTER_MS;
use crate::scheduler::state::TaskStore;
use planarium_kernel::SortedSet;
use planarium_mesos::api::{Call, Offer, Operation, Resource};
use planarium_protocol::Text;

/// Reservations of an offer that are given back.
pub(crate) struct Surplus {
    /// Ids of the reservations.
    pub(crate) ids: SortedSet<Text>,
    /// Destroys the volumes and unreserves the resources.
    pub(crate) call: Call,
}

/// Finds what no task expects in an offer; `None` when there is nothing of the kind. A service that is uninstalled
/// expects nothing.
pub(crate) fn surplus(offer: &Offer, tasks: &TaskStore, uninstalling: bool) -> Option<Surplus> {
    let expected = |id: &Text| !uninstalling && tasks.expects(&offer.hostname, id);
    let surplus: Vec<&Resource> = offer
        .resources
        .iter()
        .filter(|resource| resource.is_dynamically_reserved())
        .filter(|resource| resource.resource_id().is_some_and(|id| !expected(id)))
        .collect();
    if surplus.is_empty() {
        return None;
    }
    let volumes: Vec<Resource> =
        surplus.iter().filter(|resource| resource.persistence().is_some()).copied().cloned().collect();
    let reserved: Vec<Resource> = surplus.iter().map(|resource| resource.without_volume()).collect();
    let ids = surplus.iter().filter_map(|resource| resource.resource_id().cloned()).collect();
    let mut operations = Vec::new();
    if !volumes.is_empty() {
        operations.push(Operation::Destroy(volumes));
    }
    operations.push(Operation::Unreserve(reserved));
    let call = Call::Accept { offer_ids: vec![offer.id], operations, refuse_ms: Some(ACCEPT_FILTER_MS) };
    Some(Surplus { ids, call })
}
