//! The cluster that all systems share: machines and processes, the Mesos master over them.
//!
//! *Knows*: who hears of what happens to a process: the layer that started it, at once and in order.
//! *Must not know*: services; offers and plans are opaque here.

mod beside;
mod kube;
#[cfg(feature = "kube")]
mod pods;
mod said;

use crate::system::Number;
use planarium_ground::{
    Absence, Amounts, Cx, FailedCall, Fleet, FleetEvent, FleetEventKind, Labels, Owner, ProcessId,
    ProcessSpec, Said,
};
use planarium_kernel::cow::behind;
use planarium_kernel::{Cause, Digest, SimTime};
#[cfg(feature = "kube")]
use planarium_kube::Kube;
use planarium_mesos::api::{FrameworkId, FrameworkInfo, Message, Request};
use planarium_mesos::maintenance::{Refused, decode::OperatorCall};
use planarium_mesos::{Master, ProbeFacts};
use planarium_protocol::input::{
    AddAgent, Fault, FaultKind, OfferRound, ProcessBehaviour, Sharing, Target, TaskStatusInput,
};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::{ClusterView, FaultView};
use planarium_protocol::{EventBody, Refusal, Text};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// The flags that the cluster was started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Fixes every draw.
    pub seed: u64,
    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// The master's `offer_timeout`. *Units*: milliseconds.
    pub offer_timeout_ms: Option<u64>,
    /// The master's `agent_removal_rate_limit`. *Units*: milliseconds between two removals.
    pub agent_removal_interval_ms: Option<u64>,
    /// Whether what one layer holds of a machine is free for another.
    pub sharing: Sharing,
}

/// A report of the fleet for a system, or for all of them.
#[derive(Clone, Debug)]
pub struct News {
    /// Whose process it is about; none when it is about a machine.
    pub process: Option<Number>,
    /// The report.
    pub event: FleetEvent,
}

/// Owner of the processes that kubelets start.
pub const KUBELETS: Owner = Owner(1);

/// Owners below this one are layers of the cluster; the process with number `n` is owner `SYSTEMS + n`.
const SYSTEMS: u32 = 16;

/// The machines and the master over them. Cloning shares both until one of them changes.
#[derive(Clone)]
pub struct Cluster {
    fleet: Arc<Fleet>,
    master: Arc<Master>,
    /// Scheduler processes that a fault has ended.
    restarts: Vec<(Cause, Target)>,
    /// The master has failed over, and what stands behind it.
    orphaned: Option<Cause>,
    /// The Kubernetes cluster on the same machines, once a system has asked for it.
    #[cfg(feature = "kube")]
    kube: Option<Arc<Kube>>,
    /// Machines with their pods, as they were shown last.
    #[cfg(feature = "kube")]
    shown: pods::Shown,
    /// Reports that systems have not heard yet.
    news: VecDeque<News>,
    /// Number of the last event when machines last came or went.
    changed: u64,
    /// The highest revision that a service showed before it was removed.
    past_revision: u64,
    epoch_ms: u64,
    /// The instant of a question; questions that do not ask for it leave it at genesis.
    asked: SimTime,
}

impl Cluster {
    /// No machines yet.
    pub fn new(flags: Flags) -> Self {
        let mut master = Master::new(flags.seed);
        master.set_offer_timeout(flags.offer_timeout_ms);
        master.set_agent_removal_interval(flags.agent_removal_interval_ms);
        let mut fleet = Fleet::new(flags.seed);
        fleet.set_sharing(flags.sharing);
        Self {
            fleet: Arc::new(fleet),
            master: Arc::new(master),
            restarts: Vec::new(),
            orphaned: None,
            #[cfg(feature = "kube")]
            kube: None,
            #[cfg(feature = "kube")]
            shown: pods::Shown::default(),
            news: VecDeque::new(),
            changed: 0,
            past_revision: 0,
            epoch_ms: flags.epoch_ms,
            asked: SimTime::ZERO,
        }
    }

    fn parts(&mut self) -> (&mut Fleet, &mut Master) {
        (Arc::make_mut(&mut self.fleet), Arc::make_mut(&mut self.master))
    }

    /// Why a machine is in the state that it is in.
    pub fn why_machine(&self, which: &str) -> Option<planarium_protocol::why::MachineWhy> {
        self.master.why_machine(&self.fleet, which)
    }

