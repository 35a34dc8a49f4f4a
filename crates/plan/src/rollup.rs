//! Roll-up: how a parent's status follows from its children.
//!
//! *Knows*: ordered clauses over which statuses occur among the children and among the candidates.
//! *Must not know*: whose rule it is. Systems roll up differently, so the rule is a value the plan
//! carries; the clauses are data, their order is observable, and both are tested as a table.

use crate::status::{Status, StatusSet, Tally};

/// An ordered table of clauses; the first that holds decides.
#[derive(Debug, Clone, Copy)]
pub struct Rollup {
    /// The clauses, first one first.
    pub clauses: &'static [Clause],
    /// The status when no clause holds.
    pub otherwise: Status,
}

/// Inputs of a roll-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RollupInputs {
    /// Statuses that occur among the children.
    pub children: StatusSet,
    /// Statuses that occur among the candidates: the children that the parent's own strategy permits
    /// when no asset is dirty.
    pub candidates: StatusSet,
    /// Set if the parent or anything below carries an error text.
    pub errors: bool,
    /// Set if the parent's strategy is interrupted.
    pub interrupted: bool,
}

/// One clause: every requirement must hold.
///
/// A requirement is one or more bits of [`RollupInputs::bits`] that must be set or must be clear, so a clause is two
/// words and checking it costs two operations. *Invariant*: no clause both requires and forbids a bit; such a clause
/// would never hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clause {
    /// Bits it checks.
    mask: u32,
    /// Required value of those bits.
    value: u32,
    then: Status,
}

const CANDIDATES_AT: u32 = Tally::CANDIDATES_AT;
const ERRORS: u32 = 1 << 18;
const INTERRUPTED: u32 = 1 << 19;

impl RollupInputs {
    /// The inputs as one word: children, candidates, errors, interrupted.
    pub const fn bits(self) -> u32 {
        self.children.bits() as u32
            | (self.candidates.bits() as u32) << CANDIDATES_AT
            | flags(self.errors, self.interrupted)
    }
}

/// The inputs that are not statuses.
pub(crate) const fn flags(errors: bool, interrupted: bool) -> u32 {
    (errors as u32) << ERRORS.trailing_zeros() | (interrupted as u32) << INTERRUPTED.trailing_zeros()
}

impl Clause {
    /// A clause that always yields `then`; requirements are added to it.
    pub const fn yields(then: Status) -> Self {
        Self { mask: 0, value: 0, then }
    }

    /// ... if there is an error text.
    pub const fn if_errors(self) -> Self {
        self.require(ERRORS)
    }

    /// ... if the parent is interrupted.
    pub const fn if_interrupted(self) -> Self {
        self.require(INTERRUPTED)
    }

    /// ... if some child shows `status`.
    pub const fn if_any_child(self, status: Status) -> Self {
        self.require(StatusSet::only(status).bits() as u32)
    }

    /// ... if every child shows `status`; holds without children.
    pub const fn if_all_children(self, status: Status) -> Self {
        self.forbid(StatusSet::ALL.without(status).bits() as u32)
    }

    /// ... if some candidate shows `status`.
    pub const fn if_any_candidate(self, status: Status) -> Self {
        self.require((StatusSet::only(status).bits() as u32) << CANDIDATES_AT)
    }

    /// ... if every candidate shows `status`; holds without candidates.
    pub const fn if_all_candidates(self, status: Status) -> Self {
        self.forbid((StatusSet::ALL.without(status).bits() as u32) << CANDIDATES_AT)
    }

    /// The status it yields.
    pub const fn then(&self) -> Status {
        self.then
    }

    /// Returns whether it holds for inputs given as [`RollupInputs::bits`].
    const fn holds(&self, bits: u32) -> bool {
        bits & self.mask == self.value
    }

    const fn require(mut self, bits: u32) -> Self {
        self.mask |= bits;
        self.value |= bits;
        self
    }

    const fn forbid(mut self, bits: u32) -> Self {
        self.mask |= bits;
        self
    }
}

impl Rollup {
    /// The rule of the scheduler from which plans come.
    ///
    /// **Source**: `mesosphere/dcos-commons: sdk/scheduler/…/scheduler/plan/PlanUtils.java`,
    /// the method deriving an aggregate status. Match, row by row; its first row is a disjunction and
    /// takes two clauses here. The last resort ERROR is upstream's too: DELAYED mixed with anything
    /// that no earlier row names ends there.
    pub const STANDARD: Self = Self {
        clauses: &[
            Clause::yields(Status::Error).if_errors(),
            Clause::yields(Status::Error).if_any_child(Status::Error),
            Clause::yields(Status::Complete).if_all_children(Status::Complete),
            Clause::yields(Status::Waiting).if_interrupted(),
            Clause::yields(Status::Delayed)
                .if_all_candidates(Status::Delayed)
                .if_all_children(Status::Delayed),
            Clause::yields(Status::InProgress).if_any_child(Status::Prepared),
            Clause::yields(Status::Waiting).if_any_candidate(Status::Waiting),
            Clause::yields(Status::InProgress).if_any_candidate(Status::InProgress),
            Clause::yields(Status::InProgress)
                .if_any_child(Status::Complete)
                .if_any_candidate(Status::Pending),
            Clause::yields(Status::InProgress)
                .if_any_child(Status::Complete)
                .if_any_candidate(Status::Starting),
            Clause::yields(Status::InProgress)
                .if_any_child(Status::Complete)
                .if_any_candidate(Status::Started),
            Clause::yields(Status::Pending).if_any_candidate(Status::Pending),
            Clause::yields(Status::Waiting).if_any_child(Status::Waiting),
            Clause::yields(Status::Starting).if_any_candidate(Status::Starting),
            Clause::yields(Status::Started).if_any_candidate(Status::Started),
        ],
        otherwise: Status::Error,
    };

