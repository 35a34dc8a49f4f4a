//! Carries out the decisions about leaves, in order.
//!
//! *Knows*: which decision comes before which change. *Must not know*: how anything is decided.

use super::App;
use crate::calls::{self, Bound, Look, Site, Start, Strike};
use crate::flow::Move;
use crate::machines::Io;
use crate::plan::{Action, Class, Plan, Step, StepId};
use crate::run::{Await, Awaited, Effect, Mode, Timed, Work};
use planarium_protocol::Text;

impl App {
    /// Begins the work of an entered leaf; returns its result if it is over immediately.
    pub(super) fn begin_work(&mut self, io: &mut Io<'_>, id: StepId) -> Option<bool> {
        let plan = self.run.plan.clone();
        let step = plan.step(id)?;
        let now = io.cx.now();
        match &step.class {
            Class::Delay { ms } => {
                self.run.work.begin_for(id, now, *ms, io.cx.cause(), Work::Delay);
                None
            }
            Class::Gate { .. } => {
                self.run.work.begin(id, now, Work::Gate);
                self.run.set_mode(io.cx, Mode::GateWait);
                None
            }
            Class::Action(action) => self.call(io, &plan, id, step, action),
            Class::Group(_) | Class::Component { .. } | Class::Loop { .. } => None,
        }
    }

    fn site<'a>(&'a self, io: &'a Io<'_>, plan: &'a Plan) -> Site<'a> {
        Site {
            plan,
            blueprint: &self.blueprint,
            instances: &self.instances,
            hosts: &self.hosts,
            fleet: io.machines.fleet(),
            index: self.run.index(),
            now: io.cx.now(),
        }
    }

    /// Makes a call: binds it, applies a planned failure, begins its work.
    fn call(
        &mut self,
        io: &mut Io<'_>,
        plan: &Plan,
        id: StepId,
        step: &Step,
        action: &Action,
    ) -> Option<bool> {
        let bound = match calls::bind(&self.site(io, plan), step, action) {
            Ok(bound) => bound,
            Err(why) => {
                self.run.note(id, why);
                return Some(false);
            }
        };
        self.run.called(id, bound.line.as_ref());
        let strike = self.strike(io, plan, id, &bound);
        let mut counts = std::mem::take(&mut self.run.counts);
        let start = calls::start(&self.site(io, plan), &mut counts, &bound, strike);
        self.run.counts = counts;
        let now = io.cx.now();
        match start {
            Start::Failed(why) => {
                if let Some(why) = why {
                    self.run.note(id, why);
                }
                Some(false)
            }
            Start::Timed { ms, timed } => {
                if let Effect::Destroy(slot) | Effect::Stop(slot) = &timed.effect {
                    self.containers(io).end_process(*slot, ms);
                }
                self.run.work.begin_for(id, now, ms, io.cx.cause(), Work::Timed(Box::new(timed)));
                None
            }
            Start::Launch(launching) => {
                let launch = self.containers(io).begin_launch(launching);
                self.run.work.begin(id, now, Work::Launch(Box::new(launch)));
                None
            }
            Start::Wait(waiting) => {
                self.run.work.begin(id, now, Work::Await(Box::new(waiting)));
                let result = self.look(io)?;
                self.run.work.end();
                Some(self.noted(id, result))
            }
        }
    }

    /// Returns the fault that strikes a call, if any, and counts it.
    fn strike(&mut self, io: &mut Io<'_>, plan: &Plan, id: StepId, bound: &Bound) -> Option<Strike> {
        let planned = calls::planned(&self.site(io, plan), &self.run.counts, self.run.step(id), id, bound);
        if let Some((rule, strike)) = planned {
            self.run.counts.strike(rule);
            return Some(strike).filter(|strike| strike.matters(bound));
        }
        if !io.machines.fleet().calls_may_fail() {
            return None;
        }
        let labels = calls::labels(&self.site(io, plan), id, bound);
        let failed = io.machines.fails_call(io.cx, &labels)?;
        Some(Strike::of_world(&failed)).filter(|strike| strike.matters(bound))
    }

    /// Notes why a step failed; whether it passed.
    fn noted(&mut self, id: StepId, result: Result<(), Text>) -> bool {
        let passed = result.is_ok();
        if let Err(why) = result {
            self.run.note(id, why);
        }
        passed
    }

    /// The timer of the leaf was due.
    pub(super) fn work_is_due(&mut self, io: &mut Io<'_>) {
        match self.run.work.leaf().map(|leaf| &leaf.work) {
            Some(Work::Delay | Work::Timed(_)) => {}
            Some(Work::Await(_)) => return self.look_again(io),
            Some(Work::Gate | Work::Launch(_)) | None => return,
        }
        let Some(leaf) = self.run.work.end() else { return };
        if let Work::Timed(timed) = leaf.work {
            let result = self.apply(io, leaf.step, &timed);
            self.finish(io, leaf.step, result);
        } else {
            self.drive(io, Move::Complete(leaf.step, true));
        }
    }

    /// Carries out the effects of a call at its end.
    fn apply(&mut self, io: &mut Io<'_>, step: StepId, timed: &Timed) -> Result<(), Text> {
        let outcome = calls::apply(&mut self.containers(io), &timed.effect);
        if let Some(said) = outcome.said {
            self.run.log(io.cx, Some(step), said);
        }
        outcome.result?;
        if let Some(instance) = timed.unhealthy.and_then(|slot| self.instances.get_mut(slot)) {
            instance.unhealthy = true;
        }
        Ok(())
    }

    /// Ends a call with its result.
    pub(super) fn finish(&mut self, io: &mut Io<'_>, step: StepId, result: Result<(), Text>) {
        self.run.work.end();
        let passed = self.noted(step, result);
        self.drive(io, Move::Complete(step, passed));
    }

    /// Cuts the leaf off: it has no effect.
    pub(super) fn cut_off(&mut self, io: &mut Io<'_>) {
        self.run.work.disarm();
        if let Some(Work::Launch(launch)) = self.run.work.leaf().map(|leaf| &leaf.work) {
            io.machines.vanish(launch.process);
        }
    }

    /// Checks again whether the leaf's wait is over.
    pub(super) fn look_again(&mut self, io: &mut Io<'_>) {
        let Some(step) = self.run.work.leaf().map(|leaf| leaf.step) else { return };
        if let Some(result) = self.look(io) {
            self.finish(io, step, result);
        }
    }

    /// Returns the result of the leaf's wait; `None` if it is not over, after arming a timer.
    fn look(&mut self, io: &mut Io<'_>) -> Option<Result<(), Text>> {
        let leaf = self.run.work.leaf()?;
        let Work::Await(waiting) = &leaf.work else { return None };
        let (now, since, waiting) = (io.cx.now(), leaf.since, Await::clone(waiting));
        let fleet = io.machines.fleet();
        let progress = calls::progress(&self.blueprint, &self.instances, fleet, now, &waiting);
        match calls::look(progress, &waiting, since, now) {
            Look::Over(Ok(())) => {
                if waiting.what == Awaited::All {
                    self.containers(io).retire(waiting.slot.component);
                } else if let Some(instance) =
                    self.instances.get_mut(waiting.slot).filter(|_| waiting.unhealthy)
                {
                    instance.unhealthy = true;
                }
                Some(Ok(()))
            }
            Look::Over(failed) => Some(failed),
            Look::Again(at) => {
                self.run.work.wake(at, io.cx.cause());
                None
            }
        }
    }
}
