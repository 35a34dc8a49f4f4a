//! Agents drained, deactivated and marked gone by the operator. Independent of machine modes: addressed by agent id,
//! stops offers, and draining kills tasks.
//!
//! *Knows*: flags and progress per agent, and what must hold before each call. *Must not know*: tasks; the
//! master says whether any are left.
//! Source: `apache/mesos: src/master/http.cpp` (drainAgent, deactivateAgent, reactivateAgent, markAgentGone),
//! `src/master/master.cpp` (checkAndTransitionDrainingAgent), `src/slave/slave.cpp` (drain). Match.

use super::{Refused, quirk};
use crate::api::{AgentId, TaskState};
use planarium_kernel::SortedMap;
use planarium_kernel::{Digestible, SimTime};
use serde_json::{Map, Value};

/// The configuration of a drain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrainConfig {
    /// `max_grace_period`: longest grace period of a task. *Units*: nanoseconds.
    pub max_grace_ns: Option<i64>,
    /// `mark_gone`: mark the agent gone in the end.
    pub mark_gone: bool,
}

/// The states of a drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainState {
    /// Tasks are being killed.
    Draining,
    /// Nothing runs on the agent any more.
    Drained,
}

impl DrainState {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draining => "DRAINING",
            Self::Drained => "DRAINED",
        }
    }
}

/// An agent's draining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Digestible)]
#[digest(state.as_str(), config.max_grace_ns.unwrap_or(-1), config.mark_gone, since)]
pub struct DrainInfo {
    /// Its state.
    pub state: DrainState,
    /// Its configuration.
    pub config: DrainConfig,
    /// When it was started.
    pub since: SimTime,
}

impl DrainInfo {
    /// As JSON, as agents show it.
    pub fn to_json(&self) -> Value {
        let mut config = Map::new();
        if let Some(ns) = self.config.max_grace_ns {
            config.insert("max_grace_period".into(), super::window::nanoseconds(ns));
        }
        config.insert("mark_gone".into(), Value::from(self.config.mark_gone));
        let mut fields = Map::new();
        fields.insert("state".into(), Value::from(self.state.as_str()));
        fields.insert("config".into(), Value::Object(config));
        Value::Object(fields)
    }
}

/// The master's knowledge of an agent that an operator names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Registered.
    Registered {
        /// Set if its connection is open.
        connected: bool,
        /// Set if it has the capability AGENT_DRAINING.
        can_drain: bool,
        /// Set if its machine is in the schedule: [`super::MachineRegistry::is_scheduled`].
        scheduled: bool,
    },
    /// Recovered after a failover, not back yet.
    Recovered,
    /// Unreachable.
    Unreachable,
    /// Being removed or marked unreachable.
    InTransition,
    /// Being marked gone.
    BeingMarkedGone,
    /// Gone.
    Gone,
    /// Unknown, or removed.
    Unknown,
}

impl Standing {
    const fn is_admitted(self) -> bool {
        match self {
            Self::Registered { .. } | Self::Recovered | Self::Unreachable | Self::InTransition => true,
            Self::BeingMarkedGone | Self::Gone | Self::Unknown => false,
        }
    }
}

/// Effects of a call on draining, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainEffect {
    /// Rescind the agent's offers and inverse offers ([`super::InverseOffers::rescind_agent`]), and make no new ones.
    Deactivate(AgentId),
    /// Send the agent the order to drain: it kills all its tasks.
    Order(AgentId, DrainConfig),
    /// Check whether it is drained already: [`Drains::finish`].
    CheckDrained(AgentId),
    /// Offers may be made again, from the next batch run on.
    Reactivate(AgentId),
}

/// Consequences for an agent that has nothing left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainEnd {
    /// It is DRAINED.
    Drained,
    /// Mark the agent gone now.
    MarkGone,
}

/// The result of marking an agent gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkGone {
    /// It is already gone; nothing to do.
    Already,
    /// Mark it.
    Now,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(deactivated, info.is_some(), each info)]
struct Record {
    /// *Invariant*: only on deactivated agents.
    info: Option<DrainInfo>,
    deactivated: bool,
}

/// Draining and deactivation of all agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(all by_agent)]
pub struct Drains {
    by_agent: SortedMap<AgentId, Record>,
}

impl Drains {
    /// No agent is drained or deactivated.
    pub fn new() -> Self {
        Self::default()
    }

    /// DRAIN_AGENT. Draining again replaces the configuration and starts over; it cannot be cancelled.
    pub fn drain(
        &mut self,
        now: SimTime,
        agent: AgentId,
        config: DrainConfig,
        standing: Standing,
        permitted: bool,
    ) -> Result<Vec<DrainEffect>, Refused> {
        match standing {
            Standing::Registered { scheduled: true, .. } => return Err(Refused::AgentScheduled),
            Standing::Registered { can_drain: false, .. } => return Err(Refused::CannotDrain),
            _ if !permitted => return Err(Refused::Forbidden),
            Standing::BeingMarkedGone => return Err(Refused::BeingMarkedGone),
            _ if !standing.is_admitted() => return Err(Refused::UnknownAgent),
            _ => {}
        }
        let info = DrainInfo { state: DrainState::Draining, config, since: now };
        self.by_agent.insert(agent, Record { info: Some(info), deactivated: true });
        Ok(match standing {
            Standing::Registered { connected: true, .. } => vec![
                DrainEffect::Deactivate(agent),
                DrainEffect::Order(agent, config),
                DrainEffect::CheckDrained(agent),
            ],
            Standing::Registered { .. } => {
                vec![DrainEffect::Deactivate(agent), DrainEffect::CheckDrained(agent)]
            }
            _ => Vec::new(),
        })
    }

