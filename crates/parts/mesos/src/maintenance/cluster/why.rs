//! Why a machine is in its state.

use crate::{
    agents::{
        Agent, AgentState, Agents,
        view::{machines, notice},
    },
    api::AgentId,
    frameworks::Frameworks,
    maintenance::{
        DrainState, MachineId as MachineName, Maintenance, Mode,
        cluster::{unmatched, view},
    },
    offers::Offers,
    records::Records,
};
use planarium_ground::{Absence, Fleet};
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::{
    Text,
    input::Input,
    why::{MachineWhy, Unblock},
};

/// Explains a machine's state; `which` is its host name (with `@ADDRESS` if several have it), or its agent's id.
/// `None` if no machine and no entry of the schedule has that name.
pub(crate) fn why_machine(records: &Records, fleet: &Fleet, which: &str) -> Option<MachineWhy> {
    let (hostname, ip) = which.split_once('@').map_or((which, None), |(name, ip)| (name, Some(ip)));
    let is_meant = |agent: &Agent| {
        &*agent.name == which || &*agent.hostname == hostname && ip.is_none_or(|ip| &*agent.ip == ip)
    };
    let mut all =
        records.cluster.agents.hosts.agents().filter_map(|id| Some((id, records.cluster.agents.get(id)?)));
    match all.find(|(_, agent)| is_meant(agent)) {
        Some((id, agent)) => Some(why_agent(records, fleet, id, agent)),
        None => why_scheduled(&records.maintenance, &records.cluster.agents, hostname),
    }
}

fn why_agent(records: &Records, fleet: &Fleet, id: AgentId, agent: &Agent) -> MachineWhy {
    let (mode, _) = records.maintenance.mode_of(agent);
    let absence = fleet.absence(agent.machine);
    let mut reasons: Vec<String> = Vec::new();
    match absence {
        Some(Absence::Lost) => reasons.push("a fault keeps the machine lost".to_owned()),
        Some(Absence::Partitioned) => reasons.push("a fault cuts the machine off the network".to_owned()),
        Some(Absence::AgentRestart) => reasons.push("the agent's process is restarting".to_owned()),
        None => {}
    }
    match agent.state {
        AgentState::Registered if !agent.connected => {
            reasons.push("its agent is disconnected".to_owned());
        }
        AgentState::Registered => {}
        AgentState::Recovered => {
            reasons.push("its agent has not registered again since the master failed over".to_owned());
        }
        AgentState::Unreachable => {
            reasons.push("its agent did not answer five pings and was marked unreachable".to_owned());
        }
        AgentState::Removed => reasons.push("its agent was removed, and may register anew".to_owned()),
        AgentState::Gone => {
            reasons.push("its agent was marked gone and may not come back; a fresh one may".to_owned());
        }
    }
    if let Some(notice) = notice(records, fleet, agent) {
        let at = SimTime(notice.at_ms);
        reasons.push(format!(
            "{} notices at {at}: pings that it does not answer have timed out then",
            notice.by
        ));
    }
    match mode {
        Mode::Up => {}
        Mode::Draining => reasons.push(
            "it is in the maintenance schedule: its offers say so, and frameworks are asked to leave"
                .to_owned(),
        ),
        Mode::Down => {
            reasons.push("it is DOWN for maintenance: agents of it may not register".to_owned());
        }
    }
    match records.cluster.agents.drains.info(id).map(|info| info.state) {
        Some(DrainState::Draining) => {
            reasons.push(format!("its agent is being drained: {} tasks are left", agent.tasks.len()));
        }
        Some(DrainState::Drained) => {
            reasons.push("its agent is drained: nothing of it is offered".to_owned());
        }
        None if records.cluster.agents.drains.is_deactivated(id) => {
            reasons.push("its agent is deactivated: nothing of it is offered".to_owned());
        }
        None => {}
    }
    reasons.extend(answers_in_words(&records.maintenance, &records.cluster.frameworks, id));
    let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
    reasons.extend(near_misses(&records.maintenance, &name));
    reasons.extend(offers_in_words(&records.offers, &records.cluster.frameworks, id));
    let state = view::state_word(&records.maintenance, &records.cluster.agents, id, agent, absence);
    let sentence = match reasons.first() {
        Some(reason) => format!("{} is {state}: {reason}", agent.hostname),
        None => format!("{} is {state}; what it has is offered", agent.hostname),
    };
    let view = machines(records, fleet).into_iter().find(|view| view.agent_id == agent.name);
    let actions = view.iter().flat_map(|view| &view.actions).filter(|action| action.refused.is_none());
    let helps = |input: &Input| match input {
        Input::ClearFault(_) | Input::AddAgent(_) => true,
        Input::Maintenance(call) => matches!(call.op.as_str(), "up" | "reactivate" | "schedule-remove"),
        _ => false,
    };
    let unblock = actions
        .filter(|action| helps(&action.input))
        .map(|action| Unblock { title: action.title.to_string(), input: Some(action.input.clone()) });
    MachineWhy {
        agent: agent.hostname.clone(),
        agent_id: agent.name.clone(),
        state: state.into(),
        sentence,
        reasons,
        unblock: unblock.collect(),
    }
}

