//! Claims that a pod mounts have to be there and bound.
//!
//! Source: `kubernetes/kubernetes: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go` (1.29), match in words.

use crate::{
    api::Api,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef},
    records::queue::Work,
    spec::{Spec, placement::NodeTerm},
};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// Node terms, one list for each volume that has some.
pub(super) type Terms = Vec<Arc<Vec<NodeTerm>>>;

/// Returns the node terms of a pod's volumes, and starts provisioning claims that wait for their first pod. *Errors*: why it fits
/// nowhere.
pub(super) fn ready(cluster: &mut Cluster, cx: &Cx, pod: &Object) -> Result<Terms, Text> {
    let (terms, wanted) = terms(&cluster.api, pod)?;
    if wanted.is_empty() {
        return Ok(terms);
    }
    for claim in wanted {
        cluster.queue.ask(cx, Work::Sync(claim));
    }
    Err("pod is waiting for its volumes to be provisioned".into())
}

/// Returns the node terms of a pod's volumes, and its claims that are provisioned for their first pod. *Errors*: why it fits nowhere.
pub(super) fn terms(api: &Api, pod: &Object) -> Result<(Terms, Vec<ObjectNo>), Text> {
    let mut terms = Vec::new();
    let mut wanted: Vec<ObjectNo> = Vec::new();
    for name in pod.claims() {
        let claim = api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, &pod.namespace, name));
        let Some(claim) = claim else {
            return Err(format!("persistentvolumeclaim {name:?} not found").into());
        };
        if claim.is_being_deleted() {
            return Err(format!("persistentvolumeclaim {name:?} is being deleted").into());
        }
        let Spec::Claim(spec) = &claim.spec else { continue };
        if !claim.is_bound_claim() {
            let class = spec
                .class
                .as_deref()
                .and_then(|class| api.get(ObjectRef::new(KindId::STORAGE_CLASS, "", class)));
            let waits = class.is_some_and(|class| matches!(&class.spec, Spec::Class(class) if class.waits));
            if !waits {
                return Err("pod has unbound immediate PersistentVolumeClaims".into());
            }
            wanted.push(claim.no);
            continue;
        }
        let volume = spec
            .volume
            .as_deref()
            .and_then(|name| api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME, "", name)));
        if let Some(Spec::Volume(volume)) = volume.map(|volume| &volume.spec)
            && let Some(nodes) = &volume.node_terms
        {
            terms.push(Arc::new(nodes.clone()));
        }
    }
    Ok((terms, wanted))
}
