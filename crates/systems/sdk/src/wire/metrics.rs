//! Metrics of the scheduler process in both forms, and its threads.
//!
//! **Source**: `dcos-commons: …/scheduler/Metrics.java, …/http/endpoints/ThreadsResource.java`, with the shapes of the
//! metrics libraries behind them. Match for names, counts and shapes. Handling offers takes no virtual time, so every
//! duration is 0; rates of the last minutes are 0 too. A simulated scheduler has no threads: those shown are the ones
//! that the real one has its work done by.

use super::pod::number;
use crate::scheduler::Scheduler;
use planarium_kernel::Milli;
use planarium_kernel::SimTime;
use planarium_kernel::SortedMap;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Version of the metrics format.
const VERSION: &str = "3.1.3";
/// The only timer.
const TIMER: &str = "offers.process";

/// Counters of one scheduler or of several together.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Counters by name.
    pub counters: SortedMap<String, u64>,
    /// Number of times that offers were processed.
    pub cycles: u64,
    /// For how long. *Units*: milliseconds.
    pub age_ms: u64,
}

impl Metrics {
    /// Adds another scheduler's.
    pub fn add(&mut self, other: &Self) {
        for (name, count) in &other.counters {
            *self.counters.entry(name.clone()).or_default() += count;
        }
        self.cycles += other.cycles;
        self.age_ms = self.age_ms.max(other.age_ms);
    }

    /// The body of `/v1/metrics`.
    pub fn json(&self) -> Value {
        let counters: Map<String, Value> =
            self.counters.iter().map(|(name, count)| (name.clone(), json!({ "count": count }))).collect();
        let mut timer = Map::new();
        timer.insert("count".to_owned(), self.cycles.into());
        for key in ["max", "mean", "min", "p50", "p75", "p95", "p98", "p99", "p999", "stddev"] {
            timer.insert(key.to_owned(), 0.into());
        }
        for key in ["m15_rate", "m1_rate", "m5_rate"] {
            timer.insert(key.to_owned(), 0.into());
        }
        timer.insert("mean_rate".to_owned(), number(self.mean_rate()));
        timer.insert("duration_units".to_owned(), "seconds".into());
        timer.insert("rate_units".to_owned(), "calls/second".into());
        json!({
            "version": VERSION,
            "gauges": {},
            "counters": counters,
            "histograms": {},
            "meters": {},
            "timers": { TIMER: timer },
        })
    }

    /// The body of `/v1/metrics/prometheus`.
    pub fn prometheus(&self) -> String {
        let mut out = String::new();
        let head = |out: &mut String, name: &str, class: &str, kind: &str| {
            let plain = plain(name);
            let _ = writeln!(
                out,
                "# HELP {plain} Generated from Dropwizard metric import (metric={name}, type=com.codahale.metrics.{class})"
            );
            let _ = writeln!(out, "# TYPE {plain} {kind}");
        };
        for (name, count) in &self.counters {
            head(&mut out, name, "Counter", "gauge");
            let _ = writeln!(out, "{} {count}.0", plain(name));
        }
        head(&mut out, TIMER, "Timer", "summary");
        let timer = plain(TIMER);
        for quantile in ["0.5", "0.75", "0.95", "0.98", "0.99", "0.999"] {
            let _ = writeln!(out, "{timer}{{quantile=\"{quantile}\",}} 0.0");
        }
        let _ = writeln!(out, "{timer}_count {}.0", self.cycles);
        out
    }

    /// Calls per second since the start, in thousandths.
    fn mean_rate(&self) -> Milli {
        let thousandths = self.cycles.saturating_mul(1_000_000).checked_div(self.age_ms).unwrap_or(0);
        Milli(i64::try_from(thousandths).unwrap_or(i64::MAX))
    }
}

/// The name as Prometheus writes it.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == ':' { c } else { '_' }).collect()
}

impl Scheduler {
    /// The counters of this process.
    pub fn metrics(&self) -> Metrics {
        let age_ms = self.time_of_last_change().since(self.metrics.since);
        Metrics { counters: self.metrics.counters(), cycles: self.metrics.cycles, age_ms }
    }
}

/// A dump of the process's threads.
pub(super) fn threads(next_cycle: Option<SimTime>) -> String {
    let offers = if next_cycle.is_some() { "TIMED_WAITING" } else { "WAITING" };
    let mut out = String::new();
    let rows = [
        ("main", "WAITING", "waiting for the end of the framework"),
        ("offer-processor", offers, "waiting for offers"),
        ("task-killer", "TIMED_WAITING", "waiting to say pending kills again"),
        ("api-server", "RUNNABLE", "answering this request"),
    ];
    for (id, (name, state, doing)) in (1..).zip(rows) {
        let _ = writeln!(out, "\"{name}\" id={id} state={state}\n    - {doing} (simulated: no stack)\n");
    }
    out
}
