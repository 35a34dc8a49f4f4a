//! Mesos as a layer of the world.

use super::{Guests, Mesos, News, routes};
use crate::Master;
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, MachineId, Owner};
use planarium_kernel::{SimTime, SortedMap, Stretch};
use planarium_part::{
    Delivery, Done, Flags, Ground, Layer, MachineChange, Number, Part, Request, StreamNews, Wire,
};
use planarium_protocol::input::AddAgent;
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal};
use serde_json::Value;
use std::collections::VecDeque;

impl Part for Mesos {
    type Ports<'a> = Ground<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        Some((self.master.next_due()?, Number(0)))
    }

    fn one_shots(&self) -> usize {
        self.master.one_shots()
    }

    fn restless(&self) -> bool {
        self.master.restless()
    }

    fn fire(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.fire(cx, ground.fleet_mut());
        self.hear_own(cx, ground);
    }

    fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        self.master.on_fleet(cx, ground.fleet_mut(), event.clone());
        if matches!(event.kind, FleetEventKind::MasterFailover) {
            self.orphaned = Some(event.cause);
        }
    }

    fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
        routes::route(self, ground, request, parts)
    }

    fn stream(&self, ground: &Ground<'_>, topic: &Value, events: Stretch<'_, Event>) -> StreamNews {
        routes::news(self, ground, topic, events)
    }

    fn stream_begins(&mut self, ground: &Ground<'_>, topic: &Value) {
        if topic.get("framework").is_none() {
            self.listen(ground.epoch_ms);
        }
    }

    fn stream_closed(&mut self, _: &Ground<'_>, topic: &Value) -> Option<Input> {
        routes::closed(self, topic)
    }

    fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.master.check(fleet)
    }

    fn weight(&self) -> u64 {
        self.master.weight()
    }
}

impl Layer for Mesos {
    const OWNER: Owner = crate::OWNER;
    const LISTS_MACHINES: bool = true;

    type News = News;

    fn begin(cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) -> Self {
        let mut master = Master::new(flags.seed);
        master.set_offer_timeout(flags.of_program("offer_timeout"));
        master.set_agent_removal_interval(flags.of_program("agent_removal_rate_limit"));
        let mut mesos = Self {
            master,
            guests: Guests::default(),
            seed: flags.seed,
            schedulers: SortedMap::new(),
            removed: VecDeque::new(),
            orphaned: None,
            round_made: false,
            changed: 0,
            past_revision: 0,
        };
        if ground.now > SimTime::ZERO {
            mesos.master.begin_batches_at(ground.now);
        }
        let there: Vec<MachineId> = ground.fleet().machine_ids().collect();
        for machine in &there {
            mesos.master.machine_joined(cx, ground.fleet_mut(), *machine, &AddAgent::default());
            if let Some(how) = ground.fleet().absence(*machine) {
                let kind = FleetEventKind::MachineLost { machine: *machine, how };
                let event = FleetEvent { cause: cx.cause(), owner: None, kind };
                mesos.master.on_fleet(cx, ground.fleet_mut(), event);
            }
        }
        mesos.all_joined(cx, ground);
        mesos
    }

    fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal> {
        match change {
            MachineChange::Asked(add) => Master::admits(add)?,
            MachineChange::Joined(machine, add) => {
                self.master.machine_joined(cx, ground.fleet_mut(), *machine, add);
            }
            MachineChange::Again(machine, add) => {
                let registers = self.master.takes_again(ground.fleet(), *machine)?;
                if registers {
                    self.master.machine_joined(cx, ground.fleet_mut(), *machine, add);
                }
                return Ok(registers);
            }
            MachineChange::AllJoined(_) => self.all_joined(cx, ground),
            MachineChange::Leaving(machine) => self.master.machine_leaves(cx, ground.fleet_mut(), *machine),
            MachineChange::Left(_) => {}
        }
        Ok(false)
    }

    fn is_settled(&self, ground: &Ground<'_>) -> bool {
        self.master.is_settled(ground.fleet())
    }

    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.settle_holdings(cx, ground.fleet_mut());
    }

    fn has_news(&self) -> bool {
        !self.removed.is_empty() || self.round_made || self.has_messages()
    }

    /// Removed frameworks have a round of their own, before the messages. A round that the user made is reported after the messages
    /// that were there, its offers among them.
    fn begin_delivery(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> usize {
        if !self.removed.is_empty() {
            return self.removed.len();
        }
        let messages = self.begin_messages(cx, ground);
        messages + usize::from(self.round_made)
    }

    fn deliver(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, left: usize) -> Delivery<News> {
        if let Some(number) = self.removed.pop_front() {
            return Delivery::To(number, News::Removed);
        }
        if left == 1 && std::mem::take(&mut self.round_made) {
            return Delivery::ToAll(News::OfferRound);
        }
        self.deliver_message(cx, ground)
    }

    fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        match input {
            Input::Maintenance(maintenance) => Some(self.maintenance(cx, ground, maintenance)),
            Input::Framework(framework) => Some(self.framework_input(cx, ground, framework)),
            Input::OfferRound(round) => Some(self.offer_round(cx, ground, round)),
            Input::Call(call) => self.master_call(cx, ground, call),
            Input::TaskStatus(said) => {
                let done = self.master.task_status(cx, ground.fleet_mut(), said);
                self.hear_own(cx, ground);
                match done {
                    Err(refusal) if refusal.code == planarium_protocol::refusal::RefusalCode::NotFound => {
                        None
                    }
                    Err(refusal) => Some(Err(refusal)),
                    Ok(()) => Some(Ok(planarium_protocol::json!({ "task": said.task, "state": said.state }))),
                }
            }
            _ => None,
        }
    }

    fn owns(parts: &[&str]) -> bool {
        routes::owns(parts)
    }

    fn is_needed_for(input: &Input) -> bool {
        match input {
            Input::Maintenance(_) | Input::Framework(_) | Input::OfferRound(_) => true,
            Input::Call(call) => super::calls::is_masters(call),
            _ => false,
        }
    }

    fn pass_quiet(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        self.master.pass_quiet_batches(until)
    }

    fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        cluster.machines = self.master.machines(ground.fleet());
        cluster.windows = self.master.window_views();
        self.changed
    }

    fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>) {
        if let Some(own) = self.master.why_machine(ground.fleet(), which) {
            *why = Some(own);
        }
    }
}
