//! `planarium exec`: the real service command line on a served world, or on a fresh one.
//!
//! Knows: where the requests go, and files for `--options`. Must not know: the commands; they are `planarium_rest::console`.

mod http;

use crate::End;
use crate::archive;
use crate::args::ExecArgs;
use crate::files::{MAX_FILE, read};
use crate::link;
use crate::load::{Runnable, runnable};
use anyhow::{Context as _, Result};
use http::Client;
use planarium_rest::console::{self, Output};
use planarium_rest::{Request, Response, Session, handle};
use planarium_scenario::Player;
use planarium_source::render;
use planarium_world::parse_duration_ms;
use std::io::Read as _;
use std::path::Path;

/// Runs one command and prints its output.
pub(crate) fn run(args: &ExecArgs) -> Result<End> {
    let output = match &args.on {
        Some(path) => {
            let Some(mut session) = fresh(path, args)? else { return Ok(End::BadInput) };
            on(args, &mut |request| handle(&mut session, request))
        }
        None => {
            let client = Client::new(&args.url).with_context(|| format!("--url `{}`", args.url))?;
            on(args, &mut |request| client.send(request))
        }
    };
    print!("{}", output.stdout);
    eprint!("{}", output.stderr);
    Ok(match output.code {
        0 => End::Good,
        1 => End::Failed,
        _ => End::BadInput,
    })
}

fn on(args: &ExecArgs, send: &mut dyn FnMut(&Request) -> Response) -> Output {
    let words = match words(args) {
        Ok(words) => words,
        Err(error) => return Output { stderr: format!("error: {error}\n"), code: 2, ..Output::default() },
    };
    let (dialect, service) = meant(&args.service, send);
    if service.trim_matches('/') != args.service.trim_matches('/') {
        eprintln!("there is no service `{}` here; the only one is `{service}`", args.service);
    }
    console::run_with_files(&words, &dialect, &service, send, &mut options)
}

/// Returns the words of the command. A command pasted as one quoted text is split, and the words before it in the
/// real command line are left out.
fn words(args: &ExecArgs) -> Result<Vec<String>, String> {
    let [whole] = args.words.as_slice() else { return Ok(args.words.clone()) };
    if !whole.trim().contains(char::is_whitespace) {
        return Ok(args.words.clone());
    }
    let mut words = console::split(whole)?;
    if words.first().is_some_and(|word| word == "dcos") {
        // `dcos MODULE [--name=SERVICE] ...`: the module is the package's, and often not the service's name.
        words.drain(..words.len().min(2));
    }
    Ok(words)
}

/// Returns dialect and name of the service; no dialect if nothing names one. If none has the name and there is only
/// one service, that one is used: an option may have renamed it.
fn meant(service: &str, send: &mut dyn FnMut(&Request) -> Response) -> (String, String) {
    let answer = send(&Request::new("GET", "/sim/view", ""));
    let view: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let services = view.get("services").and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let text = |of: &serde_json::Value, key: &str| {
        of.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let wanted = service.trim_matches('/');
    let mut named = services
        .iter()
        .filter(|service| wanted.is_empty() || text(service, "name").trim_matches('/') == wanted);
    if let Some(found) = named.next() {
        return (text(found, "dialect"), service.to_owned());
    }
    match services.as_slice() {
        // A framework that services share answers by its own name.
        [only] if send(&Request::new("GET", &format!("/service/{wanted}/v1/plans"), "")).status == 404 => {
            (text(only, "dialect"), text(only, "name"))
        }
        _ => (String::new(), service.to_owned()),
    }
}

/// The text of a file with options; `stdin` and `-` are standard input. Of a folder, written with a slash at its end, the
/// files below it, one a line. Archives are read like folders.
fn options(name: &str) -> Result<String, String> {
    if let Some((archive, inside)) = archive::part(name) {
        return archive::read(archive, inside).map_err(|error| format!("{error:#}"));
    }
    if name.ends_with('/') {
        let mut files = Vec::new();
        below(Path::new(name), "", &mut files).map_err(|error| format!("{name}: {error}"))?;
        return Ok(files.join("\n"));
    }
    let text = if matches!(name, "stdin" | "-") {
        let mut text = String::new();
        let read = std::io::stdin().lock().take(MAX_FILE).read_to_string(&mut text);
        read.map(|_| text).context("reading standard input")
    } else {
        read(Path::new(name))
    };
    text.map_err(|error| format!("{error:#}"))
}

/// The files below a folder by their paths from there, sorted.
fn below(folder: &Path, prefix: &str, files: &mut Vec<String>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            below(&entry.path(), &format!("{name}/"), files)?;
        } else if files.len() < MOST_FILES {
            files.push(name);
        }
    }
    Ok(())
}

/// Files of a folder that are listed at most.
const MOST_FILES: usize = 10_000;

/// Creates a new world, played up to `--at`. `None` if the input has errors, which are printed.
fn fresh(path: &Path, args: &ExecArgs) -> Result<Option<Session>> {
    if let Some(mut engine) = link::replayed(path)? {
        if args.at != "end" {
            let ms = instant(&args.at)?;
            engine.seek_ms(ms);
            engine.advance_to(ms);
        }
        return Ok(Some(Session::over(engine, None)));
    }
    let scenario = match runnable(path, &args.input)? {
        // Only the requested answer is printed; `check` reports findings that do not prevent a run.
        Runnable::Yes(scenario, ..) => *scenario,
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", render::text::render(&diagnostics, &sources));
            return Ok(None);
        }
    };
    let (mut engine, mut player) = Player::start(scenario);
    if args.at == "end" {
        player.run_to_end(&mut engine);
    } else {
        player.advance_to(&mut engine, instant(&args.at)?);
    }
    Ok(Some(Session::over(engine, Some(player))))
}

fn instant(text: &str) -> Result<u64> {
    parse_duration_ms(text).with_context(|| format!("--at `{text}`: write 30s, 1m30s or end"))
}
