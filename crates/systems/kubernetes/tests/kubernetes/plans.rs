//! Rollouts as plans.

use super::stage::Stage;
use super::support::{deployment, stateful_set};
use planarium_protocol::input::PlanOp;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;

fn daemon_set(image: &str, strategy: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: agent}}\nspec:\n{strategy}  selector: {{matchLabels: {{app: agent}}}}\n  template:\n    \
         metadata: {{labels: {{app: agent}}}}\n    spec:\n      containers: [{{name: agent, image: '{image}'}}]\n"
    )
}

fn job(exit: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: pack}}\nspec:\n  completions: 2\n  backoffLimit: 2\n  template:\n    spec:\n      \
         restartPolicy: Never\n      containers: [{{name: pack, image: 'pack:1', command: [sh, -c, '{exit}']}}]\n"
    )
}

#[test]
fn a_deployment_is_rolled_out_revision_by_revision() {
    let mut stage = Stage::with(3, &deployment("web:1", 3));
    assert_eq!(stage.status("deployment.web"), "Pending");
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.status("deployment.web/revision-1"), "Complete");
    let tree = stage.tree();
    assert_eq!(tree[..2], ["deployment.web Complete 3/3", "  revision-1 Complete 3/3"], "{tree:?}");
    assert!(tree[2..].iter().all(|line| line.ends_with(" Ready")) && tree.len() == 5, "{tree:?}");
    stage.update(&deployment("web:2", 3)).unwrap();
    stage.until("deployment.web", "Progressing");
    stage.run_for(100);
    assert_eq!(stage.status("deployment.web/revision-1"), "ScalingDown");
    assert_eq!(stage.status("deployment.web/revision-2"), "Progressing");
    let view = stage.view();
    assert!(
        view.activity.starts_with("Waiting for deployment \"web\" rollout to finish: "),
        "{}",
        view.activity
    );
    stage.until("deployment.web", "Complete");
    stage.run_for(60_000);
    let tree = stage.tree();
    assert_eq!(tree[1..3], ["  revision-1 Superseded 0/0", "  revision-2 Complete 3/3"], "{tree:?}");
    assert_eq!(tree.len(), 6, "pods of the first revision are gone: {tree:?}");
    assert!(
        stage.changes().contains(&"deployment.web/revision-1 Complete -> ScalingDown".to_owned()),
        "{:?}",
        stage.changes()
    );
}

#[test]
fn a_rollout_that_makes_no_progress_exceeds_its_deadline() {
    let text = deployment("web:1", 2)
        .replace("spec:\n  replicas", "spec:\n  progressDeadlineSeconds: 60\n  replicas");
    let mut stage = Stage::with(3, &text);
    stage.until("deployment.web", "Complete");
    stage.fault(json!({ "fault": "image-missing", "target": { "task": "*" } }));
    stage.update(&text.replace("web:1", "web:nope")).unwrap();
    let took = stage.until("deployment.web", "ProgressDeadlineExceeded");
    assert!((60_000..70_000).contains(&took), "{took}");
    let view = stage.view();
    let plan = &view.plans[0];
    assert!(plan.errors[0].contains("has timed out progressing."), "{:?}", plan.errors);
    assert_eq!(stage.status("deployment.web/revision-2"), "ProgressDeadlineExceeded");
    assert_eq!(&*view.activity, "deployment \"web\" exceeded its progress deadline");
    let undone = stage.plan("deployment.web", PlanOp::Stop, &[]).unwrap();
    assert_eq!(undone["said"], "deployment.apps/web rolled back");
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.status("deployment.web/revision-3"), "Complete", "{}", stage.shown());
}

