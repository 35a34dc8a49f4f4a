//! The parts between the machines and the systems: the one place that lists them.
//!
//! *Knows*: which crates implement [`Layer`], and passes on what the world asks of all of them. *Must not know*: any of
//! their rules.

use planarium_ground::{Cx, Fleet, FleetEvent, MachineId};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_kernel::cow::behind;
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_kernel::{Digest, SimTime};
#[allow(unused_imports, reason = "a build may have no layers")]
use planarium_part::{Flags, Ground, Layer, MachineChange, Part, Request, StreamNews, Wire};
use planarium_protocol::input::AddAgent;
use planarium_protocol::view::{MachineView, WindowView};
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use serde_json::Value;
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

        #[allow(unused_mut, unused_variables, clippy::unused_self, reason = "a build may have no layers")]
        impl Layers {
            /// Begins the layer of this word, unless it has begun. Those that are there say first what they hold of machines.
            pub(crate) fn begin(&mut self, word: &str, cx: &mut Cx, ground: &mut Ground<'_>, flags: &Flags) {
                if self.has(word) {
                    return;
                }
                $($(#[$on])* if let Some(layer) = &mut self.$field {
                    Arc::make_mut(layer).open_books(cx, ground);
                })*
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

            /// Returns whether the layer of this number has begun.
            pub(crate) fn has_begun(&self, number: u8) -> bool {
                $($(#[$on])* if number == $number {
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

            /// The earliest timer, and the number of its layer.
            pub(crate) fn next_due(&self) -> Option<(u64, u8)> {
                let mut first: Option<(u64, u8)> = None;
                $($(#[$on])* if let Some((at, _)) = self.$field.as_ref().and_then(|layer| layer.next_due())
                    && first.is_none_or(|(earliest, _)| at.ms() < earliest)
                {
                    first = Some((at.ms(), $number));
                })*
                first
            }

            /// When timers of other layers than this one are due.
            pub(crate) fn next_due_but(&self, number: u8) -> Option<u64> {
                let mut first: Option<u64> = None;
                $($(#[$on])* if number != $number
                    && let Some((at, _)) = self.$field.as_ref().and_then(|layer| layer.next_due())
                {
                    first = Some(first.map_or(at.ms(), |first| first.min(at.ms())));
                })*
                first
            }

            /// Handles one due timer of the layer of this number.
            pub(crate) fn fire(&mut self, number: u8, cx: &mut Cx, ground: &mut Ground<'_>) {
                $($(#[$on])* if number == $number && let Some(layer) = &mut self.$field {
                    Arc::make_mut(layer).fire(cx, ground);
                })*
            }

            /// Passes over periodic work of the layer of this number that changes nothing.
            pub(crate) fn pass_quiet(&mut self, number: u8, until: SimTime) -> Option<(SimTime, u64)> {
                $($(#[$on])* if number == $number && let Some(layer) = &mut self.$field {
                    return Arc::make_mut(layer).pass_quiet(until);
                })*
                None
            }

            pub(crate) fn one_shots(&self) -> usize {
                let mut all = 0;
                $($(#[$on])* { all += self.$field.as_ref().map_or(0, |layer| layer.one_shots()); })*
                all
            }

            pub(crate) fn restless(&self) -> bool {
                let mut any = false;
                $($(#[$on])* { any |= self.$field.as_ref().is_some_and(|layer| layer.restless()); })*
                any
            }

            /// Hands a report to the layer that started its process, or to all when it is about machines.
            pub(crate) fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
                $($(#[$there])* if let Some(layer) = &mut self.$hearer
                    && event.owner.is_none_or(|owner| owner == owner_of(layer))
                {
                    cx.set_cause(event.cause);
                    Arc::make_mut(layer).hear(cx, ground, event);
                })*
            }

            /// Refuses machines that could not register.
            pub(crate) fn admits(&self, ground: &Ground<'_>, add: &AddAgent) -> Result<(), Refusal> {
                $($(#[$on])* if let Some(layer) = &self.$field {
                    layer.admits(ground, add)?;
                })*
                Ok(())
            }

            /// Returns whether a machine that is there already may register afresh with one of them.
            pub(crate) fn takes_again(&self, ground: &Ground<'_>, machine: MachineId) -> Result<bool, Refusal> {
                $($(#[$on])* if let Some(layer) = &self.$field
                    && layer.takes_again(ground, machine)?
                {
                    return Ok(true);
                })*
                Ok(false)
            }

            /// Tells the layers of a change of the machines.
            pub(crate) fn machines_changed(
                &mut self,
                cx: &mut Cx,
                ground: &mut Ground<'_>,
                change: &MachineChange<'_>,
            ) {
                $($(#[$on])* if let Some(layer) = &mut self.$field {
                    Arc::make_mut(layer).machines_changed(cx, ground, change);
                })*
            }

            /// Brings the machines' ledger in line with what layers hold of them.
            pub(crate) fn settle(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
                $($(#[$on])* if let Some(layer) = &mut self.$field
                    && !layer.is_settled()
                {
                    Arc::make_mut(layer).settle(cx, ground);
                })*
            }

            pub(crate) fn programs_returned(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
                $($(#[$on])* if let Some(layer) = &mut self.$field {
                    Arc::make_mut(layer).programs_returned(cx, ground);
                })*
            }

            /// Hostnames of the machines that an operator plans to take away.
            pub(crate) fn planned(&self, ground: &Ground<'_>) -> Vec<Text> {
                let mut all = Vec::new();
                $($(#[$on])* if let Some(layer) = &self.$field {
                    all.extend(layer.planned(ground));
                })*
                all
            }

            /// Has the first layer whose input it is carry it out.
            pub(crate) fn perform(
                &mut self,
                cx: &mut Cx,
                ground: &mut Ground<'_>,
                input: &Input,
            ) -> Option<Result<Value, Refusal>> {
                $($(#[$on])* if let Some(layer) = &mut self.$field
                    && let Some(done) = Arc::make_mut(layer).perform(cx, ground, input)
                {
                    return Some(done);
                })*
                None
            }

            /// Adds to machines what layers know of them; the number grows whenever that is something else.
            pub(crate) fn show(&self, ground: &Ground<'_>, machines: &mut Vec<Arc<MachineView>>) -> u64 {
                let mut revision = 0_u64;
                $($(#[$on])* if let Some(layer) = &self.$field {
                    revision = revision.saturating_add(layer.show(ground, machines));
                })*
                revision
            }

            pub(crate) fn windows(&self) -> Vec<WindowView> {
                let mut all = Vec::new();
                $($(#[$on])* if let Some(layer) = &self.$field {
                    all.extend(layer.windows());
                })*
                all
            }

            pub(crate) fn why_machine(&self, ground: &Ground<'_>, which: &str) -> Option<MachineWhy> {
                $($(#[$on])* if let Some(why) = self.$field.as_ref().and_then(|it| it.why_machine(ground, which)) {
                    return Some(why);
                })*
                None
            }

            /// Adds to an explanation what layers know of what it names.
            pub(crate) fn explain(&self, ground: &Ground<'_>, why: &mut Why) {
                $($(#[$on])* if let Some(layer) = &self.$field {
                    layer.explain(ground, why);
                })*
            }

            pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
                let mut found = Vec::new();
                $($(#[$on])* if let Some(layer) = &self.$field {
                    found.extend(layer.check(fleet));
                })*
                found
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

            pub(crate) fn weight(&self) -> u64 {
                let mut all = 0;
                $($(#[$on])* { all += self.$field.as_ref().map_or(0, |layer| layer.weight()); })*
                all
            }

            /// The layer's answer to a request, with its number.
            pub(crate) fn wire(
                &self,
                ground: &Ground<'_>,
                request: &Request,
                parts: &[&str],
            ) -> Option<(u8, Wire)> {
                $($(#[$on])* if let Some(layer) = &self.$field {
                    match layer.wire(ground, request, parts) {
                        Wire::NotMine => {}
                        wire => return Some(($number, wire)),
                    }
                })*
                None
            }

            /// The words of layers that have not begun and whose API has a path.
            pub(crate) fn asked_for(&self, parts: &[&str]) -> Vec<&'static str> {
                let mut asked = Vec::new();
                $($(#[$on])* if self.$field.is_none() && <$layer as Layer>::owns(parts) {
                    asked.push($word);
                })*
                asked
            }

            /// Tells the layer of this number that somebody begins to listen.
            pub(crate) fn stream_begins(&mut self, number: u8, ground: &Ground<'_>, topic: &Value) {
                $($(#[$on])* if number == $number && let Some(layer) = &mut self.$field {
                    Arc::make_mut(layer).stream_begins(ground, topic);
                })*
            }

            /// The input that follows when nobody listens to a stream of the layer of this number any more.
            pub(crate) fn stream_closed(&self, number: u8, topic: &Value) -> Option<Input> {
                $($(#[$on])* if number == $number && let Some(layer) = &self.$field {
                    return layer.stream_closed(topic);
                })*
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
                $($(#[$on])* if number == $number && let Some(layer) = &self.$field {
                    return Some(layer.stream(ground, topic, events));
                })*
                None
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

/// Returns the owner of a layer's processes.
#[cfg(any(feature = "mesos", feature = "kube"))]
fn owner_of<L: Layer>(_: &Arc<L>) -> planarium_ground::Owner {
    L::OWNER
}
