//! Views: plain serialisable data with a revision per node, so that a front end redraws only changed nodes.
//!
//! A revision grows with every change of the node or anything below it; the amount has no meaning. Equal revision
//! means equal content within one branch.

mod action;
mod status;
mod text;

pub use crate::interned::table;
pub use action::ActionView;
pub use status::{StatusClass, StatusWord, status_word};
pub use text::plan_tree;

use crate::Text;
use crate::event::{ElementPath, Prose};
use crate::json::Read;
use crate::refusal::Refusal;
use planarium_kernel::Digestible;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The whole world as seen from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct View {
    /// Revision of everything.
    pub revision: u64,
    /// Clock and identity.
    pub clock: ClockView,
    /// Services in order of installation.
    pub services: Vec<Arc<ServiceView>>,
    /// The machines.
    pub cluster: Arc<ClusterView>,
    /// Faults in force.
    pub faults: Vec<FaultView>,
}

/// Clock and identity of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ClockView {
    /// Virtual time in milliseconds since genesis.
    pub now_ms: u64,
    /// Calendar time of genesis, milliseconds since 1970.
    pub epoch_ms: u64,
    /// Seed.
    pub seed: u64,
    /// Last event's sequence number.
    pub seq: u64,
    /// Only periodic work without effect remains.
    pub idle: bool,
    /// When something happens next.
    pub next_event_ms: Option<u64>,
    /// Digest of all that happened, 16 hex digits.
    pub digest: String,
}

/// One service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Digestible)]
#[digest(name, each plans)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ServiceView {
    /// Revision.
    pub revision: u64,
    /// Name.
    pub name: Text,
    /// Dialect.
    pub dialect: Text,
    /// Plans in the real system's list order.
    pub plans: Vec<Arc<PlanView>>,
    /// Pod instances that exist.
    pub pods: Vec<Arc<PodView>>,
    /// Short description of the scheduler's activity (`offers suppressed`, ...).
    pub activity: Text,
    /// The status words of its system.
    #[serde(deserialize_with = "crate::interned::read_table")]
    pub statuses: &'static [StatusWord],
    /// Names of the definitions loaded into it, where these are more than itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<Text>,
    /// The system's own view beside plans and pods, in the system's own shape (counts of instances, a drawing of the plan,
    /// a form of parameters); null when there is nothing.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub more: Arc<serde_json::Value>,
}

impl ServiceView {
    /// The path of one of its elements; of the service itself with an empty plan.
    pub fn path(&self, plan: &Text) -> ElementPath {
        ElementPath {
            dialect: self.dialect.clone(),
            service: self.name.clone(),
            plan: plan.clone(),
            phase: None,
            step: None,
        }
    }

    /// Returns whether a path leads into it. A path without a dialect leads into any service of its name.
    pub fn holds(&self, path: &ElementPath) -> bool {
        self.name == path.service && (path.dialect.is_empty() || self.dialect == path.dialect)
    }

    /// Returns the class of a status word; pending where the word is unknown.
    pub fn class(&self, status: &str) -> StatusClass {
        StatusWord::find(self.statuses, status).map_or(StatusClass::Pending, |word| word.class)
    }
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Digestible)]
#[digest(status, each phases)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PlanView {
    /// Revision.
    pub revision: u64,
    /// Name.
    pub name: Text,
    /// Displayed status.
    pub status: Text,
    /// Strategy's reported name.
    pub strategy: Text,
    /// Interrupted.
    pub interrupted: bool,
    /// Error texts.
    pub errors: Vec<Text>,
    /// Steps done and in all.
    pub progress: Progress,
    /// Phases in order.
    pub phases: Vec<Arc<PhaseView>>,
    /// Its actions; elements with the same permissions share a list, so the inputs lack the element.
    #[serde(rename = "commands")]
    pub actions: Arc<[ActionView]>,
    /// May be started by hand with parameters.
    pub custom: bool,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Digestible)]
