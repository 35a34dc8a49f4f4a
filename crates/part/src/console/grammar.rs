//! A system's table of commands, and what follows from it: the command of a line, the refusal of a wrong one, the list in the help.
//!
//! *Knows*: how a line is matched with commands. *Must not know*: any system's commands, what they do, existing names.

use super::Output;
use super::command::{Command, Flag, Offer, places};
use super::flags::{self, Given, Problem, Reading, Unknown};
use std::fmt::Write as _;

/// The commands of a program.
#[derive(Debug)]
pub struct Grammar<R: 'static> {
    /// Its commands, in the order of the help.
    pub commands: &'static [Command<R>],
    /// Flags that every command takes.
    pub globals: &'static [Flag],
    /// The rules by which it reads flags.
    pub reading: Reading,
    /// Offers for arguments, by the names of their places.
    pub kinds: &'static [(&'static str, Offer)],
    /// Its texts.
    pub style: Style<R>,
}

/// The texts of a program. Where upstream has its own words, they are those.
#[derive(Debug)]
pub struct Style<R: 'static> {
    /// Introduces a problem: `error`, `Error`.
    pub error: &'static str,
    /// Puts a problem into words, with the name of the command; that is empty without one.
    pub problem: fn(&Problem, &str) -> String,
    /// First lines of the list of commands.
    pub head: &'static str,
    /// Returns a command's line in the list.
    pub line: fn(&Command<R>) -> String,
    /// Column of the help beside it.
    pub column: Column,
    /// Returns the help of one command.
    pub help: fn(&Command<R>) -> String,
    /// Words that begin commands show those, instead of being refused.
    pub shows_groups: bool,
    /// Flags are offered before a dash is typed, where a command takes nothing else.
    pub offers_flags: bool,
}

/// A column of a list. *Units*: characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// At least so wide.
    Fixed(u32),
    /// As wide as the widest line that is no wider than this; the help of wider lines goes below them.
    Fitted(u32),
}

impl<R> Grammar<R> {
    /// Returns whether flags may stand before the command.
    pub(super) fn flags_lead(&self) -> bool {
        self.reading == Reading::Kingpin
    }

