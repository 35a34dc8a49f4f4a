//! The parts between the machines and the systems, listed only here.
//!
//! *Knows*: which crates implement [`Layer`]; forwards the world's calls to them. *Must not know*: any of their rules.

#[allow(unused_imports, reason = "a build may have no layers")]
use crate::parts::Lend;
use planarium_ground::{Cx, Fleet, FleetEvent};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_kernel::{Digest, SimTime, Weight};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_part::{Delivery, Done, Flags, Ground, Layer, MachineChange, Part, Request, StreamNews, Wire};
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal};
use serde_json::Value;
#[allow(unused_imports, reason = "a build may have no layers")]
use std::sync::Arc;

/// Declares the layers, one line each, in the order of their timers, and the order in which they receive machine reports and
/// deliver events.
macro_rules! layers {
    (
        timers { $($(#[$on:meta])* $field:ident($layer:ty) = $number:literal, $word:literal, $title:literal;)* }
        hear { $($(#[$there:meta])* $hearer:ident as $variant:ident($speaker:ty) = $turn:literal, $name:literal;)* }
    ) => {
        /// The words of this build's layers.
        pub(crate) static WORDS: &[&str] = &[$($(#[$on])* $word),*];

        /// Numbers of the layers in the order in which they receive machine reports and deliver events.
        pub(crate) const IN_TURN: &[u8] = &[$($(#[$there])* $turn),*];

        /// Events of a layer for daemons.
        #[derive(Clone)]
        pub(crate) enum LayerNews {
            $($(#[$there])* $variant(<$speaker as Layer>::News),)*
        }

        impl LayerNews {
            /// The word of the layer that sent it.
            pub(crate) fn word(&self) -> &'static str {
                match *self { $($(#[$there])* Self::$variant(_) => $name,)* }
            }
        }

        /// Returns whether a path belongs to a layer's API.
        #[allow(unused_variables, reason = "a build may have no layers")]
        pub(crate) fn own(parts: &[&str]) -> bool {
            $($(#[$on])* if <$layer as Layer>::owns(parts) {
                return true;
            })*
            false
        }

        /// The layers that have begun.
        #[derive(Clone, Default)]
        pub(crate) struct Layers {
            $($(#[$on])* pub(crate) $field: Option<Arc<$layer>>,)*
        }

        /// Runs code for every started layer, with its number and shared access.
        macro_rules! each {
            ($layers:expr, |$no:pat_param, $one:ident| $work:expr) => {
                $($(#[$on])* if let Some($one) = &$layers.$field {
                    let $no: u8 = $number;
                    $work
                })*
            };
        }

        /// Runs code for every started layer, with its number and mutable access.
        macro_rules! each_mut {
            ($layers:expr, |$no:pat_param, $one:ident| $work:expr) => {
                $($(#[$on])* if let Some($one) = &mut $layers.$field {
                    let $no: u8 = $number;
                    $work
                })*
            };
        }

        /// Runs code for every started layer, in the order in which they receive machine reports.
        macro_rules! each_hearer {
            ($layers:expr, |$one:ident| $work:expr) => {
                $($(#[$there])* if let Some($one) = &mut $layers.$hearer {
                    $work
                })*
            };
        }

        #[allow(unused_mut, unused_variables, clippy::unused_self, reason = "a build may have no layers")]
        impl Layers {
            /// Starts the layer of this word, unless it has started.
            pub(crate) fn begin(&mut self, word: &str, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) {
                $($(#[$on])* if word == $word && self.$field.is_none() {
                    self.$field = Some(Arc::new(<$layer as Layer>::begin(cx, ground, flags)));
                })*
            }

            /// The words of layers that an input needs and that have not started.
            pub(crate) fn wanted(&self, input: &Input) -> Vec<&'static str> {
                let mut wanted = Vec::new();
                $($(#[$on])* if self.$field.is_none() && <$layer as Layer>::is_needed_for(input) {
                    wanted.push($word);
                })*
                wanted
            }

            /// The words of layers that have not started and whose API contains the path.
            pub(crate) fn asked_for(&self, parts: &[&str]) -> Vec<&'static str> {
                let mut asked = Vec::new();
                $($(#[$on])* if self.$field.is_none() && <$layer as Layer>::owns(parts) {
                    asked.push($word);
                })*
                asked
            }

            /// Digests of each layer's state, with its name.
            pub(crate) fn digests(&self) -> Vec<(&'static str, u64)> {
                let mut all = Vec::new();
                $($(#[$on])* if let Some(layer) = &self.$field {
                    all.push(($title, Digest::of(layer)));
                })*
                all
            }

            /// Begins a round of deliveries of a layer; `None` if it has no events.
            pub(crate) fn begin_delivery(
                &mut self,
                number: u8,
                cx: &mut Cx,
                ground: &mut Ground<'_>,
            ) -> Option<usize> {
                $($(#[$there])* if number == $turn {
                    let layer = self.$hearer.as_mut().filter(|layer| layer.has_news())?;
                    return Some(Arc::make_mut(layer).begin_delivery(cx, ground));
                })*
                None
            }

            /// Delivers one event of a layer, of which `left` remain in this round.
            pub(crate) fn deliver(
                &mut self,
                number: u8,
                cx: &mut Cx,
                ground: &mut Ground<'_>,
                left: usize,
            ) -> Option<Delivery<LayerNews>> {
                $($(#[$there])* if number == $turn {
                    let layer = Arc::make_mut(self.$hearer.as_mut()?);
                    return Some(layer.deliver(cx, ground, left).map(LayerNews::$variant));
                })*
                None
            }
        }

        #[allow(unused_mut, unused_variables, reason = "a build may have no layers")]
        impl Weight for Layers {
            fn beyond(&self, before: Option<&Self>) -> u64 {
                let mut all = 0;
                $($(#[$on])* {
                    all += self.$field.beyond(before.map(|before| &before.$field));
                })*
                all
            }
        }
    };
}

layers! {
    timers {
        #[cfg(feature = "mesos")]
        mesos(planarium_mesos::Mesos) = 0, "mesos", "master";
        #[cfg(feature = "kube")]
        kube(planarium_kube::Kubernetes) = 1, "kube", "Kubernetes objects";
    }
    hear {
        #[cfg(feature = "kube")]
        kube as Kube(planarium_kube::Kubernetes) = 1, "kube";
        #[cfg(feature = "mesos")]
        mesos as Mesos(planarium_mesos::Mesos) = 0, "mesos";
    }
}

#[allow(unused_mut, unused_variables, clippy::unused_self, reason = "a build may have no layers")]
impl Layers {
    /// Returns whether the layer of this number has started.
    pub(crate) fn has_begun(&self, number: u8) -> bool {
        let mut has = false;
        each!(self, |no, layer| has |= no == number);
        has
    }

    /// Returns whether a started layer lists the machines and reports each registration.
    pub(crate) fn list_machines(&self) -> bool {
        let mut any = false;
        each!(self, |_, layer| any |= lists_machines(layer));
        any
    }

    // ---- time --------------------------------------------------------------------------------

    /// The earliest timer, and its layer's number.
    pub(crate) fn next_due(&self) -> Option<(u64, u8)> {
        let mut first: Option<(u64, u8)> = None;
        each!(self, |no, layer| {
            if let Some((at, _)) = layer.next_due()
                && first.is_none_or(|(earliest, _)| at.ms() < earliest)
            {
                first = Some((at.ms(), no));
            }
        });
        first
    }

    /// The instant at which timers of the other layers are due.
    pub(crate) fn next_due_but(&self, number: u8) -> Option<u64> {
        let mut first: Option<u64> = None;
        each!(self, |no, layer| {
            if no != number
                && let Some((at, _)) = layer.next_due()
            {
                first = Some(first.map_or(at.ms(), |first| first.min(at.ms())));
            }
        });
        first
    }

    /// Fires one due timer of a layer.
    pub(crate) fn fire(&mut self, number: u8, cx: &mut Cx, ground: &mut Ground<'_>) {
        each_mut!(self, |no, layer| {
            if no == number {
                Arc::make_mut(layer).fire(cx, ground);
            }
        });
    }

    /// Skips periodic work of a layer that changes nothing.
    pub(crate) fn pass_quiet(&mut self, number: u8, until: SimTime) -> Option<(SimTime, u64)> {
        each_mut!(self, |no, layer| {
            if no == number {
                return Arc::make_mut(layer).pass_quiet(until);
            }
        });
        None
    }

    /// Drops the views that layers keep for reuse.
    pub(crate) fn drop_views(&mut self) {
        each_mut!(self, |_, layer| Arc::make_mut(layer).drop_views());
    }

    pub(crate) fn one_shots(&self) -> usize {
        let mut all = 0;
        each!(self, |_, layer| all += layer.one_shots());
        all
    }

    pub(crate) fn restless(&self) -> bool {
        let mut any = false;
        each!(self, |_, layer| any |= layer.restless());
        any
    }

    // ---- events ------------------------------------------------------------------------------

    /// Passes a report to the layer that started the process, or to all layers if it is about machines.
    pub(crate) fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        each_hearer!(self, |layer| {
            if event.owner.is_none_or(|owner| owner == owner_of(layer)) {
                cx.set_cause(event.cause);
                Arc::make_mut(layer).hear(cx, ground, event);
            }
        });
    }

    /// Reports a change of the machines to the layers; returns whether one of them acted on it.
    pub(crate) fn machines_changed(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        change: &MachineChange<'_>,
    ) -> Result<bool, Refusal> {
        let mut taken = false;
        each_mut!(self, |_, layer| taken |= Arc::make_mut(layer).machines_changed(cx, ground, change)?);
        Ok(taken)
    }

    /// Updates the machines' ledger to what layers allocate on them.
    pub(crate) fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        each_mut!(self, |_, layer| {
            if !layer.is_settled(ground) {
                Arc::make_mut(layer).settle(cx, ground);
            }
        });
    }

    /// Carries out an input by the first layer that it belongs to.
    pub(crate) fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        each_mut!(self, |_, layer| {
            if let Some(done) = Arc::make_mut(layer).perform(cx, ground, input) {
                return Some(done);
            }
        });
        None
    }

    /// Reports a refused input to layers that need to know.
    pub(crate) fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        each_mut!(self, |_, layer| {
            if layer.notes_refusal(input, refusal) {
                Arc::make_mut(layer).note_refusal(cx, input);
            }
        });
    }

    // ---- requests ----------------------------------------------------------------------------

    /// Returns the layer's answer to a request, with its number.
    pub(crate) fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Option<(u8, Wire)> {
        each!(self, |no, layer| {
            match layer.wire(ground, request, parts) {
                Wire::NotMine => {}
                wire => return Some((no, wire)),
            }
        });
        None
    }

    /// Reports a new listener to the layer.
    pub(crate) fn stream_begins(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) {
        each_mut!(self, |no, layer| {
            if no == number {
                Arc::make_mut(layer).stream_begins(ground, topic);
            }
        });
    }

    /// Returns the input that follows when the last listener of a layer's stream has left.
    pub(crate) fn stream_closed(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) -> Option<Input> {
        each_mut!(self, |no, layer| {
            if no == number {
                return Arc::make_mut(layer).stream_closed(ground, topic);
            }
        });
        None
    }

    /// Returns the events of a layer's stream.
    pub(crate) fn stream(
        &self,
        number: u8,
        ground: &Ground<'_>,
        topic: &Value,
        events: &[Event],
    ) -> Option<StreamNews> {
        each!(self, |no, layer| {
            if no == number {
                return Some(layer.stream(ground, topic, events));
            }
        });
        None
    }

    // ---- views -------------------------------------------------------------------------------

    /// Adds to the cluster view what layers know of it; the number grows with each change.
    pub(crate) fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        let mut revision = 0_u64;
        each!(self, |_, layer| revision = revision.saturating_add(layer.show(ground, cluster)));
        revision
    }

    /// Lists the objects of all layers' APIs.
    pub(crate) fn objects(&self, ground: &Ground<'_>) -> Vec<ObjectRow> {
        let mut all = Vec::new();
        each!(self, |_, layer| all.extend(layer.objects(ground)));
        all
    }

    /// Describes the object of a row's key.
    pub(crate) fn object(&self, ground: &Ground<'_>, key: &str) -> Option<ObjectView> {
        each!(self, |_, layer| {
            if let Some(found) = layer.object(ground, key) {
                return Some(found);
            }
        });
        None
    }

    /// Adds to the explanation of a machine what layers know of it.
    pub(crate) fn explain_machine(&self, ground: &Ground<'_>, which: &str, why: &mut Option<MachineWhy>) {
        each!(self, |_, layer| layer.explain_machine(ground, which, why));
    }

    // ---- upkeep ------------------------------------------------------------------------------

    pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
        let mut found = Vec::new();
        each!(self, |_, layer| found.extend(layer.check(fleet)));
        found
    }

    pub(crate) fn weight(&self) -> u64 {
        let mut all = 0;
        each!(self, |_, layer| all += layer.weight());
        all
    }
}

/// Returns whether a layer lists the machines.
#[cfg(any(feature = "mesos", feature = "kube"))]
fn lists_machines<L: Layer>(_: &Arc<L>) -> bool {
    L::LISTS_MACHINES
}

/// The layers as lent to a daemon, each once it has started.
impl Lend<'_> {
    /// Mesos as a framework's scheduler accesses it.
    #[cfg(feature = "mesos")]
    pub(crate) fn mesos(&mut self) -> Option<planarium_mesos::Cluster<'_>> {
        let (layers, ground) = self.split();
        Some(planarium_mesos::Cluster { ground, mesos: layers.mesos.as_mut()? })
    }

    /// Kubernetes as a client accesses it.
    #[cfg(feature = "kube")]
    pub(crate) fn kube(&mut self) -> Option<planarium_kube::Cluster<'_>> {
        let (layers, ground) = self.split();
        Some(planarium_kube::Cluster { ground, kubernetes: layers.kube.as_mut()? })
    }
}

/// Returns the owner of a layer's processes.
#[cfg(any(feature = "mesos", feature = "kube"))]
fn owner_of<L: Layer>(_: &Arc<L>) -> planarium_ground::Owner {
    L::OWNER
}
