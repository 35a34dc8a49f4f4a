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
use planarium_part::console::{Completion, Console, Namer, Names, Output, Terminal};
use planarium_part::{Request, Response};
use planarium_protocol::json;
use serde_json::Value;
use std::fmt::Write as _;

/// The command line of an application.
pub(crate) const CONSOLE: Console =
    Console { programs: &[PROGRAMS[0], PROGRAMS[1]], run, complete, usage, example: "gate-pass" };

/// The names of the program. What follows is a command, or an application and a command.
const PROGRAMS: [&[&str]; 2] = [&["skopos"], &["sks-ctl"]];

/// Commands with what follows them and what they do.
const COMMANDS: [(&str, &str, &str); 15] = [
    ("state", "", "shows what the plan does, and every step"),
    ("log", "", "shows the deployment log"),
    ("plan", "", "shows the plan, given or generated"),
    ("instances", "", "shows the instances"),
    ("load", "FILE...", "loads a model or plan with environment files, in this order"),
    ("run", "FILE...", "loads and starts"),
    ("start", "[--interactive] [--paused]", "starts the plan"),
    ("pause", "", "holds the plan at the next exit"),
    ("resume", "", "goes on"),
    ("step", "", "carries out one step and holds"),
    ("gate-pass", "[STEP]", "passes the open gate"),
    ("gate-fail", "[STEP]", "fails the open gate"),
    ("abandon", "", "stops and fails the plan; no cleanup is run"),
    ("reset", "", "forgets the run and makes the plan anew"),
    ("delete", "[--force]", "takes the application down"),
];

fn usage() -> String {
    let mut text = String::from("Commands of a Skopos application:\n");
    for (word, rest, does) in COMMANDS {
        let _ = writeln!(text, "  {:<36} {does}", format!("{word} {rest}"));
    }
    text
}

fn words_wrong(text: impl Into<String>) -> Output {
    Output { stdout: String::new(), stderr: format!("error: {}\n\n{}", text.into(), usage()), code: 2 }
}

/// Arguments after a command word.
#[derive(Default)]
struct Given {
    flags: Vec<String>,
    words: Vec<String>,
    service: Option<String>,
}

fn given(args: &[String]) -> Result<Given, String> {
    let mut given = Given::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let flag = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-').filter(|rest| rest.len() > 1));
        match flag.map(|flag| flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value))))
        {
            None => given.words.push(arg.clone()),
            Some(("project" | "name", value)) => {
                let value = value.map(str::to_owned).or_else(|| args.next().cloned());
                given.service = Some(value.ok_or("--project needs a name")?);
            }
            Some(("env", value)) => {
                let value = value.map(str::to_owned).or_else(|| args.next().cloned());
                given.words.push(value.ok_or("--env needs a file")?);
            }
            Some((name, Some(value))) => given.flags.push(format!("{name}={value}")),
            Some(("mode", None)) => {
                let value = args.next().ok_or("--mode needs deploy or teardown")?;
                given.flags.push(format!("mode={value}"));
            }
            Some((name, None)) => given.flags.push(name.to_owned()),
        }
    }
    Ok(given)
}

/// The flags of a command; those with a value in each way that they can be written.
fn flags(command: &str) -> &'static [&'static str] {
    match command {
        "start" => &["interactive", "paused"],
        "delete" => &["force"],
        "load" | "run" => &["mode=deploy", "mode=teardown", "replace-all", "interactive", "wait"],
        _ => &[],
    }
}

fn is_command(word: &str) -> bool {
    COMMANDS.iter().any(|(own, ..)| *own == word)
}

/// Returns the application before the command, and the words from the command on.
fn after_name(args: &[String]) -> Option<(&str, &[String])> {
    let (name, rest) = args.split_first()?;
    rest.first().filter(|word| is_command(word) || *word == "post")?;
    let is_name = !name.starts_with('-') && name != "post" && !takes_words(name);
    is_name.then_some((name, rest))
}

/// Returns whether words other than flags follow a command.
fn takes_words(command: &str) -> bool {
    COMMANDS.iter().any(|(own, rest, _)| *own == command && rest.contains(|c: char| c.is_ascii_uppercase()))
}

/// Returns the same words with the command first; `None` without a command.
fn command_first(args: &[String]) -> Option<Vec<String>> {
    let at = args.iter().position(|arg| is_command(arg))?;
    let mut words = vec![args.get(at)?.clone()];
    words.extend(args.iter().enumerate().filter(|(own, _)| *own != at).map(|(_, arg)| arg.clone()));
    Some(words)
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    match after_name(args) {
        Some((name, rest)) => run_command(rest, Some(name), terminal),
        None => run_command(args, None, terminal),
    }
}

