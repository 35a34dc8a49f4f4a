//! Flags and arguments of a command.

/// A flag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// Its long name.
    pub(super) name: &'static str,
    /// Its short one.
    pub(super) short: Option<char>,
    /// Set if it takes a value.
    pub(super) value: bool,
}

/// Arguments given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Flags with their values; `true` for those that take none.
    flags: Vec<(&'static str, String)>,
    /// The rest.
    pub(super) arguments: Vec<String>,
}

impl Given {
    /// The last value of a flag.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a flag, in order.
    pub(super) fn values<'g>(&'g self, name: &'g str) -> impl Iterator<Item = &'g str> {
        self.flags.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether a flag without value is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != "false")
    }

    /// A flag's number of seconds.
    pub(super) fn seconds(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.value(name) {
            None => Ok(default),
            Some(value) => value.parse().map_err(|_| {
                format!(
                    "invalid argument {value:?} for \"--{name}\" flag: strconv.ParseInt: parsing {value:?}: invalid syntax"
                )
            }),
        }
    }
}

/// Reads flags and arguments; flags may stand anywhere.
///
/// *Errors*: a flag that does not exist, or lacks its value.
pub(super) fn read(words: &[String], specs: &[&'static [Spec]]) -> Result<Given, String> {
    let all = || specs.iter().flat_map(|specs| specs.iter());
    let mut given = Given::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            given.arguments.extend(words.cloned());
            break;
        }
        let mut take = |spec: &Spec, inline: Option<&str>, shown: &str| -> Result<(), String> {
            let value = match (spec.value, inline) {
                (_, Some(inline)) => inline.to_owned(),
                (false, None) => "true".to_owned(),
                (true, None) => {
                    words.next().cloned().ok_or_else(|| format!("flag needs an argument: {shown}"))?
                }
            };
            given.flags.push((spec.name, value));
            Ok(())
        };
        if let Some(long) = word.strip_prefix("--") {
            let (name, inline) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let spec =
                all().find(|spec| spec.name == name).ok_or_else(|| format!("unknown flag: --{name}"))?;
            take(spec, inline, &format!("--{name}"))?;
        } else if let Some(short) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let mut chars = short.chars();
            let letter = chars.next().unwrap_or_default();
            let spec = all().find(|spec| spec.short == Some(letter));
            let spec = spec.ok_or_else(|| format!("unknown shorthand flag: '{letter}' in {word}"))?;
            let rest = chars.as_str();
            let inline = (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest));
            take(spec, inline, &format!("'{letter}' in {word}"))?;
        } else {
            given.arguments.push(word.clone());
        }
    }
    Ok(given)
}
