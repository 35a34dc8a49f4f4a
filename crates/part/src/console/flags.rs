//! Flags and arguments of a line.
//!
//! *Knows*: the rules of the parsers that the real programs use. *Must not know*: any command.

use super::command::{Flag, Place};
use planarium_source::go_duration_ms;
use std::str::FromStr;

/// The parser of a real program, with its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `spf13/pflag` below `spf13/cobra`: `--name`, `--name=value`, `--name value`, `-n value`, `-nvalue`, `-n=value`; after `--` come
    /// arguments only. Commands count their arguments themselves.
    Pflag,
    /// `alecthomas/kingpin`: as pflag, but flags may stand before the command, a flag without value takes none, and `=` after a letter
    /// belongs to the value.
    Kingpin,
    /// `docopt`: long flags only; a word with one dash, and `--` alone, are arguments.
    Docopt,
    /// Long flags with one dash or two; a letter after one dash is an argument.
    Names,
}

impl Reading {
    /// Returns whether flags have letters, and `--` ends them.
    fn has_letters(self) -> bool {
        matches!(self, Self::Pflag | Self::Kingpin)
    }

    /// Returns whether `--` in a line ends its flags.
    pub(super) fn ends_flags(self, word: &str) -> bool {
        self.has_letters() && word == "--"
    }

    /// Returns whether a flag of another command is told from one that no command has.
    pub(super) fn knows_all_flags(self) -> bool {
        matches!(self, Self::Kingpin | Self::Names)
    }

    /// Returns whether a flag without a value may be given one.
    fn switches_take_values(self) -> bool {
        matches!(self, Self::Pflag | Self::Docopt)
    }
}

/// A flag as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The whole word.
    pub word: String,
    /// The name or letter, without dashes and value.
    pub name: String,
    /// It is a letter.
    pub is_letter: bool,
}

impl Written {
    /// With its dashes: `--name`, `-n`.
    pub fn dashed(&self) -> String {
        format!("{}{}", if self.is_letter { "-" } else { "--" }, self.name)
    }
}

/// The fault of a line.
#[derive(Clone, Debug)]
pub enum Problem {
    /// It names no command.
    NoCommand(Unknown),
    /// There is no such flag.
    NoFlag(Written),
    /// A flag lacks its value.
    NoValue(&'static Flag, Written),
    /// A flag does not take this value.
    Value(Written, String),
    /// The command does not take this flag of another one, given with this value.
    Foreign(&'static Flag, String),
    /// An argument is missing.
    Missing(Place),
    /// An argument is more than the command takes.
    More(String),
}

/// A line without a command.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its first words, as far as they begin a command.
    pub begun: Vec<String>,
    /// The words after them.
    pub rest: Vec<String>,
    /// The words that could come instead.
    pub fits: Vec<&'static str>,
}

impl Unknown {
    /// All its words.
    pub fn words(&self) -> Vec<String> {
        self.begun.iter().chain(&self.rest).cloned().collect()
    }
}

/// Returns a problem with flags in the words of pflag; none for others.
///
/// **Source**: `spf13/pflag: flag.go`. Match.
pub fn in_pflags_words(problem: &Problem) -> Option<String> {
    let letter = |written: &Written| format!("'{}' in {}", written.name, written.word);
    Some(match problem {
        Problem::NoFlag(written) if written.is_letter => {
            format!("unknown shorthand flag: {}", letter(written))
        }
        Problem::NoFlag(written) => format!("unknown flag: {}", written.dashed()),
        Problem::NoValue(_, written) => {
            let shown = if written.is_letter { letter(written) } else { written.dashed() };
            format!("flag needs an argument: {shown}")
        }
        _ => return None,
    })
}

/// Flags and arguments given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Flags with their values; `true` for those that take none.
    pub(super) flags: Vec<(&'static str, String)>,
    /// All other words.
    pub arguments: Vec<String>,
}

impl Given {
    /// The last value of a flag.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a flag, in order.
    pub fn values<'g>(&'g self, name: &'g str) -> impl Iterator<Item = &'g str> {
        self.flags.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether a flag is given, with any value.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns whether a flag without value is set: given, and not as `=false`.
    pub fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != "false")
    }

