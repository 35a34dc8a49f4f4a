//! The master: it owns all records, and passes on what happens.
//!
//! Timers that are due, reports of the fleet and calls of frameworks come in here and go to the folder that has the
//! rule: `agents`, `tasks`, `frameworks`, `offers`, `maintenance`, `operator`. Each of these keeps its records (plain
//! data) below its rules; the rules are methods of [`Master`].

use crate::{
    agents::{Agent, Hosts, RemovalLimit},
    allocator::{Allocator, filter::FilterGroupId},
    api::{AgentId, Call, FrameworkId, Message, OfferId, SchedulerEvent},
    counters::Counters,
    frameworks::Framework,
    maintenance::{Drains, InverseCandidates, InverseFilterId, InverseOffers, MachineKey, MachineRegistry},
    offers::{Operations, OutstandingOffers},
    operator::OperatorEvents,
    tasks::{Task, TaskIds, TaskNo, UntrackedTask},
};
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, MachineId, ProcessId};
use planarium_kernel::{
    Cause, Class, EventQueue, IdMap, Map, SimTime, SortedMap, SortedSet, TimerId, draw, id::Counter,
};
use planarium_protocol::{EventBody, Text};
use std::{collections::VecDeque, sync::Arc};

/// What a timer means.
#[derive(Clone, Debug)]
pub(crate) enum Timer {
    /// The next batch run of the allocator.
    Batch,
    /// The filters made by one refusal expire.
    Filters(FilterGroupId),
    /// An agent has left too many pings unanswered.
    Unreachable(AgentId),
    /// A status that got lost, or was not acknowledged, is sent again.
    Retry(TaskNo),
    /// The same for the status of an operation.
    RetryOperation(u32),
    /// A permit to mark an agent unreachable is available.
    Permit,
    /// A task has reached its `max_completion_time`.
    Completion(TaskNo),
    /// The registry forgets an agent that has been unreachable or gone for long.
    RegistryGc(AgentId),
    /// An agent registers again after the master failed over.
    Reregister(AgentId),
    /// A process that was told to end is ended by force.
    Destroy(ProcessId),
    /// A framework has exceeded its failover timeout.
    Failover(FrameworkId),
    /// A filter against inverse offers expires.
    InverseFilter(AgentId, FrameworkId, InverseFilterId),
    /// An agent that was told to shut down, or was refused, is started again.
    Register(MachineId),
    /// `offer_timeout` of an offer or inverse offer.
    OfferTimeout(OfferId),
}

#[derive(Clone, Debug)]
pub(crate) struct Armed {
    cause: Cause,
    timer: Timer,
}

/// The leading master with all its records.
#[derive(Clone, Debug)]
pub struct Master {
    pub(crate) seed: u64,
    /// Prefix of every id on the wire.
    pub(crate) uuid: Text,
    pub(crate) allocator: Allocator,
    pub(crate) hosts: Hosts,
    pub(crate) agents: Vec<Arc<Agent>>,
    pub(crate) frameworks: Vec<Arc<Framework>>,
    pub(crate) offers: OutstandingOffers,
    pub(crate) next_offer: Counter,
    pub(crate) removal_limit: RemovalLimit,
    /// The flag `offer_timeout`. *Units*: milliseconds.
    pub(crate) offer_timeout_ms: Option<u64>,
    /// Live and unreachable tasks.
    pub(crate) tasks: IdMap<TaskNo, Arc<Task>>,
    /// Tasks that run on although they were removed from the records.
    pub(crate) untracked: Map<TaskNo, UntrackedTask>,
    /// Processes that were told to end, whose reports are ignored.
    pub(crate) shutting_down: SortedSet<ProcessId>,
    /// Frameworks that have just lost their master.
    pub(crate) masterless: Vec<FrameworkId>,
    pub(crate) next_task: Counter,
    pub(crate) next_group: Counter,
    /// Numbers for statuses that have to be acknowledged.
    pub(crate) next_status: Counter,
    pub(crate) operations: Operations,
    pub(crate) task_ids: TaskIds,
    pub(crate) by_process: IdMap<ProcessId, TaskNo>,
    /// The region of the master itself: that of the first agent that has one.
    pub(crate) region: Option<Text>,
    /// Event runs of the allocator requested while a call is handled.
    pub(crate) requested: Requested,
    pub(crate) counters: Counters,
    /// Events for subscribed operators.
    pub(crate) operator_events: OperatorEvents,
    /// The logging level that an operator has set, and until when; nothing is logged here.
    pub(crate) logging: Option<(u32, SimTime)>,
    /// Modes of machines, the operator's schedule, which agent is on which machine.
    pub(crate) machines: Arc<MachineRegistry>,
    /// Machines by the name that the schedule has for them.
    pub(crate) by_name: Arc<SortedMap<MachineKey, Vec<MachineId>>>,
    pub(crate) inverse: Arc<InverseOffers>,
    pub(crate) inverse_candidates: InverseCandidates,
    pub(crate) drains: Arc<Drains>,
    pub(crate) timers: EventQueue<Armed>,
    /// The next batch run.
    pub(crate) batch: Option<(TimerId, SimTime)>,
    outbox: VecDeque<Message>,
}

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

