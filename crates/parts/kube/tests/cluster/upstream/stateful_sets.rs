//! StatefulSets.

use super::{Rows, active, ready, write_status};
use crate::support::Yard;
use planarium_kube::{KindId, Propagation};
use serde_json::json;

const SET: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: {name: foo}
spec:
  replicas: 3
  serviceName: governingsvc
  selector: {matchLabels: {foo: bar}}
  template:
    metadata: {labels: {foo: bar}}
    spec:
      containers: [{name: nginx, image: 'nginx:1', volumeMounts: [{name: datadir, mountPath: /tmp/zookeeper}, {name: home, mountPath: /home}]}]
      volumes: [{name: home, hostPath: {path: /tmp/home}}]
  volumeClaimTemplates:
  - metadata: {name: datadir}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: '1'}}}
";

/// A yard with the set, perhaps with other fields.
fn with(more: &str) -> Yard {
    let mut yard = Yard::new(0);
    yard.create(&SET.replace("spec:\n  replicas: 3\n", &format!("spec:\n  replicas: 3\n{more}")));
    yard.run(0);
    yard
}

fn names(yard: &Yard) -> String {
    active(yard).join(" ")
}

/// Makes the pods ready that are there, once.
fn step(yard: &mut Yard) {
    for pod in active(yard) {
        ready(yard, &pod);
    }
    yard.run(0);
}

/// Makes pods ready until all are.
fn settle(yard: &mut Yard) {
    for _ in 0..12 {
        step(yard);
    }
}

fn images(yard: &Yard) -> String {
    let image = |pod: &std::sync::Arc<planarium_kube::Object>| {
        let value = pod.to_value();
        value["spec"]["containers"][0]["image"]
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("nginx:")
            .to_owned()
    };
    yard.list(KindId::POD, "").iter().map(image).collect::<Vec<_>>().join(" ")
}

#[test]
fn pods_of_a_set_have_its_identity() {
    identity(&mut Rows::default());
}

pub(super) fn identity(rows: &mut Rows) {
    let mut yard = with("  podManagementPolicy: Parallel\n");
    let pod = yard.value(KindId::POD, "foo-1");
    rows.source("pkg/controller/statefulset/stateful_set_utils_test.go: TestIdentityMatches");
    rows.check("hostname", pod["spec"]["hostname"].clone(), json!("foo-1"));
    rows.check("subdomain", pod["spec"]["subdomain"].clone(), json!("governingsvc"));
    rows.check("namespace", pod["metadata"]["namespace"].clone(), json!("default"));
    let label = pod["metadata"]["labels"]["statefulset.kubernetes.io/pod-name"].clone();
    rows.check("the label with its name", label, json!("foo-1"));
    rows.source("pkg/controller/statefulset/stateful_set_utils_test.go: TestStorageMatches");
    let volumes = pod["spec"]["volumes"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| volumes.iter().find(|one| one["name"] == name).cloned().unwrap_or_default();
    rows.check(
        "its claim",
        of("datadir")["persistentVolumeClaim"]["claimName"].clone(),
        json!("datadir-foo-1"),
    );
    rows.check("the volume of the template", of("home")["hostPath"]["path"].clone(), json!("/tmp/home"));
    rows.check(
        "the claim is there",
        yard.get(KindId::PERSISTENT_VOLUME_CLAIM, "datadir-foo-1").is_some(),
        true,
    );
    rows.source("pkg/controller/statefulset/stateful_set_utils_test.go: TestNewPodControllerRef");
    let owner = pod["metadata"]["ownerReferences"][0].clone();
    for (key, expected) in [
        ("apiVersion", json!("apps/v1")),
        ("kind", json!("StatefulSet")),
        ("name", json!("foo")),
        ("uid", yard.value(KindId::STATEFUL_SET, "foo")["metadata"]["uid"].clone()),
        ("controller", json!(true)),
    ] {
        rows.check(key, owner[key].clone(), expected);
    }
    rows.source("pkg/controller/statefulset/stateful_set_utils_test.go: TestGetParentNameAndOrdinal");
    for (name, is_member) in [("foo-7", true), ("1-bar", false), ("foo2-1", false), ("foo", false)] {
        yard.create(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{foo: bar}}}}, spec: {{containers: [{{name: a, image: 'a:1'}}]}}}}"
        ));
        yard.run(0);
        // A member is adopted, and goes where its ordinal is beyond the size.
        let gone = yard.get(KindId::POD, name).is_none_or(|pod| pod.is_being_deleted());
        rows.check(name, gone, is_member);
    }
}

#[test]
fn pods_of_a_set_come_in_order() {
    order(&mut Rows::default());
}

