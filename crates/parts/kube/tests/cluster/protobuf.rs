//! Bodies in protocol buffers, as a real `kubectl create` sends them.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use planarium_kernel::SimTime;
use planarium_kernel::base64::Base64;
use planarium_kube::{Alone, Cx};
use planarium_part::{Flags, Request, Response, Wire};
use planarium_protocol::Input;
use planarium_protocol::input::AddAgent;
use serde_json::Value;

const BODIES: &str = include_str!("../data/kubectl-create.txt");
const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

fn alone() -> (Cx, Alone) {
    let mut cx = Cx::new(1);
    let alone = Alone::new(&mut cx, &Flags::default(), &AddAgent::default()).expect("a machine");
    (cx, alone)
}

fn post(path: &str, body: impl Into<Vec<u8>>) -> Request {
    let mut request = Request::new("POST", &format!("/kube{path}"), body);
    request.headers.push(("content-type".to_owned(), MEDIA_TYPE.to_owned()));
    request
}

/// Returns the journaled object of a body. *Errors*: the response, if it is refused.
fn journaled(alone: &Alone, request: &Request) -> Result<Value, Response> {
    match alone.wire(SimTime::ZERO, request) {
        Wire::Change(input, _) => match *input {
            Input::Call(call) => {
                assert_eq!(call.content_type, None, "it is JSON by now");
                Ok(call.body)
            }
            other => panic!("{other:?}"),
        },
        Wire::Answer(response) => Err(response),
        _ => panic!("{} is nobody's", request.path),
    }
}

/// Without what says nothing: nulls, empty objects and the status.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| (key.clone(), plain(value)));
            let says = |(key, value): &(String, Value)| {
                key != "status" && !value.is_null() && value.as_object().is_none_or(|inner| !inner.is_empty())
            };
            Value::Object(fields.filter(says).collect())
        }
        Value::Array(all) => all.iter().map(plain).collect(),
        other => other.clone(),
    }
}

#[test]
fn bodies_of_kubectl_create_are_read_as_printed() {
    let (_, alone) = alone();
    let lines: Vec<&str> = BODIES.lines().skip(2).collect();
    let mut seen = 0;
    for case in lines.split(|line| line.is_empty()) {
        let [command, path, body, printed] = case else { panic!("four lines: {case:?}") };
        let body = Base64::Padded.decode(body.as_bytes()).expect("base64");
        let read = journaled(&alone, &post(path, body))
            .unwrap_or_else(|response| panic!("{command}: {}", String::from_utf8_lossy(&response.body)));
        let mut printed: Value = serde_json::from_str(printed).expect("JSON");
        if let Some(metadata) = printed.get_mut("metadata").and_then(Value::as_object_mut) {
            // The path says it.
            metadata.remove("namespace");
        }
        let mut read = plain(&read);
        if let Some(metadata) = read.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("namespace");
        }
        assert_eq!(read, plain(&printed), "{command}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn an_object_in_protocol_buffers_is_created() {
    let (mut cx, mut alone) = alone();
    let mut lines = BODIES.lines().skip(2);
    let (path, body) = (lines.nth(1).expect("a path"), lines.next().expect("a body"));
    let request = post(path, Base64::Padded.decode(body.as_bytes()).expect("base64"));
    let Wire::Change(input, reply) = alone.wire(SimTime::ZERO, &request) else { panic!("a change") };
    let response = reply(alone.perform(&mut cx, &input).expect("the cluster's"));
    assert_eq!(response.status, 201, "{}", String::from_utf8_lossy(&response.body));
    let created: Value = serde_json::from_slice(&response.body).expect("JSON");
    assert_eq!(created.pointer("/data/a"), Some(&Value::from("b")));
}

#[test]
fn broken_and_unknown_bodies_are_refused() {
    let (_, alone) = alone();
    let refused = |body: &[u8]| {
        let response = journaled(&alone, &post("/api/v1/namespaces", body)).expect_err("refused");
        let status: Value = serde_json::from_slice(&response.body).expect("JSON");
        (response.status, status.get("message").and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    assert_eq!(refused(b"{}").0, 400);
    let thing = b"k8s\0\x0a\x0b\x0a\x02v1\x12\x05Thing";
    let (status, text) = refused(thing);
    assert_eq!((status, text.contains("Thing") && text.contains("JSON")), (415, true), "{text}");
    // Field 9 of a namespace, which the table lacks.
    let (status, text) = refused(b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09Namespace\x12\x02\x48\x01");
    assert_eq!((status, text.contains("field 9 of Namespace")), (400, true), "{text}");
    // Every way in which a body may break off.
    let lines: Vec<&str> = BODIES.lines().collect();
    let body = Base64::Padded.decode(lines.get(4).expect("a body").as_bytes()).expect("base64");
    for end in 0..body.len() {
        let cut = body.get(..end).unwrap_or_default();
        if let Err(response) = journaled(&alone, &post("/api/v1/namespaces/default/configmaps", cut)) {
            assert!((400..500).contains(&response.status));
        }
    }
}
