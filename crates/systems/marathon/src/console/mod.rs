//! `dcos marathon`: words in, text out.
//!
//! *Knows*: the words, the API requests of each command, the output for every answer. *Must not know*: sockets, files, how the
//! API produces its answers.
//!
//! `deployment watch` advances time through `/sim/advance` if the clock can be moved.
//!
//! **Source**: `dcos/dcos-core-cli: python/lib/dcoscli/dcoscli/marathon, dcoscli/data/help/marathon.txt, dcoscli/tables.py`. Match
//! for words, flags and columns; simplified: plug-in commands (`about` apart) and `--config-schema` are absent.

use std::fmt::Write as _;

mod answer;
mod apps;
mod client;
mod debug;
mod flags;
mod groups;
mod table;
mod tasks;

use client::Client;
use planarium_part::console::complete::{Worded, named, next_words, unused_flags};
use planarium_part::console::flags::Given;
use planarium_part::console::{Completion, Console, Namer, Names, Output, Terminal};

/// The command line.
pub(crate) const CONSOLE: Console = Console {
    programs: &[&["dcos", "marathon"]],
    run,
    complete,
    usage,
    example: "app update /web instances=5",
};

/// Result of a command; an error is its text.
type Done = Result<(), String>;

/// A command.
struct Command {
    words: &'static [&'static str],
    /// Arguments after them: `<x>` is required, `[x]` is optional, `...` repeats.
    arguments: &'static str,
    about: &'static str,
    /// Its flags; those with `=` take a value.
    flags: &'static [&'static str],
    run: fn(&mut Client<'_, '_>, &Given) -> Done,
}

impl Worded for Command {
    fn words(&self) -> &'static [&'static str] {
        self.words
    }
}

/// Every command: words, arguments, description, flags, function.
macro_rules! commands {
    ($($words:expr, $arguments:literal, $about:literal, $flags:expr, $run:path;)+) => {
        const COMMANDS: &[Command] =
            &[$(Command { words: &$words, arguments: $arguments, about: $about, flags: &$flags, run: $run }),+];
    };
}

