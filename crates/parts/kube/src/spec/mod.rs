//! Typed readings of specs for controllers, scheduler and kubelets.
//!
//! *Knows*: the spelling of fields, and the defaults of missing ones. *Must not know*: how they are used. Reading
//! never fails; validation comes first.

pub(crate) mod command;
pub(crate) mod container;
pub(crate) mod cron;
mod loops;
pub(crate) mod placement;
pub(crate) mod pod;
pub(crate) mod storage;
pub(crate) mod workload;

use crate::{kinds::KindId, selector::Selector, tree::Tree};
use serde_json::Value;
use std::sync::Arc;

/// The typed reading of an object's content.
#[derive(Clone, Debug)]
pub(crate) enum Spec {
    /// A kind without a controller here.
    Plain,
    Pod(Arc<pod::PodSpec>, Arc<pod::PodOwn>),
    Deployment(Arc<workload::DeploymentSpec>),
    ReplicaSet(Arc<workload::ReplicaSetSpec>),
    StatefulSet(Arc<workload::StatefulSetSpec>),
    DaemonSet(Arc<workload::DaemonSetSpec>),
    Job(Arc<workload::JobSpec>),
    CronJob(Arc<cron::CronJobSpec>),
    Revision(Arc<workload::Revision>),
    Service(Arc<ServiceSpec>),
    Budget(Arc<BudgetSpec>),
    Claim(Arc<storage::ClaimSpec>),
    Volume(Arc<storage::VolumeSpec>),
    Class(Arc<storage::ClassSpec>),
    Node(Arc<placement::NodeSpec>),
}

/// A whole number or a percentage of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    Number(i64),
    Percent(i64),
}

impl Share {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) => text.strip_suffix('%')?.parse().ok().map(Self::Percent),
            _ => None,
        }
    }

    /// The share of `total`, at least none.
    pub(crate) fn of(self, total: u32, round_up: bool) -> u32 {
        let number = match self {
            Self::Number(number) => number,
            Self::Percent(percent) => {
                let hundredths = percent.saturating_mul(i64::from(total));
                if round_up {
                    hundredths.saturating_add(99).div_euclid(100)
                } else {
                    hundredths.div_euclid(100)
                }
            }
        };
        u32::try_from(number.max(0)).unwrap_or(u32::MAX)
    }
}

/// A Service.
#[derive(Clone, Debug)]
pub(crate) struct ServiceSpec {
    /// `None` for a Service whose endpoints are managed by others.
    pub(crate) selector: Option<Selector>,
    pub(crate) publish_not_ready: bool,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug)]
pub(crate) struct BudgetSpec {
    pub(crate) selector: Selector,
    pub(crate) min_available: Option<Share>,
    pub(crate) max_unavailable: Option<Share>,
    /// True if unready pods may always be evicted: `unhealthyPodEvictionPolicy: AlwaysAllow`.
    pub(crate) unhealthy_go: bool,
}

/// Reads the content of an object of a kind.
pub(crate) fn read(kind: KindId, content: &Value) -> Spec {
    let spec = content.key("spec");
    match kind {
        KindId::POD => {
            Spec::Pod(Arc::new(pod::PodSpec::read(spec, false)), Arc::new(pod::PodOwn::read(spec)))
        }
        KindId::DEPLOYMENT => Spec::Deployment(Arc::new(workload::DeploymentSpec::read(spec))),
        KindId::REPLICA_SET => Spec::ReplicaSet(Arc::new(workload::ReplicaSetSpec::read(spec))),
        KindId::STATEFUL_SET => Spec::StatefulSet(Arc::new(workload::StatefulSetSpec::read(spec))),
        KindId::DAEMON_SET => Spec::DaemonSet(Arc::new(workload::DaemonSetSpec::read(spec))),
        KindId::JOB => Spec::Job(Arc::new(workload::JobSpec::read(spec))),
        KindId::CRON_JOB => Spec::CronJob(Arc::new(cron::CronJobSpec::read(spec))),
        KindId::CONTROLLER_REVISION => Spec::Revision(Arc::new(workload::Revision::read(content))),
        KindId::SERVICE => Spec::Service(Arc::new(ServiceSpec {
            selector: Some(Selector::of_map(spec.key("selector")))
                .filter(|selector| !selector.is_everything()),
            publish_not_ready: spec.flag("publishNotReadyAddresses"),
        })),
        KindId::POD_DISRUPTION_BUDGET => Spec::Budget(Arc::new(BudgetSpec {
            selector: Selector::of_value(spec.key("selector")),
            min_available: Share::read(spec.key("minAvailable")),
            max_unavailable: Share::read(spec.key("maxUnavailable")),
            unhealthy_go: spec.text("unhealthyPodEvictionPolicy") == "AlwaysAllow",
        })),
        KindId::PERSISTENT_VOLUME_CLAIM => Spec::Claim(Arc::new(storage::ClaimSpec::read(spec))),
        KindId::PERSISTENT_VOLUME => Spec::Volume(Arc::new(storage::VolumeSpec::read(spec))),
        KindId::STORAGE_CLASS => Spec::Class(Arc::new(storage::ClassSpec::read(content))),
        KindId::NODE => Spec::Node(Arc::new(placement::NodeSpec::read(spec))),
        _ => Spec::Plain,
    }
}
