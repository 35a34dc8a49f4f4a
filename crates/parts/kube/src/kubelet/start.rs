//! Starting containers.

use super::{
    Kubelet, Stage,
    command::{labels_of, program},
    image::{Image, is_missing, pull_ms},
};
use crate::{
    kinds::KindId,
    object::{ObjectNo, ObjectRef},
    records::queue::Timer,
    spec::{Spec, pod::Source},
    status::{Ip, State},
    tree::Tree,
};
use planarium_ground::{Owner, ProcessSpec};
use planarium_protocol::Text;

/// Owner of the processes that kubelets start.
pub const KUBELETS: Owner = Owner(1);

impl Kubelet<'_> {
    /// Does the next step of a pod's start.
    pub(crate) fn go_on(&mut self, no: ObjectNo) {
        let Some(run) = self.cluster.runs.get(no) else { return };
        if run.stopping.is_some() || run.failure.is_some() {
            return;
        }
        if run.stage == Stage::Volumes {
            if let Some(missing) = self.missing_volume(no) {
                self.tell_missing(no, missing);
                return self.report_pod(no);
            }
            self.cluster.runs.wanting.remove(&no);
            let ip = Ip(0x0AF4_0002 + self.cluster.runs.next_ip.next() % 65_000);
            self.cluster.runs.change(no, |run| {
                run.ip = ip;
                run.missing = None;
                run.stage = if run.spec.inits > 0 { Stage::Init(0) } else { Stage::Main };
            });
        }
        let Some(run) = self.cluster.runs.get(no) else { return };
        let (stage, inits, all) = (run.stage, run.spec.inits, run.cells.len());
        match stage {
            Stage::Volumes => {}
            Stage::Init(at) => self.start_if_idle(no, at),
            Stage::Main => {
                for at in inits..u16::try_from(all).unwrap_or(u16::MAX) {
                    self.start_if_idle(no, at);
                }
            }
        }
        self.report_pod(no);
    }

    /// Starts a container that has not been started and waits for nothing.
    fn start_if_idle(&mut self, no: ObjectNo, at: u16) {
        let idle = self.cluster.runs.cell(no, at).is_some_and(|cell| {
            cell.pid.is_none() && cell.timer.is_none() && matches!(cell.status.state, State::Waiting { .. })
        });
        if idle {
            self.start_container(no, at);
        }
    }

    /// The first volume whose source is not there, in words.
    fn missing_volume(&self, no: ObjectNo) -> Option<Text> {
        let pod = self.cluster.api.store.object(no)?;
        let Spec::Pod(spec, own) = &pod.spec else { return None };
        let there = |kind, name: &Text| {
            self.cluster.api.get(crate::object::ObjectRef::new(kind, &pod.namespace, name)).is_some()
        };
        for (volume, source) in &spec.volumes {
            let (kind, word, name) = match source {
                Source::ConfigMap(name) => (crate::kinds::KindId::CONFIG_MAP, "configmap", name),
                Source::Secret(name) => (crate::kinds::KindId::SECRET, "secret", name),
                Source::Claim(name) if own.claims.iter().all(|(mine, _)| mine != volume) => {
                    (crate::kinds::KindId::PERSISTENT_VOLUME_CLAIM, "persistentvolumeclaim", name)
                }
                Source::Claim(_) => continue,
            };
            if !there(kind, name) {
                return Some(
                    format!("MountVolume.SetUp failed for volume {volume:?} : {word} {name:?} not found")
                        .into(),
                );
            }
        }
        None
    }

    fn tell_missing(&mut self, no: ObjectNo, missing: Text) {
        self.cluster.runs.wanting.insert(no, ());
        let told = self.cluster.runs.change(no, |run| run.missing.replace(missing.clone())).flatten();
        if told.as_ref() != Some(&missing)
            && let Some(pod) = self.cluster.api.store.object(no).cloned()
        {
            self.cluster.reports.record(self.cx, &pod, true, "FailedMount", &missing, "kubelet");
        }
    }

    /// Starts a container: its environment, its image, then its process.
    pub(super) fn start_container(&mut self, no: ObjectNo, at: u16) {
        if let Some(missing) = self.missing_config(no, at) {
            self.cluster.runs.wanting.insert(no, ());
            let told = self.cluster.runs.change_cell(no, at, |cell| {
                let told =
                    matches!(&cell.status.state, State::Waiting { message, .. } if *message == missing);
                cell.wait("CreateContainerConfigError", missing.clone());
                told
            });
            if told == Some(false)
                && let Some(pod) = self.cluster.api.store.object(no).cloned()
            {
                self.cluster.reports.record(
                    self.cx,
                    &pod,
                    true,
                    "Failed",
                    &format!("Error: {missing}"),
                    "kubelet",
                );
            }
            return;
        }
        match self.image(no, at) {
            Image::Ready => self.launch(no, at),
            Image::Waiting => {}
        }
    }

    /// Describes the first missing ConfigMap, Secret or key that a container's environment needs.
    fn missing_config(&self, no: ObjectNo, at: u16) -> Option<Text> {
        let pod = self.cluster.api.store.object(no)?;
        let container = self.cluster.runs.get(no)?.spec.containers.get(usize::from(at))?;
        for one in &container.env {
            let (kind, word, title) = if one.secret {
                (KindId::SECRET, "secret", "Secret")
            } else {
                (KindId::CONFIG_MAP, "configmap", "ConfigMap")
            };
            let Some(object) = self.cluster.api.get(ObjectRef::new(kind, &pod.namespace, &one.name)) else {
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

    /// Asks the self.fleet for a container's process.
    pub(super) fn launch(&mut self, no: ObjectNo, at: u16) {
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return };
        let Some(run) = self.cluster.runs.get(no) else { return };
        let spec = run.spec.clone();
        let (Some(container), Some(cell)) =
            (spec.containers.get(usize::from(at)), run.cells.get(usize::from(at)))
        else {
            return;
        };
        let Some(machine) = self.cluster.nodes.get(run.node).map(|node| node.machine) else { return };
        let restarts = cell.status.restarts + u32::from(cell.begun);
        let (name, labels) = labels_of(self.cluster, &pod, container, restarts);
        let grace_ms = self.stop_ms(no, at, u64::from(spec.grace_s) * 1000);
        let program = program(&spec, usize::from(at), container);
        let pid = self
            .fleet
            .launch(self.cx, ProcessSpec { owner: KUBELETS, name, machine, labels, program, grace_ms });
        self.cluster.runs.by_process.insert(pid, (no, at));
        self.cluster.runs.change_cell(no, at, |cell| {
            cell.pid = Some(pid);
            cell.lost = false;
            (cell.good, cell.bad) = (0, 0);
            (cell.unready, cell.unhealthy) = (None, None);
            if let State::Waiting { reason: "PodInitializing", .. } = cell.status.state {
                cell.wait("ContainerCreating", "");
            }
        });
    }

    /// An image has been fetched, or not.
    pub(crate) fn image_pulled(&mut self, no: ObjectNo, at: u16) {
        if self.put_off(no, at, Timer::Pulled(no, at)) {
            return;
        }
        self.cluster.runs.change_cell(no, at, |cell| cell.timer = None);
        let Some(run) = self.cluster.runs.get(no) else { return };
        let node = run.node;
        let Some(image) = run.spec.containers.get(usize::from(at)).map(|one| one.image.clone()) else {
            return;
        };
        if is_missing(&image) {
            let text = format!(
                "rpc error: code = Unknown desc = Error response from daemon: manifest for {image} not found: manifest unknown: manifest \
                 unknown"
            );
            return self.pull_failed(no, at, &text, planarium_kernel::Class::Periodic);
        }
        let present =
            self.cluster.nodes.change(node, |node| !node.images.insert(image.clone())).unwrap_or(false);
        let ms = pull_ms(self.cluster.api.seed, &self.cluster.nodes, node, &image, present);
        if let Some(pod) = self.cluster.api.store.object(no).cloned() {
            let message = format!("Successfully pulled image {image:?} in {}.{:03}s", ms / 1000, ms % 1000);
            self.cluster.reports.record(self.cx, &pod, false, "Pulled", &message, "kubelet");
        }
        self.cluster.runs.change_cell(no, at, |cell| {
            cell.status.pulled = true;
            cell.pull_backoff = None;
        });
        self.launch(no, at);
        self.report_pod(no);
    }

    /// A container may be started again.
    pub(crate) fn restart_container(&mut self, no: ObjectNo, at: u16) {
        if self.put_off(no, at, Timer::Restart(no, at)) {
            return;
        }
        let Some(run) = self.cluster.runs.get(no) else { return };
        let idle = run.stopping.is_none() && run.failure.is_none();
        let now = self.cx.now();
        self.cluster.runs.change_cell(no, at, |cell| {
            cell.timer = None;
            if let Some(backoff) = &mut cell.backoff
                && matches!(cell.status.state, State::Waiting { reason: "CrashLoopBackOff", .. })
            {
                backoff.ms = (backoff.ms * 2).min(super::end::BACKOFF_MOST_MS);
                backoff.updated = now;
            }
        });
        if idle {
            self.start_container(no, at);
            self.report_pod(no);
        }
    }
}
