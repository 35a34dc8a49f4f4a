//! Pods that wait for a node, and how pods lie over nodes.
//!
//! *Knows*: attempts, and counts by controller and node. *Must not know*: which node takes a pod.

use crate::{object::ObjectNo, spec::pod::PodSpec};
use planarium_kernel::{Map, SimTime};
use planarium_protocol::Text;
use std::sync::Arc;

/// A pod that found no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) times: u32,
    pub(crate) last: SimTime,
    /// When it tries again, if that is settled.
    pub(crate) next: Option<SimTime>,
}

/// Pods that wait for a node, and memories that spare looking again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scheduler {
    pub(crate) waiting: Map<ObjectNo, Attempt>,
    /// The node that is looked at first next time.
    pub(crate) next: u32,
    /// Bound pods that do not want certain others beside them.
    pub(crate) loners: Map<ObjectNo, ()>,
    /// Number of bound pods of each controller on each node, by its uid. *Order*: of nodes.
    spread: Map<Text, Arc<Vec<(u32, u32)>>>,
    /// Specs that found no node since anything changed, with the reason. Only spares looking again.
    pub(crate) failures: Vec<(Arc<PodSpec>, Text)>,
    /// True if a waiting pod has rules about other pods.
    pub(crate) company: bool,
    /// Pods for which others were preempted: the number of their nominated node, and their priority.
    pub(crate) nominated: Map<ObjectNo, (u32, i64)>,
    /// True once a pod had another priority than 0.
    pub(crate) ranked: bool,
}

impl Scheduler {
    /// Records a controller's pod on a node.
    pub(crate) fn place(&mut self, controller: Text, node: u32) {
        self.spread.upsert(controller, Arc::default, |nodes| {
            let nodes = Arc::make_mut(nodes);
            match nodes.binary_search_by_key(&node, |(number, _)| *number) {
                Ok(at) => {
                    if let Some((_, count)) = nodes.get_mut(at) {
                        *count += 1;
                    }
                }
                Err(at) => nodes.insert(at, (node, 1)),
            }
        });
    }

    /// Removes a controller's pod from a node.
    pub(crate) fn displace(&mut self, controller: &str, node: u32) {
        let Some(nodes) = self.spread.get_mut(controller) else { return };
        let nodes = Arc::make_mut(nodes);
        if let Ok(at) = nodes.binary_search_by_key(&node, |(number, _)| *number)
            && let Some((_, count)) = nodes.get_mut(at)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                nodes.remove(at);
            }
        }
        if nodes.is_empty() {
            self.spread.remove(controller);
        }
    }

    /// Number of bound pods of a controller on each node. *Order*: of nodes.
    pub(crate) fn spread_of(&self, controller: &str) -> &[(u32, u32)] {
        self.spread.get(controller).map_or(&[], |nodes| nodes.as_slice())
    }

    /// Removes a pod that was bound or deleted.
    pub(crate) fn forget(&mut self, no: ObjectNo) {
        self.waiting.remove(&no);
        self.nominated.remove(&no);
    }

    /// True if a pod has been looked at and found no node.
    pub(crate) fn is_waiting(&self, no: ObjectNo) -> bool {
        self.waiting.contains_key(&no)
    }
}
