//! The control utility's words: `start`, `pause`, `gate-pass back-30`, `state`, ...
//!
//! *Knows*: the words, the API requests of each command, the output. *Must not know*: sockets, how the API produces
//! its answers.
//!
//! **Source**: `sks-ctl` as used in the samples of `opsani/skopos-sample-{app,gates}` and the Skopos Deployment Plan
//! Reference (`load`, `run`, `start`, `delete`, `post` with `gate-pass` and `gate-fail`). Simplified: the output is ours.

use crate::definition::NAMELESS;
use crate::definition::files::folder_of;
use crate::wire;
use planarium_part::commands;
use planarium_part::console::{
    Begun, Column, Command, Completion, Console, Flag, Given, Grammar, Namer, Names, Output, Problem,
    Reading, Style, Terminal, Typed, after_program, places,
};
use planarium_part::{Request, Response};
use planarium_protocol::json;
use serde_json::Value;
use std::fmt::Write as _;

/// The command line of an application.
pub(crate) const CONSOLE: Console = Console { run, complete, usage: || GRAMMAR.list(&[]) };

/// The names of the program. What follows is a command, or an application and a command.
pub(crate) const PROGRAMS: &[&[&str]] = &[&["skopos"], &["sks-ctl"]];

/// A command as people type it.
pub(crate) const EXAMPLE: &str = "gate-pass";

/// Carries out a command on an application.
type Run = fn(&mut Terminal<'_>, &str, &Given) -> Output;

const INTERACTIVE: Flag = Flag::plain("interactive");
const PAUSED: Flag = Flag::plain("paused");
const FORCE: Flag = Flag::plain("force");
const MODE: Flag = Flag { only: &["deploy", "teardown"], ..Flag::valued("mode", "deploy or teardown") };
const REPLACE_ALL: Flag = Flag::plain("replace-all");
const WAIT: Flag = Flag::plain("wait");

/// Flags that every command takes. An environment file may be given by a flag or as it is.
const GLOBAL: &[Flag] = &[
    Flag {
        also: Some("name"),
        ..Flag::valued("project", "a name").offers(|_, names| names(None, Names::Services))
    },
    Flag { is_argument: true, ..Flag::valued("env", "a file") },
];

/// Every command.
const COMMANDS: &[Command<Run>] = commands! {
    "state", "", "shows what the plan does, and every step", [], |to, of, _| print(&send(to, "GET", of, "", &Value::Null), shown_state);
    "log", "", "shows the deployment log", [], |to, of, _| print(&send(to, "GET", of, "/log", &Value::Null), shown_log);
    "plan", "", "shows the plan, given or generated", [], plan;
    "instances", "", "shows the instances", [], |to, of, _| print(&send(to, "GET", of, "/instances", &Value::Null), shown_instances);
    "load", "FILE...", "loads a model or plan with environment files, in this order", [MODE, REPLACE_ALL, INTERACTIVE, WAIT], |to, of, given| load(to, of, given, false);
    "run", "FILE...", "loads and starts", [MODE, REPLACE_ALL, INTERACTIVE, WAIT], |to, of, given| load(to, of, given, true);
    "start", "[--interactive] [--paused]", "starts the plan", [INTERACTIVE, PAUSED], start;
    "pause", "", "holds the plan at the next exit", [], |to, of, _| post(to, of, "pause", &Value::Null);
    "resume", "", "goes on", [], |to, of, _| post(to, of, "resume", &Value::Null);
    "step", "", "carries out one step and holds", [], |to, of, _| post(to, of, "step", &Value::Null);
    "gate-pass", "[STEP]", "passes the open gate", [], |to, of, given| gate(to, of, given, "gate-pass");
    "gate-fail", "[STEP]", "fails the open gate", [], |to, of, given| gate(to, of, given, "gate-fail");
    "abandon", "", "stops and fails the plan; no cleanup is run", [], |to, of, _| post(to, of, "abandon", &Value::Null);
    "reset", "", "forgets the run and makes the plan anew", [], |to, of, _| post(to, of, "reset", &Value::Null);
    "delete", "[--force]", "takes the application down", [FORCE], delete;
};

/// The commands with their kinds of arguments and their texts.
static GRAMMAR: Grammar<Run> = Grammar {
    commands: COMMANDS,
    globals: GLOBAL,
    reading: Reading::Names,
    kinds: &[("STEP", steps)],
    style: Style {
        error: "error",
        problem: words,
        head: "Commands of a Skopos application:\n",
        line: |command| command.line(""),
        column: Column::Fixed(36),
        help: |_| GRAMMAR.list(&[]),
        shows_groups: false,
        offers_flags: false,
    },
};

fn words(problem: &Problem, command: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => {
            let word = unknown.words().into_iter().next().unwrap_or_default();
            let meant = crate::definition::nearest::nearest(&word, &unknown.fits)
                .map(|meant| format!("; did you mean '{meant}'?"));
            format!("there is no command '{word}'{}", meant.unwrap_or_default())
        }
        Problem::NoFlag(written) => {
            format!("'{command}' takes no --{}", written.word.trim_start_matches('-'))
        }
        Problem::NoValue(flag, _) => format!("--{} needs {}", flag.name, flag.value.unwrap_or_default()),
        Problem::Value(written, value) => format!("'{command}' takes no {}={value}", written.dashed()),
        Problem::Foreign(flag, value) => {
            let value = flag.value.map(|_| format!("={value}")).unwrap_or_default();
            format!("'{command}' takes no --{}{value}", flag.name)
        }
        Problem::Missing(_) => "say which files to load".to_owned(),
        Problem::More(_) => format!("'{command}' takes no further words"),
    }
}

