//! The services of a world, in order of installation.
//!
//! Knows: which service's timer comes first and which framework is which service.
//! Must not know: what a service does.
//!
//! *Invariant*: `due` holds exactly the next timer of every service that has one, and `one_shots` is the
//! sum over all of them; both are brought up to date after every touch, so nothing scans the services.

use super::{Definition, Group, Request, SdkQuery, System};
use crate::cluster::Cluster;
use crate::condition::status_among;
use crate::explain::Facts;
use planarium_fleet::{Cx, glob};
use planarium_kernel::SimTime;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_mesos::api::{FrameworkId, SchedulerEvent};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use serde_json::Value;
use std::sync::Arc;

/// A service in order of installation. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ServiceId(pub(super) u32);

#[cfg(test)]
impl ServiceId {
    /// The `n`th service that was installed.
    pub(crate) fn nth(n: u32) -> Self {
        Self(n)
    }
}

#[derive(Clone)]
pub(super) struct Service {
    pub(super) name: Text,
    pub(super) framework: FrameworkId,
    load: Arc<LoadService>,
    pub(super) definition: Definition,
    pub(super) system: System,
    due: Option<u64>,
    one_shots: usize,
}

/// All services.
#[derive(Clone, Default)]
pub(crate) struct Services {
    pub(super) all: SortedMap<ServiceId, Service>,
    /// Frameworks that several services share.
    pub(super) groups: SortedMap<FrameworkId, Group>,
    /// Services with a framework of their own.
    by_framework: SortedMap<FrameworkId, ServiceId>,
    due: SortedSet<(u64, ServiceId)>,
    one_shots: usize,
    next: u32,
}

impl Services {
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Installs a service that has just subscribed.
    pub(crate) fn install(
        &mut self,
        name: Text,
        framework: FrameworkId,
        load: Arc<LoadService>,
        definition: Definition,
        system: System,
    ) -> ServiceId {
        let id = ServiceId(self.next);
        self.next = self.next.saturating_add(1);
        let service = Service { name, framework, load, definition, system, due: None, one_shots: 0 };
        self.all.insert(id, service);
        if !self.groups.contains_key(&framework) {
            self.by_framework.insert(framework, id);
        }
        self.refresh(id);
        id
    }

    /// Takes a service out.
    pub(crate) fn remove(&mut self, id: ServiceId) {
        let Some(service) = self.all.remove(&id) else { return };
        self.by_framework.remove(&service.framework);
        self.one_shots -= service.one_shots;
        if let Some(at) = service.due {
            self.due.remove(&(at, id));
        }
    }

    /// Puts another definition and control loop in a service's place.
    pub(crate) fn replace(
        &mut self,
        id: ServiceId,
        load: Arc<LoadService>,
        definition: Definition,
        system: System,
    ) {
        if let Some(service) = self.all.get_mut(&id) {
            service.load = load;
            service.definition = definition;
            service.system = system;
        }
        self.refresh(id);
    }

    /// Brings what is kept about a service's timers up to date.
    fn refresh(&mut self, id: ServiceId) {
        let Some(service) = self.all.get_mut(&id) else { return };
        let due = service.system.next_due().map(SimTime::ms);
        if due != service.due {
            if let Some(at) = service.due {
                self.due.remove(&(at, id));
            }
            if let Some(at) = due {
                self.due.insert((at, id));
            }
            service.due = due;
        }
        let one_shots = service.system.one_shots();
        self.one_shots = self.one_shots - service.one_shots + one_shots;
        service.one_shots = one_shots;
    }

    pub(super) fn touch<R>(&mut self, id: ServiceId, work: impl FnOnce(&mut System) -> R) -> Option<R> {
        let result = work(&mut self.all.get_mut(&id)?.system);
        self.refresh(id);
        Some(result)
    }

    // ---- finding -----------------------------------------------------------------------------

    /// The service of that name; leading and trailing slashes do not matter.
    pub(crate) fn find(&self, name: &str) -> Option<ServiceId> {
        let wanted = name.trim_matches('/');
        self.all.iter().find(|(_, service)| service.name.trim_matches('/') == wanted).map(|(id, _)| *id)
    }

    /// The service of that name, or a refusal in the real system's words.
    pub(crate) fn named(&self, name: &str) -> Result<ServiceId, Refusal> {
        self.find(name).ok_or_else(|| not_found(name))
    }

    /// Services that a fault's target means, all without a pattern.
    pub(crate) fn matching(&self, target: &Target) -> Vec<ServiceId> {
        let meant =
            |service: &&Service| target.service.as_deref().is_none_or(|pattern| glob(pattern, &service.name));
        self.all.iter().filter(|(_, service)| meant(service)).map(|(id, _)| *id).collect()
    }

    pub(crate) fn by_framework(&self, framework: FrameworkId) -> Option<ServiceId> {
        self.by_framework.get(&framework).copied()
    }

    pub(crate) fn framework(&self, id: ServiceId) -> Option<FrameworkId> {
        self.all.get(&id).map(|service| service.framework)
    }

    pub(crate) fn ids(&self) -> Vec<ServiceId> {
        self.all.keys().copied().collect()
    }

