//! Slots of a loop, and its iterations.
//!
//! *Knows*: selectors, replicas, instances. *Must not know*: the work of an iteration.

use super::Move;
use super::enter::push_chain;
use crate::blueprint::Blueprint;
use crate::instances::{Group, Instances};
use crate::plan::{ChainId, Iterate, Plan, Selector};
use crate::run::{Frame, Indices, Iteration, Run, Shown};
use std::sync::Arc;

/// The slots of a loop, as things are now.
pub(crate) fn slots(
    chain: ChainId,
    iterate: &Iterate,
    blueprint: &Blueprint,
    instances: &Instances,
) -> Indices {
    let from = iterate.start_index;
    if let Some(count) = iterate.target_num {
        return Indices::Range { from, count };
    }
    let component = blueprint.component_of(chain);
    let group = match iterate.selector {
        Some(Selector::Old) => Group::Old,
        Some(Selector::New) => Group::New,
        Some(Selector::Target) | None => {
            let replicas = component.map_or(0, |component| blueprint.replicas(component));
            return Indices::Range { from, count: replicas.saturating_sub(from) };
        }
    };
    let Some(component) = component else { return Indices::List(Arc::from([])) };
    Indices::List(instances.group(component, group, from).map(|(slot, _)| slot.index).collect())
}

/// An iteration of the loop on top begins.
pub(super) fn iterate(run: &mut Run, plan: &Plan, chain: ChainId) -> Move {
    let Some(Frame::Loop { step, indices, k }) = run.stack.last() else { return Move::Rest };
    let (step, index) = (*step, indices.at(*k));
    let cells = vec![Shown::Pending; plan.steps_of(chain).len()];
    if let Some(run) = run.loops.get_mut(&step) {
        Arc::make_mut(run).iterations.push(Iteration { index, result: None, cells });
    }
    push_chain(run, chain);
    Move::Enter
}

/// The present iteration of the loop on top has ended; whether another one follows.
pub(super) fn end_iteration(run: &mut Run, passed: bool) -> bool {
    let Some(Frame::Loop { step, k, indices }) = run.stack.last_mut() else { return false };
    let owner = *step;
    *k = k.saturating_add(1);
    let over = !passed || *k >= indices.len();
    if let Some(run) = run.loops.get_mut(&owner).map(Arc::make_mut)
        && let Some(last) = run.iterations.len().checked_sub(1)
        && let Some(iteration) = run.iterations.get_mut(last)
    {
        iteration.result = Some(passed);
        for cell in iteration.cells.iter_mut().filter(|cell| **cell == Shown::Pending) {
            *cell = Shown::Skipped;
        }
    }
    !over
}
