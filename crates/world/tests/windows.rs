//! The maintenance schedule as the view carries it: window by window as posted, machines without an agent included.

use planarium_protocol::EventBody;
use planarium_protocol::input::{AddAgent, Input, Maintenance};
use planarium_protocol::view::ClusterView;
use planarium_world::{Engine, Genesis};
use serde_json::json;
use std::sync::Arc;

fn post(engine: &mut Engine, op: &str, body: serde_json::Value) -> bool {
    engine.apply(Input::Maintenance(Maintenance { op: op.to_owned(), body })).outcome.is_ok()
}

/// Begin, duration, machines with their modes.
type Shown = (String, Option<String>, Vec<(String, String)>);

fn shown(cluster: &ClusterView) -> Vec<Shown> {
    let windows = cluster.windows.iter().map(|window| {
        let machines = window.machines.iter();
        let machines =
            machines.map(|id| (id.hostname.as_deref().unwrap_or("-").to_owned(), id.mode.to_string()));
        let away = &window.unavailability;
        (away.start_ns.to_string(), away.duration_ns.as_ref().map(ToString::to_string), machines.collect())
    });
    windows.collect()
}

#[test]
fn the_view_shows_the_schedule_as_posted() {
    let mut engine = Engine::new(Genesis::default());
    let add = AddAgent {
        count: Some(2),
        hostname: Some("m{n}".to_owned()),
        ip: Some("10.0.0.{n}".to_owned()),
        ..AddAgent::default()
    };
    assert!(engine.apply(Input::AddAgent(add)).outcome.is_ok());
    assert!(shown(&engine.view().cluster).is_empty());

    let m1 = json!({ "hostname": "m1", "ip": "10.0.0.1" });
    // An odd last digit, which a double would lose.
    let start = 1_443_830_460_000_000_001_i64;
    let windows = json!({ "windows": [
        { "machine_ids": [m1], "unavailability": { "start": { "nanoseconds": start }, "duration": { "nanoseconds": 7 } } },
        { "machine_ids": [{ "hostname": "spare" }], "unavailability": { "start": { "nanoseconds": 5 } } },
    ] });
    assert!(post(&mut engine, "schedule", windows));
    let pair = |host: &str, mode: &str| (host.to_owned(), mode.to_owned());
    let first = |mode: &str| (start.to_string(), Some("7".to_owned()), vec![pair("m1", mode)]);
    let second = ("5".to_owned(), None, vec![pair("spare", "DRAINING")]);
    assert_eq!(shown(&engine.view().cluster), [first("DRAINING"), second.clone()]);

    assert!(post(&mut engine, "down", json!([m1])));
    let before = engine.view();
    assert_eq!(shown(&before.cluster), [first("DOWN"), second]);
    // A refused change changes nothing that is shown.
    assert!(!post(&mut engine, "schedule", json!({ "windows": [] })));
    assert_eq!(shown(&engine.view().cluster), shown(&before.cluster));

    // A schedule of machines without agents still changes the revision.
    assert!(post(&mut engine, "up", json!([m1])));
    let before = Arc::clone(&engine.view().cluster);
    assert!(post(&mut engine, "schedule", json!({})));
    let after = Arc::clone(&engine.view().cluster);
    assert!(shown(&after).is_empty());
    assert!(after.revision > before.revision, "{} {}", before.revision, after.revision);
}

#[test]
fn inverse_offers_leave_the_view_with_their_framework() {
    let shown = |engine: &Engine| -> Vec<usize> {
        engine.view().cluster.machines.iter().map(|machine| machine.inverse_offers.len()).collect()
    };
    for op in ["remove", "disconnect"] {
        let mut engine = Engine::new(Genesis::default());
        let put = |engine: &mut Engine, input: serde_json::Value| {
            let input: Input = serde_json::from_value(input).expect("an input");
            engine.apply(input).outcome.expect("carried out");
        };
        put(&mut engine, json!({ "kind": "add-agent", "count": 2, "hostname": "m{n}", "ip": "10.0.0.{n}" }));
        put(
            &mut engine,
            json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["f"], "policy": "manual" }),
        );
        let window = json!({ "machine_ids": [{ "hostname": "m2", "ip": "10.0.0.2" }], "unavailability": { "start": { "in_ms": 60_000 } } });
        assert!(post(&mut engine, "schedule-add", json!({ "windows": [window] })));
        // The framework has no tasks there, and returns its offers.
        engine.advance_for(2_000);
        let offers: Vec<serde_json::Value> = engine
            .events()
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::FrameworkEvent { event, .. } => {
                    event.pointer("/offers/offers")?.as_array().cloned()
                }
                _ => None,
            })
            .flatten()
            .map(|offer| offer["id"].clone())
            .collect();
        let call = json!({ "type": "DECLINE", "decline": { "offer_ids": offers } });
        put(&mut engine, json!({ "kind": "framework", "op": "call", "name": "f", "call": call }));
        assert_eq!(shown(&engine), [0, 1]);
        put(&mut engine, json!({ "kind": "framework", "op": op, "name": "f" }));
        assert_eq!(shown(&engine), [0, 0], "{op}");
    }
}

#[test]
fn a_moved_window_is_shown_on_a_machine_whose_agent_is_lost() {
    for (op, body) in [
        ("down", json!([{ "hostname": "m1", "ip": "10.0.0.1" }])),
        ("gone", json!({ "agent_id": { "value": "m1" } })),
    ] {
        let mut engine = Engine::new(Genesis::default());
        let add = r#"{"kind":"add-agent","hostname":"m1","ip":"10.0.0.1"}"#;
        engine.apply(serde_json::from_str(add).expect("an input")).outcome.expect("a machine");
        let schedule = |start: u64| {
            json!({ "windows": [{ "machine_ids": [{ "hostname": "m1", "ip": "10.0.0.1" }],
                "unavailability": { "start": { "nanoseconds": start } } }] })
        };
        let shown = |engine: &Engine| -> Option<String> {
            let view = engine.view();
            view.cluster.machines[0].unavailability.as_ref().map(|away| away.start_ns.to_string())
        };
        assert!(post(&mut engine, "schedule", schedule(7)) && post(&mut engine, op, body));
        assert_eq!(shown(&engine).as_deref(), Some("7"), "{op}");
        assert!(post(&mut engine, "schedule", schedule(8)));
        assert_eq!(shown(&engine).as_deref(), Some("8"), "{op}");
    }
}
