//! Conditions that a run waits for, as written on a command line or in a scenario.
//!
//! Knows: how a condition is written and when a view meets it.
//! Must not know: how a world gets there.

use planarium_protocol::view::{PlanView, ServiceView};
use planarium_protocol::{Event, EventBody, Text};
use std::fmt;
use std::sync::Arc;

/// A condition that a world meets or does not meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `deploy=COMPLETE`, `SERVICE/deploy=COMPLETE`, `SERVICE/deploy/PHASE=STATUS`,
    /// `SERVICE/deploy/PHASE/STEP=STATUS`: an element shows a status.
    Status {
        /// The element as written. Without a service, the first service is used.
        element: Text,
        /// The status word; case does not matter.
        status: Text,
    },
    /// `idle`: no further change will happen.
    Idle,
    /// `t=30s`: virtual time has reached this instant.
    Time {
        /// *Units*: milliseconds since genesis.
        ms: u64,
    },
    /// `A && B`: both conditions.
    All(Vec<Condition>),
}

/// Error in a condition's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError {
    message: String,
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConditionError {}

fn error(message: String) -> ConditionError {
    ConditionError { message }
}

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        let parts: Vec<&str> = text.split("&&").map(str::trim).collect();
        match parts.as_slice() {
            [one] => Self::parse_one(one),
            many => many.iter().map(|part| Self::parse_one(part)).collect::<Result<_, _>>().map(Self::All),
        }
    }

    fn parse_one(text: &str) -> Result<Self, ConditionError> {
        if text.eq_ignore_ascii_case("idle") {
            return Ok(Self::Idle);
        }
        // Step names never contain `=`, service names may: split at the last one.
        let Some((left, right)) = text.rsplit_once('=') else {
            return Err(error(format!(
                "`{text}` is not a condition; write `deploy=COMPLETE`, `SERVICE/PLAN/PHASE/STEP=STATUS`, `idle` or `t=30s`"
            )));
        };
        let (left, right) = (left.trim().trim_end_matches('='), right.trim());
        if left == "t" {
            return parse_duration_ms(right).map(|ms| Self::Time { ms }).ok_or_else(|| {
                error(format!("`{right}` is not a time; write `1500ms`, `30s`, `5m` or `2h`"))
            });
        }
        let left = left.trim().trim_matches('/');
        if left.is_empty() || right.is_empty() {
            return Err(error(format!("`{text}` lacks a name or a status; write `deploy=COMPLETE`")));
        }
        Ok(Self::Status { element: left.into(), status: right.into() })
    }

    /// Returns the latest instant named: a wait continues up to it even in an idle world.
    pub fn latest_ms(&self) -> Option<u64> {
        match self {
            Self::Time { ms } => Some(*ms),
            Self::Idle | Self::Status { .. } => None,
            Self::All(all) => all.iter().filter_map(Self::latest_ms).max(),
        }
    }

    /// Returns whether the condition depends on statuses.
    pub(crate) fn asks_for_status(&self) -> bool {
        match self {
            Self::Status { .. } => true,
            Self::Idle | Self::Time { .. } => false,
            Self::All(all) => all.iter().any(Self::asks_for_status),
        }
    }

    /// Returns whether `event` may change a status in the condition. A cheap check with false positives.
    pub(crate) fn may_change_with(&self, event: &Event) -> bool {
        match self {
            Self::Status { element, .. } => match &event.body {
                EventBody::ElementStatus { path, .. } => {
                    let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan);
                    element.ends_with(&**name)
                }
                EventBody::InputApplied { .. }
                | EventBody::ServiceLoaded { .. }
                | EventBody::ServiceUpdated { .. }
                | EventBody::ServiceRemoved { .. }
                | EventBody::SchedulerStarted { .. }
                | EventBody::PhaseChanged { .. } => true,
                _ => false,
            },
            Self::Idle | Self::Time { .. } => true,
            Self::All(all) => all.iter().any(|one| one.may_change_with(event)),
        }
    }

    /// Returns whether it holds.
    pub fn holds(
        &self,
        now_ms: u64,
        idle: &dyn Fn() -> bool,
        status_at: &dyn Fn(&str) -> Option<&'static str>,
    ) -> bool {
        match self {
            Self::Time { ms } => now_ms >= *ms,
            Self::Idle => idle(),
            Self::Status { element, status } => {
                status_at(element).is_some_and(|shown| shown.eq_ignore_ascii_case(status))
            }
            Self::All(all) => all.iter().all(|one| one.holds(now_ms, idle, status_at)),
        }
    }
}

