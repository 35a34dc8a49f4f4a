//! Agents and offers as frameworks see them.

use super::{framework::FrameworkId, resources::Resources};
use planarium_kernel::{Digestible, Weight, id_types};
use planarium_protocol::Text;
use std::{ops::Deref, sync::Arc};

id_types! {
    /// Number of an agent. Never reused; the agent of a rebooted machine gets a new one.
    pub AgentId;
    /// Number of an offer or an inverse offer. Never reused.
    pub OfferId;
}

/// The interval in which a machine is expected to be unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unavailability {
    /// Start. *Units*: nanoseconds since 1970.
    pub start_ns: i64,
    /// Duration; none means without end. *Units*: nanoseconds.
    pub duration_ns: Option<i64>,
}

/// An agent's description at registration. Its offers share it: there are many more offers than agents.
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

/// Resources of one agent, offered to a framework.
#[derive(Clone, Debug, PartialEq, Digestible, Weight)]
#[digest(id, framework, resources.to_string())]
#[weight(own self.resources.beyond(None))]
pub struct Offer {
    /// Its number.
    pub id: OfferId,
    /// Id of the master that makes it.
    pub master: Text,
    /// The framework it is made to.
    pub framework: FrameworkId,
    /// The agent whose resources these are.
    pub agent: AgentId,
    /// The agent's description.
    pub info: Arc<AgentInfo>,
    /// The role it is made to.
    pub role: Text,
    /// The offered resources; on the wire all of them are allocated to `role`.
    pub resources: Resources,
    /// The framework's executors on the agent.
    pub executor_ids: Arc<[Text]>,
    /// When the machine is expected to be unavailable, if at all.
    pub unavailability: Option<Unavailability>,
}

impl Offer {
    /// Its id on the wire, `...-O12`. *Cost*: builds a text; most offers never need one.
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
    /// Its number; offers and inverse offers are numbered together.
    pub id: OfferId,
    /// Its id on the wire, `...-O13`.
    pub name: Text,
    /// The framework that is asked.
    pub framework: FrameworkId,
    /// The agent that it is asked to leave.
    pub agent: AgentId,
    /// The agent's id on the wire.
    pub agent_id: Text,
    /// The agent's hostname.
    pub hostname: Text,
    /// The agent's address.
    pub ip: Text,
    /// The agent's port.
    pub port: u16,
    /// When the machine is expected to be unavailable.
    pub unavailability: Unavailability,
}

/// A framework's answer to an inverse offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Response {
    /// It will have left in time.
    Accept,
    /// It cannot leave in time.
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
