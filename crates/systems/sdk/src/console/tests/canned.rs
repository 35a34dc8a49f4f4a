//! Requests and output for every answer, with prepared answers.

use super::asked;
use planarium_part::Response;

const PLAN: &str = r#"{
  "phases": [
    {"id": "9c", "name": "hello", "steps": [
      {"id": "0b", "status": "COMPLETE", "name": "hello-0:[server]", "message": "x"}], "status": "COMPLETE", "strategy": "serial"},
    {"id": "9d", "name": "world", "steps": [
      {"id": "0c", "status": "STARTING", "name": "world-0:[server]", "message": "x"},
      {"id": "0d", "status": "PENDING", "name": "world-1:[server]", "message": "x"}], "status": "IN_PROGRESS", "strategy": "parallel"}],
  "errors": [], "status": "IN_PROGRESS", "strategy": "serial" }"#;

const TREE: &str = "deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (parallel strategy) (IN_PROGRESS)
   ├─ world-0:[server] (STARTING)
   └─ world-1:[server] (PENDING)
";

const RECEIVED: &str = r#"{"message":"Received cmd: x"}"#;
const ALREADY: &str = "Cannot execute command. Command has already been issued or the plan has completed\n";

struct Row {
    typed: &'static str,
    /// The call below `/service/hello/v1`.
    call: &'static str,
    status: u16,
    body: &'static str,
    code: u8,
    /// Standard output when the code is 0, standard error otherwise.
    said: &'static str,
}

fn check(rows: &[Row]) {
    for row in rows {
        let Row { typed, call, status, body, code, said } = row;
        let (output, asked) = asked(typed, "hello", |_| Response::text(*status, *body));
        let (method, path) = call.split_once(' ').expect("method and path");
        assert_eq!(asked, [format!("{method} /service/hello/v1{path}")], "{typed}");
        let (out, err) = if *code == 0 { (*said, "") } else { ("", *said) };
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            (out, err),
            "{typed} on {status} {body}"
        );
        assert_eq!(output.code, *code, "{typed} on {status}");
    }
}

const fn row(
    typed: &'static str,
    call: &'static str,
    status: u16,
    body: &'static str,
    code: u8,
    said: &'static str,
) -> Row {
    Row { typed, call, status, body, code, said }
}

#[test]
fn plan_reads() {
    check(&[
        row(
            "plan list",
            "GET /plans",
            200,
            r#"["deploy","recovery"]"#,
            0,
            "[\n  \"deploy\",\n  \"recovery\"\n]\n",
        ),
        row("plans list", "GET /plans", 200, "[]", 0, "[]\n"),
        row(
            "plan list",
            "GET /plans",
            200,
            "oops",
            0,
            "The answer is not JSON (expected value at line 1 column 1):\noops\n",
        ),
        row("plan status deploy", "GET /plans/deploy", 202, PLAN, 0, TREE),
        row("plan show deploy", "GET /plans/deploy", 200, PLAN, 0, TREE),
        row("update status", "GET /plans/deploy", 202, PLAN, 0, TREE),
        row("update show", "GET /plans/deploy", 202, PLAN, 0, TREE),
        // The name is printed as typed.
        row(
            "plan status x",
            "GET /plans/x",
            200,
            r#"{"phases":[],"errors":[],"status":"COMPLETE","strategy":"serial"}"#,
            0,
            "x (serial strategy) (COMPLETE)\n",
        ),
        // An error in the plan is an answer like any other.
        row(
            "plan status deploy",
            "GET /plans/deploy",
            417,
            r#"{"phases":[{"name":"hello","status":"ERROR","strategy":"serial","steps":[{"name":"hello-0","status":"ERROR"}]}],
                "errors":["first","second line\n"],"status":"ERROR","strategy":"serial"}"#,
            0,
            "deploy (serial strategy) (ERROR)\n└─ hello (serial strategy) (ERROR)\n   └─ hello-0 (ERROR)\n\nErrors:\n- first\n- second line\n",
        ),
        row(
            "plan status deploy",
            "GET /plans/deploy",
            202,
            r#"{"phases":[{"steps":[{"name":null},{"status":""}]},{}]}"#,
            0,
            "deploy (<UNKNOWN> strategy) (<UNKNOWN>)\n├─ <UNKNOWN> (<UNKNOWN> strategy) (<UNKNOWN>)\n│  ├─ <UNKNOWN> (<UNKNOWN>)\n│  └─ <UNKNOWN> (<UNKNOWN>)\n└─ <UNKNOWN> (<UNKNOWN> strategy) (<UNKNOWN>)\n",
        ),
        row(
            "plan status x --json",
            "GET /plans/x",
            417,
            r#"{"status":"ERROR","phases":[]}"#,
            0,
            "{\n  \"status\": \"ERROR\",\n  \"phases\": []\n}\n",
        ),
        row(
            "update status --json",
            "GET /plans/deploy",
            202,
            r#"{"b":1,"a":0.5}"#,
            0,
            "{\n  \"b\": 1,\n  \"a\": 0.5\n}\n",
        ),
        row("plan status deploy", "GET /plans/deploy", 200, "[]", 1, "the answer is not a plan\n"),
        row(
            "plan status deploy",
            "GET /plans/deploy",
            200,
            "",
            1,
            "the answer is not a plan: EOF while parsing a value at line 1 column 0\n",
        ),
    ]);
}

