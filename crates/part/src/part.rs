//! The contract of everything that owns state and timers.
//!
//! *Knows*: what the world requires of any part. *Must not know*: any part.
//!
//! *Order* within one instant: an input or a timer is carried out; then reports and events are delivered until none are
//! left. A part acts immediately, through its ports, under the recorder's current cause.

use crate::ground::Ground;
use crate::http::{Request, Wire};
use crate::system::{Number, StreamNews};
use planarium_ground::{Cx, Fleet, FleetEvent, MachineId, Owner};
use planarium_kernel::{Digestible, SimTime, Stretch, Weight};
use planarium_protocol::input::{AddAgent, Sharing};
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

/// The answer of an input, or why it is refused.
pub type Done = Result<Value, Refusal>;

/// Something that owns state and timers. Its digest is what a replay of the same inputs must reproduce: caches and revisions
/// do not belong to it.
pub trait Part: Digestible + Weight {
    /// The other parts that it declared, lent for one call.
    type Ports<'a>;

    /// When its next timer is due, and whose it is: of two at one instant the lower number goes first.
    fn next_due(&self) -> Option<(SimTime, Number)>;

    /// Returns the number of pending timers that would change something; periodic ones do not count.
    fn one_shots(&self) -> usize;

    /// Returns whether the next periodic work would change something.
    fn restless(&self) -> bool {
        false
    }

    /// Handles exactly one due timer.
    fn fire(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>);

    /// Receives a report of the machines, under the report's cause: about a process that it started, or about a
    /// machine.
    fn hear(&mut self, cx: &mut Cx, ports: &mut Self::Ports<'_>, event: &FleetEvent) {
        let _ = (cx, ports, event);
    }

    /// Answers a request, turns it into an input, begins a stream, or leaves it to others. `parts` are the decoded
    /// segments of the path.
    fn wire(&self, ports: &Self::Ports<'_>, request: &Request, parts: &[&str]) -> Wire {
        let _ = (ports, request, parts);
        Wire::NotMine
    }

    /// Returns the events of a stream that [`Wire::Stream`] began: `events` are those since the last poll, `topic` is the stream's
    /// topic.
    fn stream(
        &self,
        ports: &Self::Ports<'_>,
        topic: &Value,
        events: Stretch<'_, planarium_protocol::Event>,
    ) -> StreamNews {
        let _ = (ports, topic, events);
        StreamNews { ended: true, ..StreamNews::default() }
    }

    /// Reports a new listener to a stream of this topic. Nothing in the world depends on it.
    fn stream_begins(&mut self, ports: &Self::Ports<'_>, topic: &Value) {
        let _ = (ports, topic);
    }

    /// Reports that the last listener to a stream of this topic has left; returns the input that follows.
    fn stream_closed(&mut self, ports: &Self::Ports<'_>, topic: &Value) -> Option<Input> {
        let _ = (ports, topic);
        None
    }

    /// Drops the views that it keeps for reuse. They are built again when asked for, so a copy that is kept for long does
    /// without them.
    fn drop_views(&mut self) {}

    /// Lists broken invariants in words: kept values against plain recomputation.
    fn check(&self, fleet: &Fleet) -> Vec<String>;

    /// Bytes that a copy takes, roughly.
    fn weight(&self) -> u64
    where
        Self: Sized,
    {
        self.beyond(None)
    }
}

