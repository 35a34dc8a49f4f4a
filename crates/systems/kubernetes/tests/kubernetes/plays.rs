//! Plays after upstream's end-to-end tests: each names the file of `kubernetes/kubernetes` and the case that it follows.

use super::stage::Stage;
use super::support::{deployment, request, stateful_set};
use planarium_protocol::input::PlanOp;
use planarium_protocol::json;
use serde_json::Value;

/// Items of a collection below `/kube`.
fn list(stage: &Stage, path: &str) -> Vec<Value> {
    let list = stage.object(path).unwrap();
    list["items"].as_array().unwrap().clone()
}

fn pods(stage: &Stage) -> Vec<Value> {
    list(stage, "api/v1/namespaces/default/pods")
}

/// Images and sizes of ReplicaSets, in order of their revisions.
fn sets(stage: &Stage) -> Vec<(String, u64)> {
    let mut all: Vec<(u64, String, u64)> = list(stage, "apis/apps/v1/namespaces/default/replicasets")
        .iter()
        .map(|set| {
            let revision =
                set["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str().unwrap();
            let image = set["spec"]["template"]["spec"]["containers"][0]["image"].as_str().unwrap();
            (revision.parse().unwrap(), image.to_owned(), set["spec"]["replicas"].as_u64().unwrap())
        })
        .collect();
    all.sort();
    all.into_iter().map(|(_, image, size)| (image, size)).collect()
}

fn rolling(replicas: u32, surge: &str, unavailable: &str) -> String {
    let strategy = format!(
        "spec:\n  strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}\n  replicas"
    );
    deployment("web:1", replicas).replacen("spec:\n  replicas", &strategy, 1)
}

/// Maximum number of pods, and minimum number of available ones, during a rollout.
fn fence(stage: &mut Stage, element: &str) -> (u64, u64) {
    let (mut most, mut fewest) = (0, u64::MAX);
    for _ in 0..4_000 {
        let status =
            stage.object("apis/apps/v1/namespaces/default/deployments/web").unwrap()["status"].clone();
        most = most.max(status["replicas"].as_u64().unwrap_or(0));
        fewest = fewest.min(status["availableReplicas"].as_u64().unwrap_or(0));
        if stage.status(element) == "Complete" {
            return (most, fewest);
        }
        stage.run_for(100);
    }
    panic!("no end of it\n{}", stage.shown());
}

/// **Source**: `pkg/controller/deployment/util/deployment_util_test.go` (`TestResolveFenceposts`), `pkg/util/intstr`: shares of surge are
/// rounded up, those of unavailability down, and if both are zero, one pod may be missing.
#[test]
fn a_rollout_stays_within_its_fenceposts() {
    for (replicas, surge, unavailable, most, fewest) in [
        (4, "1", "0", 5, 4),
        (4, "0", "2", 4, 2),
        (4, "25%", "25%", 5, 3),
        (3, "25%", "25%", 4, 3),
        (10, "39%", "39%", 14, 7),
        (2, "0", "20%", 2, 1),
        (5, "100%", "0", 10, 5),
    ] {
        let text = rolling(replicas, surge, unavailable);
        let mut stage = Stage::with(6, &text);
        stage.until("deployment.web", "Complete");
        stage.update(&text.replace("web:1", "web:2")).unwrap();
        let seen = fence(&mut stage, "deployment.web/revision-2");
        assert!(
            seen.0 <= most && seen.1 >= fewest,
            "{surge} {unavailable} of {replicas}: {seen:?} within {most} and {fewest}"
        );
        assert!(seen.0 == most || seen.1 < u64::from(replicas), "it makes use of what it may: {seen:?}");
    }
}

/// **Source**: `test/e2e/apps/deployment.go`, "RollingUpdateDeployment should delete old pods and create new ones".
#[test]
fn a_rolling_update_deletes_old_pods_and_creates_new_ones() {
    let mut stage = Stage::with(3, &deployment("web:1", 1));
    stage.until("deployment.web", "Complete");
    stage.update(&deployment("web:2", 1)).unwrap();
    stage.until("deployment.web/revision-2", "Complete");
    stage.run_for(60_000);
    assert_eq!(sets(&stage), [("web:1".to_owned(), 0), ("web:2".to_owned(), 1)]);
    assert_eq!(pods(&stage).len(), 1);
    assert_eq!(pods(&stage)[0]["spec"]["containers"][0]["image"], "web:2");
}

/// **Source**: `test/e2e/apps/deployment.go`, "RecreateDeployment should delete old pods and create new ones": old and new pods never run
/// together.
#[test]
fn recreate_has_no_pods_of_two_revisions() {
    let text = deployment("web:1", 3).replacen(
        "spec:\n  replicas",
        "spec:\n  strategy: {type: Recreate}\n  replicas",
        1,
    );
    let mut stage = Stage::with(3, &text);
    stage.until("deployment.web", "Complete");
    stage.update(&text.replace("web:1", "web:2")).unwrap();
    for _ in 0..4_000 {
        let images: Vec<String> = pods(&stage)
            .iter()
            .map(|pod| pod["spec"]["containers"][0]["image"].as_str().unwrap().to_owned())
            .collect();
        let both = images.iter().any(|image| image == "web:1") && images.iter().any(|image| image == "web:2");
        assert!(!both, "{images:?}");
        if stage.status("deployment.web/revision-2") == "Complete" {
            return;
        }
        stage.run_for(100);
    }
    panic!("no end of it\n{}", stage.shown());
}

/// **Source**: `test/e2e/apps/deployment.go`, "deployment should delete old replica sets" (`revisionHistoryLimit: 0`).
#[test]
fn old_replica_sets_are_deleted_beyond_the_limit() {
    let text = deployment("web:1", 1).replacen(
        "spec:\n  replicas",
        "spec:\n  revisionHistoryLimit: 0\n  replicas",
        1,
    );
    let mut stage = Stage::with(3, &text);
    stage.until("deployment.web", "Complete");
    stage.update(&text.replace("web:1", "web:2")).unwrap();
    stage.until("deployment.web/revision-2", "Complete");
    stage.run_for(60_000);
    assert_eq!(sets(&stage), [("web:2".to_owned(), 1)]);
    assert_eq!(stage.status("deployment.web/revision-1"), "(none)");
    assert_eq!(
        stage.kubectl("rollout undo deployment/web"),
        "error: no rollout history found for deployment \"web\"\n"
    );
}

/// **Source**: `test/e2e/apps/deployment.go`, "deployment should support rollover": a new template in the middle of a rollout takes over at
/// once; `pkg/controller/deployment/sync.go`.
#[test]
fn a_rollout_is_rolled_over_by_a_newer_one() {
    let mut stage = Stage::with(3, &deployment("web:1", 4));
    stage.until("deployment.web", "Complete");
    stage.update(&deployment("web:2", 4)).unwrap();
    stage.run_for(500);
    assert_eq!(stage.status("deployment.web/revision-2"), "Progressing");
    stage.update(&deployment("web:3", 4)).unwrap();
    stage.until("deployment.web/revision-3", "Complete");
    assert_eq!(sets(&stage), [("web:1".to_owned(), 0), ("web:2".to_owned(), 0), ("web:3".to_owned(), 4)]);
    assert_eq!(stage.status("deployment.web/revision-2"), "Superseded");
}

/// **Source**: `test/e2e/apps/deployment.go`, "deployment should support proportional scaling": 10 pods, surge 3, unavailable 2, a bad
/// image; then 30 pods are shared 20 and 13.
#[test]
fn scaling_in_the_middle_of_a_rollout_is_proportional() {
    let text = rolling(10, "3", "2");
    let mut stage = Stage::with(6, &text);
    stage.until("deployment.web", "Complete");
    stage.fault(json!({ "fault": "image-missing", "target": { "task": "*" } }));
    stage.update(&text.replace("web:1", "web:404")).unwrap();
    stage.run_for(30_000);
    assert_eq!(sets(&stage), [("web:1".to_owned(), 8), ("web:404".to_owned(), 5)]);
    stage.plan("deployment.web", PlanOp::Start, &[("replicas", "30")]).unwrap();
    stage.run_for(30_000);
    assert_eq!(sets(&stage), [("web:1".to_owned(), 20), ("web:404".to_owned(), 13)]);
    assert_eq!(stage.status("deployment.web"), "Progressing");
}

/// **Source**: `test/e2e/apps/deployment.go`, "deployment reaping should cascade to its replica sets and pods", and "test Deployment
/// ReplicaSet orphaning and adoption regarding controllerRef".
#[test]
fn deletion_cascades_or_orphans() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    stage.kubectl("delete deployment web --cascade=orphan");
    stage.run_for(60_000);
    assert_eq!((sets(&stage).len(), pods(&stage).len()), (1, 2), "they stay");
    stage.update(&deployment("web:1", 2)).unwrap();
    stage.until("deployment.web", "Complete");
    assert_eq!((sets(&stage).len(), pods(&stage).len()), (1, 2), "they are adopted");
    assert_eq!(stage.tree().len(), 4, "{}", stage.shown());
    stage.kubectl("delete deployment web");
    stage.run_for(60_000);
    assert_eq!((sets(&stage).len(), pods(&stage).len()), (0, 0));
}

