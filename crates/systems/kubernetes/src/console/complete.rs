//! Completes a typed line: commands, flags, kinds and known names.

use planarium_part::console::{Completion, Namer, Names};

use super::{COMMANDS, GLOBAL};

/// Kinds that are offered.
const KINDS: [&str; 12] = [
    "deployments",
    "statefulsets",
    "daemonsets",
    "jobs",
    "cronjobs",
    "replicasets",
    "pods",
    "services",
    "nodes",
    "events",
    "configmaps",
    "persistentvolumeclaims",
];

/// Completes a line; returns nothing for a line that makes no sense so far.
pub(super) fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.first() == Some(&"kubectl") {
        args.remove(0);
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
    if typed.starts_with('-') {
        let flags = command.flags.iter().chain(GLOBAL).map(|spec| format!("--{}", spec.name));
        return flags.filter(|flag| !rest.contains(&flag.as_str())).collect();
    }
    match (command.words, rest) {
        (["get" | "describe" | "delete" | "patch" | "scale"], []) => {
            KINDS.map(str::to_owned).into_iter().chain(plans(names)).collect()
        }
        (["get" | "describe" | "delete"], ["pods" | "pod" | "po"]) | (["logs"], []) => {
            names(None, Names::Pods)
        }
        (["rollout", _] | ["set", "image"] | ["autoscale"], []) => plans(names),
        _ => Vec::new(),
    }
}

/// Workloads as `KIND/NAME`: their plans are called `KIND.NAME`.
fn plans(names: &mut Namer<'_>) -> Vec<String> {
    let all = names(None, Names::Plans);
    all.iter().filter_map(|plan| plan.split_once('.')).map(|(kind, name)| format!("{kind}/{name}")).collect()
}
