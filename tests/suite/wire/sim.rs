//! `/sim`: every route, its parameters and its answers.

use crate::{FLEET, deployed, loaded, quiet};
use planarium_tests::Client;
use planarium_tests::same::difference;
use serde_json::{Value, json};

const CLOCK: [&str; 6] = ["now_ms", "seed", "idle", "next_event_ms", "seq", "digest"];

#[track_caller]
fn is_clock(body: &Value) {
    for key in CLOCK {
        assert!(body.get(key).is_some(), "no {key} in {body}");
    }
    let digest = body["digest"].as_str().unwrap();
    assert!(digest.len() == 16 && digest.chars().all(|c| c.is_ascii_hexdigit()), "{digest}");
}

#[test]
fn the_clock() {
    let client = &mut Client::new(42);
    let body = client.get("/sim").status(200).json();
    is_clock(&body);
    assert_eq!(
        (&body["now_ms"], &body["seed"], &body["idle"], &body["seq"]),
        (&json!(0), &json!(42), &json!(true), &json!(0))
    );
}

#[test]
fn time_moves_by_span_by_events_and_until() {
    let client = &mut loaded();
    let body = client.post("/sim/advance", &json!({ "for_ms": 1500 })).status(200).json();
    is_clock(&body);
    assert_eq!(body["now_ms"], 1500);
    let seq = body["seq"].as_u64().unwrap();
    let body = client.post("/sim/advance", &json!({ "events": 1 })).status(200).json();
    assert!(body["seq"].as_u64().unwrap() > seq, "{body}");
    let body = client
        .post("/sim/advance", &json!({ "until": "deploy/hello=COMPLETE", "limit_ms": 600_000 }))
        .status(200)
        .json();
    assert_eq!((&body["met"], &body["limit_reached"]), (&json!(true), &json!(false)));
    let body =
        client.post("/sim/advance", &json!({ "until": "idle", "limit_ms": 600_000 })).status(200).json();
    assert_eq!(
        (&body["idle"], &body["met"]),
        (&json!(true), &json!(true)),
        "a waiting canary is idle: {body}"
    );
    let now = body["now_ms"].as_u64().unwrap();
    assert!(now < 600_000, "{now}");
    // What cannot come true ends at the limit, or when nothing would change any more.
    let body = client
        .post("/sim/advance", &json!({ "until": "deploy=COMPLETE", "limit_ms": 10_000 }))
        .status(200)
        .json();
    assert_eq!(body["met"], false, "{body}");
    assert!(body["now_ms"].as_u64().unwrap() <= now + 10_000, "{body}");
}

#[test]
fn inputs_one_by_one_and_as_a_list() {
    let client = &mut Client::default();
    let one =
        client.post("/sim/inputs", &json!({ "kind": "add-agent", "hostname": "solo" })).status(200).json();
    assert_eq!((&one["input"], &one["accepted"]), (&json!(1), &json!(true)));
    let list = json!([
        { "kind": "add-agent", "count": 2 },
        { "kind": "clear-fault", "id": "nothing" },
        { "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": FLEET } },
    ]);
    let all = client.post("/sim/inputs", &list).status(200).json();
    let accepted: Vec<&Value> = all.as_array().unwrap().iter().map(|one| &one["accepted"]).collect();
    assert_eq!(accepted, [true, false, true]);
    assert_eq!(all[1]["refusal"]["code"], "not-found", "{all}");
    assert_eq!(client.state()["cluster"]["machines"].as_array().unwrap().len(), 3);
}

