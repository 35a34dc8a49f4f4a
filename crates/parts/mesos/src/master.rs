//! The master: it owns all records, and passes on what happens.
//!
//! Timers that are due, reports of the fleet and calls of frameworks come in here and go to the room that has the
//! rule: `agents`, `tasks`, `frameworks`, `offers`, `maintenance`, `operator`. A rule is a function that takes the
//! [`Records`] it needs.

use crate::{
    agents::{failover, holdings, liveness, permits, registration, registry_gc, restart, view},
    api::{Call, FrameworkId, FrameworkInfo, Message, SchedulerEvent, TaskInfo, TaskState},
    check,
    cluster::Timer,
    frameworks::{subscription, update as framework_update},
    maintenance::{
        Refused, Schedule,
        cluster::{drains, effects, inverse_offers, view as maintenance_view, why},
        decode::OperatorCall,
    },
    offers::{Requested, accept, exchange, operations, round, run, timeout},
    operator::{self, TimedEvent, operate},
    records::Records,
    tasks::{
        ProbeFacts,
        acknowledge::{self, Acknowledged},
        completion,
        kill::{self, KillCall},
        manual, process, reconcile, shutdown, update, view as task_view,
    },
    weight,
    wire::{self, Answer, Calendar, MesosQuery},
};
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, MachineId};
use planarium_kernel::{Digest, SimTime};
use planarium_protocol::{
    EventBody, Refusal, Text,
    input::{AddAgent, OfferRound, TaskStatusInput},
    view::{MachineView, WindowView},
    why::MachineWhy,
};
use serde_json::Value;
use std::sync::Arc;

/// The leading master with all its records.
#[derive(Clone, Debug)]
pub struct Master {
    pub(crate) records: Records,
}

/// Time and messages.
impl Master {
    /// A master of an empty cluster. Its first batch run comes one interval after genesis.
    pub fn new(seed: u64) -> Self {
        Self { records: Records::new(seed) }
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.records.cluster.timers.next_due()
    }

    /// How many pending timers would change something.
    pub fn one_shots(&self) -> usize {
        self.records.cluster.timers.one_shots()
    }

    /// Whether the next batch run has something to look at.
    pub fn restless(&self) -> bool {
        let Records { cluster, maintenance, .. } = &self.records;
        let waits = cluster.allocator.has_work() || !maintenance.candidates.is_empty();
        waits && cluster.frameworks.rows.iter().any(|framework| framework.wants_offers())
    }

    /// Skips the batch runs up to `until` that would find nothing to do, as long as no other timer is due; returns the
    /// last of them and how many they were. The world is as if each had run.
    pub fn pass_quiet_batches(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        run::pass_quiet_batches(offers, maintenance, cluster, until)
    }

    /// How many messages to frameworks wait in the outbox.
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

/// Machines and their agents.
impl Master {
    /// The region of the master itself.
    pub fn region(&self) -> Option<&Text> {
        self.records.cluster.agents.region.as_ref()
    }

    /// Sets the flag `agent_removal_rate_limit`; for a master of an empty cluster. *Units*: milliseconds between two
    /// removals.
    pub fn set_agent_removal_interval(&mut self, interval_ms: Option<u64>) {
        self.records.cluster.agents.removal_limit.interval_ms = interval_ms;
    }

    /// Refuses amounts or roles that no agent could register with.
    pub(crate) fn admits(add: &AddAgent) -> Result<(), Refusal> {
        registration::admits(add)
    }

    /// Whether a fresh agent may be started on a machine.
    ///
    /// *Errors*: the agent is gone, but its machine is away or DOWN.
    pub(crate) fn takes_again(&self, fleet: &Fleet, machine: MachineId) -> Result<bool, Refusal> {
        let Records { cluster, maintenance, .. } = &self.records;
        registration::takes_again(&cluster.agents, maintenance, fleet, machine)
    }

    /// A machine has joined, or a fresh agent is started on it: the agent registers.
    pub(crate) fn machine_joined(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        machine: MachineId,
        add: &AddAgent,
    ) {
        registration::machine_joined(&mut self.records, cx, fleet, machine, add);
    }

    /// A machine is about to be taken out for good, with all agents on it.
    pub(crate) fn machine_leaves(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        registration::machine_leaves(&mut self.records, cx, fleet, machine);
    }

    /// Begins its periodic work at an instant after genesis.
    pub(crate) fn begin_batches_at(&mut self, now: SimTime) {
        let timers = &mut self.records.cluster.timers;
        if let Some((batch, _)) = timers.batch.take() {
            timers.disarm(Some(batch));
        }
        timers.arm_batch(now);
    }