    /// The flags of a command; without one, of all.
    pub(super) fn flags(&self, command: Option<&Command<R>>) -> impl Iterator<Item = &'static Flag> + use<R> {
        let all = if command.is_none() { self.commands } else { &[] };
        let own = command.map_or(&[][..], |command| command.flags);
        own.iter().chain(all.iter().flat_map(|command| command.flags)).chain(self.globals)
    }

    /// The command that a line names: the one with most words.
    pub fn named(&self, line: &[String]) -> Option<&'static Command<R>> {
        let all = self.commands.iter().filter(|command| command.matched(line) == command.len());
        all.max_by_key(|command| command.len())
    }

    /// Number of leading words of a line that begin a command.
    fn begun(&self, line: &[String]) -> usize {
        self.commands.iter().map(|command| command.matched(line)).max().unwrap_or(0)
    }

    /// The spellings of the words that may follow the beginning of a command, each once.
    fn fitting(&self, begun: &[String]) -> Vec<&'static str> {
        let mut fits = Vec::new();
        for command in self.commands.iter().filter(|command| command.matched(begun) == begun.len()) {
            for word in command.word(begun.len()) {
                if !fits.contains(&word) {
                    fits.push(word);
                }
            }
        }
        fits
    }

    /// Takes the request for help out of a line that may have one.
    pub(super) fn takes_help(&self, given: &mut Given) -> bool {
        let is_help = |word: &String| matches!(word.as_str(), "help" | "--help" | "-h");
        let first = given.arguments.first().is_some_and(is_help);
        match self.reading {
            Reading::Kingpin => {
                if first {
                    given.arguments.remove(0);
                }
                first || given.has("help")
            }
            Reading::Names => first || given.arguments.is_empty(),
            Reading::Pflag | Reading::Docopt => {
                given.arguments.is_empty() || given.arguments.iter().any(is_help)
            }
        }
    }

    /// Reads a line: the command, and what it is given.
    ///
    /// *Errors*: the output for a line that asks for help or is wrong.
    pub fn read(&self, args: &[String]) -> Result<(&'static Command<R>, Given), Output> {
        let mut line = if self.flags_lead() {
            flags::read(args, self.reading, || self.flags(None))
                .map_err(|problem| self.refused(None, &[], &problem))?
        } else {
            Given { arguments: args.to_vec(), ..Given::default() }
        };
        let wants_help = self.takes_help(&mut line);
        let begun = self.begun(&line.arguments);
        let head = line.arguments.get(..begun).unwrap_or_default();
        let command = self.named(&line.arguments);
        if wants_help && self.flags_lead() {
            return Err(Output { stdout: self.list(head), ..Output::default() });
        }
        let Some(command) = command else {
            if self.style.shows_groups && begun > 0 {
                let rest = line.arguments.get(begun..).unwrap_or_default();
                flags::read(rest, self.reading, || self.globals.iter())
                    .map_err(|problem| self.refused(None, head, &problem))?;
                return Err(Output { stdout: self.list(head), ..Output::default() });
            }
            if wants_help {
                return Err(Output { stdout: self.list(&[]), ..Output::default() });
            }
            let context = if self.flags_lead() { head } else { &[] };
            let rest = line.arguments.get(begun..).unwrap_or_default().to_vec();
            let unknown = Unknown { begun: head.to_vec(), rest, fits: self.fitting(head) };
            return Err(self.refused(None, context, &Problem::NoCommand(unknown)));
        };
        if wants_help {
            return Err(Output { stdout: (self.style.help)(command), ..Output::default() });
        }
        let rest = line.arguments.split_off(command.len());
        let given = if self.flags_lead() {
            Ok(Given { arguments: rest, ..line })
        } else {
            let known = Some(command).filter(|_| !self.reading.knows_all_flags());
            flags::read(&rest, self.reading, || self.flags(known))
        };
        let given = given.and_then(|given| self.checked(command, given));
        given.map(|given| (command, given)).map_err(|problem| self.refused(Some(command), &[], &problem))
    }

    /// Checks that a command takes its flags and the number of its arguments.
    fn checked(&self, command: &Command<R>, given: Given) -> Result<Given, Problem> {
        let own = |name: &str| self.flags(Some(command)).any(|flag| flag.name == name);
        if let Some((name, value)) = given.flags().find(|(name, _)| !own(name))
            && let Some(flag) = self.flags(None).find(|flag| flag.name == name)
        {
            return Err(Problem::Foreign(flag, value.to_owned()));
        }
        if self.reading == Reading::Pflag {
            return Ok(given);
        }
        let (mut most, mut repeats) = (0_usize, false);
        for place in places(command.arguments) {
            let is_given = match given.argument(most) {
                Some(text) => !text.is_empty() || self.reading != Reading::Kingpin,
                None => false,
            };
            if place.is_needed && !is_given {
                return Err(Problem::Missing(place));
            }
            most = most.saturating_add(1);
            repeats |= place.repeats;
        }
        match given.arguments.get(most) {
            Some(more) if !repeats => Err(Problem::More(more.clone())),
            _ => Ok(given),
        }
    }

    /// Refuses a line with the help of its command, or the list of those that begin so.
    fn refused(&self, command: Option<&Command<R>>, begun: &[String], problem: &Problem) -> Output {
        let Style { error, help, problem: words, .. } = self.style;
        let name = command.map(Command::name).unwrap_or_default();
        let usage = command.map_or_else(|| self.list(begun), help);
        let stderr = format!("{error}: {}\n\n{usage}", words(problem, &name));
        Output { stdout: String::new(), stderr, code: 2 }
    }

    /// Lists the commands that begin with these words, one a line.
    pub fn list(&self, begun: &[String]) -> String {
        let shown = self.commands.iter().filter(|command| command.matched(begun) == begun.len());
        let shown: Vec<(String, String)> =
            shown.map(|command| ((self.style.line)(command), command.help())).collect();
        let columns = |width| usize::try_from(width).unwrap_or(usize::MAX);
        let (width, gap) = match self.style.column {
            Column::Fixed(width) => (columns(width), " "),
            Column::Fitted(most) => {
                let most = columns(most);
                let fitting = shown.iter().map(|(line, _)| line.len()).filter(|len| *len <= most);
                (fitting.max().unwrap_or(most), "  ")
            }
        };
        let mut out = self.style.head.to_owned();
        for (line, help) in shown {
            let _ = if line.len() > width && matches!(self.style.column, Column::Fitted(_)) {
                writeln!(out, "  {line}\n  {:width$}{gap}{help}", "")
            } else {
                writeln!(out, "  {line:width$}{gap}{help}")
            };
        }
        out
    }

    /// Returns the help of one command as `spf13/cobra` lays it out: about it, its line, its flags. `sign` comes before a value.
    pub fn cobra_help(&self, command: &Command<R>, line: &str, sign: char) -> String {
        let mut text = format!("{}.\n\nUsage:\n  {line}\n\nFlags:\n", command.about);
        for flag in self.flags(Some(command)) {
            let short = flag.short.map_or_else(|| "    ".to_owned(), |short| format!("-{short}, "));
            let value = flag.value.map(|value| format!("{sign}{value}")).unwrap_or_default();
            let _ = writeln!(text, "  {short}--{}{value}", flag.name);
        }
        text
    }
}
