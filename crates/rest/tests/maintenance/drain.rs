//! Agents drained, deactivated and marked gone, and machines that go DOWN under reservations.

use super::cluster::{Cluster, h, schedule, window};
use serde_json::{Value, json};

fn agent_id(c: &Cluster, hostname: &str) -> String {
    let view = c.session.engine.view();
    let mut machines = view.cluster.machines.iter();
    machines.find(|machine| &*machine.hostname == hostname).expect("a machine").agent_id.to_string()
}

fn state(c: &Cluster, hostname: &str) -> String {
    let view = c.session.engine.view();
    let mut machines = view.cluster.machines.iter();
    machines.find(|machine| &*machine.hostname == hostname).expect("a machine").state.to_string()
}

fn v1(kind: &str, hostname: &str, c: &Cluster) -> Value {
    let mut call = json!({ "type": kind });
    call[kind.to_ascii_lowercase()] = json!({ "agent_id": { "value": agent_id(c, hostname) } });
    call
}

#[test]
fn draining_ends_tasks_and_stops_offers() {
    let mut c = Cluster::of(2);
    c.framework("f");
    c.launch("f", "h1", &["t1", "t2"], 0.0);
    c.to(2_000);
    c.heard();
    let mut drain = v1("DRAIN_AGENT", "h1", &c);
    drain["drain_agent"]["max_grace_period"] = json!({ "seconds": 1 });
    c.ok("/api/v1", &drain);
    assert_eq!(c.heard(), ["2000 f RESCIND"]);
    assert_eq!(state(&c, "h1"), "draining");
    let slaves = c.read("/slaves");
    let info = &slaves["slaves"][0]["drain_info"];
    assert_eq!(
        (&info["state"], &info["config"]["max_grace_period"]["nanoseconds"]),
        (&json!("DRAINING"), &json!(1_000_000_000))
    );
    c.to(60_000);
    let heard = c.heard();
    assert_eq!(heard.len(), 2, "{heard:?}");
    for line in &heard {
        let at: u64 = line.split(' ').next().and_then(|at| at.parse().ok()).expect("an instant");
        assert!(line.ends_with("TASK_KILLED REASON_AGENT_DRAINING") && at <= 3_000, "{line}");
    }
    assert_eq!(state(&c, "h1"), "drained");
    // It is not offered until it is reactivated, at the next batch.
    c.ok("/api/v1", &v1("REACTIVATE_AGENT", "h1", &c));
    assert_eq!(c.heard(), [""; 0]);
    c.to(61_000);
    assert_eq!(c.heard(), ["61000 f OFFERS h1"]);
    // Nothing runs there: drained at once.
    c.ok("/api/v1", &v1("DRAIN_AGENT", "h1", &c));
    assert_eq!(state(&c, "h1"), "drained");
    let (status, text) = c.post("/api/v1", &v1("REACTIVATE_AGENT", "h2", &c));
    assert!(status == 400 && text.contains("not deactivated"), "{text}");
}

#[test]
fn a_drain_cannot_be_cancelled() {
    let mut c = Cluster::of(1);
    c.framework("f");
    c.launch("f", "h1", &["t"], 0.0);
    c.to(2_000);
    c.ok("/api/v1", &v1("DRAIN_AGENT", "h1", &c));
    let (status, text) = c.post("/api/v1", &v1("REACTIVATE_AGENT", "h1", &c));
    assert!(status == 400 && text.contains("DRAINING"), "{text}");
    // A draining agent may be scheduled; it gets no inverse offers.
    c.heard();
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 60, None)]));
    assert_eq!(c.heard(), [""; 0]);
}

#[test]
fn drained_and_marked_gone() {
    let mut c = Cluster::of(1);
    c.input(json!({ "kind": "framework", "op": "add", "name": "f", "call": { "type": "SUBSCRIBE", "subscribe": { "framework_info": {
        "user": "root", "name": "f", "role": "*", "capabilities": [{ "type": "PARTITION_AWARE" }] } } } }));
    c.launch("f", "h1", &["t"], 3_600.0);
    c.to(2_000);
    c.heard();
    let gone = v1("MARK_AGENT_GONE", "h1", &c);
    let mut drain = v1("DRAIN_AGENT", "h1", &c);
    drain["drain_agent"]["mark_gone"] = json!(true);
    c.ok("/api/v1", &drain);
    c.to(10_000);
    let heard = c.heard();
    let words: Vec<&str> = heard.iter().map(|line| line.split_once(' ').expect("words").1).collect();
    assert_eq!(words, ["f t TASK_GONE_BY_OPERATOR REASON_AGENT_DRAINING", "f FAILURE"]);
    assert_eq!(state(&c, "h1"), "gone");
    c.ok("/api/v1", &gone);
    assert_eq!(c.read("/state")["slaves"], json!([]));
}