#[test]
fn plan_commands_report_their_result() {
    check(&[
        row(
            "plan pause deploy",
            "POST /plans/deploy/interrupt",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been paused.\n",
        ),
        row(
            "plan interrupt deploy hello",
            "POST /plans/deploy/interrupt?phase=hello",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: phase \"hello\" has been paused.\n",
        ),
        row(
            "plan resume deploy",
            "POST /plans/deploy/continue",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been resumed.\n",
        ),
        row(
            "plan continue deploy hello",
            "POST /plans/deploy/continue?phase=hello",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: phase \"hello\" has been resumed.\n",
        ),
        row(
            "plan force-restart deploy",
            "POST /plans/deploy/restart",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been restarted.\n",
        ),
        row(
            "plan restart deploy hello",
            "POST /plans/deploy/restart?phase=hello",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: phase \"hello\" has been restarted.\n",
        ),
        row(
            "plan restart deploy hello 'hello-0:[a, b]'",
            "POST /plans/deploy/restart?phase=hello&step=hello-0%3A%5Ba%2C%20b%5D",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: step \"hello-0:[a, b]\" in phase \"hello\" has been restarted.\n",
        ),
        row(
            "plan force-complete deploy hello hello-0:[s]",
            "POST /plans/deploy/forceComplete?phase=hello&step=hello-0%3A%5Bs%5D",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: step \"hello-0:[s]\" in phase \"hello\" has been forced to complete.\n",
        ),
        row(
            "update pause",
            "POST /plans/deploy/interrupt",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been paused.\n",
        ),
        row(
            "update interrupt",
            "POST /plans/deploy/interrupt",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been paused.\n",
        ),
        row(
            "update resume",
            "POST /plans/deploy/continue",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been resumed.\n",
        ),
        row(
            "update continue",
            "POST /plans/deploy/continue",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been resumed.\n",
        ),
        row(
            "update force-restart",
            "POST /plans/deploy/restart",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan has been restarted.\n",
        ),
        row(
            "update restart p s",
            "POST /plans/deploy/restart?phase=p&step=s",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: step \"s\" in phase \"p\" has been restarted.\n",
        ),
        row(
            "update force p s",
            "POST /plans/deploy/forceComplete?phase=p&step=s",
            200,
            RECEIVED,
            0,
            "\"deploy\" plan: step \"s\" in phase \"p\" has been forced to complete.\n",
        ),
        // A reply without a message.
        row(
            "plan pause deploy",
            "POST /plans/deploy/interrupt",
            200,
            "{}",
            0,
            "\"deploy\" plan could not be paused.\n",
        ),
        row(
            "plan pause deploy p",
            "POST /plans/deploy/interrupt?phase=p",
            200,
            "{}",
            0,
            "\"deploy\" plan: phase \"p\" could not be paused.\n",
        ),
        row(
            "plan resume deploy",
            "POST /plans/deploy/continue",
            200,
            "no JSON",
            0,
            "\"deploy\" plan could not be resumed.\n",
        ),
        row(
            "plan restart deploy",
            "POST /plans/deploy/restart",
            200,
            r#"{"message":""}"#,
            0,
            "\"deploy\" plan could not be restarted.\n",
        ),
        row(
            "plan force deploy p s",
            "POST /plans/deploy/forceComplete?phase=p&step=s",
            200,
            "[]",
            0,
            "\"deploy\" plan: step \"s\" in phase \"p\" could not be forced to complete.\n",
        ),
    ]);
}

