//! The processes of a world, in order of installation.
//!
//! *Knows*: whose timer comes first, and what services are called.
//! *Must not know*: what a process does.
//!
//! *Invariant*: `due` holds exactly the next timer of every process that has one, and `one_shots` is the sum over all of
//! them; both are brought up to date after every touch, so nothing scans the processes.

use crate::condition::status_among;
use crate::systems::Process;
use planarium_ground::Fleet;
use planarium_kernel::{SimTime, SortedMap, SortedSet};
use planarium_part::Number;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Input, Refusal, Text};
use std::sync::Arc;

#[derive(Clone)]
struct Held {
    process: Process,
    due: Option<(u64, Number)>,
    one_shots: usize,
}

/// A timer of a process: when, the service it is for, the process. *Order*: of two at one instant the service that was
/// installed first.
type Due = (u64, Number, Number);

/// All processes.
#[derive(Clone, Default)]
pub(crate) struct Processes {
    all: SortedMap<Number, Held>,
    due: SortedSet<Due>,
    one_shots: usize,
    next: u32,
}

impl Processes {
    /// A number for a further service.
    pub(crate) fn number(&mut self) -> Number {
        let number = Number(self.next);
        self.next = self.next.saturating_add(1);
        number
    }

    /// Takes in a process that has just started.
    pub(crate) fn install(&mut self, number: Number, process: Process) {
        self.all.insert(number, Held { process, due: None, one_shots: 0 });
        self.refresh(number);
    }

    /// Brings up to date what is kept about a process, and forgets one that is over.
    fn refresh(&mut self, number: Number) {
        let Some(held) = self.all.get_mut(&number) else { return };
        let over = held.process.is_over();
        let due = if over { None } else { held.process.next_due().map(|(at, service)| (at.ms(), service)) };
        if due != held.due {
            if let Some((at, service)) = held.due {
                self.due.remove(&(at, service, number));
            }
            if let Some((at, service)) = due {
                self.due.insert((at, service, number));
            }
            held.due = due;
        }
        let one_shots = if over { 0 } else { held.process.one_shots() };
        self.one_shots = self.one_shots - held.one_shots + one_shots;
        held.one_shots = one_shots;
        if over {
            self.all.remove(&number);
        }
    }

    /// Works with a process, and brings up to date what is kept about it.
    pub(crate) fn touch<R>(&mut self, number: Number, work: impl FnOnce(&mut Process) -> R) -> Option<R> {
        let result = work(&mut self.all.get_mut(&number)?.process);
        self.refresh(number);
        Some(result)
    }

    // ---- finding -----------------------------------------------------------------------------

    /// Processes of a dialect in order of installation; of all dialects without a word.
    pub(crate) fn of_dialect(&self, word: &str) -> impl Iterator<Item = (Number, &Process)> {
        let all = self.all.iter().map(|(number, held)| (*number, &held.process));
        all.filter(move |(_, process)| word.is_empty() || process.dialect().word == word)
    }

    /// The process that holds a service, with the service's number. Leading and trailing slashes of the name do not matter.
    /// Without a dialect, the service that was installed first is meant.
    pub(crate) fn find(&self, dialect: &str, name: &str) -> Option<(Number, Number)> {
        let wanted = name.trim_matches('/');
        self.of_dialect(dialect).find_map(|(number, process)| {
            let names = process.names();
            let found = names.iter().find(|(_, own)| own.trim_matches('/') == wanted);
            found.map(|(service, _)| (number, *service))
        })
    }

    /// The process that holds a service, or a refusal.
    pub(crate) fn named(&self, dialect: &str, name: &str) -> Result<(Number, Number), Refusal> {
        self.find(dialect, name)
            .ok_or_else(|| Refusal::new(RefusalCode::NotFound, format!("Service {name} not found")))
    }

