//! Offers and inverse offers that are not answered in time.
//!
//! Only where the master's flag `offer_timeout` is set; by default offers stay outstanding. What was offered comes
//! back without a filter, so that the next run may offer it again, perhaps to another framework.
//!
//! Source: `apache/mesos: src/master/master.cpp` (offerTimeout, inverseOfferTimeout). Match.

use crate::{Master, api::OfferId, master::Timer};
use planarium_ground::Cx;
use planarium_kernel::Class;
use std::sync::Arc;

impl Master {
    /// Sets the flag; for a master of an empty cluster. *Units*: milliseconds.
    pub fn set_offer_timeout(&mut self, timeout_ms: Option<u64>) {
        self.offer_timeout_ms = timeout_ms;
    }

    /// Limits the life of an offer or inverse offer.
    pub(crate) fn start_offer_timeout(&mut self, cx: &Cx, id: OfferId) {
        if let Some(ms) = self.offer_timeout_ms {
            let at = cx.now().saturating_add(ms);
            self.arm(at, Class::Periodic, cx.cause(), Timer::OfferTimeout(id));
        }
    }

    /// The time is over; the offer may have been answered long ago.
    pub(crate) fn offer_timed_out(&mut self, cx: &mut Cx, id: OfferId) {
        if self.offers.contains_key(&id) {
            return self.rescind(cx, id);
        }
        if self.inverse.get(id).is_some()
            && let Some(asked) = Arc::make_mut(&mut self.inverse).withdraw(id)
        {
            self.send_inverse_rescinds(cx, &[asked]);
            self.want_inverse_offers(asked.grant.agent, cx.cause());
        }
    }
}
