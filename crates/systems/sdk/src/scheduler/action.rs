//! Steps that launch nothing: tasks ended, reservations given back, records erased, the framework's end.
//!
//! *Knows*: what each of them does on its turn and what completes it. *Must not know*: which plan it is in,
//! offers beyond the ids of reservations that were given back.
//!
//! **Source**: `dcos-commons: …/scheduler/uninstall/{TaskKillStep,ResourceCleanupStep,TLSCleanupStep,
//! DeregisterStep,UninstallRecorder}.java, …/scheduler/decommission/{TriggerDecommissionStep,
//! EraseTaskStateStep}.java`. Match.

use super::requirement::Config;
use super::store::{Override, OverrideProgress, OverrideTarget, Store};
use super::{Cx, Request, Scheduler};
use planarium_kernel::Digest;
use planarium_kernel::SortedSet;
use planarium_mesos::api::Call;
use planarium_plan::{Holder, Status, StepState};
use planarium_protocol::Text;
use std::sync::Arc;

/// What a step without a pod does.
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
        /// Where it is.
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
    pub(crate) fn work_key(step: &str) -> super::revive::WorkKey {
        let mut digest = Digest::new();
        digest.write_str("action");
        digest.write_str(step);
        digest.finish()
    }
}

impl Scheduler {
    /// Works on a candidate that launches nothing.
    pub(super) fn act(&mut self, cx: &mut Cx, holder: Holder, action: &Action, out: &mut Vec<Request>) {
        let prepared = self.step_status(holder) == Status::Prepared;
        let next = match action {
            // It waits; nothing is said again.
            Action::Unreserve { .. } if prepared => return,
            Action::Decommission { task } => {
                self.decommission_task(cx, task, out);
                StepState::Complete
            }
            Action::Kill { id, agent } => {
                self.kill(cx, id, Some(agent), out);
                StepState::Complete
            }
            Action::Erase { task } => {
                self.erase(task);
                StepState::Complete
            }
            Action::TlsCleanup | Action::Custom => StepState::Complete,
            Action::Deregister if prepared => {
                self.tear_down(cx, out);
                StepState::Complete
            }
            Action::Unreserve { .. } | Action::Deregister => StepState::Prepared,
        };
        self.set_state(holder, next);
        if self.report(cx, holder.plan).is_some() {
            self.need_cycle(cx);
        }
        self.touch(cx, holder.plan);
    }

    fn decommission_task(&mut self, cx: &mut Cx, task: &Text, out: &mut Vec<Request>) {
        let goal =
            Override { target: OverrideTarget::Decommissioned, progress: OverrideProgress::InProgress };
        let place = self.store.update(task, |record| {
            record.goal = goal;
            (record.is_alive(), record.id.clone(), record.at.agent_id.clone())
        });
        if let Some((true, id, agent)) = place {
            self.kill(cx, &id, Some(&agent), out);
        }
    }

    fn erase(&mut self, task: &Text) {
        let key = self.store.named(task).map(|record| record.pod.clone());
        self.store.remove(task);
        if let Some(key) = key {
            self.note_pod(&key);
        }
    }

    /// The framework's end: the master removes it with all its tasks, and nothing is remembered.
    fn tear_down(&mut self, cx: &Cx, out: &mut Vec<Request>) {
        out.push(Request { cause: cx.cause(), call: Call::Teardown });
        self.torn_down = true;
        self.store = Store::default();
        self.files.clear();
        self.kills = super::Kills::default();
        self.failing.clear();
        self.completed_once = false;
        let target: Arc<Config> = self.target.clone();
        self.configs.retain(|id, _| *id == target.id);
        self.stop_timers();
    }

    /// Reservations were given back: records that leave forget them, and the steps that wait for them
    /// are done, whatever their state.
    pub(super) fn given_back(&mut self, cx: &mut Cx, hostname: &str, ids: &SortedSet<Text>) {
        let uninstalling = self.is_uninstalling();
        self.store.forget_reservations(hostname, ids, uninstalling);
        let done: Vec<Holder> = ids.iter().filter_map(|id| self.givers.get(id).copied()).collect();
        for holder in &done {
            if !self.step_status(*holder).is_complete() {
                self.set_state(*holder, StepState::Complete);
                self.touch(cx, holder.plan);
            }
        }
        if !done.is_empty() && self.report_all(cx).is_some() {
            self.need_cycle(cx);
        }
    }
}
