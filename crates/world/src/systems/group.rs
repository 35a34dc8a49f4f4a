//! Frameworks that several services share, beside the services themselves.
//!
//! Knows: which services belong together and what the framework was brought about with.
//! Must not know: what goes between them and the master; that is their dialect's.

use super::{ServiceId, Services, System};
use planarium_fleet::Cx;
use planarium_kernel::draw;
use planarium_mesos::api::{FrameworkId, FrameworkInfo};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_sdk::multi::{Hub, MemberId, Routed};
use planarium_sdk::{Metrics, SdkQuery};
use serde_json::Value;
use std::sync::Arc;

/// A framework of several services.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) name: Text,
    pub(crate) hub: Hub,
    /// How it subscribed.
    pub(crate) info: FrameworkInfo,
    /// What its first service was loaded with.
    pub(crate) load: Arc<LoadService>,
    /// It goes once its last service is gone.
    pub(crate) uninstalling: bool,
}

/// A framework of several services as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// Name of the framework.
    pub name: Text,
    /// Its services, in the order they joined.
    pub services: Vec<GroupMember>,
    /// It goes once its last service is gone.
    pub uninstalling: bool,
}

/// A service that shares its framework, as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Name.
    pub name: Text,
    /// Path of its definition.
    pub definition: Option<Text>,
    /// It is being uninstalled.
    pub uninstalling: bool,
}

impl ServiceId {
    /// The same service as its framework numbers it.
    pub(crate) fn member(self) -> MemberId {
        MemberId(self.0)
    }

    pub(crate) fn of(member: MemberId) -> Self {
        Self(member.0)
    }
}

impl Services {
    /// The shared framework of that name.
    pub(crate) fn group_named(&self, name: &str) -> Option<FrameworkId> {
        let wanted = name.trim_matches('/');
        self.groups.iter().find(|(_, group)| group.name.trim_matches('/') == wanted).map(|(id, _)| *id)
    }

    pub(crate) fn group(&self, framework: FrameworkId) -> Option<&Group> {
        self.groups.get(&framework)
    }

    pub(crate) fn group_mut(&mut self, framework: FrameworkId) -> Option<&mut Group> {
        self.groups.get_mut(&framework)
    }

    /// The shared framework that a service is part of.
    pub(crate) fn group_of(&self, id: ServiceId) -> Option<(FrameworkId, &Group)> {
        let framework = self.framework(id)?;
        Some((framework, self.groups.get(&framework)?))
    }

    /// Whether any framework is shared.
    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    pub(crate) fn form(&mut self, framework: FrameworkId, group: Group) {
        self.groups.insert(framework, group);
    }

    pub(crate) fn dissolve(&mut self, framework: FrameworkId) -> Option<Group> {
        self.groups.remove(&framework)
    }

    /// The services of a shared framework, in the order they joined.
    pub(crate) fn members(&self, framework: FrameworkId) -> Vec<ServiceId> {
        let members = self.groups.get(&framework).map(|group| group.hub.members().map(ServiceId::of));
        members.into_iter().flatten().collect()
    }

    /// Works with a framework's hub, which may ask whether a service is reserving.
    pub(crate) fn with_hub(
        &mut self,
        framework: FrameworkId,
        work: impl FnOnce(&mut Hub, &dyn Fn(MemberId) -> bool) -> Routed,
    ) -> Routed {
        let Some(group) = self.groups.get_mut(&framework) else { return Routed::default() };
        let all = &self.all;
        let reserving =
            |id: MemberId| all.get(&ServiceId::of(id)).is_some_and(|service| service.system.is_reserving());
        work(&mut group.hub, &reserving)
    }

    /// Tells the services of a framework whether they must wait for others.
    pub(crate) fn bar(&mut self, cx: &mut Cx, framework: FrameworkId) {
        let Some(group) = self.groups.get_mut(&framework) else { return };
        let all = &self.all;
        let reserving =
            |id: MemberId| all.get(&ServiceId::of(id)).is_some_and(|service| service.system.is_reserving());
        for (member, barred) in group.hub.barred(&reserving) {
            let id = ServiceId::of(member);
            if self.all.get(&id).is_some_and(|service| service.system.is_barred() != barred) {
                self.touch(id, |system| system.set_barred(cx, barred));
            }
        }
    }

