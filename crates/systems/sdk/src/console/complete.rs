//! Completes a typed line: commands, flags, and the service's names.
//!
//! Knows: which place of a command takes which kind of name. Must not know: the names; the caller gives them.

use super::commands::COMMANDS;
use super::grammar::{Command, Flag, apart, module};
use planarium_part::console::{Completion, Namer, Names};

/// Completes a line; returns nothing for a line that cannot be parsed.
pub fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    if let [dcos] = args
        && dcos == "dcos"
    {
        return names(None, Names::Services);
    }
    let (service, args) = module(args);
    // A flag whose value is being typed: the words before it, and the flag.
    let (args, flag) = match args.split_last() {
        Some((last, rest)) if !rest.iter().any(|arg| arg == "--") => match Flag::waiting(last) {
            Some(flag) => (rest, Some(flag)),
            None => (args, None),
        },
        _ => (args, None),
    };
    let Ok((mut words, flags)) = apart(args) else { return Vec::new() };
    let named = flags.iter().rev().find(|(flag, _)| *flag == Flag::Name).map(|(_, name)| name.as_str());
    let service = named.or(service);
    let asks_help = words.first().is_some_and(|word| word == "help");
    if asks_help {
        words.remove(0);
    }
    let command = COMMANDS.iter().find(|command| command.matched(&words) == command.path.len());
    let given = command.and_then(|command| words.get(command.path.len()..)).unwrap_or_default();
    if let Some(flag) = flag {
        let pod = given.first().map(String::as_str).unwrap_or_default();
        return values(flag, pod, service, names);
    }
    if let Some((name, _)) = typed.strip_prefix("--").and_then(|typed| typed.split_once('=')) {
        let Some(flag) = Flag::named(name) else { return Vec::new() };
        let pod = given.first().map(String::as_str).unwrap_or_default();
        return values(flag, pod, service, names).iter().map(|value| format!("--{name}={value}")).collect();
    }
    if typed.starts_with('-') && !args.iter().any(|arg| arg == "--") {
        return Flag::ALL
            .iter()
            .filter(|flag| flag.fits(command))
            .map(|flag| format!("--{}", flag.long()))
            .collect();
    }
    match command {
        Some(_) if asks_help => Vec::new(),
        Some(command) => arguments(command, given, service, names),
        None => commands(&words, typed, asks_help),
    }
}

/// Words that may follow the beginning of a command's name.
fn commands(words: &[String], typed: &str, asks_help: bool) -> Vec<String> {
    let mut main: Vec<String> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for command in COMMANDS.iter().filter(|command| command.matched(words) == words.len()) {
        let mut place =
            command.path.get(words.len()).copied().unwrap_or_default().iter().map(|name| (*name).to_owned());
        main.extend(place.next().filter(|name| !main.contains(name)));
        for name in place {
            if !others.contains(&name) {
                others.push(name);
            }
        }
    }
    if words.is_empty() && !asks_help {
        main.push("help".to_owned());
    }
    // An alias is offered to those who begin to type it.
    let fits = |names: &[String]| names.iter().any(|name| name.starts_with(typed));
    if fits(&main) { main } else { others }
}

fn arguments(
    command: &Command,
    given: &[String],
    service: Option<&str>,
    names: &mut Namer<'_>,
) -> Vec<String> {
    let before = |name: &str| {
        let index = command.args.iter().position(|arg| arg.name == name)?;
        given.get(index).map(String::as_str)
    };
    // `update` is about the deploy plan.
    let plan = before("PLAN").unwrap_or("deploy");
    match command.args.get(given.len()).map(|arg| arg.name) {
        Some("PLAN") => names(service, Names::Plans),
        Some("PHASE") => names(service, Names::Phases(plan)),
        Some("STEP") => names(service, Names::Steps(plan, before("PHASE").unwrap_or_default())),
        Some("POD") => names(service, Names::Pods),
        _ => Vec::new(),
    }
}

