//! Typed summaries of objects, for judging them.
//!
//! *Knows*: counts, conditions and phases, read from an [`Object`] at no cost. *Must not know*: what is healthy.

use crate::{
    kinds::KindId,
    object::Object,
    spec::{Spec, pod::PodSpec},
    status::{Cond, PodStatus, SetStatus, State, Status},
    tree::Tree,
};
use planarium_protocol::Text;
use std::borrow::Cow;

/// A condition of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `Ready`, `Progressing`, ...
    pub kind: &'static str,
    /// `True`, `False` or `Unknown`.
    pub status: &'static str,
    /// One word.
    pub reason: &'static str,
    /// For people.
    pub message: Text,
}

/// A Deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeploymentFacts {
    /// `metadata.generation`.
    pub generation: u64,
    /// `status.observedGeneration`; 0 while the controller has not looked.
    pub observed_generation: u64,
    /// `spec.replicas`.
    pub spec_replicas: u32,
    /// `status.replicas`.
    pub replicas: u32,
    /// `status.updatedReplicas`.
    pub updated_replicas: u32,
    /// `status.readyReplicas`.
    pub ready_replicas: u32,
    /// `status.availableReplicas`.
    pub available_replicas: u32,
    /// `status.unavailableReplicas`.
    pub unavailable_replicas: u32,
    /// Maximum of pods that its strategy allows during a rollout.
    pub most: u32,
    /// Number of pods that its strategy keeps available.
    pub least: u32,
    /// The condition `Progressing`, if there is one.
    pub progressing: Option<Condition>,
    /// The condition `Available`, if there is one.
    pub available: Option<Condition>,
}

/// A ReplicaSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaSetFacts {
    /// `metadata.generation`.
    pub generation: u64,
    /// `status.observedGeneration`.
    pub observed_generation: u64,
    /// `spec.replicas`.
    pub spec_replicas: u32,
    /// `status.replicas`.
    pub replicas: u32,
    /// `status.readyReplicas`.
    pub ready_replicas: u32,
    /// `status.availableReplicas`.
    pub available_replicas: u32,
}

/// A StatefulSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatefulSetFacts {
    /// `metadata.generation`.
    pub generation: u64,
    /// `status.observedGeneration`; 0 while the controller has not looked.
    pub observed_generation: u64,
    /// `spec.updateStrategy.type`.
    pub update_strategy: Text,
    /// `spec.updateStrategy.rollingUpdate.partition`; nothing without the block `rollingUpdate`.
    pub partition: Option<u32>,
    /// `spec.replicas`.
    pub spec_replicas: u32,
    /// `status.replicas`.
    pub replicas: u32,
    /// `status.readyReplicas`.
    pub ready_replicas: u32,
    /// `status.currentReplicas`.
    pub current_replicas: u32,
    /// `status.updatedReplicas`.
    pub updated_replicas: u32,
    /// `status.currentRevision`.
    pub current_revision: Text,
    /// `status.updateRevision`.
    pub update_revision: Text,
}

/// A DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSetFacts {
    /// `metadata.generation`.
    pub generation: u64,
    /// `status.observedGeneration`.
    pub observed_generation: u64,
    /// `spec.updateStrategy.type`.
    pub update_strategy: Text,
    /// `status.desiredNumberScheduled`.
    pub desired: u32,
    /// `status.currentNumberScheduled`.
    pub current: u32,
    /// `status.numberReady`.
    pub ready: u32,
    /// `status.updatedNumberScheduled`.
    pub updated: u32,
    /// `status.numberAvailable`.
    pub available: u32,
    /// `status.numberMisscheduled`.
    pub misscheduled: u32,
}

/// A Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFacts {
    /// `spec.completions`; nothing for a work queue.
    pub completions: Option<u32>,
    /// `spec.parallelism`.
    pub parallelism: u32,
    /// `spec.backoffLimit`.
    pub backoff_limit: u32,
    /// `status.active`.
    pub active: u32,
    /// `status.succeeded`.
    pub succeeded: u32,
    /// `status.failed`.
    pub failed: u32,
    /// The condition `Complete`, if there is one.
    pub complete: Option<Condition>,
    /// The condition `Failed`, if there is one.
    pub failure: Option<Condition>,
}

/// A Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFacts {
    /// `status.phase`.
    pub phase: Text,
    /// True if the condition `Ready` is `True`.
    pub ready: bool,
    /// `spec.nodeName`; empty while it is not bound.
    pub node: Text,
    /// `status.podIP`; empty while it has none.
    pub ip: Text,
    /// The word that `kubectl get pods` shows as STATUS: `Running`, `CrashLoopBackOff`, `Init:0/1`, `Terminating`, ...
    pub shown: Text,
    /// Containers that are ready.
    pub ready_containers: u32,
    /// Containers, init containers apart.
    pub containers: u32,
    /// Number of times that its containers were started again.
    pub restarts: u32,
    /// All conditions.
    pub conditions: Vec<Condition>,
}

