//! The controllers: each reconciles objects of one kind with their spec.
//!
//! *Knows*: objects and the results of their pods. *Must not know*: machines and processes, which belong to the kubelets.
//! Each controller is a folder or file named after its kind, with a `sync` for one object.
//! Source: `kubernetes/kubernetes: pkg/controller/*` (release 1.29), with the rules that each module names.

pub(crate) mod autoscaler;
pub(crate) mod budget;
pub(crate) mod cron_job;
mod daemon_set;
mod definition;
pub(crate) mod deployment;
pub(crate) mod garbage;
pub(crate) mod job;
mod namespace;
pub(crate) mod pods;
mod quota;
mod replica_set;
mod revisions;
pub(crate) mod service;
mod stateful_set;
pub(crate) mod storage;

use crate::{cluster::Cluster, kinds::KindId, object::ObjectNo};
use planarium_ground::Cx;

/// Runs the controller of an object's kind for it.
pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    let Some(object) = cluster.api.store.object(no).cloned() else { return };
    match object.kind {
        KindId::DEPLOYMENT => deployment::sync(cluster, cx, &object),
        KindId::REPLICA_SET => replica_set::sync(cluster, cx, &object),
        KindId::STATEFUL_SET => stateful_set::sync(cluster, cx, &object),
        KindId::DAEMON_SET => daemon_set::sync(cluster, cx, &object),
        KindId::JOB => job::sync(cluster, cx, &object),
        KindId::CRON_JOB => cron_job::sync(cluster, cx, &object),
        KindId::SERVICE => service::sync(cluster, cx, &object),
        KindId::POD_DISRUPTION_BUDGET => budget::sync(cluster, cx, &object),
        KindId::PERSISTENT_VOLUME_CLAIM => storage::sync_claim(cluster, cx, &object),
        KindId::PERSISTENT_VOLUME => storage::sync_volume(cluster, cx, &object),
        KindId::HORIZONTAL_POD_AUTOSCALER => autoscaler::sync(cluster, cx, &object),
        KindId::RESOURCE_QUOTA => quota::sync(cluster, cx, &object),
        KindId::NAMESPACE => namespace::sync(cluster, cx, &object),
        KindId::CUSTOM_RESOURCE_DEFINITION => definition::sync(cluster, cx, &object),
        _ => {}
    }
}
