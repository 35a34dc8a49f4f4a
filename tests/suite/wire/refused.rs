//! Requests that the router refuses leave no trace in the world.

use crate::quiet;
use planarium_rest::MAX_BODY;
use planarium_tests::Client;
use planarium_tests::same::difference;

/// Requests that never reach the engine: not even the digest changes.
#[test]
fn malformed_requests_change_nothing() {
    let client = &mut quiet();
    let huge = "x".repeat(MAX_BODY + 1);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let rows: Vec<(&str, &str, &str, u16)> = vec![
        ("GET", "/", "", 404),
        ("GET", "", "", 404),
        ("GET", "/nothing", "", 404),
        ("GET", "/sim/nothing", "", 404),
        ("GET", "/sim/view/deeper", "", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", "", 404),
        ("GET", "/sim%2fview", "", 404),
        ("GET", "/nomad/v1/jobs", "", 404),
        ("POST", "/sim/advance", "", 400),
        ("POST", "/sim/advance", "{", 400),
        ("POST", "/sim/advance", "{\"for_ms\":1,\"events\":1}", 400),
        ("POST", "/sim/advance", "{\"for_ms\":-1}", 400),
        ("POST", "/sim/advance", "{\"for_ms\":1.5}", 400),
        ("POST", "/sim/advance", "{\"for_ms\":1e400}", 400),
        ("POST", "/sim/advance", "{\"until\":\"whenever\"}", 400),
        ("POST", "/sim/advance", "{\"forms\":1}", 400),
        ("POST", "/sim/advance", "[]", 400),
        ("POST", "/sim/advance", "null", 400),
        ("POST", "/sim/inputs", "", 400),
        ("POST", "/sim/inputs", "7", 400),
        ("POST", "/sim/inputs", "{\"kind\":\"dance\"}", 400),
        ("POST", "/sim/inputs", "[{\"kind\":\"add-agent\"},{\"kind\":\"dance\"}]", 400),
        ("POST", "/sim/inputs", "{\"kind\":\"plan\",\"service\":\"fleet\"}", 400),
        (
            "POST",
            "/sim/inputs",
            "{\"kind\":\"plan\",\"service\":\"fleet\",\"plan\":\"deploy\",\"op\":\"continue\",\"pase\":\"x\"}",
            400,
        ),
        ("POST", "/sim/inputs", deep.as_str(), 400),
        ("POST", "/sim/inputs", huge.as_str(), 413),
        ("POST", "/sim/services", "{\"file\":{}}", 400),
        ("POST", "/sim/services", "\u{0}\u{1}", 400),
        ("PUT", "/sim/journal", "{}x", 400),
        ("PUT", "/sim/scenario", "\t", 422),
        ("PUT", "/sim/scenario", huge.as_str(), 413),
        ("POST", "/sim/seek", "{\"at_ms\":\"soon\"}", 400),
        ("GET", "/sim/events?since=-1", "", 400),
        ("GET", "/sim/events?since=99999999999999999999999", "", 400),
        ("POST", "/sim/branches/x", "", 404),
        ("POST", "/sim/branches/0", "", 404),
    ];
    let before = (client.digest(), client.session.engine.seq(), client.session.engine.now_ms());
    for (method, target, body, status) in rows {
        client.send(method, target, body).problem(status);
        let after = (client.digest(), client.session.engine.seq(), client.session.engine.now_ms());
        assert_eq!(after, before, "{method} {target}");
    }
    let broken = client.send("POST", "/sim/inputs", vec![0xff, 0xfe, b'{']);
    broken.problem(400);
    let broken = client.send("PUT", "/sim/scenario", vec![0xff, 0xfe]);
    broken.problem(400);
    assert_eq!(client.digest(), before.0);
}

/// A wrong type is reported with its field, and with the line and column of its value.
#[test]
fn a_wrong_type_names_its_field_and_position() {
    let client = &mut quiet();
    for (method, target, body, field, place) in [
        ("POST", "/sim/advance", "{\n \"for_ms\": \"long\"}", "`for_ms`", "line 2 column 12"),
        ("POST", "/sim/advance", "{\"until\": 7}", "`until`", "line 1 column 11"),
        (
            "POST",
            "/sim/inputs",
            "{\"kind\":\"plan\",\n\"service\":[],\"plan\":\"deploy\",\"op\":\"start\"}",
            "`service`",
            "line 2 column 11",
        ),
        (
            "POST",
            "/sim/inputs",
            "[{\"kind\":\"add-agent\"},\n {\"kind\":\"add-agent\",\"resources\":{\"ports\":7}}]",
            "input 1: `resources.ports`",
            "line 2 column 43",
        ),
        ("POST", "/sim/seek", "{\"at_ms\": true}", "`at_ms`", "line 1 column 11"),
        ("PUT", "/sim/journal", "{\"genesis\": {\n\"seed\": \"x\"}}", "`genesis.seed`", "line 2 column 9"),
        (
            "PUT",
            "/sim/journal",
            "{\"entries\":[{\"seq\":1,\"at_ms\":0,\"input\":{\"kind\":\"pod\",\"service\":\"a\",\"pod\":3,\"op\":\"restart\"}}]}",
            "`entries[0].input.pod`",
            "line 1 column 74",
        ),
        ("POST", "/sim/services", "{\"files\":{\"svc.yml\":[1]}}", "`files.svc.yml`", "line 1 column 21"),
        ("PUT", "/sim/services/fleet", "{\n\n\"env\":{\"A\":1}}", "`env.A`", "line 3 column 12"),
        ("POST", "/sim/agents", "{\"attributes\":{\"rack\":null}}", "`attributes.rack`", "line 1 column 23"),
        (
            "POST",
            "/sim/faults",
            "{\"fault\":\"hang\",\"target\":{\"task\":{}}}",
            "`target.task`",
            "line 1 column 34",
        ),
    ] {
        let problem = client.send(method, target, body).problem(400);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(field) && detail.contains(place), "{method} {target} {body}: {detail}");
    }
}