/// A name in the schedule that matches no machine.
fn why_scheduled(maintenance: &Maintenance, agents: &Agents, which: &str) -> Option<MachineWhy> {
    let schedule = maintenance.machines.schedule()?;
    let is_meant =
        |name: &MachineName| [&name.hostname, &name.ip].into_iter().flatten().any(|part| &**part == which);
    let name = schedule.machines().map(|(name, _)| name).find(|name| is_meant(name))?;
    let state = maintenance.machines.mode(name).as_str().to_ascii_lowercase();
    let reason = unmatched::unmatched(maintenance, name, &unmatched::neighbours(agents)).unwrap_or_default();
    Some(MachineWhy {
        agent: which.into(),
        agent_id: Text::default(),
        sentence: format!("{which} is {state}, and no machine: {reason}"),
        state: state.into(),
        reasons: vec![reason.to_string()],
        unblock: Vec::new(),
    })
}

/// Describes the answers of frameworks that were asked to leave.
fn answers_in_words(maintenance: &Maintenance, frameworks: &Frameworks, id: AgentId) -> Vec<String> {
    let views = view::inverse_views(maintenance, frameworks, id);
    let one = |view: planarium_protocol::view::InverseOfferView| match &view.answer {
        Some(answer) if &**answer == "ACCEPT" => format!("{} means to leave in time", view.framework),
        Some(_) => format!("{} says that it cannot leave", view.framework),
        None => format!("{} was asked to leave and has not answered", view.framework),
    };
    views.into_iter().map(one).collect()
}

/// Names in the schedule that match this machine in one part only.
fn near_misses(maintenance: &Maintenance, machine: &MachineName) -> Vec<String> {
    let Some(schedule) = maintenance.machines.schedule() else { return Vec::new() };
    let same = |a: &Option<Text>, b: &Option<Text>| {
        a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| !a.is_empty() && a.eq_ignore_ascii_case(b))
    };
    let misses = schedule.machines().map(|(name, _)| name).filter(|name| {
        !name.is_same(machine)
            && !maintenance.is_matched(name)
            && (same(&name.hostname, &machine.hostname) || same(&name.ip, &machine.ip))
    });
    misses
        .map(|name| format!("the schedule names {name}, which is not this machine: it is {machine}"))
        .collect()
}

/// The frameworks that the machine's resources are offered to.
fn offers_in_words(offers: &Offers, frameworks: &Frameworks, id: AgentId) -> Vec<String> {
    let mut by_framework: SortedMap<Text, usize> = SortedMap::new();
    for offer in offers.outstanding.values().filter(|offer| offer.agent == id) {
        *by_framework.entry(frameworks.name(offer.framework)).or_default() += 1;
    }
    by_framework.into_keys().map(|framework| format!("an offer of it is out to {framework}")).collect()
}
