//! `kubectl kudo`: words in, text out.
//!
//! *Knows*: the words, the API requests of each command, and the output for every answer. *Must not know*: sockets, files, and how
//! the API produces its answers.
//!
//! `--wait` advances time through `/sim/advance`, one second at a time, if the clock can be moved.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/cmd`. Match for words, flags, trees and messages; usage texts are our own.

use std::fmt::Write as _;

mod client;
mod complete;
mod durations;
mod get;
mod install;
mod instance;
mod lists;
mod load;
mod plan;
mod table;
mod tree;

use planarium_part::console::complete::{Worded, named};
use planarium_part::console::flags::{self, Flag, Given};
use planarium_part::console::{Console, Output, Terminal};

use client::Client;

/// The command line.
pub const CONSOLE: Console = Console {
    programs: &[&["kubectl", "kudo"]],
    run,
    complete: complete::complete,
    usage,
    example: "kubectl kudo update --instance web -p CPUS=1",
};

/// Result of a command; an error is its text.
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

const INSTANCE: Flag = Flag { name: "instance", short: None, value: true };
const PARAMETER: Flag = Flag { name: "parameter", short: Some('p'), value: true };
const PARAMETER_FILE: Flag = Flag { name: "parameter-file", short: Some('P'), value: true };
const WAIT: Flag = Flag { name: "wait", short: None, value: false };
const WAIT_TIME: Flag = Flag { name: "wait-time", short: None, value: true };
const OUTPUT: Flag = Flag { name: "output", short: Some('o'), value: true };
const APP_VERSION: Flag = Flag { name: "app-version", short: None, value: true };
const OPERATOR_VERSION: Flag = Flag { name: "operator-version", short: None, value: true };
const REPO: Flag = Flag { name: "repo", short: None, value: true };
const SKIP_INSTANCE: Flag = Flag { name: "skip-instance", short: None, value: false };
const CREATE_NAMESPACE: Flag = Flag { name: "create-namespace", short: None, value: false };
const IN_CLUSTER: Flag = Flag { name: "in-cluster", short: None, value: false };
const NAME: Flag = Flag { name: "name", short: None, value: true };
const PARAM_CHECKS: Flag = Flag { name: "param-checks", short: None, value: true };
const DESCRIPTIONS: Flag = Flag { name: "descriptions", short: Some('d'), value: false };
const REQUIRED: Flag = Flag { name: "required", short: Some('r'), value: false };
const NAMES: Flag = Flag { name: "names", short: None, value: false };
const WITH_TASKS: Flag = Flag { name: "with-tasks", short: Some('t'), value: false };

/// Flags that every command takes.
const GLOBAL: &[Flag] = &[
    Flag { name: "namespace", short: Some('n'), value: true },
    Flag { name: "kubeconfig", short: None, value: true },
    Flag { name: "home", short: None, value: true },
    Flag { name: "request-timeout", short: None, value: true },
    Flag { name: "validate-install", short: None, value: false },
    Flag { name: "verbose", short: Some('v'), value: true },
    Flag { name: "help", short: Some('h'), value: false },
];

