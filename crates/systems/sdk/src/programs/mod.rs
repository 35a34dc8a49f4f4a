//! The programs around definitions: additions and changes by a package's own Java code.
//!
//! *Knows*: which program runs a definition, and the possible parts of a program. *Must not know*: offers, running
//! plans, HTTP.
//!
//! A package's scheduler is a small program around the library: it reads the definition, may change it, and adds its
//! own parts (checks of a new configuration, a way to recover pods, endpoints, resources). The programs of
//! hello-world, cassandra and hdfs are here, one module each. Of any other package only the definition is run.
//!
//! **Source**: `dcos-commons: frameworks/{helloworld,cassandra,hdfs}/src/main/java`. Match.

mod cassandra;
mod hdfs;
mod hello_world;
mod recognize;
mod served;
mod strategies;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use recognize::{Marks, UNNAMED, report};
pub use served::ServedFile;
pub(crate) use served::served;

use crate::lower::LoweredPlan;
use crate::placement::Rule;
use crate::spec::{PodSpec, ServiceSpec};
use planarium_kernel::base64::Base64;
use planarium_protocol::{Refusal, Text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The program that runs a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Program {
    /// The example service's program, also used for a program that adds nothing.
    #[default]
    HelloWorld,
    /// Cassandra's.
    Cassandra,
    /// That of HDFS.
    Hdfs,
    /// A program that is not simulated, by the name of its package.
    Other(Text),
}

/// A variable that a program sets for tasks. Variables routed from the scheduler's environment override it.
///
/// **Source**: `dcos-commons: …/config/TaskEnvRouter.java`. Match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// The pod whose tasks get it; all tasks if `None`.
    pub(crate) pod: Option<&'static str>,
    /// Name.
    pub(crate) name: &'static str,
    /// Value.
    pub(crate) value: Text,
}

/// A variable of a task that may not change once it has a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedVariable {
    /// Pod type.
    pub(crate) pod: &'static str,
    /// Name of the task.
    pub(crate) task: &'static str,
    /// Variable.
    pub(crate) name: &'static str,
}

/// A permanently lost pod instance, and the plan and steps that can restore it.
pub(crate) struct Lost<'a> {
    /// Pod type.
    pub(crate) pod: &'a str,
    /// Index of the instance.
    pub(crate) index: u32,
    /// The phases of the plan that a program takes its steps from.
    pub(crate) phases: &'a [KnownPhase],
    /// The address that a task (pod type, index, task) last had; none when it never reported one.
    pub(crate) address: &'a dyn Fn(&str, u32, &str) -> Option<Text>,
    /// Environment of the scheduler.
    pub(crate) env: &'a BTreeMap<String, String>,
}

/// A phase of the plan that a program takes its steps from.
pub(crate) struct KnownPhase {
    /// Name.
    pub(crate) name: Text,
    /// Launches of its steps; none for a step that launches nothing.
    pub(crate) steps: Vec<Option<KnownStep>>,
}

/// A step of such a phase.
pub(crate) struct KnownStep {
    /// Pod type.
    pub(crate) pod: Arc<PodSpec>,
    /// Index of the instance.
    pub(crate) index: u32,
}

/// A phase that replaces the default recovery. Its steps run one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnPhase {
    /// Name.
    pub(crate) name: Text,
    /// Steps in order.
    pub(crate) steps: Vec<OwnStep>,
}

/// The position of a step in the plan of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepPlace {
    /// Position of the phase.
    pub(crate) phase: usize,
    /// Position of the step in the phase.
    pub(crate) step: usize,
}

/// One of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnStep {
    /// The step that it repeats.
    pub(crate) of: StepPlace,
    /// The pod is replaced, or launched in place.
    pub(crate) anew: bool,
    /// A task's command line, if it differs from the definition's.
    pub(crate) command: Option<(Text, Text)>,
}

/// Name of the plan that programs with a recovery of their own take its steps from.
pub(crate) const REPLACE: &str = "replace";

impl Program {
    /// The name of its package.
    pub fn name(&self) -> &str {
        match self {
            Self::HelloWorld => "hello-world",
            Self::Cassandra => "cassandra",
            Self::Hdfs => "hdfs",
            Self::Other(name) => name,
        }
    }

    /// The variables that it gives to tasks.
    ///
    /// *Errors*: it ends at once, because its environment lacks something; in words.
    pub(crate) fn variables(
        &self,
        spec: &ServiceSpec,
        env: &BTreeMap<String, String>,
    ) -> Result<Vec<Variable>, String> {
        match self {
            Self::Cassandra => cassandra::variables(spec, env),
            Self::Hdfs => hdfs::variables(spec, env),
            Self::HelloWorld | Self::Other(_) => Ok(Vec::new()),
        }
    }

