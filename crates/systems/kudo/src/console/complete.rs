//! Completes a typed line: commands, flags, and known names.

use planarium_part::console::{Completion, Namer, Names};

use super::{COMMANDS, GLOBAL};

/// Completes a line; returns nothing for a line that makes no sense so far.
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
    let command = COMMANDS
        .iter()
        .filter(|command| args.starts_with(command.words))
        .max_by_key(|command| command.words.len());
    let Some(command) = command else {
        // The next word of every command that begins so.
        let mut words: Vec<String> = COMMANDS
            .iter()
            .filter(|command| command.words.starts_with(&args))
            .filter_map(|command| command.words.get(args.len()).map(|word| (*word).to_owned()))
            .collect();
        words.dedup();
        return words;
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
        let flags = command.flags.iter().chain(GLOBAL);
        return flags
            .map(|spec| format!("--{}", spec.name))
            .filter(|flag| !rest.contains(&flag.as_str()))
            .collect();
    }
    if command.words == ["get"] && rest.is_empty() {
        return ["instances", "operators", "operatorversions", "all"].map(str::to_owned).to_vec();
    }
    Vec::new()
}