fn values(flag: Flag, pod: &str, service: Option<&str>, names: &mut Namer<'_>) -> Vec<String> {
    match flag {
        Flag::Name => names(None, Names::Services),
        Flag::Tasks => names(service, Names::Tasks(pod)),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_part::console::split;

    fn namer(service: Option<&str>, wanted: Names<'_>) -> Vec<String> {
        let names: &[&str] = match (service, wanted) {
            (_, Names::Services) => &["/team/hello", "other"],
            (Some("other"), Names::Plans) => &["rollout"],
            (None | Some("hello"), Names::Plans) => &["deploy", "recovery", "decommission"],
            (_, Names::Phases("deploy")) => &["hello", "world"],
            (_, Names::Steps("deploy", "world")) => {
                &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]
            }
            (_, Names::Pods) => &["hello-0", "hello-1"],
            (_, Names::Tasks("hello-0")) => &["server", "it's"],
            _ => &[],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn every_position_has_its_own_words() {
        let rows: &[(&str, &[&str])] = &[
            ("", &["plan", "pod", "update", "uninstall", "endpoints", "describe", "debug", "help"]),
            ("p", &["plan", "pod"]),
            ("$ pl", &["plan"]),
            ("plan force", &["force-restart", "force-complete"]),
            ("plan sh", &["show"]),
            ("plan nothing ", &[]),
            ("plan status ", &["deploy", "recovery", "decommission"]),
            ("plans show de", &["deploy", "decommission"]),
            ("plan status deploy ", &[]),
            ("plan pause deploy ", &["hello", "world"]),
            ("plan force deploy world ", &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]),
            ("plan force deploy world 'world-1:[s", &["world-1:[server, sidecar]"]),
            ("plan force deploy \"world\" \"world-1", &["world-1:[server, sidecar]"]),
            ("plan force nothing ", &[]),
            ("update force-complete ", &["hello", "world"]),
            ("update force-complete world ", &["world-0:[server, sidecar]", "world-1:[server, sidecar]"]),
            ("pod restart hello-1", &["hello-1"]),
            ("debug pod pause hello-0 -t s", &["server"]),
            ("debug pod pause hello-0 --tasks=s", &["--tasks=server"]),
            ("debug pod pause hello-0 --t", &["--tasks"]),
            ("debug pod pause -", &["--tasks", "--name", "--verbose", "--help"]),
            ("plan status -", &["--json", "--name", "--verbose", "--help"]),
            ("plan status --name o", &["other"]),
            ("plan status --name other ", &["rollout"]),
            ("--name other plan status ", &["rollout"]),
            ("plan status --wrong ", &[]),
            ("plan start deploy -p ", &[]),
            ("dcos ", &["/team/hello", "other"]),
            ("dcos beta-hello plan status rec", &["recovery"]),
            ("dcos other plan status ", &["rollout"]),
            ("help pl", &["plan"]),
            ("help plan status ", &[]),
        ];
        for (line, want) in rows {
            assert_eq!(complete(line, &mut namer).words, *want, "{line:?}");
        }
    }

    #[test]
    fn a_line_is_completed_as_far_as_all_words_agree() {
        let rows = [
            ("pl", Some("plan ")),
            ("plan status d", Some("plan status de")),
            ("plan status de", None),
            ("plan status rec", Some("plan status recovery ")),
            ("  pod restart ", Some("  pod restart hello-")),
            ("pod restart hello-", None),
            ("pod restart x", None),
            ("plan force deploy world ", Some("plan force deploy world world-")),
            ("plan force deploy world world-0", Some("plan force deploy world 'world-0:[server, sidecar]' ")),
            ("debug pod pause hello-0 -t i", Some(r"debug pod pause hello-0 -t 'it'\''s' ")),
        ];
        for (line, want) in rows {
            assert_eq!(complete(line, &mut namer).agreed().as_deref(), want, "{line:?}");
        }
    }

    #[test]
    fn a_completed_word_is_parsed_back() {
        for line in ["plan force deploy world w", "debug pod pause hello-0 -t ", "plan status de"] {
            let completion = complete(line, &mut namer);
            for (index, word) in completion.words.iter().enumerate() {
                let whole = completion.with(index).unwrap();
                assert_eq!(split(&whole).unwrap().last(), Some(word), "{whole}");
            }
            assert_eq!(completion.with(99), None);
        }
    }
}
