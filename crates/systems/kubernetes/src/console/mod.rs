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
mod complete;
mod delete;
mod describe;
mod durations;
mod get;
mod kinds;
mod nodes;
mod rollout;
mod table;
mod write;

use std::fmt::Write as _;

use planarium_part::console::complete::{Worded, named};
use planarium_part::console::flags::{self, Flag, Given};
use planarium_part::console::{Console, Output, Terminal};

use client::Client;

/// The command line.
pub const CONSOLE: Console = Console {
    programs: &[&["kubectl"]],
    run,
    complete: complete::complete,
    usage,
    example: "kubectl scale deployment web --replicas=3",
};

/// Result of a command; an error is printed as is.
type Done = Result<(), String>;

/// A command.
struct Command {
    /// Its words.
    words: &'static [&'static str],
    /// Arguments after them, for the usage.
    arguments: &'static str,
    /// Description in one line.
    about: &'static str,
    /// Its flags.
    flags: &'static [Flag],
    run: fn(&mut Client<'_, '_>, &Given) -> Done,
}

impl Worded for Command {
    fn words(&self) -> &'static [&'static str] {
        self.words
    }
}

const fn valued(name: &'static str, short: Option<char>) -> Flag {
    Flag { name, short, value: true }
}

const fn plain(name: &'static str, short: Option<char>) -> Flag {
    Flag { name, short, value: false }
}

const FILENAME: Flag = valued("filename", Some('f'));
const OUTPUT: Flag = valued("output", Some('o'));
const SELECTOR: Flag = valued("selector", Some('l'));
const REVISION: Flag = valued("revision", None);
const TIMEOUT: Flag = valued("timeout", None);
const FORCE: Flag = plain("force", None);
const GRACE: Flag = valued("grace-period", None);
const ALL: Flag = plain("all", None);

/// Flags that every command takes.
const GLOBAL: &[Flag] = &[
    valued("namespace", Some('n')),
    valued("context", None),
    valued("kubeconfig", None),
    valued("request-timeout", None),
    plain("help", Some('h')),
];