    /// Hostnames of the machines in the maintenance schedule.
    pub(crate) fn scheduled_hosts(&self, fleet: &Fleet) -> Vec<Text> {
        let planned = self.machines(fleet).into_iter().filter(|machine| machine.unavailability.is_some());
        planned.map(|machine| machine.hostname.clone()).collect()
    }

    /// Whether the ledger holds what tasks, executors and reservations hold.
    pub(crate) fn is_settled(&self) -> bool {
        !self.records.cluster.allocator.has_held_changes()
    }

    /// Brings the ledger in line with what tasks, executors and reservations hold. *Cost*: by what runs on the agents that
    /// have changed.
    pub fn settle_holdings(&mut self, cx: &Cx, fleet: &mut Fleet) {
        holdings::settle_holdings(&self.records.tasks, &mut self.records.cluster, cx, fleet);
    }

    /// The id on the wire of the agent that was last on the machine of this hostname; none if several machines
    /// have it.
    pub fn agent_id_on(&self, hostname: &str) -> Option<Text> {
        self.records.cluster.agents.wire_id_on(hostname)
    }

    /// All machines in order of joining.
    pub fn machines(&self, fleet: &Fleet) -> Vec<Arc<MachineView>> {
        view::machines(&self.records, fleet)
    }

    /// Why a machine is in its state; by its host name (with `@ADDRESS` where several have it), or the id of its agent.
    /// None when there is no such machine and the schedule does not name one.
    pub fn why_machine(&self, fleet: &Fleet, which: &str) -> Option<MachineWhy> {
        why::why_machine(&self.records, fleet, which)
    }
}

/// Frameworks and their calls.
impl Master {
    /// Subscribes a framework and makes offers at once.
    pub fn subscribe(&mut self, cx: &mut Cx, fleet: &Fleet, info: FrameworkInfo) -> FrameworkId {
        subscription::subscribe(&mut self.records, cx, fleet, info)
    }

    /// Subscribes a framework that has its id from another master, under that id.
    ///
    /// *Errors*: one of this id was removed, or the id is malformed.
    pub fn subscribe_as(
        &mut self,
        cx: &mut Cx,
        fleet: &Fleet,
        info: FrameworkInfo,
        wire: &Text,
    ) -> Result<FrameworkId, String> {
        subscription::subscribe_as(&mut self.records, cx, fleet, info, wire)
    }

    /// Subscribes a framework again under its id, with its new description. False when it was removed meanwhile.
    pub fn resubscribe(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId, info: FrameworkInfo) -> bool {
        subscription::resubscribe(&mut self.records, cx, fleet, id, info)
    }

    /// Frameworks that have lost their master since the last call.
    pub fn drain_orphans(&mut self) -> Vec<FrameworkId> {
        std::mem::take(&mut self.records.cluster.frameworks.masterless)
    }

    /// A framework that has lost its master subscribes again as what it was.
    pub fn resubscribe_as_before(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId) {
        let framework = self.records.cluster.frameworks.get(id);
        if let Some(info) = framework.map(|framework| (*framework.info).clone()) {
            self.resubscribe(cx, fleet, id, info);
        }
    }

    /// A framework's scheduler is gone: its offers come back without filters, and it is sent nothing any more.
    pub fn disconnect_framework(&mut self, cx: &mut Cx, id: FrameworkId) {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        subscription::disconnect_framework(offers, maintenance, cluster, cx, id);
    }

    /// A framework sends a new description. Offers and filters of roles that it leaves go, and all filters against
    /// inverse offers, whatever the roles. No run is triggered.
    ///
    /// *Errors*: another user, principal or checkpoint flag than before.
    pub fn update_framework(
        &mut self,
        cx: &mut Cx,
        id: FrameworkId,
        info: FrameworkInfo,
    ) -> Result<(), Refusal> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        framework_update::update_framework(offers, maintenance, cluster, cx, id, info)
    }

    /// From now on this framework acknowledges statuses by calls.
    pub fn acknowledges_by_calls(&mut self, id: FrameworkId) {
        self.records.cluster.frameworks.acknowledge_by_calls(id);
    }

    /// The registered framework with this id on the wire.
    pub fn framework_by_id(&self, wire: &str) -> Option<FrameworkId> {
        self.records.cluster.frameworks.by_wire_id(wire)
    }

    /// A framework's id on the wire.
    pub fn framework_id(&self, id: FrameworkId) -> &str {
        self.records.cluster.frameworks.wire_id(id)
    }

    /// Whether a framework is connected.
    pub fn is_connected(&self, id: FrameworkId) -> bool {
        self.records.cluster.frameworks.is_connected(id)
    }

