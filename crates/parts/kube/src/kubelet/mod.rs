//! The kubelets: pods that are bound to a node become processes on its machine.
//!
//! *Knows*: containers, images, probes, back-offs, and what the fleet says of processes. *Must not know*: why a pod is there.
//! Source: `kubernetes/kubernetes: pkg/kubelet/{kubelet,kubelet_pods,kuberuntime,images,prober}` (1.19); match for order of
//! containers, restarts and their back-off, phases and conditions, grace periods and words. Simplified: a kubelet acts at once,
//! images take a drawn time, a container that handles signals ends after a drawn time.
//!
//! *Order*: what a kubelet does shows in the API as long as the node is heard of; what it does meanwhile shows when it is back.

mod command;
mod end;
mod hear;
mod image;
mod manual;
mod report;
mod start;
mod stop;

pub use start::KUBELETS;

use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    queue::{Timer, Work},
    spec::{
        Spec,
        pod::{PodSpec, Source},
    },
    status::{ContainerStatus, Ended, Ip, State, Status},
};
use planarium_ground::{Absence, Cx, Fleet, ProcessId};
use planarium_kernel::{SimTime, TimerId, draw};
use planarium_protocol::Text;
use std::sync::Arc;

/// How far a pod's start is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its volumes are not all there.
    Volumes,
    /// This init container is next, or runs.
    Init(u16),
    /// All others have been started.
    Main,
}

/// A container that is started again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) ms: u64,
    pub(crate) updated: SimTime,
}

/// One container as its kubelet knows it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) status: ContainerStatus,
    pub(crate) pid: Option<ProcessId>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) pull_backoff: Option<Backoff>,
    /// The timer that brings its next turn, and when.
    pub(crate) timer: Option<(TimerId, SimTime)>,
    /// Readiness results in a row, good ones and bad ones.
    pub(crate) good: u32,
    pub(crate) bad: u32,
    /// It was running when its machine was lost.
    pub(crate) lost: bool,
    /// Whether it has been started at least once.
    pub(crate) begun: bool,
}

/// A deletion that the kubelet has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopping {
    pub(crate) until: SimTime,
    /// Containers have been told to end.
    pub(crate) told: bool,
}

/// A pod as its kubelet knows it.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) node: u32,
    pub(crate) spec: Arc<PodSpec>,
    pub(crate) ip: Ip,
    pub(crate) start: SimTime,
    pub(crate) stage: Stage,
    pub(crate) cells: Vec<Cell>,
    pub(crate) stopping: Option<Stopping>,
    /// Why the whole pod has failed, if it has: reason and message.
    pub(crate) failure: Option<(&'static str, Text)>,
    /// What is missing for its volumes, so that it is told once.
    pub(crate) missing: Option<Text>,
    pub(crate) deadline: Option<TimerId>,
}

impl Cell {
    fn new(reason: &'static str) -> Self {
        Self {
            status: ContainerStatus::waiting(reason),
            pid: None,
            backoff: None,
            pull_backoff: None,
            timer: None,
            good: 0,
            bad: 0,
            lost: false,
            begun: false,
        }
    }

    pub(crate) fn wait(&mut self, reason: &'static str, message: impl Into<Text>) {
        if let State::Terminated(ended) = &self.status.state {
            self.status.last = Some(ended.clone());
        }
        self.status.state = State::Waiting { reason, message: message.into() };
        self.status.ready = false;
        self.status.started = false;
    }

    /// Whether it has ended and is not started again.
    pub(crate) fn ended(&self) -> Option<&Ended> {
        match &self.status.state {
            State::Terminated(ended) if self.timer.is_none() => Some(ended),
            _ => None,
        }
    }
}

impl Kube {
    pub(crate) fn run(&self, no: ObjectNo) -> Option<&Run> {
        self.runs.get(&no).map(|run| &**run)
    }

    pub(crate) fn run_mut<R>(&mut self, no: ObjectNo, change: impl FnOnce(&mut Run) -> R) -> Option<R> {
        self.runs.get_mut(&no).map(|run| change(Arc::make_mut(run)))
    }

    pub(crate) fn cell_mut<R>(
        &mut self,
        no: ObjectNo,
        at: u16,
        change: impl FnOnce(&mut Cell) -> R,
    ) -> Option<R> {
        self.runs.get_mut(&no).and_then(|run| Arc::make_mut(run).cells.get_mut(usize::from(at)).map(change))
    }

