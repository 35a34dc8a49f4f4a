//! The systems that a world can run: the one place that lists them.
//!
//! *Knows*: which crates implement the contract, and passes on what the world asks of any of them.
//! *Must not know*: any system's rules.
//!
//! A further system is one line in `systems!` below, its cargo feature, and nothing else here.

use planarium_ground::{Cx, FleetEvent};
use planarium_kernel::cow::behind;
use planarium_kernel::{Digest, SimTime};
use planarium_mesos::api::{FrameworkId, Message};
use planarium_part::{
    Cluster, Definition as Readable, Dialect, Loading, Number, Request, StreamNews, System, Wire,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use planarium_source::{Diagnostic, SourceMap, Span};
use serde_json::Value;
use std::sync::Arc;

#[cfg(not(any(feature = "sdk", feature = "marathon", feature = "kudo", feature = "skopos")))]
compile_error!("planarium-world needs at least one system: turn on one of its features");

/// Makes an enum of definitions, an enum of processes and the list of dialects from one line a system.
macro_rules! systems {
    ($($(#[$on:meta])* $variant:ident($process:ty);)+) => {
        /// The systems of this build.
        pub(crate) static DIALECTS: &[Dialect] = &[$($(#[$on])* <$process as System>::DIALECT),+];

        /// A definition as its dialect read it.
        #[derive(Clone)]
        pub(crate) enum Definition {
            $($(#[$on])* $variant(<$process as System>::Definition),)+
        }

        impl Definition {
            /// Reads a definition in the dialect of this word.
            fn read_as(word: &str, load: &LoadService) -> Option<Self> {
                $($(#[$on])* if word == <$process as System>::DIALECT.word {
                    return Some(Self::$variant(<$process as System>::read(load)));
                })+
                None
            }

            pub(crate) fn dialect(&self) -> Dialect {
                match self { $($(#[$on])* Self::$variant(_) => <$process as System>::DIALECT,)+ }
            }

            pub(crate) fn name(&self) -> &Text {
                match self { $($(#[$on])* Self::$variant(it) => Readable::name(it),)+ }
            }

            /// Whether it can run.
            pub(crate) fn is_usable(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => Readable::is_usable(it),)+ }
            }

            pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::diagnostics(it),)+ }
            }

            pub(crate) fn sources(&self) -> &SourceMap {
                match self { $($(#[$on])* Self::$variant(it) => Readable::sources(it),)+ }
            }

            /// The beginning of the definition.
            pub(crate) fn span(&self) -> Span {
                match self { $($(#[$on])* Self::$variant(it) => Readable::span(it),)+ }
            }

            /// Template variables without a value.
            pub(crate) fn missing(&self) -> Vec<String> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::missing(it),)+ }
            }

            /// Names of files that usually lie beside it and that it lacks.
            pub(crate) fn beside(&self) -> Vec<&'static str> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::beside(it),)+ }
            }

            /// Whether nobody has given it a name.
            pub(crate) fn is_nameless(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => Readable::is_nameless(it),)+ }
            }

            /// Fields that are read, checked and without effect here, each with why.
            pub(crate) fn kept(&self) -> Vec<(String, &'static str)> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::kept(it),)+ }
            }

            /// What the plans look like before anything runs; none when it cannot be used.
            pub(crate) fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>> {
                match self { $($(#[$on])* Self::$variant(it) => <$process as System>::preview(it),)+ }
            }

            /// What stands against this definition if it is to follow what runs, as findings in its text.
            pub(crate) fn findings_against(&self, running: Option<&Process>) -> Vec<Diagnostic> {
                match self {
                    $($(#[$on])* Self::$variant(it) => {
                        let running = running.and_then(|running| match running {
                            Process::$variant(process) => Some(&**process),
                            #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                            _ => None,
                        });
                        <$process as System>::findings_against(it, running)
                    })+
                }
            }

            /// Starts a process with its first service.
            pub(crate) fn start(
                self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                number: Number,
                load: Arc<LoadService>,
            ) -> Result<(Process, Value), Refusal> {
                match self {
                    $($(#[$on])* Self::$variant(definition) => {
                        let loading = Loading { number, load, definition };
                        let (process, answer) = <$process as System>::start(cx, cluster, loading)?;
                        Ok((Process::$variant(Arc::new(process)), answer))
                    })+
                }
            }
        }

        /// A process of one of the systems.
        #[derive(Clone)]
        pub(crate) enum Process {
            $($(#[$on])* $variant(Arc<$process>),)+
        }

        impl Process {
            /// A process without a service, where the system of this word has such.
            pub(crate) fn empty(
                word: &str,
                cx: &mut Cx,
                cluster: &mut Cluster,
                number: Number,
            ) -> Option<Self> {
                $($(#[$on])* if word == <$process as System>::DIALECT.word {
                    let process = <$process as System>::empty(cx, cluster, number)?;
                    return Some(Self::$variant(Arc::new(process)));
                })+
                None
            }

            /// Takes a further service in (`update` false), or gives one of its services another definition.
            pub(crate) fn take(
                &mut self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                (number, load, definition): (Number, Arc<LoadService>, Definition),
                update: bool,
            ) -> Result<Value, Refusal> {
                match (self, definition) {
                    $($(#[$on])* (Self::$variant(it), Definition::$variant(definition)) => {
                        let loading = Loading { number, load, definition };
                        let process = Arc::make_mut(it);
                        if update {
                            process.update(cx, cluster, loading)
                        } else {
                            process.load(cx, cluster, loading)
                        }
                    })+
                    #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                    _ => Err(Refusal::new(RefusalCode::Conflict, "The definition is of another dialect")),
                }
            }

            /// Bytes that this process holds and the one before does not, by estimate.
            pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
                match self {
                    $($(#[$on])* Self::$variant(it) => {
                        let before = before.and_then(|before| match before {
                            Self::$variant(before) => Some(before),
                            #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                            _ => None,
                        });
                        behind(it, before, |now| now.beyond(before.map(|before| &**before)))
                    })+
                }
            }

            pub(crate) fn dialect(&self) -> Dialect {
                match self { $($(#[$on])* Self::$variant(_) => <$process as System>::DIALECT,)+ }
            }

            pub(crate) fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => it.objection(load, name),)+ }
            }

            pub(crate) fn takes(&self, load: &LoadService) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.takes(load),)+ }
            }

            pub(crate) fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => it.adapted(load),)+ }
            }

            pub(crate) fn remove(
                &mut self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                name: &str,
                force: bool,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).remove(cx, cluster, name, force),)+ }
            }

            pub(crate) fn names(&self) -> Vec<(Number, Text)> {
                match self { $($(#[$on])* Self::$variant(it) => it.names(),)+ }
            }

            pub(crate) fn shown(&self) -> Vec<(Number, Text)> {
                match self { $($(#[$on])* Self::$variant(it) => it.shown(),)+ }
            }

            pub(crate) fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
                match self { $($(#[$on])* Self::$variant(it) => it.request(name),)+ }
            }

            pub(crate) fn is_over(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.is_over(),)+ }
            }

            pub(crate) fn framework(&self) -> Option<FrameworkId> {
                match self { $($(#[$on])* Self::$variant(it) => it.framework(),)+ }
            }

            pub(crate) fn next_due(&self) -> Option<(SimTime, Number)> {
                match self { $($(#[$on])* Self::$variant(it) => it.next_due(),)+ }
            }

            pub(crate) fn one_shots(&self) -> usize {
                match self { $($(#[$on])* Self::$variant(it) => it.one_shots(),)+ }
            }

            pub(crate) fn comes_first(&self, input: &Input) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.comes_first(input),)+ }
            }

            pub(crate) fn restless(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.restless(),)+ }
            }

            pub(crate) fn fire(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).fire(cx, cluster),)+ }
            }

            pub(crate) fn cycle_now(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).cycle_now(cx, cluster),)+ }
            }

            pub(crate) fn on_message(&mut self, cx: &mut Cx, cluster: &mut Cluster, message: Message) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).on_message(cx, cluster, message),)+ }
            }

            pub(crate) fn on_fleet(&mut self, cx: &mut Cx, cluster: &mut Cluster, event: &FleetEvent) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).on_fleet(cx, cluster, event),)+ }
            }

            /// Whether it hears of machines and of processes that it started itself.
            pub(crate) fn hears_of_machines(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.hears_of_machines(),)+ }
            }

            pub(crate) fn watches_objects(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.watches_objects(),)+ }
            }

            pub(crate) fn on_objects(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).on_objects(cx, cluster),)+ }
            }

            pub(crate) fn on_framework_removed(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).on_framework_removed(cx, cluster),)+ }
            }

            pub(crate) fn restart(&mut self, cx: &mut Cx, cluster: &mut Cluster, target: &Target) {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).restart(cx, cluster, target),)+ }
            }

            pub(crate) fn plan_command(
                &mut self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                command: &PlanCommand,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).plan_command(cx, cluster, command),)+ }
            }

            pub(crate) fn pod_command(
                &mut self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                command: &PodCommand,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).pod_command(cx, cluster, command),)+ }
            }

            pub(crate) fn call(
                &mut self,
                cx: &mut Cx,
                cluster: &mut Cluster,
                call: &HttpCall,
                parts: &[&str],
            ) -> Option<Result<Value, Refusal>> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).call(cx, cluster, call, parts),)+ }
            }

            pub(crate) fn wire(&self, cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
                match self { $($(#[$on])* Self::$variant(it) => it.wire(cluster, request, parts),)+ }
            }

            pub(crate) fn stream(&self, cluster: &Cluster, topic: &Value, events: &[Event]) -> StreamNews {
                match self { $($(#[$on])* Self::$variant(it) => it.stream(cluster, topic, events),)+ }
            }

            pub(crate) fn rendered_file(
                &self,
                service: &str,
                task: &str,
                file: &str,
            ) -> Option<Result<(u16, Value), Refusal>> {
                match self { $($(#[$on])* Self::$variant(it) => it.rendered_file(service, task, file),)+ }
            }

            pub(crate) fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
                match self { $($(#[$on])* Self::$variant(it) => it.views(),)+ }
            }

            pub(crate) fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
                match self { $($(#[$on])* Self::$variant(it) => it.status_at(service, element),)+ }
            }

            pub(crate) fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
                match self { $($(#[$on])* Self::$variant(it) => it.why(path, cluster),)+ }
            }

            pub(crate) fn check(&self) -> Vec<String> {
                match self { $($(#[$on])* Self::$variant(it) => it.check(),)+ }
            }

            pub(crate) fn digest(&self, digest: &mut Digest) {
                match self { $($(#[$on])* Self::$variant(it) => it.digest(digest),)+ }
            }

            pub(crate) fn weight(&self) -> u64 {
                match self { $($(#[$on])* Self::$variant(it) => it.weight(),)+ }
            }
        }
    };
}

systems! {
    #[cfg(feature = "sdk")]
    Sdk(planarium_sdk::Process);
    #[cfg(feature = "marathon")]
    Marathon(planarium_marathon::Process);
    #[cfg(feature = "kudo")]
    Kudo(planarium_kudo::Process);
    #[cfg(feature = "skopos")]
    Skopos(planarium_skopos::Process);
}

impl Definition {
    /// Reads a definition, or says that its dialect is not simulated.
    pub(crate) fn read(load: &LoadService) -> Result<Self, Refusal> {
        let word = match load.dialect.as_str() {
            "" | "auto" => crate::detect_dialect(&load.files),
            word => word,
        };
        crate::readings::read_once(load, || Self::read_as(word, load)).ok_or_else(|| unknown(word))
    }
}

/// The word of a dialect of this build.
pub(crate) fn known(word: &str) -> Option<&'static str> {
    DIALECTS.iter().map(|dialect| dialect.word).find(|own| *own == word)
}

/// Why a dialect cannot be run.
fn unknown(word: &str) -> Refusal {
    let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.word).collect();
    Refusal::new(
        RefusalCode::BadRequest,
        format!("unknown dialect `{word}`; there are {} and auto", known.join(", ")),
    )
}
