//! The plan tree: one plan with its phases and steps, their states and everything derived from them.
//!
//! *Knows*: states, holds, errors and derived statuses of one plan. *Must not know*: other plans, and
//! why a step moves.
//!
//! *Invariant*: a status is never assigned, only derived; after every public call all derived values
//! equal recomputation from scratch. Unknown or removed ids are harmless everywhere: reading one
//! answers the documented default and changing one changes nothing.

mod candidates;
mod commands;
mod draws;
mod edit;
mod phases;
mod settle;

use planarium_kernel::SortedMap;
use std::sync::Arc;

use planarium_kernel::{Digest, Digestible, Flat, Table, Weight, cow::bytes_of};

use crate::{
    asset::Asset,
    bits::BitTree,
    group::{Child, Group},
    ids::{Element, PhaseId, StepId},
    rollup::Rollup,
    spec::{PhaseSpec, PlanSpec, StepSpec, StrategySpec},
    status::{Status, StepState, Tally},
    strategy::canary::{Canary, CanaryStep},
    tree::phases::Phases,
};

/// One recorded transition of an element's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The element whose status changed.
    pub element: Element,
    /// Status before.
    pub from: Status,
    /// Status now.
    pub to: Status,
}

/// A plan with its phases and steps.
///
/// *Cost*: a step's change touches the step, its phase and the plan. A clone shares names, assets and
/// specs.
#[derive(Debug, Clone)]
pub struct PlanTree {
    pub(crate) head: Arc<Head>,
    pub(crate) interrupted: bool,
    /// Errors of the plan itself.
    pub(crate) errors: Vec<Arc<str>>,
    pub(crate) step_errors: SortedMap<StepId, Arc<str>>,
    pub(crate) phases: Phases,
    /// Phases in the tree, in order.
    pub(crate) order: Vec<PhaseId>,
    /// The phase of each step, by step id. States of steps are in the groups of their phases.
    pub(crate) owners: Owners,
    pub(crate) group: Group,
    pub(crate) status: Status,
    /// The roll-up inputs that `status` was derived from.
    pub(crate) rolled: u32,
    /// Steps that are PREPARED, STARTING or STARTED.
    pub(crate) working: BitTree,
    changes: Vec<Change>,
    #[cfg(debug_assertions)]
    since_check: u64,
}

/// The phases of steps. Chunks are larger than usual: they are small and change only where steps are added.
type Owners = Table<PhaseId, 256>;

/// Rarely changing parts of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) name: Arc<str>,
    pub(crate) strategy: StrategySpec,
    pub(crate) rollup: Rollup,
}

/// One phase.
#[derive(Debug, Clone)]
pub(crate) struct PhaseRow {
    pub(crate) spec: Arc<PhaseSpec>,
    /// Id of its first step.
    pub(crate) first: u32,
    /// The flag of its strategy; for a canary, of the inner strategy.
    pub(crate) interrupted: bool,
    pub(crate) canary: Canary,
    pub(crate) group: Group,
    pub(crate) status: Status,
    pub(crate) rolled: u32,
    /// Number of its steps that carry an error text.
    pub(crate) errors: u32,
}

impl PhaseRow {
    /// Ids of its steps.
    pub(crate) fn step_ids(&self) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        let first = self.first;
        (0..self.group.len()).map(move |position| StepId::at(first as usize + position))
    }

    pub(crate) fn step_at(&self, position: u32) -> StepId {
        StepId(self.first.saturating_add(position))
    }

    pub(crate) fn position_of(&self, step: StepId) -> usize {
        step.0.wrapping_sub(self.first) as usize
    }

    /// A step of this phase.
    pub(crate) fn child(&self, step: StepId) -> Option<Child> {
        self.group.child(self.position_of(step))
    }

    /// Returns a canary's view of a step.
    pub(crate) fn canary_step(&self, position: u32) -> CanaryStep {
        let child = self.group.child(position as usize);
        CanaryStep {
            interrupted: child.is_some_and(Child::is_held),
            complete: child.is_none_or(Child::is_complete),
        }
    }

    /// Returns whether its canary period lasts.
    pub(crate) fn canary_open(&self) -> bool {
        !self.canary.is_empty() && self.canary.is_open(|position| self.canary_step(position))
    }

    /// Returns the number of proceeds until a step runs, or, for one outside the canary, until the canary period ends.
    pub(crate) fn proceeds_left(&self, position: u32) -> u32 {
        self.canary.proceeds_left(position, |position| self.canary_step(position))
    }

    /// Returns whether its flag or its canary interrupts it.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted
            || !self.canary.is_empty() && self.canary.interrupts(|position| self.canary_step(position))
    }
}

