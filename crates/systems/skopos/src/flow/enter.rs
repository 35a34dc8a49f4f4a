//! A step is entered, and the chains inside it begin.
//!
//! *Knows*: classes of steps and the two guards. *Must not know*: what calls do.

use super::{Move, ends, loops};
use crate::plan::{ChainId, Class, Iterate, Plan, StepId};
use crate::run::{Frame, Indices, LogKind, LoopRun, Reason, Run, Shown};
use planarium_ground::Cx;
use std::sync::Arc;

/// A step may be entered so often in one activation of its chain.
const VISITS: u32 = 100;
/// Steps may be entered so often in one run.
const EXECUTIONS: u32 = 100_000;

/// The top-level chain begins; with no steps it has ended at once.
pub(crate) fn begin(run: &mut Run) -> Move {
    push_chain(run, ChainId::ROOT);
    if run.plan.steps_of(ChainId::ROOT).is_empty() { Move::End(true) } else { Move::Enter }
}

/// A chain begins.
pub(super) fn push_chain(run: &mut Run, chain: ChainId) {
    run.activations = run.activations.saturating_add(1);
    run.stack.push(Frame::Chain { chain, at: 0, activation: run.activations });
}

/// Enters the present step. `slots` are those of a loop.
pub(super) fn enter(
    run: &mut Run,
    cx: &mut Cx,
    plan: &Plan,
    slots: impl Fn(ChainId, &Iterate) -> Indices,
) -> Move {
    let Some(Frame::Chain { chain, at, activation }) = run.stack.last() else { return Move::Rest };
    let (activation, Some(id)) = (*activation, plan.at(*chain, *at)) else { return Move::End(true) };
    let Some(step) = plan.step(id) else { return Move::End(true) };
    run.executions = run.executions.saturating_add(1);
    let Some(own) = run.steps.get_mut(id.index()) else { return Move::End(true) };
    let visits = own.visit(activation);
    if visits > VISITS {
        let text = format!("{} was entered more than {VISITS} times: the plan would go on for ever", step.id);
        return guard(run, cx, plan, id, text);
    }
    if run.executions > EXECUTIONS {
        let text = format!("more than {EXECUTIONS} steps were executed: the plan is stopped");
        return guard(run, cx, plan, id, text);
    }
    let again = own.enter();
    run.log(cx, Some(id), LogKind::StepStart);
    match &step.class {
        Class::Group(chain) | Class::Component { chain, .. } => {
            open(run, cx, plan, id, *chain, again);
            if plan.steps_of(*chain).is_empty() {
                return Move::Complete(id, true);
            }
            push_chain(run, *chain);
            Move::Enter
        }
        Class::Loop { chain, iterate } => {
            open(run, cx, plan, id, *chain, again);
            enter_loop(run, cx, plan, id, *chain, slots(*chain, iterate))
        }
        Class::Action(_) | Class::Delay { .. } => {
            run.show(cx, id, Shown::Running);
            Move::Work(id)
        }
        Class::Gate { .. } => {
            run.show(cx, id, Shown::Waiting);
            run.log(cx, Some(id), LogKind::GateWait);
            Move::Work(id)
        }
    }
}

/// Opens a composite; when it is entered again, skipped inner steps may be entered after all.
fn open(run: &mut Run, cx: &mut Cx, plan: &Plan, id: StepId, chain: ChainId, again: bool) {
    run.show(cx, id, Shown::Running);
    if again {
        ends::reopen(run, cx, plan, chain);
    }
}

fn enter_loop(run: &mut Run, cx: &mut Cx, plan: &Plan, id: StepId, chain: ChainId, indices: Indices) -> Move {
    let planned = indices.len();
    run.loops.insert(id, Arc::new(LoopRun { planned, ..LoopRun::default() }));
    if planned == 0 {
        run.log(cx, Some(id), LogKind::LoopEmpty);
        ends::skip(run, cx, plan, chain);
        return Move::Complete(id, true);
    }
    // However often nothing is done, nothing happens.
    if plan.steps_of(chain).is_empty() {
        return Move::Complete(id, true);
    }
    run.stack.push(Frame::Loop { step: id, indices, k: 0 });
    loops::iterate(run, plan, chain)
}

/// The plan would go on for ever.
fn guard(run: &mut Run, cx: &mut Cx, plan: &Plan, id: StepId, text: String) -> Move {
    run.log(cx, Some(id), LogKind::Guard(text.as_str().into()));
    run.reason = Some(Reason::Guard(text.into()));
    ends::fail_open(run, cx, plan);
    ends::end_plan(run, cx, plan, false);
    Move::Rest
}
