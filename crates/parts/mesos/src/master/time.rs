//! Time and messages: timers that are due, reports of the fleet, the outbox.

use super::Master;
use crate::{
    agents::{failover, holdings, liveness, permits, registry_gc, restart},
    api::Message,
    cluster::Timer,
    frameworks::subscription,
    maintenance::cluster::{drains, inverse_offers},
    offers::{exchange, operations, run, timeout},
    records::Records,
    tasks::{completion, process, shutdown, update},
};
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind};
use planarium_kernel::SimTime;

impl Master {
    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.records.cluster.timers.next_due()
    }

    /// Returns the number of pending timers that would change something.
    pub fn one_shots(&self) -> usize {
        self.records.cluster.timers.one_shots()
    }

    /// Returns whether the next batch run has agents to visit.
    pub fn restless(&self) -> bool {
        let Records { cluster, maintenance, .. } = &self.records;
        let waits = cluster.allocator.has_work() || !maintenance.candidates.is_empty();
        waits && cluster.frameworks.rows.iter().any(|framework| framework.wants_offers())
    }

    /// Skips batch runs without work up to `until`, as long as no other timer is due; returns the last one and their
    /// number. The world is the same as if each had run.
    pub fn pass_quiet_batches(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        run::pass_quiet_batches(offers, maintenance, cluster, until)
    }

    /// Returns the number of waiting messages to frameworks.
    pub fn waiting_messages(&self) -> usize {
        self.records.cluster.frameworks.waiting_messages()
    }

    /// Takes the oldest message out of the outbox.
    pub fn next_message(&mut self) -> Option<Message> {
        self.records.cluster.frameworks.next_message()
    }

    /// Handles exactly one due timer.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        let Some(armed) = self.records.cluster.timers.pop_due(cx.now()) else { return };
        cx.set_cause(armed.cause);
        let records = &mut self.records;
        match armed.timer {
            Timer::Batch => {
                run::run(
                    &mut records.offers,
                    &mut records.maintenance,
                    &mut records.cluster,
                    cx,
                    fleet,
                    None,
                );
                records.cluster.timers.arm_batch(cx.now());
            }
            Timer::Filters(filters) => records.cluster.allocator.expire(filters, armed.cause),
            Timer::Unreachable(agent) => liveness::ping_timed_out(records, cx, fleet, agent),
            Timer::Retry(task) => {
                let left = update::retry_status(&mut records.tasks, &mut records.cluster, cx, fleet, task);
                drains::check(records, cx, fleet, left);
            }
            Timer::RetryOperation(number) => {
                operations::retry_operation(&mut records.operations, &mut records.cluster, cx, number);
            }
            Timer::Permit => permits::permit(records, cx, fleet),
            Timer::Completion(task) => completion::expire_task(&mut records.tasks, cx, fleet, task),
            Timer::RegistryGc(agent) => registry_gc::gc_agent(&mut records.cluster, cx, agent),
            Timer::Reregister(agent) => failover::reregister_recovered(records, cx, fleet, agent),
            Timer::Destroy(pid) => shutdown::destroy_process(&mut records.tasks, fleet, pid),
            Timer::Failover(framework) => subscription::remove_framework(records, cx, fleet, framework),
            Timer::InverseFilter(agent, framework, filter) => {
                let maintenance = &mut records.maintenance;
                inverse_offers::expire_inverse_filter(maintenance, agent, framework, filter, armed.cause);
            }
            Timer::Register(machine) => restart::register_again(records, cx, fleet, machine),
            Timer::OfferTimeout(offer) => timeout::offer_timed_out(
                &mut records.offers,
                &mut records.maintenance,
                &mut records.cluster,
                cx,
                offer,
            ),
        }
        self.run_requested(cx, fleet);
    }

    /// Takes in a report of the fleet, under the report's own cause.
    pub fn on_fleet(&mut self, cx: &mut Cx, fleet: &mut Fleet, event: FleetEvent) {
        cx.scoped(event.cause, |cx| {
            let records = &mut self.records;
            match event.kind {
                FleetEventKind::MachineLost { machine, how } => {
                    liveness::machine_lost(records, cx, fleet, machine, how);
                }
                FleetEventKind::MachineReturned { machine, how } => {
                    liveness::machine_returned(records, cx, fleet, machine, how);
                }
                FleetEventKind::OffersChanged => {
                    exchange::rescind_withheld(&mut records.offers, &mut records.cluster, cx, fleet);
                    records.cluster.allocator.touch_all(cx.cause());
                }
                FleetEventKind::MasterFailover => failover::fail_over(records, cx, fleet),
                FleetEventKind::HoldingsChanged { machine, by } if by != crate::OWNER => {
                    holdings::others_changed(&mut records.offers, &mut records.cluster, cx, fleet, machine);
                }
                FleetEventKind::SchedulerRestart { .. }
                | FleetEventKind::Watched { .. }
                | FleetEventKind::AbsencePlanned { .. }
                | FleetEventKind::HoldingsChanged { .. } => {}
                FleetEventKind::Started { .. }
                | FleetEventKind::Running { .. }
                | FleetEventKind::Check { .. }
                | FleetEventKind::Health { .. }
                | FleetEventKind::Exited { .. }
                | FleetEventKind::Killed { .. } => {
                    let left =
                        process::on_process(&mut records.tasks, &mut records.cluster, cx, fleet, event.kind);
                    drains::check(records, cx, fleet, left);
                }
            }
            self.run_requested(cx, fleet);
        });
    }

    /// Does the allocation runs that were requested, as one.
    pub(crate) fn run_requested(&mut self, cx: &mut Cx, fleet: &Fleet) {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        run::run_requested(offers, maintenance, cluster, cx, fleet);
    }
}