    /// Takes a service into its framework's hub, or back after its scheduler was made anew.
    pub(crate) fn join(&mut self, framework: FrameworkId, id: ServiceId) {
        let Some(service) = self.all.get(&id) else { return };
        let prefix = service.system.task_prefix();
        if let Some(group) = self.groups.get_mut(&framework) {
            group.hub.join(id.member(), &service.name, &prefix);
        }
    }

    /// The framework's roles and capabilities with those of a further service; none when it has them all.
    pub(crate) fn widened(&self, framework: FrameworkId, system: &System) -> Option<FrameworkInfo> {
        let mut info = self.groups.get(&framework)?.info.clone();
        let more = system.framework_info();
        let before = (info.roles.len(), info.capabilities.len());
        for role in more.roles {
            if !info.roles.contains(&role) {
                info.roles.push(role);
            }
        }
        for capability in more.capabilities {
            if !info.capabilities.contains(&capability) {
                info.capabilities.push(capability);
            }
        }
        (before != (info.roles.len(), info.capabilities.len())).then_some(info)
    }

    /// Frameworks of several services.
    pub(crate) fn group_views(&self) -> Vec<GroupView> {
        let service = |id: MemberId| {
            let service = self.all.get(&ServiceId::of(id))?;
            Some(GroupMember {
                name: service.name.clone(),
                definition: service.definition.path().cloned(),
                uninstalling: service.system.is_uninstalling(),
            })
        };
        let view = |group: &Group| GroupView {
            name: group.name.clone(),
            services: group.hub.members().filter_map(service).collect(),
            uninstalling: group.uninstalling,
        };
        self.groups.values().map(view).collect()
    }

    /// What a shared framework answers by itself: its own plan, its health, its metrics.
    pub(crate) fn query_group(&self, framework: FrameworkId, what: &SdkQuery) -> Option<(u16, Value)> {
        let group = self.groups.get(&framework)?;
        let metrics = || {
            let mut all = Metrics::default();
            for id in group.hub.members() {
                if let Some(service) = self.all.get(&ServiceId::of(id)) {
                    all.add(&service.system.metrics());
                }
            }
            all
        };
        Some(match what {
            SdkQuery::Plans => (200, json!(["deploy"])),
            SdkQuery::Plan { name } if name == "deploy" => plan(group),
            SdkQuery::Health { .. } => {
                let code = if group.uninstalling { 202 } else { 200 };
                (code, json!({ "value": code }))
            }
            SdkQuery::Metrics => (200, metrics().json()),
            SdkQuery::Prometheus => (200, metrics().prometheus().into()),
            _ => return None,
        })
    }

    /// What does not hold of shared frameworks, in words.
    pub(crate) fn check_groups(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (framework, group) in &self.groups {
            let own =
                self.all.iter().filter(|(_, service)| service.framework == *framework).map(|(id, _)| *id);
            if !own.eq(group.hub.members().map(ServiceId::of)) {
                found.push(format!("{}: its services are not those it knows", group.name));
            }
        }
        found
    }
}

/// The framework's own plan: empty until the framework is uninstalled.
///
/// Source: dcos-commons `MultiServiceEventClient` (phase and step while uninstalling). Match.
fn plan(group: &Group) -> (u16, Value) {
    if !group.uninstalling {
        return (200, json!({ "phases": [], "errors": [], "status": "COMPLETE", "strategy": "serial" }));
    }
    let id = |key: &str| draw::uuid(0, draw::entity(&format!("{}/{key}", group.name)), ELEMENT, 0);
    let step = id("step");
    let class = "com.mesosphere.sdk.scheduler.uninstall.DeregisterStep";
    let message = format!("{class}: deregister [{step}] with status: PENDING");
    let step = json!({ "id": step, "status": "PENDING", "name": "deregister", "message": message });
    let phase = json!({
        "id": id("phase"),
        "name": "deregister-framework",
        "steps": [step],
        "status": "PENDING",
        "strategy": "serial",
    });
    (202, json!({ "phases": [phase], "errors": [], "status": "PENDING", "strategy": "serial" }))
}

/// Purpose of the draw that makes the ids of a framework's own elements.
const ELEMENT: u32 = 0x5D01;
