//! StatefulSets: pods with ordinals, claims of their own, one after the other.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/statefulset/{stateful_set_control,stateful_set_utils,stateful_pod_control}.go`,
//! match. What `updateStatefulSet` finds by walking over all ordinals is read off the sets of missing, unhealthy and stale
//! places here.

mod places;

use super::{
    pods::{self, BURST, source},
    revisions::{self, Revised},
};
use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectRef, Pairs},
    records::queue::Work,
    records::workloads::{REVISION_LABEL, revision_print},
    request::DeleteOptions,
    spec::{Spec, pod::PodOwn, workload::StatefulSetSpec},
    status::{SetStatus, Status},
    tree::{Tree, as_object, object_at},
};
use places::Places;
use planarium_ground::Cx;
use planarium_kernel::SortedSet;
use planarium_protocol::{
    Text,
    json::{self, Value},
};
use std::sync::Arc;

/// The label with a pod's own name.
const NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>) {
    let (Spec::StatefulSet(spec), Status::Set(status)) = (&set.spec, &set.status) else { return };
    let (spec, status) = (spec.clone(), status.clone());
    cluster.set_min_ready(cx, set.no, spec.min_ready_s);
    pods::adopt(cluster, cx, set, &spec.selector);
    let Some(update) = revisions::update(cluster, cx, set, &spec.template, status.collisions) else { return };
    let current = if status.current_revision.is_empty() || status.current_revision == update.name {
        update.clone()
    } else {
        revisions::named(&cluster.api.store, set, &status.current_revision).unwrap_or_else(|| update.clone())
    };
    set_range(cluster, set.no, set.replicas, revision_print(&update.name));
    if !set.is_being_deleted() {
        bring_in_line(cluster, cx, set, &spec, &current, &update);
    }
    let workload = cluster.workloads.get(set.no).cloned().unwrap_or_default();
    revisions::drop_old(cluster, cx, set, spec.history, |one| {
        one.name == current.name
            || one.name == update.name
            || workload.of_revision(revision_print(&one.name)).0 > 0
    });
    write_status(cluster, cx, set, &spec, &current, &update);
}

/// Says that places from 0 on have to have a pod.
fn set_range(cluster: &mut Cluster, no: crate::object::ObjectNo, replicas: u32, revision: u64) {
    let slots = cluster.workloads.get(no).and_then(|workload| workload.slots.as_deref());
    let same = slots.is_some_and(|slots| {
        slots.revision == revision
            && slots.wanted.len() == replicas as usize
            && slots.wanted.last().copied() == replicas.checked_sub(1)
    });
    if !same {
        let wanted: SortedSet<u32> = (0..replicas).collect();
        cluster.workloads.set_slots(&cluster.api.store, no, wanted, revision);
    }
}

/// Takes one step towards the spec; with parallel management, all steps.
fn bring_in_line(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &Arc<StatefulSetSpec>,
    current: &Revised,
    update: &Revised,
) {
    // Recreates failed pods.
    for pod in places(cluster, set).map(|places| places.failed(spec)).unwrap_or_default() {
        replace_failed(cluster, cx, set, &pod);
    }
    let open = places(cluster, set).map(|places| places.open(spec)).unwrap_or_default();
    for ordinal in &open.missing {
        if !make_ordinal(cluster, cx, set, spec, *ordinal, current, update) {
            return;
        }
    }
    if open.waits {
        return;
    }
    if open.missing.len() == BURST as usize {
        cluster.queue.ask(cx, Work::Sync(set.no));
    }
    let surplus = places(cluster, set).map(|places| places.surplus(spec)).unwrap_or_default();
    for pod in &surplus.pods {
        unmake_ordinal(cluster, cx, set, pod);
    }
    if surplus.waits {
        return;
    }
    if let Some(pod) = places(cluster, set).and_then(|places| places.outdated(spec)) {
        unmake_ordinal(cluster, cx, set, &pod);
    }
}

/// The places of a set.
fn places<'a>(cluster: &'a Cluster, set: &Object) -> Option<Places<'a>> {
    let slots = cluster.workloads.get(set.no)?.slots.as_deref()?;
    Some(Places { store: &cluster.api.store, slots, replicas: set.replicas })
}

fn replace_failed(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>, pod: &Arc<Object>) {
    let message = format!("StatefulSet {}/{} is recreating failed Pod {}", set.namespace, set.name, pod.name);
    cluster.reports.record(cx, set, true, "RecreatingFailedPod", &message, source(KindId::STATEFUL_SET));
    unmake_ordinal(cluster, cx, set, pod);
}

fn unmake_ordinal(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>, pod: &Arc<Object>) {
    cluster.delete(cx, pod, &DeleteOptions::default());
    let message = format!("delete Pod {} in StatefulSet {} successful", pod.name, set.name);
    cluster.reports.record(cx, set, false, "SuccessfulDelete", &message, source(KindId::STATEFUL_SET));
}

