//! A small world around the master: a clock, and all messages to frameworks, as lines.

use planarium_ground::{Fleet, Program};
use planarium_kernel::{Milli, SimTime};
use planarium_mesos::{
    Cx, Master,
    api::*,
    maintenance::{Refused, decode::OperatorCall},
    wire::Calendar,
};
use planarium_protocol::{
    Amount, Text,
    input::{AddAgent, Behaviour, Fault, FaultKind, OfferRound, ProcessBehaviour, Target, TaskStatusInput},
};
use std::{collections::BTreeMap, sync::Arc};

pub(crate) struct Cluster {
    pub(crate) cx: Cx,
    pub(crate) fleet: Fleet,
    pub(crate) master: Master,
    /// Offers that are outstanding as frameworks see them.
    pub(crate) offers: Vec<Arc<Offer>>,
    /// Inverse offers that are outstanding as frameworks see them.
    pub(crate) inverse: Vec<Arc<InverseOffer>>,
    log: Vec<String>,
    names: BTreeMap<FrameworkId, String>,
    /// Every status, with its framework.
    pub(crate) statuses: Vec<(FrameworkId, TaskStatus)>,
    /// Every status of an operation, with its framework.
    pub(crate) operations: Vec<(FrameworkId, OperationStatus)>,
    pub(crate) check: bool,
    /// Rounds that find nothing to do are passed over.
    pub(crate) pass: bool,
    /// Number of skipped rounds.
    pub(crate) passed: u64,
}

