//! The displayed status words, and reports of their changes.
//!
//! *Knows*: the present and the previous word of an element. *Must not know*: how a word is drawn, why it is shown.
//!
//! *Cost*: a change of an instance checks its app and one action; a step that begins or ends checks its deployment.

pub(crate) mod changes;
pub(crate) mod words;

use crate::instances::tracker::SpecNo;
use crate::shown;
use planarium_kernel::{SimTime, SortedMap, SortedSet};
use planarium_protocol::Text;

/// Words of a deployment, its steps and their actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) plan: &'static str,
    pub(crate) steps: Vec<StepWords>,
}

/// Words of a step, each with since when.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepWords {
    pub(crate) step: &'static str,
    pub(crate) actions: Vec<(&'static str, SimTime)>,
}

/// Apps by phase and word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    phases: SortedMap<Text, SortedMap<&'static str, u32>>,
    plan: &'static str,
    words: SortedMap<Text, &'static str>,
}

impl Tally {
    /// The word of a phase.
    pub(crate) fn phase(&self, phase: &str) -> Option<&'static str> {
        self.words.get(phase).copied()
    }

    /// Phases and their words.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (&Text, &'static str)> {
        self.words.iter().map(|(phase, word)| (phase, *word))
    }

    /// Returns the word of the plan; empty without apps.
    pub(crate) fn plan(&self) -> &'static str {
        self.plan
    }

    fn count(&mut self, phase: &Text, from: &'static str, to: &'static str) {
        let words = self.phases.entry(phase.clone()).or_default();
        if !from.is_empty() {
            let count = words.entry(from).or_default();
            *count = count.saturating_sub(1);
        }
        if !to.is_empty() {
            *words.entry(to).or_default() += 1;
        }
        words.retain(|_, count| *count > 0);
        if words.is_empty() {
            self.phases.remove(phase);
        }
    }
}

/// Shown statuses, and those that may have changed since the last report.
#[derive(Clone, Debug)]
pub(crate) struct Statuses {
    /// Revision of the view; grows with every change.
    pub(crate) revision: u64,
    /// Specs whose shown status may have changed.
    touched: SortedMap<SpecNo, ()>,
    /// Deployments whose view may have changed: as a whole, or for one spec.
    moved: SortedSet<(u32, Option<SpecNo>)>,
    /// Status words of apps, counted by phase.
    pub(crate) tally: Tally,
}

impl Default for Statuses {
    fn default() -> Self {
        Self { revision: 1, touched: SortedMap::new(), moved: SortedSet::new(), tally: Tally::default() }
    }
}

impl Statuses {
    /// Notes that the view of a spec may change.
    pub(crate) fn touch(&mut self, no: SpecNo) {
        self.touched.insert(no, ());
    }

    /// Notes that the view of a deployment may change: as a whole, or of one spec in it.
    pub(crate) fn moved(&mut self, no: u32, spec: Option<SpecNo>) {
        self.revision += 1;
        self.moved.insert((no, spec));
    }
}

/// Combines several words: unfinished ones come before finished ones.
fn roll_up<'w>(words: impl Iterator<Item = &'w &'static str> + Clone) -> &'static str {
    let order = [shown::DELAYED, shown::WAITING, shown::DEPLOYING, shown::RUNNING, shown::SUSPENDED];
    order.into_iter().find(|word| words.clone().any(|own| own == word)).unwrap_or("")
}
