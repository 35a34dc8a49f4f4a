//! Offers: the open ones, their evaluation, and requests for more.
//!
//! *Knows*: the queue of offers, suppress and revive, machines that were turned down, the last evaluations.
//! *Must not know*: plans, cycles, steps beyond what they require.
//!
//! **Source**: `dcos-commons: …/framework/OfferProcessor.java, ReviveManager.java, …/offer/evaluate`.

pub(crate) mod cleanup;
pub(crate) mod declined;
pub(crate) mod evaluate;
pub(crate) mod history;
mod look;
pub(crate) mod revive;

pub(crate) use look::Look;
pub(crate) use revive::WorkSet;

use super::Cx;
use super::outbox::Outbox;
use super::timers::Timers;
use crate::scheduler::ROW;
use declined::Declined;
use evaluate::Overhead;
use history::{Evaluation, History};
use planarium_kernel::cow::bytes_of;
use planarium_kernel::{SimTime, Weight};
use planarium_mesos::api::{Call, Offer};
use planarium_protocol::Text;
use revive::Revive;
use std::sync::Arc;

/// Offers kept between two cycles at most.
const QUEUE: usize = 100;
/// Not to be offered again after an accept. *Units*: milliseconds.
pub(crate) const ACCEPT_FILTER_MS: u64 = 1_000;
/// Decline when there is nothing to do with an offer. *Units*: milliseconds.
pub(crate) const DECLINE_LONG_MS: u64 = 3_600_000;
/// Decline when the scheduler is not ready. *Units*: milliseconds.
const DECLINE_SHORT_MS: u64 = 5_000;
/// Between two runs of the master's allocator, at most. *Units*: milliseconds.
const ALLOCATION_MS: u64 = 1_000;

/// The master's offers, and the demand for more.
#[derive(Clone, Debug, Weight)]
#[weight(
    own bytes_of::<usize>(self.open.len()), own bytes_of::<Evaluation>(self.history.last.len()),
    own ROW * self.history.agents.len() as u64,
)]
pub(crate) struct Offers {
    /// Those that wait for the next cycle.
    pub(crate) open: Vec<Arc<Offer>>,
    /// Suppress and revive.
    pub(crate) revive: Revive,
    /// Machines whose offers were turned down for an hour.
    pub(crate) declined: Declined,
    /// Demand of an executor for itself.
    pub(crate) overhead: Overhead,
    /// Region of the master.
    pub(crate) master_region: Option<Text>,
    /// The last evaluations.
    pub(crate) history: History,
}

impl Offers {
    /// At the start of a process.
    pub(crate) fn new(now: SimTime, overhead: Overhead) -> Self {
        Self {
            open: Vec::new(),
            revive: Revive::new(now),
            declined: Declined::default(),
            overhead,
            master_region: None,
            history: History::default(),
        }
    }

    /// Queues offers for the next cycle, which runs soon; those that find no room are declined.
    pub(crate) fn take(
        &mut self,
        cx: &Cx,
        mut offers: Vec<Arc<Offer>>,
        timers: &mut Timers,
        out: &mut Outbox,
    ) {
        self.revive.offers_came();
        let room = QUEUE.saturating_sub(self.open.len());
        let overflow = offers.split_off(room.min(offers.len()));
        self.open.append(&mut offers);
        decline_shortly(cx, &overflow, timers, out);
        timers.offers_came(cx);
    }

    /// Declines offers that no pending work can use.
    pub(crate) fn decline_long(&mut self, cx: &Cx, offers: &[Arc<Offer>], out: &mut Outbox) {
        out.decline(cx, offers, DECLINE_LONG_MS);
        let until = cx.now().saturating_add(DECLINE_LONG_MS);
        self.declined.note(until, cx.now(), offers.iter().map(|offer| offer.hostname.clone()));
    }

    /// Suppresses offers, unless they are suppressed already.
    pub(crate) fn suppress(&mut self, cx: &Cx, out: &mut Outbox) {
        if self.revive.idle() {
            out.push(cx, Call::Suppress { roles: Vec::new() });
        }
    }

    /// Revives offers, if work requests it and the limit permits.
    pub(crate) fn ask_again(&mut self, cx: &Cx, out: &mut Outbox) {
        if self.revive.take(cx.now()) {
            self.declined.clear();
            out.push(cx, Call::Revive { roles: Vec::new() });
        }
    }
}

/// Turns offers down for a short while. They come again with the allocator's next run after it; until
/// then the loop is not at rest.
pub(crate) fn decline_shortly(cx: &Cx, offers: &[Arc<Offer>], timers: &mut Timers, out: &mut Outbox) {
    if offers.is_empty() {
        return;
    }
    out.decline(cx, offers, DECLINE_SHORT_MS);
    timers.arm_offers_again(cx, cx.now().saturating_add(DECLINE_SHORT_MS + ALLOCATION_MS));
}
