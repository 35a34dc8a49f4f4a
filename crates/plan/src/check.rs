//! Recomputes all derived values from the stored ones, and compares them.
//!
//! *Knows*: the rules in their simple form, child by child. *Must not know*: how the incremental state is stored,
//! beyond reading it.

use crate::{
    group::{Child, Group},
    ids::Element,
    rollup::RollupInputs,
    spec::StrategySpec,
    status::{Status, StepState, Tally},
    tree::{PhaseRow, PlanTree},
};

/// Something derived that differs from recomputation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discrepancy {
    /// Its machine.
    pub element: Element,
    /// The difference: kept and recomputed value.
    pub what: String,
}

/// A parent recomputed.
struct Recomputed {
    candidates: Vec<usize>,
    status: Status,
}

impl PlanTree {
    /// Compares all derived values with recomputed ones. *Cost*: O(steps + edges); for tests, debug builds and soaks.
    pub fn check(&self) -> Result<(), Discrepancy> {
        let mut children = Vec::new();
        let mut error_texts = !self.errors.is_empty();
        let mut working = Vec::new();
        for (place, id) in (0..).zip(self.phases()) {
            let element = Element::Phase(id);
            let Some(phase) = self.phase(id) else { return differs(element, "place", &None, &Some(place)) };
            compare(element, "place", &self.phases.place(id), &Some(place))?;
            let errors = self.steps(id).filter(|step| self.step_errors.contains_key(step)).count();
            compare(element, "error count", &(phase.errors as usize), &errors)?;
            error_texts |= errors > 0;
            let derived = |child: Child| Child::of_step(child.state(), child.is_held());
            let steps: Vec<Child> = phase.group.children().map(derived).collect();
            let open = open_children(&phase.spec.strategy, &phase.group, &steps);
            check_group(element, &phase.group, &steps, &open)?;
            let again = self.recompute_phase(phase, &steps, &open, errors > 0);
            let kept: Vec<usize> = self.phase_candidates(id).map(|step| phase.position_of(step)).collect();
            compare(element, "candidates", &kept, &again.candidates)?;
            compare(element, "status", &phase.status, &again.status)?;
            children.push(Child::of_phase(again.status, phase.is_interrupted()));
            for (step, child) in self.steps(id).zip(steps) {
                compare(Element::Step(step), "phase", &self.phase_of(step), &Some(id))?;
                if matches!(child.status(), Status::Prepared | Status::Starting | Status::Started) {
                    working.push(step);
                }
            }
        }
        let open = open_children(&self.head.strategy, &self.group, &children);
        let again = self.roll_up(&children, &open, self.interrupted, error_texts);
        check_group(Element::Plan, &self.group, &children, &open)?;
        compare(Element::Plan, "status", &self.status, &again.status)?;
        working.sort_unstable();
        compare(Element::Plan, "working steps", &self.working().collect::<Vec<_>>(), &working)
    }

    /// A phase by the canary's definition over what its inner strategy permits.
    fn recompute_phase(&self, phase: &PhaseRow, steps: &[Child], open: &[bool], errors: bool) -> Recomputed {
        let canary: Vec<u32> = phase.canary.steps().collect();
        let row = |position: &u32| phase.group.child(*position as usize);
        let held = |position: &u32| row(position).is_some_and(Child::is_held);
        let unfinished = |position: &u32| row(position).is_some_and(|row| row.state() != StepState::Complete);
        let in_canary = canary.iter().any(held);
        let released_unfinished = canary.iter().any(|position| !held(position) && unfinished(position));
        let interrupted = in_canary && !released_unfinished || phase.interrupted;
        if in_canary {
            let released: Vec<bool> = (0..).take(steps.len()).map(|p: u32| canary.contains(&p)).collect();
            return self.roll_up(steps, &released, interrupted, errors);
        }
        let mut again = self.roll_up(steps, open, interrupted, errors);
        if phase.interrupted {
            again.candidates.clear();
        }
        again
    }

    fn roll_up(&self, children: &[Child], open: &[bool], interrupted: bool, errors: bool) -> Recomputed {
        let candidates: Vec<usize> = candidates_among(children, open);
        let status_of = |position: &usize| children.get(*position).map(|child| child.status());
        let inputs = RollupInputs {
            children: children.iter().map(|child| child.status()).collect(),
            candidates: candidates.iter().filter_map(status_of).collect(),
            errors,
            interrupted,
        };
        Recomputed { status: self.head.rollup.evaluate(inputs), candidates }
    }
}

fn candidates_among(children: &[Child], open: &[bool]) -> Vec<usize> {
    let both = children.iter().zip(open).enumerate();
    both.filter(|(_, (child, open))| child.is_eligible() && **open).map(|(position, _)| position).collect()
}

/// Which children the strategy permits, by its definition. Membership of a serial order is stored
/// state, so it is read.
fn open_children(strategy: &StrategySpec, group: &Group, children: &[Child]) -> Vec<bool> {
    let complete = |position: usize| children.get(position).is_some_and(|child| child.is_complete());
    let mut blocked = false;
    (0..children.len())
        .map(|position| match strategy.base() {
            StrategySpec::Parallel => true,
            StrategySpec::Random { .. } => {
                group.random().and_then(crate::strategy::random::Random::pick) == Some(position)
            }
            StrategySpec::Dependency(_) => group.prerequisites(position).into_iter().all(complete),
            StrategySpec::Serial | StrategySpec::Canary { .. } => {
                let Some(serial) = group.serial().filter(|serial| serial.is_frozen()) else { return false };
                if !serial.is_member(position) {
                    return true;
                }
                let open = !blocked;
                blocked |= !complete(position);
                // Members after the first unfinished one wait, whatever their own status; those before it are
                // complete, so it does not matter whether they count as open.
                open && !complete(position)
            }
        })
        .collect()
}

fn check_group(
    element: Element,
    group: &Group,
    children: &[Child],
    open: &[bool],
) -> Result<(), Discrepancy> {
    compare(element, "number of children", &group.len(), &children.len())?;
    if let Some(random) = group.random() {
        let drawn =
            random.pick().and_then(|pick| children.get(pick)).is_some_and(|child| child.is_eligible());
        let any = children.iter().any(|child| child.is_eligible());
        compare(element, "a child is drawn", &drawn, &any)?;
    }
    for (position, child) in children.iter().enumerate() {
        compare(element, "child", &group.child(position), &Some(*child))?;
    }
    let mut tally = Tally::default();
    for (child, open) in children.iter().zip(open) {
        tally.add(child.status(), child.is_eligible() && *open);
    }
    compare(element, "tally", group.tally(), &tally)?;
    let candidates = candidates_among(children, open);

    compare(element, "candidates", &group.candidates().collect::<Vec<_>>(), &candidates)
}

fn compare<T: PartialEq + std::fmt::Debug>(
    element: Element,
    what: &str,
    kept: &T,
    again: &T,
) -> Result<(), Discrepancy> {
    if kept == again { Ok(()) } else { differs(element, what, kept, again) }
}

fn differs<T: std::fmt::Debug>(element: Element, what: &str, kept: &T, again: &T) -> Result<(), Discrepancy> {
    Err(Discrepancy { element, what: format!("{what}: kept {kept:?}, recomputed {again:?}") })
}
