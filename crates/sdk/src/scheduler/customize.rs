//! What a Java program around the definition may change about plans before they run.
//!
//! *Knows*: the example service's customizers, chosen by `SCENARIOS`, and [`STRATEGIES`], which stands for a customizer
//! that gives a plan or a phase the random strategy, which YAML cannot name.
//! *Must not know*: how plans run.
//!
//! **Source**: `dcos-commons: frameworks/helloworld …/{Scenario,ReversePhasesCustomizer,DecommissionCustomizer}.java`.
//! Match; [`STRATEGIES`] is ours.

use super::action::Action;
use super::plan::NewStep;
use super::start::DEPLOY;
use crate::lower::{LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy};
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;
use std::collections::BTreeMap;

/// Scenarios of the example service, separated by commas.
const SCENARIOS: &str = "SCENARIOS";
/// Strategies in place of the definition's: `PLAN=random` or `PLAN/PHASE=random`, separated by commas.
const STRATEGIES: &str = "PLANARIUM_STRATEGIES";
/// Name of the step that a scenario puts before each phase of the decommission plan.
const CUSTOM_STEP: &str = "custom_decommission_step";

fn has_scenario(env: &BTreeMap<String, String>, wanted: &str) -> bool {
    env.get(SCENARIOS).is_some_and(|all| all.split(',').any(|one| one.trim().eq_ignore_ascii_case(wanted)))
}

/// Changes plans as the environment asks.
///
/// *Errors*: a strategy is given to what is not there, or cannot be given.
pub(super) fn plans(plans: &mut [LoweredPlan], env: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if has_scenario(env, "CUSTOM_PLAN") {
        let deploy = plans.iter_mut().filter(|plan| *plan.name == *DEPLOY);
        deploy.flat_map(|plan| &mut plan.phases).for_each(reverse);
    }
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

/// The steps that a scenario puts before those of a decommission phase.
pub(super) fn before_decommission(env: &BTreeMap<String, String>) -> Option<NewStep> {
    has_scenario(env, "CUSTOM_DECOMMISSION").then(|| NewStep::acting(CUSTOM_STEP, Action::Custom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower;
    use crate::tests::support;

    const SVC: &str = "name: s\npods:\n  a:\n    count: 2\n    tasks:\n      x: {goal: RUNNING, cmd: x, cpus: 1, memory: 1}\n      \
        y: {goal: FINISH, cmd: y, cpus: 1, memory: 1}\nplans:\n  deploy:\n    phases:\n      one: {pod: a}\n      two:\n        \
        strategy: parallel\n        pod: a\n        steps:\n          - default: [[x], [y]]\n";

    fn customized(env: &[(&str, &str)]) -> Result<Vec<LoweredPlan>, Refusal> {
        let spec = support::spec(SVC);
        let mut all = lower::plans(&spec);
        let env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        plans(&mut all, &env).map(|()| all)
    }

    fn shown(plan: &LoweredPlan) -> Vec<String> {
        let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
        let after = |step: &LoweredStep| match step.after.clone().next() {
            Some(first) => format!(" after {first}"),
            None => String::new(),
        };
        steps.map(|step| format!("{}{}", step.name, after(step))).collect()
    }

    #[test]
    fn a_scenario_turns_the_deploy_phases_round() {
        let all = customized(&[("SCENARIOS", "YAML, custom_plan")]).expect("plans");
        let expected =
            ["a-1:[x, y]", "a-0:[x, y]", "a-1:[y] after 1", "a-1:[x]", "a-0:[y] after 3", "a-0:[x]"];
        assert_eq!(shown(&all[0]), expected);
        assert_ne!(customized(&[("SCENARIOS", "YAML")]).expect("plans"), all);
    }

    #[test]
    fn strategies_are_given_to_plans_and_phases() {
        let all = customized(&[(STRATEGIES, "deploy=random, deploy/one=random")]).expect("plans");
        assert_eq!(all[0].strategy, LoweredStrategy::Random);
        let names: Vec<&str> = all[0].phases.iter().map(LoweredPhase::strategy_name).collect();
        assert_eq!(names, ["random", "dependency"]);
        for (bad, word) in [
            ("deploy", "form"),
            ("deploy=serial", "form"),
            ("other=random", "no plan 'other'"),
            ("deploy/three=random", "no phase 'deploy/three'"),
        ] {
            let refusal = customized(&[(STRATEGIES, bad)]).expect_err(bad);
            assert!(refusal.message.contains(word), "{bad}: {}", refusal.message);
        }
    }
}
