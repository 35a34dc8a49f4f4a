//! Cordon, drain, uncordon: a node is emptied for maintenance.
//!
//! Source: `kubernetes/kubectl: pkg/drain/{drain,filters}.go` with the flags `--ignore-daemonsets --delete-emptydir-data
//! --force`; match: pods are evicted at once, those that a budget holds are asked for again every 5 s, as long as something has
//! changed meanwhile.

use crate::{
    error::Reason,
    kinds::KindId,
    kube::Kube,
    node::Drain,
    object::Object,
    queue::Timer,
    request::{DeleteOptions, Written},
    view::{DrainFacts, DrainOptions},
};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// How long a drain waits before it asks again. *Units*: milliseconds.
const AGAIN_MS: u64 = 5_000;

impl Kube {
    /// Keeps new pods off a node. *Errors*: 404.
    pub fn cordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        self.set_unschedulable(cx, node, true)
    }

    /// Lets pods come to a node again; ends a drain. *Errors*: 404.
    pub fn uncordon(&mut self, cx: &mut Cx, node: &str) -> Written {
        if let Some(number) = self.node_number(node) {
            self.node_mut(number, |node| node.drain = None);
        }
        self.set_unschedulable(cx, node, false)
    }

    /// Cordons a node and evicts its pods, those of DaemonSets apart, as disruption budgets allow; asks again every 5 s.
    /// *Errors*: 404.
    pub fn drain(&mut self, cx: &mut Cx, node: &str, options: DrainOptions) -> Written {
        let object = self.set_unschedulable(cx, node, true)?;
        let Some(number) = self.node_number(node) else { return Ok(object) };
        let since = cx.now();
        let facts = DrainFacts { since, left: Vec::new(), blocked: Vec::new(), done: false };
        let DrainOptions { grace_s, disable_eviction } = options;
        self.node_mut(number, |node| {
            node.drain = Some(Drain { since, grace_s, disable_eviction, armed: false, facts });
        });
        self.drain_on(cx, number);
        Ok(self.store.object(object.no).cloned().unwrap_or(object))
    }

    /// Evicts what can be evicted now.
    pub(crate) fn drain_on(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let Some(drain) = node.drain.clone() else { return };
        let stays = |kube: &Self, pod: &Object| {
            let owner = pod.controller().and_then(|owner| kube.store.by_uid(&owner.uid));
            owner.is_some_and(|owner| owner.kind == KindId::DAEMON_SET)
                || pod.annotations.get("kubernetes.io/config.mirror").is_some()
        };
        let pods: Vec<Arc<Object>> = node
            .pods
            .iter()
            .filter_map(|no| self.store.object(*no))
            .filter(|pod| !stays(self, pod))
            .cloned()
            .collect();
        let options = DeleteOptions { grace_s: drain.grace_s, ..DeleteOptions::default() };
        let (mut left, mut blocked): (Vec<Text>, Vec<Text>) = (Vec::new(), Vec::new());
        for pod in pods {
            let name: Text = format!("{}/{}", pod.namespace, pod.name).into();
            left.push(name.clone());
            if pod.is_being_deleted() {
                continue;
            }
            if drain.disable_eviction {
                self.delete_object(cx, &pod, &options);
                continue;
            }
            match self.evict(cx, &pod.namespace, &pod.name, &options) {
                Ok(_) => {}
                Err(error) if error.reason == Reason::NotFound => {}
                Err(error) => {
                    self.record(cx, &pod, true, "EvictionBlocked", &error.message, "drain");
                    blocked.push(name);
                }
            }
        }
        let done = left.is_empty();
        self.node_mut(number, |node| {
            if let Some(drain) = &mut node.drain {
                drain.armed = false;
                drain.facts = DrainFacts { since: drain.since, left, blocked, done };
            }
        });
    }

    /// Something has changed for the drain of a node.
    pub(crate) fn drain_goes_on(&mut self, cx: &Cx, name: &str) {
        let Some(number) = self.node_number(name) else { return };
        let due = self.node_mut(number, |node| match &mut node.drain {
            Some(drain) if !drain.armed && !drain.facts.done => {
                drain.armed = true;
                let elapsed = cx.now().since(drain.since);
                // The next time that it asks; at once when nothing but waiting was left.
                Some(if drain.facts.blocked.is_empty() { 0 } else { AGAIN_MS - elapsed % AGAIN_MS })
            }
            _ => None,
        });
        if let Some(Some(delay)) = due {
            self.arm(cx, delay, Timer::Drain(number));
        }
    }

    /// A budget allows more than before.
    pub(crate) fn drains_may_go_on(&mut self, cx: &Cx) {
        let names: Vec<Text> =
            self.nodes.iter().filter(|node| node.drain.is_some()).map(|node| node.name.clone()).collect();
        for name in names {
            self.drain_goes_on(cx, &name);
        }
    }
}
