//! Cases from upstream's unit tables, at the boundary; each names its source. Their pods have no node, so that the case writes phases and
//! readiness into their statuses. Rows about single rules are in the crate (`src/tables.rs`).

#![expect(clippy::indexing_slicing, clippy::expect_used, reason = "helpers of tests")]

mod stateful_sets;

use crate::support::Yard;
use planarium_kube::{KindId, ObjectRef, Part, Patch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Rows that were checked.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    source: &'static str,
    sources: BTreeSet<&'static str>,
    count: usize,
}

impl Rows {
    /// Names the table of `kubernetes/kubernetes` that the next rows are from.
    fn source(&mut self, source: &'static str) {
        assert!(source.starts_with("pkg/controller/") && source.contains(": Test"), "{source}");
        self.sources.insert(source);
        self.source = source;
    }

    /// Checks a row.
    fn check<T: PartialEq + Debug>(&mut self, row: &str, actual: T, expected: T) {
        assert!(!self.source.is_empty(), "{row} has a source");
        assert_eq!(actual, expected, "{}: {row}", self.source);
        self.count += 1;
    }
}

#[test]
fn rows_are_counted() {
    let mut rows = Rows::default();
    for table in [
        jobs_by_what_their_pods_came_to_rows,
        jobs_give_up_pods_that_they_have_no_work_for_rows,
        indexed_jobs_take_the_lowest_open_numbers_rows,
        budgets_follow_the_size_of_workloads_rows,
        bare_pods_make_no_share_rows,
        shares_round_up_and_a_rogue_counts_as_healthy_rows,
        a_budget_over_two_workloads_counts_both_rows,
        a_rollout_begins_within_its_bounds_rows,
        history_is_kept_up_to_its_limit_rows,
        replica_sets_are_annotated_rows,
        stateful_sets::identity,
        stateful_sets::order,
        stateful_sets::updates,
        stateful_sets::revisions,
    ] {
        table(&mut rows);
    }
    // With those of `src/tables.rs` more than two hundred.
    assert!(
        rows.count >= 80 && rows.sources.len() >= 20,
        "{} rows of {} tables",
        rows.count,
        rows.sources.len()
    );
}

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

/// Ends pods of a Job and syncs its controller immediately; returns active, succeeded, failed, and its end.
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
fn jobs_by_the_results_of_their_pods() {
    jobs_by_what_their_pods_came_to_rows(&mut Rows::default());
}

fn jobs_by_what_their_pods_came_to_rows(rows: &mut Rows) {
    rows.source("pkg/controller/job/job_controller_test.go: TestControllerSyncJob");
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
        rows.check(row, ended(spec, succeeded, failed), expected);
    }
}

// "more active pods than parallelism" and "more active pods than remaining completions".
#[test]
fn jobs_delete_surplus_pods() {
    jobs_give_up_pods_that_they_have_no_work_for_rows(&mut Rows::default());
}

