//! Bodies and codes of the read routes.

use super::bench::Bench;
use super::walkthrough::SEED;
use crate::{DebugFilter, SdkQuery};
use planarium_mesos::api::TaskState;
use planarium_protocol::input::{PlanOp, PodOp};
use serde_json::{Value, json};

const EPOCH: u64 = 1_443_830_400_000;

fn get(bench: &Bench, query: SdkQuery) -> (u16, Value) {
    bench.scheduler.query(&query, EPOCH).unwrap_or_else(|refusal| panic!("{query:?}: {refusal:?}"))
}

fn deployed() -> Bench {
    let mut bench = Bench::new(SEED);
    bench.machine("a1", 4, 4096);
    bench.deploy();
    bench
}

#[test]
fn plans() {
    let mut bench = Bench::new(SEED);
    assert_eq!(get(&bench, SdkQuery::Plans), (200, json!(["deploy", "recovery"])));
    let (code, body) = get(&bench, SdkQuery::Plan { name: "deploy".into() });
    let id =
        bench.scheduler.plans.iter().next().expect("a plan").steps.get(0).expect("a step").id.to_string();
    assert_eq!(code, 202);
    assert_eq!(
        body["phases"][0]["steps"][0],
        json!({
            "id": id,
            "status": "PENDING",
            "name": "hello-0:[server]",
            "message": format!(
                "com.mesosphere.sdk.scheduler.plan.DeploymentStep: hello-0:[server] [{id}] with status: PENDING"
            ),
        })
    );
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&body), ["phases", "errors", "status", "strategy"]);
    assert_eq!(keys(&body["phases"][0]), ["id", "name", "steps", "status", "strategy"]);
    assert_eq!(
        (&body["status"], &body["strategy"], &body["errors"]),
        (&json!("PENDING"), &json!("serial"), &json!([]))
    );
    assert_eq!(
        get(&bench, SdkQuery::Plan { name: "recovery".into() }),
        (200, json!({"phases": [], "errors": [], "status": "COMPLETE", "strategy": "serial"}))
    );
    let missing = bench.scheduler.query(&SdkQuery::Plan { name: "x".into() }, EPOCH).expect_err("404");
    assert_eq!((missing.status, missing.message.as_str()), (404, "Plan x not found"));
    bench.advance(5_000);
    assert_eq!(get(&bench, SdkQuery::Plan { name: "recovery".into() }).1["strategy"], "parallel");
}

#[test]
fn pods() {
    let empty = Bench::new(SEED);
    assert_eq!(get(&empty, SdkQuery::Pods), (200, json!([])));
    assert_eq!(
        get(&empty, SdkQuery::PodStatuses),
        (200, json!({"service": "hello-world"})),
        "no pods at all"
    );
    let bench = deployed();
    assert_eq!(get(&bench, SdkQuery::Pods), (200, json!(["hello-0", "world-0", "world-1"])));
    let id = |task: &str| bench.id(task).to_string();
    assert_eq!(
        get(&bench, SdkQuery::PodStatus { pod: "world-0".into() }),
        (
            200,
            json!({"name": "world-0", "tasks": [
                {"id": id("world-0-server"), "name": "world-0-server", "status": "RUNNING"},
                {"id": id("world-0-sidecar"), "name": "world-0-sidecar", "status": "RUNNING"},
            ]})
        )
    );
    let all = get(&bench, SdkQuery::PodStatuses).1;
    assert_eq!(all["pods"][1]["name"], "world");
    assert_eq!(all["pods"][1]["instances"][1]["name"], "world-1");
    let info = get(&bench, SdkQuery::PodInfo { pod: "hello-0".into() }).1;
    let task = &info[0]["info"];
    assert_eq!(task["taskId"]["value"], id("hello-0-server"));
    assert_eq!(task["slaveId"]["value"], "S-a1");
    assert_eq!(task["check"]["command"]["command"]["value"], "true");
    assert_eq!(info[0]["status"]["state"], "TASK_RUNNING");
    let labels: Vec<&str> = task["labels"]["labels"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|l| l["key"].as_str())
        .collect();
    assert_eq!(labels, ["index", "offer_attributes", "offer_hostname", "target_configuration", "task_type"]);
    assert_eq!(task["resources"][0]["reservations"][0]["role"], "hello-world-role");
    let missing =
        bench.scheduler.query(&SdkQuery::PodInfo { pod: "hello-9".into() }, EPOCH).expect_err("404");
    assert_eq!(missing.message, "Pod hello-9 not found");
}