#[test]
fn commands_change_a_deployment_or_are_refused_with_kubectls_words() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    let refused = |stage: &mut Stage, op| stage.plan("deployment.web", op, &[]).unwrap_err();
    assert_eq!(refused(&mut stage, PlanOp::Stop).message, "no rollout history found for deployment \"web\"");
    assert_eq!(refused(&mut stage, PlanOp::Continue).message, "deployments.apps \"web\" is not paused");
    assert_eq!(refused(&mut stage, PlanOp::ForceComplete).code, RefusalCode::Unsupported);
    stage.plan("deployment.web", PlanOp::Interrupt, &[]).unwrap();
    assert_eq!(refused(&mut stage, PlanOp::Interrupt).message, "deployments.apps \"web\" is already paused");
    let text = "deployments.apps \"web\" can't restart paused deployment (run rollout resume first)";
    assert_eq!(refused(&mut stage, PlanOp::Restart).message, text);
    stage.run_for(1_000);
    stage.plan("deployment.web", PlanOp::Start, &[("image", "web:2")]).unwrap();
    stage.run_for(30_000);
    assert_eq!(stage.status("deployment.web"), "Paused", "{}", stage.shown());
    stage.plan("deployment.web", PlanOp::Continue, &[]).unwrap();
    stage.until("deployment.web", "Progressing");
    stage.until("deployment.web", "Complete");
    stage.plan("deployment.web", PlanOp::Start, &[("replicas", "4")]).unwrap();
    stage.until("deployment.web", "Progressing");
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.view().plans[0].progress.total, 4);
    stage.plan("deployment.web", PlanOp::Restart, &[]).unwrap();
    assert_eq!(refused(&mut stage, PlanOp::Restart).code, RefusalCode::Conflict, "twice within a second");
    stage.until("deployment.web", "Progressing");
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.status("deployment.web/revision-3"), "Complete");
    stage.plan("deployment.web", PlanOp::Stop, &[("to-revision", "1")]).unwrap();
    stage.run_for(1_000);
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.status("deployment.web/revision-1"), "(none)", "it has become the newest one");
    let image = stage.object("apis/apps/v1/namespaces/default/deployments/web").unwrap();
    assert_eq!(image["spec"]["template"]["spec"]["containers"][0]["image"], "web:1");
    for (params, text) in [
        (&[("replicas", "many")][..], "replicas \"many\" is no number"),
        (&[("image.db", "x")], "unable to find container named \"db\""),
        (&[("colour", "red")], "\"colour\" is none of replicas, image, image.CONTAINER"),
        (&[], "nothing to change: give replicas=N or image=NAME"),
    ] {
        assert_eq!(stage.plan("deployment.web", PlanOp::Start, params).unwrap_err().message, text);
    }
    let gone = stage.plan("deployment.none", PlanOp::Restart, &[]).unwrap_err();
    assert_eq!(gone.code, RefusalCode::NotFound);
}

#[test]
fn a_stateful_set_is_updated_ordinal_by_ordinal() {
    let mut stage = Stage::with(3, &stateful_set("db:1", 3, ""));
    stage.until("statefulset.db/pods/db-0", "Ready");
    assert_eq!(stage.status("statefulset.db/pods/db-2"), "Pending", "it waits for those before it");
    stage.until("statefulset.db", "Complete");
    stage.update(&stateful_set("db:2", 3, "")).unwrap();
    stage.until("statefulset.db/pods/db-2", "Terminating");
    assert_eq!(stage.status("statefulset.db/pods/db-0"), "Outdated", "{}", stage.shown());
    assert_eq!(stage.status("statefulset.db"), "Progressing");
    stage.until("statefulset.db", "Complete");
    let tree = stage.tree();
    assert_eq!(
        tree,
        [
            "statefulset.db Complete 3/3",
            "  pods Complete 3/3",
            "    db-0 Ready",
            "    db-1 Ready",
            "    db-2 Ready"
        ]
    );
}