impl Cluster {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            cx: Cx::new(seed),
            fleet: Fleet::new(seed),
            master: Master::new(seed),
            offers: Vec::new(),
            inverse: Vec::new(),
            log: Vec::new(),
            names: BTreeMap::new(),
            statuses: Vec::new(),
            operations: Vec::new(),
            check: true,
            pass: false,
            passed: 0,
        }
    }

    /// A cluster with processes under manual control.
    pub(crate) fn manual() -> Self {
        let mut cluster = Self::new(1);
        cluster.behave(Target::default(), Behaviour { manual: Some(true), ..Behaviour::default() });
        cluster
    }

    pub(crate) fn agents(&mut self, count: u32, text: &str) -> Vec<AgentId> {
        let add = AddAgent { count: Some(count), resources: machine(text), ..AddAgent::default() };
        self.add(&add)
    }

    pub(crate) fn add(&mut self, add: &AddAgent) -> Vec<AgentId> {
        let ids = self.master.add_agent(&mut self.cx, &mut self.fleet, add).expect("valid agents");
        self.settle();
        ids
    }

    pub(crate) fn framework(&mut self, name: &str, info: impl FnOnce(&mut FrameworkInfo)) -> FrameworkId {
        let mut all = FrameworkInfo {
            name: name.into(),
            roles: vec![format!("{name}-role").into()],
            principal: Some(format!("{name}-principal").into()),
            capabilities: vec![
                Capability::MultiRole,
                Capability::ReservationRefinement,
                Capability::PartitionAware,
                Capability::RegionAware,
            ],
            checkpoint: true,
            failover_ms: 60_000,
            ..FrameworkInfo::default()
        };
        info(&mut all);
        let id = self.master.subscribe(&mut self.cx, &self.fleet, all);
        self.names.insert(id, name.to_owned());
        self.settle();
        id
    }

    /// A framework that acknowledges statuses by calls.
    pub(crate) fn outsider(&mut self, name: &str, info: impl FnOnce(&mut FrameworkInfo)) -> FrameworkId {
        let id = self.framework(name, info);
        self.master.acknowledges_by_calls(id);
        id
    }

    /// The framework acknowledges a status.
    pub(crate) fn acknowledge(&mut self, framework: FrameworkId, status: &TaskStatus) {
        let calendar = Calendar { epoch_ms: 0, now: self.cx.now() };
        let event = SchedulerEvent::Update(status.clone());
        let shown = self.master.event_json(calendar, framework, &event, 0);
        let uuid = shown["update"]["status"]["uuid"].as_str().expect("to be acknowledged").to_owned();
        let uuid = planarium_kernel::base64::Base64::Padded.decode(uuid.as_bytes()).expect("base64");
        let agent = status.agent_id.clone().unwrap_or_default();
        self.master.acknowledge(&mut self.cx, &mut self.fleet, framework, &agent, &status.task_id, &uuid);
        self.settle();
    }

    /// The framework acknowledges what came of an operation.
    pub(crate) fn acknowledge_operation(&mut self, framework: FrameworkId, status: &OperationStatus) {
        let calendar = Calendar { epoch_ms: 0, now: self.cx.now() };
        let event = SchedulerEvent::Operation(status.clone());
        let shown = self.master.event_json(calendar, framework, &event, 0);
        let uuid = shown["update_operation_status"]["status"]["uuid"]["value"].as_str();
        let uuid = uuid.expect("to be acknowledged").to_owned();
        let uuid = planarium_kernel::base64::Base64::Padded.decode(uuid.as_bytes()).expect("base64");
        let (agent, id) = (status.agent_id.clone().unwrap_or_default(), &status.operation_id);
        self.master.acknowledge_operation(&mut self.cx, &mut self.fleet, framework, &agent, id, &uuid);
        self.settle();
    }

    /// The last status that a framework must acknowledge.
    pub(crate) fn last_status(&self, framework: FrameworkId) -> Option<TaskStatus> {
        let own = self.statuses.iter().rev().filter(|(id, _)| *id == framework);
        own.map(|(_, status)| status).find(|status| status.number.is_some()).cloned()
    }

    pub(crate) fn acknowledge_last(&mut self, framework: FrameworkId) {
        let status = self.last_status(framework).expect("something to acknowledge");
        self.acknowledge(framework, &status);
    }

    pub(crate) fn call(&mut self, framework: FrameworkId, call: Call) {
        self.master.call(&mut self.cx, &mut self.fleet, framework, call);
        self.settle();
    }

    pub(crate) fn accept(&mut self, framework: FrameworkId, operations: Vec<Operation>) {
        let offer_ids = self.outstanding(framework);
        self.accept_with(framework, &offer_ids[..1], operations, None);
    }

    pub(crate) fn accept_with(
        &mut self,
        framework: FrameworkId,
        offer_ids: &[OfferId],
        operations: Vec<Operation>,
        refuse_ms: Option<u64>,
    ) {
        self.offers.retain(|offer| !offer_ids.contains(&offer.id));
        self.call(framework, Call::Accept { offer_ids: offer_ids.to_vec(), operations, refuse_ms });
    }

    pub(crate) fn decline(&mut self, framework: FrameworkId, refuse_ms: Option<u64>) {
        let offer_ids = self.outstanding(framework);
        self.offers.retain(|offer| !offer_ids.contains(&offer.id));
        self.call(framework, Call::Decline { offer_ids, refuse_ms });
    }

    pub(crate) fn outstanding(&self, framework: FrameworkId) -> Vec<OfferId> {
        self.offers.iter().filter(|offer| offer.framework == framework).map(|offer| offer.id).collect()
    }

    /// Returns a framework's offers, `hostname role resources` each.
    pub(crate) fn offered(&self, framework: FrameworkId) -> Vec<String> {
        let own = self.offers.iter().filter(|offer| offer.framework == framework);
        let mut lines: Vec<String> =
            own.map(|o| format!("{} {} {}", o.hostname, o.role, o.resources)).collect();
        lines.sort_unstable();
        lines
    }

    pub(crate) fn fault(&mut self, kind: FaultKind, target: Target, more: impl FnOnce(&mut Fault)) -> Text {
        let mut fault = Fault {
            fault: kind,
            id: None,
            target,
            for_ms: None,
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        };
        more(&mut fault);
        let id = self.fleet.inject(&mut self.cx, &fault).expect("valid fault");
        self.settle();
        id
    }

    /// Another master takes over; all frameworks return to it at once.
    pub(crate) fn fail_over(&mut self) {
        self.lose_master();
        for id in self.master.drain_orphans() {
            self.master.resubscribe_as_before(&mut self.cx, &self.fleet, id);
        }
        self.settle();
    }

    /// Another master takes over, and no framework knows.
    pub(crate) fn lose_master(&mut self) {
        self.offers.clear();
        self.inverse.clear();
        self.fault(FaultKind::MasterFailover, Target::default(), |_| {});
    }

    pub(crate) fn clear(&mut self, id: &str) {
        self.fleet.clear(&mut self.cx, id).expect("fault in force");
        self.settle();
    }

    pub(crate) fn behave(&mut self, target: Target, behaviour: Behaviour) {
        self.fleet.set_behaviour(&mut self.cx, &ProcessBehaviour { target, behaviour });
        self.settle();
    }

    pub(crate) fn status(&mut self, task: &str, state: &str) {
        self.say(&said(task, state));
    }

    pub(crate) fn say(&mut self, said: &TaskStatusInput) {
        self.master.task_status(&mut self.cx, &mut self.fleet, said).expect("valid status");
        self.settle();
    }

    pub(crate) fn maintain(&mut self, call: OperatorCall) -> Result<(), Refused> {
        let done = self.master.maintain(&mut self.cx, &mut self.fleet, call);
        self.settle();
        done
    }

    pub(crate) fn operate(
        &mut self,
        call: &planarium_mesos::operator::OperatorCall,
    ) -> Result<planarium_mesos::wire::Answer, planarium_protocol::Refusal> {
        let done = self.master.operate(&mut self.cx, &mut self.fleet, call);
        self.settle();
        done
    }

    pub(crate) fn round(&mut self, agents: &[&str]) -> u32 {
        let round = OfferRound { agents: agents.iter().map(|name| (*name).to_owned()).collect() };
        let made = self.master.offer_round(&mut self.cx, &round).expect("known agents");
        self.settle();
        made
    }

    pub(crate) fn now(&self) -> u64 {
        self.cx.now().ms()
    }

    pub(crate) fn advance_to(&mut self, at_ms: u64) {
        loop {
            let due = [self.fleet.next_due(), self.master.next_due()];
            let Some(next) = due.into_iter().flatten().min().filter(|next| next.ms() <= at_ms) else { break };
            if self.pass {
                let until = self.fleet.next_due().map_or(at_ms, |due| at_ms.min(due.ms().saturating_sub(1)));
                if let Some((last, count)) = self.master.pass_quiet_batches(SimTime(until)) {
                    self.passed += count;
                    self.cx.set_now(last);
                    continue;
                }
            }
            self.cx.set_now(next);
            if self.fleet.next_due() == Some(next) {
                self.fleet.fire(&mut self.cx);
            } else {
                self.master.fire(&mut self.cx, &mut self.fleet);
            }
            self.settle();
        }
        self.cx.set_now(SimTime(at_ms.max(self.now())));
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        self.advance_to(self.now() + ms);
    }

    /// Hands everything on that waits in an outbox, then checks the invariants.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut idle = true;
            while let Some(event) = self.fleet.next_event() {
                self.master.on_fleet(&mut self.cx, &mut self.fleet, event);
                idle = false;
            }
            let messages = std::iter::from_fn(|| self.master.next_message()).collect::<Vec<_>>();
            if idle && messages.is_empty() {
                break;
            }
            for message in messages {
                self.hear(message);
            }
        }
        if self.check {
            let mut broken = self.fleet.check();
            broken.extend(self.master.check(&self.fleet));
            assert!(broken.is_empty(), "at {}: {broken:#?}", self.now());
        }
    }

    fn hear(&mut self, message: Message) {
        let name = self.names.get(&message.framework).cloned().unwrap_or_default();
        let line = match message.event {
            SchedulerEvent::Subscribed { .. } => "SUBSCRIBED".to_owned(),
            SchedulerEvent::Offers(offers) => {
                let mut agents: Vec<String> = offers.iter().map(|offer| offer.hostname.to_string()).collect();
                agents.sort_unstable();
                self.offers.extend(offers);
                format!("OFFERS {}", agents.join(" "))
            }
            SchedulerEvent::Rescind(id) => {
                self.offers.retain(|offer| offer.id != id);
                "RESCIND".to_owned()
            }
            SchedulerEvent::Update(status) => {
                let reason = status.reason.map(|reason| format!(" {}", reason.as_str())).unwrap_or_default();
                let check = match status.check {
                    Some(CheckStatus { exit_code: Some(code) }) => format!(" check={code}"),
                    Some(CheckStatus { exit_code: None }) => " check=?".to_owned(),
                    None => String::new(),
                };
                let healthy = status.healthy.map(|healthy| format!(" healthy={healthy}")).unwrap_or_default();
                let line = format!("{} {}{reason}{check}{healthy}", status.task_id, status.state.as_str());
                self.statuses.push((message.framework, status));
                line
            }
            SchedulerEvent::Operation(status) => {
                let line = format!("{} {}", status.operation_id, status.state.as_str());
                self.operations.push((message.framework, status));
                line
            }
            SchedulerEvent::Failure { .. } => "FAILURE".to_owned(),
            SchedulerEvent::InverseOffers(offers) => {
                let agents: Vec<String> = offers.iter().map(|offer| offer.hostname.to_string()).collect();
                self.inverse.extend(offers);
                format!("INVERSE_OFFERS {}", agents.join(" "))
            }
            SchedulerEvent::RescindInverseOffer(id) => {
                self.inverse.retain(|offer| offer.id != id);
                "RESCIND_INVERSE_OFFER".to_owned()
            }
        };
        let at = self.now();
        let who = if self.names.len() > 1 { format!("{name} ") } else { String::new() };
        self.log.push(format!("{at} {who}{line}"));
    }

    /// Returns the messages to frameworks since the last call, `instant [framework] event`.
    pub(crate) fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// The same without OFFERS lines.
    pub(crate) fn heard_of_tasks(&mut self) -> Vec<String> {
        self.heard()
            .into_iter()
            .filter(|line| !line.contains("OFFERS") && !line.contains("SUBSCRIBED"))
            .collect()
    }
}

