//! Machines and master together, as the world drives them.
//!
//! Knows: that the fleet's reports go to the master at once, in order.
//! Must not know: services; offers and plans are opaque here.

use crate::genesis::Genesis;
use crate::systems::Request;
use planarium_fleet::{Cx, Fleet, FleetEventKind};
use planarium_kernel::cow::behind;
use planarium_kernel::{Cause, SimTime};
use planarium_mesos::api::{FrameworkId, FrameworkInfo, Message};
use planarium_mesos::maintenance::{Refused, decode::OperatorCall};
use planarium_mesos::{Master, ProbeFacts};
use planarium_protocol::input::{
    AddAgent, Fault, FaultKind, OfferRound, ProcessBehaviour, Target, TaskStatusInput,
};
use planarium_protocol::json;
use planarium_protocol::view::{ClusterView, FaultView};
use planarium_protocol::{EventBody, Refusal, Text};
use serde_json::Value;
use std::sync::Arc;

/// The machines and the master over them. Cloning shares both until one of them changes.
#[derive(Clone)]
pub(crate) struct Cluster {
    fleet: Arc<Fleet>,
    master: Arc<Master>,
    /// Scheduler processes that a fault has ended.
    restarts: Vec<(Cause, Target)>,
    /// The master has failed over, and what stands behind it.
    orphaned: Option<Cause>,
    /// Number of the last event when machines last came or went.
    changed: u64,
}

impl Cluster {
    pub(crate) fn new(genesis: &Genesis) -> Self {
        let mut master = Master::new(genesis.seed);
        master.set_offer_timeout(genesis.offer_timeout_ms);
        master.set_agent_removal_interval(genesis.agent_removal_interval_ms);
        Self {
            fleet: Arc::new(Fleet::new(genesis.seed)),
            master: Arc::new(master),
            restarts: Vec::new(),
            orphaned: None,
            changed: 0,
        }
    }

    fn parts(&mut self) -> (&mut Fleet, &mut Master) {
        (Arc::make_mut(&mut self.fleet), Arc::make_mut(&mut self.master))
    }

    // ---- time --------------------------------------------------------------------------------

    pub(crate) fn fleet_due(&self) -> Option<u64> {
        self.fleet.next_due().map(SimTime::ms)
    }

    pub(crate) fn master_due(&self) -> Option<u64> {
        self.master.next_due().map(SimTime::ms)
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.fleet.one_shots() + self.master.one_shots()
    }

    pub(crate) fn restless(&self) -> bool {
        self.fleet.restless() || self.master.restless()
    }

    pub(crate) fn fire_fleet(&mut self, cx: &mut Cx) {
        self.parts().0.fire(cx);
        self.report_drained(cx);
    }

    /// Passes over batch runs of the master up to `until_ms` that change nothing; the last one's instant and
    /// how many they were.
    pub(crate) fn pass_quiet_batches(&mut self, until_ms: u64) -> Option<(u64, u64)> {
        let (last, count) = self.parts().1.pass_quiet_batches(SimTime(until_ms))?;
        Some((last.ms(), count))
    }

    pub(crate) fn fire_master(&mut self, cx: &mut Cx) {
        let (fleet, master) = self.parts();
        master.fire(cx, fleet);
        self.report_drained(cx);
    }

