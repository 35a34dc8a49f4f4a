//! Health of instances from the results of checks.
//!
//! *Knows*: active checks by version, their results for each instance, when an instance is healthy. *Must not know*: how
//! deployments use it; how a check reaches a process.
//!
//! **Source**: `marathon: core/health/Health.scala, core/health/impl/HealthCheckActor.scala, AppHealthCheckActor.scala,
//! MarathonHealthCheckManager.scala`. Differ: results of a task are forgotten when it has ended, as in the documentation. The
//! code forgets them at the check's next tick, so an instance that is back by then keeps the results of the previous task; the
//! flag `MARATHON_SIM_STRICT_HEALTH_FLAG` switches to the code's behaviour.

pub(crate) mod probes;
mod verdict;

use crate::definition::RunSpec;
use crate::definition::spec::HealthDef;
use crate::instances::instance::InstanceNo;
use crate::instances::instance::{Condition, Instance};
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// The first probe comes no later than this.
const FIRST_MS: u64 = 5_000;

/// Results that one check has seen of one instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Health {
    /// Id of the instance.
    pub(crate) instance: Text,
    pub(crate) first_success: Option<SimTime>,
    pub(crate) last_success: Option<SimTime>,
    pub(crate) last_failure: Option<SimTime>,
    pub(crate) cause: Option<Text>,
    pub(crate) failures: u32,
    /// The event of the last result.
    pub(crate) event: u64,
}

impl Health {
    /// The last result was a success.
    pub(crate) fn is_alive(&self) -> bool {
        self.last_success.is_some_and(|success| self.last_failure.is_none_or(|failure| success > failure))
    }

    fn succeeded(&mut self, now: SimTime) {
        self.first_success = self.first_success.or(Some(now));
        self.last_success = Some(now);
        self.failures = 0;
    }

    fn failed(&mut self, now: SimTime, cause: Text) {
        self.last_failure = Some(now);
        self.cause = Some(cause);
        self.failures = self.failures.saturating_add(1);
    }
}

/// A result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckResult {
    Healthy,
    Unhealthy(Text),
    Ignored,
}

/// A result as it comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'a> {
    /// The check, by its place in the definition.
    pub(crate) check: u32,
    pub(crate) result: &'a CheckResult,
    pub(crate) at: SimTime,
    /// The event that caused it.
    pub(crate) event: u64,
}

/// The failure that an instance is killed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastFailure {
    pub(crate) at: SimTime,
    pub(crate) cause: Text,
}

/// Consequences of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The failure counts.
    pub(crate) failed: bool,
    /// The instance must be killed, with the previous failure as reason.
    pub(crate) kill: Option<LastFailure>,
    /// This check sees the instance otherwise than before.
    pub(crate) flipped: bool,
    /// All checks together see it otherwise than before.
    pub(crate) overall: Option<Overall>,
}

/// Combined result of an instance's checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overall {
    /// Unknown until each check has answered.
    pub(crate) healthy: Option<bool>,
}

/// The checks of one version of an app.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    /// The app in this version.
    pub(crate) spec: Arc<RunSpec>,
    /// Since when they are under way.
    pub(crate) since: SimTime,
    /// By instance, then by check.
    seen: SortedMap<InstanceNo, Vec<Option<Arc<Health>>>>,
    /// Instances that have ended and are not forgotten yet, with when they did.
    ended: SortedMap<InstanceNo, SimTime>,
}

impl Checks {
    /// They begin.
    pub(crate) fn new(spec: Arc<RunSpec>, since: SimTime) -> Self {
        Self { spec, since, seen: SortedMap::new(), ended: SortedMap::new() }
    }

    /// A check.
    pub(crate) fn check(&self, at: usize) -> Option<&HealthDef> {
        self.spec.def.health.get(at)
    }

    /// The first tick of a check after an instant.
    pub(crate) fn tick_after(&self, check: &HealthDef, now: SimTime) -> SimTime {
        let first = self.since.saturating_add(check.interval_ms.min(FIRST_MS));
        let interval = check.interval_ms.max(1);
        if now < first {
            first
        } else {
            first.saturating_add((now.since(first) / interval + 1).saturating_mul(interval))
        }
    }

    /// Returns the last result of a check of an instance. Repeated successes are not reported: the last one
    /// is that of the last tick.
    pub(crate) fn seen(&self, no: InstanceNo, at: usize, now: SimTime) -> Option<Health> {
        let health = self.seen.get(&no)?.get(at)?.as_deref()?;
        let mut health = health.clone();
        let check = self.check(at)?;
        if !check.by_agent && health.is_alive() && !self.ended.contains_key(&no) {
            let last = self.tick_after(check, now).saturating_sub(check.interval_ms);
            health.last_success = health.last_success.max(Some(last));
        }
        Some(health)
    }

    /// Returns the combined health of an instance by its checks.
    pub(crate) fn overall(&self, no: InstanceNo) -> Option<bool> {
        self.seen.get(&no).and_then(|all| overall(all))
    }