/// Parses `250ms`, `30s`, `5m`, `2h` or several in a row such as `1m30s`, with optional decimals; `None` for anything else.
pub fn parse_duration_ms(text: &str) -> Option<u64> {
    let (mut rest, mut total, mut last_ms) = (text.trim(), 0_u64, u64::MAX);
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let (unit, tail) =
            tail.split_at_checked(tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len()))?;
        let unit_ms: u64 = match unit.trim() {
            "ms" => 1,
            "s" => 1000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        // Larger units come first, each at most once.
        if unit_ms >= last_ms {
            return None;
        }
        last_ms = unit_ms;
        total = total.checked_add(in_unit(number, unit_ms)?)?;
        if tail.is_empty() {
            return Some(total);
        }
        rest = tail;
    }
}

/// Converts a number with a unit to milliseconds.
fn in_unit(number: &str, unit_ms: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().ok()?;
    let mut scale = unit_ms;
    let mut ms = whole.checked_mul(unit_ms)?;
    for digit in part.chars() {
        scale /= 10;
        ms = ms.checked_add(u64::from(digit.to_digit(10)?) * scale)?;
    }
    Some(ms)
}

/// Returns the status of an element: `PLAN` of the first service that has it, or `SERVICE/PLAN[/PHASE[/STEP]]`.
/// Service names may contain slashes. `None` if the element does not exist.
pub fn element_status<'a>(services: &'a [Arc<ServiceView>], element: &str) -> Option<&'a Text> {
    status_among(services, |service| &service.name, |service, element| status_in(service, element), element)
}

/// [`element_status`] over any items with service names, given a lookup of `PLAN[/PHASE[/STEP]]` in one item.
pub(crate) fn status_among<'a, S, T>(
    services: &'a [S],
    name: impl Fn(&'a S) -> &'a Text,
    status_in: impl Fn(&'a S, &str) -> Option<T>,
    element: &str,
) -> Option<T> {
    // The longest matching service name wins: `a/b/deploy` belongs to service `a/b` if that exists. If services of
    // several dialects share a name, the first one that has the element is used.
    let mut named: Vec<(usize, &S, &str)> = services
        .iter()
        .filter_map(|service| {
            let name = name(service).trim_matches('/');
            let rest = element.strip_prefix(name)?.strip_prefix('/')?;
            Some((name.len(), service, rest))
        })
        .collect();
    planarium_kernel::sorted::sort_by_key(&mut named, |(len, ..)| std::cmp::Reverse(*len));
    if let Some(status) = named.into_iter().find_map(|(_, service, rest)| status_in(service, rest)) {
        return Some(status);
    }
    let searched = if element.contains('/') { 1 } else { services.len() };
    services.iter().take(searched).find_map(|service| status_in(service, element))
}

fn plan_of<'a>(service: &'a ServiceView, name: &str) -> Option<&'a PlanView> {
    service.plans.iter().map(AsRef::as_ref).find(|plan: &&PlanView| &*plan.name == name)
}