commands! {
    ["about"], "", "prints the configuration of Marathon", [], debug::about;
    ["ping"], "", "asks whether it is there", [], debug::ping;
    ["leader", "show"], "", "prints the leader", ["json"], debug::leader;
    ["app", "add"], "[app-resource]", "adds an app", ["id="], apps::add;
    ["app", "list"], "", "lists the apps", ["json", "quiet"], apps::list;
    ["app", "remove"], "<app-id>", "removes an app", ["force"], apps::remove;
    ["app", "restart"], "<app-id>", "replaces every instance of an app", ["force"], apps::restart;
    ["app", "show"], "<app-id>", "prints the definition of an app", ["app-version="], apps::show;
    ["app", "start"], "<app-id> [instances]", "starts a suspended app", ["force"], apps::start;
    ["app", "stop"], "<app-id>", "suspends an app", ["force"], apps::stop;
    ["app", "kill"], "<app-id>", "kills instances of an app", ["scale", "host="], apps::kill;
    ["app", "update"], "<app-id> [properties...]", "changes an app: key=value, or JSON", ["force"], apps::update;
    ["app", "version", "list"], "<app-id>", "lists the versions of an app", ["max-count="], apps::versions;
    ["deployment", "list"], "[app-id]", "lists the deployments under way", ["json", "quiet"], tasks::deployments;
    ["deployment", "rollback"], "<deployment-id>", "takes back what a deployment changes", [], tasks::rollback;
    ["deployment", "stop"], "<deployment-id>", "gives a deployment up and leaves things as they are", [], tasks::stop_deployment;
    ["deployment", "watch"], "<deployment-id>", "follows a deployment", ["max-count=", "interval="], tasks::watch;
    ["group", "add"], "[group-resource]", "adds a group", ["id="], groups::add;
    ["group", "list"], "", "lists the groups", ["json"], groups::list;
    ["group", "remove"], "<group-id>", "removes a group", ["force"], groups::remove;
    ["group", "scale"], "<group-id> <scale-factor>", "multiplies the instances of all apps of a group", ["force"], groups::scale;
    ["group", "show"], "<group-id>", "prints a group", ["group-version="], groups::show;
    ["group", "update"], "<group-id> [properties...]", "changes a group", ["force"], groups::update;
    ["pod", "add"], "[pod-resource]", "adds a pod", [], groups::add_pod;
    ["pod", "list"], "", "lists the pods", ["json"], groups::list_pods;
    ["pod", "remove"], "<pod-id>", "removes a pod", ["force"], groups::remove_pod;
    ["pod", "show"], "<pod-id>", "prints the status of a pod", [], groups::show_pod;
    ["pod", "update"], "<pod-id> [pod-resource]", "changes a pod", ["force"], groups::update_pod;
    ["pod", "kill"], "<pod-id> [instance-ids...]", "kills instances of a pod", [], groups::kill_pod;
    ["task", "list"], "[app-id]", "lists the tasks", ["json", "quiet"], tasks::list;
    ["task", "show"], "<task-id>", "prints a task", [], tasks::show;
    ["task", "stop"], "<task-id>", "kills a task", ["wipe"], tasks::stop;
    ["task", "kill"], "<task-ids...>", "kills tasks", ["scale", "wipe"], tasks::kill;
    ["debug", "list"], "", "lists what waits in the launch queue", ["json"], debug::list;
    ["debug", "summary"], "<app-id>", "shows which requirements no offer meets", ["json"], debug::summary;
    ["debug", "details"], "<app-id>", "shows what the last offer of each agent lacks", ["json"], debug::details;
    ["delay", "reset"], "<app-id>", "ends the launch delay of an app (no command of the real program)", [], debug::reset;
}

/// Returns the minimum and maximum number of arguments of a command.
fn bounds(arguments: &str) -> (usize, usize) {
    let least = arguments.split(' ').filter(|word| word.starts_with('<')).count();
    let most = if arguments.contains("...") {
        usize::MAX
    } else {
        arguments.split(' ').filter(|word| !word.is_empty()).count()
    };
    (least, most)
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let found = named(COMMANDS, &words);
    let asks_help = words.is_empty() || words.iter().any(|word| matches!(*word, "--help" | "-h" | "help"));
    let Some(command) = found else {
        if asks_help {
            return Output { stdout: usage(), ..Output::default() };
        }
        return unclear(&format!("'{}' is not a command", words.join(" ")), &usage());
    };
    if asks_help {
        return Output { stdout: usage_of(command), ..Output::default() };
    }
    let rest = args.get(command.words.len()..).unwrap_or_default();
    let given = match flags::read(rest, command.flags) {
        Ok(given) => given,
        Err(problem) => return unclear(&problem, &usage_of(command)),
    };
    let (least, most) = bounds(command.arguments);
    if given.arguments.len() < least {
        return unclear("an argument is missing", &usage_of(command));
    }
    if given.arguments.len() > most {
        return unclear("there are more arguments than it takes", &usage_of(command));
    }
    let mut client = Client::new(terminal);
    let done = (command.run)(&mut client, &given);
    let mut output = client.into_output();
    if let Err(problem) = done {
        output.stderr = format!("{problem}\n");
        output.code = 1;
    }
    output
}

fn unclear(problem: &str, usage: &str) -> Output {
    Output { stdout: String::new(), stderr: format!("Error: {problem}\n\n{usage}"), code: 2 }
}

fn line_of(command: &Command) -> String {
    let mut line = format!("dcos marathon {}", command.words.join(" "));
    for flag in command.flags {
        let (name, value) = flag.strip_suffix('=').map_or((*flag, ""), |name| (name, "=<value>"));
        let _ = write!(line, " [--{name}{value}]");
    }
    if !command.arguments.is_empty() {
        line.push(' ');
        line.push_str(command.arguments);
    }
    line
}

