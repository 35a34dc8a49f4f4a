//! The moves: entering steps, going through loops, ending chains.
//!
//! *Knows*: the order of moves and the two guards. *Must not know*: what calls do.
//!
//! Moves are carried out one after the other in one loop, never by recursion, so that no plan is too deep or too long.
//!
//! **Source**: Skopos Deployment Plan Reference, "Low-level steps chains" and "instance-loop steps". Match. That a plan which
//! goes on for ever is stopped is ours.

use super::{Frame, Indices, Iteration, LogKind, Reason, Shown};
use crate::app::App;
use crate::instance::Group;
use crate::machines::MachineAccess;
use crate::plan::{ChainId, Class, Iterate, Leads, Plan, Selector, StepId};
use planarium_ground::Cx;
use std::sync::Arc;

/// A step may be entered so often in one activation of its chain.
const VISITS: u32 = 100;
/// Steps may be entered so often in one run.
const EXECUTIONS: u32 = 100_000;

/// Where facts go, and the machines.
pub(crate) struct Io<'a> {
    pub(crate) cx: &'a mut Cx,
    pub(crate) machines: &'a mut dyn MachineAccess,
}

/// What is to be done next.
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
    /// Something has to happen first.
    Rest,
}

impl App {
    /// Makes moves until something has to happen first.
    pub(crate) fn drive(&mut self, io: &mut Io<'_>, first: Move) {
        let plan = self.plan.clone();
        let mut next = first;
        loop {
            next = match next {
                Move::Enter => self.enter(io, &plan),
                Move::Complete(step, passed) => self.complete(io, &plan, step, passed),
                Move::Leave(step, passed) => self.leave(&plan, step, passed),
                Move::End(passed) => self.end_chain(io, &plan, passed),
                Move::Rest => break,
            };
        }
        self.touch(io.cx);
    }

    /// The present step is entered.
    fn enter(&mut self, io: &mut Io<'_>, plan: &Plan) -> Move {
        let Some(Frame::Chain { chain, at, activation }) = self.run.stack.last() else { return Move::Rest };
        let (activation, Some(id)) = (*activation, plan.at(*chain, *at)) else { return Move::End(true) };
        let Some(step) = plan.step(id) else { return Move::End(true) };
        self.run.executions = self.run.executions.saturating_add(1);
        let Some(own) = self.run.steps.get_mut(id.index()) else { return Move::End(true) };
        own.visits = if own.activation == activation { own.visits.saturating_add(1) } else { 1 };
        own.activation = activation;
        if own.visits > VISITS {
            let text =
                format!("{} was entered more than {VISITS} times: the plan would go on for ever", step.id);
            return self.guard(io, plan, id, text);
        }
        if self.run.executions > EXECUTIONS {
            let text = format!("more than {EXECUTIONS} steps were executed: the plan is stopped");
            return self.guard(io, plan, id, text);
        }
        own.entries = own.entries.saturating_add(1);
        own.note = None;
        own.called = None;
        let again = own.entries > 1;
        self.log(io, Some(id), LogKind::StepStart);
        match &step.class {
            Class::Group(chain) | Class::Component { chain, .. } => {
                self.show(io, id, Shown::Running);
                if again {
                    self.reopen(io, plan, *chain);
                }
                if plan.steps_of(*chain).is_empty() {
                    return Move::Complete(id, true);
                }
                self.push_chain(*chain);
                Move::Enter
            }
            Class::Loop { chain, iterate } => {
                self.show(io, id, Shown::Running);
                if again {
                    self.reopen(io, plan, *chain);
                }
                self.enter_loop(io, plan, id, *chain, iterate)
            }
            Class::Action(action) => {
                self.show(io, id, Shown::Running);
                self.begin_action(io, plan, id, step, action)
            }
            Class::Delay { ms } => {
                self.show(io, id, Shown::Running);
                self.begin_delay(io, id, *ms)
            }
            Class::Gate { .. } => {
                self.show(io, id, Shown::Waiting);
                self.log(io, Some(id), LogKind::GateWait);
                self.begin_gate(io, id)
            }
        }
    }

    fn push_chain(&mut self, chain: ChainId) {
        self.run.activations = self.run.activations.saturating_add(1);
        self.run.stack.push(Frame::Chain { chain, at: 0, activation: self.run.activations });
    }

    /// The top-level chain begins; with no steps it has ended at once.
    pub(crate) fn begin(&mut self, plan: &Plan) -> Move {
        self.push_chain(ChainId::ROOT);
        if plan.steps_of(ChainId::ROOT).is_empty() { Move::End(true) } else { Move::Enter }
    }

