//! Instants as the API writes them.
//!
//! *Knows*: the calendar, from milliseconds since 1970. *Must not know*: what happens when.
//!
//! **Source**: `marathon: state/Timestamp.scala`. Match: always three digits of milliseconds, always `Z`.

use crate::definition::spec::Stamp;
use crate::definition::write::Dates;
use planarium_kernel::SimTime;
use planarium_kernel::civil::{Date, date_time};

/// Calendar instant of genesis.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calendar {
    /// *Units*: milliseconds since 1970.
    pub(crate) epoch_ms: u64,
}

impl Dates for Calendar {
    fn date(&self, at: Stamp) -> String {
        text(self.epoch_ms.saturating_add(at))
    }
}

impl Calendar {
    /// An instant as text.
    pub(crate) fn at(self, at: SimTime) -> String {
        self.date(at.ms())
    }

    /// Parses a version: `2015-02-09T14:45:51.650Z`, also with fewer digits or another offset. Instants before
    /// genesis have no version.
    pub(crate) fn stamp(self, text: &str) -> Option<Stamp> {
        parse(text.trim())?
            .checked_sub(i64::try_from(self.epoch_ms).ok()?)
            .and_then(|ms| u64::try_from(ms).ok())
    }

    /// Returns an instant in the form of answers; the unchanged text if it is not an instant.
    pub(crate) fn canonical(written: &str) -> String {
        let ms = parse(written.trim()).and_then(|ms| u64::try_from(ms).ok());
        ms.map_or_else(|| written.to_owned(), text)
    }

    /// Returns whether a text is an instant.
    pub(crate) fn is_date(text: &str) -> bool {
        parse(text.trim()).is_some()
    }
}

/// Milliseconds since 1970 as text.
fn text(ms: u64) -> String {
    format!("{}.{:03}Z", date_time(ms / 1_000), ms % 1_000)
}

/// Milliseconds since 1970 of a text.
fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't'])?;
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let date = Date { year, month: u32::try_from(month).ok()?, day: u32::try_from(day).ok()? };
    if !(0..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || parts.next().is_some()
    {
        return None;
    }
    let at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = (time.get(..at)?, time.get(at..)?);
    let mut parts = clock.split(':');
    let whole = |text: Option<&str>| text?.parse::<i64>().ok().filter(|n| (0..60).contains(n));
    let (hour, minute) = (whole(parts.next())?, whole(parts.next())?);
    let seconds = parts.next().unwrap_or("0");
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let second = whole(Some(seconds))?;
    if hour > 23
        || parts.next().is_some()
        || fraction.is_empty()
        || !fraction.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let milli: i64 = fraction.chars().chain("000".chars()).take(3).collect::<String>().parse().ok()?;
    let offset = match zone {
        "Z" | "z" => 0,
        zone => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4)?;
            sign * (number / 100 * 60 + number % 100)
        }
    };
    let minutes = (date.to_day() * 24 + hour) * 60 + minute - offset;
    Some((minutes * 60 + second) * 1000 + milli)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_and_parsed() {
        for (ms, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_423_493_151_650, "2015-02-09T14:45:51.650Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(text(ms), written);
            assert_eq!(parse(written), i64::try_from(ms).ok());
        }
        for (written, same) in [
            ("2015-02-09T14:45:51Z", Some("2015-02-09T14:45:51.000Z")),
            ("2015-02-09T15:45:51.65+01:00", Some("2015-02-09T14:45:51.650Z")),
            ("2015-02-09T14:45:51.650123Z", Some("2015-02-09T14:45:51.650Z")),
            ("2015-02-09", None),
            ("2015-13-09T14:45:51Z", None),
            ("2015-02-09T25:45:51Z", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(parse(written), same.and_then(parse), "{written}");
        }
    }

    #[test]
    fn versions_count_from_genesis() {
        let calendar = Calendar { epoch_ms: 1_423_493_151_000 };
        assert_eq!(calendar.date(650), "2015-02-09T14:45:51.650Z");
        assert_eq!(calendar.stamp("2015-02-09T14:45:51.650Z"), Some(650));
        assert_eq!(calendar.stamp("2014-02-09T14:45:51.650Z"), None);
    }
}
