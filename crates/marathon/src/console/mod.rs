//! `dcos marathon`: words in, text out.
//!
//! *Knows*: the words, what each asks of the API, what is printed. *Must not know*: sockets, how the API comes by its answers.

use planarium_system::console::{Completion, Console, Namer, Output, Terminal};

/// The command line.
pub(crate) const CONSOLE: Console = Console { programs: &[&["dcos", "marathon"]], run, complete, usage };

fn usage() -> String {
    String::new()
}

fn run(_: &[String], _: &mut Terminal<'_>) -> Output {
    Output::default()
}

fn complete(_: &str, _: &mut Namer<'_>) -> Completion {
    Completion::default()
}
