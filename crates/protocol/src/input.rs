//! The journal's vocabulary: everything that can be done to a world from outside.
//!
//! `POST /sim/inputs`, scenario `do:` entries and journals share it. JSON with `kind` first.

use crate::Amount;
use crate::json::Read;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One external request to the world.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Input {
    /// Bring machines with a Mesos agent on each into the cluster.
    AddAgent(AddAgent),
    /// Remove a machine permanently.
    RemoveAgent(RemoveAgent),
    /// Install a service.
    LoadService(LoadService),
    /// Give a running service another definition, environment or options.
    UpdateService(LoadService),
    /// Uninstall a service.
    RemoveService(RemoveService),
    /// A plan command.
    Plan(PlanCommand),
    /// A pod command.
    Pod(PodCommand),
    /// A maintenance call.
    Maintenance(Maintenance),
    /// Inject a failure.
    Fault(Fault),
    /// End an injected failure.
    ClearFault(ClearFault),
    /// Change how matching processes behave from now on.
    ProcessBehaviour(ProcessBehaviour),
    /// The user plays the cluster: one task status.
    TaskStatus(TaskStatusInput),
    /// Exactly one offer round with these machines.
    OfferRound(OfferRound),
    /// A scheduler framework from outside.
    Framework(FrameworkInput),
    /// Any call of the simulated APIs.
    Call(HttpCall),
}

/// Defines what follows from the table of kinds: the list of words, the word of an input, and reading an input by its word.
macro_rules! kinds {
    ($($word:literal => $kind:ident,)*) => {
        impl Input {
            /// Every word of `kind`, in the order of the variants.
            pub const KINDS: &'static [&'static str] = &[$($word),*];

            /// The `kind` word.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $word,)*
                }
            }

            /// Reads the other fields of an input of this kind.
            pub(crate) fn read_as(kind: &str, fields: &serde_json::Value) -> Result<Self, serde_json::Error> {
                match kind {
                    $($word => Deserialize::deserialize(fields).map(Self::$kind),)*
                    other => Err(serde_json::Error::unknown_variant(other, Self::KINDS)),
                }
            }
        }
    };
}

kinds! {
    "add-agent" => AddAgent,
    "remove-agent" => RemoveAgent,
    "load-service" => LoadService,
    "update-service" => UpdateService,
    "remove-service" => RemoveService,
    "plan" => Plan,
    "pod" => Pod,
    "maintenance" => Maintenance,
    "fault" => Fault,
    "clear-fault" => ClearFault,
    "process-behaviour" => ProcessBehaviour,
    "task-status" => TaskStatus,
    "offer-round" => OfferRound,
    "framework" => Framework,
    "call" => Call,
}

/// Machines to add.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct AddAgent {
    /// Number of machines (default 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Hostname, or a pattern with `{n}` (default `agent-{n}`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Address, or a pattern with `{n}` (default 10.0.x.y counted up).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// Port of the agent (default 5051). With another port a machine that is there gets one more agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Resources of each machine.
    pub resources: Resources,
    /// Agent attributes: name to text (`"r1"`, `"3"`, `"[1-5]"`, `"{a,b}"`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, string>"))]
    pub attributes: BTreeMap<String, String>,
    /// Fault domain region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Fault domain zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Static reservations on top of `resources`: role to amounts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, Resources>"))]
    pub roles: BTreeMap<String, Resources>,
}

/// Amounts of resources. Absent means the preset's default for a machine, nothing for a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct Resources {
    /// CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Amount>,
    /// Memory in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem: Option<Amount>,
    /// ROOT disk in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Amount>,
    /// GPUs (whole).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<Amount>,
    /// Port ranges in Mesos text, e.g. `[1024-65535]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<String>,
    /// Further disks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<Disk>,
}

/// Sharing modes of a cluster's machines between layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Layers share machines: each sees the free amounts.
    #[default]
    Together,
    /// Each layer has every machine for itself, like separate clusters: machines may be promised twice.
    Apart,
}

impl Sharing {
    /// The word in scenarios.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Together => "together",
            Self::Apart => "apart",
        }
    }

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Together, Self::Apart].into_iter().find(|sharing| sharing.as_str() == word)
    }
}

/// A disk beside the ROOT disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// `MOUNT` or `PATH`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its mount point.
    pub path: String,
    /// Size in MiB.
    pub size: Amount,
    /// Volume profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// Which machine to remove.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct RemoveAgent {
    /// Hostname or agent id.
    pub agent: String,
}

