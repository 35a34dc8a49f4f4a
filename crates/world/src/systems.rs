//! The systems that a world can run, listed only here.
//!
//! *Knows*: which crates implement the contract; forwards the world's calls to them.
//! *Must not know*: any system's rules.
//!
//! Adding a system takes one line in `systems!` below (with its layer) and its cargo feature.

use crate::layers::LayerNews;
use crate::parts::Lend;
use planarium_ground::{Cx, Fleet, FleetEvent};
use planarium_kernel::{Digestible, SimTime, Weight};
use planarium_part::{
    Daemons, Definition as Readable, Dialect, Done, Loading, Number, Part, Request, StreamNews, System, Wire,
};
use planarium_protocol::changes::{Changes, Recipe};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use planarium_source::{Diagnostic, SourceMap, Span};
use serde_json::Value;
use std::sync::Arc;

#[cfg(not(any(
    feature = "sdk",
    feature = "marathon",
    feature = "kudo",
    feature = "skopos",
    feature = "kubernetes"
)))]
compile_error!("planarium-world needs at least one system: turn on one of its features");

/// Passes an event of a layer to a daemon on that layer.
#[allow(unused_macros, reason = "a build may have no layers")]
macro_rules! hand_over {
    (mesos $one:ident, $cx:ident, $lend:ident, $news:ident) => {
        match ($news, $lend.mesos()) {
            (LayerNews::Mesos(news), Some(mut ports)) => {
                planarium_mesos::Framework::hear_from_master(Arc::make_mut($one), $cx, &mut ports, news);
            }
            _ => {}
        }
    };
    (kube $one:ident, $cx:ident, $lend:ident, $news:ident) => {
        match ($news, $lend.kube()) {
            (LayerNews::Kube(_), Some(mut ports)) => {
                planarium_kube::Watcher::hear_of_objects(Arc::make_mut($one), $cx, &mut ports);
            }
            _ => {}
        }
    };
    (ground $one:ident, $cx:ident, $lend:ident, $news:ident) => {{}};
}

/// The refusal for a layer that this build lacks.
pub(crate) fn not_begun() -> Refusal {
    Refusal::new(RefusalCode::Unsupported, "what the system runs on is not simulated in this build")
}

