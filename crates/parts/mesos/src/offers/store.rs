//! Outstanding offers, and the allocation runs that were requested.
//!
//! *Must not know*: what becomes of an offer.

use super::OutstandingOffers;
use crate::{
    api::{AgentId, FrameworkId, OfferId},
    cluster::{Timer, Timers},
};
use planarium_ground::Cx;
use planarium_kernel::{Class, id::Counter};

/// The agents that an event run was requested for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Requested {
    /// None.
    #[default]
    Nothing,
    /// These.
    Some(Vec<AgentId>),
    /// All.
    All,
}

/// Offers, and when the next ones are made.
#[derive(Clone, Debug)]
pub(crate) struct Offers {
    pub(crate) outstanding: OutstandingOffers,
    /// Numbers for offers and inverse offers.
    pub(crate) next: Counter,
    /// The flag `offer_timeout`. *Units*: milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    /// Event runs of the allocator requested while a call is handled.
    pub(crate) requested: Requested,
}

impl Default for Offers {
    fn default() -> Self {
        Self {
            outstanding: OutstandingOffers::default(),
            next: Counter::new(),
            timeout_ms: None,
            requested: Requested::Nothing,
        }
    }
}

impl Offers {
    /// The offers to a framework.
    pub(crate) fn to_framework(&self, framework: FrameworkId) -> Vec<OfferId> {
        let own = self.outstanding.values().filter(|offer| offer.framework == framework);
        own.map(|offer| offer.id).collect()
    }

    /// The offers of an agent's resources.
    pub(crate) fn on_agent(&self, agent: AgentId) -> Vec<OfferId> {
        self.outstanding.values().filter(|offer| offer.agent == agent).map(|offer| offer.id).collect()
    }

    /// Requests an event run over an agent.
    pub(crate) fn request_run(&mut self, agent: AgentId) {
        match &mut self.requested {
            Requested::Nothing => self.requested = Requested::Some(vec![agent]),
            Requested::Some(agents) => agents.push(agent),
            Requested::All => {}
        }
    }

    /// Limits the life of an offer or inverse offer, where the flag is set.
    pub(crate) fn limit_life(&self, timers: &mut Timers, cx: &Cx, id: OfferId) {
        if let Some(ms) = self.timeout_ms {
            let at = cx.now().saturating_add(ms);
            timers.arm(at, Class::Periodic, cx.cause(), Timer::OfferTimeout(id));
        }
    }
}