/// A service definition with everything around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct LoadService {
    /// `sdk`, `marathon`, `kudo`, `skopos` or `auto`.
    pub dialect: String,
    /// Service name; taken from the definition when absent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Framework that several services share (SDK); its first service creates it. Absent: the service has its own
    /// framework.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub framework: String,
    /// Path to text.
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, string>"))]
    pub files: BTreeMap<String, String>,
    /// Environment of the scheduler process (SDK), added to the package's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, string>"))]
    pub env: BTreeMap<String, String>,
    /// Package options (nested), merged over `config.json` defaults.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub options: serde_json::Value,
    /// Parameters (KUDO).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, unknown>"))]
    pub params: BTreeMap<String, serde_json::Value>,
}

/// Which service to uninstall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct RemoveService {
    /// Dialect of the service; without one, the service of that name that was installed first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// Service name.
    pub name: String,
    /// Drop it at once, without its uninstall plan.
    #[serde(default)]
    pub force: bool,
}

/// Plan operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum PlanOp {
    /// Start a custom plan, with parameters.
    Start,
    /// Interrupt a plan and reset its steps.
    Stop,
    /// Hold.
    Interrupt,
    /// Release (the real system's word for proceed).
    Continue,
    /// Set back to pending.
    Restart,
    /// Mark complete.
    ForceComplete,
}

impl PlanOp {
    /// The word used in inputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Interrupt => "interrupt",
            Self::Continue => "continue",
            Self::Restart => "restart",
            Self::ForceComplete => "force-complete",
        }
    }
}

/// A command on a plan, a phase or a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct PlanCommand {
    /// Dialect of the service; without one, the service of that name that was installed first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// Service name.
    pub service: String,
    /// Plan name.
    pub plan: String,
    /// The subcommand.
    pub op: PlanOp,
    /// Phase name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Step name or id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Parameters of `start`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "ts", tsify(type = "Record<string, string>"))]
    pub params: BTreeMap<String, String>,
}

/// Pod operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum PodOp {
    /// Kill and relaunch in place.
    Restart,
    /// Kill and relaunch anywhere.
    Replace,
    /// Relaunch with the pause command.
    Pause,
    /// Relaunch normally.
    Resume,
}

/// A command on a pod instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct PodCommand {
    /// Dialect of the service; without one, the service of that name that was installed first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// Service name.
    pub service: String,
    /// Pod instance name, e.g. `hello-0`.
    pub pod: String,
    /// The subcommand.
    pub op: PodOp,
    /// Only these tasks (pause, resume).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
}

/// A maintenance call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Maintenance {
    /// `schedule`, `down`, `up`, `drain`, `deactivate`, `reactivate`, `gone`; in addition to the real calls
    /// `schedule-add` (windows to add) and `schedule-remove` (machines to remove): the schedule is read, changed and
    /// posted.
    pub op: String,
    /// The body of the real call: the schedule; a list of machines; or the content of `drain_agent`,
    /// `deactivate_agent`, ... with an agent's id (or its hostname). A whole v1 call works, too. The start of a
    /// window may be written `{"in_ms": N}`, counted from now.
    #[serde(default)]
    pub body: serde_json::Value,
}

/// Kinds of injected failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The task exits with `exit_code` (default 1).
    TaskFail,
    /// The task is killed from outside (TASK_KILLED).
    TaskKill,
    /// The task exceeds its memory (TASK_FAILED with the memory reason).
    TaskOom,
    /// Every launch fails shortly after starting.
    CrashLoop,
    /// Starting takes much longer.
    SlowStart,
    /// The process starts but never runs on, or stops making progress.
    Hang,
    /// Readiness checks fail.
    ReadinessFail,
    /// Health checks fail.
    HealthFail,
    /// The image cannot be fetched.
    ImageMissing,
    /// A Skopos plugin fails.
    PluginFail,
    /// The machine goes with everything on it.
    AgentLost,
    /// The machine is silent both ways.
    AgentPartitioned,
    /// The agent process is away while its executors live on.
    AgentRestart,
    /// The machine's disk or memory is full: launches fail there.
    AgentFull,
    /// No offers reach frameworks.
    OffersWithheld,
    /// Status updates are lost.
    StatusDropped,
    /// The scheduler process restarts.
    SchedulerRestart,
    /// Another Mesos master takes over, with the data of the registry only.
    MasterFailover,
}