/// Returns the application before the command, and the words from the command on.
fn after_name(args: &[String]) -> Option<(&str, &[String])> {
    let (name, rest) = args.split_first()?;
    rest.first().filter(|word| *word == "post" || GRAMMAR.named(rest).is_some())?;
    let takes_words = |command: &Command<Run>| places(command.arguments).next().is_some();
    let is_name = !name.starts_with('-') && name != "post" && !GRAMMAR.named(args).is_some_and(takes_words);
    is_name.then_some((name, rest))
}

/// Puts the command first in a line that begins with a flag, or with `post`, as the real utility words it:
/// `post --project shop gate-pass ask`.
fn command_first(args: &[String]) -> Option<Vec<String>> {
    let posts = args.first()? == "post";
    let is_flag = |word: &String| word.starts_with('-') && !matches!(word.as_str(), "--help" | "-h");
    let args = args.get(usize::from(posts)..).filter(|args| posts || args.first().is_some_and(is_flag))?;
    let at = (0..args.len()).find(|at| args.get(*at..).is_some_and(|rest| GRAMMAR.named(rest).is_some()))?;
    let (before, from) = args.split_at_checked(at)?;
    let (command, after) = from.split_first()?;
    Some([command].into_iter().chain(before).chain(after).cloned().collect())
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let (application, args) = match after_name(args) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, args),
    };
    let reordered = command_first(args);
    let (command, given) = match GRAMMAR.read(reordered.as_deref().unwrap_or(args)) {
        Ok(read) => read,
        Err(output) => return output,
    };
    let named = given.value("project").or(application).map(str::to_owned);
    match named.map_or_else(|| chosen(terminal, command, &given), Ok) {
        Ok(service) => (command.run)(terminal, &service, &given),
        Err(text) => Output { stderr: format!("error: {text}\n"), code: 1, ..Output::default() },
    }
}

fn plan(terminal: &mut Terminal<'_>, service: &str, _: &Given) -> Output {
    let response = send(terminal, "GET", service, "/plan", &Value::Null);
    match response.status {
        200 => Output { stdout: String::from_utf8_lossy(&response.body).into_owned(), ..Output::default() },
        204 => Output { stdout: "nothing is to be done\n".to_owned(), ..Output::default() },
        _ => print(&response, |_| String::new()),
    }
}