    /// Handles a call of a framework. Calls of frameworks that are not connected are ignored.
    pub fn call(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId, call: Call) {
        let records = &mut self.records;
        let framework = records.cluster.frameworks.get(id).filter(|framework| framework.is_connected());
        let Some(framework) = framework else { return };
        let info = framework.info.clone();
        let all_known = |roles: &[Text]| roles.iter().all(|role| info.roles.contains(role));
        match call {
            Call::Accept { offer_ids, operations, refuse_ms } => {
                accept::accept(records, cx, fleet, id, &offer_ids, operations, refuse_ms);
            }
            Call::Decline { offer_ids, refuse_ms } => {
                records.cluster.counters.decline_offers += 1;
                exchange::decline(&mut records.offers, &mut records.cluster, cx, id, &offer_ids, refuse_ms);
            }
            Call::AnswerInverseOffers { offer_ids, response, refuse_ms } => {
                let Records { cluster, maintenance, .. } = records;
                inverse_offers::answer_inverse_offers(
                    maintenance,
                    cluster,
                    cx,
                    id,
                    &offer_ids,
                    response,
                    refuse_ms,
                );
            }
            Call::Revive { roles } if all_known(&roles) => {
                records.cluster.counters.revive_offers += 1;
                cx.following(EventBody::Revived { framework: info.name.clone() }, |cx| {
                    let Records { cluster, offers, maintenance, .. } = records;
                    cluster.allocator.revive(id, &roles, cx.cause());
                    inverse_offers::clear_inverse_filters(maintenance, cluster, cx, id);
                    offers.requested = Requested::All;
                    run::run_requested(offers, maintenance, cluster, cx, fleet);
                });
            }
            Call::Suppress { roles } if all_known(&roles) => {
                let cluster = &mut records.cluster;
                cluster.counters.suppress_offers += 1;
                if !cluster.allocator.is_suppressed(id) {
                    cx.emit(EventBody::Suppressed { framework: info.name.clone() });
                }
                cluster.allocator.suppress(id, &roles);
            }
            // A role that the framework does not have: the whole call is dropped.
            Call::Revive { .. } | Call::Suppress { .. } => {}
            Call::Kill { task_id, agent_id, grace_ms } => {
                records.cluster.counters.kill_task += 1;
                let Records { cluster, tasks, .. } = &mut *records;
                let call = KillCall { framework: id, task_id, agent_id, grace_ms };
                let left = kill::kill(tasks, cluster, cx, fleet, &call);
                drains::check(records, cx, fleet, left);
            }
            Call::Reconcile { tasks } => {
                records.cluster.counters.reconcile_tasks += 1;
                reconcile::reconcile(&mut records.tasks, &mut records.cluster, cx, id, &tasks);
            }
            Call::ReconcileOperations { operations } => {
                let asked = operations;
                operations::reconcile_operations(
                    &mut records.operations,
                    &mut records.cluster,
                    cx,
                    id,
                    &asked,
                );
            }
            Call::Teardown => subscription::remove_framework(records, cx, fleet, id),
        }
    }