/// The flags that the parts under the systems are begun with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Fixes every draw.
    pub seed: u64,
    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// Sharing mode: each layer sees the others' holdings, or has the whole machine.
    pub sharing: Sharing,
    /// Flags of the programs themselves, by their real names. *Units*: milliseconds.
    pub of_programs: [(&'static str, Option<u64>); 2],
}

impl Flags {
    /// The flag of a program by its real name. *Units*: milliseconds.
    pub fn of_program(&self, name: &str) -> Option<u64> {
        self.of_programs.iter().find(|(own, _)| *own == name).and_then(|(_, value)| *value)
    }
}

/// A change of the machines.
#[derive(Clone, Copy, Debug)]
pub enum MachineChange<'a> {
    /// A request asks for machines before any has joined.
    Asked(&'a AddAgent),
    /// A machine has joined.
    Joined(MachineId, &'a AddAgent),
    /// A request names a machine that is there already.
    Again(MachineId, &'a AddAgent),
    /// All machines of a request have joined: the new ones.
    AllJoined(&'a [MachineId]),
    /// A machine is about to be removed.
    Leaving(MachineId),
    /// A machine has left.
    Left(MachineId),
}

/// An event that a layer has delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery<N> {
    /// An event for one daemon.
    To(Number, N),
    /// An event for every daemon of the systems on this layer.
    ToAll(N),
    /// The layer itself has delivered it to a client that is not a daemon of this world.
    Outside,
}

impl<N> Delivery<N> {
    /// Returns the same delivery with a converted event.
    pub fn map<M>(self, change: impl FnOnce(N) -> M) -> Delivery<M> {
        match self {
            Self::To(number, news) => Delivery::To(number, change(news)),
            Self::ToAll(news) => Delivery::ToAll(change(news)),
            Self::Outside => Delivery::Outside,
        }
    }
}

/// A part between the machines and the systems: a cluster manager with which machines register.
pub trait Layer: Part + Sized {
    /// Owner of the processes that this part runs on machines.
    const OWNER: Owner;

    /// A view of the cluster takes its machines from this part ([`Layer::show`]), which also reports each that registers.
    const LISTS_MACHINES: bool = false;

    /// Events for daemons of the systems on this layer.
    type News: Clone;

    /// Starts with the existing machines, and subscribes to the allocations of others on them.
    fn begin(cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) -> Self;

    /// The machines change. Returns whether this part does something with a machine that is there already
    /// ([`MachineChange::Again`]); where no part does, the request is refused.
    ///
    /// *Errors*: the machine cannot register; all that the request did is put back.
    fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal>;

    /// Returns whether the machines' ledger has this part's allocations, as far as others read it.
    fn is_settled(&self, ground: &Ground<'_>) -> bool;

    /// Updates the machines' ledger to this part's allocations.
    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>);

    /// Returns whether there are events to deliver. Clones of a world share a layer, which is unshared only then.
    fn has_news(&self) -> bool;

    /// Begins a round of deliveries. Returns the number of events in it; later ones wait for the next round.
    fn begin_delivery(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> usize;

    /// Delivers the next event of the round, of which `left` remain, including this one.
    fn deliver(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, left: usize) -> Delivery<Self::News>;

    /// Carries an input out that is this part's; none when it is not.
    fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done>;

    /// Returns whether this part must be told of a refused input ([`Layer::note_refusal`]).
    fn notes_refusal(&self, input: &Input, refusal: &Refusal) -> bool {
        let _ = (input, refusal);
        false
    }

    /// Receives a refused input, after all its effects were undone. It may record that, and changes nothing else.
    fn note_refusal(&mut self, cx: &mut Cx, input: &Input) {
        let _ = (cx, input);
    }

    /// Returns whether a path, in decoded segments, belongs to its API, so that a request reaches it before it has started.
    fn owns(parts: &[&str]) -> bool;

    /// Returns whether an input needs this part, so that it is started.
    fn is_needed_for(input: &Input) -> bool;

    /// Skips periodic work without effect up to an instant; returns the last one's instant and their number.
    fn pass_quiet(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        let _ = until;
        None
    }

    /// Adds this part's data to the cluster view. The number grows with each change.
    fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64;

    /// Lists the objects of this part's API.
    fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow> {
        let _ = ground;
        Vec::new()
    }

    /// Describes the object of a row's key; `None` if there is none.
    fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView> {
        let _ = (ground, key);
        None
    }

    /// Adds this part's data to a machine's explanation; there is none yet if no machine has that name.
    fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>);
}