/// **Source**: `test/e2e/apps/statefulset.go`, "should perform rolling updates and roll backs of template modifications".
#[test]
fn a_stateful_set_is_rolled_back() {
    let mut stage = Stage::with(3, &stateful_set("db:1", 3, ""));
    stage.until("statefulset.db", "Complete");
    stage.update(&stateful_set("db:2", 3, "")).unwrap();
    stage.until("statefulset.db", "Progressing");
    let seen = order(&mut stage);
    assert_eq!(seen, ["db-2", "db-1", "db-0"], "the highest ordinal first");
    assert_eq!(stage.kubectl("rollout undo statefulset/db"), "statefulset.apps/db rolled back\n");
    stage.until("statefulset.db", "Progressing");
    assert_eq!(order(&mut stage), ["db-2", "db-1", "db-0"]);
    assert!(pods(&stage).iter().all(|pod| pod["spec"]["containers"][0]["image"] == "db:1"));
}

/// The pods of `db` in the order in which they go, until the rollout is complete.
fn order(stage: &mut Stage) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..6_000 {
        for step in &stage.view().plans[0].phases[0].steps {
            if &*step.status == "Terminating" && !seen.contains(&step.name.to_string()) {
                seen.push(step.name.to_string());
            }
        }
        if stage.status("statefulset.db") == "Complete" {
            return seen;
        }
        stage.run_for(50);
    }
    panic!("no end of it\n{}", stage.shown());
}

