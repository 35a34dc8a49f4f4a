//! Handles a step's result: records it, logs it, holds the plan, takes its exit.
//!
//! *Knows*: flags of exits, requests of the operator. *Must not know*: what steps do.
//!
//! *Order* at one exit: the result, an ignored failure, the exit's own message, the hold. A hold loses nothing: the result
//! and the exit are final, only taking the exit is delayed.

use super::Move;
use crate::plan::{Leads, Plan, Step, StepId};
use crate::run::{Frame, Hold, HoldReason, LogKind, Mode, Run, Shown};
use planarium_ground::Cx;

/// A step has a result.
pub(super) fn complete(run: &mut Run, cx: &mut Cx, plan: &Plan, id: StepId, passed: bool) -> Move {
    let Some(step) = plan.step(id) else { return Move::End(passed) };
    let index = run.slot_of(id);
    let mut note = None;
    if let Some(own) = run.steps.get_mut(id.index()) {
        own.result = Some(passed);
        note.clone_from(&own.note);
    }
    run.traced(cx.now(), id, index, passed);
    run.show(cx, id, Shown::of(passed));
    run.log(cx, Some(id), if passed { LogKind::StepPass } else { LogKind::StepFail(note) });
    let exit = step.exit(passed);
    let to = plan.target(id, passed).unwrap_or(Err(passed));
    if !passed && !exit.written && !step.cleanup {
        run.log(cx, Some(id), LogKind::IgnoredFailure(to));
    }
    if exit.warn {
        run.log(cx, Some(id), LogKind::FlowWarn(passed, to));
    } else if exit.info {
        run.log(cx, Some(id), LogKind::FlowInfo(passed, to));
    }
    let Some(reason) = holds(run, step, passed) else { return Move::Leave(id, passed) };
    hold(run, cx, Some((id, passed)), reason);
    if let Ok(target) = to {
        run.show(cx, target, Shown::Paused);
    }
    Move::Rest
}

/// Why the plan is held at an exit, if it is.
fn holds(run: &Run, step: &Step, passed: bool) -> Option<HoldReason> {
    let leaf = step.is_leaf();
    if step.exit(passed).pause {
        Some(HoldReason::Exit)
    } else if run.interactive && leaf && !passed {
        Some(HoldReason::Error)
    } else if run.pause_requested {
        Some(HoldReason::Operator)
    } else if run.step_mode && leaf {
        Some(HoldReason::Step)
    } else {
        None
    }
}

/// Holds the plan.
pub(crate) fn hold(run: &mut Run, cx: &mut Cx, at: Option<(StepId, bool)>, reason: HoldReason) {
    run.pause_requested = false;
    run.step_mode = false;
    run.hold = Some(Hold { at, reason, since: cx.now() });
    run.log(cx, at.map(|(id, _)| id), LogKind::Hold(reason));
    let mode = if reason == HoldReason::Error { Mode::ErrorWait } else { Mode::Paused };
    run.set_mode(cx, mode);
}

/// An exit is taken: to a step of the chain, or to its end.
pub(super) fn leave(run: &mut Run, plan: &Plan, id: StepId, passed: bool) -> Move {
    let Some(step) = plan.step(id) else { return Move::End(passed) };
    if let Some(own) = run.steps.get_mut(id.index()) {
        own.take_exit(passed);
    }
    run.last_exit = Some((id, passed));
    match step.exit(passed).leads {
        Leads::End(passed) => Move::End(passed),
        Leads::To(place) => {
            if let Some(Frame::Chain { at, .. }) = run.stack.last_mut() {
                *at = place;
            }
            Move::Enter
        }
    }
}