    // ---- operators ---------------------------------------------------------------------------

    /// Somebody listens to what the master tells operators: it is kept from now on. Nothing else depends on it.
    pub fn listen(&mut self) {
        let epoch_ms = self.epoch_ms;
        self.parts().1.listen(epoch_ms);
    }

    // ---- time --------------------------------------------------------------------------------

    /// When the machines' next timer is due. *Units*: milliseconds.
    pub fn fleet_due(&self) -> Option<u64> {
        self.fleet.next_due().map(SimTime::ms)
    }

    /// When the master's next timer is due. *Units*: milliseconds.
    pub fn master_due(&self) -> Option<u64> {
        self.master.next_due().map(SimTime::ms)
    }

    /// How many timers are pending that would change something.
    pub fn one_shots(&self) -> usize {
        self.fleet.one_shots() + self.master.one_shots() + self.kube_one_shots()
    }

    /// Whether the next periodic work would change something.
    pub fn restless(&self) -> bool {
        self.fleet.restless() || self.master.restless() || self.kube_restless()
    }

    /// Handles one due timer of the machines.
    pub fn fire_fleet(&mut self, cx: &mut Cx) {
        self.parts().0.fire(cx);
        self.report_drained(cx);
    }

    /// Passes over batch runs of the master up to `until_ms` that change nothing; the last one's instant and
    /// how many they were.
    pub fn pass_quiet_batches(&mut self, until_ms: u64) -> Option<(u64, u64)> {
        let (last, count) = self.parts().1.pass_quiet_batches(SimTime(until_ms))?;
        Some((last.ms(), count))
    }

    /// Handles one due timer of the master.
    pub fn fire_master(&mut self, cx: &mut Cx) {
        let (fleet, master) = self.parts();
        master.fire(cx, fleet);
        self.report_drained(cx);
    }

    /// Hands what the fleet reported meanwhile to the master.
    fn report_drained(&mut self, cx: &mut Cx) {
        let (fleet, master) = (Arc::make_mut(&mut self.fleet), Arc::make_mut(&mut self.master));
        loop {
            master.settle_holdings(cx, fleet);
            #[cfg(feature = "kube")]
            if let Some(kube) = &mut self.kube
                && kube.has_held_changes()
            {
                Arc::make_mut(kube).settle_holdings(cx, fleet);
            }
            let Some(event) = fleet.next_event() else { break };
            let cause = event.cause;
            cx.set_cause(cause);
            let failed_over = matches!(event.kind, FleetEventKind::MasterFailover);
            if let Some(number) = event.owner.and_then(|owner| owner.0.checked_sub(SYSTEMS)) {
                self.news.push_back(News { process: Some(Number(number)), event });
                continue;
            }
            #[cfg(feature = "kube")]
            if let Some(kube) = &mut self.kube
                && event.owner.is_none_or(|owner| owner == KUBELETS)
            {
                Arc::make_mut(kube).on_fleet(cx, fleet, &event);
                cx.set_cause(cause);
            }
            if event.owner == Some(KUBELETS) {
                continue;
            }
            let about_machines = matches!(
                event.kind,
                FleetEventKind::MachineLost { .. } | FleetEventKind::MachineReturned { .. }
            );
            if about_machines {
                self.news.push_back(News { process: None, event: event.clone() });
            }
            if let FleetEventKind::SchedulerRestart { target } = event.kind {
                self.restarts.push((cause, *target));
            } else {
                master.on_fleet(cx, fleet, event);
            }
            if failed_over {
                // Schedulers of services end when they lose their master, and are started again.
                self.orphaned = Some(cause);
                self.restarts.push((cause, Target::default()));
            }
        }
    }

    // ---- frameworks --------------------------------------------------------------------------

    /// A new framework subscribes.
    pub fn subscribe(&mut self, cx: &mut Cx, info: FrameworkInfo) -> FrameworkId {
        let (fleet, master) = self.parts();
        master.subscribe(cx, fleet, info)
    }

