//! Measures one definition with very many copies per system, as a Markdown table: `bounds COUNT...`.
//!
//! The first columns are requests to the router with the five seconds that `planarium serve` gives an answer; the last one plays on
//! until nothing changes any more, as `planarium run` does.

#![expect(clippy::print_stdout, reason = "a program says what it measured")]
#![expect(clippy::disallowed_types, reason = "whoever drives a simulation reads a clock")]

use planarium_rest::{Request, Response, Session, handle_within};
use planarium_world::Genesis;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time that `planarium serve` gives an answer.
const ANSWER: Duration = Duration::from_secs(5);

/// The longest time of a run here.
const RUN: Duration = Duration::from_mins(2);

/// Virtual time that a run may take. *Units*: milliseconds.
const LIMIT_MS: u64 = 2 * 3_600_000;

fn main() {
    println!("| System | Copies | Load | Advance by 10 min | View | Run |");
    println!("|---|---|---|---|---|---|");
    for count in std::env::args().skip(1).filter_map(|text| text.parse::<u64>().ok()) {
        for (system, load) in definitions(count) {
            println!("| {system} | {count} | {} |", row(&load));
        }
    }
}

/// The other columns.
fn row(load: &Value) -> String {
    let mut session = Session::new(Genesis::default());
    let machines = json!({ "kind": "add-agent", "count": 1_000, "resources": { "cpus": 64, "mem": 262_144, "disk": 1_000_000, "ports": "[1025-32000]" } });
    ask(&mut session, "POST", "/sim/inputs", &machines);
    let (loaded, load_time) = ask(&mut session, "POST", "/sim/services", load);
    let finding = |answer: &Value| {
        let found = at(answer, "diagnostics").as_array().cloned().unwrap_or_default();
        let error = found.iter().find(|one| *at(one, "severity") == "error").cloned().unwrap_or_default();
        format!("{} at {}:{}", text(at(&error, "code")), text(at(&error, "file")), at(&error, "line"))
    };
    if loaded.status != 200 {
        let answer: Value = serde_json::from_slice(&loaded.body).unwrap_or_default();
        return format!("{} s, {}: {} | - | - | -", seconds(load_time), loaded.status, finding(&answer));
    }
    let (answer, advance_time) = ask(&mut session, "POST", "/sim/advance", &json!({ "for_ms": 600_000 }));
    let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let reached = at(&answer, "now_ms").as_u64().unwrap_or_default();
    let limit = at(at(&answer, "limit"), "bound")
        .as_str()
        .map(|bound| format!(", limit `{bound}`"))
        .unwrap_or_default();
    let (view, view_time) = ask(&mut session, "GET", "/sim/view", &Value::Null);
    let shown: Value = serde_json::from_slice(&view.body).unwrap_or_default();
    let left_out = if at(&shown, "left_out").is_null() { "" } else { ", entries left out" };
    let megabytes = |bytes: usize| format!("{}.{}", bytes / 1_000_000, bytes / 100_000 % 10);
    format!(
        "{} s | {} s, at {} of 600 s{limit} | {} s, {} MB{left_out} | {}",
        seconds(load_time),
        seconds(advance_time),
        reached / 1_000,
        seconds(view_time),
        megabytes(view.body.len()),
        run(&mut session)
    )
}

/// Plays on until nothing changes.
fn run(session: &mut Session) -> String {
    let begun = Instant::now();
    let mut times = 0;
    while !session.engine.idle() && session.engine.now_ms() < LIMIT_MS && begun.elapsed() < RUN {
        times += 1;
        ask(session, "POST", "/sim/advance", &json!({ "for_ms": 60_000 }));
        let stops = session.engine.limit().map(planarium_world::limits::Bound::text);
        if let Some(text) = stops.filter(|_| !session.engine.was_cut_off()) {
            return format!("{} s, paused: {text}", seconds(begun.elapsed()));
        }
    }
    let end = if session.engine.idle() { "at rest" } else { "not at rest" };
    format!(
        "{} s more, {end} at {} s after {times} requests",
        seconds(begun.elapsed()),
        session.engine.now_ms() / 1_000
    )
}

fn ask(session: &mut Session, method: &str, path: &str, body: &Value) -> (Response, Duration) {
    let begun = Instant::now();
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let response = handle_within(session, &Request::new(method, path, bytes), &|| begun.elapsed() > ANSWER);
    (response, begun.elapsed())
}

fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A field of an object; null where there is none.
fn at<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A definition with many copies for each system.
fn definitions(count: u64) -> Vec<(&'static str, Value)> {
    let svc = format!(
        "name: svc\npods:\n  web:\n    count: {count}\n    tasks:\n      s: {{goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}}\n"
    );
    let app = json!({ "id": "/web", "cmd": "./web", "cpus": 0.1, "mem": 16, "instances": count });
    let model = format!(
        "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  web:\n    image: acme/web:1\n    replicas: {count}\n"
    );
    let operator = "apiVersion: kudo.dev/v1beta1\nname: big\noperatorVersion: 1.0.0\nkubernetesVersion: 1.17.0\ntasks:\n- name: app\n  kind: Apply\n  spec: {resources: [d.yaml]}\nplans:\n  deploy:\n    strategy: serial\n    phases:\n    - name: p\n      strategy: serial\n      steps:\n      - name: s\n        tasks: [app]\n";
    let deployment = |replicas: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec: {{containers: [{{name: c, image: nginx}}]}}\n"
        )
    };
    let params =
        format!("apiVersion: kudo.dev/v1beta1\nparameters:\n- name: REPLICAS\n  default: \"{count}\"\n");
    let files = |dialect: &str, files: Value| json!({ "dialect": dialect, "name": if dialect == "kudo" { "big" } else { "" }, "files": files });
    vec![
        ("DC/OS SDK", files("sdk", json!({ "svc.yml": svc }))),
        ("Marathon", files("marathon", json!({ "app.json": app.to_string() }))),
        (
            "KUDO",
            files(
                "kudo",
                json!({ "operator.yaml": operator, "params.yaml": params, "templates/d.yaml": deployment("{{ .Params.REPLICAS }}") }),
            ),
        ),
        ("Skopos", files("skopos", json!({ "model.yaml": model }))),
        ("Kubernetes", files("kubernetes", json!({ "web.yaml": deployment(&count.to_string()) }))),
    ]
}
