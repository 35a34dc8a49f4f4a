//! CronJobs and their schedules.
//!
//! *Knows*: the five fields of a schedule and its names. *Must not know*: which jobs there are.
//! Source: `robfig/cron: parser.go, spec.go` (as `kubernetes/kubernetes: pkg/controller/cronjob` uses it), match but for
//! seconds and time zones: the clock is UTC.

use crate::{
    calendar::{Minute, minute_of},
    labels::Pairs,
    tree::Tree,
};
use serde_json::Value;
use std::sync::Arc;

/// When something runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// At minutes that lie in all of these sets, a bit each.
    Fields {
        minutes: u64,
        hours: u64,
        days: u64,
        months: u64,
        weekdays: u64,
        /// Days of the month and of the week are both given: either is enough.
        either: bool,
    },
    /// Again and again. *Units*: seconds.
    Every(u64),
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Schedule {
    /// *Errors*: describes the invalid part of the schedule.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        if let Some(span) = text.strip_prefix("@every ") {
            return seconds_of(span.trim())
                .filter(|seconds| *seconds > 0)
                .map(Self::Every)
                .ok_or_else(|| format!("failed to parse duration {text}"));
        }
        if text.starts_with('@') {
            return Err(format!("unrecognized descriptor: {text}"));
        }
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(format!("expected exactly 5 fields, found {}: {text}", fields.len()));
        };
        let is_open = |field: &str| field.starts_with('*') || field.starts_with('?');
        Ok(Self::Fields {
            minutes: bits(minutes, 0, 59, &[])?,
            hours: bits(hours, 0, 23, &[])?,
            days: bits(days, 1, 31, &[])?,
            months: bits(months, 1, 12, MONTHS)?,
            weekdays: bits(weekdays, 0, 6, DAYS)?,
            either: !is_open(days) && !is_open(weekdays),
        })
    }

    /// The first time after a second since 1970, if there is one in the next five years.
    pub(crate) fn next_after(&self, seconds: u64) -> Option<u64> {
        let Self::Fields { minutes, hours, .. } = self else {
            let Self::Every(every) = self else { return None };
            return seconds.checked_add(*every);
        };
        let mut day = seconds / 86_400 * 86_400;
        for _ in 0..5 * 366 {
            if self.takes_day(&minute_of(day)) {
                for hour in (0..24).filter(|hour| hours >> hour & 1 == 1) {
                    for minute in (0..60).filter(|minute| minutes >> minute & 1 == 1) {
                        let at = day + hour * 3600 + minute * 60;
                        if at > seconds {
                            return Some(at);
                        }
                    }
                }
            }
            day = day.checked_add(86_400)?;
        }
        None
    }

    fn takes_day(&self, at: &Minute) -> bool {
        let Self::Fields { days, months, weekdays, either, .. } = self else { return false };
        let (day, weekday) = (days >> at.day & 1 == 1, weekdays >> at.weekday & 1 == 1);
        months >> at.month & 1 == 1 && if *either { day || weekday } else { day && weekday }
    }
}

/// `1h30m`, `90s`.
fn seconds_of(text: &str) -> Option<u64> {
    let mut seconds: u64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at_checked(end)?;
        let (unit, tail) = tail.split_at_checked(1)?;
        let unit = match unit {
            "h" => 3600,
            "m" => 60,
            "s" => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = tail;
    }
    Some(seconds)
}

