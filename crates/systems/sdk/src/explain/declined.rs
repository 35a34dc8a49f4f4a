//! Machines that may have room but make no offers, because the scheduler declined them for an hour.
//!
//! *Knows*: earlier refusals, and which machines a step has evaluated. *Must not know*: why no offers are requested
//! again.

use super::{Explainer, reason};
use crate::scheduler::offers::evaluate;
use crate::scheduler::requirement::Requirement;
use planarium_kernel::SimTime;
use planarium_plan::Holder;
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

/// Machines named at most.
const NAMED: usize = 3;

impl Explainer<'_> {
    /// That a machine's offer was turned down, and how long that holds; nothing when it may come at any time.
    pub(super) fn declined_until(&self, host: &str) -> Option<String> {
        let now = self.now();
        let hosts = self.scheduler.offers.declined.hosts(now);
        let (_, until) = hosts.into_iter().find(|(name, _)| ***name == *host)?;
        Some(format!("{host} was declined until {until} ({} left)", words(until.since(now))))
    }

    fn now(&self) -> SimTime {
        self.facts.now().unwrap_or_else(|| self.scheduler.time_of_last_change())
    }

    /// Returns machines that a step could use and that make no offers: declined when they were not needed, and not
    /// requested again, since the step is not new work.
    pub(super) fn declined(&mut self, holder: Holder, requirement: &Requirement) -> Option<Reason> {
        let scheduler = self.scheduler;
        if scheduler.offers.revive.is_requested() {
            return None;
        }
        let seen = scheduler.outcomes(holder).map(|(_, outcomes)| outcomes).unwrap_or_default();
        let home = evaluate::home_of(requirement, &scheduler.state.tasks);
        let now = self.now();
        let out: Vec<(Text, SimTime)> = scheduler
            .offers
            .declined
            .hosts(now)
            .into_iter()
            .filter(|(host, _)| home.as_ref().is_none_or(|home| home == *host))
            .filter(|(host, _)| !seen.iter().any(|outcome| outcome.agent == **host))
            .filter(|(host, _)| self.facts.machine_state(host).is_none())
            .map(|(host, until)| (host.clone(), until))
            .collect();
        let first = out.iter().map(|(_, until)| *until).min()?;
        let mut names =
            out.iter().take(NAMED).map(|(host, _)| host.to_string()).collect::<Vec<_>>().join(", ");
        if let Some(more) = out.len().checked_sub(NAMED).filter(|more| *more > 0) {
            names = format!("{names} and {more} more");
        }
        let (was, makes) = if out.len() == 1 { ("was", "makes") } else { ("were", "make") };
        let left = words(first.since(now));
        let text = format!(
            "{names} {was} declined until {first} ({left} left) and {makes} no offer before: to the scheduler this step is \
             no new work to ask for offers again"
        );
        self.remedies.round();
        Some(reason(text.clone(), None, ReasonKind::NoOffers { text: text.into() }))
    }
}

/// A span in the two largest units that it has.
fn words(ms: u64) -> String {
    let seconds = ms.div_ceil(1000);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn spans_in_words() {
        for (ms, want) in [
            (1, "1 s"),
            (59_000, "59 s"),
            (60_000, "1 min"),
            (3_594_800, "59 min 55 s"),
            (3_600_000, "1 h"),
            (3_660_000, "1 h 1 min"),
        ] {
            assert_eq!(words(ms), want);
        }
    }
}