#[test]
fn a_partition_keeps_lower_ordinals_at_their_revision() {
    let partition = "  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}\n";
    let mut stage = Stage::with(3, &stateful_set("db:1", 3, partition));
    stage.until("statefulset.db", "Complete");
    stage.update(&stateful_set("db:2", 3, partition)).unwrap();
    stage.until("statefulset.db", "Progressing");
    stage.until("statefulset.db", "Complete");
    assert_eq!(
        stage.kubectl("rollout status statefulset/db"),
        "partitioned roll out complete: 1 new pods have been updated...\n"
    );
    let image = |stage: &Stage, pod: &str| {
        let pod = stage.object(&format!("api/v1/namespaces/default/pods/{pod}")).unwrap();
        pod["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()
    };
    assert_eq!((image(&stage, "db-1"), image(&stage, "db-2")), ("db:1".to_owned(), "db:2".to_owned()));
    assert_eq!(stage.status("statefulset.db/pods/db-0"), "Ready", "it is as it is wanted");
    stage.update(&stateful_set("db:2", 3, "")).unwrap();
    stage.until("statefulset.db", "Progressing");
    stage.until("statefulset.db", "Complete");
    assert_eq!(image(&stage, "db-0"), "db:2");
}

#[test]
fn a_daemon_set_has_a_step_for_each_node() {
    let mut stage = Stage::with(3, &daemon_set("agent:1", ""));
    stage.until("daemonset.agent", "Complete");
    let tree = stage.tree();
    assert_eq!(tree[0], "daemonset.agent Complete 3/3");
    assert_eq!(tree[2..], ["    agent-1 Ready", "    agent-2 Ready", "    agent-3 Ready"]);
    stage.update(&daemon_set("agent:2", "")).unwrap();
    stage.until("daemonset.agent", "Progressing");
    stage.run_for(200);
    let outdated = stage.tree().iter().filter(|line| line.ends_with("Outdated")).count();
    assert!(outdated >= 1, "{}", stage.shown());
    stage.until("daemonset.agent", "Complete");
}

#[test]
fn pods_with_on_delete_wait_for_deletion_by_hand() {
    let strategy = "  updateStrategy: {type: OnDelete}\n";
    let mut stage = Stage::with(2, &daemon_set("agent:1", strategy));
    stage.until("daemonset.agent", "Complete");
    stage.update(&daemon_set("agent:2", strategy)).unwrap();
    stage.until("daemonset.agent", "OnDelete");
    assert_eq!(stage.status("daemonset.agent/nodes/agent-1"), "OnDelete");
    let why = stage.why("daemonset.agent/nodes/agent-1");
    let way = why.unblock.iter().find(|way| way.title.starts_with("Delete the pod ")).unwrap();
    stage.input(way.input.as_ref().unwrap()).unwrap();
    stage.until("daemonset.agent/nodes/agent-1", "Ready");
    stage.until("daemonset.agent", "OnDelete");
    assert_eq!(stage.status("daemonset.agent/nodes/agent-2"), "OnDelete", "the other one is left");
}

#[test]
fn a_job_completes_or_fails_after_its_retries() {
    let mut stage = Stage::with(2, &job("exit 0"));
    stage.until("job.pack", "Complete");
    assert_eq!(stage.tree()[..2], ["job.pack Complete 2/2", "  pods Complete 2/2"]);
    let mut stage = Stage::with(2, &job("exit 3"));
    stage.until("job.pack", "Failed");
    let tree = stage.tree();
    assert_eq!(tree.iter().filter(|line| line.ends_with(" Error")).count(), 3, "{tree:?}");
    assert!(
        stage.view().plans[0].errors[0].contains("Job has reached the specified backoff limit"),
        "{:?}",
        stage.view().plans[0].errors
    );
}

#[test]
fn a_cron_job_has_its_runs_as_phases() {
    let text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: tidy}\nspec:\n  schedule: '*/5 * * * *'\n  jobTemplate:\n    spec:\n      \
                template:\n        spec:\n          restartPolicy: Never\n          containers: [{name: tidy, image: 'tidy:1', command: [sh, -c, \
                'exit 0']}]\n";
    let mut stage = Stage::with(2, text);
    stage.run_for(1_000);
    assert_eq!(stage.status("cronjob.tidy"), "Scheduled");
    stage.until("cronjob.tidy", "Progressing");
    assert!((299_000..302_000).contains(&stage.now()), "{}", stage.now());
    stage.until("cronjob.tidy", "Scheduled");
    let tree = stage.tree();
    assert!(tree[1].starts_with("  tidy-") && tree[1].ends_with(" Complete 1/1"), "{tree:?}");
    stage.plan("cronjob.tidy", PlanOp::Interrupt, &[]).unwrap();
    assert_eq!(stage.status("cronjob.tidy"), "Suspended");
    stage.run_for(900_000);
    assert_eq!(stage.status("cronjob.tidy"), "Suspended");
    stage.plan("cronjob.tidy", PlanOp::Continue, &[]).unwrap();
    stage.until("cronjob.tidy", "Progressing");
}