#[test]
fn plan_start_and_stop() {
    check(&[
        row(
            "plan start backup",
            "POST /plans/backup/start {}",
            200,
            RECEIVED,
            0,
            "{\n  \"message\": \"Received cmd: x\"\n}\n",
        ),
        row(
            "plan start backup -p A=1 --params B=x=y --params=C= -pD=4 -p A=2",
            r#"POST /plans/backup/start {"A":"2","B":"x=y","C":"","D":"4"}"#,
            200,
            RECEIVED,
            0,
            "{\n  \"message\": \"Received cmd: x\"\n}\n",
        ),
        row(
            "plan stop backup",
            "POST /plans/backup/stop",
            200,
            RECEIVED,
            0,
            "{\n  \"message\": \"Received cmd: x\"\n}\n",
        ),
        row(
            "plan start backup -p 1=1",
            r#"POST /plans/backup/start {"1":"1"}"#,
            400,
            "Couldn't parse parameters: 1 is not a valid environment variable name",
            1,
            "HTTP POST Query for /service/hello/v1/plans/backup/start failed: 400 Bad Request\nResponse: Couldn't parse parameters: 1 is not a valid environment variable name\n",
        ),
    ]);
}

#[test]
fn refused_requests() {
    let missing = "Got 404 Not Found response from /service/hello/v1/plans/x:\n- Perhaps the scheduler does not have what was asked for: Plan x not found\n- Perhaps there is no service 'hello'; another one is named with '--name=<name>'.\n";
    check(&[
        row(
            "plan pause deploy",
            "POST /plans/deploy/interrupt",
            208,
            "Command has already been reported or completed",
            1,
            ALREADY,
        ),
        row("plan resume deploy p", "POST /plans/deploy/continue?phase=p", 208, "", 1, ALREADY),
        row("plan restart deploy", "POST /plans/deploy/restart", 208, "", 1, ALREADY),
        row("plan force deploy p s", "POST /plans/deploy/forceComplete?phase=p&step=s", 208, "", 1, ALREADY),
        row("update pause", "POST /plans/deploy/interrupt", 208, "", 1, ALREADY),
        row("plan start deploy", "POST /plans/deploy/start {}", 208, "", 1, ALREADY),
        row("plan status x", "GET /plans/x", 404, "Plan x not found", 1, missing),
        row("plan status x --json", "GET /plans/x", 404, "Plan x not found\n", 1, missing),
        row(
            "plan status x",
            "GET /plans/x",
            404,
            "Element not found",
            1,
            "Plan, phase, and/or step does not exist\n",
        ),
        row(
            "plan pause x",
            "POST /plans/x/interrupt",
            404,
            "Element not found",
            1,
            "Plan, phase, and/or step does not exist\n",
        ),
        row(
            "pod info x-0",
            "GET /pod/x-0/info",
            404,
            "",
            1,
            "Got 404 Not Found response from /service/hello/v1/pod/x-0/info:\n- Perhaps the scheduler does not have what was asked for\n- Perhaps there is no service 'hello'; another one is named with '--name=<name>'.\n",
        ),
        row(
            "plan stop deploy",
            "POST /plans/deploy/stop",
            500,
            "",
            1,
            "Could not reach the service scheduler with name 'hello':\n- Perhaps the name is wrong; another one is given with '--name=<name>'.\n- Perhaps it is only just starting; try again a little later.\n",
        ),
        row(
            "plan list",
            "GET /plans",
            503,
            "busy",
            1,
            "HTTP GET Query for /service/hello/v1/plans failed: 503 Service Unavailable\nResponse: busy\n",
        ),
        row(
            "plan pause deploy",
            "POST /plans/deploy/interrupt",
            417,
            "",
            1,
            "HTTP POST Query for /service/hello/v1/plans/deploy/interrupt failed: 417 Expectation Failed\n",
        ),
        row("plan list", "GET /plans", 299, "[]", 0, "[]\n"),
        row(
            "plan list",
            "GET /plans",
            302,
            "",
            1,
            "HTTP GET Query for /service/hello/v1/plans failed: 302\n",
        ),
        row(
            "plan list",
            "GET /plans",
            0,
            "connection refused",
            1,
            "HTTP GET Query for /service/hello/v1/plans failed: connection refused\n",
        ),
    ]);
    // Only for plan commands is 208 a failure.
    check(&[row("pod restart hello-0", "POST /pod/hello-0/restart", 208, "{}", 0, "{}\n")]);
}

