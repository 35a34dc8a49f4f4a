//! Services: the pods behind them, as Endpoints, and the addresses of load balancers.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/endpoint/endpoints_controller.go`, `pkg/controller/service`; match but for
//! named target ports that differ between pods, and for an address that a load balancer has after a drawn time.

use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef},
    records::queue::Timer,
    records::selections::Picked,
    request::DeleteOptions,
    spec::Spec,
    status::{Ip, Status},
    tree::Tree,
};
use planarium_ground::Cx;
use planarium_kernel::draw;
use std::sync::Arc;

const BALANCE: u32 = 0x4B04;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, service: &Arc<Object>) {
    balance(cluster, cx, service);
    let addresses = cluster.selections.all.get(&service.no).and_then(|selection| match &selection.picked {
        Picked::Service(addresses) => Some(addresses.clone()),
        Picked::Budget(_) => None,
    });
    let reference = ObjectRef::new(KindId::ENDPOINTS, &service.namespace, &service.name);
    let there = cluster.api.get(reference).cloned();
    let Some(addresses) = addresses else {
        // Without a selector, Endpoints belong to others; those made for an earlier selector are deleted.
        if let Some(there) = there.filter(|there| matches!(there.status, Status::Endpoints(_))) {
            cluster.delete(cx, &there, &DeleteOptions::default());
        }
        return;
    };
    match there {
        Some(there) => {
            let same = matches!(&there.status, Status::Endpoints(old) if Arc::ptr_eq(old, &addresses)
                    || old.pods == addresses.pods && old.ports == addresses.ports);
            if !same {
                let labels = service.labels.clone();
                cluster.put(
                    cx,
                    Object { status: Status::Endpoints(addresses), labels, ..Object::clone(&there) },
                );
            }
        }
        None => {
            let mut parts = Parts::new(KindId::ENDPOINTS, &service.namespace, service.name.clone());
            parts.labels = service.labels.clone();
            parts.status = Status::Endpoints(addresses);
            let made = cluster.create_owned(cx, None, parts);
            debug_assert!(
                made.is_ok() || service.is_being_deleted(),
                "endpoints of {} could not be made",
                service.name
            );
        }
    }
}

/// Assigns an address to a load balancer Service after a delay.
fn balance(cluster: &mut Cluster, cx: &Cx, service: &Object) {
    let wants = service.content().at(&["spec", "type"]) == "LoadBalancer";
    let has = service.status().is_some_and(|status| !status.key("loadBalancer").items("ingress").is_empty());
    let armed = cluster.workloads.get(service.no).and_then(|workload| workload.timer);
    if wants && !has && armed.is_none() {
        let delay = draw::between(cluster.api.seed, draw::entity(&service.uid), BALANCE, 0, 2_000, 8_000);
        let timer = cluster.queue.arm_in(cx, delay, Timer::Balanced(service.no));
        let due = cx.now().saturating_add(delay);
        cluster.workloads.change(service.no, |workload| workload.timer = Some((timer, due)));
    }
    if !wants && let Some((timer, _)) = armed {
        cluster.queue.disarm(Some(timer));
        cluster.workloads.change(service.no, |workload| workload.timer = None);
    }
}

/// The load balancer of a Service has its address.
pub(crate) fn balanced(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    cluster.workloads.change(no, |workload| workload.timer = None);
    let Some(service) = cluster.api.store.object(no).cloned() else { return };
    if !matches!(service.spec, Spec::Service(_)) {
        return;
    }
    // 203.0.113.0/24 and on: addresses for examples.
    let host = draw::between(cluster.api.seed, draw::entity(&service.uid), BALANCE, 1, 1, 254);
    let ip = Ip(0xCB00_7100 + u32::try_from(host).unwrap_or(1));
    let status = planarium_protocol::json!({ "loadBalancer": { "ingress": [{ "ip": ip.text() }] } });
    let service = cluster.put_status(cx, &service, Status::Plain(Arc::new(status)));
    cluster.reports.record(
        cx,
        &service,
        false,
        "EnsuredLoadBalancer",
        "Ensured load balancer",
        "service-controller",
    );
}