    /// The derived status.
    pub fn evaluate(&self, inputs: RollupInputs) -> Status {
        self.evaluate_bits(inputs.bits())
    }

    /// The clause that decides, by index, or none when the last resort does. For explanations.
    pub fn deciding(&self, inputs: RollupInputs) -> Option<usize> {
        let bits = inputs.bits();
        self.clauses.iter().position(|clause| clause.holds(bits))
    }

    pub(crate) fn evaluate_bits(&self, bits: u32) -> Status {
        self.clauses.iter().find(|clause| clause.holds(bits)).map_or(self.otherwise, |clause| clause.then)
    }
}

impl Default for Rollup {
    fn default() -> Self {
        Self::STANDARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Complete, Delayed, Error, InProgress, Pending, Prepared, Started, Starting, Waiting};

    /// `flags` holds `e` for errors and `i` for interrupted.
    fn check_rollup(children: &[Status], candidates: &[Status], flags: &str, row: usize, expected: Status) {
        let inputs = RollupInputs {
            children: children.iter().copied().collect(),
            candidates: candidates.iter().copied().collect(),
            errors: flags.contains('e'),
            interrupted: flags.contains('i'),
        };
        let context = format!("children {children:?} candidates {candidates:?} {flags}");
        assert_eq!(Rollup::STANDARD.evaluate(inputs), expected, "{context}");
        // Row 1 of the published table is clauses 0 and 1 here; row 15 is the last resort.
        let clause = Rollup::STANDARD.deciding(inputs).map_or(15, |clause| clause.max(1));
        assert_eq!(clause, row, "{context}");
    }

    /// Every row of the table decides at least once, with the inputs of later rows present.
    #[test]
    fn the_table() {
        check_rollup(&[Complete], &[], "e", 1, Error);
        check_rollup(&[], &[], "e", 1, Error);
        check_rollup(&[Error, Complete], &[], "i", 1, Error);
        check_rollup(&[], &[], "", 2, Complete);
        check_rollup(&[Complete], &[], "i", 2, Complete);
        check_rollup(&[Pending, Prepared], &[], "i", 3, Waiting);
        check_rollup(&[Delayed], &[], "i", 3, Waiting);
        check_rollup(&[Delayed], &[Delayed], "", 4, Delayed);
        check_rollup(&[Delayed], &[], "", 4, Delayed);
        check_rollup(&[Prepared, Waiting], &[Prepared, Waiting], "", 5, InProgress);
        check_rollup(&[Waiting, InProgress], &[Waiting, InProgress], "", 6, Waiting);
        check_rollup(&[InProgress, Pending], &[InProgress, Pending], "", 7, InProgress);
        check_rollup(&[Complete, Pending, Waiting], &[Pending], "", 8, InProgress);
        check_rollup(&[Complete, Starting, Waiting], &[Starting], "", 9, InProgress);
        check_rollup(&[Complete, Started, Waiting], &[Started], "", 10, InProgress);
        check_rollup(&[Pending, Starting, Waiting], &[Pending, Starting], "", 11, Pending);
        check_rollup(&[Waiting, Starting, Pending], &[Starting], "", 12, Waiting);
        check_rollup(&[Starting, Started, Pending], &[Starting, Started], "", 13, Starting);
        check_rollup(&[Started, Pending], &[Started], "", 14, Started);
        check_rollup(&[Complete, Delayed], &[Delayed], "", 15, Error);
        check_rollup(&[Pending], &[], "", 15, Error);
        check_rollup(&[Complete, Starting], &[], "", 15, Error);
    }

    /// Rows 4 to 14 check only whether statuses occur, not their numbers.
    #[test]
    fn agrees_with_the_table_written_as_code() {
        let sets = |n: u16| Status::ALL.into_iter().filter(move |s| n >> *s as u8 & 1 == 1).collect();
        for children in 0..512 {
            for candidates in 0..512_u16 {
                // Candidates are children.
                if candidates & !children != 0 {
                    continue;
                }
                for flags in 0..4 {
                    let inputs = RollupInputs {
                        children: sets(children),
                        candidates: sets(candidates),
                        errors: flags & 1 == 1,
                        interrupted: flags & 2 == 2,
                    };
                    assert_eq!(Rollup::STANDARD.evaluate(inputs), as_code(inputs), "{inputs:?}");
                }
            }
        }
    }

    fn as_code(i: RollupInputs) -> Status {
        let only = |set: StatusSet, status| set.without(status).is_empty();
        let (child, candidate) = (|s| i.children.contains(s), |s| i.candidates.contains(s));
        if i.errors || child(Error) {
            Error
        } else if only(i.children, Complete) {
            Complete
        } else if i.interrupted {
            Waiting
        } else if only(i.candidates, Delayed) && only(i.children, Delayed) {
            Delayed
        } else if child(Prepared) {
            InProgress
        } else if candidate(Waiting) {
            Waiting
        } else if candidate(InProgress)
            || child(Complete) && (candidate(Pending) || candidate(Starting) || candidate(Started))
        {
            InProgress
        } else if candidate(Pending) {
            Pending
        } else if child(Waiting) {
            Waiting
        } else if candidate(Starting) {
            Starting
        } else if candidate(Started) {
            Started
        } else {
            Error
        }
    }
}
