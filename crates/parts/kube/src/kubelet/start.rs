//! Starting containers.

use super::{command::program, image::Image};
use crate::{
    kinds::KindId,
    kube::Kube,
    object::{ObjectNo, ObjectRef},
    queue::Timer,
    status::State,
    tree::Tree,
};
use planarium_ground::{Cx, Fleet, Owner, ProcessSpec};
use planarium_protocol::Text;

const STOP: u32 = 0x4B09;

/// Owner of the processes that kubelets start.
pub const KUBELETS: Owner = Owner(1);

impl Kube {
    /// Starts a container: its environment, its image, then its process.
    pub(super) fn start_container(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo, at: u16) {
        if let Some(missing) = self.missing_config(no, at) {
            self.wanting.insert(no, ());
            let told = self.cell_mut(no, at, |cell| {
                let told =
                    matches!(&cell.status.state, State::Waiting { message, .. } if *message == missing);
                cell.wait("CreateContainerConfigError", missing.clone());
                told
            });
            if told == Some(false)
                && let Some(pod) = self.store.object(no).cloned()
            {
                self.record(cx, &pod, true, "Failed", &format!("Error: {missing}"), "kubelet");
            }
            return;
        }
        match self.image(cx, no, at) {
            Image::Ready => self.launch(cx, fleet, no, at),
            Image::Waiting => {}
        }
    }

    /// The first ConfigMap, Secret or entry of one that a container's environment needs and that is not there, in words.
    fn missing_config(&self, no: ObjectNo, at: u16) -> Option<Text> {
        let pod = self.store.object(no)?;
        let container = self.run(no)?.spec.containers.get(usize::from(at))?;
        for one in &container.env {
            let (kind, word, title) = if one.secret {
                (KindId::SECRET, "secret", "Secret")
            } else {
                (KindId::CONFIG_MAP, "configmap", "ConfigMap")
            };
            let Some(object) = self.get(ObjectRef::new(kind, &pod.namespace, &one.name)) else {
                return Some(format!("{word} {:?} not found", one.name).into());
            };
            if let Some(entry) = &one.entry
                && object.content().key("data").key(entry).is_null()
                && object.content().key("binaryData").key(entry).is_null()
            {
                return Some(
                    format!("couldn't find key {entry} in {title} {}/{}", pod.namespace, one.name).into(),
                );
            }
        }
        None
    }

    /// Asks the fleet for a container's process.
    pub(super) fn launch(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo, at: u16) {
        let Some(pod) = self.store.object(no).cloned() else { return };
        let Some(run) = self.run(no) else { return };
        let spec = run.spec.clone();
        let (Some(container), Some(cell)) =
            (spec.containers.get(usize::from(at)), run.cells.get(usize::from(at)))
        else {
            return;
        };
        let Some(machine) = self.nodes.get(run.node as usize).map(|node| node.machine) else { return };
        let restarts = cell.status.restarts + u32::from(cell.begun);
        let (name, labels) = self.labels_of(&pod, container, restarts);
        let grace_ms = self.stop_ms(no, at, u64::from(spec.grace_s) * 1000);
        let program = program(&spec, usize::from(at), container);
        let pid = fleet.launch(cx, ProcessSpec { owner: KUBELETS, name, machine, labels, program, grace_ms });
        self.by_process.insert(pid, (no, at));
        self.cell_mut(no, at, |cell| {
            cell.pid = Some(pid);
            cell.lost = false;
            (cell.good, cell.bad) = (0, 0);
            if let State::Waiting { reason: "PodInitializing", .. } = cell.status.state {
                cell.wait("ContainerCreating", "");
            }
        });
    }

    /// How long a container takes to end once it is told to, given so long.
    pub(super) fn stop_ms(&self, no: ObjectNo, at: u16, grace_ms: u64) -> u64 {
        if self.ignores_term(no, at) {
            return grace_ms.max(1);
        }
        let restarts = self
            .run(no)
            .and_then(|run| run.cells.get(usize::from(at)))
            .map_or(0, |cell| cell.status.restarts);
        self.draw(no, at, STOP, u64::from(restarts), 200, 2_000).min(grace_ms).max(1)
    }

    /// A container may be started again.
    pub(crate) fn restart_container(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo, at: u16) {
        if self.put_off(cx, no, at, Timer::Restart(no, at)) {
            return;
        }
        let Some(run) = self.run(no) else { return };
        let idle = run.stopping.is_none() && run.failure.is_none();
        let now = cx.now();
        self.cell_mut(no, at, |cell| {
            cell.timer = None;
            if let Some(backoff) = &mut cell.backoff
                && matches!(cell.status.state, State::Waiting { reason: "CrashLoopBackOff", .. })
            {
                backoff.ms = (backoff.ms * 2).min(super::end::BACKOFF_MOST_MS);
                backoff.updated = now;
            }
        });
        if idle {
            self.start_container(cx, fleet, no, at);
            self.report_pod(cx, no);
        }
    }
}