impl Master {
    /// A master of an empty cluster. Its first batch run comes one interval after genesis.
    pub fn new(seed: u64) -> Self {
        let mut master = Self {
            seed,
            uuid: draw::uuid(seed, draw::entity("mesos master"), 0x0A00, 0).into(),
            allocator: Allocator::default(),
            hosts: Hosts::default(),
            agents: Vec::new(),
            frameworks: Vec::new(),
            offers: OutstandingOffers::default(),
            next_offer: Counter::new(),
            removal_limit: RemovalLimit::default(),
            offer_timeout_ms: None,
            tasks: IdMap::new(),
            untracked: Map::new(),
            shutting_down: SortedSet::default(),
            masterless: Vec::new(),
            next_task: Counter::new(),
            next_group: Counter::new(),
            next_status: Counter::new(),
            operations: Operations::default(),
            task_ids: TaskIds::new(),
            by_process: IdMap::new(),
            region: None,
            requested: Requested::Nothing,
            counters: Counters::default(),
            operator_events: OperatorEvents::default(),
            logging: None,
            machines: Arc::default(),
            by_name: Arc::default(),
            inverse: Arc::default(),
            inverse_candidates: InverseCandidates::default(),
            drains: Arc::default(),
            timers: EventQueue::new(),
            batch: None,
            outbox: VecDeque::new(),
        };
        master.arm_batch(SimTime::ZERO);
        master
    }

    /// The region of the master itself.
    pub fn region(&self) -> Option<&Text> {
        self.region.as_ref()
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// How many pending timers would change something.
    pub fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Whether the next batch run has something to look at.
    pub fn restless(&self) -> bool {
        let waits = self.allocator.has_work() || !self.inverse_candidates.is_empty();
        waits && self.frameworks.iter().any(|framework| framework.wants_offers())
    }

    /// Roughly how many bytes a copy takes. *Units*: bytes.
    pub fn weight(&self) -> u64 {
        1024 * self.agents.len() as u64
            + 512 * self.tasks.len() as u64
            + 256 * self.offers.len() as u64
            + 64 * self.timers.len() as u64
    }

    /// How many messages to frameworks wait in the outbox.
    pub fn waiting_messages(&self) -> usize {
        self.outbox.len()
    }

    /// Takes the oldest message out of the outbox.
    pub fn next_message(&mut self) -> Option<Message> {
        self.outbox.pop_front()
    }

    /// Handles exactly one due timer.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        let Some((_, _, armed)) = self.timers.pop_due(cx.now()) else { return };
        cx.set_cause(armed.cause);
        match armed.timer {
            Timer::Batch => {
                self.run(cx, fleet, None);
                self.arm_batch(cx.now());
            }
            Timer::Filters(filters) => self.allocator.expire(filters, armed.cause),
            Timer::Unreachable(agent) => self.ping_timed_out(cx, fleet, agent),
            Timer::Retry(task) => self.retry_status(cx, fleet, task),
            Timer::RetryOperation(number) => self.retry_operation(cx, number),
            Timer::Permit => self.permit(cx, fleet),
            Timer::Completion(task) => self.expire_task(cx, fleet, task),
            Timer::RegistryGc(agent) => self.gc_agent(cx, agent),
            Timer::Reregister(agent) => self.reregister_recovered(cx, fleet, agent),
            Timer::Destroy(pid) => self.destroy_process(fleet, pid),
            Timer::Failover(framework) => self.remove_framework(cx, fleet, framework),
            Timer::InverseFilter(agent, framework, filter) => {
                self.expire_inverse_filter(agent, framework, filter, armed.cause);
            }
            Timer::Register(machine) => self.register_again(cx, fleet, machine),
            Timer::OfferTimeout(offer) => self.offer_timed_out(cx, offer),
        }
        self.run_requested(cx, fleet);
    }

    /// Takes in a report of the fleet, under the report's own cause.
    pub fn on_fleet(&mut self, cx: &mut Cx, fleet: &mut Fleet, event: FleetEvent) {
        cx.scoped(event.cause, |cx| {
            match event.kind {
                FleetEventKind::MachineLost { machine, how } => self.machine_lost(cx, fleet, machine, how),
                FleetEventKind::MachineReturned { machine, how } => {
                    self.machine_returned(cx, fleet, machine, how);
                }
                FleetEventKind::OffersChanged => {
                    self.rescind_withheld(cx, fleet);
                    self.allocator.touch_all(cx.cause());
                }
                FleetEventKind::MasterFailover => self.fail_over(cx, fleet),
                FleetEventKind::HoldingsChanged { machine, by } if by != crate::OWNER => {
                    self.others_changed(cx, fleet, machine);
                }
                FleetEventKind::SchedulerRestart { .. }
                | FleetEventKind::Watched { .. }
                | FleetEventKind::HoldingsChanged { .. } => {}
                FleetEventKind::Started { .. }
                | FleetEventKind::Running { .. }
                | FleetEventKind::Check { .. }
                | FleetEventKind::Health { .. }
                | FleetEventKind::Exited { .. }
                | FleetEventKind::Killed { .. } => self.on_process(cx, fleet, event.kind),
            }
            self.run_requested(cx, fleet);
        });
    }

