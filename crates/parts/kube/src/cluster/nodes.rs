//! Changes of Node objects, and of pods on nodes: the books of nodes, taints, drains that go on.

use super::{
    Cluster,
    taints::{Tolerance, tolerance, with_own_taints},
};
use crate::{
    kinds::KindId,
    object::{Object, ObjectNo},
    records::nodes::{GRACE_MS, ZONE},
    records::queue::{Timer, Work},
    request::Change,
    spec::{Spec, placement::Effect},
    status::Status,
};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// The time that a drain waits before it asks again. *Units*: milliseconds.
const AGAIN_MS: u64 = 5_000;

impl Cluster {
    /// Queues DaemonSets to check all nodes, and unscheduled pods to try again.
    pub(crate) fn nodes_changed(&mut self, cx: &Cx) {
        let sets: Vec<ObjectNo> =
            self.api.store.of_kind(KindId::DAEMON_SET, None).map(|set| set.no).collect();
        for set in sets {
            self.queue.ask(cx, Work::Sync(set));
        }
        self.room(cx);
    }

    /// Handles a change or deletion of a Node object by a client.
    pub(crate) fn follow_node(&mut self, cx: &mut Cx, object: &Object, is_gone: bool) {
        let Some(number) = self.nodes.number_of(&object.name) else { return };
        if is_gone {
            self.nodes.change(number, |node| {
                node.object = None;
                node.drain = None;
            });
            // Pods of a deleted node are force-deleted after the same time as those of a silent one.
            let absence = self.nodes.get(number).map_or(0, |node| node.absences);
            self.queue.arm_in(cx, GRACE_MS, Timer::NodeGrace(number, absence));
            return self.nodes_changed(cx);
        }
        let Spec::Node(spec) = &object.spec else { return };
        self.nodes.change(number, |node| {
            node.object = Some(object.no);
            node.labels = object.labels.clone();
            node.zone = node.labels.get(ZONE).cloned();
            node.taints.clone_from(&spec.taints);
            node.unschedulable = spec.unschedulable;
        });
        self.refresh_taints(cx, number);
        self.taint_pods(cx, number);
        self.nodes_changed(cx);
    }

    /// Brings the taints that the cluster itself puts on a node in line with its state.
    pub(crate) fn refresh_taints(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number).cloned() else { return };
        let Some(object) = node.object.and_then(|no| self.api.store.object(no)).cloned() else { return };
        let Some(content) = with_own_taints(&node, &object.content, self.api.epoch, cx.now()) else { return };
        let spec = crate::spec::read(KindId::NODE, &content);
        self.put(cx, Object { content: Arc::new(content), spec, ..Object::clone(&object) });
    }

    /// Pods that do not tolerate a node's taints go, at once or after the time that they tolerate them.
    fn taint_pods(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number).cloned() else { return };
        if !node.taints.iter().any(|taint| taint.effect == Effect::NoExecute) {
            return;
        }
        for no in &node.pods {
            let Some(pod) = self.api.store.object(*no).filter(|pod| !pod.is_being_deleted()).cloned() else {
                continue;
            };
            match tolerance(&pod, &node.taints) {
                Tolerance::Always => {}
                Tolerance::For(seconds) => self.ask_eviction(cx, &pod, seconds.saturating_mul(1000)),
            }
        }
    }

    fn ask_eviction(&mut self, cx: &Cx, pod: &Object, delay_ms: u64) {
        if self.nodes.evictions.contains_key(&pod.no) {
            return;
        }
        let timer = self.queue.arm_in(cx, delay_ms, Timer::Evict(pod.no));
        self.nodes.evictions.insert(pod.no, timer);
    }

    /// Updates a node's totals after a pod was created, changed or deleted.
    pub(super) fn book(&mut self, cx: &Cx, change: &Change) {
        let (old, new) = (change.before(), change.after());
        let place = |pod: &Arc<Object>| match (&pod.spec, &pod.status) {
            (Spec::Pod(_, own), Status::Pod(status)) if own.is_bound() && !status.phase.is_terminal() => {
                Some(own.node.clone())
            }
            _ => None,
        };
        let (before, after) = (old.and_then(place), new.and_then(place));
        if before == after {
            return;
        }
        if let (Some(name), Some(pod)) = (before, old) {
            self.scheduler.loners.remove(&pod.no);
            if let Some(number) = self.nodes.book_out(&name, pod, change.resource_version)
                && let Some(manager) = pod.controller()
            {
                self.scheduler.displace(&manager.uid, number);
            }
            self.room(cx);
            self.drain_goes_on(cx, &name);
            if let Some(timer) = self.nodes.evictions.remove(&pod.no) {
                self.queue.disarm(Some(timer));
            }
        }
        if let (Some(name), Some(pod)) = (after, new) {
            if let Some(number) = self.nodes.book_in(&name, pod, change.resource_version) {
                if let Some(manager) = pod.controller() {
                    self.scheduler.place(manager.uid.clone(), number);
                }
                if has_anti_affinity(pod) {
                    self.scheduler.loners.insert(pod.no, ());
                }
            }
            self.company(cx);
        }
    }

    /// Something has changed for the drain of a node.
    pub(crate) fn drain_goes_on(&mut self, cx: &Cx, name: &str) {
        let Some(number) = self.nodes.number_of(name) else { return };
        let due = self.nodes.change(number, |node| match &mut node.drain {
            Some(drain) if !drain.armed && !drain.facts.done => {
                drain.armed = true;
                let elapsed = cx.now().since(drain.since);
                // The next attempt of the drain; immediate if it only waits for pods to end.
                Some(if drain.facts.blocked.is_empty() { 0 } else { AGAIN_MS - elapsed % AGAIN_MS })
            }
            _ => None,
        });
        if let Some(Some(delay)) = due {
            self.queue.arm_in(cx, delay, Timer::Drain(number));
        }
    }

    /// A budget allows more than before.
    pub(crate) fn drains_may_go_on(&mut self, cx: &Cx) {
        let names: Vec<Text> =
            self.nodes.all.iter().filter(|node| node.drain.is_some()).map(|node| node.name.clone()).collect();
        for name in names {
            self.drain_goes_on(cx, &name);
        }
    }
}

/// True if a pod does not want certain others beside it.
fn has_anti_affinity(pod: &Object) -> bool {
    let Spec::Pod(spec, _) = &pod.spec else { return false };
    spec.placement.as_ref().is_some_and(|place| !place.anti_affinity.is_empty())
}