    pub(crate) fn name(&self, id: ServiceId) -> Option<&Text> {
        self.all.get(&id).map(|service| &service.name)
    }

    pub(crate) fn load(&self, id: ServiceId) -> Option<(&Arc<LoadService>, &Definition, &System)> {
        self.all.get(&id).map(|service| (&service.load, &service.definition, &service.system))
    }

    // ---- time --------------------------------------------------------------------------------

    pub(crate) fn next_due(&self) -> Option<(u64, ServiceId)> {
        self.due.first().copied()
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.one_shots
    }

    pub(crate) fn restless(&self) -> bool {
        self.all.values().any(|service| service.system.restless())
    }

    // ---- work --------------------------------------------------------------------------------

    pub(crate) fn fire(&mut self, cx: &mut Cx, id: ServiceId) -> Vec<Request> {
        self.touch(id, |system| system.fire(cx)).unwrap_or_default()
    }

    pub(crate) fn run_cycle_now(&mut self, cx: &mut Cx, id: ServiceId) -> Vec<Request> {
        self.touch(id, |system| system.run_cycle_now(cx)).unwrap_or_default()
    }

    pub(crate) fn on_event(&mut self, cx: &mut Cx, id: ServiceId, event: SchedulerEvent) -> Vec<Request> {
        self.touch(id, |system| system.on_event(cx, event)).unwrap_or_default()
    }

    pub(crate) fn plan_command(
        &mut self,
        cx: &mut Cx,
        id: ServiceId,
        command: &PlanCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.touch(id, |system| system.plan_command(cx, command))
            .unwrap_or_else(|| Err(not_found(&command.service)))
    }

    pub(crate) fn pod_command(
        &mut self,
        cx: &mut Cx,
        id: ServiceId,
        command: &PodCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.touch(id, |system| system.pod_command(cx, command))
            .unwrap_or_else(|| Err(not_found(&command.service)))
    }

    /// A service's scheduler hears an error and ends.
    pub(crate) fn fail(&mut self, cx: &mut Cx, id: ServiceId, error: &str) {
        self.touch(id, |system| system.fail(cx, error));
    }

    pub(crate) fn store_file(
        &mut self,
        cx: &mut Cx,
        id: ServiceId,
        name: &str,
        text: &str,
    ) -> Result<Value, Refusal> {
        self.touch(id, |system| system.store_file(cx, name, text)).unwrap_or(Ok(Value::Null))
    }

    // ---- what they show ----------------------------------------------------------------------

    pub(crate) fn views(&self) -> Vec<Arc<ServiceView>> {
        self.all.values().map(|service| service.system.view()).collect()
    }

    /// The status an element shows, found as [`crate::element_status`] finds it in the views.
    pub(crate) fn status_at(&self, element: &str) -> Option<&'static str> {
        let all: Vec<&System> = self.all.values().map(|service| &service.system).collect();
        status_among(&all, |system| system.shown_name(), |system, element| system.status_at(element), element)
    }

    pub(crate) fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        let service = self.all.get(&self.find(&path.service)?)?;
        let name = self.groups.get(&service.framework).map_or(&service.name, |group| &group.name);
        service.system.why(path, &Facts { cluster, framework: service.framework, name })
    }

    pub(crate) fn query_sdk(
        &self,
        name: &str,
        what: &SdkQuery,
        epoch_ms: u64,
    ) -> Result<(u16, Value), Refusal> {
        let service = if name.is_empty() {
            self.all.values().next()
        } else {
            self.find(name).and_then(|id| self.all.get(&id))
        };
        if service.is_none()
            && let Some(framework) = self.group_named(name)
        {
            let nothing = || Refusal::new(RefusalCode::NotFound, "HTTP 404 Not Found");
            return self.query_group(framework, what).ok_or_else(nothing);
        }
        service.ok_or_else(|| not_found(name))?.system.query_sdk(what, epoch_ms)
    }

    /// What does not hold, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.check_groups();
        for (id, service) in &self.all {
            found.extend(service.system.check().into_iter().map(|text| format!("{}: {text}", service.name)));
            let due = service.system.next_due().map(SimTime::ms);
            if due != service.due || due.is_some_and(|at| !self.due.contains(&(at, *id))) {
                found.push(format!("{}: the next timer is not the one kept", service.name));
            }
        }
        let one_shots: usize = self.all.values().map(|service| service.system.one_shots()).sum();
        if one_shots != self.one_shots {
            found.push(format!("{one_shots} one-shot timers of services, {} kept", self.one_shots));
        }
        found
    }

    /// Bytes that these services hold and those before do not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let service = |(id, service): (&ServiceId, &Service)| {
            let old = before.and_then(|before| before.all.get(id));
            256 + service.system.beyond(old.map(|old| &old.system))
        };
        self.all.iter().map(service).sum()
    }

    /// Roughly how many bytes a copy takes.
    pub(crate) fn weight(&self) -> u64 {
        self.all.values().map(|service| 256 + service.system.weight()).sum()
    }
}

fn not_found(name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("Service {name} not found"))
}
