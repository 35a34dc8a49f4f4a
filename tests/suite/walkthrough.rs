//! The walk-through of an initial deployment, tree by tree, over HTTP: processes on manual, offers withheld, so that nothing
//! happens but what is said.
//!
//! Source: the SDK's document on plans, section "Initial deployment"; sheet 1.3 to 1.5 (statuses) and 9 (cycle).

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_tests::Client;
use serde_json::json;

/// The hello-world example's definition: one `hello` pod, two `world` pods with `server` and `sidecar`.
fn definition() -> &'static str {
    planarium_gallery::find("hello-world").expect("the example").files[0].1
}

/// A world where nothing happens by itself, with the service just loaded.
fn start() -> Client {
    let mut client = Client::with_cluster("3");
    client.input(&json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "manual": true } }));
    client.input(&json!({ "kind": "fault", "fault": "offers-withheld", "id": "quiet" }));
    client
        .post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": definition() } }))
        .status(200);
    client
}

#[track_caller]
fn shows(client: &mut Client, code: u16, tree: &str) {
    assert_eq!(client.tree("deploy"), tree.trim_start_matches('\n'));
    client.get("/v1/plans/deploy").status(code);
    client.get("/v1/plan").status(code);
}

fn says(client: &mut Client, status: serde_json::Value) {
    let mut input = json!({ "kind": "task-status" });
    input.as_object_mut().expect("a map").extend(status.as_object().expect("a map").clone());
    client.input(&input);
}

/// Without offers the scheduler looks at its candidates every five seconds.
fn prepare(client: &mut Client) {
    client.advance(5_000);
}

/// One round of offers from all machines.
fn offer(client: &mut Client) {
    client.input(&json!({ "kind": "offer-round" }));
}

#[test]
fn every_tree_of_the_document() {
    let client = &mut start();
    shows(
        client,
        202,
        "
deploy (serial strategy) (PENDING)
├─ hello (serial strategy) (PENDING)
│  └─ hello-0:[server] (PENDING)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    prepare(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (IN_PROGRESS)
│  └─ hello-0:[server] (PREPARED)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    offer(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (STARTING)
├─ hello (serial strategy) (STARTING)
│  └─ hello-0:[server] (STARTING)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    // RUNNING with a readiness check that has no result yet.
    says(client, json!({ "task": "hello-0-server", "state": "TASK_RUNNING" }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (STARTED)
├─ hello (serial strategy) (STARTED)
│  └─ hello-0:[server] (STARTED)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    // A failed check changes nothing, however long it goes on.
    says(client, json!({ "task": "hello-0-server", "state": "TASK_RUNNING", "readiness_exit": 1 }));
    client.advance(600_000);
    shows(
        client,
        202,
        "
deploy (serial strategy) (STARTED)
├─ hello (serial strategy) (STARTED)
│  └─ hello-0:[server] (STARTED)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    says(client, json!({ "task": "hello-0-server", "state": "TASK_RUNNING", "readiness_exit": 0 }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    prepare(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (IN_PROGRESS)
   ├─ world-0:[server, sidecar] (PREPARED)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    offer(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (STARTING)
   ├─ world-0:[server, sidecar] (STARTING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    // The least advanced task decides: the sidecar is there, the server is not.
    says(client, json!({ "task": "world-0-sidecar", "state": "TASK_RUNNING" }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (STARTING)
   ├─ world-0:[server, sidecar] (STARTING)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    says(client, json!({ "task": "world-0-server", "state": "TASK_RUNNING" }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (STARTED)
   ├─ world-0:[server, sidecar] (STARTED)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    says(client, json!({ "task": "world-0-server", "state": "TASK_RUNNING", "readiness_exit": 0 }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (IN_PROGRESS)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (PENDING)",
    );

    prepare(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (IN_PROGRESS)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (PREPARED)",
    );

    offer(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (IN_PROGRESS)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (STARTING)",
    );

    says(client, json!({ "task": "world-1-server", "state": "TASK_RUNNING" }));
    says(client, json!({ "task": "world-1-sidecar", "state": "TASK_RUNNING" }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (IN_PROGRESS)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (STARTED)",
    );

    says(client, json!({ "task": "world-1-server", "state": "TASK_RUNNING", "readiness_exit": 0 }));
    shows(
        client,
        200,
        "
deploy (serial strategy) (COMPLETE)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (COMPLETE)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (COMPLETE)",
    );
    assert_eq!(client.tree("recovery"), "recovery (parallel strategy) (COMPLETE)");
    client.get("/v1/health").status(200);
}

#[test]
fn a_first_offer_that_fits_skips_prepared() {
    let client = &mut start();
    offer(client);
    shows(
        client,
        202,
        "
deploy (serial strategy) (STARTING)
├─ hello (serial strategy) (STARTING)
│  └─ hello-0:[server] (STARTING)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );
}

#[test]
fn a_task_that_fails_sends_its_step_back() {
    let client = &mut start();
    offer(client);
    says(client, json!({ "task": "hello-0-server", "state": "TASK_FAILED", "message": "no such file" }));
    // Without backoff the delayed step reads PENDING at once.
    shows(
        client,
        202,
        "
deploy (serial strategy) (PENDING)
├─ hello (serial strategy) (PENDING)
│  └─ hello-0:[server] (PENDING)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );
    prepare(client);
    offer(client);
    says(client, json!({ "task": "hello-0-server", "state": "TASK_RUNNING", "readiness_exit": 0 }));
    shows(
        client,
        202,
        "
deploy (serial strategy) (IN_PROGRESS)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (PENDING)
   ├─ world-0:[server, sidecar] (PENDING)
   └─ world-1:[server, sidecar] (PENDING)",
    );
}

#[test]
fn nothing_moves_while_nobody_says_anything() {
    let client = &mut start();
    prepare(client);
    let before = client.tree("deploy");
    client.advance(3_600_000);
    assert_eq!(client.tree("deploy"), before);
    assert_eq!(client.get("/sim").json()["idle"], true, "a scheduler that waits for offers changes nothing");
}
