//! One digit too many: a number that would block the engine for minutes is refused at its position, and no answer takes too
//! long.

use planarium_rest::{MAX_ANSWER, Request, handle_within};
use planarium_tests::Client;
use serde_json::{Value, json};
use std::cell::Cell;

/// A definition with `count` copies, its file, and the line of the number.
fn definitions(count: u64) -> Vec<(&'static str, Value, &'static str, u64)> {
    let svc = format!(
        "name: svc\npods:\n  web:\n    count: {count}\n    tasks:\n      s: {{goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}}\n"
    );
    let app = json!({ "id": "/web", "cmd": "./web", "cpus": 0.1, "mem": 16, "instances": count });
    let mut relative = app.clone();
    relative["id"] = json!("web");
    let group = json!({ "id": "/shop", "apps": [relative] });
    let pod = json!({ "id": "/pod", "scaling": { "kind": "fixed", "instances": count },
        "containers": [{ "name": "a", "exec": { "command": { "shell": "./a" } }, "resources": { "cpus": 0.1, "mem": 32 } }] });
    let model = format!(
        "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  web:\n    image: acme/web:1\n    replicas: {count}\n"
    );
    let operator = "apiVersion: kudo.dev/v1beta1\nname: big\noperatorVersion: 1.0.0\nkubernetesVersion: 1.17.0\ntasks:\n- name: app\n  kind: Apply\n  spec: {resources: [d.yaml]}\nplans:\n  deploy:\n    strategy: serial\n    phases:\n    - name: p\n      strategy: serial\n      steps:\n      - name: s\n        tasks: [app]\n";
    let params = |parameters: &str| format!("apiVersion: kudo.dev/v1beta1\nparameters:{parameters}\n");
    let deployment = |replicas: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec: {{containers: [{{name: c, image: nginx}}]}}\n"
        )
    };
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: web}}\nspec:\n  completions: {count}\n  parallelism: {count}\n  template:\n    spec: {{restartPolicy: Never, containers: [{{name: c, image: nginx}}]}}\n"
    );
    let package = |params: String, template: String| json!({ "operator.yaml": operator, "params.yaml": params, "templates/d.yaml": template });
    let by_parameter = package(
        params(&format!("\n- name: REPLICAS\n  default: \"{count}\"")),
        deployment("{{ .Params.REPLICAS }}"),
    );
    vec![
        ("sdk", json!({ "svc.yml": svc }), "svc.yml", 4),
        ("marathon", json!({ "app.json": app.to_string() }), "app.json", 1),
        ("marathon", json!({ "group.json": group.to_string() }), "group.json", 1),
        ("marathon", json!({ "pod.json": pod.to_string() }), "pod.json", 1),
        ("skopos", json!({ "model.yaml": model }), "model.yaml", 6),
        ("kudo", package(params(" []"), deployment(&count.to_string())), "templates/d.yaml", 5),
        ("kudo", by_parameter, "params.yaml", 4),
        ("kudo", package(params(" []"), job), "templates/d.yaml", 5),
    ]
}

/// The errors reported for a definition.
fn errors(client: &mut Client, dialect: &str, files: &Value) -> Vec<Value> {
    let load =
        json!({ "dialect": dialect, "name": if dialect == "kudo" { "big" } else { "" }, "files": files });
    let answer = client.post("/sim/services", &load).json();
    let found = answer["diagnostics"].as_array().cloned().unwrap_or_default();
    found.into_iter().filter(|one| one["severity"] == "error").collect()
}

