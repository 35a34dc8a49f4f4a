//! The parts between the machines and the systems, listed only here.
//!
//! *Knows*: which crates implement [`Layer`], and whether their code is there; forwards the world's calls to them. *Must not know*:
//! any of their rules.

use crate::pieces::pieces;
use planarium_ground::{Cx, Fleet, FleetEvent, Owner};
use planarium_kernel::{Digest, SimTime, Stretch, Weight};
use planarium_part::{
    Delivery, Done, Flags, Ground, Layer, MachineChange, Number, Part, Request, StreamNews, Wire,
};
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal};
use serde_json::Value;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Number of Mesos. Of timers at one instant, those of the layer with the lower number go first.
#[cfg(feature = "mesos")]
pub(crate) const MESOS: u8 = 0;
/// Number of Kubernetes.
#[cfg(feature = "kube")]
pub(crate) const KUBE: u8 = 1;

/// The facts about a layer, which are there before its code is.
struct Facts {
    number: u8,
    word: &'static str,
    owns: fn(&[&str]) -> bool,
    is_needed_for: fn(&Input) -> bool,
    code: fn() -> Option<&'static dyn LayerCode>,
}

/// The layers of this build in the order of their numbers.
static LAYERS: &[Facts] = &[
    #[cfg(feature = "mesos")]
    Facts {
        number: MESOS,
        word: "mesos",
        owns: planarium_mesos::Mesos::owns,
        is_needed_for: planarium_mesos::Mesos::is_needed_for,
        code: pieces::mesos,
    },
    #[cfg(feature = "kube")]
    Facts {
        number: KUBE,
        word: "kube",
        owns: planarium_kube::Kubernetes::owns,
        is_needed_for: planarium_kube::Kubernetes::is_needed_for,
        code: pieces::kube,
    },
];

pieces! {
    #[cfg(feature = "mesos")]
    mesos = LayerCode, LayerCodeOf::<planarium_mesos::Mesos>;
    #[cfg(feature = "kube")]
    kube = LayerCode, LayerCodeOf::<planarium_kube::Kubernetes>;
}

/// The words of this build's layers.
pub(crate) static WORDS: &[&str] = &[
    #[cfg(feature = "mesos")]
    "mesos",
    #[cfg(feature = "kube")]
    "kube",
];

/// Numbers of the layers in the order in which they receive machine reports and deliver events.
pub(crate) const IN_TURN: &[u8] = &[
    #[cfg(feature = "kube")]
    KUBE,
    #[cfg(feature = "mesos")]
    MESOS,
];

/// Returns whether a path belongs to a layer's API.
pub(crate) fn own(parts: &[&str]) -> bool {
    owners_of(parts).next().is_some()
}

/// The words of the layers that an input needs.
pub(crate) fn needed_for(input: &Input) -> impl Iterator<Item = &'static str> {
    LAYERS.iter().filter(|layer| (layer.is_needed_for)(input)).map(|layer| layer.word)
}

/// The words of the layers whose API contains a path.
pub(crate) fn owners_of(parts: &[&str]) -> impl Iterator<Item = &'static str> {
    LAYERS.iter().filter(|layer| (layer.owns)(parts)).map(|layer| layer.word)
}

// ---- the code of a layer -------------------------------------------------------------------------

/// The code of a layer, without its type.
pub(crate) trait LayerCode: Sync {
    fn begin(&self, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) -> Box<dyn Begun>;
}

/// The code of one layer.
pub(crate) struct LayerCodeOf<L>(PhantomData<fn() -> L>);