    /// DEACTIVATE_AGENT. Repeating it is allowed.
    pub fn deactivate(
        &mut self,
        agent: AgentId,
        standing: Standing,
        permitted: bool,
    ) -> Result<Vec<DrainEffect>, Refused> {
        if !permitted {
            return Err(Refused::Forbidden);
        }
        if !standing.is_admitted() {
            return Err(Refused::UnknownAgent);
        }
        self.by_agent.entry(agent).or_default().deactivated = true;
        let registered = matches!(standing, Standing::Registered { .. });
        Ok(if registered { vec![DrainEffect::Deactivate(agent)] } else { Vec::new() })
    }

    /// REACTIVATE_AGENT. When refused with [`Refused::NotRegistered`] it clears the flags all the same; it is the
    /// one refusal here that changes state.
    pub fn reactivate(
        &mut self,
        agent: AgentId,
        standing: Standing,
        permitted: bool,
    ) -> Result<Vec<DrainEffect>, Refused> {
        if !permitted {
            return Err(Refused::Forbidden);
        }
        if !self.is_deactivated(agent) {
            return Err(Refused::NotDeactivated);
        }
        if self.info(agent).is_some_and(|info| info.state == DrainState::Draining) {
            return Err(Refused::StillDraining);
        }
        self.by_agent.remove(&agent);
        match standing {
            Standing::Registered { .. } => Ok(vec![DrainEffect::Reactivate(agent)]),
            _ if quirk::REACTIVATE_WHILE_AWAY_IS_A_CONFLICT => Err(Refused::NotRegistered),
            _ => Ok(Vec::new()),
        }
    }

    /// Finishes the drain of an agent without tasks and operations; terminal tasks count until they are acknowledged.
    /// `None` if it is not draining. Call it after each acknowledgement, on return of the agent, and when an effect
    /// says so.
    pub fn finish(&mut self, agent: AgentId) -> Option<DrainEnd> {
        let info = self.by_agent.get_mut(&agent)?.info.as_mut()?;
        match (info.state, info.config.mark_gone) {
            (DrainState::Drained, _) => None,
            (DrainState::Draining, true) => Some(DrainEnd::MarkGone),
            (DrainState::Draining, false) => {
                info.state = DrainState::Drained;
                Some(DrainEnd::Drained)
            }
        }
    }

    /// The agent came back: the configuration to send it, if it has not finished.
    pub fn order_on_return(&self, agent: AgentId) -> Option<DrainConfig> {
        self.info(agent).filter(|info| info.state == DrainState::Draining).map(|info| info.config)
    }

    /// Clears the flags of an agent that was removed or marked gone. Unreachable agents keep them.
    pub fn forget(&mut self, agent: AgentId) {
        self.by_agent.remove(&agent);
    }

    /// Returns whether the agent must not be offered.
    pub fn is_deactivated(&self, agent: AgentId) -> bool {
        self.by_agent.get(&agent).is_some_and(|record| record.deactivated)
    }

    /// The agent's draining.
    pub fn info(&self, agent: AgentId) -> Option<&DrainInfo> {
        self.by_agent.get(&agent)?.info.as_ref()
    }

    /// Broken invariants, in words.
    pub fn check(&self) -> Vec<String> {
        let odd = self.by_agent.iter().filter(|(_, record)| record.info.is_some() && !record.deactivated);
        odd.map(|(agent, _)| format!("agent {} drains and is not deactivated", agent.0)).collect()
    }
}

/// MARK_AGENT_GONE.
pub fn may_mark_gone(standing: Standing, permitted: bool) -> Result<MarkGone, Refused> {
    match standing {
        Standing::Gone => Ok(MarkGone::Already),
        Standing::InTransition | Standing::BeingMarkedGone => Err(Refused::InTransition),
        Standing::Unknown => Err(Refused::NoSuchAgent),
        _ if !permitted => Err(Refused::Forbidden),
        Standing::Registered { .. } | Standing::Recovered | Standing::Unreachable => Ok(MarkGone::Now),
    }
}

/// Returns the grace period of a task killed by draining; `None` means the executor's own. *Units*: milliseconds. The
/// operator's limit applies to tasks that ask for more and to those that ask for none.
pub fn grace_while_draining(config: DrainConfig, own_ms: Option<u64>) -> Option<u64> {
    let Some(max_ns) = config.max_grace_ns else { return own_ms };
    let max_ms = u64::try_from(max_ns / 1_000_000).unwrap_or(0);
    Some(own_ms.map_or(max_ms, |own_ms| own_ms.min(max_ms)))
}

/// Returns the state reported to a framework for a task on a draining agent. Tasks that end on their own keep their
/// state.
pub fn state_while_draining(config: DrainConfig, state: TaskState, partition_aware: bool) -> TaskState {
    let rewritten = match state {
        TaskState::Killed => true,
        TaskState::Killing => quirk::KILLING_IS_TOLD_AS_GONE,
        _ => false,
    };
    if config.mark_gone && partition_aware && rewritten { TaskState::GoneByOperator } else { state }
}