/// Bodies stand some levels further down in a journal, which has to be read again.
#[test]
fn a_journal_with_deep_bodies_is_read_again() {
    let client = &mut quiet();
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let paths = ["/machine/down", "/maintenance/schedule", "/weights", "/api/v1", "/api/v1/scheduler"];
    for path in paths {
        let method = if path == "/weights" { "PUT" } else { "POST" };
        assert_eq!(client.send(method, path, nested(99)).status, 400, "{path}: no such body");
        let before = client.session.engine.inputs();
        for levels in [100, 101, 125, 126, 127, 128] {
            assert_eq!(client.send(method, path, nested(levels)).status, 400, "{path}");
        }
        assert_eq!(client.session.engine.inputs(), before, "{path}: what is too deep is no input");
    }
    let journal = client.get("/sim/journal").text;
    client.send("PUT", "/sim/journal", journal).status(200);
}

/// An empty body is an empty object; an agent with nothing said about it is a default machine.
#[test]
fn an_empty_body_is_an_empty_object() {
    let client = &mut Client::default();
    client.send("POST", "/sim/agents", "").status(200);
    assert_eq!(client.state()["cluster"]["machines"].as_array().unwrap().len(), 1);
}

#[test]
fn wrong_methods_name_the_right_ones() {
    let client = &mut quiet();
    let before = client.digest();
    for (method, target, allow) in [
        ("POST", "/sim", "GET"),
        ("GET", "/sim/advance", "POST"),
        ("GET", "/sim/inputs", "POST"),
        ("POST", "/sim/events", "GET"),
        ("PUT", "/sim/view", "GET"),
        ("POST", "/sim/journal", "GET, PUT"),
        ("GET", "/sim/scenario", "PUT"),
        ("DELETE", "/sim/seek", "POST"),
        ("GET", "/sim/services", "POST"),
        ("POST", "/sim/services/fleet", "GET, PUT, DELETE"),
        ("GET", "/sim/agents", "POST"),
        ("GET", "/sim/agents/agent-1", "DELETE"),
        ("GET", "/sim/faults", "POST"),
        ("PUT", "/sim/faults/quiet", "DELETE"),
        ("DELETE", "/sim/why", "GET"),
        ("POST", "/sim/branches", "GET"),
        ("GET", "/sim/branches/1", "POST"),
        ("BREW", "/sim/view", "GET"),
        ("get", "/sim", "GET"),
    ] {
        let answer = client.send(method, target, "");
        answer.problem(405);
        assert_eq!(answer.allow.as_deref(), Some(allow), "{}", answer.asked);
    }
    assert_eq!(client.digest(), before);
}