impl PlanTree {
    /// Builds a tree. Canaries are armed and serial orders fixed at once.
    ///
    /// **Source**: upstream fixes a serial order on the first candidate query, which a status read
    /// already is; a built tree has been read. Match in effect.
    pub fn new(spec: &PlanSpec) -> Self {
        let head = Head {
            name: Arc::clone(&spec.name),
            strategy: spec.strategy.base().clone(),
            rollup: spec.rollup,
        };
        let mut tree = Self {
            group: Group::new(&head.strategy, &[], true),
            head: Arc::new(head),
            interrupted: false,
            errors: Vec::new(),
            step_errors: SortedMap::new(),
            phases: Phases::with_room(spec.phases.len()),
            order: Vec::with_capacity(spec.phases.len()),
            owners: Owners::new(),
            status: Status::Complete,
            rolled: 0,
            working: BitTree::default(),
            changes: Vec::new(),
            #[cfg(debug_assertions)]
            since_check: 0,
        };
        for phase in &spec.phases {
            let id = tree.create_phase(Arc::clone(phase), tree.order.len());
            tree.order.push(id);
        }
        tree.regroup();
        tree.errors.clone_from(&spec.errors);
        tree.settle_plan();
        tree.changes.clear();
        tree
    }

    /// The plan's name.
    pub fn plan_name(&self) -> &Arc<str> {
        &self.head.name
    }

    /// Phases in order.
    pub fn phases(&self) -> impl DoubleEndedIterator<Item = PhaseId> + ExactSizeIterator {
        self.order.iter().copied()
    }

    /// Steps of a phase in order.
    pub fn steps(&self, phase: PhaseId) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        self.phase(phase).map(PhaseRow::step_ids).into_iter().flatten()
    }

    /// Every step, phase by phase.
    pub fn all_steps(&self) -> impl Iterator<Item = StepId> {
        self.phases().flat_map(|phase| self.steps(phase))
    }

    /// Returns the number of steps of the plan.
    pub fn step_count(&self) -> usize {
        self.order.iter().filter_map(|phase| self.phase(*phase)).map(|phase| phase.group.len()).sum()
    }

    /// Returns whether the element is in the tree.
    pub fn contains(&self, element: Element) -> bool {
        match element {
            Element::Plan => true,
            Element::Phase(phase) => self.phase(phase).is_some(),
            Element::Step(step) => self.phase_of(step).is_some(),
        }
    }

    /// The phase a step belongs to.
    pub fn phase_of(&self, step: StepId) -> Option<PhaseId> {
        let id = *self.owners.get(step.index())?;
        self.phase(id).map(|_| id)
    }

    /// An element's position among its siblings, from 0.
    pub fn position(&self, element: Element) -> Option<usize> {
        match element {
            Element::Plan => Some(0),
            Element::Phase(phase) => self.phases.place(phase).map(|place| place as usize),
            Element::Step(step) => Some(self.phase(self.phase_of(step)?)?.position_of(step)),
        }
    }

    /// An element's name; empty for an unknown one.
    pub fn name(&self, element: Element) -> &str {
        match element {
            Element::Plan => &self.head.name,
            Element::Phase(phase) => self.phase(phase).map_or("", |phase| &phase.spec.name),
            Element::Step(step) => self.step_spec(step).map_or("", |step| &step.name),
        }
    }

    /// Phases with this name, in order.
    pub fn phases_named(&self, name: &str) -> impl Iterator<Item = PhaseId> {
        self.phases().filter(move |phase| self.name(Element::Phase(*phase)) == name)
    }

    /// Steps of a phase with this name, in order.
    pub fn steps_named(&self, phase: PhaseId, name: &str) -> impl Iterator<Item = StepId> {
        self.steps(phase).filter(move |step| self.name(Element::Step(*step)) == name)
    }

    /// Returns the specification of a step.
    pub fn step_spec(&self, step: StepId) -> Option<&StepSpec> {
        let phase = self.phase(self.phase_of(step)?)?;
        phase.spec.steps.get(phase.position_of(step))
    }

    /// Returns the specification of a phase.
    pub fn phase_spec(&self, phase: PhaseId) -> Option<&PhaseSpec> {
        self.phase(phase).map(|phase| &*phase.spec)
    }

    /// Returns the asset of a step.
    pub fn asset(&self, step: StepId) -> Option<&Asset> {
        self.step_spec(step)?.asset.as_ref()
    }

    /// The strategy of the plan or a phase.
    pub fn strategy(&self, element: Element) -> Option<&StrategySpec> {
        match element {
            Element::Plan => Some(&self.head.strategy),
            Element::Phase(phase) => self.phase_spec(phase).map(|spec| &spec.strategy),
            Element::Step(_) => None,
        }
    }

    /// The status an element shows; ERROR for an unknown one. *Cost*: O(1), nothing is derived here.
    pub fn status(&self, element: Element) -> Status {
        match element {
            Element::Plan => self.status,
            Element::Phase(phase) => self.phase(phase).map_or(Status::Error, |phase| phase.status),
            Element::Step(step) => self.live_step(step).map_or(Status::Error, Child::status),
        }
    }

    /// The stored state of a step.
    pub fn step_state(&self, step: StepId) -> Option<StepState> {
        self.live_step(step).map(Child::state)
    }

    /// Returns the number of children of the plan or a phase with each status, and of candidates among them.
    pub fn tally(&self, element: Element) -> Option<&Tally> {
        match element {
            Element::Plan => Some(self.group.tally()),
            Element::Phase(phase) => self.phase(phase).map(|phase| phase.group.tally()),
            Element::Step(_) => None,
        }
    }

    /// Returns whether an element is interrupted: the plan by its flag, a phase by its strategy (a canary is while it
    /// waits and every released step is finished), a step by its flag.
    pub fn is_interrupted(&self, element: Element) -> bool {
        match element {
            Element::Plan => self.interrupted,
            Element::Phase(phase) => self.phase(phase).is_some_and(PhaseRow::is_interrupted),
            Element::Step(step) => self.live_step(step).is_some_and(Child::is_held),
        }
    }

    /// Returns whether a canary period lasts in this phase.
    pub fn in_canary(&self, phase: PhaseId) -> bool {
        self.phase(phase).is_some_and(PhaseRow::canary_open)
    }

    /// Returns the number of further proceeds that end the canary period of a phase.
    pub fn proceeds_left(&self, phase: PhaseId) -> u32 {
        self.phase(phase).map_or(0, |phase| phase.proceeds_left(u32::MAX))
    }

    /// Error texts: the plan's own, then those of steps.
    pub fn errors(&self) -> impl Iterator<Item = &Arc<str>> {
        self.errors.iter().chain(self.step_errors.values())
    }

    /// The error text of a step.
    pub fn step_error(&self, step: StepId) -> Option<&Arc<str>> {
        self.step_errors.get(&step)
    }

    /// Steps that are PREPARED, STARTING or STARTED, in order of id. *Cost*: by their number.
    pub fn working(&self) -> impl Iterator<Item = StepId> {
        self.working.iter().map(StepId::at)
    }

    /// Status transitions since the log was last emptied, oldest first.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Empties the log and keeps its memory.
    pub fn clear_changes(&mut self) {
        self.changes.clear();
    }

    /// Merges the plan's own transitions in the log into one, or none if it ends as it began: for edits in several
    /// steps whose intermediate trees must stay invisible.
    pub fn merge_plan_changes(&mut self) {
        let mut merged: Option<Change> = None;
        self.changes.retain(|change| {
            if change.element == Element::Plan {
                let from = merged.map_or(change.from, |first| first.from);
                merged = Some(Change { from, ..*change });
            }
            change.element != Element::Plan
        });
        self.changes.extend(merged.filter(|change| change.from != change.to));
    }

    /// Takes the status transitions since the log was last emptied, oldest first.
    pub fn drain_changes(&mut self) -> std::vec::Drain<'_, Change> {
        self.changes.drain(..)
    }

    /// A phase in the tree.
    pub(crate) fn phase(&self, phase: PhaseId) -> Option<&PhaseRow> {
        self.phases.get(phase)
    }

    /// A step in the tree.
    fn live_step(&self, step: StepId) -> Option<Child> {
        self.phase(*self.owners.get(step.index())?)?.child(step)
    }
}

