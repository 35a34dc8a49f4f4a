//! Installs, changes and removes services.
//!
//! *Knows*: which daemon a service belongs to. *Must not know*: any dialect; see [`crate::systems`].

use crate::daemon::Daemon;
use crate::definition::Definition;
use crate::limits::LIMITS;
use crate::parts::Lend;

use crate::world::World;
use planarium_part::{Daemons, Loading, Number};
use planarium_protocol::input::{LoadService, RemoveService};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal};
use planarium_source::render::json::flat;
use serde_json::Value;
use std::sync::Arc;

impl World {
    /// Installs a service.
    pub(super) fn load_service(
        &mut self,
        load: &LoadService,
        diagnostics: &mut Vec<Value>,
    ) -> Result<Value, Refusal> {
        let definition = read(load, diagnostics)?;
        let name = definition.name().clone();
        let dialect = definition.dialect().word;
        let objection =
            self.daemons.of_dialect(dialect).find_map(|(_, daemon)| daemon.objection(load, &name));
        if let Some(refusal) = objection {
            return Err(refusal);
        }
        if self.daemons.services() >= LIMITS.services as usize {
            let message =
                format!("There are {} services already, as many as a world can hold", LIMITS.services);
            return Err(Refusal::new(RefusalCode::LimitReached, message));
        }
        diagnostics.extend(against(&definition, None));
        self.recorder.emit(EventBody::ServiceLoaded { service: name, dialect: dialect.into() });
        let number = self.daemons.number();
        let taker = match definition.daemons() {
            Daemons::One => self.daemons.of_dialect(dialect).next().map(|(number, _)| number),
            Daemons::OneEach if load.framework.is_empty() => None,
            Daemons::OneEach => self.daemons.find(dialect, &load.framework).map(|(number, _)| number),
        };
        let load = Arc::new(load.clone());
        let Some(daemon) = taker else {
            let mut lend = Lend { parts: &mut self.parts, number, now: self.recorder.now() };
            let (daemon, answer) = definition.start(&mut self.recorder, &mut lend, number, load)?;
            self.parts.drain(&mut self.recorder);
            self.daemons.install(number, daemon);
            return Ok(answer);
        };
        self.give(daemon, Loading { number, load, definition }, false)
    }

    /// Updates a running service to another definition.
    pub(super) fn update_service(
        &mut self,
        load: &LoadService,
        diagnostics: &mut Vec<Value>,
    ) -> Result<Value, Refusal> {
        let mut load = load.clone();
        // Without a name, the definition names the service.
        let mut definition = if load.name.is_empty() { Some(Definition::read(&load)?) } else { None };
        let name = definition.as_ref().map_or_else(|| load.name.clone(), |read| read.name().to_string());
        let dialect = match &definition {
            Some(definition) => definition.dialect().word,
            None => match load.dialect.as_str() {
                "" | "auto" => self.dialect_of_update(&load),
                word => crate::systems::known(word).unwrap_or(""),
            },
        };
        let found = self.daemons.find(dialect, &name);
        if let Some((daemon, _)) = found
            && let Some(daemon) = self.daemons.daemon(daemon)
            && let Some(adapted) = daemon.adapted(&load)?
        {
            load = adapted;
            definition = None;
        }
        let definition = match definition {
            Some(definition) => definition,
            None => Definition::read(&load)?,
        };
        let fits = definition.is_usable_as_update();
        let definition = usable(definition, fits, diagnostics)?;
        let (daemon, number) = match found {
            Some(found) => found,
            None => self.daemons.named(definition.dialect().word, &name)?,
        };
        diagnostics.extend(against(&definition, self.daemons.daemon(daemon)));
        self.give(daemon, Loading { number, load: Arc::new(load), definition }, true)
    }

    /// The dialect of an update that names none: detected from the files, or that of the service with that name.
    fn dialect_of_update(&self, load: &LoadService) -> &'static str {
        let seen = crate::detect_dialect(&load.files);
        if self.daemons.find(seen, &load.name).is_some() {
            return seen;
        }
        let found = self.daemons.find("", &load.name);
        let daemon = found.and_then(|(daemon, _)| self.daemons.daemon(daemon));
        if load.files.is_empty() { daemon.map_or(seen, |daemon| daemon.dialect().word) } else { seen }
    }

    /// Hands a definition to a daemon.
    fn give(&mut self, daemon: Number, loading: Loading<Definition>, update: bool) -> Result<Value, Refusal> {
        let given = self.at_daemon(daemon, |daemon, cx, lend| daemon.take(cx, lend, loading, update));
        given.unwrap_or(Ok(Value::Null))
    }

    /// Takes a service away.
    pub(super) fn remove_service(&mut self, remove: &RemoveService) -> Result<Value, Refusal> {
        let (daemon, _) = self.daemons.named(&remove.dialect, &remove.name)?;
        let removed =
            self.at_daemon(daemon, |daemon, cx, lend| daemon.remove(cx, lend, &remove.name, remove.force));
        removed.unwrap_or(Ok(Value::Null))
    }
}

/// Returns why the running daemon would refuse a definition.
fn against(definition: &Definition, running: Option<&Daemon>) -> Vec<Value> {
    let sources = definition.sources();
    let found = definition.findings_against(running);
    found.iter().filter_map(|one| serde_json::to_value(flat(one, sources)).ok()).collect()
}

/// Reads a definition; refuses one with errors.
fn read(load: &LoadService, diagnostics: &mut Vec<Value>) -> Result<Definition, Refusal> {
    let definition = Definition::read(load)?;
    let fits = definition.is_usable();
    usable(definition, fits, diagnostics)
}

/// Reports a definition's findings, and refuses it unless `fits` is set.
fn usable(definition: Definition, fits: bool, diagnostics: &mut Vec<Value>) -> Result<Definition, Refusal> {
    let found = definition.diagnostics();
    let sources = definition.sources();
    diagnostics.extend(found.iter().filter_map(|one| serde_json::to_value(flat(one, sources)).ok()));
    if fits {
        return Ok(definition);
    }
    let errors: Vec<_> = found.iter().filter(|one| one.is_error()).collect();
    let message = match errors.as_slice() {
        [] => "The definition cannot be used".to_owned(),
        [one] => format!("The definition has an error: {}", one.message),
        [first, ..] => format!("The definition has {} errors, first: {}", errors.len(), first.message),
    };
    Err(Refusal::new(RefusalCode::InvalidDefinition, message))
}
