//! Installs, changes and removes the services of a daemon.
//!
//! *Knows*: how a definition becomes a scheduler, and what is kept when it is recreated. *Must not know*: what a
//! scheduler does.

use super::shared::Shared;
use super::{Daemon, Member};
use crate::load::{Loaded, load as read};
use crate::scheduler::{FRAMEWORK_REMOVED, OF_SEVERAL, Scheduler, UNINSTALL_FLAG};
use planarium_ground::glob;
use planarium_kernel::SortedMap;
use planarium_mesos::Cluster;
use planarium_mesos::api::{Call, FrameworkInfo, Request};
use planarium_part::{Cx, Loading, Number};
use planarium_protocol::input::{LoadService, Target};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, Text};
use serde_json::Value;
use std::sync::Arc;

fn conflict(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::Conflict, text)
}

impl Daemon {
    /// Starts a daemon with its first service.
    pub(super) fn begin(
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Arc<Loaded>>,
    ) -> Result<(Self, Value), Refusal> {
        let Loading { number, load, definition } = loading;
        let name = definition.name.clone();
        let (mut scheduler, calls) = Scheduler::start(cx, &definition, None)?;
        scheduler.show_from(cluster.past_revision() + 1);
        let info = scheduler.framework_info();
        let (framework, shared) = if load.framework.is_empty() {
            (cluster.subscribe(cx, info), None)
        } else {
            let info = FrameworkInfo { name: load.framework.as_str().into(), ..info };
            (cluster.subscribe(cx, info.clone()), Some(Shared::new(&load, info)))
        };
        let mut daemon = Self { number, framework, members: SortedMap::new(), shared, over: false };
        daemon.install(cx, cluster, number, Member::new(name, load, definition, scheduler), calls);
        let answer = daemon.answer(number);
        Ok((daemon, answer))
    }

