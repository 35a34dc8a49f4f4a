//! Ways out for stuck elements, which the engine tries on copies of the world.
//!
//! *Knows*: when the answer may have changed. *Must not know*: what is tried, and how.

use super::Host;
use super::statuses::class_of;
use super::story::Waits;
use planarium_messages::facts::Fact;
use planarium_messages::paths;
use planarium_messages::ptr::Ptr;
use planarium_messages::ways_out::{Blocker, MOST_STUCK, WaysOut};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ReasonKind, Way, Why};
use planarium_world::Trials;

/// The moment and the elements of the last search.
#[derive(Clone, Debug, Default, PartialEq)]
struct Asked {
    lineage: (u32, u32),
    seq: u64,
    inputs: u64,
    selected: Option<ElementPath>,
    stuck: Vec<ElementPath>,
}

/// Time without a status change after which the host checks whether one can still happen. *Units*: milliseconds of
/// virtual time.
const QUIET_MS: u64 = 30_000;
/// Time to simulate without a status change before a run counts as standing still. *Units*: milliseconds of virtual
/// time.
const STILL_MS: u64 = 150_000;

/// A quiet stretch: world and branch, its beginning, number of inputs.
type Quiet = ((u32, u32), u64, u64);

/// Trials under way.
#[derive(Default)]
pub(crate) struct Helping {
    asked: Asked,
    /// The quiet stretch that was checked last, and whether it continues.
    still: Option<(Quiet, bool)>,
    /// Index of the element that is tried, and its trials.
    trials: Option<(usize, Trials)>,
    /// The ways out as last reported.
    told: Ptr<WaysOut>,
}

impl Host {
    /// Returns the root causes of the selected element and of the run, if they may have changed.
    pub(crate) fn help(&mut self) -> Option<Fact> {
        let clock = self.clock;
        let waits = clock.at_head() && self.touched;
        let at_rest = waits && (clock.idle || self.stands_still());
        let engine = &self.shown.engine;
        let asked = Asked {
            lineage: self.seen.lineage.unwrap_or_default(),
            seq: engine.seq(),
            inputs: engine.inputs(),
            selected: self.selected.clone().filter(|path| !path.plan.is_empty()),
            stuck: if at_rest { paths::unfinished(&engine.view(), class_of).collect() } else { Vec::new() },
        };
        if asked == self.helping.asked {
            return None;
        }
        let open = |why: &Why| !why.reasons.iter().all(|reason| matches!(reason.kind, ReasonKind::Complete));
        let selected = asked.selected.as_ref().and_then(|path| engine.deepest(path)).filter(open);
        let mut stuck: Vec<Why> = Vec::new();
        for path in &asked.stuck {
            // Several plans may wait for the same element.
            let why = engine.deepest(path).filter(|why| !stuck.iter().any(|known| known.path == why.path));
            stuck.extend(why);
            if stuck.len() == MOST_STUCK {
                break;
            }
        }
        let told = self.helping.told.clone();
        let mut help = WaysOut {
            selected: selected.as_ref().map(|why| why.path.clone()),
            stuck: stuck.iter().map(|why| why.path.clone()).collect(),
            round: told.round.wrapping_add(1),
            fresh: true,
            held: Vec::new(),
        };
        let still = self.helping.still;
        self.helping = Helping { asked, still, trials: None, told: told.clone() };
        let others = stuck.split_off(stuck.len().min(1));
        for why in stuck.into_iter().chain(selected).chain(others) {
            if help.held.iter().any(|held| held.why.path == why.path) {
                continue;
            }
            // A way out found earlier stays in its place until it is tried again.
            let before = told.held.iter().find(|held| held.why.path == why.path);
            let still = |way: &&Way| {
                matches!(way.unblock.input, Some(Input::ClearFault(_))) || why.unblock.contains(&way.unblock)
            };
            let ways = before.iter().flat_map(|held| &held.ways).filter(still).cloned().collect();
            help.held.push(Blocker { why: Ptr::new(why), ways, trying: true });
        }
        let same = help.held.is_empty() && told.held.is_empty() && help.stuck == told.stuck;
        (!same).then(|| self.tell_help(help))
    }

    /// Returns whether no status has changed recently and none will without an input. Tried once in each quiet stretch.
    fn stands_still(&mut self) -> bool {
        let engine = &self.shown.engine;
        let since_ms = self.seen.lanes.gantt.busy_ms;
        let soon = match self.waits() {
            Waits::Nothing | Waits::Condition => false,
            Waits::Until(at_ms) => at_ms <= engine.now_ms().saturating_add(STILL_MS),
        };
        if soon || engine.now_ms() < since_ms.saturating_add(QUIET_MS) {
            return false;
        }
        let quiet = (self.seen.lineage.unwrap_or_default(), since_ms, engine.inputs());
        match self.helping.still {
            Some((known, still)) if known == quiet => still,
            _ => {
                let still = engine.stands_still(STILL_MS);
                self.helping.still = Some((quiet, still));
                still
            }
        }
    }

    fn tell_help(&mut self, help: WaysOut) -> Fact {
        self.helping.told = Ptr::new(help);
        Fact::Help(self.helping.told.clone())
    }

    /// Makes the next trial.
    pub(crate) fn try_help(&mut self) -> Vec<Fact> {
        let mut help = (*self.helping.told).clone();
        if let Some((at, held)) = help.held.iter_mut().enumerate().find(|(_, held)| held.trying) {
            let begun = self.helping.trials.take().filter(|(of, _)| *of == at);
            let (_, mut trials) = begun.unwrap_or_else(|| (at, self.shown.engine.trials(&held.why)));
            trials.step();
            held.trying = !trials.is_over();
            if !held.trying {
                held.ways = trials.ways().to_vec();
            }
            self.helping.trials = Some((at, trials));
        }
        help.round = help.round.wrapping_add(1);
        help.fresh = false;
        vec![self.tell_help(help)]
    }
}
