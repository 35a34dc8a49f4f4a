//! The router: every route and its answers; refused requests change nothing.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

#[cfg(feature = "all")]
mod bounds;
mod config_files;
mod lifecycle;
mod multi;
mod plans;
mod pods;
mod programs;
mod refused;
mod sdk_console;
mod sim;
mod store;
mod texts;
mod torn_down;

use planarium_tests::Client;
use serde_json::{Value, json};

/// A service with what plan commands can be tried on: a serial phase, a canary phase, a plan started by hand.
pub(crate) const FLEET: &str = "name: fleet
pods:
  hello:
    count: 2
    tasks:
      server: {goal: RUNNING, cmd: ./hello, cpus: 0.5, memory: 128}
  web:
    count: 3
    tasks:
      server: {goal: RUNNING, cmd: ./web, cpus: 0.5, memory: 128}
      logger: {goal: RUNNING, essential: false, cmd: ./logger, cpus: 0.1, memory: 32}
      once: {goal: ONCE, cmd: ./once, cpus: 0.1, memory: 32}
plans:
  deploy:
    strategy: serial
    phases:
      hello: {strategy: serial, pod: hello}
      web:
        strategy: parallel-canary
        pod: web
        steps:
          - default: [[server, logger]]
  tidy:
    strategy: serial
    phases:
      tidy:
        strategy: serial
        pod: web
        steps:
          - default: [[once]]
";

/// Prefixes of the service's calls: bare and by name.
pub(crate) const PREFIXES: [&str; 2] = ["/v1", "/service/fleet/v1"];

/// A world with the service loaded, before anything happened.
pub(crate) fn loaded() -> Client {
    let mut client = Client::with_cluster("3");
    client.post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": FLEET } })).status(200);
    client
}

/// The same with offers withheld from the start: nothing starts.
pub(crate) fn quiet() -> Client {
    let mut client = Client::with_cluster("3");
    client.input(&json!({ "kind": "fault", "fault": "offers-withheld", "id": "quiet" }));
    client.post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": FLEET } })).status(200);
    client
}

/// The deployment done.
pub(crate) fn deployed() -> Client {
    let mut client = loaded();
    client.until("deploy/hello=COMPLETE");
    for _ in 0..2 {
        client.post("/v1/plans/deploy/continue?phase=web", &Value::Null).status(200);
    }
    client.until("deploy=COMPLETE");
    client
}

/// A request that the real system answers with a plain text.
#[track_caller]
pub(crate) fn says(client: &mut Client, method: &str, target: &str, body: &str, status: u16, text: &str) {
    let answer = client.send(method, target, body);
    assert_eq!((answer.status, answer.text.as_str()), (status, text), "{}", answer.asked);
    assert!(answer.content_type.starts_with("text/plain"), "{}: {}", answer.asked, answer.content_type);
}

/// The names in a list of objects.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}
