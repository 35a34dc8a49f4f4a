//! The scheduler: which node takes a pod.
//!
//! *Knows*: nodes' books, pods' rules. *Must not know*: how a pod is run.
//! Source: `kubernetes/kubernetes: pkg/scheduler/{schedule_one,scheduler,internal/queue/scheduling_queue}.go` (1.29);
//! match for the order of filters, their words, the number of nodes looked at and the back-off of pods that found none;
//! of nodes with equal scores a draw decides, as upstream's random choice does. [`preempt`] has pods go for more important ones.

mod filter;
mod misses;
mod placing;
mod preempt;
mod score;
mod volumes;

use crate::{
    cluster::Cluster,
    object::{Object, ObjectNo},
    records::queue::{Timer, Work},
    records::scheduling::Attempt,
    request::DeleteOptions,
    spec::{
        Spec,
        pod::{PodOwn, PodSpec},
    },
    status::{Cond, PodStatus, Status, Tri},
};
pub(crate) use misses::{Miss, misses};
use placing::Snapshot;
use planarium_ground::Cx;
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// A pod that found no node tries again after so long at the earliest, twice as long each time. *Units*: milliseconds.
const BACKOFF_MS: u64 = 1_000;
const BACKOFF_MOST_MS: u64 = 10_000;
const NO_NODES: &str = "no nodes available to schedule pods";
/// Maximum of failures remembered for pods that are alike.
const REMEMBERED: usize = 32;

/// A pod to schedule.
pub(crate) struct Candidate<'a> {
    pub(crate) pod: &'a Object,
    pub(crate) spec: &'a PodSpec,
    pub(crate) own: &'a PodOwn,
    /// Node terms of the volumes that it mounts; one of each has to match.
    pub(crate) volumes: Vec<Arc<Vec<crate::spec::placement::NodeTerm>>>,
}

/// Finds a node for a pod.
pub(crate) fn schedule(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    let Some(pod) = cluster.api.store.object(no).cloned() else { return cluster.scheduler.forget(no) };
    let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return };
    if own.is_bound() || pod.is_being_deleted() || status.phase.is_terminal() || spec.foreign_scheduler {
        return cluster.scheduler.forget(no);
    }
    if spec.gated {
        let mut gated = PodStatus::clone(status);
        let message = "Scheduling is blocked due to non-empty scheduling gates";
        Cond::new("PodScheduled", Tri::False, "SchedulingGated", message, cx.now())
            .put(&mut gated.conditions);
        if gated != **status {
            cluster.put_status(cx, &pod, Status::Pod(Arc::new(gated)));
        }
        return cluster.scheduler.forget(no);
    }
    if own.rank.value != 0 && !cluster.scheduler.ranked {
        cluster.scheduler.ranked = true;
        cluster.scheduler.failures.clear();
    }
    let plain =
        own.pinned.is_none() && own.claims.is_empty() && spec.volumes.is_empty() && !cluster.scheduler.ranked;
    let known = cluster.scheduler.failures.iter().find(|(failed, _)| plain && Arc::ptr_eq(failed, spec));
    if let Some(message) = known.map(|(_, message)| message.clone()) {
        return no_node(cluster, cx, &pod, message, None);
    }
    let volumes = match volumes::ready(cluster, cx, &pod) {
        Ok(volumes) => volumes,
        Err(reason) => {
            let all = cluster.nodes.count_present();
            let message = if all == 0 {
                NO_NODES.into()
            } else {
                format!(
                    "0/{all} nodes are available: {reason}. preemption: 0/{all} nodes are available: {all} Preemption is not helpful \
                     for scheduling."
                )
                .into()
            };
            return no_node(cluster, cx, &pod, message, None);
        }
    };
    let candidate = Candidate { pod: &pod, spec, own, volumes };
    let snapshot = Snapshot {
        seed: cluster.api.seed,
        store: &cluster.api.store,
        nodes: &cluster.nodes,
        scheduler: &cluster.scheduler,
    };
    let feasible = snapshot.feasible(&candidate);
    let chosen = snapshot.choose(&candidate, &feasible.found);
    cluster.scheduler.next = feasible.next;
    let Some(chosen) = chosen else {
        let message = refusal(cluster.nodes.count_present(), &feasible.refused);
        cluster.scheduler.company |= spec.placement.as_ref().is_some_and(|place| {
            !place.affinity.is_empty() || !place.anti_affinity.is_empty() || !place.spread.is_empty()
        });
        if cluster.nodes.count_present() == 0 {
            return no_node(cluster, cx, &pod, message, None);
        }
        return match preempt::plan(cluster, &candidate, &feasible.company, &feasible.chances) {
            Ok(plan) => {
                make_room(cluster, cx, &pod, &plan);
                no_node(cluster, cx, &pod, message, Some(plan.node));
            }
            Err(why_not) => {
                let message: Text = format!("{message} {why_not}").into();
                if plain {
                    if cluster.scheduler.failures.len() >= REMEMBERED {
                        cluster.scheduler.failures.remove(0);
                    }
                    cluster.scheduler.failures.push((spec.clone(), message.clone()));
                }
                no_node(cluster, cx, &pod, message, None);
            }
        };
    };
    cluster.scheduler.forget(no);
    bind(cluster, cx, &pod, chosen);
}

