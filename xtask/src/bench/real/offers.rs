//! R2: allocation rounds and maintenance schedules of a master over 1,000 agents and 20,000 tasks, without the rest of
//! the engine.
//!
//! A schedule that is posted refreshes the agents of every machine that the master knows, so those are what changed.

use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_mesos::{
    ALLOCATION_INTERVAL_MS, Cx, Master,
    api::{
        Call, Capability, FrameworkId, FrameworkInfo, Offer, Operation, Resources, SchedulerEvent, TaskInfo,
    },
    maintenance::{MachineId, Schedule, Unavailability, Window, decode::OperatorCall},
};
use planarium_protocol::{
    Amount,
    input::{AddAgent, Behaviour, OfferRound, ProcessBehaviour},
};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};

const AGENTS: u32 = 1_000;
const TASKS_PER_AGENT: u32 = 20;
const FRAMEWORKS: u32 = 5;
const ROUNDS: u64 = 50;
const HOUR_MS: u64 = 3_600_000;

/// Machines in a schedule.
const SCHEDULED: u32 = 100;
const POSTS: u32 = 20;

/// Measures rounds with nothing changed and with 1 % changed, and schedules that are posted.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let mut cluster = Cluster::filled(AGENTS)?;
    let idle = cluster.unchanged(ROUNDS);
    figures.row("R2 a round with nothing changed", unit.of(idle), " u", Budget::AtMost(2_000.0, 200.0));
    let changed = cluster.changed(AGENTS / 100, ROUNDS)?;
    let budget = Budget::AtMost(50.0, 25.0);
    figures.row("R2 a round with 1 % changed, per agent changed", unit.of(changed), " u", budget);
    let more = cluster.changed(AGENTS / 10, ROUNDS / 5)?;
    figures.row("R2 the same with 10 % changed, per agent", more / changed, "x", Budget::AtMost(1.5, 1.1));
    let post = cluster.posted(SCHEDULED, POSTS)?;
    let budget = Budget::AtMost(50.0, 25.0);
    let per_agent = unit.of(post / f64::from(AGENTS));
    figures.row("R2 a schedule of 100 machines posted, per agent refreshed", per_agent, " u", budget);
    figures.row("R2 the same, per machine in it", unit.of(post / f64::from(SCHEDULED)), " u", Budget::None);
    let mut cancelled = 0.0;
    for _ in 0..POSTS {
        cluster.posted(SCHEDULED, 1)?;
        cancelled += cluster.posted(0, 1)? / f64::from(POSTS);
    }
    figures.row(
        "R2 an empty schedule posted, per agent refreshed",
        unit.of(cancelled / f64::from(AGENTS)),
        " u",
        budget,
    );
    Ok(())
}

/// A cluster of that size, filled, and some rounds.
pub(crate) fn probe(agents: u32) -> Result<()> {
    let mut cluster = Cluster::filled(agents)?;
    cluster.unchanged(ROUNDS);
    cluster.changed(agents.div_ceil(100), ROUNDS)?;
    cluster.posted(agents.div_ceil(10), POSTS).map(drop)
}

/// A master with its machines, and frameworks that turn everything down.
struct Cluster {
    cx: Cx,
    fleet: Fleet,
    master: Master,
    frameworks: Vec<FrameworkId>,
}

impl Cluster {
    /// All tasks are launched; no framework wants more for an hour.
    fn filled(agents: u32) -> Result<Self> {
        let mut cluster =
            Self { cx: Cx::new(1), fleet: Fleet::new(1), master: Master::new(1), frameworks: Vec::new() };
        // Nothing happens without a request, so that every change is a requested one.
        let manual = ProcessBehaviour {
            target: planarium_protocol::input::Target::default(),
            behaviour: Behaviour { manual: Some(true), ..Behaviour::default() },
        };
        cluster.fleet.set_behaviour(&mut cluster.cx, &manual);
        let resources = planarium_protocol::input::Resources {
            cpus: Some(Amount::whole(32)),
            mem: Some(Amount::whole(128 * 1024)),
            disk: Some(Amount::whole(200 * 1024)),
            ports: Some("[1025-32000]".to_owned()),
            ..planarium_protocol::input::Resources::default()
        };
        let add = AddAgent { count: Some(agents), resources, ..AddAgent::default() };
        cluster
            .master
            .add_agent(&mut cluster.cx, &mut cluster.fleet, &add)
            .map_err(|refusal| anyhow!("agents were refused: {refusal:?}"))?;
        for n in 0..FRAMEWORKS {
            let info = FrameworkInfo {
                name: format!("framework-{n}").into(),
                roles: vec![format!("role-{n}").into()],
                capabilities: vec![Capability::MultiRole, Capability::PartitionAware],
                failover_ms: HOUR_MS,
                ..FrameworkInfo::default()
            };
            let id = cluster.master.subscribe(&mut cluster.cx, &cluster.fleet, info);
            cluster.frameworks.push(id);
        }
        let mut launched = 0;
        for _ in 0..10 {
            if launched == agents {
                break;
            }
            cluster.next_batch();
            for offer in cluster.offers() {
                cluster.launch(&offer, TASKS_PER_AGENT);
                launched += 1;
            }
        }
        ensure!(launched == agents, "only {launched} agents of {agents} were filled");
        cluster.quiet();
        Ok(cluster)
    }

