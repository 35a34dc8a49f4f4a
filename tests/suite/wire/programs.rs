//! What a program around the definition changes about plans: customizers, the random strategy. Source: sheet 2.2, 5.8.

use planarium_tests::Client;
use serde_json::{Value, json};

const SVC: &str = "name: lots\npods:\n  node:\n    count: {{COUNT}}\n    allow-decommission: true\n    tasks:\n      server: \
    {goal: RUNNING, cmd: ./node, cpus: 0.2, memory: 64}\n";

fn request(env: &[(&str, &str)]) -> Value {
    let mut all = json!({ "COUNT": "6" });
    for (key, value) in env {
        all[*key] = json!(value);
    }
    json!({ "dialect": "sdk", "files": { "svc.yml": SVC }, "env": all })
}

fn loaded(seed: u64, env: &[(&str, &str)]) -> Client {
    let mut client = Client::new(seed);
    client.input(&json!({ "kind": "add-agent", "count": 3 }));
    client.post("/sim/services", &request(env)).status(200);
    client
}

/// Names of the deploy steps in the order in which they were started.
fn order(client: &Client) -> Vec<String> {
    let events = serde_json::to_value(client.session.engine.events_since(0)).unwrap();
    let started = |event: &&Value| {
        event["kind"] == "element-status" && event["to"] == "STARTING" && event["path"]["step"].is_string()
    };
    let step = |event: &Value| event["path"]["step"].as_str().unwrap().to_owned();
    events.as_array().unwrap().iter().filter(started).map(step).collect()
}

#[test]
fn the_random_strategy_deploys_all_in_an_order_of_the_seed() {
    let run = |seed| {
        let mut client = loaded(seed, &[("PLANARIUM_STRATEGIES", "deploy/node=random")]);
        let plan = client.get("/v1/plans/deploy").status(202).json();
        assert_eq!((&plan["strategy"], &plan["phases"][0]["strategy"]), (&json!("serial"), &json!("random")));
        client.until("deploy=COMPLETE");
        client.until("idle");
        (order(&client), client.digest())
    };
    let declared: Vec<String> = (0..6).map(|at| format!("node-{at}:[server]")).collect();
    let (one, digest) = run(3);
    let mut sorted = one.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, declared);
    assert_eq!(run(3), (one.clone(), digest), "the same seed draws the same lots");
    let orders: Vec<Vec<String>> = (4..8).map(|seed| run(seed).0).collect();
    assert!(orders.iter().any(|other| *other != one) && one != declared, "{one:?} {orders:?}");
}

/// With room for one only, every step is tried, and the rest of the world comes to rest.
#[test]
fn the_random_strategy_comes_to_rest_when_nothing_fits() {
    let client = &mut Client::new(5);
    client.input(&json!({ "kind": "add-agent", "resources": { "cpus": 0.35, "mem": 4096 } }));
    client.post("/sim/services", &request(&[("PLANARIUM_STRATEGIES", "deploy/node=random")])).status(200);
    client.until("idle");
    let plan = client.get("/v1/plans/deploy").status(202).json();
    let count = |word: &str| {
        plan["phases"][0]["steps"].as_array().unwrap().iter().filter(|step| step["status"] == word).count()
    };
    assert_eq!((count("COMPLETE"), count("PREPARED")), (1, 5), "{plan}");
    client.input(&json!({ "kind": "add-agent", "count": 2 }));
    client.until("deploy=COMPLETE");
}

#[test]
fn strategies_that_cannot_be_given_stop_the_start() {
    let mut client = Client::new(1);
    for (text, why) in [
        ("deploy", "not of the form"),
        ("deploy=serial", "not of the form"),
        ("other=random", "there is no plan 'other'"),
        ("deploy/x=random", "there is no phase 'deploy/x'"),
    ] {
        let problem = client.post("/sim/services", &request(&[("PLANARIUM_STRATEGIES", text)])).problem(422);
        assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
    }
    // A definition cannot name it.
    let svc = format!("{SVC}plans:\n  deploy:\n    phases:\n      p: {{strategy: random, pod: node}}\n");
    let body = json!({ "dialect": "sdk", "files": { "svc.yml": svc }, "env": { "COUNT": "1" } });
    let problem = client.post("/sim/services", &body).problem(422);
    assert!(problem.to_string().contains("Unsupported phase strategy 'random'"), "{problem}");
}

#[test]
fn scenarios_turn_phases_round_and_add_a_step_to_decommission() {
    let client = &mut loaded(1, &[("SCENARIOS", "CUSTOM_PLAN,CUSTOM_DECOMMISSION")]);
    let plan = client.get("/v1/plans/deploy").status(202).json();
    assert_eq!(plan["phases"][0]["steps"][0]["name"], "node-5:[server]");
    client.until("deploy=COMPLETE");
    let expected: Vec<String> = (0..6).rev().map(|at| format!("node-{at}:[server]")).collect();
    assert_eq!(order(client), expected);
    let mut update = request(&[("SCENARIOS", "CUSTOM_PLAN,CUSTOM_DECOMMISSION"), ("COUNT", "5")]);
    update["name"] = json!("lots");
    client.put("/sim/services/lots", &update).status(200);
    let plan = client.get("/v1/plans/decommission").status(202).json();
    let steps = &plan["phases"][0]["steps"];
    assert_eq!(
        (&steps[0]["name"], &steps[1]["name"]),
        (&json!("custom_decommission_step"), &json!("kill-node-5-server"))
    );
    client.until("decommission=COMPLETE");
}
