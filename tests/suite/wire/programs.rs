//! Additions of programs to definitions: customizers, the random strategy, the programs of cassandra and hdfs.
//!
//! Source: dcos-commons frameworks/{helloworld,cassandra,hdfs}/src/main/java.

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

/// With room for one only, every step is tried, and the world becomes idle.
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
fn strategies_that_cannot_be_set_stop_the_start() {
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
fn scenarios_reverse_phases_and_add_a_step_to_decommission() {
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

/// A package's definition with the fields that its program uses; the package determines the program.
fn packaged(name: &str, svc: &str, more: &[(&str, &str)]) -> Value {
    let mut files = json!({ "svc.yml": svc, "package.json": json!({ "name": name }).to_string() });
    for (path, text) in more {
        files[*path] = json!(text);
    }
    json!({ "dialect": "sdk", "files": files })
}

const NODES: &str = "name: ring\npods:\n  node:\n    count: 3\n    tasks:\n      server: {goal: RUNNING, cmd: ./node, cpus: 0.2, \
    memory: 64}\nplans:\n  deploy: {phases: {node: {pod: node}}}\n  replace: {phases: {node: {strategy: serial, pod: node}}}\n";

#[test]
fn cassandra_names_its_seeds_and_replaces_a_seed_before_the_others_start_again() {
    let client = &mut Client::new(2);
    client.input(&json!({ "kind": "add-agent", "count": 4 }));
    let reply = client.post("/sim/services", &packaged("beta-cassandra", NODES, &[]));
    let reply = reply.status(200).json();
    assert!(reply.to_string().contains("The program of cassandra runs this definition"), "{reply}");
    client.until("deploy=COMPLETE");
    let seeds = client.get("/service/ring/v1/seeds").status(200).json();
    let host = |node: u32| format!("node-{node}-server.ring.autoip.dcos.thisdcos.directory");
    let mut listed: Vec<String> = serde_json::from_value(seeds["seeds"].clone()).expect("a list");
    listed.sort();
    assert_eq!(listed, [host(0), host(1)]);
    let info = client.get("/v1/pod/node-2/info").status(200).json().to_string();
    assert!(info.contains("LOCAL_SEEDS"), "{info}");

    let before = client.get("/v1/pod/node-2/info").status(200).json()[0]["info"]["taskId"].clone();
    client.post("/v1/pod/node-0/replace", &json!(null)).status(200);
    client.until("idle");
    let plan = client.get("/v1/plans/recovery").status(200).json();
    let phase = &plan["phases"][0];
    let steps: Vec<&str> =
        phase["steps"].as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(
        (&phase["name"], &phase["strategy"]),
        (&json!("permanent-node-failure-recovery"), &json!("serial"))
    );
    assert_eq!(steps, ["node-0:[server]", "node-1:[server]", "node-2:[server]"]);
    let info = client.get("/v1/pod/node-0/info").status(200).json();
    let command = info[0]["info"]["command"]["value"].as_str().unwrap();
    assert!(command.starts_with("./node -Dcassandra.replace_address="), "{command}");
    let after = client.get("/v1/pod/node-2/info").status(200).json()[0]["info"]["taskId"].clone();
    assert_ne!(before, after, "the other nodes were launched again");
}

const FILES: &[(&str, &str)] = &[("hdfs-site.xml", "<name>{{FRAMEWORK_NAME}}</name>\n")];

#[test]
fn hdfs_serves_the_clients_configuration() {
    let pod = |name: &str, count: u32| {
        format!(
            "  {name}: {{count: {count}, tasks: {{node: {{goal: RUNNING, cmd: ./run, cpus: 0.1, memory: 32}}}}}}\n"
        )
    };
    let svc = format!(
        "name: files\npods:\n{}{}{}plans:\n  deploy: {{phases: {{journal: {{pod: journal}}}}}}\n  \
         replace: {{phases: {{journal: {{pod: journal}}}}}}\n",
        pod("data", 1),
        pod("journal", 2),
        pod("name", 1)
    );
    let client = &mut Client::new(2);
    client.input(&json!({ "kind": "add-agent", "count": 1 }));
    client.post("/sim/services", &packaged("hdfs", &svc, FILES)).status(200);
    client.until("idle");
    let steps = client.get("/v1/plans/deploy").status(202).json()["phases"][0]["steps"].clone();
    let statuses: Vec<&str> =
        steps.as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["COMPLETE", "PREPARED"], "journal nodes are on machines of their own");
    client.input(&json!({ "kind": "add-agent", "count": 1 }));
    client.until("deploy=COMPLETE");

    assert_eq!(client.get("/v1/endpoints").status(200).json(), json!(["core-site.xml", "hdfs-site.xml"]));
    let served = client.get("/v1/endpoints/hdfs-site.xml");
    assert_eq!((served.status, served.text.as_str()), (200, "<name>files</name>\n"));
    assert!(served.content_type.starts_with("text/plain"), "{}", served.content_type);
    client.get("/v1/seeds").status(404);
    // Without one of its pods the program does not start.
    let problem = client.post("/sim/services", &packaged("hdfs", NODES, &[])).problem(422);
    assert!(
        problem.to_string().contains("Missing required pod named 'journal' in service spec"),
        "{problem}"
    );
}
