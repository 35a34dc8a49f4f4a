//! Every command of a service's command line on a world that runs.

#![expect(clippy::panic, reason = "helpers of tests")]

use planarium_rest::console::{self, Output};
use planarium_rest::{Request, Response, Session, handle, handle_engine};
use planarium_world::Genesis;
use serde_json::{Value, json};

fn line(text: &str, service: &str, send: &mut dyn FnMut(&Request) -> Response) -> Output {
    console::line(text, ("sdk", service), send)
}

const SVC: &str = "name: /team/hello
pods:
  hello:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: ./hello
        cpus: {{HELLO_CPUS}}
        memory: 32
        ports:
          http: {port: 8080, advertise: true, vip: {prefix: www, port: 80}}
plans:
  deploy:
    strategy: serial
    phases:
      hello: {strategy: serial, pod: hello}
  backup:
    strategy: serial
    phases:
      run:
        strategy: serial
        pod: hello
        steps: [{0: [[server]]}, {default: []}]
";

const CONFIG: &str = r#"{"type": "object", "properties": {"hello": {"type": "object", "properties": {"cpus": {"type": "number", "default": 0.5}}}}}"#;
const APP: &str = r#"{"env": {"HELLO_CPUS": "{{hello.cpus}}"}}"#;

fn sim(session: &mut Session, target: &str, body: &Value) -> Response {
    let response = handle(session, &Request::new("POST", target, body.to_string()));
    assert_eq!(response.status, 200, "{target}: {}", String::from_utf8_lossy(&response.body));
    response
}

fn until(session: &mut Session, condition: &str) {
    let response = sim(session, "/sim/advance", &json!({"until": condition, "limit_ms": 3_600_000}));
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(body["met"], true, "{condition}: {body}");
}

fn served() -> Session {
    let mut session = Session::new(Genesis::default());
    sim(&mut session, "/sim/agents", &json!({"count": 3}));
    let files = json!({"svc.yml": SVC, "config.json": CONFIG, "marathon.json.mustache": APP, "package.json": r#"{"version": "1.2"}"#});
    sim(&mut session, "/sim/services", &json!({"dialect": "sdk", "files": files}));
    session
}

fn on(session: &mut Session, typed: &str) -> Output {
    line(typed, "/team/hello", &mut |request| handle(session, request))
}

#[track_caller]
fn says(session: &mut Session, typed: &str, stdout: &str) {
    let output = on(session, typed);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.code), (stdout, "", 0), "{typed}");
}

#[track_caller]
fn fails(session: &mut Session, typed: &str, beginning: &str) {
    let output = on(session, typed);
    assert!(output.stderr.starts_with(beginning), "{typed}: {}", output.stderr);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{typed}");
}

#[track_caller]
fn reads(session: &mut Session, typed: &str) -> Value {
    let output = on(session, typed);
    assert_eq!((output.stderr.as_str(), output.code), ("", 0), "{typed}");
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{typed}: {error}: {}", output.stdout))
}

const ALREADY: &str = "Cannot execute command. Command has already been issued or the plan has completed\n";

