//! Services: the pods behind them, as Endpoints, and the addresses of load balancers.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/endpoint/endpoints_controller.go`, `pkg/controller/service`; match but for
//! named target ports that differ between pods, and for an address that a load balancer has after a drawn time.

use crate::{
    api::Parts,
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo, ObjectRef},
    queue::Timer,
    request::DeleteOptions,
    spec::Spec,
    status::{Ip, Status},
    tree::{Tree, put_new},
    watcher::Book,
};
use planarium_ground::Cx;
use planarium_kernel::draw;
use planarium_protocol::json::{self, Map, Value};
use std::sync::Arc;

const BALANCE: u32 = 0x4B04;

/// The ports of a Service as its Endpoints show them.
pub(crate) fn ports(service: &Value) -> Vec<Value> {
    let one = |port: &Value| {
        let mut fields = Map::new();
        if !port.text("name").is_empty() {
            json::put(&mut fields, "name", port.key("name").clone());
        }
        let target = port.key("targetPort");
        json::put(
            &mut fields,
            "port",
            if target.is_i64() { target.clone() } else { port.key("port").clone() },
        );
        put_new(&mut fields, "protocol", port.key("protocol").clone());
        Value::Object(fields)
    };
    service.key("spec").items("ports").iter().map(one).collect()
}

impl Kube {
    pub(crate) fn sync_service(&mut self, cx: &mut Cx, service: &Arc<Object>) {
        self.balance(cx, service);
        let addresses = self.watchers.all.get(&service.no).and_then(|watcher| match &watcher.book {
            Book::Service(addresses) => Some(addresses.clone()),
            Book::Budget(_) => None,
        });
        let reference = ObjectRef::new(KindId::ENDPOINTS, &service.namespace, &service.name);
        let there = self.get(reference).cloned();
        let Some(addresses) = addresses else {
            // Without a selector Endpoints are somebody else's; those made for an earlier one go.
            if let Some(there) = there.filter(|there| matches!(there.status, Status::Endpoints(_))) {
                self.delete_object(cx, &there, &DeleteOptions::default());
            }
            return;
        };
        match there {
            Some(there) => {
                let same = matches!(&there.status, Status::Endpoints(old) if Arc::ptr_eq(old, &addresses)
                    || old.pods == addresses.pods && old.ports == addresses.ports);
                if !same {
                    let labels = service.labels.clone();
                    self.put(
                        cx,
                        Object { status: Status::Endpoints(addresses), labels, ..Object::clone(&there) },
                    );
                }
            }
            None => {
                let mut parts = Parts::new(KindId::ENDPOINTS, &service.namespace, service.name.clone());
                parts.labels = service.labels.clone();
                parts.status = Status::Endpoints(addresses);
                let made = self.create_owned(cx, None, parts);
                debug_assert!(
                    made.is_ok() || service.is_being_deleted(),
                    "endpoints of {} could not be made",
                    service.name
                );
            }
        }
    }

    /// A Service is gone, and what was made for it goes with it.
    pub(crate) fn drop_endpoints(&mut self, cx: &mut Cx, service: &Object) {
        let reference = ObjectRef::new(KindId::ENDPOINTS, &service.namespace, &service.name);
        if let Some(there) =
            self.get(reference).filter(|there| matches!(there.status, Status::Endpoints(_))).cloned()
        {
            self.delete_object(cx, &there, &DeleteOptions::default());
        }
        let timer = self.workload(service.no).and_then(|workload| workload.timer);
        self.queue.disarm(timer.map(|(timer, _)| timer));
    }

    /// A Service that wants a load balancer gets an address after a while.
    fn balance(&mut self, cx: &Cx, service: &Object) {
        let wants = service.content().at(&["spec", "type"]) == "LoadBalancer";
        let has =
            service.status().is_some_and(|status| !status.key("loadBalancer").items("ingress").is_empty());
        let armed = self.workload(service.no).and_then(|workload| workload.timer);
        if wants && !has && armed.is_none() {
            let delay = draw::between(self.seed, draw::entity(&service.uid), BALANCE, 0, 2_000, 8_000);
            let timer = self.arm(cx, delay, Timer::Balanced(service.no));
            let due = cx.now().saturating_add(delay);
            self.workload_mut(service.no, |workload| workload.timer = Some((timer, due)));
        }
        if !wants && let Some((timer, _)) = armed {
            self.queue.disarm(Some(timer));
            self.workload_mut(service.no, |workload| workload.timer = None);
        }
    }

    /// The load balancer of a Service has its address.
    pub(crate) fn service_balanced(&mut self, cx: &mut Cx, no: ObjectNo) {
        self.workload_mut(no, |workload| workload.timer = None);
        let Some(service) = self.store.object(no).cloned() else { return };
        if !matches!(service.spec, Spec::Service(_)) {
            return;
        }
        // 203.0.113.0/24 and on: addresses for examples.
        let host = draw::between(self.seed, draw::entity(&service.uid), BALANCE, 1, 1, 254);
        let ip = Ip(0xCB00_7100 + u32::try_from(host).unwrap_or(1));
        let status = planarium_protocol::json!({ "loadBalancer": { "ingress": [{ "ip": ip.text() }] } });
        let service = self.put_status(cx, &service, Status::Plain(Arc::new(status)));
        self.record(
            cx,
            &service,
            false,
            "EnsuredLoadBalancer",
            "Ensured load balancer",
            "service-controller",
        );
    }
}
