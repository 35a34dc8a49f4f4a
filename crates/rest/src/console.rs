//! Command lines of the simulated systems: a line goes to the system that its first words name, or to that of the service
//! that is chosen.
//!
//! *Knows*: how a line is split and which system it names. *Must not know*: any command.

pub use planarium_part::console::{Completion, Namer, Names, Output, split};

use crate::{Request, Response};
use planarium_part::Dialect;
use planarium_part::console::{Console, Program, Terminal, program, quoted, without_prompt};
use std::collections::BTreeMap;

/// Runs one command. `service` is the service if the words name none (empty for the only or first one) and
/// `dialect` its dialect (empty when it is not known).
///
/// `send` carries a request to the API. A response with status 0 says that no answer came; its body says why. `read` gives
/// the text of a named file, and of standard input for `stdin`.
pub fn run_with_files(
    args: &[String],
    dialect: &str,
    service: &str,
    send: &mut dyn FnMut(&Request) -> Response,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Output {
    let named = [dialect, of_name(service)].into_iter().find(|dialect| !dialect.is_empty());
    let dialect = named.unwrap_or_else(|| of_words(args));
    let Some((dialect, Program { service: named, words })) = meant(args, dialect) else {
        return Output {
            stderr: "error: there is no system that knows this command\n".to_owned(),
            code: 2,
            ..Output::default()
        };
    };
    let service = named.as_deref().unwrap_or(service);
    let Some(console) = planarium_world::console(dialect.word) else {
        let stderr = format!("error: the code of {} has not been loaded\n", dialect.title);
        return Output { stderr, code: 1, ..Output::default() };
    };
    (console.run)(&words, &mut Terminal { service, send, read })
}

/// [`run_with_files`] without files: options that name a file take the text itself.
pub fn run(args: &[String], service: (&str, &str), send: &mut dyn FnMut(&Request) -> Response) -> Output {
    let mut no_files = |_: &str| Err("there are no files here; write the JSON itself".to_owned());
    run_with_files(args, service.0, service.1, send, &mut no_files)
}

/// Runs a typed line, parted into words as a shell would.
pub fn line(text: &str, service: (&str, &str), send: &mut dyn FnMut(&Request) -> Response) -> Output {
    parted(text, |args| run(args, service, send))
}

/// [`line`] beside some files, by their paths from where the line is typed.
pub fn line_with_files(
    text: &str,
    service: (&str, &str),
    send: &mut dyn FnMut(&Request) -> Response,
    files: &BTreeMap<String, String>,
) -> Output {
    let mut read = |path: &str| {
        let plain = path.trim_start_matches("./").trim_start_matches('/');
        if path.ends_with('/') {
            let below = files.keys().filter_map(|file| file.strip_prefix(plain));
            return Ok(below.collect::<Vec<_>>().join("\n"));
        }
        files.get(plain).cloned().ok_or_else(|| format!("open {path}: no such file or directory"))
    };
    parted(text, |args| run_with_files(args, service.0, service.1, send, &mut read))
}

fn parted(text: &str, run: impl FnOnce(&[String]) -> Output) -> Output {
    match split(text) {
        Ok(args) => run(&args),
        Err(error) => Output { stderr: format!("error: {error}\n"), code: 2, ..Output::default() },
    }
}

/// Completes a line; returns nothing for a line that cannot be parsed.
pub fn complete(line: &str, dialect: &str, names: &mut Namer<'_>) -> Completion {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    without_prompt(&mut words);
    let console = meant(&words, dialect).and_then(|(dialect, _)| planarium_world::console(dialect.word));
    console.map(|console| (console.complete)(line, names)).unwrap_or_default()
}

/// The system whose command line carries out a line; `None` if only the command lines themselves can tell.
pub fn system_of(line: &str, dialect: &str, service: &str) -> Option<&'static str> {
    let mut words = split(line).unwrap_or_else(|_| line.split_whitespace().map(str::to_owned).collect());
    without_prompt(&mut words);
    let named = [dialect, of_name(service)].into_iter().find(|dialect| !dialect.is_empty());
    let by_program =
        planarium_world::dialects().iter().any(|dialect| program(dialect.programs, &words).is_some());
    if named.is_none() && !by_program {
        return None;
    }
    meant(&words, named.unwrap_or_default()).map(|(dialect, _)| dialect.word)
}

