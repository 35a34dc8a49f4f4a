//! Services and disruption budgets, and the pods that they select.
//!
//! *Knows*: selectors, indexed by one label that each requires. *Must not know*: what happens to selected pods.

use crate::tree::{Tree, put_new};
use crate::{
    object::{Object, ObjectNo},
    selector::Selector,
    spec::{Spec, pod::Restart},
    status::{Address, Addresses, Phase, Status},
};
use planarium_kernel::{IdMap, Map, SortedMap, draw};
use planarium_protocol::{
    Text,
    json::{self, Map as Fields, Value},
};
use std::sync::Arc;

/// Pods as a budget counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Its pods: whether each is healthy, and who manages it.
    pub(crate) pods: IdMap<ObjectNo, (bool, Option<ObjectNo>)>,
    pub(crate) healthy: u32,
    /// Number of pods of each manager among them.
    pub(crate) managers: SortedMap<ObjectNo, u32>,
}

/// The pods of a selection.
#[derive(Clone, Debug)]
pub(crate) enum Picked {
    Service(Arc<Addresses>),
    Budget(Arc<Counted>),
}

/// One Service or budget.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) namespace: Text,
    pub(crate) selector: Selector,
    pub(crate) publish_not_ready: bool,
    pub(crate) picked: Picked,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selections {
    /// Fingerprint of namespace and one label, and selection.
    by_label: Map<(u64, ObjectNo), ()>,
    pub(crate) all: Map<ObjectNo, Arc<Selection>>,
}

fn print(namespace: &str, pair: Option<(&Text, &Text)>) -> u64 {
    let print = draw::entity_after(draw::entity(namespace), "/");
    pair.map_or(print, |(key, value)| {
        draw::entity_after(draw::entity_after(draw::entity_after(print, key), "="), value)
    })
}

impl Selections {
    /// Returns those that select a pod. *Cost*: by the number that require one of its labels.
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

    fn key(&self, selection: &Selection) -> u64 {
        // The label that the fewest require.
        let crowd =
            |print: u64| self.by_label.range((print, ObjectNo(0))..=(print, ObjectNo(u32::MAX))).count();
        let pairs = selection.selector.pairs().map(|pair| print(&selection.namespace, Some(pair)));
        pairs.min_by_key(|print| crowd(*print)).unwrap_or_else(|| print(&selection.namespace, None))
    }

    /// Adds a Service or budget.
    pub(crate) fn add(&mut self, no: ObjectNo, selection: Selection) {
        let key = self.key(&selection);
        self.by_label.insert((key, no), ());
        self.all.insert(no, Arc::new(selection));
    }

    /// Records a pod's state for a Service or budget, and its controller; returns whether it changed.
    pub(crate) fn note_pod(
        &mut self,
        selection: ObjectNo,
        no: ObjectNo,
        pod: Option<&Object>,
        manager: Option<ObjectNo>,
    ) -> bool {
        let Some(selection) = self.all.get_mut(&selection) else { return false };
        let publish_not_ready = selection.publish_not_ready;
        match &selection.picked {
            Picked::Service(addresses) => {
                let address = pod.and_then(|pod| address(pod, publish_not_ready));
                if addresses.pods.get(&no) == address.as_ref() {
                    return false;
                }
                if let Picked::Service(addresses) = &mut Arc::make_mut(selection).picked {
                    let pods = &mut Arc::make_mut(addresses).pods;
                    match address {
                        Some(address) => _ = pods.insert(no, address),
                        None => _ = pods.remove(&no),
                    }
                }
            }
            Picked::Budget(counted) => {
                let counts = pod.and_then(|pod| {
                    let Status::Pod(status) = &pod.status else { return None };
                    let healthy = status.ready_since().is_some() && !pod.is_being_deleted();
                    (!status.phase.is_terminal()).then_some((healthy, manager))
                });
                if counted.pods.get(&no).copied() == counts {
                    return false;
                }
                if let Picked::Budget(counted) = &mut Arc::make_mut(selection).picked {
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

    /// Takes a Service or budget out.
    pub(crate) fn forget(&mut self, no: ObjectNo) -> Option<Arc<Selection>> {
        let old = self.all.remove(&no)?;
        for pair in old.selector.pairs().map(Some).chain([None]) {
            self.by_label.remove(&(print(&old.namespace, pair), no));
        }
        Some(old)
    }
}

/// The ports of a Service as its Endpoints show them.
pub(crate) fn ports(service: &Value) -> Vec<Value> {
    let one = |port: &Value| {
        let mut fields = Fields::new();
        if !port.text("name").is_empty() {
            json::put(&mut fields, "name", port.key("name").clone());
        }
        let target = port.key("targetPort");
        json::put(
            &mut fields,
            "port",
            if target.is_i64() { target.clone() } else { port.key("port").clone() },
        );
        put_new(&mut fields, "protocol", port.key("protocol").clone());
        Value::Object(fields)
    };
    service.key("spec").items("ports").iter().map(one).collect()
}

/// Reads the address that a pod is to a Service, if it is one.
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