/// **Source**: `test/e2e/apps/statefulset.go`, "Scaling should happen in predictable order and halt if any stateful pod is unhealthy".
#[test]
fn a_stateful_set_halts_at_an_unhealthy_ordinal() {
    let text = stateful_set("db:1", 1, "").replace(
        "image: db:1",
        "image: db:1\n          readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 1}",
    );
    let mut stage = Stage::with(3, &text);
    stage.until("statefulset.db", "Complete");
    stage.fault(json!({ "fault": "readiness-fail", "id": "sick", "target": { "task": "*" } }));
    stage.run_for(10_000);
    stage.kubectl("scale statefulset db --replicas=3");
    stage.run_for(60_000);
    assert_eq!(stage.status("statefulset.db/pods/db-0"), "Running");
    assert_eq!(pods(&stage).len(), 1, "nothing is made while db-0 is not ready");
    assert_eq!(stage.status("statefulset.db/pods/db-1"), "Pending");
}

/// **Source**: `test/e2e/apps/statefulset.go`, "Burst scaling should run to completion even with unhealthy pods".
#[test]
fn parallel_management_does_not_wait() {
    let text = stateful_set("db:1", 3, "  podManagementPolicy: Parallel\n");
    let mut stage = Stage::new(3);
    stage.behave(json!({ "start_ms": 30_000 }));
    stage.load(request(&text)).unwrap();
    stage.run_for(1_000);
    assert_eq!(pods(&stage).len(), 3);
    stage.until("statefulset.db", "Complete");
}

/// **Source**: `test/e2e/apps/statefulset.go`, "should implement legacy replacement when the update strategy is OnDelete".
#[test]
fn on_delete_replaces_deleted_pods() {
    let strategy = "  updateStrategy: {type: OnDelete}\n";
    let mut stage = Stage::with(3, &stateful_set("db:1", 2, strategy));
    stage.until("statefulset.db", "Complete");
    stage.update(&stateful_set("db:2", 2, strategy)).unwrap();
    stage.until("statefulset.db", "OnDelete");
    stage.run_for(60_000);
    assert_eq!(stage.status("statefulset.db/pods/db-0"), "OnDelete");
    for pod in ["db-0", "db-1"] {
        stage.kubectl(&format!("delete pod {pod}"));
    }
    stage.until("statefulset.db", "Complete");
    assert!(pods(&stage).iter().all(|pod| pod["spec"]["containers"][0]["image"] == "db:2"));
}

