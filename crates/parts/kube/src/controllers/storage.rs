//! Claims find volumes, or have them made.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/volume/persistentvolume/pv_controller.go`, `pvcprotection`, `pvprotection`;
//! match for binding, provisioning, reclaiming and protection; a provisioner takes a drawn time, every one but
//! `kubernetes.io/no-provisioner` works.

use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef, Pairs},
    records::queue::Timer,
    records::scheduling::Scheduler,
    records::store::Store,
    request::DeleteOptions,
    spec::{
        Spec,
        storage::{ClaimSpec, ClassSpec, VolumeSpec},
    },
    status::Status,
    tree::{Tree, as_object, object_at},
};
use planarium_ground::Cx;
use planarium_kernel::draw;
use planarium_protocol::json::{self, Value};
use std::sync::Arc;

const SOURCE: &str = "persistentvolume-controller";
const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";
const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";
const PROVISION: u32 = 0x4B05;

pub(crate) fn sync_claim(cluster: &mut Cluster, cx: &mut Cx, claim: &Arc<Object>) {
    let Spec::Claim(spec) = &claim.spec else { return };
    let spec = spec.clone();
    if claim.is_being_deleted() {
        let used = cluster.api.store.pods_using(claim).next().is_some();
        if !used {
            cluster.drop_finalizer(cx, claim, CLAIM_PROTECTION);
        }
        return;
    }
    if let Some(volume) = &spec.volume {
        let bound = cluster.api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME, "", volume)).cloned();
        return match bound {
            Some(volume) => bind_claim(cluster, cx, claim, &volume),
            None => set_claim_phase(cluster, cx, claim, "Lost", None),
        };
    }
    if let Some(volume) = matching_volume(&cluster.api.store, claim, &spec) {
        return bind_claim(cluster, cx, claim, &volume);
    }
    let Some(name) = spec.class.clone().filter(|name| !name.is_empty()) else {
        let message = "no persistent volumes available for this claim and no storage class is set";
        return tell_claim(cluster, cx, claim, false, "FailedBinding", message);
    };
    let class = cluster.api.get(ObjectRef::new(KindId::STORAGE_CLASS, "", &name)).cloned();
    let Some(class) = class else {
        let message = format!("storageclass.storage.k8s.io {name:?} not found");
        return tell_claim(cluster, cx, claim, true, "ProvisioningFailed", &message);
    };
    let Spec::Class(class) = &class.spec else { return };
    ask_for_volume(cluster, cx, claim, class);
}

/// A volume is made for a claim, now or when a pod uses it.
fn ask_for_volume(cluster: &mut Cluster, cx: &mut Cx, claim: &Arc<Object>, class: &ClassSpec) {
    if class.waits && cluster.api.store.pods_using(claim).all(|pod| !is_being_placed(&cluster.scheduler, pod))
    {
        let message = "waiting for first consumer to be created before binding";
        return tell_claim(cluster, cx, claim, false, "WaitForFirstConsumer", message);
    }
    if !class.provisions {
        let message = "no volume plugin matched name: kubernetes.io/no-provisioner";
        return tell_claim(cluster, cx, claim, true, "ProvisioningFailed", message);
    }
    if cluster.workloads.get(claim.no).is_some_and(|workload| workload.timer.is_some()) {
        return;
    }
    let delay = draw::between(
        cluster.api.seed,
        draw::entity_of(&[&claim.namespace, "/", &claim.name]),
        PROVISION,
        0,
        1_000,
        4_000,
    );
    let timer = cluster.queue.arm_in(cx, delay, Timer::Provisioned(claim.no));
    let due = cx.now().saturating_add(delay);
    cluster.workloads.change(claim.no, |workload| workload.timer = Some((timer, due)));
    let provisioner = &class.provisioner;
    let message = format!(
        "waiting for a volume to be created, either by external provisioner {provisioner:?} or manually created by system administrator"
    );
    tell_claim(cluster, cx, claim, false, "ExternalProvisioning", &message);
}

fn tell_claim(
    cluster: &mut Cluster,
    cx: &mut Cx,
    claim: &Arc<Object>,
    warning: bool,
    reason: &'static str,
    message: &str,
) {
    let told = cluster
        .occurrences(claim.reference())
        .last()
        .is_some_and(|last| *last.reason == *reason && *last.message == *message);
    if !told {
        cluster.reports.record(cx, claim, warning, reason, message, SOURCE);
    }
}

