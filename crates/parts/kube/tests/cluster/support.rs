//! A cluster on machines, driven by hand.

#![expect(dead_code, reason = "helpers of tests")]
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use planarium_ground::{Cx, Fleet, MachineId, MachineSpec};
use planarium_kernel::{Recorded, SimTime};
use planarium_kube::{
    DeleteOptions, KindId, Kube, Object, ObjectRef, Part, Patch, Propagation, Selector, WhyKind,
};
use planarium_protocol::{
    Amount, EventBody, Text,
    input::{Behaviour, Fault, FaultKind, ProcessBehaviour, Resources, Target},
};
use planarium_source::{Diagnostics, FileId, yaml::Reader};
use serde_json::Value;
use std::sync::Arc;

/// 9 April 2021, 12:00:00 UTC.
pub(crate) const EPOCH_MS: u64 = 1_617_969_600_000;

/// Machines, the cluster on them, and what has happened.
#[derive(Clone)]
pub(crate) struct Yard {
    pub(crate) cx: Cx,
    pub(crate) fleet: Fleet,
    pub(crate) kube: Kube,
    pub(crate) events: Vec<Recorded<EventBody>>,
    /// Check everything after each instant.
    pub(crate) checked: bool,
}

impl Yard {
    /// Builds a cluster of this number of machines with 4 CPUs and 8 GiB each.
    pub(crate) fn new(machines: u32) -> Self {
        Self::sized(machines, 4, 8192)
    }

    pub(crate) fn sized(machines: u32, cpus: i64, mem: i64) -> Self {
        let mut yard = Self {
            cx: Cx::new(7),
            fleet: Fleet::new(7),
            kube: Kube::new(7, EPOCH_MS),
            events: Vec::new(),
            checked: true,
        };
        for n in 1..=machines {
            yard.machine(&format!("node-{n}"), cpus, mem, None);
        }
        yard
    }

    pub(crate) fn machine(&mut self, name: &str, cpus: i64, mem: i64, zone: Option<&str>) -> MachineId {
        let resources = Resources {
            cpus: Some(Amount::whole(cpus)),
            mem: Some(Amount::whole(mem)),
            disk: Some(Amount::whole(100_000)),
            ..Resources::default()
        };
        let spec = MachineSpec {
            hostname: name.into(),
            resources,
            zone: zone.map(Text::from),
            ..MachineSpec::default()
        };
        let id = self.fleet.add_machine(&mut self.cx, spec);
        self.kube.add_node(&mut self.cx, &self.fleet, id);
        id
    }

    pub(crate) fn now(&self) -> u64 {
        self.cx.now().ms()
    }

    /// Does everything that is due up to an instant.
    pub(crate) fn until(&mut self, ms: u64) {
        // Far more than any test needs: controllers that undo each other's work would go on for ever.
        let most = 20_000 + ms.saturating_sub(self.now()) / 2;
        let mut turns = 0;
        loop {
            let due = [self.fleet.next_due(), self.kube.next_due()].into_iter().flatten().min();
            let Some(due) = due.filter(|due| due.ms() <= ms) else { break };
            let due = due.max(self.cx.now());
            if due > self.cx.now() {
                self.check();
            }
            turns += 1;
            assert!(turns < most, "no end of it at {}: {:#?}", self.cx.now(), self.events.last());
            self.cx.set_now(due);
            if self.fleet.next_due().is_some_and(|at| at <= due) {
                self.fleet.fire(&mut self.cx);
            } else {
                self.kube.fire(&mut self.cx, &mut self.fleet);
            }
            self.pass();
        }
        self.cx.set_now(SimTime(ms.max(self.now())));
        self.check();
    }

    /// Passes the fleet's reports to the cluster.
    fn pass(&mut self) {
        while let Some(event) = self.fleet.next_event() {
            self.kube.on_fleet(&mut self.cx, &mut self.fleet, &event);
        }
        self.events.extend(self.cx.drain());
    }

    fn check(&self) {
        if self.checked {
            let broken = self.kube.check(&self.fleet);
            assert!(broken.is_empty(), "at {}: {broken:#?}", self.cx.now());
            let broken = self.fleet.check();
            assert!(broken.is_empty(), "at {}: {broken:#?}", self.cx.now());
        }
    }

    /// Runs everything due within this many seconds.
    pub(crate) fn run(&mut self, seconds: u64) {
        self.until(self.now() + seconds * 1000);
    }

    /// Advances second by second until `holds` is true; returns the number of seconds.
    pub(crate) fn run_until(&mut self, most: u64, holds: impl Fn(&Self) -> bool) -> u64 {
        let from = self.now();
        for _ in 0..=most {
            if holds(self) {
                return (self.now() - from) / 1000;
            }
            self.run(1);
        }
        panic!("not within {most} s:\n{}\n{}", self.pods(), self.story());
    }

    /// Creates objects from YAML documents.
    pub(crate) fn create(&mut self, yaml: &str) -> Vec<Arc<Object>> {
        documents(yaml)
            .into_iter()
            .map(|value| {
                let text = value.to_string();
                self.kube
                    .create(&mut self.cx, value)
                    .unwrap_or_else(|error| panic!("{}: {text}", error.message))
            })
            .collect()
    }

    /// Creates an object that must be refused; returns code and message.
    pub(crate) fn refused(&mut self, yaml: &str) -> String {
        let value = documents(yaml).remove(0);
        let error = self.kube.create(&mut self.cx, value).expect_err(yaml);
        format!("{} {}: {}", error.code, error.reason.as_str(), error.message)
    }

