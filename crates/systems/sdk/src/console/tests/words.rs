//! Words that are understood, and words that are not.

use super::super::commands::COMMANDS;
use super::super::grammar::GRAMMAR;
use super::asked;
use planarium_part::Response;
use planarium_part::console::places;

/// Runs a line that must not send any request; returns the exit code and the outputs.
fn silent(typed: &str) -> (u8, String, String) {
    let (output, asked) = asked(typed, "hello", |_| Response::text(500, "nothing may be asked"));
    assert_eq!(asked, Vec::<String>::new(), "{typed}");
    (output.code, output.stdout, output.stderr)
}

#[test]
fn invalid_words_are_refused() {
    let rows = [
        ("", "a command is needed"),
        ("dance", "there is no command `dance`"),
        ("plann status deploy", "there is no command `plann`; did you mean 'plan'?"),
        (
            "plan",
            "`plan` needs one of: list, status, show, start, stop, pause, interrupt, resume, continue, force-restart, restart, force-complete, force",
        ),
        ("plans deploy", "there is no command `plans deploy`"),
        ("plan statsu deploy", "there is no command `plan statsu`; did you mean 'status'?"),
        ("debug", "`debug` needs one of: pod, pods, config, configs, state"),
        ("debug pod", "`debug pod` needs one of: pause, resume"),
        ("plan status", "`plan status` needs PLAN"),
        ("plan status ''", "`plan status` needs PLAN"),
        ("plan status deploy more", "`plan status` does not take 'more'"),
        ("plan force-complete deploy", "`plan force-complete` needs PHASE"),
        ("plan force deploy hello", "`plan force-complete` needs STEP"),
        ("update force-complete hello", "`update force-complete` needs STEP"),
        ("update pause hello", "`update pause` does not take 'hello'"),
        ("pod info", "`pod info` needs POD"),
        ("debug pod pause", "`debug pod pause` needs POD"),
        ("debug config show", "`debug config show` needs ID"),
        ("debug state property", "`debug state property` needs NAME"),
        ("plan list --json", "`plan list` has no flag --json"),
        ("pod restart hello-0 -t server", "`pod restart` has no flag --tasks"),
        ("plan status deploy --yaml", "there is no flag --yaml"),
        ("plan status deploy -x", "there is no flag -x"),
        ("plan status deploy --json=yes", "the flag --json takes no value"),
        ("plan start deploy -p", "the flag -p takes a value: K=V"),
        ("plan list --name", "the flag --name takes a value: SERVICE"),
        ("dcos hello-world", "a command is needed"),
        // A command that exists below `debug` only.
        ("config list", "there is no command `config list`; did you mean 'debug config list'?"),
        ("configs show x", "there is no command `config show`; did you mean 'debug config show'?"),
        ("pod pause hello-0", "there is no command `pod pause`; did you mean 'debug pod pause'?"),
        ("state", "there is no command `state`"),
    ];
    for (typed, message) in rows {
        let (code, stdout, stderr) = silent(typed);
        assert_eq!((code, stdout.as_str()), (2, ""), "{typed}");
        let first = stderr.lines().next().unwrap_or_default();
        assert_eq!(first, format!("error: {message}"), "{typed}");
        assert!(
            stderr.contains("\n\nUsage: [--name SERVICE] [--verbose] COMMAND\n\nCommands:\n  "),
            "{typed}: {stderr}"
        );
    }
    // Understood, but with values that make no sense.
    let rows = [
        ("plan start backup -p KEY", "parameter 'KEY': write NAME=VALUE\n"),
        ("update start", "give --options or --package-version, or both\n"),
        ("update start --options none.json", "--options none.json: there is no such file\n"),
        ("update start --options list.json", "--options: not a JSON object\n"),
    ];
    for (typed, message) in rows {
        assert_eq!(silent(typed), (2, String::new(), message.to_owned()), "{typed}");
    }
    let (code, _, stderr) = silent("update start --options bad.json");
    assert_eq!(code, 2);
    assert!(stderr.starts_with("--options: not JSON: EOF"), "{stderr}");
}

#[test]
fn usage_is_shown_for_the_likely_command() {
    let plans: Vec<&str> = vec![
        "list",
        "status PLAN [--json]",
        "start PLAN [-p K=V]...",
        "stop PLAN",
        "pause PLAN [PHASE]",
        "resume PLAN [PHASE]",
        "force-restart PLAN [PHASE] [STEP]",
        "force-complete PLAN PHASE STEP",
    ];
    for typed in ["plan --help", "help plan", "plan -h dance", "--help plan"] {
        let (code, stdout, stderr) = silent(typed);
        assert_eq!((code, stderr.as_str()), (0, ""), "{typed}");
        let shown: Vec<&str> = stdout.lines().filter_map(|line| line.strip_prefix("  plan ")).collect();
        assert_eq!(shown.len(), plans.len(), "{typed}: {stdout}");
        for (shown, wanted) in shown.iter().zip(&plans) {
            assert!(shown.starts_with(&format!("{wanted} ")), "{typed}: {shown}");
        }
    }
    let (_, all, _) = silent("help");
    let commands = all.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count();
    assert_eq!(commands, COMMANDS.len(), "{all}");
    assert!(all.contains("(also: show)"), "{all}");
    assert_eq!(all, GRAMMAR.list(&[]));
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
}

#[test]
fn no_command_is_a_prefix_of_another() {
    for (index, one) in COMMANDS.iter().enumerate() {
        for other in &COMMANDS[index + 1..] {
            let meet = (0..one.len().min(other.len()))
                .all(|at| one.word(at).any(|word| other.word(at).any(|own| own == word)));
            assert!(!meet, "{} and {}", one.about, other.about);
        }
        let needed = places(one.arguments).map(|place| place.is_needed).collect::<Vec<_>>();
        assert!(
            needed.is_sorted_by(|a, b| a >= b),
            "{}: a needed argument after one that may be left out",
            one.about
        );
    }
}

#[test]
fn flags_may_come_anywhere_and_services_are_named() {
    let rows = [
        ("plan list", "hello", "GET /service/hello/v1/plans"),
        ("plan list", "", "GET /v1/plans"),
        ("plan list", "/team/hello/", "GET /service/team/hello/v1/plans"),
        ("plan list --name other", "hello", "GET /service/other/v1/plans"),
        ("--name=other plan list", "hello", "GET /service/other/v1/plans"),
        ("$ dcos beta-cassandra plan list", "hello", "GET /service/cassandra/v1/plans"),
        ("dcos cassandra --name=/dev/cassandra plan list", "", "GET /service/dev/cassandra/v1/plans"),
        ("plan --json show -v deploy", "a b", "GET /service/a%20b/v1/plans/deploy"),
        ("plan status --json -- --odd", "hello", "GET /service/hello/v1/plans/--odd"),
        ("plan status a/b?c%25", "hello", "GET /service/hello/v1/plans/a%2Fb%3Fc%2525"),
        ("plan status -", "hello", "GET /service/hello/v1/plans/-"),
    ];
    for (typed, service, call) in rows {
        let (output, asked) = asked(typed, service, |_| Response::text(200, "{}"));
        assert_eq!(asked, [call], "{typed}");
        assert_eq!(output.code, 0, "{typed}: {}", output.stderr);
    }
    let (output, _) = asked("plan list -v", "hello", |_| Response::text(200, "[]"));
    assert_eq!(output.stderr, "HTTP Query: GET /service/hello/v1/plans\nResponse: 200 OK (2 bytes)\n");
}
