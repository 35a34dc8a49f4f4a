//! Queries that do not change a world.
//!
//! *Knows*: which part to ask. *Must not know*: any system's answer.

use crate::definition::Definition;
use crate::needs::dialect_of;
use crate::parts::Lend;
use crate::systems::{DIALECTS, code, unknown};
use crate::world::World;
use planarium_kernel::Stretch;
use planarium_part::http::Source;
use planarium_part::{Number, Request, Response, StreamNews, Wire};
use planarium_protocol::changes::{Changes, Recipe};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::objects::{ObjectRow, ObjectView};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Event, Input, Refusal};
use planarium_source::Diagnostic;
use serde_json::Value;

/// Returns whether a world with these inputs needs Mesos from the beginning: an input needs it, or no service that can do without
/// it is installed.
pub fn needs_mesos<'i>(inputs: impl Iterator<Item = &'i Input>) -> bool {
    let mut services = 0_u32;
    for input in inputs {
        match input {
            Input::LoadService(load) => {
                services += 1;
                let word = dialect_of(load);
                let known = DIALECTS.iter().find(|dialect| dialect.word == word);
                if known.is_none_or(|dialect| dialect.needs.contains(&"mesos")) {
                    return true;
                }
            }
            Input::Maintenance(_) | Input::Framework(_) | Input::OfferRound(_) => return true,
            _ => {}
        }
    }
    services == 0
}

/// Lists changes of single fields of a definition that are worth trying; none of one that cannot be used.
pub fn recipes(load: &LoadService) -> Vec<Recipe> {
    let definition = Definition::read(load).ok().filter(|definition| definition.is_usable());
    definition.map(|definition| definition.recipes(load)).unwrap_or_default()
}