#[test]
fn pods() {
    let all = r#"{"service": "/team/hello", "pods": [
        {"name": "hello", "instances": [
            {"name": "hello-0", "tasks": [{"id": "a", "name": "hello-0-server", "status": "RUNNING"}, {"id": "b", "name": "hello-0-init"}]},
            {"name": "hello-1", "tasks": [{"id": "c", "name": "hello-1-server", "status": "PAUSING"}]}]},
        {"name": "world", "instances": [{"name": "world-0", "tasks": [{"id": "", "name": "world-0-server", "status": "STAGING"}]}]}]}"#;
    let tree = "/team/hello\n├─ hello\n│  ├─ hello-0\n│  │  ├─ hello-0-server (RUNNING)\n│  │  └─ hello-0-init (<UNKNOWN>)\n│  └─ hello-1\n│     └─ hello-1-server (PAUSING)\n└─ world\n   └─ world-0\n      └─ world-0-server (STAGING)\n";
    let one = r#"{"name": "hello-0", "tasks": [{"id": "a", "name": "hello-0-server", "status": "PAUSED"}, {"id": "b", "name": "hello-0-init"}]}"#;
    let reply = r#"{"pod":"hello-0","tasks":["hello-0-server"]}"#;
    let shown = "{\n  \"pod\": \"hello-0\",\n  \"tasks\": [\n    \"hello-0-server\"\n  ]\n}\n";
    check(&[
        row("pod list", "GET /pod", 200, r#"["hello-0"]"#, 0, "[\n  \"hello-0\"\n]\n"),
        row("pods list", "GET /pod", 200, "[]", 0, "[]\n"),
        row("pod status", "GET /pod/status", 200, all, 0, tree),
        row("pods status", "GET /pod/status", 200, r#"{"service":"hello"}"#, 0, "hello\n"),
        row(
            "pod status hello-0",
            "GET /pod/hello-0/status",
            200,
            one,
            0,
            "hello-0\n├─ hello-0-server (PAUSED)\n└─ hello-0-init (<UNKNOWN>)\n",
        ),
        row(
            "pod status --json",
            "GET /pod/status",
            200,
            r#"{"service":"hello"}"#,
            0,
            "{\n  \"service\": \"hello\"\n}\n",
        ),
        row("pod status hello-0 --json", "GET /pod/hello-0/status", 200, "{}", 0, "{}\n"),
        row("pod status", "GET /pod/status", 200, "7", 1, "the answer is not a status of pods\n"),
        row("pod info hello-0", "GET /pod/hello-0/info", 200, "[]", 0, "[]\n"),
        row("pod restart hello-0", "POST /pod/hello-0/restart", 200, reply, 0, shown),
        row("pods replace hello-0", "POST /pod/hello-0/replace", 200, reply, 0, shown),
        row("debug pod pause hello-0", "POST /pod/hello-0/pause", 200, reply, 0, shown),
        row(
            "debug pods pause hello-0 -t server --tasks init",
            r#"POST /pod/hello-0/pause ["server","init"]"#,
            200,
            reply,
            0,
            shown,
        ),
        row(
            "debug pod resume hello-0 --tasks=server",
            r#"POST /pod/hello-0/resume ["server"]"#,
            200,
            reply,
            0,
            shown,
        ),
    ]);
}

#[test]
fn debug_and_endpoints() {
    check(&[
        row("debug config list", "GET /configurations", 200, r#"["c1"]"#, 0, "[\n  \"c1\"\n]\n"),
        row("debug configs show c1", "GET /configurations/c1", 200, "{}", 0, "{}\n"),
        row(
            "debug config show x",
            "GET /configurations/x",
            400,
            "",
            1,
            "HTTP GET Query for /service/hello/v1/configurations/x failed: 400 Bad Request\n",
        ),
        row("debug config target", "GET /configurations/target", 200, "{}", 0, "{}\n"),
        row(
            "debug config target_id",
            "GET /configurations/targetId",
            200,
            r#"["c1"]"#,
            0,
            "[\n  \"c1\"\n]\n",
        ),
        row("debug state framework_id", "GET /state/frameworkId", 200, r#"["f"]"#, 0, "[\n  \"f\"\n]\n"),
        row("debug state properties", "GET /state/properties", 200, "[]", 0, "[]\n"),
        row(
            "debug state property hello-0-server:task-status",
            "GET /state/properties/hello-0-server%3Atask-status",
            200,
            "{}",
            0,
            "{}\n",
        ),
        row("debug state refresh_cache", "PUT /state/refresh", 200, "{}", 0, "{}\n"),
        row(
            "debug state refresh_cache",
            "PUT /state/refresh",
            409,
            "off",
            1,
            "HTTP PUT Query for /service/hello/v1/state/refresh failed: 409 Conflict\nResponse: off\n",
        ),
        row("endpoints", "GET /endpoints", 200, r#"["http"]"#, 0, "[\n  \"http\"\n]\n"),
        row("endpoint http", "GET /endpoints/http", 200, r#"{"dns":["a:1"]}"#, 0, "{\"dns\":[\"a:1\"]}\n"),
        row("endpoints xml", "GET /endpoints/xml", 200, "<a>\n</a>\n", 0, "<a>\n</a>\n"),
    ]);
}

#[test]
fn the_simulator_acts_as_the_package_manager() {
    let packaged = r#"{"dialect":"sdk","files":{"svc.yml":"x","u/config.json":"{\"properties\":{\"hello\":{\"properties\":{\"mem\":{\"default\":32},\"cpus\":{\"default\":1.0}}}}}","u/package.json":"{\"version\":\"2.0\"}","u/marathon.json.mustache":""},"options":{"hello":{"mem":64}}}"#;
    let bare = r#"{"dialect":"sdk","files":{"svc.yml":"x"}}"#;
    let marked = r#"{"dialect":"sdk","files":{"package.json":"{\"version\":\"{{package-version}}\"}"}}"#;
    let resolved = "{\n  \"hello\": {\n    \"cpus\": 1,\n    \"mem\": 64\n  }\n}\n";
    let reads = [
        ("describe", packaged, 0, resolved),
        ("describe", bare, 0, "There are no package options of hello: it was installed without a package.\n"),
        ("describe", "[]", 1, "the answer is not a definition\n"),
        (
            "update package-versions",
            packaged,
            0,
            "Package version: \"2.0\"\nDowngrades: none\nUpgrades: none\n",
        ),
        (
            "update package-versions",
            marked,
            0,
            "Package version: \"stub-universe\"\nDowngrades: none\nUpgrades: none\n",
        ),
        (
            "update package-versions",
            bare,
            1,
            "There are no versions of hello: it was installed without a package.\n",
        ),
        (
            "update start --package-version 3.0",
            packaged,
            1,
            "hello has no version \"3.0\": there is only \"2.0\"\n",
        ),
        ("update start --package-version 3.0", bare, 1, "hello has no version \"3.0\": it has no package\n"),
    ];
    for (typed, installed, code, said) in reads {
        let (output, asked) = asked(typed, "hello", |_| Response::text(200, installed));
        assert_eq!(asked, ["GET /sim/services/hello"], "{typed}");
        let (out, err) = if code == 0 { (said, "") } else { ("", said) };
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str(), output.code),
            (out, err, code),
            "{typed}"
        );
    }

    let started = "Update started. `update status` shows how far it is.\n";
    let writes = [
        ("update start --options good.json", r#"{"hello":{"mem":64,"cpus":2}}"#),
        ("update start --options good.json --replace", r#"{"hello":{"cpus":2}}"#),
        (r#"update start --options '{"a": [1]}' --package-version 2.0"#, r#"{"hello":{"mem":64},"a":[1]}"#),
        ("update start --package-version 2.0", r#"{"hello":{"mem":64}}"#),
    ];
    for (typed, options) in writes {
        let (output, asked) = asked(typed, "hello", |_| Response::text(200, packaged));
        assert_eq!((output.stdout.as_str(), output.code), (started, 0), "{typed}: {}", output.stderr);
        let [_, put] = asked.as_slice() else { panic!("{typed}: {asked:?}") };
        let body = put.strip_prefix("POST /sim/inputs ").expect("an input");
        assert!(body.starts_with(r#"{"kind":"update-service","dialect":"sdk","files":{"#), "{typed}: {body}");
        assert!(body.ends_with(&format!(r#","options":{options}}}"#)), "{typed}: {body}");
    }

    let problem = r#"{"status":422,"detail":"The definition has errors","diagnostics":[{"file":"options.json","line":2,"column":3,"severity":"error","code":"SDK011","message":"no such option"}]}"#;
    let (output, _) =
        asked("update start --options good.json", "hello", |request| match request.method.as_str() {
            "GET" => Response::text(200, packaged),
            _ => Response::text(422, problem),
        });
    assert_eq!(output.stderr, "The definition has errors\noptions.json:2:3: error[SDK011]: no such option\n");
    assert_eq!(output.code, 1);

    // Without a name the scheduler is asked for its own.
    let (_, asked) = asked("describe", "", |request| match request.path.as_str() {
        "/v1/configurations/target" => Response::text(200, r#"{"name":"/team/hello"}"#),
        _ => Response::text(200, bare),
    });
    assert_eq!(asked, ["GET /v1/configurations/target", "GET /sim/services/team/hello"]);
}