#[test]
fn ports_of_a_container_network_are_not_resources() {
    let yaml = "\
name: net
pods:
  p:
    count: 1
    networks: {dcos: }
    tasks:
      t: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 32, ports: {web: {port: 80, env-key: WEB}, any: {port: 0}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    bench.deploy();
    let info = get(&bench, SdkQuery::PodInfo { pod: "p-0".into() }).1[0]["info"].clone();
    let names: Vec<&str> =
        info["resources"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["cpus", "mem"]);
    let env = info["command"]["environment"]["variables"].to_string();
    assert!(env.contains(r#"{"name":"WEB","value":"80"}"#), "{env}");
}

#[test]
fn a_paused_task_shows_its_launch_settings() {
    let health = "health-check: {cmd: up, interval: 1, delay: 0, timeout: 1, grace-period: 1, max-consecutive-failures: 1}";
    let mut bench = Bench::new(&SEED.replacen("cmd: ", &format!("{health}, cmd: "), 1));
    bench.machine("a1", 8, 8192);
    bench.machine("a2", 8, 8192);
    bench.deploy();
    let info = |bench: &Bench| get(bench, SdkQuery::PodInfo { pod: "hello-0".into() }).1[0]["info"].clone();
    let command = |info: &serde_json::Value| info["check"]["command"]["command"]["value"].clone();
    bench.pod(PodOp::Pause, "hello-0", &[]).expect("paused");
    assert_eq!(command(&info(&bench)), "true", "until it is launched again");
    bench.status("hello-0-server", TaskState::Killed);
    bench.advance(5_000);
    bench.round();
    let paused = info(&bench);
    assert_eq!(command(&paused), "exit 1");
    assert_eq!(
        [
            &paused["check"]["intervalSeconds"],
            &paused["check"]["timeoutSeconds"],
            &paused["check"]["delaySeconds"]
        ],
        [5, 5, 0]
    );
    assert!(paused["healthCheck"].is_null(), "{paused}");
}

#[test]
fn configurations_and_state() {
    let bench = deployed();
    let target = bench.scheduler.configs.target.id.to_string();
    assert_eq!(get(&bench, SdkQuery::Configurations), (200, json!([target])));
    assert_eq!(get(&bench, SdkQuery::TargetId), (200, json!([target])));
    let spec = get(&bench, SdkQuery::Target).1;
    let keys: Vec<&String> = spec.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "name",
            "role",
            "principal",
            "user",
            "goal",
            "region",
            "web-url",
            "zookeeper",
            "replacement-failure-policy",
            "pod-specs"
        ]
    );
    assert_eq!(get(&bench, SdkQuery::Configuration { id: target }).1, spec);
    let query = |id: &str| bench.scheduler.query(&SdkQuery::Configuration { id: id.into() }, EPOCH);
    assert_eq!(query("x").expect_err("not an id").status, 400);
    assert_eq!(query("148fdba5-26b6-4485-8bea-fa127e4390e7").expect_err("unknown").status, 404);
    assert_eq!(get(&bench, SdkQuery::FrameworkId), (200, json!(["master-0001"])));
    let properties = get(&bench, SdkQuery::Properties).1;
    assert_eq!(properties[0], "hello-0-server:task-status");
    assert_eq!(properties[1], "last-completed-update-type");
    assert_eq!(get(&bench, SdkQuery::Property { key: "last-completed-update-type".into() }).1, "DEPLOY");
}

#[test]
fn hosts_of_endpoints() {
    let bench = Bench::new(&SEED.replace("name: hello-world", "name: /team/my.app"));
    let spec = &bench.scheduler.configs.target.spec;
    assert_eq!(&*spec.name, "/team/my.app");
    assert_eq!(spec.autoip_host("first.web-0"), "first-web-0.teammy-app.autoip.dcos.thisdcos.directory");
    assert_eq!(spec.vip_host("/www"), "www.teammy.app.l4lb.thisdcos.directory");
}

#[test]
fn health_codes() {
    let code = |bench: &Bench| get(bench, SdkQuery::Health { verbose: false });
    let mut bench = Bench::new(SEED);
    assert_eq!(code(&bench), (204, json!({"value": 204})));
    let (_, verbose) = get(&bench, SdkQuery::Health { verbose: true });
    assert_eq!(verbose["reasons"].as_array().map(Vec::len), Some(10));
    bench.plan(PlanOp::ForceComplete, "deploy/world").expect("forced");
    bench.machine("a1", 4, 4096);
    bench.round();
    assert_eq!(code(&bench).0, 202);
    bench.plan(PlanOp::Interrupt, "deploy").expect("held");
    assert_eq!(code(&bench).0, 202, "progress comes first");
    bench.all_run();
    assert_eq!(code(&bench).0, 207, "interrupted");
    bench.plan(PlanOp::Continue, "deploy").expect_err("complete");
    let mut bench = deployed();
    assert_eq!(code(&bench).0, 200);
    bench.status("hello-0-server", planarium_mesos::api::TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(code(&bench).0, 203);
    bench.round();
    assert_eq!(code(&bench).0, 205);
}

#[test]
fn debug_routes() {
    let mut bench = deployed();
    let body = get(&bench, SdkQuery::DebugPlans(DebugFilter::default())).1;
    assert_eq!(body["schedulerState"], "DEPLOYED");
    assert_eq!(body["plans"][0]["totalSteps"], 3);
    assert_eq!(body["plans"][0]["completedSteps"], 3);
    assert_eq!(body["serviceTopology"][0]["children"][0]["children"][0]["name"], "hello-0:[server]");
    let filter = DebugFilter { plan: Some("DEPLOY".into()), phase: Some("World".into()), step: None };
    let body = get(&bench, SdkQuery::DebugPlans(filter)).1;
    assert_eq!(body["plans"][0]["phases"].as_array().map(Vec::len), Some(1));
    let filter = DebugFilter { phase: Some("world".into()), ..DebugFilter::default() };
    let bad = get(&bench, SdkQuery::DebugPlans(filter));
    assert_eq!(bad, (200, json!({"invalid-input": "Phase specified without parent Plan."})));
    let statuses = get(&bench, SdkQuery::DebugTaskStatuses(DebugFilter::default())).1;
    assert_eq!(statuses[0]["phases"][0]["steps"][0]["taskStatus"][0]["taskStatus"], "TASK_RUNNING");
    let reservations = get(&bench, SdkQuery::DebugReservations).1;
    assert_eq!(reservations["a1"].as_array().map(Vec::len), Some(5 + 7 + 7));
    // Resources of a permanently lost task that the master refused were never reserved.
    bench.pod(PodOp::Replace, "hello-0", &[]).expect("replaced");
    assert_eq!(get(&bench, SdkQuery::DebugReservations).1, reservations);
    bench.status("hello-0-server", planarium_mesos::api::TaskState::Error);
    let reservations = get(&bench, SdkQuery::DebugReservations).1;
    assert_eq!(reservations["a1"].as_array().map(Vec::len), Some(7 + 7));
    let offers = get(&bench, SdkQuery::DebugOffers).1;
    assert_eq!((&offers["acceptedCount"], &offers["rejectedCount"]), (&json!(3), &json!(0)));
    assert_eq!(offers["offers"][0]["pod-instance-name"], "hello-0");
    assert_eq!(offers["offers"][0]["outcome"], "pass");
    assert!(offers["offers"][0]["timestamp"].as_u64().is_some_and(|at| at >= EPOCH));
}