/// A Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceFacts {
    /// `spec.type`.
    pub kind: Text,
    /// `spec.clusterIP`: an address, `None`, or empty.
    pub cluster_ip: Text,
    /// Number of `spec.externalIPs`.
    pub external_ips: u32,
    /// Number of entries of `status.loadBalancer.ingress`.
    pub ingress: u32,
}

/// A CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdFacts {
    /// True if the condition `Established` is `True`: the kind is served.
    pub established: bool,
}

impl Condition {
    fn of(cond: &Cond) -> Self {
        Self {
            kind: cond.kind,
            status: cond.status.as_str(),
            reason: cond.reason,
            message: cond.message.clone(),
        }
    }

    fn find(all: &[Cond], kind: &str) -> Option<Self> {
        all.iter().find(|one| one.kind == kind).map(Self::of)
    }
}

impl Object {
    fn set(&self, kind: KindId) -> Option<&SetStatus> {
        match &self.status {
            Status::Set(status) if self.kind == kind => Some(status),
            _ => None,
        }
    }

    /// The condition of this type, of a workload, a pod or a Job; nothing where there is none.
    pub fn condition(&self, kind: &str) -> Option<Condition> {
        match &self.status {
            Status::Set(status) => Condition::find(&status.conditions, kind),
            Status::Pod(status) => Condition::find(&status.conditions, kind),
            Status::Job(status) => Condition::find(&status.conditions, kind),
            _ => None,
        }
    }

    /// The node that a DaemonSet made the pod for; nothing for any other pod.
    pub fn wanted_node(&self) -> Option<&Text> {
        match &self.spec {
            Spec::Pod(_, own) => own.pinned.as_ref(),
            _ => None,
        }
    }

    /// `None` if it is not a Deployment.
    pub fn deployment(&self) -> Option<DeploymentFacts> {
        let status = self.set(KindId::DEPLOYMENT)?;
        let (surge, unavailable) = match &self.spec {
            Spec::Deployment(spec) if spec.recreate => (0, self.replicas),
            Spec::Deployment(spec) => spec.fence(self.replicas),
            _ => (0, 0),
        };
        Some(DeploymentFacts {
            generation: self.generation,
            observed_generation: status.observed,
            spec_replicas: self.replicas,
            replicas: status.replicas,
            updated_replicas: status.updated,
            ready_replicas: status.ready,
            available_replicas: status.available,
            unavailable_replicas: status.unavailable,
            most: self.replicas.saturating_add(surge),
            least: self.replicas.saturating_sub(unavailable),
            progressing: Condition::find(&status.conditions, "Progressing"),
            available: Condition::find(&status.conditions, "Available"),
        })
    }

    /// `None` if it is not a ReplicaSet.
    pub fn replica_set(&self) -> Option<ReplicaSetFacts> {
        let status = self.set(KindId::REPLICA_SET)?;
        Some(ReplicaSetFacts {
            generation: self.generation,
            observed_generation: status.observed,
            spec_replicas: self.replicas,
            replicas: status.replicas,
            ready_replicas: status.ready,
            available_replicas: status.available,
        })
    }

    /// `None` if it is not a StatefulSet.
    pub fn stateful_set(&self) -> Option<StatefulSetFacts> {
        let status = self.set(KindId::STATEFUL_SET)?;
        let Spec::StatefulSet(spec) = &self.spec else { return None };
        Some(StatefulSetFacts {
            generation: self.generation,
            observed_generation: status.observed,
            update_strategy: spec.strategy.clone(),
            partition: spec.partition,
            spec_replicas: self.replicas,
            replicas: status.replicas,
            ready_replicas: status.ready,
            current_replicas: status.own,
            updated_replicas: status.updated,
            current_revision: status.current_revision.clone(),
            update_revision: status.update_revision.clone(),
        })
    }

    /// `None` if it is not a DaemonSet.
    pub fn daemon_set(&self) -> Option<DaemonSetFacts> {
        let status = self.set(KindId::DAEMON_SET)?;
        let Spec::DaemonSet(spec) = &self.spec else { return None };
        Some(DaemonSetFacts {
            generation: self.generation,
            observed_generation: status.observed,
            update_strategy: spec.strategy.clone(),
            desired: status.own,
            current: status.replicas,
            ready: status.ready,
            updated: status.updated,
            available: status.available,
            misscheduled: status.misscheduled,
        })
    }

