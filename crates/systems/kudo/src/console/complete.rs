//! Completes a typed line: commands, flags, and known names.

use planarium_part::console::complete::{named, next_words, unused_flags};
use planarium_part::console::{Completion, Namer, Names};

use super::{COMMANDS, GLOBAL};

/// Completes a line; returns nothing for a line that cannot be parsed.
pub(super) fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["kubectl"] => return vec!["kudo".to_owned()],
        ["kubectl", "kudo", ..] => {
            args.drain(..2);
        }
        _ => {}
    }
    let Some(command) = named(COMMANDS, &args) else {
        return next_words(COMMANDS, &args);
    };
    let rest = args.get(command.words.len()..).unwrap_or_default();
    match rest.last().copied() {
        Some("--instance") => return names(None, Names::Services),
        Some("--name") => {
            let at = rest.iter().position(|word| *word == "--instance");
            let instance = at.and_then(|at| rest.get(at.saturating_add(1))).copied();
            return names(instance, Names::Plans);
        }
        Some("-o" | "--output") => return vec!["yaml".to_owned(), "json".to_owned()],
        _ => {}
    }
    if typed.starts_with('-') || rest.is_empty() && command.arguments.is_empty() {
        return unused_flags(command.flags.iter().chain(GLOBAL).map(|flag| flag.name), rest);
    }
    if command.words == ["get"] && rest.is_empty() {
        return ["instances", "operators", "operatorversions", "all"].map(str::to_owned).to_vec();
    }
    Vec::new()
}
