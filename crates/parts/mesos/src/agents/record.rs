//! The master's record of an agent and of the executors on it.
//!
//! *Must not know*: the master, frameworks, offers.

use crate::{
    api::{AgentInfo, ExecutorInfo, FrameworkId, Resources},
    tasks::TaskNo,
};
use planarium_ground::MachineId;
use planarium_kernel::{Digestible, Map, SimTime, TimerId, Weight, cow::bytes_of};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::{EventBody, Text};
use std::{ops::Deref, sync::Arc};

/// The states of an agent in the master's records.
/// *Order*: digests contain the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentState {
    /// Registered; connected or not.
    Registered,
    /// Unreachable.
    Unreachable,
    /// Removed, or never admitted because its machine is DOWN.
    Removed,
    /// Marked gone by the operator; it may not come back.
    Gone,
    /// Known from the registry since the master failed over, and not back yet.
    Recovered,
}

/// Message about an agent that was marked gone.
pub(crate) const GONE: &str = "it was marked gone";

/// The ways in which an agent leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Removed permanently, and why: its tasks are LOST for every framework.
    Removed(RemovalReason),
    /// Marked gone: its tasks are GONE_BY_OPERATOR, or LOST for frameworks that are not PARTITION_AWARE.
    Gone,
    /// Unreachable: its tasks are UNREACHABLE, or LOST for frameworks that are not PARTITION_AWARE.
    Unreachable,
}

/// Why an agent is removed permanently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemovalReason {
    /// Its machine was removed.
    TakenOut,
    /// Its machine is DOWN.
    Down,
    /// Another one registered at its address.
    Replaced,
}

impl RemovalReason {
    /// The reason as a word of events.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::TakenOut => "taken-out",
            Self::Down => "down",
            Self::Replaced => "replaced",
        }
    }

    /// The reason in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::TakenOut => "the agent was taken out of the cluster",
            Self::Down => "its machine is DOWN for maintenance",
            Self::Replaced => "a new agent registered at the same address",
        }
    }
}

/// The event of an agent that was marked gone.
pub(crate) fn gone_event(hostname: &Text) -> EventBody {
    EventBody::AgentRemoved { agent: hostname.clone(), how: "gone".into(), reason: GONE.into() }
}

/// Port of an agent unless the input says otherwise.
pub(crate) const AGENT_PORT: u16 = 5051;

/// An executor on an agent.
#[derive(Clone, Debug)]
pub(crate) struct Executor {
    pub(crate) info: ExecutorInfo,
    pub(crate) role: Text,
    /// Its tasks that have not ended.
    pub(crate) tasks: SortedSet<TaskNo>,
}

/// Executors by framework and id, in chunks that copies of the agent share.
type Rows = Map<(FrameworkId, Text), Executor, 8>;

/// The executors on an agent. *Invariant*: the ids are those of the executors, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Executors {
    all: Rows,
    /// By framework, in the form that offers use: many more offers are made than executors come and go.
    ids: SortedMap<FrameworkId, Arc<[Text]>>,
}

impl Executors {
    /// The executors of a framework, by id.
    pub(crate) fn of(&self, framework: FrameworkId) -> Arc<[Text]> {
        self.ids.get(&framework).cloned().unwrap_or_default()
    }

    /// Returns whether these are the executors of a framework.
    pub(crate) fn is_all_of(&self, framework: FrameworkId, ids: &Arc<[Text]>) -> bool {
        match self.ids.get(&framework) {
            Some(mine) => Arc::ptr_eq(mine, ids),
            None => ids.is_empty(),
        }
    }

    /// An executor, to change.
    pub(crate) fn get_mut(&mut self, key: &(FrameworkId, Text)) -> Option<&mut Executor> {
        self.all.get_mut(key)
    }

    /// Adds an executor.
    pub(crate) fn insert(&mut self, key: (FrameworkId, Text), executor: Executor) {
        let framework = key.0;
        self.all.insert(key, executor);
        self.list(framework);
    }

    /// Removes an executor.
    pub(crate) fn remove(&mut self, key: &(FrameworkId, Text)) -> Option<Executor> {
        let gone = self.all.remove(key);
        self.list(key.0);
        gone
    }

