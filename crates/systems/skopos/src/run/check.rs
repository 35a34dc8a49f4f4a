//! Compares a run's stored values with recomputed ones.
//!
//! *Knows*: what each step must show. *Must not know*: how it came about.

use super::{Frame, Mode, Run, Shown};
use crate::plan::{Class, StepId};

impl Run {
    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        let run = self;
        let open = self.open();
        let target = run.hold.and_then(|hold| match hold.at {
            Some((id, passed)) => self.plan.target(id, passed).and_then(Result::ok),
            None => self.plan.at(crate::plan::ChainId::ROOT, 0),
        });
        for (id, step) in self.plan.steps() {
            let Some(own) = run.step(id) else {
                found.push(format!("{} has no record", step.id));
                continue;
            };
            let leaf = run.work.leaf().is_some_and(|leaf| leaf.step == id);
            let gate = matches!(step.class, Class::Gate { .. });
            let wanted: &[Shown] = if target == Some(id) {
                &[Shown::Paused]
            } else if leaf && gate {
                &[Shown::Waiting]
            } else if leaf || open.contains(&id) {
                &[Shown::Running]
            } else {
                match own.result {
                    Some(passed) => &[if passed { Shown::Passed } else { Shown::Failed }],
                    None if run.mode.is_final() => &[Shown::Skipped],
                    None => &[Shown::Pending, Shown::Skipped],
                }
            };
            if !wanted.contains(&own.shown) {
                found.push(format!("{} shows {}, not {:?}", step.id, own.shown.word(), wanted));
            }
        }
        if run.work.leaf().is_some() != matches!(run.mode, Mode::Running | Mode::GateWait) {
            found.push(format!("the plan is {} with leaf {}", run.mode.word(), run.work.leaf().is_some()));
        }
        if run.hold.is_some() != run.mode.is_held() {
            found.push(format!("the plan is {} with hold {}", run.mode.word(), run.hold.is_some()));
        }
        if run.mode.is_final() && !run.stack.is_empty() {
            found.push("a plan that is over has frames".to_owned());
        }
        found.extend(run.work.check());
        found
    }

    /// Composites that are being worked on.
    fn open(&self) -> Vec<StepId> {
        let owners = self.stack.iter().filter_map(|frame| match frame {
            Frame::Loop { step, .. } => Some(*step),
            Frame::Chain { chain, .. } => self.plan.chain(*chain).and_then(|chain| chain.owner),
        });
        owners.collect()
    }
}