    /// Subscribes a framework that has its id from another master.
    ///
    /// *Errors*: one of this id was removed, or the id is malformed.
    pub fn subscribe_as(
        &mut self,
        cx: &mut Cx,
        info: FrameworkInfo,
        wire: &Text,
    ) -> Result<FrameworkId, String> {
        let (fleet, master) = self.parts();
        master.subscribe_as(cx, fleet, info, wire)
    }

    /// A framework that is known subscribes again: its scheduler process has restarted.
    pub fn resubscribe(&mut self, cx: &mut Cx, framework: FrameworkId, info: FrameworkInfo) {
        let (fleet, master) = self.parts();
        master.resubscribe(cx, fleet, framework, info);
    }

    /// Carries a framework's calls out, each under its own cause.
    pub fn call_all(&mut self, cx: &mut Cx, framework: FrameworkId, requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        let (fleet, master) = self.parts();
        for request in requests {
            cx.set_cause(request.cause);
            master.call(cx, fleet, framework, request.call);
        }
        self.report_drained(cx);
    }

    /// One call of a framework, under the present cause.
    pub fn call(&mut self, cx: &mut Cx, framework: FrameworkId, call: planarium_mesos::api::Call) {
        let request = Request { cause: cx.cause(), call };
        self.call_all(cx, framework, vec![request]);
    }

    // ---- processes of systems without a framework --------------------------------------------

    /// Starts a process of a system on a machine. Its news reaches that system's process with this number.
    pub fn launch(&mut self, cx: &mut Cx, number: Number, spec: ProcessSpec) -> ProcessId {
        let spec = ProcessSpec { owner: Owner(SYSTEMS.saturating_add(number.0)), ..spec };
        let pid = self.parts().0.launch(cx, spec);
        self.report_drained(cx);
        pid
    }

    /// Asks a process that a system started to end.
    pub fn kill(&mut self, cx: &mut Cx, pid: ProcessId, grace_ms: u64) {
        self.parts().0.kill(cx, pid, grace_ms);
        self.report_drained(cx);
    }

    /// As [`Cluster::launch`], with the time that starting takes when nothing slows it down. *Units*: milliseconds.
    pub fn launch_within(
        &mut self,
        cx: &mut Cx,
        number: Number,
        spec: ProcessSpec,
        start_ms: u64,
    ) -> ProcessId {
        let spec = ProcessSpec { owner: Owner(SYSTEMS.saturating_add(number.0)), ..spec };
        let pid = self.parts().0.launch_within(cx, spec, start_ms);
        self.report_drained(cx);
        pid
    }

    /// A process that a system started holds so much of its machine until it ends, and is shown there as what it is.
    pub fn hold_for(&mut self, cx: &mut Cx, pid: ProcessId, kind: &'static str, amounts: Amounts) {
        self.parts().0.hold_for(cx, pid, kind, amounts);
        self.report_drained(cx);
    }

    /// Says that a process that a system started has been running and ready all along. Nothing is reported.
    pub fn adopt(&mut self, cx: &mut Cx, pid: ProcessId) {
        self.parts().0.say(cx, pid, Said::Running(Some(0)));
    }

    /// Takes a process that a system started away without a report.
    pub fn vanish(&mut self, pid: ProcessId) {
        self.parts().0.vanish(pid);
    }

    /// Names those who hold the rest of machines whose offers were too small.
    pub fn name_holders(&self, why: &mut planarium_protocol::Why) {
        beside::name_holders(&self.fleet, why);
    }

    /// Whether a call that a system makes fails because of a fault. Counts it.
    pub fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall> {
        let failed = self.parts().0.fails_call(cx, labels);
        self.report_drained(cx);
        failed
    }

    /// Takes the oldest report that systems have not heard.
    pub fn next_news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// The machines and processes, to be asked.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// How many messages for frameworks there are.
    pub fn waiting_messages(&self) -> usize {
        self.master.waiting_messages()
    }

    /// Takes the oldest message for a framework.
    pub fn next_message(&mut self) -> Option<Message> {
        Arc::make_mut(&mut self.master).next_message()
    }

    /// Which scheduler processes a fault has ended since the last time, and what stands behind it.
    pub fn take_scheduler_restarts(&mut self) -> Vec<(Cause, Target)> {
        std::mem::take(&mut self.restarts)
    }

