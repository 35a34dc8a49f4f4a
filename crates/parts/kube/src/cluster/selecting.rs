//! Services and budgets that come, change or go, and the pods that they pick.

use super::Cluster;
use crate::{
    object::{Object, ObjectNo},
    records::queue::Work,
    records::selections::{Picked, Selection, ports},
    spec::Spec,
    status::Addresses,
};
use planarium_ground::Cx;
use planarium_kernel::Map;
use std::sync::Arc;

impl Cluster {
    /// Handles a Service or budget that is new, has another selector, or was deleted.
    pub(crate) fn reselect(&mut self, cx: &Cx, object: &Object, is_gone: bool) {
        if let Some(old) = self.selections.forget(object.no) {
            let pods: Vec<ObjectNo> = match &old.picked {
                Picked::Service(_) => {
                    self.api.store.pods_selected(&old.namespace, &old.selector).map(|pod| pod.no).collect()
                }
                Picked::Budget(counted) => counted.pods.keys().copied().collect(),
            };
            for no in pods {
                self.reselect_pod(no, |selections| selections.retain(|other| *other != object.no));
            }
        }
        if is_gone {
            return;
        }
        let (selector, publish_not_ready, picked) = match &object.spec {
            Spec::Service(spec) => {
                let Some(selector) = spec.selector.clone() else { return };
                let ports = ports(object.content());
                let addresses = Addresses { ports, namespace: object.namespace.clone(), pods: Map::new() };
                (selector, spec.publish_not_ready, Picked::Service(Arc::new(addresses)))
            }
            Spec::Budget(spec) => (spec.selector.clone(), false, Picked::Budget(Arc::default())),
            _ => return,
        };
        let selection =
            Selection { namespace: object.namespace.clone(), selector, publish_not_ready, picked };
        let pods: Vec<Arc<Object>> =
            self.api.store.pods_selected(&selection.namespace, &selection.selector).cloned().collect();
        self.selections.add(object.no, selection);
        for pod in pods {
            self.reselect_pod(pod.no, |selections| {
                selections.push(object.no);
                planarium_kernel::sorted::sort(selections);
                selections.dedup();
            });
            let manager = self.workloads.manager_of(pod.no);
            self.selections.note_pod(object.no, pod.no, Some(&pod), manager);
        }
        self.queue.ask(cx, Work::Sync(object.no));
    }

    fn reselect_pod(&mut self, no: ObjectNo, change: impl FnOnce(&mut Vec<ObjectNo>)) {
        if let Some(tally) = self.workloads.pods.get_mut(&no) {
            change(Arc::make_mut(&mut tally.selected_by));
        }
    }
}
