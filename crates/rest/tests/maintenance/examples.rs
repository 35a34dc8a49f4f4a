//! The examples of the documentation, and related cases.

use super::cluster::{Cluster, h, schedule, window};
use serde_json::{Value, json};

/// As the documentation prints it.
const SCHEDULE: &str = include_str!("../../../../tests/data/maintenance/schedule.json");
const MACHINES: &str = include_str!("../../../../tests/data/maintenance/machines.json");
const LAST: &str = r#"[{ "hostname" : "MACHINE3", "ip" : "10.0.0.3" }]"#;

/// Two machines for one hour, then the third.
#[test]
fn two_machines_for_an_hour_then_the_third() {
    let mut c = Cluster::new();
    c.input(json!({ "kind": "add-agent", "count": 3, "hostname": "machine{n}", "ip": "10.0.0.{n}" }));
    let states = |c: &Cluster| -> Vec<String> {
        c.session.engine.view().cluster.machines.iter().map(|machine| machine.state.to_string()).collect()
    };
    assert_eq!(c.send("POST", "/master/maintenance/schedule", SCHEDULE), (200, String::new()));
    assert_eq!(states(&c), ["draining", "draining", "draining"]);
    // Whole numbers of nanoseconds, to the last digit.
    let written = c.send("GET", "/maintenance/schedule", "").1;
    assert!(written.contains(r#"{"nanoseconds":1443834000000000000}"#), "{written}");
    assert_eq!(serde_json::from_str::<Value>(&written).ok(), serde_json::from_str(SCHEDULE).ok());

    assert_eq!(c.send("POST", "/master/machine/down", MACHINES), (200, String::new()));
    assert_eq!(states(&c), ["down", "down", "draining"]);
    c.to(3_600_000);
    assert_eq!(c.send("POST", "/master/machine/up", MACHINES), (200, String::new()));
    c.to(3_602_000);
    assert_eq!(states(&c), ["up", "up", "draining"]);
    // Names of hosts are not case-sensitive.
    assert_eq!(c.send("POST", "/master/machine/down", LAST), (200, String::new()));
    assert_eq!(states(&c), ["up", "up", "down"]);
    c.to(7_200_000);
    assert_eq!(c.send("POST", "/master/machine/up", LAST), (200, String::new()));
    c.to(7_202_000);
    assert_eq!(states(&c), ["up", "up", "up"]);
    assert_eq!(c.read("/maintenance/schedule"), json!({}));
}

#[test]
fn the_same_with_the_v1_calls() {
    let mut c = Cluster::of(2);
    let asked = schedule(&[window(&[h(1)], 60, None)]);
    let v1 = |kind: &str, field: &str, payload: Value| {
        let mut call = json!({ "type": kind });
        call[field] = payload;
        call
    };
    c.ok(
        "/api/v1",
        &v1("UPDATE_MAINTENANCE_SCHEDULE", "update_maintenance_schedule", json!({ "schedule": asked })),
    );
    let get = |c: &mut Cluster, kind: &str| -> Value {
        let (status, body) = c.post("/api/v1", &json!({ "type": kind }));
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    };
    assert_eq!(
        get(&mut c, "GET_MAINTENANCE_SCHEDULE"),
        json!({ "type": "GET_MAINTENANCE_SCHEDULE", "get_maintenance_schedule": { "schedule": asked } })
    );
    c.ok("/api/v1", &v1("START_MAINTENANCE", "start_maintenance", json!({ "machines": [h(1)] })));
    assert_eq!(
        get(&mut c, "GET_MAINTENANCE_STATUS"),
        json!({ "type": "GET_MAINTENANCE_STATUS", "get_maintenance_status": { "status": { "down_machines": [h(1)] } } })
    );
    c.ok("/api/v1", &v1("STOP_MAINTENANCE", "stop_maintenance", json!({ "machines": [h(1)] })));
    assert_eq!(c.read("/maintenance/status"), json!({}));
}

#[test]
fn every_prefix_and_no_other_method() {
    let mut c = Cluster::of(1);
    for prefix in ["", "/master", "/mesos", "/mesos/master"] {
        c.ok(&format!("{prefix}/maintenance/schedule"), &schedule(&[window(&[h(1)], 60, None)]));
        assert_eq!(c.read(&format!("{prefix}/maintenance/status"))["draining_machines"][0]["id"], h(1));
        c.ok(&format!("{prefix}/machine/down"), &json!([h(1)]));
        c.ok(&format!("{prefix}/machine/up"), &json!([h(1)]));
    }
    for (method, target, allowed) in [
        ("PUT", "/maintenance/schedule", "GET, POST"),
        ("POST", "/maintenance/status", "GET"),
        ("DELETE", "/master/maintenance/status", "GET"),
        ("GET", "/machine/down", "POST"),
        ("PUT", "/mesos/machine/up", "POST"),
        ("GET", "/api/v1", "POST"),
    ] {
        let request = planarium_rest::Request::new(method, target, "{}");
        let response = planarium_rest::handle(&mut c.session, &request);
        let allow =
            response.headers.iter().find(|(name, _)| *name == "allow").map(|(_, value)| value.as_str());
        assert_eq!((response.status, allow), (405, Some(allowed)), "{method} {target}");
    }
}

#[test]
fn a_machine_may_be_scheduled_and_banned_before_it_joins() {
    let mut c = Cluster::new();
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1), h(2)], 60, Some(60))]));
    c.ok("/machine/down", &json!([h(1)]));
    c.input(json!({ "kind": "add-agent", "count": 2, "hostname": "h{n}", "ip": "10.0.0.{n}", "resources": { "cpus": 4 } }));
    c.framework("f");
    c.to(2_000);
    c.heard();
    let hosts: Vec<_> = c.events.iter().filter(|(_, e)| e["type"] == "OFFERS").collect();
    assert_eq!(hosts.len(), 1);
    assert_eq!(c.last_offer("f", "h2")["unavailability"]["duration"]["nanoseconds"], 60_000_000_000_i64);
    let view = c.session.engine.view();
    let shown: Vec<_> = view.cluster.machines.iter().map(|m| (&*m.hostname, &*m.state)).collect();
    assert_eq!(shown, [("h1", "down"), ("h2", "draining")]);
    assert_eq!(c.read("/state")["slaves"].as_array().map(Vec::len), Some(1));
    c.ok("/machine/up", &json!([h(1)]));
    c.to(4_000);
    assert_eq!(c.read("/state")["slaves"].as_array().map(Vec::len), Some(2));
    assert!(c.heard().iter().any(|line| line.ends_with("OFFERS h1")));
}

