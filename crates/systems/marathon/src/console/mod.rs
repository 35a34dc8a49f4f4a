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
mod groups;
mod tasks;

use client::Client;
use planarium_part::commands;
use planarium_part::console::{
    Column, Command, Console, Flag, Given, Grammar, Namer, Names, Output, Problem, Reading, Style, Terminal,
    Typed, in_pflags_words,
};

/// The command line.
pub(crate) const CONSOLE: Console = Console {
    run,
    complete: |line, names| GRAMMAR.complete(PROGRAMS, line, names),
    usage: || GRAMMAR.list(&[]),
};

/// The name of the program.
pub(crate) const PROGRAMS: &[&[&str]] = &[&["dcos", "marathon"]];

/// A command as people type it.
pub(crate) const EXAMPLE: &str = "app update /web instances=5";

/// Result of a command; an error is its text.
type Done = Result<(), String>;

/// Carries out a command.
type Run = fn(&mut Client<'_, '_>, &Given) -> Done;

const JSON: Flag = Flag::plain("json");
const ID: Flag = Flag::valued("id", "<value>");
const QUIET: Flag = Flag::plain("quiet");
const FORCE: Flag = Flag::plain("force");
const APP_VERSION: Flag = Flag::valued("app-version", "<value>");
const SCALE: Flag = Flag::plain("scale");
const HOST: Flag = Flag::valued("host", "<value>");
const MAX_COUNT: Flag = Flag::valued("max-count", "<value>");
const INTERVAL: Flag = Flag::valued("interval", "<value>");
const GROUP_VERSION: Flag = Flag::valued("group-version", "<value>");
const WIPE: Flag = Flag::plain("wipe");

/// Every command.
const COMMANDS: &[Command<Run>] = commands! {
    "about", "", "prints the configuration of Marathon", [], debug::about;
    "ping", "", "asks whether it is there", [], debug::ping;
    "leader show", "", "prints the leader", [JSON], debug::leader;
    "app add", "[app-resource]", "adds an app", [ID], apps::add;
    "app list", "", "lists the apps", [JSON, QUIET], apps::list;
    "app remove", "<app-id>", "removes an app", [FORCE], apps::remove;
    "app restart", "<app-id>", "replaces every instance of an app", [FORCE], apps::restart;
    "app show", "<app-id>", "prints the definition of an app", [APP_VERSION], apps::show;
    "app start", "<app-id> [instances]", "starts a suspended app", [FORCE], apps::start;
    "app stop", "<app-id>", "suspends an app", [FORCE], apps::stop;
    "app kill", "<app-id>", "kills instances of an app", [SCALE, HOST], apps::kill;
    "app update", "<app-id> [properties...]", "changes an app: key=value, or JSON", [FORCE], apps::update;
    "app version list", "<app-id>", "lists the versions of an app", [MAX_COUNT], apps::versions;
    "deployment list", "[app-id]", "lists the deployments under way", [JSON, QUIET], tasks::deployments;
    "deployment rollback", "<deployment-id>", "takes back what a deployment changes", [], tasks::rollback;
    "deployment stop", "<deployment-id>", "gives a deployment up and leaves things as they are", [], tasks::stop_deployment;
    "deployment watch", "<deployment-id>", "follows a deployment", [MAX_COUNT, INTERVAL], tasks::watch;
    "group add", "[group-resource]", "adds a group", [ID], groups::add;
    "group list", "", "lists the groups", [JSON], groups::list;
    "group remove", "<group-id>", "removes a group", [FORCE], groups::remove;
    "group scale", "<group-id> <scale-factor>", "multiplies the instances of all apps of a group", [FORCE], groups::scale;
    "group show", "<group-id>", "prints a group", [GROUP_VERSION], groups::show;
    "group update", "<group-id> [properties...]", "changes a group", [FORCE], groups::update;
    "pod add", "[pod-resource]", "adds a pod", [], groups::add_pod;
    "pod list", "", "lists the pods", [JSON], groups::list_pods;
    "pod remove", "<pod-id>", "removes a pod", [FORCE], groups::remove_pod;
    "pod show", "<pod-id>", "prints the status of a pod", [], groups::show_pod;
    "pod update", "<pod-id> [pod-resource]", "changes a pod", [FORCE], groups::update_pod;
    "pod kill", "<pod-id> [instance-ids...]", "kills instances of a pod", [], groups::kill_pod;
    "task list", "[app-id]", "lists the tasks", [JSON, QUIET], tasks::list;
    "task show", "<task-id>", "prints a task", [], tasks::show;
    "task stop", "<task-id>", "kills a task", [WIPE], tasks::stop;
    "task kill", "<task-ids...>", "kills tasks", [SCALE, WIPE], tasks::kill;
    "debug list", "", "lists what waits in the launch queue", [JSON], debug::list;
    "debug summary", "<app-id>", "shows which requirements no offer meets", [JSON], debug::summary;
    "debug details", "<app-id>", "shows what the last offer of each agent lacks", [JSON], debug::details;
    "delay reset", "<app-id>", "ends the launch delay of an app (no command of the real program)", [], debug::reset;
};

