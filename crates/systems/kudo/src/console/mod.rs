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
mod get;
mod install;
mod instance;
mod lists;
mod load;
mod plan;
mod table;
mod tree;

use planarium_part::commands;
use planarium_part::console::{
    Column, Command, Console, Flag, Given, Grammar, Names, Output, Problem, Reading, Style, Terminal,
    in_pflags_words,
};

use client::Client;

/// The command line.
pub const CONSOLE: Console = Console {
    run,
    complete: |line, names| GRAMMAR.complete(PROGRAMS, line, names),
    usage: || GRAMMAR.list(&[]),
};

/// The name of the program.
pub(crate) const PROGRAMS: &[&[&str]] = &[&["kubectl", "kudo"]];

/// A command as people type it.
pub(crate) const EXAMPLE: &str = "kubectl kudo update --instance web -p CPUS=1";

/// Result of a command; an error is its text.
type Done = Result<(), String>;

/// Carries out a command.
type Run = fn(&mut Client<'_, '_>, &Given) -> Done;

/// A flag with a value that is not named.
const fn valued(name: &'static str) -> Flag {
    Flag::valued(name, "VALUE")
}

const INSTANCE: Flag = valued("instance").offers(|_, names| names(None, Names::Services));
const PARAMETER: Flag = valued("parameter").short('p');
const PARAMETER_FILE: Flag = valued("parameter-file").short('P');
const WAIT: Flag = Flag::plain("wait");
const WAIT_TIME: Flag = valued("wait-time");
const OUTPUT: Flag = valued("output").short('o').offers(|_, _| ["yaml", "json"].map(str::to_owned).to_vec());
const APP_VERSION: Flag = valued("app-version");
const OPERATOR_VERSION: Flag = valued("operator-version");
const REPO: Flag = valued("repo");
const SKIP_INSTANCE: Flag = Flag::plain("skip-instance");
const CREATE_NAMESPACE: Flag = Flag::plain("create-namespace");
const IN_CLUSTER: Flag = Flag::plain("in-cluster");
const NAME: Flag = valued("name").offers(|typed, names| names(typed.given.value("instance"), Names::Plans));
const PARAM_CHECKS: Flag = valued("param-checks");
const DESCRIPTIONS: Flag = Flag::plain("descriptions").short('d');
const REQUIRED: Flag = Flag::plain("required").short('r');
const NAMES: Flag = Flag::plain("names");
const WITH_TASKS: Flag = Flag::plain("with-tasks").short('t');
const WEBHOOK_CA: Flag = Flag::plain("unsafe-self-signed-webhook-ca");
const VERIFY: Flag = Flag::plain("verify");
const CLIENT_ONLY: Flag = Flag::plain("client-only").short('c');

/// Flags that every command takes.
const GLOBAL: &[Flag] = &[
    valued("namespace").short('n'),
    valued("kubeconfig"),
    valued("home"),
    valued("request-timeout"),
    Flag::plain("validate-install"),
    valued("verbose").short('v'),
    Flag::plain("help").short('h'),
];

/// The version that is played, as the real client prints it.
const VERSION: &str = "KUDO Version: version.Info{GitVersion:\"0.19.0\"}";

/// Every command.
const COMMANDS: &[Command<Run>] = commands! {
    "install", "<path>", "Installs an operator package and an instance of it", [INSTANCE, PARAMETER, PARAMETER_FILE, REPO, APP_VERSION, OPERATOR_VERSION, SKIP_INSTANCE, WAIT, WAIT_TIME, CREATE_NAMESPACE, IN_CLUSTER], install::install;
    "upgrade", "<path>", "Upgrades an instance to another version of its operator", [INSTANCE, PARAMETER, PARAMETER_FILE, REPO, APP_VERSION, OPERATOR_VERSION], install::upgrade;
    "update", "", "Gives an instance other parameters", [INSTANCE, PARAMETER, PARAMETER_FILE, WAIT, WAIT_TIME], instance::update;
    "uninstall", "", "Deletes an instance", [INSTANCE, WAIT, WAIT_TIME], instance::uninstall;
    "plan status", "", "Shows how far the plans of an instance are", [INSTANCE, WAIT, OUTPUT], plan::status;
    "plan history", "", "Shows when the plans of an instance ran last", [INSTANCE], plan::history;
    "plan trigger", "", "Starts a plan", [INSTANCE, NAME, WAIT, WAIT_TIME], plan::trigger;
    "get", "<instances|operators|operatorversions|all>", "Lists what is installed", [OUTPUT], get::get;
    "package verify", "<path>", "Checks a package", [OUTPUT, PARAM_CHECKS], lists::verify;
    "package list parameters", "<path>", "Lists the parameters of a package", [DESCRIPTIONS, REQUIRED, NAMES, REPO, APP_VERSION, OPERATOR_VERSION], lists::parameters;
    "package list plans", "<path>", "Shows the plans of a package", [WITH_TASKS, REPO, APP_VERSION, OPERATOR_VERSION], lists::plans;
    "package list tasks", "<path>", "Lists the tasks of a package", [REPO, APP_VERSION, OPERATOR_VERSION], lists::tasks;
    "init", "", "Installs KUDO itself, which is there already", [WAIT, WEBHOOK_CA, VERIFY, CLIENT_ONLY], |client, given| { init(client, given); Ok(()) };
    "version", "", "Shows the version that is played", [], |client, _| { client.say(VERSION); Ok(()) };
};

/// The commands with their texts.
static GRAMMAR: Grammar<Run> = Grammar {
    commands: COMMANDS,
    globals: GLOBAL,
    reading: Reading::Pflag,
    kinds: &[],
    style: Style {
        error: "Error",
        problem: words,
        head: "Usage:\n",
        line: line_of,
        column: Column::Fixed(71),
        help: |command| GRAMMAR.cobra_help(command, &line_of(command), ' '),
        shows_groups: true,
        offers_flags: true,
    },
};

fn words(problem: &Problem, _: &str) -> String {
    match problem {
        Problem::NoCommand(unknown) => {
            let word = unknown.words().into_iter().next().unwrap_or_default();
            format!("unknown command {word:?} for \"kubectl-kudo\"")
        }
        flags => in_pflags_words(flags).unwrap_or_default(),
    }
}

fn line_of(command: &Command<Run>) -> String {
    format!("{} [flags]", command.line("kubectl kudo"))
}

fn init(client: &mut Client<'_, '_>, given: &Given) {
    client.say("$KUDO_HOME has been configured at ~/.kudo");
    if given.flag("wait") {
        client.say("⌛Waiting for KUDO controller to be ready in your cluster...");
        client.say("✅ KUDO is ready!");
    }
}

/// The seconds that `--wait-time` gives, or the usual ones.
fn wait_time(given: &Given) -> Result<u64, String> {
    Ok(given.number("wait-time")?.unwrap_or(300))
}

fn run(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    let (command, given) = match GRAMMAR.read(args) {
        Ok(read) => read,
        Err(output) => return output,
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
