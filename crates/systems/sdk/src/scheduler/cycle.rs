//! One cycle, from offers to declines.
//!
//! *Knows*: the order of a cycle. *Must not know*: how a candidate is worked on, when a cycle runs.
//!
//! **Source**: `dcos-commons: …/framework/OfferProcessor.java, …/scheduler/DefaultScheduler.java`. Match.

use super::offers::cleanup::surplus;
use super::offers::{DECLINE_LONG_MS, decline_shortly};
use super::plans::ClientStatus;
use super::{Cx, Scheduler};
use planarium_mesos::api::Offer;
use std::sync::Arc;

impl Scheduler {
    /// One cycle, counted, and the draws for the next one.
    pub(super) fn run_cycle(&mut self, cx: &mut Cx) {
        self.metrics.cycle(self.offers.open.len());
        self.timers.cycle_runs(cx.now());
        let offers = std::mem::take(&mut self.offers.open);
        if !self.lifecycle.is_torn_down() {
            self.use_offers(cx, offers);
        }
        if self.offers.revive.is_requested() {
            self.metrics.throttled();
        }
        if !self.lifecycle.is_torn_down() {
            self.plans.draw_random_children(cx, &self.state.tasks, &mut self.timers);
        }
    }

    fn use_offers(&mut self, cx: &mut Cx, offers: Vec<Arc<Offer>>) {
        if !self.subscribed {
            decline_shortly(cx, &offers, &mut self.timers, &mut self.outbox);
            return;
        }
        let candidates = self.coordinate(cx);
        self.state.completed_once |= !self.is_uninstalling() && self.plans.is_deployed();
        match self.plans.client_status() {
            ClientStatus::Idle => {
                self.offers.suppress(cx, &mut self.outbox);
                self.offers.decline_long(cx, &offers, &mut self.outbox);
            }
            // Its turn to reserve has not come.
            ClientStatus::Footprint if self.barred => self.outbox.decline(cx, &offers, DECLINE_LONG_MS),
            // The work is known; offers wait for the statuses.
            ClientStatus::Footprint | ClientStatus::Launching if self.is_reconciling() => {
                self.offers.revive.working(self.plans.work_set(&candidates));
                let unused = self.clean_up(cx, offers);
                decline_shortly(cx, &unused, &mut self.timers, &mut self.outbox);
            }
            ClientStatus::Footprint | ClientStatus::Launching => {
                self.offers.revive.working(self.plans.work_set(&candidates));
                let unused = self.work_on(cx, &candidates, offers);
                let unused = self.clean_up(cx, unused);
                self.offers.decline_long(cx, &unused, &mut self.outbox);
            }
        }
        if self.lifecycle.is_torn_down() {
            return;
        }
        self.offers.ask_again(cx, &mut self.outbox);
        if self.offers.revive.is_requested() {
            self.timers.need_cycle(cx);
        }
        self.plans.revision.touch(cx);
    }

    /// Gives back what no task expects; returns the offers that hold nothing of the kind.
    fn clean_up(&mut self, cx: &mut Cx, offers: Vec<Arc<Offer>>) -> Vec<Arc<Offer>> {
        let uninstalling = self.is_uninstalling();
        let mut left = Vec::with_capacity(offers.len());
        for offer in offers {
            let Some(surplus) = surplus(&offer, &self.state.tasks, uninstalling) else {
                left.push(offer);
                continue;
            };
            self.outbox.push(cx, surplus.call);
            // Records that leave forget the reservations, and the steps that wait for them are done.
            self.state.tasks.forget_reservations(&offer.hostname, &surplus.ids, uninstalling);
            if self.plans.complete_releases(cx, &surplus.ids)
                && self.plans.report_all(cx, &self.state.tasks).is_some()
            {
                self.timers.need_cycle(cx);
            }
        }
        left
    }
}
