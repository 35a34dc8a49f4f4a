//! Flags and arguments of a command.
//!
//! *Knows*: long and short flags, with and without values. *Must not know*: any command.

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its long name.
    pub name: &'static str,
    /// Its letter, if it has one.
    pub short: Option<char>,
    /// It takes a value; a flag without one may still be given as `=false`.
    pub value: bool,
}

/// Flags and arguments given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Flags with their values; `true` for those that take none.
    flags: Vec<(&'static str, String)>,
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

    /// An argument by its place.
    pub fn argument(&self, at: usize) -> Option<&str> {
        self.arguments.get(at).map(String::as_str)
    }

    /// A query string of those flags that are given: `?force=true&host=a`, or nothing.
    pub fn query(&self, names: &[&str]) -> String {
        let given = names.iter().filter_map(|name| Some(format!("{name}={}", self.value(name)?)));
        let all: Vec<String> = given.collect();
        if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
    }

    /// Reads a flag with the value in its word, or in the next one. `shown` names the flag in the error.
    fn take<'w>(
        &mut self,
        flag: Flag,
        inline: Option<&str>,
        rest: &mut impl Iterator<Item = &'w String>,
        shown: &str,
    ) -> Result<(), String> {
        let value = match (inline, flag.value) {
            (Some(inline), _) => inline.to_owned(),
            (None, false) => "true".to_owned(),
            (None, true) => rest.next().cloned().ok_or_else(|| format!("flag needs an argument: {shown}"))?,
        };
        self.flags.push((flag.name, value));
        Ok(())
    }

    /// Notes a flag that is written out, `name` or `name=value`.
    fn take_long<'w>(
        &mut self,
        long: &str,
        rest: &mut impl Iterator<Item = &'w String>,
        find: impl Fn(&str) -> Option<Flag>,
    ) -> Result<(), String> {
        let (name, inline) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let flag = find(name).ok_or_else(|| format!("unknown flag: --{name}"))?;
        self.take(flag, inline, rest, &format!("--{name}"))
    }
}

/// Reads long flags (`--name`, `--name=value`, `--name value`) and short ones (`-n value`, `-nvalue`, `-n=value`), which may stand
/// anywhere among the arguments. After `--` come arguments only.
///
/// *Errors*: a flag that does not exist, or lacks its value.
pub fn read(words: &[String], tables: &[&[Flag]]) -> Result<Given, String> {
    let find = |is: &dyn Fn(&Flag) -> bool| tables.iter().copied().flatten().find(|flag| is(flag)).copied();
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            given.arguments.extend(rest.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            given.take_long(long, &mut rest, |name| find(&|flag| flag.name == name))?;
        } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
            let mut chars = short.chars();
            let letter = chars.next().unwrap_or_default();
            let flag = find(&|flag| flag.short == Some(letter))
                .ok_or_else(|| format!("unknown shorthand flag: '{letter}' in {word}"))?;
            let inline = Some(chars.as_str()).filter(|inline| !inline.is_empty());
            let inline = inline.map(|inline| inline.strip_prefix('=').unwrap_or(inline));
            given.take(flag, inline, &mut rest, &format!("'{letter}' in {word}"))?;
        } else {
            given.arguments.push(word.clone());
        }
    }
    Ok(given)
}

/// Reads long flags only: a word with one dash, and `--` alone, are arguments.
///
/// *Errors*: a flag that does not exist, or lacks its value.
pub fn read_long(words: &[String], find: impl Fn(&str) -> Option<Flag>) -> Result<Given, String> {
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix("--").filter(|long| !long.is_empty()) {
            Some(long) => given.take_long(long, &mut rest, &find)?,
            None => given.arguments.push(word.clone()),
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag { name: "output", short: Some('o'), value: true },
        Flag { name: "force", short: Some('f'), value: false },
    ];

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn flags_may_come_anywhere_and_take_values_in_three_ways() {
        for line in ["a --output yaml b -f", "-oyaml a -f b", "a b --output=yaml --force", "-o=yaml -f a b"] {
            let given = read(&words(line), &[FLAGS]).expect(line);
            assert_eq!((given.value("output"), given.flag("force")), (Some("yaml"), true), "{line}");
            assert_eq!(given.arguments, ["a", "b"], "{line}");
        }
        let given = read(&words("-o a --output b --force=false -- -f --output"), &[FLAGS]).expect("flags");
        assert_eq!(given.values("output").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            (given.value("output"), given.has("force"), given.flag("force")),
            (Some("b"), true, false)
        );
        assert_eq!(given.arguments, ["-f", "--output"]);
        assert_eq!((given.argument(1), given.argument(2)), (Some("--output"), None));
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
            assert_eq!(read(&words(line), &[FLAGS]), Err(error.to_owned()), "{line}");
        }
    }

    #[test]
    fn without_short_flags_a_dash_begins_an_argument() {
        let find = |name: &str| FLAGS.iter().find(|flag| flag.name == name).copied();
        let given = read_long(&words("-f - -- --force --output=x"), find).expect("flags");
        assert_eq!(given.arguments, ["-f", "-", "--"]);
        assert_eq!(given.query(&["force", "size", "output"]), "?force=true&output=x");
        assert_eq!(given.query(&["size"]), "");
        assert_eq!(read_long(&words("--y"), find), Err("unknown flag: --y".to_owned()));
    }
}