fn jobs_give_up_pods_that_they_have_no_work_for_rows(rows: &mut Rows) {
    rows.source("pkg/controller/job/job_controller_test.go: TestControllerSyncJob");
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 10, completions: 20"));
    yard.run(0);
    rows.check("parallelism", active(&yard).len(), 10);
    yard.patch(KindId::JOB, "one", json!({"spec": {"parallelism": 2}})).expect("may change");
    yard.run(0);
    rows.check("more active pods than parallelism", active(&yard).len(), 2);
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 3, completions: 4"));
    yard.run(0);
    let names = active(&yard);
    write_status(&mut yard, KindId::POD, &names[0], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    rows.check("three of four are left", active(&yard).len(), 3);
    write_status(&mut yard, KindId::POD, &names[1], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    rows.check("more active pods than remaining completions", active(&yard).len(), 2);
}

// "indexed job repeated completed index" and the numbers that are made next.
#[test]
fn indexed_jobs_take_the_lowest_open_indexes() {
    indexed_jobs_take_the_lowest_open_numbers_rows(&mut Rows::default());
}

fn indexed_jobs_take_the_lowest_open_numbers_rows(rows: &mut Rows) {
    rows.source("pkg/controller/job/job_controller_test.go: TestControllerSyncJob");
    let mut yard = Yard::new(0);
    yard.create(&job("parallelism: 3, completions: 6, completionMode: Indexed"));
    yard.run(0);
    let index = |name: &str| name.split('-').nth(1).map(str::to_owned).unwrap_or_default();
    let names = active(&yard);
    let first: Vec<String> = names.iter().map(|name| index(name)).collect();
    rows.check("indexed job start", first.join(","), "0,1,2".to_owned());
    write_status(&mut yard, KindId::POD, &names[1], &json!({ "phase": "Succeeded" }));
    yard.run(0);
    let now: Vec<String> = active(&yard).iter().map(|name| index(name)).collect();
    rows.check("indexed job with some pods succeeded", now.join(","), "0,2,3".to_owned());
    let status = yard.value(KindId::JOB, "one")["status"].clone();
    rows.check("completed indexes", status["completedIndexes"].clone(), json!("1"));
    rows.check("succeeded", status["succeeded"].clone(), json!(1));
    rows.check("active", status["active"].clone(), json!(3));
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
    budgets_follow_the_size_of_workloads_rows(&mut Rows::default());
}

fn budgets_follow_the_size_of_workloads_rows(rows: &mut Rows) {
    for (source, spec, replicas, first, smaller) in [
        (
            "pkg/controller/disruption/disruption_test.go: TestIntegerMaxUnavailableWithScaling",
            "maxUnavailable: 2",
            7,
            [0, 1, 5, 7],
            Some((5, [0, 1, 3, 5])),
        ),
        (
            "pkg/controller/disruption/disruption_test.go: TestPercentageMaxUnavailableWithScaling",
            "maxUnavailable: 30%",
            7,
            [0, 1, 4, 7],
            Some((3, [0, 1, 2, 3])),
        ),
        (
            "pkg/controller/disruption/disruption_test.go: TestReplicaSet",
            "minAvailable: 20%",
            10,
            [0, 1, 2, 10],
            None,
        ),
    ] {
        rows.source(source);
        let mut yard = Yard::new(0);
        yard.create(&budget(spec));
        yard.create(&set("rs", replicas));
        yard.run(0);
        let pod = names_of(&yard, "baz=rs").remove(0);
        ready(&mut yard, &pod);
        rows.check(spec, shown(&mut yard), first);
        if let Some((replicas, expected)) = smaller {
            yard.patch(KindId::REPLICA_SET, "rs", json!({"spec": {"replicas": replicas}})).expect("scaled");
            rows.check(spec, shown(&mut yard), expected);
        }
    }
}

// TestNakedPod, TestStatusForUnmanagedPod, TestTotalUnmanagedPods.
#[test]
fn bare_pods_have_no_share() {
    bare_pods_make_no_share_rows(&mut Rows::default());
}

fn bare_pods_make_no_share_rows(rows: &mut Rows) {
    rows.source("pkg/controller/disruption/disruption_test.go: TestNakedPod");
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 28%"));
    rows.check("no pods", shown(&mut yard), [0, 0, 0, 0]);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: naked, labels: {foo: bar}}, spec: {containers: [{name: a, image: 'nginx:1'}]}}");
    ready(&mut yard, "naked");
    rows.check("a naked pod", shown(&mut yard)[0], 0);
    rows.source("pkg/controller/disruption/disruption_test.go: TestStatusForUnmanagedPod");
    rows.check("it is reported", yard.told(0, &["UnmanagedPods"]).is_empty(), false);
}

// TestReplicationController and TestStatefulSetController, with a ReplicaSet: 34 % of three is two.
#[test]
fn shares_round_up_and_a_rogue_counts_as_healthy() {
    shares_round_up_and_a_rogue_counts_as_healthy_rows(&mut Rows::default());
}