    /// An instance has ended.
    pub(crate) fn instance_ended(&mut self, no: InstanceNo, now: SimTime) {
        if self.seen.contains_key(&no) {
            self.ended.insert(no, now);
        }
    }

    /// Handles an instance that runs again: results not removed by a tick meanwhile are still valid.
    pub(crate) fn instance_runs(&mut self, no: InstanceNo, now: SimTime) {
        let Some(ended) = self.ended.remove(&no) else { return };
        let purged: Vec<bool> = self
            .spec
            .def
            .health
            .iter()
            .map(|check| !check.by_agent && self.tick_after(check, ended) <= now)
            .collect();
        let Some(all) = self.seen.get_mut(&no) else { return };
        for (health, purged) in all.iter_mut().zip(purged) {
            if purged {
                *health = None;
            }
        }
        if all.iter().all(Option::is_none) {
            self.seen.remove(&no);
        }
    }

    /// An instance is not tracked any more.
    pub(crate) fn forget(&mut self, no: InstanceNo) {
        self.seen.remove(&no);
        self.ended.remove(&no);
    }

    /// Takes a result of a check of an instance in.
    pub(crate) fn result(&mut self, no: InstanceNo, instance: &Instance, report: Report<'_>) -> Outcome {
        let Report { check, result, at: now, event } = report;
        let mut outcome = Outcome::default();
        let Ok(at) = usize::try_from(check) else { return outcome };
        let Some(check) = self.spec.def.health.get(at) else { return outcome };
        let count = self.spec.def.health.len();
        let all = self.seen.get(&no).cloned().unwrap_or_else(|| vec![None; count]);
        let fresh = || Health { instance: instance.id.clone(), ..Health::default() };
        let old = all.get(at).cloned().flatten().map_or_else(fresh, |health| Health::clone(&health));
        let mut new = Health { event, ..old.clone() };
        match result {
            CheckResult::Ignored => new = old.clone(),
            CheckResult::Healthy => new.succeeded(now),
            CheckResult::Unhealthy(cause) => {
                let running = instance.condition == Condition::Running;
                let grace =
                    old.first_success.is_none() && instance.since.saturating_add(check.grace_ms) > now;
                if running && !grace {
                    outcome.failed = true;
                    if check.max_failures > 0 && old.failures >= check.max_failures {
                        let cause = old.cause.clone().unwrap_or_else(|| "unknown".into());
                        outcome.kill = Some(LastFailure { at: old.last_failure.unwrap_or(now), cause });
                    }
                    new.failed(now, cause.clone());
                } else {
                    new = Health { event, ..old.clone() };
                }
            }
        }
        outcome.flipped = old.is_alive() != new.is_alive();
        let before = overall(&all);
        let mut all = all;
        if let Some(place) = all.get_mut(at) {
            *place = Some(Arc::new(new));
        }
        let after = overall(&all);
        if before != after {
            outcome.overall = Some(Overall { healthy: after });
        }
        self.seen.insert(no, all);
        outcome
    }

    /// Roughly what they take. *Units*: bytes.
    pub(crate) fn weight(&self) -> u64 {
        256 + 160 * self.seen.len() as u64
    }

    /// Lists broken invariants in words.
    pub(crate) fn check_all(&self) -> Vec<String> {
        let wrong = self.seen.iter().filter(|(_, all)| all.len() != self.spec.def.health.len());
        wrong.map(|(no, _)| format!("{}: instance {no} has another number of checks", self.spec.id)).collect()
    }
}

/// All alive is healthy, one unknown is unknown.
fn overall(all: &[Option<Arc<Health>>]) -> Option<bool> {
    if all.iter().all(|health| health.as_ref().is_some_and(|health| health.is_alive())) {
        Some(true)
    } else if all.iter().any(Option::is_none) {
        None
    } else {
        Some(false)
    }
}

/// Maps an exit code of a simulated check to a result of this kind; `None` is a timeout. Codes from 100 on are HTTP
/// statuses.
pub(crate) fn result_of(check: &HealthDef, exit_code: Option<i32>) -> CheckResult {
    let http = check.protocol.starts_with("HTTP");
    match exit_code {
        Some(0 | 200..=399) => CheckResult::Healthy,
        Some(100..=199) if http && check.json.get("ignoreHttp1xx").is_some_and(|flag| flag == true) => {
            CheckResult::Ignored
        }
        Some(status @ 100..=599) if http => CheckResult::Unhealthy(status_line(status).into()),
        Some(_) if http => CheckResult::Unhealthy(status_line(503).into()),
        Some(_) => CheckResult::Unhealthy("ConnectException: Connection refused".into()),
        None if http => CheckResult::Unhealthy("The connection closed with error: Idle timeout".into()),
        None => CheckResult::Unhealthy("SocketTimeoutException: connect timed out".into()),
    }
}

/// A status with its words.
pub(crate) fn status_line(status: i32) -> String {
    let words = match status {
        100 => "Continue",
        101 => "Switching Protocols",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {words}")
}
