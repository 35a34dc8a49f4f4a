//! An independent reading of the flow rules: a run must do what the results of its leaves require.
//!
//! It follows a plan by the labels of exits, never by their resolved targets, and takes the results of leaves from
//! the trace.

use super::properties::{bench, carry_out, to_the_end};
use super::random::{Dice, deeds};
use crate::plan::{ChainId, Class, Iterate, Label, Plan, Selector, StepId};
use crate::run::Trace;
use proptest::prelude::*;

struct Reader<'p> {
    plan: &'p Plan,
    told: std::iter::Peekable<std::vec::IntoIter<Trace>>,
}

impl Reader<'_> {
    /// Returns the result of a chain.
    fn chain(&mut self, chain: ChainId, index: Option<u64>) -> bool {
        let steps = self.plan.steps_of(chain);
        let mut at = 0;
        while let Some(id) = steps.get(at) {
            let passed = self.step(*id, index);
            let step = self.plan.step(*id).expect("a step");
            let exit = if passed { &step.on_pass } else { &step.on_fail };
            at = match exit.label {
                Label::Pass => return true,
                Label::Fail => return false,
                Label::Step(to) => steps.iter().position(|own| *own == to).expect("a step of the chain"),
                Label::Next => match steps.get(at + 1).and_then(|next| self.plan.step(*next)) {
                    Some(next) if next.cleanup == step.cleanup => at + 1,
                    _ => return !step.cleanup,
                },
            };
        }
        true
    }

    /// Returns the result of a step, which the trace has to agree with.
    fn step(&mut self, id: StepId, index: Option<u64>) -> bool {
        let step = self.plan.step(id).expect("a step");
        let result = match &step.class {
            Class::Group(chain) | Class::Component { chain, .. } => Some(self.chain(*chain, None)),
            Class::Loop { chain, iterate } => Some(self.iterations(id, *chain, iterate)),
            Class::Delay { .. } => Some(true),
            Class::Action(_) | Class::Gate { .. } => None,
        };
        let told = self.told.next().unwrap_or_else(|| panic!("{} has no result", step.id));
        let result = result.unwrap_or(told.passed);
        assert_eq!((told.step, told.index, told.passed), (id, index, result), "{}", step.id);
        result
    }

    /// Returns the result of a loop. The slots of instances are taken from the trace.
    fn iterations(&mut self, id: StepId, chain: ChainId, iterate: &Iterate) -> bool {
        if self.plan.steps_of(chain).is_empty() {
            return true;
        }
        let mut expected = iterate.start_index;
        let mut count = 0;
        loop {
            let index = match iterate.target_num {
                Some(number) if count == number => return true,
                Some(_) => expected,
                None => match self.told.peek() {
                    Some(told) if told.step != id => told.index.expect("a slot"),
                    _ => return true,
                },
            };
            let in_order = iterate.selector != Some(Selector::Target) || index == expected;
            assert!(in_order && index >= expected, "slot {index}, not {expected}");
            if !self.chain(chain, Some(index)) {
                return false;
            }
            (expected, count) = (index + 1, count + 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_run_follows_the_results_of_its_leaves(seed in any::<u64>(), machines in 0_u32..3) {
        let (mut bench, gates) = bench(seed, machines);
        for deed in deeds(&mut Dice::new(seed ^ 0x0FAC), &gates, u64::from(machines), 15) {
            carry_out(&mut bench, &deed);
        }
        to_the_end(&mut bench);
        let run = &bench.app.run;
        // Steps that were cut off have no result by the rules.
        if run.reason.is_none() && run.passed.is_some() {
            let told: Vec<Trace> = run.trace.iter().copied().collect();
            let mut reader = Reader { plan: &bench.app.run.plan, told: told.into_iter().peekable() };
            prop_assert_eq!(Some(reader.chain(ChainId::ROOT, None)), run.passed);
            prop_assert!(reader.told.next().is_none(), "the plan went on behind its end");
        }
    }
}
