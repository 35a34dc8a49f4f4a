//! Instants as writers of documents give them.
//!
//! *Knows*: `0:42`, `1:00:05`, `90s`, `1m30s`, `end`, `marker:TEXT`. *Must not know*: what they are for.

use crate::recording::Recording;
use planarium_world::parse_duration_ms;

/// An instant of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Instant {
    /// *Units*: milliseconds since genesis.
    Ms(u64),
    /// The run's end.
    End,
    /// A mark of the recording, by its text.
    Marker(String),
}

impl Instant {
    /// Reads an instant; `None` for a text that is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "end" => Some(Self::End),
            "start" => Some(Self::Ms(0)),
            _ => match text.strip_prefix("marker:") {
                Some(name) => Some(Self::Marker(name.to_owned())),
                None => ms(text).map(Self::Ms),
            },
        }
    }

    /// Returns the instant within a recording; `None` for a mark that it does not have.
    pub(crate) fn within(&self, recording: &Recording) -> Option<u64> {
        match self {
            Self::Ms(ms) => Some((*ms).min(recording.end_ms)),
            Self::End => Some(recording.end_ms),
            Self::Marker(text) => {
                recording.marks.iter().find(|mark| mark.text == *text).map(|mark| mark.at_ms)
            }
        }
    }

    /// Returns the instant as the loader reads it: seconds, `end` or `marker:TEXT`.
    pub(crate) fn attribute(&self) -> String {
        match self {
            Self::Ms(ms) if ms % 1000 == 0 => (ms / 1000).to_string(),
            Self::Ms(ms) => format!("{}.{:03}", ms / 1000, ms % 1000),
            Self::End => "end".to_owned(),
            Self::Marker(text) => format!("marker:{text}"),
        }
    }
}

/// Reads a clock time or a span. *Units*: milliseconds.
pub(crate) fn ms(text: &str) -> Option<u64> {
    if text.contains(':') { clock(text) } else { span(text) }
}

/// Reads `M:SS`, `H:MM:SS`, with decimals of seconds.
fn clock(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split(':').collect();
    let (last, before) = parts.split_last()?;
    let (whole, _) = last.split_once('.').unwrap_or((last, ""));
    if before.len() > 2 || whole.len() != 2 || before.iter().skip(1).any(|part| part.len() != 2) {
        return None;
    }
    let mut minutes: u64 = 0;
    for part in before {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        minutes = minutes.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    minutes.checked_mul(60_000)?.checked_add(parse_duration_ms(&format!("{last}s"))?)
}

/// Reads `90s`, `1m30s`, `250ms`.
fn span(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut all: u64 = 0;
    loop {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let tail = rest.get(unit..)?;
        let end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (one, after) = rest.split_at_checked(unit + end)?;
        if unit == 0 {
            return None;
        }
        all = all.checked_add(parse_duration_ms(one)?)?;
        if after.is_empty() {
            return Some(all);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_clock_times_or_spans() {
        for (text, want) in [
            ("0:42", Some(42_000)),
            ("1:02.5", Some(62_500)),
            ("1:00:05", Some(3_605_000)),
            ("90s", Some(90_000)),
            ("1m30s", Some(90_000)),
            ("250ms", Some(250)),
            ("0s", Some(0)),
            ("42", None),
            ("0:4", None),
            (":42", None),
            ("1:2:03", None),
            ("1:00:00:00", None),
            ("s", None),
            ("1mm", None),
            ("", None),
            ("99999999999999999999h", None),
            ("99999999999999999999:00", None),
        ] {
            assert_eq!(ms(text), want, "{text}");
        }
    }

    #[test]
    fn instants_become_attributes() {
        for (text, want) in [
            ("0:42", "42"),
            ("1500ms", "1.500"),
            ("end", "end"),
            ("start", "0"),
            ("marker:a b", "marker:a b"),
        ] {
            assert_eq!(Instant::parse(text).map(|instant| instant.attribute()).as_deref(), Some(want));
        }
        assert_eq!(Instant::parse("soon"), None);
    }
}
