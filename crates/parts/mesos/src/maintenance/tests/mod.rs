//! The primitives as a whole: validation, worked traces, the examples of the documentation, random calls.
//!
//! [`Cluster`] acts as the master as far as these tests need one: it carries out effects, runs the batch loop, hands
//! out ids and records what frameworks are told.

mod decode;
mod drain;
mod examples;
mod inverse;
mod properties;
mod refusals;
mod traces;

use super::{decode as reading, *};
use crate::{
    ALLOCATION_INTERVAL_MS,
    api::{AgentId, FrameworkId, OfferId},
};
use planarium_kernel::{Class, EventQueue, SimTime, id::Counter};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const A1: AgentId = AgentId(0);
const A2: AgentId = AgentId(1);
const F1: FrameworkId = FrameworkId(0);
const F2: FrameworkId = FrameworkId(1);
/// Calendar time of genesis in the traces.
const EPOCH_MS: u64 = 1_443_830_400_000;

fn machine(hostname: &str, ip: &str) -> MachineId {
    MachineId::of_agent(hostname, ip)
}

/// Machines `hN` with address `10.0.0.N`.
fn host(n: u8) -> MachineId {
    machine(&format!("h{n}"), &format!("10.0.0.{n}"))
}

fn away(start_ns: i64, duration_ns: Option<i64>) -> Unavailability {
    Unavailability { start_ns, duration_ns }
}

fn schedule(windows: &[(&[MachineId], i64)]) -> Schedule {
    let windows = windows.iter().map(|(machines, start_ns)| Window {
        machine_ids: machines.to_vec(),
        unavailability: away(*start_ns, Some(3_600_000_000_000)),
    });
    Schedule { windows: windows.collect() }
}

enum Timer {
    Batch,
    Filter(AgentId, FrameworkId, InverseFilterId),
}

/// A stand-in for the master.
struct Cluster {
    registry: MachineRegistry,
    inverse: InverseOffers,
    timers: EventQueue<Timer>,
    now: SimTime,
    ids: Counter,
    /// Frameworks with anything on an agent.
    users: BTreeMap<AgentId, BTreeSet<FrameworkId>>,
    /// Outstanding offers.
    offers: BTreeMap<OfferId, (AgentId, FrameworkId)>,
    log: Vec<String>,
}

