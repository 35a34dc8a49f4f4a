//! Records of a run: the state of a plan so far.
//!
//! *Knows*: modes, frames, what each step shows, the log, the work under way, and the event of every change.
//! *Must not know*: which change comes next ([`crate::flow`]), how a call is carried out ([`crate::calls`]).
//!
//! A run is a stack of frames. The top frame is the chain with the active step; a loop is below the chain of its
//! present iteration.

mod check;
mod events;
mod history;
mod indices;
mod leaf_work;
pub(crate) mod log;
mod mode;
mod shown;
mod steps;

pub(crate) use events::{Names, PLAN};
pub(crate) use history::History;
pub(crate) use indices::Indices;
pub(crate) use leaf_work::{Await, Awaited, Effect, Launch, Leaf, Timed, Underway, Work};
pub(crate) use log::{LogKind, Record};
pub(crate) use mode::{Hold, HoldReason, Mode, Reason};
pub(crate) use shown::Shown;
pub(crate) use steps::{Iteration, LoopRun, StepRun, Trace};

use crate::plan::{ChainId, ChainKind, Plan, SharedPlan, StepId};
use planarium_ground::Cx;
use planarium_kernel::{Digestible, Map, SimTime, SortedMap, Table};
use planarium_protocol::Text;
use std::sync::Arc;

/// A level of the run.
#[derive(Clone, Debug, Digestible)]
pub(crate) enum Frame {
    /// A chain with the place of its present step.
    #[digest(chain.index(), at)]
    Chain {
        chain: ChainId,
        at: u32,
        /// Number of this activation, never reused.
        activation: u64,
    },
    /// A loop with its present iteration.
    #[digest(step.index(), indices.len(), k)]
    Loop { step: StepId, indices: Indices, k: u64 },
}

/// Number of calls that met each plan of the environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Number of strikes of each planned failure.
    struck: SortedMap<u32, u64>,
    /// Number of runs of each script.
    scripts: SortedMap<Text, u32>,
}

impl Counts {
    /// Returns the number of strikes of a planned failure.
    pub(crate) fn struck(&self, rule: u32) -> u64 {
        self.struck.get(&rule).copied().unwrap_or(0)
    }

    /// A planned failure strikes once more.
    pub(crate) fn strike(&mut self, rule: u32) {
        let struck = self.struck.entry(rule).or_default();
        *struck = struck.saturating_add(1);
    }

    /// A script runs once more; how often it had run before.
    pub(crate) fn run_script(&mut self, name: &Text) -> u32 {
        let runs = self.scripts.entry(name.clone()).or_default();
        let before = *runs;
        *runs = runs.saturating_add(1);
        before
    }
}

/// State of a plan's run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The plan; without steps if there is nothing to do.
    pub(crate) plan: SharedPlan,
    /// Paths and words for events.
    pub(crate) names: Arc<Names>,
    pub(crate) mode: Mode,
    pub(crate) passed: Option<bool>,
    pub(crate) reason: Option<Reason>,
    pub(crate) stack: Vec<Frame>,
    pub(crate) pause_requested: bool,
    pub(crate) step_mode: bool,
    pub(crate) interactive: bool,
    pub(crate) hold: Option<Hold>,
    /// The leaf that is being worked on.
    pub(crate) work: Underway,
    pub(crate) steps: Table<StepRun, 16>,
    pub(crate) loops: Map<StepId, Arc<LoopRun>>,
    pub(crate) log: History<Record>,
    pub(crate) trace: History<Trace>,
    /// Steps entered.
    pub(crate) executions: u32,
    /// Number of activations of chains.
    pub(crate) activations: u64,
    pub(crate) counts: Counts,
    /// The exit that was taken last.
    pub(crate) last_exit: Option<(StepId, bool)>,
    pub(crate) started: Option<SimTime>,
    pub(crate) ended: Option<SimTime>,
    /// Number of the last event about the plan as a whole.
    pub(crate) event: u64,
    pub(crate) since: SimTime,
}

impl Run {
    /// A run of a plan that has not begun.
    pub(crate) fn new(service: &Text, plan: SharedPlan, mode: Mode, interactive: bool, now: SimTime) -> Self {
        Self {
            names: Arc::new(Names::new(service, &plan)),
            mode,
            passed: None,
            reason: None,
            stack: Vec::new(),
            pause_requested: false,
            step_mode: false,
            interactive,
            hold: None,
            work: Underway::default(),
            steps: plan.steps().map(|_| StepRun::new()).collect(),
            plan,
            loops: Map::new(),
            log: History::new(),
            trace: History::new(),
            executions: 0,
            activations: 0,
            counts: Counts::default(),
            last_exit: None,
            started: None,
            ended: None,
            event: 0,
            since: now,
        }
    }

