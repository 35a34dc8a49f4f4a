//! StatefulSets and DaemonSets.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::{Yard, agent};
use planarium_kube::{KindId, Propagation, WhyKind};
use planarium_protocol::input::FaultKind;
use serde_json::json;

const DB: &str = "
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432, name: sql}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
      - name: db
        image: 'postgres:12'
        readinessProbe: {tcpSocket: {port: 5432}, initialDelaySeconds: 2, periodSeconds: 5}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";

const STEPS: &[&str] = &["SuccessfulCreate", "SuccessfulDelete"];

fn steps(yard: &Yard, since_s: u64) -> Vec<String> {
    let told = yard.told(since_s, STEPS);
    let short = |line: &String| {
        let line = line.split_once(": ").map_or(line.as_str(), |(_, rest)| rest);
        line.replace(" in StatefulSet db successful", "").replace(" in StatefulSet db success", "")
    };
    told.iter().map(short).collect()
}

fn facts(yard: &Yard) -> planarium_kube::StatefulSetFacts {
    yard.get(KindId::STATEFUL_SET, "db").expect("there").stateful_set().expect("a set")
}

fn up(yaml: &str) -> Yard {
    let mut yard = Yard::new(3);
    yard.apply(yaml);
    yard.run_until(90, |yard| yard.ready("app=db") == 3);
    yard
}

