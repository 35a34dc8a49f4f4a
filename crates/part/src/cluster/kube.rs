//! The Kubernetes cluster on the same machines, for systems that need one.
//!
//! *Knows*: that every machine is a node, and that an operator drains the nodes of machines in the maintenance schedule.
//! *Must not know*: any object. Without the feature `kube` there is never such a cluster.

use super::Cluster;
use planarium_ground::Cx;
#[cfg(feature = "kube")]
use planarium_ground::Fleet;
#[cfg(feature = "kube")]
use planarium_kernel::SimTime;
#[cfg(feature = "kube")]
use planarium_kube::Kube;
use planarium_protocol::Refusal;
#[cfg(feature = "kube")]
use planarium_protocol::Text;
use planarium_protocol::input::TaskStatusInput;
#[cfg(feature = "kube")]
use std::sync::Arc;

impl Cluster {
    /// The Kubernetes cluster, if a system has asked for it.
    #[cfg(feature = "kube")]
    pub fn kube(&self) -> Option<&Kube> {
        self.kube.as_deref()
    }

    /// Something done with the Kubernetes cluster, which is there from the first time on: every machine is a node of it.
    #[cfg(feature = "kube")]
    pub fn with_kube<R>(&mut self, cx: &mut Cx, work: impl FnOnce(&mut Kube, &mut Fleet, &mut Cx) -> R) -> R {
        let fleet = Arc::make_mut(&mut self.fleet);
        let kube = self.kube.get_or_insert_with(|| {
            let mut kube = Kube::new(cx.seed(), self.epoch_ms);
            fleet.hear_holdings(super::KUBELETS);
            for machine in fleet.machine_ids().collect::<Vec<_>>() {
                kube.add_node(cx, fleet, machine);
            }
            Arc::new(kube)
        });
        let result = work(Arc::make_mut(kube), fleet, cx);
        self.report_drained(cx);
        result
    }

    /// Version of the latest change of a Kubernetes object; 0 where there is no such cluster.
    pub fn objects_version(&self) -> u64 {
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            return kube.resource_version();
        }
        0
    }

    /// When the Kubernetes cluster has something to do. *Units*: milliseconds.
    pub fn kube_due(&self) -> Option<u64> {
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            return kube.next_due().map(SimTime::ms);
        }
        None
    }

    /// Does one piece of the Kubernetes cluster's work that is due.
    pub fn fire_kube(&mut self, cx: &mut Cx) {
        #[cfg(feature = "kube")]
        if let Some(kube) = &mut self.kube {
            Arc::make_mut(kube).fire(cx, Arc::make_mut(&mut self.fleet));
            self.report_drained(cx);
        }
        let _ = cx;
    }

    /// The user says how a container is; none when no pod has such a container.
    ///
    /// *Errors*: words that are none, and several containers of that name.
    pub(super) fn say_of_container(
        &mut self,
        cx: &mut Cx,
        said: &TaskStatusInput,
    ) -> Option<Result<(), Refusal>> {
        #[cfg(feature = "kube")]
        if self.kube.as_ref().is_some_and(|kube| kube.knows_task(&self.fleet, &said.task)) {
            return Some(self.with_kube(cx, |kube, fleet, cx| kube.task_status(cx, fleet, said)));
        }
        let _ = (cx, said);
        None
    }

    pub(super) fn kube_one_shots(&self) -> usize {
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            return kube.one_shots();
        }
        0
    }

    pub(super) fn kube_restless(&self) -> bool {
        #[cfg(feature = "kube")]
        if let Some(kube) = &self.kube {
            return kube.restless();
        }
        false
    }

    /// Nodes whose machines were taken into the maintenance schedule are drained, as an operator would; those whose
    /// maintenance is over may be used again.
    #[cfg(feature = "kube")]
    pub(super) fn follow_schedule(&mut self, cx: &mut Cx, before: &[Text]) {
        if self.kube.is_none() {
            return;
        }
        let now = self.scheduled();
        self.with_kube(cx, |kube, _, cx| {
            // A machine without a node has nothing to drain.
            for host in now.iter().filter(|host| !before.contains(host)) {
                let _ = kube.drain(cx, host, planarium_kube::DrainOptions::default());
            }
            for host in before.iter().filter(|host| !now.contains(host)) {
                let _ = kube.uncordon(cx, host);
            }
        });
    }

    /// Machines in the maintenance schedule, where there is a Kubernetes cluster to follow it.
    #[cfg(feature = "kube")]
    pub(super) fn scheduled(&self) -> Vec<Text> {
        if self.kube.is_none() {
            return Vec::new();
        }
        let machines = self.master.machines(&self.fleet);
        let planned = machines.iter().filter(|machine| machine.unavailability.is_some());
        planned.map(|machine| machine.hostname.clone()).collect()
    }

    /// New machines become nodes where there is a Kubernetes cluster, and machines that are gone are no nodes any more.
    #[cfg(feature = "kube")]
    pub(super) fn match_nodes(&mut self, cx: &mut Cx, known: &[planarium_ground::MachineId]) {
        let Some(kube) = &mut self.kube else { return };
        let (kube, fleet) = (Arc::make_mut(kube), Arc::make_mut(&mut self.fleet));
        let now: Vec<_> = fleet.machine_ids().collect();
        for machine in now.iter().filter(|machine| !known.contains(machine)) {
            kube.add_node(cx, fleet, *machine);
        }
        for machine in known.iter().filter(|machine| !now.contains(machine)) {
            kube.remove_node(cx, fleet, *machine);
        }
        self.report_drained(cx);
    }
}
