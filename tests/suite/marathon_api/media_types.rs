//! Methods, content types and empty bodies: answers of the real server before a resource reads the request.

use super::*;

/// A request with headers.
fn ask(
    client: &mut Client,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String, Value) {
    let mut request = Request::new(method, path, body);
    request.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let response = handle(&mut client.session, &request);
    let text = String::from_utf8_lossy(&response.body).into_owned();
    (
        response.status,
        response.content_type.to_owned(),
        serde_json::from_str(&text).unwrap_or(Value::String(text)),
    )
}

#[test]
fn bodies_must_be_declared_as_json() {
    let mut client = client();
    let web = app("/web", json!({})).to_string();
    let unsupported = json!({"message": "Unsupported Media Type"});
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/xml"] {
        for (method, path, body) in [
            ("POST", "/v2/apps", web.as_str()),
            ("PUT", "/v2/apps/web", web.as_str()),
            ("POST", "/v2/pods", "{}"),
            ("POST", "/v2/tasks/delete", "{\"ids\": []}"),
            ("DELETE", "/v2/deployments/x", ""),
        ] {
            let found = ask(&mut client, method, path, &[("content-type", kind)], body);
            assert_eq!((found.0, &found.2), (415, &unsupported), "{method} {path} as {kind}");
        }
    }
    // Groups accept any type; undeclared bodies are accepted everywhere.
    let group = ask(&mut client, "PUT", "/v2/groups/g", &[("content-type", "text/plain")], "{\"apps\": []}");
    assert_eq!(group.0, 200, "{group:?}");
    for headers in [&[][..], &[("content-type", "application/json; charset=utf-8")]] {
        let done = ask(&mut client, "PUT", "/v2/apps/web", headers, &web);
        assert!(done.0 < 300, "{done:?}");
        pass(&mut client, 60);
    }
}

#[test]
fn missing_methods_of_a_path_are_refused_in_json() {
    let mut client = client();
    for (method, path) in [("PUT", "/v2/deployments"), ("POST", "/v2/info"), ("PATCH", "/v2/groups")] {
        let found = ask(&mut client, method, path, &[], "");
        let expected = (405, "application/json".to_owned(), json!({"message": "Method Not Allowed"}));
        assert_eq!(found, expected, "{method} {path}");
    }
}

#[test]
fn pong_has_the_preferred_form() {
    let mut client = client();
    for (accept, status, kind) in [
        (None, 200, "text/plain"),
        (Some("*/*"), 200, "text/plain"),
        (Some("text/html"), 200, "text/html"),
        (Some("text/css"), 200, "text/plain"),
        (Some("application/json"), 200, "application/json"),
        (Some("text/plain;q=0.5, application/json"), 200, "application/json"),
        (Some("text/plain, application/json;q=0.9"), 200, "text/plain"),
        (Some("text/plain;q=0"), 204, ""),
        (Some("image/png"), 204, ""),
    ] {
        let headers: Vec<(&str, &str)> = accept.map(|accept| ("accept", accept)).into_iter().collect();
        let found = ask(&mut client, "GET", "/ping", &headers, "");
        assert_eq!(found.0, status, "{accept:?}");
        if status == 200 {
            assert_eq!((&*found.1, &found.2), (kind, &json!("pong")), "{accept:?}");
        }
    }
}

#[test]
fn an_absent_body_and_null_differ() {
    let mut client = client();
    for blank in ["", " ", "\n\t "] {
        let found = ask(&mut client, "POST", "/v2/apps", &[], blank);
        assert_eq!(
            (found.0, &found.2["message"]),
            (400, &json!("Please specify data in JSON format")),
            "{blank:?}"
        );
    }
    let found = ask(&mut client, "POST", "/v2/apps", &[], "null");
    let details = json!([{"path": "/id", "errors": ["error.path.missing"]}]);
    assert_eq!(found.0, 422, "{found:?}");
    assert_eq!((&found.2["message"], &found.2["details"]), (&json!("Invalid JSON"), &details));
    // What cannot be done is said before the body is looked at.
    let found = ask(&mut client, "POST", "/v2/tasks/delete?scale=true&wipe=true", &[], "");
    assert_eq!(found.0, 400);
    assert_eq!(found.2["message"], "You cannot use scale and wipe at the same time.");
}

#[test]
fn null_is_a_change_of_a_group_in_which_nothing_is_named() {
    let mut client = client();
    call(&mut client, "POST", "/v2/groups", &json!({"id": "/g", "apps": [app("x", json!({}))]})).status(201);
    pass(&mut client, 60);
    for (method, path, status) in [
        ("PUT", "/v2/groups/g", 200),
        ("PUT", "/v2/groups/g?dryRun=true", 200),
        ("POST", "/v2/groups/h", 201),
    ] {
        let found = ask(&mut client, method, path, &[], "null");
        assert_eq!(found.0, status, "{method} {path}: {found:?}");
    }
    pass(&mut client, 60);
    assert_eq!(client.get("/v2/groups/g").json()["apps"][0]["id"], "/g/x");
    assert_eq!(client.get("/v2/groups/h").json()["apps"], json!([]));
    // There is a group of that path already.
    let found = ask(&mut client, "POST", "/v2/groups/g", &[], "null");
    assert_eq!(found.0, 409, "{found:?}");
}

#[test]
fn killing_without_ids_is_reported_with_the_body() {
    let mut client = client();
    for (body, error) in [
        ("{}", "'ids' is undefined on object: {}"),
        (r#"{ "id": ["x"] }"#, r#"'ids' is undefined on object: {"id":["x"]}"#),
        ("null", "null is not an object"),
        ("[1]", "[1] is not an object"),
    ] {
        let found = ask(&mut client, "POST", "/v2/tasks/delete", &[], body);
        assert_eq!((found.0, &found.2["message"]), (422, &json!("Invalid JSON")), "{body}");
        assert_eq!(found.2["details"], json!([{"path": "", "errors": [error]}]), "{body}");
    }
    let found = ask(&mut client, "POST", "/v2/tasks/delete", &[], r#"{"ids": null}"#);
    assert_eq!(found.2["details"], json!([{"path": "", "errors": ["error.expected.jsarray"]}]));
}

#[test]
fn a_body_of_the_wrong_type_is_reported_at_its_root() {
    let mut client = client();
    call(&mut client, "POST", "/v2/apps", &app("/web", json!({}))).status(201);
    for (method, path, body, error) in [
        ("PUT", "/v2/apps", json!({}), "error.expected.jsarray"),
        ("PUT", "/v2/apps/web?partialUpdate=false", json!([]), "error.expected.jsobject"),
        ("DELETE", "/v2/pods/web::instances", json!({}), "error.expected.jsarray"),
        ("POST", "/v2/tasks/delete", json!({"ids": "x"}), "error.expected.jsarray"),
    ] {
        let refused = call(&mut client, method, path, &body).status(422).json();
        assert_eq!(refused["details"], json!([{"path": "", "errors": [error]}]), "{method} {path}");
    }
}
