//! Files in the state store, metrics, threads: routes beside plans and pods. Source: dcos-commons http/endpoints/StateResource.java, framework/ApiServer.java.

use crate::{deployed, quiet};
use planarium_rest::{Request, handle};
use planarium_tests::Client;
use serde_json::json;

/// A `PUT` with a content type; status, body, `allow`.
fn put(client: &mut Client, target: &str, kind: &str, body: impl Into<Vec<u8>>) -> (u16, String) {
    let mut request = Request::new("PUT", target, body);
    if !kind.is_empty() {
        request.headers.push(("content-type".to_owned(), kind.to_owned()));
    }
    let response = handle(&mut client.session, &request);
    (response.status, String::from_utf8_lossy(&response.body).into_owned())
}

fn multipart(field: &str, text: &str) -> String {
    format!(
        "--B\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"f.txt\"\r\n\r\n{text}\r\n--B--\r\n"
    )
}

const FORM: &str = "multipart/form-data; boundary=B";

#[test]
fn files_are_stored_and_read() {
    let client = &mut deployed();
    assert_eq!(client.get("/v1/state/files").status(200).text, "[]");
    assert_eq!(client.get("/v1/state/files/notes").status(404).text, "Failed to get the file");
    assert_eq!(
        put(client, "/v1/state/files/notes", FORM, multipart("file", "hello\n")),
        (200, String::new())
    );
    assert_eq!(
        put(client, "/service/fleet/v1/state/files/a.b", FORM, multipart("file", "")),
        (200, String::new())
    );
    let list = client.get("/v1/state/files");
    assert_eq!(list.status(200).text, "[a.b, notes]");
    assert!(list.content_type.starts_with("text/plain"), "{}", list.content_type);
    assert_eq!(client.get("/v1/service/fleet/state/files/notes").status(200).text, "hello\n");
    client.advance(10_000);
    // A property's bytes are returned unchanged, JSON or not.
    for (key, text) in [("file-notes", "hello\n"), ("last-completed-update-type", "DEPLOY")] {
        let property = client.get(&format!("/v1/state/properties/{key}"));
        assert_eq!(property.status(200).text, text);
        assert_eq!(property.content_type, "application/json");
    }
    let keys = client.get("/v1/state/properties").status(200).json();
    assert_eq!(keys[0], "file-a.b");
    // One of the same name takes the place of the first, and both outlive the process.
    assert_eq!(put(client, "/v1/state/files/notes", FORM, multipart("file", &"x".repeat(1024))).0, 200);
    client.input(&json!({ "kind": "fault", "fault": "scheduler-restart" }));
    assert_eq!(client.get("/v1/state/files/notes").status(200).text.len(), 1024);
    assert_eq!(client.get("/v1/state/files").status(200).text, "[a.b, notes]");
    // The journal contains the stored files.
    let journal = client.get("/sim/journal").status(200).json();
    let mut again = Client::default();
    again.put("/sim/journal", &journal).status(200);
    assert_eq!(again.digest(), client.digest());
    assert_eq!(again.get("/v1/state/files/a.b").status(200).text, "");
}

