//! What others need to know of objects to judge them, typed.
//!
//! *Knows*: counts, conditions and phases, read off an [`Object`] at no cost.
//! *Must not know*: what is healthy.

use crate::object::Object;
use planarium_protocol::Text;

/// A condition of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `Ready`, `Progressing`, ...
    pub kind: Text,
    /// `True`, `False` or `Unknown`.
    pub status: Text,
    /// One word.
    pub reason: Text,
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
    /// Whether the condition `Ready` is `True`.
    pub ready: bool,
    /// `spec.nodeName`; empty while it is not bound.
    pub node: Text,
    /// `status.podIP`; empty while it has none.
    pub ip: Text,
    /// What `kubectl get pods` shows as STATUS: `Running`, `CrashLoopBackOff`, `Init:0/1`, `Terminating`, ...
    pub shown: Text,
    /// Containers that are ready.
    pub ready_containers: u32,
    /// Containers, init containers apart.
    pub containers: u32,
    /// How often its containers were started again.
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
    /// How many `spec.externalIPs` there are.
    pub external_ips: usize,
    /// How many entries `status.loadBalancer.ingress` has.
    pub ingress: usize,
}

/// A CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdFacts {
    /// Whether the condition `Established` is `True`: the kind is served.
    pub established: bool,
}

impl Object {
    /// Nothing when it is no Deployment.
    pub fn deployment(&self) -> Option<DeploymentFacts> {
        None
    }

    /// Nothing when it is no ReplicaSet.
    pub fn replica_set(&self) -> Option<ReplicaSetFacts> {
        None
    }

    /// Nothing when it is no StatefulSet.
    pub fn stateful_set(&self) -> Option<StatefulSetFacts> {
        None
    }

    /// Nothing when it is no DaemonSet.
    pub fn daemon_set(&self) -> Option<DaemonSetFacts> {
        None
    }

    /// Nothing when it is no Job.
    pub fn job(&self) -> Option<JobFacts> {
        None
    }

    /// Nothing when it is no Pod.
    pub fn pod(&self) -> Option<PodFacts> {
        None
    }

    /// Nothing when it is no Service.
    pub fn service(&self) -> Option<ServiceFacts> {
        None
    }

    /// Nothing when it is no CustomResourceDefinition.
    pub fn crd(&self) -> Option<CrdFacts> {
        None
    }

    /// `status.phase` of a Namespace; nothing when it is none.
    pub fn namespace_phase(&self) -> Option<Text> {
        None
    }
}
