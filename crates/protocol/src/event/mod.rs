//! Facts reported by the engine, each with its cause. Derived from inputs, never journaled.
//!
//! Events. A fact is typed; its sentence is a [`Prose`], or made from the typed parts in `words`, the one place for it.

mod words;

use crate::Text;
use crate::json::Read;
use crate::view::ConfigFileView;
use planarium_kernel::cause::Cause;
use serde::{Deserialize, Serialize};

/// One fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
pub struct Event {
    /// Global sequence number, counted from 1.
    pub seq: u64,
    /// Virtual time in milliseconds since genesis.
    pub at_ms: u64,
    /// Its cause.
    pub cause: Cause,
    /// The fact.
    #[serde(flatten)]
    pub body: EventBody,
}

/// A sentence for people. It is shown and handed out, and no digest covers it, so that it can be put into better words.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Prose(pub Text);

impl std::ops::Deref for Prose {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Text>> From<T> for Prose {
    fn from(text: T) -> Self {
        let text = text.into();
        #[cfg(debug_assertions)]
        if REWORDED.get() {
            return Self(format!("other words ({} bytes)", text.len()).into());
        }
        Self(text)
    }
}

/// A derived fact, put into words for readers of a single event. Digests do not cover it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct Implied(pub Text);

impl<T: Into<Text>> From<T> for Implied {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

#[cfg(debug_assertions)]
thread_local! {
    static REWORDED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Puts every sentence that this thread makes from now on into other words, or stops doing so: for the tests that show
/// that nothing hangs on words. Debug builds only.
#[cfg(debug_assertions)]
pub fn reword(on: bool) {
    REWORDED.set(on);
}

impl std::fmt::Display for Prose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}

/// A message to a framework in the form of the v1 scheduler API.
///
/// Digests do not cover its sentences (texts under `message`); everything else counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct WireEvent(pub serde_json::Value);

impl std::ops::Deref for WireEvent {
    type Target = serde_json::Value;

    fn deref(&self) -> &serde_json::Value {
        &self.0
    }
}

/// An element of a plan tree, by names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct ElementPath {
    /// Dialect of the service; empty in a question means any.
    #[serde(default, skip_serializing_if = "empty")]
    pub dialect: Text,
    /// Service name.
    pub service: Text,
    /// Plan name.
    pub plan: Text,
    /// Phase name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Text>,
    /// Step name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Text>,
}

fn empty(text: &Text) -> bool {
    text.is_empty()
}

/// Importance of an event to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Importance {
    /// Chatter: offers that were declined, passed health checks.
    Low,
    /// The story: status changes, launches.
    Normal,
    /// Failures, commands, faults.
    High,
}

