//! Whether what a run waits for can come at all: a status that exists, of a plan that is there.
//!
//! Knows: the words of the DC/OS SDK's statuses. Must not know: how a world comes to show one.

use anyhow::{Result, bail};
use planarium_protocol::input::Input;
use planarium_scenario::{Action, Scenario};
use planarium_source::suggest;
use planarium_world::{CheckReport, Condition};

/// What plans, phases and steps of an SDK service may show.
const STATUSES: &[&str] = &[
    "ERROR",
    "WAITING",
    "PENDING",
    "PREPARED",
    "STARTING",
    "STARTED",
    "COMPLETE",
    "IN_PROGRESS",
    "DELAYED",
    "PAUSING",
    "PAUSED",
];

/// Refuses a condition that no run of the scenario can meet.
pub(crate) fn check(condition: &Condition, scenario: &Scenario) -> Result<()> {
    let services: Vec<CheckReport> = scenario.services.iter().map(planarium_world::check).collect();
    // The words of other systems are theirs, and what a script loads is not known beforehand.
    if services.iter().any(|report| report.dialect != "sdk") || loads(scenario) {
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
            let upper = status.to_ascii_uppercase();
            if !STATUSES.contains(&upper.as_str()) {
                let meant = suggest(&upper, STATUSES.iter().copied());
                let help = meant.map_or_else(
                    || format!("there are {}", STATUSES.join(", ")),
                    |meant| format!("did you mean `{meant}`?"),
                );
                bail!("--until `{element}={status}`: `{status}` is no status; {help}");
            }
            plan(element, services)
        }
        Condition::Idle | Condition::Time { .. } => Ok(()),
    }
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
    let help = match suggest(first, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    bail!("--until: there is no plan `{element}`; {help}");
}
