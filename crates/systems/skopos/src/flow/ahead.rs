//! Predicts the run from a step with a result, through the ends of chains.
//!
//! *Knows*: the frames of the run and the exits of the plan. *Must not know*: what steps will do.

use crate::plan::{ChainKind, Leads, Plan, StepId};
use crate::run::{Frame, Run};

/// Prediction after a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// Elements that get a result on the way, innermost first.
    pub(crate) through: Vec<(StepId, bool)>,
    pub(crate) end: AheadEnd,
    /// The run is held on the way.
    pub(crate) pauses: bool,
}

/// Ends of a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AheadEnd {
    /// A step.
    Step(StepId),
    /// The next iteration of a loop: its slot, and the first step.
    Iteration(u64, StepId),
    /// The end of the plan.
    Plan(bool),
}

/// Predicts the run after a step on the present path with this result.
pub(crate) fn ahead(run: &Run, from: StepId, passed: bool) -> Ahead {
    let plan = &run.plan;
    let (mut id, mut result) = (from, passed);
    let mut found = Ahead { through: Vec::new(), end: AheadEnd::Plan(passed), pauses: false };
    loop {
        let Some(step) = plan.step(id) else { return found };
        let exit = step.exit(result);
        found.pauses |= exit.pause;
        let ends = match exit.leads {
            Leads::To(place) => {
                if let Some(next) = plan.at(step.chain, place) {
                    found.end = AheadEnd::Step(next);
                }
                return found;
            }
            Leads::End(passed) => passed,
        };
        let Some(chain) = plan.chain(step.chain) else { return found };
        let Some(owner) = chain.owner else {
            found.end = AheadEnd::Plan(ends);
            return found;
        };
        if chain.kind == ChainKind::Loop && ends {
            let next = run.stack.iter().find_map(|frame| match frame {
                Frame::Loop { step, indices, k } if *step == owner => {
                    let k = k.saturating_add(1);
                    (k < indices.len()).then(|| indices.at(k))
                }
                _ => None,
            });
            if let (Some(index), Some(first)) = (next, chain.steps.first()) {
                found.end = AheadEnd::Iteration(index, *first);
                return found;
            }
        }
        found.through.push((owner, ends));
        (id, result) = (owner, ends);
    }
}

impl Ahead {
    /// The step that comes next.
    pub(crate) fn step(&self) -> Option<StepId> {
        match self.end {
            AheadEnd::Step(id) | AheadEnd::Iteration(_, id) => Some(id),
            AheadEnd::Plan(_) => None,
        }
    }

    /// Words the prediction as a part of a sentence: `back fails, continuing with front`.
    pub(crate) fn words(&self, plan: &Plan) -> String {
        let name = |id: StepId| plan.step(id).map_or("?", |step| &*step.id);
        let result = |passed: bool| if passed { "passes" } else { "fails" };
        let mut parts: Vec<String> =
            self.through.iter().map(|(id, passed)| format!("{} {}", name(*id), result(*passed))).collect();
        parts.push(match self.end {
            AheadEnd::Step(id) => format!("continuing with {}", name(id)),
            AheadEnd::Iteration(index, id) => format!("continuing with {} for instance {index}", name(id)),
            AheadEnd::Plan(passed) => format!("the plan {}", if passed { "is completed" } else { "fails" }),
        });
        if self.pauses {
            parts.push("pausing on the way".to_owned());
        }
        parts.join(", ")
    }
}

/// Words the consequence of a verdict, as a sentence about a step.
pub(crate) fn after(run: &Run, id: StepId, passed: bool) -> String {
    let plan = &run.plan;
    let name = plan.step(id).map_or("?", |step| &*step.id);
    let result = if passed { "passes" } else { "fails" };
    format!("{name} {result}: {}", ahead(run, id, passed).words(plan))
}