impl Digestible for PlanTree {
    /// Order, states, holds and errors. *Cost*: O(steps).
    fn digest(&self, digest: &mut Digest) {
        digest.write_bool(self.interrupted);
        digest.write_u64(self.order.len() as u64);
        if self.group.random().is_some() {
            digest.write_u64(Self::draws(&self.group));
        }
        for id in self.phases() {
            let Some(phase) = self.phase(id) else { continue };
            digest.write_u32(id.0);
            digest.write_bool(phase.interrupted);
            digest.write_u64(phase.group.len() as u64);
            if phase.group.random().is_some() {
                digest.write_u64(Self::draws(&phase.group));
            }
            // Sixteen steps to a word.
            let nibble = |child: Child| child.state().stored(child.is_held()) as u64;
            let mut steps = phase.group.children().map(nibble).peekable();
            while steps.peek().is_some() {
                digest.write_u64(steps.by_ref().take(16).fold(0, |word, nibble| word << 4 | nibble));
            }
        }
        digest.write_u64(self.errors.len() as u64);
        self.errors.iter().for_each(|text| digest.write_str(text));
        digest.write_u64(self.step_errors.len() as u64);
        for (step, text) in &self.step_errors {
            digest.write_u32(step.0);
            digest.write_str(text);
        }
    }
}

impl Weight for PlanTree {
    /// Orders are copied; names, assets and specs are shared, and phases that did not change.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        bytes_of::<Self>(1)
            + self.group.bytes()
            + self.owners.beyond_flat(before.map(|before| &before.owners))
            + self.phases.beyond(before.map(|before| &before.phases))
            + bytes_of::<Change>(self.changes.len())
    }
}