    /// Flags with their values, in order.
    pub fn flags(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.flags.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// An argument by its place.
    pub fn argument(&self, at: usize) -> Option<&str> {
        self.arguments.get(at).map(String::as_str)
    }

    /// An argument by its place; empty when it is not given.
    pub fn text(&self, at: usize) -> &str {
        self.argument(at).unwrap_or_default()
    }

    /// A query string of those flags that are given: `?force=true&host=a`, or nothing.
    pub fn query(&self, names: &[&str]) -> String {
        let given = names.iter().filter_map(|name| Some(format!("{name}={}", self.value(name)?)));
        let all: Vec<String> = given.collect();
        if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
    }

    /// The number that a flag gives. *Errors*: in pflag's words.
    pub fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let read = |text: &str| {
            let why = || format!("strconv.ParseInt: parsing {text:?}: invalid syntax");
            text.parse().map_err(|_| invalid(name, text, &why()))
        };
        self.value(name).map(read).transpose()
    }

    /// The duration that a flag gives, as `90s` or `5m`; not a negative one. *Units*: milliseconds. *Errors*: in pflag's words.
    pub fn duration_ms(&self, name: &str) -> Result<Option<u64>, String> {
        let read = |text: &str| {
            let ms = go_duration_ms(text).and_then(|ms| u64::try_from(ms).ok());
            ms.ok_or_else(|| invalid(name, text, &format!("time: invalid duration {text:?}")))
        };
        self.value(name).map(read).transpose()
    }
}

fn invalid(name: &str, text: &str, why: &str) -> String {
    format!("invalid argument {text:?} for \"--{name}\" flag: {why}")
}

/// Parts a flag from its value in the same word; `None` for an argument.
fn parted(word: &str, reading: Reading) -> Option<(Written, Option<&str>)> {
    let written = |name: &str, is_letter| Written { word: word.to_owned(), name: name.to_owned(), is_letter };
    let single = || word.strip_prefix('-').filter(|name| reading == Reading::Names && name.len() > 1);
    let long = word.strip_prefix("--").filter(|name| reading != Reading::Docopt || !name.is_empty());
    if let Some(long) = long.or_else(single) {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        return Some((written(name, false), value));
    }
    let short = word.strip_prefix('-').filter(|short| reading.has_letters() && !short.is_empty())?;
    let letter = short.chars().next().unwrap_or_default();
    let value = short.strip_prefix(letter).filter(|value| !value.is_empty());
    let value = value.map(|value| {
        let bare = value.strip_prefix('=').filter(|_| reading == Reading::Pflag);
        bare.unwrap_or(value)
    });
    Some((written(letter.encode_utf8(&mut [0; 4]), true), value))
}

fn found(written: &Written, flags: impl Iterator<Item = &'static Flag>) -> Option<&'static Flag> {
    let letter = written.name.chars().next();
    let is_it = |flag: &&'static Flag| {
        if written.is_letter { flag.short == letter } else { flag.is_named(&written.name) }
    };
    let mut flags = flags;
    flags.find(is_it)
}

/// Returns the flag that a word names and whose value comes in the next one.
pub(super) fn waiting(
    word: &str,
    reading: Reading,
    flags: impl Iterator<Item = &'static Flag>,
) -> Option<&'static Flag> {
    let (written, None) = parted(word, reading)? else { return None };
    found(&written, flags).filter(|flag| flag.value.is_some())
}

