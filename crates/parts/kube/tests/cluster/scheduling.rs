//! The choice of nodes, and the messages without a feasible one.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::KindId;
use serde_json::json;

fn pod(name: &str, labels: &str, spec: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {labels}}}\nspec:\n  containers: [{{name: a, image: nginx}}]\n  {spec}\n"
    )
}

fn node_of(yard: &Yard, pod: &str) -> String {
    yard.get(KindId::POD, pod).expect(pod).pod().expect("a pod").node.to_string()
}

fn zones() -> Yard {
    let mut yard = Yard::new(0);
    for (name, zone) in [("a-1", "a"), ("a-2", "a"), ("b-1", "b")] {
        yard.machine(name, 4, 8192, Some(zone));
    }
    yard
}

#[test]
fn refusals_have_the_real_words() {
    for (spec, expected) in [
        (
            "nodeSelector: {disk: ssd}",
            "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
        ),
        (
            "containers: [{name: a, image: nginx, resources: {requests: {cpu: 5}}}]",
            "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
        ),
        (
            "containers: [{name: a, image: nginx, resources: {requests: {cpu: 5, memory: 9Gi}}}]",
            "0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
        ),
        (
            "containers: [{name: a, image: nginx, resources: {limits: {nvidia.com/gpu: 1}}}]",
            "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
        ),
        (
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: none}}}]}}",
            "0/3 nodes are available: 3 node(s) didn't match pod affinity rules. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
        ),
        (
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]",
            "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints (missing required label). preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
        ),
    ] {
        let mut yard = zones();
        let text = pod("one", "{app: x}", spec);
        // A second list of containers takes the place of the first.
        let text = if spec.starts_with("containers") {
            text.replacen("  containers: [{name: a, image: nginx}]\n", "", 1)
        } else {
            text
        };
        yard.create(&text);
        yard.run(1);
        assert_eq!(yard.told(0, &["FailedScheduling"]), [format!("pod/one: {expected}")]);
        let value = yard.value(KindId::POD, "one");
        assert_eq!(value["status"]["conditions"][0]["reason"], "Unschedulable");
        assert_eq!(value["status"]["conditions"][0]["message"], expected);
        assert_eq!(yard.why(KindId::POD, "one")[0].1, expected);
        assert_eq!(yard.kube.one_shots(), 0, "it tries again when something changes");
    }
    let mut yard = zones();
    yard.kube.cordon(&mut yard.cx, "a-1").expect("there");
    yard.patch(
        KindId::NODE,
        "a-2",
        json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}}),
    )
    .expect("tainted");
    yard.create(&pod("one", "{}", "nodeSelector: {topology.kubernetes.io/zone: a}"));
    yard.run(1);
    assert_eq!(
        yard.told(0, &["FailedScheduling"]),
        [
            "pod/one: 0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {k: v}, \
          1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        ]
    );
    let mut yard = Yard::new(0);
    yard.create(&pod("one", "{}", ""));
    yard.run(1);
    assert_eq!(yard.told(0, &["FailedScheduling"]), ["pod/one: no nodes available to schedule pods"]);
    yard.machine("late", 1, 1024, None);
    yard.run(2);
    assert_eq!(node_of(&yard, "one"), "late");
}

#[test]
fn pods_follow_their_node_rules() {
    for (spec, expected) in [
        ("nodeSelector: {topology.kubernetes.io/zone: b}", "b-1"),
        ("nodeName: a-2", "a-2"),
        (
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [a-1, a-2]}]}]}}}",
            "b-1",
        ),
        (
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a-2]}]}}]}}",
            "a-2",
        ),
        (
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: anchor}}}]}}",
            "a-1",
        ),
        (
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: anchor}}}]}}",
            "b-1",
        ),
        (
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: anchor}}}]",
            "b-1",
        ),
    ] {
        let mut yard = zones();
        yard.create(&pod("anchor", "{app: anchor}", "nodeName: a-1"));
        yard.run(1);
        yard.create(&pod("one", "{app: anchor}", spec));
        yard.run(1);
        assert_eq!(node_of(&yard, "one"), expected, "{spec}");
    }
}

#[test]
fn anti_affinity_holds_both_ways() {
    let mut yard = zones();
    let alone = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}";
    yard.create(&format!(
        "
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: x}}
spec:
  podManagementPolicy: Parallel
  replicas: 4
  selector: {{matchLabels: {{app: x}}}}
  template:
    metadata: {{labels: {{app: x}}}}
    spec:
      containers: [{{name: a, image: nginx}}]
      {alone}
"
    ));
    yard.run(20);
    let mut nodes: Vec<String> = (0..3).map(|n| node_of(&yard, &format!("x-{n}"))).collect();
    nodes.sort();
    assert_eq!(
        (nodes, node_of(&yard, "x-3").as_str()),
        (vec!["a-1".to_owned(), "a-2".to_owned(), "b-1".to_owned()], "")
    );
    assert!(yard.told(0, &["FailedScheduling"])[0].ends_with(
        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
    ));
    // A pod without such a rule that others exclude.
    yard.create(&pod("guest", "{app: x}", ""));
    yard.run(1);
    assert!(
        yard.told(0, &["FailedScheduling"])
            .pop()
            .expect("one")
            .contains("didn't satisfy existing pods anti-affinity rules")
    );
    yard.machine("c-1", 4, 8192, Some("c"));
    yard.run(5);
    let placed = [node_of(&yard, "x-3"), node_of(&yard, "guest")];
    assert!(placed.contains(&"c-1".to_owned()) && placed.contains(&String::new()), "{placed:?}");
}

#[test]
fn freed_room_is_used() {
    let mut yard = Yard::sized(1, 1, 1024);
    let big = |name: &str| {
        pod(name, "{}", "").replace("image: nginx", "image: nginx, resources: {requests: {cpu: 800m}}")
    };
    yard.create(&big("one"));
    yard.run(10);
    yard.create(&big("two"));
    yard.run(10);
    assert_eq!(node_of(&yard, "two"), "");
    yard.delete(KindId::POD, "one", planarium_kube::Propagation::Background);
    yard.run(10);
    assert_eq!(node_of(&yard, "two"), "node-1");
}

#[test]
fn pods_of_a_workload_are_spread() {
    let mut yard = zones();
    yard.create(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: 9, selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: a, image: nginx}]}}}}",
    );
    yard.run(20);
    let count = |node: &str| {
        yard.list(KindId::POD, "app=x").iter().filter(|pod| &*pod.pod().expect("a pod").node == node).count()
    };
    let counts = [count("a-1"), count("a-2"), count("b-1")];
    assert!(
        counts.iter().sum::<usize>() == 9 && counts.iter().all(|count| (2..=5).contains(count)),
        "{counts:?}"
    );
    assert!(counts[2] >= 3, "zones weigh more than nodes: {counts:?}");
}