impl Cluster {
    fn new() -> Self {
        let mut timers = EventQueue::new();
        timers.push(SimTime(ALLOCATION_INTERVAL_MS), Class::Periodic, Timer::Batch);
        Self {
            registry: MachineRegistry::new(),
            inverse: InverseOffers::new(),
            timers,
            now: SimTime::ZERO,
            ids: Counter::new(),
            users: BTreeMap::new(),
            offers: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    fn say(&mut self, line: String) {
        self.log.push(line);
    }

    /// Takes the messages since the last call.
    fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    fn advance_to(&mut self, ms: u64) {
        while let Some(due) = self.timers.next_due().filter(|due| due.ms() <= ms) {
            self.now = due;
            let (_, _, timer) = self.timers.pop_due(due).expect("something is due");
            match timer {
                Timer::Batch => {
                    let all: Vec<AgentId> = self.users.keys().copied().collect();
                    self.run(&all);
                    self.timers.push(
                        due.saturating_add(ALLOCATION_INTERVAL_MS),
                        Class::Periodic,
                        Timer::Batch,
                    );
                }
                Timer::Filter(agent, framework, filter) => {
                    self.inverse.expire(agent, framework, filter);
                }
            }
        }
        self.now = SimTime(ms);
    }

    /// The second half of an allocation run.
    fn run(&mut self, agents: &[AgentId]) {
        for &agent in agents {
            let Some(unavailability) = self.registry.unavailability(agent) else { continue };
            let users: Vec<FrameworkId> = self.users.get(&agent).into_iter().flatten().copied().collect();
            for grant in self.inverse.grant(agent, unavailability, users) {
                let id = OfferId(self.ids.next());
                self.inverse.record(id, grant);
                self.say(format!("F{} INVERSE_OFFERS O{} a{}", grant.framework.0, id.0, agent.0));
            }
        }
    }

    /// A regular offer, tagged as it must be.
    fn offer(&mut self, agent: AgentId, framework: FrameworkId) -> OfferId {
        let id = OfferId(self.ids.next());
        let tag = if self.registry.unavailability(agent).is_some() { "with" } else { "without" };
        self.users.entry(agent).or_default().insert(framework);
        self.offers.insert(id, (agent, framework));
        self.say(format!("F{} OFFERS O{} a{} {tag} unavailability", framework.0, id.0, agent.0));
        id
    }

    fn rescind(&mut self, agent: AgentId, inverse: &[InverseOffer]) {
        let offers: Vec<(OfferId, FrameworkId)> =
            self.offers.iter().filter(|(_, on)| on.0 == agent).map(|(id, on)| (*id, on.1)).collect();
        for (id, framework) in offers {
            self.offers.remove(&id);
            self.say(format!("F{} RESCIND O{}", framework.0, id.0));
        }
        for offer in inverse {
            self.say(format!("F{} RESCIND_INVERSE_OFFER O{}", offer.grant.framework.0, offer.id.0));
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut refreshed = Vec::new();
        for effect in effects {
            match effect {
                Effect::Mode { machine, to, .. } => {
                    let name = machine.hostname.unwrap_or_default();
                    self.say(format!("{name} {}", to.as_str()));
                }
                Effect::Refresh { agent, unavailability } => {
                    assert_eq!(unavailability, self.registry.unavailability(agent));
                    let inverse = self.inverse.refresh(agent);
                    self.rescind(agent, &inverse);
                    refreshed.push(agent);
                }
                Effect::ShutDown { agent } => self.say(format!("a{} shut down", agent.0)),
                Effect::Remove { agent } => {
                    for framework in self.users.remove(&agent).unwrap_or_default() {
                        self.say(format!("F{} UPDATE TASK_LOST a{}", framework.0, agent.0));
                    }
                    let inverse = self.inverse.refresh(agent);
                    self.rescind(agent, &inverse);
                    self.say(format!("FAILURE a{}", agent.0));
                }
            }
        }
        self.say("200".into());
        self.run(&refreshed);
    }

    fn settle(&mut self, result: Result<Vec<Effect>, Refused>) {
        match result {
            Ok(effects) => self.carry_out(effects),
            Err(refused) => self.say(format!("{} {}", refused.status(), refused.class())),
        }
    }

    fn post(&mut self, schedule: Schedule) {
        let result = self.registry.post_schedule(schedule, everyone);
        self.settle(result);
    }

    fn down(&mut self, machines: &[MachineId]) {
        let result = self.registry.machine_down(machines, everyone);
        self.settle(result);
    }

    fn up(&mut self, machines: &[MachineId]) {
        let result = self.registry.machine_up(machines, everyone);
        self.settle(result);
    }

    fn answer(&mut self, id: OfferId, by: FrameworkId, response: Response, refuse_ms: Option<u64>) {
        let answered = self.inverse.answer(self.now, id, by, response, refuse_ms);
        if let Some(Answered { offer, filter: Some((filter, until)), .. }) = answered {
            let timer = Timer::Filter(offer.grant.agent, offer.grant.framework, filter);
            self.timers.push(until, Class::Periodic, timer);
        }
    }

    fn status(&self) -> Value {
        let status = self.registry.get_status(&self.inverse, EPOCH_MS, everyone);
        status.to_json(|framework| format!("f-{:04}", framework.0).into())
    }

    fn posted(&self) -> Value {
        self.registry.get_schedule(everyone).to_json()
    }

    fn broken(&self) -> Vec<String> {
        let mut broken = self.registry.check();
        broken.extend(self.inverse.check(&self.registry, |agent| self.registry.machine_of(agent).is_some()));
        broken
    }
}
