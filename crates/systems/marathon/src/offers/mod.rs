//! Offers: how each is used, and which roles want them.
//!
//! *Knows*: which parts are accepted and for how long the rest is declined. *Must not know*: which instance an offer is used
//! for.
//!
//! **Source**: `marathon: core/launcher/impl/OfferProcessorImpl.scala`. Match; offers of one message are handled one after the
//! other.

pub(crate) mod demand;
mod launch;
mod matcher;
pub(crate) mod matching;
pub(crate) mod statistics;

use crate::instances::instance::Instance;
use crate::instances::tracker::SpecNo;
use crate::launch_queue::tokens::Tokens;
use crate::port::Port;
use crate::records::Records;
use crate::timers::Job;
use matcher::OfferMatcher;
use planarium_kernel::Class;
use planarium_mesos::api::{Call, Offer, OfferId};
use std::sync::Arc;

/// Offers that are turned down without saying for how long have come again by then: after the master's own 5 seconds, with the
/// next round.
const RESENT_MS: u64 = 7_000;

/// Offers have come.
pub(crate) fn answer(records: &mut Records, tokens: &mut Tokens, port: &mut Port<'_>, offers: &[Arc<Offer>]) {
    let mut declined: [Vec<OfferId>; 2] = [Vec::new(), Vec::new()];
    let cause = port.cx.cause();
    for offer in offers {
        records.count("mesos.offers.incoming");
        let plan = OfferMatcher { records, tokens, cx: port.cx }.plan_for(offer);
        if plan.operations.is_empty() {
            let [later, soon] = &mut declined;
            if plan.resend {
                soon.push(offer.id);
            } else {
                later.push(offer.id);
            }
            continue;
        }
        records.count("mesos.offers.used");
        port.cx.set_cause(plan.cause.unwrap_or(cause));
        let call =
            Call::Accept { offer_ids: vec![offer.id], operations: plan.operations, refuse_ms: Some(0) };
        port.call(records.setup.framework, call);
        port.cx.set_cause(cause);
    }
    let [later, soon] = declined;
    if !soon.is_empty() {
        // No other timer announces these offers: the world is not idle until they have come.
        let at = port.cx.now().saturating_add(RESENT_MS);
        records.timers.arm(Job::Resent, at, Class::OneShot, port.cx.cause());
    }
    for (offer_ids, refuse_ms) in [(later, Some(records.setup.settings.decline_ms)), (soon, None)] {
        if !offer_ids.is_empty() {
            port.call(records.setup.framework, Call::Decline { offer_ids, refuse_ms });
        }
    }
}

impl Records {
    /// Instances that count as placed.
    pub(crate) fn placed(&self, no: SpecNo, except: Option<u64>) -> Vec<Arc<Instance>> {
        let there = |instance: &Arc<Instance>| {
            !instance.condition.is_lost() && !instance.is_scheduled() && Some(instance.no) != except
        };
        self.instances
            .of_spec(no)
            .map(|(_, instance)| instance)
            .filter(|instance| there(instance))
            .cloned()
            .collect()
    }
}