#[test]
fn plans_are_shown_held_and_forced() {
    let mut session = served();
    let session = &mut session;
    assert_eq!(reads(session, "plan list"), json!(["deploy", "recovery", "backup"]));
    let tree = |plan: &str, phase: &str, first: &str, second: &str| {
        format!(
            "deploy (serial strategy) ({plan})\n└─ hello (serial strategy) ({phase})\n   ├─ hello-0:[server] ({first})\n   └─ hello-1:[server] ({second})\n"
        )
    };
    says(session, "plan status deploy", &tree("PENDING", "PENDING", "PENDING", "PENDING"));
    says(session, "plan pause deploy", "\"deploy\" plan has been paused.\n");
    says(session, "plan status deploy", &tree("WAITING", "PENDING", "PENDING", "PENDING"));
    fails(session, "plan pause deploy", ALREADY);
    says(session, "plan resume deploy", "\"deploy\" plan has been resumed.\n");
    says(session, "plan pause deploy hello", "\"deploy\" plan: phase \"hello\" has been paused.\n");
    fails(session, "plan interrupt deploy hello", ALREADY);
    says(session, "plan continue deploy hello", "\"deploy\" plan: phase \"hello\" has been resumed.\n");
    fails(session, "plan force-restart deploy", ALREADY);
    fails(
        session,
        "plan pause deploy none",
        "Got 404 Not Found response from /service/team/hello/v1/plans/deploy/interrupt?phase=none:\n- Perhaps the scheduler does not have what was asked for: Phase none not found\n",
    );
    fails(
        session,
        "plan status none",
        "Got 404 Not Found response from /service/team/hello/v1/plans/none:\n- Perhaps the scheduler does not have what was asked for: Plan none not found\n",
    );
    fails(
        session,
        "plan force deploy hello none",
        "Got 404 Not Found response from /service/team/hello/v1/plans/deploy/forceComplete?phase=hello&step=none:\n- Perhaps the scheduler does not have what was asked for: Step none not found\n",
    );
    fails(
        session,
        "plan start backup -p 1=1",
        "HTTP POST Query for /service/team/hello/v1/plans/backup/start failed: 400 Bad Request\nResponse: Couldn't parse parameters: 1 is not a valid environment variable name\n",
    );

    until(session, "deploy=COMPLETE");
    says(session, "update status", &tree("COMPLETE", "COMPLETE", "COMPLETE", "COMPLETE"));
    fails(session, "plan force deploy hello 'hello-0:[server]'", ALREADY);
    says(
        session,
        "update restart hello 'hello-1:[server]'",
        "\"deploy\" plan: step \"hello-1:[server]\" in phase \"hello\" has been restarted.\n",
    );
    says(session, "plan show deploy", &tree("IN_PROGRESS", "IN_PROGRESS", "COMPLETE", "PENDING"));
    says(
        session,
        "update force hello 'hello-1:[server]'",
        "\"deploy\" plan: step \"hello-1:[server]\" in phase \"hello\" has been forced to complete.\n",
    );
    assert_eq!(reads(session, "plan status deploy --json")["status"], "COMPLETE");

    assert_eq!(
        reads(session, "plan start backup -p KEY=a=b"),
        json!({"message": "Received cmd: start backup with parameters: {KEY=a=b}"})
    );
    assert_eq!(reads(session, "plan stop backup"), json!({"message": "Received cmd: stop"}));
}

#[test]
fn pods_are_shown_restarted_and_paused() {
    let mut session = served();
    let session = &mut session;
    says(session, "pod status", "/team/hello\n");
    assert_eq!(reads(session, "pod list"), json!([]));
    fails(
        session,
        "pod status hello-0",
        "Got 404 Not Found response from /service/team/hello/v1/pod/hello-0/status:\n- Perhaps the scheduler does not have what was asked for: Pod hello-0 not found\n",
    );
    until(session, "deploy=COMPLETE");
    let all = "/team/hello\n└─ hello\n   ├─ hello-0\n   │  └─ hello-0-server (RUNNING)\n   └─ hello-1\n      └─ hello-1-server (RUNNING)\n";
    says(session, "pod status", all);
    says(session, "pod status hello-1", "hello-1\n└─ hello-1-server (RUNNING)\n");
    assert_eq!(reads(session, "pods list"), json!(["hello-0", "hello-1"]));
    assert_eq!(reads(session, "pod info hello-0")[0]["info"]["name"], "hello-0-server");

    for typed in ["pod restart hello-0", "pod replace hello-0"] {
        assert_eq!(reads(session, typed), json!({"pod": "hello-0", "tasks": ["hello-0-server"]}), "{typed}");
        until(session, "idle");
        says(session, "pod status", all);
    }
    assert_eq!(
        reads(session, "debug pod pause hello-0 -t server"),
        json!({"pod": "hello-0", "tasks": ["hello-0-server"]})
    );
    says(session, "pod status hello-0", "hello-0\n└─ hello-0-server (PAUSING)\n");
    fails(
        session,
        "debug pod resume hello-0 -t none",
        "Got 404 Not Found response from /service/team/hello/v1/pod/hello-0/resume:\n",
    );
    sim(session, "/sim/advance", &json!({"for_ms": 120_000}));
    says(session, "pod status hello-0", "hello-0\n└─ hello-0-server (PAUSED)\n");
    reads(session, "debug pod resume hello-0");
    sim(session, "/sim/advance", &json!({"for_ms": 120_000}));
    says(session, "pod status hello-0", "hello-0\n└─ hello-0-server (RUNNING)\n");
}

