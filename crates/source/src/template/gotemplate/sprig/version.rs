//! Semantic versions.
//!
//! **Source**: `Masterminds/semver` v1.5.0 for `semver` and `semverCompare`, and its reading of versions in v3 (`NewVersion`)
//! for packages. Matched for the forms that are documented.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use crate::template::gotemplate::call::{Answer, Function, Type, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::Value;

const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function {
        name: "semver",
        takes: &[STR],
        more: None,
        run: |_, a| {
            Version::parse(text(a, 0))
                .map(|version| Value::Version(Rc::new(version)))
                .map_err(|error| error.to_string())
        },
    },
    Function { name: "semverCompare", takes: &[STR, STR], more: None, run: compare },
];

/// A version; parts that are left out are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// First number.
    pub major: u64,
    /// Second number.
    pub minor: u64,
    /// Third number.
    pub patch: u64,
    /// The part after `-`.
    pub prerelease: String,
    /// The part after `+`.
    pub metadata: String,
    original: String,
}

/// A text is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionError;

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Invalid Semantic Version")
    }
}

impl Version {
    /// Reads `1`, `1.2`, `v1.2.3`, `1.2.3-beta.1+build`.
    ///
    /// *Errors*: anything else.
    pub fn parse(original: &str) -> Result<Self, VersionError> {
        let text = original.strip_prefix('v').unwrap_or(original);
        let (text, metadata) = text.split_once('+').map_or((text, None), |(text, rest)| (text, Some(rest)));
        let (numbers, prerelease) =
            text.split_once('-').map_or((text, None), |(text, rest)| (text, Some(rest)));
        let fits = |part: Option<&str>| {
            part.is_none_or(|part| {
                part.split('.').all(|word| {
                    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                })
            })
        };
        let parts: Vec<&str> = numbers.split('.').collect();
        if parts.len() > 3 || !fits(prerelease) || !fits(metadata) {
            return Err(VersionError);
        }
        let mut read = [0_u64; 3];
        for (number, part) in read.iter_mut().zip(&parts) {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(VersionError);
            }
            *number = part.parse().map_err(|_| VersionError)?;
        }
        let [major, minor, patch] = read;
        Ok(Self {
            major,
            minor,
            patch,
            prerelease: prerelease.unwrap_or_default().to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: original.to_owned(),
        })
    }

    /// Returns the value of a field or method in a template.
    pub(in crate::template::gotemplate) fn method(&self, name: &str) -> Option<Value> {
        let number = |number: u64| Value::Int64(i64::try_from(number).unwrap_or(i64::MAX));
        Some(match name {
            "Major" => number(self.major),
            "Minor" => number(self.minor),
            "Patch" => number(self.patch),
            "Prerelease" => Value::str(self.prerelease.as_str()),
            "Metadata" => Value::str(self.metadata.as_str()),
            "Original" => Value::str(self.original.as_str()),
            "String" => self.to_string().into(),
            _ => return None,
        })
    }

    /// Which of two comes first; metadata does not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| prereleases(&self.prerelease, &other.prerelease))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

fn prereleases(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(x), Some(y)) => match (x.parse::<u64>(), y.parse::<u64>()) {
                (Ok(x), Ok(y)) => x.cmp(&y),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => x.cmp(y),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn compare(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let constraint = text(args, 0);
    let mut alternatives = Vec::new();
    for alternative in constraint.split("||") {
        let mut parts = Vec::new();
        for part in alternative.split(',').flat_map(split_hyphen) {
            let read = Constraint::parse(part.trim());
            parts.push(read.ok_or_else(|| format!("improper constraint: {constraint}"))?);
        }
        alternatives.push(parts);
    }
    let version = Version::parse(text(args, 1)).map_err(|error| error.to_string())?;
    Ok(Value::Bool(alternatives.iter().any(|parts| parts.iter().all(|part| part.holds(&version)))))
}

/// `1.2 - 1.4` is `>= 1.2` and `<= 1.4`.
fn split_hyphen(part: &str) -> Vec<String> {
    match part.split_once(" - ") {
        Some((from, to)) => vec![format!(">={}", from.trim()), format!("<={}", to.trim())],
        None => vec![part.to_owned()],
    }
}

/// One condition on a version.
struct Constraint {
    operator: String,
    version: Version,
    /// Parts that are written as numbers.
    given: usize,
}

impl Constraint {
    fn parse(text: &str) -> Option<Self> {
        let length = text.len().saturating_sub(text.trim_start_matches(['=', '!', '>', '<', '~', '^']).len());
        let (operator, rest) = text.split_at_checked(length)?;
        let known = ["", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"];
        if !known.contains(&operator) {
            return None;
        }
        let rest = rest.trim();
        let numbers = rest.split(['-', '+']).next().unwrap_or_default();
        let parts = numbers.strip_prefix('v').unwrap_or(numbers).split('.');
        let given = parts.take_while(|part| !matches!(*part, "x" | "X" | "*")).count();
        let plain = rest.replace(['x', 'X', '*'], "0");
        let version = Version::parse(if given == 0 {
            "0"
        } else if given < 3 {
            &plain
        } else {
            rest
        })
        .ok()?;
        Some(Self { operator: operator.to_owned(), version, given })
    }

    fn holds(&self, version: &Version) -> bool {
        let order = version.compare(&self.version);
        // Versions before a release do not fit unless the condition names one.
        let unfit = !version.prerelease.is_empty() && self.version.prerelease.is_empty();
        let same = |parts: usize| {
            (parts < 1 || version.major == self.version.major)
                && (parts < 2 || version.minor == self.version.minor)
                && (parts < 3 || version.patch == self.version.patch)
        };
        if self.operator == "!=" {
            return if self.given < 3 { !same(self.given) } else { order != Ordering::Equal };
        }
        if unfit {
            return false;
        }
        match self.operator.as_str() {
            "" | "=" if self.given < 3 => same(self.given),
            "" | "=" => order == Ordering::Equal,
            ">" if self.given < 3 && self.given > 0 => order == Ordering::Greater && !same(self.given),
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            ">=" | "=>" => order != Ordering::Less,
            "<=" | "=<" if self.given < 3 => order != Ordering::Greater || same(self.given),
            "<=" | "=<" => order != Ordering::Greater,
            "~" | "~>" => self.given == 0 || order != Ordering::Less && same(self.given.min(2)),
            _ => {
                let parts = if self.version.major > 0 || self.given < 2 {
                    1
                } else if self.version.minor > 0 || self.given < 3 {
                    2
                } else {
                    3
                };
                order != Ordering::Less && same(parts)
            }
        }
    }
}
