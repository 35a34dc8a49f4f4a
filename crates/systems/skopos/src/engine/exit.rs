//! A step has a result: what is recorded, what is logged, whether the plan is held.
//!
//! *Knows*: flags of exits, requests of the operator. *Must not know*: where exits lead; that is the plan's.
//!
//! *Order* at one exit: the result, a failure that is ignored, the exit's own message, the hold. A hold loses nothing: the
//! result stands, the exit is chosen, only taking it is put off.

use super::run::{Io, Move};
use super::{Frame, Hold, HoldReason, LogKind, Mode, Shown, Trace};
use crate::app::App;
use crate::plan::{ChainKind, Plan, StepId};
use std::sync::Arc;

impl App {
    /// A step has a result.
    pub(super) fn complete(&mut self, io: &mut Io<'_>, plan: &Plan, id: StepId, passed: bool) -> Move {
        let Some(step) = plan.step(id) else { return Move::End(passed) };
        let index = self.slot_of(id);
        let mut note = None;
        if let Some(own) = self.run.steps.get_mut(id.index()) {
            own.result = Some(passed);
            note.clone_from(&own.note);
        }
        self.run.trace.push(Trace { at: io.cx.now(), step: id, index, passed });
        self.show(io, id, Shown::of(passed));
        self.log(io, Some(id), if passed { LogKind::StepPass } else { LogKind::StepFail(note) });
        let exit = step.exit(passed);
        let to = plan.target(id, passed).unwrap_or(Err(passed));
        if !passed && !exit.written && !step.cleanup {
            self.log(io, Some(id), LogKind::IgnoredFailure(to));
        }
        if exit.warn {
            self.log(io, Some(id), LogKind::FlowWarn(passed, to));
        } else if exit.info {
            self.log(io, Some(id), LogKind::FlowInfo(passed, to));
        }
        let leaf = step.is_leaf();
        let reason = if exit.pause {
            HoldReason::Exit
        } else if self.run.interactive && leaf && !passed {
            HoldReason::Error
        } else if self.run.pause_requested {
            HoldReason::Operator
        } else if self.run.step_mode && leaf {
            HoldReason::Step
        } else {
            return Move::Leave(id, passed);
        };
        self.hold(io, Some((id, passed)), reason);
        if let Ok(target) = to {
            self.show(io, target, Shown::Paused);
        }
        Move::Rest
    }

    /// Holds the plan.
    pub(super) fn hold(&mut self, io: &mut Io<'_>, at: Option<(StepId, bool)>, reason: HoldReason) {
        self.run.pause_requested = false;
        self.run.step_mode = false;
        self.run.hold = Some(Hold { at, reason, since: io.cx.now() });
        self.log(io, at.map(|(id, _)| id), LogKind::Hold(reason));
        let mode = if reason == HoldReason::Error { Mode::ErrorWait } else { Mode::Paused };
        self.set_mode(io, mode);
    }

    /// What a step shows in the present iteration of its loop, if it is in one.
    pub(crate) fn show_cell(&mut self, id: StepId, shown: Shown) {
        let plan = self.plan.clone();
        let Some(step) = plan.step(id) else { return };
        let owner = plan
            .chain(step.chain)
            .filter(|chain| chain.kind == ChainKind::Loop)
            .and_then(|chain| chain.owner);
        let Some(owner) = owner else { return };
        let open =
            self.run.stack.iter().any(|frame| matches!(frame, Frame::Loop { step, .. } if *step == owner));
        if !open {
            return;
        }
        if let Some(run) = self.run.loops.get_mut(&owner).map(Arc::make_mut)
            && let Some(last) = run.iterations.len().checked_sub(1)
            && let Some(cell) =
                run.iterations.get_mut(last).and_then(|one| one.cells.get_mut(step.at as usize))
        {
            *cell = shown;
        }
    }
}
