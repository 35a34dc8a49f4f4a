//! Flags and arguments of a command.

/// A flag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// Its long name.
    pub(super) name: &'static str,
    /// Its short one.
    pub(super) short: Option<char>,
    /// It takes a value; one that does not may be given `=false`.
    pub(super) value: bool,
}

/// Flags and arguments given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    flags: Vec<(&'static str, String)>,
    /// All other words.
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

    /// Returns whether a flag is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != "false")
    }

    /// The seconds of a duration such as `90s` or `5m`; nothing where it is not given, or 0.
    pub(super) fn seconds(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(text) = self.value(name) else { return Ok(None) };
        let bad = || {
            format!("error: invalid argument {text:?} for \"--{name}\" flag: time: invalid duration {text:?}")
        };
        let mut total = 0_u64;
        let mut number = String::new();
        for c in text.chars() {
            if c.is_ascii_digit() {
                number.push(c);
                continue;
            }
            let unit = match c {
                's' => 1,
                'm' => 60,
                'h' => 3600,
                _ => return Err(bad()),
            };
            let amount: u64 = number.parse().map_err(|_| bad())?;
            total = total.saturating_add(amount.saturating_mul(unit));
            number.clear();
        }
        if !number.is_empty() && number != "0" {
            return Err(bad());
        }
        Ok((total > 0).then_some(total))
    }
}

/// Reads flags and arguments, which may stand in any order.
///
/// *Errors*: a flag that does not exist, or lacks its value.
pub(super) fn read(words: &[String], specs: &[&'static [Spec]]) -> Result<Given, String> {
    let find = |is: &dyn Fn(&Spec) -> bool| specs.iter().flat_map(|specs| specs.iter()).find(|spec| is(spec));
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (spec, inline, shown) = if let Some(long) = word.strip_prefix("--") {
            if long.is_empty() {
                given.arguments.extend(rest.by_ref().cloned());
                break;
            }
            let (name, inline) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let spec = find(&|spec| spec.name == name).ok_or_else(|| format!("unknown flag: --{name}"))?;
            (spec, inline, format!("--{name}"))
        } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
            let mut chars = short.chars();
            let letter = chars.next().unwrap_or_default();
            let spec = find(&|spec| spec.short == Some(letter))
                .ok_or_else(|| format!("unknown shorthand flag: '{letter}' in {word}"))?;
            let inline = Some(chars.as_str()).filter(|inline| !inline.is_empty());
            (
                spec,
                inline.map(|inline| inline.strip_prefix('=').unwrap_or(inline)),
                format!("'{letter}' in {word}"),
            )
        } else {
            given.arguments.push(word.clone());
            continue;
        };
        let value = match (inline, spec.value) {
            (Some(inline), _) => inline.to_owned(),
            (None, false) => "true".to_owned(),
            (None, true) => rest.next().cloned().ok_or_else(|| format!("flag needs an argument: {shown}"))?,
        };
        given.flags.push((spec.name, value));
    }
    Ok(given)
}
