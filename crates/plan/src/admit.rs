//! Which commands an element accepts right now, as data.
//!
//! *Knows*: the rules by status and hold. *Must not know*: how a refusal is worded or numbered on any
//! wire.
//!
//! **Source**: `…/http/queries/PlansQueries.java`. Match.

use crate::{
    ids::{Element, PhaseId},
    status::Status,
    tree::PlanTree,
};

/// A command over one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Start the plan, or start it over when complete.
    Start,
    /// Interrupt the plan and set its steps back.
    Stop,
    /// Hold the element.
    Interrupt,
    /// Release the element.
    Proceed,
    /// Mark the element complete.
    ForceComplete,
    /// Set the element back to pending.
    Restart,
}

/// Why a command is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The element is already where the command would take it.
    AlreadyDone,
    /// A step was named without its phase.
    MissingPhase,
    /// The element is not in the tree.
    NotFound,
    /// This command does not exist for this kind of element.
    NotOffered,
}

impl PlanTree {
    /// Returns whether an element accepts a command now.
    pub fn allowed(&self, element: Element, op: Op) -> Result<(), Refusal> {
        if !self.contains(element) {
            return Err(Refusal::NotFound);
        }
        let status = self.status(element);
        let done = match (op, element) {
            (Op::Start | Op::Stop, Element::Plan) => false,
            (Op::Start | Op::Stop, _) | (Op::Interrupt | Op::Proceed, Element::Step(_)) => {
                return Err(Refusal::NotOffered);
            }
            (Op::Interrupt, _) => self.is_interrupted(element) || status.is_complete(),
            (Op::Proceed, _) => status.is_running() || status.is_complete(),
            (Op::ForceComplete, _) => status.is_complete(),
            (Op::Restart, _) => status == Status::Pending,
        };
        if done { Err(Refusal::AlreadyDone) } else { Ok(()) }
    }

    /// Checks that the phases with one name accept a command together: interrupt and proceed apply to all of them
    /// unless all are held (or running), or all are complete; the other commands apply to the first.
    pub fn allowed_phases(&self, phases: &[PhaseId], op: Op) -> Result<(), Refusal> {
        let Some(first) = phases.first() else { return Err(Refusal::NotFound) };
        if !matches!(op, Op::Interrupt | Op::Proceed) {
            return self.allowed(Element::Phase(*first), op);
        }
        let all = |test: fn(&Self, Element) -> bool| phases.iter().all(|p| test(self, Element::Phase(*p)));
        let there = match op {
            Op::Interrupt => all(Self::is_interrupted),
            _ => all(|tree, phase| tree.status(phase).is_running()),
        };
        let complete = all(|tree, phase| tree.status(phase).is_complete());
        if there || complete { Err(Refusal::AlreadyDone) } else { Ok(()) }
    }

    /// Finds the phase and step named by a command; blank counts as absent, the first phase of a name is used, and a
    /// step's name must be unique in it.
    pub fn named(&self, phase: Option<&str>, step: Option<&str>) -> Result<Element, Refusal> {
        let present = |name: Option<&str>| name.is_some_and(|name| !name.trim().is_empty());
        match (phase.filter(|_| present(phase)), step.filter(|_| present(step))) {
            (None, None) => Ok(Element::Plan),
            (None, Some(_)) => Err(Refusal::MissingPhase),
            (Some(phase), step) => {
                let phase = self.phases_named(phase).next().ok_or(Refusal::NotFound)?;
                let Some(step) = step else { return Ok(Element::Phase(phase)) };
                let mut steps = self.steps_named(phase, step);
                match (steps.next(), steps.next()) {
                    (Some(step), None) => Ok(Element::Step(step)),
                    _ => Err(Refusal::NotFound),
                }
            }
        }
    }
}
