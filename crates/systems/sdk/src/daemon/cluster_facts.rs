//! Facts of the cluster for explanations of a service.
//!
//! *Knows*: that a scheduler cannot see processes, machines and faults, and who can.
//! *Must not know*: how a reason is put into words; that is `explain`'s.

use crate::explain::{ClusterFacts, MaintenanceFacts, ReadinessFacts};
use planarium_mesos::Cluster;
use planarium_mesos::api::FrameworkId;
use planarium_protocol::view::MachineView;
use planarium_protocol::{Input, Text};

/// The cluster as one service may ask about it.
pub(crate) struct Facts<'a> {
    pub(crate) cluster: &'a Cluster<'a>,
    pub(crate) framework: FrameworkId,
    /// Name of the framework: the service's, unless several share it.
    pub(crate) name: &'a Text,
}

impl ClusterFacts for Facts<'_> {
    fn readiness(&self, task_id: &str) -> Option<ReadinessFacts> {
        let probe = self.cluster.probe(self.framework, task_id)?;
        Some(ReadinessFacts {
            attempts: probe.attempts,
            last_exit: probe.last_exit,
            next_ms: probe.next.map(planarium_kernel::SimTime::ms),
        })
    }

    fn now(&self) -> Option<planarium_kernel::SimTime> {
        Some(self.cluster.asked())
    }

    fn is_manual(&self, task_id: &str) -> bool {
        self.cluster.probe(self.framework, task_id).is_some_and(|probe| probe.manual)
    }

    fn is_silent(&self, task_id: &str) -> bool {
        self.cluster.probe(self.framework, task_id).is_some_and(|probe| probe.silent)
    }

    fn machine_state(&self, hostname: &str) -> Option<String> {
        let machines = self.cluster.machines();
        let machine = machines.iter().find(|machine| &*machine.hostname == hostname);
        match machine {
            Some(machine) if makes_offers(machine) => None,
            Some(machine) => Some(machine.state.to_string()),
            None => Some("gone for good".to_owned()),
        }
    }

    fn maintenance(&self, hostname: &str) -> Option<MaintenanceFacts> {
        let machines = self.cluster.machines();
        let machine = machines.iter().find(|machine| &*machine.hostname == hostname)?;
        let ends = match &*machine.state {
            "down" => "up",
            "draining" | "drained" | "deactivated" if !makes_offers(machine) => "reactivate",
            _ => return None,
        };
        let ending = machine.actions.iter().find(|action| {
            action.refused.is_none() && matches!(&action.input, Input::Maintenance(call) if call.op == ends)
        });
        let remedy =
            ending.map(|action| (format!("{} ({hostname})", action.title).into(), action.input.clone()));
        Some(MaintenanceFacts { state: machine.state.clone(), remedy })
    }

    fn round_reaches(&self, hostname: Option<&str>) -> bool {
        self.cluster.round_reaches(self.framework, hostname)
    }

    fn out_of_offers(&self) -> Vec<Text> {
        let machines = self.cluster.machines();
        let out = machines.iter().filter(|machine| {
            &*machine.state == "down"
                || (machine.deactivated && matches!(&*machine.state, "draining" | "drained" | "deactivated"))
        });
        out.map(|machine| machine.hostname.clone()).take(MENTIONED).collect()
    }

    fn offer_drought(&self, _: &str) -> Option<String> {
        let machines = self.cluster.machines();
        if machines.is_empty() {
            return Some("no machine has joined yet".to_owned());
        }
        if !machines.iter().any(|machine| makes_offers(machine)) {
            return Some("every machine is away".to_owned());
        }
        let withholding = self.cluster.withholding_offers(self.name);
        match withholding.as_slice() {
            [] => None,
            ids => Some(format!("offers are withheld by {}", ids.join(", "))),
        }
    }
}

/// Maximum of machines in maintenance that are named.
const MENTIONED: usize = 3;

/// Tells if a machine is there to be offered. One whose maintenance is only planned is.
fn makes_offers(machine: &MachineView) -> bool {
    matches!(&*machine.state, "up" | "draining") && !machine.deactivated
}
