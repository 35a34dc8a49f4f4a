//! Ends of chains and plans: steps not entered are skipped, open ones have failed, the plan gets a result.
//!
//! *Knows*: what each step shows at the end of its chain. *Must not know*: why it ended.

use super::{Move, loops};
use crate::plan::{ChainId, Plan, Step, StepId};
use crate::run::{Frame, LogKind, Mode, Reason, Run, Shown};
use planarium_ground::Cx;

/// Ends the top chain: its parent takes the result.
pub(super) fn end_chain(run: &mut Run, cx: &mut Cx, plan: &Plan, passed: bool) -> Move {
    let Some(Frame::Chain { chain, .. }) = run.stack.pop() else { return Move::Rest };
    let owner = plan.chain(chain).and_then(|chain| chain.owner);
    let Some(owner) = owner else {
        end_plan(run, cx, plan, passed);
        return Move::Rest;
    };
    if matches!(run.stack.last(), Some(Frame::Loop { .. })) {
        if loops::end_iteration(run, passed) {
            return loops::iterate(run, plan, chain);
        }
        run.stack.pop();
    }
    skip(run, cx, plan, chain);
    Move::Complete(owner, passed)
}

/// Steps of a chain that has ended, and of chains inside it, that were never entered are skipped.
pub(super) fn skip(run: &mut Run, cx: &mut Cx, plan: &Plan, chain: ChainId) {
    let mut open = vec![chain];
    while let Some(chain) = open.pop() {
        for id in plan.steps_of(chain) {
            let Some(own) = run.step(*id) else { continue };
            if own.entries == 0 && matches!(own.shown, Shown::Pending | Shown::Paused) {
                run.show(cx, *id, Shown::Skipped);
            }
            open.extend(plan.step(*id).and_then(Step::inside));
        }
    }
}

/// Steps of a chain that begins again, and of chains inside it, that were skipped may be entered after all.
pub(super) fn reopen(run: &mut Run, cx: &mut Cx, plan: &Plan, chain: ChainId) {
    let mut open = vec![chain];
    while let Some(chain) = open.pop() {
        for id in plan.steps_of(chain) {
            if run.step(*id).is_some_and(|own| own.shown == Shown::Skipped) {
                run.show(cx, *id, Shown::Pending);
                open.extend(plan.step(*id).and_then(Step::inside));
            }
        }
    }
}

/// Everything that is open has failed.
pub(super) fn fail_open(run: &mut Run, cx: &mut Cx, plan: &Plan) {
    let mut failed: Vec<StepId> = Vec::new();
    failed.extend(run.work.leaf().map(|leaf| leaf.step));
    for frame in run.stack.iter().rev() {
        match frame {
            Frame::Loop { step, .. } => failed.push(*step),
            Frame::Chain { chain, .. } => {
                let owner = plan.chain(*chain).and_then(|chain| chain.owner);
                failed.extend(owner.filter(|owner| !failed.contains(owner)));
            }
        }
    }
    for id in failed {
        let index = run.slot_of(id);
        let Some(own) = run.steps.get_mut(id.index()).filter(|own| own.shown.is_open()) else {
            continue;
        };
        own.result = Some(false);
        run.traced(cx.now(), id, index, false);
        run.show(cx, id, Shown::Failed);
    }
    run.stack.clear();
}

/// The plan has a result.
pub(super) fn end_plan(run: &mut Run, cx: &mut Cx, plan: &Plan, passed: bool) {
    run.stack.clear();
    run.hold = None;
    run.pause_requested = false;
    run.step_mode = false;
    // Steps held before their start show their last result.
    for (id, _) in plan.steps() {
        let Some(own) = run.step(id).filter(|own| own.shown == Shown::Paused && own.entries > 0) else {
            continue;
        };
        let shown = own.result.map_or(Shown::Skipped, Shown::of);
        run.show(cx, id, shown);
    }
    skip(run, cx, plan, ChainId::ROOT);
    run.passed = Some(passed);
    run.ended = Some(cx.now());
    run.log(cx, None, if passed { LogKind::PlanPass } else { LogKind::PlanFail });
    run.set_mode(cx, if passed { Mode::Completed } else { Mode::Failed });
}

/// An operator gives the plan up: everything that is open has failed.
pub(crate) fn abandon(run: &mut Run, cx: &mut Cx) {
    let plan = run.plan.clone();
    run.reason = Some(Reason::Abandoned);
    run.log(cx, None, LogKind::PlanAbandon);
    fail_open(run, cx, &plan);
    run.work.end();
    end_plan(run, cx, &plan, false);
}