fn status_in<'a>(service: &'a ServiceView, rest: &str) -> Option<&'a Text> {
    let mut names = rest.splitn(3, '/');
    let plan = plan_of(service, names.next()?)?;
    let Some(phase) = names.next() else { return Some(&plan.status) };
    let phase = plan.phases.iter().find(|p| *p.name == *phase || *p.id == *phase)?;
    let Some(step) = names.next() else { return Some(&phase.status) };
    phase.steps.iter().find(|s| *s.name == *step || *s.id == *step).map(|step| &step.status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::view::{PhaseView, Progress, StepView};

    fn service(name: &str) -> Arc<ServiceView> {
        let step = StepView {
            revision: 0,
            id: "s-id".into(),
            name: "hello-0:[a, b]".into(),
            namesake: false,
            status: "STARTING".into(),
            reason: "".into(),
            progress: None,
            forced: false,
            since_ms: 0,
            pod: None,
            tasks: vec![],
            source: None,
            actions: Arc::new([]),
        };
        let phase = PhaseView {
            revision: 0,
            id: "p-id".into(),
            name: "hello".into(),
            status: "IN_PROGRESS".into(),
            strategy: "serial".into(),
            interrupted: false,
            gates_left: 0,
            progress: Progress::default(),
            steps: vec![Arc::new(step)],
            actions: Arc::new([]),
        };
        let plan = PlanView {
            revision: 0,
            name: "deploy".into(),
            status: "WAITING".into(),
            strategy: "serial".into(),
            interrupted: false,
            errors: vec![],
            progress: Progress::default(),
            phases: vec![Arc::new(phase)],
            actions: Arc::new([]),
            custom: false,
        };
        Arc::new(ServiceView {
            revision: 0,
            name: name.into(),
            dialect: "sdk".into(),
            plans: vec![Arc::new(plan)],
            pods: vec![],
            activity: "".into(),
            statuses: &[],
            definitions: Vec::new(),
            more: Arc::default(),
        })
    }

    #[test]
    fn reads_conditions() {
        let status = |e: &str, s: &str| Condition::Status { element: e.into(), status: s.into() };
        let cases = [
            ("deploy=COMPLETE", Ok(status("deploy", "COMPLETE"))),
            ("deploy==COMPLETE", Ok(status("deploy", "COMPLETE"))),
            (" /a/b/deploy = complete ", Ok(status("a/b/deploy", "complete"))),
            ("idle", Ok(Condition::Idle)),
            ("t=30s", Ok(Condition::Time { ms: 30_000 })),
            ("t=1.5s", Ok(Condition::Time { ms: 1500 })),
            ("t=250ms && idle", Ok(Condition::All(vec![Condition::Time { ms: 250 }, Condition::Idle]))),
            ("t=1m30s", Ok(Condition::Time { ms: 90_000 })),
            ("t=1h 2m 0.5s", Ok(Condition::Time { ms: 3_720_500 })),
            ("t=30s1m", Err(())),
            ("t=1m1m", Err(())),
            ("t=1m30", Err(())),
            ("t=30", Err(())),
            ("t=", Err(())),
            ("t=99999999999999999999h", Err(())),
            ("t=.s", Err(())),
            ("deploy", Err(())),
            ("=COMPLETE", Err(())),
            ("deploy=", Err(())),
            ("", Err(())),
            ("a=b &&", Err(())),
        ];
        for (text, expected) in cases {
            assert_eq!(Condition::parse(text).map_err(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn finds_elements() {
        let services = [service("a"), service("/a/b")];
        for (element, status) in [
            ("deploy", Some("WAITING")),
            ("a/deploy", Some("WAITING")),
            ("a/b/deploy/hello", Some("IN_PROGRESS")),
            ("deploy/hello", Some("IN_PROGRESS")),
            ("a/deploy/hello/hello-0:[a, b]", Some("STARTING")),
            ("a/deploy/p-id/s-id", Some("STARTING")),
            ("b/deploy", None),
            ("a/deploy/nothing", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(element_status(&services, element).map(|s| &**s), status, "{element}");
        }
    }
}
