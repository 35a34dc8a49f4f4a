//! The master: its state, its timers, its outbox.
//!
//! *Knows*: who is registered, what is offered, what runs where. The rules are in the modules beside this one.

use crate::{
    adrift::Adrift,
    agent::Agent,
    allocator::{Allocator, Rules, filter::ALLOCATION_INTERVAL_MS, filter::BatchId},
    api::{AgentId, FrameworkId, Message, OfferId, SchedulerEvent},
    counters::Counters,
    framework::Framework,
    hosts::Hosts,
    maintain::Asking,
    maintenance::{Drains, InverseFilterId, InverseOffers, MachineKey, MachineRegistry},
    operations::Operations,
    outstanding::Outstanding,
    removal_limit::Limit,
    task::{Task, TaskNo},
    task_ids::TaskIds,
};
use planarium_fleet::{Cx, Fleet, MachineId, ProcessId};
use planarium_kernel::{Cause, Class, EventQueue, Map, SimTime, TimerId, draw, id::Counter};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use std::{collections::VecDeque, sync::Arc};

/// What a timer means.
#[derive(Clone, Debug)]
pub(crate) enum Timer {
    /// The next batch run of the allocator.
    Batch,
    /// The time of the filters that one refusal made is over.
    Filters(BatchId),
    /// So many pings went unanswered that the agent is given up.
    Unreachable(AgentId),
    /// A status that got lost, or was not acknowledged, is sent again.
    Retry(TaskNo),
    /// The same for what came of an operation.
    RetryOperation(u32),
    /// The next agent may be given up.
    Permit,
    /// A task has run for as long as it may.
    Completion(TaskNo),
    /// An agent has been unreachable or gone for long.
    Forget(AgentId),
    /// An agent registers again after the master failed over.
    Reregister(AgentId),
    /// A process that was told to end is ended by force.
    Destroy(ProcessId),
    /// A framework was away too long.
    Failover(FrameworkId),
    /// A framework may be asked again to leave an agent.
    InverseFilter(AgentId, FrameworkId, InverseFilterId),
    /// An agent that was told to shut down, or turned away, is started again.
    Register(MachineId),
    /// Nobody has answered an offer or inverse offer.
    OfferTimeout(OfferId),
}

#[derive(Clone, Debug)]
struct Armed {
    cause: Cause,
    timer: Timer,
}

/// The leading master with everything it knows.
#[derive(Clone, Debug)]
pub struct Master {
    pub(crate) seed: u64,
    /// Prefix of every id on the wire.
    pub(crate) uuid: Text,
    pub(crate) allocator: Allocator,
    pub(crate) hosts: Hosts,
    pub(crate) agents: Vec<Arc<Agent>>,
    pub(crate) frameworks: Vec<Arc<Framework>>,
    pub(crate) offers: Outstanding,
    pub(crate) next_offer: Counter,
    pub(crate) limit: Limit,
    /// The flag `offer_timeout`. *Units*: milliseconds.
    pub(crate) offer_timeout_ms: Option<u64>,
    /// Live and unreachable tasks.
    pub(crate) tasks: Map<TaskNo, Arc<Task>>,
    /// Tasks that run on unknown to the master.
    pub(crate) adrift: Map<TaskNo, Adrift>,
    /// Processes that were told to end, and of which nothing is to be heard any more.
    pub(crate) ending: SortedSet<ProcessId>,
    /// Frameworks that have lost their master just now.
    pub(crate) orphans: Vec<FrameworkId>,
    pub(crate) next_task: Counter,
    pub(crate) next_group: Counter,
    /// Numbers of statuses that have to be acknowledged.
    pub(crate) next_status: Counter,
    pub(crate) operations: Operations,
    pub(crate) task_ids: TaskIds,
    pub(crate) by_process: Map<ProcessId, TaskNo>,
    /// The region of the master itself: that of the first agent that has one.
    pub(crate) region: Option<Text>,
    /// Event runs asked for while a call is handled.
    pub(crate) requested: Requested,
    pub(crate) counters: Counters,
    /// Modes of machines, the operator's schedule, which agent is on which machine.
    pub(crate) machines: Arc<MachineRegistry>,
    /// Machines by the name the operator calls them by.
    pub(crate) by_name: Arc<SortedMap<MachineKey, Vec<MachineId>>>,
    pub(crate) inverse: Arc<InverseOffers>,
    pub(crate) asking: Asking,
    pub(crate) drains: Arc<Drains>,
    timers: EventQueue<Armed>,
    /// The next batch run.
    batch: Option<(TimerId, SimTime)>,
    outbox: VecDeque<Message>,
}