#[test]
fn objects_are_applied_one_by_one() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: \
                team}\n---\napiVersion: example.com/v1\nkind: Backup\nmetadata: {name: c}\n";
    let mut stage = Stage::new(1);
    let answer = stage.load(super::support::request(text)).unwrap();
    assert_eq!(answer["applied"], json!(["configmap/a created"]));
    assert_eq!(
        stage.tree(),
        [
            "objects NotApplied 1/3",
            "  objects NotApplied 1/3",
            "    configmap.a Applied",
            "    configmap.b@team NotApplied",
            "    backup.c NotApplied"
        ]
    );
    let errors = &stage.view().plans[0].errors;
    assert_eq!(&*errors[0], "namespaces \"team\" not found");
    assert!(errors[1].contains("no matches for kind \"Backup\" in version \"example.com/v1\""), "{errors:?}");
    let way = stage.why("objects/objects/configmap.b@team").unblock.remove(0);
    stage.input(&way.input.unwrap()).unwrap();
    stage.plan("objects", PlanOp::Restart, &[]).unwrap();
    assert_eq!(stage.status("objects/objects/configmap.b@team"), "Applied");
    let only = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: nowhere}\n";
    let refused = Stage::new(1).load(super::support::request(only)).unwrap_err();
    assert_eq!(
        (refused.status, &*refused.message),
        (404, "namespaces \"nowhere\" not found"),
        "nothing of it is applied"
    );
}

#[test]
fn an_update_is_an_apply_without_pruning() {
    let config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1', y: '2'}\n";
    let mut stage = Stage::with(3, &format!("{}{config}", deployment("web:1", 2)));
    stage.until("deployment.web", "Complete");
    // A client scales it; the files no longer set the number.
    stage.kubectl("scale deployment/web --replicas=3");
    let text = deployment("web:1", 2).replace("  replicas: 2\n", "");
    let config = config.replace(", y: '2'", "");
    let answer = stage.update(&format!("{text}{config}")).unwrap();
    assert_eq!(answer["applied"], json!(["deployment.apps/web configured", "configmap/a configured"]));
    let object = stage.object("api/v1/namespaces/default/configmaps/a").unwrap();
    assert_eq!(object["data"], json!({ "x": "1" }), "a field that was applied before and is gone is removed");
    let answer = stage.update(&text).unwrap();
    assert_eq!(answer["applied"], json!(["deployment.apps/web unchanged"]));
    assert!(stage.object("api/v1/namespaces/default/configmaps/a").is_some(), "it is not pruned");
    assert_eq!(stage.status("objects/objects/configmap.a"), "Applied", "and shown on");
}

#[test]
fn a_service_is_deleted_with_the_objects_of_its_files() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    stage.remove(false).unwrap();
    stage.run_for(60_000);
    assert!(stage.daemon.as_ref().unwrap().is_over_now());
    assert!(stage.object("apis/apps/v1/namespaces/default/deployments/web").is_none());
    assert_eq!(stage.object("api/v1/namespaces/default/pods").unwrap()["items"], json!([]));
}

#[test]
fn objects_deleted_by_hand_can_be_applied_again() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    stage.kubectl("delete deployment web");
    assert_eq!(stage.status("deployment.web"), "Deleted");
    let why = stage.why("deployment.web");
    assert_eq!(why.unblock[0].title, "Apply again");
    stage.input(why.unblock[0].input.as_ref().unwrap()).unwrap();
    stage.until("deployment.web", "Complete");
}