/// Reads words as flags and arguments, which may stand in any order.
pub(super) fn read<F: Iterator<Item = &'static Flag>>(
    words: &[String],
    reading: Reading,
    flags: impl Fn() -> F,
) -> Result<Given, Problem> {
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if reading.ends_flags(word) {
            given.arguments.extend(rest.by_ref().cloned());
            continue;
        }
        let Some((written, inline)) = parted(word, reading) else {
            given.arguments.push(word.clone());
            continue;
        };
        let Some(flag) = found(&written, flags()) else { return Err(Problem::NoFlag(written)) };
        let value = match (inline, flag.value) {
            (Some(value), None) if !reading.switches_take_values() => {
                return Err(Problem::Value(written, value.to_owned()));
            }
            (Some(value), _) => value.to_owned(),
            (None, None) => "true".to_owned(),
            (None, Some(_)) => match rest.next() {
                Some(value) => value.clone(),
                None => return Err(Problem::NoValue(flag, written)),
            },
        };
        if !flag.only.is_empty() && !flag.only.contains(&value.as_str()) {
            return Err(Problem::Value(written, value));
        }
        if flag.is_argument {
            given.arguments.push(value);
        } else {
            given.flags.push((flag.name, value));
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag::valued("output", "FORM").short('o'),
        Flag::plain("force").short('f'),
        Flag { only: &["a", "b"], ..Flag::valued("mode", "a or b") },
        Flag { is_argument: true, also: Some("environment"), ..Flag::valued("env", "a file") },
    ];

    fn read(line: &str, reading: Reading) -> Result<Given, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        super::read(&words, reading, || FLAGS.iter()).map_err(|problem| match problem {
            Problem::Value(written, value) => format!("{} is not {value}", written.dashed()),
            problem => in_pflags_words(&problem).unwrap_or_default(),
        })
    }

    #[test]
    fn flags_may_come_anywhere_and_take_values_in_three_ways() {
        for line in ["a --output yaml b -f", "-oyaml a -f b", "a b --output=yaml --force", "-o=yaml -f a b"] {
            let given = read(line, Reading::Pflag).expect(line);
            assert_eq!((given.value("output"), given.flag("force")), (Some("yaml"), true), "{line}");
            assert_eq!(given.arguments, ["a", "b"], "{line}");
        }
        let given = read("-o a --output b --force=false -- -f --output", Reading::Pflag).expect("flags");
        assert_eq!(given.values("output").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            (given.value("output"), given.has("force"), given.flag("force")),
            (Some("b"), true, false)
        );
        assert_eq!(given.arguments, ["-f", "--output"]);
        assert_eq!((given.argument(1), given.argument(2), given.text(2)), (Some("--output"), None, ""));
    }

    #[test]
    fn unknown_flags_and_missing_values_are_named() {
        for (line, error) in [
            ("--x", "unknown flag: --x"),
            ("--=x", "unknown flag: --"),
            ("-xo", "unknown shorthand flag: 'x' in -xo"),
            ("--output", "flag needs an argument: --output"),
            ("a -o", "flag needs an argument: 'o' in -o"),
        ] {
            assert_eq!(read(line, Reading::Pflag), Err(error.to_owned()), "{line}");
        }
    }

    #[test]
    fn each_parser_has_its_own_rules() {
        let given = read("-f - -- --force --output=x", Reading::Docopt).expect("flags");
        assert_eq!(given.arguments, ["-f", "-", "--"]);
        assert_eq!(given.query(&["force", "size", "output"]), "?force=true&output=x");
        assert_eq!(given.query(&["size"]), "");
        assert_eq!(read("--y", Reading::Docopt), Err("unknown flag: --y".to_owned()));

        let given = read("-o=x - -- -f", Reading::Kingpin).expect("flags");
        assert_eq!((given.value("output"), given.arguments.join(" ")), (Some("=x"), "- -f".to_owned()));
        assert_eq!(read("--force=x", Reading::Kingpin), Err("--force is not x".to_owned()));

        let given = read("a --env e -environment=g -f -force -mode b", Reading::Names).expect("flags");
        assert_eq!(given.arguments, ["a", "e", "g", "-f"]);
        assert_eq!(given.flags().collect::<Vec<_>>(), [("force", "true"), ("mode", "b")]);
        assert_eq!(read("--mode c", Reading::Names), Err("--mode is not c".to_owned()));
        assert_eq!(read("--", Reading::Names), Err("unknown flag: --".to_owned()));
    }

    #[test]
    fn numbers_and_durations_are_refused_in_the_words_of_go() {
        let given = read("--output 1.5s", Reading::Pflag).expect("flags");
        assert_eq!(given.duration_ms("output"), Ok(Some(1500)));
        assert_eq!(given.duration_ms("force"), Ok(None));
        let text = "invalid argument \"1.5s\" for \"--output\" flag: strconv.ParseInt: parsing \"1.5s\": invalid syntax";
        assert_eq!(given.number::<u64>("output"), Err(text.to_owned()));
        let given = read("--output -1s", Reading::Pflag).expect("flags");
        let text = "invalid argument \"-1s\" for \"--output\" flag: time: invalid duration \"-1s\"";
        assert_eq!(given.duration_ms("output"), Err(text.to_owned()));
    }
}