fn daemon(more: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: agent}}\nspec:\n  selector: {{matchLabels: {{app: agent}}}}\n  template:\n    \
         metadata: {{labels: {{app: agent}}}}\n    spec:\n{more}      containers: [{{name: agent, image: 'agent:1'}}]\n"
    )
}

/// **Source**: `test/e2e/apps/daemon_set.go`, "should run and stop simple daemon".
#[test]
fn a_deleted_daemon_pod_is_recreated() {
    let mut stage = Stage::with(3, &daemon(""));
    stage.until("daemonset.agent", "Complete");
    let first = pods(&stage)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    stage.kubectl(&format!("delete pod {first} --wait=false"));
    stage.until("daemonset.agent", "Progressing");
    stage.until("daemonset.agent", "Complete");
    assert_eq!(pods(&stage).len(), 3);
}

/// **Source**: `test/e2e/apps/daemon_set.go`, "should run and stop complex daemon": a node selector; a label brings the pod, another one
/// takes it away.
#[test]
fn a_daemon_follows_labels_of_nodes() {
    let mut stage = Stage::with(3, &daemon("      nodeSelector: {color: blue}\n"));
    stage.run_for(5_000);
    assert_eq!((stage.status("daemonset.agent"), pods(&stage).len()), ("Complete", 0), "no node is wanted");
    stage.kubectl("patch node agent-2 -p '{\"metadata\": {\"labels\": {\"color\": \"blue\"}}}'");
    stage.run_for(1_000);
    stage.until("daemonset.agent", "Complete");
    assert_eq!(stage.tree()[2..], ["    agent-2 Ready"]);
    stage.kubectl("patch node agent-2 -p '{\"metadata\": {\"labels\": {\"color\": \"green\"}}}'");
    stage.run_for(60_000);
    assert_eq!(pods(&stage).len(), 0);
}

fn job(spec: &str, command: &str, policy: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: pack}}\nspec:\n{spec}  template:\n    spec:\n      restartPolicy: {policy}\n      \
         containers: [{{name: c, image: 'pack:1', command: [sh, -c, '{command}']}}]\n"
    )
}

/// **Source**: `test/e2e/apps/job.go`, "should run a job to completion when tasks succeed" (parallelism 2, completions 4).
#[test]
fn a_job_runs_its_completions_in_parallel() {
    let mut stage = Stage::with(3, &job("  parallelism: 2\n  completions: 4\n", "sleep 5", "Never"));
    let mut most = 0;
    while stage.status("job.pack") != "Complete" {
        let active = stage.object("apis/batch/v1/namespaces/default/jobs/pack").unwrap()["status"]["active"]
            .as_u64()
            .unwrap_or(0);
        most = most.max(active);
        stage.run_for(200);
        assert!(stage.now() < 600_000, "{}", stage.shown());
    }
    assert_eq!(most, 2);
    assert_eq!(stage.tree()[0], "job.pack Complete 4/4");
}

/// **Source**: `test/e2e/apps/job.go`, "should fail when exceeds active deadline".
#[test]
fn a_job_beyond_its_deadline_fails() {
    let mut stage =
        Stage::with(2, &job("  activeDeadlineSeconds: 10\n  backoffLimit: 6\n", "sleep 100", "Never"));
    let took = stage.until("job.pack", "Failed");
    assert!((10_000..13_000).contains(&took), "{took}");
    let status = stage.object("apis/batch/v1/namespaces/default/jobs/pack").unwrap()["status"].clone();
    assert_eq!(status["conditions"][0]["reason"], "DeadlineExceeded", "{status}");
}