#[test]
fn events_have_causes() {
    let client = &mut loaded();
    client.until("deploy/hello=COMPLETE");
    let events = client.get("/sim/events").status(200).json();
    let events = events.as_array().unwrap();
    let seq = client.get("/sim").json()["seq"].as_u64().unwrap();
    assert_eq!(events.len() as u64, seq);
    for (event, n) in events.iter().zip(1_u64..) {
        assert_eq!(event["seq"], n);
        for key in ["at_ms", "kind", "cause"] {
            assert!(!event[key].is_null(), "no {key} in {event}");
        }
    }
    let some = client.get(&format!("/sim/events?since={}", seq - 3)).status(200).json();
    assert_eq!(some.as_array().unwrap().len(), 3);
    assert_eq!(client.get(&format!("/sim/events?since={seq}")).status(200).json(), json!([]));
    client.get("/sim/events?since=x").problem(400);
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    for kind in ["service-loaded", "element-status", "launched", "task-status", "offered"] {
        assert!(kinds.contains(&kind), "no {kind} among {kinds:?}");
    }
}

#[test]
fn the_view_contains_everything_a_page_shows() {
    let client = &mut deployed();
    let view = client.get("/sim/view").status(200).json();
    for key in ["revision", "clock", "services", "cluster", "faults"] {
        assert!(!view[key].is_null(), "no {key}");
    }
    let plan = &view["services"][0]["plans"][0];
    assert_eq!((&plan["name"], &plan["status"]), (&json!("deploy"), &json!("COMPLETE")));
    assert_eq!(plan["progress"], json!({ "done": 5, "total": 5 }));
    let commands = plan["commands"].as_array().unwrap();
    let interrupt =
        commands.iter().find(|command| command["op"] == "interrupt").expect("the command is listed");
    assert!(interrupt["refused"].is_string(), "a finished plan cannot be interrupted: {interrupt}");
    let tasks: usize = view["cluster"]["machines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["tasks"].as_array().unwrap().len())
        .sum();
    assert_eq!(tasks, 2 + 3 * 2);
}

#[test]
fn journals_are_exported_and_imported() {
    let client = &mut deployed();
    let clock = client.get("/sim").json();
    let journal = client.get("/sim/journal").status(200).json();
    assert_eq!(journal["version"], 1);
    let other = &mut Client::new(99);
    let body = other.put("/sim/journal", &journal).status(200).json();
    is_clock(&body);
    assert_eq!(other.get("/sim").json(), clock);
    assert_eq!(difference(&other.state(), &client.state()), None);
    assert!(body["difference"].is_null(), "{body}");
    // A journal whose digest is another one opens, and the answer names the first difference.
    let mut forged = journal;
    let last = forged["entries"].as_array().unwrap().len() - 1;
    forged["entries"][last]["digest"] = json!("00000000deadbeef");
    let body = other.put("/sim/journal", &forged).status(200).json();
    let difference = &body["difference"];
    assert_eq!((&difference["differs"], &difference["input"]), (&json!("digest"), &json!(last + 1)));
    assert_eq!(difference["recorded"], "00000000deadbeef");
    assert!(difference["text"].as_str().unwrap().contains("deadbeef"), "{body}");
    assert_eq!(other.get("/sim").json(), clock);
    other.put("/sim/journal", &json!({ "version": 7 })).problem(422);
    other.put("/sim/journal", &json!({ "entries": 3 })).problem(400);
    assert_eq!(other.get("/sim").json(), clock);
}

#[test]
fn a_scenario_replaces_the_world() {
    let client = &mut Client::default();
    let text = format!(
        "version: 1\nseed: 5\ncluster: 3\nservices:\n  - files:\n      svc.yml: |\n        {}\nscript:\n  - at: 10s\n    do: {{kind: plan, service: fleet, plan: deploy, op: interrupt}}\n",
        FLEET.replace('\n', "\n        ").trim_end()
    );
    let body = client.send("PUT", "/sim/scenario", text.clone()).status(200).json();
    is_clock(&body);
    assert_eq!((&body["seed"], &body["now_ms"]), (&json!(5), &json!(0)));
    assert_eq!(client.get("/v1/plans").status(200).json(), json!(["deploy", "recovery", "tidy"]));
    client.advance(20_000);
    assert!(
        client.tree("deploy").starts_with("deploy (serial strategy) (WAITING)"),
        "the script has been played"
    );

    let digest = client.digest();
    for (bad, code) in [
        ("services: [{files: {svc.yml: 'pods: ['}}]", None),
        ("sedd: 3\n", Some("SCN002")),
        ("cluster: [", Some("YAML001")),
    ] {
        let problem = client.send("PUT", "/sim/scenario", bad).problem(422);
        let found = &problem["diagnostics"][0];
        assert!(found["line"].as_u64().is_some_and(|line| line >= 1), "{problem}");
        if let Some(code) = code {
            assert_eq!(found["code"], code, "{problem}");
        }
        assert_eq!(client.digest(), digest, "{bad}");
    }
    let json = json!({ "version": 1, "seed": 6, "cluster": "1" });
    assert_eq!(client.put("/sim/scenario", &json).status(200).json()["seed"], 6);
}

#[test]
fn seeking_is_exact() {
    let client = &mut deployed();
    let head = client.get("/sim").json();
    let (end, seq) = (head["now_ms"].as_u64().unwrap(), head["seq"].as_u64().unwrap());
    let body = client.post("/sim/seek", &json!({ "at_ms": 0 })).status(200).json();
    assert_eq!(body["now_ms"], 0);
    assert!(client.tree("deploy").starts_with("deploy (serial strategy) (PENDING)"), "{}", client.trees());
    client.post("/sim/seek", &json!({ "seq": seq / 2 })).status(200);
    client.post("/sim/seek", &json!({ "at_ms": end })).status(200);
    let back = client.get("/sim").json();
    assert_eq!((&back["digest"], &back["seq"]), (&head["digest"], &head["seq"]));
    for bad in [json!({}), json!({ "at_ms": 1, "seq": 1 }), json!({ "at_ms": -1 }), json!({ "when": 1 })] {
        client.post("/sim/seek", &bad).problem(400);
    }
    assert_eq!(client.get("/sim").json(), back);
}

#[test]
fn an_input_in_the_past_opens_a_branch() {
    let client = &mut deployed();
    let main = client.get("/sim").json();
    client.post("/sim/seek", &json!({ "at_ms": 1_000 })).status(200);
    client.post("/v1/plans/deploy/interrupt", &Value::Null).status(200);
    let branches = client.get("/sim/branches").status(200).json();
    let all = branches.as_array().unwrap();
    assert_eq!(all.len(), 2, "{branches}");
    assert_eq!((&all[0]["current"], &all[1]["current"]), (&json!(false), &json!(true)));
    assert_eq!(all[1]["forked_at_ms"], 1_000);
    assert_eq!(all[0]["head_ms"], main["now_ms"], "the original is kept");
    client.send("POST", &format!("/sim/branches/{}", all[0]["id"]), "").status(200);
    client.post("/sim/seek", &json!({ "at_ms": main["now_ms"] })).status(200);
    assert_eq!(client.get("/sim").json()["digest"], main["digest"]);
    client.send("POST", "/sim/branches/77", "").problem(404);
}

#[test]
fn services_are_added_changed_and_removed() {
    let client = &mut Client::with_cluster("3");
    let service =
        json!({ "dialect": "sdk", "name": "fleet", "files": { "svc.yml": FLEET }, "env": {}, "options": {} });
    let body = client.post("/sim/services", &service).status(200).json();
    assert_eq!((&body["accepted"], &body["reply"]["service"]), (&json!(true), &json!("fleet")));
    client.post("/sim/services", &service).problem(409);
    client.until("deploy/hello=COMPLETE");
    let more = FLEET.replace("count: 2", "count: 3");
    client.put("/sim/services/fleet", &json!({ "dialect": "sdk", "files": { "svc.yml": more } })).status(200);
    let tree = client.tree("deploy");
    assert!(tree.contains("│  ├─ hello-1:[server] (COMPLETE)\n│  └─ hello-2:[server] (PENDING)"), "{tree}");
    client.put("/sim/services/nobody", &service).problem(404);
    client.send("DELETE", "/sim/services/nobody", "").problem(404);
    client.send("DELETE", "/sim/services/fleet?force=true", "").status(200);
    assert_eq!(client.state()["services"], json!([]));
    let tasks = client.state()["cluster"]["machines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["tasks"].as_array().unwrap().len())
        .sum::<usize>();
    assert_eq!(tasks, 0, "its tasks went with it");
}

#[test]
fn machines_are_added_and_removed() {
    let client = &mut Client::default();
    client
        .post(
            "/sim/agents",
            &json!({ "count": 2, "hostname": "m{n}", "resources": { "cpus": 1.5, "mem": 100, "disk": 100 } }),
        )
        .status(200);
    let machines = |client: &Client| {
        let state = client.state();
        let list = state["cluster"]["machines"].as_array().unwrap().clone();
        list.iter().map(|m| m["hostname"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let both = machines(client);
    assert_eq!(both.len(), 2, "{both:?}");
    client.send("DELETE", &format!("/sim/agents/{}", both[0]), "").status(200);
    assert!(!machines(client).contains(&both[0]), "{:?}", machines(client));
    client.send("DELETE", "/sim/agents/nobody", "").problem(404);
    client.post("/sim/agents", &json!({ "count": 0 })).problem(400);
    client.post("/sim/agents", &json!({ "count": 100_000_000 })).problem(413);
    client.post("/sim/agents", &json!({ "cpus": 1 })).problem(400);
}

#[test]
fn faults_strike_and_end() {
    let client = &mut deployed();
    client
        .post("/sim/faults", &json!({ "fault": "task-fail", "target": { "task": "hello-0-server" } }))
        .status(200);
    client.until("recovery/hello-0:[server]=COMPLETE");
    client.post("/sim/faults", &json!({ "fault": "offers-withheld", "id": "dry" })).status(200);
    assert_eq!(client.state()["faults"][0]["id"], "dry");
    client.send("DELETE", "/sim/faults/dry", "").status(200);
    assert_eq!(client.state()["faults"], json!([]));
    client.send("DELETE", "/sim/faults/dry", "").problem(404);
    client.post("/sim/faults", &json!({ "fault": "meteorite" })).problem(400);
}

#[test]
fn why_is_answered_for_every_level() {
    let client = &mut quiet();
    client.advance(20_000);
    for (target, status) in [
        ("plan=deploy", "IN_PROGRESS"),
        ("service=fleet&plan=deploy&phase=web", "WAITING"),
        ("plan=deploy&phase=hello&step=hello-1%3A%5Bserver%5D", "PENDING"),
        ("plan=tidy", "WAITING"),
    ] {
        let why = client.get(&format!("/sim/why?{target}")).status(200).json();
        assert_eq!(why["status"], status, "{target}: {why}");
        assert!(!why["reasons"].as_array().unwrap().is_empty(), "{target}");
        assert!(!why["sentence"].as_str().unwrap().is_empty(), "{target}");
        for reason in why["reasons"].as_array().unwrap() {
            assert!(reason["reason"].is_string() && reason["text"].is_string(), "{reason}");
        }
    }
    let first = |client: &mut Client, target: &str| {
        client.get(&format!("/sim/why?{target}")).status(200).json()["reasons"][0]["reason"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(first(client, "plan=deploy&phase=hello&step=hello-0:[server]"), "no-offers");
    assert_eq!(first(client, "plan=deploy&phase=hello&step=hello-1:[server]"), "not-its-turn");
    assert_eq!(first(client, "plan=deploy&phase=web&step=web-0:[server, logger]"), "canary-gate");
    assert_eq!(first(client, "plan=tidy"), "not-started");
    client.get("/sim/why").problem(400);
    client.get("/sim/why?plan=nothing").problem(404);
    client.get("/sim/why?plan=deploy&phase=nothing").problem(404);
    client.get("/sim/why?plan=deploy&service=nobody").problem(404);
}
