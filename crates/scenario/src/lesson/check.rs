//! Checks as written in lessons: states with a deadline, an instant or a span.
//!
//! ```text
//! CHECK := [never] STATES [after STATES] [until STATES] [by TIME | at TIME | within TIME]
//! ```
//!
//! Knows: how a check is written. Must not know: when it is met.

use super::states::States;
use planarium_world::parse_duration_ms;

/// A check, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// As it was written.
    pub text: String,
    /// Must not come true; otherwise it must.
    pub never: bool,
    /// The states.
    pub states: States,
    /// Checked only after these states held.
    pub after: Option<States>,
    /// Checked only until these states hold.
    pub until: Option<States>,
    /// Deadline for the states. *Units*: milliseconds since genesis.
    pub by_ms: Option<u64>,
    /// Instant at which they must hold. *Units*: milliseconds since genesis.
    pub at_ms: Option<u64>,
    /// Time after `after` within which they must hold. *Units*: milliseconds.
    pub within_ms: Option<u64>,
}

/// Words that begin a clause.
const CLAUSES: [&str; 5] = ["after", "until", "by", "at", "within"];

impl Check {
    /// Reads a check.
    ///
    /// *Errors*: describes the part that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_as(text, false)
    }

    /// Parses a check whose key already says that it must not come true.
    pub(crate) fn parse_as(text: &str, forbidden: bool) -> Result<Self, String> {
        let whole = text.trim();
        let (never, rest) = whole.strip_prefix("never ").map_or((forbidden, whole), |rest| (true, rest));
        let mut parts = clauses(rest).into_iter();
        let (_, states) = parts.next().unwrap_or_default();
        let mut check = Self {
            text: whole.to_owned(),
            never,
            states: States::parse(&states)?,
            after: None,
            until: None,
            by_ms: None,
            at_ms: None,
            within_ms: None,
        };
        for (word, value) in parts {
            check.clause(word, value.trim())?;
        }
        check.consistent()
    }

    fn clause(&mut self, word: &str, value: &str) -> Result<(), String> {
        let time = || parse_duration_ms(value).ok_or_else(|| format!("`{word} {value}`: not a time"));
        let twice = match word {
            "after" => self.after.replace(States::parse(value)?).is_some(),
            "until" => self.until.replace(States::parse(value)?).is_some(),
            "by" => self.by_ms.replace(time()?).is_some(),
            "at" => self.at_ms.replace(time()?).is_some(),
            _ => self.within_ms.replace(time()?).is_some(),
        };
        if twice { Err(format!("`{word}` is there twice")) } else { Ok(()) }
    }

    fn consistent(self) -> Result<Self, String> {
        let times = [self.by_ms, self.at_ms, self.within_ms].into_iter().flatten().count();
        if times > 1 {
            return Err("a check has one of `by`, `at` and `within`".to_owned());
        }
        if self.within_ms.is_some() && self.after.is_none() {
            return Err("`within` counts from the moment of `after`".to_owned());
        }
        if self.never && times > 0 {
            return Err("`never` looks at every moment; bound it by `after` and `until`".to_owned());
        }
        if !self.never && self.until.is_some() {
            return Err("`until` bounds a check with `never`".to_owned());
        }
        Ok(self)
    }
}

/// Splits a text into its clauses; the first has no keyword.
fn clauses(text: &str) -> Vec<(&'static str, String)> {
    let mut parts: Vec<(&'static str, String)> = vec![("", String::new())];
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        let timed = next.starts_with(|c: char| c.is_ascii_digit());
        let begins = CLAUSES.into_iter().find(|clause| *clause == word);
        match begins.filter(|clause| matches!(*clause, "after" | "until") || timed) {
            Some(clause) => parts.push((clause, String::new())),
            None => {
                if let Some((_, last)) = parts.last_mut() {
                    if !last.is_empty() {
                        last.push(' ');
                    }
                    last.push_str(word);
                }
            }
        }
    }
    parts
}
