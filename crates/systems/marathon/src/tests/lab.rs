//! A process with a real master and real machines, driven from timer to timer.

#![expect(dead_code, reason = "helpers of tests")]

use crate::definition::{Around, Refused, app_of, normalise_app};
use crate::deployments::planning::{Accepted, RootChange};
use crate::groups::Marks;
use crate::id::PathId;
use crate::instances::instance::{Condition, Goal, Instance};
use crate::marathon::Marathon;
use crate::port::Port;
use crate::settings::Settings;
use planarium_ground::{Cx, FleetEventKind};
use planarium_kernel::recorder::Recorder;
use planarium_kernel::{Cause, SimTime};
use planarium_mesos::{Alone, News};
use planarium_part::{Flags, Number};
use planarium_protocol::input::{AddAgent, Behaviour, Fault, FaultKind, ProcessBehaviour, Target};
use planarium_protocol::{EventBody, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) struct Lab {
    pub(crate) cx: Cx,
    pub(crate) alone: Alone,
    pub(crate) marathon: Marathon,
    /// Everything that happened, a line each.
    pub(crate) log: Vec<String>,
    seen: u64,
}

impl Lab {
    /// Builds a cluster of this number of machines with 8 CPUs each.
    pub(crate) fn new(machines: u32) -> Self {
        Self::with(machines, &[])
    }

    /// The same, with flags.
    pub(crate) fn with(machines: u32, env: &[(&str, &str)]) -> Self {
        let env: BTreeMap<String, String> =
            env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mut cx = Recorder::new(7);
        let flags = Flags { seed: 7, epoch_ms: 1_700_000_000_000, ..Flags::default() };
        let mut alone = Alone::new(&mut cx, &flags);
        let resources = serde_json::from_value(
            json!({"cpus": 8, "mem": 16384, "disk": 100_000, "ports": "[31000-32000]"}),
        );
        let add =
            AddAgent { count: Some(machines), resources: resources.expect("amounts"), ..AddAgent::default() };
        if machines > 0 {
            alone.add_agent(&mut cx, &add).expect("machines");
        }
        let now = cx.now();
        let mut cluster = alone.cluster(now);
        let port = &mut Port::new(&mut cx, &mut cluster);
        let marathon = Marathon::begin(port, Number(0), Settings::of(&env));
        let mut lab = Self { cx, alone, marathon, log: Vec::new(), seen: 0 };
        lab.pump();
        lab
    }

    pub(crate) fn add_machine(&mut self, add: Value) {
        let add: AddAgent = serde_json::from_value(add).expect("a machine");
        self.alone.add_agent(&mut self.cx, &add).expect("a machine");
        self.pump();
    }

    /// Passes everything on that waits.
    pub(crate) fn pump(&mut self) {
        loop {
            let mut told = false;
            while let Some(event) = self.alone.next_report(&mut self.cx) {
                self.at_work(|marathon, port| match event.kind {
                    FleetEventKind::SchedulerRestart { .. } | FleetEventKind::MasterFailover => {
                        marathon.start_again(port);
                    }
                    _ => marathon.on_fleet(port, &event),
                });
                told = true;
            }
            while let Some(news) = self.alone.next_message(&mut self.cx) {
                self.at_work(|marathon, port| match news {
                    News::Message(message) => marathon.on_message(port, message),
                    News::Removed => marathon.register_anew(port),
                    News::OfferRound => {}
                });
                told = true;
            }
            if !told {
                break;
            }
        }
        self.note();
        assert_eq!(self.marathon.check(), Vec::<String>::new(), "{}", self.log.join("\n"));
    }

    fn note(&mut self) {
        for event in self.cx.drain() {
            if event.seq <= self.seen {
                continue;
            }
            self.seen = event.seq;
            let line = match &event.body {
                EventBody::Happened { text, what, .. } if &**what != "events" => format!("{what}: {text}"),
                EventBody::TaskStatus { task_id, state, reason, .. } => format!("{state} {task_id} {reason}"),
                EventBody::Launched { task_id, agent, .. } => format!("launched {task_id} on {agent}"),
                EventBody::ElementStatus { path, from, to } => {
                    format!("{} {from} -> {to}", path.step.as_deref().unwrap_or(&path.plan))
                }
                EventBody::Backoff { task, delay_ms, .. } => format!("delay {task} {delay_ms} ms"),
                EventBody::KillRequested { task, .. } => format!("kill {task}"),
                EventBody::Reserved { resources, .. } => format!("reserved {resources}"),
                EventBody::Volume { path, created, .. } => format!("volume {path} {created}"),
                _ => continue,
            };
            self.log.push(format!("{:>9} {line}", event.at.ms()));
        }
    }

    fn next(&self) -> Option<SimTime> {
        [self.alone.next_due(), self.marathon.next_due()].into_iter().flatten().min()
    }

