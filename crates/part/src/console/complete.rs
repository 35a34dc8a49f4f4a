//! The words that may follow in a line.
//!
//! *Knows*: commands, flags, and the kinds of arguments. *Must not know*: existing names; the caller gives them.

use super::command::{Command, Typed, places};
use super::flags::{self, Given};
use super::grammar::Grammar;
use super::{Completion, Namer, Names};

/// The line after the words of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun<'a> {
    /// Other words are expected first.
    Words(Vec<String>),
    /// The service that the program names, and the words after it.
    Line(Option<&'a str>, &'a [String]),
}

/// Parts a line from the program that it may begin with.
pub fn after_program<'a>(programs: &[&[&str]], args: &'a [String], names: &mut Namer<'_>) -> Begun<'a> {
    for program in programs {
        let fits = |(part, word): (&&str, &String)| {
            if *part == "NAME" { !word.starts_with('-') } else { *part == word.as_str() }
        };
        if args.is_empty() || !program.iter().zip(args).all(fits) {
            continue;
        }
        match program.get(args.len()) {
            Some(&"NAME") => return Begun::Words(names(None, Names::Services)),
            Some(word) => return Begun::Words(vec![(*word).to_owned()]),
            None => {
                let service = program.iter().zip(args).find(|(part, _)| **part == "NAME");
                let rest = args.get(program.len()..).unwrap_or_default();
                return Begun::Line(service.map(|(_, word)| word.as_str()), rest);
            }
        }
    }
    Begun::Line(None, args)
}

impl<R> Grammar<R> {
    /// Completes a line, which may begin with one of the programs.
    pub fn complete(&self, programs: &[&[&str]], line: &str, names: &mut Namer<'_>) -> Completion {
        Completion::of(line, |args, typed| match after_program(programs, args, names) {
            Begun::Words(words) => words,
            Begun::Line(service, args) => self.candidates(service, args, typed, names),
        })
    }

    /// Returns the words that may follow, before they are compared with what is typed of the next one.
    pub fn candidates(
        &self,
        service: Option<&str>,
        args: &[String],
        typed: &str,
        names: &mut Namer<'_>,
    ) -> Vec<String> {
        let leading = if self.flags_lead() { None } else { self.named(args) };
        if leading.is_none() && !self.flags_lead() {
            return self.next_words(args, typed, false);
        }
        let rest = args.get(leading.map_or(0, Command::len)..).unwrap_or_default();
        let has_ended = rest.iter().any(|word| self.reading.ends_flags(word));
        let last = rest.last().filter(|_| !has_ended);
        let waiting = last.and_then(|last| flags::waiting(last, self.reading, self.flags(leading)));
        let read = if waiting.is_some() { rest.get(..rest.len().saturating_sub(1)) } else { Some(rest) };
        let read = flags::read(read.unwrap_or_default(), self.reading, || self.flags(leading));
        let Ok(mut given) = read else { return Vec::new() };
        let wants_help =
            self.flags_lead() && self.takes_help(&mut Given { flags: Vec::new(), ..given.clone() });
        if wants_help {
            given.arguments.remove(0);
        }
        let command = leading.or_else(|| self.named(&given.arguments));
        let words = if leading.is_some() { Vec::new() } else { given.arguments.clone() };
        if let Some(command) = command.filter(|_| leading.is_none()) {
            given.arguments.drain(..command.len());
        }
        let arguments = command.map_or("", |command| command.arguments);
        let place = Typed { service, given: &given, arguments };
        if let Some(flag) = waiting {
            return flag.offered(&place, names);
        }
        if let Some((name, _)) = typed.strip_prefix("--").and_then(|typed| typed.split_once('=')) {
            let flag = self.flags(leading).find(|flag| flag.is_named(name));
            let values = flag.map(|flag| flag.offered(&place, names)).unwrap_or_default();
            return values.iter().map(|value| format!("--{name}={value}")).collect();
        }
        if typed.starts_with('-') && !has_ended {
            return self.unused(command, rest);
        }
        let Some(command) = command else { return self.next_words(&words, typed, wants_help) };
        if wants_help {
            return Vec::new();
        }
        if rest.is_empty() && self.style.offers_flags && command.arguments.is_empty() {
            return self.unused(Some(command), rest);
        }
        self.arguments(&place, names)
    }

    /// The next word of every command that begins so. Other spellings are offered to those who begin to type one.
    fn next_words(&self, line: &[String], typed: &str, wants_help: bool) -> Vec<String> {
        let (mut main, mut others) = (Vec::new(), Vec::new());
        for command in self.commands.iter().filter(|command| command.matched(line) == line.len()) {
            for (at, word) in command.word(line.len()).enumerate() {
                let list = if at == 0 { &mut main } else { &mut others };
                if !list.iter().any(|known| known == word) {
                    list.push(word.to_owned());
                }
            }
        }
        if self.flags_lead() && line.is_empty() && !wants_help {
            main.push("help".to_owned());
        }
        if main.iter().any(|word| word.starts_with(typed)) { main } else { others }
    }

    /// The flags of a command that the line does not have yet; without a command, those of all.
    fn unused(&self, command: Option<&Command<R>>, line: &[String]) -> Vec<String> {
        let own = command.map_or(&[][..], |command| command.flags).iter().chain(self.globals);
        let own = own.filter(|flag| !flag.is_argument).map(|flag| (format!("--{}", flag.name), flag.repeats));
        own.filter(|(flag, repeats)| *repeats || !line.contains(flag)).map(|(flag, _)| flag).collect()
    }

    /// The arguments that fit into the next place of a command.
    fn arguments(&self, typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
        let at = typed.given.arguments.len();
        let all = || places(typed.arguments);
        let Some(place) = all().nth(at).or_else(|| all().last().filter(|place| place.repeats)) else {
            return Vec::new();
        };
        if let Some((_, offer)) = self.kinds.iter().find(|(name, _)| *name == place.name) {
            return offer(typed, names);
        }
        let alternatives = place.name.split('|').map(str::to_owned);
        if place.name.contains('|') { alternatives.collect() } else { Vec::new() }
    }
}
