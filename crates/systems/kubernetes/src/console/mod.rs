//! `kubectl`: words in, text out.
//!
//! *Knows*: the words, the API requests of each command, and the output for every answer. *Must not know*: sockets, files, and how
//! the API produces its answers.
//!
//! Commands that wait (`rollout status`, `drain`, `delete`) advance time through `/sim/advance`, one second at a time, if the clock can be
//! moved.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd`. Match for words, flags and messages; usage texts are our own.

mod autoscale;
mod client;
mod delete;
mod describe;
mod get;
mod kinds;
mod nodes;
mod rollout;
mod table;
mod write;

use std::fmt::Write as _;

use planarium_part::commands;
use planarium_part::console::{
    Column, Command, Console, Flag, Given, Grammar, Namer, Names, Output, Problem, Reading, Style, Terminal,
    Typed, in_pflags_words,
};

use client::Client;

/// The command line.
pub const CONSOLE: Console = Console {
    run,
    complete: |line, names| GRAMMAR.complete(PROGRAMS, line, names),
    usage: || GRAMMAR.list(&[]),
};

/// The name of the program.
pub(crate) const PROGRAMS: &[&[&str]] = &[&["kubectl"]];

/// A command as people type it.
pub(crate) const EXAMPLE: &str = "kubectl scale deployment web --replicas=3";

/// Result of a command; an error is printed as is.
type Done = Result<(), String>;

/// Carries out a command.
type Run = fn(&mut Client<'_, '_>, &Given) -> Done;

/// A flag with a value that is not named.
const fn valued(name: &'static str) -> Flag {
    Flag::valued(name, "VALUE")
}

const FILENAME: Flag = valued("filename").short('f');
const OUTPUT: Flag = valued("output").short('o');
const SELECTOR: Flag = valued("selector").short('l');
const REVISION: Flag = valued("revision");
const TIMEOUT: Flag = valued("timeout");
const FORCE: Flag = Flag::plain("force");
const GRACE: Flag = valued("grace-period");
const ALL: Flag = Flag::plain("all");
const ALL_NAMESPACES: Flag = Flag::plain("all-namespaces").short('A');
const SHOW_LABELS: Flag = Flag::plain("show-labels");
const CONTAINER: Flag = valued("container").short('c');
const PREVIOUS: Flag = Flag::plain("previous").short('p');
const CASCADE: Flag = valued("cascade");
const WAIT: Flag = valued("wait");
const NOW: Flag = Flag::plain("now");
const FROM_LITERAL: Flag = valued("from-literal");
const PATCH: Flag = valued("patch").short('p');
const TYPE: Flag = valued("type");
const REPLICAS: Flag = valued("replicas");
const CURRENT_REPLICAS: Flag = valued("current-replicas");
const MIN: Flag = valued("min");
const MAX: Flag = valued("max");
const CPU_PERCENT: Flag = valued("cpu-percent");
const CPU: Flag = valued("cpu");
const MEMORY: Flag = valued("memory");
const NAME: Flag = valued("name");
const WATCH: Flag = valued("watch").short('w');
const TO_REVISION: Flag = valued("to-revision");
const IGNORE_DAEMONSETS: Flag = Flag::plain("ignore-daemonsets");
const DELETE_EMPTYDIR_DATA: Flag = Flag::plain("delete-emptydir-data");
const DISABLE_EVICTION: Flag = Flag::plain("disable-eviction");

/// Flags that every command takes.
const GLOBAL: &[Flag] = &[
    valued("namespace").short('n'),
    valued("context"),
    valued("kubeconfig"),
    valued("request-timeout"),
    Flag::plain("help").short('h'),
];

/// Every command.
const COMMANDS: &[Command<Run>] = commands! {
    "apply", "-f FILE", "Applies objects: three ways, without pruning", [FILENAME], write::apply;
    "get", "TYPE [NAME]", "Lists objects", [OUTPUT, SELECTOR, ALL_NAMESPACES, SHOW_LABELS], get::get;
    "describe", "TYPE NAME", "Shows an object with its conditions and events", [], describe::describe;
    "logs", "POD", "Shows what a container printed", [CONTAINER, PREVIOUS], get::logs;
    "delete", "TYPE NAME | -f FILE", "Deletes objects", [FILENAME, SELECTOR, ALL, FORCE, GRACE, CASCADE, WAIT, NOW], delete::delete;
    "create namespace", "NAME", "Creates a namespace", [], |client, given| write::create(client, given, "Namespace");
    "create serviceaccount", "NAME", "Creates a service account", [], |client, given| write::create(client, given, "ServiceAccount");
    "create configmap", "NAME [--from-literal=KEY=VALUE]", "Creates a ConfigMap", [FROM_LITERAL], |client, given| write::create(client, given, "ConfigMap");
    "create secret generic", "NAME [--from-literal=KEY=VALUE]", "Creates a Secret", [FROM_LITERAL], |client, given| write::create(client, given, "Secret");
    "patch", "TYPE NAME -p PATCH", "Changes fields of an object", [PATCH, TYPE], write::patch;
    "scale", "TYPE NAME --replicas=N", "Sets the number of pods", [REPLICAS, CURRENT_REPLICAS], write::scale;
    "autoscale", "TYPE NAME --max=N [--min=N] [--cpu=70%]", "Has an autoscaler set the number of pods", [MIN, MAX, CPU_PERCENT, CPU, MEMORY, NAME], autoscale::autoscale;
    "set image", "TYPE/NAME CONTAINER=IMAGE", "Gives containers other images", [], write::set_image;
    "rollout status", "TYPE/NAME", "Waits until a rollout has finished", [WATCH, TIMEOUT, REVISION], rollout::status;
    "rollout history", "TYPE/NAME", "Lists the revisions that are kept", [REVISION], rollout::history;
    "rollout pause", "TYPE/NAME", "Has a change of the template wait", [], rollout::pause;
    "rollout resume", "TYPE/NAME", "Rolls out what waited", [], rollout::resume;
    "rollout restart", "TYPE/NAME", "Replaces every pod by one of the same template", [], rollout::restart;
    "rollout undo", "TYPE/NAME", "Goes back to an earlier revision", [TO_REVISION], rollout::undo;
    "cordon", "NODE", "Keeps new pods off a node", [], nodes::cordon;
    "uncordon", "NODE", "Lets pods come to a node again", [], nodes::uncordon;
    "drain", "NODE", "Cordons a node and evicts its pods", [IGNORE_DAEMONSETS, DELETE_EMPTYDIR_DATA, DISABLE_EVICTION, FORCE, GRACE, TIMEOUT], nodes::drain;
    "version", "", "Shows the version of the cluster", [OUTPUT], get::version;
};

