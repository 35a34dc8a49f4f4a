//! Checks that the condition of a run can come true: the plan and the status exist.
//!
//! Knows: that each system has its own words. Must not know: the words, or how a world reaches them.

use anyhow::{Result, bail};
use planarium_protocol::input::Input;
use planarium_scenario::{Action, Scenario};
use planarium_source::suggest;
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_world::{CheckReport, Condition};

/// Refuses a condition that no run of the scenario can meet.
pub(crate) fn check(condition: &Condition, scenario: &Scenario) -> Result<()> {
    let services: Vec<CheckReport> = scenario.services.iter().map(planarium_world::check).collect();
    // Services loaded by a script are not known beforehand.
    if loads(scenario) {
        return Ok(());
    }
    one(condition, &services)
}

fn loads(scenario: &Scenario) -> bool {
    let mut actions = scenario.script.iter().flat_map(|entry| &entry.actions);
    actions.any(|action| match action {
        Action::Do(input) => {
            matches!(**input, Input::LoadService(_) | Input::UpdateService(_) | Input::RemoveService(_))
        }
        _ => false,
    })
}

fn one(condition: &Condition, services: &[CheckReport]) -> Result<()> {
    match condition {
        Condition::All(all) => all.iter().try_for_each(|part| one(part, services)),
        Condition::Status { element, status } => {
            let words = words(services);
            if !words.is_empty() && !words.iter().any(|word| word.eq_ignore_ascii_case(status)) {
                let upper = status.to_ascii_uppercase();
                let alike = suggest(status, words.iter().copied());
                let meant = alike.or_else(|| suggest(&upper, words.iter().copied()));
                let help = did_you_mean_in_ticks(meant, || format!("there are {}", words.join(", ")));
                bail!("--until `{element}={status}`: `{status}` is not a status; {help}");
            }
            plan(element, services)
        }
        Condition::Idle | Condition::Time { .. } => Ok(()),
    }
}

/// The status words of the services' systems.
fn words(services: &[CheckReport]) -> Vec<&'static str> {
    let dialects = planarium_world::dialects().iter();
    let meant = dialects.filter(|dialect| services.iter().any(|report| report.dialect == dialect.word));
    meant.flat_map(|dialect| dialect.statuses).map(|status| status.word).collect()
}

/// The element begins with a plan, or with a service and one of its plans.
fn plan(element: &str, services: &[CheckReport]) -> Result<()> {
    let begins = |with: &str| {
        let rest = element.strip_prefix(with);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut known = Vec::new();
    for report in services {
        let Some(service) = &report.preview else { return Ok(()) };
        for plan in &service.plans {
            let name = service.name.trim_matches('/');
            if begins(&plan.name) || begins(&format!("{name}/{}", plan.name)) {
                return Ok(());
            }
            known.push(plan.name.to_string());
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    known.dedup();
    let first = element.split('/').next().unwrap_or_default();
    let help = did_you_mean_in_ticks(suggest(first, known.iter().map(String::as_str)), || {
        format!("there are {}", known.join(", "))
    });
    bail!("--until: there is no plan `{element}`; {help}");
}
