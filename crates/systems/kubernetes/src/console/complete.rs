//! Completes a typed line: commands, flags, kinds and known names.

use planarium_part::console::complete::{named, next_words, unused_flags};
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

/// Completes a line; returns nothing for a line that cannot be parsed.
pub(super) fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.first() == Some(&"kubectl") {
        args.remove(0);
    }
    let Some(command) = named(COMMANDS, &args) else {
        return next_words(COMMANDS, &args);
    };
    let rest = args.get(command.words.len()..).unwrap_or_default();
    if typed.starts_with('-') {
        return unused_flags(command.flags.iter().chain(GLOBAL).map(|flag| flag.name), rest);
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