/// The numbers of a field as bits.
fn bits(field: &str, low: u64, high: u64, names: &[&str]) -> Result<u64, String> {
    let mut all = 0;
    for part in field.split(',') {
        let number = |text: &str| -> Result<u64, String> {
            let named = names.iter().position(|name| name.eq_ignore_ascii_case(text));
            if let Some(at) = named {
                return Ok(at as u64 + low);
            }
            text.parse::<u64>().map_err(|_| format!("failed to parse int from {text}"))
        };
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(number(step)?)),
            None => (part, None),
        };
        let (from, to) = match range {
            "*" | "?" => (low, high),
            range => match range.split_once('-') {
                Some((from, to)) => (number(from)?, number(to)?),
                None if step.is_some() => (number(range)?, high),
                None => (number(range)?, number(range)?),
            },
        };
        if from < low {
            return Err(format!("beginning of range ({from}) below minimum ({low}): {part}"));
        }
        if to > high {
            return Err(format!("end of range ({to}) above maximum ({high}): {part}"));
        }
        if from > to {
            return Err(format!("beginning of range ({from}) beyond end of range ({to}): {part}"));
        }
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(format!("step of range should be a positive number: {part}"));
        }
        let mut at = from;
        while at <= to {
            all |= 1 << at;
            at = at.saturating_add(step);
        }
    }
    Ok(all)
}

/// The deed when a run is due while another one is still active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concurrency {
    Allow,
    Forbid,
    Replace,
}

/// A CronJob.
#[derive(Clone, Debug)]
pub(crate) struct CronJobSpec {
    /// Nothing when the text is none.
    pub(crate) schedule: Option<Schedule>,
    pub(crate) suspend: bool,
    pub(crate) concurrency: Concurrency,
    pub(crate) deadline_s: Option<u32>,
    pub(crate) successes_kept: u32,
    pub(crate) failures_kept: u32,
    pub(crate) labels: Pairs,
    pub(crate) annotations: Pairs,
    /// The spec of its jobs.
    pub(crate) job: Arc<Value>,
}

impl CronJobSpec {
    pub(crate) fn read(spec: &Value) -> Self {
        let metadata = spec.at(&["jobTemplate", "metadata"]);
        Self {
            schedule: Schedule::parse(spec.text("schedule")).ok(),
            suspend: spec.flag("suspend"),
            concurrency: match spec.text("concurrencyPolicy") {
                "Forbid" => Concurrency::Forbid,
                "Replace" => Concurrency::Replace,
                _ => Concurrency::Allow,
            },
            deadline_s: spec.count("startingDeadlineSeconds"),
            successes_kept: spec.count("successfulJobsHistoryLimit").unwrap_or(3),
            failures_kept: spec.count("failedJobsHistoryLimit").unwrap_or(1),
            labels: Pairs::of_value(metadata.key("labels")),
            annotations: Pairs::of_value(metadata.key("annotations")),
            job: Arc::new(spec.at(&["jobTemplate", "spec"]).clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Epoch;
    use planarium_kernel::SimTime;

    #[test]
    fn schedules() {
        let epoch = Epoch(0);
        let from = epoch.parse("2021-04-09T12:30:00Z").expect("a time").ms() / 1000;
        for (text, next) in [
            ("* * * * *", "2021-04-09T12:31:00Z"),
            ("*/15 * * * *", "2021-04-09T12:45:00Z"),
            ("30 12 * * *", "2021-04-10T12:30:00Z"),
            ("0 0 1 1 *", "2022-01-01T00:00:00Z"),
            ("0 9 * * MON-FRI", "2021-04-12T09:00:00Z"),
            ("0 0 13 * 5", "2021-04-13T00:00:00Z"),
            ("5,10 3-4 * * *", "2021-04-10T03:05:00Z"),
            ("0 0 29 2 *", "2024-02-29T00:00:00Z"),
            ("@hourly", "2021-04-09T13:00:00Z"),
            ("@every 1h30m", "2021-04-09T14:00:00Z"),
            ("10/20 * * * *", "2021-04-09T12:50:00Z"),
        ] {
            let schedule = Schedule::parse(text).expect(text);
            let at = schedule.next_after(from).expect(text);
            assert_eq!(epoch.text(SimTime(at * 1000)), next, "{text}");
        }
        assert_eq!(Schedule::parse("0 0 31 2 *").expect("a schedule").next_after(from), None);
        for bad in [
            "",
            "* * * *",
            "60 * * * *",
            "* * 0 * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "x * * * *",
            "@often",
            "@every x",
        ] {
            assert!(Schedule::parse(bad).is_err(), "{bad}");
        }
    }
}