#[test]
fn marked_gone() {
    for (capabilities, expected) in [
        (json!([{ "type": "PARTITION_AWARE" }]), "TASK_GONE_BY_OPERATOR REASON_AGENT_REMOVED_BY_OPERATOR"),
        (json!([]), "TASK_LOST REASON_AGENT_REMOVED"),
    ] {
        let mut c = Cluster::of(1);
        c.input(json!({ "kind": "framework", "op": "add", "name": "f", "call": { "type": "SUBSCRIBE", "subscribe": { "framework_info": {
            "user": "root", "name": "f", "role": "*", "capabilities": capabilities } } } }));
        c.launch("f", "h1", &["t"], 0.0);
        c.to(2_000);
        c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 60, None)]));
        c.heard();
        c.ok("/api/v1", &v1("MARK_AGENT_GONE", "h1", &c));
        assert_eq!(
            c.heard(),
            [
                format!("2000 f t {expected}"),
                "2000 f RESCIND".into(),
                "2000 f RESCIND_INVERSE_OFFER".into(),
                "2000 f FAILURE".into()
            ]
        );
        c.to(100_000);
        assert_eq!(c.heard(), [""; 0]);
    }
}

#[test]
fn an_unreachable_agent_is_drained_on_return_or_marked_gone() {
    let lost = |c: &mut Cluster, for_ms: Option<u64>| {
        c.input(json!({ "kind": "fault", "fault": "agent-partitioned", "id": "cut", "target": { "agent": "h1" }, "for_ms": for_ms }));
    };
    let aware = json!([{ "type": "PARTITION_AWARE" }]);
    let busy = |for_ms| {
        let mut c = Cluster::of(1);
        c.input(json!({ "kind": "framework", "op": "add", "name": "f", "call": { "type": "SUBSCRIBE", "subscribe": { "framework_info": {
            "user": "root", "name": "f", "role": "*", "checkpoint": true, "capabilities": aware } } } }));
        c.launch("f", "h1", &["t"], 3_600.0);
        c.to(2_000);
        lost(&mut c, for_ms);
        c.to(150_000);
        c.heard();
        c
    };
    let mut c = busy(Some(200_000));
    c.ok("/api/v1", &v1("DRAIN_AGENT", "h1", &c));
    assert_eq!((c.heard().len(), state(&c, "h1")), (0, "unreachable".to_owned()));
    c.to(300_000);
    let heard = c.heard();
    let words: Vec<&str> = heard.iter().map(|line| line.split_once(' ').expect("words").1).collect();
    assert_eq!(
        words,
        ["f t TASK_RUNNING REASON_AGENT_REREGISTERED", "f t TASK_KILLED REASON_AGENT_DRAINING"]
    );
    assert_eq!(state(&c, "h1"), "drained");

    let mut c = busy(Some(200_000));
    c.ok("/api/v1", &v1("MARK_AGENT_GONE", "h1", &c));
    assert_eq!(c.heard(), ["150000 f t TASK_GONE_BY_OPERATOR REASON_AGENT_REMOVED_BY_OPERATOR"]);
    c.to(300_000);
    assert_eq!((c.heard().len(), state(&c, "h1")), (0, "gone".to_owned()));

    // Reactivated while away: the flags go, and the answer is an error all the same.
    let mut c = busy(Some(200_000));
    c.ok("/api/v1", &v1("DEACTIVATE_AGENT", "h1", &c));
    let (status, text) = c.post("/api/v1", &v1("REACTIVATE_AGENT", "h1", &c));
    assert!(status == 409 && text.contains("not registered"), "{status} {text}");
    let (status, text) = c.post("/api/v1", &v1("REACTIVATE_AGENT", "h1", &c));
    assert!(status == 400 && text.contains("not deactivated"), "{status} {text}");
}