/// Deletes the victims of a preemption, naming the pod they make room for.
fn make_room(cluster: &mut Cluster, cx: &mut Cx, pod: &Arc<Object>, plan: &preempt::Plan) {
    let node = cluster.nodes.get(plan.node).map(|node| node.name.clone()).unwrap_or_default();
    cluster.scheduler.nominated.insert(pod.no, (plan.node, preempt::priority(pod)));
    for victim in &plan.victims {
        let Some(victim) = cluster.api.store.object(*victim).filter(|one| !one.is_being_deleted()).cloned()
        else {
            continue;
        };
        let Status::Pod(status) = &victim.status else { continue };
        let mut status = PodStatus::clone(status);
        let message = "default-scheduler: preempting to accommodate a higher priority pod";
        Cond::new("DisruptionTarget", Tri::True, "PreemptionByScheduler", message, cx.now())
            .put(&mut status.conditions);
        let victim = cluster.put_status(cx, &victim, Status::Pod(Arc::new(status)));
        let message = format!("Preempted by pod {} on node {node}", pod.uid);
        cluster.reports.record(cx, &victim, false, "Preempted", &message, "default-scheduler");
        cluster.delete(cx, &victim, &DeleteOptions::default());
    }
}

/// Binds a pod to a node.
fn bind(cluster: &mut Cluster, cx: &mut Cx, pod: &Arc<Object>, number: u32) {
    let Some(node) = cluster.nodes.get(number).map(|node| node.name.clone()) else { return };
    let bound = bound(cx.now(), pod, &node);
    let pod = cluster.put(cx, bound);
    let message = format!("Successfully assigned {}/{} to {node}", pod.namespace, pod.name);
    cluster.reports.record(cx, &pod, false, "Scheduled", &message, "default-scheduler");
}

/// Reports why a pod found no node, and queues it for the next change; `promised` is its nominated node, where victims make room.
fn no_node(cluster: &mut Cluster, cx: &mut Cx, pod: &Arc<Object>, message: Text, promised: Option<u32>) {
    let now = cx.now();
    let times = cluster.scheduler.waiting.get(&pod.no).map_or(0, |attempt| attempt.times);
    cluster
        .scheduler
        .waiting
        .insert(pod.no, Attempt { times: times.saturating_add(1), last: now, next: None });
    let Status::Pod(before) = &pod.status else { return };
    let mut status = PodStatus::clone(before);
    Cond::new("PodScheduled", Tri::False, "Unschedulable", message.clone(), now).put(&mut status.conditions);
    if let Some(node) = promised.and_then(|number| cluster.nodes.get(number)) {
        status.nominated = node.name.clone();
    }
    if status != **before {
        cluster.put_status(cx, pod, Status::Pod(Arc::new(status)));
    }
    cluster.reports.record(cx, pod, true, "FailedScheduling", &message, "default-scheduler");
}

/// Pods that found no node try again, the most important and oldest first.
pub(crate) fn retry(cluster: &mut Cluster, cx: &mut Cx) {
    cluster.scheduler.failures.clear();
    cluster.scheduler.company = false;
    let now = cx.now();
    let mut waiting: Vec<(i64, ObjectNo, Attempt)> = Vec::new();
    for (no, attempt) in &cluster.scheduler.waiting {
        let priority = match cluster.api.store.object(*no).map(|pod| &pod.spec) {
            Some(Spec::Pod(_, own)) => own.rank.value,
            _ => 0,
        };
        waiting.push((-priority, *no, *attempt));
    }
    planarium_kernel::sorted::sort_by_key(&mut waiting, |(priority, no, _)| (*priority, *no));
    for (_, no, attempt) in waiting {
        let backoff = (BACKOFF_MS << attempt.times.saturating_sub(1).min(10)).min(BACKOFF_MOST_MS);
        let due = attempt.last.saturating_add(backoff);
        if due <= now {
            cluster.queue.ask(cx, Work::Schedule(no));
        } else if attempt.next != Some(due) {
            cluster.queue.arm_in(cx, due.since(now), Timer::Work(Work::Schedule(no)));
            if let Some(attempt) = cluster.scheduler.waiting.get_mut(&no) {
                attempt.next = Some(due);
            }
        }
    }
}

/// Returns a pod as bound.
pub(crate) fn bound(now: SimTime, pod: &Arc<Object>, node: &Text) -> Object {
    let mut new = Object::clone(pod);
    if let Spec::Pod(_, own) = &mut new.spec {
        Arc::make_mut(own).node = node.clone();
    }
    if let Status::Pod(status) = &mut new.status {
        let status = Arc::make_mut(status);
        Cond::bare("PodScheduled", Tri::True, now).put(&mut status.conditions);
    }
    new
}

/// `0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.`
///
/// **Source**: `framework/types.go` (`FitError`), match.
fn refusal(nodes: usize, refused: &SortedMap<Text, u32>) -> Text {
    if nodes == 0 {
        return NO_NODES.into();
    }
    let mut reasons: Vec<String> =
        refused.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    planarium_kernel::sorted::sort(&mut reasons);
    format!("0/{nodes} nodes are available: {}.", reasons.join(", ")).into()
}
