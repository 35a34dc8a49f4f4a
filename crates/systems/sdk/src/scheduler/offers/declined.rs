//! Machines whose offers were turned down for an hour.
//!
//! *Knows*: which, and until when, as far as no revive came in between. *Must not know*: why they were turned down.
//!
//! Only explanations read it: the master keeps the books.

use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// Maximum of refusals that are kept; older ones also run out sooner, so the oldest are dropped.
const KEPT: usize = 16;

/// The refusals since offers were last asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declined(Vec<(SimTime, Arc<[Text]>)>);

impl Declined {
    /// Records that offers of these machines are declined until an instant.
    pub(crate) fn note(&mut self, until: SimTime, now: SimTime, hosts: impl Iterator<Item = Text>) {
        self.0.retain(|(until, _)| *until > now);
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        let hosts: Arc<[Text]> = hosts.collect();
        if !hosts.is_empty() {
            self.0.push((until, hosts));
        }
    }

    /// All offers may come again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Machines whose offers do not come before an instant, with the last one said for each.
    pub(crate) fn hosts(&self, now: SimTime) -> SortedMap<&Text, SimTime> {
        let lists = self.0.iter().filter(|(until, _)| *until > now);
        lists.flat_map(|(until, hosts)| hosts.iter().map(|host| (host, *until))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_refusal_counts_until_it_ends() {
        let mut declined = Declined::default();
        let hosts = |names: &[&str]| names.iter().map(|name| Text::from(*name)).collect::<Vec<_>>();
        declined.note(SimTime(100), SimTime(0), hosts(&["a", "b"]).into_iter());
        declined.note(SimTime(150), SimTime(50), hosts(&["b"]).into_iter());
        let shown = |now| {
            let hosts = declined.hosts(SimTime(now));
            hosts.iter().map(|(host, until)| format!("{host} {}", until.ms())).collect::<Vec<_>>()
        };
        assert_eq!(shown(60), ["a 100", "b 150"]);
        assert_eq!(shown(100), ["b 150"]);
        declined.clear();
        assert!(declined.hosts(SimTime(60)).is_empty());
    }
}
