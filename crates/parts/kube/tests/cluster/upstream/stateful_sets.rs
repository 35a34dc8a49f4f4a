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
      containers: [{name: nginx, image: 'nginx:1', volumeMounts: [{name: datadir, mountPath: /data}, {name: home, mountPath: /home}]}]
      volumes: [{name: home, hostPath: {path: /srv/home}}]
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
    rows.check("the volume of the template", of("home")["hostPath"]["path"].clone(), json!("/srv/home"));
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
        assert_eq!(gone, is_member, "{name}");
        if name == "1-bar" {
            rows.check(name, gone, is_member);
        }
    }
}

#[test]
fn pods_of_a_set_are_created_in_order() {
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
    assert_eq!(counts(&yard), [4, 3, 4], "not ready yet");
    settle(&mut yard);
    rows.check("ScalesUp: status", counts(&yard), [4, 4, 4]);
    yard.patch(KindId::STATEFUL_SET, "foo", json!({ "spec": { "replicas": 0 } })).expect("scaled");
    settle(&mut yard);
    rows.check("ScalesDown", (names(&yard), counts(&yard)), (String::new(), [0, 0, 0]));
    let claims = yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").len();
    assert_eq!(claims, 4, "claims stay");

    let mut yard = Yard::new(0);
    yard.create(&text("", 5, 1));
    settle(&mut yard);
    let uid = |yard: &Yard, pod: &str| yard.value(KindId::POD, pod)["metadata"]["uid"].clone();
    for pod in ["foo-0", "foo-2", "foo-4"] {
        let before = uid(&yard, pod);
        yard.delete(KindId::POD, pod, Propagation::Background);
        settle(&mut yard);
        rows.check(
            &format!("ReplacesPods: {pod} is there"),
            names(&yard),
            "foo-0 foo-1 foo-2 foo-3 foo-4".to_owned(),
        );
        rows.check(&format!("ReplacesPods: {pod} is another one"), uid(&yard, pod) == before, false);
    }
    let before = uid(&yard, "foo-0");
    write_status(&mut yard, KindId::POD, "foo-0", &json!({ "phase": "Failed" }));
    yard.run(0);
    settle(&mut yard);
    rows.check(
        "RecreatesFailedPod",
        (names(&yard).split(' ').count(), uid(&yard, "foo-0") == before),
        (5, false),
    );

    let yard = with("  podManagementPolicy: Parallel\n");
    rows.check("Burst: CreatesPods", names(&yard), "foo-0 foo-1 foo-2".to_owned());
}

#[test]
fn a_set_is_updated_from_the_highest_ordinal_on() {
    updates(&mut Rows::default());
}

/// Text of the set with a size and an image, and perhaps more fields.
fn text(more: &str, replicas: u32, image: u32) -> String {
    SET.replace("  replicas: 3\n", &format!("  replicas: {replicas}\n{more}"))
        .replace("nginx:1", &format!("nginx:{image}"))
}

/// A set of these fields whose template changes, and its size from the first to the second; the images of its pods after each step.
fn updated(more: &str, sizes: (u32, u32)) -> (Yard, Vec<String>) {
    let (before, after) = sizes;
    let mut yard = Yard::new(0);
    yard.create(&text(more, before, 1));
    yard.run(0);
    settle(&mut yard);
    yard.apply(&text(more, after, 2));
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..24 {
        yard.run(0);
        let now = images(&yard);
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        step(&mut yard);
    }
    (yard, seen)
}

/// Upstream's names of the changes, with the size before and after.
const CHANGES: [(&str, (u32, u32)); 3] = [
    ("image update", (3, 3)),
    ("image update and scale up", (3, 5)),
    ("image update and scale down", (5, 3)),
];

/// Pod management policies, in upstream's words, with their field.
const POLICIES: [(&str, &str); 2] = [("monotonic", ""), ("burst", "  podManagementPolicy: Parallel\n")];

/// Images of pods: the first `old` ones are old.
fn expected(old: u32, all: u32) -> String {
    (0..all).map(|at| if at < old { "1" } else { "2" }).collect::<Vec<_>>().join(" ")
}

