//! The rules and texts of the real command line's parser.
//!
//! Knows: the wording of refusals, and of the usage text. Must not know: what a command does.
//!
//! **Source**: dcos-commons `cli/commands` and the argument parser it uses: flags may come anywhere, `--` ends them.
//! Match for words, aliases, flags; the error and usage texts are ours.

use super::commands::{COMMANDS, GLOBAL, KINDS, Run};
use planarium_part::console::{Column, Command, Grammar, Problem, Reading, Style, Unknown};
use planarium_source::suggest;
use std::fmt::Write as _;

/// The commands with their kinds of arguments and their texts.
pub(super) static GRAMMAR: Grammar<Run> = Grammar {
    commands: COMMANDS,
    globals: GLOBAL,
    reading: Reading::Kingpin,
    kinds: KINDS,
    style: Style {
        error: "error",
        problem: words,
        head: "Usage: [--name SERVICE] [--verbose] COMMAND\n\nCommands:\n",
        line: line_of,
        column: Column::Fitted(44),
        help: |command| {
            let words: Vec<String> = command.name().split(' ').map(str::to_owned).collect();
            GRAMMAR.list(&words)
        },
        shows_groups: false,
        offers_flags: false,
    },
};

/// `plan start PLAN [-p K=V]...`.
fn line_of(command: &Command<Run>) -> String {
    let mut out = command.line("");
    for flag in command.flags {
        let dashes = flag.short.map_or_else(|| format!("--{}", flag.name), |short| format!("-{short}"));
        let value = flag.value.map(|value| format!(" {value}")).unwrap_or_default();
        let dots = if flag.repeats { "..." } else { "" };
        let _ = write!(out, " [{dashes}{value}]{dots}");
    }
    out
}

/// Returns the module that `dcos MODULE` names, and the words after it. The real one takes the package's name for the service's,
/// without its `beta-`.
pub(super) fn module(args: &[String]) -> (Option<&str>, &[String]) {
    match args {
        [dcos, module, rest @ ..] if dcos == "dcos" && !module.starts_with('-') => {
            (Some(module.strip_prefix("beta-").unwrap_or(module)), rest)
        }
        _ => (None, args),
    }
}

fn words(problem: &Problem, command: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => no_command(unknown),
        Problem::NoFlag(written) => format!("there is no flag {}", written.dashed()),
        Problem::NoValue(flag, written) => {
            format!("the flag {} takes a value: {}", written.dashed(), flag.value.unwrap_or_default())
        }
        Problem::Value(written, _) => format!("the flag {} takes no value", written.dashed()),
        Problem::Foreign(flag, _) => format!("`{command}` has no flag --{}", flag.name),
        Problem::Missing(place) => format!("`{command}` needs {}", place.name),
        Problem::More(more) => format!("`{command}` does not take '{more}'"),
    }
}

/// The words of a command that is found below `debug` only, when they are given without it.
fn below_debug(words: &[String]) -> Option<String> {
    let whole: Vec<String> = std::iter::once("debug".to_owned()).chain(words.iter().cloned()).collect();
    let name = GRAMMAR.named(&whole)?.name();
    name.strip_prefix("debug ").map(str::to_owned)
}

fn no_command(unknown: &Unknown) -> String {
    let (begun, wrong) = (unknown.begun.join(" "), unknown.rest.first());
    match (below_debug(&unknown.words()), wrong) {
        (Some(words), _) => format!("there is no command `{words}`; did you mean 'debug {words}'?"),
        (None, None) if begun.is_empty() => "a command is needed".to_owned(),
        (None, None) => format!("`{begun}` needs one of: {}", unknown.fits.join(", ")),
        (None, Some(wrong)) => {
            let whole = format!("{begun} {wrong}");
            let whole = whole.trim_start();
            match suggest(wrong, unknown.fits.iter().copied()) {
                Some(meant) => format!("there is no command `{whole}`; did you mean '{meant}'?"),
                None => format!("there is no command `{whole}`"),
            }
        }
    }
}
