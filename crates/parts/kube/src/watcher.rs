//! Services and disruption budgets, and the pods that they pick.
//!
//! *Knows*: selectors, by one label that each asks for. *Must not know*: what becomes of what is picked.

use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    queue::Work,
    selector::Selector,
    spec::{Spec, pod::Restart},
    status::{Address, Addresses, Phase, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{Map, SortedMap, draw};
use planarium_protocol::Text;
use std::sync::Arc;

/// What a budget counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Its pods: whether each is healthy, and who manages it.
    pub(crate) pods: Map<ObjectNo, (bool, Option<ObjectNo>)>,
    pub(crate) healthy: u32,
    /// How many pods each manager has among them.
    pub(crate) managers: SortedMap<ObjectNo, u32>,
}

/// What a watcher knows of its pods.
#[derive(Clone, Debug)]
pub(crate) enum Book {
    Service(Arc<Addresses>),
    Budget(Arc<Counted>),
}

/// One Service or budget.
#[derive(Clone, Debug)]
pub(crate) struct Watcher {
    namespace: Text,
    selector: Selector,
    publish_not_ready: bool,
    pub(crate) book: Book,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watchers {
    /// Fingerprint of namespace and one label, and watcher.
    by_label: Map<(u64, ObjectNo), ()>,
    pub(crate) all: Map<ObjectNo, Arc<Watcher>>,
}

fn print(namespace: &str, pair: Option<(&Text, &Text)>) -> u64 {
    let print = draw::entity_after(draw::entity(namespace), "/");
    pair.map_or(print, |(key, value)| {
        draw::entity_after(draw::entity_after(draw::entity_after(print, key), "="), value)
    })
}

impl Watchers {
    /// Those that pick a pod. *Cost*: by how many ask for one of its labels.
    pub(crate) fn of_pod(&self, pod: &Object) -> Vec<ObjectNo> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for pair in pod.labels.iter().map(Some).chain([None]) {
            let print = print(&pod.namespace, pair);
            for ((_, no), ()) in self.by_label.range((print, ObjectNo(0))..=(print, ObjectNo(u32::MAX))) {
                if self
                    .all
                    .get(no)
                    .is_some_and(|one| one.namespace == pod.namespace && one.selector.matches(&pod.labels))
                {
                    found.push(*no);
                }
            }
        }
        planarium_kernel::sorted::sort(&mut found);
        found
    }

    fn key(&self, watcher: &Watcher) -> u64 {
        // The label that the fewest ask for.
        let crowd =
            |print: u64| self.by_label.range((print, ObjectNo(0))..=(print, ObjectNo(u32::MAX))).count();
        let pairs = watcher.selector.pairs().map(|pair| print(&watcher.namespace, Some(pair)));
        pairs.min_by_key(|print| crowd(*print)).unwrap_or_else(|| print(&watcher.namespace, None))
    }

    fn forget(&mut self, no: ObjectNo) -> Option<Arc<Watcher>> {
        let old = self.all.remove(&no)?;
        for pair in old.selector.pairs().map(Some).chain([None]) {
            self.by_label.remove(&(print(&old.namespace, pair), no));
        }
        Some(old)
    }
}

/// What a pod is to a Service, if it is anything.
fn address(pod: &Object, publish_not_ready: bool) -> Option<Address> {
    let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return None };
    if status.ip.is_none() || pod.is_being_deleted() && !publish_not_ready {
        return None;
    }
    let over = match spec.restart {
        Restart::Never => status.phase.is_terminal(),
        Restart::OnFailure => status.phase == Phase::Succeeded,
        Restart::Always => false,
    };
    let ready = publish_not_ready || status.ready_since().is_some();
    (ready || !over).then(|| Address {
        ip: status.ip,
        node: own.node.clone(),
        name: pod.name.clone(),
        uid: pod.uid.clone(),
        ready,
    })
}

