//! The systems that a world can run: the one place that lists them.
//!
//! *Knows*: which crates implement the contract, and passes on what the world asks of any of them.
//! *Must not know*: any system's rules.
//!
//! A further system is one line in `systems!` below (which names the layer that it is on), its cargo feature, and nothing else
//! here.

use crate::parts::Lend;
use planarium_ground::{Cx, Fleet, FleetEvent};
use planarium_kernel::cow::behind;
use planarium_kernel::{Digest, SimTime};
use planarium_part::{
    Definition as Readable, Dialect, Loading, Number, Part, Request, StreamNews, System, Wire,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use planarium_source::{Diagnostic, SourceMap, Span};
use serde_json::Value;
use std::sync::Arc;

#[cfg(not(any(feature = "sdk", feature = "marathon", feature = "kudo", feature = "skopos", feature = "kubernetes")))]
compile_error!("planarium-world needs at least one system: turn on one of its features");

/// Chooses by whether a system is on a layer.
#[allow(unused_macros, reason = "a build may have no layers")]
macro_rules! of_need {
    (mesos mesos $then:block else $otherwise:block) => {
        $then
    };
    (kube kube $then:block else $otherwise:block) => {
        $then
    };
    (ground ground $then:block else $otherwise:block) => {
        $then
    };
    ($need:ident $layer:ident $then:block else $otherwise:block) => {
        $otherwise
    };
}

/// The refusal of a layer that this build does not have.
pub(crate) fn not_begun() -> Refusal {
    Refusal::new(RefusalCode::Unsupported, "what the system runs on is not simulated in this build")
}

/// Makes an enum of definitions, an enum of processes and the list of dialects from one line a system.
macro_rules! systems {
    ($($(#[$on:meta])* $variant:ident($process:ty) on $need:ident;)+) => {
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

            /// Returns whether it can run.
            pub(crate) fn is_usable(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => Readable::is_usable(it),)+ }
            }

            /// Returns whether a running service may be updated to it.
            pub(crate) fn is_usable_as_update(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => Readable::is_usable_as_update(it),)+ }
            }

            /// Codes of findings about values that an installation has yet to give.
            pub(crate) fn value_codes(&self) -> &'static [&'static str] {
                match self { $($(#[$on])* Self::$variant(it) => Readable::value_codes(it),)+ }
            }

            /// Folders that it refers to and that are not among its files.
            pub(crate) fn folders(&self) -> Vec<String> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::folders(it),)+ }
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

            /// Returns whether nobody has given it a name.
            pub(crate) fn is_nameless(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => Readable::is_nameless(it),)+ }
            }

            /// Fields that are read, checked and without effect here, each with why.
            pub(crate) fn kept(&self) -> Vec<(String, &'static str)> {
                match self { $($(#[$on])* Self::$variant(it) => Readable::kept(it),)+ }
            }

            /// Returns the plans before anything runs; none when it cannot be used.
            pub(crate) fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>> {
                match self { $($(#[$on])* Self::$variant(it) => <$process as System>::preview(it),)+ }
            }

            /// Returns the objections to this definition if it is to follow the running one, as findings in its text.
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
                lend: &mut Lend<'_>,
                number: Number,
                load: Arc<LoadService>,
            ) -> Result<(Process, Value), Refusal> {
                match self {
                    $($(#[$on])* Self::$variant(definition) => {
                        lend.parts.begin(cx, <$process as System>::DIALECT.needs);
                        let loading = Loading { number, load, definition };
                        let mut ports = lend.$need().ok_or_else(not_begun)?;
                        let (process, answer) = <$process as System>::start(cx, &mut ports, loading)?;
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
                lend: &mut Lend<'_>,
                number: Number,
            ) -> Option<Self> {
                $($(#[$on])* if word == <$process as System>::DIALECT.word {
                    lend.parts.begin(cx, <$process as System>::DIALECT.needs);
                    let process = <$process as System>::empty(cx, &mut lend.$need()?, number)?;
                    return Some(Self::$variant(Arc::new(process)));
                })+
                None
            }

            /// Takes a further service in (`update` false), or gives one of its services another definition.
            pub(crate) fn take(
                &mut self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                (number, load, definition): (Number, Arc<LoadService>, Definition),
                update: bool,
            ) -> Result<Value, Refusal> {
                match (self, definition) {
                    $($(#[$on])* (Self::$variant(it), Definition::$variant(definition)) => {
                        let loading = Loading { number, load, definition };
                        let process = Arc::make_mut(it);
                        let mut ports = lend.$need().ok_or_else(not_begun)?;
                        if update {
                            process.update(cx, &mut ports, loading)
                        } else {
                            process.load(cx, &mut ports, loading)
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
                lend: &mut Lend<'_>,
                name: &str,
                force: bool,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).remove(cx, &mut lend.$need().ok_or_else(not_begun)?, name, force),)+ }
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

            pub(crate) fn request_now(&self, name: &str) -> Option<LoadService> {
                match self { $($(#[$on])* Self::$variant(it) => it.request_now(name),)+ }
            }

            pub(crate) fn is_over(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(it) => it.is_over(),)+ }
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

            pub(crate) fn fire(&mut self, cx: &mut Cx, lend: &mut Lend<'_>) {
                match self { $($(#[$on])* Self::$variant(it) => {
                    if let Some(mut ports) = lend.$need() {
                        Arc::make_mut(it).fire(cx, &mut ports);
                    }
                })+ }
            }

            pub(crate) fn hear(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, event: &FleetEvent) {
                match self { $($(#[$on])* Self::$variant(it) => {
                    if let Some(mut ports) = lend.$need() {
                        Arc::make_mut(it).hear(cx, &mut ports, event);
                    }
                })+ }
            }

            /// Returns whether it hears of machines itself: no layer is between them that would tell it.
            pub(crate) fn hears_of_machines(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(_) => of_need!($need ground { true } else { false }),)+ }
            }

            /// Hears from the Mesos master.
            #[cfg(feature = "mesos")]
            pub(crate) fn hear_from_master(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, news: planarium_mesos::News) {
                match self {
                    $($(#[$on])* Self::$variant(it) => of_need!($need mesos {
                        if let Some(mut ports) = lend.mesos() {
                            planarium_mesos::Framework::hear_from_master(Arc::make_mut(it), cx, &mut ports, news);
                        }
                    } else {{ let _ = (it, cx, lend, news); }}),)+
                }
            }

            /// Returns whether it hears of changes of Kubernetes objects.
            #[cfg(feature = "kube")]
            pub(crate) fn watches_objects(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(_) => of_need!($need kube { true } else { false }),)+ }
            }

            /// Kubernetes objects have changed.
            #[cfg(feature = "kube")]
            pub(crate) fn hear_of_objects(&mut self, cx: &mut Cx, lend: &mut Lend<'_>) {
                match self {
                    $($(#[$on])* Self::$variant(it) => of_need!($need kube {
                        if let Some(mut ports) = lend.kube() {
                            planarium_kube::Watcher::hear_of_objects(Arc::make_mut(it), cx, &mut ports);
                        }
                    } else {{ let _ = (it, cx, lend); }}),)+
                }
            }

            pub(crate) fn restart(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, target: &Target) {
                match self { $($(#[$on])* Self::$variant(it) => {
                    if let Some(mut ports) = lend.$need() {
                        Arc::make_mut(it).restart(cx, &mut ports, target);
                    }
                })+ }
            }

            pub(crate) fn plan_command(
                &mut self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                command: &PlanCommand,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).plan_command(cx, &mut lend.$need().ok_or_else(not_begun)?, command),)+ }
            }

            pub(crate) fn pod_command(
                &mut self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                command: &PodCommand,
            ) -> Result<Value, Refusal> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).pod_command(cx, &mut lend.$need().ok_or_else(not_begun)?, command),)+ }
            }

            pub(crate) fn call(
                &mut self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                call: &HttpCall,
                parts: &[&str],
            ) -> Option<Result<Value, Refusal>> {
                match self { $($(#[$on])* Self::$variant(it) => Arc::make_mut(it).call(cx, &mut lend.$need()?, call, parts),)+ }
            }

            pub(crate) fn wire(&self, lend: &mut Lend<'_>, request: &Request, parts: &[&str]) -> Wire {
                match self { $($(#[$on])* Self::$variant(it) => lend.$need().map_or(Wire::NotMine, |ports| it.wire(&ports, request, parts)),)+ }
            }

            pub(crate) fn stream(&self, lend: &mut Lend<'_>, topic: &Value, events: &[Event]) -> StreamNews {
                match self { $($(#[$on])* Self::$variant(it) => match lend.$need() {
                    Some(ports) => it.stream(&ports, topic, events),
                    None => StreamNews { ended: true, ..StreamNews::default() },
                },)+ }
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

            pub(crate) fn why(&self, path: &ElementPath, lend: &mut Lend<'_>) -> Option<Why> {
                match self { $($(#[$on])* Self::$variant(it) => it.why(path, &lend.$need()?),)+ }
            }

            pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
                match self { $($(#[$on])* Self::$variant(it) => it.check(fleet),)+ }
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
    Sdk(planarium_sdk::Process) on mesos;
    #[cfg(feature = "marathon")]
    Marathon(planarium_marathon::Process) on mesos;
    #[cfg(feature = "kudo")]
    Kudo(planarium_kudo::Process) on kube;
    #[cfg(feature = "skopos")]
    Skopos(planarium_skopos::Process) on ground;
    #[cfg(feature = "kubernetes")]
    Kubernetes(planarium_kubernetes::Process) on kube;
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
