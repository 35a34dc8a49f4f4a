//! The parts between the machines and the systems: the one place that lists them.
//!
//! *Knows*: which crates implement [`Layer`], and passes on what the world asks of all of them. *Must not know*: any of
//! their rules.

use planarium_ground::{Cx, Fleet, FleetEvent};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_kernel::cow::behind;
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_kernel::{Digest, SimTime};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_part::{Done, Flags, Ground, Layer, MachineChange, Part, Request, StreamNews, Wire};
use planarium_protocol::view::ClusterView;
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal};
use serde_json::Value;
#[allow(unused_imports, reason = "a build may have no layers")]
use std::sync::Arc;

/// Makes the layers from a line for each, in the order of their timers, and the order in which they hear of machines.
macro_rules! layers {
    (
        timers { $($(#[$on:meta])* $field:ident($layer:ty) = $number:literal, $word:literal, $title:literal;)* }
        hear { $($(#[$there:meta])* $hearer:ident;)* }
    ) => {
        /// The words of the layers of this build.
        pub(crate) static WORDS: &[&str] = &[$($(#[$on])* $word),*];

        /// Returns whether a path is one of a layer's API.
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

        /// Does something with every layer that has begun: with its number, and with the layer to be asked.
        macro_rules! each {
            ($layers:expr, |$no:pat_param, $one:ident| $work:expr) => {
                $($(#[$on])* if let Some($one) = &$layers.$field {
                    let $no: u8 = $number;
                    $work
                })*
            };
        }

        /// Does something with every layer that has begun: with its number, and with the layer to be changed.
        macro_rules! each_mut {
            ($layers:expr, |$no:pat_param, $one:ident| $work:expr) => {
                $($(#[$on])* if let Some($one) = &mut $layers.$field {
                    let $no: u8 = $number;
                    $work
                })*
            };
        }

        /// Does something with every layer that has begun, in the order in which they hear of machines.
        macro_rules! each_hearer {
            ($layers:expr, |$one:ident| $work:expr) => {
                $($(#[$there])* if let Some($one) = &mut $layers.$hearer {
                    $work
                })*
            };
        }

        #[allow(unused_mut, unused_variables, clippy::unused_self, reason = "a build may have no layers")]
        impl Layers {
            /// Begins the layer of this word, unless it has begun.
            pub(crate) fn begin(&mut self, word: &str, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) {
                $($(#[$on])* if word == $word && self.$field.is_none() {
                    self.$field = Some(Arc::new(<$layer as Layer>::begin(cx, ground, flags)));
                })*
            }

            /// Returns whether the layer of this word has begun.
            pub(crate) fn has(&self, word: &str) -> bool {
                $($(#[$on])* if word == $word {
                    return self.$field.is_some();
                })*
                false
            }

            /// The words of layers that have not begun and that an input needs.
            pub(crate) fn wanted(&self, input: &Input) -> Vec<&'static str> {
                let mut wanted = Vec::new();
                $($(#[$on])* if self.$field.is_none() && <$layer as Layer>::is_needed_for(input) {
                    wanted.push($word);
                })*
                wanted
            }

            /// The words of layers that have not begun and whose API has a path.
            pub(crate) fn asked_for(&self, parts: &[&str]) -> Vec<&'static str> {
                let mut asked = Vec::new();
                $($(#[$on])* if self.$field.is_none() && <$layer as Layer>::owns(parts) {
                    asked.push($word);
                })*
                asked
            }

            /// Digests of the state of each, with its name.
            pub(crate) fn digests(&self) -> Vec<(&'static str, u64)> {
                let mut all = Vec::new();
                $($(#[$on])* if let Some(layer) = &self.$field {
                    let mut digest = Digest::new();
                    layer.digest(&mut digest);
                    all.push(($title, digest.finish()));
                })*
                all
            }

            pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
                let mut all = 0;
                $($(#[$on])* if let Some(layer) = &self.$field {
                    let old = before.and_then(|before| before.$field.as_ref());
                    all += behind(layer, old, |now| now.beyond(old.map(|old| &**old)));
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
        kube;
        #[cfg(feature = "mesos")]
        mesos;
    }
}

#[allow(unused_mut, unused_variables, clippy::unused_self, reason = "a build may have no layers")]
impl Layers {
    /// Returns whether the layer of this number has begun.
    pub(crate) fn has_begun(&self, number: u8) -> bool {
        let mut has = false;
        each!(self, |no, layer| has |= no == number);
        has
    }

    // ---- time --------------------------------------------------------------------------------

    /// The earliest timer, and the number of its layer.
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

    /// When timers of other layers than this one are due.
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

    /// Handles one due timer of the layer of this number.
    pub(crate) fn fire(&mut self, number: u8, cx: &mut Cx, ground: &mut Ground<'_>) {
        each_mut!(self, |no, layer| {
            if no == number {
                Arc::make_mut(layer).fire(cx, ground);
            }
        });
    }

    /// Passes over periodic work of the layer of this number that changes nothing.
    pub(crate) fn pass_quiet(&mut self, number: u8, until: SimTime) -> Option<(SimTime, u64)> {
        each_mut!(self, |no, layer| {
            if no == number {
                return Arc::make_mut(layer).pass_quiet(until);
            }
        });
        None
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

    // ---- news --------------------------------------------------------------------------------

    /// Hands a report to the layer that started its process, or to all when it is about machines.
    pub(crate) fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        each_hearer!(self, |layer| {
            if event.owner.is_none_or(|owner| owner == owner_of(layer)) {
                cx.set_cause(event.cause);
                Arc::make_mut(layer).hear(cx, ground, event);
            }
        });
    }

    /// Tells the layers of a change of the machines; returns whether one does something with it.
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

    /// Brings the machines' ledger in line with what layers hold of them.
    pub(crate) fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        each_mut!(self, |_, layer| {
            if !layer.is_settled(ground) {
                Arc::make_mut(layer).settle(cx, ground);
            }
        });
    }

    /// Has the first layer whose input it is carry it out.
    pub(crate) fn perform(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, input: &Input) -> Option<Done> {
        each_mut!(self, |_, layer| {
            if let Some(done) = Arc::make_mut(layer).perform(cx, ground, input) {
                return Some(done);
            }
        });
        None
    }

    /// Tells layers that an input was refused, those that have to know.
    pub(crate) fn note_refusal(&mut self, cx: &mut Cx, input: &Input, refusal: &Refusal) {
        each_mut!(self, |_, layer| {
            if layer.notes_refusal(input, refusal) {
                Arc::make_mut(layer).note_refusal(cx, input);
            }
        });
    }

    // ---- requests ----------------------------------------------------------------------------

    /// The layer's answer to a request, with its number.
    pub(crate) fn wire(&self, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Option<(u8, Wire)> {
        each!(self, |no, layer| {
            match layer.wire(ground, request, parts) {
                Wire::NotMine => {}
                wire => return Some((no, wire)),
            }
        });
        None
    }

    /// Tells the layer of this number that somebody begins to listen.
    pub(crate) fn stream_begins(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) {
        each_mut!(self, |no, layer| {
            if no == number {
                Arc::make_mut(layer).stream_begins(ground, topic);
            }
        });
    }

    /// The input that follows when nobody listens to a stream of the layer of this number any more.
    pub(crate) fn stream_closed(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) -> Option<Input> {
        each_mut!(self, |no, layer| {
            if no == number {
                return Arc::make_mut(layer).stream_closed(ground, topic);
            }
        });
        None
    }

    /// Returns the news of a stream of the layer of this number.
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

    // ---- what they show ----------------------------------------------------------------------

    /// Adds to the cluster what layers know of it; the number grows whenever that is something else.
    pub(crate) fn show(&self, ground: &Ground<'_>, cluster: &mut ClusterView) -> u64 {
        let mut revision = 0_u64;
        each!(self, |_, layer| revision = revision.saturating_add(layer.show(ground, cluster)));
        revision
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

/// Returns the owner of a layer's processes.
#[cfg(any(feature = "mesos", feature = "kube"))]
fn owner_of<L: Layer>(_: &Arc<L>) -> planarium_ground::Owner {
    L::OWNER
}
