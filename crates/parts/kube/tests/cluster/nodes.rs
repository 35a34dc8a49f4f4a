//! Nodes: away and back, tainted, cordoned, drained.

#![expect(clippy::default_trait_access, clippy::expect_used, reason = "helpers of tests")]

use crate::support::{Yard, agent};
use planarium_kube::{DrainOptions, KindId, ObjectRef, Propagation, WhyKind};
use planarium_protocol::input::FaultKind;
use serde_json::json;

fn web(replicas: u32, more: &str) -> String {
    format!(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: web, image: nginx}}]
      {more}
"
    )
}

fn up(nodes: u32, replicas: u32) -> Yard {
    let mut yard = Yard::new(nodes);
    yard.apply(&web(replicas, ""));
    yard.run_until(30, |yard| yard.ready("app=web") == replicas as usize);
    yard
}

/// Pods on a node: name and displayed status.
fn on(yard: &Yard, node: &str) -> Vec<(String, String)> {
    let pods = yard.list(KindId::POD, "");
    let facts = pods.iter().map(|pod| (pod.name.to_string(), pod.pod().expect("a pod")));
    facts
        .filter(|(_, facts)| &*facts.node == node)
        .map(|(name, facts)| (name, facts.shown.to_string()))
        .collect()
}

fn ready(yard: &Yard, node: &str) -> String {
    yard.kube.nodes().into_iter().find(|facts| &*facts.name == node).expect("a node").ready.to_string()
}

#[test]
fn a_lost_machine() {
    let mut yard = up(3, 6);
    let lost_pods = on(&yard, "node-1");
    assert_eq!(lost_pods.len(), 2, "{}", yard.pods());
    let from = yard.now() / 1000;
    let fault = yard.fault(FaultKind::AgentLost, agent("node-1"), None);
    yard.run(39);
    assert_eq!((ready(&yard, "node-1").as_str(), yard.ready("app=web")), ("True", 6), "nobody has noticed");
    yard.run(2);
    assert_eq!((ready(&yard, "node-1").as_str(), yard.ready("app=web")), ("Unknown", 4));
    let node = yard.value(KindId::NODE, "node-1");
    let taints: Vec<String> = yard.kube.nodes()[0].taints.iter().map(ToString::to_string).collect();
    assert_eq!(
        taints,
        ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
        "{node}"
    );
    assert_eq!(node["status"]["conditions"][3]["message"], "Kubelet stopped posting node status.");
    assert_eq!(yard.why(KindId::POD, &lost_pods[0].0)[0].0, WhyKind::NodeNotReady);
    // Five minutes later its pods are deleted and replaced elsewhere; the deletion stays unconfirmed.
    yard.run(295);
    assert_eq!(on(&yard, "node-1").iter().filter(|(_, shown)| shown == "Terminating").count(), 0);
    yard.run(30);
    assert_eq!(on(&yard, "node-1").iter().filter(|(_, shown)| shown == "Terminating").count(), 2);
    assert_eq!(yard.ready("app=web"), 6);
    assert_eq!(yard.told(from, &["TaintManagerEviction"]).len(), 2);
    yard.clear(&fault);
    yard.run(15);
    assert_eq!((ready(&yard, "node-1").as_str(), on(&yard, "node-1").len()), ("True", 0));
    assert!(yard.kube.nodes()[0].taints.is_empty());
}

#[test]
fn a_rebooted_machine_restarts_its_pods_in_place() {
    let mut yard = up(2, 4);
    let before: Vec<String> = on(&yard, "node-1").into_iter().map(|(name, _)| name).collect();
    yard.fault(FaultKind::AgentLost, agent("node-1"), Some(100_000));
    yard.run(130);
    let after: Vec<String> = on(&yard, "node-1").into_iter().map(|(name, _)| name).collect();
    assert_eq!(after, before);
    assert_eq!(yard.ready("app=web"), 4);
    let value = yard.value(KindId::POD, &before[0]);
    assert_eq!(value["status"]["containerStatuses"][0]["restartCount"], 1);
    assert_eq!(value["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"], 255);
}

