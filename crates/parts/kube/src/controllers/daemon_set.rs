//! DaemonSets: one pod on every node that takes it.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/daemon/{daemon_controller,update}.go`, match but for slow start.

use super::{
    pods::{self, BURST, source},
    revisions,
};
use crate::{
    cluster::Cluster,
    kinds::KindId,
    object::Object,
    records::nodes::Node,
    records::queue::{Timer, Work},
    records::store::Store,
    records::workloads::{REVISION_LABEL, Workloads, revision_print},
    spec::{
        Spec,
        placement::Effect,
        pod::{PodOwn, PodSpec},
        workload::DaemonSetSpec,
    },
    status::{SetStatus, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{SortedMap, SortedSet};
use std::sync::Arc;

/// Delay before a failed pod is recreated, doubled each time. *Units*: milliseconds.
const BACKOFF_MS: u64 = 1_000;
const BACKOFF_MOST_MS: u64 = 900_000;

/// Taints that pods of DaemonSets tolerate.
const TOLERATED: [&str; 6] =
    ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>) {
    let (Spec::DaemonSet(spec), Status::Set(status)) = (&set.spec, &set.status) else { return };
    let (spec, status) = (spec.clone(), status.clone());
    cluster.set_min_ready(cx, set.no, spec.min_ready_s);
    pods::adopt(cluster, cx, set, &spec.selector);
    let Some(update) = revisions::update(cluster, cx, set, &spec.template, status.collisions) else { return };
    let print = revision_print(&update.hash);
    let mut wanted = SortedSet::new();
    let mut tolerated = SortedSet::new();
    for (number, node) in cluster.nodes.all.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        match daemon_runs(&spec.template.spec, node) {
            (true, _) => _ = wanted.insert(number),
            (false, true) => _ = tolerated.insert(number),
            (false, false) => {}
        }
    }
    cluster.workloads.set_slots(&cluster.api.store, set.no, wanted, print);
    if !set.is_being_deleted() {
        cover_nodes(cluster, cx, set, &spec, &update.hash, &tolerated);
        let surge = spec.max_surge.of(desired_of(cluster, set), true);
        if *spec.strategy != *"OnDelete" && surge > 0 {
            surge_nodes(cluster, cx, set, &spec, &update.hash, surge);
        } else if *spec.strategy != *"OnDelete" {
            for pod in outdated(&cluster.api.store, &cluster.workloads, set, &spec) {
                pods::unmake(cluster, cx, set, &pod);
            }
        }
    }
    let workload = cluster.workloads.get(set.no).cloned().unwrap_or_default();
    let hash = update.hash.clone();
    revisions::drop_old(cluster, cx, set, spec.history, |one| {
        one.hash == hash || workload.of_revision(revision_print(&one.hash)).0 > 0
    });
    let Some(set) = cluster.api.store.object(set.no).cloned() else { return };
    let Status::Set(before) = &set.status else { return };
    let slots = workload.slots.as_deref().cloned().unwrap_or_default();
    let desired = u32::try_from(slots.wanted.len()).unwrap_or(u32::MAX);
    let missing = u32::try_from(slots.gaps.len()).unwrap_or(0);
    let status = SetStatus {
        observed: set.generation,
        own: desired,
        replicas: desired.saturating_sub(missing),
        ready: workload.ready.min(desired),
        available: workload.available.min(desired),
        unavailable: desired.saturating_sub(workload.available),
        updated: workload.of_revision(print).0.min(desired),
        misscheduled: u32::try_from(slots.surplus.len()).unwrap_or(0),
        collisions: before.collisions,
        ..SetStatus::default()
    };
    if status != **before {
        cluster.put_status(cx, &set, Status::Set(Arc::new(status)));
    }
}

/// Pods come where they are missing, and go from where they do not belong.
fn cover_nodes(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &DaemonSetSpec,
    hash: &str,
    tolerated: &SortedSet<u32>,
) {
    let Some(slots) = cluster.workloads.get(set.no).and_then(|workload| workload.slots.as_deref()).cloned()
    else {
        return;
    };
    let at = |cluster: &Cluster, slot: &u32| {
        slots.pods.get(slot).and_then(|no| cluster.api.store.object(*no)).cloned()
    };
    for slot in slots.surplus.iter().filter(|slot| !tolerated.contains(*slot)) {
        if let Some(pod) = at(cluster, slot) {
            pods::unmake(cluster, cx, set, &pod);
        }
    }
    let surges = *spec.strategy != *"OnDelete" && spec.max_surge.of(desired_of(cluster, set), true) > 0;
    for no in slots.extra.keys().filter(|_| !surges) {
        if let Some(pod) = cluster.api.store.object(*no).cloned() {
            pods::unmake(cluster, cx, set, &pod);
        }
    }
    for slot in &slots.unhealthy {
        if let Some(pod) = at(cluster, slot).filter(|pod| pod.is_over() && !pod.is_being_deleted()) {
            replace_daemon(cluster, cx, set, &pod);
        }
    }
    for slot in slots.gaps.iter().take(BURST as usize) {
        let Some(node) = cluster.nodes.all.get(*slot as usize).map(|node| node.name.clone()) else {
            continue;
        };
        let own = PodOwn { pinned: Some(node), ..PodOwn::default() };
        let labels = spec.template.labels.with(REVISION_LABEL, hash);
        if pods::make(cluster, cx, set, &spec.template, None, own, labels).is_err() {
            return;
        }
    }
    if slots.gaps.len() > BURST as usize {
        cluster.queue.ask(cx, Work::Sync(set.no));
    }
}

fn desired_of(cluster: &Cluster, set: &Object) -> u32 {
    let slots = cluster.workloads.get(set.no).and_then(|workload| workload.slots.as_deref());
    slots.map_or(0, |slots| u32::try_from(slots.wanted.len()).unwrap_or(u32::MAX))
}