pub(crate) fn said(task: &str, state: &str) -> TaskStatusInput {
    TaskStatusInput {
        task: task.to_owned(),
        state: state.to_owned(),
        service: None,
        readiness_exit: None,
        healthy: None,
        reason: None,
        message: None,
    }
}

/// A machine's resources from Mesos text; kinds not named are nothing.
pub(crate) fn machine(text: &str) -> planarium_protocol::input::Resources {
    let all = Resources::parse(text).expect("test text");
    let amount = |name: &str| Some(Amount(all.scalar(name).0));
    planarium_protocol::input::Resources {
        cpus: amount("cpus"),
        mem: amount("mem"),
        disk: amount("disk"),
        gpus: amount("gpus"),
        ports: Some(all.ranges("ports").to_string()),
        disks: Vec::new(),
    }
}

pub(crate) fn res(text: &str) -> Resources {
    Resources::parse(text).expect("test text")
}

/// A task that runs on, and keeps no grace.
pub(crate) fn task(id: &str, resources: &str) -> TaskInfo {
    TaskInfo {
        name: id.split("__").next().unwrap_or(id).into(),
        task_id: id.into(),
        resources: res(resources),
        program: Program::default(),
        kill_grace_ms: Some(2_000),
        ..TaskInfo::default()
    }
}