/// Every command.
const COMMANDS: &[Command] = &[
    Command {
        words: &["apply"],
        arguments: "-f FILE",
        about: "Applies objects: three ways, without pruning",
        flags: &[FILENAME],
        run: write::apply,
    },
    Command {
        words: &["get"],
        arguments: "TYPE [NAME]",
        about: "Lists objects",
        flags: &[OUTPUT, SELECTOR, plain("all-namespaces", Some('A')), plain("show-labels", None)],
        run: get::get,
    },
    Command {
        words: &["describe"],
        arguments: "TYPE NAME",
        about: "Shows an object with its conditions and events",
        flags: &[],
        run: describe::describe,
    },
    Command {
        words: &["logs"],
        arguments: "POD",
        about: "Shows what a container printed",
        flags: &[valued("container", Some('c')), plain("previous", Some('p'))],
        run: get::logs,
    },
    Command {
        words: &["delete"],
        arguments: "TYPE NAME | -f FILE",
        about: "Deletes objects",
        flags: &[
            FILENAME,
            SELECTOR,
            ALL,
            FORCE,
            GRACE,
            valued("cascade", None),
            valued("wait", None),
            plain("now", None),
        ],
        run: delete::delete,
    },
    Command {
        words: &["create", "namespace"],
        arguments: "NAME",
        about: "Creates a namespace",
        flags: &[],
        run: |client, given| write::create(client, given, "Namespace"),
    },
    Command {
        words: &["create", "serviceaccount"],
        arguments: "NAME",
        about: "Creates a service account",
        flags: &[],
        run: |client, given| write::create(client, given, "ServiceAccount"),
    },
    Command {
        words: &["create", "configmap"],
        arguments: "NAME [--from-literal=KEY=VALUE]",
        about: "Creates a ConfigMap",
        flags: &[valued("from-literal", None)],
        run: |client, given| write::create(client, given, "ConfigMap"),
    },
    Command {
        words: &["create", "secret", "generic"],
        arguments: "NAME [--from-literal=KEY=VALUE]",
        about: "Creates a Secret",
        flags: &[valued("from-literal", None)],
        run: |client, given| write::create(client, given, "Secret"),
    },
    Command {
        words: &["patch"],
        arguments: "TYPE NAME -p PATCH",
        about: "Changes fields of an object",
        flags: &[valued("patch", Some('p')), valued("type", None)],
        run: write::patch,
    },
    Command {
        words: &["scale"],
        arguments: "TYPE NAME --replicas=N",
        about: "Sets the number of pods",
        flags: &[valued("replicas", None), valued("current-replicas", None)],
        run: write::scale,
    },
    Command {
        words: &["autoscale"],
        arguments: "TYPE NAME --max=N [--min=N] [--cpu=70%]",
        about: "Has an autoscaler set the number of pods",
        flags: &[
            valued("min", None),
            valued("max", None),
            valued("cpu-percent", None),
            valued("cpu", None),
            valued("memory", None),
            valued("name", None),
        ],
        run: autoscale::autoscale,
    },
    Command {
        words: &["set", "image"],
        arguments: "TYPE/NAME CONTAINER=IMAGE",
        about: "Gives containers other images",
        flags: &[],
        run: write::set_image,
    },
    Command {
        words: &["rollout", "status"],
        arguments: "TYPE/NAME",
        about: "Waits until a rollout has finished",
        flags: &[valued("watch", Some('w')), TIMEOUT, REVISION],
        run: rollout::status,
    },
    Command {
        words: &["rollout", "history"],
        arguments: "TYPE/NAME",
        about: "Lists the revisions that are kept",
        flags: &[REVISION],
        run: rollout::history,
    },
    Command {
        words: &["rollout", "pause"],
        arguments: "TYPE/NAME",
        about: "Has a change of the template wait",
        flags: &[],
        run: rollout::pause,
    },
    Command {
        words: &["rollout", "resume"],
        arguments: "TYPE/NAME",
        about: "Rolls out what waited",
        flags: &[],
        run: rollout::resume,
    },
    Command {
        words: &["rollout", "restart"],
        arguments: "TYPE/NAME",
        about: "Replaces every pod by one of the same template",
        flags: &[],
        run: rollout::restart,
    },
    Command {
        words: &["rollout", "undo"],
        arguments: "TYPE/NAME",
        about: "Goes back to an earlier revision",
        flags: &[valued("to-revision", None)],
        run: rollout::undo,
    },
    Command {
        words: &["cordon"],
        arguments: "NODE",
        about: "Keeps new pods off a node",
        flags: &[],
        run: nodes::cordon,
    },
    Command {
        words: &["uncordon"],
        arguments: "NODE",
        about: "Lets pods come to a node again",
        flags: &[],
        run: nodes::uncordon,
    },
    Command {
        words: &["drain"],
        arguments: "NODE",
        about: "Cordons a node and evicts its pods",
        flags: &[
            plain("ignore-daemonsets", None),
            plain("delete-emptydir-data", None),
            plain("disable-eviction", None),
            FORCE,
            GRACE,
            TIMEOUT,
        ],
        run: nodes::drain,
    },
    Command {
        words: &["version"],
        arguments: "",
        about: "Shows the version of the cluster",
        flags: &[OUTPUT],
        run: get::version,
    },
];

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let found = named(COMMANDS, &words);
    let asks_help = words.is_empty() || words.iter().any(|word| matches!(*word, "--help" | "-h" | "help"));
    let Some(command) = found else {
        if asks_help {
            return Output { stdout: usage(), ..Output::default() };
        }
        let word = words.first().copied().unwrap_or_default();
        let stderr = format!("error: unknown command {word:?} for \"kubectl\"\n\n{}", usage());
        return Output { stderr, code: 2, ..Output::default() };
    };
    if asks_help {
        return Output { stdout: usage_of(command), ..Output::default() };
    }
    let rest = args.get(command.words.len()..).unwrap_or_default();
    let given = match flags::read(rest, &[command.flags, GLOBAL]) {
        Ok(given) => given,
        Err(problem) => {
            let stderr = format!("error: {problem}\n\n{}", usage_of(command));
            return Output { stderr, code: 2, ..Output::default() };
        }
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

fn line_of(command: &Command) -> String {
    let mut line = format!("kubectl {}", command.words.join(" "));
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
        let _ = writeln!(text, "  {:<66}{}", line_of(command), command.about);
    }
    text
}

fn usage_of(command: &Command) -> String {
    let mut text = format!("{}.\n\nUsage:\n  {} [flags]\n\nFlags:\n", command.about, line_of(command));
    for spec in command.flags.iter().chain(GLOBAL) {
        let short = spec.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
        let value = if spec.value { "=VALUE" } else { "" };
        let _ = writeln!(text, "  {short}--{}{value}", spec.name);
    }
    text
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
            let words = command.words.join(" ");
            let flags = command.flags.iter().chain(GLOBAL);
            missing.extend(
                flags.filter(|spec| !has(spec, &words)).map(|spec| format!("{words} --{}", spec.name)),
            );
        }
        assert!(missing.is_empty(), "not on the page: {missing:?}");
    }
}
