//! The real service command line, words in and text out: `plan status deploy`, `pod replace hello-0`, ...
//!
//! Knows: the words, the API requests of each command, and the output for every answer. Must not know: sockets,
//! files, how the API produces its answers. Requests go through a function of the caller, so the page runs this over
//! its own router and the command line over HTTP.
//!
//! Two commands go beyond the API of one scheduler, because in the real system another program answers: `describe`,
//! `update start` and `update package-versions` use the package manager, and here `/sim`.
//!
//! **Source**: dcos-commons `cli/` (commands, queries, client). Match for words, calls, trees and messages; usage texts and
//! hints are our own.
//!
//! Exit codes: 0 done, 1 refused or unreachable, 2 words that cannot be parsed (nothing was sent).

mod call;
mod commands;
mod complete;
mod debug;
mod endpoints;
mod grammar;
mod options;
mod package;
mod plan;
mod pod;
mod tree;
mod update;

#[cfg(test)]
mod tests;

pub use complete::complete;

use call::{Call, Failure};
use grammar::{GRAMMAR, module};
use planarium_part::console::{Completion, Console, Namer, Output, Terminal};
use planarium_part::{Request, Response};

/// The command line of a service.
pub(crate) const CONSOLE: Console = Console { run: run_at, complete, usage: || GRAMMAR.list(&[]) };

/// The name of the program, and the place of the service's.
pub(crate) const PROGRAMS: &[&[&str]] = &[&["dcos", "NAME"]];

/// A command as people type it.
pub(crate) const EXAMPLE: &str = "plan continue deploy web";

fn run_at(args: &[String], terminal: &mut Terminal<'_>) -> Output {
    run_with_files(args, terminal.service, terminal.send, terminal.read)
}

/// Runs one command on a service; an empty name means the only or first one. `read` gives the text of a named file, and of
/// standard input for `stdin`.
pub fn run_with_files(
    args: &[String],
    service: &str,
    send: &mut dyn FnMut(&Request) -> Response,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Output {
    let (module, args) = module(args);
    let (command, given) = match GRAMMAR.read(args) {
        Ok(read) => read,
        Err(output) => return output,
    };
    let named = given.value("name").or(module).unwrap_or(service);
    let mut call = Call::new(named, given.has("verbose"), send, read);
    let (message, code) = match (command.run)(&mut call, &given) {
        Ok(()) => (String::new(), 0),
        Err(Failure::Refused(message)) => (message, 1),
        Err(Failure::BadWords(message)) => (message, 2),
    };
    let mut output = call.into_output();
    if code > 0 {
        output.stderr.push_str(&message);
        output.stderr.push('\n');
    }
    output.code = code;
    output
}
