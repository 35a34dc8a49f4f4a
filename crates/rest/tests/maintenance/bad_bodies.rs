//! Refused calls: status, class of message, and no other effect.

use super::cluster::{Cluster, h, schedule, window};
use serde_json::json;

/// A cluster with one machine UP, one DRAINING, one DOWN and tasks on two of them.
fn busy() -> Cluster {
    let mut c = Cluster::of(3);
    c.framework("f");
    c.launch("f", "h1", &["t1"], 5.0);
    c.launch("f", "h2", &["t2"], 5.0);
    c.to(1_500);
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(2)], 60, Some(60)), window(&[h(3)], 60, None)]));
    c.ok("/machine/down", &json!([h(3)]));
    c.to(9_500);
    c
}

#[test]
fn nothing_happens() {
    let mut c = busy();
    let start = r#""unavailability":{"start":{"nanoseconds":0}}"#;
    let keep =
        r#"{"machine_ids":[{"hostname":"h3","ip":"10.0.0.3"}],"unavailability":{"start":{"nanoseconds":0}}}"#;
    let window =
        |machines: &str, rest: &str| format!(r#"{{"windows":[{keep},{{"machine_ids":{machines},{rest}}}]}}"#);
    let v1 = |text: &str| text.to_owned();
    let mut agents = Vec::new();
    for slave in c.read("/state")["slaves"].as_array().expect("agents") {
        agents.push(slave["id"].as_str().expect("an id").to_owned());
    }
    let drain =
        |id: &str| format!(r#"{{"type":"DRAIN_AGENT","drain_agent":{{"agent_id":{{"value":"{id}"}}}}}}"#);
    let cases: Vec<(&str, String, u16, &str)> = vec![
        ("/maintenance/schedule", String::new(), 400, "not JSON"),
        ("/maintenance/schedule", "{".to_owned(), 400, "not JSON"),
        ("/maintenance/schedule", "windows=1".to_owned(), 400, "not JSON"),
        ("/maintenance/schedule", "[]".to_owned(), 400, "JSON object expected"),
        ("/maintenance/schedule", "7".to_owned(), 400, "JSON object expected"),
        ("/maintenance/schedule", r#"{"windows":7}"#.to_owned(), 400, "'windows'"),
        ("/maintenance/schedule", "{}".to_owned(), 400, "DOWN"),
        ("/maintenance/schedule", r#"{"windows":[]}"#.to_owned(), 400, "DOWN"),
        ("/maintenance/schedule", window("[]", start), 400, "empty list of machines"),
        ("/maintenance/schedule", window(r#"[{"hostname":"x"}]"#, r#""other":1"#), 400, "unavailability"),
        ("/maintenance/schedule", window(r#"[{"hostname":"x"}]"#, r#""unavailability":{}"#), 400, "start"),
        (
            "/maintenance/schedule",
            window(r#"[{"hostname":"x"}]"#, r#""unavailability":{"start":{}}"#),
            400,
            "nanoseconds",
        ),
        (
            "/maintenance/schedule",
            window(r#"[{"hostname":"x"}]"#, r#""unavailability":{"start":{"nanoseconds":"soon"}}"#),
            400,
            "nanoseconds",
        ),
        (
            "/maintenance/schedule",
            window(
                r#"[{"hostname":"x"}]"#,
                r#""unavailability":{"start":{"nanoseconds":0},"duration":{"nanoseconds":-1}}"#,
            ),
            400,
            "negative",
        ),
        ("/maintenance/schedule", window("[{}]", start), 400, "neither"),
        ("/maintenance/schedule", window(r#"[{"hostname":"","ip":""}]"#, start), 400, "neither"),
        ("/maintenance/schedule", window(r#"[{"hostname":"x","ip":"10.0.0"}]"#, start), 400, "IPv4"),
        ("/maintenance/schedule", window(r#"[{"ip":"::1"}]"#, start), 400, "IPv4"),
        (
            "/maintenance/schedule",
            window(r#"[{"hostname":"x"},{"hostname":"X"}]"#, start),
            400,
            "more than once",
        ),
        (
            "/maintenance/schedule",
            window(r#"[{"hostname":"H3","ip":"10.0.0.3"}]"#, start),
            400,
            "more than once",
        ),
        ("/machine/down", "{}".to_owned(), 400, "array"),
        ("/machine/down", "[]".to_owned(), 400, "Empty"),
        ("/machine/down", "[7]".to_owned(), 400, "object"),
        ("/machine/down", "[{}]".to_owned(), 400, "neither"),
        ("/machine/down", r#"[{"hostname":"h2","ip":"10.0.0.256"}]"#.to_owned(), 400, "IPv4"),
        ("/machine/down", json!([h(2), h(2)]).to_string(), 400, "more than once"),
        ("/machine/down", json!([h(2), h(9)]).to_string(), 400, "not in the maintenance schedule"),
        ("/machine/down", json!([h(2), h(1)]).to_string(), 400, "DRAINING"),
        ("/machine/down", json!([h(2), h(3)]).to_string(), 400, "DRAINING"),
        ("/machine/down", r#"[{"hostname":"h2"}]"#.to_owned(), 400, "not in the maintenance schedule"),
        ("/machine/up", "null".to_owned(), 400, "array"),
        ("/machine/up", json!([h(2)]).to_string(), 400, "not in DOWN mode"),
        ("/machine/up", json!([h(3), h(1)]).to_string(), 400, "not in DOWN mode"),
        ("/machine/up", json!([h(9)]).to_string(), 400, "not in the maintenance schedule"),
        ("/api/v1", "{}".to_owned(), 400, "type"),
        ("/api/v1", "[]".to_owned(), 400, "object"),
        ("/api/v1", v1(r#"{"type":"NO_SUCH_CALL"}"#), 400, "type"),
        ("/api/v1", v1(r#"{"type":"UNKNOWN"}"#), 501, "UNKNOWN"),
        ("/api/v1", v1(r#"{"type":"UPDATE_MAINTENANCE_SCHEDULE"}"#), 400, "update_maintenance_schedule"),
        (
            "/api/v1",
            v1(r#"{"type":"UPDATE_MAINTENANCE_SCHEDULE","update_maintenance_schedule":{}}"#),
            400,
            "schedule",
        ),
        ("/api/v1", v1(r#"{"type":"START_MAINTENANCE"}"#), 400, "start_maintenance"),
        ("/api/v1", v1(r#"{"type":"START_MAINTENANCE","start_maintenance":{}}"#), 400, "Empty"),
        (
            "/api/v1",
            v1(
                r#"{"type":"STOP_MAINTENANCE","stop_maintenance":{"machines":[{"hostname":"h2","ip":"10.0.0.2"}]}}"#,
            ),
            400,
            "DOWN",
        ),
        ("/api/v1", v1(r#"{"type":"DRAIN_AGENT"}"#), 400, "drain_agent"),
        ("/api/v1", v1(r#"{"type":"DRAIN_AGENT","drain_agent":{}}"#), 400, "agent_id"),
        ("/api/v1", drain("nobody"), 400, "Unknown agent"),
        ("/api/v1", drain(&agents[1]), 400, "schedule"),
        (
            "/api/v1",
            v1(r#"{"type":"DEACTIVATE_AGENT","deactivate_agent":{"agent_id":{"value":"x"}}}"#),
            400,
            "Unknown agent",
        ),
        (
            "/api/v1",
            format!(
                r#"{{"type":"REACTIVATE_AGENT","reactivate_agent":{{"agent_id":{{"value":"{}"}}}}}}"#,
                agents[0]
            ),
            400,
            "not deactivated",
        ),
        (
            "/api/v1",
            v1(r#"{"type":"MARK_AGENT_GONE","mark_agent_gone":{"agent_id":{"value":"x"}}}"#),
            404,
            "not found",
        ),
    ];
    let before = c.state();
    c.heard();
    for (target, body, status, says) in cases {
        let (got, text) = c.send("POST", target, &body);
        assert_eq!(got, status, "POST {target} {body}: {text}");
        assert!(text.contains(says), "POST {target} {body}: {text}");
        assert_eq!(c.heard(), [""; 0], "POST {target} {body}");
        assert_eq!(c.state(), before, "POST {target} {body}");
    }
    // Later calls behave as if the refused ones had not been sent.
    c.ok("/machine/down", &json!([h(2)]));
    assert_eq!(c.heard()[0], "9500 f t2 TASK_LOST REASON_AGENT_REMOVED");
}

#[test]
fn a_huge_body_is_not_read() {
    let mut c = busy();
    let before = c.state();
    for target in ["/maintenance/schedule", "/machine/down", "/machine/up", "/api/v1"] {
        let request = planarium_rest::Request::new("POST", target, "[".repeat(10 * 1024 * 1024));
        assert_eq!(planarium_rest::handle(&mut c.session, &request).status, 413);
        // As deep as a body that is read can be.
        let request = planarium_rest::Request {
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            ..planarium_rest::Request::new("POST", target, "[".repeat(1024 * 1024))
        };
        assert_eq!(planarium_rest::handle(&mut c.session, &request).status, 400);
    }
    assert_eq!(c.state(), before);
}

/// The same calls as inputs.
#[test]
fn inputs_are_refused_with_the_same_words() {
    let mut c = busy();
    let before = c.state();
    for (op, body, says) in [
        ("rest", json!({}), "no maintenance operation"),
        (
            "schedule",
            json!({ "type": "START_MAINTENANCE", "start_maintenance": { "machines": [h(2)] } }),
            "not one for",
        ),
        ("schedule", json!([]), "JSON object expected"),
        (
            "schedule",
            json!({ "windows": [{ "machine_ids": [h(3)], "unavailability": { "start": { "in_ms": "x" } } }] }),
            "nanoseconds",
        ),
        ("schedule-add", json!({ "windows": [{ "machine_ids": [] }] }), "unavailability"),
        ("schedule-remove", json!([]), "Empty"),
        ("schedule-remove", json!([h(1)]), "not in the maintenance schedule"),
        ("schedule-remove", json!([h(3)]), "DOWN"),
        ("down", json!(null), "array"),
        ("up", json!([h(1)]), "DOWN"),
        ("drain", json!(null), "drain_agent"),
        ("drain", json!({ "agent_id": { "value": "h2" } }), "schedule"),
        ("reactivate", json!({ "agent_id": { "value": "h1" } }), "not deactivated"),
        ("gone", json!({ "agent_id": { "value": "h9" } }), "not found"),
    ] {
        let input = serde_json::from_value(json!({ "kind": "maintenance", "op": op, "body": body }))
            .expect("an input");
        let refusal = c.session.engine.apply(input).outcome.expect_err("refused");
        assert!(refusal.message.contains(says), "{op} {body}: {}", refusal.message);
        assert_eq!(c.state(), before, "{op} {body}");
    }
}