    /// Goes to the next batch run; answers the nanoseconds it took.
    fn next_batch(&mut self) -> u64 {
        let now = self.cx.now().ms();
        let at = SimTime(now - now % ALLOCATION_INTERVAL_MS + ALLOCATION_INTERVAL_MS);
        let watch = CpuWatch::start();
        while let Some(due) = self.master.next_due().filter(|due| *due <= at) {
            self.cx.set_now(due);
            self.master.fire(&mut self.cx, &mut self.fleet);
        }
        self.cx.set_now(at);
        watch.nanos()
    }

    /// Offers that came in.
    fn offers(&mut self) -> Vec<Arc<Offer>> {
        self.cx.drain();
        let events = std::iter::from_fn(|| self.master.next_message());
        events
            .flat_map(|message| match message.event {
                SchedulerEvent::Offers(offers) => offers,
                _ => Vec::new(),
            })
            .collect()
    }

    fn launch(&mut self, offer: &Offer, tasks: u32) {
        let info = |n| TaskInfo {
            name: format!("task-{n}").into(),
            task_id: format!("{}-{}-{n}", offer.hostname, offer.id.0).into(),
            resources: Resources::parse("cpus:1;mem:1024").unwrap_or_default(),
            kill_grace_ms: Some(0),
            ..TaskInfo::default()
        };
        let operations = vec![Operation::Launch((0..tasks).map(info).collect())];
        let call = Call::Accept { offer_ids: vec![offer.id], operations, refuse_ms: Some(HOUR_MS) };
        self.master.call(&mut self.cx, &mut self.fleet, offer.framework, call);
    }

    /// Turns everything down for an hour until nothing is offered any more.
    fn quiet(&mut self) {
        loop {
            self.next_batch();
            let offers = self.offers();
            if offers.is_empty() {
                return;
            }
            self.decline(&offers);
        }
    }

    fn decline(&mut self, offers: &[Arc<Offer>]) {
        for framework in self.frameworks.clone() {
            let own = offers.iter().filter(|offer| offer.framework == framework);
            let offer_ids: Vec<_> = own.map(|offer| offer.id).collect();
            if !offer_ids.is_empty() {
                let call = Call::Decline { offer_ids, refuse_ms: Some(HOUR_MS) };
                self.master.call(&mut self.cx, &mut self.fleet, framework, call);
            }
        }
        self.cx.drain();
    }

    /// Nanoseconds of a round in which nothing has changed.
    fn unchanged(&mut self, rounds: u64) -> f64 {
        let nanos: u64 = (0..rounds).map(|_| self.next_batch()).sum();
        float(nanos) / float(rounds)
    }

    /// Nanoseconds per agent of a round after this many agents changed: offers made, and declined for a second.
    fn changed(&mut self, agents: u32, rounds: u64) -> Result<f64> {
        let (mut nanos, mut looked_at) = (0, 0);
        for round in 0..rounds {
            let first = u32::try_from(round)? * agents;
            let names = (0..agents).map(|n| format!("agent-{}", (first + n) % AGENTS + 1)).collect();
            // Bypass all frameworks' filters on these agents: the offers come from a round by hand ...
            self.master
                .offer_round(&mut self.cx, &OfferRound { agents: names })
                .map_err(|refusal| anyhow!("the round was refused: {refusal:?}"))?;
            let offers = self.offers();
            ensure!(!offers.is_empty(), "nothing was offered");
            // ... and their return is a change that the batch run must check, for every framework.
            for offer in &offers {
                let call = Call::Decline { offer_ids: vec![offer.id], refuse_ms: Some(0) };
                self.master.call(&mut self.cx, &mut self.fleet, offer.framework, call);
            }
            self.cx.drain();
            nanos += self.next_batch();
            looked_at += u64::from(agents);
            let again = self.offers();
            let watch = CpuWatch::start();
            self.decline(&again);
            nanos += watch.nanos();
        }
        Ok(float(nanos) / float(looked_at))
    }

    /// Nanoseconds of posting a schedule of this many machines, different ones each time. Their frameworks are asked
    /// to leave.
    fn posted(&mut self, machines: u32, posts: u32) -> Result<f64> {
        let known = self.master.machines(&self.fleet);
        let names: Vec<_> =
            known.iter().map(|m| MachineId::of_agent(m.hostname.clone(), m.ip.clone())).collect();
        let mut nanos = 0;
        for post in 0..posts {
            let named = names.iter().cycle().skip((post * machines) as usize).take(machines as usize);
            let unavailability = Unavailability { start_ns: i64::from(post), duration_ns: Some(1) };
            let window = Window { machine_ids: named.cloned().collect(), unavailability };
            let windows = if machines > 0 { vec![window] } else { Vec::new() };
            let call = OperatorCall::UpdateSchedule(Schedule { windows });
            let watch = CpuWatch::start();
            let done = self.master.maintain(&mut self.cx, &mut self.fleet, call);
            nanos += watch.nanos();
            done.map_err(|refused| anyhow!("the schedule was refused: {refused}"))?;
            self.cx.drain();
            let asked =
                std::iter::from_fn(|| self.master.next_message()).filter_map(|message| match message.event {
                    SchedulerEvent::InverseOffers(offers) => Some(offers.len()),
                    _ => None,
                });
            ensure!(asked.sum::<usize>() >= machines as usize, "nobody was asked to leave");
        }
        Ok(float(nanos) / f64::from(posts))
    }
}
