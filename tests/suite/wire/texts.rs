//! Layout of bodies, for users who read them on a terminal.

use crate::{deployed, quiet, says};
use planarium_tests::Client;

/// A body with its ids made plain.
fn told(client: &mut Client, target: &str) -> String {
    let answer = client.get(target);
    assert_eq!(answer.content_type, "application/json", "{}", answer.asked);
    let mut text = answer.text;
    let ids: Vec<String> = text
        .split(|c: char| !c.is_ascii_hexdigit() && c != '-')
        .filter(|word| word.len() == 36)
        .map(str::to_owned)
        .collect();
    for id in ids {
        text = text.replace(&id, "ID");
    }
    text
}

#[test]
fn hand_formatted_bodies() {
    let client = &mut deployed();
    let rows = [
        ("/v1/plans", "[\n  \"deploy\",\n  \"recovery\",\n  \"tidy\"\n]"),
        ("/v1/configurations/targetId", "[\"ID\"]"),
        ("/v1/endpoints", "[]"),
        ("/v1/health", "{\"value\": 200}"),
        (
            "/v1/pod/hello-0/status",
            "{\n  \"name\": \"hello-0\",\n  \"tasks\": [{\n    \"name\": \"hello-0-server\",\n    \"id\": \"fleet__hello-0-server__ID\",\n    \"status\": \"RUNNING\"\n  }]\n}",
        ),
    ];
    for (target, text) in rows {
        assert_eq!(told(client, target), text, "{target}");
    }
    let reply = client.send("POST", "/v1/pod/hello-0/restart", "");
    assert_eq!(reply.text, "{\n  \"pod\": \"hello-0\",\n  \"tasks\": [\"hello-0-server\"]\n}");
    says(
        client,
        "POST",
        "/v1/plans/deploy/forceComplete",
        "",
        208,
        "Command has already been reported or completed",
    );
}

#[test]
fn bodies_of_plans_and_of_metrics() {
    let client = &mut quiet();
    let head = "{\n  \"phases\" : [ {\n    \"id\" : \"ID\",\n    \"name\" : \"hello\",\n    \"steps\" : [ {\n      \"id\" : \"ID\",\n      \"status\" : \"PENDING\",\n";
    let tail = "    \"status\" : \"WAITING\",\n    \"strategy\" : \"dependency-canary\"\n  } ],\n  \"errors\" : [ ],\n  \"status\" : \"PENDING\",\n  \"strategy\" : \"serial\"\n}";
    for target in ["/v1/plans/deploy", "/v1/plan", "/v1/service/fleet/plans/deploy"] {
        let text = told(client, target);
        assert!(text.starts_with(head) && text.ends_with(tail), "{target}: {text}");
    }
    let target = told(client, "/v1/configurations/target");
    assert!(target.starts_with("{\n  \"name\" : \"fleet\",\n  \"role\" : "), "{target}");
    assert!(!told(client, "/v1/metrics").contains('\n'));
}