#[digest(status, each steps)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PhaseView {
    /// Revision.
    pub revision: u64,
    /// Unique id as the real system shows it.
    pub id: Text,
    /// Name.
    pub name: Text,
    /// Displayed status.
    pub status: Text,
    /// Strategy's reported name.
    pub strategy: Text,
    /// Interrupted, by command or by a canary gate.
    pub interrupted: bool,
    /// Canary gates still closed.
    pub gates_left: u32,
    /// Steps done and in all.
    pub progress: Progress,
    /// Steps in order.
    pub steps: Vec<Arc<StepView>>,
    /// Its actions; elements with the same permissions share a list, so the inputs lack the element.
    #[serde(rename = "commands")]
    pub actions: Arc<[ActionView]>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Digestible)]
#[digest(status)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct StepView {
    /// Revision.
    pub revision: u64,
    /// Unique id as the real system shows it.
    pub id: Text,
    /// Name.
    pub name: Text,
    /// Another step of its phase has its name: paths and commands say its id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namesake: bool,
    /// Displayed status.
    pub status: Text,
    /// One line: the reason for its status. Empty when complete.
    pub reason: Text,
    /// Up-to-date instances out of the wanted ones, if the system counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Marked complete by an operator.
    pub forced: bool,
    /// Since when it has this status.
    pub since_ms: u64,
    /// Pod instance, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Text>,
    /// Names of its tasks.
    pub tasks: Vec<Text>,
    /// Position in the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceRef>,
    /// Its actions; elements with the same permissions share a list, so the inputs lack the element.
    #[serde(rename = "commands")]
    pub actions: Arc<[ActionView]>,
}

impl StepView {
    /// Returns its key in paths and commands: its name, or its id where another step of its phase has that name.
    pub fn key(&self) -> &Text {
        if self.namesake { &self.id } else { &self.name }
    }
}

/// A place in a definition file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct SourceRef {
    /// File path.
    pub file: Text,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Progress of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Progress {
    /// Complete.
    pub done: u32,
    /// In all.
    pub total: u32,
}

/// A pod instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PodView {
    /// Revision.
    pub revision: u64,
    /// Name, e.g. `hello-0`.
    pub name: Text,
    /// Tasks by name.
    pub tasks: Vec<PodTaskView>,
    /// Its actions; pods with the same permissions share a list, so the inputs lack the pod.
    pub actions: Arc<[ActionView]>,
}

/// A task of a pod instance as its service sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct PodTaskView {
    /// Task instance name.
    pub name: Text,
    /// Task id, empty when never launched.
    pub id: Text,
    /// Shown status (`RUNNING`, `PAUSED`, ...), absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Text>,
    /// Hostname.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Text>,
    /// Its config files as of the last launch.
    #[serde(default, skip_serializing_if = "no_configs")]
    pub configs: Arc<[ConfigFileView]>,
}

fn no_configs(configs: &Arc<[ConfigFileView]>) -> bool {
    configs.is_empty()
}

/// A file that is rendered from a template into a task's sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ConfigFileView {
    /// Name of the config.
    pub name: Text,
    /// Path of the template.
    pub template: Text,
    /// Path in the sandbox.
    pub dest: Text,
    /// The template is not among the files of the service.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing_template: bool,
    /// Variables that were left empty because they have no value, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_variables: Vec<Text>,
    /// Its problem in words; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Prose>,
}

/// The machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ClusterView {
    /// Revision.
    pub revision: u64,
    /// In order of joining.
    pub machines: Vec<Arc<MachineView>>,
    /// The words for states of tasks and machines.
    #[serde(deserialize_with = "crate::interned::read_table")]
    pub statuses: &'static [StatusWord],
    /// The maintenance schedule, window by window as posted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowView>,
}

/// A window of the maintenance schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct WindowView {
    /// Its machines, as spelled in the schedule.
    pub machines: Vec<ScheduledView>,
    /// When they are expected away.
    pub unavailability: UnavailabilityView,
}