/// Over which agents an event run was asked for.
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
            offers: Outstanding::default(),
            next_offer: Counter::new(),
            limit: Limit::default(),
            offer_timeout_ms: None,
            tasks: Map::new(),
            adrift: Map::new(),
            ending: SortedSet::default(),
            orphans: Vec::new(),
            next_task: Counter::new(),
            next_group: Counter::new(),
            next_status: Counter::new(),
            operations: Operations::default(),
            task_ids: TaskIds::new(),
            by_process: Map::new(),
            region: None,
            requested: Requested::Nothing,
            counters: Counters::default(),
            machines: Arc::default(),
            by_name: Arc::default(),
            inverse: Arc::default(),
            asking: Asking::default(),
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

    /// How many timers are pending that would change something.
    pub fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Whether the next batch run has something to look at.
    pub fn restless(&self) -> bool {
        let waits = self.allocator.has_work() || !self.asking.is_empty();
        waits && self.frameworks.iter().any(|framework| framework.wants_offers())
    }

    /// Roughly how many bytes a copy takes. *Units*: bytes.
    pub fn weight(&self) -> u64 {
        1024 * self.agents.len() as u64
            + 512 * self.tasks.len() as u64
            + 256 * self.offers.len() as u64
            + 64 * self.timers.len() as u64
    }

    /// Takes the messages to frameworks, oldest first.
    pub fn drain_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.outbox).into()
    }

    /// How many messages to frameworks there are.
    pub fn waiting_messages(&self) -> usize {
        self.outbox.len()
    }

    /// Takes the oldest message to a framework.
    pub fn next_message(&mut self) -> Option<Message> {
        self.outbox.pop_front()
    }

    /// Passes over the batch runs up to `until` that would find nothing to do, as long as no other timer is
    /// due; answers the last of them and how many they were. The world is as if each had run.
    ///
    /// *Invariant*: the next batch run keeps its place among timers of its instant: behind all that were
    /// armed before the last one passed over.
    pub fn pass_quiet_batches(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        if self.allocator.has_work() || !self.asking.is_empty() || self.requested != Requested::Nothing {
            return None;
        }
        let (batch, first) = self.batch.filter(|(_, at)| self.timers.next_due() == Some(*at))?;
        let others = self.timers.next_due_after_first();
        let end = others.map_or(until, |other| until.min(SimTime(other.ms().saturating_sub(1))));
        let count = (end.ms().checked_sub(first.ms())? / ALLOCATION_INTERVAL_MS).saturating_add(1);
        let last = first.saturating_add((count - 1).saturating_mul(ALLOCATION_INTERVAL_MS));
        self.timers.cancel(batch);
        self.arm_batch(last);
        self.counters.allocation_runs += count;
        Some((last, count))
    }

    /// Arms the batch run after the one at `last`.
    fn arm_batch(&mut self, last: SimTime) {
        let at = last.saturating_add(ALLOCATION_INTERVAL_MS);
        self.batch = Some((self.arm(at, Class::Periodic, Cause::Genesis, Timer::Batch), at));
    }

    /// Handles exactly one due timer.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        let Some((_, _, armed)) = self.timers.pop_due(cx.now()) else { return };
        cx.set_cause(armed.cause);
        match armed.timer {
            Timer::Batch => {
                self.round(cx, fleet, None);
                self.arm_batch(cx.now());
            }
            Timer::Filters(filters) => self.allocator.expire(filters, armed.cause),
            Timer::Unreachable(agent) => self.give_up(cx, fleet, agent),
            Timer::Retry(task) => self.retry_status(cx, fleet, task),
            Timer::RetryOperation(number) => self.retry_operation(cx, number),
            Timer::Permit => self.permit(cx, fleet),
            Timer::Completion(task) => self.expire_task(cx, fleet, task),
            Timer::Forget(agent) => self.forget_agent(cx, agent),
            Timer::Reregister(agent) => self.return_recovered(cx, fleet, agent),
            Timer::Destroy(pid) => self.end_by_force(fleet, pid),
            Timer::Failover(framework) => self.remove_framework(cx, fleet, framework),
            Timer::InverseFilter(agent, framework, filter) => {
                self.expire_inverse(agent, framework, filter, armed.cause);
            }
            Timer::Register(machine) => self.register_again(cx, fleet, machine),
            Timer::OfferTimeout(offer) => self.offer_timed_out(cx, offer),
        }
        self.run_requested(cx, fleet);
    }

    /// Asks for an event run over an agent.
    pub(crate) fn request_run(&mut self, agent: AgentId) {
        match &mut self.requested {
            Requested::Nothing => self.requested = Requested::Some(vec![agent]),
            Requested::Some(agents) => agents.push(agent),
            Requested::All => {}
        }
    }

    /// Does the event runs asked for, as one.
    pub(crate) fn run_requested(&mut self, cx: &mut Cx, fleet: &Fleet) {
        let only = match std::mem::take(&mut self.requested) {
            Requested::Nothing => return,
            Requested::Some(agents) => Some(agents),
            Requested::All => None,
        };
        self.round(cx, fleet, only.as_deref());
    }

    /// One allocation run over the changed agents among these.
    fn round(&mut self, cx: &mut Cx, fleet: &Fleet, only: Option<&[AgentId]>) {
        self.counters.allocation_runs += 1;
        let grants = {
            let (frameworks, agents) = (&self.frameworks, &self.agents);
            let withheld = |framework: FrameworkId, agent: AgentId| {
                let pair = frameworks.get(framework.index()).zip(agents.get(agent.index()));
                pair.is_some_and(|(f, a)| fleet.offers_withheld(&f.info.name, &a.hostname, &a.name))
            };
            let rules = Rules { withheld: fleet.withholds_offers().then_some(&withheld), unfiltered: false };
            self.allocator.run(self.seed, cx.now().ms(), only, rules)
        };
        self.offer(cx, grants);
        self.ask(cx, only);
    }

    /// Puts a message into the outbox, if the framework is there to hear it.
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
