//! The changes that an operator can ask for, as plain data.

use crate::{allocator::quota::Quota, api::Resource};
use planarium_kernel::{Milli, SortedMap};
use planarium_protocol::{Refusal, Text, refusal::RefusalCode};

/// A change that an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCall {
    /// Change what resources of an agent are.
    Convert(Convert),
    /// Make a volume larger.
    Grow {
        /// The agent's id on the wire.
        agent_id: Text,
        /// The volume as it is.
        volume: Resource,
        /// Disk of the same kind that it takes up.
        addition: Resource,
    },
    /// Make a volume smaller.
    Shrink {
        /// The agent's id on the wire.
        agent_id: Text,
        /// The volume as it is.
        volume: Resource,
        /// By how much.
        by: Milli,
    },
    /// Log more, or less, for a while.
    SetLoggingLevel {
        /// The level; 0 is the one that the master starts with.
        level: u32,
        /// For how long. *Units*: milliseconds.
        for_ms: u64,
    },
    /// Set weights of roles.
    UpdateWeights(Vec<(Text, Milli)>),
    /// Give a role a quota that has none: what it is guaranteed, which is its limit too.
    SetQuota {
        /// The role and its guarantees.
        quota: QuotaConfig,
        /// Even if the cluster has less.
        force: bool,
    },
    /// Give roles other quotas, all or none of them.
    UpdateQuota {
        /// The roles with what they are to have from now on.
        configs: Vec<QuotaConfig>,
        /// Even if the cluster has less, or a role uses more.
        force: bool,
    },
    /// Take a role's quota away.
    RemoveQuota(Text),
    /// Remove a framework.
    Teardown {
        /// Its id on the wire.
        framework_id: Text,
    },
}

/// Resources of an agent that are to become others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convert {
    /// How.
    pub kind: Conversion,
    /// The agent's id on the wire.
    pub agent_id: Text,
    /// As they are to be (reserve, create) or are (unreserve, destroy).
    pub resources: Vec<Resource>,
    /// As they are, when they are reserved already (reserve).
    pub source: Vec<Resource>,
}

/// Ways to change resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Reserve.
    Reserve,
    /// Give the topmost reservation up.
    Unreserve,
    /// Make persistent volumes.
    Create,
    /// Destroy persistent volumes.
    Destroy,
}

impl Conversion {
    /// The last part of the v0 path.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        Some(match path {
            "reserve" => Self::Reserve,
            "unreserve" => Self::Unreserve,
            "create-volumes" => Self::Create,
            "destroy-volumes" => Self::Destroy,
            _ => return None,
        })
    }

    /// The type of the v1 call.
    pub(super) fn of_type(kind: &str) -> Option<Self> {
        Some(match kind {
            "RESERVE_RESOURCES" => Self::Reserve,
            "UNRESERVE_RESOURCES" => Self::Unreserve,
            "CREATE_VOLUMES" => Self::Create,
            "DESTROY_VOLUMES" => Self::Destroy,
            _ => return None,
        })
    }

    /// What the resources are called in the body.
    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Reserve | Self::Unreserve => "resources",
            Self::Create | Self::Destroy => "volumes",
        }
    }

    /// What the agent must have.
    pub(super) fn from(self, resource: &Resource) -> Resource {
        match self {
            Self::Reserve => resource.popped(),
            Self::Create => resource.without_volume(),
            Self::Unreserve | Self::Destroy => resource.clone(),
        }
    }

    /// What becomes of it.
    pub(super) fn to(self, resource: &Resource) -> Resource {
        match self {
            Self::Reserve | Self::Create => resource.clone(),
            Self::Unreserve => resource.popped(),
            Self::Destroy => resource.without_volume(),
        }
    }
}

/// A role with its quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuotaConfig {
    /// The role.
    pub role: Text,
    /// What it is always able to get, by kind.
    pub guarantees: SortedMap<Text, Milli>,
    /// What it may have at most, by kind.
    pub limits: SortedMap<Text, Milli>,
}

impl QuotaConfig {
    pub(super) fn quota(&self) -> Quota {
        let guarantees = self.guarantees.iter().filter(|(_, amount)| amount.is_positive());
        Quota {
            guarantees: guarantees.map(|(name, amount)| (name.clone(), *amount)).collect(),
            limits: self.limits.clone(),
        }
    }
}

/// More than the books are kept for.
pub(super) fn beyond(text: String) -> Refusal {
    Refusal { status: 400, ..Refusal::new(RefusalCode::LimitReached, text) }
}
