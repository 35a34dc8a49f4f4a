//! Maintenance as the operator and a front end see it.

use crate::{
    agents::{Agent, AgentState, Agents},
    api::{AgentId, Unavailability},
    frameworks::Frameworks,
    maintenance::{
        DrainState, MachineId as MachineName, Maintenance, Mode, Refused, Standing, Window,
        cluster::{standing, unmatched},
        everyone,
    },
};
use planarium_ground::Absence;
use planarium_kernel::SortedMap;
use planarium_protocol::json;
use planarium_protocol::{
    Input, Text, input,
    view::{ActionView, InverseOfferView, ScheduledView, UnavailabilityView, WindowView},
};
use serde_json::Value;

/// Start of a window that a menu proposes, counted from now. *Units*: milliseconds.
const PROPOSED_IN_MS: u64 = 600_000;
/// Its duration. *Units*: nanoseconds, as text, which stays exact where numbers are doubles.
const PROPOSED_NS: &str = "3600000000000";

/// The schedule as JSON; `{}` when nothing is scheduled.
pub(crate) fn maintenance_schedule(maintenance: &Maintenance) -> Value {
    maintenance.schedule().to_json()
}

/// Machines that are not UP and what frameworks answered, as JSON. `epoch_ms` is the calendar time of
/// genesis.
pub(crate) fn maintenance_status(maintenance: &Maintenance, frameworks: &Frameworks, epoch_ms: u64) -> Value {
    let status = maintenance.machines.get_status(&maintenance.inverse, epoch_ms, everyone);
    status.to_json(|id| frameworks.get(id).map(|framework| framework.name.clone()).unwrap_or_default())
}

/// The word for the state of a machine and its agent.
pub(crate) fn state_word(
    maintenance: &Maintenance,
    agents: &Agents,
    id: AgentId,
    agent: &Agent,
    absence: Option<Absence>,
) -> &'static str {
    let (mode, _) = maintenance.mode_of(agent);
    let drain = agents.drains.info(id).map(|info| info.state);
    match (absence, agent.state) {
        _ if mode == Mode::Down => "down",
        (_, AgentState::Gone) => "gone",
        (Some(Absence::Lost), _) => "lost",
        (_, AgentState::Unreachable) => "unreachable",
        (_, AgentState::Removed) => "removed",
        (_, AgentState::Recovered) => "recovered",
        (Some(Absence::Partitioned), AgentState::Registered) => "partitioned",
        (Some(Absence::AgentRestart), AgentState::Registered) => "restarting",
        (None, AgentState::Registered) => match drain {
            Some(DrainState::Drained) => "drained",
            Some(DrainState::Draining) => "draining",
            None if agents.drains.is_deactivated(id) => "deactivated",
            None if mode == Mode::Draining => "draining",
            None => "up",
        },
    }
}

/// The unavailability of an agent's machine, as a front end shows it.
pub(crate) fn unavailability_view(maintenance: &Maintenance, agent: &Agent) -> Option<UnavailabilityView> {
    let (_, unavailability) = maintenance.mode_of(agent);
    unavailability.map(shown)
}

/// The schedule as a front end shows it.
pub(crate) fn window_views(maintenance: &Maintenance, agents: &Agents) -> Vec<WindowView> {
    let Some(schedule) = maintenance.machines.schedule() else { return Vec::new() };
    let is_matched = |(name, _)| maintenance.is_matched(name);
    let neighbours =
        if schedule.machines().all(is_matched) { None } else { Some(unmatched::neighbours(agents)) };
    let machine = |name: &MachineName| ScheduledView {
        hostname: name.hostname.clone(),
        ip: name.ip.clone(),
        mode: maintenance.machines.mode(name).as_str().into(),
        unmatched: neighbours
            .as_ref()
            .and_then(|neighbours| unmatched::unmatched(maintenance, name, neighbours)),
    };
    let window = |window: &Window| WindowView {
        machines: window.machine_ids.iter().map(machine).collect(),
        unavailability: shown(window.unavailability),
    };
    schedule.windows.iter().map(window).collect()
}

/// The frameworks that were asked to leave an agent, and their answers.
pub(crate) fn inverse_views(
    maintenance: &Maintenance,
    frameworks: &Frameworks,
    id: AgentId,
) -> Vec<InverseOfferView> {
    if maintenance.machines.unavailability(id).is_none() {
        return Vec::new();
    }
    let mut all = SortedMap::new();
    for (framework, response, at) in maintenance.inverse.answers_on(id) {
        let answer = Some(Text::from(response.as_str()));
        let view = InverseOfferView {
            framework: frameworks.name(framework),
            answer,
            answered_ms: Some(at.ms()),
            outstanding: false,
        };
        all.insert(framework, view);
    }
    for framework in maintenance.inverse.outstanding_on(id) {
        let asked = all.entry(framework).or_insert_with(|| InverseOfferView {
            framework: frameworks.name(framework),
            answer: None,
            answered_ms: None,
            outstanding: false,
        });
        asked.outstanding = true;
    }
    all.into_values().collect()
}