/// The commands with their kinds of arguments and their texts.
static GRAMMAR: Grammar<Run> = Grammar {
    commands: COMMANDS,
    globals: &[],
    reading: Reading::Docopt,
    kinds: &[
        ("app-id", apps_and_pods),
        ("pod-id", apps_and_pods),
        ("group-id", the_groups),
        ("deployment-id", the_deployments),
        ("task-id", the_tasks),
        ("task-ids", the_tasks),
    ],
    style: Style {
        error: "Error",
        problem: words,
        head: "Usage:\n",
        line: line_of,
        column: Column::Fixed(76),
        help: |command| format!("Usage:\n  {}\n\nIt {}.\n", line_of(command), command.about),
        shows_groups: false,
        offers_flags: false,
    },
};

fn words(problem: &Problem, _: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => format!("'{}' is not a command", unknown.words().join(" ")),
        Problem::Missing(_) => "an argument is missing".to_owned(),
        Problem::More(_) => "there are more arguments than it takes".to_owned(),
        flags => in_pflags_words(flags).unwrap_or_default(),
    }
}

/// A command with its flags before its arguments.
fn line_of(command: &Command<Run>) -> String {
    let mut line = format!("dcos marathon {}", command.name());
    for flag in command.flags {
        let value = flag.value.map(|value| format!("={value}")).unwrap_or_default();
        let _ = write!(line, " [--{}{value}]", flag.name);
    }
    if !command.arguments.is_empty() {
        line.push(' ');
        line.push_str(command.arguments);
    }
    line
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let (command, given) = match GRAMMAR.read(args) {
        Ok(read) => read,
        Err(output) => return output,
    };
    let mut client = Client::new(terminal);
    let done = (command.run)(&mut client, &given);
    let mut output = client.into_output();
    if let Err(problem) = done {
        output.stderr = format!("{problem}\n");
        output.code = 1;
    }
    output
}

fn apps_and_pods(_: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    let mut ids = Vec::new();
    for phase in names(None, Names::Phases(crate::shown::APPS)) {
        for step in names(None, Names::Steps(crate::shown::APPS, &phase)) {
            ids.push(crate::shown::app_at(&phase, &step).to_string());
        }
    }
    ids
}

fn the_groups(_: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    let groups = names(None, Names::Phases(crate::shown::APPS)).into_iter();
    groups.filter(|group| group != crate::shown::NO_GROUP).map(|group| format!("/{group}")).collect()
}

fn the_deployments(_: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    names(None, Names::Plans).into_iter().filter(|plan| plan != crate::shown::APPS).collect()
}

fn the_tasks(_: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    let pods = names(None, Names::Pods);
    pods.iter().flat_map(|pod| names(None, Names::Tasks(pod))).collect()
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