/// Creates pods of the current template next to old ones, on a limited number of nodes at a time; an old pod is deleted once
/// its successor is available.
///
/// **Source**: `update.go` (`rollingUpdate` with `maxSurge`), match.
fn surge_nodes(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &DaemonSetSpec,
    hash: &str,
    surge: u32,
) {
    let print = revision_print(hash);
    let mut places: SortedMap<u32, Place> = SortedMap::new();
    for pod in cluster.api.store.pods_of(set.no).filter(|pod| !pod.is_over()) {
        let Some(tally) = cluster.workloads.pods.get(&pod.no) else { continue };
        let Some(slot) = tally.slot else { continue };
        let place = places.entry(slot).or_default();
        if pod.is_being_deleted() {
            continue;
        }
        if tally.revision == print {
            place.new = Some(tally.available);
        } else {
            place.old.push(pod.clone());
            place.old_available |= tally.available;
        }
    }
    let Some(wanted) =
        cluster.workloads.get(set.no).and_then(|one| one.slots.as_deref()).map(|slots| slots.wanted.clone())
    else {
        return;
    };
    let mut going = Vec::new();
    let (mut free, mut candidates, mut under_way) = (Vec::new(), Vec::new(), 0);
    for (slot, place) in places.iter().filter(|(slot, place)| wanted.contains(*slot) && !place.old.is_empty())
    {
        match place.new {
            Some(true) => going.extend(place.old.iter().cloned()),
            Some(false) => under_way += 1,
            // Deleting an unavailable pod costs nothing.
            None if !place.old_available => free.push(*slot),
            None => candidates.push(*slot),
        }
    }
    let left = surge.saturating_sub(under_way) as usize;
    for slot in free.into_iter().chain(candidates.into_iter().take(left)) {
        let Some(node) = cluster.nodes.get(slot).map(|node| node.name.clone()) else { continue };
        let own = PodOwn { pinned: Some(node), ..PodOwn::default() };
        let labels = spec.template.labels.with(REVISION_LABEL, hash);
        if pods::make(cluster, cx, set, &spec.template, None, own, labels).is_err() {
            break;
        }
    }
    for pod in going {
        pods::unmake(cluster, cx, set, &pod);
    }
}

/// The pods of a node while a successor comes beside an old one.
#[derive(Default)]
struct Place {
    old: Vec<Arc<Object>>,
    old_available: bool,
    /// True once the successor is available.
    new: Option<bool>,
}

/// A failed pod is deleted, so that another comes, but not too often.
fn replace_daemon(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>, pod: &Arc<Object>) {
    let now = cx.now();
    let (hold, failures) =
        cluster.workloads.get(set.no).map_or((None, 0), |workload| (workload.hold, workload.failures));
    if let Some(hold) = hold.filter(|hold| *hold > now) {
        cluster.queue.arm_in(cx, hold.since(now), Timer::Work(Work::Sync(set.no)));
        return;
    }
    let Spec::Pod(_, own) = &pod.spec else { return };
    let message = format!(
        "Found failed daemon pod {}/{} on node {}, will try to kill it",
        pod.namespace, pod.name, own.node
    );
    cluster.reports.record(cx, set, true, "FailedDaemonPod", &message, source(KindId::DAEMON_SET));
    pods::unmake(cluster, cx, set, pod);
    let delay = BACKOFF_MS.saturating_mul(1 << failures.min(20)).min(BACKOFF_MOST_MS);
    cluster.workloads.change(set.no, |workload| {
        workload.failures = failures.saturating_add(1);
        workload.hold = Some(now.saturating_add(delay));
    });
}

/// Pods that are not up to date and go now: those that are not available, and as many others as may be missing.
fn outdated(store: &Store, workloads: &Workloads, set: &Object, spec: &DaemonSetSpec) -> Vec<Arc<Object>> {
    let Some(workload) = workloads.get(set.no) else { return Vec::new() };
    let Some(slots) = workload.slots.as_deref().filter(|slots| !slots.stale.is_empty()) else {
        return Vec::new();
    };
    let desired = u32::try_from(slots.wanted.len()).unwrap_or(u32::MAX);
    let most = spec.max_unavailable.of(desired, true).max(1);
    let unavailable = desired.saturating_sub(workload.available);
    let pods = slots.stale.iter().filter_map(|slot| store.object(*slots.pods.get(slot)?)).cloned();
    let available = |pod: &Arc<Object>| workloads.pods.get(&pod.no).is_some_and(|tally| tally.available);
    let (well, mut going): (Vec<_>, Vec<_>) = pods.filter(|pod| !pod.is_being_deleted()).partition(available);
    going.extend(well.into_iter().take(most.saturating_sub(unavailable) as usize));
    going
}

/// Returns whether a node must have a daemon's pod, and whether an existing one may stay.
fn daemon_runs(spec: &PodSpec, node: &Node) -> (bool, bool) {
    if node.object.is_none()
        || spec.placement.as_ref().is_some_and(|place| !place.takes_node(&node.name, &node.labels))
    {
        return (false, false);
    }
    let tolerated = |taint: &crate::spec::placement::Taint| {
        let own = taint.key.strip_prefix("node.kubernetes.io/").is_some_and(|key| TOLERATED.contains(&key));
        own || spec.tolerations.iter().any(|one| one.covers(taint))
    };
    let hard = |taint: &&crate::spec::placement::Taint| {
        taint.effect != Effect::PreferNoSchedule && !tolerated(taint)
    };
    let open: Vec<_> = node.taints.iter().filter(hard).collect();
    (open.is_empty(), open.iter().all(|taint| taint.effect != Effect::NoExecute))
}