#[test]
fn a_silent_machine_keeps_running() {
    let mut yard = up(2, 4);
    let fault = yard.fault(FaultKind::AgentPartitioned, agent("node-1"), None);
    yard.run(60);
    assert_eq!((ready(&yard, "node-1").as_str(), yard.ready("app=web")), ("Unknown", 2));
    yard.clear(&fault);
    yard.run(12);
    assert_eq!((ready(&yard, "node-1").as_str(), yard.ready("app=web")), ("True", 4));
    let restarts: u32 = yard.list(KindId::POD, "").iter().map(|pod| pod.pod().expect("a pod").restarts).sum();
    assert_eq!(restarts, 0, "its processes were never away");
    // Pods that were deleted meanwhile end when it is back.
    let fault = yard.fault(FaultKind::AgentPartitioned, agent("node-1"), None);
    yard.run(400);
    assert_eq!(yard.fleet.process_ids().count(), 6, "two of them nobody wants any more");
    yard.clear(&fault);
    yard.run(20);
    assert_eq!((yard.fleet.process_ids().count(), yard.list(KindId::POD, "").len()), (4, 4));
}

#[test]
fn a_kubelet_restart_is_not_noticed() {
    let mut yard = up(2, 4);
    let version = yard.kube.resource_version();
    yard.fault(FaultKind::AgentRestart, agent("node-1"), Some(20_000));
    yard.run(60);
    assert_eq!(yard.kube.resource_version(), version, "nothing has changed");
    // What ends meanwhile is noticed afterwards.
    yard.fault(FaultKind::AgentRestart, agent("node-1"), Some(30_000));
    let name = on(&yard, "node-1")[0].0.clone();
    let target = planarium_protocol::input::Target { pod: Some(name.clone()), ..Default::default() };
    yard.fault(FaultKind::TaskFail, target, None);
    yard.run(10);
    assert_eq!(yard.ready("app=web"), 4);
    yard.run(60);
    assert_eq!(yard.get(KindId::POD, &name).expect("there").pod().expect("a pod").restarts, 1);
}

