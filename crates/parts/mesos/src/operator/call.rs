//! The changes that an operator can request.

use crate::{allocator::quota::Quota, api::Resource};
use planarium_kernel::{Milli, SortedMap};
use planarium_protocol::{Refusal, Text, refusal::RefusalCode};

/// A change that an operator requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCall {
    /// RESERVE_RESOURCES, UNRESERVE_RESOURCES, CREATE_VOLUMES or DESTROY_VOLUMES.
    Convert(Convert),
    /// GROW_VOLUME.
    Grow {
        /// The agent's id on the wire.
        agent_id: Text,
        /// The volume as it is now.
        volume: Resource,
        /// The disk that is added to it.
        addition: Resource,
    },
    /// SHRINK_VOLUME.
    Shrink {
        /// The agent's id on the wire.
        agent_id: Text,
        /// The volume as it is now.
        volume: Resource,
        /// Amount removed.
        by: Milli,
    },
    /// SET_LOGGING_LEVEL.
    SetLoggingLevel {
        /// The level; 0 is the master's initial one.
        level: u32,
        /// For how long. *Units*: milliseconds.
        for_ms: u64,
    },
    /// UPDATE_WEIGHTS.
    UpdateWeights(Vec<(Text, Milli)>),
    /// SET_QUOTA: a quota for a role that has none, whose guarantees are its limits too.
    SetQuota {
        /// The role and its guarantees.
        quota: QuotaConfig,
        /// Even if the cluster has less.
        force: bool,
    },
    /// UPDATE_QUOTA: quotas of several roles, all or none.
    UpdateQuota {
        /// The roles with their new quotas.
        configs: Vec<QuotaConfig>,
        /// Even if the cluster has less, or a role uses more.
        force: bool,
    },
    /// REMOVE_QUOTA.
    RemoveQuota(Text),
    /// TEARDOWN.
    Teardown {
        /// Its id on the wire.
        framework_id: Text,
    },
}

/// A conversion of an agent's resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convert {
    /// The kind of conversion.
    pub kind: Conversion,
    /// The agent's id on the wire.
    pub agent_id: Text,
    /// The resources as they shall be (reserve, create) or are (unreserve, destroy).
    pub resources: Vec<Resource>,
    /// Their present reservation (reserve).
    pub source: Vec<Resource>,
}

/// Kinds of conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Reserve.
    Reserve,
    /// Remove the topmost reservation.
    Unreserve,
    /// Create persistent volumes.
    Create,
    /// Destroy persistent volumes.
    Destroy,
}

impl Conversion {
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

    /// The field that holds the resources.
    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Reserve | Self::Unreserve => "resources",
            Self::Create | Self::Destroy => "volumes",
        }
    }

    /// The resources that the agent must have.
    pub(super) fn from(self, resource: &Resource) -> Resource {
        match self {
            Self::Reserve => resource.popped(),
            Self::Create => resource.without_volume(),
            Self::Unreserve | Self::Destroy => resource.clone(),
        }
    }

    /// The resources that it has afterwards.
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
    /// Guarantees by kind.
    pub guarantees: SortedMap<Text, Milli>,
    /// Limits by kind.
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

/// Amounts above this are refused.
pub(super) fn beyond(text: String) -> Refusal {
    Refusal { status: 400, ..Refusal::new(RefusalCode::LimitReached, text) }
}
