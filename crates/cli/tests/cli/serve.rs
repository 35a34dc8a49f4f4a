//! `planarium serve` over a real socket.

use crate::http::Server;
use crate::{SVC, file, folder, planarium};
use serde_json::json;

#[test]
fn a_service_is_loaded_watched_and_commanded() {
    let server = Server::start(&["--clock", "manual", "--seed", "3"]);
    let clock = server.json("GET", "/sim", "", 200);
    assert_eq!((&clock["now_ms"], &clock["seed"], &clock["idle"]), (&json!(0), &json!(3), &json!(true)));
    server.json("POST", "/sim/agents", r#"{"count":3}"#, 200);
    let svc = SVC.replace("{{HELLO_COUNT}}", "3");
    let plan = "plans:\n  deploy:\n    phases:\n      hello: {strategy: canary, pod: hello}\n";
    let load = json!({ "dialect": "sdk", "files": { "svc.yml": format!("{svc}{plan}") }, "env": { "FRAMEWORK_NAME": "hi" } });
    server.json("POST", "/sim/services", &load.to_string(), 200);
    assert_eq!(server.json("GET", "/v1/plans", "", 200), json!(["deploy", "recovery"]));

    // Time stops until it is moved.
    let clock = server.json("GET", "/sim", "", 200);
    assert_eq!(clock["now_ms"], 0);
    server.json("POST", "/sim/advance", r#"{"until":"idle","limit_ms":600000}"#, 200);
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 202)["status"], "WAITING");
    for _ in 0..2 {
        server.json("POST", "/v1/plans/deploy/continue?phase=hello", "", 200);
        server.json("POST", "/sim/advance", r#"{"until":"idle","limit_ms":600000}"#, 200);
    }
    assert_eq!(server.json("GET", "/service/hi/v1/plans/deploy", "", 200)["status"], "COMPLETE");

    let (status, head, body) = server.send("POST", "/v1/plans/deploy/interrupt", "");
    assert_eq!((status, body.as_str()), (208, "Command has already been reported or completed"), "{head}");
    let (status, head, _) = server.send("GET", "/sim/advance", "");
    assert_eq!(status, 405, "{head}");
    assert!(head.contains("allow: post"), "{head}");
    let problem = server.json("POST", "/sim/inputs", "{", 400);
    assert_eq!(problem["status"], 400);
    let (status, ..) = server.send("POST", "/sim/inputs", &"x".repeat(9 * 1024 * 1024));
    assert!(matches!(status, 413 | 0), "a body beyond the limit: {status}");
    // Still there.
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 200)["status"], "COMPLETE");
}

#[test]
fn a_definition_and_a_scenario_are_served_from_the_start() {
    let dir = folder("served");
    let svc = file(&dir, "svc.yml", SVC);
    let server = Server::start(&[
        &svc,
        "--clock",
        "manual",
        "--env",
        "FRAMEWORK_NAME=hi",
        "--env",
        "HELLO_COUNT=1",
        "--cluster",
        "1",
    ]);
    let view = server.json("GET", "/sim/view", "", 200);
    assert_eq!(view["cluster"]["machines"].as_array().map(Vec::len), Some(1));
    server.json("GET", "/service/hi/v1/plans/deploy", "", 202);
    drop(server);

    // The script is played as the clock is moved.
    let server = Server::start(&["examples/canary", "--clock", "manual"]);
    server.json("POST", "/sim/advance", r#"{"for_ms":600000}"#, 200);
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 200)["status"], "COMPLETE");
}

#[test]
fn a_real_clock_runs_on_its_own() {
    let server = Server::start(&["examples/hello-world", "--clock", "real", "--speed", "10000"]);
    // Each request takes some time; ten thousand of them are more than enough at this speed.
    let done = (0..10_000).any(|_| server.send("GET", "/v1/plans/deploy", "").0 == 200);
    assert!(done, "the deployment never finished");
}

#[test]
fn unservable_input_exits_with_2() {
    let dir = folder("unserved");
    let bad = file(&dir, "svc.yml", "pods: [");
    assert!(planarium(&["serve", &bad]).ends(2).err.contains("error[YAML001]"));
    let server = Server::start(&["--clock", "manual"]);
    let said = planarium(&["serve", "--listen", &server.address]).ends(2);
    assert!(said.err.contains("listening on"), "{}", said.err);
}

