//! Health of objects.
//!
//! **Source**: `kudobuilder/kudo: pkg/kubernetes/status/health.go` and `kubernetes/kubectl: pkg/polymorphichelpers/rollout_status.go` of
//! v0.19. Match.

use planarium_kube::Object;

use crate::instance::Instance;

/// Health of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It is well.
    Healthy,
    /// Not yet, with the real words.
    Unhealthy(String),
    /// The health is unknown, which counts as not healthy yet.
    Unclear(String),
    /// It never will be.
    Failed(String),
}

impl Health {
    /// The words about it; none when it is well.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Healthy => None,
            Self::Unhealthy(message) | Self::Unclear(message) | Self::Failed(message) => Some(message),
        }
    }
}

/// Judges an object.
pub fn of(object: &Object) -> Health {
    let name = &object.name;
    let unhealthy = Health::Unhealthy;
    if let Some(crd) = object.crd() {
        return if crd.established {
            Health::Healthy
        } else {
            unhealthy(format!("CRD {name} is not healthy ( Conditions: [] )"))
        };
    }
    if object.deployment().is_some() {
        return deployment(object);
    }
    if object.stateful_set().is_some() {
        return stateful_set(object);
    }
    if let Some(job) = object.job() {
        if job.succeeded == 1 {
            return Health::Healthy;
        }
        return match job.failure {
            Some(failure) => {
                Health::Failed(format!("job {name:?} has failed terminally: {}", failure.message))
            }
            None => unhealthy(format!("job {name:?} still running or failed")),
        };
    }
    if let Some(pod) = object.pod() {
        if &*pod.phase == "Running" && pod.ready {
            return Health::Healthy;
        }
        return unhealthy(format!("pod {}/{name} is not running yet: {}", object.namespace, pod.phase));
    }
    if let Some(service) = object.service() {
        if &*service.kind == "ExternalName" {
            return Health::Healthy;
        }
        let shown = format!("service {}/{name}", object.namespace);
        if service.cluster_ip.is_empty() {
            return unhealthy(format!("{shown} does not have cluster IP address"));
        }
        if &*service.kind == "LoadBalancer" && service.external_ips == 0 && service.ingress == 0 {
            return unhealthy(format!("{shown} does not have load balancer ingress IP address"));
        }
        return Health::Healthy;
    }
    if let Some(phase) = object.namespace_phase() {
        if &*phase == "Active" {
            return Health::Healthy;
        }
        return unhealthy(format!("namespace {name} is not active: {phase}"));
    }
    if is_instance(object) {
        return instance(&Instance::read(object));
    }
    Health::Healthy
}

/// Returns whether it is an `Instance`.
pub fn is_instance(object: &Object) -> bool {
    let info = object.info();
    &*info.group == "kudo.dev" && &*info.kind == "Instance"
}

/// Judges a child instance: it is well when nothing is scheduled, however that ended.
pub fn instance(instance: &Instance) -> Health {
    if instance.execution.plan.is_empty() {
        return Health::Healthy;
    }
    let status = instance.execution.status.map_or("", crate::status::Status::word);
    Health::Unhealthy(format!(
        "instance {}/{} active plan is in state {status}",
        instance.namespace, instance.name
    ))
}

fn deployment(object: &Object) -> Health {
    let (name, Some(facts)) = (&object.name, object.deployment()) else { return Health::Healthy };
    let waiting = |detail: String| Health::Unhealthy(format!("deployment {name:?} is not healthy: {detail}"));
    if facts.generation > facts.observed_generation {
        return waiting("Waiting for deployment spec update to be observed...\n".to_owned());
    }
    let late =
        facts.progressing.as_ref().is_some_and(|condition| condition.reason == "ProgressDeadlineExceeded");
    if late {
        return Health::Unclear(format!("deployment {name:?} exceeded its progress deadline"));
    }
    if facts.updated_replicas < facts.spec_replicas {
        return waiting(format!(
            "Waiting for deployment {name:?} rollout to finish: {} out of {} new replicas have been updated...\n",
            facts.updated_replicas, facts.spec_replicas
        ));
    }
    if facts.replicas > facts.updated_replicas {
        let old = facts.replicas.saturating_sub(facts.updated_replicas);
        return waiting(format!(
            "Waiting for deployment {name:?} rollout to finish: {old} old replicas are pending termination...\n"
        ));
    }
    if facts.available_replicas < facts.updated_replicas {
        return waiting(format!(
            "Waiting for deployment {name:?} rollout to finish: {} of {} updated replicas are available...\n",
            facts.available_replicas, facts.updated_replicas
        ));
    }
    Health::Healthy
}

fn stateful_set(object: &Object) -> Health {
    let (name, Some(facts)) = (&object.name, object.stateful_set()) else { return Health::Healthy };
    let waiting =
        |detail: String| Health::Unhealthy(format!("statefulset {name:?} is not healthy: {detail}"));
    if &*facts.update_strategy != "RollingUpdate" {
        return Health::Unclear(
            "rollout status is only available for RollingUpdate strategy type".to_owned(),
        );
    }
    if facts.observed_generation == 0 || facts.generation > facts.observed_generation {
        return waiting("Waiting for statefulset spec update to be observed...\n".to_owned());
    }
    if facts.ready_replicas < facts.spec_replicas {
        let missing = facts.spec_replicas.saturating_sub(facts.ready_replicas);
        return waiting(format!("Waiting for {missing} pods to be ready...\n"));
    }
    if let Some(partition) = facts.partition {
        let wanted = facts.spec_replicas.saturating_sub(partition);
        if facts.updated_replicas < wanted {
            return waiting(format!(
                "Waiting for partitioned roll out to finish: {} out of {wanted} new pods have been updated...\n",
                facts.updated_replicas
            ));
        }
        return Health::Healthy;
    }
    if facts.update_revision != facts.current_revision {
        return waiting(format!(
            "waiting for statefulset rolling update to complete {} pods at revision {}...\n",
            facts.updated_replicas, facts.update_revision
        ));
    }
    Health::Healthy
}
