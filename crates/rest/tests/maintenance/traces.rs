//! Worked traces of maintenance: each test gives calls and the events expected at each instant.

use super::cluster::{Cluster, EPOCH_NS, h, schedule, window};
use serde_json::json;

#[test]
fn rolling_maintenance_of_one_machine() {
    let mut c = Cluster::of(1);
    c.framework("f");
    c.to(200);
    c.launch("f", "h1", &["t"], 5.0);
    c.to(2_000);
    c.heard();
    c.ok("/maintenance/schedule", &schedule(&[window(&[h(1)], 60, Some(120))]));
    // Declined offers stay declined; used resources are asked back.
    assert_eq!(c.heard(), ["2000 f INVERSE_OFFERS h1@60"]);
    c.to(2_500);
    let asked = c.inverse("f")[0].clone();
    c.answer("f", false, &asked["id"], None);
    let status = c.read("/maintenance/status");
    assert_eq!(
        status,
        json!({ "draining_machines": [{ "id": h(1), "statuses": [{
            "status": "DECLINE", "framework_id": asked["framework_id"],
            "timestamp": { "nanoseconds": EPOCH_NS + 2_500_000_000 } }] }] })
    );
    c.to(8_000);
    assert_eq!(c.heard(), ["6000 f OFFERS h1@60", "8000 f INVERSE_OFFERS h1@60"]);
    c.to(8_100);
    let asked = c.inverse("f")[0].clone();
    c.answer("f", true, &asked["id"], Some(3_600.0));
    assert_eq!(c.read("/maintenance/status")["draining_machines"][0]["statuses"][0]["status"], "ACCEPT");
    c.to(9_000);
    let (status, text) = c.post("/machine/up", &json!([h(1)]));
    assert!(status == 400 && text.contains("not in DOWN mode"), "{status} {text}");
    c.to(10_000);
    c.ok("/machine/down", &json!([h(1)]));
    assert_eq!(c.heard(), ["10000 f t TASK_LOST REASON_AGENT_REMOVED", "10000 f RESCIND", "10000 f FAILURE"]);
    assert_eq!(c.read("/maintenance/status"), json!({ "down_machines": [h(1)] }));
    let machine = |c: &Cluster| c.session.engine.view().cluster.machines[0].clone();
    assert_eq!(&*machine(&c).state, "down");
    let before = machine(&c).agent_id.clone();
    // The agent is started again: it is refused.
    c.to(12_000);
    assert_eq!(c.heard(), [""; 0]);
    let turned_away = c.session.engine.events().iter().any(|event| {
        event.at_ms == 11_000 && serde_json::to_string(event).expect("JSON").contains("may not register")
    });
    assert!(turned_away);
    let (status, text) = c.post("/maintenance/schedule", &json!({}));
    assert!(status == 400 && text.contains("h1"), "{status} {text}");
    c.to(13_000);
    c.ok("/machine/up", &json!([h(1)]));
    assert_eq!((c.read("/maintenance/schedule"), c.read("/maintenance/status")), (json!({}), json!({})));
    c.to(14_000);
    assert_eq!(c.heard(), ["14000 f OFFERS h1"]);
    assert_ne!(machine(&c).agent_id, before);
    assert_eq!(&*machine(&c).state, "up");
}

#[test]
fn schedule_edits() {
    let machine = |name: &str| json!({ "hostname": name, "ip": "10.1.0.1" });
    let all = |names: &[&str]| names.iter().map(|name| machine(name)).collect::<Vec<_>>();
    let windows = |groups: &[&[&str]]| {
        schedule(&groups.iter().map(|names| window(&all(names), 60, None)).collect::<Vec<_>>())
    };
    let post = "/maintenance/schedule";
    let mut c = Cluster::new();
    for (target, body, code, draining, down) in [
        (post, windows(&[&["a", "b"], &["c"]]), 200, vec!["a", "b", "c"], vec![]),
        ("/machine/down", json!(all(&["a"])), 200, vec!["b", "c"], vec!["a"]),
        (post, windows(&[&["b"], &["c"]]), 400, vec!["b", "c"], vec!["a"]),
        (post, windows(&[&["a"], &["c"]]), 200, vec!["c"], vec!["a"]),
        (post, windows(&[&["a"], &["c"], &["b"]]), 200, vec!["c", "b"], vec!["a"]),
        ("/machine/down", json!(all(&["a", "c"])), 400, vec!["c", "b"], vec!["a"]),
        ("/machine/down", json!(all(&["c"])), 200, vec!["b"], vec!["a", "c"]),
        ("/machine/up", json!(all(&["a", "b"])), 400, vec!["b"], vec!["a", "c"]),
        ("/machine/up", json!(all(&["a", "c"])), 200, vec!["b"], vec![]),
        (post, json!({}), 200, vec![], vec![]),
    ] {
        assert_eq!(c.post(target, &body).0, code, "{target} {body}");
        let status = c.read("/maintenance/status");
        let names = |list: &serde_json::Value, at: &str| -> Vec<String> {
            let all = list.as_array().into_iter().flatten();
            all.map(|one| one.pointer(at).and_then(|name| name.as_str()).expect("a name").to_owned())
                .collect()
        };
        assert_eq!(names(&status["draining_machines"], "/id/hostname"), draining, "after {target} {body}");
        assert_eq!(names(&status["down_machines"], "/hostname"), down, "after {target} {body}");
    }
    assert_eq!(c.read("/master/maintenance/schedule"), json!({}));
}