    /// `None` if it is not a Job.
    pub fn job(&self) -> Option<JobFacts> {
        let (Spec::Job(spec), Status::Job(status)) = (&self.spec, &self.status) else { return None };
        Some(JobFacts {
            completions: spec.completions,
            parallelism: spec.parallelism,
            backoff_limit: spec.backoff_limit,
            active: status.active,
            succeeded: status.succeeded,
            failed: status.failed,
            complete: Condition::find(&status.conditions, "Complete"),
            failure: Condition::find(&status.conditions, "Failed"),
        })
    }

    /// The word that `kubectl get pods` shows as STATUS, and whether the condition `Ready` is `True`; `None` if it is not a Pod.
    pub fn shown_status(&self) -> Option<(Cow<'static, str>, bool)> {
        let (Spec::Pod(spec, _), Status::Pod(status)) = (&self.spec, &self.status) else { return None };
        Some((shown(self, spec, status), status.ready_since().is_some()))
    }

    /// `None` if it is not a Pod.
    pub fn pod(&self) -> Option<PodFacts> {
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&self.spec, &self.status) else { return None };
        let (_, main) = status.containers.split_at_checked(usize::from(spec.inits)).unwrap_or((&[], &[]));
        Some(PodFacts {
            phase: status.phase.as_str().into(),
            ready: status.ready_since().is_some(),
            node: own.node.clone(),
            ip: if status.ip.is_none() { "".into() } else { status.ip.text().into() },
            shown: shown(self, spec, status).into(),
            ready_containers: main.iter().map(|one| u32::from(one.ready)).sum(),
            containers: u32::try_from(spec.main().len()).unwrap_or(u32::MAX),
            restarts: main.iter().map(|one| one.restarts).fold(0, u32::saturating_add),
            conditions: status.conditions.iter().map(Condition::of).collect(),
        })
    }

    /// `None` if it is not a Service.
    pub fn service(&self) -> Option<ServiceFacts> {
        if self.kind != KindId::SERVICE {
            return None;
        }
        let spec = self.content.key("spec");
        let number = |items: &[_]| u32::try_from(items.len()).unwrap_or(u32::MAX);
        let ingress = match &self.status {
            Status::Plain(status) => number(status.key("loadBalancer").items("ingress")),
            _ => 0,
        };
        Some(ServiceFacts {
            kind: spec.text("type").into(),
            cluster_ip: spec.text("clusterIP").into(),
            external_ips: number(spec.items("externalIPs")),
            ingress,
        })
    }

    /// `None` if it is not a CustomResourceDefinition.
    pub fn crd(&self) -> Option<CrdFacts> {
        (self.kind == KindId::CUSTOM_RESOURCE_DEFINITION)
            .then(|| CrdFacts { established: self.is_established() })
    }

    /// `status.phase` of a Namespace; nothing when it is none.
    pub fn namespace_phase(&self) -> Option<Text> {
        match &self.status {
            Status::Plain(status) if self.kind == KindId::NAMESPACE => Some(status.text("phase").into()),
            _ => None,
        }
    }
}

/// The word that tables show as a pod's status.
///
/// **Source**: `kubernetes/kubernetes: pkg/printers/internalversion/printers.go` (`printPod`), match.
fn shown(pod: &Object, spec: &PodSpec, status: &PodStatus) -> Cow<'static, str> {
    let mut reason: Cow<'static, str> =
        if status.reason.is_empty() { status.phase.as_str().into() } else { status.reason.into() };
    let (init, main) = status.containers.split_at_checked(usize::from(spec.inits)).unwrap_or((&[], &[]));
    let of_ended = |ended: &crate::status::Ended, prefix: &str| -> Cow<'static, str> {
        match ended.reason {
            "" => format!("{prefix}ExitCode:{}", ended.code).into(),
            reason if prefix.is_empty() => reason.into(),
            reason => format!("{prefix}{reason}").into(),
        }
    };
    let mut initializing = false;
    for (at, one) in init.iter().enumerate() {
        match &one.state {
            State::Terminated(ended) if ended.code == 0 => continue,
            State::Terminated(ended) => reason = of_ended(ended, "Init:"),
            State::Waiting { reason: why, .. } if !why.is_empty() && *why != "PodInitializing" => {
                reason = format!("Init:{why}").into();
            }
            _ => reason = format!("Init:{at}/{}", spec.inits).into(),
        }
        initializing = true;
        break;
    }
    if !initializing {
        let mut has_running = false;
        for one in main.iter().rev() {
            match &one.state {
                State::Waiting { reason: why, .. } if !why.is_empty() => reason = (*why).into(),
                State::Terminated(ended) => reason = of_ended(ended, ""),
                State::Running { .. } if one.ready => has_running = true,
                _ => {}
            }
        }
        if reason == "Completed" && has_running {
            reason = if status.ready_since().is_some() { "Running".into() } else { "NotReady".into() };
        }
    }
    if pod.is_being_deleted() { "Terminating".into() } else { reason }
}
