//! The kubelets: run the pods bound to a node as processes on its machine.
//!
//! *Knows*: containers, images, probes, back-offs, and the fleet's reports about processes. *Must not know*: the reason for a
//! pod. Source: `kubernetes/kubernetes: pkg/kubelet/{kubelet,kubelet_pods,kuberuntime,images,prober}` (1.19); match for order
//! of containers, restarts and their back-off, phases and conditions, grace periods and words. Simplified: a kubelet acts
//! immediately, images take a drawn time, a container that handles signals ends after a drawn time.
//!
//! *Order*: a kubelet's actions show in the API while its node is ready; actions of a silent node show when it is back.

mod command;
mod end;
mod image;
mod manual;
mod news;
mod report;
mod start;
mod stop;
mod sync;

pub(crate) use manual::knows_task;
pub use start::KUBELETS;

use crate::records::runs::{Backoff, Cell, Run, Runs, Stage, Stopping};
use crate::{cluster::Cluster, object::ObjectNo, spec::command::Ending};
use planarium_ground::{Absence, Cx, Fleet};
use planarium_kernel::draw;

const STOP: u32 = 0x4B09;

/// The kubelets at work: the records, and the machines on which processes run.
pub(crate) struct Kubelet<'a> {
    pub(crate) cluster: &'a mut Cluster,
    pub(crate) cx: &'a mut Cx,
    pub(crate) fleet: &'a mut Fleet,
}

impl Kubelet<'_> {
    /// Returns how a pod's node is away: its kubelet does not act now; a restarting one acts when it is back.
    pub(crate) fn acts(&self, no: ObjectNo) -> Option<Absence> {
        let run = self.cluster.runs.get(no)?;
        self.cluster.nodes.get(run.node)?.absence
    }

    /// A draw of a pod's own.
    pub(crate) fn draw(&self, no: ObjectNo, at: u16, purpose: u32, n: u64, low: u64, high: u64) -> u64 {
        let Some(pod) = self.cluster.api.store.object(no) else { return low };
        let container = self
            .cluster
            .runs
            .get(no)
            .and_then(|run| run.spec.containers.get(usize::from(at)))
            .map_or("", |one| &one.name);
        let entity = draw::entity_of(&[&pod.namespace, "/", &pod.name, "/", container]);
        draw::between(self.cluster.api.seed, entity, purpose, n, low, high)
    }

    /// Returns the time that a container takes to end when stopped with this grace period.
    pub(super) fn stop_ms(&self, no: ObjectNo, at: u16, grace_ms: u64) -> u64 {
        if self.ignores_term(no, at) {
            return grace_ms.max(1);
        }
        let restarts = self.cluster.runs.cell(no, at).map_or(0, |cell| cell.status.restarts);
        self.draw(no, at, STOP, u64::from(restarts), 200, 2_000).min(grace_ms).max(1)
    }

    /// A pod's own script ignores being asked to end: shells that run a script do, as the first process of a container.
    pub(super) fn ignores_term(&self, no: ObjectNo, at: u16) -> bool {
        let Some(run) = self.cluster.runs.get(no) else { return false };
        let Some(container) = run.spec.containers.get(usize::from(at)) else { return false };
        container.ending != Ending::Unknown && !container.script.contains("trap")
    }
}
