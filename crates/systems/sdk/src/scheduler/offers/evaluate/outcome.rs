//! Outcome of one offer for one step: every requirement, met or not.
//!
//! *Knows*: requirement names, texts and shortages. *Must not know*: how requirements are checked.

use super::check_text::{Amount, Words};
use crate::scheduler::ROW;
use planarium_kernel::{Milli, SimTime, Weight, cow::bytes_of};
use planarium_protocol::Text;
use planarium_protocol::why::{AgentOutcome, FunnelStage, OfferFunnel, RequirementOutcome};
use std::borrow::Cow;
use std::sync::Arc;

/// Requirement names in the order of evaluation; the stages of the funnel.
pub(crate) const ORDER: [&str; 10] =
    ["role", "executor", "reservation", "placement", "cpus", "mem", "disk", "gpus", "ports", "volume"];

/// One requirement checked once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// Name of the requirement, one of [`ORDER`].
    pub(crate) requirement: &'static str,
    /// Met or not.
    pub(crate) passed: bool,
    /// For people.
    pub(crate) text: Words,
    /// Shortage of a scalar.
    pub(crate) short: Milli,
}

impl Check {
    /// A requirement that is met.
    pub(crate) fn pass(requirement: &'static str, text: impl Into<Words>) -> Self {
        Self { requirement, passed: true, text: text.into(), short: Milli::ZERO }
    }

    /// A requirement that is not met.
    pub(crate) fn fail(requirement: &'static str, text: impl Into<Words>) -> Self {
        Self { requirement, passed: false, text: text.into(), short: Milli::ZERO }
    }

    /// A scalar that falls short.
    pub(crate) fn short(requirement: &'static str, text: impl Into<Words>, short: Milli) -> Self {
        Self { requirement, passed: false, text: text.into(), short }
    }
}

/// Outcome of one machine's offer, kept for explanations.
#[derive(Clone, Debug, PartialEq, Eq, Weight)]
#[weight(own bytes_of::<Check>(self.checks.len()) + ROW)]
pub(crate) struct Outcome {
    /// Hostname.
    pub(crate) agent: Text,
    /// When it was looked at.
    pub(crate) at: SimTime,
    /// Every requirement was met.
    pub(crate) passed: bool,
    /// Every check in order.
    pub(crate) checks: Vec<Check>,
}

impl Outcome {
    /// The first requirement that was not met, in words; empty when all were.
    pub(crate) fn first_failure(&self) -> &Words {
        static NONE: Words = Words::Plain(Cow::Borrowed(""));
        self.checks.iter().find(|check| !check.passed).map_or(&NONE, |check| &check.text)
    }

    /// The name of the first requirement that was not met; empty when all were.
    pub(crate) fn first_unmet(&self) -> &'static str {
        self.checks.iter().find(|check| !check.passed).map_or("", |check| check.requirement)
    }

    /// One entry per requirement: met when all its checks were; the text of the first failure, else of
    /// the last check.
    fn by_requirement(&self) -> Vec<RequirementOutcome> {
        ORDER
            .iter()
            .filter_map(|name| {
                let mut checks = self.checks.iter().filter(|check| check.requirement == *name);
                let first = checks.next()?;
                let failed =
                    if first.passed { checks.clone().find(|check| !check.passed) } else { Some(first) };
                let shown = failed.or_else(|| checks.next_back()).unwrap_or(first);
                Some(RequirementOutcome {
                    requirement: (*name).into(),
                    passed: failed.is_none(),
                    text: shown.text.to_string(),
                    held: None,
                })
            })
            .collect()
    }

    /// Returns the unmet requirements, in order, with the total missing amount of each.
    fn misses(&self) -> Vec<(&'static str, Milli)> {
        ORDER
            .iter()
            .filter_map(|name| {
                let mut failed =
                    self.checks.iter().filter(|check| !check.passed && check.requirement == *name);
                let first = failed.next()?;
                Some((*name, failed.fold(first.short, |sum, check| sum.saturating_add(check.short))))
            })
            .collect()
    }
}