fn shares_round_up_and_a_rogue_counts_as_healthy_rows(rows: &mut Rows) {
    rows.source("pkg/controller/disruption/disruption_test.go: TestReplicationController");
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 34%"));
    rows.check("no pods", shown(&mut yard), [0, 0, 0, 0]);
    yard.create(&set("rs", 3));
    yard.run(0);
    for (pod, expected) in names_of(&yard, "baz=rs").iter().zip([[0, 1, 2, 3], [0, 2, 2, 3], [1, 3, 2, 3]]) {
        ready(&mut yard, pod);
        rows.check("another pod is ready", shown(&mut yard), expected);
    }
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: rogue, labels: {foo: bar}}, spec: {containers: [{name: a, image: 'nginx:1'}]}}");
    ready(&mut yard, "rogue");
    rows.check("a rogue pod", shown(&mut yard)[0], 2);
}

// TestTwoControllers: 28 % of eleven is four, of twenty-two seven.
#[test]
fn a_budget_over_two_workloads_counts_both() {
    a_budget_over_two_workloads_counts_both_rows(&mut Rows::default());
}

fn a_budget_over_two_workloads_counts_both_rows(rows: &mut Rows) {
    rows.source("pkg/controller/disruption/disruption_test.go: TestTwoControllers");
    let mut yard = Yard::new(0);
    yard.create(&budget("minAvailable: 28%"));
    yard.create(&set("one", 11));
    yard.run(0);
    for (at, pod) in (1..).zip(names_of(&yard, "baz=one").iter().take(5)) {
        ready(&mut yard, pod);
        rows.check("pods of the first are ready", shown(&mut yard), [u64::from(at > 4), at, 4, 11]);
    }
    yard.create(&set("two", 11));
    yard.run(0);
    rows.check("the second is there", shown(&mut yard), [0, 5, 7, 22]);
    for (at, pod) in (6_u64..).zip(names_of(&yard, "baz=two").iter().take(4)) {
        ready(&mut yard, pod);
        rows.check("pods of the second are ready", shown(&mut yard), [at.saturating_sub(7), at, 7, 22]);
    }
}

// TestResolveFenceposts, TestMaxUnavailable, TestNewRSNewReplicas of deployment_util_test.go: the first step of a rollout shows both bounds.
#[test]
fn a_rollout_begins_within_its_bounds() {
    a_rollout_begins_within_its_bounds_rows(&mut Rows::default());
}

fn a_rollout_begins_within_its_bounds_rows(rows: &mut Rows) {
    const FENCE: &str = "pkg/controller/deployment/util/deployment_util_test.go: TestResolveFenceposts";
    const MISSING: &str = "pkg/controller/deployment/util/deployment_util_test.go: TestMaxUnavailable";
    for (source, replicas, surge, unavailable, expected) in [
        (FENCE, 10, "39%", "39%", (4, 3)),
        (FENCE, 10, "0", "39%", (0, 3)),
        (FENCE, 10, "39%", "0", (4, 0)),
        (MISSING, 10, "1", "5", (1, 5)),
        (MISSING, 10, "1", "10", (1, 10)),
        (MISSING, 5, "1", "10", (1, 5)),
        (MISSING, 10, "1", "50%", (1, 5)),
        (MISSING, 10, "1", "100%", (1, 10)),
        (MISSING, 5, "1", "100%", (1, 5)),
    ] {
        rows.source(source);
        let mut yard = Yard::new(0);
        let text = deployment(
            replicas,
            &format!("strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}"),
        );
        yard.create(&text);
        all_ready(&mut yard);
        yard.apply(&text.replace("nginx:1", "nginx:2"));
        yard.run(0);
        let (old, new) = (size(&yard, "nginx:1"), size(&yard, "nginx:2"));
        let total = u64::from(replicas);
        let row = format!("{replicas} replicas, surge {surge}, unavailable {unavailable}");
        assert!(old + new <= total + expected.0, "{row}");
        rows.check(&row, (total - old, new), (expected.1, (expected.0 + expected.1).min(total)));
    }
    rows.source(FENCE);
    for (surge, unavailable) in [("oops", "39%"), ("55%", "urg")] {
        let text = deployment(
            10,
            &format!("strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}"),
        );
        let refused = Yard::new(0).refused(&text);
        rows.check(&refused, refused.starts_with("422 Invalid: "), true);
    }
}