    /// Takes a further service in.
    pub(super) fn add(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Arc<Loaded>>,
    ) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        let name = definition.name.clone();
        let (mut scheduler, calls) = Scheduler::start(cx, &definition, None)?;
        scheduler.show_from(cluster.past_revision() + 1);
        self.install(cx, cluster, number, Member::new(name, load, definition, scheduler), calls);
        Ok(self.answer(number))
    }

    fn answer(&self, number: Number) -> Value {
        let name = self.members.get(&number).map(|member| member.name.clone());
        json!({ "service": name, "dialect": crate::DIALECT })
    }

    fn install(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        number: Number,
        member: Member,
        calls: Vec<Request>,
    ) {
        self.members.insert(number, member);
        if self.shared.is_some() {
            self.join(cx, cluster, number);
        }
        self.send(cx, cluster, number, calls);
    }

    /// Returns why a service cannot be loaded: it, or its framework, may exist already.
    pub(super) fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        let same = |one: &str, other: &str| one.trim_matches('/') == other.trim_matches('/');
        if !load.framework.is_empty() {
            if self.find(&load.framework).is_some() {
                let text = match &self.shared {
                    None => format!("'{}' is a service with a framework of its own", load.framework),
                    Some(shared) => {
                        format!("'{}' is a service on the framework '{}'", load.framework, shared.name)
                    }
                };
                return Some(conflict(text));
            }
            if let Some(shared) = &self.shared
                && same(&shared.name, &load.framework)
                && shared.uninstalling
            {
                return Some(conflict(format!("The framework '{}' is being uninstalled", load.framework)));
            }
        }
        let taken =
            self.find(name).is_some() || self.shared.as_ref().is_some_and(|shared| same(&shared.name, name));
        taken.then(|| conflict(format!("There is a service '{name}' already; update it, or remove it first")))
    }

    /// Completes an update of a service that shares its framework, so that it keeps sharing it.
    ///
    /// *Errors*: the request names another framework than the service's.
    pub(super) fn as_member(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        let own = self.shared.as_ref().map(|shared| shared.name.clone());
        let given = load.framework.trim_matches('/');
        if !given.is_empty() && own.as_ref().is_none_or(|own| own.trim_matches('/') != given) {
            let text = format!("Service '{}' is not part of the framework '{}'", load.name, load.framework);
            return Err(conflict(text));
        }
        let own = own.map(|own| own.to_string()).unwrap_or_default();
        Ok((own != load.framework).then(|| LoadService { framework: own, ..load.clone() }))
    }

    /// Gives a service another definition: its scheduler restarts with it.
    pub(super) fn change(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Arc<Loaded>>,
    ) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        let name =
            if load.name.is_empty() { definition.name.clone() } else { Text::from(load.name.as_str()) };
        if definition.name.trim_matches('/') != name.trim_matches('/') {
            let message = format!("The definition is of a service '{}', not '{name}'", definition.name);
            return Err(conflict(message));
        }
        cx.emit(EventBody::ServiceUpdated {
            service: name.clone(),
            what: "definition".into(),
            text: "new definition".into(),
        });
        self.start_again(cx, cluster, number, load, definition)?;
        let errors = self.members.get(&number).map(|member| member.scheduler.refused().to_vec());
        let errors = errors.unwrap_or_default();
        if errors.is_empty() {
            Ok(json!({ "service": name }))
        } else {
            Ok(json!({ "service": name, "errors": errors }))
        }
    }

    fn start_again(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        number: Number,
        load: Arc<LoadService>,
        definition: Arc<Loaded>,
    ) -> Result<(), Refusal> {
        let calls = self.make_anew(cx, number, load, definition)?;
        if self.shared.is_some() {
            self.rejoin(cx, cluster, number);
        } else if let Some(member) = self.members.get(&number) {
            cluster.resubscribe(cx, self.framework, member.scheduler.framework_info());
        }
        self.send(cx, cluster, number, calls);
        Ok(())
    }

    /// Replaces a service's scheduler; the master is not notified.
    fn make_anew(
        &mut self,
        cx: &mut Cx,
        number: Number,
        load: Arc<LoadService>,
        definition: Arc<Loaded>,
    ) -> Result<Vec<Request>, Refusal> {
        let Some(member) = self.members.get_mut(&number) else { return Ok(Vec::new()) };
        let (scheduler, calls) = Scheduler::start(cx, &definition, Some(&member.scheduler))?;
        *member = Member::new(member.name.clone(), load, definition, scheduler);
        Ok(calls)
    }

    /// Restarts the daemon if the target names it: it serves all services of its framework.
    pub(super) fn start_over(&mut self, cx: &mut Cx, cluster: &mut Cluster, target: &Target) {
        let meant =
            |member: &Member| target.service.as_deref().is_none_or(|pattern| glob(pattern, &member.name));
        if !self.members.values().any(meant) {
            return;
        }
        for (number, load, definition) in self.requests() {
            // A definition that ran can start again; if not, the service continues unchanged.
            if self.shared.is_some() {
                let _ = self.make_anew(cx, number, load, definition);
                self.register(number);
            } else {
                let _ = self.start_again(cx, cluster, number, load, definition);
            }
        }
        if let Some(shared) = &self.shared {
            cluster.resubscribe(cx, self.framework, shared.info.clone());
        }
    }

    fn requests(&self) -> Vec<(Number, Arc<LoadService>, Arc<Loaded>)> {
        let request = |(number, member): (&Number, &Member)| {
            (*number, Arc::clone(&member.load), Arc::clone(&member.definition))
        };
        self.members.iter().map(request).collect()
    }

    /// Takes a service away, or a whole framework with all its services.
    pub(super) fn take_away(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        name: &str,
        force: bool,
    ) -> Result<Value, Refusal> {
        let Some((number, member)) = self.find(name) else {
            return self.take_framework_away(cx, cluster, name, force);
        };
        let name = member.name.clone();
        if !force {
            return self.uninstall(cx, cluster, number);
        }
        self.drop_service(cx, cluster, number);
        Ok(json!({ "service": name }))
    }

    fn take_framework_away(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        wanted: &str,
        force: bool,
    ) -> Result<Value, Refusal> {
        let shared = self.shared.as_mut();
        let Some(shared) = shared.filter(|shared| shared.name.trim_matches('/') == wanted.trim_matches('/'))
        else {
            return Err(super::not_found(wanted));
        };
        let name = shared.name.clone();
        if shared.uninstalling && !force {
            return Err(conflict(format!("The framework '{name}' is being uninstalled already")));
        }
        shared.uninstalling = true;
        for number in self.joined() {
            if force {
                self.leave(cx, cluster, number, false);
            } else if self.members.get(&number).is_some_and(|member| !member.scheduler.is_uninstalling()) {
                self.uninstall(cx, cluster, number)?;
            }
        }
        self.end_if_left(cx, cluster);
        Ok(json!({ "service": name }))
    }

    /// Starts a service's scheduler again with the order to take everything back.
    fn uninstall(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) -> Result<Value, Refusal> {
        let Some(member) = self.members.get(&number) else { return Ok(Value::Null) };
        let name = member.name.clone();
        if member.scheduler.is_uninstalling() {
            return Err(conflict(format!("Service '{name}' is being uninstalled already")));
        }
        let of_several = self.shared.as_ref().is_some_and(|shared| !shared.uninstalling);
        let mut load = LoadService::clone(&member.load);
        let value = if of_several { OF_SEVERAL } else { "true" };
        load.env.insert(UNINSTALL_FLAG.to_owned(), value.to_owned());
        let definition = Arc::new(read(&load));
        let (what, text) = ("uninstall".into(), "uninstall asked for".into());
        cx.emit(EventBody::ServiceUpdated { service: name.clone(), what, text });
        self.start_again(cx, cluster, number, Arc::new(load), definition)?;
        Ok(json!({ "service": name }))
    }

    /// Drops a service whose scheduler has been removed from outside.
    pub(super) fn drop_if_gone(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) {
        let gone = self.members.get(&number).and_then(|member| member.scheduler.gone());
        if let Some(cause) = gone {
            cx.set_cause(cause);
            self.drop_service(cx, cluster, number);
        }
    }

    /// Takes a service out with all its tasks, and with its framework where that is its own.
    fn drop_service(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) {
        if self.shared.is_some() {
            self.leave(cx, cluster, number, true);
            return;
        }
        let Some(member) = self.members.remove(&number) else { return };
        cluster.note_past_revision(member.scheduler.revision());
        cluster.call(cx, self.framework, Call::Teardown);
        self.over = true;
        cx.emit(EventBody::ServiceRemoved { service: member.name, dialect: crate::DIALECT.into() });
    }

    /// The master removed the framework: notifies the schedulers.
    pub(super) fn removed(&mut self, cx: &mut Cx) {
        let numbers: Vec<Number> = self.members.keys().copied().collect();
        for number in numbers {
            self.with(number, |scheduler| scheduler.fail(cx, FRAMEWORK_REMOVED));
        }
    }
}
