//! The declaration of a command: its words, arguments, flags and help, each written once.
//!
//! *Knows*: the notation of words and arguments. *Must not know*: how a line is read, any system's commands.
//!
//! Words are separated by blanks, a word's other spellings by bars: `plan|plans status|show`. Arguments are written as a usage text
//! shows them: `PLAN [PHASE]`, `<app-id> [properties...]`. Brackets mark one that may be left out, dots one that repeats; bars inside
//! one separate the only values. From the first flag or bar of its own on, the text is for readers only: `TYPE NAME | -f FILE`.

use super::Namer;
use super::flags::Given;

/// Offers the values of an argument or a flag.
pub type Offer = fn(&Typed<'_>, &mut Namer<'_>) -> Vec<String>;

/// The line before a value that is offered.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'t> {
    /// The service that the line names.
    pub service: Option<&'t str>,
    /// Arguments and flags so far.
    pub given: &'t Given,
    /// The command's arguments; empty without a command.
    pub(super) arguments: &'static str,
}

impl Typed<'_> {
    /// Returns the argument in the place of this name, if it is given.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.given.argument(places(self.arguments).position(|place| place.name == name)?)
    }
}

/// A flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its long name.
    pub name: &'static str,
    /// Another long name, if it has one.
    pub also: Option<&'static str>,
    /// Its letter, if it has one.
    pub short: Option<char>,
    /// The name of its value; a flag without one may still be given as `=false` where upstream takes that.
    pub value: Option<&'static str>,
    /// Its only values; any where there are none.
    pub only: &'static [&'static str],
    /// Every value counts, not only the last.
    pub repeats: bool,
    /// Its value is an argument like any other. It is not offered, since that is the longer spelling.
    pub is_argument: bool,
    /// Offers its values.
    pub offer: Option<Offer>,
}

impl Flag {
    /// A flag without a value.
    pub const fn plain(name: &'static str) -> Self {
        Self {
            name,
            also: None,
            short: None,
            value: None,
            only: &[],
            repeats: false,
            is_argument: false,
            offer: None,
        }
    }

    /// A flag with a value.
    pub const fn valued(name: &'static str, value: &'static str) -> Self {
        Self { value: Some(value), ..Self::plain(name) }
    }

    /// The same with a letter.
    #[must_use]
    pub const fn short(self, letter: char) -> Self {
        Self { short: Some(letter), ..self }
    }

    /// The same with values that are offered.
    #[must_use]
    pub const fn offers(self, offer: Offer) -> Self {
        Self { offer: Some(offer), ..self }
    }

    /// Returns the values that fit here.
    pub(super) fn offered(&self, typed: &Typed<'_>, names: &mut Namer<'_>) -> Vec<String> {
        let only = || self.only.iter().map(|value| (*value).to_owned()).collect();
        self.offer.map_or_else(only, |offer| offer(typed, names))
    }

    /// Returns whether this is one of its long names.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.also == Some(name)
    }
}

/// The place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name.
    pub name: &'static str,
    /// It cannot be left out.
    pub is_needed: bool,
    /// It takes every further argument, too.
    pub repeats: bool,
}

/// Parts a usage text into the places of arguments.
pub fn places(arguments: &'static str) -> impl Iterator<Item = Place> {
    let is_place =
        |part: &&str| !part.is_empty() && *part != "|" && !part.trim_start_matches('[').starts_with('-');
    arguments.split(' ').take_while(is_place).map(|part| {
        let name = part.trim_matches(['<', '>', '[', ']', '.']);
        Place { name, is_needed: !part.starts_with('['), repeats: part.contains("...") }
    })
}

/// A command; `R` is how it is run.
#[derive(Clone, Copy, Debug)]
pub struct Command<R: 'static> {
    /// Its words.
    pub words: &'static str,
    /// Its arguments.
    pub arguments: &'static str,
    /// Its help: one line.
    pub about: &'static str,
    /// Its flags, besides those of all commands.
    pub flags: &'static [Flag],
    /// Carries it out.
    pub run: R,
}

impl<R> Command<R> {
    /// A command from its words, arguments, help, flags and function.
    pub const fn new(
        words: &'static str,
        arguments: &'static str,
        about: &'static str,
        flags: &'static [Flag],
        run: R,
    ) -> Self {
        Self { words, arguments, about, flags, run }
    }

    /// Its words, each with its other spellings.
    fn spellings(&self) -> impl Iterator<Item = &'static str> {
        self.words.split(' ')
    }

    /// Its name: the first spelling of each word.
    pub fn name(&self) -> String {
        let words = self.spellings().map(|word| word.split('|').next().unwrap_or_default());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Number of its words.
    pub fn len(&self) -> usize {
        self.spellings().count()
    }

    /// Returns whether it has no words; no command of a table is so.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The spellings of the word at a position.
    pub fn word(&self, at: usize) -> impl Iterator<Item = &'static str> {
        self.spellings().nth(at).into_iter().flat_map(|word| word.split('|'))
    }

    /// Number of leading words of a line that are its own.
    pub fn matched(&self, line: &[String]) -> usize {
        self.spellings().zip(line).take_while(|(own, word)| own.split('|').any(|own| own == *word)).count()
    }

    /// Returns a usage line: the program, its name, its arguments.
    pub fn line(&self, program: &str) -> String {
        let name = self.name();
        let parts = [program, &name, self.arguments].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Returns its help, with the other spellings of its last word.
    pub fn help(&self) -> String {
        let others: Vec<&str> = self.word(self.len().saturating_sub(1)).skip(1).collect();
        if others.is_empty() {
            self.about.to_owned()
        } else {
            format!("{} (also: {})", self.about, others.join(", "))
        }
    }
}

/// A table of commands, one a row: words, arguments, help, flags, function.
#[macro_export]
macro_rules! commands {
    ($($words:literal, $arguments:literal, $about:literal, [$($flag:expr),*], $run:expr;)+) => {
        &[$($crate::console::Command::new($words, $arguments, $about, &[$($flag),*], $run)),+]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_places_up_to_the_first_flag() {
        let of = |arguments| {
            let shown = |place: Place| {
                let signs = (if place.is_needed { "!" } else { "" }, if place.repeats { "+" } else { "" });
                format!("{}{}{}", place.name, signs.0, signs.1)
            };
            places(arguments).map(shown).collect::<Vec<_>>().join(" ")
        };
        for (arguments, want) in [
            ("", ""),
            ("PLAN [PHASE] [STEP]", "PLAN! PHASE STEP"),
            ("<app-id> [properties...]", "app-id! properties+"),
            ("<task-ids...>", "task-ids!+"),
            ("FILE...", "FILE!+"),
            ("<a|b>", "a|b!"),
            ("TYPE NAME | -f FILE", "TYPE! NAME!"),
            ("NAME [--from-literal=KEY=VALUE]", "NAME!"),
            ("-f FILE", ""),
        ] {
            assert_eq!(of(arguments), want, "{arguments}");
        }
    }

    #[test]
    fn words_have_several_spellings() {
        let command = Command::new("plan|plans status|show", "PLAN", "Shows a plan", &[], ());
        assert_eq!((command.name().as_str(), command.len()), ("plan status", 2));
        let matched = |line: &str| command.matched(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!([matched("plans show x"), matched("plan x"), matched("x")], [2, 1, 0]);
        assert_eq!(command.line("dcos"), "dcos plan status PLAN");
        assert_eq!(command.help(), "Shows a plan (also: show)");
    }
}