/// The kinds of fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EventBody {
    // ---- the world -------------------------------------------------------------------------
    /// An input was applied. `input` is its journal number.
    InputApplied {
        /// Journal number.
        input: u64,
        /// One line for people, e.g. `continue deploy`.
        text: Prose,
    },
    /// An input was turned down; nothing changed.
    Rejected {
        /// Journal number.
        input: u64,
        /// Refusal code.
        code: Text,
        /// Why.
        reason: Prose,
    },
    /// A bound of the simulator was reached; work continues at the next instant.
    LimitReached {
        /// Which bound: `steps` or `rounds` of one instant.
        limit: Text,
        /// The same in words.
        text: Prose,
    },
    /// An engine invariant does not hold (a defect of the simulator).
    InvariantBroken {
        /// Which, and how.
        text: Prose,
    },

    // ---- machines and processes --------------------------------------------------------------
    /// A machine joined.
    MachineAdded {
        /// Hostname.
        agent: Text,
    },
    /// A machine was removed permanently.
    MachineRemoved {
        /// Hostname.
        agent: Text,
    },
    /// A machine is lost with everything on it, or disconnected.
    MachineLost {
        /// Hostname.
        agent: Text,
        /// `lost`, `partitioned`, `agent-restart`.
        how: Text,
    },
    /// A machine is back.
    MachineReturned {
        /// Hostname.
        agent: Text,
    },
    /// A check ran.
    Check {
        /// Task name.
        task: Text,
        /// Id of the instance of the task that was checked; empty where its system gives none.
        task_id: Text,
        /// `readiness` or `health`.
        check: Text,
        /// Exit code.
        exit_code: i32,
        /// Counted from 1 for this process.
        attempt: u32,
    },
    /// A failure was injected.
    FaultInjected {
        /// Fault id.
        fault: Text,
        /// Kind of fault, as inputs have it.
        what: Text,
        /// Description with place and duration.
        text: Prose,
    },
    /// An injected failure ended.
    FaultCleared {
        /// Fault id.
        fault: Text,
    },
    /// An injected failure struck.
    FaultStruck {
        /// Fault id.
        fault: Text,
        /// Whom.
        target: Text,
        /// Id of the task instance that it struck; empty if it struck no task.
        task_id: Text,
    },

    // ---- the cluster ---------------------------------------------------------------------------
    /// An agent registered with the master.
    AgentRegistered {
        /// Hostname.
        agent: Text,
        /// Agent id.
        agent_id: Text,
    },
    /// The master lost the connection to an agent.
    AgentDisconnected {
        /// Hostname.
        agent: Text,
    },
    /// The master gave an agent up as unreachable.
    AgentUnreachable {
        /// Hostname.
        agent: Text,
    },
    /// An agent came back to the master.
    AgentReregistered {
        /// Hostname.
        agent: Text,
    },
    /// An agent was removed from the master.
    AgentRemoved {
        /// Hostname.
        agent: Text,
        /// `taken-out`, `down` (its machine is, for maintenance), `replaced` (by another at its address) or `gone`.
        how: Text,
        /// The same in words.
        reason: Prose,
    },
    /// A framework subscribed.
    FrameworkSubscribed {
        /// Framework name.
        framework: Text,
    },
    /// A framework went away.
    FrameworkRemoved {
        /// Framework name.
        framework: Text,
    },
    /// Offers went to a framework.
    Offered {
        /// Framework name.
        framework: Text,
        /// Hostnames.
        agents: Vec<Text>,
    },
    /// A framework turned offers down.
    Declined {
        /// Framework name.
        framework: Text,
        /// Hostnames.
        agents: Vec<Text>,
        /// For how long they are filtered, in milliseconds.
        refuse_ms: u64,
    },
    /// An offer was taken back.
    Rescinded {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
    },
    /// A framework asked for offers again.
    Revived {
        /// Framework name.
        framework: Text,
    },
    /// A framework wants no offers.
    Suppressed {
        /// Framework name.
        framework: Text,
    },
    /// Resources were reserved.
    Reserved {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// In Mesos text.
        resources: Text,
    },
    /// A reservation was given up.
    Unreserved {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// In Mesos text.
        resources: Text,
    },
    /// A persistent volume was created or destroyed.
    Volume {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// Container path.
        path: Text,
        /// Created (true) or destroyed (false).
        created: bool,
    },
    /// A persistent volume has another size now.
    VolumeResized {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// Container path.
        path: Text,
        /// Before. *Units*: MiB.
        from: Text,
        /// Now. *Units*: MiB.
        to: Text,
    },
    /// An operation in an accept was not carried out.
    OperationDropped {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// `RESERVE`, `UNRESERVE`, `CREATE`, `DESTROY`.
        operation: Text,
        /// Why.
        reason: Prose,
    },
    /// A task was launched.
    Launched {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
        /// Task name.
        task: Text,
        /// Task id.
        task_id: Text,
    },
    /// A task status reached its framework.
    TaskStatus {
        /// Framework name.
        framework: Text,
        /// Task name.
        task: Text,
        /// Task id.
        task_id: Text,
        /// `TASK_...`.
        state: Text,
        /// `REASON_...` or empty.
        reason: Text,
        /// Message or empty.
        message: Prose,
        /// Health, when checked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        healthy: Option<bool>,
        /// Readiness exit code, when there is a result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        readiness_exit: Option<i32>,
    },
    /// A kill was ordered.
    KillRequested {
        /// Framework name.
        framework: Text,
        /// Task name.
        task: Text,
        /// Grace period in milliseconds.
        grace_ms: u64,
    },
    /// A message to a framework from outside (v1 scheduler event).
    FrameworkEvent {
        /// Framework name.
        framework: Text,
        /// The event.
        event: WireEvent,
    },
    /// A framework was asked to give up its resources on machines that will be unavailable.
    InverseOffered {
        /// Framework name.
        framework: Text,
        /// Hostnames.
        agents: Vec<Text>,
    },
    /// A framework answered inverse offers, which changes only the operator's status.
    InverseAnswered {
        /// Framework name.
        framework: Text,
        /// Hostnames.
        agents: Vec<Text>,
        /// It means to be away in time (true), or cannot (false).
        accepted: bool,
    },
    /// An inverse offer was taken back.
    InverseRescinded {
        /// Framework name.
        framework: Text,
        /// Hostname.
        agent: Text,
    },
    /// Cluster maintenance changed.
    Maintenance {
        /// The machine's new mode (`UP`, `DRAINING`, `DOWN`), or what became of an agent: `drain-started`, `drained`,
        /// `deactivated`, `reactivated`, `turned-away`.
        what: Text,
        /// The machine as named in the schedule; empty if the event is about an agent.
        #[serde(default, skip_serializing_if = "empty")]
        machine: Text,
        /// Hostnames concerned.
        agents: Vec<Text>,
        /// The fact reported.
        text: Prose,
    },

    // ---- services ------------------------------------------------------------------------------
    /// A service was installed.
    ServiceLoaded {
        /// Service name.
        service: Text,
        /// Dialect.
        dialect: Text,
    },
    /// A service got another definition.
    ServiceUpdated {
        /// Service name.
        service: Text,
        /// `definition`, or `uninstall` when that was asked for.
        what: Text,
        /// Description of the change.
        text: Prose,
    },
    /// A service was removed.
    ServiceRemoved {
        /// Service name.
        service: Text,
        /// Dialect.
        dialect: Implied,
    },
    /// A scheduler process started or restarted.
    SchedulerStarted {
        /// Service name.
        service: Text,
        /// Target configuration id.
        target: Text,
    },
    /// The displayed status of an element changed.
    ElementStatus {
        /// Which element.
        path: ElementPath,
        /// Before.
        from: Text,
        /// After.
        to: Text,
    },
    /// A phase came into or out of being (recovery).
    PhaseChanged {
        /// Which phase.
        path: ElementPath,
        /// `added`, `replaced` or `removed`.
        change: Text,
    },
    /// A plan command was carried out.
    PlanCommanded {
        /// Which element.
        path: ElementPath,
        /// The operation.
        op: Text,
    },
    /// A pod command was carried out.
    PodCommanded {
        /// Service name.
        service: Text,
        /// Pod instance.
        pod: Text,
        /// The operation.
        op: Text,
    },
    /// An offer was evaluated for a step.
    Evaluated {
        /// Which step.
        path: ElementPath,
        /// Hostname.
        agent: Text,
        /// Set if everything fitted.
        passed: bool,
        /// The first requirement that was not met, or empty.
        requirement: Text,
        /// The requirement that failed, or empty.
        text: Prose,
    },
    /// A launch is delayed after a failure.
    Backoff {
        /// Service name.
        service: Text,
        /// Task name.
        task: Text,
        /// The delay in milliseconds.
        delay_ms: u64,
        /// Until when.
        until_ms: u64,
    },
    /// A failed task was noticed and will be recovered.
    RecoveryNeeded {
        /// Service name.
        service: Text,
        /// Pod instance.
        pod: Text,
        /// `TRANSIENT` or `PERMANENT`.
        recovery: Text,
    },
    /// A launched task has a config file with something missing.
    ConfigFile {
        /// Service name.
        service: Text,
        /// Task name.
        task: Text,
        /// The file.
        file: Box<ConfigFileView>,
    },
    /// Something happened in a service that no other code reacts to.
    Happened {
        /// Speaker: a service, or the system's process.
        speaker: Text,
        /// Kind of the fact, e.g. `deployment-started`. Never reworded: digests and filters go by it.
        what: Text,
        /// Importance of the fact.
        importance: Importance,
        /// The element it is about, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Box<ElementPath>>,
        /// The fact in names and values.
        facts: Vec<(Text, Text)>,
        /// The fact as a sentence.
        text: Prose,
    },
    /// The operator changed weights or quotas of roles.
    Shares {
        /// `weights` or `quota`.
        what: Text,
        /// Roles with their weights, or the role and its amounts.
        facts: Vec<(Text, Text)>,
        /// Which, and how.
        text: Prose,
    },
}