/// The commands with their kinds of arguments and their texts.
static GRAMMAR: Grammar<Run> = Grammar {
    commands: COMMANDS,
    globals: GLOBAL,
    reading: Reading::Pflag,
    kinds: &[
        ("TYPE", |_, names| KINDS.map(str::to_owned).into_iter().chain(workloads(names)).collect()),
        ("TYPE/NAME", |_, names| workloads(names)),
        ("NAME", objects),
        ("POD", |_, names| names(None, Names::Pods)),
    ],
    style: Style {
        error: "error",
        problem: words,
        head: "Usage:\n",
        line: |command| command.line("kubectl"),
        column: Column::Fixed(65),
        help: |command| GRAMMAR.cobra_help(command, &format!("{} [flags]", command.line("kubectl")), '='),
        shows_groups: false,
        offers_flags: false,
    },
};

fn words(problem: &Problem, _: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => {
            let word = unknown.words().into_iter().next().unwrap_or_default();
            format!("unknown command {word:?} for \"kubectl\"")
        }
        flags => in_pflags_words(flags).unwrap_or_default(),
    }
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let (command, given) = match GRAMMAR.read(args) {
        Ok(read) => read,
        Err(output) => return output,
    };
    let namespace = given.value("namespace").unwrap_or_default().to_owned();
    let mut client = Client::new(terminal, namespace);
    let done = (command.run)(&mut client, &given);
    let mut output = client.into_output();
    if let Err(problem) = done {
        let _ = writeln!(output.stderr, "{problem}");
        output.code = 1;
    }
    output
}

/// The seconds that `--timeout` gives, rounded up; `None` if it is absent or 0.
fn timeout(given: &Given) -> Result<Option<u64>, String> {
    let ms = given.duration_ms("timeout").map_err(|problem| format!("error: {problem}"))?;
    Ok(ms.map(|ms| ms.div_ceil(1_000)).filter(|seconds| *seconds > 0))
}

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

/// Workloads as `KIND/NAME`: their plans are called `KIND.NAME`.
fn workloads(names: &mut Namer<'_>) -> Vec<String> {
    let all = names(None, Names::Plans);
    all.iter().filter_map(|plan| plan.split_once('.')).map(|(kind, name)| format!("{kind}/{name}")).collect()
}

/// Objects of the kind that is named before.
fn objects(typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
    match typed.argument("TYPE") {
        Some("pods" | "pod" | "po") => names(None, Names::Pods),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../../docs/reference/kubernetes.md");

    #[test]
    fn the_page_lists_every_flag_with_its_command() {
        let rows: Vec<&str> = PAGE.lines().filter(|line| line.starts_with("| `--")).collect();
        let has = |spec: &Flag, words: &str| {
            let long = format!("`--{}", spec.name);
            let named = |row: &&str| {
                let mut cells = row.split(" | ");
                let flags = cells.next().unwrap_or_default();
                let is_it = flags.match_indices(&long).any(|(at, _)| {
                    flags.get(at + long.len()..).is_some_and(|rest| rest.starts_with([' ', '`', '=']))
                });
                let of = cells.next().unwrap_or_default();
                is_it && (of == "all" || of.contains(&format!("`{words}`")))
            };
            rows.iter()
                .any(|row| named(row) && spec.short.is_none_or(|short| row.contains(&format!("`-{short}`"))))
        };
        let mut missing = Vec::new();
        for command in COMMANDS {
            let words = command.name();
            let flags = command.flags.iter().chain(GLOBAL);
            missing.extend(
                flags.filter(|spec| !has(spec, &words)).map(|spec| format!("{words} --{}", spec.name)),
            );
        }
        assert!(missing.is_empty(), "not on the page: {missing:?}");
    }
}