#[test]
fn a_million_copies_are_a_finding_at_the_number() {
    for (dialect, files, file, line) in definitions(1_000_000) {
        let mut client = Client::with_cluster("3");
        let found = errors(&mut client, dialect, &files);
        assert!(!found.is_empty(), "{dialect} {files}: no finding");
        let first = &found[0];
        assert_eq!((&first["file"], &first["line"]), (&json!(file), &json!(line)), "{dialect}: {first}");
        let column = first["column"].as_u64().unwrap();
        assert!(dialect == "kudo" || column > 1, "{dialect}: {first}");
        let text = first["message"].as_str().unwrap();
        assert!(text.contains("the simulator takes") && text.contains("100000"), "{dialect}: {text}");
        // Everything that was accepted runs within moments.
        let advanced = client.post("/sim/advance", &json!({ "for_ms": 600_000 })).status(200).json();
        assert_eq!(advanced["met"], true, "{dialect}: {advanced}");
        let view = client.get("/sim/view").status(200).clone();
        assert!(view.text.len() < 100_000, "{dialect}: {} bytes", view.text.len());
    }
    for (dialect, files, ..) in definitions(2) {
        let found = errors(&mut Client::with_cluster("3"), dialect, &files);
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
}

#[test]
fn all_pods_of_a_service_are_summed() {
    let pods = |count: u64| {
        let pod = |name: &str| {
            format!(
                "  {name}:\n    count: {count}\n    tasks:\n      s: {{goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}}\n"
            )
        };
        json!({ "svc.yml": format!("name: svc\npods:\n{}{}", pod("one"), pod("two")) })
    };
    let found = errors(&mut Client::default(), "sdk", &pods(60_000));
    assert_eq!((&found[0]["code"], &found[0]["line"]), (&json!("SDK051"), &json!(8)), "{found:?}");
    assert!(errors(&mut Client::default(), "sdk", &pods(3)).is_empty());
    let model = |count: u64| {
        let component = |name: &str| format!("  {name}:\n    image: acme/web:1\n    replicas: {count}\n");
        let head = "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n";
        json!({ "model.yaml": format!("{head}{}{}", component("one"), component("two")) })
    };
    let found = errors(&mut Client::default(), "skopos", &model(60_000));
    assert_eq!(found[0]["line"], 9, "{found:?}");
}

#[test]
fn each_api_refuses_in_its_own_form() {
    let client = &mut Client::with_cluster("3");
    let app = |id: &str, instances: u64| json!({ "id": id, "cmd": "./web", "cpus": 0.1, "mem": 16, "instances": instances });
    let refused = |answer: &planarium_tests::Answer| {
        let body = answer.status(422).json();
        let text = body["details"][0]["errors"][0].as_str().unwrap().to_owned();
        assert!(text.contains("the simulator takes no more instances"), "{body}");
        body["details"][0]["path"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&client.post("/v2/apps", &app("/web", 1_000_000))), "/instances");
    client.post("/v2/apps", &app("/web", 1)).status(201);
    assert_eq!(
        refused(&client.put("/v2/apps/web?force=true", &json!({ "instances": 1_000_000 }))),
        "/instances"
    );
    // Two apps that would do alone, and a group that is scaled.
    client.post("/v2/apps", &app("/shop/b", 2)).status(201);
    assert_eq!(refused(&client.put("/v2/apps/web?force=true", &json!({ "instances": 99_999 }))), "/");
    let scaled = client.put("/v2/groups/shop?force=true", &json!({ "scaleBy": 100_000 }));
    assert_eq!(refused(&scaled), "/");
    let deployment = |replicas: u64| {
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": {
            "replicas": replicas, "selector": { "matchLabels": { "a": "b" } }, "template": {
                "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "nginx" }] } } } })
    };
    let path = "/kube/apis/apps/v1/namespaces/default/deployments";
    let status = client.post(path, &deployment(1_000_000)).status(422).json();
    assert_eq!((&status["kind"], &status["reason"]), (&json!("Status"), &json!("Invalid")));
    assert_eq!(status["details"]["causes"][0]["field"], "spec.replicas", "{status}");
    client.post(path, &deployment(1)).status(201);
    let status = client.put(&format!("{path}/web"), &deployment(1_000_000)).status(422).json();
    assert_eq!(status["details"]["causes"][0]["field"], "spec.replicas", "{status}");
    let problem = client.post("/sim/agents", &json!({ "count": 1_000_000 })).problem(413);
    assert_eq!(problem["code"], "limit-reached");
    assert!(problem["detail"].as_str().unwrap().contains("10000"), "{problem}");
}

#[test]
fn an_advance_is_answered_with_its_present_result() {
    let crashing = || {
        let mut client = crate::loaded();
        client.post("/sim/faults", &json!({ "fault": "crash-loop", "target": {} })).status(200);
        client
    };
    let client = &mut crashing();
    let calls = Cell::new(0);
    // The driver's clock reports the end of the time at its third reading.
    let over = || {
        calls.set(calls.get() + 1);
        calls.get() > 2
    };
    let body = json!({ "for_ms": 3_600_000 }).to_string();
    let response =
        handle_within(&mut client.session, &Request::new("POST", "/sim/advance", body.clone()), &over);
    let first: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!((&first["met"], &first["limit_reached"]), (&json!(false), &json!(true)), "{first}");
    assert_eq!(first["limit"]["bound"], "answer-time", "{first}");
    let reached = first["now_ms"].as_u64().unwrap();
    assert!(reached < 3_600_000);
    // Another request continues, to the same world as in one piece.
    let rest = client.post("/sim/advance", &json!({ "to_ms": 3_600_000 })).status(200).json();
    assert_eq!((&rest["met"], &rest["now_ms"]), (&json!(true), &json!(3_600_000)));
    let whole = crashing().post("/sim/advance", &json!({ "for_ms": 3_600_000 })).status(200).json();
    assert_eq!(rest["digest"], whole["digest"]);
    assert_eq!(
        first["events"].as_u64().unwrap() + rest["events"].as_u64().unwrap(),
        whole["events"].as_u64().unwrap()
    );
}

#[test]
fn a_script_is_played_alike_in_pieces() {
    let play = |patience: u32| {
        let example = planarium_gallery::find("marathon-twelve-and-thirty-two").unwrap();
        let file = |path: &str| {
            example.files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned())
        };
        let scenario = planarium_scenario::parse(example.scenario, "x", &file).scenario.unwrap();
        let mut client = Client { session: planarium_rest::Session::of_scenario(scenario) };
        let mut answers = 0;
        loop {
            let calls = Cell::new(0);
            let over = || {
                calls.set(calls.get() + 1);
                calls.get() > patience
            };
            let body = json!({ "to_ms": 400_000 }).to_string();
            let response =
                handle_within(&mut client.session, &Request::new("POST", "/sim/advance", body), &over);
            let answer: Value = serde_json::from_slice(&response.body).unwrap();
            answers += 1;
            if answer["met"] == true {
                return (answers, answer["digest"].clone(), answer["seq"].clone());
            }
        }
    };
    let (one, digest, seq) = play(u32::MAX);
    let (several, again, same) = play(0);
    assert!(one == 1 && several > 1, "{one} {several}");
    assert_eq!((digest, seq), (again, same));
}

#[test]
fn a_view_reports_how_much_it_left_out() {
    let client = &mut Client::default();
    client.post("/sim/agents", &json!({ "count": 3 })).status(200);
    let files = json!({ "app.json": json!({ "id": "/web", "cmd": "./web", "cpus": 0.1, "mem": 16, "instances": 30_000 }).to_string() });
    client.post("/sim/services", &json!({ "dialect": "marathon", "files": files })).status(200);
    client.post("/sim/advance", &json!({ "for_ms": 1000 })).status(200);
    let view = client.get("/sim/view").status(200).clone();
    assert!(view.text.len() <= MAX_ANSWER, "{}", view.text.len());
    let view = view.json();
    let shown: usize = view["services"]
        .as_array()
        .unwrap()
        .iter()
        .map(|service| service["pods"].as_array().unwrap().len())
        .sum();
    let left_out = view["left_out"]["pods"].as_u64().unwrap();
    assert!(shown > 0 && left_out > 0, "{shown} {left_out}");
    let small = crate::loaded().get("/sim/view").json();
    assert!(small.get("left_out").is_none());
}

#[test]
fn a_view_leaves_out_tasks_of_crowded_machines() {
    let client = &mut Client::default();
    client.post("/sim/agents", &json!({ "count": 3 })).status(200);
    let model = "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  back: { image: acme/back:2.0 }\n";
    let env = "simulation:\n  instances: { back: { image: acme/back:1.0, count: 60000 } }\n";
    let files = json!({ "model.yaml": model, "env.yaml": env });
    client.post("/sim/services", &json!({ "dialect": "skopos", "files": files })).status(200);
    let view = client.get("/sim/view").status(200).clone();
    assert!(view.text.len() <= MAX_ANSWER, "{}", view.text.len());
    let view = view.json();
    let machines = view["cluster"]["machines"].as_array().unwrap();
    let shown: usize = machines.iter().map(|machine| machine["tasks"].as_array().unwrap().len()).sum();
    assert_eq!(machines.len(), 3);
    assert_eq!(shown as u64 + view["left_out"]["tasks"].as_u64().unwrap(), 60_000, "{}", view["left_out"]);
}