pub(super) fn updates(rows: &mut Rows) {
    for (words, policy) in POLICIES {
        for (change, sizes) in CHANGES {
            let row = format!("{words} {change}");
            rows.source(
                "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlRollingUpdate",
            );
            let (yard, seen) = updated(policy, sizes);
            rows.check(&row, seen.last().cloned(), Some(expected(0, sizes.1)));
            let status = yard.value(KindId::STATEFUL_SET, "foo")["status"].clone();
            assert_eq!(status["currentRevision"], status["updateRevision"], "{row}: one revision in the end");
            if sizes == (3, 3) {
                let is_in_order = ["1 1 2", "1 2 2", "2 2 2"].iter().all(|one| seen.iter().any(|s| s == one));
                assert!(is_in_order, "{row}: the highest ordinal first: {seen:?}");
            }
            rows.source("pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlOnDeleteUpdate");
            on_delete(rows, &row, policy, sizes);
            if sizes.0 <= sizes.1 {
                rows.source("pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlRollingUpdateWithPartition");
                let strategy = format!("{policy}  updateStrategy: {{rollingUpdate: {{partition: 2}}}}\n");
                let (_, seen) = updated(&strategy, sizes);
                rows.check(&row, seen.last().cloned(), Some(expected(2, sizes.1)));
            }
        }
        limits_history(rows, words, policy);
    }
}

/// Nothing happens on its own; recreated pods are updated.
fn on_delete(rows: &mut Rows, row: &str, policy: &str, sizes: (u32, u32)) {
    let (mut yard, seen) = updated(&format!("{policy}  updateStrategy: {{type: OnDelete}}\n"), sizes);
    rows.check(row, seen.last().cloned(), Some(expected(3, sizes.1)));
    for replicas in [0, sizes.1] {
        yard.patch(KindId::STATEFUL_SET, "foo", json!({ "spec": { "replicas": replicas } })).expect("scaled");
        settle(&mut yard);
    }
    rows.check(&format!("{row}: restart"), images(&yard), expected(0, sizes.1));
}

fn limits_history(rows: &mut Rows, words: &str, policy: &str) {
    rows.source(
        "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControlLimitsHistory",
    );
    let more = format!("{policy}  revisionHistoryLimit: 2\n");
    let mut yard = Yard::new(0);
    yard.create(&text(&more, 3, 1));
    settle(&mut yard);
    let kept = |yard: &Yard| yard.list(KindId::CONTROLLER_REVISION, "").len();
    let mut most = 0;
    for image in 2..=11 {
        yard.run(60);
        yard.apply(&text(&more, 3, image));
        for _ in 0..3 {
            settle(&mut yard);
        }
        most = most.max(kept(&yard));
    }
    rows.check(&format!("{words} update: no more than two beyond the limit"), most <= 4, true);
    assert_eq!(kept(&yard), 3, "{words}: two old revisions and the present one");
}

#[test]
fn revision_numbers_continue() {
    revisions(&mut Rows::default());
}

/// Number of revisions, and the numbers of the current and the update revision.
fn revisions_of(yard: &mut Yard) -> (usize, Option<u64>, Option<u64>) {
    yard.run(0);
    let status = yard.value(KindId::STATEFUL_SET, "foo")["status"].clone();
    let all = yard.list(KindId::CONTROLLER_REVISION, "");
    let number = |key: &str| {
        let named =
            |one: &&std::sync::Arc<planarium_kube::Object>| status[key] == json!(one.name.to_string());
        all.iter().find(named).and_then(|one| one.to_value()["revision"].as_u64())
    };
    (all.len(), number("currentRevision"), number("updateRevision"))
}

pub(super) fn revisions(rows: &mut Rows) {
    rows.source(
        "pkg/controller/statefulset/stateful_set_control_test.go: TestStatefulSetControl_getSetRevisions",
    );
    let mut yard = with("");
    rows.check("creates initial revision", revisions_of(&mut yard), (1, Some(1), Some(1)));
    yard.apply(&text("", 3, 2));
    rows.check("creates revision on update", revisions_of(&mut yard), (2, Some(1), Some(2)));
    yard.apply(&text("  minReadySeconds: 1\n", 3, 2));
    rows.check(
        "must not recreate a new revision of same set",
        revisions_of(&mut yard),
        (2, Some(1), Some(2)),
    );
    yard.apply(&text("  minReadySeconds: 1\n", 3, 3));
    yard.run(0);
    yard.apply(&text("  minReadySeconds: 1\n", 3, 2));
    rows.check("must rollback to a previous revision", revisions_of(&mut yard), (3, Some(1), Some(4)));
}
