//! Ends: what was never entered is skipped, what was open has failed, the plan has a result.
//!
//! *Knows*: what each step shows at the end of its chain. *Must not know*: why it ended.

use super::run::Io;
use super::{Frame, LogKind, Mode, Shown, Trace};
use crate::app::App;
use crate::plan::{ChainId, Plan, StepId};

impl App {
    /// Steps of a chain that has ended, and of chains inside it, that were never entered are skipped.
    pub(super) fn skip(&mut self, io: &mut Io<'_>, plan: &Plan, chain: ChainId) {
        let mut open = vec![chain];
        while let Some(chain) = open.pop() {
            for id in plan.steps_of(chain) {
                let Some(own) = self.run.step(*id) else { continue };
                if own.entries == 0 && matches!(own.shown, Shown::Pending | Shown::Paused) {
                    self.show(io, *id, Shown::Skipped);
                }
                open.extend(plan.step(*id).and_then(crate::plan::Step::inside));
            }
        }
    }

    /// Steps of a chain that begins again, and of chains inside it, that were skipped may be entered after all.
    pub(super) fn reopen(&mut self, io: &mut Io<'_>, plan: &Plan, chain: ChainId) {
        let mut open = vec![chain];
        while let Some(chain) = open.pop() {
            for id in plan.steps_of(chain) {
                if self.run.step(*id).is_some_and(|own| own.shown == Shown::Skipped) {
                    self.show(io, *id, Shown::Pending);
                    open.extend(plan.step(*id).and_then(crate::plan::Step::inside));
                }
            }
        }
    }

    /// Everything that is open has failed.
    pub(super) fn fail_open(&mut self, io: &mut Io<'_>, plan: &Plan) {
        let mut failed: Vec<StepId> = Vec::new();
        failed.extend(self.run.leaf.as_ref().map(|leaf| leaf.step));
        for frame in self.run.stack.iter().rev() {
            match frame {
                Frame::Loop { step, .. } => failed.push(*step),
                Frame::Chain { chain, .. } => {
                    let owner = plan.chain(*chain).and_then(|chain| chain.owner);
                    failed.extend(owner.filter(|owner| !failed.contains(owner)));
                }
            }
        }
        for id in failed {
            let index = self.slot_of(id);
            let Some(own) = self.run.steps.get_mut(id.index()).filter(|own| own.shown.is_open()) else {
                continue;
            };
            own.result = Some(false);
            self.run.trace.push(Trace { at: io.cx.now(), step: id, index, passed: false });
            self.show(io, id, Shown::Failed);
        }
        self.run.stack.clear();
    }

    /// The plan has a result.
    pub(super) fn end_plan(&mut self, io: &mut Io<'_>, plan: &Plan, passed: bool) {
        self.run.stack.clear();
        self.run.hold = None;
        self.run.pause_requested = false;
        self.run.step_mode = false;
        // What was held before a step is shown as it came out last.
        for (id, _) in plan.steps() {
            let Some(own) = self.run.step(id).filter(|own| own.shown == Shown::Paused && own.entries > 0)
            else {
                continue;
            };
            let shown = own.result.map_or(Shown::Skipped, Shown::of);
            self.show(io, id, shown);
        }
        self.skip(io, plan, ChainId::ROOT);
        self.run.passed = Some(passed);
        self.run.ended = Some(io.cx.now());
        self.log(io, None, if passed { LogKind::PlanPass } else { LogKind::PlanFail });
        self.set_mode(io, if passed { Mode::Completed } else { Mode::Failed });
    }
}