    fn enter_loop(
        &mut self,
        io: &mut Io<'_>,
        plan: &Plan,
        id: StepId,
        chain: ChainId,
        iterate: &Iterate,
    ) -> Move {
        let indices = self.indices(chain, iterate);
        let planned = indices.len();
        let run = super::LoopRun { planned, ..super::LoopRun::default() };
        self.run.loops.insert(id, Arc::new(run));
        if planned == 0 {
            self.log(io, Some(id), LogKind::LoopEmpty);
            self.skip(io, plan, chain);
            return Move::Complete(id, true);
        }
        // However often nothing is done, nothing happens.
        if plan.steps_of(chain).is_empty() {
            return Move::Complete(id, true);
        }
        self.run.stack.push(Frame::Loop { step: id, indices, k: 0 });
        self.iterate(plan, chain)
    }

    /// The slots of a loop, as things are now.
    pub(crate) fn indices(&self, chain: ChainId, iterate: &Iterate) -> Indices {
        let from = iterate.start_index;
        if let Some(count) = iterate.target_num {
            return Indices::Range { from, count };
        }
        let component = self.component_of(chain);
        let group = match iterate.selector {
            Some(Selector::Old) => Group::Old,
            Some(Selector::New) => Group::New,
            Some(Selector::Target) | None => {
                let replicas = component.map_or(0, |component| self.replicas(component));
                return Indices::Range { from, count: replicas.saturating_sub(from) };
            }
        };
        let Some(component) = component else { return Indices::List(Arc::from([])) };
        Indices::List(self.instances.group(component, group, from).map(|(slot, _)| slot.index).collect())
    }

    /// An iteration of the loop on top begins.
    fn iterate(&mut self, plan: &Plan, chain: ChainId) -> Move {
        let Some(Frame::Loop { step, indices, k }) = self.run.stack.last() else { return Move::Rest };
        let (step, index) = (*step, indices.at(*k));
        let cells = vec![Shown::Pending; plan.steps_of(chain).len()];
        if let Some(run) = self.run.loops.get_mut(&step) {
            Arc::make_mut(run).iterations.push(Iteration { index, result: None, cells });
        }
        self.push_chain(chain);
        Move::Enter
    }

    /// An exit is taken: to a step of the chain, or to its end.
    fn leave(&mut self, plan: &Plan, id: StepId, passed: bool) -> Move {
        let Some(step) = plan.step(id) else { return Move::End(passed) };
        if let Some(own) = self.run.steps.get_mut(id.index()) {
            let [pass, fail] = &mut own.taken;
            let taken = if passed { pass } else { fail };
            *taken = taken.saturating_add(1);
        }
        self.run.last_exit = Some((id, passed));
        match step.exit(passed).leads {
            Leads::End(passed) => Move::End(passed),
            Leads::To(place) => {
                if let Some(Frame::Chain { at, .. }) = self.run.stack.last_mut() {
                    *at = place;
                }
                Move::Enter
            }
        }
    }

    /// The top chain has ended: what is around it takes the result.
    fn end_chain(&mut self, io: &mut Io<'_>, plan: &Plan, passed: bool) -> Move {
        let Some(Frame::Chain { chain, .. }) = self.run.stack.pop() else { return Move::Rest };
        let owner = plan.chain(chain).and_then(|chain| chain.owner);
        let Some(owner) = owner else {
            self.end_plan(io, plan, passed);
            return Move::Rest;
        };
        let Some(Frame::Loop { k, indices, .. }) = self.run.stack.last_mut() else {
            self.skip(io, plan, chain);
            return Move::Complete(owner, passed);
        };
        *k = k.saturating_add(1);
        let over = !passed || *k >= indices.len();
        if let Some(run) = self.run.loops.get_mut(&owner).map(Arc::make_mut)
            && let Some(last) = run.iterations.len().checked_sub(1)
            && let Some(iteration) = run.iterations.get_mut(last)
        {
            iteration.result = Some(passed);
            for cell in iteration.cells.iter_mut().filter(|cell| **cell == Shown::Pending) {
                *cell = Shown::Skipped;
            }
        }
        if !over {
            return self.iterate(plan, chain);
        }
        self.run.stack.pop();
        self.skip(io, plan, chain);
        Move::Complete(owner, passed)
    }

    /// The plan would go on for ever.
    fn guard(&mut self, io: &mut Io<'_>, plan: &Plan, id: StepId, text: String) -> Move {
        self.log(io, Some(id), LogKind::Guard(text.as_str().into()));
        self.run.reason = Some(Reason::Guard(text.into()));
        self.fail_open(io, plan);
        self.end_plan(io, plan, false);
        Move::Rest
    }
}
