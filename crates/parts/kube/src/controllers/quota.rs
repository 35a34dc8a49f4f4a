//! Recounts quotas after an object of their namespace was deleted.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/resourcequota/resource_quota_controller.go` (1.29), match in outcome; admission
//! counts created objects.

use crate::{api::quota_status, cluster::Cluster, object::Object, status::Status, tree::Tree};
use planarium_ground::Cx;
use std::sync::Arc;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, quota: &Arc<Object>) {
    let status = quota_status(&cluster.api, quota.content().key("spec"), &quota.namespace);
    if !matches!(&quota.status, Status::Plain(before) if **before == status) {
        cluster.put_status(cx, quota, Status::Plain(Arc::new(status)));
    }
}
