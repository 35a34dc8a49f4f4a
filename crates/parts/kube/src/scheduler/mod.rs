//! The scheduler: which node takes a pod.
//!
//! *Knows*: nodes' books, pods' rules. *Must not know*: how a pod is run.
//! Source: `kubernetes/kubernetes: pkg/scheduler/{scheduler,core/generic_scheduler,internal/queue/scheduling_queue}.go` (1.19);
//! match for the order of filters, their words, the number of nodes looked at and the back-off of pods that found none;
//! of nodes with equal scores a draw decides, as upstream's random choice does. No preemption.

mod filter;
mod others;
mod score;
mod volumes;

pub(crate) use others::{HeldChanges, Others, others_of};
pub(crate) use score::resources;

use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    queue::{Timer, Work},
    spec::{
        Spec,
        pod::{PodOwn, PodSpec},
    },
    status::{Cond, PodStatus, Status, Tri},
};
use planarium_ground::Cx;
use planarium_kernel::{Map, SimTime, SortedMap, draw};
use planarium_protocol::Text;
use std::sync::Arc;

/// A pod that found no node tries again after so long at the earliest, twice as long each time. *Units*: milliseconds.
const BACKOFF_MS: u64 = 1_000;
const BACKOFF_MOST_MS: u64 = 10_000;
/// With more nodes than this not all are looked at.
const ALL_NODES: usize = 100;
const TIE: u32 = 0x4B07;
/// So many failures are remembered for pods that are alike.
const REMEMBERED: usize = 32;

/// A pod that found no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) times: u32,
    pub(crate) last: SimTime,
    /// When it tries again, if that is settled.
    pub(crate) next: Option<SimTime>,
}

/// What the scheduler remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scheduler {
    pub(crate) waiting: Map<ObjectNo, Attempt>,
    /// The node that is looked at first next time.
    next: u32,
    /// Bound pods that do not want certain others beside them.
    pub(crate) loners: Map<ObjectNo, ()>,
    /// How many bound pods each controller has on which node, by its uid. *Order*: of nodes.
    spread: Map<Text, Arc<Vec<(u32, u32)>>>,
    /// Specs that found no node since anything changed, with the reason. Only spares looking again.
    failures: Vec<(Arc<PodSpec>, Text)>,
    /// Whether a waiting pod has rules about other pods.
    company: bool,
}

impl Scheduler {
    /// A pod of a controller has come to a node.
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

    /// A pod of a controller has gone from a node.
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

    /// How many bound pods a controller has on which node. *Order*: of nodes.
    fn spread_of(&self, controller: &str) -> &[(u32, u32)] {
        self.spread.get(controller).map_or(&[], |nodes| nodes.as_slice())
    }

    /// A pod is bound, or gone.
    pub(crate) fn forget(&mut self, no: ObjectNo) {
        self.waiting.remove(&no);
    }

    /// Whether a pod has been looked at and found no node.
    pub(crate) fn is_waiting(&self, no: ObjectNo) -> bool {
        self.waiting.contains_key(&no)
    }
}

/// A pod on its way to a node.
pub(crate) struct Candidate<'a> {
    pub(crate) pod: &'a Object,
    pub(crate) spec: &'a PodSpec,
    pub(crate) own: &'a PodOwn,
    /// Node terms of the volumes that it mounts; one of each has to match.
    pub(crate) volumes: Vec<Arc<Vec<crate::spec::placement::NodeTerm>>>,
}