#[test]
fn two_frameworks_and_two_agents_on_one_machine() {
    let mut c = Cluster::of(1);
    c.input(json!({ "kind": "add-agent", "hostname": "h1", "port": 5052, "resources": { "cpus": 4, "mem": 4096 } }));
    let agents: Vec<String> = {
        let view = c.session.engine.view();
        view.cluster.machines.iter().map(|machine| machine.agent_id.to_string()).collect()
    };
    c.framework("f1");
    c.heard();
    // f1 has both offers; f2 gets the rest of the second agent.
    let both: Vec<_> =
        c.events.iter().filter(|(_, e)| e["type"] == "OFFERS").map(|(_, e)| e.clone()).collect();
    let offers: Vec<_> =
        both.iter().flat_map(|e| e["offers"]["offers"].as_array().cloned().expect("offers")).collect();
    let launch = |c: &mut Cluster, name: &str, offer: &serde_json::Value, task: &str| {
        let info = json!({ "name": task, "task_id": { "value": task }, "agent_id": offer["agent_id"],
            "command": { "value": "sleep 100000" },
            "resources": [{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 }, "allocation_info": { "role": "*" } }] });
        c.call(name, json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "filters": { "refuse_seconds": 3600 },
            "operations": [{ "type": "LAUNCH", "launch": { "task_infos": [info] } }] } }));
    };
    for (offer, task) in offers.iter().zip(["t1", "t2"]) {
        launch(&mut c, "f1", offer, task);
    }
    c.framework("f2");
    c.to(1_000);
    c.heard();
    let second = c.events.iter().rev().filter(|(f, e)| f == "f2" && e["type"] == "OFFERS");
    let mine: Vec<_> =
        second.flat_map(|(_, e)| e["offers"]["offers"].as_array().cloned().expect("offers")).collect();
    let on_second =
        mine.iter().find(|offer| offer["agent_id"]["value"] == *agents[1]).expect("an offer").clone();
    launch(&mut c, "f2", &on_second, "t3");
    let other = mine.iter().find(|offer| offer["agent_id"]["value"] == *agents[0]).expect("an offer").clone();
    c.call("f2", json!({ "type": "DECLINE", "decline": { "offer_ids": [other["id"]], "filters": { "refuse_seconds": 3600 } } }));
    c.to(3_000);
    c.heard();

    let away = schedule(&[window(&[h(1)], 60, Some(60))]);
    c.ok("/maintenance/schedule", &away);
    assert_eq!(c.heard(), ["3000 f1 INVERSE_OFFERS h1@60 h1@60", "3000 f2 INVERSE_OFFERS h1@60"]);
    for (offer, accept) in c.inverse("f1").iter().zip([true, false]) {
        c.answer("f1", accept, &offer["id"], Some(3_600.0));
    }
    let status = c.read("/mesos/maintenance/status");
    let statuses = status["draining_machines"][0]["statuses"].as_array().expect("answers").clone();
    let words: Vec<_> = statuses.iter().map(|one| one["status"].as_str().expect("a word")).collect();
    assert_eq!(words, ["ACCEPT", "DECLINE"]);
    assert_eq!(statuses[0]["framework_id"], statuses[1]["framework_id"]);

    // The same schedule again: answers and outstanding inverse offers are dropped.
    c.ok("/maintenance/schedule", &away);
    assert_eq!(
        c.heard(),
        [
            "3000 f2 RESCIND_INVERSE_OFFER",
            "3000 f1 INVERSE_OFFERS h1@60 h1@60",
            "3000 f2 INVERSE_OFFERS h1@60"
        ]
    );
    assert_eq!(c.read("/maintenance/status"), json!({ "draining_machines": [{ "id": h(1) }] }));

    c.ok("/machine/down", &json!([h(1)]));
    let heard = c.heard();
    let count = |what: &str| heard.iter().filter(|line| line.contains(what)).count();
    assert_eq!((count("TASK_LOST REASON_AGENT_REMOVED"), count("FAILURE")), (3, 4), "{heard:#?}");
    assert_eq!(count("RESCIND_INVERSE_OFFER"), 3);
}

#[test]
fn the_ping_timeline() {
    let mut c = Cluster::of(1);
    c.framework("f");
    c.to(40_000);
    c.heard();
    c.input(json!({ "kind": "fault", "fault": "agent-partitioned", "target": { "agent": "h1" } }));
    c.to(119_999);
    assert_eq!(c.heard(), [""; 0]);
    c.to(120_000);
    assert_eq!(c.heard(), ["120000 f RESCIND", "120000 f FAILURE"]);

    // A pong at 119 s, and nothing happens.
    let mut c = Cluster::of(1);
    c.framework("f");
    c.to(40_000);
    c.heard();
    c.input(json!({ "kind": "fault", "fault": "agent-partitioned", "target": { "agent": "h1" }, "for_ms": 79_000 }));
    c.to(200_000);
    assert_eq!(c.heard(), [""; 0]);

    // The process dies: disconnected at once, unreachable by pings all the same.
    let mut c = Cluster::of(1);
    c.framework("f");
    c.to(40_000);
    c.heard();
    c.input(json!({ "kind": "fault", "fault": "agent-restart", "target": { "agent": "h1" } }));
    c.to(200_000);
    assert_eq!(c.heard(), ["40000 f RESCIND", "120000 f FAILURE"]);
}
