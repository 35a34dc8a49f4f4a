//! Maintenance as the operator and a front end see it.

use crate::{
    Master,
    agents::{Agent, AgentState},
    api::{AgentId, Unavailability},
    maintenance::{
        DrainState, MachineId as MachineName, Mode, Refused, Schedule, Standing, Window, everyone,
    },
};
use planarium_ground::Absence;
use planarium_kernel::SortedMap;
use planarium_protocol::json;
use planarium_protocol::{
    Input, Text,
    input::Maintenance,
    view::{ActionView, InverseOfferView, ScheduledView, UnavailabilityView, WindowView},
};
use serde_json::Value;

/// Start of a window that a menu proposes, counted from now. *Units*: milliseconds.
const PROPOSED_IN_MS: u64 = 600_000;
/// Its duration. *Units*: nanoseconds, as text, which stays exact where numbers are doubles.
const PROPOSED_NS: &str = "3600000000000";

impl Master {
    /// The operator's schedule; empty when nothing is scheduled.
    pub fn schedule(&self) -> Schedule {
        self.machines.get_schedule(everyone)
    }

    /// The schedule as JSON; `{}` when nothing is scheduled.
    pub fn maintenance_schedule(&self) -> Value {
        self.schedule().to_json()
    }

    /// Machines that are not UP and what frameworks answered, as JSON. `epoch_ms` is the calendar time of
    /// genesis.
    pub fn maintenance_status(&self, epoch_ms: u64) -> Value {
        let status = self.machines.get_status(&self.inverse, epoch_ms, everyone);
        status.to_json(|id| self.framework(id).map(|framework| framework.name.clone()).unwrap_or_default())
    }

    /// The machine an agent is or was on.
    pub(super) fn machine_mode(&self, agent: &Agent) -> (Mode, Option<Unavailability>) {
        let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
        self.machines
            .machine(&name)
            .map_or((Mode::Up, None), |machine| (machine.info.mode, machine.info.unavailability))
    }

    pub(crate) fn state_word(&self, id: AgentId, agent: &Agent, absence: Option<Absence>) -> &'static str {
        let (mode, _) = self.machine_mode(agent);
        let drain = self.drains.info(id).map(|info| info.state);
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
                None if self.drains.is_deactivated(id) => "deactivated",
                None if mode == Mode::Draining => "draining",
                None => "up",
            },
        }
    }

    pub(crate) fn unavailability_view(&self, agent: &Agent) -> Option<UnavailabilityView> {
        let (_, unavailability) = self.machine_mode(agent);
        unavailability.map(shown)
    }

    /// The schedule as a front end shows it.
    pub fn window_views(&self) -> Vec<WindowView> {
        let Some(schedule) = self.machines.schedule() else { return Vec::new() };
        let is_matched = |(name, _)| self.is_matched(name);
        let neighbours = if schedule.machines().all(is_matched) { None } else { Some(self.neighbours()) };
        let machine = |name: &MachineName| ScheduledView {
            hostname: name.hostname.clone(),
            ip: name.ip.clone(),
            mode: self.machines.mode(name).as_str().into(),
            unmatched: neighbours.as_ref().and_then(|neighbours| self.unmatched(name, neighbours)),
        };
        let window = |window: &Window| WindowView {
            machines: window.machine_ids.iter().map(machine).collect(),
            unavailability: shown(window.unavailability),
        };
        schedule.windows.iter().map(window).collect()
    }

    /// The frameworks that were asked to leave an agent, and their answers.
    pub(crate) fn inverse_views(&self, id: AgentId) -> Vec<InverseOfferView> {
        if self.machines.unavailability(id).is_none() {
            return Vec::new();
        }
        let mut all = SortedMap::new();
        for (framework, response, at) in self.inverse.answers_on(id) {
            let answer = Some(Text::from(response.as_str()));
            let view = InverseOfferView {
                framework: self.framework_name(framework),
                answer,
                answered_ms: Some(at.ms()),
                outstanding: false,
            };
            all.insert(framework, view);
        }
        for framework in self.inverse.outstanding_on(id) {
            let asked = all.entry(framework).or_insert_with(|| InverseOfferView {
                framework: self.framework_name(framework),
                answer: None,
                answered_ms: None,
                outstanding: false,
            });
            asked.outstanding = true;
        }
        all.into_values().collect()
    }

    /// The actions on a machine and its agent.
    pub(crate) fn maintenance_actions(&self, id: AgentId, agent: &Agent) -> Vec<ActionView> {
        let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
        let (mode, _) = self.machine_mode(agent);
        let list = Value::Array(vec![name.to_json()]);
        let mut window = json!({
            "unavailability": {
                "start": { "in_ms": PROPOSED_IN_MS },
                "duration": { "nanoseconds": PROPOSED_NS },
            },
        });
        // Plain data is inserted as it is; `json!` would serialize it first.
        put(&mut window, "machine_ids", list.clone());
        let mut windows = json!({});
        put(&mut windows, "windows", Value::Array(vec![window]));
        let agent_id = json!({ "agent_id": { "value": agent.name } });
        let act = |title: &str, op: &str, body: &Value, refused: Option<String>| {
            let input = Input::Maintenance(Maintenance { op: op.to_owned(), body: body.clone() });
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
        let standing = self.standing(id);
        let (drain, deactivate, reactivate, gone) = self.agent_refusals(id, standing);
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
        &self,
        id: AgentId,
        standing: Standing,
    ) -> (Option<String>, Option<String>, Option<String>, Option<String>) {
        let said = |refused: Refused| Some(refused.to_string());
        let known = match standing {
            Standing::Registered { .. } | Standing::Unreachable => None,
            Standing::Gone => Some("the agent is gone".to_owned()),
            _ => said(Refused::UnknownAgent),
        };
        let info = self.drains.info(id).map(|info| info.state);
        let drain = match (standing, info) {
            (Standing::Registered { scheduled: true, .. }, _) => said(Refused::AgentScheduled),
            (_, Some(DrainState::Draining)) => Some("the agent is being drained already".to_owned()),
            (_, Some(DrainState::Drained)) => Some("the agent is drained already".to_owned()),
            (_, None) => known.clone(),
        };
        let deactivate = if self.drains.is_deactivated(id) {
            Some("the agent is deactivated already".to_owned())
        } else {
            known.clone()
        };
        let reactivate = match (self.drains.is_deactivated(id), info) {
            (false, _) => said(Refused::NotDeactivated),
            (true, Some(DrainState::Draining)) => said(Refused::StillDraining),
            (true, _) => known.clone(),
        };
        (drain, deactivate, reactivate, known)
    }
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