impl<L> LayerCodeOf<L> {
    /// It has no state.
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// A layer as the world takes it.
pub(crate) trait Plain: Layer + Clone + Send + Sync + 'static
where
    Self: for<'a> Part<Ports<'a> = Ground<'a>>,
    Self::News: Send + Sync + 'static,
{
    /// Its name in lists of digests.
    const TITLE: &'static str;
}

#[cfg(feature = "mesos")]
impl Plain for planarium_mesos::Mesos {
    const TITLE: &'static str = "master";
}

#[cfg(feature = "kube")]
impl Plain for planarium_kube::Kubernetes {
    const TITLE: &'static str = "Kubernetes objects";
}

impl<L> LayerCode for LayerCodeOf<L>
where
    L: Plain + for<'a> Part<Ports<'a> = Ground<'a>>,
    L::News: Send + Sync + 'static,
{
    fn begin(&self, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) -> Box<dyn Begun> {
        Box::new(Of(Arc::new(L::begin(cx, ground, flags))))
    }
}

// ---- events of a layer ---------------------------------------------------------------------------

/// An event of a layer for daemons.
pub(crate) struct LayerNews {
    /// The layer that sent it.
    pub(crate) layer: u8,
    news: Box<dyn News>,
}

/// An event without its type.
trait News: Send + Sync {
    fn again(&self) -> Box<dyn News>;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// An event of one layer.
struct NewsOf<N>(N);

impl<N: Clone + Send + Sync + 'static> News for NewsOf<N> {
    fn again(&self) -> Box<dyn News> {
        Box::new(Self(self.0.clone()))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl LayerNews {
    /// The event as its layer sent it; `None` if it is of another layer.
    #[allow(dead_code, reason = "a build may have no layer with messages")]
    pub(crate) fn of_type<N: 'static>(self) -> Option<N> {
        self.news.into_any().downcast::<NewsOf<N>>().ok().map(|news| news.0)
    }
}

impl Clone for LayerNews {
    fn clone(&self) -> Self {
        Self { layer: self.layer, news: self.news.again() }
    }
}

// ---- a layer -------------------------------------------------------------------------------------

/// The calls of [`Layer`] and [`Part`] that the world makes, without the type of the layer.
pub(crate) trait Begun: Send + Sync {
    fn again(&self) -> Box<dyn Begun>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn title(&self) -> &'static str;
    fn digest(&self) -> u64;
    fn beyond(&self, before: Option<&dyn Begun>) -> u64;
    fn weight(&self) -> u64;
    fn drop_views(&mut self);
    fn owner(&self) -> Owner;
    fn lists_machines(&self) -> bool;

    fn next_due(&self) -> Option<(SimTime, Number)>;
    fn fire(&mut self, cx: &mut Cx, ground: &mut Ground<'_>);
    fn pass_quiet(&mut self, until: SimTime) -> Option<(SimTime, u64)>;
    fn one_shots(&self) -> usize;
    fn restless(&self) -> bool;

    fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent);
    fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal>;
    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>);
    fn begin_delivery(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> Option<usize>;
    fn deliver(
        &mut self,
        number: u8,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        left: usize,
    ) -> Delivery<LayerNews>;
    fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done>;
    fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal);

    fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire;
    fn stream(&self, ground: &Ground<'_>, topic: &Value, events: Stretch<'_, Event>) -> StreamNews;
    fn stream_begins(&mut self, ground: &Ground<'_>, topic: &Value);
    fn stream_closed(&mut self, ground: &Ground<'_>, topic: &Value) -> Option<Input>;

    fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64;
    fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow>;
    fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView>;
    fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>);
    fn check(&self, fleet: &Fleet) -> Vec<String>;
}

/// One layer. Clones share it until one of them changes.
struct Of<L>(Arc<L>);

impl<L: Clone> Of<L> {
    fn change(&mut self) -> &mut L {
        Arc::make_mut(&mut self.0)
    }
}

impl<L> Begun for Of<L>
where
    L: Plain + for<'a> Part<Ports<'a> = Ground<'a>>,
    L::News: Send + Sync + 'static,
{
    fn again(&self) -> Box<dyn Begun> {
        Box::new(Self(Arc::clone(&self.0)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn title(&self) -> &'static str {
        L::TITLE
    }

    fn digest(&self) -> u64 {
        Digest::of(&self.0)
    }

    fn beyond(&self, before: Option<&dyn Begun>) -> u64 {
        let before = before.and_then(|before| before.as_any().downcast_ref::<Self>());
        self.0.beyond(before.map(|before| &before.0))
    }

    fn weight(&self) -> u64 {
        Part::weight(&*self.0)
    }

    fn drop_views(&mut self) {
        self.change().drop_views();
    }

    fn owner(&self) -> Owner {
        L::OWNER
    }

    fn lists_machines(&self) -> bool {
        L::LISTS_MACHINES
    }

    fn next_due(&self) -> Option<(SimTime, Number)> {
        self.0.next_due()
    }

    fn fire(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.change().fire(cx, ground);
    }

    fn pass_quiet(&mut self, until: SimTime) -> Option<(SimTime, u64)> {
        self.change().pass_quiet(until)
    }

    fn one_shots(&self) -> usize {
        self.0.one_shots()
    }

    fn restless(&self) -> bool {
        self.0.restless()
    }

    fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        self.change().hear(cx, ground, event);
    }

    fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal> {
        self.change().machines_changed(cx, ground, change)
    }

    fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        if !self.0.is_settled(ground) {
            self.change().settle(cx, ground);
        }
    }

    fn begin_delivery(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) -> Option<usize> {
        self.0.has_news().then(|| self.change().begin_delivery(cx, ground))
    }

    fn deliver(
        &mut self,
        number: u8,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        left: usize,
    ) -> Delivery<LayerNews> {
        let delivery = self.change().deliver(cx, ground, left);
        delivery.map(|news| LayerNews { layer: number, news: Box::new(NewsOf(news)) })
    }

    fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        self.change().perform(cx, ground, input)
    }

    fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        if self.0.notes_refusal(input, refusal) {
            self.change().note_refusal(cx, input);
        }
    }

    fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
        self.0.wire(ground, request, parts)
    }

    fn stream(&self, ground: &Ground<'_>, topic: &Value, events: Stretch<'_, Event>) -> StreamNews {
        self.0.stream(ground, topic, events)
    }

    fn stream_begins(&mut self, ground: &Ground<'_>, topic: &Value) {
        self.change().stream_begins(ground, topic);
    }

    fn stream_closed(&mut self, ground: &Ground<'_>, topic: &Value) -> Option<Input> {
        self.change().stream_closed(ground, topic)
    }

    fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        self.0.show(ground, cluster)
    }

    fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow> {
        self.0.objects(ground)
    }

    fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView> {
        self.0.object(ground, key)
    }

    fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>) {
        self.0.explain_machine(ground, which, why);
    }

    fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.0.check(fleet)
    }
}

// ---- all layers ----------------------------------------------------------------------------------

/// The layers that have started, each with its number, in the order of their numbers.
#[derive(Default)]
pub(crate) struct Layers(Vec<(u8, Box<dyn Begun>)>);

impl Clone for Layers {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|(number, layer)| (*number, layer.again())).collect())
    }
}

impl Weight for Layers {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let before = |number: u8| before.and_then(|before| before.one(number));
        self.0.iter().map(|(number, layer)| layer.beyond(before(*number))).sum()
    }
}

impl Layers {
    fn one(&self, number: u8) -> Option<&dyn Begun> {
        self.0.iter().find(|(own, _)| *own == number).map(|(_, layer)| &**layer)
    }

    fn one_mut(&mut self, number: u8) -> Option<&mut Box<dyn Begun>> {
        self.0.iter_mut().find(|(own, _)| *own == number).map(|(_, layer)| layer)
    }

    fn all(&self) -> impl Iterator<Item = &dyn Begun> {
        self.0.iter().map(|(_, layer)| &**layer)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Begun>> {
        self.0.iter_mut().map(|(_, layer)| layer)
    }

    /// The layer of this number as its crate sees it, once it has started.
    #[allow(dead_code, reason = "a build may have no layers")]
    pub(crate) fn of_type<L: 'static>(&mut self, number: u8) -> Option<&mut Arc<L>> {
        self.one_mut(number)?.as_any_mut().downcast_mut::<Of<L>>().map(|of| &mut of.0)
    }

    /// Starts the layer of this word, unless it has started.
    pub(crate) fn begin(&mut self, word: &str, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) {
        let Some(facts) = LAYERS.iter().find(|facts| facts.word == word) else { return };
        if self.has_begun(facts.number) {
            return;
        }
        let Some(code) = (facts.code)() else { return };
        let at = self.0.partition_point(|(number, _)| *number < facts.number);
        self.0.insert(at, (facts.number, code.begin(cx, ground, flags)));
    }

