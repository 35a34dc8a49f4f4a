//! A definition of any system.
//!
//! *Knows*: how a definition is read, shown and started without the type that its system reads it into. *Must not know*: any
//! system's rules.

use crate::daemon::Daemon;
use crate::needs::dialect_of;
use crate::parts::Lend;
use crate::systems::{Placed, code, not_begun, unknown};
use planarium_ground::Cx;
use planarium_part::{Daemons, Dialect, Loading, Number, System};
use planarium_protocol::Refusal;
use planarium_protocol::changes::Recipe;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::ServiceView;
use planarium_source::Diagnostic;
use serde_json::Value;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

/// A definition as read by its dialect. Questions that every dialect answers are those of [`planarium_part::Definition`].
#[derive(Clone)]
pub(crate) struct Definition(Arc<dyn Read>);

/// A definition of one system, without its type.
trait Read: Any + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn common(&self) -> &(dyn planarium_part::Definition + 'static);
    fn dialect(&self) -> Dialect;
    fn daemons(&self) -> Daemons;
    fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>>;
    fn recipes(&self, load: &LoadService) -> Vec<Recipe>;
    fn findings_against(&self, running: Option<&Daemon>) -> Vec<Diagnostic>;
    fn start(
        &self,
        cx: &mut Cx,
        lend: &mut Lend<'_>,
        number: Number,
        load: Arc<LoadService>,
    ) -> Result<(Daemon, Value), Refusal>;
}

/// A definition of one system.
struct Of<S: System>(S::Definition);

impl<S: Placed> Read for Of<S>
where
    S::Definition: Send + Sync + 'static,
{
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn common(&self) -> &(dyn planarium_part::Definition + 'static) {
        &self.0
    }

    fn dialect(&self) -> Dialect {
        S::DIALECT
    }

    fn daemons(&self) -> Daemons {
        S::DAEMONS
    }

    fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>> {
        S::preview(&self.0)
    }

    fn recipes(&self, load: &LoadService) -> Vec<Recipe> {
        S::recipes(load, &self.0)
    }

    fn findings_against(&self, running: Option<&Daemon>) -> Vec<Diagnostic> {
        S::findings_against(&self.0, running.and_then(Daemon::of_type))
    }

    fn start(
        &self,
        cx: &mut Cx,
        lend: &mut Lend<'_>,
        number: Number,
        load: Arc<LoadService>,
    ) -> Result<(Daemon, Value), Refusal> {
        lend.parts.begin(cx, S::DIALECT.needs);
        let loading = Loading { number, load, definition: self.0.clone() };
        let mut ports = S::ports(lend).ok_or_else(not_begun)?;
        let (daemon, answer) = S::start(cx, &mut ports, loading)?;
        Ok((Daemon::of(daemon), answer))
    }
}

impl Deref for Definition {
    type Target = dyn planarium_part::Definition;

    fn deref(&self) -> &Self::Target {
        self.0.common()
    }
}

impl Definition {
    /// A definition that a system has read.
    pub(crate) fn of<S: Placed>(definition: S::Definition) -> Self
    where
        S::Definition: Send + Sync + 'static,
    {
        Self(Arc::new(Of::<S>(definition)))
    }

    /// The definition as its system reads it; `None` if it is of another system.
    pub(crate) fn of_type<S: System + 'static>(&self) -> Option<&S::Definition> {
        self.0.as_any().downcast_ref::<Of<S>>().map(|of| &of.0)
    }

    /// Reads a definition, or refuses a dialect that is not simulated.
    pub(crate) fn read(load: &LoadService) -> Result<Self, Refusal> {
        let word = dialect_of(load);
        let read = || code(word).map(|code| code.read(load));
        crate::readings::read_once(load, read).ok_or_else(|| unknown(word))
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.0.dialect()
    }

    /// Says whether one daemon holds all services of the system.
    pub(crate) fn daemons(&self) -> Daemons {
        self.0.daemons()
    }

    /// Returns the plans before anything runs; `None` if the definition cannot be used.
    pub(crate) fn preview(&self) -> Option<Result<Arc<ServiceView>, Refusal>> {
        self.0.preview()
    }

    /// Lists changes of single fields that are worth trying.
    pub(crate) fn recipes(&self, load: &LoadService) -> Vec<Recipe> {
        self.0.recipes(load)
    }

    /// Returns the objections to an update of `running` to this definition, as findings in its text.
    pub(crate) fn findings_against(&self, running: Option<&Daemon>) -> Vec<Diagnostic> {
        self.0.findings_against(running)
    }

    /// Starts a daemon with its first service.
    pub(crate) fn start(
        &self,
        cx: &mut Cx,
        lend: &mut Lend<'_>,
        number: Number,
        load: Arc<LoadService>,
    ) -> Result<(Daemon, Value), Refusal> {
        self.0.start(cx, lend, number, load)
    }
}
