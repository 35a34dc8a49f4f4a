//! The walk-through of an initial deployment, tree by tree, over HTTP: processes under manual control, offers withheld, so
//! that everything happens by command.
//!
//! Source: the SDK's document on plans, section "Initial deployment"; sheet 1.3 to 1.5 (statuses) and 9 (cycle).

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_tests::Client;
use serde_json::json;

/// The hello-world example's definition: one `hello` pod, two `world` pods with `server` and `sidecar`.
fn definition() -> &'static str {
    planarium_gallery::find("hello-world").expect("the example").files[0].1
}

/// A world where nothing happens without input, with the service just loaded.
fn start() -> Client {
    let mut client = Client::with_cluster("3");
    client.input(&json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "manual": true } }));
    client.input(&json!({ "kind": "fault", "fault": "offers-withheld", "id": "quiet" }));
    client
        .post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": definition() } }))
        .status(200);
    client
}

/// The tree of the deploy plan with these statuses from top to bottom: plan, hello, hello-0, world, world-0, world-1.
fn deploy(statuses: &str) -> String {
    let mut words = statuses.split_whitespace();
    let mut tree = String::new();
    for line in [
        "deploy (serial strategy)",
        "\n├─ hello (serial strategy)",
        "\n│  └─ hello-0:[server]",
        "\n└─ world (serial strategy)",
        "\n   ├─ world-0:[server, sidecar]",
        "\n   └─ world-1:[server, sidecar]",
    ] {
        tree.extend([line, " (", words.next().expect("six statuses"), ")"]);
    }
    assert_eq!(words.next(), None, "{statuses}");
    tree
}

#[track_caller]
fn shows(client: &mut Client, code: u16, statuses: &str) {
    assert_eq!(client.tree("deploy"), deploy(statuses));
    client.get("/v1/plans/deploy").status(code);
    client.get("/v1/plan").status(code);
}

/// An operation, and the tree expected after it.
type Turn = (fn(&mut Client), &'static str);

/// Plays turns on a service just loaded; the last tree's code is the last argument, all before it are 202.
#[track_caller]
fn play(turns: &[Turn], code: u16) -> Client {
    let mut client = start();
    for (n, (turn, statuses)) in turns.iter().enumerate() {
        turn(&mut client);
        shows(&mut client, if n + 1 == turns.len() { code } else { 202 }, statuses);
    }
    client
}

/// A status of a task without a result of its readiness check.
fn says(client: &mut Client, task: &str, state: &str) {
    client.input(&json!({ "kind": "task-status", "task": task, "state": state }));
}

/// The task runs, and its readiness check ended with this code.
fn checked(client: &mut Client, task: &str, exit: i32) {
    client.input(&json!({
        "kind": "task-status", "task": task, "state": "TASK_RUNNING", "readiness_exit": exit
    }));
}

/// Without offers the scheduler checks its candidates every five seconds.
fn prepare(client: &mut Client) {
    client.advance(5_000);
}

/// One round of offers from all machines.
fn offer(client: &mut Client) {
    client.input(&json!({ "kind": "offer-round" }));
}

#[test]
fn every_tree_of_the_document() {
    let mut client = play(
        &[
            (|_| (), "PENDING PENDING PENDING PENDING PENDING PENDING"),
            (prepare, "IN_PROGRESS IN_PROGRESS PREPARED PENDING PENDING PENDING"),
            (offer, "STARTING STARTING STARTING PENDING PENDING PENDING"),
            // RUNNING with a readiness check that has no result yet.
            (
                |client| says(client, "hello-0-server", "TASK_RUNNING"),
                "STARTED STARTED STARTED PENDING PENDING PENDING",
            ),
            // A failed check changes nothing, however often it is repeated.
            (
                |client| {
                    checked(client, "hello-0-server", 1);
                    client.advance(600_000);
                },
                "STARTED STARTED STARTED PENDING PENDING PENDING",
            ),
            (
                |client| checked(client, "hello-0-server", 0),
                "IN_PROGRESS COMPLETE COMPLETE PENDING PENDING PENDING",
            ),
            (prepare, "IN_PROGRESS COMPLETE COMPLETE IN_PROGRESS PREPARED PENDING"),
            (offer, "IN_PROGRESS COMPLETE COMPLETE STARTING STARTING PENDING"),
            // The least advanced task decides: the sidecar is there, the server is not.
            (
                |client| says(client, "world-0-sidecar", "TASK_RUNNING"),
                "IN_PROGRESS COMPLETE COMPLETE STARTING STARTING PENDING",
            ),
            (
                |client| says(client, "world-0-server", "TASK_RUNNING"),
                "IN_PROGRESS COMPLETE COMPLETE STARTED STARTED PENDING",
            ),
            (
                |client| checked(client, "world-0-server", 0),
                "IN_PROGRESS COMPLETE COMPLETE IN_PROGRESS COMPLETE PENDING",
            ),
            (prepare, "IN_PROGRESS COMPLETE COMPLETE IN_PROGRESS COMPLETE PREPARED"),
            (offer, "IN_PROGRESS COMPLETE COMPLETE IN_PROGRESS COMPLETE STARTING"),
            (
                |client| {
                    says(client, "world-1-server", "TASK_RUNNING");
                    says(client, "world-1-sidecar", "TASK_RUNNING");
                },
                "IN_PROGRESS COMPLETE COMPLETE IN_PROGRESS COMPLETE STARTED",
            ),
            (
                |client| checked(client, "world-1-server", 0),
                "COMPLETE COMPLETE COMPLETE COMPLETE COMPLETE COMPLETE",
            ),
        ],
        200,
    );
    assert_eq!(client.tree("recovery"), "recovery (parallel strategy) (COMPLETE)");
    client.get("/v1/health").status(200);
}

#[test]
fn a_first_offer_that_fits_skips_prepared() {
    play(&[(offer, "STARTING STARTING STARTING PENDING PENDING PENDING")], 202);
}

#[test]
fn a_failed_task_resets_its_step() {
    play(
        &[
            (offer, "STARTING STARTING STARTING PENDING PENDING PENDING"),
            // Without backoff the delayed step reads PENDING at once.
            (
                |client| says(client, "hello-0-server", "TASK_FAILED"),
                "PENDING PENDING PENDING PENDING PENDING PENDING",
            ),
            (prepare, "IN_PROGRESS IN_PROGRESS PREPARED PENDING PENDING PENDING"),
            (offer, "STARTING STARTING STARTING PENDING PENDING PENDING"),
            (
                |client| checked(client, "hello-0-server", 0),
                "IN_PROGRESS COMPLETE COMPLETE PENDING PENDING PENDING",
            ),
        ],
        202,
    );
}

#[test]
fn nothing_moves_without_input() {
    let mut client = play(&[(prepare, "IN_PROGRESS IN_PROGRESS PREPARED PENDING PENDING PENDING")], 202);
    let before = client.tree("deploy");
    client.advance(3_600_000);
    assert_eq!(client.tree("deploy"), before);
    assert_eq!(client.get("/sim").json()["idle"], true, "a scheduler that waits for offers changes nothing");
}