fn start(terminal: &mut Terminal<'_>, service: &str, given: &Given) -> Output {
    let mut body = serde_json::Map::new();
    for name in ["interactive", "paused"].into_iter().filter(|name| given.has(name)) {
        body.insert(name.to_owned(), true.into());
    }
    let body = if body.is_empty() { Value::Null } else { Value::Object(body) };
    post(terminal, service, "start", &body)
}

fn delete(terminal: &mut Terminal<'_>, service: &str, given: &Given) -> Output {
    let force = if given.has("force") { "?force=true" } else { "" };
    print(&send(terminal, "DELETE", service, force, &Value::Null), |_| "deleted\n".to_owned())
}

fn gate(terminal: &mut Terminal<'_>, service: &str, given: &Given, word: &str) -> Output {
    let body = given.argument(0).map_or(Value::Null, |step| json!({ "step": step }));
    post(terminal, service, word, &body)
}

/// Sends a command and prints the state after it.
fn post(terminal: &mut Terminal<'_>, service: &str, word: &str, body: &Value) -> Output {
    print(&send(terminal, "POST", service, &format!("/{word}"), body), shown_line)
}

/// Returns the application if the words name none: the chosen service if it is one, the loaded one, the only one.
///
/// *Errors*: what to say.
fn chosen(terminal: &mut Terminal<'_>, command: &Command<Run>, given: &Given) -> Result<String, String> {
    let response = (terminal.send)(&Request::new("GET", "/skopos/v1", ""));
    let body = json::value(&response.body).unwrap_or_default();
    let all: Vec<&str> = items(&body, "applications").iter().map(|one| text(one, "name")).collect();
    let loads = matches!(command.words, "load" | "run");
    match all.as_slice() {
        _ if all.contains(&terminal.service) => Ok(terminal.service.to_owned()),
        [only] => Ok((*only).to_owned()),
        [] if loads => Ok(named_by(&given.arguments)),
        [] if response.status == 0 => Ok(terminal.service.to_owned()),
        [] => Err("there is no application: load one with 'load FILE...' or 'run FILE...'".to_owned()),
        _ => Err(format!("say which application: --project NAME, one of {}", all.join(", "))),
    }
}

/// The name of an application that is loaded from files: that of their folder.
fn named_by(paths: &[String]) -> String {
    paths.iter().find_map(|path| folder_of(path)).unwrap_or(NAMELESS).to_owned()
}

