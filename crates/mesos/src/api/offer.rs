//! Agents and offers as frameworks see them.

use super::{framework::FrameworkId, resources::Resources};
use planarium_kernel::id_types;
use planarium_protocol::Text;
use std::{ops::Deref, sync::Arc};

id_types! {
    /// An agent. Never reused; a rebooted machine's agent gets a new one.
    pub AgentId;
    /// An offer or an inverse offer. Never reused.
    pub OfferId;
}

/// When a machine is expected away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unavailability {
    /// Begin. *Units*: nanoseconds since 1970.
    pub start_ns: i64,
    /// Length; none is unbounded. *Units*: nanoseconds.
    pub duration_ns: Option<i64>,
}

/// What an agent says of itself when it registers. Its offers share it: many more are made than agents there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentInfo {
    /// The agent's id on the wire, `...-S0`.
    pub agent_id: Text,
    /// The agent's hostname.
    pub hostname: Text,
    /// The agent's address.
    pub ip: Text,
    /// The agent's port.
    pub port: u16,
    /// The agent's attributes.
    pub attributes: Vec<(Text, Text)>,
    /// Fault domain region.
    pub region: Option<Text>,
    /// Fault domain zone.
    pub zone: Option<Text>,
}

/// One agent's resources held out to a framework.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Which.
    pub id: OfferId,
    /// The id of the master that makes it.
    pub master: Text,
    /// To whom.
    pub framework: FrameworkId,
    /// By which agent.
    pub agent: AgentId,
    /// What the agent says of itself.
    pub info: Arc<AgentInfo>,
    /// The role it is made to.
    pub role: Text,
    /// What is offered; on the wire all of it is allocated to `role`.
    pub resources: Resources,
    /// The framework's executors on the agent.
    pub executor_ids: Arc<[Text]>,
    /// When the machine is expected away, if it is.
    pub unavailability: Option<Unavailability>,
}

impl Offer {
    /// Its id on the wire, `...-O12`. *Cost*: a text is made of it; most offers come and go without.
    pub fn name(&self) -> String {
        format!("{}-O{}", self.master, self.id.0)
    }
}

impl Deref for Offer {
    type Target = AgentInfo;

    fn deref(&self) -> &AgentInfo {
        &self.info
    }
}

/// A request to a framework to give back everything it has on one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InverseOffer {
    /// Which; from the same numbers as offers.
    pub id: OfferId,
    /// Its id on the wire, `...-O13`.
    pub name: Text,
    /// To whom.
    pub framework: FrameworkId,
    /// For which agent.
    pub agent: AgentId,
    /// The agent's id on the wire.
    pub agent_id: Text,
    /// The agent's hostname.
    pub hostname: Text,
    /// The agent's address.
    pub ip: Text,
    /// The agent's port.
    pub port: u16,
    /// When its machine is expected away.
    pub unavailability: Unavailability,
}

/// What a framework says to an inverse offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Response {
    /// It means to be away in time.
    Accept,
    /// It cannot.
    Decline,
}

impl Response {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPT",
            Self::Decline => "DECLINE",
        }
    }
}