/// Refused inputs are in the journal and in an event; nothing else changes.
#[test]
fn refused_inputs_change_nothing_but_the_journal() {
    let client = &mut quiet();
    client.advance(12_345);
    let rows = [
        (r#"{"kind":"remove-agent","agent":"nobody"}"#, "not-found"),
        (r#"{"kind":"plan","service":"nobody","plan":"deploy","op":"continue"}"#, "not-found"),
        (r#"{"kind":"plan","service":"fleet","plan":"nothing","op":"continue"}"#, "not-found"),
        (r#"{"kind":"plan","service":"fleet","plan":"deploy","phase":"x","op":"interrupt"}"#, "not-found"),
        (r#"{"kind":"plan","service":"fleet","plan":"recovery","op":"interrupt"}"#, "already-done"),
        (r#"{"kind":"plan","service":"fleet","plan":"tidy","op":"start","params":{"1":"x"}}"#, "bad-request"),
        (r#"{"kind":"pod","service":"fleet","pod":"hello-0","op":"restart"}"#, "not-found"),
        (
            r#"{"kind":"fault","fault":"task-fail","target":{"task":"hello-0-server"},"probability":7}"#,
            "bad-request",
        ),
        (r#"{"kind":"clear-fault","id":"never"}"#, "not-found"),
        (r#"{"kind":"task-status","task":"hello-0-server","state":"TASK_RUNNING"}"#, "not-found"),
        (r#"{"kind":"offer-round","agents":["nobody"]}"#, "not-found"),
        (r#"{"kind":"remove-service","name":"nobody"}"#, "not-found"),
        (r#"{"kind":"load-service","dialect":"sdk","files":{"svc.yml":"name: x"}}"#, "invalid-definition"),
        (r#"{"kind":"load-service","dialect":"cobol","files":{}}"#, "bad-request"),
        (
            r#"{"kind":"update-service","dialect":"sdk","name":"fleet","files":{"svc.yml":"pods: ["}}"#,
            "invalid-definition",
        ),
        (r#"{"kind":"maintenance","op":"dance","body":{}}"#, "bad-request"),
        (r#"{"kind":"framework","op":"remove","name":"f"}"#, "not-found"),
        (r#"{"kind":"add-agent","count":999999999}"#, "limit-reached"),
    ];
    for (input, code) in rows {
        let (state, seq, inputs) =
            (client.state(), client.session.engine.seq(), client.session.engine.inputs());
        let answer = client.send("POST", "/sim/inputs", input);
        assert!(answer.status >= 400, "{input}: {}", answer.text);
        assert_eq!(answer.problem(answer.status)["code"], code, "{input}: {}", answer.text);
        assert_eq!(difference(&client.state(), &state), None, "{input}");
        assert_eq!(client.session.engine.inputs(), inputs + 1, "{input}: it is in the journal");
        let events = client.session.engine.events_since(seq);
        assert_eq!(events.len(), 1, "{input}: {events:?}");
        assert_eq!(
            serde_json::to_value(events.get(0).expect("an event")).unwrap()["kind"],
            "rejected",
            "{input}"
        );
    }
}
