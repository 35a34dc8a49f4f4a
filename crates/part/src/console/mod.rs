//! A system's command line: words in, text out.
//!
//! *Knows*: how a command line is run, completed and shown, wherever it is typed. *Must not know*: any system's words;
//! sockets, files, how an API produces its answers. Requests go through a function of the caller, so the page runs this
//! over its own router and the command line over HTTP.
//!
//! A system declares its commands in one table ([`Grammar`]): words, arguments, flags, help, function. The command of a line, the refusal
//! of a wrong one, completion and the list in the help come from it.
//!
//! Exit codes: 0 done, 1 refused or unreachable, 2 words that cannot be parsed (nothing was sent).

mod command;
mod complete;
mod flags;
mod grammar;
mod split;
pub mod table;
#[cfg(test)]
mod tests;

pub use command::{Command, Flag, Offer, Place, Typed, places};
pub use complete::{Begun, after_program};
pub use flags::{Given, Problem, Reading, Unknown, Written, in_pflags_words};
pub use grammar::{Column, Grammar, Style};
pub use split::{Scanned, scan, split, without_prompt};

use crate::http::{Request, Response};

/// Output and exit code of a command.
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

/// Gives the text of a named file, and of standard input for `stdin`; of a folder, written with a slash at its end, the
/// paths of the files below it, one a line.
pub type ReadFile<'r> = dyn FnMut(&str) -> Result<String, String> + 'r;

/// Access that a command line has while it runs.
pub struct Terminal<'t> {
    /// The service if the words name none; empty for the only or first one.
    pub service: &'t str,
    /// To the API.
    pub send: &'t mut Send<'t>,
    /// To files.
    pub read: &'t mut ReadFile<'t>,
}

/// A system's command line.
#[derive(Clone, Copy)]
pub struct Console {
    /// Runs a command, its words after those of the program.
    pub run: fn(&[String], &mut Terminal<'_>) -> Output,
    /// Completes a line; returns nothing for a line that cannot be parsed.
    pub complete: fn(line: &str, names: &mut Namer<'_>) -> Completion,
    /// Returns its usage, one command a line.
    pub usage: fn() -> String,
}

/// Names that a place in a line takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names<'a> {
    /// Services.
    Services,
    /// Plans of the service.
    Plans,
    /// Phases of a plan.
    Phases(&'a str),
    /// Steps of a plan's phase.
    Steps(&'a str, &'a str),
    /// Pods of the service.
    Pods,
    /// Tasks of a pod.
    Tasks(&'a str),
    /// Definitions that were loaded into the service.
    Definitions,
}

/// Gives names; the service is named where the line names one.
pub type Namer<'n> = dyn FnMut(Option<&str>, Names<'_>) -> Vec<String> + 'n;

/// The ways a line may go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Words that fit here.
    pub words: Vec<String>,
    /// The line before the word being typed.
    pub before: String,
    /// The word being typed, without its quotes.
    pub typed: String,
}

impl Completion {
    /// Returns completions of a line, from the words before its last one and the typed part of that.
    pub fn of(line: &str, candidates: impl FnOnce(&[String], &str) -> Vec<String>) -> Self {
        let scanned = scan(line);
        let before = line.get(..scanned.from).unwrap_or(line).to_owned();
        let typed = scanned.word.unwrap_or_default();
        let mut args = scanned.words;
        without_prompt(&mut args);
        let mut words = candidates(&args, &typed);
        words.retain(|word| word.starts_with(&typed));
        Self { words, before, typed }
    }

    /// Returns the line completed with one of the words.
    pub fn with(&self, index: usize) -> Option<String> {
        self.words.get(index).map(|word| format!("{}{} ", self.before, quoted(word)))
    }

    /// Returns the line completed as far as all words agree; `None` if that is already typed.
    pub fn agreed(&self) -> Option<String> {
        if let [only] = self.words.as_slice() {
            return Some(format!("{}{} ", self.before, quoted(only)));
        }
        let mut common = self.words.first()?.as_str();
        for word in &self.words {
            let same = common.chars().zip(word.chars()).take_while(|(a, b)| a == b);
            common = common.get(..same.map(|(a, _)| a.len_utf8()).sum()).unwrap_or_default();
        }
        // The quote stays open, since the word continues.
        let open = if needs_quotes(common) { "'" } else { "" };
        (common.len() > self.typed.len()).then(|| format!("{}{open}{common}", self.before))
    }
}

fn needs_quotes(word: &str) -> bool {
    word.is_empty() || word.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\'))
}

/// A word as a line takes it.
pub fn quoted(word: &str) -> String {
    if needs_quotes(word) { format!("'{}'", word.replace('\'', r"'\''")) } else { word.to_owned() }
}

/// The program that the leading words of a line name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The service that they name.
    pub service: Option<String>,
    /// The words after them.
    pub words: Vec<String>,
}

/// Removes the program from a line; `None` if it does not begin with one of these ([`crate::Dialect::programs`]).
pub fn program(programs: &[&[&str]], words: &[String]) -> Option<Program> {
    programs.iter().find_map(|program| {
        let (head, rest) = words.split_at_checked(program.len())?;
        let mut service = None;
        for (part, word) in program.iter().zip(head) {
            if *part == "NAME" {
                service = Some(word.clone());
            } else if *part != word.as_str() {
                return None;
            }
        }
        Some(Program { service, words: rest.to_vec() })
    })
}
