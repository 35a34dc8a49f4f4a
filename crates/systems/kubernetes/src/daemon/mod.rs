//! The services of plain objects on one cluster: what a user has applied with `kubectl`.
//!
//! *Knows*: which objects belong to which service. *Must not know*: what happens to them; that is the cluster's task.

mod apply;
mod changes;
mod commands;
mod contract;
mod current;
mod follow;
mod shown;

pub(crate) use commands::KEPT_ANNOTATIONS;

use std::sync::{Arc, LazyLock, OnceLock};

use planarium_kernel::{Digestible, IdMap, Map, SortedMap, Weight};
use planarium_kube::{KindId, Object, ObjectNo};
use planarium_part::System as _;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::{Progress, ServiceView};
use planarium_protocol::{Refusal, Text};

use crate::definition::{Item, Loaded};
use crate::plans::Member;

/// Number of a service and of an object in it.
type Place = (u32, u32);

/// Namespace and name.
type Name = (Text, Text);

/// Everything that was applied to a cluster.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(each views())]
#[weight(services, flat places, flat owners)]
pub struct Daemon {
    /// The version up to which changes have been followed.
    seen: u64,
    /// By number.
    services: Map<u32, Arc<Service>>,
    /// Members of services by kind and name of the object that they are about. Most objects are pods and ReplicaSets, and no member
    /// is about one of these.
    places: SortedMap<KindId, Map<Name, Arc<Vec<Place>>>>,
    /// Members by the objects that their controllers made.
    owners: IdMap<ObjectNo, Arc<Vec<Place>>>,
}

/// The objects of one `kubectl apply`.
#[derive(Clone, Debug, Weight)]
#[weight(own 256, new 256, members)]
struct Service {
    name: Text,
    load: Arc<LoadService>,
    definition: Loaded,
    /// In order of application.
    members: Map<u32, Arc<Member>>,
    /// Names of plans, and of steps of the plan `objects`.
    keys: Map<Text, u32>,
    /// Members without their own plan, in order; members are never removed and never change their kind.
    others: Arc<Vec<u32>>,
    /// Last reported status of the plan `objects`.
    objects: (&'static str, Progress),
    /// It is being deleted.
    leaving: bool,
    revision: u64,
    shown: Arc<OnceLock<Arc<ServiceView>>>,
}

impl Daemon {
    fn new(seen: u64) -> Self {
        Self { seen, services: Map::default(), places: SortedMap::default(), owners: IdMap::default() }
    }

    fn find(&self, name: &str) -> Option<(u32, &Arc<Service>)> {
        let wanted = name.trim_matches('/');
        let mut all = self.services.iter().map(|(number, service)| (*number, service));
        all.find(|(_, service)| *service.name == *wanted)
    }

    fn named(&self, name: &str) -> Result<(u32, &Arc<Service>), Refusal> {
        self.find(name)
            .ok_or_else(|| Refusal::new(RefusalCode::NotFound, format!("Service {name} not found")))
    }

    /// The places that are about an object.
    fn places_about(&self, object: &Object) -> Option<&Arc<Vec<Place>>> {
        self.places.get(&object.kind)?.get(&(object.namespace.clone(), object.name.clone()))
    }

    fn member(&self, place: Place) -> Option<&Arc<Member>> {
        self.services.get(&place.0)?.members.get(&place.1)
    }

    fn member_mut(&mut self, place: Place) -> Option<&mut Member> {
        let service = Arc::make_mut(self.services.get_mut(&place.0)?);
        service.members.get_mut(&place.1).map(Arc::make_mut)
    }
}

impl Service {
    /// The member of a plan.
    fn of_plan(&self, plan: &str) -> Option<&Arc<Member>> {
        self.members.get(self.keys.get(plan)?).filter(|member| member.is_workload())
    }

    /// Members without a plan of their own. *Cost*: their number, however many workloads there are.
    fn others(&self) -> impl Iterator<Item = &Member> {
        self.others.iter().filter_map(|at| self.members.get(at)).map(|member| &**member)
    }

    fn path(&self, plan: Text, phase: Option<Text>, step: Option<Text>) -> ElementPath {
        static DIALECT: LazyLock<Text> = LazyLock::new(|| crate::WORD.into());
        ElementPath { dialect: DIALECT.clone(), service: self.name.clone(), plan, phase, step }
    }
}

/// Names of plans and steps for the objects of a definition: `deployment.web`, with its namespace (`@prod`) where that is another one
/// than that of the request.
pub(crate) fn keys(definition: &Loaded) -> Vec<Text> {
    let mut taken = SortedMap::<Text, &Item>::new();
    let mut all = Vec::new();
    for item in definition.items() {
        let away = !item.namespace.is_empty() && item.namespace != *definition.namespace();
        let at = if away { format!("@{}", item.namespace) } else { String::new() };
        let mut key = Text::from(format!("{}.{}{at}", item.kind.to_lowercase(), item.name));
        if taken.get(&key).is_some_and(|other| !other.is_same(item)) {
            key = format!("{}.{}{at}", item.word, item.name).into();
        }
        taken.insert(key.clone(), item);
        all.push(key);
    }
    all
}
