//! Everything in one deterministic machine: cluster, services, journal, branches, views, explanations.
//!
//! Knows: how the parts below are wired together, and how time moves forward and back.
//! Must not know: HTTP, files, the page; and the rules of any one system, which live in its crate.
//!
//! Entry points: [`Engine`] is what everything outside uses; [`World`] is one state of it; [`check`]
//! reads a definition without running it. Same [`Genesis`] and same inputs give the same digest on every
//! target.

pub mod presets;

mod check;
mod condition;
mod daemon;
mod daemons;
mod definition;
mod detect;
mod encode;
mod genesis;
mod input;
mod invariants;
mod layers;
pub mod limits;
mod needs;
mod parts;
mod pieces;
mod query;
mod readings;
mod step;
mod systems;
mod timeline;
mod ways_out;
mod world;

pub use check::{CheckReport, check};
pub use condition::{Condition, ConditionError, element_status, parse_duration_ms};
pub use detect::{Resemblance, detect_dialect, resemblance};
pub use encode::event_digest;
pub use genesis::Genesis;
pub use input::Written;
pub use input::describe::describe as describe_input;
pub use needs::Needs;
pub use pieces::{NotFetched, fetch};
pub use readings::readings;
pub use ways_out::Trials;
/// The systems of this build.
pub fn dialects() -> &'static [planarium_part::Dialect] {
    systems::DIALECTS
}

/// The command line of a system; `None` if there is no such system, or if its code is not there yet.
pub fn console(dialect: &str) -> Option<planarium_part::console::Console> {
    systems::code(dialect).map(systems::Code::console)
}

/// Returns the readable parts of a service's API: path and description.
pub fn links(service: &planarium_protocol::view::ServiceView) -> Vec<(String, &'static str)> {
    systems::code(&service.dialect).map(|code| code.links(service)).unwrap_or_default()
}

/// Makes a definition of a dialect run as soon as it is loaded, if the real system would wait for a command.
pub fn carry_out(dialect: &str, load: &mut planarium_protocol::input::LoadService) {
    if let Some(code) = systems::code(dialect) {
        code.carry_out(load);
    }
}

/// Returns whether code was needed before it was there, so that an answer may be wrong ([`Needs`]).
pub fn code_was_absent() -> bool {
    pieces::was_absent()
}

/// The words of the layers of this build: `mesos`, `kube`.
pub fn layers() -> &'static [&'static str] {
    layers::WORDS
}

/// The words for states of tasks and machines.
pub fn states() -> &'static [planarium_protocol::view::StatusWord] {
    planarium_part::STATUSES
}

pub use query::{needs_mesos, recipes};
pub use timeline::{
    Advanced, BranchView, Difference, Engine, Grown, JOURNAL_VERSION, Journal, Place, ReplayError, SEMANTICS,
    Tree,
};
pub use world::World;

/// One entry of a [`Journal`].
pub type JournalEntry = planarium_kernel::journal::Entry<planarium_protocol::Input>;