impl Kube {
    /// A Service or budget is new, has another selector, or is no more.
    pub(crate) fn rewatch(&mut self, cx: &Cx, object: &Object, is_gone: bool) {
        if let Some(old) = self.watchers.forget(object.no) {
            let pods: Vec<ObjectNo> = match &old.book {
                Book::Service(_) => {
                    self.store.pods_selected(&old.namespace, &old.selector).map(|pod| pod.no).collect()
                }
                Book::Budget(counted) => counted.pods.keys().copied().collect(),
            };
            for no in pods {
                self.rewatch_pod(no, |watchers| watchers.retain(|other| *other != object.no));
            }
        }
        if is_gone {
            return;
        }
        let (selector, publish_not_ready, book) = match &object.spec {
            Spec::Service(spec) => {
                let Some(selector) = spec.selector.clone() else { return };
                let ports = crate::control::ports(object.content());
                let addresses = Addresses { ports, namespace: object.namespace.clone(), pods: Map::new() };
                (selector, spec.publish_not_ready, Book::Service(Arc::new(addresses)))
            }
            Spec::Budget(spec) => (spec.selector.clone(), false, Book::Budget(Arc::default())),
            _ => return,
        };
        let watcher = Watcher { namespace: object.namespace.clone(), selector, publish_not_ready, book };
        let key = self.watchers.key(&watcher);
        self.watchers.by_label.insert((key, object.no), ());
        let pods: Vec<Arc<Object>> =
            self.store.pods_selected(&watcher.namespace, &watcher.selector).cloned().collect();
        self.watchers.all.insert(object.no, Arc::new(watcher));
        for pod in pods {
            self.rewatch_pod(pod.no, |watchers| {
                watchers.push(object.no);
                planarium_kernel::sorted::sort(watchers);
                watchers.dedup();
            });
            self.seat(object.no, pod.no, Some(&pod));
        }
        self.ask(cx, Work::Sync(object.no));
    }

    fn rewatch_pod(&mut self, no: ObjectNo, change: impl FnOnce(&mut Vec<ObjectNo>)) {
        if let Some(mark) = self.marks.get_mut(&no) {
            change(Arc::make_mut(&mut mark.watchers));
        }
    }

    /// Notes what a pod is to a watcher now; answers whether that has changed.
    pub(crate) fn seat(&mut self, watcher: ObjectNo, no: ObjectNo, pod: Option<&Object>) -> bool {
        let Some(watcher) = self.watchers.all.get_mut(&watcher) else { return false };
        let publish_not_ready = watcher.publish_not_ready;
        match &watcher.book {
            Book::Service(addresses) => {
                let address = pod.and_then(|pod| address(pod, publish_not_ready));
                if addresses.pods.get(&no) == address.as_ref() {
                    return false;
                }
                if let Book::Service(addresses) = &mut Arc::make_mut(watcher).book {
                    let pods = &mut Arc::make_mut(addresses).pods;
                    match address {
                        Some(address) => _ = pods.insert(no, address),
                        None => _ = pods.remove(&no),
                    }
                }
            }
            Book::Budget(counted) => {
                let counts = pod.and_then(|pod| {
                    let Status::Pod(status) = &pod.status else { return None };
                    let healthy = status.ready_since().is_some() && !pod.is_being_deleted();
                    let manager = self.marks.get(&no).and_then(|mark| mark.workload);
                    (!status.phase.is_terminal()).then_some((healthy, manager))
                });
                if counted.pods.get(&no).copied() == counts {
                    return false;
                }
                if let Book::Budget(counted) = &mut Arc::make_mut(watcher).book {
                    let counted = Arc::make_mut(counted);
                    if let Some((healthy, manager)) = counted.pods.remove(&no) {
                        counted.healthy -= u32::from(healthy);
                        if let Some(manager) = manager
                            && let Some(count) = counted.managers.get_mut(&manager)
                        {
                            *count -= 1;
                            if *count == 0 {
                                counted.managers.remove(&manager);
                            }
                        }
                    }
                    if let Some((healthy, manager)) = counts {
                        counted.pods.insert(no, (healthy, manager));
                        counted.healthy += u32::from(healthy);
                        if let Some(manager) = manager {
                            *counted.managers.entry(manager).or_default() += 1;
                        }
                    }
                }
            }
        }
        true
    }
}
