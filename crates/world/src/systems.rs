//! The systems that a world can run, listed only here.
//!
//! *Knows*: which crates implement the contract, the part that each runs on, and whether its code is there.
//! *Must not know*: any system's rules.
//!
//! Adding a system takes one line in `systems!` below (with its layer) and its cargo feature.

use crate::daemon::Daemon;
use crate::definition::Definition;
#[cfg(feature = "kube")]
use crate::layers::KUBE;
use crate::layers::LayerNews;
#[cfg(feature = "mesos")]
use crate::layers::MESOS;
use crate::parts::Lend;
use crate::pieces::pieces;
use planarium_ground::Cx;
use planarium_part::console::Console;
use planarium_part::{Dialect, Number, Request, Response, System};
use planarium_protocol::Refusal;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use std::marker::PhantomData;
use std::sync::Arc;

#[cfg(not(any(
    feature = "sdk",
    feature = "marathon",
    feature = "kudo",
    feature = "skopos",
    feature = "kubernetes"
)))]
compile_error!("planarium-world needs at least one system: turn on one of its features");

/// A system with the part that it runs on.
pub(crate) trait Placed: System + Send + Sync + 'static {
    /// The layer's number; `None` for a system that runs on the machines themselves.
    const LAYER: Option<u8>;

    /// The ports of its daemons; `None` if its layer has not started.
    fn ports<'a>(lend: &'a mut Lend<'_>) -> Option<Self::Ports<'a>>;

    /// Receives an event of its layer.
    fn hear_from_layer(daemon: &mut Arc<Self>, cx: &mut Cx, lend: &mut Lend<'_>, news: LayerNews);
}

/// The code of a system, without the type of its daemons.
pub(crate) trait Code: Sync {
    /// Reads a definition.
    fn read(&self, load: &LoadService) -> Definition;