    /// The record of a step.
    pub(crate) fn step(&self, id: StepId) -> Option<&StepRun> {
        self.steps.get(id.index())
    }

    /// The slot of the innermost loop.
    pub(crate) fn index(&self) -> Option<u64> {
        self.stack.iter().rev().find_map(|frame| match frame {
            Frame::Loop { indices, k, .. } => Some(indices.at(*k)),
            Frame::Chain { .. } => None,
        })
    }

    /// The slot that the loop around a step is at.
    pub(crate) fn slot_of(&self, id: StepId) -> Option<u64> {
        let chain = self.plan.step(id).and_then(|step| self.plan.chain(step.chain))?;
        (chain.kind == ChainKind::Loop).then(|| self.index()).flatten()
    }

    /// The leaf that is being worked on, with its step in the plan.
    pub(crate) fn step_at_work(&self) -> Option<&crate::plan::Step> {
        self.plan.step(self.work.leaf()?.step)
    }

    /// The id of the gate that waits for an answer.
    pub(crate) fn open_gate(&self) -> Option<&str> {
        let step = self.step_at_work()?;
        matches!(step.class, crate::plan::Class::Gate { .. }).then_some(&*step.id)
    }

    /// Returns whether there is a plan.
    pub(crate) const fn has_plan(&self) -> bool {
        !matches!(self.mode, Mode::NotReady)
    }

    // ---- changes, each with its event --------------------------------------------------------------

    /// Writes a log record, and reports it unless it is a step's begin or end.
    pub(crate) fn log(&mut self, cx: &mut Cx, step: Option<StepId>, kind: LogKind) {
        let index = step.and_then(|id| self.slot_of(id));
        let record = Record { at: cx.now(), kind, step, index };
        if let Some(event) = self.names.told(cx, &self.plan, &record) {
            self.event = event;
        }
        self.log.push(record);
    }

    /// Has a step show something else.
    pub(crate) fn show(&mut self, cx: &mut Cx, id: StepId, shown: Shown) {
        let now = cx.now();
        let Some(own) = self.steps.get_mut(id.index()) else { return };
        let before = std::mem::replace(&mut own.shown, shown);
        if before == shown {
            return;
        }
        own.since = now;
        own.event = self.names.showed(cx, id, before, shown);
        self.show_in_iteration(id, shown);
    }

    /// Records a step's status in the present iteration of its loop, if it is in one.
    fn show_in_iteration(&mut self, id: StepId, shown: Shown) {
        let plan: &Plan = &self.plan;
        let Some(step) = plan.step(id) else { return };
        let owner = plan
            .chain(step.chain)
            .filter(|chain| chain.kind == ChainKind::Loop)
            .and_then(|chain| chain.owner);
        let Some(owner) = owner else { return };
        let open = self.stack.iter().any(|frame| matches!(frame, Frame::Loop { step, .. } if *step == owner));
        if !open {
            return;
        }
        if let Some(run) = self.loops.get_mut(&owner).map(Arc::make_mut)
            && let Some(last) = run.iterations.len().checked_sub(1)
            && let Some(cell) =
                run.iterations.get_mut(last).and_then(|one| one.cells.get_mut(step.at as usize))
        {
            *cell = shown;
        }
    }

    /// Has the plan as a whole do something else.
    pub(crate) fn set_mode(&mut self, cx: &mut Cx, mode: Mode) {
        let before = std::mem::replace(&mut self.mode, mode);
        if before == mode {
            return;
        }
        self.since = cx.now();
        self.event = self.names.moded(cx, before, mode);
    }

    /// Remembers why a step failed.
    pub(crate) fn note(&mut self, id: StepId, why: impl Into<Text>) {
        if let Some(own) = self.steps.get_mut(id.index()) {
            own.note = Some(why.into());
        }
    }

    /// Remembers the call of a step with its names replaced.
    pub(crate) fn called(&mut self, id: StepId, line: Option<&Text>) {
        if let Some(own) = self.steps.get_mut(id.index()) {
            own.called = line.cloned();
        }
    }

    /// Records in the trace that a step has ended.
    pub(crate) fn traced(&mut self, now: SimTime, step: StepId, index: Option<u64>, passed: bool) {
        self.trace.push(Trace { at: now, step, index, passed });
    }
}