/// The dialect that a service is called like, as the service that a system of one process is; empty if there is none.
fn of_name(service: &str) -> &'static str {
    let name = service.trim_matches('/');
    planarium_world::dialects().iter().find(|dialect| dialect.word == name).map_or("", |dialect| dialect.word)
}

/// The dialect whose command line knows most of the words, the first one of those that know the same; empty if none knows the first.
fn of_words(args: &[String]) -> &'static str {
    let mut best = ("", 0);
    for dialect in planarium_world::dialects() {
        let known = planarium_world::console(dialect.word).map_or(0, |console| known(&console, args));
        if known > best.1 {
            best = (dialect.word, known);
        }
    }
    best.0
}

/// Number of leading words that a system would have completed.
fn known(console: &Console, args: &[String]) -> usize {
    let mut line = String::new();
    for (at, word) in args.iter().enumerate() {
        line.push_str(&quoted(word));
        let offered = (console.complete)(&line, &mut |_, _| Vec::new());
        if !offered.words.contains(word) {
            return at;
        }
        line.push(' ');
    }
    args.len()
}

/// The system that the words name by its program, or that of the dialect; the first one where neither is known.
fn meant(args: &[String], dialect: &str) -> Option<(&'static Dialect, Program)> {
    let dialects = planarium_world::dialects();
    let named = |dialect: &'static Dialect| Some((dialect, program(dialect.programs, args)?));
    // A program that is spelled out wins over one whose second word may be any service's name.
    let mut found: Vec<(&'static Dialect, Program)> = dialects.iter().filter_map(named).collect();
    planarium_kernel::sorted::sort_by_key(&mut found, |(_, program)| program.service.is_some());
    if let Some(first) = found.into_iter().next() {
        return Some(first);
    }
    let chosen = dialects.iter().find(|one| one.word == dialect).or_else(|| dialects.first())?;
    Some((chosen, Program { service: None, words: args.to_vec() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_lines_without_files() {
        let mut send = |_: &Request| Response::text(200, "[]");
        assert_eq!(line("$ plan list", ("sdk", "hello"), &mut send).stdout, "[]\n");
        let open = line("plan 'list", ("sdk", "hello"), &mut send);
        assert_eq!((open.code, open.stderr.as_str()), (2, "error: the quote ' is never closed\n"));
        let output = line("update start --options x.json", ("sdk", "hello"), &mut send);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (2, "--options x.json: there are no files here; write the JSON itself\n")
        );
    }

    #[test]
    fn a_service_without_a_server_has_its_systems_words() {
        let mut send = |_: &Request| Response::text(0, "connecting to 127.0.0.1:8080: refused");
        let output = line("app list", ("", "marathon"), &mut send);
        assert_eq!(output.code, 1);
        assert!(output.stderr.contains("connecting to 127.0.0.1:8080"), "{}", output.stderr);
        assert!(!output.stderr.contains("usage"), "{}", output.stderr);
    }

    #[test]
    fn without_a_service_the_words_select_the_system() {
        for (words, dialect) in [
            ("install ./web --instance shop", "kudo"),
            ("package verify web", "kudo"),
            ("plan trigger --name deploy", "kudo"),
            ("update --instance shop -p A=1", "kudo"),
            ("plan show deploy", "sdk"),
            ("pod restart hello-0", "sdk"),
            ("app list", "marathon"),
            ("nonsense", ""),
            ("", ""),
        ] {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            assert_eq!(of_words(&words), dialect, "{words:?}");
        }
        let mut send = |_: &Request| Response::text(0, "connecting to 127.0.0.1:8080: refused");
        let output = line("install web", ("", "shop"), &mut send);
        assert_eq!(
            output.stderr,
            "Error: failed to resolve operator package for: web operator.yaml: there are no files here; write the JSON itself\n"
        );
    }

    #[test]
    fn the_program_of_a_line_names_the_service() {
        let mut asked = Vec::new();
        let mut send = |request: &Request| {
            asked.push(request.path.clone());
            Response::text(200, "[]")
        };
        line("dcos other plan list", ("sdk", "hello"), &mut send);
        line("plan list", ("", "hello"), &mut send);
        assert_eq!(asked, ["/service/other/v1/plans", "/service/hello/v1/plans"]);
    }
}
