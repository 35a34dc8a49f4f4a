//! Plays from upstream's unit tables, at the boundary. The pods of these have no node, so that phases and readiness are what the play
//! writes into their statuses.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/{job/job_controller,disruption/disruption,deployment/util/deployment_util}_test.go`.

#![expect(clippy::indexing_slicing, clippy::expect_used, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::{KindId, ObjectRef, Part, Patch};
use serde_json::{Value, json};

/// Writes a status as a client would.
fn write_status(yard: &mut Yard, kind: KindId, name: &str, status: &Value) {
    let object = ObjectRef::new(kind, "default", name);
    let patch = Patch::Merge(json!({ "status": status }));
    yard.kube.patch(&mut yard.cx, object, Part::Status, &patch).expect("a status");
}

/// Names of pods that have neither ended nor are on their way out.
fn active(yard: &Yard) -> Vec<String> {
    let is_active = |pod: &&std::sync::Arc<planarium_kube::Object>| {
        let phase = pod.pod().expect("a pod").phase;
        !pod.is_being_deleted() && !matches!(&*phase, "Succeeded" | "Failed")
    };
    yard.list(KindId::POD, "").iter().filter(is_active).map(|pod| pod.name.to_string()).collect()
}

fn ready(yard: &mut Yard, pod: &str) {
    let conditions = json!([{ "type": "Ready", "status": "True" }]);
    write_status(yard, KindId::POD, pod, &json!({ "phase": "Running", "conditions": conditions }));
}

fn job(more: &str) -> String {
    format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: one}}, spec: {{{more}, template: {{spec: {{restartPolicy: Never, containers: \
         [{{name: work, image: 'busybox:1'}}]}}}}}}}}"
    )
}

/// Ends pods of a Job and lets its controller look at once; returns active, succeeded, failed, and its end.
fn ended(spec: &str, succeeded: usize, failed: usize) -> (u64, u64, u64, Option<String>) {
    let mut yard = Yard::new(0);
    yard.create(&job(spec));
    yard.run(0);
    let mut left = (succeeded, failed);
    // As many at a time as there are.
    while left != (0, 0) {
        let names = active(&yard);
        assert!(!names.is_empty(), "{spec}: nothing is left to end: {}", yard.pods());
        for name in names {
            let phase = match left {
                (0, 0) => break,
                (0, _) => {
                    left.1 -= 1;
                    "Failed"
                }
                _ => {
                    left.0 -= 1;
                    "Succeeded"
                }
            };
            write_status(&mut yard, KindId::POD, &name, &json!({ "phase": phase }));
        }
        yard.run(0);
        if left != (0, 0) && active(&yard).is_empty() {
            yard.run(700);
        }
    }
    let status = yard.value(KindId::JOB, "one")["status"].clone();
    let count = |key: &str| status[key].as_u64().unwrap_or(0);
    let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    let end = conditions.iter().find(|one| one["type"] == "Complete" || one["type"] == "Failed");
    let end = end.map(|one| {
        one["reason"].as_str().filter(|reason| !reason.is_empty()).unwrap_or("Complete").to_owned()
    });
    (count("active"), count("succeeded"), count("failed"), end)
}

// TestControllerSyncJob of job_controller_test.go; the names of the rows are upstream's.
#[test]
fn jobs_by_what_their_pods_came_to() {
    let limit = Some("BackoffLimitExceeded".to_owned());
    let done = Some("Complete".to_owned());
    for (row, spec, succeeded, failed, expected) in [
        ("job start", "parallelism: 2, completions: 5", 0, 0, (2, 0, 0, None)),
        ("WQ job start", "parallelism: 2", 0, 0, (2, 0, 0, None)),
        ("too few active pods", "parallelism: 2, completions: 5", 1, 0, (2, 1, 0, None)),
        ("status change", "parallelism: 2, completions: 5", 2, 0, (2, 2, 0, None)),
        ("job finish", "parallelism: 2, completions: 5", 5, 0, (0, 5, 0, done.clone())),
        ("WQ job finishing", "parallelism: 2", 1, 0, (1, 1, 0, None)),
        ("WQ job all finished", "parallelism: 2", 2, 0, (0, 2, 0, done.clone())),
        ("WQ job all finished despite one failure", "parallelism: 2", 1, 1, (0, 1, 1, done.clone())),
        (
            "too many job failures",
            "parallelism: 2, completions: 5, backoffLimit: 0",
            0,
            1,
            (0, 0, 2, limit.clone()),
        ),
        (
            "count ready pods when job fails",
            "parallelism: 3, completions: 3, backoffLimit: 0",
            0,
            1,
            (0, 0, 3, limit.clone()),
        ),
        (
            "indexed job start",
            "parallelism: 2, completions: 5, completionMode: Indexed",
            0,
            0,
            (2, 0, 0, None),
        ),
        (
            "indexed job completed",
            "parallelism: 2, completions: 3, completionMode: Indexed",
            3,
            0,
            (0, 3, 0, done.clone()),
        ),
        (
            "indexed job failed",
            "parallelism: 2, completions: 3, completionMode: Indexed, backoffLimit: 0",
            0,
            1,
            (0, 0, 2, limit),
        ),
        (
            "suspending a job with satisfied expectations",
            "parallelism: 2, completions: 4, suspend: true",
            0,
            0,
            (0, 0, 0, None),
        ),
    ] {
        assert_eq!(ended(spec, succeeded, failed), expected, "{row}");
    }
}