impl Kube {
    /// Looks for a node for a pod.
    pub(crate) fn schedule(&mut self, cx: &mut Cx, no: ObjectNo) {
        let Some(pod) = self.store.object(no).cloned() else { return self.scheduler.forget(no) };
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return };
        if own.is_bound() || pod.is_being_deleted() || status.phase.is_terminal() || spec.foreign_scheduler {
            return self.scheduler.forget(no);
        }
        let plain = own.pinned.is_none() && own.claims.is_empty() && spec.volumes.is_empty();
        let known = self.scheduler.failures.iter().find(|(failed, _)| plain && Arc::ptr_eq(failed, spec));
        if let Some(message) = known.map(|(_, message)| message.clone()) {
            return self.no_node(cx, &pod, message);
        }
        let volumes = match self.volumes_ready(cx, &pod) {
            Ok(volumes) => volumes,
            Err(reason) => {
                let all = self.nodes.iter().filter(|node| node.object.is_some()).count();
                let message = if all == 0 {
                    "no nodes available to schedule pods".into()
                } else {
                    format!("0/{all} nodes are available: {all} {reason}.").into()
                };
                return self.no_node(cx, &pod, message);
            }
        };
        let candidate = Candidate { pod: &pod, spec, own, volumes };
        let (feasible, refused) = self.feasible(&candidate);
        let Some(chosen) = self.choose(&candidate, &feasible) else {
            let message = refusal(self.nodes.iter().filter(|node| node.object.is_some()).count(), &refused);
            if plain {
                if self.scheduler.failures.len() >= REMEMBERED {
                    self.scheduler.failures.remove(0);
                }
                self.scheduler.failures.push((spec.clone(), message.clone()));
            }
            self.scheduler.company |= spec.placement.as_ref().is_some_and(|place| {
                !place.affinity.is_empty() || !place.anti_affinity.is_empty() || !place.spread.is_empty()
            });
            return self.no_node(cx, &pod, message);
        };
        self.scheduler.forget(no);
        self.bind(cx, &pod, chosen);
    }

    /// Nodes that take a pod, and why others do not.
    fn feasible(&mut self, candidate: &Candidate<'_>) -> (Vec<u32>, SortedMap<Text, u32>) {
        let mut refused: SortedMap<Text, u32> = SortedMap::new();
        let total = self.nodes.len();
        let there = self.nodes.iter().filter(|node| node.object.is_some()).count();
        let company = self.company_of(candidate);
        let mut found = Vec::new();
        if let Some(pinned) = &candidate.own.pinned {
            // All others are out of the question.
            let others = u32::try_from(there).unwrap_or(u32::MAX);
            let number = self.node_number(pinned);
            let node = number
                .and_then(|number| self.nodes.get(number as usize))
                .filter(|node| node.object.is_some());
            let others = others.saturating_sub(u32::from(node.is_some()));
            match number
                .zip(node)
                .map(|(number, node)| Self::filter(candidate, node, &company).map(|()| number))
            {
                Some(Ok(number)) => found.push(number),
                Some(Err(reasons)) => {
                    for reason in reasons {
                        *refused.entry(reason).or_default() += 1;
                    }
                }
                None => {}
            }
            if others > 0 {
                refused.insert(filter::NODE_SELECTOR.into(), others);
            }
            return (found, refused);
        }
        let wanted = enough(there);
        let mut looked = 0;
        for step in 0..total {
            let at = (self.scheduler.next as usize + step) % total.max(1);
            let Some(node) = self.nodes.get(at).filter(|node| node.object.is_some()) else { continue };
            looked = step + 1;
            match Self::filter(candidate, node, &company) {
                Ok(()) => {
                    found.push(u32::try_from(at).unwrap_or(u32::MAX));
                    if found.len() >= wanted {
                        break;
                    }
                }
                Err(reasons) => {
                    for reason in reasons {
                        *refused.entry(reason).or_default() += 1;
                    }
                }
            }
        }
        if total > 0 {
            let next = (self.scheduler.next as usize + looked) % total;
            self.scheduler.next = u32::try_from(next).unwrap_or(0);
        }
        (found, refused)
    }

    /// The best of the nodes that take a pod.
    fn choose(&self, candidate: &Candidate<'_>, feasible: &[u32]) -> Option<u32> {
        if feasible.len() <= 1 {
            return feasible.first().copied();
        }
        let scores = self.scores(candidate, feasible);
        let best = scores.iter().max().copied()?;
        let ties: Vec<u32> = feasible
            .iter()
            .zip(&scores)
            .filter(|(_, score)| **score == best)
            .map(|(number, _)| *number)
            .collect();
        let entity = draw::entity_of(&[&candidate.pod.namespace, "/", &candidate.pod.name]);
        let last = ties.len().saturating_sub(1) as u64;
        let chosen = draw::between(self.seed, entity, TIE, 0, 0, last);
        ties.get(usize::try_from(chosen).unwrap_or(0)).copied()
    }

    /// Binds a pod to a node.
    fn bind(&mut self, cx: &mut Cx, pod: &Arc<Object>, number: u32) {
        let Some(node) = self.nodes.get(number as usize).map(|node| node.name.clone()) else { return };
        let bound = Self::bound(cx, pod, &node);
        let pod = self.put(cx, bound);
        let message = format!("Successfully assigned {}/{} to {node}", pod.namespace, pod.name);
        self.record(cx, &pod, false, "Scheduled", &message, "default-scheduler");
    }

    /// A pod as it is once it is bound.
    pub(crate) fn bound(cx: &Cx, pod: &Arc<Object>, node: &Text) -> Object {
        let mut new = Object::clone(pod);
        if let Spec::Pod(_, own) = &mut new.spec {
            Arc::make_mut(own).node = node.clone();
        }
        if let Status::Pod(status) = &mut new.status {
            let status = Arc::make_mut(status);
            Cond::new("PodScheduled", Tri::True, "", "", cx.now()).put(&mut status.conditions);
        }
        new
    }

    /// A pod found no node: it is told why, and tries again when something has changed.
    fn no_node(&mut self, cx: &mut Cx, pod: &Arc<Object>, message: Text) {
        let now = cx.now();
        let times = self.scheduler.waiting.get(&pod.no).map_or(0, |attempt| attempt.times);
        self.scheduler
            .waiting
            .insert(pod.no, Attempt { times: times.saturating_add(1), last: now, next: None });
        let Status::Pod(status) = &pod.status else { return };
        let mut status = PodStatus::clone(status);
        Cond::new("PodScheduled", Tri::False, "Unschedulable", message.clone(), now)
            .put(&mut status.conditions);
        if status
            != **match &pod.status {
                Status::Pod(status) => status,
                _ => return,
            }
        {
            self.put_status(cx, pod, Status::Pod(Arc::new(status)));
        }
        self.record(cx, pod, true, "FailedScheduling", &message, "default-scheduler");
    }

    /// Something has changed that may give waiting pods a node.
    pub(crate) fn room(&mut self, cx: &Cx) {
        self.scheduler.failures.clear();
        if !self.scheduler.waiting.is_empty() {
            self.ask(cx, Work::Retry);
        }
    }

    /// A pod was bound, which matters to those that have rules about others.
    pub(crate) fn company(&mut self, cx: &Cx) {
        if self.scheduler.company {
            self.room(cx);
        }
    }

    /// Pods that found no node try again, the most important and oldest first.
    pub(crate) fn retry_pods(&mut self, cx: &mut Cx) {
        self.scheduler.failures.clear();
        self.scheduler.company = false;
        let now = cx.now();
        let mut waiting: Vec<(i64, ObjectNo, Attempt)> = Vec::new();
        for (no, attempt) in &self.scheduler.waiting {
            let priority = match self.store.object(*no).map(|pod| &pod.spec) {
                Some(Spec::Pod(spec, _)) => spec.priority,
                _ => 0,
            };
            waiting.push((-priority, *no, *attempt));
        }
        planarium_kernel::sorted::sort_by_key(&mut waiting, |(priority, no, _)| (*priority, *no));
        for (_, no, attempt) in waiting {
            let backoff = (BACKOFF_MS << attempt.times.saturating_sub(1).min(10)).min(BACKOFF_MOST_MS);
            let due = attempt.last.saturating_add(backoff);
            if due <= now {
                self.ask(cx, Work::Schedule(no));
            } else if attempt.next != Some(due) {
                self.arm(cx, due.since(now), Timer::Work(Work::Schedule(no)));
                if let Some(attempt) = self.scheduler.waiting.get_mut(&no) {
                    attempt.next = Some(due);
                }
            }
        }
    }
}

/// How many nodes that take a pod are enough.
///
/// **Source**: `core/generic_scheduler.go` (`numFeasibleNodesToFind`), match.
fn enough(nodes: usize) -> usize {
    if nodes < ALL_NODES {
        return nodes;
    }
    let percent = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(ALL_NODES)
}

/// `0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.`
///
/// **Source**: `framework/v1alpha1/interface.go`, `core/generic_scheduler.go` (`FitError`), match.
fn refusal(nodes: usize, refused: &SortedMap<Text, u32>) -> Text {
    if nodes == 0 {
        return "no nodes available to schedule pods".into();
    }
    let mut reasons: Vec<String> =
        refused.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    planarium_kernel::sorted::sort(&mut reasons);
    format!("0/{nodes} nodes are available: {}.", reasons.join(", ")).into()
}
