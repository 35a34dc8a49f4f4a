//! The checks of a new configuration against the one in force, as a list to run and to show.
//!
//! *Knows*: two specs and a few facts about the installation. *Must not know*: stored tasks, plans in motion.
//!
//! **Source**: `dcos-commons: …/config/validate` and `…/scheduler/SchedulerBuilder.java` (the default list).
//! Match for the checks listed; those that compare with old cluster versions always pass and are left out.

mod checks;
#[cfg(test)]
mod tests;

use crate::spec::ServiceSpec;
use std::fmt;

/// What checks look at.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'s> {
    /// The target configuration in force; none at the first start.
    pub previous: Option<&'s ServiceSpec>,
    /// The configuration to check.
    pub candidate: &'s ServiceSpec,
    /// This installation has completed a deployment.
    pub deployed_before: bool,
    /// The scheduler runs with a service account.
    pub service_account: bool,
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// What it is about, e.g. `PodSpec[name:hello]`.
    pub field: String,
    /// The value, or the values before and after.
    pub value: Change,
    /// Why.
    pub message: String,
    /// The scheduler stops instead of keeping the old target.
    pub fatal: bool,
}

/// A value, or a change of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The value itself.
    Value(String),
    /// From one value to another.
    Transition(String, String),
}

impl fmt::Display for ConfigError {
    /// As the real scheduler words it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field: '{}'; ", self.field)?;
        match &self.value {
            Change::Value(value) => write!(f, "Value: '{value}'; ")?,
            Change::Transition(old, new) => write!(f, "Transition: '{old}' => '{new}'; ")?,
        }
        write!(f, "Message: '{}'; Fatal: {}", self.message, self.fatal)
    }
}

/// One check.
pub type Check = fn(&Facts<'_>, &mut Vec<ConfigError>);

/// The checks in the order they run, with the real names.
pub const CHECKS: &[(&str, Check)] = &[
    ("ServiceNameCannotContainDoubleUnderscores", checks::name_underscores),
    ("PodSpecsCannotShrink", checks::pods_shrink),
    ("PodSpecsCannotChangeNetworkRegime", checks::network_regime),
    ("PreReservationCannotChange", checks::pre_reservation),
    ("UserCannotChange", checks::user),
    ("TLSRequiresServiceAccount", checks::tls),
    ("PlacementRuleIsValid", checks::placement),
    ("RegionCannotChange", checks::region),
    ("ServiceNameCannotBreakDNS", checks::name_length),
    ("ResourceLimitsMustExceedRequestedResources", checks::limits),
    ("TaskVolumesCannotChange", checks::volumes),
    ("ServiceRoleCannotChangeOnIncompleteDeployment", checks::role),
];

/// Runs every check.
pub fn validate(facts: &Facts<'_>) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for (_, check) in CHECKS {
        check(facts, &mut errors);
    }
    errors
}