// "more active pods than parallelism" and "more active pods than remaining completions".
#[test]
fn jobs_give_up_pods_that_they_have_no_work_for() {
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 10, completions: 20"));
    yard.run(0);
    assert_eq!(active(&yard).len(), 10);
    yard.patch(KindId::JOB, "one", json!({"spec": {"parallelism": 2}})).expect("may change");
    yard.run(0);
    assert_eq!(active(&yard).len(), 2);
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 3, completions: 4"));
    yard.run(0);
    let names = active(&yard);
    write_status(&mut yard, KindId::POD, &names[0], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    assert_eq!(active(&yard).len(), 3, "three of four are left");
    write_status(&mut yard, KindId::POD, &names[1], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    assert_eq!(active(&yard).len(), 2);
}

// "indexed job repeated completed index" and the numbers that are made next.
#[test]
fn indexed_jobs_take_the_lowest_open_numbers() {
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 3, completions: 6, completionMode: Indexed"));
    yard.run(0);
    let index = |name: &str| name.split('-').nth(1).map(str::to_owned).unwrap_or_default();
    let names = active(&yard);
    assert_eq!(names.iter().map(|name| index(name)).collect::<Vec<_>>(), ["0", "1", "2"]);
    write_status(&mut yard, KindId::POD, &names[1], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    let now: Vec<String> = active(&yard).iter().map(|name| index(name)).collect();
    assert_eq!(now, ["0", "2", "3"]);
    let status = yard.value(KindId::JOB, "one")["status"].clone();
    assert_eq!(
        (&status["completedIndexes"], &status["succeeded"], &status["active"]),
        (&json!("1"), &json!(1), &json!(3))
    );
}

fn set(name: &str, replicas: u32) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: {name}}}, spec: {{replicas: {replicas}, selector: {{matchLabels: {{baz: {name}}}}}, \
         template: {{metadata: {{labels: {{foo: bar, baz: {name}}}}}, spec: {{containers: [{{name: main, image: 'nginx:1'}}]}}}}}}}}"
    )
}

fn budget(spec: &str) -> String {
    format!(
        "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: b}}, spec: {{{spec}, selector: {{matchLabels: {{foo: bar}}}}}}}}"
    )
}

/// disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods.
fn shown(yard: &mut Yard) -> [u64; 4] {
    yard.run(0);
    let status = yard.value(KindId::POD_DISRUPTION_BUDGET, "b")["status"].clone();
    ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]
        .map(|key| status[key].as_u64().expect("a count"))
}

fn names_of(yard: &Yard, selector: &str) -> Vec<String> {
    yard.list(KindId::POD, selector).iter().map(|pod| pod.name.to_string()).collect()
}

// TestIntegerMaxUnavailableWithScaling, TestPercentageMaxUnavailableWithScaling, TestReplicaSet of disruption_test.go.
#[test]
fn budgets_follow_the_size_of_workloads() {
    for (spec, replicas, first, smaller) in [
        ("maxUnavailable: 2", 7, [0, 1, 5, 7], Some((5, [0, 1, 3, 5]))),
        ("maxUnavailable: 30%", 7, [0, 1, 4, 7], Some((3, [0, 1, 2, 3]))),
        ("minAvailable: 20%", 10, [0, 1, 2, 10], None),
    ] {
        let mut yard = Yard::new(0);
        yard.create(&budget(spec));
        yard.create(&set("rs", replicas));
        yard.run(0);
        let pod = names_of(&yard, "baz=rs").remove(0);
        ready(&mut yard, &pod);
        assert_eq!(shown(&mut yard), first, "{spec}");
        if let Some((replicas, expected)) = smaller {
            yard.patch(KindId::REPLICA_SET, "rs", json!({"spec": {"replicas": replicas}})).expect("scaled");
            assert_eq!(shown(&mut yard), expected, "{spec}");
        }
    }
}