/// Makes the pod of an ordinal, its claims first; answers whether that went well.
fn make_ordinal(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &Arc<StatefulSetSpec>,
    ordinal: u32,
    current: &Revised,
    update: &Revised,
) -> bool {
    let Status::Set(status) = &set.status else { return false };
    let is_current = match spec.partition {
        _ if current.name == update.name => false,
        None => !spec.on_delete() && ordinal < status.own,
        Some(partition) => ordinal < partition,
    };
    let revision = if is_current { current } else { update };
    let name: Text = format!("{}-{ordinal}", set.name).into();
    let mut claims = Vec::new();
    for (volume, template) in &spec.claims {
        let claim: Text = format!("{volume}-{name}").into();
        if !make_claim(cluster, cx, set, spec, &claim, &name, template) {
            return false;
        }
        claims.push((volume.clone(), claim));
    }
    let labels =
        revision.template.labels.with(REVISION_LABEL, revision.name.clone()).with(NAME_LABEL, name.clone());
    let own = PodOwn {
        hostname: Some(name.clone()),
        subdomain: (!spec.service.is_empty()).then(|| spec.service.clone()),
        claims: Arc::new(claims),
        of_template: true,
        ..PodOwn::default()
    };
    let parts = Parts::pod(&set.namespace, name.clone(), &revision.template, labels, own);
    match cluster.create_owned(cx, Some(set), parts) {
        Ok(_) => {
            pods::forget_refusals(cluster, set.no);
            let message = format!("create Pod {name} in StatefulSet {} successful", set.name);
            cluster.reports.record(
                cx,
                set,
                false,
                "SuccessfulCreate",
                &message,
                source(KindId::STATEFUL_SET),
            );
            true
        }
        Err(error) => {
            let message =
                format!("create Pod {name} in StatefulSet {} failed error: {}", set.name, error.message);
            cluster.reports.record(cx, set, true, "FailedCreate", &message, source(KindId::STATEFUL_SET));
            pods::try_again(cluster, cx, set.no);
            false
        }
    }
}

fn make_claim(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &StatefulSetSpec,
    claim: &Text,
    pod: &Text,
    template: &Value,
) -> bool {
    if cluster.api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, &set.namespace, claim)).is_some() {
        return true;
    }
    let mut value = template.clone();
    if let Some(fields) = as_object(&mut value) {
        fields.shift_remove("status");
        json::put(fields, "apiVersion", "v1".into());
        json::put(fields, "kind", "PersistentVolumeClaim".into());
        if let Some(metadata) = object_at(fields, "metadata") {
            json::put(metadata, "name", claim.as_ref().into());
            json::put(metadata, "namespace", set.namespace.as_ref().into());
            let mut labels = Pairs::of_value(template.at(&["metadata", "labels"]));
            for (key, value) in spec.selector.pairs() {
                labels = labels.with(key, value.clone());
            }
            json::put(metadata, "labels", labels.to_value());
        }
    }
    let made = cluster.create(cx, value);
    let (warning, reason, message) = match &made {
        Ok(_) => {
            let message = format!("create Claim {claim} Pod {pod} in StatefulSet {} success", set.name);
            (false, "SuccessfulCreate", message)
        }
        Err(error) => {
            let message = format!(
                "create Claim {claim} for Pod {pod} in StatefulSet {} failed error: {}",
                set.name, error.message
            );
            (true, "FailedCreate", message)
        }
    };
    cluster.reports.record(cx, set, warning, reason, &message, source(KindId::STATEFUL_SET));
    made.is_ok()
}

fn write_status(
    cluster: &mut Cluster,
    cx: &mut Cx,
    set: &Arc<Object>,
    spec: &StatefulSetSpec,
    current: &Revised,
    update: &Revised,
) {
    let Some(set) = cluster.api.store.object(set.no).cloned() else { return };
    let Status::Set(before) = &set.status else { return };
    let workload = cluster.workloads.get(set.no).cloned().unwrap_or_default();
    let mut status = SetStatus {
        observed: set.generation,
        replicas: workload.all,
        ready: workload.ready + workload.leaving_ready,
        available: if spec.min_ready_s == 0 {
            workload.ready + workload.leaving_ready
        } else {
            workload.available
        },
        own: workload.of_revision(revision_print(&current.name)).0,
        updated: workload.of_revision(revision_print(&update.name)).0,
        current_revision: current.name.clone(),
        update_revision: update.name.clone(),
        collisions: before.collisions,
        ..SetStatus::default()
    };
    if !spec.on_delete() && status.updated == status.replicas && status.ready == status.replicas {
        status.own = status.updated;
        status.current_revision = status.update_revision.clone();
    }
    if status != **before {
        // A revision no longer in use is history, of which a limited number is kept.
        let is_over = status.current_revision != before.current_revision;
        cluster.put_status(cx, &set, Status::Set(Arc::new(status)));
        if is_over {
            cluster.queue.ask(cx, Work::Sync(set.no));
        }
    }
}