fn deployment(replicas: u32, more: &str) -> String {
    set("web", replicas)
        .replace("ReplicaSet", "Deployment")
        .replace("spec: {replicas", &format!("spec: {{{more}, replicas"))
}

/// Number of pods requested by the ReplicaSet of an image.
fn size(yard: &Yard, image: &str) -> u64 {
    let sets = yard.list(KindId::REPLICA_SET, "");
    let of = |set: &&std::sync::Arc<planarium_kube::Object>| set.to_value().to_string().contains(image);
    sets.iter().find(of).and_then(|set| set.to_value()["spec"]["replicas"].as_u64()).unwrap_or(0)
}

/// Runs controllers and makes every pod ready, until nothing is left to do.
fn all_ready(yard: &mut Yard) {
    for _ in 0..20 {
        yard.run(0);
        let waiting: Vec<String> = yard
            .list(KindId::POD, "")
            .iter()
            .filter(|pod| pod.pod().is_some_and(|facts| !facts.ready))
            .map(|pod| pod.name.to_string())
            .collect();
        if waiting.is_empty() {
            return;
        }
        for pod in &waiting {
            ready(yard, pod);
        }
    }
}

// TestDeploymentController_cleanupDeployment of sync_test.go: old ReplicaSets without pods are deleted beyond the limit, the oldest first.
#[test]
fn history_is_kept_up_to_its_limit() {
    history_is_kept_up_to_its_limit_rows(&mut Rows::default());
}

fn history_is_kept_up_to_its_limit_rows(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/sync_test.go: TestDeploymentController_cleanupDeployment");
    for (row, limit, old, left) in [
        ("3 qualify for deletion, limit to keep 1, delete 2", "1", 3, 1),
        ("2 qualify for deletion, limit 0, delete 2", "0", 2, 0),
    ] {
        let mut yard = Yard::new(0);
        for image in 1..=old + 1 {
            let text = deployment(1, &format!("revisionHistoryLimit: {limit}"))
                .replace("nginx:1", &format!("nginx:{image}"));
            yard.apply(&text);
            all_ready(&mut yard);
        }
        rows.check(row, yard.list(KindId::REPLICA_SET, "").len(), left + 1);
    }
    let mut yard = Yard::new(0);
    yard.apply(&deployment(1, "revisionHistoryLimit: 0"));
    all_ready(&mut yard);
    yard.apply(&deployment(1, "revisionHistoryLimit: 0").replace("nginx:1", "nginx:2"));
    yard.run(0);
    rows.check("0 qualify for deletion, limit 0, delete 0", yard.list(KindId::REPLICA_SET, "").len(), 2);
}

// TestAnnotationUtils of deployment_util_test.go.
#[test]
fn replica_sets_are_annotated() {
    replica_sets_are_annotated_rows(&mut Rows::default());
}

fn replica_sets_are_annotated_rows(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestAnnotationUtils");
    let mut yard = Yard::new(0);
    let text = deployment(10, "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}");
    yard.create(&text);
    all_ready(&mut yard);
    let annotations =
        |yard: &Yard| yard.list(KindId::REPLICA_SET, "")[0].to_value()["metadata"]["annotations"].clone();
    let now = annotations(&yard);
    rows.check("desired", now["deployment.kubernetes.io/desired-replicas"].clone(), json!("10"));
    rows.check("max", now["deployment.kubernetes.io/max-replicas"].clone(), json!("11"));
    rows.check("revision", now["deployment.kubernetes.io/revision"].clone(), json!("1"));
    // Back and forth: the first one takes the newest number each time and remembers the ones before.
    for image in [2, 1, 2, 1] {
        yard.apply(&text.replace("nginx:1", &format!("nginx:{image}")));
        all_ready(&mut yard);
    }
    let now = annotations(&yard);
    rows.check("a later revision", now["deployment.kubernetes.io/revision"].clone(), json!("5"));
    rows.check("its history", now["deployment.kubernetes.io/revision-history"].clone(), json!("1,3"));
}
