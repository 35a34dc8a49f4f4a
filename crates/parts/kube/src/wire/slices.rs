//! EndpointSlices of Services, read off their Endpoints.
//!
//! **Source**: `kubernetes/kubernetes: pkg/controller/endpointslice` (1.29); match but for slices of more than a hundred addresses, which are
//! one here; they are not objects of their own, so their version is that of the Endpoints.

use crate::{
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectRef, OwnerReference, Pairs},
    spec::{Spec, workload::safe_text},
    status::Status,
    tree::Tree,
};
use planarium_kernel::draw;
use planarium_protocol::{json, json::Value};
use std::sync::Arc;

/// The slice of some Endpoints; none for those that no Service has.
pub(super) fn slice_of(kube: &Kube, endpoints: &Arc<Object>) -> Option<Arc<Object>> {
    if !matches!(endpoints.status, Status::Endpoints(_)) {
        return None;
    }
    let info = kube.kind_info(KindId::ENDPOINT_SLICE)?.clone();
    let service = kube.get(ObjectRef::new(KindId::SERVICE, &endpoints.namespace, &endpoints.name));
    let value = endpoints.to_value();
    let subset = value.items("subsets").first().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (key, ready) in [("addresses", true), ("notReadyAddresses", false)] {
        for address in subset.items(key) {
            let mut one = json!({
                "addresses": [(address.key("ip").clone())],
                "conditions": { "ready": ready, "serving": ready, "terminating": false },
                "targetRef": (address.key("targetRef").clone()),
            });
            if let Some(fields) = one.as_object_mut() {
                let node = address.text("nodeName");
                if !node.is_empty() {
                    json::put(fields, "nodeName", node.into());
                }
                if let Some(zone) = kube.cluster.nodes.named(node).and_then(|node| node.zone.clone()) {
                    json::put(fields, "zone", zone.as_ref().into());
                }
            }
            all.push(one);
        }
    }
    let mut ports = subset.key("ports").as_array().cloned().unwrap_or_default();
    for port in ports.iter_mut().filter_map(Value::as_object_mut) {
        if !port.contains_key("name") {
            json::put(port, "name", "".into());
        }
    }
    let content =
        json!({ "addressType": "IPv4", "endpoints": Value::Array(all), "ports": Value::Array(ports) });
    let print = draw::entity(&endpoints.uid);
    let labels = endpoints
        .labels
        .with("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io")
        .with("kubernetes.io/service-name", endpoints.name.clone());
    Some(Arc::new(Object {
        kind: KindId::ENDPOINT_SLICE,
        info,
        name: format!("{}-{}", endpoints.name, safe_text(print, 5)).into(),
        uid: draw::Uuid::draw(kube.api().seed, print, 0x4B0A, 0).as_str().into(),
        generate_name: Some(format!("{}-", endpoints.name).into()),
        generation: 1,
        labels,
        annotations: Pairs::default(),
        owners: Arc::new(service.map(|service| OwnerReference::controlling(service)).into_iter().collect()),
        content: Arc::new(content),
        spec: Spec::Plain,
        status: Status::None,
        managed: None,
        applied: None,
        ..Object::clone(endpoints)
    }))
}

/// The slices of a namespace, or of all. *Order*: namespace, name of the Service.
pub(super) fn all(kube: &Kube, namespace: Option<&str>) -> Vec<Arc<Object>> {
    let endpoints = kube.api().store.of_kind(KindId::ENDPOINTS, namespace);
    endpoints.filter_map(|one| slice_of(kube, one)).collect()
}