    /// Returns the pods that it runs, selected from the definition.
    ///
    /// *Errors*: describes a required pod that is missing.
    pub(crate) fn pods(&self, pods: &[Arc<PodSpec>]) -> Result<Vec<Arc<PodSpec>>, String> {
        match self {
            Self::Hdfs => hdfs::pods(pods),
            _ => Ok(pods.to_vec()),
        }
    }

    /// A placement rule that it adds to a pod's own.
    pub(crate) fn placement(&self, pod: &str) -> Option<Rule> {
        match self {
            Self::Hdfs => hdfs::placement(pod),
            _ => None,
        }
    }

    /// Returns whether the environment can switch the timed replacement of pods on.
    pub(crate) fn has_timed_replacement(&self) -> bool {
        *self != Self::Hdfs
    }

    /// Returns whether tasks stay in the service's region, whatever the environment sets.
    pub(crate) fn is_region_aware(&self, env: &BTreeMap<String, String>) -> bool {
        match self {
            Self::Cassandra | Self::Hdfs => true,
            Self::HelloWorld => hello_world::is_region_aware(env),
            Self::Other(_) => false,
        }
    }

    /// The plan that it does not start without.
    pub(crate) fn needed_plan(&self) -> Option<&'static str> {
        matches!(self, Self::Cassandra | Self::Hdfs).then_some(REPLACE)
    }

    /// Pod types whose placement may not start or stop referring to zones.
    pub(crate) fn fixed_zones(&self) -> &'static [&'static str] {
        match self {
            Self::Cassandra => cassandra::FIXED_ZONES,
            Self::Hdfs => hdfs::FIXED_ZONES,
            Self::HelloWorld | Self::Other(_) => &[],
        }
    }

    /// Variables of tasks that may not change once they have a value.
    pub(crate) fn fixed_variables(&self) -> &'static [FixedVariable] {
        match self {
            Self::Cassandra => cassandra::FIXED_VARIABLES,
            _ => &[],
        }
    }

    /// Returns its recovery of a lost pod, unless it leaves that to the library.
    pub(crate) fn recovery(&self, lost: &Lost<'_>) -> Option<OwnPhase> {
        match self {
            Self::Cassandra => cassandra::recovery(lost),
            Self::Hdfs => hdfs::recovery(lost),
            Self::HelloWorld | Self::Other(_) => None,
        }
    }

    /// Files beside the definition that it serves as endpoints, rendered as for a task.
    pub(crate) fn served_files(&self) -> &'static [&'static str] {
        match self {
            Self::Hdfs => hdfs::SERVED_FILES,
            _ => &[],
        }
    }

    /// Returns the values that served files are rendered with.
    ///
    /// *Errors*: as [`Program::variables`].
    pub(crate) fn served_with(
        &self,
        spec: &ServiceSpec,
        env: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, String> {
        match self {
            Self::Hdfs => hdfs::served_with(spec, env),
            _ => Ok(BTreeMap::new()),
        }
    }

    /// Returns the content of `/v1/seeds`; none for a program without it.
    pub(crate) fn seeds(&self, spec: &ServiceSpec, env: &BTreeMap<String, String>) -> Option<Vec<String>> {
        (*self == Self::Cassandra).then(|| cassandra::seeds(spec, env))
    }

    /// Changes plans before they run.
    ///
    /// *Errors*: the environment requests something impossible.
    pub(crate) fn customize(
        &self,
        plans: &mut [LoweredPlan],
        env: &BTreeMap<String, String>,
    ) -> Result<(), Refusal> {
        if *self == Self::HelloWorld {
            hello_world::plans(plans, env);
        }
        strategies::give(plans, env)
    }

    /// The step that it puts before those of each decommission phase.
    pub(crate) fn before_decommission(&self, env: &BTreeMap<String, String>) -> Option<&'static str> {
        if *self == Self::HelloWorld { hello_world::before_decommission(env) } else { None }
    }
}

/// Decodes base64 with or without padding; none when the text is something else.
fn decoded(text: &str) -> Option<String> {
    let mut letters = text.as_bytes().to_vec();
    while !letters.len().is_multiple_of(4) && letters.len() % 4 != 1 && letters.last() != Some(&b'=') {
        letters.resize(letters.len().next_multiple_of(4), b'=');
    }
    Some(String::from_utf8_lossy(&Base64::Padded.decode(&letters)?).into_owned())
}