fn send(terminal: &mut Terminal<'_>, method: &str, service: &str, path: &str, body: &Value) -> Response {
    let bytes = if body.is_null() { Vec::new() } else { json::text(body) };
    let mut request = Request::new(method, &format!("{}{path}", wire::base(service)), bytes);
    if !body.is_null() {
        request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    (terminal.send)(&request)
}

fn load(terminal: &mut Terminal<'_>, service: &str, given: &Given, start: bool) -> Output {
    let mut files = serde_json::Map::new();
    for path in &given.arguments {
        match (terminal.read)(path) {
            Ok(text) => {
                files.insert(path.clone(), text.into());
            }
            Err(why) => {
                return Output { stderr: format!("error: {path}: {why}\n"), code: 1, ..Output::default() };
            }
        }
    }
    let mut options = serde_json::Map::new();
    for (name, value) in given.flags().filter(|(name, _)| !matches!(*name, "wait" | "project")) {
        let value = if name == "mode" { value.into() } else { true.into() };
        options.insert(name.replace('-', "_"), value);
    }
    if start {
        options.insert("run".to_owned(), true.into());
    }
    let body = json!({ "files": Value::Object(files), "options": Value::Object(options) });
    let response = send(terminal, "PUT", service, "", &body);
    let mut output = print(&response, |answer| format!("loaded: {}\n", text(answer, "state")));
    output.stderr.push_str(&shown_findings(&json::value(&response.body).unwrap_or_default()));
    output
}

/// Returns the findings in the files, one a line with its position. Infos are left out.
fn shown_findings(answer: &Value) -> String {
    let mut out = String::new();
    let number = |finding: &Value, key: &str| finding.get(key).and_then(Value::as_u64).unwrap_or(1);
    for one in items(answer, "findings").iter().filter(|one| text(one, "severity") != "info") {
        let (file, line, column) = (text(one, "file"), number(one, "line"), number(one, "column"));
        let (severity, code) = (text(one, "severity"), text(one, "code"));
        let _ = writeln!(out, "{file}:{line}:{column}: {severity}[{code}]: {}", text(one, "message"));
        if !text(one, "help").is_empty() {
            let _ = writeln!(out, "  help: {}", text(one, "help"));
        }
    }
    out
}

fn print(response: &Response, shown: impl Fn(&Value) -> String) -> Output {
    let body = json::value(&response.body).unwrap_or_default();
    if (200..300).contains(&response.status) {
        return Output { stdout: shown(&body), ..Output::default() };
    }
    let text = match body.get("error").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(&response.body).into_owned(),
    };
    Output { stderr: format!("error: {text}\n"), code: 1, ..Output::default() }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn shown_line(answer: &Value) -> String {
    format!("{}\n", text(answer, "display_state"))
}

fn shown_state(answer: &Value) -> String {
    let mut out = format!("{}: {}\n", text(answer, "name"), text(answer, "display_state"));
    for step in items(answer, "steps") {
        let entries = step.get("entries").and_then(Value::as_u64).unwrap_or(0);
        let times = if entries > 1 { format!(" ({entries} times)") } else { String::new() };
        let note = match text(step, "note") {
            "" => String::new(),
            note => format!("  {note}"),
        };
        let _ = writeln!(out, "  {:<10} {}{times}{note}", text(step, "state"), text(step, "id"));
    }
    out
}

fn shown_log(answer: &Value) -> String {
    let mut out = String::new();
    for record in items(answer, "log") {
        let at = planarium_kernel::SimTime(record.get("at_ms").and_then(Value::as_u64).unwrap_or(0));
        let _ = writeln!(out, "{at:>12} {:<8} {}", text(record, "level"), text(record, "message"));
    }
    out
}

fn shown_instances(answer: &Value) -> String {
    let mut out = String::new();
    for one in items(answer, "instances") {
        let _ = writeln!(out, "  {:<24} {:<8} {}", text(one, "id"), text(one, "state"), text(one, "image"));
    }
    out
}

fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| {
        let args = match after_program(PROGRAMS, args, names) {
            Begun::Words(words) => return words,
            Begun::Line(_, args) => args,
        };
        let (application, args) = match after_name(args) {
            Some((name, rest)) => (Some(name), rest),
            None => (None, args),
        };
        let posts = args.first().is_some_and(|word| word == "post");
        let args = args.get(usize::from(posts)..).unwrap_or_default();
        let mut words = GRAMMAR.candidates(application, args, typed, names);
        words.retain(|word| !posts || !args.is_empty() || word.starts_with("gate-"));
        words
    })
}

