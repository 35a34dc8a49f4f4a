//! Ways out for stuck elements: asked of the engine, which tries them on copies of the world.
//!
//! *Knows*: when the answer may be another one than before. *Must not know*: what is tried, and how.

use super::Host;
use super::statuses::class_of;
use super::story::Waits;
use planarium_messages::facts::Fact;
use planarium_messages::help::{Held, Help, MOST_STUCK};
use planarium_messages::paths;
use planarium_messages::ptr::Ptr;
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ReasonKind, Way, Why};
use planarium_world::Trials;

/// The moment and the elements that help was last asked for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Asked {
    lineage: (u32, u32),
    seq: u64,
    inputs: u64,
    selected: Option<ElementPath>,
    stuck: Vec<ElementPath>,
}

/// For so long no status has changed before somebody asks whether one ever will. *Units*: milliseconds of virtual time.
const QUIET_MS: u64 = 30_000;
/// For so long none changes by itself where something is stuck. *Units*: milliseconds of virtual time.
const STILL_MS: u64 = 150_000;

/// A quiet stretch: world and branch, when it began, inputs so far.
type Quiet = ((u32, u32), u64, u64);

/// Trials under way.
#[derive(Default)]
pub(crate) struct Helping {
    asked: Asked,
    /// The quiet stretch that was looked at last, and whether it goes on.
    still: Option<(Quiet, bool)>,
    /// Place of the element that is tried, and its trials.
    trials: Option<(usize, Trials)>,
    /// Help as it was last told.
    told: Ptr<Help>,
}

impl Host {
    /// Returns the root causes of the selected element and of the run, when they may have changed.
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
        let mut help = Help {
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
            // What helped a moment ago stays in its place until it is tried again.
            let before = told.held.iter().find(|held| held.why.path == why.path);
            let still = |way: &&Way| {
                matches!(way.unblock.input, Some(Input::ClearFault(_))) || why.unblock.contains(&way.unblock)
            };
            let ways = before.iter().flat_map(|held| &held.ways).filter(still).cloned().collect();
            help.held.push(Held { why: Ptr::new(why), ways, trying: true });
        }
        let same = help.held.is_empty() && told.held.is_empty() && help.stuck == told.stuck;
        (!same).then(|| self.tell_help(help))
    }

    /// Returns whether no status has changed for a while, and none will by itself. It is tried once in a quiet stretch.
    fn stands_still(&mut self) -> bool {
        let engine = &self.shown.engine;
        let since_ms = self.seen.lanes.gantt.busy_ms;
        if engine.now_ms() < since_ms.saturating_add(QUIET_MS)
            || !matches!(self.waits(), Waits::Nothing | Waits::Condition)
        {
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

    fn tell_help(&mut self, help: Help) -> Fact {
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