/// A provisioner has made a volume.
pub(crate) fn provisioned(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    cluster.workloads.change(no, |workload| workload.timer = None);
    let Some(claim) = cluster.api.store.object(no).cloned() else { return };
    let Spec::Claim(spec) = &claim.spec else { return };
    if spec.volume.is_some() || claim.is_being_deleted() {
        return;
    }
    let class = spec.class.clone().unwrap_or_default();
    let found =
        cluster.api.get(ObjectRef::new(KindId::STORAGE_CLASS, "", &class)).map(|class| class.spec.clone());
    let Some(Spec::Class(found)) = found else { return };
    let name = format!("pvc-{}", claim.uid);
    let content = planarium_protocol::json!({ "spec": {
            "capacity": { "storage": spec.size_text },
            "accessModes": spec.modes,
            "claimRef": claim_reference(&claim),
            "persistentVolumeReclaimPolicy": found.reclaim,
            "storageClassName": class,
            "volumeMode": spec.mode,
            "csi": { "driver": found.provisioner, "volumeHandle": claim.uid },
        } });
    let mut parts = Parts::new(KindId::PERSISTENT_VOLUME, &"".into(), name).with_content(content);
    parts.annotations = Pairs::new([("pv.kubernetes.io/provisioned-by".into(), found.provisioner.clone())]);
    parts.finalizers = vec![VOLUME_PROTECTION.into()];
    parts.status = Status::Plain(Arc::new(planarium_protocol::json!({ "phase": "Pending" })));
    if let Ok(volume) = cluster.create_owned(cx, None, parts) {
        let message = format!("Successfully provisioned volume {} using {}", volume.name, found.provisioner);
        cluster.reports.record(cx, &claim, false, "ProvisioningSucceeded", &message, SOURCE);
        if let Some(claim) = cluster.api.store.object(no).cloned() {
            bind_claim(cluster, cx, &claim, &volume);
        }
    }
}

/// Returns the smallest matching volume that is free or reserved for this claim.
fn matching_volume(store: &Store, claim: &Object, spec: &ClaimSpec) -> Option<Arc<Object>> {
    let fits = |volume: &&Arc<Object>| {
        let Spec::Volume(own) = &volume.spec else { return false };
        if volume.is_being_deleted() {
            return false;
        }
        if let Some((namespace, name, uid)) = &own.claim {
            return *namespace == claim.namespace
                && *name == claim.name
                && (uid.is_empty() || *uid == claim.uid);
        }
        let class = spec.class.as_deref().unwrap_or_default();
        *own.class == *class
            && own.size >= spec.size
            && own.mode == spec.mode
            && spec.modes.iter().all(|mode| own.modes.contains(mode))
            && spec.selector.as_ref().is_none_or(|selector| selector.matches(&volume.labels))
    };
    let all = store.of_kind(KindId::PERSISTENT_VOLUME, None).filter(fits);
    all.min_by_key(|volume| match &volume.spec {
        Spec::Volume(own) => (own.claim.is_none(), own.size),
        _ => (true, 0),
    })
    .cloned()
}

/// Claim and volume name each other.
fn bind_claim(cluster: &mut Cluster, cx: &mut Cx, claim: &Arc<Object>, volume: &Arc<Object>) {
    let Spec::Volume(spec) = &volume.spec else { return };
    if let Some((namespace, name, uid)) = &spec.claim
        && (*namespace != claim.namespace || *name != claim.name || !uid.is_empty() && *uid != claim.uid)
    {
        let message = format!("volume {:?} already bound to a different claim.", volume.name);
        return tell_claim(cluster, cx, claim, true, "FailedBinding", &message);
    }
    if spec.claim.as_ref().is_none_or(|(_, _, uid)| uid.is_empty()) {
        let mut content = Value::clone(&volume.content);
        if let Some(fields) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
            json::put(fields, "claimRef", claim_reference(claim));
        }
        put_content(cluster, cx, volume, content, Some("Bound"));
    } else {
        set_volume_phase(cluster, cx, volume, "Bound");
    }
    let Some(claim) = cluster.api.store.object(claim.no).cloned() else { return };
    let Spec::Claim(own) = &claim.spec else { return };
    let capacity = planarium_protocol::json!({
        "phase": "Bound", "accessModes": volume.content().at(&["spec", "accessModes"]),
        "capacity": { "storage": volume.content().at(&["spec", "capacity", "storage"]) },
    });
    if own.volume.is_none() {
        let mut content = Value::clone(&claim.content);
        if let Some(fields) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
            json::put(fields, "volumeName", volume.name.as_ref().into());
        }
        let spec = crate::spec::read(claim.kind, &content);
        let status = Status::Plain(Arc::new(capacity));
        cluster.put(cx, Object { content: Arc::new(content), spec, status, ..Object::clone(&claim) });
    } else {
        set_claim_phase(cluster, cx, &claim, "Bound", Some(capacity));
    }
}