/// The actions on a machine and its agent.
pub(crate) fn maintenance_actions(
    maintenance: &Maintenance,
    agents: &Agents,
    id: AgentId,
    agent: &Agent,
) -> Vec<ActionView> {
    let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
    let (mode, _) = maintenance.mode_of(agent);
    let list = Value::Array(vec![name.to_json()]);
    let mut window = json!({
        "unavailability": {
            "start": { "in_ms": PROPOSED_IN_MS },
            "duration": { "nanoseconds": PROPOSED_NS },
        },
    });
    // Insert plain data directly; `json!` would serialize it first.
    put(&mut window, "machine_ids", list.clone());
    let mut windows = json!({});
    put(&mut windows, "windows", Value::Array(vec![window]));
    let agent_id = json!({ "agent_id": { "value": agent.name } });
    let act = |title: &str, op: &str, body: &Value, refused: Option<String>| {
        let input = Input::Maintenance(input::Maintenance { op: op.to_owned(), body: body.clone() });
        ActionView::new(title, input).icon("spanner").unless(refused)
    };
    let unless = |allowed: bool, refused: Refused| (!allowed).then(|| refused.to_string());
    let scheduled = match mode {
        Mode::Up => None,
        Mode::Draining => Some("the machine is in the schedule already".to_owned()),
        Mode::Down => Some("the machine is DOWN".to_owned()),
    };
    let unscheduled = match mode {
        Mode::Up => Some("the machine is not in the schedule".to_owned()),
        Mode::Draining => None,
        Mode::Down => Some(Refused::DownMachineDropped(name.clone()).to_string()),
    };
    let down = match mode {
        Mode::Draining => None,
        Mode::Up | Mode::Down => Some(Refused::NotDraining(name.clone()).to_string()),
    };
    let standing = standing::standing(maintenance, agents, id);
    let (drain, deactivate, reactivate, gone) = agent_refusals(agents, id, standing);
    vec![
        act("Schedule maintenance (in 10 min, 1 h)", "schedule-add", &windows, scheduled),
        act("Take it out of the schedule", "schedule-remove", &list, unscheduled),
        act("Start maintenance", "down", &list, down),
        act("Stop maintenance", "up", &list, unless(mode == Mode::Down, Refused::NotDown(name))),
        act("Drain its agent", "drain", &agent_id, drain),
        act("Deactivate its agent", "deactivate", &agent_id, deactivate),
        act("Reactivate its agent", "reactivate", &agent_id, reactivate),
        act("Mark its agent gone", "gone", &agent_id, gone),
    ]
}

/// Why an agent cannot be drained, deactivated, reactivated, marked gone.
fn agent_refusals(
    agents: &Agents,
    id: AgentId,
    standing: Standing,
) -> (Option<String>, Option<String>, Option<String>, Option<String>) {
    let said = |refused: Refused| Some(refused.to_string());
    let known = match standing {
        Standing::Registered { .. } | Standing::Unreachable => None,
        Standing::Gone => Some("the agent is gone".to_owned()),
        _ => said(Refused::UnknownAgent),
    };
    let info = agents.drains.info(id).map(|info| info.state);
    let drain = match (standing, info) {
        (Standing::Registered { scheduled: true, .. }, _) => said(Refused::AgentScheduled),
        (_, Some(DrainState::Draining)) => Some("the agent is being drained already".to_owned()),
        (_, Some(DrainState::Drained)) => Some("the agent is drained already".to_owned()),
        (_, None) => known.clone(),
    };
    let deactivate = if agents.drains.is_deactivated(id) {
        Some("the agent is deactivated already".to_owned())
    } else {
        known.clone()
    };
    let reactivate = match (agents.drains.is_deactivated(id), info) {
        (false, _) => said(Refused::NotDeactivated),
        (true, Some(DrainState::Draining)) => said(Refused::StillDraining),
        (true, _) => known.clone(),
    };
    (drain, deactivate, reactivate, known)
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = object {
        json::put(fields, key, value);
    }
}

fn shown(away: Unavailability) -> UnavailabilityView {
    UnavailabilityView {
        start_ns: away.start_ns.to_string().into(),
        duration_ns: away.duration_ns.map(|ns| ns.to_string().into()),
    }
}
