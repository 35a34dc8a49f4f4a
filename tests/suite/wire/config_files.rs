//! Config files of tasks: rendered for each task with its own environment, with reports of missing values.
//!
//! Source: dcos-commons sdk/bootstrap/main.go, config/TaskEnvRouter.java.

use planarium_tests::Client;
use serde_json::{Value, json};

const DEFINITION: &str = "name: team/hello
pods:
  hello:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: ./bootstrap && ./server
        cpus: 0.1
        memory: 32
        env: {MODE: 'false', URL: 'http://x?a=1&b=2', HEAP: '1'}
        ports: {http: {port: 0, env-key: PORT_HTTP}}
        configs:
          main: {template: server.conf.mustache, dest: etc/server.conf}
          log: {template: conf/log.mustache, dest: log.properties}
  world:
    count: 1
    tasks:
      server:
        goal: RUNNING
        cmd: ./server
        cpus: 0.1
        memory: 32
";

const TEMPLATE: &str = "{{TASK_NAME}} of {{FRAMEWORK_NAME}} at {{LIBPROCESS_IP}}:{{PORT_HTTP}}
url={{URL}} {{{URL}}}
{{#MODE}}
never
{{/MODE}}
{{^MODE}}
mode={{MODE}}
{{/MODE}}
heap={{HEAP}} all={{ALL}} {{#LATER}}later={{LATER}}{{/LATER}}nothing={{NOWHERE}}
";

fn deployed() -> Client {
    let mut client = Client::with_cluster("1");
    let files = json!({ "svc.yml": DEFINITION, "server.conf.mustache": TEMPLATE });
    let env = json!({ "TASKCFG_ALL_ALL": "a", "TASKCFG_HELLO_HEAP": "512", "TASKCFG_WORLD_NOWHERE": "w" });
    let load = json!({ "dialect": "sdk", "files": files, "env": env });
    let answer = client.post("/sim/services", &load).status(200).json();
    let codes: Vec<&str> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["SDK097", "SDK092"], "{answer:#}");
    client.until("deploy=COMPLETE");
    client
}

#[test]
fn each_task_gets_its_own_text() {
    let mut client = deployed();
    let address = client.get("/sim/view").json()["cluster"]["machines"][0]["ip"].as_str().unwrap().to_owned();
    for (index, port) in [(0, 1025), (1, 1026)] {
        let path = format!("/sim/config-file?service=team/hello&task=hello-{index}-server&config=main");
        let want = format!(
            "hello-{index}-server of team/hello at {address}:{port}\nurl=http://x?a=1&amp;b=2 http://x?a=1&b=2\n\
             mode=false\nheap=512 all=a nothing=\n"
        );
        assert_eq!(client.get(&path).status(200).text, want);
    }
}

#[test]
fn missing_configuration_shows_on_the_task() {
    let mut client = deployed();
    let view = client.get("/sim/view").json();
    let task = &view["services"][0]["pods"][1]["tasks"][0];
    assert_eq!(
        task["configs"],
        json!([
            {
                "name": "main", "template": "server.conf.mustache", "dest": "etc/server.conf",
                "missing_variables": ["NOWHERE"], "problem": "left empty for want of a value: NOWHERE"
            },
            {
                "name": "log", "template": "conf/log.mustache", "dest": "log.properties", "missing_template": true,
                "problem": "not rendered: the template 'conf/log.mustache' is not among the files"
            }
        ]),
        "{task:#}"
    );
    assert_eq!(view["services"][0]["pods"][2]["tasks"][0].get("configs"), None, "a task without configs");
    let events = client.get("/sim/events").json();
    let told: Vec<(&str, &str)> = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["kind"] == "config-file")
        .map(|event| (event["task"].as_str().unwrap(), event["file"]["name"].as_str().unwrap()))
        .collect();
    let hello = |task| [(task, "main"), (task, "log")];
    assert_eq!(told, [hello("hello-0-server"), hello("hello-1-server")].concat());
}

#[test]
fn reads_of_missing_files() {
    let mut client = deployed();
    let target = client.get("/v1/configurations/targetId").json()[0].as_str().unwrap().to_owned();
    let spec = client.get("/v1/configurations/target").json();
    let files = &spec["pod-specs"][0]["task-specs"][0]["config-files"];
    assert_eq!(files[1]["template-content"], Value::Null, "{files}");
    client.get(&format!("/v1/artifacts/template/{target}/hello/server/main")).status(200);
    client.get(&format!("/v1/artifacts/template/{target}/hello/server/log")).status(404);
    for (query, status) in [
        ("task=hello-0-server&config=log", 404),
        ("task=hello-0-server&config=nope", 404),
        ("task=hello-9-server&config=main", 404),
        ("task=hello-0-server", 400),
        ("service=nobody&task=hello-0-server&config=main", 404),
    ] {
        client.get(&format!("/sim/config-file?{query}")).problem(status);
    }
}
