//! A Kubernetes cluster of its own, for tests of systems, without other parts on its machines.
//!
//! *Knows*: how a world drives Kubernetes. *Must not know*: other parts.

use super::{Cluster, Kubernetes};
use planarium_ground::{Cx, Fleet, MachineId, Place};
use planarium_kernel::SimTime;
use planarium_part::{Flags, Ground, Layer as _, Number, Part as _, Request, STATUSES, Wire};
use planarium_protocol::input::AddAgent;
use planarium_protocol::view::{ClusterView, MachineView};
use planarium_protocol::{Input, Refusal};
use serde_json::Value;
use std::sync::Arc;

/// Machines with Kubernetes alone.
#[derive(Clone)]
pub struct Alone {
    fleet: Arc<Fleet>,
    kubernetes: Arc<Kubernetes>,
    epoch_ms: u64,
}

impl Alone {
    /// These machines, each a node.
    ///
    /// *Errors*: as of the input.
    pub fn new(cx: &mut Cx, flags: &Flags, add: &AddAgent) -> Result<Self, Refusal> {
        let mut fleet = Fleet::new(flags.seed);
        let places = fleet.places(add)?;
        for place in places {
            if let Place::New(hostname, ip) = place {
                let _: MachineId = fleet.join(cx, add, hostname, ip);
            }
        }
        let (now, epoch_ms, mut fleet) = (cx.now(), flags.epoch_ms, Arc::new(fleet));
        let mut ground = Ground { fleet: &mut fleet, now, epoch_ms, number: Number(0) };
        let kubernetes = Arc::new(Kubernetes::begin(cx, &mut ground, flags));
        Ok(Self { fleet, kubernetes, epoch_ms })
    }

    /// The cluster as the process with number 0 reaches it.
    pub fn cluster(&mut self, now: SimTime) -> Cluster<'_> {
        let ground = Ground { fleet: &mut self.fleet, now, epoch_ms: self.epoch_ms, number: Number(0) };
        Cluster { ground, kubernetes: &mut self.kubernetes }
    }

    /// Does something with the machines.
    pub fn with_fleet<R>(&mut self, cx: &mut Cx, work: impl FnOnce(&mut Fleet, &mut Cx) -> R) -> R {
        let done = work(Arc::make_mut(&mut self.fleet), cx);
        self.drain(cx);
        done
    }

    /// Version of the latest change of an object.
    pub fn version(&self) -> u64 {
        self.kubernetes.version()
    }

    /// When the next timer of machines or Kubernetes is due.
    pub fn next_due(&self) -> Option<SimTime> {
        let kubernetes = self.kubernetes.next_due().map(|(at, _)| at);
        [self.fleet.next_due(), kubernetes].into_iter().flatten().min()
    }

    /// Handles one due timer, of machines before that of Kubernetes.
    pub fn fire(&mut self, cx: &mut Cx) {
        if self.fleet.next_due().is_some_and(|due| due <= cx.now()) {
            Arc::make_mut(&mut self.fleet).fire(cx);
        } else {
            let Cluster { mut ground, kubernetes } = self.cluster(cx.now());
            Arc::make_mut(kubernetes).fire(cx, &mut ground);
        }
        self.drain(cx);
    }

    /// The answer of the API to a request, or the input that it becomes.
    pub fn wire(&self, now: SimTime, request: &Request) -> Wire {
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let mut fleet = Arc::clone(&self.fleet);
        let ground = Ground { fleet: &mut fleet, now, epoch_ms: self.epoch_ms, number: Number(0) };
        self.kubernetes.wire(&ground, request, &parts)
    }

    /// Carries an input out that is Kubernetes' own; none when it is not.
    pub fn perform(&mut self, cx: &mut Cx, input: &Input) -> Option<Result<Value, Refusal>> {
        let Cluster { mut ground, kubernetes } = self.cluster(cx.now());
        Arc::make_mut(kubernetes).perform(cx, &mut ground, input)
    }

    /// Tells Kubernetes that an input was refused, as a world does after it has put everything back.
    pub fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        if self.kubernetes.notes_refusal(input, refusal) {
            Arc::make_mut(&mut self.kubernetes).note_refusal(cx, input);
        }
    }

    /// The machines with their pods, and a number that grows whenever those show something else.
    pub fn machines(&mut self, now: SimTime) -> (Vec<Arc<MachineView>>, u64) {
        let Cluster { ground, kubernetes } = self.cluster(now);
        let fleet = ground.fleet();
        let machines = fleet.machine_ids().filter_map(|id| fleet.machine_view(id)).map(Arc::new).collect();
        let mut cluster = ClusterView { revision: 0, machines, statuses: STATUSES, windows: Vec::new() };
        let revision = kubernetes.show(&ground, &mut cluster);
        (cluster.machines, revision)
    }

    fn drain(&mut self, cx: &mut Cx) {
        while let Some(event) = Arc::make_mut(&mut self.fleet).next_event() {
            cx.set_cause(event.cause);
            if event.owner.is_none_or(|owner| owner == Kubernetes::OWNER) {
                let Cluster { mut ground, kubernetes } = self.cluster(cx.now());
                Arc::make_mut(kubernetes).hear(cx, &mut ground, &event);
            }
        }
    }
}