    /// Accesses Marathon and its connection to the cluster.
    pub(crate) fn at_work<R>(&mut self, work: impl FnOnce(&mut Marathon, &mut Port<'_>) -> R) -> R {
        let now = self.cx.now();
        work(&mut self.marathon, &mut Port::new(&mut self.cx, &mut self.alone.cluster(now)))
    }

    fn step(&mut self) {
        let Some(at) = self.next() else { return };
        self.cx.set_now(at.max(self.cx.now()));
        if self.alone.next_due() == Some(at) {
            self.alone.fire(&mut self.cx);
        } else {
            self.at_work(Marathon::fire);
        }
        self.pump();
    }

    /// Lets time pass.
    pub(crate) fn run(&mut self, ms: u64) {
        let until = self.cx.now().saturating_add(ms);
        while self.next().is_some_and(|at| at <= until) {
            self.step();
        }
        self.cx.set_now(until);
    }

    /// Lets time pass until something holds; false when it does not within so long.
    pub(crate) fn until(&mut self, ms: u64, holds: impl Fn(&Self) -> bool) -> bool {
        let until = self.cx.now().saturating_add(ms);
        while !holds(self) {
            if self.next().is_none_or(|at| at > until) {
                return false;
            }
            self.step();
        }
        true
    }

    /// Until no deployment is under way.
    pub(crate) fn settle(&mut self, ms: u64) {
        let done = self.until(ms, |lab| lab.marathon.deployments.running().next().is_none());
        assert!(done, "still deploying:\n{}", self.log.join("\n"));
    }

    // ---- changes -----------------------------------------------------------------------------

    /// Puts apps, replacing those with the same ids.
    pub(crate) fn put(&mut self, apps: &[Value], force: bool) -> Result<Accepted, Refused> {
        let settings = self.marathon.records.setup.settings.clone();
        let mut specs = Vec::new();
        for app in apps {
            let read = crate::schema::read(&crate::schema::app::APP, app, false);
            assert_eq!(read.faults, Vec::new(), "{app}");
            let id = PathId::absolute(app["id"].as_str().unwrap_or_default());
            let roles = self.marathon.records.definitions.root.roles_for(&id, &settings, force);
            let around = Around { settings: &settings, roles: &roles, base: &PathId::root() };
            let app = normalise_app(read.value, &around)?;
            specs.push(Arc::new(app_of(app, &around)?));
        }
        self.change(force, &mut |root| {
            for spec in &specs {
                let version = root.spec(&spec.id).map_or(spec.version, |old| old.version);
                root.put(
                    Arc::new(crate::definition::RunSpec {
                        version,
                        ..crate::definition::RunSpec::clone(spec)
                    }),
                    &settings,
                );
            }
            Ok(())
        })
    }

    pub(crate) fn change(
        &mut self,
        force: bool,
        change: &mut dyn FnMut(&mut crate::groups::Root) -> Result<(), Refused>,
    ) -> Result<Accepted, Refused> {
        self.cx.set_cause(Cause::Genesis);
        let before = (self.marathon.clone(), self.alone.clone(), self.cx.clone());
        let version = self.marathon.records.definitions.new_stamp(self.cx.now());
        let change = RootChange {
            group: PathId::root(),
            version,
            force,
            marks: Marks::new(),
            kill: planarium_kernel::SortedMap::new(),
            change,
        };
        let done = self.at_work(|marathon, port| marathon.change_root(port, change));
        if done.is_err() {
            (self.marathon, self.alone, self.cx) = before;
        }
        self.pump();
        done
    }

    /// Takes an app out.
    pub(crate) fn remove(&mut self, id: &str, force: bool) -> Result<Accepted, Refused> {
        let id = PathId::absolute(id);
        self.change(force, &mut |root| {
            root.remove(&id);
            Ok(())
        })
    }

    /// Sets the behaviour of an app's processes.
    pub(crate) fn behave(&mut self, app: &str, behaviour: Value) {
        let behaviour: Behaviour = serde_json::from_value(behaviour).expect("a behaviour");
        let target = Target { pod: Some(app.to_owned()), ..Target::default() };
        let rule = ProcessBehaviour { target, behaviour };
        self.alone.with_fleet(&mut self.cx, |fleet, cx| fleet.set_behaviour(cx, &rule));
        self.pump();
    }

    pub(crate) fn fault(&mut self, kind: FaultKind, target: Value) {
        let target: Target = serde_json::from_value(target).expect("a target");
        let fault = Fault {
            fault: kind,
            id: Some("f".to_owned()),
            target,
            for_ms: None,
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        };
        self.alone.with_fleet(&mut self.cx, |fleet, cx| fleet.inject(cx, &fault)).expect("a fault");
        self.pump();
    }

    pub(crate) fn clear_fault(&mut self) {
        self.alone.with_fleet(&mut self.cx, |fleet, cx| fleet.clear(cx, "f")).expect("a fault");
        self.pump();
    }

    // ---- questions ---------------------------------------------------------------------------

    /// Instances of an app.
    pub(crate) fn instances(&self, app: &str) -> Vec<Arc<Instance>> {
        let Some(no) = self.marathon.records.known_number(&PathId::absolute(app)) else { return Vec::new() };
        self.marathon.records.instances_of(no)
    }

    /// Instances of an app that are wanted and run.
    pub(crate) fn running(&self, app: &str) -> usize {
        let runs = |instance: &&Arc<Instance>| {
            instance.goal == Goal::Running && instance.condition == Condition::Running
        };
        self.instances(app).iter().filter(runs).count()
    }

    /// Lines of the log that hold a text.
    pub(crate) fn lines(&self, text: &str) -> Vec<&str> {
        self.log.iter().filter(|line| line.contains(text)).map(String::as_str).collect()
    }
}
