//! The Mesos cluster as a framework's scheduler reaches it.
//!
//! *Knows*: one scheduler and its calls. *Must not know*: services, other cluster managers.

use super::{Mesos, News, holders};
use crate::ProbeFacts;
use crate::api::{Call, FrameworkId, FrameworkInfo, Request};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_kernel::{Milli, SimTime};
use planarium_part::{Ground, Number, System};
use planarium_protocol::input::FaultKind;
use planarium_protocol::view::{FaultView, MachineView};
use planarium_protocol::{Refusal, Text, Why};
use std::sync::Arc;

/// The machines and the master over them, lent to a scheduler for one call.
pub struct Cluster<'a> {
    /// The machines.
    pub ground: Ground<'a>,
    /// Mesos. Copies of a world share it until one of them changes.
    pub mesos: &'a mut Arc<Mesos>,
}

/// A system whose daemons are schedulers of Mesos frameworks.
pub trait Framework: System {
    /// Receives a message of the master, under the message's cause.
    fn hear_from_master(&mut self, cx: &mut Cx, cluster: &mut Cluster<'_>, news: News);
}

impl Cluster<'_> {
    /// The same cluster for a shorter call.
    pub fn again(&mut self) -> Cluster<'_> {
        Cluster { ground: self.ground.again(), mesos: self.mesos }
    }

    // ---- calls -------------------------------------------------------------------------------

    /// A new framework subscribes, for the daemon that the cluster is lent to.
    pub fn subscribe(&mut self, cx: &mut Cx, info: FrameworkInfo) -> FrameworkId {
        let mesos = Arc::make_mut(self.mesos);
        let id = mesos.master.subscribe(cx, self.ground.fleet_mut(), info);
        mesos.appoint(id, self.ground.number);
        id
    }

    /// A framework that is known subscribes again: its scheduler has restarted.
    pub fn resubscribe(&mut self, cx: &mut Cx, framework: FrameworkId, info: FrameworkInfo) {
        Arc::make_mut(self.mesos).master.resubscribe(cx, self.ground.fleet_mut(), framework, info);
    }

    /// Updates the description of a subscribed framework.
    ///
    /// *Errors*: changes that the master refuses.
    pub fn update_framework(
        &mut self,
        cx: &mut Cx,
        framework: FrameworkId,
        info: FrameworkInfo,
    ) -> Result<(), Refusal> {
        let mesos = Arc::make_mut(self.mesos);
        mesos.act(cx, &mut self.ground, |master, _, cx| master.update_framework(cx, framework, info))
    }

    /// Carries a framework's calls out, each under its own cause.
    pub fn call_all(&mut self, cx: &mut Cx, framework: FrameworkId, requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        let mesos = Arc::make_mut(self.mesos);
        for request in requests {
            cx.set_cause(request.cause);
            mesos.master.call(cx, self.ground.fleet_mut(), framework, request.call);
        }
        mesos.hear_own(cx, &mut self.ground);
    }

    /// One call of a framework, under the present cause.
    pub fn call(&mut self, cx: &mut Cx, framework: FrameworkId, call: Call) {
        let request = Request { cause: cx.cause(), call };
        self.call_all(cx, framework, vec![request]);
    }

    /// The machines and processes, to be changed: checks that a scheduler makes itself.
    pub fn fleet_mut(&mut self) -> &mut Fleet {
        self.ground.fleet_mut()
    }

    // ---- questions ---------------------------------------------------------------------------

    /// Returns the known facts of a task's process.
    pub fn probe(&self, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        self.mesos.master.probe(self.ground.fleet(), framework, task_id)
    }

    /// Ids of all tasks of a framework that an implicit reconciliation tells of, each with that of its agent.
    pub fn tasks_of(&self, framework: FrameworkId) -> Vec<(Text, Text)> {
        self.mesos.master.tasks_of(framework)
    }

    /// Returns the process of a task, by the ids of task and agent: what a scheduler that knows its address reaches,
    /// independent of the master's records.
    pub fn process_of(&self, framework: FrameworkId, task: &str, agent: &str) -> Option<ProcessId> {
        self.mesos.master.process_of(framework, task, agent)
    }

    /// The machines as the master knows them.
    pub fn machines(&self) -> Vec<Arc<MachineView>> {
        self.mesos.master.machines(self.ground.fleet())
    }

    /// Tells if a round over all machines, or over the one of this hostname, would offer a framework something.
    pub fn round_reaches(&self, framework: FrameworkId, hostname: Option<&str>) -> bool {
        self.mesos.master.round_reaches(framework, hostname)
    }

    /// Tells if a role's quota leaves less of something than one of these amounts, by the names of resources.
    pub fn is_limited(&self, role: &str, amounts: &[(&str, Milli)]) -> bool {
        self.mesos.master.is_limited(role, amounts)
    }

    /// Adds to an explanation the holders of the machines whose offers were too small.
    pub fn name_holders(&self, why: &mut Why) {
        holders::name_holders(self.ground.fleet(), why);
    }

    /// Ids of the faults that keep offers from a service.
    pub fn withholding_offers(&self, service: &Text) -> Vec<Text> {
        self.ground.fleet().faults_on_service(FaultKind::OffersWithheld, service)
    }

    /// Faults in force.
    pub fn faults(&self) -> Vec<FaultView> {
        self.ground.fleet().faults()
    }

    /// The present instant.
    pub fn asked(&self) -> SimTime {
        self.ground.now
    }

    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub fn epoch_ms(&self) -> u64 {
        self.ground.epoch_ms
    }

    /// The highest revision that a service showed before it was removed.
    pub fn past_revision(&self) -> u64 {
        self.mesos.past_revision
    }

    /// A service that showed this revision is removed.
    pub fn note_past_revision(&mut self, revision: u64) {
        let mesos = Arc::make_mut(self.mesos);
        mesos.past_revision = mesos.past_revision.max(revision);
    }
}

impl Mesos {
    /// Delivers messages of this framework to this daemon, and no longer those of its previous framework.
    fn appoint(&mut self, framework: FrameworkId, process: Number) {
        self.schedulers.retain(|_, other| *other != process);
        self.schedulers.insert(framework, process);
    }
}