/// Builds the funnel over the last outcome of each machine: per requirement, the number that met it.
///
/// All requirements are checked on every offer, so a machine may count as met after a requirement it failed.
pub(crate) fn funnel(at: SimTime, outcomes: &[Arc<Outcome>]) -> OfferFunnel {
    let agents: Vec<AgentOutcome> = outcomes
        .iter()
        .map(|outcome| AgentOutcome {
            agent: outcome.agent.clone(),
            passed: outcome.passed,
            outcomes: outcome.by_requirement(),
        })
        .collect();
    let stages = ORDER
        .iter()
        .filter_map(|name| {
            let mut stage = FunnelStage { requirement: (*name).into(), passed: 0, failed: 0 };
            for agent in &agents {
                match agent.outcomes.iter().find(|outcome| *outcome.requirement == **name) {
                    Some(outcome) if outcome.passed => stage.passed += 1,
                    Some(_) => stage.failed += 1,
                    None => {}
                }
            }
            (stage.passed + stage.failed > 0).then_some(stage)
        })
        .collect();
    OfferFunnel { at_ms: at.ms(), stages, agents, nearest: nearest(outcomes) }
}

/// The machine that came closest, in words.
pub(crate) fn nearest(outcomes: &[Arc<Outcome>]) -> Option<String> {
    let misses = |outcome: &Outcome| outcome.misses();
    let best = outcomes.iter().filter(|outcome| !outcome.passed).min_by_key(|outcome| {
        let misses = misses(outcome);
        let missing: i64 =
            misses.iter().fold(0, |sum: i64, (_, miss)| sum.saturating_add(miss.thousandths()));
        (misses.len(), missing)
    })?;
    let parts: Vec<String> = misses(best)
        .into_iter()
        .map(|(requirement, short)| {
            if short.is_positive() {
                format!("short by {}", Amount(requirement, short))
            } else {
                best.checks
                    .iter()
                    .find(|check| !check.passed && check.requirement == requirement)
                    .map_or_else(|| requirement.to_owned(), |check| check.text.to_string())
            }
        })
        .collect();
    Some(format!("{} is nearest: {}", best.agent, parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(agent: &str, checks: Vec<Check>) -> Arc<Outcome> {
        let passed = checks.iter().all(|check| check.passed);
        Arc::new(Outcome { agent: agent.into(), at: SimTime::ZERO, passed, checks })
    }

    #[test]
    fn the_nearest_miss_lacks_the_least() {
        let one = outcome("a1", vec![Check::short("cpus", "needs 4 cpus, 2 offered", Milli(2000))]);
        let two = outcome(
            "a2",
            vec![
                Check::pass("mem", "ok"),
                Check::short("cpus", "x", Milli(250)),
                Check::short("cpus", "y", Milli(250)),
            ],
        );
        let three =
            outcome("a3", vec![Check::fail("placement", "hostname is taken"), Check::fail("ports", "80")]);
        assert_eq!(nearest(&[one, two, three.clone()]).as_deref(), Some("a2 is nearest: short by 0.5 cpus"));
        assert_eq!(nearest(&[three]).as_deref(), Some("a3 is nearest: hostname is taken, 80"));
        assert_eq!(nearest(&[]), None);
    }

    #[test]
    fn stages_come_in_order_and_count_machines() {
        let checks = vec![Check::pass("cpus", "1"), Check::fail("cpus", "2"), Check::pass("placement", "p")];
        let funnel =
            funnel(SimTime(5), &[outcome("a", checks), outcome("b", vec![Check::pass("cpus", "c")])]);
        let stages: Vec<_> =
            funnel.stages.iter().map(|s| (s.requirement.to_string(), s.passed, s.failed)).collect();
        assert_eq!(stages, [("placement".to_owned(), 1, 0), ("cpus".to_owned(), 1, 1)]);
        assert_eq!(funnel.agents.first().map(|a| a.outcomes.len()), Some(2));
        assert_eq!(funnel.agents.first().and_then(|a| a.outcomes.get(1)).map(|o| o.text.as_str()), Some("2"));
    }
}
