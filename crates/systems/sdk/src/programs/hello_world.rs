//! The program of hello-world, the example service: customizers of plans, chosen by [`SCENARIOS`].
//!
//! *Knows*: which scenario changes what. *Must not know*: how plans run.
//!
//! **Source**: `dcos-commons: frameworks/helloworld …/{Scenario,ReversePhasesCustomizer,DecommissionCustomizer}.java`.
//! Match.

use crate::lower::{DEPLOY, LoweredPhase, LoweredPlan, LoweredStep};
use std::collections::BTreeMap;

/// Scenarios, separated by commas.
const SCENARIOS: &str = "SCENARIOS";
/// Name of the step that a scenario puts before each phase of the decommission plan.
const CUSTOM_STEP: &str = "custom_decommission_step";

fn has_scenario(env: &BTreeMap<String, String>, wanted: &str) -> bool {
    env.get(SCENARIOS).is_some_and(|all| all.split(',').any(|one| one.trim().eq_ignore_ascii_case(wanted)))
}

/// Reverses the phases of deploy plans, if a scenario requests it.
pub(super) fn plans(plans: &mut [LoweredPlan], env: &BTreeMap<String, String>) {
    if has_scenario(env, "CUSTOM_PLAN") {
        let deploy = plans.iter_mut().filter(|plan| *plan.name == *DEPLOY);
        deploy.flat_map(|plan| &mut plan.phases).for_each(reverse);
    }
}

/// Turns the steps of a phase round; dependencies go with their steps.
fn reverse(phase: &mut LoweredPhase) {
    let count = u32::try_from(phase.steps.len()).unwrap_or(u32::MAX);
    phase.steps.reverse();
    for LoweredStep { after, .. } in &mut phase.steps {
        if after.start < after.end {
            *after = count.saturating_sub(after.end)..count.saturating_sub(after.start);
        }
    }
}

/// The step that a scenario puts before those of a decommission phase.
pub(super) fn before_decommission(env: &BTreeMap<String, String>) -> Option<&'static str> {
    has_scenario(env, "CUSTOM_DECOMMISSION").then_some(CUSTOM_STEP)
}

/// Returns whether a scenario keeps tasks in the service's region, whatever the environment sets.
pub(super) fn is_region_aware(env: &BTreeMap<String, String>) -> bool {
    has_scenario(env, "MULTI_REGION")
}
