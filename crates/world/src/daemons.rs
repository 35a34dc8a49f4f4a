//! The daemons of a world, in order of installation.
//!
//! *Knows*: which timer is next, and the names of services.
//! *Must not know*: what a daemon does.
//!
//! *Invariant*: `due` holds the next timer of every daemon that has one, and `one_shots` is the sum over all daemons.
//! Both are updated after every access, so nothing scans all daemons.

use crate::condition::status_among;
use crate::daemon::Daemon;
use crate::systems::DIALECTS;
use planarium_ground::Fleet;
use planarium_kernel::{SimTime, SortedMap, SortedSet, Weight};
use planarium_part::Number;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Input, Refusal, Text};
use std::sync::Arc;

#[derive(Clone, Weight)]
#[weight(own 256, daemon)]
struct Held {
    daemon: Daemon,
    due: Option<(u64, Number)>,
    one_shots: u64,
}

/// A timer of a daemon: instant, service, daemon. *Order*: at one instant, the service that was installed first.
type Due = (u64, Number, Number);

/// All daemons.
#[derive(Clone, Default, Weight)]
#[weight(all)]
pub(crate) struct Daemons {
    all: SortedMap<Number, Held>,
    due: SortedSet<Due>,
    one_shots: u64,
    next: u32,
}

impl Daemons {
    /// A number for a further service.
    pub(crate) fn number(&mut self) -> Number {
        let number = Number(self.next);
        self.next = self.next.saturating_add(1);
        number
    }

    /// Adds a daemon that has just started.
    pub(crate) fn install(&mut self, number: Number, daemon: Daemon) {
        self.all.insert(number, Held { daemon, due: None, one_shots: 0 });
        self.refresh(number);
    }

    /// Updates the index entries of a daemon, and removes a daemon that has ended.
    fn refresh(&mut self, number: Number) {
        let Some(held) = self.all.get_mut(&number) else { return };
        let over = held.daemon.is_over();
        let due = if over { None } else { held.daemon.next_due().map(|(at, service)| (at.ms(), service)) };
        if due != held.due {
            if let Some((at, service)) = held.due {
                self.due.remove(&(at, service, number));
            }
            if let Some((at, service)) = due {
                self.due.insert((at, service, number));
            }
            held.due = due;
        }
        let one_shots = if over { 0 } else { held.daemon.one_shots() as u64 };
        self.one_shots = self.one_shots - held.one_shots + one_shots;
        held.one_shots = one_shots;
        if over {
            self.all.remove(&number);
        }
    }

    /// Accesses a daemon, then updates its index entries.
    pub(crate) fn touch<R>(&mut self, number: Number, work: impl FnOnce(&mut Daemon) -> R) -> Option<R> {
        let result = work(&mut self.all.get_mut(&number)?.daemon);
        self.refresh(number);
        Some(result)
    }

    /// Drops the views that daemons keep for reuse.
    pub(crate) fn drop_views(&mut self) {
        for (_, held) in self.all.iter_mut() {
            held.daemon.drop_views();
        }
    }

    // ---- finding -----------------------------------------------------------------------------

    /// Daemons of a dialect in order of installation; all daemons if `word` is empty.
    pub(crate) fn of_dialect(&self, word: &str) -> impl Iterator<Item = (Number, &Daemon)> {
        let all = self.all.iter().map(|(number, held)| (*number, &held.daemon));
        all.filter(move |(_, daemon)| word.is_empty() || daemon.dialect().word == word)
    }

    /// Finds the daemon of a service, and the service's number. Leading and trailing slashes of the name are ignored.
    /// Without a dialect, the service that was installed first wins.
    pub(crate) fn find(&self, dialect: &str, name: &str) -> Option<(Number, Number)> {
        let wanted = name.trim_matches('/');
        self.of_dialect(dialect).find_map(|(number, daemon)| {
            let names = daemon.names();
            let found = names.iter().find(|(_, own)| own.trim_matches('/') == wanted);
            found.map(|(service, _)| (number, *service))
        })
    }