fn run_command(args: &[String], application: Option<&str>, terminal: &mut Terminal<'_>) -> Output {
    let (word, rest) = match args.split_first() {
        None => return Output { stdout: usage(), ..Output::default() },
        Some((word, rest)) => (word.as_str(), rest),
    };
    // `post --project shop gate-pass ask` is how the real utility words it.
    let leads = word == "post" || (word.starts_with('-') && !matches!(word, "--help" | "-h"));
    if leads && let Some(reordered) = command_first(if word == "post" { rest } else { args }) {
        return run_command(&reordered, application, terminal);
    }
    if matches!(word, "help" | "--help" | "-h") {
        return Output { stdout: usage(), ..Output::default() };
    }
    let Some((word, ..)) = COMMANDS.into_iter().find(|(own, ..)| *own == word) else {
        let names: Vec<&str> = COMMANDS.iter().map(|(own, ..)| *own).collect();
        let meant = crate::definition::nearest::nearest(word, &names)
            .map(|meant| format!("; did you mean '{meant}'?"));
        return words_wrong(format!("there is no command '{word}'{}", meant.unwrap_or_default()));
    };
    let given = match given(rest) {
        Ok(given) => given,
        Err(text) => return words_wrong(text),
    };
    let named = given.service.as_deref().or(application).map(str::to_owned);
    let service = match named.map_or_else(|| chosen(terminal, word, &given), Ok) {
        Ok(service) => service,
        Err(text) => return Output { stderr: format!("error: {text}\n"), code: 1, ..Output::default() },
    };
    let allowed = flags(word);
    if let Some(flag) = given.flags.iter().find(|flag| !allowed.contains(&flag.as_str())) {
        return words_wrong(format!("'{word}' takes no --{flag}"));
    }
    let most = match word {
        "load" | "run" => usize::MAX,
        "gate-pass" | "gate-fail" => 1,
        _ => 0,
    };
    if given.words.len() > most {
        return words_wrong(format!("'{word}' takes no further words"));
    }
    match word {
        "load" | "run" => load(terminal, &service, word == "run", &given),
        "delete" => {
            let force = if given.flags.is_empty() { "" } else { "?force=true" };
            print(&send(terminal, "DELETE", &service, force, &Value::Null), |_| "deleted\n".to_owned())
        }
        "state" => print(&send(terminal, "GET", &service, "", &Value::Null), shown_state),
        "log" => print(&send(terminal, "GET", &service, "/log", &Value::Null), shown_log),
        "instances" => print(&send(terminal, "GET", &service, "/instances", &Value::Null), shown_instances),
        "plan" => {
            let response = send(terminal, "GET", &service, "/plan", &Value::Null);
            match response.status {
                200 => Output {
                    stdout: String::from_utf8_lossy(&response.body).into_owned(),
                    ..Output::default()
                },
                204 => Output { stdout: "nothing is to be done\n".to_owned(), ..Output::default() },
                _ => print(&response, |_| String::new()),
            }
        }
        "start" => {
            let flag = |name: &str| given.flags.iter().any(|flag| flag == name);
            let mut body = serde_json::Map::new();
            for name in ["interactive", "paused"].into_iter().filter(|name| flag(name)) {
                body.insert(name.to_owned(), true.into());
            }
            let body = if body.is_empty() { Value::Null } else { Value::Object(body) };
            print(&send(terminal, "POST", &service, "/start", &body), shown_line)
        }
        "gate-pass" | "gate-fail" => {
            let body = given.words.first().map_or(Value::Null, |step| json!({ "step": step }));
            print(&send(terminal, "POST", &service, &format!("/{word}"), &body), shown_line)
        }
        _ => print(&send(terminal, "POST", &service, &format!("/{word}"), &Value::Null), shown_line),
    }
}

/// Returns the application if the words name none: the chosen service if it is one, the loaded one, the only one.
///
/// *Errors*: what to say.
fn chosen(terminal: &mut Terminal<'_>, word: &str, given: &Given) -> Result<String, String> {
    let response = (terminal.send)(&Request::new("GET", "/skopos/v1", ""));
    let body = json::value(&response.body).unwrap_or_default();
    let all: Vec<&str> = items(&body, "applications").iter().map(|one| text(one, "name")).collect();
    let loads = matches!(word, "load" | "run");
    match all.as_slice() {
        _ if all.contains(&terminal.service) => Ok(terminal.service.to_owned()),
        [only] => Ok((*only).to_owned()),
        [] if loads => Ok(named_by(&given.words)),
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

fn load(terminal: &mut Terminal<'_>, service: &str, start: bool, given: &Given) -> Output {
    if given.words.is_empty() {
        return words_wrong("say which files to load");
    }
    let mut files = serde_json::Map::new();
    for path in &given.words {
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
    for flag in given.flags.iter().filter(|flag| *flag != "wait") {
        match flag.split_once('=') {
            Some((name, value)) => options.insert(name.to_owned(), value.into()),
            None => options.insert(flag.replace('-', "_"), true.into()),
        };
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
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    let programs =
        args.first().filter(|word| PROGRAMS.iter().any(|program| program.contains(&word.as_str())));
    let args = args.get(usize::from(programs.is_some())..).unwrap_or_default();
    let (application, args) = match after_name(args) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, args),
    };
    let posts = args.first().is_some_and(|word| word == "post");
    let args = args.get(usize::from(posts)..).unwrap_or_default();
    let Some((command, rest)) = args.split_first() else {
        let gates = |word: &str| !posts || word.starts_with("gate-");
        let words = COMMANDS.iter().map(|(word, ..)| *word).filter(|word| gates(word));
        return words.map(str::to_owned).collect();
    };
    if matches!(rest.last().map(String::as_str), Some("--project")) {
        return names(None, Names::Services);
    }
    if typed.starts_with('-') {
        let flags = flags(command).iter().map(|flag| flag.split('=').next().unwrap_or_default());
        let mut words: Vec<String> = flags.chain(["project"]).map(|flag| format!("--{flag}")).collect();
        words.dedup();
        words.retain(|word| !rest.contains(word));
        return words;
    }
    if rest.is_empty() && command.starts_with("gate-") {
        let mut all = Vec::new();
        for phase in names(application, Names::Phases("deploy")) {
            all.extend(names(application, Names::Steps("deploy", &phase)));
        }
        return all;
    }
    Vec::new()
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
