//! The civil calendar: years, months and days of the proleptic Gregorian calendar, counted from 1970.
//!
//! *Knows*: dates, days, the usual text of an instant. *Must not know*: offsets, and how an API ends such a text.

/// Seconds of a day.
pub const DAY_S: u64 = 86_400;

/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;

/// Days from 1 March of the year 0 to 1 January 1970.
const BEFORE_1970: i64 = 719_468;

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Year; 0 is the year before 1.
    pub year: i64,
    /// Month, from 1.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
}

impl Date {
    /// The date of a day that is counted from 1 January 1970.
    pub fn of_day(day: i64) -> Self {
        let from_era = day.saturating_add(BEFORE_1970);
        let (era, of_era) = (from_era.div_euclid(ERA_DAYS), from_era.rem_euclid(ERA_DAYS));
        // Years begin in March here, so that a leap day is the last day of a year.
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let small = |number: i64| u32::try_from(number).unwrap_or(1);
        Self {
            year: year + era * 400 + i64::from(month <= 2),
            month: small(month),
            day: small(of_year - (153 * from_march + 2) / 5 + 1),
        }
    }

    /// The day of this date, counted from 1 January 1970. A day beyond the end of its month runs on into the next one.
    pub fn to_day(self) -> i64 {
        let year = self.year.saturating_sub(i64::from(self.month <= 2));
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = i64::from(self.month.saturating_add(9) % 12);
        let of_year = (153 * from_march + 2) / 5 + i64::from(self.day) - 1;
        let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year - BEFORE_1970;
        era.saturating_mul(ERA_DAYS).saturating_add(days)
    }

    /// Returns whether the calendar has this date.
    pub fn exists(self) -> bool {
        (1..=12).contains(&self.month) && Self::of_day(self.to_day()) == self
    }
}

/// The day of the week of a day that is counted from 1 January 1970, a Thursday: 0 is Sunday.
pub fn weekday(day: i64) -> u32 {
    u32::try_from(day.rem_euclid(7) + 4).unwrap_or(0) % 7
}

/// Returns an instant of UTC as `2006-01-02T15:04:05`, without fraction and offset. *Units*: seconds since 1970.
pub fn date_time(seconds: u64) -> String {
    let Date { year, month, day } = Date::of_day(i64::try_from(seconds / DAY_S).unwrap_or(i64::MAX));
    let (hour, minute, second) = (seconds % DAY_S / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_399, "2000-02-28T23:59:59"),
            (951_868_800, "2000-03-01T00:00:00"),
            (1_583_020_799, "2020-02-29T23:59:59"),
            (4_102_444_799, "2099-12-31T23:59:59"),
        ] {
            assert_eq!(date_time(seconds), text);
        }
    }

    const fn date(year: i64, month: u32, day: u32) -> Date {
        Date { year, month, day }
    }

    /// Counts every day of two centuries by the lengths of the months.
    #[test]
    fn every_day_from_1900_to_2100_is_the_day_after_the_one_before() {
        let mut day = -25_567;
        let mut weekday_of = 1;
        for year in 1900..=2100 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            for (index, length) in
                [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].into_iter().enumerate()
            {
                let month = u32::try_from(index + 1).expect("a month");
                for of_month in 1..=length {
                    let now = date(year, month, of_month);
                    assert_eq!((Date::of_day(day), now.to_day()), (now, day), "{now:?}");
                    assert_eq!(weekday(day), weekday_of, "{now:?}");
                    assert!(now.exists(), "{now:?}");
                    day += 1;
                    weekday_of = (weekday_of + 1) % 7;
                }
                assert!(!date(year, month, length + 1).exists(), "{year}-{month} has {length} days");
            }
        }
        assert_eq!(day, 47_847, "2101 begins");
    }

    #[test]
    fn known_days() {
        for (day, known, of_week) in [
            (-25_567, date(1900, 1, 1), 1),
            (-25_509, date(1900, 2, 28), 3),
            (-25_508, date(1900, 3, 1), 4),
            (-1, date(1969, 12, 31), 3),
            (0, date(1970, 1, 1), 4),
            (11_016, date(2000, 2, 29), 2),
            (18_726, date(2021, 4, 9), 5),
            (47_540, date(2100, 2, 28), 0),
            (47_541, date(2100, 3, 1), 1),
        ] {
            assert_eq!((Date::of_day(day), known.to_day(), weekday(day)), (known, day, of_week), "{known:?}");
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_told_apart_and_run_on() {
        for missing in
            [date(2015, 2, 29), date(2100, 2, 29), date(2021, 4, 31), date(2021, 13, 1), date(2021, 0, 1)]
        {
            assert!(!missing.exists(), "{missing:?}");
        }
        assert_eq!(date(2015, 2, 29).to_day(), date(2015, 3, 1).to_day());
        assert!(!date(2021, 4, 0).exists());
        assert!(date(i64::MAX, 12, u32::MAX).to_day() > 0, "no overflow");
        assert!(date(i64::MIN, 1, 0).to_day() < 0, "no overflow");
        assert!(Date::of_day(i64::MAX).year > 0 && Date::of_day(i64::MIN).year < 0, "no overflow");
    }
}
