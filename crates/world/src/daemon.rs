//! A daemon of any system.
//!
//! *Knows*: how the calls of the world reach a daemon without its type, with the ports that it declared. *Must not know*: any
//! system's rules.

use crate::definition::Definition;
use crate::layers::LayerNews;
use crate::parts::Lend;
use crate::systems::{Placed, not_begun};
use planarium_ground::{Cx, Fleet, FleetEvent};
use planarium_kernel::{Digest, Digestible, SimTime, Stretch, Weight};
use planarium_part::{Dialect, Done, Loading, Number, Request, StreamNews, Wire};
use planarium_protocol::changes::Changes;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use serde_json::Value;
use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A daemon of one of the systems. Clones share it until one of them changes. Its calls are those of [`Running`].
pub(crate) struct Daemon(Box<dyn Running>);

/// The calls of [`planarium_part::System`] and [`planarium_part::Part`] that the world makes, without the type of the daemon.
/// Calls that need ports do nothing, or refuse, where the layer has not started.
pub(crate) trait Running: Any + Send + Sync {
    fn again(&self) -> Box<dyn Running>;
    fn as_any(&self) -> &dyn Any;
    fn digest(&self, digest: &mut Digest);
    fn beyond(&self, before: Option<&dyn Running>) -> u64;
    fn weight(&self) -> u64;
    fn drop_views(&mut self);

    // ---- facts -------------------------------------------------------------------------------

    fn dialect(&self) -> Dialect;
    /// Returns whether commands are applied before the work of their instant.
    fn commands_first(&self) -> bool;
    /// The layer that its system runs on.
    fn layer(&self) -> Option<u8>;

    // ---- services ----------------------------------------------------------------------------

    fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal>;
    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal>;
    fn names(&self) -> Vec<(Number, Text)>;
    fn shown(&self) -> Vec<(Number, Text)>;
    fn request(&self, name: &str) -> Option<&Arc<LoadService>>;
    fn request_now(&self, name: &str, lend: &mut Lend<'_>) -> Option<LoadService>;
    fn is_over(&self) -> bool;
    /// Adds a service (`update` is false), or updates one of its services.
    fn take(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, loading: Loading<Definition>, update: bool) -> Done;
    /// Returns what a definition of this system would change now.
    fn changes(&self, lend: &mut Lend<'_>, definition: &Definition) -> Option<Changes>;
    fn remove(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, name: &str, force: bool) -> Done;

    // ---- time and events ---------------------------------------------------------------------

    fn next_due(&self) -> Option<(SimTime, Number)>;
    fn one_shots(&self) -> usize;
    fn restless(&self) -> bool;
    fn fire(&mut self, cx: &mut Cx, lend: &mut Lend<'_>);
    fn hear(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, event: &FleetEvent);
    /// Receives an event of its layer.
    fn hear_from_layer(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, news: LayerNews);
    fn restart(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, target: &Target);

    // ---- commands ----------------------------------------------------------------------------

    fn plan_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PlanCommand) -> Done;
    fn pod_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PodCommand) -> Done;
    fn call(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, call: &HttpCall, parts: &[&str]) -> Option<Done>;

    // ---- questions ---------------------------------------------------------------------------

    fn wire(&self, lend: &mut Lend<'_>, request: &Request, parts: &[&str]) -> Wire;
    fn stream(&self, lend: &mut Lend<'_>, topic: &Value, events: Stretch<'_, Event>) -> StreamNews;
    fn stream_begins(&mut self, lend: &mut Lend<'_>, topic: &Value);
    fn stream_closed(&mut self, lend: &mut Lend<'_>, topic: &Value) -> Option<Input>;
    fn rendered_file(&self, service: &str, task: &str, file: &str) -> Option<Result<(u16, Value), Refusal>>;
    fn views(&self) -> Vec<(Number, Arc<ServiceView>)>;
    fn status_at(&self, service: &str, element: &str) -> Option<&'static str>;
    fn capacity(&self, service: &str, plan: &str) -> Option<(u32, u32)>;
    fn why(&self, path: &ElementPath, lend: &mut Lend<'_>) -> Option<Why>;
    /// Lists broken invariants in words.
    fn check(&self, fleet: &Fleet) -> Vec<String>;
}

/// A daemon of one system.
struct Of<S>(Arc<S>);

impl<S: Placed> Of<S> {
    /// Changes the daemon with its ports; `None` if its layer has not started.
    fn change<R>(
        &mut self,
        lend: &mut Lend<'_>,
        work: impl FnOnce(&mut S, &mut S::Ports<'_>) -> R,
    ) -> Option<R> {
        let mut ports = S::ports(lend)?;
        Some(work(Arc::make_mut(&mut self.0), &mut ports))
    }

    /// Asks the daemon with its ports; `None` if its layer has not started.
    fn ask<R>(&self, lend: &mut Lend<'_>, question: impl FnOnce(&S, &S::Ports<'_>) -> R) -> Option<R> {
        let ports = S::ports(lend)?;
        Some(question(&self.0, &ports))
    }
}

impl<S: Placed> Running for Of<S>
where
    S::Definition: Send + Sync + 'static,
{
    fn again(&self) -> Box<dyn Running> {
        Box::new(Self(Arc::clone(&self.0)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn digest(&self, digest: &mut Digest) {
        self.0.digest(digest);
    }

    fn beyond(&self, before: Option<&dyn Running>) -> u64 {
        let before = before.and_then(|before| before.as_any().downcast_ref::<Self>());
        self.0.beyond(before.map(|before| &before.0))
    }

    fn weight(&self) -> u64 {
        planarium_part::Part::weight(&*self.0)
    }

    fn drop_views(&mut self) {
        Arc::make_mut(&mut self.0).drop_views();
    }

    fn dialect(&self) -> Dialect {
        S::DIALECT
    }

    fn commands_first(&self) -> bool {
        S::COMMANDS_FIRST
    }

    fn layer(&self) -> Option<u8> {
        S::LAYER
    }

    fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        self.0.objection(load, name)
    }

    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        self.0.adapted(load)
    }

    fn names(&self) -> Vec<(Number, Text)> {
        self.0.names()
    }

    fn shown(&self) -> Vec<(Number, Text)> {
        self.0.shown()
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        self.0.request(name)
    }

    fn request_now(&self, name: &str, lend: &mut Lend<'_>) -> Option<LoadService> {
        self.ask(lend, |daemon, ports| daemon.request_now(name, ports))?
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn take(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, loading: Loading<Definition>, update: bool) -> Done {
        let Loading { number, load, definition } = loading;
        let Some(definition) = definition.of_type::<S>().cloned() else {
            return Err(Refusal::new(RefusalCode::Conflict, "The definition is of another dialect"));
        };
        let loading = Loading { number, load, definition };
        let done = self.change(lend, |daemon, ports| {
            if update { daemon.update(cx, ports, loading) } else { daemon.load(cx, ports, loading) }
        });
        done.ok_or_else(not_begun)?
    }

    fn changes(&self, lend: &mut Lend<'_>, definition: &Definition) -> Option<Changes> {
        let definition = definition.of_type::<S>()?;
        self.ask(lend, |daemon, ports| daemon.changes(ports, definition))?
    }

    fn remove(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, name: &str, force: bool) -> Done {
        self.change(lend, |daemon, ports| daemon.remove(cx, ports, name, force)).ok_or_else(not_begun)?
    }

    fn next_due(&self) -> Option<(SimTime, Number)> {
        self.0.next_due()
    }

    fn one_shots(&self) -> usize {
        self.0.one_shots()
    }

    fn restless(&self) -> bool {
        self.0.restless()
    }

    fn fire(&mut self, cx: &mut Cx, lend: &mut Lend<'_>) {
        self.change(lend, |daemon, ports| daemon.fire(cx, ports));
    }

    fn hear(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, event: &FleetEvent) {
        self.change(lend, |daemon, ports| daemon.hear(cx, ports, event));
    }

    fn hear_from_layer(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, news: LayerNews) {
        S::hear_from_layer(&mut self.0, cx, lend, news);
    }

    fn restart(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, target: &Target) {
        self.change(lend, |daemon, ports| daemon.restart(cx, ports, target));
    }

    fn plan_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PlanCommand) -> Done {
        self.change(lend, |daemon, ports| daemon.plan_command(cx, ports, command)).ok_or_else(not_begun)?
    }

    fn pod_command(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, command: &PodCommand) -> Done {
        self.change(lend, |daemon, ports| daemon.pod_command(cx, ports, command)).ok_or_else(not_begun)?
    }

    fn call(&mut self, cx: &mut Cx, lend: &mut Lend<'_>, call: &HttpCall, parts: &[&str]) -> Option<Done> {
        self.change(lend, |daemon, ports| daemon.call(cx, ports, call, parts))?
    }

    fn wire(&self, lend: &mut Lend<'_>, request: &Request, parts: &[&str]) -> Wire {
        self.ask(lend, |daemon, ports| daemon.wire(ports, request, parts)).unwrap_or(Wire::NotMine)
    }

    fn stream(&self, lend: &mut Lend<'_>, topic: &Value, events: Stretch<'_, Event>) -> StreamNews {
        let over = || StreamNews { ended: true, ..StreamNews::default() };
        self.ask(lend, |daemon, ports| daemon.stream(ports, topic, events)).unwrap_or_else(over)
    }

    fn stream_begins(&mut self, lend: &mut Lend<'_>, topic: &Value) {
        self.change(lend, |daemon, ports| daemon.stream_begins(ports, topic));
    }

    fn stream_closed(&mut self, lend: &mut Lend<'_>, topic: &Value) -> Option<Input> {
        self.change(lend, |daemon, ports| daemon.stream_closed(ports, topic))?
    }

    fn rendered_file(&self, service: &str, task: &str, file: &str) -> Option<Result<(u16, Value), Refusal>> {
        self.0.rendered_file(service, task, file)
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        self.0.views()
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        self.0.status_at(service, element)
    }

    fn capacity(&self, service: &str, plan: &str) -> Option<(u32, u32)> {
        self.0.capacity(service, plan)
    }

    fn why(&self, path: &ElementPath, lend: &mut Lend<'_>) -> Option<Why> {
        self.ask(lend, |daemon, ports| daemon.why(path, ports))?
    }

    fn check(&self, fleet: &Fleet) -> Vec<String> {
        self.0.check(fleet)
    }
}

impl Daemon {
    /// A daemon that its system has started.
    pub(crate) fn of<S: Placed>(daemon: S) -> Self
    where
        S::Definition: Send + Sync + 'static,
    {
        Self(Box::new(Of(Arc::new(daemon))))
    }

    /// The daemon as its system sees it; `None` if it is of another system.
    pub(crate) fn of_type<S: 'static>(&self) -> Option<&S> {
        self.0.as_any().downcast_ref::<Of<S>>().map(|of| &*of.0)
    }
}

impl Clone for Daemon {
    fn clone(&self) -> Self {
        Self(self.0.again())
    }
}

impl Deref for Daemon {
    type Target = dyn Running;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Daemon {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl Digestible for Daemon {
    fn digest(&self, digest: &mut Digest) {
        self.0.digest(digest);
    }
}

impl Weight for Daemon {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.0.beyond(before.map(|before| &*before.0))
    }
}
