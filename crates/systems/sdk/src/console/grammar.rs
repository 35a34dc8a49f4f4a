//! Parses words into a command with its arguments and flags.
//!
//! Knows: how words, flags and aliases are read, and the usage text. Must not know: what a command does.
//!
//! **Source**: dcos-commons `cli/commands` and the argument parser it uses: flags may come anywhere, `--` ends them.
//! Match for words, aliases, flags; the error and usage texts are ours.

use super::call::{Call, Done};
use super::commands::COMMANDS;
use planarium_source::suggest;
use std::fmt::Write as _;

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    /// `--json`
    Json,
    /// `--params K=V`
    Params,
    /// `--tasks T`
    Tasks,
    /// `--options FILE`
    Options,
    /// `--package-version V`
    PackageVersion,
    /// `--replace`
    Replace,
    /// `--name SERVICE`
    Name,
    /// `--verbose`
    Verbose,
    /// `--help`
    Help,
}

impl Flag {
    pub(super) const ALL: [Self; 9] = [
        Self::Json,
        Self::Params,
        Self::Tasks,
        Self::Options,
        Self::PackageVersion,
        Self::Replace,
        Self::Name,
        Self::Verbose,
        Self::Help,
    ];

    pub(super) fn long(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Params => "params",
            Self::Tasks => "tasks",
            Self::Options => "options",
            Self::PackageVersion => "package-version",
            Self::Replace => "replace",
            Self::Name => "name",
            Self::Verbose => "verbose",
            Self::Help => "help",
        }
    }

    fn short(self) -> Option<char> {
        match self {
            Self::Params => Some('p'),
            Self::Tasks => Some('t'),
            Self::Verbose => Some('v'),
            Self::Help => Some('h'),
            Self::Json | Self::Options | Self::PackageVersion | Self::Replace | Self::Name => None,
        }
    }

    /// Returns the name of its value; none when it takes none.
    fn value(self) -> Option<&'static str> {
        match self {
            Self::Params => Some("K=V"),
            Self::Tasks => Some("TASK"),
            Self::Options => Some("FILE"),
            Self::PackageVersion => Some("VERSION"),
            Self::Name => Some("SERVICE"),
            Self::Json | Self::Replace | Self::Verbose | Self::Help => None,
        }
    }

    fn may_repeat(self) -> bool {
        matches!(self, Self::Params | Self::Tasks)
    }

    /// By its long name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.long() == name)
    }

    /// Returns the flag named by a word whose value follows in the next word.
    pub(super) fn waiting(word: &str) -> Option<Self> {
        let flag = match word.strip_prefix("--") {
            Some(long) => Self::named(long),
            None => Self::ALL.into_iter().find(|flag| {
                flag.short()
                    .is_some_and(|short| word.strip_prefix('-').is_some_and(|rest| rest.chars().eq([short])))
            }),
        };
        flag.filter(|flag| flag.value().is_some())
    }

    /// Returns whether a command takes it; without a command, those that all take.
    pub(super) fn fits(self, command: Option<&Command>) -> bool {
        self.is_global() || command.is_some_and(|command| command.flags.contains(&self))
    }

    /// Permitted with every command.
    fn is_global(self) -> bool {
        matches!(self, Self::Name | Self::Verbose | Self::Help)
    }
}

/// An argument of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
}

/// A command of the table.
#[derive(Debug)]
pub(super) struct Command {
    /// The words that name it; in each place the word and its aliases.
    pub(super) path: &'static [&'static [&'static str]],
    pub(super) args: &'static [Arg],
    pub(super) flags: &'static [Flag],
    pub(super) about: &'static str,
    pub(super) run: fn(&mut Call<'_>, &Given) -> Done,
}

impl Command {
    /// Returns the number of words that match the beginning of its name.
    pub(super) fn matched(&self, words: &[String]) -> usize {
        self.path.iter().zip(words).take_while(|(names, word)| names.contains(&word.as_str())).count()
    }

    fn main_words(&self) -> impl Iterator<Item = &'static str> {
        self.path.iter().filter_map(|names| names.first().copied())
    }

    /// `plan pause PLAN [PHASE]`.
    fn synopsis(&self) -> String {
        let mut out = self.main_words().collect::<Vec<_>>().join(" ");
        for arg in self.args {
            let name = arg.name;
            let _ = if arg.is_required { write!(out, " {name}") } else { write!(out, " [{name}]") };
        }
        for flag in self.flags {
            let dashes =
                flag.short().map_or_else(|| format!("--{}", flag.long()), |short| format!("-{short}"));
            let value = flag.value().map(|value| format!(" {value}")).unwrap_or_default();
            let dots = if flag.may_repeat() { "..." } else { "" };
            let _ = write!(out, " [{dashes}{value}]{dots}");
        }
        out
    }

    fn help(&self) -> String {
        let others: Vec<&str> =
            self.path.last().map_or(&[][..], |names| names.get(1..).unwrap_or_default()).to_vec();
        if others.is_empty() {
            self.about.to_owned()
        } else {
            format!("{} (also: {})", self.about, others.join(", "))
        }
    }
}

/// Arguments and flags as they were given.
#[derive(Debug, Default)]
pub(super) struct Given {
    args: Vec<String>,
    flags: Vec<(Flag, String)>,
}

impl Given {
    /// An argument by its place; empty when it was not given.
    pub(super) fn arg(&self, index: usize) -> &str {
        self.args.get(index).map(String::as_str).unwrap_or_default()
    }