    /// A framework has acknowledged a status: the task's next one is sent, or the task is removed when it was
    /// the last. Acknowledgements of anything else have no effect.
    pub fn acknowledge(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        task_id: &str,
        uuid: &[u8],
    ) {
        let acknowledged = Acknowledged { framework, agent_id, task_id, uuid };
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = acknowledge::acknowledge(tasks, cluster, cx, fleet, &acknowledged);
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// ACKNOWLEDGE_OPERATION_STATUS. Acknowledgements of anything else have no effect.
    pub fn acknowledge_operation(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        operation_id: &str,
        uuid: &[u8],
    ) {
        let Records { cluster, operations, .. } = &mut self.records;
        let left = operations::acknowledge_operation(
            operations,
            cluster,
            cx,
            framework,
            agent_id,
            operation_id,
            uuid,
        );
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// An executor is told to end with all its tasks. An agent that does not hear of it carries on.
    pub fn shut_down_executor(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        id: FrameworkId,
        agent_id: &str,
        executor: &str,
    ) {
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = kill::shut_down_executor(tasks, cluster, cx, fleet, id, agent_id, executor);
        drains::check(&mut self.records, cx, fleet, left);
    }

    /// What is known about a task of a framework, by its id.
    pub fn probe(&self, fleet: &Fleet, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        task_view::probe(&self.records.tasks, &self.records.cluster, fleet, framework, task_id)
    }

    /// Tasks of a framework that have ended, as far as the master remembers, oldest first.
    pub fn completed_tasks(&self, framework: FrameworkId) -> impl Iterator<Item = (&TaskInfo, TaskState)> {
        self.records.cluster.frameworks.completed_tasks(framework)
    }
}

/// The operator, and the user who plays the cluster.
impl Master {
    /// Sets the flag `offer_timeout`; for a master of an empty cluster. *Units*: milliseconds.
    pub fn set_offer_timeout(&mut self, timeout_ms: Option<u64>) {
        self.records.offers.timeout_ms = timeout_ms;
    }

    /// Carries out an operator's call about maintenance; reads change nothing.
    ///
    /// *Errors*: state is as it was before, except after [`Refused::NotRegistered`], which clears the agent's
    /// flags.
    pub fn maintain(&mut self, cx: &mut Cx, fleet: &mut Fleet, call: OperatorCall) -> Result<(), Refused> {
        effects::maintain(&mut self.records, cx, fleet, call)
    }

    /// The operator's schedule; empty when nothing is scheduled.
    pub fn schedule(&self) -> Schedule {
        self.records.maintenance.schedule()
    }

    /// The schedule as JSON; `{}` when nothing is scheduled.
    pub fn maintenance_schedule(&self) -> Value {
        maintenance_view::maintenance_schedule(&self.records.maintenance)
    }

    /// Machines that are not UP and what frameworks answered, as JSON. `epoch_ms` is the calendar time of
    /// genesis.
    pub fn maintenance_status(&self, epoch_ms: u64) -> Value {
        let Records { cluster, maintenance, .. } = &self.records;
        maintenance_view::maintenance_status(maintenance, &cluster.frameworks, epoch_ms)
    }

    /// The schedule as a front end shows it.
    pub fn window_views(&self) -> Vec<WindowView> {
        maintenance_view::window_views(&self.records.maintenance, &self.records.cluster.agents)
    }

    /// Carries out an operator's call.
    ///
    /// *Errors*: 400 for what is wrong with the call, 409 when there are too few resources.
    pub fn operate(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        call: &operator::OperatorCall,
    ) -> Result<Answer, Refusal> {
        let answer = operate::operate(&mut self.records, cx, fleet, call)?;
        self.run_requested(cx, fleet);
        Ok(answer)
    }

    /// Runs exactly one round over these machines, in this order (all machines in order of joining when none is
    /// named). Withheld offers are made, and where every framework has declined, filters do not count.
    /// Returns how many offers were made.
    ///
    /// *Errors*: an unknown machine.
    pub fn offer_round(&mut self, cx: &mut Cx, asked: &OfferRound) -> Result<u32, Refusal> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        round::offer_round(offers, maintenance, cluster, cx, asked)
    }

    /// Reports one status, as the user says. The process follows it.
    ///
    /// *Errors*: no such task, several such tasks, unknown words.
    pub fn task_status(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        said: &TaskStatusInput,
    ) -> Result<(), Refusal> {
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = manual::task_status(tasks, cluster, cx, fleet, said)?;
        drains::check(&mut self.records, cx, fleet, left);
        Ok(())
    }
}

/// Reads.
impl Master {
    /// Answers a question.
    ///
    /// *Errors*: an operator call that is no read.
    pub fn read(&self, calendar: Calendar, query: &MesosQuery) -> Result<Value, Refusal> {
        wire::reads::read(&self.records, calendar, query)
    }

    /// An event for a framework. `nth` distinguishes the status from others of the same task.
    pub fn event_json(
        &self,
        calendar: Calendar,
        framework: FrameworkId,
        event: &SchedulerEvent,
        nth: u64,
    ) -> Value {
        let Records { cluster, tasks, .. } = &self.records;
        wire::event::event_json(tasks, cluster, calendar, framework, event, nth)
    }

    /// SUBSCRIBED: the event that comes first to an operator, with the whole state.
    pub fn subscribed_event(&self, calendar: Calendar) -> Value {
        wire::operator_event::subscribed_event(&self.records, calendar)
    }

    /// An operator subscribes: events are kept from now on.
    pub fn listen(&mut self, epoch_ms: u64) {
        self.records.cluster.operators.events.listen(epoch_ms);
    }

    /// The events for operators from this number on, and the number of the next one; none when they are not kept any
    /// more.
    pub fn operator_events(&self, since: u64) -> Option<(Vec<TimedEvent>, u64)> {
        self.records.cluster.operators.events.since(since)
    }

    /// The number of the next event for operators; none when they are not kept.
    pub fn next_operator_event(&self) -> Option<u64> {
        self.records.cluster.operators.events.next_number()
    }

    /// Writes the canonical state.
    pub fn digest(&self, digest: &mut Digest) {
        check::digest(&self.records, digest);
    }

    /// Broken invariants, in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self, fleet: &Fleet) -> Vec<String> {
        check::check(&self.records, fleet)
    }

    /// Roughly how many bytes a copy takes. *Units*: bytes.
    pub fn weight(&self) -> u64 {
        weight::weight(&self.records)
    }

    /// Bytes that this master holds and `before` does not, by estimate. *Cost*: by the number of chunks.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        weight::beyond(&self.records, before.map(|before| &before.records))
    }
}