#[test]
fn bad_files_change_nothing() {
    let client = &mut quiet();
    let before = client.digest();
    let long = multipart("file", &"x".repeat(1025));
    let too_long = "Stream exceeds 1024 byte size limit";
    for (target, kind, body, status, text) in [
        ("/v1/state/files/f", FORM, long, 400, too_long),
        ("/v1/state/files/f", FORM, multipart("file", &"ä".repeat(513)), 400, too_long),
        ("/v1/state/files/f", FORM, multipart("other", "x"), 400, "Missing payload"),
        ("/v1/state/files/f", FORM, "--B\r\n".to_owned(), 400, "Missing payload"),
        ("/v1/state/files/f", FORM, String::new(), 400, "Missing payload"),
        ("/v1/state/files/f", "", multipart("file", "x"), 415, "HTTP 415 Unsupported Media Type"),
        ("/v1/state/files/f", "text/plain", "x".to_owned(), 415, "HTTP 415 Unsupported Media Type"),
        ("/service/nobody/v1/state/files/f", FORM, multipart("file", "x"), 404, "Service nobody not found"),
    ] {
        assert_eq!(put(client, target, kind, body), (status, text.to_owned()), "{target} {kind}");
        assert_eq!(client.digest(), before, "{target} {kind}");
    }
    let huge = put(client, "/v1/state/files/f", FORM, vec![b'x'; planarium_rest::MAX_BODY + 1]);
    assert_eq!(huge.0, 413);
    assert_eq!(put(client, "/v1/state/files/f/g", FORM, multipart("file", "x")).0, 404);
    for (method, target, allow) in [
        ("POST", "/v1/state/files/f", "GET, PUT"),
        ("DELETE", "/v1/state/files/f", "GET, PUT"),
        ("PUT", "/v1/state/files", "GET"),
        ("PUT", "/v1/metrics", "GET"),
        ("POST", "/v1/metrics/prometheus", "GET"),
        ("POST", "/v1/debug/threads", "GET"),
        ("GET", "/v1/state/refresh", "PUT"),
        ("PUT", "/v1/plans/deploy", "GET"),
        ("DELETE", "/v1/pod/hello-0/info", "GET"),
    ] {
        let answer = client.send(method, target, "");
        assert_eq!((answer.status, answer.allow.as_deref()), (405, Some(allow)), "{}", answer.asked);
    }
    assert_eq!(client.digest(), before);
}

#[test]
fn metrics_count_the_schedulers_actions() {
    let client = &mut deployed();
    let body = client.get("/v1/metrics").status(200).json();
    for key in ["version", "gauges", "counters", "histograms", "meters", "timers"] {
        assert!(body.get(key).is_some(), "{key}: {body}");
    }
    let count = |name: &str| body["counters"][name]["count"].as_u64();
    // Two of hello, three pods of two.
    assert_eq!(count("operation.launch_group"), Some(8), "{body}");
    assert_eq!(count("task_status.task_running"), Some(8));
    assert_eq!(count("offers.received"), count("offers.processed"));
    assert!(count("revives") > Some(0) && count("operation.reserve") > Some(8), "{body}");
    assert_eq!(count("declines.short"), None, "what never happened is not counted");
    assert!(body["timers"]["offers.process"]["count"].as_u64() > Some(4));
    let text = client.get("/v1/metrics/prometheus");
    assert_eq!(text.status(200).content_type, "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "# TYPE operation_launch_group gauge",
        "operation_launch_group 8.0",
        "# TYPE offers_process summary",
        "offers_process{quantile=\"0.5\",} 0.0",
    ] {
        assert!(text.text.lines().any(|one| one == line), "{line} in\n{}", text.text);
    }
    // A new process resets the counts.
    client.input(&json!({ "kind": "fault", "fault": "scheduler-restart" }));
    let body = client.get("/v1/metrics").status(200).json();
    assert_eq!(body["counters"].get("operation.launch_group"), None, "{body}");
    client.send("DELETE", "/sim/services/fleet", "").status(200);
    client.get("/v1/metrics").status(200);
    client.get("/v1/debug/threads").status(404);
}

#[test]
fn threads_and_the_cache() {
    let client = &mut quiet();
    let threads = client.get("/v1/debug/threads");
    assert!(threads.status(200).text.starts_with("\"main\" id=1 state="), "{}", threads.text);
    assert_eq!(
        client.send("PUT", "/v1/state/refresh", "").status(200).json(),
        json!({ "message": "Received cmd: refresh" })
    );
    let svc = "name: plain\npods:\n  a:\n    count: 1\n    tasks:\n      x: {goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}\n";
    let load = json!({ "dialect": "sdk", "files": { "svc.yml": svc }, "env": { "DISABLE_STATE_CACHE": "" } });
    client.post("/sim/services", &load).status(200);
    assert_eq!(client.send("PUT", "/service/plain/v1/state/refresh", "").status(409).text, "");
}