#[test]
fn a_browser_gets_a_page_with_working_links() {
    let server = Server::start(&["examples/kudo-beside-sdk", "--clock", "manual"]);
    let (status, head, page) = server.send("GET", "/", "");
    assert_eq!(status, 200, "{head}");
    assert!(head.contains("content-type: text/html") && head.contains("content-security-policy: "), "{head}");
    assert!(
        page.contains("deploy (serial strategy) (PENDING)\n└─ node") && !page.contains("<script"),
        "{page}"
    );
    assert!(page.contains("cargo xtask play"), "{page}");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for link in ["/service/store/v1/plans/deploy", "/kube/apis/kudo.dev/v1beta1/instances"] {
        assert!(links.contains(&link), "{link}: {links:?}");
    }
    for link in links {
        let (status, _, body) = server.send("GET", link, "");
        assert!((200..300).contains(&status), "{link}: {status} {body}");
    }
    for example in ["quality-gate", "marathon-app-on-db"] {
        let server = Server::start(&[&format!("examples/{example}"), "--clock", "manual"]);
        let page = server.send("GET", "/", "").2;
        let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for link in links {
            let (status, _, body) = server.send("GET", link, "");
            assert!((200..300).contains(&status), "{link}: {status} {body}");
        }
    }
    let empty = Server::start(&["--clock", "manual"]);
    assert!(empty.send("GET", "/", "").2.contains("There is no service yet"));
}

#[test]
fn foreign_hosts_and_foreign_pages_are_refused() {
    let server = Server::start(&["--clock", "manual", "--allow-host", "sim.example"]);
    let ask =
        |method: &str, host: &str, more: &str| server.send_as(method, "/sim/agents", "{}", host, more).0;
    let own = server.address.clone();
    for host in [own.as_str(), "localhost", "sim.example:80"] {
        assert_eq!(ask("POST", host, ""), 200, "{host}");
        assert_eq!(ask("POST", host, "origin: http://localhost:3000\r\n"), 200, "{host}");
        assert_eq!(ask("POST", host, "origin: http://evil.example\r\n"), 403, "{host}");
    }
    for more in ["", "origin: http://evil.example\r\n"] {
        assert_eq!(ask("POST", "evil.example", more), 403);
        assert_eq!(server.send_as("GET", "/sim", "", "evil.example", more).0, 403);
    }
    assert_eq!(
        server.send_as("GET", "/sim", "", &own, "origin: http://evil.example\r\n").0,
        200,
        "it only reads"
    );
    let machines = server.json("GET", "/sim/view", "", 200)["cluster"]["machines"].as_array().map(Vec::len);
    assert_eq!(machines, Some(6), "nothing was done for the others");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_cleanly() {
    for signal in ["INT", "TERM"] {
        let server = Server::watched(&["examples/hello-world", "--clock", "manual"]);
        server.json("GET", "/sim", "", 200);
        assert_eq!(server.ended_by(signal), (Some(0), String::new()), "SIG{signal}");
    }
}

#[cfg(unix)]
#[test]
fn a_world_without_machines_says_how_to_get_some() {
    let server = Server::watched(&["--clock", "manual"]);
    assert_eq!(server.json("GET", "/sim/view", "", 200)["cluster"]["machines"], json!([]));
    assert!(server.send("GET", "/", "").2.contains("There is no machine yet"));
    let (status, said) = server.ended_by("TERM");
    assert_eq!(status, Some(0));
    for part in
        ["no machines", "planarium serve PATH", "--cluster default", "POST /sim/agents", "PUT /sim/scenario"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }

    // A cluster without a path is a cluster.
    let server = Server::watched(&["--clock", "manual", "--cluster", "small"]);
    let view = server.json("GET", "/sim/view", "", 200);
    assert_eq!(view["cluster"]["machines"].as_array().map(Vec::len), Some(3));
    assert!(!server.send("GET", "/", "").2.contains("There is no machine yet"));
    assert_eq!(server.ended_by("TERM"), (Some(0), String::new()));
    assert!(planarium(&["serve", "--cluster", "nowhere"]).ends(2).err.contains("presets"), "as with a path");
}

/// Returns everything that a server prints until it ends.
#[cfg(unix)]
fn printed(words: &[&str]) -> String {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let mut child = Command::new(crate::PROGRAM)
        .current_dir(crate::root())
        .args(["serve", "--listen", "127.0.0.1:0", "--clock", "manual"])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut said = String::new();
    out.read_line(&mut said).expect("a line");
    let process = child.id().to_string();
    Command::new("kill").args(["-s", "TERM", &process]).status().expect("a signal");
    out.read_to_string(&mut said).expect("text");
    child.wait().expect("it ends");
    said
}

#[cfg(unix)]
#[test]
fn a_line_to_copy_for_kubectl_is_printed() {
    for (words, is_there) in
        [(&["examples/kudo-beside-sdk"][..], true), (&[], true), (&["examples/hello-world"], false)]
    {
        let said = printed(words);
        let address =
            said.lines().next().and_then(|line| line.strip_prefix("listening on ")).expect("an address");
        let line = format!("kubectl --server {address}/kube get all\n");
        assert_eq!(said.ends_with(&line), is_there, "{words:?}: {said}");
    }
}