    /// Whether the kubelet of a pod acts now; one that restarts acts when it is back.
    pub(crate) fn acts(&self, no: ObjectNo) -> Option<Absence> {
        let run = self.run(no)?;
        self.nodes.get(run.node as usize)?.absence
    }

    /// Brings a pod in line with what is asked.
    pub(crate) fn kubelet(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        let Some(pod) = self.store.object(no).cloned() else { return self.drop_run(fleet, no) };
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return };
        let Some(number) = self.node_number(&own.node) else { return };
        if !self.is_heard(number) {
            return;
        }
        if !self.runs.contains_key(&no) {
            if pod.is_being_deleted() {
                return self.pod_gone(cx, &pod);
            }
            if status.phase.is_terminal() {
                return;
            }
            self.take_on(cx, no, number, spec.clone());
            if let Some((reason, message)) = self.has_no_room(number, spec) {
                return self.fail_pod(cx, fleet, no, reason, &message);
            }
        }
        let Some(run) = self.run(no) else { return };
        if pod.is_being_deleted() {
            return self.stop_pod(cx, fleet, &pod);
        }
        if !Arc::ptr_eq(&run.spec, spec) {
            self.take_spec(cx, fleet, &pod, spec.clone());
        }
        self.resume_lost(cx, fleet, no);
        self.go_on(cx, fleet, no);
    }

    /// Whether a node has too little of something for all pods that are bound to it, this one the last.
    fn has_no_room(&self, number: u32, spec: &PodSpec) -> Option<(&'static str, String)> {
        let node = self.nodes.get(number as usize)?;
        let (all, used, own) = (node.allocatable, node.requested.plus(node.others.amounts), spec.requests);
        let rows = [
            ("OutOfpods", "pods", all.pods, used.pods, own.pods),
            ("OutOfcpu", "cpu", all.cpu_milli, used.cpu_milli, own.cpu_milli),
            ("OutOfmemory", "memory", all.memory, used.memory, own.memory),
        ];
        let (reason, word, all, used, own) =
            rows.into_iter().find(|(_, _, all, used, own)| *own > 0 && used > all)?;
        let used = used - own;
        let message = format!(
            "Pod Node didn't have enough resource: {word}, requested: {own}, used: {used}, capacity: {all}"
        );
        Some((reason, message))
    }

    /// A kubelet takes a pod on.
    fn take_on(&mut self, cx: &Cx, no: ObjectNo, node: u32, spec: Arc<PodSpec>) {
        let reason = if spec.inits > 0 { "PodInitializing" } else { "ContainerCreating" };
        let cells = (0..spec.containers.len()).map(|_| Cell::new(reason)).collect();
        let deadline =
            spec.deadline_s.map(|seconds| self.arm(cx, u64::from(seconds) * 1000, Timer::Deadline(no)));
        let run = Run {
            node,
            spec,
            ip: Ip(0),
            start: cx.now(),
            stage: Stage::Volumes,
            cells,
            stopping: None,
            failure: None,
            missing: None,
            deadline,
        };
        self.runs.insert(no, Arc::new(run));
        self.held_changes.note(no, node);
    }

    /// Images of a running pod have changed: its containers are started anew with them.
    fn take_spec(&mut self, cx: &mut Cx, fleet: &mut Fleet, pod: &Arc<Object>, spec: Arc<PodSpec>) {
        let no = pod.no;
        let Some(old) = self.run_mut(no, |run| std::mem::replace(&mut run.spec, spec.clone())) else {
            return;
        };
        for (at, (before, after)) in old.containers.iter().zip(&spec.containers).enumerate() {
            let at = u16::try_from(at).unwrap_or(u16::MAX);
            if before.image == after.image {
                continue;
            }
            let pid = self.run(no).and_then(|run| run.cells.get(usize::from(at))).and_then(|cell| cell.pid);
            if let Some(pid) = pid {
                let message = format!("Container {} definition changed, will be restarted", after.name);
                self.record(cx, pod, false, "Killing", &message, "kubelet");
                fleet.kill(cx, pid, 1);
            }
        }
    }

    /// What is to be done next for a pod's start.
    pub(crate) fn go_on(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.run(no) else { return };
        if run.stopping.is_some() || run.failure.is_some() {
            return;
        }
        if run.stage == Stage::Volumes {
            if let Some(missing) = self.missing_volume(no) {
                self.tell_missing(cx, no, missing);
                return self.report_pod(cx, no);
            }
            self.wanting.remove(&no);
            let ip = Ip(0x0AF4_0002 + self.next_pod_ip.next() % 65_000);
            self.run_mut(no, |run| {
                run.ip = ip;
                run.missing = None;
                run.stage = if run.spec.inits > 0 { Stage::Init(0) } else { Stage::Main };
            });
        }
        let Some(run) = self.run(no) else { return };
        let (stage, inits, all) = (run.stage, run.spec.inits, run.cells.len());
        match stage {
            Stage::Volumes => {}
            Stage::Init(at) => self.start_if_idle(cx, fleet, no, at),
            Stage::Main => {
                for at in inits..all {
                    self.start_if_idle(cx, fleet, no, u16::try_from(at).unwrap_or(u16::MAX));
                }
            }
        }
        self.report_pod(cx, no);
    }

    /// Starts a container that has not been started and waits for nothing.
    fn start_if_idle(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo, at: u16) {
        let idle = self.run(no).and_then(|run| run.cells.get(usize::from(at))).is_some_and(|cell| {
            cell.pid.is_none() && cell.timer.is_none() && matches!(cell.status.state, State::Waiting { .. })
        });
        if idle {
            self.start_container(cx, fleet, no, at);
        }
    }

    /// The first volume whose source is not there, in words.
    fn missing_volume(&self, no: ObjectNo) -> Option<Text> {
        let pod = self.store.object(no)?;
        let Spec::Pod(spec, own) = &pod.spec else { return None };
        let there =
            |kind, name: &Text| self.get(crate::object::ObjectRef::new(kind, &pod.namespace, name)).is_some();
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

    fn tell_missing(&mut self, cx: &mut Cx, no: ObjectNo, missing: Text) {
        self.wanting.insert(no, ());
        let told = self.run_mut(no, |run| run.missing.replace(missing.clone())).flatten();
        if told.as_ref() != Some(&missing)
            && let Some(pod) = self.store.object(no).cloned()
        {
            self.record(cx, &pod, true, "FailedMount", &missing, "kubelet");
        }
    }

    /// Something that pods may wait for has come: a ConfigMap, a Secret, a claim.
    pub(crate) fn source_came(&mut self, cx: &Cx, namespace: &str) {
        let waiting: Vec<ObjectNo> = self
            .wanting
            .keys()
            .filter(|no| self.store.object(**no).is_some_and(|pod| *pod.namespace == *namespace))
            .copied()
            .collect();
        for no in waiting {
            let reset: Vec<u16> = self.run(no).map(waiting_for_config).unwrap_or_default();
            for at in reset {
                self.cell_mut(no, at, |cell| cell.wait("ContainerCreating", ""));
            }
            self.ask(cx, Work::Kubelet(no));
        }
    }

    /// A pod has been active for as long as it may.
    pub(crate) fn pod_deadline(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: ObjectNo) {
        let Some(run) = self.run(no) else { return };
        if run.stopping.is_some() || run.failure.is_some() {
            return;
        }
        let message = "Pod was active on the node longer than the specified deadline";
        self.fail_pod(cx, fleet, no, "DeadlineExceeded", message);
    }

    /// A pod fails as a whole: all of its containers end.
    pub(crate) fn fail_pod(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        no: ObjectNo,
        reason: &'static str,
        message: &str,
    ) {
        self.run_mut(no, |run| run.failure = Some((reason, message.into())));
        if let Some(pod) = self.store.object(no).cloned() {
            self.record(cx, &pod, false, reason, message, "kubelet");
        }
        self.tell_containers(cx, fleet, no);
        self.settle(cx, no);
    }

    /// A draw of a pod's own.
    pub(crate) fn draw(&self, no: ObjectNo, at: u16, purpose: u32, n: u64, low: u64, high: u64) -> u64 {
        let Some(pod) = self.store.object(no) else { return low };
        let container =
            self.run(no).and_then(|run| run.spec.containers.get(usize::from(at))).map_or("", |one| &one.name);
        let entity = draw::entity_of(&[&pod.namespace, "/", &pod.name, "/", container]);
        draw::between(self.seed, entity, purpose, n, low, high)
    }
}

/// Containers that wait for a ConfigMap or Secret.
fn waiting_for_config(run: &Run) -> Vec<u16> {
    let waits = |cell: &Cell| {
        matches!(cell.status.state, State::Waiting { reason: "CreateContainerConfigError", .. })
            && cell.pid.is_none()
    };
    (0..).zip(&run.cells).filter(|(_, cell)| waits(cell)).map(|(at, _)| at).collect()
}