    /// Applies objects as a client would.
    pub(crate) fn apply(&mut self, yaml: &str) {
        for value in documents(yaml) {
            let applied = self.kube.apply(&mut self.cx, &Arc::new(value), "test/last-applied");
            applied.unwrap_or_else(|error| panic!("{}", error.message));
        }
    }

    pub(crate) fn get(&self, kind: KindId, name: &str) -> Option<&Arc<Object>> {
        let namespace =
            if self.kube.kind_info(kind).is_some_and(|info| info.namespaced) { "default" } else { "" };
        self.kube.get(ObjectRef::new(kind, namespace, name))
    }

    pub(crate) fn value(&self, kind: KindId, name: &str) -> Value {
        self.get(kind, name).unwrap_or_else(|| panic!("no {name}")).to_value()
    }

    pub(crate) fn list(&self, kind: KindId, selector: &str) -> Vec<Arc<Object>> {
        self.kube.list(kind, None, &Selector::parse(selector).expect(selector))
    }

    /// One line per pod: name, displayed status, ready containers, restarts, node.
    pub(crate) fn pods(&self) -> String {
        self.pods_where("")
    }

    pub(crate) fn pods_where(&self, selector: &str) -> String {
        let line = |pod: &Arc<Object>| {
            let facts = pod.pod().expect("a pod");
            format!(
                "{} {} {}/{} {} {}",
                pod.name,
                facts.shown,
                facts.ready_containers,
                facts.containers,
                facts.restarts,
                if facts.node.is_empty() { "-" } else { &facts.node }
            )
        };
        self.list(KindId::POD, selector).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the reports, one line each, with their second.
    pub(crate) fn story(&self) -> String {
        let line = |event: &Recorded<EventBody>| match &event.body {
            EventBody::Happened { what, text, .. } => {
                Some(format!("{} {what} {}", event.at.ms() / 1000, &**text))
            }
            _ => None,
        };
        self.events.iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the reports with these reasons since a second, without their seconds.
    pub(crate) fn told(&self, since_s: u64, reasons: &[&str]) -> Vec<String> {
        let line = |event: &Recorded<EventBody>| match &event.body {
            EventBody::Happened { what, text, .. } if reasons.contains(&&**what) => Some(text.to_string()),
            _ => None,
        };
        self.events.iter().filter(|event| event.at.ms() >= since_s * 1000).filter_map(line).collect()
    }

    /// Scales, patches or deletes as a client would.
    pub(crate) fn patch(&mut self, kind: KindId, name: &str, patch: Value) -> Result<Arc<Object>, String> {
        let namespace =
            if self.kube.kind_info(kind).is_some_and(|info| info.namespaced) { "default" } else { "" };
        let object = ObjectRef::new(kind, namespace, name);
        self.kube
            .patch(&mut self.cx, object, Part::Whole, &Patch::Merge(patch))
            .map_err(|error| error.message)
    }

    pub(crate) fn delete(&mut self, kind: KindId, name: &str, propagation: Propagation) {
        let namespace =
            if self.kube.kind_info(kind).is_some_and(|info| info.namespaced) { "default" } else { "" };
        let object = ObjectRef::new(kind, namespace, name);
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        self.kube.delete(&mut self.cx, object, &options).unwrap_or_else(|error| panic!("{}", error.message));
    }

    pub(crate) fn why(&self, kind: KindId, name: &str) -> Vec<(WhyKind, String)> {
        let object = self.get(kind, name).unwrap_or_else(|| panic!("no {name}"));
        self.kube.why(&self.fleet, object).into_iter().map(|why| (why.kind, why.text)).collect()
    }

    /// The lines of the story that speak of something.
    pub(crate) fn said(&self, of: &str) -> Vec<String> {
        self.story().lines().filter(|line| line.contains(of)).map(str::to_owned).collect()
    }

    pub(crate) fn fault(&mut self, fault: FaultKind, target: Target, for_ms: Option<u64>) -> Text {
        let fault = Fault { fault, target, for_ms, ..plain_fault() };
        let id = self.fleet.inject(&mut self.cx, &fault).expect("a fault");
        self.pass();
        id
    }

    pub(crate) fn clear(&mut self, id: &str) {
        self.fleet.clear(&mut self.cx, id).expect("a fault in force");
        self.pass();
    }

    pub(crate) fn behave(&mut self, target: Target, behaviour: Behaviour) {
        self.fleet.set_behaviour(&mut self.cx, &ProcessBehaviour { target, behaviour });
        self.pass();
    }

    /// Returns the number of matching ready pods.
    pub(crate) fn ready(&self, selector: &str) -> usize {
        self.list(KindId::POD, selector).iter().filter(|pod| pod.pod().expect("a pod").ready).count()
    }
}

fn plain_fault() -> Fault {
    serde_json::from_value(serde_json::json!({"fault": "hang", "target": {}})).expect("a fault")
}

pub(crate) fn agent(name: &str) -> Target {
    Target { agent: Some(name.to_owned()), ..Target::default() }
}

pub(crate) fn documents(yaml: &str) -> Vec<Value> {
    let mut found = Diagnostics::default();
    let read = Reader::new(yaml, FileId::default()).all(&mut found);
    assert!(!found.has_errors(), "{yaml}");
    read.into_iter()
        .filter_map(|one| one.root)
        .filter(|root| !root.is_null())
        .map(|root| root.to_go_json())
        .collect()
}
