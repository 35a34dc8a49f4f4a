//! Mesos as a layer of the world.

use super::{Guests, Mesos, holders, routes};
use crate::Master;
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, MachineId, Owner};
use planarium_kernel::{Digest, SimTime, SortedMap};
use planarium_part::{Flags, Ground, Layer, MachineChange, Number, Part, Request, StreamNews, Wire};
use planarium_protocol::input::AddAgent;
use planarium_protocol::view::{MachineView, WindowView};
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

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

    fn stream(&self, ground: &Ground<'_>, topic: &Value, events: &[Event]) -> StreamNews {
        routes::news(self, ground, topic, events)
    }

    fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.master.check(fleet)
    }

    fn digest(&self, digest: &mut Digest) {
        self.master.digest(digest);
    }

    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.master.beyond(before.map(|before| &before.master))
    }

    fn weight(&self) -> u64 {
        self.master.weight()
    }
}

impl Layer for Mesos {
    const OWNER: Owner = crate::OWNER;

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
        mesos.machines_changed(cx, ground, &MachineChange::AllJoined(&there));
        mesos
    }

    fn explain(&self, ground: &Ground<'_>, why: &mut Why) {
        holders::name(ground.fleet(), why);
    }

    fn admits(&self, _: &Ground<'_>, add: &AddAgent) -> Result<(), Refusal> {
        Master::admits(add)
    }

    fn takes_again(&self, ground: &Ground<'_>, machine: MachineId) -> Result<bool, Refusal> {
        self.master.takes_again(ground.fleet(), machine)
    }

    fn machines_changed(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, change: &MachineChange<'_>) {
        match change {
            MachineChange::Joined(machine, add) => {
                self.master.machine_joined(cx, ground.fleet_mut(), *machine, add);
            }
            MachineChange::AllJoined(_) => {
                self.master.run_requested(cx, ground.fleet_mut());
                self.hear_own(cx, ground);
            }
            MachineChange::Leaving(machine) => self.master.machine_leaves(cx, ground.fleet_mut(), *machine),
            MachineChange::Left(_) | MachineChange::Planned(..) => {}
        }
    }

    fn open_books(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.write_all_holdings(cx, ground.fleet_mut());
    }

    fn is_settled(&self) -> bool {
        self.master.is_settled()
    }

    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.master.settle_holdings(cx, ground.fleet_mut());
    }

    fn programs_returned(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        // Frameworks without a socket return to a master that has failed over.
        if let Some(cause) = self.orphaned.take() {
            cx.set_cause(cause);
            let orphans = self.master.drain_orphans();
            self.return_guests(cx, ground, &orphans);
        }
    }

    fn perform(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        input: &Input,
    ) -> Option<Result<Value, Refusal>> {
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

    fn stream_begins(&mut self, ground: &Ground<'_>, topic: &Value) {
        if topic.get("framework").is_none() {
            self.listen(ground.epoch_ms);
        }
    }

    fn stream_closed(&self, topic: &Value) -> Option<Input> {
        routes::closed(self, topic)
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

    fn planned(&self, ground: &Ground<'_>) -> Vec<Text> {
        self.master.scheduled_hosts(ground.fleet())
    }

    fn show(&self, ground: &Ground<'_>, machines: &mut Vec<Arc<MachineView>>) -> u64 {
        *machines = self.master.machines(ground.fleet());
        self.changed
    }

    fn windows(&self) -> Vec<WindowView> {
        self.master.window_views()
    }

    fn why_machine(&self, ground: &Ground<'_>, which: &str) -> Option<MachineWhy> {
        self.master.why_machine(ground.fleet(), which)
    }
}