    /// Returns the daemon of a service, or a refusal.
    pub(crate) fn named(&self, dialect: &str, name: &str) -> Result<(Number, Number), Refusal> {
        self.find(dialect, name)
            .ok_or_else(|| Refusal::new(RefusalCode::NotFound, format!("Service {name} not found")))
    }

    /// Returns whether an input is applied before the processes that end at its instant: its daemon reads commands first.
    pub(crate) fn comes_first(&self, input: &Input) -> bool {
        let first = |dialect: &str| self.of_dialect(dialect).any(|(_, daemon)| daemon.commands_first());
        match input {
            Input::Plan(command) => self
                .find(&command.dialect, &command.service)
                .and_then(|(number, _)| self.daemon(number))
                .is_some_and(|daemon| daemon.commands_first()),
            Input::Call(call) => {
                let segments = crate::input::segments(call);
                let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
                DIALECTS.iter().any(|dialect| (dialect.owns)(&parts) && first(dialect.word))
            }
            _ => false,
        }
    }

    pub(crate) fn daemon(&self, number: Number) -> Option<&Daemon> {
        self.all.get(&number).map(|held| &held.daemon)
    }

    pub(crate) fn numbers(&self) -> Vec<Number> {
        self.all.keys().copied().collect()
    }

    /// Returns the number of services.
    pub(crate) fn services(&self) -> usize {
        self.all.values().map(|held| held.daemon.names().len()).sum()
    }

    /// The request that loaded or last updated a service.
    pub(crate) fn request(&self, dialect: &str, name: &str) -> Option<&Arc<LoadService>> {
        self.of_dialect(dialect).find_map(|(_, daemon)| daemon.request(name))
    }

    // ---- time --------------------------------------------------------------------------------

    pub(crate) fn next_due(&self) -> Option<Due> {
        self.due.first().copied()
    }

    pub(crate) fn one_shots(&self) -> u64 {
        self.one_shots
    }

    pub(crate) fn restless(&self) -> bool {
        self.all.values().any(|held| held.daemon.restless())
    }

    // ---- views -------------------------------------------------------------------------------

    pub(crate) fn views(&self) -> Vec<Arc<ServiceView>> {
        let mut views: Vec<(Number, Arc<ServiceView>)> =
            self.all.values().flat_map(|held| held.daemon.views()).collect();
        planarium_kernel::sorted::sort_by_key(&mut views, |(number, _)| *number);
        views.into_iter().map(|(_, view)| view).collect()
    }

    /// Returns the status of an element, found like [`crate::element_status`] finds it in the views.
    pub(crate) fn status_at(&self, element: &str) -> Option<&'static str> {
        let mut all: Vec<(Number, Text, &Daemon)> = Vec::new();
        for held in self.all.values() {
            all.extend(held.daemon.shown().into_iter().map(|(number, name)| (number, name, &held.daemon)));
        }
        planarium_kernel::sorted::sort_by_key(&mut all, |(number, ..)| *number);
        status_among(
            &all,
            |(_, name, _)| name,
            |(_, name, daemon), rest| daemon.status_at(name, rest),
            element,
        )
    }

    /// Returns the daemons that an element may belong to.
    pub(crate) fn of_element(&self, path: &ElementPath) -> impl Iterator<Item = (Number, &Daemon)> {
        self.of_dialect(&path.dialect)
    }

    // ---- upkeep ------------------------------------------------------------------------------

    /// Lists broken invariants in words.
    pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
        let mut found = Vec::new();
        for (number, held) in &self.all {
            found.extend(held.daemon.check(fleet));
            let due = held.daemon.next_due().map(|(at, service)| (SimTime::ms(at), service));
            let kept = due.is_none_or(|(at, service)| self.due.contains(&(at, service, *number)));
            if due != held.due || !kept {
                found.push(format!("daemon {}: the next timer is not the one kept", number.0));
            }
        }
        let one_shots: u64 = self.all.values().map(|held| held.daemon.one_shots() as u64).sum();
        if one_shots != self.one_shots {
            found.push(format!("{one_shots} one-shot timers of daemons, {} kept", self.one_shots));
        }
        found
    }

    /// Estimates the bytes of a full copy.
    pub(crate) fn weight(&self) -> u64 {
        self.all.values().map(|held| 256 + held.daemon.weight()).sum()
    }
}
