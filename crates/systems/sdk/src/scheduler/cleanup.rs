//! Giving back what no task needs: reservations in offers that nobody used.
//!
//! *Knows*: which reservations are expected. *Must not know*: why others are left over.
//!
//! **Source**: `dcos-commons: …/offer/DefaultResourceCleaner.java`. Simplified: ids are looked for among the tasks of the
//! offer's machine only, where the real one looks among all tasks; a task's reservations are nowhere else.

use super::candidates::ACCEPT_FILTER_MS;
use super::{Cx, Request, Scheduler};
use planarium_kernel::SortedSet;
use planarium_mesos::api::{Call, Offer, Operation, Resource};
use planarium_protocol::Text;
use std::sync::Arc;

impl Scheduler {
    /// Destroys and unreserves what is not expected; answers the offers that hold nothing of the kind.
    pub(super) fn clean_up(
        &mut self,
        cx: &mut Cx,
        offers: Vec<Arc<Offer>>,
        out: &mut Vec<Request>,
    ) -> Vec<Arc<Offer>> {
        let mut left = Vec::with_capacity(offers.len());
        for offer in offers {
            let surplus: Vec<&Resource> = offer
                .resources
                .iter()
                .filter(|resource| resource.is_dynamically_reserved())
                .filter(|resource| {
                    resource.resource_id().is_some_and(|id| !self.expects(&offer.hostname, id))
                })
                .collect();
            if surplus.is_empty() {
                left.push(offer);
                continue;
            }
            let volumes: Vec<Resource> = surplus
                .iter()
                .filter(|resource| resource.persistence().is_some())
                .copied()
                .cloned()
                .collect();
            let reserved: Vec<Resource> = surplus.iter().map(|resource| resource.without_volume()).collect();
            let ids: SortedSet<Text> =
                surplus.iter().filter_map(|resource| resource.resource_id().cloned()).collect();
            let mut operations = Vec::new();
            if !volumes.is_empty() {
                operations.push(Operation::Destroy(volumes));
            }
            operations.push(Operation::Unreserve(reserved));
            let call =
                Call::Accept { offer_ids: vec![offer.id], operations, refuse_ms: Some(ACCEPT_FILTER_MS) };
            out.push(Request { cause: cx.cause(), call });
            self.given_back(cx, &offer.hostname, &ids);
        }
        left
    }

    /// Whether a reservation is still needed; a service that is uninstalled needs none.
    fn expects(&self, hostname: &str, id: &str) -> bool {
        !self.is_uninstalling() && self.store.expects(hostname, id)
    }
}
