//! Flags and arguments of a command.

/// Arguments given.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    flags: Vec<(&'static str, Option<String>)>,
    /// The rest.
    pub(super) words: Vec<String>,
}

impl Given {
    /// Returns whether a flag is set.
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|(known, _)| *known == name)
    }

    /// The value of a flag.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).and_then(|(_, value)| value.as_deref())
    }

    /// A word by its place.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(String::as_str)
    }

    /// The id that is the first word, with a slash before it.
    pub(super) fn id(&self) -> String {
        format!("/{}", self.word(0).unwrap_or_default().trim_matches('/'))
    }

    /// A query of what is set of these flags.
    pub(super) fn query(&self, names: &[&str]) -> String {
        let set = names.iter().filter(|name| self.has(name)).map(|name| match self.value(name) {
            Some(value) => format!("{name}={value}"),
            None => format!("{name}=true"),
        });
        let all: Vec<String> = set.collect();
        if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
    }
}

/// Reads flags, each written `name` or `name=`, and arguments; flags may stand anywhere.
///
/// *Errors*: a flag that does not exist, or lacks its value.
pub(super) fn read(args: &[String], flags: &[&'static str]) -> Result<Given, String> {
    let mut given = Given::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(long) = arg.strip_prefix("--").filter(|long| !long.is_empty()) else {
            given.words.push(arg.clone());
            continue;
        };
        let (name, inline) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let known = flags.iter().find(|known| known.trim_end_matches('=') == name);
        let known = *known.ok_or_else(|| format!("unknown flag: --{name}"))?;
        let value = match (known.strip_suffix('='), inline) {
            (None, None) => None,
            (_, Some(inline)) => Some(inline.to_owned()),
            (Some(_), None) => {
                Some(args.next().cloned().ok_or_else(|| format!("flag needs an argument: --{name}"))?)
            }
        };
        given.flags.push((known.trim_end_matches('='), value));
    }
    Ok(given)
}