    /// The words of layers that have not started and of which something holds.
    fn missing(&self, holds: impl Fn(&Facts) -> bool) -> Vec<&'static str> {
        let missing = LAYERS.iter().filter(|facts| !self.has_begun(facts.number) && holds(facts));
        missing.map(|facts| facts.word).collect()
    }

    /// The words of layers that an input needs and that have not started.
    pub(crate) fn wanted(&self, input: &Input) -> Vec<&'static str> {
        self.missing(|facts| (facts.is_needed_for)(input))
    }

    /// The words of layers that have not started and whose API contains the path.
    pub(crate) fn asked_for(&self, parts: &[&str]) -> Vec<&'static str> {
        self.missing(|facts| (facts.owns)(parts))
    }

    /// Returns whether the layer of this number has started.
    pub(crate) fn has_begun(&self, number: u8) -> bool {
        self.one(number).is_some()
    }

    /// Returns whether a started layer lists the machines and reports each registration.
    pub(crate) fn list_machines(&self) -> bool {
        self.all().any(Begun::lists_machines)
    }

    // ---- time --------------------------------------------------------------------------------

    /// The earliest timer, and its layer's number.
    pub(crate) fn next_due(&self) -> Option<(u64, u8)> {
        let due = |(number, layer): &(u8, Box<dyn Begun>)| layer.next_due().map(|(at, _)| (at.ms(), *number));
        self.0.iter().filter_map(due).min()
    }

    /// The instant at which timers of the other layers are due.
    pub(crate) fn next_due_but(&self, number: u8) -> Option<u64> {
        let others = self.0.iter().filter(|(own, _)| *own != number);
        others.filter_map(|(_, layer)| layer.next_due().map(|(at, _)| at.ms())).min()
    }

    /// Fires one due timer of a layer.
    pub(crate) fn fire(&mut self, number: u8, cx: &mut Cx, ground: &mut Ground<'_>) {
        if let Some(layer) = self.one_mut(number) {
            layer.fire(cx, ground);
        }
    }

    /// Skips periodic work of a layer that changes nothing.
    pub(crate) fn pass_quiet(&mut self, number: u8, until: SimTime) -> Option<(SimTime, u64)> {
        self.one_mut(number)?.pass_quiet(until)
    }

    /// Drops the views that layers keep for reuse.
    pub(crate) fn drop_views(&mut self) {
        self.all_mut().for_each(|layer| layer.drop_views());
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.all().map(Begun::one_shots).sum()
    }

    pub(crate) fn restless(&self) -> bool {
        self.all().any(Begun::restless)
    }

    // ---- events ------------------------------------------------------------------------------

    /// Passes a report to the layer that started the process, or to all layers if it is about machines.
    pub(crate) fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        for number in IN_TURN {
            let Some(layer) = self.one_mut(*number) else { continue };
            if event.owner.is_none_or(|owner| owner == layer.owner()) {
                cx.set_cause(event.cause);
                layer.hear(cx, ground, event);
            }
        }
    }

    /// Begins a round of deliveries of a layer; `None` if it has no events.
    pub(crate) fn begin_delivery(
        &mut self,
        number: u8,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
    ) -> Option<usize> {
        self.one_mut(number)?.begin_delivery(cx, ground)
    }

    /// Delivers one event of a layer, of which `left` remain in this round.
    pub(crate) fn deliver(
        &mut self,
        number: u8,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        left: usize,
    ) -> Option<Delivery<LayerNews>> {
        self.one_mut(number).map(|layer| layer.deliver(number, cx, ground, left))
    }

    /// Reports a change of the machines to the layers; returns whether one of them acted on it.
    pub(crate) fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal> {
        let mut taken = false;
        for layer in self.all_mut() {
            taken |= layer.machines_changed(cx, ground, change)?;
        }
        Ok(taken)
    }

    /// Updates the machines' ledger to what layers allocate on them.
    pub(crate) fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        self.all_mut().for_each(|layer| layer.settle(cx, ground));
    }

    /// Carries out an input by the first layer that it belongs to.
    pub(crate) fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        self.all_mut().find_map(|layer| layer.perform(cx, ground, input))
    }

    /// Reports a refused input to layers that need to know.
    pub(crate) fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        self.all_mut().for_each(|layer| layer.note_refusal(cx, input, refusal));
    }

    // ---- requests ----------------------------------------------------------------------------

    /// Returns the layer's answer to a request, with its number.
    pub(crate) fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Option<(u8, Wire)> {
        self.0.iter().find_map(|(number, layer)| match layer.wire(ground, request, parts) {
            Wire::NotMine => None,
            wire => Some((*number, wire)),
        })
    }

    /// Reports a new listener to the layer.
    pub(crate) fn stream_begins(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) {
        if let Some(layer) = self.one_mut(number) {
            layer.stream_begins(ground, topic);
        }
    }

    /// Returns the input that follows when the last listener of a layer's stream has left.
    pub(crate) fn stream_closed(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) -> Option<Input> {
        self.one_mut(number)?.stream_closed(ground, topic)
    }

    /// Returns the events of a layer's stream.
    pub(crate) fn stream(
        &self,
        number: u8,
        ground: &Ground<'_>,
        topic: &Value,
        events: Stretch<'_, Event>,
    ) -> Option<StreamNews> {
        Some(self.one(number)?.stream(ground, topic, events))
    }

    // ---- views -------------------------------------------------------------------------------

    /// Adds to the cluster view what layers know of it; the number grows with each change.
    pub(crate) fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        self.all().fold(0, |revision, layer| revision.saturating_add(layer.show(ground, cluster)))
    }

    /// Lists the objects of all layers' APIs.
    pub(crate) fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow> {
        self.all().flat_map(|layer| layer.objects(ground)).collect()
    }

    /// Describes the object of a row's key.
    pub(crate) fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView> {
        self.all().find_map(|layer| layer.object(ground, key))
    }

    /// Adds to the explanation of a machine what layers know of it.
    pub(crate) fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>) {
        self.all().for_each(|layer| layer.explain_machine(ground, which, why));
    }

    // ---- upkeep ------------------------------------------------------------------------------

    /// Digests of each layer's state, with its name.
    pub(crate) fn digests(&self) -> Vec<(&'static str, u64)> {
        self.all().map(|layer| (layer.title(), layer.digest())).collect()
    }

    pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.all().flat_map(|layer| layer.check(fleet)).collect()
    }

    pub(crate) fn weight(&self) -> u64 {
        self.all().map(Begun::weight).sum()
    }
}
