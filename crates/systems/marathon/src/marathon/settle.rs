//! Processes pending work: reactions, deployments, the demand for offers, timers, views.
//!
//! *Order*: changes of instances come before deployments continue; the master, timers, readers and listeners are notified
//! once nothing is left.
//! nothing is left.

use crate::marathon::Marathon;
use crate::port::Port;
use crate::statuses::changes;
use crate::timers::{Job, Rhythm, tick_from};
use planarium_kernel::Class;
use planarium_part::Cx;

const OVERDUE: Rhythm = Rhythm { first_ms: 30_000, every_ms: 5_000 };

impl Marathon {
    /// Works off everything that has been brought about and not reacted to.
    pub(crate) fn settle(&mut self, port: &mut Port<'_>) {
        let cause = port.cx.cause();
        loop {
            if let Some(change) = self.records.instances.next_change() {
                port.cx.set_cause(change.cause);
                self.react(port, &change);
            } else if !self.deploying(port).go_on_deploying() {
                break;
            }
        }
        port.cx.set_cause(cause);
        self.demand.update_wish(&mut self.records, port);
        self.rearm(port.cx);
        changes::show_changes(&mut self.records, &mut self.deployments, port.cx);
        self.records.tell_of_bus(port.cx);
    }

    /// Wakes those jobs that have something to do.
    fn rearm(&mut self, cx: &Cx) {
        let (now, cause, born) = (cx.now(), cx.cause(), self.records.setup.born);
        let later = now.saturating_add(1);
        let settings = self.records.setup.settings.clone();
        let scale = self
            .records
            .balance
            .has_unbalanced()
            .then(|| (tick_from(later, born, settings.scale), Class::OneShot));
        self.records.timers.arm_as_wanted(Job::Scale, scale, cause);
        let overdue = self.records.instances.first_overdue();
        let overdue = overdue.map(|at| (tick_from(at.max(later), born, OVERDUE), Class::OneShot));
        self.records.timers.arm_as_wanted(Job::Overdue, overdue, cause);
        let expunge = self.records.instances.first_to_expunge();
        let expunge = expunge.map(|at| (tick_from(at.max(later), born, settings.expunge), Class::OneShot));
        self.records.timers.arm_as_wanted(Job::Expunge, expunge, cause);
        let inactive = self.records.instances.first_to_give_up();
        let reconcile = if self.records.balance.has_orphans() {
            Some((tick_from(later, born, settings.reconcile), Class::OneShot))
        } else if let Some(at) = inactive {
            Some((tick_from(at.max(later), born, settings.reconcile), Class::OneShot))
        } else {
            // A task that was launched and not heard of since is asked about, too.
            (self.in_doubt || overdue.is_some())
                .then(|| (tick_from(later, born, settings.reconcile), Class::Periodic))
        };
        self.records.timers.arm_as_wanted(Job::Reconcile, reconcile, cause);
    }
}