    /// Handles a call of a framework. Calls of frameworks that are not connected are ignored.
    pub fn call(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId, call: Call) {
        let Some(framework) = self.framework(id).filter(|framework| framework.is_connected()) else { return };
        let info = framework.info.clone();
        let all_known = |roles: &[Text]| roles.iter().all(|role| info.roles.contains(role));
        match call {
            Call::Accept { offer_ids, operations, refuse_ms } => {
                self.accept(cx, fleet, id, &offer_ids, operations, refuse_ms);
            }
            Call::Decline { offer_ids, refuse_ms } => {
                self.counters.decline_offers += 1;
                self.decline(cx, id, &offer_ids, refuse_ms);
            }
            Call::AnswerInverseOffers { offer_ids, response, refuse_ms } => {
                self.answer_inverse_offers(cx, id, &offer_ids, response, refuse_ms);
            }
            Call::Revive { roles } if all_known(&roles) => {
                self.counters.revive_offers += 1;
                cx.following(EventBody::Revived { framework: info.name.clone() }, |cx| {
                    self.allocator.revive(id, &roles, cx.cause());
                    self.clear_inverse_filters(cx, id);
                    self.requested = Requested::All;
                    self.run_requested(cx, fleet);
                });
            }
            Call::Suppress { roles } if all_known(&roles) => {
                self.counters.suppress_offers += 1;
                if !self.allocator.is_suppressed(id) {
                    cx.emit(EventBody::Suppressed { framework: info.name.clone() });
                }
                self.allocator.suppress(id, &roles);
            }
            // A role that the framework does not have: the whole call is dropped.
            Call::Revive { .. } | Call::Suppress { .. } => {}
            Call::Kill { task_id, agent_id, grace_ms } => {
                self.counters.kill_task += 1;
                self.kill(cx, fleet, id, &task_id, agent_id.as_ref(), grace_ms);
            }
            Call::Reconcile { tasks } => {
                self.counters.reconcile_tasks += 1;
                self.reconcile(cx, id, &tasks);
            }
            Call::ReconcileOperations { operations } => self.reconcile_operations(cx, id, &operations),
            Call::Teardown => self.remove_framework(cx, fleet, id),
        }
    }

    /// Puts a message into the outbox, if the framework is connected.
    pub(crate) fn send(&mut self, cx: &Cx, framework: FrameworkId, event: SchedulerEvent) {
        if self.framework(framework).is_some_and(Framework::is_connected) {
            self.outbox.push_back(Message { framework, cause: cx.cause(), event });
        }
    }

    pub(crate) fn arm(&mut self, at: SimTime, class: Class, cause: Cause, timer: Timer) -> TimerId {
        self.timers.push(at, class, Armed { cause, timer })
    }

    pub(crate) fn disarm(&mut self, timer: Option<TimerId>) {
        if let Some(timer) = timer {
            self.timers.cancel(timer);
        }
    }

    pub(crate) fn timer_bytes(&self) -> u64 {
        self.timers.bytes()
    }

    pub(crate) fn timer_count(&self) -> usize {
        self.timers.len()
    }

    pub(crate) fn agent(&self, id: AgentId) -> Option<&Agent> {
        self.agents.get(id.index()).map(|agent| &**agent)
    }

    pub(crate) fn agent_mut(&mut self, id: AgentId) -> Option<&mut Agent> {
        self.agents.get_mut(id.index()).map(Arc::make_mut)
    }

    pub(crate) fn framework(&self, id: FrameworkId) -> Option<&Framework> {
        self.frameworks.get(id.index()).map(|framework| &**framework)
    }

    pub(crate) fn framework_mut(&mut self, id: FrameworkId) -> Option<&mut Framework> {
        self.frameworks.get_mut(id.index()).map(Arc::make_mut)
    }

    pub(crate) fn task(&self, no: TaskNo) -> Option<&Task> {
        self.tasks.get(&no).map(|task| &**task)
    }

    pub(crate) fn task_mut(&mut self, no: TaskNo) -> Option<&mut Task> {
        self.tasks.get_mut(&no).map(Arc::make_mut)
    }

    pub(crate) fn framework_name(&self, id: FrameworkId) -> Text {
        self.framework(id).map(|framework| framework.info.name.clone()).unwrap_or_default()
    }

    pub(crate) fn hostname(&self, id: AgentId) -> Text {
        self.agent(id).map(|agent| agent.hostname.clone()).unwrap_or_default()
    }

    /// Ids of all frameworks that are registered, connected or not.
    pub(crate) fn registered_frameworks(&self) -> Vec<FrameworkId> {
        let rows = self.frameworks.iter().enumerate();
        rows.filter(|(_, framework)| framework.is_registered()).map(|(row, _)| FrameworkId::at(row)).collect()
    }
}