/// Every command.
const COMMANDS: &[Command] = &[
    Command {
        words: &["install"],
        arguments: "<path>",
        about: "Installs an operator package and an instance of it",
        flags: &[
            INSTANCE,
            PARAMETER,
            PARAMETER_FILE,
            REPO,
            APP_VERSION,
            OPERATOR_VERSION,
            SKIP_INSTANCE,
            WAIT,
            WAIT_TIME,
            CREATE_NAMESPACE,
            IN_CLUSTER,
        ],
        run: install::install,
    },
    Command {
        words: &["upgrade"],
        arguments: "<path>",
        about: "Upgrades an instance to another version of its operator",
        flags: &[INSTANCE, PARAMETER, PARAMETER_FILE, REPO, APP_VERSION, OPERATOR_VERSION],
        run: install::upgrade,
    },
    Command {
        words: &["update"],
        arguments: "",
        about: "Gives an instance other parameters",
        flags: &[INSTANCE, PARAMETER, PARAMETER_FILE, WAIT, WAIT_TIME],
        run: instance::update,
    },
    Command {
        words: &["uninstall"],
        arguments: "",
        about: "Deletes an instance",
        flags: &[INSTANCE, WAIT, WAIT_TIME],
        run: instance::uninstall,
    },
    Command {
        words: &["plan", "status"],
        arguments: "",
        about: "Shows how far the plans of an instance are",
        flags: &[INSTANCE, WAIT, OUTPUT],
        run: plan::status,
    },
    Command {
        words: &["plan", "history"],
        arguments: "",
        about: "Shows when the plans of an instance ran last",
        flags: &[INSTANCE],
        run: plan::history,
    },
    Command {
        words: &["plan", "trigger"],
        arguments: "",
        about: "Starts a plan",
        flags: &[INSTANCE, NAME, WAIT, WAIT_TIME],
        run: plan::trigger,
    },
    Command {
        words: &["get"],
        arguments: "<instances|operators|operatorversions|all>",
        about: "Lists what is installed",
        flags: &[OUTPUT],
        run: get::get,
    },
    Command {
        words: &["package", "verify"],
        arguments: "<path>",
        about: "Checks a package",
        flags: &[OUTPUT, PARAM_CHECKS],
        run: lists::verify,
    },
    Command {
        words: &["package", "list", "parameters"],
        arguments: "<path>",
        about: "Lists the parameters of a package",
        flags: &[DESCRIPTIONS, REQUIRED, NAMES, REPO, APP_VERSION, OPERATOR_VERSION],
        run: lists::parameters,
    },
    Command {
        words: &["package", "list", "plans"],
        arguments: "<path>",
        about: "Shows the plans of a package",
        flags: &[WITH_TASKS, REPO, APP_VERSION, OPERATOR_VERSION],
        run: lists::plans,
    },
    Command {
        words: &["package", "list", "tasks"],
        arguments: "<path>",
        about: "Lists the tasks of a package",
        flags: &[REPO, APP_VERSION, OPERATOR_VERSION],
        run: lists::tasks,
    },
    Command {
        words: &["init"],
        arguments: "",
        about: "Installs KUDO itself, which is there already",
        flags: &[
            WAIT,
            Flag { name: "unsafe-self-signed-webhook-ca", short: None, value: false },
            Flag { name: "verify", short: None, value: false },
            Flag { name: "client-only", short: Some('c'), value: false },
        ],
        run: |client, given| {
            client.say("$KUDO_HOME has been configured at ~/.kudo");
            if given.flag("wait") {
                client.say("⌛Waiting for KUDO controller to be ready in your cluster...");
                client.say("✅ KUDO is ready!");
            }
            Ok(())
        },
    },
    Command {
        words: &["version"],
        arguments: "",
        about: "Shows the version that is played",
        flags: &[],
        run: |client, _| {
            client.say("KUDO Version: version.Info{GitVersion:\"0.19.0\"}");
            Ok(())
        },
    },
];

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let found = named(COMMANDS, &words);
    let within = group(&words);
    let asks_help = words.is_empty() || words.iter().any(|word| matches!(*word, "--help" | "-h" | "help"));
    let Some(command) = found else {
        if !within.is_empty() {
            let rest = args.get(within.len()..).unwrap_or_default();
            return match flags::read(rest, &[GLOBAL]) {
                Ok(_) => Output { stdout: usage_below(within), ..Output::default() },
                Err(problem) => {
                    let stderr = format!("Error: {problem}\n\n{}", usage_below(within));
                    Output { stderr, code: 2, ..Output::default() }
                }
            };
        }
        if asks_help {
            return Output { stdout: usage(), ..Output::default() };
        }
        let word = words.first().copied().unwrap_or_default();
        let stderr = format!("Error: unknown command {word:?} for \"kubectl-kudo\"\n\n{}", usage());
        return Output { stderr, code: 2, ..Output::default() };
    };
    if asks_help {
        return Output { stdout: usage_of(command), ..Output::default() };
    }
    let rest = args.get(command.words.len()..).unwrap_or_default();
    let given = match flags::read(rest, &[command.flags, GLOBAL]) {
        Ok(given) => given,
        Err(problem) => {
            let stderr = format!("Error: {problem}\n\n{}", usage_of(command));
            return Output { stderr, code: 2, ..Output::default() };
        }
    };
    let namespace = given.value("namespace").unwrap_or("default").to_owned();
    let mut client = Client::new(terminal, namespace);
    let done = (command.run)(&mut client, &given);
    let mut output = client.into_output();
    if let Err(problem) = done {
        let _ = writeln!(output.stderr, "Error: {problem}");
        output.code = 1;
    }
    output
}

fn line_of(command: &Command) -> String {
    let mut line = format!("kubectl kudo {}", command.words.join(" "));
    for part in [command.arguments, "[flags]"] {
        if !part.is_empty() {
            line.push(' ');
            line.push_str(part);
        }
    }
    line
}

/// Returns the longest prefix of a line that begins commands: like the real program, it shows what may follow.
fn group<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let begins = |end: &usize| {
        let head = words.get(..*end).unwrap_or_default();
        COMMANDS.iter().any(|command| command.words.starts_with(head))
    };
    let end = (0..=words.len()).rev().find(begins).unwrap_or_default();
    words.get(..end).unwrap_or_default()
}

/// Every command, one a line.
fn usage() -> String {
    usage_below(&[])
}

/// Lists every command that begins with these words, one per line.
fn usage_below(words: &[&str]) -> String {
    let mut text = String::from("Usage:\n");
    for command in COMMANDS.iter().filter(|command| command.words.starts_with(words)) {
        let _ = writeln!(text, "  {:<72}{}", line_of(command), command.about);
    }
    text
}

fn usage_of(command: &Command) -> String {
    let mut text = format!("{}.\n\nUsage:\n  {}\n\nFlags:\n", command.about, line_of(command));
    for spec in command.flags.iter().chain(GLOBAL) {
        let short = spec.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
        let value = if spec.value { " VALUE" } else { "" };
        let _ = writeln!(text, "  {short}--{}{value}", spec.name);
    }
    text
}