/// A machine in a window. It need not have an agent that is registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ScheduledView {
    /// Host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<Text>,
    /// Address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<Text>,
    /// `DRAINING` or `DOWN`.
    pub mode: Text,
    /// Why it matches no machine of the cluster; `None` if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<Text>,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct MachineView {
    /// Revision.
    pub revision: u64,
    /// Hostname.
    pub hostname: Text,
    /// Address.
    pub ip: Text,
    /// Mesos agent id.
    pub agent_id: Text,
    /// Port of the agent, if it is not the usual 5051: several agents share a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// `up`, `lost`, `partitioned`, `restarting`, `unreachable`, `draining` (its machine is scheduled for maintenance, or
    /// the agent is being drained), `drained`, `deactivated`, `down` (in maintenance), `gone`, `removed`, `recovered`
    /// (not back yet since the master failed over).
    pub state: Text,
    /// The operator has its agent make no offers: deactivated, being drained, or drained.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deactivated: bool,
    /// When the machine is expected away; there exactly while it is in the maintenance schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailability: Option<UnavailabilityView>,
    /// Inverse offers for it, with their last answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inverse_offers: Vec<InverseOfferView>,
    /// Region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Text>,
    /// Zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<Text>,
    /// Who has not noticed yet that it is silent, and when they will.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoticeView>,
    /// Attributes.
    pub attributes: Vec<(Text, Text)>,
    /// Allocations exceed its capacity, because separate clusters share it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub promised_twice: bool,
    /// Tasks without a known size, which use none of its resources.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_size: u32,
    /// cpus, mem, disk, gpus: those it has.
    pub resources: Vec<ResourceView>,
    /// Live tasks on it.
    pub tasks: Vec<TaskView>,
    /// Ways to hurt or heal it: title and input.
    pub actions: Vec<ActionView>,
}

/// When the loss of a silent machine will be detected, unless it comes back before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct NoticeView {
    /// Who, as the subject of a sentence.
    pub by: Text,
    /// When.
    pub at_ms: u64,
}

/// When a machine is expected away. *Units*: nanoseconds since 1970 as decimal text, exact also where numbers are doubles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct UnavailabilityView {
    /// Begin.
    pub start_ns: Text,
    /// Length; absent when unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<Text>,
}

/// State of an inverse offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct InverseOfferView {
    /// Framework name.
    pub framework: Text,
    /// Its last answer, `ACCEPT` or `DECLINE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Text>,
    /// When it gave that answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_ms: Option<u64>,
    /// It is asked at present.
    pub outstanding: bool,
}

/// One resource of a machine in thousandths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ResourceView {
    /// `cpus`, `mem`, `disk`, `gpus`.
    pub name: Text,
    /// All there is.
    pub total: i64,
    /// Used by tasks.
    pub used: i64,
    /// Reserved but not used.
    pub reserved: i64,
}

/// A task on a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct TaskView {
    /// Task name.
    pub name: Text,
    /// Task id.
    pub id: Text,
    /// Service (framework) name.
    pub service: Text,
    /// Pod instance or empty.
    pub pod: Text,
    /// `TASK_...`.
    pub state: Text,
    /// Since when.
    pub since_ms: u64,
    /// Health, when checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy: Option<bool>,
    /// Readiness, when checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// Ways to hurt it: title and input.
    pub actions: Vec<ActionView>,
}

/// A fault in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FaultView {
    /// Id.
    pub id: Text,
    /// Description.
    pub text: Text,
    /// Since when.
    pub since_ms: u64,
    /// Until when, if bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
    /// Actions on it.
    pub actions: Vec<ActionView>,
}

/// Outcome of an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Applied {
    /// Journal number.
    pub input: u64,
    /// Refused, or the real system's answer (a JSON body).
    pub outcome: Result<serde_json::Value, Refusal>,
    /// Findings in the definition, when it was read.
    pub diagnostics: Vec<serde_json::Value>,
}

/// Which element a query is about.
pub type Path = ElementPath;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
