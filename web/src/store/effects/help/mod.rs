//! What helps a stuck element: asked of the engine, which tries it on copies of the world.
//!
//! *Knows*: when the answer may be another one than before. *Must not know*: what is tried, and how.

use super::Session;
use crate::store::action::Fact;
use crate::store::help::{Held, Help};
use crate::store::ptr::Ptr;
use crate::store::selectors::tree;
use crate::store::state::State;
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
    stuck: Option<ElementPath>,
}

/// Trials under way.
#[derive(Default)]
pub(super) struct Helping {
    asked: Asked,
    trials: Vec<Trials>,
}

impl Session {
    /// What holds up the selected element and the run, when that may be something else than before.
    pub(crate) fn help(&mut self, state: &State) -> Option<Fact> {
        let clock = state.world.clock;
        let at_rest = clock.idle && clock.at_head() && state.world.touched;
        let engine = &self.shown.engine;
        let asked = Asked {
            lineage: state.world.log.lineage,
            seq: engine.seq(),
            inputs: engine.inputs(),
            selected: state.ui.selected.clone().filter(|path| !path.plan.is_empty()),
            stuck: at_rest.then(|| tree::unfinished(&state.world.view)).flatten(),
        };
        if asked == self.helping.asked {
            return None;
        }
        let deepest = |path: &Option<ElementPath>| path.as_ref().and_then(|path| engine.deepest(path));
        let open = |why: &Why| !why.reasons.iter().all(|reason| matches!(reason.kind, ReasonKind::Complete));
        let (selected, stuck) = (deepest(&asked.selected).filter(open), deepest(&asked.stuck));
        let mut help = Help {
            selected: selected.as_ref().map(|why| why.path.clone()),
            stuck: stuck.as_ref().map(|why| why.path.clone()),
            round: state.help.round.wrapping_add(1),
            fresh: true,
            held: Vec::new(),
        };
        self.helping = Helping { asked, trials: Vec::new() };
        for why in stuck.into_iter().chain(selected) {
            if help.held.iter().any(|held| held.why.path == why.path) {
                continue;
            }
            // What helped a moment ago stays in its place until it is tried again.
            let before = state.help.held.iter().find(|held| held.why.path == why.path);
            let still = |way: &&Way| {
                matches!(way.unblock.input, Some(Input::ClearFault(_))) || why.unblock.contains(&way.unblock)
            };
            let ways = before.iter().flat_map(|held| &held.ways).filter(still).cloned().collect();
            help.held.push(Held { why: Ptr::new(why), ways, trying: true });
        }
        let same = help.held.is_empty() && state.help.held.is_empty() && help.stuck == state.help.stuck;
        (!same).then(|| Fact::Help(Ptr::new(help)))
    }

    /// Makes the next trial.
    pub(super) fn try_help(&mut self, state: &State) -> Vec<Fact> {
        let mut help = (*state.help).clone();
        if self.helping.trials.is_empty() {
            self.helping.trials = help.held.iter().map(|held| self.shown.engine.trials(&held.why)).collect();
        }
        for (held, trials) in help.held.iter_mut().zip(&mut self.helping.trials) {
            if held.trying {
                trials.step();
                held.trying = !trials.is_over();
                if !held.trying {
                    held.ways = trials.ways().to_vec();
                }
                break;
            }
        }
        help.round = help.round.wrapping_add(1);
        help.fresh = false;
        vec![Fact::Help(Ptr::new(help))]
    }
}

#[cfg(test)]
mod tests;
