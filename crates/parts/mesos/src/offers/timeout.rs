//! Offers and inverse offers that are not answered in time.
//!
//! Only if the master's flag `offer_timeout` is set; by default offers stay outstanding. The resources are recovered
//! without a filter, so that the next run may offer them again, perhaps to another framework.
//!
//! Source: `apache/mesos: src/master/master.cpp` (offerTimeout, inverseOfferTimeout). Match.

use crate::{
    api::OfferId,
    cluster::Cluster,
    maintenance::{Maintenance, cluster::inverse_offers},
    offers::{Offers, exchange},
};
use planarium_ground::Cx;
use std::sync::Arc;

/// Rescinds an offer or inverse offer that was not answered in time.
pub(crate) fn offer_timed_out(
    offers: &mut Offers,
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    id: OfferId,
) {
    if offers.outstanding.contains_key(&id) {
        return exchange::rescind(offers, cluster, cx, id);
    }
    if maintenance.inverse.get(id).is_some()
        && let Some(asked) = Arc::make_mut(&mut maintenance.inverse).withdraw(id)
    {
        inverse_offers::send_inverse_rescinds(cluster, cx, &[asked]);
        maintenance.want_inverse_offers(asked.grant.agent, cx.cause());
    }
}
