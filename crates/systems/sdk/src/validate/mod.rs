//! The checks of a new configuration against the one in force, as a list to run and to show.
//!
//! *Knows*: two specs and a few facts about the installation. *Must not know*: stored tasks, plans in motion.
//!
//! **Source**: `dcos-commons: …/config/validate`, `…/scheduler/SchedulerBuilder.java` (the default list) and the lists of
//! the programs (`frameworks/*/…/Main.java`). Match for the checks listed; those that compare with old cluster versions always pass and are left out.

pub(crate) mod account;
mod checks;

use crate::decode::span_of;
use crate::programs::Program;
use crate::spec::{At, ServiceSpec};
use planarium_source::{Diagnostic, SourceMap};
use std::fmt;

/// Facts for checks.
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
    /// The program that runs the new configuration; some have checks of their own.
    pub program: &'s Program,
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Code of the check.
    pub code: &'static str,
    /// The part it is about, e.g. `PodSpec[name:hello]`.
    pub field: String,
    /// The value, or the values before and after.
    pub value: Change,
    /// Why.
    pub message: String,
    /// The scheduler stops instead of keeping the old target.
    pub fatal: bool,
    /// Position in the new definition; its beginning, when it has none.
    pub at: At,
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

/// One check of a new configuration. Each has a page `docs/diagnostics/CODE.md`.
#[derive(Clone, Copy, Debug)]
pub struct Validator {
    /// Its diagnostic code.
    pub code: &'static str,
    /// The real name.
    pub name: &'static str,
    /// The refused change.
    pub title: &'static str,
    /// Advice.
    pub help: &'static str,
    run: fn(&Facts<'_>, &mut Vec<ConfigError>),
}

macro_rules! validators {
    ($($code:literal, $name:literal, $check:ident, $title:literal, $help:literal;)*) => {
        /// The checks in the order they run.
        pub const VALIDATORS: &[Validator] = &[
            $(Validator { code: $code, name: $name, title: $title, help: $help, run: checks::$check }),*
        ];
    };
}

validators! {
    "SDK201", "ServiceNameCannotContainDoubleUnderscores", name_underscores,
        "The service name holds two underscores in a row", "use one underscore or a dash";
    "SDK202", "PodSpecsCannotShrink", pods_shrink,
        "A pod shrinks or goes away without permission",
        "set 'allow-decommission: true' on the pod: for a lower count in the new definition, for a removed pod in the one before";
    "SDK203", "PodSpecsCannotChangeNetworkRegime", network_regime,
        "A pod moves between host ports and a network of its own",
        "keep the kind of network, or give the new kind to a pod of another name";
    "SDK204", "PreReservationCannotChange", pre_reservation,
        "The pre-reserved role of a pod changes", "keep the role, or give the new one to a pod of another name";
    "SDK205", "UserCannotChange", user,
        "The user of the service changes", "keep the user; the scheduler does not start with another one";
    "SDK206", "TLSRequiresServiceAccount", tls,
        "Transport encryption without a service account",
        "give it one with that variable in the environment (`env:` in a scenario, `--env`, the Environment tab), with the package's option 'service.service_account_secret', or remove 'transport-encryption'";
    "SDK207", "PlacementRuleIsValid", placement_rules,
        "A placement rule cannot be read", "mend the rule, or remove 'placement'";
    "SDK208", "RegionCannotChange", region,
        "The region of the service changes", "keep SERVICE_REGION as it was at the first start";
    "SDK209", "ServiceNameCannotBreakDNS", name_length,
        "The service name is too long for a host name", "use at most 63 characters, slashes not counted";
    "SDK210", "ResourceLimitsMustExceedRequestedResources", limits,
        "A resource limit is below the request", "raise the limit, or lower the request";
    "SDK211", "TaskVolumesCannotChange", volumes,
        "The volumes of a task change", "keep size, path, type and profiles, or give the new volumes to a task of another name";
    "SDK212", "ServiceRoleCannotChangeOnIncompleteDeployment", role,
        "The role changes before the first deployment is complete", "let the deployment complete first, or keep the role";
    "SDK213", "ZoneValidator", zones,
        "The placement of a pod starts or stops using zones",
        "keep the use of '@zone' in the placement as it was at the first start";
    "SDK214", "TaskEnvCannotChange", fixed_variables,
        "A variable of a task must not change",
        "give the variable the value that it had";
}

/// Checks whose errors the reader of a definition finds as well, and at a closer place.
pub(crate) const READ_TOO: &[&str] = &["SDK207", "SDK210"];

/// Runs every check.
pub fn validate(facts: &Facts<'_>) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    for validator in VALIDATORS {
        let before = errors.len();
        (validator.run)(facts, &mut errors);
        errors.iter_mut().skip(before).for_each(|error| error.code = validator.code);
    }
    errors
}

/// An error as a finding in the new definition; `running` when a configuration is in force.
pub fn finding(error: &ConfigError, sources: &SourceMap, running: bool) -> Diagnostic {
    let validator = VALIDATORS.iter().find(|validator| validator.code == error.code);
    let change = match &error.value {
        Change::Value(value) => format!("{} is '{value}'", error.field),
        Change::Transition(old, new) => format!("{} changes from '{old}' to '{new}'", error.field),
    };
    let (name, help) = validator.map_or(("", ""), |validator| (validator.name, validator.help));
    let fate = if error.fatal || !running {
        "the scheduler does not start with it"
    } else {
        "the configuration before stays in force"
    };
    let message = match error.code {
        account::CHECK => format!("{} '{}' is not set", error.message, account::CREDENTIAL),
        _ => error.message.clone(),
    };
    Diagnostic::error(error.code, span_of(sources, &error.at), message)
        .with_note(format!("{change}; refused by {name}, {fate}"))
        .with_help(help)
}

#[cfg(test)]
mod tests;