#[test]
fn pods_are_created_in_order_with_their_own_claims() {
    let mut yard = Yard::new(3);
    yard.apply(DB);
    yard.run(1);
    assert_eq!(yard.pods(), "db-0 Pending 0/1 0 -", "it waits for its volume");
    assert_eq!(yard.why(KindId::STATEFUL_SET, "db")[0].0, WhyKind::Claim);
    yard.run_until(90, |yard| yard.ready("app=db") == 3);
    assert_eq!(
        steps(&yard, 0),
        [
            "create Claim data-db-0 Pod db-0",
            "create Pod db-0",
            "create Claim data-db-1 Pod db-1",
            "create Pod db-1",
            "create Claim data-db-2 Pod db-2",
            "create Pod db-2",
        ]
    );
    let pod = yard.value(KindId::POD, "db-1");
    assert_eq!(pod["spec"]["hostname"], "db-1");
    assert_eq!(pod["spec"]["subdomain"], "db");
    assert_eq!(
        pod["spec"]["volumes"][0],
        json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-db-1"}})
    );
    assert_eq!(pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"], "db-1");
    let facts = facts(&yard);
    assert_eq!((facts.ready_replicas, facts.current_replicas, facts.updated_replicas), (3, 3, 3));
    assert_eq!(facts.current_revision, facts.update_revision);
    assert_eq!(facts.partition, Some(0), "a strategy that is not written has a partition");
    let endpoints = yard.value(KindId::ENDPOINTS, "db");
    assert_eq!(endpoints["subsets"][0]["addresses"].as_array().expect("a list").len(), 3);
    assert!(yard.why(KindId::STATEFUL_SET, "db").is_empty());
}

#[test]
fn side_by_side() {
    let mut yard = Yard::new(3);
    yard.apply(&DB.replace("serviceName: db", "serviceName: db\n  podManagementPolicy: Parallel"));
    yard.until(0);
    assert_eq!(yard.list(KindId::POD, "app=db").len(), 3);
    yard.run_until(90, |yard| yard.ready("app=db") == 3);
    yard.patch(KindId::STATEFUL_SET, "db", json!({"spec": {"replicas": 1}})).expect("scaled");
    yard.run(10);
    assert_eq!(yard.list(KindId::POD, "app=db").len(), 1);
}

#[test]
fn scaling_down_goes_in_reverse_and_keeps_claims() {
    let mut yard = up(DB);
    let from = yard.now() / 1000;
    yard.patch(KindId::STATEFUL_SET, "db", json!({"spec": {"replicas": 1}})).expect("scaled");
    yard.run(20);
    assert_eq!(steps(&yard, from), ["delete Pod db-2", "delete Pod db-1"]);
    assert_eq!(yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").len(), 3);
    yard.delete(KindId::STATEFUL_SET, "db", Propagation::Background);
    yard.run(20);
    assert_eq!(
        (yard.list(KindId::POD, "app=db").len(), yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").len()),
        (0, 3)
    );
}

#[test]
fn updates_go_in_reverse_one_at_a_time() {
    let mut yard = up(DB);
    let from = yard.now() / 1000;
    yard.apply(&DB.replace("postgres:12", "postgres:13"));
    yard.run(1);
    let mid = facts(&yard);
    assert_eq!(mid.updated_replicas, 0);
    assert_ne!(mid.current_revision, mid.update_revision);
    yard.run_until(120, |yard| facts(yard).current_revision == facts(yard).update_revision);
    assert_eq!(
        steps(&yard, from),
        [
            "delete Pod db-2",
            "create Pod db-2",
            "delete Pod db-1",
            "create Pod db-1",
            "delete Pod db-0",
            "create Pod db-0"
        ]
    );
    assert_eq!(facts(&yard).updated_replicas, 3);
    assert_eq!(yard.list(KindId::CONTROLLER_REVISION, "").len(), 2);
    // The same claims are used again.
    assert_eq!(yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").len(), 3);
}

#[test]
fn a_partition_keeps_lower_ordinals() {
    let mut yard = up(DB);
    yard.apply(&DB.replace("postgres:12", "postgres:13").replace(
        "serviceName: db",
        "serviceName: db\n  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}",
    ));
    yard.run(40);
    let image =
        |yard: &Yard, name: &str| yard.value(KindId::POD, name)["spec"]["containers"][0]["image"].clone();
    assert_eq!(
        [image(&yard, "db-0"), image(&yard, "db-1"), image(&yard, "db-2")],
        ["postgres:12", "postgres:12", "postgres:13"]
    );
    let now = facts(&yard);
    assert_eq!((now.updated_replicas, now.current_replicas, now.partition), (1, 2, Some(2)));
    // A deleted pod below the partition is recreated unchanged.
    yard.delete(KindId::POD, "db-1", Propagation::Background);
    yard.run(30);
    assert_eq!(image(&yard, "db-1"), "postgres:12");
}

#[test]
fn a_strategy_with_only_a_type_has_no_partition() {
    let yard = up(&DB.replace("serviceName: db", "serviceName: db\n  updateStrategy: {type: RollingUpdate}"));
    assert_eq!(facts(&yard).partition, None);
}

#[test]
fn with_on_delete_pods_must_be_deleted_by_hand() {
    let mut yard = up(&DB.replace("serviceName: db", "serviceName: db\n  updateStrategy: {type: OnDelete}"));
    yard.apply(
        &DB.replace("postgres:12", "postgres:13")
            .replace("serviceName: db", "serviceName: db\n  updateStrategy: {type: OnDelete}"),
    );
    let from = yard.now() / 1000;
    yard.run(30);
    assert!(steps(&yard, from).is_empty());
    assert_eq!(&*facts(&yard).update_strategy, "OnDelete");
    assert_eq!(yard.why(KindId::STATEFUL_SET, "db")[0].0, WhyKind::OnDelete);
    yard.delete(KindId::POD, "db-1", Propagation::Background);
    yard.run(30);
    assert_eq!(facts(&yard).updated_replicas, 1);
}

#[test]
fn a_broken_update_holds_until_the_pod_is_deleted_by_hand() {
    let mut yard = up(DB);
    let broken = DB.replace("tcpSocket: {port: 5432}", "exec: {command: ['false']}");
    yard.apply(&broken);
    yard.run(40);
    assert_eq!(yard.ready("app=db"), 2);
    // Going back does not help: the set waits for the broken pod first.
    yard.apply(DB);
    yard.run(60);
    assert_eq!(yard.ready("app=db"), 2);
    yard.delete(KindId::POD, "db-2", Propagation::Background);
    yard.run(30);
    assert_eq!(yard.ready("app=db"), 3);
}

#[test]
fn a_crashing_pod_blocks_the_next_ones() {
    let mut yard = Yard::new(3);
    yard.apply(
        &DB.replace("postgres:12", "postgres:bad-12")
            .replace("initialDelaySeconds: 2", "initialDelaySeconds: 5"),
    );
    yard.run(60);
    assert_eq!(yard.list(KindId::POD, "app=db").len(), 1);
    assert!(yard.pods().starts_with("db-0 CrashLoopBackOff 0/1"), "{}", yard.pods());
    let whys = yard.why(KindId::STATEFUL_SET, "db");
    assert!(
        whys.iter()
            .any(|(kind, text)| *kind == WhyKind::Ordinal
                && text == "db-1 waits for db-0 to be running and ready"),
        "{whys:?}"
    );
}

const LOGS: &str = "
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: logs}}
  template:
    metadata: {labels: {app: logs}}
    spec:
      containers:
      - {name: logs, image: 'fluentd:1', resources: {requests: {cpu: 100m}}}
";

fn daemons(yard: &Yard) -> planarium_kube::DaemonSetFacts {
    yard.get(KindId::DAEMON_SET, "logs").expect("there").daemon_set().expect("a set")
}

#[test]
fn machines_with_one_name_are_one_node() {
    let mut yard = Yard::new(1);
    yard.apply(LOGS);
    let first = yard.machine("twin", 4, 8192, None);
    let second = yard.machine("twin", 2, 4096, None);
    yard.run(60);
    assert_eq!(
        (yard.kube.nodes().len(), yard.list(KindId::POD, "app=logs").len(), daemons(&yard).ready),
        (2, 2, 2)
    );
    let take_out = |yard: &mut Yard, machine| {
        yard.fleet.remove_machine(&mut yard.cx, machine);
        yard.kube.remove_node(&mut yard.cx, &mut yard.fleet, machine);
        yard.run(120);
        (yard.kube.nodes().len(), yard.list(KindId::POD, "app=logs").len(), daemons(yard).ready)
    };
    // The other one takes its place.
    assert_eq!(take_out(&mut yard, first), (2, 2, 2));
    assert_eq!(take_out(&mut yard, second), (1, 1, 1));
    yard.machine("twin", 4, 8192, None);
    yard.run(60);
    assert_eq!((yard.kube.nodes().len(), daemons(&yard).ready), (2, 2));
}

#[test]
fn a_daemon_runs_on_every_matching_node() {
    let mut yard = Yard::new(3);
    yard.apply(LOGS);
    yard.run_until(30, |yard| daemons(yard).ready == 3);
    yard.machine("node-4", 4, 8192, None);
    yard.run_until(30, |yard| daemons(yard).ready == 4);
    // A cordoned node keeps its daemon, and a new one still comes.
    yard.kube.cordon(&mut yard.cx, "node-1").expect("there");
    let on = |yard: &Yard| {
        yard.list(KindId::POD, "app=logs")
            .into_iter()
            .find(|pod| &*pod.pod().expect("a pod").node == "node-1")
    };
    let name = on(&yard).expect("a pod").name.clone();
    yard.delete(KindId::POD, &name, Propagation::Background);
    yard.run_until(30, |yard| daemons(yard).ready == 4);
    // With a selector it leaves nodes that it does not take any more.
    yard.patch(KindId::NODE, "node-2", json!({"metadata": {"labels": {"disk": "ssd"}}})).expect("labelled");
    yard.patch(
        KindId::DAEMON_SET,
        "logs",
        json!({"spec": {"template": {"spec": {"nodeSelector": {"disk": "ssd"}}}}}),
    )
    .expect("patched");
    yard.run(30);
    assert_eq!(
        (daemons(&yard).desired, daemons(&yard).ready, yard.list(KindId::POD, "app=logs").len()),
        (1, 1, 1)
    );
}

#[test]
fn daemons_are_replaced_one_at_a_time() {
    let mut yard = Yard::new(3);
    yard.apply(LOGS);
    yard.run_until(30, |yard| daemons(yard).ready == 3);
    yard.apply(&LOGS.replace("fluentd:1", "fluentd:2"));
    let mut fewest = 3;
    for _ in 0..600 {
        yard.until(yard.now() + 100);
        fewest = fewest.min(yard.ready("app=logs"));
    }
    assert_eq!((fewest, daemons(&yard).updated, daemons(&yard).available), (2, 3, 3));
    assert_eq!(yard.list(KindId::CONTROLLER_REVISION, "").len(), 2);
}

#[test]
fn a_daemon_stays_on_a_lost_node() {
    let mut yard = Yard::new(2);
    yard.apply(LOGS);
    yard.run_until(30, |yard| daemons(yard).ready == 2);
    let fault = yard.fault(FaultKind::AgentLost, agent("node-1"), None);
    yard.run(500);
    assert_eq!((daemons(&yard).desired, daemons(&yard).ready), (2, 1));
    assert_eq!(yard.list(KindId::POD, "app=logs").iter().filter(|pod| pod.is_being_deleted()).count(), 0);
    yard.clear(&fault);
    yard.run_until(30, |yard| daemons(yard).ready == 2);
    assert!(yard.pods().contains(" 1 node-1"), "started again in place: {}", yard.pods());
}

#[test]
fn daemons_surge() {
    let mut yard = Yard::new(3);
    let logs = LOGS.replace(
        "  selector:",
        "  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  selector:",
    );
    yard.apply(&logs);
    yard.run_until(30, |yard| daemons(yard).ready == 3);
    yard.apply(&logs.replace("fluentd:1", "fluentd:2"));
    let (mut fewest, mut most) = (3, 0);
    for _ in 0..900 {
        yard.until(yard.now() + 100);
        fewest = fewest.min(yard.ready("app=logs"));
        let there = yard.list(KindId::POD, "app=logs");
        most = most.max(there.iter().filter(|pod| !pod.is_being_deleted()).count());
    }
    assert_eq!((fewest, most), (3, 4), "none is missing, one more is there");
    assert_eq!(
        (daemons(&yard).updated, daemons(&yard).available, yard.list(KindId::POD, "app=logs").len()),
        (3, 3, 3)
    );
}

#[test]
fn unused_revisions_are_deleted() {
    let text = SET_OF_ONE;
    let mut yard = Yard::new(1);
    for turn in 1..=5 {
        yard.apply(&text.replace("image: 'db:1'", &format!("image: 'db:{turn}'")));
        yard.run(90);
    }
    assert_eq!(yard.list(KindId::CONTROLLER_REVISION, "").len(), 3, "today's, and two of history");
}

const SET_OF_ONE: &str = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: one}
spec:
  revisionHistoryLimit: 2
  serviceName: one
  selector: {matchLabels: {app: one}}
  template:
    metadata: {labels: {app: one}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: db, image: 'db:1'}]
";
