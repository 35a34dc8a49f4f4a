//! Instants as texts.

use planarium_kernel::civil::{DAY_S, Date};

/// `2006-01-02T15:04:05Z`. *Units*: milliseconds since 1970.
pub(crate) fn rfc3339(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, of_day) = (seconds / DAY_S, seconds % DAY_S);
    let Date { year, month, day } = Date::of_day(i64::try_from(days).unwrap_or(i64::MAX));
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_include_leap_years() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"),
            (1_583_020_799_000, "2020-02-29T23:59:59Z"),
            (4_102_444_799_000, "2099-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
        }
    }
}