pub(super) fn order(rows: &mut Rows) {
    rows.source("pkg/controller/statefulset/stateful_set_utils_test.go: TestIsRunningAndReady");
    let mut yard = with("");
    rows.check("pending: the next one waits", names(&yard), "foo-0".to_owned());
    write_status(&mut yard, KindId::POD, "foo-0", &json!({ "phase": "Running" }));
    yard.run(0);
    rows.check("running, without the condition: it waits", names(&yard), "foo-0".to_owned());
    ready(&mut yard, "foo-0");
    yard.run(0);
    rows.check("running and ready: it is made", names(&yard), "foo-0 foo-1".to_owned());

    rows.source("pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControl");
    settle(&mut yard);
    rows.check("CreatesPods", names(&yard), "foo-0 foo-1 foo-2".to_owned());
    let counts = |yard: &Yard| {
        let status = yard.value(KindId::STATEFUL_SET, "foo")["status"].clone();
        ["replicas", "readyReplicas", "updatedReplicas"].map(|key| status[key].as_u64().unwrap_or(0))
    };
    rows.check("CreatesPods: status", counts(&yard), [3, 3, 3]);
    yard.patch(KindId::STATEFUL_SET, "foo", json!({ "spec": { "replicas": 4 } })).expect("scaled");
    yard.run(0);
    rows.check("ScalesUp", names(&yard), "foo-0 foo-1 foo-2 foo-3".to_owned());
    rows.check("ScalesUp: not ready yet", counts(&yard), [4, 3, 4]);
    settle(&mut yard);
    yard.patch(KindId::STATEFUL_SET, "foo", json!({ "spec": { "replicas": 0 } })).expect("scaled");
    settle(&mut yard);
    rows.check("ScalesDown", (names(&yard), counts(&yard)), (String::new(), [0, 0, 0]));
    let claims = yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").len();
    rows.check("ScalesDown: claims stay", claims, 4);

    let mut yard = with("");
    settle(&mut yard);
    let uid = |yard: &Yard, pod: &str| yard.value(KindId::POD, pod)["metadata"]["uid"].clone();
    for pod in ["foo-0", "foo-2", "foo-1"] {
        let before = uid(&yard, pod);
        yard.delete(KindId::POD, pod, Propagation::Background);
        settle(&mut yard);
        rows.check(&format!("ReplacesPods: {pod} is there"), names(&yard), "foo-0 foo-1 foo-2".to_owned());
        rows.check(&format!("ReplacesPods: {pod} is another one"), uid(&yard, pod) == before, false);
    }
    let before = uid(&yard, "foo-0");
    write_status(&mut yard, KindId::POD, "foo-0", &json!({ "phase": "Failed" }));
    yard.run(0);
    settle(&mut yard);
    rows.check(
        "RecreatesFailedPod",
        (names(&yard).split(' ').count(), uid(&yard, "foo-0") == before),
        (3, false),
    );

    let yard = with("  podManagementPolicy: Parallel\n");
    rows.check("Burst: CreatesPods", names(&yard), "foo-0 foo-1 foo-2".to_owned());
}

#[test]
fn a_set_is_updated_from_the_highest_ordinal_on() {
    updates(&mut Rows::default());
}

/// A set of these fields whose template has changed; the images of its pods after each step.
fn updated(more: &str) -> (Yard, Vec<String>) {
    let mut yard = with(more);
    settle(&mut yard);
    let text = SET.replace("spec:\n  replicas: 3\n", &format!("spec:\n  replicas: 3\n{more}"));
    yard.apply(&text.replace("nginx:1", "nginx:2"));
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..16 {
        yard.run(0);
        let now = images(&yard);
        if now.split(' ').count() == 3 && seen.last() != Some(&now) {
            seen.push(now);
        }
        step(&mut yard);
    }
    (yard, seen)
}

pub(super) fn updates(rows: &mut Rows) {
    rows.source(
        "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlRollingUpdate",
    );
    let (yard, seen) = updated("");
    rows.check("monotonic image update", seen.last().cloned(), Some("2 2 2".to_owned()));
    let is_in_order = ["1 1 2", "1 2 2", "2 2 2"].iter().all(|one| seen.iter().any(|seen| seen == one));
    rows.check("the highest ordinal first", is_in_order, true);
    let status = yard.value(KindId::STATEFUL_SET, "foo")["status"].clone();
    rows.check("one revision in the end", status["currentRevision"] == status["updateRevision"], true);

    rows.source("pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlRollingUpdateWithPartition");
    for (partition, expected) in [(2, "1 1 2"), (1, "1 2 2"), (3, "1 1 1"), (0, "2 2 2")] {
        let strategy =
            format!("  updateStrategy: {{type: RollingUpdate, rollingUpdate: {{partition: {partition}}}}}\n");
        let (_, seen) = updated(&strategy);
        rows.check(&strategy, seen.last().cloned(), Some(expected.to_owned()));
    }

    rows.source(
        "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlOnDeleteUpdate",
    );
    let (mut yard, seen) = updated("  updateStrategy: {type: OnDelete}\n");
    rows.check("nothing by itself", seen.last().cloned(), Some("1 1 1".to_owned()));
    yard.delete(KindId::POD, "foo-1", Propagation::Background);
    settle(&mut yard);
    rows.check("what is deleted comes updated", images(&yard), "1 2 1".to_owned());

    rows.source(
        "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlLimitsHistory",
    );
    let mut yard = with("  revisionHistoryLimit: 2\n");
    settle(&mut yard);
    for image in 2..=6 {
        let text = SET.replace("spec:\n  replicas: 3\n", "spec:\n  replicas: 3\n  revisionHistoryLimit: 2\n");
        yard.apply(&text.replace("nginx:1", &format!("nginx:{image}")));
        for _ in 0..3 {
            settle(&mut yard);
        }
    }
    let kept = yard.list(KindId::CONTROLLER_REVISION, "").len();
    rows.check("two old revisions and the present one", kept, 3);
    let all = yard.list(KindId::CONTROLLER_REVISION, "");
    let newest = all.iter().filter_map(|one| one.to_value()["revision"].as_u64()).max();
    rows.check("the newest one has the highest number", newest, Some(6));
}
