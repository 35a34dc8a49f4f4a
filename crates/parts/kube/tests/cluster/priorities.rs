//! Priority classes, and pods that go for more important ones.

use crate::support::Yard;
use planarium_kube::KindId;
use serde_json::json;

const CLASSES: &str = "
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: -5}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: patient}, value: 1000, preemptionPolicy: Never}
";

fn pod(name: &str, cpu: &str, class: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!("priorityClassName: {class}, ") };
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: {name}}}}}, spec: {{{class}terminationGracePeriodSeconds: 5, \
         containers: [{{name: main, image: 'nginx:1', resources: {{requests: {{cpu: {cpu}}}}}}}]}}}}"
    )
}

fn node_of(yard: &Yard, name: &str) -> String {
    let pod = yard.get(KindId::POD, name);
    pod.and_then(|pod| pod.pod().map(|pod| pod.node.to_string())).unwrap_or_default()
}

#[test]
fn a_class_gives_its_value() {
    let mut yard = Yard::new(1);
    yard.create(CLASSES);
    yard.create(&pod("a", "1", "high"));
    yard.create(&pod("b", "1", ""));
    yard.create(&pod("c", "1", "system-node-critical"));
    for (name, value) in [("a", 1000), ("b", 0), ("c", 2_000_001_000)] {
        assert_eq!(yard.value(KindId::POD, name)["spec"]["priority"], value, "{name}");
    }
    assert_eq!(
        yard.refused(&pod("d", "1", "none")),
        "403 Forbidden: pods \"d\" is forbidden: no PriorityClass with name none was found"
    );
    let refused = yard.refused(
        "{apiVersion: v1, kind: Pod, metadata: {name: e}, spec: {priority: 7, containers: [{name: main, image: nginx}]}}",
    );
    assert!(
        refused.contains("the integer value of priority (7) must not be provided in pod spec"),
        "{refused}"
    );
    yard.create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 3, globalDefault: true}");
    yard.create(&pod("f", "1", ""));
    let value = yard.value(KindId::POD, "f");
    assert_eq!(
        (&value["spec"]["priority"], &value["spec"]["priorityClassName"]),
        (&json!(3), &json!("usual"))
    );
    assert!(
        yard.refused("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: other}, value: 4, globalDefault: true}")
            .contains("PriorityClass usual is already marked as default. Only one default can exist")
    );
}

#[test]
fn classes_are_validated() {
    let mut yard = Yard::new(1);
    let class = |name: &str, value: i64| {
        format!(
            "{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {name}}}, value: {value}}}"
        )
    };
    assert!(
        yard.refused(&class("system-mine", 5)).contains("'system-' prefix are reserved for system use only")
    );
    assert!(
        yard.refused(&class("vast", 1_000_000_001))
            .contains("maximum allowed value of a user defined priority is 1000000000")
    );
    yard.create(&class("mine", 5));
    let error = yard.patch(KindId::PRIORITY_CLASS, "mine", json!({"value": 6})).expect_err("immutable");
    assert!(error.contains("value: Forbidden: may not be changed in an update."), "{error}");
    let names: Vec<String> =
        yard.list(KindId::PRIORITY_CLASS, "").iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["mine", "system-cluster-critical", "system-node-critical"]);
}

#[test]
fn less_important_pods_are_preempted() {
    let mut yard = Yard::new(1);
    yard.create(CLASSES);
    for name in ["a", "b", "c"] {
        yard.create(&pod(name, "1", if name == "c" { "low" } else { "" }));
    }
    yard.run(15);
    yard.create(&pod("boss", "2", "high"));
    yard.run(0);
    assert!(yard.told(0, &["Preempted"])[0].starts_with("pod/c: Preempted by pod "));
    assert!(yard.get(KindId::POD, "c").expect("going").is_being_deleted());
    let boss = yard.value(KindId::POD, "boss");
    assert_eq!(boss["status"]["nominatedNodeName"], "node-1");
    let target = yard.value(KindId::POD, "c")["status"]["conditions"].clone();
    assert!(target.to_string().contains("PreemptionByScheduler"), "{target}");
    // Another unimportant pod does not take the freed room.
    yard.create(&pod("thief", "1", ""));
    yard.run(30);
    assert_eq!((node_of(&yard, "boss").as_str(), node_of(&yard, "thief").as_str()), ("node-1", ""));
    assert!(yard.get(KindId::POD, "a").is_some() && yard.get(KindId::POD, "b").is_some());
}

#[test]
fn no_pod_is_evicted_without_effect() {
    let mut yard = Yard::new(1);
    yard.create(CLASSES);
    yard.create(&pod("a", "3", ""));
    yard.run(10);
    for (name, class, cpu, text) in [
        ("big", "high", "5", "preemption: 0/1 nodes are available: 1 Insufficient cpu."),
        (
            "equal",
            "",
            "2",
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
        ),
        ("calm", "patient", "2", "preemption: not eligible due to preemptionPolicy=Never."),
    ] {
        yard.create(&pod(name, cpu, class));
        yard.run(1);
        let told = yard.told(0, &["FailedScheduling"]).pop().expect("told");
        assert_eq!(told, format!("pod/{name}: 0/1 nodes are available: 1 Insufficient cpu. {text}"));
    }
    assert_eq!(yard.told(0, &["Preempted"]), Vec::<String>::new());
}

#[test]
fn victims_are_few_and_budgets_are_kept_if_possible() {
    let mut yard = Yard::new(2);
    yard.create(CLASSES);
    let pinned = |name: &str, cpu: &str, node: u32| {
        pod(name, cpu, "")
            .replace("spec: {", &format!("spec: {{nodeSelector: {{kubernetes.io/hostname: node-{node}}}, "))
    };
    for (name, cpu, node) in [("a", "2", 1), ("b", "2", 1), ("c", "4", 2)] {
        yard.create(&pinned(name, cpu, node));
    }
    yard.create("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: c}, spec: {minAvailable: 1, selector: {matchLabels: {app: c}}}}");
    yard.run(15);
    // One victim on the second node would be fewer, but its budget allows none.
    yard.create(&pod("boss", "3", "high"));
    yard.run(30);
    assert_eq!(node_of(&yard, "boss"), "node-1");
    assert_eq!(yard.told(0, &["Preempted"]).len(), 2);
    assert_eq!(node_of(&yard, "c"), "node-2");
}
