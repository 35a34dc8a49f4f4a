//! Virtual time in calendar form.
//!
//! *Knows*: the calendar time of genesis, dates and times of day. *Must not know*: events.

use planarium_kernel::SimTime;
use planarium_kernel::civil::{DAY_S, Date, date_time, weekday};

/// The calendar time of genesis. *Units*: milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch(pub(crate) u64);

/// A minute of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "a minute of an hour is called so")]
pub(crate) struct Minute {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: u32,
    /// From 1.
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    /// 0 is Sunday.
    pub(crate) weekday: u32,
}

impl Epoch {
    /// *Units*: seconds since 1970.
    pub(crate) const fn seconds(self, at: SimTime) -> u64 {
        self.0.saturating_add(at.ms()) / 1000
    }

    /// The instant of a calendar time; genesis for what lies before it.
    pub(crate) const fn instant(self, seconds: u64) -> SimTime {
        SimTime(seconds.saturating_mul(1000).saturating_sub(self.0))
    }

    /// `2021-04-09T12:30:00Z`.
    pub(crate) fn text(self, at: SimTime) -> String {
        format!("{}Z", date_time(self.seconds(at)))
    }

    /// Parses a timestamp, including fractions and zero offsets.
    pub(crate) fn parse(self, text: &str) -> Option<SimTime> {
        let (date, time) = text.split_once('T')?;
        let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let time = time.strip_suffix('Z').or_else(|| time.strip_suffix("+00:00"))?;
        let (time, _) = time.split_once('.').unwrap_or((time, ""));
        let mut time = time.splitn(3, ':').map(|part| part.parse::<u64>().ok());
        let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
        let within = (1..=12).contains(&month) && (1..=31).contains(&day) && (1970..=9999).contains(&year);
        if !within || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let date = Date {
            year: i64::try_from(year).ok()?,
            month: u32::try_from(month).ok()?,
            day: u32::try_from(day).ok()?,
        };
        let days = u64::try_from(date.to_day()).ok()?;
        Some(self.instant(days * DAY_S + hour * 3600 + minute * 60 + second))
    }
}

/// The minute that a second since 1970 lies in.
pub(crate) fn minute_of(seconds: u64) -> Minute {
    let days = i64::try_from(seconds / DAY_S).unwrap_or(i64::MAX / 2);
    let Date { year, month, day } = Date::of_day(days);
    let small = |number: u64| u32::try_from(number).unwrap_or(0);
    Minute {
        year,
        month,
        day,
        hour: small(seconds % DAY_S / 3600),
        minute: small(seconds % 3600 / 60),
        weekday: weekday(days),
    }
}

/// A span as tables show ages: `5s`, `3m12s`, `2h`, `4d3h`.
///
/// **Source**: `kubernetes/apimachinery: pkg/util/duration/duration.go` (`HumanDuration`), match.
pub(crate) fn age(ms: u64) -> String {
    let seconds = ms / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / DAY_S);
    let with = |big: u64, unit: &str, small: u64, small_unit: &str| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{small}{small_unit}") }
    };
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => with(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => with(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => with(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => with(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_617_971_400, "2021-04-09T12:30:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let epoch = Epoch(0);
            assert_eq!(epoch.text(SimTime(seconds * 1000)), text);
            assert_eq!(epoch.parse(text), Some(SimTime(seconds * 1000)), "{text}");
        }
        assert_eq!(minute_of(1_617_971_400).weekday, 5, "a Friday");
        assert_eq!(Epoch(1_617_971_400_000).parse("2021-04-09T12:30:05.123Z"), Some(SimTime(5_000)));
        for bad in [
            "",
            "2021-04-09",
            "2021-13-09T00:00:00Z",
            "2021-04-09T25:00:00Z",
            "x-1-1T0:0:0Z",
            "2021-04-09T1:2Z",
        ] {
            assert_eq!(Epoch(0).parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn ages() {
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (312, "5m12s"),
            (720, "12m"),
            (10_800, "3h"),
            (11_100, "3h5m"),
            (36_000, "10h"),
            (180_000, "2d2h"),
            (172_800, "2d"),
            (864_000, "10d"),
            (63_072_000, "2y"),
            (67_000_000, "2y45d"),
        ] {
            assert_eq!(age(seconds * 1000), text);
        }
    }
}
