//! Finds machines on which the service gets further, by trying hidden worlds.
//!
//! *Knows*: the progress of plans. *Must not know*: why a machine does not fit.

use super::Host;
use planarium_messages::facts::Fact;
use planarium_scenario::{Player, Scenario};
use planarium_world::presets;

/// Presets worth trying, the most ordinary first.
const TRIED: [&str; 5] = ["10", "zones", "gpu", "mount", "full"];
/// Virtual time that a trial covers.
const LIMIT_MS: u64 = 600_000;
/// Maximum number of events of a trial: larger services are not tried, so that the page stays fast.
const MOST_EVENTS: u64 = 6_000;

impl Host {
    /// Tries presets when the service cannot finish on the machines in use.
    pub(crate) fn seek_machines(&self) -> Vec<Fact> {
        let scenario = &self.shown.scenario;
        let known = scenario.script.is_empty() && !scenario.services.is_empty() && !self.shown.by_hand;
        let better = if known { better(scenario) } else { None };
        vec![Fact::Better(better.map(Into::into))]
    }
}

/// Returns the first preset on which more steps are completed.
fn better(scenario: &Scenario) -> Option<&'static str> {
    let (done, all) = reached(scenario)?;
    if done >= all {
        return None;
    }
    TRIED.into_iter().find(|name| {
        let cluster = presets::cluster(name).unwrap_or_default();
        let trial = Scenario { cluster, ..scenario.clone() };
        reached(&trial).is_some_and(|(further, _)| further > done)
    })
}

/// Completed steps and all steps of the first plans once nothing more happens; `None` if that takes too long.
fn reached(scenario: &Scenario) -> Option<(u32, u32)> {
    let (mut engine, _) = Player::start(scenario.clone());
    while !engine.idle() {
        if engine.seq() > MOST_EVENTS || engine.now_ms() > LIMIT_MS {
            return None;
        }
        engine.advance_for(2_000);
    }
    let view = engine.view();
    let first = view.services.iter().filter_map(|service| service.plans.first());
    Some(first.fold((0, 0), |(done, all), plan| (done + plan.progress.done, all + plan.progress.total)))
}
