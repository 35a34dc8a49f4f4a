//! Counters of one scheduler process, as shown by its metrics routes.
//!
//! *Knows*: the counters and their names. *Must not know*: the format of a route.
//!
//! A counter exists after its first count. Counters are reset with every process.
//!
//! **Source**: `dcos-commons: …/scheduler/Metrics.java`. Match; handling offers takes no virtual time, so its
//! timer counts cycles and measures nothing.

use super::Request;
use planarium_kernel::SimTime;
use planarium_kernel::SortedMap;
use planarium_mesos::api::{Call, Operation, SchedulerEvent, TaskState};

/// Declines up to this count as short. *Units*: milliseconds.
const SHORT_MS: u64 = 5_000;

/// Counters.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    /// When the process started.
    pub(crate) since: SimTime,
    /// Number of times that offers were processed.
    pub(crate) cycles: u64,
    counters: SortedMap<Counter, u64>,
    /// Statuses that came, by their states: a handful.
    statuses: Vec<(TaskState, u64)>,
}

/// Counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counter {
    DeclinesLong,
    DeclinesShort,
    OffersProcessed,
    OffersReceived,
    Operation(&'static str),
    Revives,
    RevivesThrottles,
}

impl Counter {
    fn name(self) -> String {
        match self {
            Self::DeclinesLong => "declines.long".to_owned(),
            Self::DeclinesShort => "declines.short".to_owned(),
            Self::OffersProcessed => "offers.processed".to_owned(),
            Self::OffersReceived => "offers.received".to_owned(),
            Self::Operation(kind) => format!("operation.{kind}"),
            Self::Revives => "revives".to_owned(),
            Self::RevivesThrottles => "revives.throttles".to_owned(),
        }
    }
}

impl Metrics {
    /// At the start of a process.
    pub(crate) fn new(now: SimTime) -> Self {
        Self { since: now, cycles: 0, counters: SortedMap::new(), statuses: Vec::new() }
    }

    /// Every counter that counted anything, by name.
    pub(crate) fn counters(&self) -> SortedMap<String, u64> {
        let status = |(state, count): &(TaskState, u64)| {
            (format!("task_status.{}", state.as_str().to_ascii_lowercase()), *count)
        };
        let counters = self.counters.iter().map(|(counter, count)| (counter.name(), *count));
        counters.chain(self.statuses.iter().map(status)).collect()
    }

    fn add(&mut self, counter: Counter, count: usize) {
        if count > 0 {
            *self.counters.entry(counter).or_default() += count as u64;
        }
    }

    /// Something came from the master.
    pub(super) fn heard(&mut self, event: &SchedulerEvent) {
        match event {
            SchedulerEvent::Offers(offers) => self.add(Counter::OffersReceived, offers.len()),
            SchedulerEvent::Update(status) => {
                match self.statuses.iter_mut().find(|(state, _)| *state == status.state) {
                    Some((_, count)) => *count += 1,
                    None => self.statuses.push((status.state, 1)),
                }
            }
            _ => {}
        }
    }

    /// Counts the offers of a cycle.
    pub(super) fn cycle(&mut self, offers: usize) {
        self.cycles += 1;
        self.add(Counter::OffersProcessed, offers);
    }

    /// Counts calls for the master.
    pub(super) fn count_calls(&mut self, requests: &[Request]) {
        for request in requests {
            match &request.call {
                Call::Decline { offer_ids, refuse_ms } => {
                    let short = refuse_ms.is_none_or(|ms| ms <= SHORT_MS);
                    let counter = if short { Counter::DeclinesShort } else { Counter::DeclinesLong };
                    self.add(counter, offer_ids.len());
                }
                Call::Revive { .. } => self.add(Counter::Revives, 1),
                Call::Accept { operations, .. } => operations.iter().for_each(|one| self.operated(one)),
                _ => {}
            }
        }
    }

    /// A revive that had to wait.
    pub(super) fn throttled(&mut self) {
        self.add(Counter::RevivesThrottles, 1);
    }

    fn operated(&mut self, operation: &Operation) {
        let (kind, count) = match operation {
            Operation::Reserve(resources) => ("reserve", resources.len()),
            Operation::Unreserve(resources) => ("unreserve", resources.len()),
            Operation::Create(resources) => ("create", resources.len()),
            Operation::Destroy(resources) => ("destroy", resources.len()),
            Operation::Launch(tasks) => ("launch", tasks.len()),
            Operation::LaunchGroup { tasks, .. } => ("launch_group", tasks.len()),
            // The SDK uses no others.
            Operation::Grow { .. }
            | Operation::Shrink { .. }
            | Operation::Invalid { .. }
            | Operation::Impossible { .. }
            | Operation::Named { .. } => return,
        };
        self.add(Counter::Operation(kind), count);
    }
}