    /// Hands what the fleet reported meanwhile to the master.
    fn report_drained(&mut self, cx: &mut Cx) {
        let (fleet, master) = (Arc::make_mut(&mut self.fleet), Arc::make_mut(&mut self.master));
        while let Some(event) = fleet.next_event() {
            let cause = event.cause;
            cx.set_cause(cause);
            let failed_over = matches!(event.kind, FleetEventKind::MasterFailover);
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

    pub(crate) fn subscribe(&mut self, cx: &mut Cx, info: FrameworkInfo) -> FrameworkId {
        let (fleet, master) = self.parts();
        master.subscribe(cx, fleet, info)
    }

    /// A framework that is known subscribes again: its scheduler process has restarted.
    pub(crate) fn resubscribe(&mut self, cx: &mut Cx, framework: FrameworkId, info: FrameworkInfo) {
        let (fleet, master) = self.parts();
        master.resubscribe(cx, fleet, framework, info);
    }

    pub(crate) fn call_all(&mut self, cx: &mut Cx, framework: Option<FrameworkId>, requests: Vec<Request>) {
        let Some(framework) = framework else { return };
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

    /// How many messages for frameworks there are.
    pub(crate) fn waiting_messages(&self) -> usize {
        self.master.waiting_messages()
    }

    /// Takes the oldest message for a framework.
    pub(crate) fn next_message(&mut self) -> Option<Message> {
        Arc::make_mut(&mut self.master).next_message()
    }

    /// Which scheduler processes a fault has ended since the last time, and what stands behind it.
    pub(crate) fn take_scheduler_restarts(&mut self) -> Vec<(Cause, Target)> {
        std::mem::take(&mut self.restarts)
    }

    /// Frameworks that have lost their master since the last time, and what stands behind it.
    pub(crate) fn take_orphans(&mut self) -> Option<(Cause, Vec<FrameworkId>)> {
        let cause = self.orphaned.take()?;
        Some((cause, self.parts().1.drain_orphans()))
    }

    /// The master, to be asked.
    pub(crate) fn master(&self) -> &Master {
        &self.master
    }

    /// Something done with the master; what it brings about on the machines reaches the master in turn.
    pub(crate) fn with_master<R>(
        &mut self,
        cx: &mut Cx,
        work: impl FnOnce(&mut Master, &mut Fleet, &mut Cx) -> R,
    ) -> R {
        let (fleet, master) = self.parts();
        let result = work(master, fleet, cx);
        self.report_drained(cx);
        // The schedule may have changed although no machine here is in it.
        self.changed = self.changed.max(cx.next_seq() - 1);
        result
    }

    // ---- inputs ------------------------------------------------------------------------------

    pub(crate) fn add_agent(&mut self, cx: &mut Cx, add: &AddAgent) -> Result<Value, Refusal> {
        let (fleet, master) = self.parts();
        let before = cx.pending().len();
        master.add_agent(cx, fleet, add)?;
        self.report_drained(cx);
        self.changed = cx.next_seq() - 1;
        let added = cx.pending().iter().skip(before).filter_map(|fact| match &fact.body {
            EventBody::AgentRegistered { agent, agent_id } => {
                Some(json!({ "hostname": agent, "agent_id": agent_id }))
            }
            _ => None,
        });
        Ok(json!({ "agents": added.collect::<Vec<_>>() }))
    }

    pub(crate) fn remove_agent(&mut self, cx: &mut Cx, agent: &str) -> Result<Value, Refusal> {
        let (fleet, master) = self.parts();
        master.remove_agent(cx, fleet, agent)?;
        self.report_drained(cx);
        self.changed = cx.next_seq() - 1;
        Ok(json!({ "agent": agent }))
    }

    pub(crate) fn inject(&mut self, cx: &mut Cx, fault: &Fault) -> Result<Value, Refusal> {
        let id = self.parts().0.inject(cx, fault)?;
        self.report_drained(cx);
        Ok(json!({ "id": id }))
    }

    pub(crate) fn clear_fault(&mut self, cx: &mut Cx, id: &str) -> Result<Value, Refusal> {
        self.parts().0.clear(cx, id)?;
        self.report_drained(cx);
        Ok(json!({ "id": id }))
    }

    pub(crate) fn set_behaviour(&mut self, cx: &mut Cx, rule: &ProcessBehaviour) -> Value {
        self.parts().0.set_behaviour(cx, rule);
        self.report_drained(cx);
        json!({})
    }

    pub(crate) fn task_status(&mut self, cx: &mut Cx, status: &TaskStatusInput) -> Result<Value, Refusal> {
        let (fleet, master) = self.parts();
        master.task_status(cx, fleet, status)?;
        self.report_drained(cx);
        Ok(json!({ "task": status.task, "state": status.state }))
    }

    pub(crate) fn offer_round(&mut self, cx: &mut Cx, round: &OfferRound) -> Result<Value, Refusal> {
        let made = self.parts().1.offer_round(cx, round)?;
        self.report_drained(cx);
        Ok(json!({ "offers": made }))
    }

    /// What an operator asks about maintenance.
    pub(crate) fn maintain(&mut self, cx: &mut Cx, call: OperatorCall) -> Result<(), Refused> {
        let done = self.with_master(cx, |master, fleet, cx| master.maintain(cx, fleet, call));
        self.changed = cx.next_seq() - 1;
        done
    }

    // ---- what it shows -----------------------------------------------------------------------

    pub(crate) fn view(&self) -> Arc<ClusterView> {
        let machines = self.master.machines(&self.fleet);
        // A sum, because the schedule may change while the machines' revisions are ahead.
        let newest = machines.iter().map(|machine| machine.revision).max().unwrap_or(0);
        let revision = newest.saturating_add(self.changed);
        Arc::new(ClusterView { revision, machines, windows: self.master.window_views() })
    }

    /// What is known about a task's process.
    pub(crate) fn probe(&self, framework: FrameworkId, task_id: &str) -> Option<ProbeFacts> {
        self.master.probe(&self.fleet, framework, task_id)
    }

    /// Ids of the faults that keep offers from a service.
    pub(crate) fn withholding_offers(&self, service: &Text) -> Vec<Text> {
        self.fleet.faults_on_service(FaultKind::OffersWithheld, service)
    }

    pub(crate) fn faults(&self) -> Vec<FaultView> {
        self.fleet.faults()
    }

    /// What does not hold, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.fleet.check();
        found.extend(self.master.check(&self.fleet));
        found
    }

    /// Bytes that this cluster holds and `before` does not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let fleet = before.map(|before| &before.fleet);
        let master = before.map(|before| &before.master);
        behind(&self.fleet, fleet, |now| now.beyond(fleet.map(|fleet| &**fleet)))
            + behind(&self.master, master, |now| now.beyond(master.map(|master| &**master)))
    }

    /// Roughly how many bytes a copy takes.
    pub(crate) fn weight(&self) -> u64 {
        self.fleet.weight() + self.master.weight()
    }
}