impl FaultKind {
    /// The word of the kind, as inputs have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TaskFail => "task-fail",
            Self::TaskKill => "task-kill",
            Self::TaskOom => "task-oom",
            Self::CrashLoop => "crash-loop",
            Self::SlowStart => "slow-start",
            Self::Hang => "hang",
            Self::ReadinessFail => "readiness-fail",
            Self::HealthFail => "health-fail",
            Self::ImageMissing => "image-missing",
            Self::PluginFail => "plugin-fail",
            Self::AgentLost => "agent-lost",
            Self::AgentPartitioned => "agent-partitioned",
            Self::AgentRestart => "agent-restart",
            Self::AgentFull => "agent-full",
            Self::OffersWithheld => "offers-withheld",
            Self::StatusDropped => "status-dropped",
            Self::SchedulerRestart => "scheduler-restart",
            Self::MasterFailover => "master-failover",
        }
    }
}

/// Targets of a fault or a behaviour. All given patterns must match; `*` matches any run of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Service name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Pod instance (`hello-0`) or pod type (`hello`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Task name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Hostname or agent id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Step name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Plugin name (Skopos).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// Plugin action (Skopos).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

impl Target {
    /// The patterns that are given, each with the name of its field, in the order of the fields.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { service, pod, task, agent, step, plugin, action } = self;
        [
            ("service", service),
            ("pod", pod),
            ("task", task),
            ("agent", agent),
            ("step", step),
            ("plugin", plugin),
            ("action", action),
        ]
        .into_iter()
        .filter_map(|(name, pattern)| Some((name, pattern.as_deref()?)))
    }
}

/// An injected failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Kind of failure.
    pub fault: FaultKind,
    /// Name for `clear-fault`; one is made when absent (`fault-1`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its machine.
    #[serde(default)]
    pub target: Target,
    /// Duration; for ever (until cleared) when absent for lasting faults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
    /// Number of times it strikes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Chance per occasion in thousandths (an [`Amount`]: write `0.25`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<Amount>,
    /// Exit code (`task-fail`, `crash-loop`, `readiness-fail`, `health-fail`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Text that the status carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Additional delay (`slow-start`), in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// Which fault to end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct ClearFault {
    /// The fault's id.
    pub id: String,
}

/// A behaviour rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct ProcessBehaviour {
    /// Which processes.
    #[serde(default)]
    pub target: Target,
    /// Their behaviour.
    pub behaviour: Behaviour,
}

/// Behaviour of a process; absent keys keep the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct Behaviour {
    /// From launch to running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// From running until its readiness check passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_after_ms: Option<u64>,
    /// Exit codes of the readiness check in order; the last one repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readiness: Vec<i32>,
    /// Exit codes of the health check in order; the last one repeats.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<i32>,
    /// Exit code when it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// From running to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_after_ms: Option<u64>,
    /// Nothing happens until a `task-status` input; `false` returns the processes to the simulator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual: Option<bool>,
    /// CPU usage in percent of the request: as seen by `kubectl top` and autoscalers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<u32>,
    /// Memory usage in percent of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_percent: Option<u32>,
}

/// One task status, said by the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct TaskStatusInput {
    /// Task name or id.
    pub task: String,
    /// `TASK_...`.
    pub state: String,
    /// Service, where the task name is ambiguous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Result of the readiness check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness_exit: Option<i32>,
    /// Health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healthy: Option<bool>,
    /// `REASON_...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One offer round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub struct OfferRound {
    /// Hostnames or agent ids, in offer order; all machines when empty.
    pub agents: Vec<String>,
}

/// A framework from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct FrameworkInput {
    /// `add`, `call`, `remove`, or `disconnect` for the end of its event stream.
    pub op: String,
    /// Framework name.
    pub name: String,
    /// Roles to subscribe with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// `accept`, `decline`, `migrate`, `replicate`, `move`, `grow`, `manual`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// A v1 scheduler call.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub call: serde_json::Value,
}

/// A call of one of the simulated HTTP APIs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub struct HttpCall {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Body.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub body: serde_json::Value,
    /// Media type of the body, if it is neither JSON nor a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_kinds_have_the_words_of_inputs() {
        const KINDS: [FaultKind; 18] = [
            FaultKind::TaskFail,
            FaultKind::TaskKill,
            FaultKind::TaskOom,
            FaultKind::CrashLoop,
            FaultKind::SlowStart,
            FaultKind::Hang,
            FaultKind::ReadinessFail,
            FaultKind::HealthFail,
            FaultKind::ImageMissing,
            FaultKind::PluginFail,
            FaultKind::AgentLost,
            FaultKind::AgentPartitioned,
            FaultKind::AgentRestart,
            FaultKind::AgentFull,
            FaultKind::OffersWithheld,
            FaultKind::StatusDropped,
            FaultKind::SchedulerRestart,
            FaultKind::MasterFailover,
        ];
        for kind in KINDS {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
        }
    }
}
