//! The KUDO manager as the world drives it.
//!
//! *Knows*: the existing instances, the request of each, and their views. *Must not know*: any rule of KUDO; those belong to the
//! controller, the engine and admission.
//!
//! One daemon holds all instances, whether created by inputs, by `kubectl kudo`, or by a task that installs another
//! operator. An instance is a service; its name should be unique over all namespaces.

mod contract;
mod crds;
mod current;
mod lifecycle;
mod wire;

use std::sync::{Arc, OnceLock};

use planarium_kernel::{Digestible, SortedMap, Weight};
use planarium_kube::Cluster;
use planarium_part::{Cx, Number, System as _};
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{EventBody, Refusal};

use crate::controller::{Controller, Key, Known};
use crate::definition::Loaded;
use crate::view;

/// Records of an instance beside the controller's own.
#[derive(Clone, Debug, Weight)]
#[weight(own 128)]
struct Service {
    number: Number,
    /// The request that it was loaded or updated with last; none when it came about otherwise.
    load: Option<Arc<LoadService>>,
    definition: Option<Loaded>,
    /// Revision of its view.
    revision: u64,
    /// Its view, made on demand.
    shown: Arc<OnceLock<Arc<ServiceView>>>,
}

impl Service {
    fn new(number: Number) -> Self {
        Self { number, load: None, definition: None, revision: 0, shown: Arc::default() }
    }
}

/// The KUDO manager. Copies share what did not change since.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(each views())]
#[weight(services, controller)]
pub struct Daemon {
    number: Number,
    epoch_ms: u64,
    controller: Controller,
    services: SortedMap<Key, Service>,
    restless: bool,
}

impl Daemon {
    /// The instance of a service, with its key.
    fn find(&self, name: &str) -> Option<(&Key, &Known)> {
        self.controller.instances().find(|(key, _)| *key.1 == *name.trim_matches('/'))
    }

    fn named(&self, name: &str) -> Result<(&Key, &Known), Refusal> {
        self.find(name)
            .ok_or_else(|| Refusal::new(RefusalCode::NotFound, format!("Service {name} not found")))
    }

    /// Returns the view of an instance.
    fn view(&self, key: &Key, service: &Service) -> Option<Arc<ServiceView>> {
        let known = self.controller.at(key)?;
        let make = || view::of_known(known, service.definition.as_ref());
        Some(Arc::clone(service.shown.get_or_init(make)))
    }

    /// Every instance by its number. *Order*: of installation.
    fn numbered(&self) -> Vec<(Number, &Key, &Service)> {
        let mut all: Vec<_> =
            self.services.iter().map(|(key, service)| (service.number, key, service)).collect();
        planarium_kernel::sorted::sort_by_key(&mut all, |(number, ..)| *number);
        all
    }

    /// Handles changes of the cluster and updates the stored data.
    fn settle(&mut self, cx: &mut Cx, cluster: &Cluster) {
        let kube = cluster.kube();
        self.controller.reach(cx.next_seq().saturating_sub(1));
        self.controller.hear(cx.now(), kube);
        self.restless = self.controller.restless(kube);
        let gone: Vec<Key> =
            self.services.keys().filter(|key| self.controller.at(key).is_none()).cloned().collect();
        for key in gone {
            self.services.remove(&key);
            cx.emit(EventBody::ServiceRemoved { service: key.1, dialect: crate::WORD.into() });
        }
        for (key, known) in self.controller.instances() {
            let own = self.number;
            let service = self.services.entry(key.clone()).or_insert_with(|| {
                cx.emit(EventBody::ServiceLoaded { service: key.1.clone(), dialect: crate::WORD.into() });
                Service::new(own)
            });
            if service.revision != known.revision {
                service.revision = known.revision;
                service.shown = Arc::default();
            }
        }
    }
}
