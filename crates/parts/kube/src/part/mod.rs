//! Kubernetes as a part of a world.
//!
//! *Knows*: that every machine is a node, and that an operator drains the nodes of machines in the maintenance schedule; which
//! requests and inputs are the API server's.
//! *Must not know*: any object.

mod alone;
mod pods;
mod routes;

pub use alone::Alone;

use crate::{DrainOptions, KUBELETS, Kube};
use planarium_ground::{Cx, Fleet, FleetEvent, FleetEventKind, Owner};
use planarium_kernel::{Digestible, SimTime, Stretch, Weight};
use planarium_part::{
    Delivery, Done, Flags, Ground, Layer, MachineChange, Number, Part, Request, StreamNews, System, Wire,
};
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal, json};
use serde_json::Value;
use std::sync::Arc;

/// Event for watchers: objects have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectsChanged;

/// Kubernetes on the machines of a world.
#[derive(Clone, Digestible, Weight)]
#[digest(kube)]
#[weight(kube)]
pub struct Kubernetes {
    kube: Kube,
    /// Watchers have heard of changes of objects up to this version.
    told: u64,
    /// Machines with their pods, as they were shown last.
    shown: pods::Shown,
}

impl Kubernetes {
    /// Version of the latest change of an object.
    pub fn version(&self) -> u64 {
        self.kube.resource_version()
    }

    /// Handles reports about processes that kubelets started.
    fn hear_own(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        while let Some(event) = ground.fleet_mut().next_event_of(KUBELETS) {
            cx.set_cause(event.cause);
            self.kube.on_fleet(cx, ground.fleet_mut(), &event);
        }
    }
}

/// The Kubernetes cluster as a client reaches it, lent to a system for one call.
pub struct Cluster<'a> {
    /// The machines.
    pub ground: Ground<'a>,
    /// Kubernetes. Copies of a world share it until one of them changes.
    pub kubernetes: &'a mut Arc<Kubernetes>,
}

/// A system whose daemons watch Kubernetes objects.
pub trait Watcher: System {
    /// Notifies the watcher that objects have changed since the last call. It reads the changes itself.
    fn hear_of_objects(&mut self, cx: &mut Cx, cluster: &mut Cluster<'_>);
}

impl Cluster<'_> {
    /// The objects, to be asked.
    pub fn kube(&self) -> &Kube {
        &self.kubernetes.kube
    }

    /// Does something with the objects.
    pub fn with_kube<R>(&mut self, cx: &mut Cx, work: impl FnOnce(&mut Kube, &mut Fleet, &mut Cx) -> R) -> R {
        let kubernetes = Arc::make_mut(self.kubernetes);
        let result = work(&mut kubernetes.kube, self.ground.fleet_mut(), cx);
        kubernetes.hear_own(cx, &mut self.ground);
        result
    }

    /// The machines and processes, to be asked.
    pub fn fleet(&self) -> &Fleet {
        self.ground.fleet()
    }

    /// The present instant.
    pub fn asked(&self) -> SimTime {
        self.ground.now
    }

    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub fn epoch_ms(&self) -> u64 {
        self.ground.epoch_ms
    }
}

impl Part for Kubernetes {
    type Ports<'a> = Ground<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        Some((self.kube.next_due()?, Number(0)))
    }

    fn one_shots(&self) -> usize {
        self.kube.one_shots()
    }

    fn restless(&self) -> bool {
        self.kube.restless()
    }

    fn fire(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.kube.fire(cx, ground.fleet_mut());
        self.hear_own(cx, ground);
    }

    fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        let FleetEventKind::AbsencePlanned { hostname, planned } = &event.kind else {
            return self.kube.on_fleet(cx, ground.fleet_mut(), event);
        };
        // A machine without a node has nothing to drain.
        let _ = if *planned {
            self.kube.drain(cx, hostname, DrainOptions::default())
        } else {
            self.kube.uncordon(cx, hostname)
        };
    }

    fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
        routes::route(self, ground, request, parts)
    }

    fn stream(&self, ground: &Ground<'_>, topic: &Value, _: Stretch<'_, Event>) -> StreamNews {
        routes::news(self, ground, topic)
    }

    fn drop_views(&mut self) {
        self.shown = pods::Shown::default();
    }

    fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.kube.check(fleet)
    }
}

impl Layer for Kubernetes {
    const OWNER: Owner = KUBELETS;

    type News = ObjectsChanged;

    fn begin(cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) -> Self {
        let mut kube = Kube::new(flags.seed, flags.epoch_ms);
        ground.fleet_mut().hear_holdings(KUBELETS);
        for machine in ground.fleet().machine_ids().collect::<Vec<_>>() {
            kube.add_node(cx, ground.fleet_mut(), machine);
        }
        Self { kube, told: 0, shown: pods::Shown::default() }
    }

    fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal> {
        match change {
            MachineChange::AllJoined(machines) => {
                for machine in *machines {
                    self.kube.add_node(cx, ground.fleet_mut(), *machine);
                }
                self.hear_own(cx, ground);
            }
            MachineChange::Left(machine) => {
                self.kube.remove_node(cx, ground.fleet_mut(), *machine);
                self.hear_own(cx, ground);
            }
            MachineChange::Asked(_)
            | MachineChange::Joined(..)
            | MachineChange::Again(..)
            | MachineChange::Leaving(_) => {}
        }
        Ok(false)
    }

    fn is_settled(&self, _: &Ground<'_>) -> bool {
        !self.kube.has_held_changes()
    }

    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.kube.settle_holdings(cx, ground.fleet_mut());
    }

    fn has_news(&self) -> bool {
        self.version() != self.told
    }

    fn begin_delivery(&mut self, _: &mut Cx, _: &mut Ground<'_>) -> usize {
        self.told = self.version();
        1
    }

    fn deliver(&mut self, _: &mut Cx, _: &mut Ground<'_>, _: usize) -> Delivery<ObjectsChanged> {
        Delivery::ToAll(ObjectsChanged)
    }

    fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        match input {
            Input::Call(call) => routes::call(self, cx, ground, call),
            Input::TaskStatus(said) if self.kube.knows_task(ground.fleet(), &said.task) => {
                let done = self.kube.task_status(cx, ground.fleet_mut(), said);
                self.hear_own(cx, ground);
                Some(done.map(|()| json!({ "task": said.task, "state": said.state })))
            }
            _ => None,
        }
    }

    fn notes_refusal(&self, input: &Input, refusal: &Refusal) -> bool {
        refusal.status == 429 && routes::evicted(input).is_some()
    }

    fn note_refusal(&mut self, cx: &mut Cx, input: &Input) {
        if let Some((namespace, pod)) = routes::evicted(input) {
            self.kube.note_refused_eviction(cx, &namespace, &pod);
        }
    }

    fn owns(parts: &[&str]) -> bool {
        routes::owns(parts)
    }

    fn is_needed_for(input: &Input) -> bool {
        matches!(input, Input::Call(call) if routes::is_call(call))
    }

    fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        self.add_pods(ground.fleet(), &mut cluster.machines)
    }

    fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow> {
        self.kube.describe_all(ground.now)
    }

    fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView> {
        self.kube.describe(key, ground.now)
    }

    fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>) {
        let hostname = which.split_once('@').map_or(which, |(name, _)| name);
        if let (Some(why), Some(machine)) = (why, ground.fleet().find_machine(hostname)) {
            why.reasons.extend(self.kube.why_node(machine));
            why.unblock.extend(self.kube.ways_to_drain(machine));
        }
    }
}
