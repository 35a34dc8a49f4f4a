//! Why something is not ready yet.
//!
//! *Knows*: what each controller, the scheduler and the kubelets wait for. *Must not know*: what waits for the object.

mod evictions;
pub(crate) mod machines;
mod places;
mod probes;
mod quotas;

pub use places::NodeMiss;

use crate::{
    amounts::Amounts,
    cluster::Cluster,
    kinds::KindId,
    kube::Kube,
    missing::Missing,
    nodes::holdings,
    object::{Object, ObjectNo, ObjectRef},
    records::runs::{Cell, Stage},
    records::workloads::PodTally,
    spec::Spec,
    status::{Phase, PodStatus, State, Status, Tri},
};
use planarium_ground::{Fleet, ProcessState};
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::why::{HeldByOthers, Unblock};
use std::sync::Arc;

/// Maximum number of a workload's pods explained individually.
const PODS: usize = 5;

/// A reason, the most immediate first where there are several.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The obstacle.
    pub kind: WhyKind,
    /// `kind/name` of the object that it is about: `pod/web-5d9c7-x2x4q`, `node/agent-3`.
    pub about: Text,
    /// One sentence for people.
    pub text: String,
    /// Until when at the latest, or when it is looked at again, where that is known.
    pub until: Option<SimTime>,
    /// The event this goes back to.
    pub event: Option<u64>,
    /// The requests of a pod that no node has room for.
    pub requests: Option<Amounts>,
    /// Set if that pod may go to one node only, so that another machine would not help: pods of DaemonSets.
    pub pinned: bool,
    /// Those who hold the machine, for [`WhyKind::HeldByOthers`].
    pub held: Option<Held>,
    /// Objects that it names and that are not there.
    pub missing: Vec<Missing>,
    /// Calls that would change it.
    pub ways: Vec<Unblock>,
}

/// The part of a machine that others than pods hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The machine.
    pub machine: Text,
    /// The scalar that is short.
    pub scalar: &'static str,
    /// The others.
    pub others: HeldByOthers,
}

/// The kinds of reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyKind {
    /// A controller has not looked at it yet.
    NotObserved,
    /// No node takes the pod; the text is the scheduler's own.
    Unschedulable,
    /// Other parts hold the requested resources; the text names them.
    HeldByOthers,
    /// The image is being fetched.
    PullingImage,
    /// The image cannot be fetched.
    ImagePull,
    /// An init container has not ended.
    Init,
    /// A container is starting.
    Starting,
    /// A container ended and is started again after a delay.
    CrashLoop,
    /// A container could not be made.
    ContainerError,
    /// A readiness or startup probe has not passed.
    NotReady,
    /// A container runs that the work waits for to end.
    Running,
    /// Another pod of the set goes first.
    Ordinal,
    /// A claim is not bound.
    Claim,
    /// A volume's source is not there: a ConfigMap, Secret or claim.
    MissingVolume,
    /// The node does not answer.
    NodeNotReady,
    /// The pod is being deleted.
    Terminating,
    /// Pods are being replaced.
    RollingOut,
    /// A rollout is held.
    Paused,
    /// The deadline for progress has passed.
    ProgressDeadline,
    /// The update strategy waits for pods to be deleted by hand.
    OnDelete,
    /// It has failed permanently.
    Failed,
    /// It is held back after failures.
    Backoff,
    /// A disruption budget allows no eviction.
    DisruptionBudget,
    /// The pod could not be created.
    CreateFailed,
    /// A finalizer holds the object.
    Finalizer,
    /// Dependants hold the object.
    Dependants,
    /// A process waits for manual control, or makes no progress.
    Held,
}

/// The collected reasons.
struct Reasons<'a> {
    cluster: &'a Cluster,
    fleet: &'a Fleet,
    found: Vec<Why>,
}

impl Kube {
    /// Why an object is not ready; of a ready one only why a pod stays whose eviction was refused.
    pub fn why(&self, fleet: &Fleet, object: &Object) -> Vec<Why> {
        let mut reasons = Reasons { cluster: &self.cluster, fleet, found: Vec::new() };
        reasons.object(object);
        reasons.found
    }
}