/// Changes a volume's content and phase.
fn put_content(
    cluster: &mut Cluster,
    cx: &mut Cx,
    volume: &Arc<Object>,
    content: Value,
    phase: Option<&str>,
) {
    let spec = crate::spec::read(volume.kind, &content);
    let mut new = Object { content: Arc::new(content), spec, ..Object::clone(volume) };
    if let Some(phase) = phase {
        new.status = Status::Plain(Arc::new(planarium_protocol::json!({ "phase": phase })));
    }
    cluster.put(cx, new);
}

fn set_volume_phase(cluster: &mut Cluster, cx: &mut Cx, volume: &Arc<Object>, phase: &str) {
    if phase_of(volume) != phase {
        let status = planarium_protocol::json!({ "phase": phase });
        cluster.put_status(cx, volume, Status::Plain(Arc::new(status)));
    }
}

fn set_claim_phase(
    cluster: &mut Cluster,
    cx: &mut Cx,
    claim: &Arc<Object>,
    phase: &str,
    status: Option<Value>,
) {
    if phase_of(claim) != phase {
        let status = status.unwrap_or_else(|| planarium_protocol::json!({ "phase": phase }));
        cluster.put_status(cx, claim, Status::Plain(Arc::new(status)));
    }
}

pub(crate) fn sync_volume(cluster: &mut Cluster, cx: &mut Cx, volume: &Arc<Object>) {
    let Spec::Volume(spec) = &volume.spec else { return };
    let spec: Arc<VolumeSpec> = spec.clone();
    let claim = spec.claim.as_ref().and_then(|(namespace, name, uid)| {
        let claim = cluster.api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, namespace, name))?;
        (uid.is_empty() || *uid == claim.uid).then(|| claim.clone())
    });
    if volume.is_being_deleted() {
        if claim.is_none() {
            cluster.drop_finalizer(cx, volume, VOLUME_PROTECTION);
        }
        return;
    }
    match (&spec.claim, claim) {
        (None, _) => set_volume_phase(cluster, cx, volume, "Available"),
        (Some((_, _, uid)), None) if uid.is_empty() => set_volume_phase(cluster, cx, volume, "Available"),
        (Some(_), Some(claim)) => {
            if phase_of(volume) != "Bound" {
                cluster.queue.ask(cx, crate::records::queue::Work::Sync(claim.no));
            }
        }
        (Some(_), None) if spec.delete => {
            set_volume_phase(cluster, cx, volume, "Released");
            if let Some(volume) = cluster.api.store.object(volume.no).cloned() {
                cluster.delete(cx, &volume, &DeleteOptions::default());
            }
        }
        (Some(_), None) => set_volume_phase(cluster, cx, volume, "Released"),
    }
}

/// True if the scheduler has looked at a pod.
fn is_being_placed(scheduler: &Scheduler, pod: &Object) -> bool {
    matches!(&pod.spec, Spec::Pod(_, own) if own.is_bound()) || scheduler.is_waiting(pod.no)
}

/// `status.phase` of a claim or volume.
fn phase_of(object: &Object) -> &str {
    match &object.status {
        Status::Plain(status) => status.text("phase"),
        _ => "",
    }
}

fn claim_reference(claim: &Object) -> Value {
    planarium_protocol::json!({
        "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": claim.namespace, "name": claim.name,
        "uid": claim.uid,
    })
}
