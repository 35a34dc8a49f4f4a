//! `planarium exec`: over a socket, and on a new world.

use crate::http::Server;
use crate::{file, folder, piped, planarium};

const TREE: &str = "deploy (serial strategy) (COMPLETE)
├─ hello (serial strategy) (COMPLETE)
│  └─ hello-0:[server] (COMPLETE)
└─ world (serial strategy) (COMPLETE)
   ├─ world-0:[server, sidecar] (COMPLETE)
   └─ world-1:[server, sidecar] (COMPLETE)
";

#[test]
fn commands_reach_a_served_world() {
    let server = Server::start(&["examples/hello-world", "--clock", "manual"]);
    let url = format!("http://{}", server.address);
    let exec = |words: &[&str]| planarium(&[&["exec", "--url", &url, "hello-world", "--"], words].concat());
    let shown = exec(&["plan", "status", "deploy"]).ends(0);
    assert!(shown.out.starts_with("deploy (serial strategy) (PENDING)\n├─ hello"), "{}", shown.out);
    assert_eq!(exec(&["plan", "pause", "deploy"]).ends(0).out, "\"deploy\" plan has been paused.\n");
    let again = exec(&["plan", "pause", "deploy"]).ends(1);
    assert_eq!(
        again.err,
        "Cannot execute command. Command has already been issued or the plan has completed\n"
    );
    assert_eq!(exec(&["plan", "resume", "deploy"]).ends(0).out, "\"deploy\" plan has been resumed.\n");
    server.json("POST", "/sim/advance", r#"{"for_ms":600000}"#, 200);
    assert_eq!(exec(&["plan", "show", "deploy"]).ends(0).out, TREE);
    assert_eq!(
        exec(&["debug", "pod", "pause", "world-1", "-t", "sidecar"]).ends(0).out,
        "{\n  \"pod\": \"world-1\",\n  \"tasks\": [\n    \"world-1-sidecar\"\n  ]\n}\n"
    );
    let unknown = exec(&["plan", "status", "none"]).ends(1);
    assert!(
        unknown.err.starts_with("Got 404 Not Found response from /service/hello-world/v1/plans/none:\n"),
        "{}",
        unknown.err
    );
    assert!(unknown.out.is_empty(), "{}", unknown.out);

    drop(server);
    let gone = exec(&["plan", "list"]).ends(1);
    assert!(
        gone.err.starts_with("HTTP GET Query for /service/hello-world/v1/plans failed: connecting to "),
        "{}",
        gone.err
    );
}

#[test]
fn a_new_world() {
    let exec = |words: &[&str]| {
        planarium(&[&["exec", "hello-world", "--on", "examples/hello-world"], words].concat())
    };
    assert_eq!(exec(&["--", "plan", "status", "deploy"]).ends(0).out, TREE);
    let early = exec(&["--at", "0s", "--", "pod", "status"]).ends(0).out;
    assert_eq!(early, "hello-world\n");
    assert!(exec(&["--", "help"]).ends(0).out.contains("\n  plan status PLAN [--json] "));
    let dir = folder("exec");
    let options = file(&dir, "options.json", "{");
    for words in [
        &["dance"][..],
        &["plan", "status"],
        &["update", "start", "--options", &options],
        &["update", "start"],
    ] {
        let said = exec(&[&["--"], words].concat()).ends(2);
        assert!(said.out.is_empty() && !said.err.is_empty(), "{words:?}: {}", said.out);
    }
    let input = piped(
        &[
            "exec",
            "hello-world",
            "--on",
            "examples/hello-world",
            "--",
            "update",
            "start",
            "--options",
            "stdin",
        ],
        "[1]",
    )
    .ends(2);
    assert_eq!(input.err, "--options: not a JSON object\n");
}

#[test]
fn unrunnable_inputs() {
    for words in [
        &["exec"][..],
        &["exec", "hello"],
        &["exec", "hello", "plan", "list"],
        &["exec", "hello", "--url", "https://host", "--", "plan", "list"],
        &["exec", "hello", "--on", "none", "--", "plan", "list"],
        &["exec", "hello", "--on", "examples/canary", "--at", "soon", "--", "plan", "list"],
        &["exec", "hello", "--on", "examples/canary", "--url", "http://x", "--", "plan", "list"],
        &["exec", "hello", "--at", "1s", "--", "plan", "list"],
    ] {
        planarium(words).ends(2);
    }
}

#[test]
fn commands_pasted_whole_and_services_with_another_name() {
    let exec = |words: &[&str]| {
        planarium(&[&["exec", "hello-world", "--on", "examples/hello-world"], words].concat())
    };
    for whole in [
        "plan status deploy",
        " $ plan  status 'deploy' ",
        "dcos hello-world plan status deploy",
        "dcos hello --name=hello-world plan show deploy",
    ] {
        assert_eq!(exec(&["--", whole]).ends(0).out, TREE, "{whole}");
    }
    assert!(exec(&["--", "plan 'status"]).ends(2).err.contains("never closed"));
    // The name that the service had before an option gave it another one.
    let said =
        planarium(&["exec", "hello", "--on", "examples/hello-world", "--", "plan", "status", "deploy"])
            .ends(0);
    assert_eq!(
        (said.out.as_str(), said.err.as_str()),
        (TREE, "there is no service `hello` here; the only one is `hello-world`\n")
    );
}

#[test]
fn harmless_findings_are_not_printed_before_the_answer() {
    let dir = folder("quiet");
    let svc = file(&dir, "svc.yml", &crate::SVC.replace("{{HELLO_COUNT}}", "1"));
    let said = planarium(&[
        "exec",
        "hi",
        "--on",
        &svc,
        "--env",
        "FRAMEWORK_NAME=hi",
        "--env",
        "EXTRA=1",
        "--",
        "plan",
        "list",
    ]);
    let said = said.ends(0);
    assert_eq!(said.err, "", "a warning is what `check` is for");
    assert!(said.out.contains("deploy"), "{}", said.out);
}