    /// Frameworks that have lost their master since the last time, and what stands behind it.
    pub fn take_orphans(&mut self) -> Option<(Cause, Vec<FrameworkId>)> {
        let cause = self.orphaned.take()?;
        Some((cause, self.parts().1.drain_orphans()))
    }

    /// The master, to be asked.
    pub fn master(&self) -> &Master {
        &self.master
    }

    /// Something done with the master; what it brings about on the machines reaches the master in turn.
    pub fn with_master<R>(
        &mut self,
        cx: &mut Cx,
        work: impl FnOnce(&mut Master, &mut Fleet, &mut Cx) -> R,
    ) -> R {
        #[cfg(feature = "kube")]
        let scheduled = self.scheduled();
        let (fleet, master) = self.parts();
        let result = work(master, fleet, cx);
        self.report_drained(cx);
        #[cfg(feature = "kube")]
        self.follow_schedule(cx, &scheduled);
        // The schedule may have changed although no machine here is in it.
        self.changed = self.changed.max(cx.next_seq() - 1);
        result
    }

    // ---- inputs ------------------------------------------------------------------------------

    /// Machines join, each with an agent.
    pub fn add_agent(&mut self, cx: &mut Cx, add: &AddAgent) -> Result<Value, Refusal> {
        #[cfg(feature = "kube")]
        let known: Vec<_> = self.fleet.machine_ids().collect();
        let (fleet, master) = self.parts();
        let before = cx.pending().len();
        master.add_agent(cx, fleet, add)?;
        self.report_drained(cx);
        #[cfg(feature = "kube")]
        self.match_nodes(cx, &known);
        self.changed = cx.next_seq() - 1;
        let added = cx.pending().iter().skip(before).filter_map(|fact| match &fact.body {
            EventBody::AgentRegistered { agent, agent_id } => {
                Some(json!({ "hostname": agent, "agent_id": agent_id }))
            }
            _ => None,
        });
        Ok(json!({ "agents": added.collect::<Vec<_>>() }))
    }

    /// A machine goes for good.
    pub fn remove_agent(&mut self, cx: &mut Cx, agent: &str) -> Result<Value, Refusal> {
        let known: Vec<_> = self.fleet.machine_ids().collect();
        let (fleet, master) = self.parts();
        master.remove_agent(cx, fleet, agent)?;
        self.report_drained(cx);
        // Systems hear of it as of a machine that is lost and never comes back.
        for machine in known.iter().copied().filter(|machine| self.fleet.machine(*machine).is_none()) {
            let kind = FleetEventKind::MachineLost { machine, how: Absence::Lost };
            let event = FleetEvent { cause: cx.cause(), owner: None, kind };
            self.news.push_back(News { process: None, event });
        }
        #[cfg(feature = "kube")]
        self.match_nodes(cx, &known);
        self.changed = cx.next_seq() - 1;
        Ok(json!({ "agent": agent }))
    }

    /// Injects a fault.
    pub fn inject(&mut self, cx: &mut Cx, fault: &Fault) -> Result<Value, Refusal> {
        let id = self.parts().0.inject(cx, fault)?;
        self.report_drained(cx);
        Ok(json!({ "id": id }))
    }

    /// Ends a fault.
    pub fn clear_fault(&mut self, cx: &mut Cx, id: &str) -> Result<Value, Refusal> {
        self.parts().0.clear(cx, id)?;
        self.report_drained(cx);
        Ok(json!({ "id": id }))
    }

    /// Changes how matching processes behave.
    pub fn set_behaviour(&mut self, cx: &mut Cx, rule: &ProcessBehaviour) -> Value {
        self.parts().0.set_behaviour(cx, rule);
        self.report_drained(cx);
        json!({})
    }

    /// The user says how a task is.
    pub fn task_status(&mut self, cx: &mut Cx, status: &TaskStatusInput) -> Result<Value, Refusal> {
        let (fleet, master) = self.parts();
        match master.task_status(cx, fleet, status) {
            Err(refusal) if refusal.code == RefusalCode::NotFound => {
                let said = self.say_of_process(cx, status);
                said.or_else(|| self.say_of_container(cx, status)).unwrap_or(Err(refusal))?;
            }
            done => done?,
        }
        self.report_drained(cx);
        Ok(json!({ "task": status.task, "state": status.state }))
    }

