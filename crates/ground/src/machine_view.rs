//! A machine's view before the parts add their data.
//!
//! *Knows*: names, amounts, faults. *Must not know*: agents, tasks, pods.

use crate::Fleet;
use crate::Scalar;
use crate::event::Absence;
use crate::spec::MachineId;
use planarium_protocol::input::{ClearFault, Fault, FaultKind, Target};
use planarium_protocol::view::{ActionView, MachineView, ResourceView};
use planarium_protocol::why::{MachineWhy, Unblock};
use planarium_protocol::{Amount, Input, Text};

/// Default capacity of a machine, in thousandths: cpus, MiB of memory and of disk.
const USUAL: [i64; 3] = [8_000, 32_768_000, 204_800_000];

impl Fleet {
    /// Returns the view of a machine without the parts' data.
    pub fn machine_view(&self, id: MachineId) -> Option<MachineView> {
        let machine = self.machine_ref(id)?;
        let spec = &machine.spec;
        let state = match machine.worst {
            None => "up",
            Some(Absence::Lost) => "lost",
            Some(Absence::Partitioned) => "partitioned",
            Some(Absence::AgentRestart) => "restarting",
        };
        let own = &spec.resources;
        let [cpus, mem, disk] = USUAL;
        let amount = |given: Option<Amount>, usual: i64| given.map_or(usual, Amount::thousandths);
        let rows = [
            ("cpus", amount(own.cpus, cpus)),
            ("mem", amount(own.mem, mem)),
            ("disk", amount(own.disk, disk)),
            ("gpus", amount(own.gpus, 0)),
        ];
        let resources = rows.into_iter().filter(|(_, total)| *total > 0);
        Some(MachineView {
            revision: self.touched(),
            hostname: spec.hostname.clone(),
            ip: spec.ip.clone(),
            agent_id: Text::default(),
            port: machine.port,
            state: state.into(),
            deactivated: false,
            unavailability: None,
            inverse_offers: Vec::new(),
            region: spec.region.clone(),
            zone: spec.zone.clone(),
            attributes: spec.attributes.clone(),
            resources: resources
                .map(|(name, total)| ResourceView { name: name.into(), total, used: 0, reserved: 0 })
                .collect(),
            tasks: Vec::new(),
            actions: self.machine_actions(id),
            notices: Vec::new(),
            promised_twice: self.ledger().is_promised_twice(id),
            without_size: 0,
        })
    }

    /// Explains the state of a machine without the layers' data; `None` if the machine does not exist.
    pub fn why_machine(&self, which: &str) -> Option<MachineWhy> {
        let hostname = which.split_once('@').map_or(which, |(name, _)| name);
        let view = self.machine_view(self.find_machine(hostname)?)?;
        let reason = match &*view.state {
            "lost" => Some("a fault keeps the machine lost"),
            "partitioned" => Some("a fault cuts the machine off the network"),
            "restarting" => Some("a fault restarts the agent on the machine"),
            _ => None,
        };
        let sentence = match reason {
            Some(reason) => format!("{} is {}: {reason}.", view.hostname, view.state),
            None => format!("{} is {}.", view.hostname, view.state),
        };
        let keepers = self.find_machine(hostname).map(|id| self.keeping_away(id)).unwrap_or_default();
        let unblock = keepers.into_iter().map(|id| Unblock {
            title: "Bring it back".to_owned(),
            input: Some(Input::ClearFault(ClearFault { id: id.to_string() })),
        });
        Some(MachineWhy {
            agent: view.hostname.clone(),
            agent_id: Text::default(),
            state: view.state.clone(),
            sentence,
            reasons: reason.map(str::to_owned).into_iter().collect(),
            unblock: unblock.collect(),
        })
    }

    /// Adds the ledger's data to the explanation of a machine.
    pub fn explain_holdings(&self, why: &mut MachineWhy) {
        let hostname = why.agent.split_once('@').map_or(&*why.agent, |(name, _)| name);
        let Some(id) = self.find_machine(hostname) else { return };
        if self.ledger().is_promised_twice(id) {
            let owners: Vec<String> =
                Scalar::ALL.iter().filter_map(|scalar| self.ledger().promised_beyond(id, *scalar)).collect();
            why.reasons.push(format!(
                "it is promised twice: {}; clusters that know nothing of each other share it",
                owners.join(", ")
            ));
        }
        let sizeless = self.ledger().processes(id).filter(|(.., holding)| holding.amounts.is_none());
        let mut kinds: Vec<(String, u32)> = Vec::new();
        for (.., holding) in sizeless {
            let kind = format!("{} {}s", holding.holder.owner, holding.holder.kind);
            match kinds.iter_mut().find(|(own, _)| *own == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind, 1)),
            }
        }
        for (kind, count) in kinds {
            why.reasons
                .push(format!("{count} {kind} run on it and hold nothing: nothing says how large they are"));
        }
    }

    /// Actions that break a machine or bring it back.
    pub fn machine_actions(&self, id: MachineId) -> Vec<ActionView> {
        let Some(spec) = self.machine(id) else { return Vec::new() };
        let fault = |kind, for_ms| {
            let target = Target { agent: Some(spec.hostname.to_string()), ..Target::default() };
            Input::Fault(Fault {
                fault: kind,
                id: None,
                target,
                for_ms,
                count: None,
                probability: None,
                exit_code: None,
                message: None,
                delay_ms: None,
            })
        };
        let away = self.absence(id);
        let lost = (away == Some(Absence::Lost)).then_some("the machine is lost already");
        let absent = away.map(|_| "the machine is away already");
        let mut actions = vec![
            ActionView::new("Lose this machine", fault(FaultKind::AgentLost, None)).unless(lost),
            ActionView::new("Cut it off the network", fault(FaultKind::AgentPartitioned, None))
                .unless(absent),
            ActionView::new("Restart its agent (30 s)", fault(FaultKind::AgentRestart, Some(30_000)))
                .unless(absent),
        ];
        let keepers = self.keeping_away(id);
        if keepers.is_empty() {
            let input = Input::ClearFault(ClearFault { id: String::new() });
            actions.push(ActionView::new("Bring it back", input).unless(Some("the machine is here")));
        }
        for id in keepers {
            let input = Input::ClearFault(ClearFault { id: id.to_string() });
            actions.push(ActionView::new("Bring it back", input));
        }
        actions
    }
}