#[test]
fn a_window_begins_and_ends_and_nothing_happens() {
    let mut c = Cluster::of(1);
    c.framework("f");
    c.launch("f", "h1", &["t"], 3_600.0);
    c.to(2_000);
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 10, Some(10))]));
    c.heard();
    let before = c.read("/maintenance/status");
    c.to(60_000);
    assert_eq!(c.heard(), [""; 0]);
    assert_eq!(c.read("/maintenance/status"), before);
    // A window in the past is as good as any other.
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], -1_000_000, Some(0))]));
    assert_eq!(c.heard(), ["60000 f RESCIND_INVERSE_OFFER", "60000 f INVERSE_OFFERS h1@-1000000"]);
}

/// Offers of all machines are taken back and made again, whether the schedule names them or not.
#[test]
fn a_schedule_rescinds_every_offer() {
    let mut c = Cluster::of(2);
    c.framework("f");
    c.to(1_500);
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(2)], 60, None)]));
    assert_eq!(
        c.heard(),
        ["1500 f RESCIND", "1500 f RESCIND", "1500 f OFFERS h1 h2@60", "1500 f INVERSE_OFFERS h2@60"]
    );
    c.ok("/maintenance/schedule", &json!({ "windows": [] }));
    assert_eq!(
        c.heard(),
        ["1500 f RESCIND", "1500 f RESCIND", "1500 f RESCIND_INVERSE_OFFER", "1500 f OFFERS h1 h2"]
    );
}

/// Menu entries of the page can be applied unchanged, and say beforehand why they would be refused.
#[test]
fn menu_entries_match_the_masters_permissions() {
    let mut c = Cluster::of(1);
    for (title, state) in [
        ("Schedule maintenance (in 10 min, 1 h)", "draining"),
        ("Start maintenance", "down"),
        ("Stop maintenance", "up"),
        ("Schedule maintenance (in 10 min, 1 h)", "draining"),
        ("Take it out of the schedule", "up"),
        ("Deactivate its agent", "deactivated"),
        ("Reactivate its agent", "up"),
        ("Drain its agent", "drained"),
        ("Reactivate its agent", "up"),
        ("Mark its agent gone", "gone"),
    ] {
        let view = c.session.engine.view();
        let actions = view.cluster.machines[0].actions.clone();
        drop(view);
        for action in &actions {
            if !matches!(action.input, planarium_protocol::Input::Maintenance(_)) {
                continue;
            }
            let mut engine =
                planarium_world::Engine::from_journal(&c.session.engine.journal()).expect("replays");
            let outcome = engine.apply(action.input.clone()).outcome;
            let again =
                matches!(&*action.title, "Drain its agent" | "Deactivate its agent" | "Mark its agent gone")
                    || action.title.starts_with("Schedule");
            let refused = action.refused.is_some();
            // The real calls may be repeated; a menu does not offer that.
            assert!(
                outcome.is_err() == refused || (again && refused),
                "{} {:?} {outcome:?}",
                action.title,
                action.refused
            );
        }
        let action = actions.iter().find(|action| &*action.title == title).expect("the action");
        assert_eq!(action.refused, None, "{title}");
        c.session.engine.apply(action.input.clone()).outcome.expect("accepted");
        let now = c.session.engine.now_ms();
        c.to(now + 2_000);
        let view = c.session.engine.view();
        assert_eq!(&*view.cluster.machines[0].state, state, "after {title}");
        if title.starts_with("Schedule") {
            let away = view.cluster.machines[0].unavailability.clone().expect("a window");
            let start = super::cluster::EPOCH_NS + i64::try_from(now + 600_000).expect("small") * 1_000_000;
            assert_eq!(*away.start_ns, *start.to_string());
        }
    }
}
