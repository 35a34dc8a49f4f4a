//! What the cluster adds to a service's explanations.
//!
//! Knows: that a scheduler cannot see processes, machines and faults, and who can.
//! Must not know: how a reason is put into words; that is the service's own crate.

use crate::cluster::Cluster;
use planarium_mesos::api::FrameworkId;
use planarium_protocol::Text;
use planarium_sdk::{ClusterFacts, ReadinessFacts};

/// The cluster as one service may ask about it.
pub(crate) struct Facts<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) framework: FrameworkId,
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

    fn is_manual(&self, task_id: &str) -> bool {
        self.cluster.probe(self.framework, task_id).is_some_and(|probe| probe.manual)
    }

    fn offer_drought(&self, service: &str) -> Option<String> {
        let view = self.cluster.view();
        if view.machines.is_empty() {
            return Some("no machine has joined yet".to_owned());
        }
        if view.machines.iter().all(|machine| &*machine.state != "up") {
            return Some("every machine is away".to_owned());
        }
        let withholding = self.cluster.withholding_offers(&Text::from(service));
        match withholding.as_slice() {
            [] => None,
            ids => Some(format!("offers are withheld by {}", ids.join(", "))),
        }
    }
}