#[test]
fn state_endpoints_and_configurations() {
    let mut session = served();
    let session = &mut session;
    until(session, "deploy=COMPLETE");
    assert_eq!(reads(session, "endpoints"), json!(["http"]));
    let endpoint = reads(session, "endpoints http");
    assert_eq!(endpoint["dns"].as_array().map(Vec::len), Some(2), "{endpoint}");
    fails(session, "endpoints none", "Got 404 Not Found");

    let target = reads(session, "debug config target_id");
    let id = target[0].as_str().unwrap().to_owned();
    assert_eq!(reads(session, "debug config list"), json!([id]));
    assert_eq!(reads(session, &format!("debug config show {id}")), reads(session, "debug config target"));
    fails(
        session,
        "debug config show x",
        "HTTP GET Query for /service/team/hello/v1/configurations/x failed: 400 Bad Request\n",
    );
    assert_eq!(reads(session, "debug state framework_id").as_array().map(Vec::len), Some(1));
    let names = reads(session, "debug state properties");
    let name = names.as_array().and_then(|names| {
        names.iter().find_map(|name| {
            name.as_str()?.ends_with(":task-status").then(|| name.as_str().unwrap_or_default())
        })
    });
    let state = reads(session, &format!("debug state property {}", name.unwrap()));
    assert_eq!(state["state"], "TASK_RUNNING");
    fails(session, "debug state property none", "Got 404 Not Found");
    assert_eq!(reads(session, "debug state refresh_cache"), json!({"message": "Received cmd: refresh"}));

    let other = line("plan list --name nobody", "", &mut |request| handle(session, request));
    assert!(other.stderr.contains("Service nobody not found") && other.code == 1, "{}", other.stderr);
    let other = line("describe --name nobody", "", &mut |request| handle(session, request));
    assert!(other.stderr.contains(": there is no service nobody\n"), "{}", other.stderr);
    let only = line("plan list", "", &mut |request| handle(session, request));
    assert_eq!(only.code, 0, "{}", only.stderr);
}

#[test]
fn updates_go_through_the_package() {
    let mut session = served();
    let session = &mut session;
    until(session, "deploy=COMPLETE");
    assert_eq!(reads(session, "describe"), json!({"hello": {"cpus": 0.5}}));
    says(session, "update package-versions", "Package version: \"1.2\"\nDowngrades: none\nUpgrades: none\n");
    let before = session.engine.digest();
    let unknown = on(session, r#"update start --options '{"helo": {}}'"#);
    assert!(
        unknown.stderr.contains("options.json:2:") && unknown.stderr.contains("error[SDK"),
        "{}",
        unknown.stderr
    );
    assert_eq!(unknown.code, 1);
    assert_ne!(session.engine.digest(), before, "a refused input is journaled");

    says(
        session,
        r#"update start --options '{"hello": {"cpus": 1}}'"#,
        "Update started. `update status` shows how far it is.\n",
    );
    assert_eq!(reads(session, "describe"), json!({"hello": {"cpus": 1}}));
    assert_eq!(reads(session, "debug config list").as_array().map(Vec::len), Some(2));
    let shown = on(session, "update status").stdout;
    assert!(shown.starts_with("deploy (serial strategy) (PENDING)\n"), "{shown}");
    until(session, "deploy=COMPLETE");
}

#[test]
fn a_borrowed_engine_comes_back_with_its_changes() {
    let mut session = served();
    until(&mut session, "deploy=COMPLETE");
    let mut engine = session.engine;
    let (head_ms, branches, inputs) = (engine.head_ms(), engine.branches().len(), engine.inputs());
    engine.seek_ms(0);
    let output = line("plan pause deploy", "", &mut |request| handle_engine(&mut engine, request));
    assert_eq!(
        (output.stdout.as_str(), output.code),
        ("\"deploy\" plan has been paused.\n", 0),
        "{}",
        output.stderr
    );
    assert_eq!(engine.branches().len(), branches + 1, "a command in the past opens a branch");
    assert_eq!(engine.head_ms(), 0);
    let original = engine.branches().iter().find(|branch| !branch.current).map(|branch| branch.id).unwrap();
    assert!(engine.switch_branch(original));
    engine.seek_ms(head_ms);
    assert_eq!(engine.inputs(), inputs);
}

#[test]
fn a_service_is_uninstalled_by_command() {
    for typed in
        ["uninstall", "dcos hello --name=/team/hello uninstall", "dcos package uninstall /team/hello"]
    {
        let mut session = served();
        let session = &mut session;
        until(session, "deploy=COMPLETE");
        let output = on(session, typed);
        assert_eq!((output.stderr.as_str(), output.code), ("", 0), "{typed}");
        assert!(
            output.stdout.starts_with("Uninstall of ") && output.stdout.contains("team/hello"),
            "{output:?}"
        );
        assert_eq!(reads(session, "plan list"), json!(["deploy"]), "{typed}");
        until(session, "deploy=COMPLETE");
    }
}