#[test]
fn tolerating_pods_stay() {
    let mut yard = Yard::new(1);
    yard.apply(&web(2, "tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 10}]"));
    yard.run_until(30, |yard| yard.ready("app=web") == 2);
    yard.fault(FaultKind::AgentLost, agent("node-1"), None);
    yard.run(45);
    assert_eq!(yard.list(KindId::POD, "").len(), 2);
    yard.run(10);
    let (going, pending): (Vec<_>, Vec<_>) =
        yard.list(KindId::POD, "").into_iter().partition(|pod| pod.is_being_deleted());
    assert_eq!((going.len(), pending.len()), (2, 2), "{}", yard.pods());
    let why = yard.why(KindId::POD, &pending[0].name);
    assert_eq!(
        why[0].1,
        "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    );
}

#[test]
fn taints_set_by_a_client() {
    let mut yard = up(2, 4);
    let taint = json!({"spec": {"taints": [{"key": "team", "value": "blue", "effect": "NoSchedule"}]}});
    yard.patch(KindId::NODE, "node-1", taint).expect("tainted");
    yard.run(10);
    assert_eq!(on(&yard, "node-1").len(), 2, "those that are there stay");
    let taint = json!({"spec": {"taints": [{"key": "team", "value": "blue", "effect": "NoExecute"}]}});
    yard.patch(KindId::NODE, "node-1", taint).expect("tainted");
    yard.run(20);
    assert_eq!((on(&yard, "node-1").len(), on(&yard, "node-2").len()), (0, 4));
    yard.patch(KindId::NODE, "node-1", json!({"spec": {"taints": null}})).expect("cleared");
    yard.kube
        .patch(
            &mut yard.cx,
            ObjectRef::new(KindId::DEPLOYMENT, "default", "web"),
            planarium_kube::Part::Scale,
            &planarium_kube::Patch::Merge(json!({"spec": {"replicas": 6}})),
        )
        .expect("scaled");
    yard.run(20);
    assert_eq!(on(&yard, "node-1").len(), 2);
}

#[test]
fn a_removed_node() {
    let mut yard = up(2, 4);
    let machine = yard.fleet.find_machine("node-1").expect("a machine");
    yard.fleet.remove_machine(&mut yard.cx, machine);
    yard.kube.remove_node(&mut yard.cx, &mut yard.fleet, machine);
    yard.run(1);
    assert!(yard.get(KindId::NODE, "node-1").is_none());
    yard.run(60);
    assert_eq!((yard.ready("app=web"), on(&yard, "node-2").len(), yard.kube.nodes().len()), (4, 4, 1));
}

#[test]
fn a_drain_empties_a_node() {
    let mut yard = up(3, 6);
    yard.kube.drain(&mut yard.cx, "node-1", DrainOptions::default()).expect("there");
    yard.run(20);
    let facts = yard.kube.nodes();
    assert!(facts[0].drain.as_ref().expect("a drain").done && facts[0].cordoned, "{:?}", facts[0]);
    assert_eq!((on(&yard, "node-1").len(), yard.ready("app=web")), (0, 6));
    let node = yard.value(KindId::NODE, "node-1");
    assert_eq!(node["spec"]["unschedulable"], true);
    assert_eq!(node["spec"]["taints"][0]["key"], "node.kubernetes.io/unschedulable");
    yard.kube.uncordon(&mut yard.cx, "node-1").expect("there");
    yard.run(1);
    assert_eq!(yard.value(KindId::NODE, "node-1")["spec"], json!({}));
}

#[test]
fn a_budget_blocks_a_drain() {
    let mut yard = Yard::new(2);
    let slow = web(4, "").replace(
        "image: nginx",
        "image: nginx, readinessProbe: {exec: {command: [check]}, initialDelaySeconds: 10}",
    );
    yard.apply(&slow);
    yard.create("{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}");
    yard.run_until(60, |yard| yard.ready("app=web") == 4);
    yard.run(1);
    let status = yard.value(KindId::POD_DISRUPTION_BUDGET, "web")["status"].clone();
    for (key, value) in
        [("disruptionsAllowed", 1), ("currentHealthy", 4), ("desiredHealthy", 3), ("expectedPods", 4)]
    {
        assert_eq!(status[key], value, "{key}");
    }
    let condition = &status["conditions"][0];
    assert_eq!(
        (&condition["type"], &condition["status"], &condition["reason"]),
        (&json!("DisruptionAllowed"), &json!("True"), &json!("SufficientPods"))
    );
    let from = yard.now();
    yard.kube.drain(&mut yard.cx, "node-1", DrainOptions::default()).expect("there");
    let facts = yard.kube.nodes()[0].drain.clone().expect("a drain");
    assert_eq!((facts.left.len(), facts.blocked.len()), (2, 1));
    let mut fewest = 4;
    while !yard.kube.nodes()[0].drain.as_ref().expect("a drain").done {
        yard.run(1);
        fewest = fewest.min(yard.ready("app=web"));
        assert!(yard.now() - from < 120_000, "{}", yard.pods());
    }
    assert_eq!(fewest, 3, "one at a time");
    // A budget that is deleted holds nothing back any more.
    let mut yard = up(2, 2);
    yard.create("{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}}");
    yard.run(1);
    yard.kube.drain(&mut yard.cx, "node-1", DrainOptions::default()).expect("there");
    yard.run(20);
    assert_eq!(on(&yard, "node-1").len(), 1);
    let budget = ObjectRef::new(KindId::POD_DISRUPTION_BUDGET, "default", "web");
    yard.kube.delete(&mut yard.cx, budget, &Default::default()).expect("there");
    yard.run(60);
    assert!(yard.kube.nodes()[0].drain.as_ref().expect("a drain").done, "{}", yard.pods());
    // A budget that allows nothing holds it for ever, and nothing goes round in circles meanwhile.
    let mut yard = up(2, 2);
    yard.create("{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}}");
    yard.run(1);
    yard.kube.drain(&mut yard.cx, "node-1", DrainOptions::default()).expect("there");
    yard.run(60);
    assert_eq!((on(&yard, "node-1").len(), yard.kube.one_shots()), (1, 0));
    let name = on(&yard, "node-1")[0].0.clone();
    let error = yard.kube.evict(&mut yard.cx, "default", &name, &Default::default()).expect_err("held");
    assert_eq!(
        (error.code, error.message.as_str()),
        (429, "Cannot evict pod as it would violate the pod's disruption budget.")
    );
    assert_eq!(error.causes[0].message, "The disruption budget web needs 2 healthy pods and has 2 currently");
    yard.delete(KindId::POD_DISRUPTION_BUDGET, "web", Propagation::Background);
    assert!(yard.kube.evict(&mut yard.cx, "default", &name, &Default::default()).is_ok());
}

#[test]
fn expected_pods_of_a_budget() {
    for (spec, expected, desired) in [
        ("maxUnavailable: 1", 4, 3),
        ("maxUnavailable: 50%", 4, 2),
        ("minAvailable: 2", 4, 2),
        ("minAvailable: 75%", 4, 3),
        ("minAvailable: 30%", 4, 2),
    ] {
        let mut yard = up(2, 4);
        yard.create(&format!("{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: web}}, spec: {{{spec}, selector: {{matchLabels: {{app: web}}}}}}}}"));
        yard.run(1);
        let status = yard.value(KindId::POD_DISRUPTION_BUDGET, "web")["status"].clone();
        assert_eq!(
            (status["expectedPods"].clone(), status["desiredHealthy"].clone()),
            (json!(expected), json!(desired)),
            "{spec}"
        );
    }
}