pub(crate) fn launch(tasks: Vec<TaskInfo>) -> Operation {
    Operation::Launch(tasks)
}

/// The resource reserved for a framework's role, with an id.
pub(crate) fn reserved(framework: &str, name: &str, amount_thousandths: i64, id: &str) -> Resource {
    Resource::scalar(name, Milli(amount_thousandths)).pushed(reservation(framework, id))
}

pub(crate) fn reservation(framework: &str, id: &str) -> Reservation {
    Reservation::dynamic(format!("{framework}-role"), Some(format!("{framework}-principal").into()))
        .with_label("resource_id", id)
}

pub(crate) fn volume(disk: &Resource, framework: &str, id: &str) -> Resource {
    disk.with_volume(Persistence {
        id: id.into(),
        principal: Some(format!("{framework}-principal").into()),
        container_path: "data".into(),
    })
}

pub(crate) fn on_agent(hostname: &str) -> Target {
    Target { agent: Some(hostname.to_owned()), ..Target::default() }
}

pub(crate) fn on_task(task: &str) -> Target {
    Target { task: Some(task.to_owned()), ..Target::default() }
}

pub(crate) fn start_after(ms: u64) -> Behaviour {
    Behaviour { start_ms: Some(ms), ..Behaviour::default() }
}

/// The resource whose topmost reservation has this `resource_id` label.
pub(crate) fn with_id<'a>(resources: &'a Resources, id: &str) -> Option<&'a Resource> {
    resources.iter().find(|resource| resource.resource_id().is_some_and(|own| &**own == id))
}