    /// Creates a daemon without a service, if the system supports that.
    fn empty(&self, cx: &mut Cx, lend: &mut Lend<'_>, number: Number) -> Option<Daemon>;

    /// Answers a request when no daemon of the system is there.
    fn nobody(&self, request: &Request, parts: &[&str]) -> Response;

    /// Returns the readable parts of a service's API: path and description.
    fn links(&self, service: &ServiceView) -> Vec<(String, &'static str)>;

    /// Makes a definition run as soon as it is loaded, if the real system would wait for a command.
    fn carry_out(&self, load: &mut LoadService);

    /// Its command line.
    fn console(&self) -> Console;
}

/// The code of one system.
pub(crate) struct CodeOf<S>(PhantomData<fn() -> S>);

impl<S> CodeOf<S> {
    /// It has no state.
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<S: Placed> Code for CodeOf<S>
where
    S::Definition: Send + Sync + 'static,
{
    fn read(&self, load: &LoadService) -> Definition {
        Definition::of::<S>(S::read(load))
    }

    fn empty(&self, cx: &mut Cx, lend: &mut Lend<'_>, number: Number) -> Option<Daemon> {
        lend.parts.begin(cx, S::DIALECT.needs);
        let daemon = S::empty(cx, &mut S::ports(lend)?, number)?;
        Some(Daemon::of(daemon))
    }

    fn nobody(&self, request: &Request, parts: &[&str]) -> Response {
        S::nobody(request, parts)
    }

    fn links(&self, service: &ServiceView) -> Vec<(String, &'static str)> {
        S::links(service)
    }

    fn carry_out(&self, load: &mut LoadService) {
        S::carry_out(load);
    }

    fn console(&self) -> Console {
        S::CONSOLE
    }
}

/// Writes the port to a layer, and the way of its events to a daemon.
macro_rules! placed {
    ($system:ty, mesos) => {
        impl Placed for $system {
            const LAYER: Option<u8> = Some(MESOS);

            fn ports<'a>(lend: &'a mut Lend<'_>) -> Option<Self::Ports<'a>> {
                let (layers, ground) = lend.split();
                Some(planarium_mesos::Cluster { ground, mesos: layers.of_type(MESOS)? })
            }

            fn hear_from_layer(daemon: &mut Arc<Self>, cx: &mut Cx, lend: &mut Lend<'_>, news: LayerNews) {
                if let (Some(news), Some(mut ports)) = (news.of_type(), Self::ports(lend)) {
                    planarium_mesos::Framework::hear_from_master(Arc::make_mut(daemon), cx, &mut ports, news);
                }
            }
        }
    };
    ($system:ty, kube) => {
        impl Placed for $system {
            const LAYER: Option<u8> = Some(KUBE);

            fn ports<'a>(lend: &'a mut Lend<'_>) -> Option<Self::Ports<'a>> {
                let (layers, ground) = lend.split();
                Some(planarium_kube::Cluster { ground, kubernetes: layers.of_type(KUBE)? })
            }

            fn hear_from_layer(daemon: &mut Arc<Self>, cx: &mut Cx, lend: &mut Lend<'_>, _: LayerNews) {
                if let Some(mut ports) = Self::ports(lend) {
                    planarium_kube::Watcher::hear_of_objects(Arc::make_mut(daemon), cx, &mut ports);
                }
            }
        }
    };
    ($system:ty, ground) => {
        impl Placed for $system {
            const LAYER: Option<u8> = None;

            fn ports<'a>(lend: &'a mut Lend<'_>) -> Option<Self::Ports<'a>> {
                Some(lend.ground())
            }

            fn hear_from_layer(_: &mut Arc<Self>, _: &mut Cx, _: &mut Lend<'_>, _: LayerNews) {}
        }
    };
}

/// Declares the systems, one line each: the daemon's type, its layer, and its code.
macro_rules! systems {
    ($($(#[$on:meta])* $piece:ident($system:ty) on $need:ident;)+) => {
        /// The facts about the systems of this build.
        pub(crate) static DIALECTS: &[Dialect] = &[$($(#[$on])* <$system as System>::DIALECT),+];

        /// Returns the code of the system with this word; `None` if there is no such system, or if its code is not there yet.
        pub(crate) fn code(word: &str) -> Option<&'static dyn Code> {
            $($(#[$on])* if word == <$system as System>::DIALECT.word {
                return pieces::$piece();
            })+
            None
        }

        pieces! { $($(#[$on])* $piece = Code, CodeOf::<$system>;)+ }

        $($(#[$on])* placed!($system, $need);)+
    };
}

systems! {
    #[cfg(feature = "sdk")]
    sdk(planarium_sdk::Daemon) on mesos;
    #[cfg(feature = "marathon")]
    marathon(planarium_marathon::Daemon) on mesos;
    #[cfg(feature = "kudo")]
    kudo(planarium_kudo::Daemon) on kube;
    #[cfg(feature = "skopos")]
    skopos(planarium_skopos::Daemon) on ground;
    #[cfg(feature = "kubernetes")]
    kubernetes(planarium_kubernetes::Daemon) on kube;
}

/// The refusal for a layer that this build lacks.
pub(crate) fn not_begun() -> Refusal {
    Refusal::new(RefusalCode::Unsupported, "what the system runs on is not simulated in this build")
}

/// Returns the word if it is a dialect of this build.
pub(crate) fn known(word: &str) -> Option<&'static str> {
    DIALECTS.iter().map(|dialect| dialect.word).find(|own| *own == word)
}

/// Why a dialect cannot be run.
pub(crate) fn unknown(word: &str) -> Refusal {
    if known(word).is_some() {
        return Refusal::new(RefusalCode::Unsupported, format!("the code of `{word}` has not been loaded"));
    }
    let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.word).collect();
    Refusal::new(
        RefusalCode::BadRequest,
        format!("unknown dialect `{word}`; there are {} and auto", known.join(", ")),
    )
}
