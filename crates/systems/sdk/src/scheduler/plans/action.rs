//! Steps that launch nothing: kill tasks, release reservations, erase records, deregister.
//!
//! *Knows*: their kinds and the real classes. *Must not know*: when one of them runs.
//!
//! **Source**: `dcos-commons: …/scheduler/uninstall/{TaskKillStep,ResourceCleanupStep,TLSCleanupStep,
//! DeregisterStep,UninstallRecorder}.java, …/scheduler/decommission/{TriggerDecommissionStep,
//! EraseTaskStateStep}.java`. Match.

use crate::scheduler::requirement::WorkKey;
use planarium_kernel::Digest;
use planarium_protocol::Text;

/// Work of a step without a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Ends a task that leaves with its pod. Complete at once.
    Decommission {
        /// Instance name.
        task: Text,
    },
    /// Ends a task of a service that is uninstalled. Complete at once.
    Kill {
        /// Task id.
        id: Text,
        /// Agent id.
        agent: Text,
    },
    /// Waits until a reservation is offered; cleaning up gives it back.
    Unreserve {
        /// `resource_id`.
        id: Text,
        /// Hostname of the reservation.
        host: Text,
        /// Pod instance it was made for.
        pod: Text,
    },
    /// A step that a program around the definition has put in. Complete at once.
    Custom,
    /// Forgets a task. Complete at once.
    Erase {
        /// Instance name.
        task: Text,
    },
    /// Removes certificates and keys. Complete at once.
    TlsCleanup,
    /// Tells the master that the framework is over, one cycle after its turn has come.
    Deregister,
}

impl Action {
    /// The real class, as step messages show it.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::Decommission { .. } => "com.mesosphere.sdk.scheduler.decommission.TriggerDecommissionStep",
            Self::Kill { .. } => "com.mesosphere.sdk.scheduler.uninstall.TaskKillStep",
            Self::Unreserve { .. } => "com.mesosphere.sdk.scheduler.uninstall.ResourceCleanupStep",
            Self::Custom => "com.mesosphere.sdk.helloworld.scheduler.DecommissionCustomizer$CustomStep",
            Self::Erase { .. } => "com.mesosphere.sdk.scheduler.decommission.EraseTaskStateStep",
            Self::TlsCleanup => "com.mesosphere.sdk.scheduler.uninstall.TLSCleanupStep",
            Self::Deregister => "com.mesosphere.sdk.scheduler.uninstall.DeregisterStep",
        }
    }

    /// Identity of this piece of work; steps without a pod differ by name only.
    pub(crate) fn work_key(step: &str) -> WorkKey {
        let mut digest = Digest::new();
        digest.write_str("action");
        digest.write_str(step);
        digest.finish()
    }
}