    /// The highest revision that a service showed before it was removed. One that takes its name counts on from there,
    /// so that equal revisions show the same.
    pub const fn past_revision(&self) -> u64 {
        self.past_revision
    }

    /// A service that showed this revision is removed.
    pub fn note_past_revision(&mut self, revision: u64) {
        self.past_revision = self.past_revision.max(revision);
    }

    /// Exactly one offer round.
    pub fn offer_round(&mut self, cx: &mut Cx, round: &OfferRound) -> Result<Value, Refusal> {
        let made = self.parts().1.offer_round(cx, round)?;
        self.report_drained(cx);
        Ok(json!({ "offers": made }))
    }

    /// What an operator asks about maintenance.
    pub fn maintain(&mut self, cx: &mut Cx, call: OperatorCall) -> Result<(), Refused> {
        let done = self.with_master(cx, |master, fleet, cx| master.maintain(cx, fleet, call));
        self.changed = cx.next_seq() - 1;
        done
    }

    // ---- what it shows -----------------------------------------------------------------------

    /// The machines as everybody sees them.
    pub fn view(&self) -> Arc<ClusterView> {
        let machines = self.master.machines(&self.fleet);
        // A sum, because the schedule may change while the machines' revisions are ahead.
        let newest = machines.iter().map(|machine| machine.revision).max().unwrap_or(0);
        let revision = newest.saturating_add(self.changed);
        #[cfg(feature = "kube")]
        let (machines, pods) = self.with_pods(machines);
        #[cfg(feature = "kube")]
        let revision = revision.saturating_add(pods);
        let (machines, processes) = beside::with_processes(&self.fleet, machines);
        let revision = revision.saturating_add(processes);
        let windows = self.master.window_views();
        Arc::new(ClusterView { revision, machines, statuses: planarium_mesos::STATUSES, windows })
    }

    /// The same cluster, to be asked at an instant.
    #[must_use]
    pub fn asked_at(&self, now: SimTime) -> Self {
        Self { asked: now, ..self.clone() }
    }

    /// The instant at which it is asked.
    pub fn asked(&self) -> SimTime {
        self.asked
    }

    /// What is known about a task's process.
    pub fn probe(&self, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        self.master.probe(&self.fleet, framework, task_id)
    }

    /// Ids of the faults that keep offers from a service.
    pub fn withholding_offers(&self, service: &Text) -> Vec<Text> {
        self.fleet.faults_on_service(FaultKind::OffersWithheld, service)
    }

    /// Faults in force.
    pub fn faults(&self) -> Vec<FaultView> {
        self.fleet.faults()
    }

    /// What does not hold, in words.
    pub fn check(&self) -> Vec<String> {
        let mut found = self.fleet.check();
        found.extend(self.master.check(&self.fleet));
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            found.extend(kube.check(&self.fleet));
        }
        found
    }

    /// Writes the state of machines and processes into a digest.
    pub fn fleet_digest(&self, digest: &mut Digest) {
        self.fleet.digest(digest);
    }

    /// Writes the state of the Kubernetes objects into a digest, where there are any.
    pub fn kube_digest(&self, digest: &mut Digest) {
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            kube.digest(digest);
        }
        digest.write_bool(false);
    }

    /// Writes the state of the master and its agents into a digest.
    pub fn master_digest(&self, digest: &mut Digest) {
        self.master.digest(digest);
    }

    /// Bytes that this cluster holds and `before` does not, by estimate.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let fleet = before.map(|before| &before.fleet);
        let master = before.map(|before| &before.master);
        let own = behind(&self.fleet, fleet, |now| now.beyond(fleet.map(|fleet| &**fleet)))
            + behind(&self.master, master, |now| now.beyond(master.map(|master| &**master)));
        #[cfg(feature = "kube")]
        let own = match &self.kube {
            None => own,
            Some(now) => {
                let kube = before.and_then(|before| before.kube.as_ref());
                own + behind(now, kube, |now| now.beyond(kube.map(|kube| &**kube)))
            }
        };
        own
    }

    /// Roughly how many bytes a copy takes.
    pub fn weight(&self) -> u64 {
        let own = self.fleet.weight() + self.master.weight();
        #[cfg(feature = "kube")]
        let own = own + self.kube.as_ref().map_or(0, |kube| kube.beyond(None));
        own
    }
}