fn steps(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for phase in names(typed.service, Names::Phases("deploy")) {
        all.extend(names(typed.service, Names::Steps("deploy", &phase)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the request of a line to an API that refuses everything.
    fn asked(line: &str) -> String {
        asked_of(line, &json!([{ "name": "shop" }, { "name": "other" }]))
    }

    /// The same where there are these applications.
    fn asked_of(line: &str, applications: &Value) -> String {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut seen = Vec::new();
        let mut send = |request: &Request| {
            if request.path == "/skopos/v1" {
                return Response::json(200, &json!({ "applications": applications }));
            }
            let body = String::from_utf8_lossy(&request.body).into_owned();
            seen.push(format!("{} {}{}", request.method, request.path, body));
            Response::json(404, &json!({ "error": "no" }))
        };
        let mut read = |path: &str| Ok(path.to_owned());
        let mut terminal = Terminal { service: "shop", send: &mut send, read: &mut read };
        let output = run(&args, &mut terminal);
        let first = output.stderr.lines().next().unwrap_or_default().to_owned();
        seen.first().map_or(first, Clone::clone)
    }

    #[test]
    fn an_application_may_come_first() {
        for (line, request) in [
            ("state", "GET /skopos/v1/shop"),
            ("other state", "GET /skopos/v1/other"),
            ("state --project other", "GET /skopos/v1/other"),
            ("--project other state", "GET /skopos/v1/other"),
            ("mine state --project other", "GET /skopos/v1/other"),
            ("post --project other gate-pass", "POST /skopos/v1/other/gate-pass"),
            ("other post gate-fail ask", "POST /skopos/v1/other/gate-fail{\"step\":\"ask\"}"),
            ("gate-pass step", "POST /skopos/v1/shop/gate-pass{\"step\":\"step\"}"),
            ("load p", "PUT /skopos/v1/shop{\"files\":{\"p\":\"p\"},\"options\":{}}"),
            ("load --project new p", "PUT /skopos/v1/new{\"files\":{\"p\":\"p\"},\"options\":{}}"),
            ("new load p", "PUT /skopos/v1/new{\"files\":{\"p\":\"p\"},\"options\":{}}"),
            ("load plan", "PUT /skopos/v1/shop{\"files\":{\"plan\":\"plan\"},\"options\":{}}"),
            (
                "run -mode teardown --env e p",
                "PUT /skopos/v1/shop{\"files\":{\"e\":\"e\",\"p\":\"p\"},\"options\":{\"mode\":\"teardown\",\"run\":true}}",
            ),
            ("other", "error: there is no command 'other'"),
            ("other stat", "error: there is no command 'other'"),
        ] {
            assert_eq!(asked(line), request, "{line}");
        }
    }

    #[test]
    fn the_only_possible_application_is_used() {
        for (line, applications, request) in [
            ("load shop-1/model.yaml", json!([]), "PUT /skopos/v1/shop-1"),
            ("run model.yaml", json!([]), "PUT /skopos/v1/app"),
            (
                "state",
                json!([]),
                "error: there is no application: load one with 'load FILE...' or 'run FILE...'",
            ),
            ("state", json!([{ "name": "only" }]), "GET /skopos/v1/only"),
            ("load model.yaml", json!([{ "name": "only" }]), "PUT /skopos/v1/only"),
            (
                "state",
                json!([{ "name": "a" }, { "name": "b" }]),
                "error: say which application: --project NAME, one of a, b",
            ),
        ] {
            let told = asked_of(line, &applications);
            assert!(told.starts_with(request), "{line}: {told}");
        }
    }

    #[test]
    fn lines_are_completed() {
        let mut names = |application: Option<&str>, names: Names<'_>| match names {
            Names::Services => vec!["shop".to_owned()],
            Names::Phases("deploy") => vec!["back".to_owned()],
            Names::Steps("deploy", "back") => vec![format!("ask-{}", application.unwrap_or("here"))],
            _ => Vec::new(),
        };
        for (line, words) in [
            ("st", "state start step"),
            ("skopos st", "state start step"),
            ("$ sks-ctl sta", "state start"),
            ("post ", "gate-pass gate-fail"),
            ("gate-pass ", "ask-here"),
            ("skopos other gate-fail a", "ask-other"),
            ("post gate-fail ", "ask-here"),
            ("gate-fail ask ", ""),
            ("start --", "--interactive --paused --project"),
            ("start --paused --p", "--project"),
            ("load --", "--mode --replace-all --interactive --wait --project"),
            ("state --project ", "shop"),
            ("state x", ""),
        ] {
            assert_eq!(complete(line, &mut names).words.join(" "), words, "{line}");
        }
    }
}
