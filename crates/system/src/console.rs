//! A system's command line: words in, text out.
//!
//! *Knows*: how a command line is run, completed and shown, wherever it is typed. *Must not know*: any system's words;
//! sockets, files, how an API comes by its answers. Requests go through a function that the caller gives, so the page runs
//! this over the router beside it and the command line over HTTP.
//!
//! Exit codes: 0 done, 1 turned down or out of reach, 2 words that cannot be understood (nothing was sent).

use crate::http::{Request, Response};

/// What a command printed and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output, each message with its line end.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
    /// Exit code: 0, 1 or 2.
    pub code: u8,
}

/// Carries a request to the API. A response with status 0 says that no answer came; its body says why.
pub type Send<'s> = dyn FnMut(&Request) -> Response + 's;

/// Gives the text of a named file, and of standard input for `stdin`.
pub type ReadFile<'r> = dyn FnMut(&str) -> Result<String, String> + 'r;

/// Where a command line is run.
pub struct Terminal<'t> {
    /// The service that is meant when the words name none; empty for the only or first one.
    pub service: &'t str,
    /// To the API.
    pub send: &'t mut Send<'t>,
    /// To files.
    pub read: &'t mut ReadFile<'t>,
}

/// A system's command line.
#[derive(Clone, Copy)]
pub struct Console {
    /// Leading words that choose it, with which the real program is called; `NAME` stands for a service's name:
    /// `["dcos", "NAME"]`, `["kubectl", "kudo"]`. They may be left out where the service is chosen already.
    pub programs: &'static [&'static [&'static str]],
    /// Runs a command, its words after those of the program.
    pub run: fn(&[String], &mut Terminal<'_>) -> Output,
    /// Words that may stand at the end of a line: `before` are the complete words of it. Names are asked of the API.
    pub complete: fn(before: &[String], terminal: &mut Terminal<'_>) -> Vec<String>,
    /// What it can do, one command a line.
    pub usage: fn() -> String,
}
