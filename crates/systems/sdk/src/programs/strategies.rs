//! Strategies that no definition can name, given by the environment, in place of a program that gives a plan or a
//! phase the random strategy. Ours; the real library leaves it to Java.

use crate::lower::{LoweredPlan, LoweredStrategy};
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;
use std::collections::BTreeMap;

/// Strategies in place of the definition's: `PLAN=random` or `PLAN/PHASE=random`, separated by commas.
pub(super) const STRATEGIES: &str = "PLANARIUM_STRATEGIES";

/// Sets the strategies of plans and phases that the environment names.
///
/// *Errors*: a strategy for a missing element, or one that cannot be set.
pub(super) fn give(plans: &mut [LoweredPlan], env: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let given = env.get(STRATEGIES).map(String::as_str).unwrap_or_default();
    for entry in given.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let Some((path, "random")) = entry.split_once('=').map(|(path, word)| (path.trim(), word.trim()))
        else {
            return Err(refused(&format!("'{entry}' is not of the form PLAN=random or PLAN/PHASE=random")));
        };
        let (plan, phase) = path.split_once('/').map_or((path, None), |(plan, phase)| (plan, Some(phase)));
        let found = plans.iter_mut().find(|one| *one.name == *plan);
        let plan = found.ok_or_else(|| refused(&format!("there is no plan '{plan}'")))?;
        match phase {
            None => plan.strategy = LoweredStrategy::Random,
            Some(name) => {
                let found = plan.phases.iter_mut().find(|one| *one.name == *name);
                let phase = found.ok_or_else(|| refused(&format!("there is no phase '{path}'")))?;
                phase.strategy = LoweredStrategy::Random;
            }
        }
    }
    Ok(())
}

fn refused(what: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidDefinition, format!("{STRATEGIES}: {what}"))
}