impl World {
    /// The word that an element of a service shows: `PLAN`, `PLAN/PHASE` or `PLAN/PHASE/STEP`.
    pub fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        self.daemons.of_dialect("").find_map(|(_, daemon)| daemon.status_at(service, element))
    }

    /// Pods that a plan wants and those that are available; `None` where its system does not count them.
    pub fn capacity(&self, plan: &ElementPath) -> Option<(u32, u32)> {
        let mut all = self.daemons.of_dialect(&plan.dialect);
        all.find_map(|(_, daemon)| daemon.capacity(&plan.service, &plan.plan))
    }

    /// Returns a layer's answer to a request, with the layer's number; `None` if no layer has such a path.
    pub fn layer_wire(&self, request: &Request, parts: &[&str]) -> Option<(u8, Wire)> {
        let now = self.recorder.now();
        let asked = self.parts.layers.asked_for(parts);
        if asked.is_empty() && self.systems_missing_at(parts).is_empty() {
            let mut there = self.parts.clone();
            let (layers, ground) = there.split(now);
            return layers.wire(&ground, request, parts);
        }
        // The real program already runs before anything needs it.
        let mut trial = self.clone();
        trial.parts.begin(&mut trial.recorder, &asked);
        trial.begin_systems_at(parts);
        let (layers, ground) = trial.parts.split(now);
        layers.wire(&ground, request, parts)
    }

    /// Returns whether the layer of this number has started.
    pub fn layer_has_begun(&self, layer: u8) -> bool {
        self.parts.layers.has_begun(layer)
    }

    /// Returns the events of a layer's stream. `None` if the layer does not exist.
    pub fn layer_stream(&self, layer: u8, topic: &Value, events: Stretch<'_, Event>) -> Option<StreamNews> {
        let mut there = self.parts.clone();
        let (layers, ground) = there.split(self.recorder.now());
        layers.stream(layer, &ground, topic, events)
    }

    /// Reports a new listener to a part.
    pub(crate) fn stream_begins(&mut self, source: &Source) {
        let now = self.recorder.now();
        match source {
            Source::Layer(layer, topic) => {
                let (layers, ground) = self.parts.split(now);
                layers.stream_begins(*layer, &ground, topic);
            }
            Source::System(number, topic) => {
                let mut lend = Lend { parts: &mut self.parts, number: *number, now };
                self.daemons.touch(*number, |daemon| daemon.stream_begins(&mut lend, topic));
            }
        }
    }

    /// Reports to a part that the last listener of a stream has left; returns the input that follows.
    pub(crate) fn stream_closed(&mut self, source: &Source) -> Option<Input> {
        let now = self.recorder.now();
        match source {
            Source::Layer(layer, topic) => {
                let (layers, ground) = self.parts.split(now);
                layers.stream_closed(*layer, &ground, topic)
            }
            Source::System(number, topic) => {
                let mut lend = Lend { parts: &mut self.parts, number: *number, now };
                self.daemons.touch(*number, |daemon| daemon.stream_closed(&mut lend, topic))?
            }
        }
    }

    /// Returns the answer of the first daemon that accepts the request, of all systems with such paths. `None` if no
    /// system has such a path, or if a layer has it, too ([`World::layer_wire`]).
    ///
    /// The number is the daemon's, for a stream that begins.
    pub fn wire(&self, request: &Request, parts: &[&str]) -> Option<(Option<Number>, Wire)> {
        if crate::layers::own(parts) {
            return None;
        }
        let owners = || DIALECTS.iter().filter(|dialect| (dialect.owns)(parts));
        let first = owners().next()?;
        let now = self.recorder.now();
        let mut parts_now = self.parts.clone();
        for dialect in owners() {
            for (number, daemon) in self.daemons.of_dialect(dialect.word) {
                match daemon.wire(&mut Lend { parts: &mut parts_now, number, now }, request, parts) {
                    Wire::NotMine => {}
                    wire => return Some((Some(number), wire)),
                }
            }
        }
        for dialect in owners().filter(|dialect| self.daemons.of_dialect(dialect.word).next().is_none()) {
            // The real program already runs before a service is loaded into it.
            let mut trial = self.clone();
            if let Some(number) = trial.begin_empty(dialect.word) {
                let mut lend = Lend { parts: &mut trial.parts, number, now };
                let daemon = trial.daemons.daemon(number);
                if let Some(wire) = daemon.map(|daemon| daemon.wire(&mut lend, request, parts))
                    && !matches!(wire, Wire::NotMine)
                {
                    return Some((None, wire));
                }
            }
        }
        let Some(code) = code(first.word) else {
            let refusal = unknown(first.word);
            return Some((None, Wire::Answer(Response::text(refusal.status, refusal.message))));
        };
        Some((None, Wire::Answer(code.nobody(request, parts))))
    }

    /// Returns the events of a daemon's stream. `None` if the daemon has ended.
    pub fn stream(&self, daemon: Number, topic: &Value, events: Stretch<'_, Event>) -> Option<StreamNews> {
        let mut parts = self.parts.clone();
        let mut lend = Lend { parts: &mut parts, number: daemon, now: self.recorder.now() };
        Some(self.daemons.daemon(daemon)?.stream(&mut lend, topic, events))
    }

    /// Returns what an update to a definition, or its installation, would change now. `None` where its system does not tell.
    ///
    /// *Errors*: the definition cannot be used.
    pub fn changes(&self, load: &LoadService) -> Result<Option<Changes>, Refusal> {
        let definition = Definition::read(load)?;
        if !definition.is_usable() {
            let first = definition.diagnostics().into_iter().find(Diagnostic::is_error);
            let message = first.map_or_else(|| "The definition cannot be used".to_owned(), |one| one.message);
            return Err(Refusal::new(RefusalCode::InvalidDefinition, message));
        }
        let mut parts = self.parts.clone();
        let now = self.recorder.now();
        let mut all = self.daemons.of_dialect(definition.dialect().word);
        Ok(all.find_map(|(number, daemon)| {
            daemon.changes(&mut Lend { parts: &mut parts, number, now }, &definition)
        }))
    }

    /// Lists the objects of the layers' APIs: none where no such layer has begun.
    pub fn objects(&self) -> Vec<ObjectRow> {
        let mut there = self.parts.clone();
        let (layers, ground) = there.split(self.recorder.now());
        layers.objects(&ground)
    }

    /// Describes the object of a row's key, at this moment. `None` if there is none.
    pub fn object(&self, key: &str) -> Option<ObjectView> {
        let mut there = self.parts.clone();
        let (layers, ground) = there.split(self.recorder.now());
        layers.object(&ground, key)
    }

    /// Returns a file rendered for a task of a service; without a service, of the first one that has it.
    pub fn rendered_file(
        &self,
        service: &str,
        task: &str,
        file: &str,
    ) -> Option<Result<(u16, Value), Refusal>> {
        self.daemons.of_dialect("").find_map(|(_, daemon)| daemon.rendered_file(service, task, file))
    }
}