impl Reasons<'_> {
    fn add(&mut self, kind: WhyKind, about: &Object, text: impl Into<String>, until: Option<SimTime>) {
        let event = self.last_event(about);
        let about = about.path();
        let text = text.into();
        self.found.push(Why {
            kind,
            about,
            text,
            until,
            event,
            requests: None,
            pinned: false,
            held: None,
            missing: Vec::new(),
            ways: Vec::new(),
        });
    }

    /// Adds objects that are not there to the last reason.
    fn lacks(&mut self, missing: impl IntoIterator<Item = Missing>) {
        if let Some(last) = self.found.last_mut() {
            last.missing.extend(missing);
        }
    }

    /// The event behind the last report about an object.
    fn last_event(&self, about: &Object) -> Option<u64> {
        let reports = self.cluster.occurrences(about.reference());
        reports.last().map(|one| one.event)
    }

    fn object(&mut self, object: &Object) {
        if object.is_being_deleted() && object.kind != KindId::POD {
            return self.deletion(object);
        }
        match object.kind {
            KindId::POD => self.pod(object),
            KindId::DEPLOYMENT => self.deployment(object),
            KindId::REPLICA_SET => self.replica_set(object),
            KindId::STATEFUL_SET => self.stateful_set(object),
            KindId::DAEMON_SET => self.daemon_set(object),
            KindId::JOB => self.job(object),
            KindId::PERSISTENT_VOLUME_CLAIM => self.claim(object),
            KindId::SERVICE => {
                let facts = object.service();
                if facts.is_some_and(|facts| &*facts.kind == "LoadBalancer" && facts.ingress == 0) {
                    let until = self.cluster.workloads.next_turn(object.no);
                    self.add(WhyKind::Starting, object, "the load balancer has no address yet", until);
                }
            }
            KindId::CUSTOM_RESOURCE_DEFINITION if !object.is_established() => {
                self.add(WhyKind::NotObserved, object, "the kind is not established yet", None);
            }
            KindId::CRON_JOB => {
                if let Some(next) = self.cluster.workloads.next_turn(object.no) {
                    let text =
                        format!("CronJob {} runs next at {}", object.name, self.cluster.api.epoch.text(next));
                    self.add(WhyKind::Running, object, text, Some(next));
                }
            }
            _ => {}
        }
    }

    fn deletion(&mut self, object: &Object) {
        let kind = &object.info().kind;
        for finalizer in object.finalizers.iter() {
            let (why, text) = match &**finalizer {
                "foregroundDeletion" => {
                    let left: Vec<Text> = self
                        .cluster
                        .api
                        .store
                        .dependants(object.no)
                        .map(|one| one.path())
                        .take(PODS)
                        .collect();
                    let text =
                        format!("{kind} {} is being deleted and waits for {}", object.name, left.join(", "));
                    (WhyKind::Dependants, text)
                }
                "kubernetes.io/pvc-protection" => {
                    let users: Vec<&str> =
                        self.cluster.api.store.pods_using(object).map(|pod| &*pod.name).take(PODS).collect();
                    let text = format!(
                        "claim {} is being deleted and is still used by {}",
                        object.name,
                        users.join(", ")
                    );
                    (WhyKind::Finalizer, text)
                }
                finalizer => {
                    let text = format!(
                        "{kind} {} is being deleted and is held by the finalizer {finalizer}",
                        object.name
                    );
                    (WhyKind::Finalizer, text)
                }
            };
            self.add(why, object, text, None);
        }
        if object.kind == KindId::NAMESPACE {
            let left = self.cluster.api.store.in_namespace(&object.name).count();
            self.add(
                WhyKind::Dependants,
                object,
                format!("namespace {} still has {left} objects", object.name),
                None,
            );
        }
    }

    fn pod(&mut self, pod: &Object) {
        self.pod_state(pod);
        // Also for a ready pod: something waits for it to end.
        self.found.extend(evictions::why(self.cluster, pod));
    }

    fn pod_state(&mut self, pod: &Object) {
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return };
        let run = self.cluster.runs.get(pod.no);
        let node = self.cluster.nodes.named(&own.node);
        if let Some(node) = node
            && (node.absence.is_some() || node.ready != Tri::True)
        {
            let text = format!("node {} does not answer: what runs on it is not known", node.name);
            self.add(WhyKind::NodeNotReady, pod, text, None);
            if status.ready_since().is_some() && !pod.is_being_deleted() {
                self.found.clear();
            }
            return;
        }
        if pod.is_being_deleted() {
            let until = pod.deletion.map(|deletion| deletion.at);
            let text = format!("pod {} is being deleted and its containers have not ended yet", pod.name);
            if run.is_some() {
                self.add(WhyKind::Terminating, pod, text, until);
            }
            return self.deletion(pod);
        }
        if status.phase == Phase::Failed {
            let text = match &*status.message {
                "" => format!("pod {} has failed{}", pod.name, exit_text(status)),
                message => format!("pod {} has failed: {message}", pod.name),
            };
            return self.add(WhyKind::Failed, pod, text, None);
        }
        if status.phase == Phase::Succeeded || status.ready_since().is_some() {
            return;
        }
        if !own.is_bound() {
            return self.unbound(pod, status);
        }
        let Some(run) = run else {
            return self.add(
                WhyKind::NotObserved,
                pod,
                format!("the kubelet of {} has not taken the pod on yet", own.node),
                None,
            );
        };
        if let Some(missing) = &run.missing {
            self.add(WhyKind::MissingVolume, pod, missing.to_string(), None);
            return self.lacks(Missing::of_pod(&self.cluster.api, pod));
        }
        let (from, to) = match run.stage {
            Stage::Init(at) => (usize::from(at), usize::from(at) + 1),
            _ => (usize::from(run.spec.inits), run.cells.len()),
        };
        let cells = run.cells.get(from..to).unwrap_or_default();
        for (cell, container) in cells.iter().zip(spec.containers.get(from..to).unwrap_or_default()) {
            self.container(pod, cell, container, matches!(run.stage, Stage::Init(_)));
        }
        if self.found.is_empty() {
            let message = status.condition("Ready").map_or("", |one| &one.message);
            self.add(WhyKind::NotReady, pod, format!("pod {} is not ready: {message}", pod.name), None);
        }
    }

    fn unbound(&mut self, pod: &Object, status: &PodStatus) {
        let claims: Vec<Text> = pod.claims().cloned().collect();
        for name in claims {
            let claim = self
                .cluster
                .api
                .get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, &pod.namespace, &name))
                .cloned();
            if let Some(claim) = claim.filter(|claim| !claim.is_bound_claim()) {
                self.claim(&claim);
            }
        }
        match status.condition("PodScheduled").filter(|one| one.status == Tri::False) {
            Some(cond) => {
                self.add(WhyKind::Unschedulable, pod, cond.message.to_string(), None);
                self.lacks(Missing::of_pod(&self.cluster.api, pod));
                if let (Some(why), Spec::Pod(spec, own)) = (self.found.last_mut(), &pod.spec)
                    && cond.message.contains("Insufficient")
                {
                    why.requests = Some(spec.requests);
                    why.pinned = own.pinned.is_some();
                }
                self.held_by_others(pod);
            }
            None if matches!(&pod.spec, Spec::Pod(spec, _) if spec.foreign_scheduler) => {
                self.add(
                    WhyKind::Unschedulable,
                    pod,
                    "another scheduler has to bind it, and there is none",
                    None,
                );
            }
            None => self.add(WhyKind::NotObserved, pod, "the scheduler has not looked at it yet", None),
        }
    }

    /// Adds the resources that a pod waits for because other parts hold them.
    fn held_by_others(&mut self, pod: &Object) {
        let Spec::Pod(spec, _) = &pod.spec else { return };
        let last = self.last_event(pod);
        let held = holdings::held_from(&self.cluster.nodes, self.fleet, spec);
        for (node, scalar, held) in held.into_iter().take(PODS) {
            let text = held.sentence(scalar.as_str(), &node.name);
            let about = format!("node/{}", node.name).into();
            let held = Some(Held { machine: node.name.clone(), scalar: scalar.as_str(), others: held });
            let kind = WhyKind::HeldByOthers;
            self.found.push(Why {
                kind,
                about,
                text,
                until: None,
                event: last,
                requests: None,
                pinned: false,
                held,
                missing: Vec::new(),
                ways: Vec::new(),
            });
        }
    }

    fn container(
        &mut self,
        pod: &Object,
        cell: &Cell,
        container: &crate::spec::container::Container,
        init: bool,
    ) {
        let name = &container.name;
        let until = cell.timer.map(|(_, at)| at);
        let facts = cell.pid.and_then(|pid| self.fleet.process(pid));
        let held = facts.as_ref().is_some_and(|facts| facts.hung || facts.manual);
        if held {
            let text = format!("container {name} makes no progress: its process is held");
            return self.add(WhyKind::Held, pod, text, None);
        }
        match &cell.status.state {
            State::Waiting { reason, message } => match *reason {
                "CrashLoopBackOff" if cell.pid.is_none() => {
                    let last = cell.status.last.as_ref().map_or_else(String::new, |ended| {
                        format!(" after it ended with {} ({})", ended.code, ended.reason)
                    });
                    let killed = probes::killed(cell, self.cluster.api.epoch);
                    let text = format!("container {name} is started again{last}: {message}{killed}");
                    self.add(WhyKind::CrashLoop, pod, text, until);
                }
                "ImagePullBackOff" | "ErrImagePull" | "InvalidImageName" | "ErrImageNeverPull" => {
                    let text = format!("image {} cannot be used: {message}", container.image);
                    self.add(WhyKind::ImagePull, pod, text, until);
                }
                "CreateContainerConfigError" => {
                    self.add(
                        WhyKind::ContainerError,
                        pod,
                        format!("container {name} cannot be made: {message}"),
                        until,
                    );
                    self.lacks(Missing::of_pod(&self.cluster.api, pod));
                }
                _ if cell.pid.is_none() && until.is_some() => {
                    self.add(
                        WhyKind::PullingImage,
                        pod,
                        format!("image {} is being fetched", container.image),
                        until,
                    );
                }
                _ => {
                    let until = facts.and_then(|facts| facts.next);
                    let killed = probes::killed(cell, self.cluster.api.epoch);
                    let text = format!("container {name} is being started{killed}");
                    self.add(WhyKind::Starting, pod, text, until);
                }
            },
            State::Terminated(ended) if init && ended.code == 0 => {}
            State::Terminated(ended) => {
                let text = format!("container {name} ended with {} ({})", ended.code, ended.reason);
                let kind = if cell.pid.is_some() { WhyKind::Starting } else { WhyKind::CrashLoop };
                self.add(kind, pod, text, until);
            }
            State::Running { .. } if init => {
                let until = facts.and_then(|facts| facts.next);
                self.add(WhyKind::Init, pod, format!("init container {name} has not ended yet"), until);
            }
            State::Running { .. } if cell.status.ready => {}
            State::Running { .. } => {
                let next = facts.as_ref().and_then(|facts| {
                    if facts.state == ProcessState::Running { facts.readiness_next } else { facts.next }
                });
                let last = facts.and_then(|facts| facts.readiness_last);
                let text = probes::sentence(cell, container, last, self.cluster.api.epoch);
                self.add(WhyKind::NotReady, pod, text, next);
            }
        }
    }

    /// Reasons of the pods of a workload that are not ready.
    fn pods(&mut self, workload: ObjectNo) {
        let waits = |pod: &&Arc<Object>| {
            self.cluster.workloads.pods.get(&pod.no).is_some_and(|tally: &PodTally| {
                !tally.phase.is_terminal() && (tally.terminating || !tally.ready)
            })
        };
        let pods: Vec<Arc<Object>> =
            self.cluster.api.store.pods_of(workload).filter(waits).take(PODS).cloned().collect();
        for pod in pods {
            self.pod(&pod);
        }
    }

    fn not_observed(&mut self, object: &Object, observed: u64) -> bool {
        if observed >= object.generation {
            return false;
        }
        let text = format!("the controller has not looked at the latest change of {} yet", object.name);
        self.add(WhyKind::NotObserved, object, text, None);
        true
    }

    /// Adds the required quota to the last reason, if that names a quota.
    fn raise(&mut self, owner: &Object, missing: u32) {
        let Some(last) = self.found.last_mut() else { return };
        last.ways.extend(quotas::raise(&self.cluster.api, owner, &last.text, missing));
    }

    fn failed_creates(&mut self, object: &Object) {
        let Status::Set(status) = &object.status else { return };
        if let Some(cond) = status.conditions.iter().find(|one| one.kind == "ReplicaFailure") {
            self.add(
                WhyKind::CreateFailed,
                object,
                format!("pods cannot be created: {}", cond.message),
                None,
            );
            let there = object.replica_set().map_or(0, |facts| facts.replicas);
            self.raise(object, object.replicas.saturating_sub(there));
        }
    }

    fn replica_set(&mut self, set: &Object) {
        let Some(facts) = set.replica_set() else { return };
        if facts.available_replicas >= facts.spec_replicas && facts.replicas <= facts.spec_replicas {
            return;
        }
        self.not_observed(set, facts.observed_generation);
        self.failed_creates(set);
        self.pods(set.no);
        if self.found.is_empty() && facts.available_replicas < facts.spec_replicas {
            let text = format!("{} of {} pods are available", facts.available_replicas, facts.spec_replicas);
            self.add(WhyKind::NotReady, set, text, None);
        }
    }

    fn deployment(&mut self, object: &Object) {
        let Some(facts) = object.deployment() else { return };
        let wanted = facts.spec_replicas;
        let done = facts.updated_replicas == wanted
            && facts.replicas == wanted
            && facts.available_replicas == wanted;
        if done && facts.observed_generation >= facts.generation {
            return;
        }
        if self.not_observed(object, facts.observed_generation) {
            return;
        }
        if matches!(&object.spec, Spec::Deployment(spec) if spec.paused) {
            self.add(WhyKind::Paused, object, format!("Deployment {} is paused", object.name), None);
        }
        if facts.progressing.as_ref().is_some_and(|one| one.reason == "ProgressDeadlineExceeded") {
            let text = format!("Deployment {} has made no progress within its deadline", object.name);
            self.add(WhyKind::ProgressDeadline, object, text, None);
        }
        let sets: Vec<Arc<Object>> = self
            .cluster
            .api
            .store
            .dependants(object.no)
            .filter(|set| set.kind == KindId::REPLICA_SET)
            .cloned()
            .collect();
        for set in sets.iter().rev() {
            self.failed_creates(set);
            self.pods(set.no);
        }
        let left = facts.replicas.saturating_sub(facts.updated_replicas);
        if left > 0 {
            let text = format!("{left} old pods of {} have yet to be replaced", object.name);
            self.add(WhyKind::RollingOut, object, text, None);
        }
        if self.found.is_empty() {
            let text =
                format!("{} of {wanted} pods of {} are available", facts.available_replicas, object.name);
            self.add(WhyKind::NotReady, object, text, None);
        }
    }

    fn stateful_set(&mut self, set: &Object) {
        let (Some(facts), Spec::StatefulSet(spec)) = (set.stateful_set(), &set.spec) else { return };
        let spec = spec.clone();
        if self.not_observed(set, facts.observed_generation) {
            return;
        }
        let wanted = facts.spec_replicas;
        let fresh = wanted.saturating_sub(facts.partition.unwrap_or(0));
        let updated = facts.updated_replicas >= fresh || facts.current_revision == facts.update_revision;
        if facts.ready_replicas >= wanted && facts.replicas <= wanted && updated {
            return;
        }
        let first = self.found.len();
        self.pods(set.no);
        let slots = self
            .cluster
            .workloads
            .get(set.no)
            .and_then(|workload| workload.slots.as_deref())
            .cloned()
            .unwrap_or_default();
        if !spec.parallel
            && let Some(gap) = slots.gaps.first()
            && let Some(before) = slots.unhealthy.first().filter(|before| *before < gap)
        {
            let text = format!("{0}-{gap} waits for {0}-{before} to be running and ready", set.name);
            self.add(WhyKind::Ordinal, set, text, None);
        }
        if spec.on_delete() && !slots.stale.is_empty() {
            let text = format!(
                "{} pods of {} were made by an earlier revision; with OnDelete they are replaced when somebody deletes them",
                slots.stale.len(),
                set.name
            );
            self.add(WhyKind::OnDelete, set, text, None);
        } else if !updated {
            let text = format!("{} of {fresh} pods of {} are updated", facts.updated_replicas, set.name);
            self.add(WhyKind::RollingOut, set, text, None);
        }
        self.blocked_creates(set);
        if self.found.len() == first {
            let text = format!("{} of {wanted} pods of {} are ready", facts.ready_replicas, set.name);
            self.add(WhyKind::NotReady, set, text, None);
        }
    }

    /// The last thing a controller could not create, if that is the last thing it said.
    fn blocked_creates(&mut self, set: &Object) {
        let last = self.cluster.occurrences(set.reference()).into_iter().next_back();
        if let Some(last) = last.filter(|last| &*last.reason == "FailedCreate") {
            self.add(WhyKind::CreateFailed, set, last.message.to_string(), None);
            let there = self.cluster.workloads.get(set.no).map_or(0, |workload| workload.active);
            let wanted = set.job().map_or(set.replicas, |job| {
                job.completions
                    .map_or(job.parallelism, |all| job.parallelism.min(all - all.min(job.succeeded)))
            });
            self.raise(set, wanted.saturating_sub(there));
        }
    }

    fn daemon_set(&mut self, set: &Object) {
        let Some(facts) = set.daemon_set() else { return };
        if self.not_observed(set, facts.observed_generation) {
            return;
        }
        if facts.available >= facts.desired && facts.updated >= facts.desired {
            return;
        }
        self.pods(set.no);
        if facts.updated < facts.desired {
            let word =
                if &*facts.update_strategy == "OnDelete" { WhyKind::OnDelete } else { WhyKind::RollingOut };
            let text = format!("{} of {} pods of {} are updated", facts.updated, facts.desired, set.name);
            self.add(word, set, text, None);
        }
        if self.found.is_empty() {
            let text = format!("{} of {} pods of {} are available", facts.available, facts.desired, set.name);
            self.add(WhyKind::NotReady, set, text, None);
        }
    }

    fn job(&mut self, job: &Object) {
        let Some(facts) = job.job() else { return };
        if let Some(failure) = &facts.failure {
            return self.add(
                WhyKind::Failed,
                job,
                format!("Job {} has failed: {}", job.name, failure.message),
                None,
            );
        }
        if facts.complete.is_some() {
            return;
        }
        let Status::Job(status) = &job.status else { return };
        if status.start.is_none() {
            return self.add(
                WhyKind::NotObserved,
                job,
                format!("the controller has not looked at {} yet", job.name),
                None,
            );
        }
        let workload = self.cluster.workloads.get(job.no).cloned().unwrap_or_default();
        if workload.active == 0
            && let Some(hold) = workload.hold
        {
            let text = format!(
                "{} pods of Job {} have failed (limit {}); the next one is made after a back-off",
                facts.failed, job.name, facts.backoff_limit
            );
            self.add(WhyKind::Backoff, job, text, Some(hold));
        }
        let pods: Vec<Arc<Object>> = self.cluster.api.store.pods_of(job.no).take(4 * PODS).cloned().collect();
        for pod in pods.iter().filter(|pod| !pod.is_over()).take(PODS) {
            let Status::Pod(status) = &pod.status else { continue };
            if status.ready_since().is_some() {
                let ends = self.cluster.runs.get(pod.no).and_then(|run| {
                    run.cells.iter().filter_map(|cell| self.fleet.process(cell.pid?)?.next).max()
                });
                self.add(WhyKind::Running, pod, format!("pod {} has not ended yet", pod.name), ends);
            } else {
                self.pod(pod);
            }
        }
        if self.found.is_empty() {
            self.blocked_creates(job);
        }
        if self.found.is_empty() {
            let text = format!(
                "{} of {} pods of Job {} have succeeded",
                facts.succeeded,
                facts.completions.unwrap_or(1),
                job.name
            );
            self.add(WhyKind::Running, job, text, None);
        }
    }

    fn claim(&mut self, claim: &Object) {
        if claim.is_bound_claim() {
            return;
        }
        let until = self.cluster.workloads.next_turn(claim.no);
        let last = self.cluster.occurrences(claim.reference()).into_iter().next_back();
        let text = last.map_or_else(String::new, |last| format!(": {}", last.message));
        self.add(WhyKind::Claim, claim, format!("claim {} is not bound{text}", claim.name), until);
        self.lacks(Missing::class(&self.cluster.api, claim));
    }
}

/// Words the end of the first container that failed.
fn exit_text(status: &PodStatus) -> String {
    let failed = status.containers.iter().find_map(|one| match &one.state {
        State::Terminated(ended) if ended.code != 0 => {
            Some(format!(": a container ended with {} ({})", ended.code, ended.reason))
        }
        _ => None,
    });
    failed.unwrap_or_default()
}
