//! Helpers of this crate's tests: small definitions and ways to compare timelines.

#![expect(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_kernel::Stretch;
use planarium_protocol::view::Applied;
use planarium_protocol::{Event, EventBody, Input, View};
use planarium_world::{Engine, Genesis, presets};
use std::sync::Arc;

/// Two pod types: one with two instances and a readiness check, one that runs to completion.
pub(crate) const HELLO: &str = "\
name: hello-world
pods:
  hello:
    count: 1
    tasks:
      server:
        goal: RUNNING
        cmd: echo hello && sleep 1000
        cpus: 0.5
        memory: 256
  world:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: echo world && sleep 1000
        cpus: 0.5
        memory: 256
        readiness-check:
          cmd: test -e ready
          interval: 5
          delay: 0
          timeout: 10
  once:
    count: 1
    tasks:
      job:
        goal: ONCE
        cmd: echo done
        cpus: 0.1
        memory: 32
";

/// Reads an input written as JSON.
pub(crate) fn input(json: &str) -> Input {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// Loads `text` as an SDK service.
pub(crate) fn load(text: &str) -> Input {
    let mut load = planarium_protocol::input::LoadService { dialect: "sdk".to_owned(), ..Default::default() };
    load.files.insert("svc.yml".to_owned(), text.to_owned());
    Input::LoadService(load)
}

/// An empty world.
pub(crate) fn engine() -> Engine {
    Engine::new(Genesis::default())
}

/// Applies an input that must be accepted.
pub(crate) fn accept(engine: &mut Engine, input: Input) -> Applied {
    let text = format!("{input:?}");
    let applied = engine.apply(input);
    assert!(applied.outcome.is_ok(), "{text}: {:?}", applied.outcome);
    applied
}

/// A world with a cluster preset.
pub(crate) fn with_cluster(preset: &str) -> Engine {
    let mut engine = engine();
    for add in presets::cluster(preset).expect("a preset") {
        accept(&mut engine, Input::AddAgent(add));
    }
    engine
}

/// A world with the default cluster and a service that was just loaded.
pub(crate) fn with_service(text: &str) -> Engine {
    let mut engine = with_cluster("default");
    accept(&mut engine, load(text));
    engine
}

/// Comparable state at a cursor.
#[derive(Debug, PartialEq)]
pub(crate) struct Stand {
    pub(crate) now_ms: u64,
    pub(crate) digest: String,
    pub(crate) view: Arc<View>,
    pub(crate) events: Vec<Event>,
}

/// Returns the cursor.
pub(crate) fn stand(engine: &Engine) -> Stand {
    Stand {
        now_ms: engine.now_ms(),
        digest: engine.digest(),
        view: engine.view(),
        events: engine.events().to_vec(),
    }
}

/// Compares two states; `idle` and `next_event_ms` depend on recorded inputs ahead and are left out.
pub(crate) fn assert_same(a: &Stand, b: &Stand, what: &str) {
    assert_eq!(a.now_ms, b.now_ms, "{what}: time");
    assert_eq!(a.events.len(), b.events.len(), "{what}: number of events");
    for (x, y) in a.events.iter().zip(&b.events) {
        assert_eq!(x, y, "{what}: event");
    }
    assert_eq!(a.digest, b.digest, "{what}: digest");
    for (name, x, y) in [
        ("services", shown(&a.view.services), shown(&b.view.services)),
        ("cluster", shown(&a.view.cluster), shown(&b.view.cluster)),
        ("faults", shown(&a.view.faults), shown(&b.view.faults)),
    ] {
        assert_eq!(difference(&x, &y), None, "{what}: {name}");
    }
}

/// Returns the first difference between two values.
pub(crate) fn difference(a: &serde_json::Value, b: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    let nested = |key: &str, found: Option<String>| found.map(|text| format!("{key}/{text}"));
    match (a, b) {
        _ if a == b => None,
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(nth, (a, b))| nested(&nth.to_string(), difference(a, b)))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b).find_map(|((key, a), (_, b))| nested(key, difference(a, b)))
        }
        _ => Some(format!(": {a} against {b}")),
    }
}

/// Returns the view without revisions: a revision may depend on when a node was last viewed.
pub(crate) fn shown<T: serde::Serialize>(node: &T) -> serde_json::Value {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.remove("revision");
                map.values_mut().for_each(strip);
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(node).expect("plain data");
    strip(&mut value);
    value
}

/// Events as `at kind-word`, for messages.
pub(crate) fn outline(events: Stretch<'_, Event>) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let json = serde_json::to_value(&event.body).unwrap_or_default();
            format!("{} {} {json}", event.at_ms, json["kind"].as_str().unwrap_or_default())
        })
        .collect()
}

/// Returns the status words of an element in order.
pub(crate) fn walk(engine: &Engine, plan: &str, phase: Option<&str>, step: Option<&str>) -> Vec<String> {
    engine
        .all_events()
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ElementStatus { path, to, .. }
                if &*path.plan == plan && path.phase.as_deref() == phase && path.step.as_deref() == step =>
            {
                Some(to.to_string())
            }
            _ => None,
        })
        .collect()
}
