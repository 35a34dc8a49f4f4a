//! Decisions of the run: the next step, and the resulting changes of the run's records.
//!
//! *Knows*: the order of moves, exits, loops, ends and guards. *Must not know*: what calls do, machines.
//!
//! Moves are made in one loop, never by recursion, so that plans can have any depth and length. They take no time; when a
//! leaf is entered the loop stops and returns it.
//!
//! **Source**: Skopos Deployment Plan Reference, "Low-level steps chains" and "instance-loop steps". Match. Stopping an
//! endless plan is ours.

pub(crate) mod ahead;
mod ends;
mod enter;
mod exits;
mod loops;

pub(crate) use ends::abandon;
pub(crate) use enter::begin;
pub(crate) use exits::hold;
pub(crate) use loops::slots;

use crate::blueprint::Blueprint;
use crate::instances::Instances;
use crate::plan::StepId;
use crate::run::Run;
use planarium_ground::Cx;

/// Next moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// The present step of the top chain is entered.
    Enter,
    /// A step has a result.
    Complete(StepId, bool),
    /// An exit is taken.
    Leave(StepId, bool),
    /// The top chain has ended.
    End(bool),
    /// A leaf has been entered: its work begins.
    Work(StepId),
    /// Something has to happen first.
    Rest,
}

/// Makes moves until a leaf has to be worked on or something else has to happen first; the leaf.
pub(crate) fn go(
    run: &mut Run,
    cx: &mut Cx,
    blueprint: &Blueprint,
    instances: &Instances,
    first: Move,
) -> Option<StepId> {
    let plan = run.plan.clone();
    let mut next = first;
    loop {
        next = match next {
            Move::Enter => enter::enter(run, cx, &plan, |chain, iterate| {
                loops::slots(chain, iterate, blueprint, instances)
            }),
            Move::Complete(step, passed) => exits::complete(run, cx, &plan, step, passed),
            Move::Leave(step, passed) => exits::leave(run, &plan, step, passed),
            Move::End(passed) => ends::end_chain(run, cx, &plan, passed),
            Move::Work(step) => return Some(step),
            Move::Rest => return None,
        };
    }
}
