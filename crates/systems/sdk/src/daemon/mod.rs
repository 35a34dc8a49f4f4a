//! A scheduler daemon: one service with its own framework, or several services that share one.
//!
//! *Knows*: its services, their exchange with the master, and when it has ended. *Must not know*: the rules of a
//! service, which belong to [`Scheduler`]. [`Hub`](crate::multi::Hub) passes offers from service to service.

mod cluster_facts;
mod contract;
mod lifecycle;
mod shared;

use crate::load::Loaded;
use crate::scheduler::Scheduler;
use crate::view::ViewCache;
use planarium_kernel::{Digestible, SimTime, SortedMap, Weight};
use planarium_mesos::Cluster;
use planarium_mesos::api::{FrameworkId, Request};
use planarium_part::{Cx, Number};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, input::LoadService};
pub(crate) use shared::Shared;
use std::sync::Arc;

/// A service of the daemon.
#[derive(Clone, Digestible, Weight)]
#[digest(name, scheduler)]
#[weight(own 256, scheduler)]
pub(crate) struct Member {
    pub(crate) name: Text,
    pub(crate) load: Arc<LoadService>,
    pub(crate) definition: Arc<Loaded>,
    pub(crate) scheduler: Arc<Scheduler>,
    /// The last views of this scheduler.
    shown: ViewCache,
}

impl Member {
    fn new(name: Text, load: Arc<LoadService>, definition: Arc<Loaded>, scheduler: Scheduler) -> Self {
        Self { name, load, definition, scheduler: scheduler.into(), shown: ViewCache::default() }
    }

    /// Drops the last views.
    fn drop_views(&mut self) {
        self.shown = ViewCache::default();
    }

    /// The service as a front end shows it.
    fn view(&self) -> Arc<ServiceView> {
        self.shown.view(&self.scheduler)
    }
}

/// A scheduler daemon.
#[derive(Clone, Digestible, Weight)]
#[digest(each services())]
#[weight(members)]
pub struct Daemon {
    /// Its number: that of its first service.
    number: Number,
    framework: FrameworkId,
    /// *Order*: that of installation.
    members: SortedMap<Number, Member>,
    /// There where several services may share the framework.
    shared: Option<Shared>,
    over: bool,
}

impl Daemon {
    /// The service of that name; slashes around it do not matter.
    pub(crate) fn find(&self, name: &str) -> Option<(Number, &Member)> {
        let wanted = name.trim_matches('/');
        let found = self.members.iter().find(|(_, member)| member.name.trim_matches('/') == wanted);
        found.map(|(number, member)| (*number, member))
    }

    /// The service of that name, or a refusal.
    fn named(&self, name: &str) -> Result<Number, Refusal> {
        self.find(name).map(|(number, _)| number).ok_or_else(|| not_found(name))
    }

    /// Works with a service's scheduler.
    fn with<R>(&mut self, number: Number, work: impl FnOnce(&mut Scheduler) -> R) -> Option<R> {
        self.members.get_mut(&number).map(|member| work(Arc::make_mut(&mut member.scheduler)))
    }

    /// Hands a service's calls to the master; those of a service that shares its framework by way of that.
    fn send(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number, calls: Vec<Request>) {
        if self.shared.is_some() {
            self.send_shared(cx, cluster, number, calls);
        } else {
            cluster.call_all(cx, self.framework, calls);
        }
    }

    /// The service whose timer is due first; of two at one instant the one installed first.
    fn earliest(&self) -> Option<(SimTime, Number)> {
        let due = |(number, member): (&Number, &Member)| Some((member.scheduler.next_due()?, *number));
        self.members.iter().filter_map(due).min()
    }
}

/// No service has that name.
pub(crate) fn not_found(name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("Service {name} not found"))
}