/// Every command, one a line.
fn usage() -> String {
    let mut text = String::from("Usage:\n");
    for command in COMMANDS {
        let _ = writeln!(text, "  {:<76} {}", line_of(command), command.about);
    }
    text
}

fn usage_of(command: &Command) -> String {
    format!("Usage:\n  {}\n\nIt {}.\n", line_of(command), command.about)
}

/// Completes a typed line: commands, flags, and known names.
fn complete(line: &str, names: &mut Namer<'_>) -> Completion {
    Completion::of(line, |args, typed| candidates(args, typed, names))
}

fn candidates(args: &[String], typed: &str, names: &mut Namer<'_>) -> Vec<String> {
    let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["dcos"] => return vec!["marathon".to_owned()],
        ["dcos", "marathon", ..] => _ = args.drain(..2),
        _ => {}
    }
    let Some(command) = named(COMMANDS, &args) else {
        return next_words(COMMANDS, &args);
    };
    let rest = args.get(command.words.len()..).unwrap_or_default();
    if typed.starts_with('-') {
        return unused_flags(command.flags.iter().map(|flag| flag.trim_end_matches('=')), rest);
    }
    if rest.iter().any(|word| !word.starts_with('-')) {
        return Vec::new();
    }
    let argument = command.arguments.trim_start_matches(['<', '[']);
    if argument.starts_with("app-id") || argument.starts_with("pod-id") {
        let mut ids = Vec::new();
        for phase in names(None, Names::Phases(crate::shown::APPS)) {
            for step in names(None, Names::Steps(crate::shown::APPS, &phase)) {
                ids.push(crate::shown::app_at(&phase, &step).to_string());
            }
        }
        return ids;
    }
    if argument.starts_with("group-id") {
        let groups = names(None, Names::Phases(crate::shown::APPS)).into_iter();
        return groups
            .filter(|group| group != crate::shown::NO_GROUP)
            .map(|group| format!("/{group}"))
            .collect();
    }
    if argument.starts_with("deployment-id") {
        return names(None, Names::Plans).into_iter().filter(|plan| plan != crate::shown::APPS).collect();
    }
    if argument.starts_with("task-id") {
        let pods = names(None, Names::Pods);
        return pods.iter().flat_map(|pod| names(None, Names::Tasks(pod))).collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split() {
        let run = |line: &str| {
            let args: Vec<String> =
                line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let mut send = |request: &planarium_part::Request| {
                let seen = format!("{} {}?{}", request.method, request.path, request.query);
                planarium_part::Response::json(404, &planarium_protocol::json!({"message": seen}))
            };
            let mut read = |_: &str| Err("no file".to_owned());
            let mut terminal = Terminal { service: "", send: &mut send, read: &mut read };
            let output = super::run(&args, &mut terminal);
            (output.code, output.stderr.lines().next().unwrap_or_default().to_owned())
        };
        let rows = [
            ("app list", 1, "Error: GET /service/marathon/v2/apps?"),
            ("app remove --force /a/b/", 1, "Error: DELETE /service/marathon/v2/apps/a/b?force=true"),
            ("app remove a", 1, "Error: DELETE /service/marathon/v2/apps/a?force=false"),
            ("app remove", 2, "Error: an argument is missing"),
            (
                "app kill --host h --scale x",
                1,
                "Error: DELETE /service/marathon/v2/apps/x/tasks?scale=true&host=h",
            ),
            ("app list --loud", 2, "Error: unknown flag: --loud"),
            ("app", 2, "Error: 'app' is not a command"),
            ("deployment stop x y", 2, "Error: there are more arguments than it takes"),
        ];
        for (line, code, first) in rows {
            assert_eq!(run(line), (code, first.to_owned()), "{line}");
        }
    }
}