    /// Returns whether an input comes before what ends by itself at its instant.
    pub(crate) fn comes_first(&self, input: &Input) -> bool {
        self.of_dialect("").any(|(_, process)| process.comes_first(input))
    }

    pub(crate) fn process(&self, number: Number) -> Option<&Process> {
        self.all.get(&number).map(|held| &held.process)
    }

    pub(crate) fn numbers(&self) -> Vec<Number> {
        self.all.keys().copied().collect()
    }

    /// Returns the number of services.
    pub(crate) fn services(&self) -> usize {
        self.all.values().map(|held| held.process.names().len()).sum()
    }

    /// The request that a service was loaded or last updated with.
    pub(crate) fn request(&self, dialect: &str, name: &str) -> Option<&Arc<LoadService>> {
        self.of_dialect(dialect).find_map(|(_, process)| process.request(name))
    }

    /// That request as it would be written now, where it has changed since.
    pub(crate) fn request_now(&self, dialect: &str, name: &str) -> Option<LoadService> {
        self.of_dialect(dialect).find_map(|(_, process)| process.request_now(name))
    }

    // ---- time --------------------------------------------------------------------------------

    pub(crate) fn next_due(&self) -> Option<Due> {
        self.due.first().copied()
    }

    pub(crate) fn one_shots(&self) -> usize {
        self.one_shots
    }

    pub(crate) fn restless(&self) -> bool {
        self.all.values().any(|held| held.process.restless())
    }

    // ---- what they show ----------------------------------------------------------------------

    pub(crate) fn views(&self) -> Vec<Arc<ServiceView>> {
        let mut views: Vec<(Number, Arc<ServiceView>)> =
            self.all.values().flat_map(|held| held.process.views()).collect();
        planarium_kernel::sorted::sort_by_key(&mut views, |(number, _)| *number);
        views.into_iter().map(|(_, view)| view).collect()
    }

    /// The status an element shows, found as [`crate::element_status`] finds it in the views.
    pub(crate) fn status_at(&self, element: &str) -> Option<&'static str> {
        let mut all: Vec<(Number, Text, &Process)> = Vec::new();
        for held in self.all.values() {
            all.extend(held.process.shown().into_iter().map(|(number, name)| (number, name, &held.process)));
        }
        planarium_kernel::sorted::sort_by_key(&mut all, |(number, ..)| *number);
        status_among(
            &all,
            |(_, name, _)| name,
            |(_, name, process), rest| process.status_at(name, rest),
            element,
        )
    }

    /// The processes that an element may be of.
    pub(crate) fn of_element(&self, path: &ElementPath) -> impl Iterator<Item = (Number, &Process)> {
        self.of_dialect(&path.dialect)
    }

    // ---- upkeep ------------------------------------------------------------------------------

    /// Lists broken invariants in words.
    pub(crate) fn check(&self, fleet: &Fleet) -> Vec<String> {
        let mut found = Vec::new();
        for (number, held) in &self.all {
            found.extend(held.process.check(fleet));
            let due = held.process.next_due().map(|(at, service)| (SimTime::ms(at), service));
            let kept = due.is_none_or(|(at, service)| self.due.contains(&(at, service, *number)));
            if due != held.due || !kept {
                found.push(format!("process {}: the next timer is not the one kept", number.0));
            }
        }
        let one_shots: usize = self.all.values().map(|held| held.process.one_shots()).sum();
        if one_shots != self.one_shots {
            found.push(format!("{one_shots} one-shot timers of processes, {} kept", self.one_shots));
        }
        found
    }

    /// Bytes that these processes hold and those before do not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let process = |(number, held): (&Number, &Held)| {
            let old = before.and_then(|before| before.all.get(number));
            256 + held.process.beyond(old.map(|old| &old.process))
        };
        self.all.iter().map(process).sum()
    }

    /// Roughly how many bytes a copy takes.
    pub(crate) fn weight(&self) -> u64 {
        self.all.values().map(|held| 256 + held.process.weight()).sum()
    }
}