/// Declares the enum of definitions, the enum of daemons and the list of dialects, one line per system.
macro_rules! systems {
    ($($(#[$on:meta])* $variant:ident($system:ty) on $need:ident;)+) => {
        /// The systems of this build.
        pub(crate) static DIALECTS: &[Dialect] = &[$($(#[$on])* <$system as System>::DIALECT),+];

        /// A definition as read by its dialect.
        #[derive(Clone)]
        pub(crate) enum Definition {
            $($(#[$on])* $variant(<$system as System>::Definition),)+
        }

        /// A daemon of one of the systems.
        #[derive(Clone, Digestible, Weight)]
        pub(crate) enum Daemon {
            $($(#[$on])* #[digest(0)] #[weight(0)] $variant(Arc<$system>),)+
        }

        /// Calls a definition of any system.
        macro_rules! of_definition {
            ($definition:expr, |$one:ident| $answer:expr) => {
                match $definition { $($(#[$on])* Definition::$variant($one) => $answer,)+ }
            };
        }

        /// Calls a daemon of any system.
        macro_rules! of_daemon {
            ($daemon:expr, |$one:ident| $answer:expr) => {
                match $daemon { $($(#[$on])* Daemon::$variant($one) => $answer,)+ }
            };
        }

        /// Accesses a daemon with the ports that it declared; `else` is for a build without its layer.
        macro_rules! with_ports {
            ($daemon:expr, $lend:expr, |$one:ident, $ports:ident| $work:expr, else $otherwise:expr) => {
                match $daemon {
                    $($(#[$on])* Daemon::$variant($one) => match $lend.$need() {
                        Some(mut $ports) => $work,
                        None => $otherwise,
                    },)+
                }
            };
        }

        impl Definition {
            /// Reads a definition in this dialect.
            fn read_as(word: &str, load: &LoadService) -> Option<Self> {
                $($(#[$on])* if word == <$system as System>::DIALECT.word {
                    return Some(Self::$variant(<$system as System>::read(load)));
                })+
                None
            }

            pub(crate) fn dialect(&self) -> Dialect {
                match self { $($(#[$on])* Self::$variant(_) => <$system as System>::DIALECT,)+ }
            }

            /// Says whether one daemon holds all services of the system.
            pub(crate) fn daemons(&self) -> Daemons {
                match self { $($(#[$on])* Self::$variant(_) => <$system as System>::DAEMONS,)+ }
            }

            /// Returns the plans before anything runs; `None` if the definition cannot be used.
            pub(crate) fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>> {
                match self { $($(#[$on])* Self::$variant(one) => <$system as System>::preview(one),)+ }
            }

            /// Lists changes of single fields that are worth trying.
            pub(crate) fn recipes(&self, load: &LoadService) -> Vec<Recipe> {
                match self { $($(#[$on])* Self::$variant(one) => <$system as System>::recipes(load, one),)+ }
            }

            /// Returns the objections to an update of `running` to this definition, as findings in its text.
            pub(crate) fn findings_against(&self, running: Option<&Daemon>) -> Vec<Diagnostic> {
                match self {
                    $($(#[$on])* Self::$variant(one) => {
                        let running = running.and_then(|running| match running {
                            Daemon::$variant(daemon) => Some(&**daemon),
                            #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                            _ => None,
                        });
                        <$system as System>::findings_against(one, running)
                    })+
                }
            }

            /// Starts a daemon with its first service.
            pub(crate) fn start(
                self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                number: Number,
                load: Arc<LoadService>,
            ) -> Result<(Daemon, Value), Refusal> {
                match self {
                    $($(#[$on])* Self::$variant(definition) => {
                        lend.parts.begin(cx, <$system as System>::DIALECT.needs);
                        let loading = Loading { number, load, definition };
                        let mut ports = lend.$need().ok_or_else(not_begun)?;
                        let (daemon, answer) = <$system as System>::start(cx, &mut ports, loading)?;
                        Ok((Daemon::$variant(Arc::new(daemon)), answer))
                    })+
                }
            }
        }

        impl Daemon {
            /// Creates a daemon without a service, if the system supports that.
            pub(crate) fn empty(
                word: &str,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                number: Number,
            ) -> Option<Self> {
                $($(#[$on])* if word == <$system as System>::DIALECT.word {
                    lend.parts.begin(cx, <$system as System>::DIALECT.needs);
                    let daemon = <$system as System>::empty(cx, &mut lend.$need()?, number)?;
                    return Some(Self::$variant(Arc::new(daemon)));
                })+
                None
            }

            /// Adds a service (`update` is false), or updates one of its services.
            pub(crate) fn take(
                &mut self,
                cx: &mut Cx,
                lend: &mut Lend<'_>,
                loading: Loading<Definition>,
                update: bool,
            ) -> Done {
                let Loading { number, load, definition } = loading;
                match (self, definition) {
                    $($(#[$on])* (Self::$variant(one), Definition::$variant(definition)) => {
                        let loading = Loading { number, load, definition };
                        let daemon = Arc::make_mut(one);
                        let mut ports = lend.$need().ok_or_else(not_begun)?;
                        if update {
                            daemon.update(cx, &mut ports, loading)
                        } else {
                            daemon.load(cx, &mut ports, loading)
                        }
                    })+
                    #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                    _ => Err(Refusal::new(RefusalCode::Conflict, "The definition is of another dialect")),
                }
            }

            /// Returns what a definition of this system would change now.
            pub(crate) fn changes(&self, lend: &mut Lend<'_>, definition: &Definition) -> Option<Changes> {
                match (self, definition) {
                    $($(#[$on])* (Self::$variant(one), Definition::$variant(definition)) => {
                        one.changes(&lend.$need()?, definition)
                    })+
                    #[allow(unreachable_patterns, reason = "reached where there are several systems")]
                    _ => None,
                }
            }

            pub(crate) fn dialect(&self) -> Dialect {
                match self { $($(#[$on])* Self::$variant(_) => <$system as System>::DIALECT,)+ }
            }

            /// Returns whether commands are applied before the work of their instant.
            pub(crate) fn commands_first(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(_) => <$system as System>::COMMANDS_FIRST,)+ }
            }

            /// Returns whether it receives machine reports itself, because no layer would pass them on.
            pub(crate) fn hears_of_machines(&self) -> bool {
                match self { $($(#[$on])* Self::$variant(_) => stringify!($need) == "ground",)+ }
            }

            /// Returns whether its system runs on the layer that sent this event.
            pub(crate) fn is_on(&self, news: &LayerNews) -> bool {
                match self { $($(#[$on])* Self::$variant(_) => news.word() == stringify!($need),)+ }
            }

            /// Receives an event of its layer.
            #[allow(
                unused_variables,
                unreachable_patterns,
                clippy::single_match,
                reason = "a build may have no layers, one or several"
            )]
            pub(crate) fn hear_from_layer(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, news: LayerNews) {
                match self {
                    $($(#[$on])* Self::$variant(one) => hand_over!($need one, cx, lend, news),)+
                }
            }
        }
    };
}

systems! {
    #[cfg(feature = "sdk")]
    Sdk(planarium_sdk::Daemon) on mesos;
    #[cfg(feature = "marathon")]
    Marathon(planarium_marathon::Daemon) on mesos;
    #[cfg(feature = "kudo")]
    Kudo(planarium_kudo::Daemon) on kube;
    #[cfg(feature = "skopos")]
    Skopos(planarium_skopos::Daemon) on ground;
    #[cfg(feature = "kubernetes")]
    Kubernetes(planarium_kubernetes::Daemon) on kube;
}

/// The definition, as required by the contract; see [`planarium_part::Definition`].
impl Definition {
    /// Reads a definition, or refuses a dialect that is not simulated.
    pub(crate) fn read(load: &LoadService) -> Result<Self, Refusal> {
        let word = match load.dialect.as_str() {
            "" | "auto" => crate::detect_dialect(&load.files),
            word => word,
        };
        crate::readings::read_once(load, || Self::read_as(word, load)).ok_or_else(|| unknown(word))
    }

    pub(crate) fn name(&self) -> &Text {
        of_definition!(self, |it| Readable::name(it))
    }

    pub(crate) fn is_usable(&self) -> bool {
        of_definition!(self, |it| Readable::is_usable(it))
    }

    pub(crate) fn is_usable_as_update(&self) -> bool {
        of_definition!(self, |it| Readable::is_usable_as_update(it))
    }

    pub(crate) fn value_codes(&self) -> &'static [&'static str] {
        of_definition!(self, |it| Readable::value_codes(it))
    }

    pub(crate) fn folders(&self) -> Vec<String> {
        of_definition!(self, |it| Readable::folders(it))
    }

    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        of_definition!(self, |it| Readable::diagnostics(it))
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        of_definition!(self, |it| Readable::sources(it))
    }

    pub(crate) fn span(&self) -> Span {
        of_definition!(self, |it| Readable::span(it))
    }

    pub(crate) fn missing(&self) -> Vec<String> {
        of_definition!(self, |it| Readable::missing(it))
    }

    pub(crate) fn beside(&self) -> Vec<&'static str> {
        of_definition!(self, |it| Readable::beside(it))
    }

    pub(crate) fn is_nameless(&self) -> bool {
        of_definition!(self, |it| Readable::is_nameless(it))
    }

    pub(crate) fn kept(&self) -> Vec<(String, &'static str)> {
        of_definition!(self, |it| Readable::kept(it))
    }
}

/// The daemon, as required by the contract; see [`planarium_part::System`].
#[allow(unused_mut, reason = "some calls only ask with the ports, others change things through them")]
impl Daemon {
    pub(crate) fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        of_daemon!(self, |it| it.objection(load, name))
    }

    pub(crate) fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        of_daemon!(self, |it| it.adapted(load))
    }

    pub(crate) fn names(&self) -> Vec<(Number, Text)> {
        of_daemon!(self, |it| it.names())
    }

    pub(crate) fn shown(&self) -> Vec<(Number, Text)> {
        of_daemon!(self, |it| it.shown())
    }

    pub(crate) fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        of_daemon!(self, |it| it.request(name))
    }

    pub(crate) fn request_now(&self, name: &str, lend: &mut Lend<'_>) -> Option<LoadService> {
        with_ports!(self, lend, |it, ports| it.request_now(name, &ports), else None)
    }

    pub(crate) fn is_over(&self) -> bool {
        of_daemon!(self, |it| it.is_over())
    }

    pub(crate) fn next_due(&self) -> Option<(SimTime, Number)> {
        of_daemon!(self, |it| it.next_due())
    }

    pub(crate) fn one_shots(&self) -> usize {
        of_daemon!(self, |it| it.one_shots())
    }

    pub(crate) fn restless(&self) -> bool {
        of_daemon!(self, |it| it.restless())
    }

    pub(crate) fn rendered_file(
        &self,
        service: &str,
        task: &str,
        file: &str,
    ) -> Option<Result<(u16, Value), Refusal>> {
        of_daemon!(self, |it| it.rendered_file(service, task, file))
    }

    pub(crate) fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        of_daemon!(self, |it| it.views())
    }

    pub(crate) fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        of_daemon!(self, |it| it.status_at(service, element))
    }

    pub(crate) fn capacity(&self, service: &str, plan: &str) -> Option<(u32, u32)> {
        of_daemon!(self, |it| it.capacity(service, plan))
    }

    pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
        of_daemon!(self, |it| it.check(fleet))
    }

    pub(crate) fn weight(&self) -> u64 {
        of_daemon!(self, |it| it.weight())
    }

    pub(crate) fn drop_views(&mut self) {
        of_daemon!(self, |it| Arc::make_mut(it).drop_views());
    }

    // ---- with ports ----------------------------------------------------------------------------

    pub(crate) fn fire(&mut self, cx: &mut Cx, lend: &mut Lend<'_>) {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).fire(cx, &mut ports), else {});
    }

    pub(crate) fn hear(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, event: &FleetEvent) {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).hear(cx, &mut ports, event), else {});
    }

    pub(crate) fn restart(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, target: &Target) {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).restart(cx, &mut ports, target), else {});
    }

    pub(crate) fn remove(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, name: &str, force: bool) -> Done {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).remove(cx, &mut ports, name, force), else Err(not_begun()))
    }

    pub(crate) fn plan_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PlanCommand) -> Done {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).plan_command(cx, &mut ports, command), else Err(not_begun()))
    }

    pub(crate) fn pod_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PodCommand) -> Done {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).pod_command(cx, &mut ports, command), else Err(not_begun()))
    }

    pub(crate) fn call(
        &mut self,
        cx: &mut Cx,
        lend: &mut Lend<'_>,
        call: &HttpCall,
        parts: &[&str],
    ) -> Option<Done> {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).call(cx, &mut ports, call, parts), else None)
    }

    pub(crate) fn wire(&self, lend: &mut Lend<'_>, request: &Request, parts: &[&str]) -> Wire {
        with_ports!(self, lend, |it, ports| it.wire(&ports, request, parts), else Wire::NotMine)
    }

    pub(crate) fn stream_begins(&mut self, lend: &mut Lend<'_>, topic: &Value) {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).stream_begins(&ports, topic), else {});
    }

    pub(crate) fn stream_closed(&mut self, lend: &mut Lend<'_>, topic: &Value) -> Option<Input> {
        with_ports!(self, lend, |it, ports| Arc::make_mut(it).stream_closed(&ports, topic), else None)
    }

    pub(crate) fn stream(&self, lend: &mut Lend<'_>, topic: &Value, events: &[Event]) -> StreamNews {
        let over = StreamNews { ended: true, ..StreamNews::default() };
        with_ports!(self, lend, |it, ports| it.stream(&ports, topic, events), else over)
    }

    pub(crate) fn why(&self, path: &ElementPath, lend: &mut Lend<'_>) -> Option<Why> {
        with_ports!(self, lend, |it, ports| it.why(path, &ports), else None)
    }
}

/// Returns the word if it is a dialect of this build.
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
