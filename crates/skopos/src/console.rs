//! The control utility's words: `start`, `pause`, `gate-pass back-30`, `state`, ...
//!
//! *Knows*: the words, what each asks of the API, what is printed. *Must not know*: sockets, how the API comes by its
//! answers.
//!
//! **Source**: `sks-ctl` as the samples of `opsani/skopos-sample-{app,gates}` and the Skopos Deployment Plan Reference use
//! it (`load`, `run`, `start`, `delete`, `post` with `gate-pass` and `gate-fail`). Simplified: what they print is ours.

use crate::wire;
use planarium_protocol::json;
use planarium_system::console::{Completion, Console, Namer, Names, Output, Terminal, scan};
use planarium_system::{Request, Response};
use serde_json::Value;
use std::fmt::Write as _;

/// The command line of an application.
pub(crate) const CONSOLE: Console =
    Console { programs: &[&["skopos", "NAME"], &["sks-ctl", "NAME"]], run, complete, usage };

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

/// What follows a command word.
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

/// The same words with the command in front; none where there is no command among them.
fn command_first(args: &[String]) -> Option<Vec<String>> {
    let at = args.iter().position(|arg| COMMANDS.iter().any(|(own, ..)| own == arg))?;
    let mut words = vec![args.get(at)?.clone()];
    words.extend(args.iter().enumerate().filter(|(own, _)| *own != at).map(|(_, arg)| arg.clone()));
    Some(words)
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let (word, rest) = match args.split_first() {
        None => return Output { stdout: usage(), ..Output::default() },
        Some((word, rest)) => (word.as_str(), rest),
    };
    // `post --project shop gate-pass ask` is how the real utility words it.
    let leads = word == "post" || (word.starts_with('-') && !matches!(word, "--help" | "-h"));
    if leads && let Some(reordered) = command_first(if word == "post" { rest } else { args }) {
        return run(&reordered, terminal);
    }
    if matches!(word, "help" | "--help" | "-h") {
        return Output { stdout: usage(), ..Output::default() };
    }
    let Some((word, ..)) = COMMANDS.into_iter().find(|(own, ..)| *own == word) else {
        let names: Vec<&str> = COMMANDS.iter().map(|(own, ..)| *own).collect();
        let meant = crate::nearest::nearest(word, &names).map(|meant| format!("; did you mean '{meant}'?"));
        return words_wrong(format!("there is no command '{word}'{}", meant.unwrap_or_default()));
    };
    let given = match given(rest) {
        Ok(given) => given,
        Err(text) => return words_wrong(text),
    };
    let service = given.service.clone().unwrap_or_else(|| terminal.service.to_owned());
    let service = if service.is_empty() { only(terminal).unwrap_or_default() } else { service };
    if service.is_empty() {
        return Output {
            stderr: "error: say which application: --project NAME\n".to_owned(),
            code: 1,
            ..Output::default()
        };
    }
    let allowed: &[&str] = match word {
        "start" => &["interactive", "paused"],
        "delete" => &["force"],
        "load" | "run" => &["mode=deploy", "mode=teardown", "replace-all", "interactive", "wait"],
        _ => &[],
    };
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

/// The only application, when there is one only.
fn only(terminal: &mut Terminal<'_>) -> Option<String> {
    let response = (terminal.send)(&Request::new("GET", "/skopos/v1", ""));
    let body = json::value(&response.body).ok()?;
    match body.get("applications")?.as_array()?.as_slice() {
        [only] => only.get("name")?.as_str().map(str::to_owned),
        _ => None,
    }
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
    print(&send(terminal, "PUT", service, "", &body), |answer| {
        format!("loaded: {}\n", answer.get("state").and_then(Value::as_str).unwrap_or("?"))
    })
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
    let scanned = scan(line);
    let typed = scanned.word.clone().unwrap_or_default();
    let before = line.get(..scanned.from).unwrap_or_default().to_owned();
    let mut known: Vec<String> = match scanned.words.as_slice() {
        [] => COMMANDS.iter().map(|(word, ..)| (*word).to_owned()).collect(),
        [word] if matches!(word.as_str(), "gate-pass" | "gate-fail") => {
            let mut all = Vec::new();
            for phase in names(None, Names::Phases("deploy")) {
                all.extend(names(None, Names::Steps("deploy", &phase)));
            }
            all
        }
        [word, ..] if word == "start" => vec!["--interactive".to_owned(), "--paused".to_owned()],
        [word, ..] if word == "delete" => vec!["--force".to_owned()],
        _ => Vec::new(),
    };
    known.retain(|word| word.starts_with(&typed));
    Completion { words: known, before, typed }
}
