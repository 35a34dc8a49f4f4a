//! Installing, changing and removing services.
//!
//! Knows: how a definition becomes a framework with a control loop.
//! Must not know: any dialect; see [`crate::systems`].

use crate::limits::LIMITS;
use crate::systems::{Definition, Request, ServiceId, System};
use crate::world::World;
use planarium_mesos::api::Call;
use planarium_protocol::input::{LoadService, OfferRound, RemoveService};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, Text};
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
        let shared = self.group_for(load)?;
        let definition = read(load, diagnostics)?;
        let name = definition.name().clone();
        if self.services.find(&name).is_some() || self.services.group_named(&name).is_some() {
            return Err(Refusal::new(
                RefusalCode::Conflict,
                format!("There is a service '{name}' already; update it, or remove it first"),
            ));
        }
        if self.services.len() >= LIMITS.services as usize {
            let message =
                format!("There are {} services already, as many as a world can hold", LIMITS.services);
            return Err(Refusal::new(RefusalCode::LimitReached, message));
        }
        diagnostics.extend(against(&definition, None));
        let dialect = definition.dialect().as_str();
        let cx = &mut self.recorder;
        cx.emit(EventBody::ServiceLoaded { service: name.clone(), dialect: dialect.into() });
        let (system, calls) = System::start(cx, &definition, None)?;
        let load = Arc::new(load.clone());
        let framework = match shared {
            Some(framework) => framework,
            None if load.framework.is_empty() => self.cluster.subscribe(cx, system.framework_info()),
            None => self.form_group(&load, &system),
        };
        let id = self.services.install(name.clone(), framework, load, definition, system);
        if self.services.group(framework).is_some() {
            self.join_group(framework, id);
        }
        self.send(id, calls);
        Ok(json!({ "service": name, "dialect": dialect }))
    }

    /// Gives a running service another definition: its scheduler restarts with it.
    pub(super) fn update_service(
        &mut self,
        load: &LoadService,
        diagnostics: &mut Vec<Value>,
    ) -> Result<Value, Refusal> {
        let load = &self.as_member(load)?;
        let definition = read(load, diagnostics)?;
        let name =
            if load.name.is_empty() { definition.name().clone() } else { Text::from(load.name.as_str()) };
        let id = self.services.named(&name)?;
        let same_name = definition.name().trim_matches('/') == name.trim_matches('/');
        if !same_name {
            let message = format!("The definition is of a service '{}', not '{name}'", definition.name());
            return Err(Refusal::new(RefusalCode::Conflict, message));
        }
        if let Some((.., system)) = self.services.load(id) {
            diagnostics.extend(against(&definition, Some(system)));
        }
        self.recorder
            .emit(EventBody::ServiceUpdated { service: name.clone(), text: "new definition".into() });
        self.start_again(id, Arc::new(load.clone()), definition)?;
        let errors = self.services.load(id).map(|(.., system)| system.refused().to_vec()).unwrap_or_default();
        if errors.is_empty() {
            Ok(json!({ "service": name }))
        } else {
            Ok(json!({ "service": name, "errors": errors }))
        }
    }

    /// Starts a service's scheduler process again as it was.
    pub(crate) fn restart_scheduler(&mut self, id: ServiceId) {
        if let Some((load, definition, _)) = self.services.load(id) {
            let (load, definition) = (Arc::clone(load), definition.clone());
            // What ran with this definition can start with it again; if not, it goes on as it was.
            let _ = self.start_again(id, load, definition);
        }
    }

    fn start_again(
        &mut self,
        id: ServiceId,
        load: Arc<LoadService>,
        definition: Definition,
    ) -> Result<(), Refusal> {
        let calls = self.make_anew(id, load, definition)?;
        match (self.services.group_of(id).map(|(framework, _)| framework), self.services.framework(id)) {
            (Some(shared), _) => self.rejoin_group(shared, id),
            (None, Some(framework)) => {
                if let Some(info) = self.services.load(id).map(|(.., system)| system.framework_info()) {
                    self.cluster.resubscribe(&mut self.recorder, framework, info);
                }
            }
            (None, None) => {}
        }
        self.send(id, calls);
        Ok(())
    }

    /// Puts a new scheduler in the place of a service's; the master is not told.
    pub(crate) fn make_anew(
        &mut self,
        id: ServiceId,
        load: Arc<LoadService>,
        definition: Definition,
    ) -> Result<Vec<Request>, Refusal> {
        let Some((_, _, previous)) = self.services.load(id) else { return Ok(Vec::new()) };
        let (system, calls) = System::start(&mut self.recorder, &definition, Some(previous))?;
        self.services.replace(id, load, definition, system);
        Ok(calls)
    }

    /// An update of a service that shares its framework goes on sharing it.
    fn as_member(&self, load: &LoadService) -> Result<LoadService, Refusal> {
        let named = match load.name.as_str() {
            _ if !self.services.has_groups() => None,
            "" => self.services.find(Definition::read(load)?.name()),
            name => self.services.find(name),
        };
        let own = named.and_then(|id| self.services.group_of(id)).map(|(_, group)| group.name.clone());
        let given = load.framework.trim_matches('/');
        if !given.is_empty() && own.as_ref().is_none_or(|own| own.trim_matches('/') != given) {
            let text = format!("Service '{}' is not part of the framework '{}'", load.name, load.framework);
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        Ok(LoadService { framework: own.map(|own| own.to_string()).unwrap_or_default(), ..load.clone() })
    }

    /// Takes a service away.
    pub(super) fn remove_service(&mut self, remove: &RemoveService) -> Result<Value, Refusal> {
        if self.services.find(&remove.name).is_none()
            && let Some(outcome) = self.remove_group(remove)
        {
            return outcome;
        }
        let id = self.services.named(&remove.name)?;
        let name = self.services.name(id).cloned().unwrap_or_else(|| remove.name.as_str().into());
        if !remove.force {
            return self.uninstall_service(id, &name);
        }
        self.drop_service(id, &name);
        Ok(json!({ "service": name }))
    }

    /// Starts a service's scheduler again with the order to take everything back.
    pub(crate) fn uninstall_service(&mut self, id: ServiceId, name: &Text) -> Result<Value, Refusal> {
        let Some((load, definition, system)) = self.services.load(id) else { return Ok(Value::Null) };
        if system.is_uninstalling() {
            let message = format!("Service '{name}' is being uninstalled already");
            return Err(Refusal::new(RefusalCode::Conflict, message));
        }
        let of_several = self.services.group_of(id).is_some_and(|(_, group)| !group.uninstalling);
        let load = definition.uninstalling(load, of_several);
        let definition = Definition::read(&load)?;
        let text = "uninstall asked for".into();
        self.recorder.emit(EventBody::ServiceUpdated { service: name.clone(), text });
        self.start_again(id, Arc::new(load), definition)?;
        Ok(json!({ "service": name }))
    }

    /// Drops a service whose scheduler has been removed from outside.
    pub(crate) fn drop_if_gone(&mut self, id: ServiceId) {
        let gone = self.services.load(id).and_then(|(.., system)| system.gone());
        let Some(cause) = gone else { return };
        let Some(name) = self.services.name(id).cloned() else { return };
        self.recorder.set_cause(cause);
        self.drop_service(id, &name);
    }

    /// Takes a service out with its framework and all its tasks.
    fn drop_service(&mut self, id: ServiceId, name: &Text) {
        if let Some((framework, _)) = self.services.group_of(id) {
            self.leave_group(framework, id, true);
            return;
        }
        let cx = &mut self.recorder;
        let teardown = vec![Request { cause: cx.cause(), call: Call::Teardown }];
        self.cluster.call_all(cx, self.services.framework(id), teardown);
        self.services.remove(id);
        cx.emit(EventBody::ServiceRemoved { service: name.clone() });
    }

    /// Exactly one offer round with these machines, and the cycle it leads to at the same instant.
    pub(super) fn offer_round(&mut self, round: &OfferRound) -> Result<Value, Refusal> {
        let answer = self.cluster.offer_round(&mut self.recorder, round)?;
        // The offers have to be with the schedulers before their cycle.
        self.deliver_messages();
        for id in self.services.ids() {
            let calls = self.services.run_cycle_now(&mut self.recorder, id);
            self.send(id, calls);
        }
        Ok(answer)
    }
}

/// What the running system has against a definition.
fn against(definition: &Definition, running: Option<&System>) -> Vec<Value> {
    let sources = definition.sources();
    let found = System::findings_against(definition, running);
    found.iter().filter_map(|one| serde_json::to_value(flat(one, sources)).ok()).collect()
}

/// Reads a definition; one with errors is refused.
fn read(load: &LoadService, diagnostics: &mut Vec<Value>) -> Result<Definition, Refusal> {
    let definition = Definition::read(load)?;
    let found = definition.diagnostics();
    let sources = definition.sources();
    diagnostics.extend(found.iter().filter_map(|one| serde_json::to_value(flat(one, sources)).ok()));
    if definition.is_usable() {
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