/// Accessors that only tests need.
trait Over {
    fn is_over_now(&self) -> bool;
}

impl Over for planarium_kubernetes::Daemon {
    fn is_over_now(&self) -> bool {
        planarium_part::System::is_over(self)
    }
}

/// Rows of the curve of the Deployment `web`: milliseconds, wanted, updated, available, unavailable.
fn curve(stage: &Stage) -> serde_json::Value {
    stage.view().more["kubernetes"]["workloads"][0]["curve"].clone()
}

fn rows(stage: &Stage) -> Vec<[u64; 5]> {
    let curve = curve(stage);
    let rows = curve["samples"].as_array().unwrap();
    rows.iter().map(|row| std::array::from_fn(|at| row[at].as_u64().unwrap())).collect()
}

#[test]
fn a_rollout_keeps_its_samples() {
    let mut stage = Stage::with(3, &deployment("web:1", 4));
    stage.until("deployment.web", "Complete");
    let first = rows(&stage);
    assert_eq!(first.last().map(|row| [row[1], row[2], row[3], row[4]]), Some([4, 4, 4, 0]));
    assert_eq!((&curve(&stage)["revision"], &curve(&stage)["over"]), (&json!("revision-1"), &json!(true)));
    let pod = stage.view().plans[0].phases[0].steps[0].name.to_string();
    stage.kubectl(&format!("delete pod {pod}"));
    stage.run_for(30_000);
    assert_eq!(rows(&stage), first, "a pod that goes later is no part of the rollout");

    let begins = stage.now();
    stage.update(&deployment("web:2", 4)).unwrap();
    stage.until("deployment.web", "Progressing");
    stage.until("deployment.web", "Complete");
    let ends = stage.now();
    let all = rows(&stage);
    assert_eq!(curve(&stage)["revision"], "revision-2");
    // 25 % of four: one more than wanted, one fewer than wanted.
    assert_eq!((&curve(&stage)["most"], &curve(&stage)["least"]), (&json!(5), &json!(3)));
    assert!(all.len() > 4, "{all:?}");
    assert!(all.is_sorted_by(|one, next| one[0] < next[0]), "one row for an instant: {all:?}");
    assert!(all.iter().all(|row| (begins..=ends).contains(&row[0])), "{all:?}");
    assert!(all.iter().all(|row| row[1] == 4 && row[3] >= 3 && row[2] <= 4), "{all:?}");
    assert!(all.is_sorted_by_key(|row| row[2]), "what is updated stays: {all:?}");
    assert_eq!(all.last().map(|row| [row[2], row[3], row[4]]), Some([4, 4, 0]));
    assert!(all.iter().any(|row| row[3] == 3), "one may be unavailable: {all:?}");

    // The same over again is the same.
    let again = || {
        let mut stage = Stage::with(3, &deployment("web:1", 4));
        stage.until("deployment.web", "Complete");
        rows(&stage)
    };
    assert_eq!(again(), first);
}

#[test]
fn curves_of_rollouts_under_way_are_shown_first() {
    let many: Vec<String> =
        (0..25).map(|n| deployment("web:1", 1).replace("name: web\n", &format!("name: web-{n}\n"))).collect();
    let mut stage = Stage::with(6, &many.join("---\n"));
    stage.run_for(120_000);
    stage.kubectl("set image deployment/web-3 *=web:2");
    stage.kubectl("rollout pause deployment/web-3");
    stage.run_for(1_000);
    let view = stage.view();
    let all = view.more["kubernetes"]["workloads"].as_array().unwrap();
    let drawn: Vec<&str> =
        all.iter().filter(|one| one["curve"].is_object()).filter_map(|one| one["plan"].as_str()).collect();
    assert_eq!(drawn.len(), 20, "{drawn:?}");
    assert!(drawn.contains(&"deployment.web-3"), "{drawn:?}");
}