/// **Source**: `test/e2e/apps/job.go`, "should fail to exceed backoffLimit" (limit 1: two pods); `pkg/controller/job/job_controller.go`.
#[test]
fn a_job_beyond_its_back_off_limit_fails() {
    let mut stage = Stage::with(2, &job("  backoffLimit: 1\n", "exit 1", "Never"));
    stage.until("job.pack", "Failed");
    let status = stage.object("apis/batch/v1/namespaces/default/jobs/pack").unwrap()["status"].clone();
    assert_eq!(status["conditions"][0]["reason"], "BackoffLimitExceeded", "{status}");
    assert_eq!(pods(&stage).len(), 2);
}

fn cron(policy: &str, command: &str, more: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: tidy}}\nspec:\n  schedule: '*/1 * * * *'\n  concurrencyPolicy: {policy}\n{more}  \
         jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: OnFailure\n          containers: [{{name: c, image: \
         'tidy:1', command: [sh, -c, '{command}']}}]\n"
    )
}

fn active(stage: &Stage) -> usize {
    let status = stage.object("apis/batch/v1/namespaces/default/cronjobs/tidy").unwrap()["status"].clone();
    status["active"].as_array().map_or(0, Vec::len)
}

/// **Source**: `test/e2e/apps/cronjob.go`: "should schedule multiple jobs concurrently", "should not schedule new jobs when
/// ForbidConcurrent", "should replace jobs when ReplaceConcurrent", "should not schedule jobs when suspended".
#[test]
fn runs_overlap_wait_or_replace_each_other() {
    for (policy, more, expected) in
        [("Allow", "", 2), ("Forbid", "", 1), ("Replace", "", 1), ("Allow", "  suspend: true\n", 0)]
    {
        let mut stage = Stage::with(3, &cron(policy, "sleep 300", more));
        stage.run_for(150_000);
        assert_eq!(active(&stage), expected, "{policy} {more}");
        let runs = list(&stage, "apis/batch/v1/namespaces/default/jobs");
        let first = runs.first().map(|job| job["metadata"]["creationTimestamp"].as_str().unwrap().to_owned());
        match (policy, expected) {
            ("Forbid", _) => {
                assert_eq!(first.as_deref(), Some("2020-01-01T00:01:00Z"), "the first one goes on");
            }
            ("Replace", _) => {
                assert_eq!(first.as_deref(), Some("2020-01-01T00:02:00Z"), "the second one took its place");
            }
            (_, 0) => assert_eq!(stage.status("cronjob.tidy"), "Suspended"),
            _ => {}
        }
    }
}

/// **Source**: `test/e2e/apps/cronjob.go`, "should delete successful finished jobs with limit of one successful job".
#[test]
fn finished_runs_are_kept_up_to_the_limit() {
    let mut stage = Stage::with(3, &cron("Allow", "exit 0", "  successfulJobsHistoryLimit: 1\n"));
    stage.run_for(250_000);
    let runs = list(&stage, "apis/batch/v1/namespaces/default/jobs");
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert_eq!(
        stage.tree().iter().filter(|line| line.starts_with("  tidy-")).count(),
        1,
        "{}",
        stage.shown()
    );
}

/// **Source**: `test/e2e/apps/disruption.go`, "evictions": too few pods, the budget met, not met, and as a share.
#[test]
fn budgets_allow_or_refuse_evictions() {
    for (replicas, budget, allowed) in [
        (3, "minAvailable: 2", true),
        (2, "minAvailable: 2", false),
        (3, "maxUnavailable: 1", true),
        (3, "maxUnavailable: 0", false),
        (10, "minAvailable: 90%", true),
        (9, "minAvailable: 90%", false),
        (10, "maxUnavailable: 10%", true),
    ] {
        let text = format!(
            "{}---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: web}}\nspec:\n  {budget}\n  selector: {{matchLabels: \
             {{app: web}}}}\n",
            deployment("web:1", replicas)
        );
        let mut stage = Stage::with(4, &text);
        stage.until("deployment.web", "Complete");
        stage.run_for(1_000);
        let name = pods(&stage)[0]["metadata"]["name"].as_str().unwrap().to_owned();
        let body = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name, "namespace": "default" } });
        let path = format!("/kube/api/v1/namespaces/default/pods/{name}/eviction");
        let status = stage.send(&planarium_part::Request::new("POST", &path, body.to_string())).status;
        assert_eq!(status, if allowed { 201 } else { 429 }, "{budget} of {replicas}");
    }
}
