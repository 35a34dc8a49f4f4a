//! Summaries of a branch's events, and checkpoints of them along the run.
//!
//! *Knows*: lanes, totals, branches. *Must not know*: what of them is shown.

use super::statuses::class_of;
use planarium_messages::gantt::Gantt;
use planarium_messages::paths;
use planarium_messages::tally::Tally;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{Event, EventBody};
use planarium_world::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Initial distance between two checkpoints. *Units*: events.
pub(crate) const DISTANCE: u64 = 16_384;
/// Places that are kept at most.
const PLACES: usize = 8;

/// Events processed at once.
const PORTION: u64 = 4096;
/// Maximum number of steps looked up per portion; in longer portions only the last ones are looked up, which show the
/// present steps.
const MOST: usize = 32;

/// Summary of the events up to one of them.
#[derive(Clone, Default)]
pub(crate) struct Summary {
    /// Number of the last one.
    pub(crate) seq: u64,
    /// The timeline.
    pub(crate) gantt: Arc<Gantt>,
    /// The numbers.
    pub(crate) tally: Tally,
}

impl Summary {
    /// Adds the current branch's events that follow.
    pub(crate) fn follow(&mut self, engine: &mut Engine) {
        let (gantt, tally) = (Arc::make_mut(&mut self.gantt), &mut self.tally);
        while self.seq < engine.head_seq() {
            let to = (self.seq + PORTION).min(engine.head_seq());
            let events = engine.recall(self.seq, to);
            let told: Vec<u64> = events.iter().filter(|it| tells_steps(it)).map(|it| it.seq).collect();
            let looks = told.get(told.len().saturating_sub(MOST)..).unwrap_or_default();
            for event in &events {
                gantt.extend(std::slice::from_ref(event), class_of);
                tally.take(event, class_of);
                if looks.contains(&event.seq) {
                    stand(engine, event.seq, gantt);
                }
            }
            self.seq = to;
        }
    }
}

/// Checkpoints of summaries in a long run: the engine forgets the events that led to them.
pub(crate) struct Checkpoints {
    /// With their branch, in the order in which they were stored.
    kept: Vec<(u32, Summary)>,
    distance: u64,
    least: u64,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self::every(DISTANCE)
    }
}

impl Checkpoints {
    /// Creates an empty list of checkpoints with this minimum distance. *Units*: events.
    pub(crate) fn every(least: u64) -> Self {
        Self { kept: Vec::new(), distance: least, least }
    }

    /// Returns an empty list with the same distance.
    pub(crate) fn anew(&self) -> Self {
        Self::every(self.least)
    }

    /// Stores a checkpoint if it is far enough from the last one of its branch.
    pub(crate) fn offer(&mut self, branch: u32, now: &Summary) {
        let last = self.kept.iter().rev().find(|(of, _)| *of == branch).map_or(0, |(_, kept)| kept.seq);
        if now.seq < last + self.distance {
            return;
        }
        self.kept.push((branch, now.clone()));
        if self.kept.len() > PLACES {
            self.distance *= 2;
            let mut nth = 0;
            self.kept.retain(|_| {
                nth += 1;
                nth % 2 == 0
            });
        }
    }

    /// Returns the last checkpoint on the way to the head of the current branch, or an empty summary.
    pub(crate) fn nearest(&mut self, engine: &Engine) -> Summary {
        let branches = engine.branches();
        let mut at = branches.iter().find(|branch| branch.current);
        let mut end = engine.head_seq();
        // Branches never become shorter, except by taking back.
        let current = at.map_or(0, |branch| branch.id);
        self.kept.retain(|(branch, kept)| *branch != current || kept.seq <= end);
        while let Some(branch) = at {
            let mut own = self.kept.iter().rev().filter(|(of, kept)| *of == branch.id && kept.seq <= end);
            if let Some((_, kept)) = own.next() {
                return kept.clone();
            }
            end = end.min(branch.forked_at_seq.unwrap_or(0));
            at = branches.iter().find(|other| Some(other.id) == branch.parent && other.id < branch.id);
        }
        Summary::default()
    }
}

/// Returns whether steps may have appeared or disappeared without their own event.
fn tells_steps(event: &Event) -> bool {
    matches!(
        event.body,
        EventBody::ServiceLoaded { .. }
            | EventBody::ServiceUpdated { .. }
            | EventBody::SchedulerStarted { .. }
    )
}

/// Records the steps that exist right after an event.
fn stand(engine: &mut Engine, seq: u64, gantt: &mut Gantt) {
    let (view, at_ms) = engine.peek(seq, |engine| (engine.view(), engine.now_ms()));
    for service in &view.services {
        let of = paths::service_path(service);
        let mut steps = BTreeMap::new();
        for plan in &service.plans {
            let path = paths::plan_path(service, plan);
            for phase in &plan.phases {
                for step in &phase.steps {
                    let (phase, step_key) = (Some(Arc::clone(&phase.name)), Some(Arc::clone(step.key())));
                    let path = ElementPath { phase, step: step_key, ..path.clone() };
                    steps.insert(path, Arc::clone(&step.status));
                }
            }
        }
        gantt.stand(at_ms, &of, &steps);
    }
}