/// An agent that was unreachable when its machine went DOWN may not return; after UP it is a new one.
#[test]
fn a_partition_heals_on_a_machine_that_is_down() {
    let mut c = Cluster::of(1);
    c.input(json!({ "kind": "framework", "op": "add", "name": "f", "call": { "type": "SUBSCRIBE", "subscribe": { "framework_info": {
        "user": "root", "name": "f", "role": "*", "checkpoint": true, "capabilities": [{ "type": "PARTITION_AWARE" }] } } } }));
    c.launch("f", "h1", &["t"], 3_600.0);
    c.to(2_000);
    let old = agent_id(&c, "h1");
    c.input(json!({ "kind": "fault", "fault": "agent-partitioned", "target": { "agent": "h1" }, "for_ms": 198_000 }));
    c.to(150_000);
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 60, None)]));
    c.ok("/machine/down", &json!([h(1)]));
    c.heard();
    c.to(250_000);
    // Its tasks stay unreachable.
    assert_eq!(c.heard(), [""; 0]);
    assert_eq!((state(&c, "h1"), c.read("/state")["slaves"].clone()), ("down".to_owned(), json!([])));
    c.ok("/machine/up", &json!([h(1)]));
    c.to(260_000);
    assert_eq!(c.heard(), ["251000 f OFFERS h1"]);
    assert_ne!(agent_id(&c, "h1"), old);
}

/// Reservations outlive maintenance; the framework's id for them does too.
#[test]
fn reservations_outlive_maintenance() {
    let mut c = Cluster::of(1);
    c.input(json!({ "kind": "framework", "op": "add", "name": "f", "call": { "type": "SUBSCRIBE", "subscribe": { "framework_info": {
        "user": "root", "name": "f", "role": "r", "principal": "p", "capabilities": [{ "type": "RESERVATION_REFINEMENT" }] } } } }));
    c.heard();
    let offer = c.last_offer("f", "h1");
    let reserved = json!({ "name": "cpus", "type": "SCALAR", "scalar": { "value": 2 }, "allocation_info": { "role": "r" },
        "reservations": [{ "type": "DYNAMIC", "role": "r", "principal": "p", "labels": { "labels": [{ "key": "resource_id", "value": "7" }] } }] });
    c.call(
        "f",
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]],
        "operations": [{ "type": "RESERVE", "reserve": { "resources": [reserved] } }] } }),
    );
    c.to(8_000);
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 60, None)]));
    c.ok("/machine/down", &json!([h(1)]));
    c.to(10_000);
    c.ok("/machine/up", &json!([h(1)]));
    c.to(12_000);
    c.heard();
    let offer = c.last_offer("f", "h1");
    assert!(offer.get("unavailability").is_none());
    let found = offer["resources"].as_array().expect("resources").iter().any(|resource| {
        resource["scalar"]["value"] == 2.0
            && resource["reservations"][0]["labels"]["labels"][0]["value"] == "7"
    });
    assert!(found, "{offer:#}");
}

/// A journal with maintenance replays to the same end.
#[test]
fn a_journal_with_maintenance_replays() {
    let mut c = Cluster::of(3);
    c.input(json!({ "kind": "framework", "op": "add", "name": "a", "roles": ["a"], "policy": "accept" }));
    c.input(json!({ "kind": "framework", "op": "add", "name": "d", "roles": ["d"], "policy": "decline" }));
    c.to(5_000);
    c.ok(
        "/maintenance/schedule",
        &schedule(&[window(&[h(1), h(2)], 60, Some(60)), window(&[h(3)], 120, Some(60))]),
    );
    c.to(20_000);
    assert_eq!(c.post("/machine/down", &json!([h(9)])).0, 400);
    c.ok("/machine/down", &json!([h(1)]));
    c.to(40_000);
    c.ok("/machine/up", &json!([h(1)]));
    c.to(60_000);
    let journal = c.session.engine.journal();
    let text = serde_json::to_string(&journal).expect("plain data");
    let again = planarium_world::Engine::from_journal(&serde_json::from_str(&text).expect("a journal"))
        .expect("replays");
    assert_eq!(again.digest(), c.session.engine.digest());
    assert_eq!(
        serde_json::to_value(&*again.view()).ok(),
        serde_json::to_value(&*c.session.engine.view()).ok()
    );
}