    fn list(&mut self, framework: FrameworkId) {
        let own = self.all.keys().filter(|(of, _)| *of == framework);
        let ids: Vec<Text> = own.map(|(_, id)| id.clone()).collect();
        if ids.is_empty() {
            self.ids.remove(&framework);
        } else {
            self.ids.insert(framework, ids.into());
        }
    }
}

impl Deref for Executors {
    type Target = Rows;

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

/// Estimated bytes of an executor's list of tasks.
const LIST: u64 = 32;

impl Weight for Executors {
    /// Resources are shared with the records of tasks.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let ids = self.ids.iter().map(|(of, ids)| ids.beyond(before.and_then(|before| before.ids.get(of))));
        self.all.beyond_with(before.map(|before| &before.all), |_, _| LIST) + ids.sum::<u64>()
    }
}

/// An agent.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(hostname, state as u64, connected, ping_timer.is_some())]
#[weight(executors, own bytes_of::<u64>(self.tasks.len()))]
pub(crate) struct Agent {
    /// Its id on the wire.
    pub(crate) name: Text,
    pub(crate) machine: MachineId,
    /// Its description.
    pub(crate) info: Arc<AgentInfo>,
    pub(crate) state: AgentState,
    /// Its connection is open.
    pub(crate) connected: bool,
    /// When everything that it runs has ended, should it have to shut down; in the past if nothing had to end.
    pub(crate) shutdown_done: SimTime,
    /// It has not answered for too long, and waits for a permit to be marked unreachable.
    pub(crate) awaits_permit: bool,
    /// It was removed and has not received the order to shut down.
    pub(crate) missed_shutdown: bool,
    /// The timer that marks it unreachable, while it does not answer pings.
    pub(crate) ping_timer: Option<TimerId>,
    /// When its pings began.
    pub(crate) registered: SimTime,
    /// When it registered first, and when it last came back.
    pub(crate) joined: SimTime,
    pub(crate) returned: Option<SimTime>,
    pub(crate) unreachable_since: Option<SimTime>,
    /// The timer after which the registry forgets it, and whether it has.
    pub(crate) gc_timer: Option<TimerId>,
    pub(crate) collected: bool,
    /// Its total when it left the allocator; while it is registered the allocator has it.
    pub(crate) last_total: Resources,
    pub(crate) executors: Executors,
    /// Its tasks that have not ended, or whose end has not been acknowledged.
    pub(crate) tasks: SortedSet<TaskNo>,
    /// Its tasks that run on although the master has removed them from its records.
    pub(crate) untracked: Vec<TaskNo>,
}

impl Deref for Agent {
    type Target = AgentInfo;

    fn deref(&self) -> &AgentInfo {
        &self.info
    }
}

impl Agent {
    /// Returns whether a message that is sent to it now arrives.
    pub(crate) fn is_reachable(&self) -> bool {
        self.state == AgentState::Registered
            && self.connected
            && self.ping_timer.is_none()
            && !self.awaits_permit
    }

    /// Adds a task to its executor; an executor with its own resources is a new one.
    pub(crate) fn join_executor(
        &mut self,
        framework: FrameworkId,
        id: &Text,
        role: &Text,
        new: Option<Resources>,
        no: TaskNo,
    ) {
        let key = (framework, id.clone());
        if let Some(executor) = self.executors.get_mut(&key) {
            executor.tasks.insert(no);
            return;
        }
        let executor = Executor {
            info: ExecutorInfo { id: id.clone(), resources: new.unwrap_or_default() },
            role: role.clone(),
            tasks: SortedSet::from([no]),
        };
        self.executors.insert(key, executor);
    }

    /// Removes a task from its executor; returns the executor when that was its last task and it ends as well.
    pub(crate) fn leave_executor(
        &mut self,
        framework: FrameworkId,
        executor: Text,
        no: TaskNo,
    ) -> Option<Executor> {
        let key = (framework, executor);
        let executor = self.executors.get_mut(&key)?;
        executor.tasks.remove(&no);
        if executor.tasks.is_empty() { self.executors.remove(&key) } else { None }
    }

    /// Returns whether its resources may be offered, unless the operator has deactivated it.
    pub(crate) fn is_active(&self) -> bool {
        self.state == AgentState::Registered && self.connected
    }
}
