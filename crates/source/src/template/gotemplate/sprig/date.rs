//! Instants, against the virtual clock.
//!
//! **Source**: `Masterminds/sprig: date.go` and `golang/go: src/time/format.go`. Simplified: the local zone is UTC, as in the
//! controller's container; named zones other than UTC are UTC.

#![expect(
    clippy::filter_map_next,
    clippy::unnecessary_wraps,
    reason = "one signature for every function of the table"
)]

use planarium_kernel::civil::{Date, weekday};
use std::fmt;

use crate::go_duration_ms;
use crate::template::gotemplate::call::{Answer, Function, Type, arg, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::value::Value;

const ANY: Type = Type::Any;
const STR: Type = Type::Str;

pub(super) static TABLE: &[Function] = &[
    Function { name: "now", takes: &[], more: None, run: |m, _| Ok(Value::Time(Instant::now(m))) },
    Function {
        name: "date",
        takes: &[STR, ANY],
        more: None,
        run: |m, a| Ok(instant(m, arg(a, 1)).format(text(a, 0)).into()),
    },
    Function { name: "dateInZone", takes: &[STR, ANY, STR], more: None, run: in_zone },
    Function { name: "date_in_zone", takes: &[STR, ANY, STR], more: None, run: in_zone },
    Function {
        name: "htmlDate",
        takes: &[ANY],
        more: None,
        run: |m, a| Ok(instant(m, arg(a, 0)).format("2006-01-02").into()),
    },
    Function {
        name: "htmlDateInZone",
        takes: &[ANY, STR],
        more: None,
        run: |m, a| Ok(instant(m, arg(a, 0)).format("2006-01-02").into()),
    },
    Function { name: "dateModify", takes: &[STR, Type::Time], more: None, run: modify },
    Function { name: "date_modify", takes: &[STR, Type::Time], more: None, run: modify },
    Function { name: "ago", takes: &[ANY], more: None, run: ago },
    Function {
        name: "toDate",
        takes: &[STR, STR],
        more: None,
        run: |_, a| Ok(Value::Time(parse(text(a, 0), text(a, 1)).unwrap_or(Instant(ZERO_MS)))),
    },
    Function {
        name: "unixEpoch",
        takes: &[Type::Time],
        more: None,
        run: |_, a| {
            Ok(match arg(a, 0) {
                Value::Time(at) => at.0.div_euclid(1000).to_string().into(),
                _ => Value::str(""),
            })
        },
    },
];

/// An instant in UTC. *Units*: milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant(pub(super) i64);

/// The year 1, which is what Go's zero time means.
const ZERO_MS: i64 = -62_135_596_800_000;

const DAY_MS: i64 = 86_400_000;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Instant {
    fn now(machine: &Machine<'_>) -> Self {
        Self(machine.environment.now_ms)
    }

    /// Returns the result of `.Method` on an instant, for the usual methods.
    pub(in crate::template::gotemplate) fn method(self, name: &str) -> Option<Value> {
        let Date { year, month, day } = Date::of_day(self.day());
        let (month, day) = (i64::from(month), i64::from(day));
        let of_day = self.0.rem_euclid(DAY_MS);
        Some(match name {
            "Unix" => Value::Int64(self.0.div_euclid(1000)),
            "Year" => Value::Int(year),
            "Day" => Value::Int(day),
            "Hour" => Value::Int(of_day / 3_600_000),
            "Minute" => Value::Int(of_day / 60_000 % 60),
            "Second" => Value::Int(of_day / 1000 % 60),
            "Month" => Value::str(name_of(&MONTHS, month.saturating_sub(1))),
            "Weekday" => Value::str(name_of(&DAYS, self.weekday())),
            "UTC" | "Local" => Value::Time(self),
            "String" => self.to_string().into(),
            _ => return None,
        })
    }

    /// As JSON writes it.
    pub(in crate::template::gotemplate) fn rfc3339(self) -> String {
        let fraction = self.fraction();
        format!("{}{fraction}Z", self.format("2006-01-02T15:04:05"))
    }

    /// The part of a second, without zeros at its end.
    fn fraction(self) -> String {
        match self.0.rem_euclid(1000) {
            0 => String::new(),
            ms => format!(".{ms:03}").trim_end_matches('0').to_owned(),
        }
    }

    fn weekday(self) -> i64 {
        i64::from(weekday(self.day()))
    }

    /// The day, counted from 1 January 1970.
    fn day(self) -> i64 {
        self.0.div_euclid(DAY_MS)
    }

    /// By Go's reference layout.
    fn format(self, layout: &str) -> String {
        let mut out = String::new();
        let mut rest = layout;
        while let Some((part, after)) = next_part(rest) {
            let skipped = rest.len().saturating_sub(after.len()).saturating_sub(part.len());
            out.push_str(rest.get(..skipped).unwrap_or_default());
            out.push_str(&self.part(part));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn part(self, part: &str) -> String {
        let Date { year, month, day } = Date::of_day(self.day());
        let (month, day) = (i64::from(month), i64::from(day));
        let of_day = self.0.rem_euclid(DAY_MS);
        let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
        let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
        let short = |name: &str| name.get(..3).unwrap_or(name).to_owned();
        match part {
            "2006" => format!("{year:04}"),
            "06" => format!("{:02}", year.rem_euclid(100)),
            "January" => name_of(&MONTHS, month - 1).to_owned(),
            "Jan" => short(name_of(&MONTHS, month - 1)),
            "01" => format!("{month:02}"),
            "1" => month.to_string(),
            "Monday" => name_of(&DAYS, self.weekday()).to_owned(),
            "Mon" => short(name_of(&DAYS, self.weekday())),
            "02" => format!("{day:02}"),
            "_2" => format!("{day:2}"),
            "2" => day.to_string(),
            "15" => format!("{hour:02}"),
            "03" => format!("{hour12:02}"),
            "3" => hour12.to_string(),
            "04" => format!("{minute:02}"),
            "4" => minute.to_string(),
            "05" => format!("{second:02}"),
            "5" => second.to_string(),
            "PM" => (if hour >= 12 { "PM" } else { "AM" }).to_owned(),
            "pm" => (if hour >= 12 { "pm" } else { "am" }).to_owned(),
            "MST" => "UTC".to_owned(),
            "Z07:00" | "Z0700" => "Z".to_owned(),
            "-07:00" => "+00:00".to_owned(),
            "-0700" => "+0000".to_owned(),
            "-07" => "+00".to_owned(),
            _ => {
                let places = part.len().saturating_sub(1);
                let digits = format!("{:03}000000", self.0.rem_euclid(1000));
                let digits = digits.get(..places.min(9)).unwrap_or_default();
                if part.starts_with(".9") {
                    let digits = digits.trim_end_matches('0');
                    return if digits.is_empty() { String::new() } else { format!(".{digits}") };
                }
                format!(".{digits}")
            }
        }
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, fraction) = (self.format("2006-01-02 15:04:05"), self.fraction());
        write!(f, "{seconds}{fraction} +0000 UTC")
    }
}

fn name_of(names: &[&'static str], at: i64) -> &'static str {
    usize::try_from(at).ok().and_then(|at| names.get(at)).copied().unwrap_or_default()
}

/// Longer parts before the shorter ones that they begin with.
const PARTS: [&str; 29] = [
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "Z07:00",
    "Z0700",
    "-07:00",
    "-0700",
    "-07",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "15",
    "_2",
    "PM",
    "pm",
    "1",
    "2",
    "3",
    "4",
    "5",
    ".000000000",
    ".000000",
    ".000",
];

/// The next part of a layout and what follows it.
fn next_part(layout: &str) -> Option<(&str, &str)> {
    layout.char_indices().find_map(|(at, _)| {
        let rest = layout.get(at..)?;
        let fraction = rest.strip_prefix('.').map(|digits| {
            let zeros = digits.len().saturating_sub(digits.trim_start_matches('0').len());
            let nines = digits.len().saturating_sub(digits.trim_start_matches('9').len());
            zeros.max(nines)
        });
        if let Some(length) = fraction.filter(|length| *length > 0) {
            return rest.split_at_checked(length.saturating_add(1));
        }
        let part = PARTS.into_iter().find(|part| rest.starts_with(part))?;
        rest.split_at_checked(part.len())
    })
}

/// Reads the argument of a date function: instants and seconds since 1970, else now.
fn instant(machine: &Machine<'_>, value: &Value) -> Instant {
    match value {
        Value::Time(at) => *at,
        Value::Int(seconds) | Value::Int64(seconds) => Instant(seconds.saturating_mul(1000)),
        _ => Instant::now(machine),
    }
}

fn in_zone(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    Ok(instant(machine, arg(args, 1)).format(text(args, 0)).into())
}

fn modify(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let given = arg(args, 1).clone();
    Ok(match (&given, go_duration_ms(text(args, 0))) {
        (Value::Time(at), Some(change)) => Value::Time(Instant(at.0.saturating_add(change))),
        _ => given,
    })
}

fn ago(machine: &mut Machine<'_>, args: &[Value]) -> Answer {
    let passed = machine.environment.now_ms.saturating_sub(instant(machine, arg(args, 0)).0);
    let seconds = passed.saturating_add(if passed < 0 { -500 } else { 500 }) / 1000;
    let (sign, seconds) = (if seconds < 0 { "-" } else { "" }, seconds.unsigned_abs());
    Ok(match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{sign}{seconds}s"),
        (0, minutes, seconds) => format!("{sign}{minutes}m{seconds}s"),
        (hours, minutes, seconds) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
    .into())
}

/// A text by a layout of the common parts.
fn parse(layout: &str, given: &str) -> Option<Instant> {
    let (mut year, mut month, mut day) = (0_i64, 1_i64, 1_i64);
    let (mut hour, mut minute, mut second, mut offset) = (0_i64, 0_i64, 0_i64, 0_i64);
    let mut afternoon = None;
    let (mut layout, mut given) = (layout, given);
    while let Some((part, after)) = next_part(layout) {
        let skipped = layout.len().saturating_sub(after.len()).saturating_sub(part.len());
        given = given.strip_prefix(layout.get(..skipped)?)?;
        layout = after;
        let mut number = |least: usize, most: usize| -> Option<i64> {
            let digits = given.bytes().take(most).take_while(u8::is_ascii_digit).count();
            let (number, rest) = given.split_at_checked(digits).filter(|_| digits >= least)?;
            given = rest;
            number.parse().ok()
        };
        match part {
            "2006" => year = number(4, 4)?,
            "06" => year = number(2, 2).map(|year| if year >= 69 { 1900 + year } else { 2000 + year })?,
            "01" => month = number(2, 2)?,
            "1" => month = number(1, 2)?,
            "02" => day = number(2, 2)?,
            "2" | "_2" => day = number(1, 2)?,
            "15" | "03" => hour = number(2, 2)?,
            "3" => hour = number(1, 2)?,
            "04" => minute = number(2, 2)?,
            "4" => minute = number(1, 2)?,
            "05" => second = number(2, 2)?,
            "5" => second = number(1, 2)?,
            "PM" | "pm" => {
                let (word, rest) = given.split_at_checked(2)?;
                afternoon = Some(word.eq_ignore_ascii_case("pm"));
                given = rest;
            }
            "January" | "Jan" => {
                let place = MONTHS.iter().position(|name| {
                    given.starts_with(if part == "Jan" { name.get(..3).unwrap_or(name) } else { name })
                })?;
                let length = if part == "Jan" { 3 } else { MONTHS.get(place)?.len() };
                month = i64::try_from(place).ok()?.saturating_add(1);
                given = given.get(length..)?;
            }
            "Monday" | "Mon" => {
                let name =
                    DAYS.iter().map(|name| if part == "Mon" { name.get(..3).unwrap_or(name) } else { name });
                given = name.filter_map(|name| given.strip_prefix(name)).next()?;
            }
            "MST" => given = given.strip_prefix("UTC")?,
            "Z07:00" | "Z0700" if given.starts_with('Z') => given = given.get(1..)?,
            "Z07:00" | "-07:00" | "Z0700" | "-0700" | "-07" => {
                let sign = if given.starts_with('-') { -1 } else { 1 };
                let length = match part {
                    "Z07:00" | "-07:00" => 6,
                    "-07" => 3,
                    _ => 5,
                };
                let (zone, rest) = given.split_at_checked(length)?;
                let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
                let number: i64 = digits.parse().ok()?;
                let (hours, minutes) = if part == "-07" { (number, 0) } else { (number / 100, number % 100) };
                offset = sign * (hours * 3600 + minutes * 60);
                given = rest;
            }
            _ => {}
        }
    }
    given = given.strip_prefix(layout)?;
    if !given.is_empty()
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    match afternoon {
        Some(true) if hour < 12 => hour += 12,
        Some(false) if hour == 12 => hour = 0,
        _ => {}
    }
    let days = Date { year, month: u32::try_from(month).ok()?, day: u32::try_from(day).ok()? }.to_day();
    Some(Instant((((days * 24 + hour) * 60 + minute) * 60 + second - offset) * 1000))
}