    pub(super) fn has(&self, flag: Flag) -> bool {
        self.flags.iter().any(|(given, _)| *given == flag)
    }

    /// All values of a flag.
    pub(super) fn values(&self, flag: Flag) -> Vec<&str> {
        self.flags.iter().filter(|(given, _)| *given == flag).map(|(_, value)| value.as_str()).collect()
    }

    /// The last value of a flag.
    pub(super) fn last(&self, flag: Flag) -> Option<&str> {
        self.values(flag).last().copied()
    }
}

/// Requests in the words of a line.
pub(super) enum Asked {
    /// The usage text of the commands with this prefix.
    Help(Vec<String>),
    /// A command.
    Command(&'static Command, Given),
}

/// Words that were understood.
pub(super) struct Understood {
    pub(super) asked: Asked,
    /// The service, where the words name one.
    pub(super) service: Option<String>,
    pub(super) verbose: bool,
}

/// Words that were not.
pub(super) struct Misread {
    pub(super) message: String,
    /// The words that were understood, for the usage text.
    pub(super) context: Vec<String>,
}

/// Parses words. A leading `dcos MODULE`, as in the real command line, names the service.
pub(super) fn understand(args: &[String]) -> Result<Understood, Misread> {
    let (module, args) = module(args);
    let (mut words, flags) = apart(args).map_err(|message| Misread { message, context: Vec::new() })?;
    let mut given = Given { args: Vec::new(), flags };
    let named = given.last(Flag::Name).map(str::to_owned);
    let service = named.or_else(|| module.map(str::to_owned));
    let verbose = given.has(Flag::Verbose);
    let wants_help = given.has(Flag::Help) || words.first().is_some_and(|word| word == "help");
    if words.first().is_some_and(|word| word == "help") {
        words.remove(0);
    }
    let depth = COMMANDS.iter().map(|command| command.matched(&words)).max().unwrap_or(0);
    if wants_help {
        words.truncate(depth);
        return Ok(Understood { asked: Asked::Help(words), service, verbose });
    }
    let Some(command) = COMMANDS.iter().find(|command| command.matched(&words) == command.path.len()) else {
        return Err(unknown(words, depth));
    };
    given.args = words.split_off(depth);
    match check(command, &given) {
        Ok(()) => Ok(Understood { asked: Asked::Command(command, given), service, verbose }),
        Err(message) => Err(Misread { message, context: words }),
    }
}

/// Returns the module that `dcos MODULE` names, and the words after it. The real one takes the package's name for the service's,
/// without its `beta-`.
pub(super) fn module(args: &[String]) -> (Option<&str>, &[String]) {
    match args {
        [dcos, module, rest @ ..] if dcos == "dcos" && !module.starts_with('-') => {
            (Some(module.strip_prefix("beta-").unwrap_or(module)), rest)
        }
        _ => (None, args),
    }
}

/// Words, and flags with their values.
pub(super) type Parted = (Vec<String>, Vec<(Flag, String)>);

/// Words and flags apart.
pub(super) fn apart(args: &[String]) -> Result<Parted, String> {
    let (mut words, mut flags) = (Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (shown, flag, value) = if arg == "--" {
            words.extend(rest.by_ref().cloned());
            break;
        } else if let Some(long) = arg.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            (format!("--{name}"), Flag::ALL.into_iter().find(|flag| flag.long() == name), value)
        } else if let Some(short) = arg.strip_prefix('-').and_then(|rest| rest.chars().next()) {
            let value =
                arg.strip_prefix(['-']).and_then(|rest| rest.strip_prefix(short)).filter(|v| !v.is_empty());
            (format!("-{short}"), Flag::ALL.into_iter().find(|flag| flag.short() == Some(short)), value)
        } else {
            words.push(arg.clone());
            continue;
        };
        let Some(flag) = flag else { return Err(format!("there is no flag {shown}")) };
        let value = match (flag.value(), value) {
            (None, None) => String::new(),
            (None, Some(_)) => return Err(format!("the flag {shown} takes no value")),
            (Some(_), Some(value)) => value.to_owned(),
            (Some(what), None) => {
                rest.next().cloned().ok_or_else(|| format!("the flag {shown} takes a value: {what}"))?
            }
        };
        flags.push((flag, value));
    }
    Ok((words, flags))
}

fn check(command: &Command, given: &Given) -> Result<(), String> {
    let name = command.main_words().collect::<Vec<_>>().join(" ");
    if let Some((flag, _)) =
        given.flags.iter().find(|(flag, _)| !flag.is_global() && !command.flags.contains(flag))
    {
        return Err(format!("`{name}` has no flag --{}", flag.long()));
    }
    for (index, arg) in command.args.iter().enumerate() {
        if arg.is_required && given.arg(index).is_empty() {
            return Err(format!("`{name}` needs {}", arg.name));
        }
    }
    match given.args.get(command.args.len()) {
        Some(more) => Err(format!("`{name}` does not take '{more}'")),
        None => Ok(()),
    }
}

/// The words of a command that is found below `debug` only, when they are given without it.
fn below_debug(words: &[String]) -> Option<String> {
    let found = COMMANDS.iter().find(|command| {
        let rest = command.path.split_first().filter(|(first, _)| first.contains(&"debug"));
        rest.is_some_and(|(_, rest)| {
            rest.len() <= words.len()
                && rest.iter().zip(words).all(|(names, word)| names.contains(&word.as_str()))
        })
    })?;
    Some(found.main_words().skip(1).collect::<Vec<_>>().join(" "))
}

fn unknown(mut words: Vec<String>, depth: usize) -> Misread {
    let below = below_debug(&words);
    let wrong = words.get(depth).cloned();
    words.truncate(depth);
    let context = words;
    let mut known: Vec<&str> = Vec::new();
    for command in COMMANDS.iter().filter(|command| command.matched(&context) == depth) {
        let names = command.path.get(depth).copied().unwrap_or_default();
        known.extend(names.iter().filter(|name| !known.contains(name)).copied().collect::<Vec<_>>());
    }
    let message = match wrong {
        _ if let Some(words) = below => {
            format!("there is no command `{words}`; did you mean 'debug {words}'?")
        }
        None if context.is_empty() => "a command is needed".to_owned(),
        None => format!("`{}` needs one of: {}", context.join(" "), known.join(", ")),
        Some(wrong) => {
            let whole = context.iter().chain([&wrong]).map(String::as_str).collect::<Vec<_>>().join(" ");
            match suggest(&wrong, known.iter().copied()) {
                Some(meant) => format!("there is no command `{whole}`; did you mean '{meant}'?"),
                None => format!("there is no command `{whole}`"),
            }
        }
    };
    Misread { message, context }
}

/// Widest synopsis that keeps its help on the same line.
const SYNOPSIS_WIDTH: usize = 44;

/// Returns the commands with this prefix; all if it is empty.
pub(super) fn usage(context: &[String]) -> String {
    let shown: Vec<(String, String)> = COMMANDS
        .iter()
        .filter(|command| command.matched(context) == context.len())
        .map(|command| (command.synopsis(), command.help()))
        .collect();
    let fitting = shown.iter().map(|(synopsis, _)| synopsis.len()).filter(|len| *len <= SYNOPSIS_WIDTH);
    let width = fitting.max().unwrap_or(SYNOPSIS_WIDTH);
    let mut out = String::from("Usage: [--name SERVICE] [--verbose] COMMAND\n\nCommands:\n");
    for (synopsis, help) in shown {
        if synopsis.len() > width {
            let _ = writeln!(out, "  {synopsis}\n  {:width$}  {help}", "");
        } else {
            let _ = writeln!(out, "  {synopsis:width$}  {help}");
        }
    }
    out
}