// TestNakedPod, TestStatusForUnmanagedPod, TestTotalUnmanagedPods.
#[test]
fn bare_pods_make_no_share() {
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 28%"));
    assert_eq!(shown(&mut yard), [0, 0, 0, 0]);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: naked, labels: {foo: bar}}, spec: {containers: [{name: a, image: 'nginx:1'}]}}");
    ready(&mut yard, "naked");
    assert_eq!(shown(&mut yard)[0], 0);
    assert!(!yard.told(0, &["UnmanagedPods"]).is_empty(), "{}", yard.story());
}

// TestReplicationController and TestStatefulSetController, with a ReplicaSet: 34 % of three is two.
#[test]
fn shares_round_up_and_a_rogue_counts_as_healthy() {
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 34%"));
    assert_eq!(shown(&mut yard), [0, 0, 0, 0]);
    yard.create(&set("rs", 3));
    yard.run(0);
    for (pod, expected) in names_of(&yard, "baz=rs").iter().zip([[0, 1, 2, 3], [0, 2, 2, 3], [1, 3, 2, 3]]) {
        ready(&mut yard, pod);
        assert_eq!(shown(&mut yard), expected);
    }
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: rogue, labels: {foo: bar}}, spec: {containers: [{name: a, image: 'nginx:1'}]}}");
    ready(&mut yard, "rogue");
    assert_eq!(shown(&mut yard)[0], 2);
}

// TestTwoControllers: 28 % of eleven is four, of twenty-two seven.
#[test]
fn a_budget_over_two_workloads_counts_both() {
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 28%"));
    yard.create(&set("one", 11));
    yard.run(0);
    for (at, pod) in (1..).zip(names_of(&yard, "baz=one").iter().take(5)) {
        ready(&mut yard, pod);
        assert_eq!(shown(&mut yard), [u64::from(at > 4), at, 4, 11]);
    }
    yard.create(&set("two", 11));
    yard.run(0);
    assert_eq!(shown(&mut yard), [0, 5, 7, 22]);
    for (at, pod) in (6_u64..).zip(names_of(&yard, "baz=two").iter().take(4)) {
        ready(&mut yard, pod);
        assert_eq!(shown(&mut yard), [at.saturating_sub(7), at, 7, 22]);
    }
}

// TestResolveFenceposts, TestMaxUnavailable, TestNewRSNewReplicas of deployment_util_test.go: the first step of a rollout shows both bounds.
#[test]
fn a_rollout_begins_within_its_bounds() {
    for (replicas, surge, unavailable, expected) in [
        (10, "39%", "39%", (4, 3)),
        (10, "0", "39%", (0, 3)),
        (10, "39%", "0", (4, 0)),
        (10, "1", "5", (1, 5)),
        (10, "1", "10", (1, 10)),
        (5, "1", "10", (1, 5)),
        (10, "1", "50%", (1, 5)),
        (10, "1", "100%", (1, 10)),
        (5, "1", "100%", (1, 5)),
    ] {
        let mut yard = Yard::new(0);
        let text = set("web", replicas).replace("ReplicaSet", "Deployment").replace(
            "spec: {replicas",
            &format!("spec: {{strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}, replicas"),
        );
        yard.create(&text);
        yard.run(0);
        for pod in names_of(&yard, "baz=web") {
            ready(&mut yard, &pod);
        }
        yard.run(0);
        yard.apply(&text.replace("nginx:1", "nginx:2"));
        yard.run(0);
        let sets = yard.list(KindId::REPLICA_SET, "");
        let size = |image: &str| {
            let of =
                |set: &&std::sync::Arc<planarium_kube::Object>| set.to_value().to_string().contains(image);
            sets.iter().find(of).and_then(|set| set.to_value()["spec"]["replicas"].as_u64()).unwrap_or(0)
        };
        let (old, new) = (size("nginx:1"), size("nginx:2"));
        let total = u64::from(replicas);
        let row = format!("{replicas} replicas, surge {surge}, unavailable {unavailable}: {old} and {new}");
        assert!(old + new <= total + expected.0, "{row}");
        assert_eq!(total - old, expected.1, "{row}");
        assert_eq!(new, (expected.0 + expected.1).min(total), "{row}");
    }
}
