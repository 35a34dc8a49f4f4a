//! The service's subscription to the master.

use super::Scheduler;
use super::offers::evaluate::reservation_role;
use crate::spec::PodSpec;
use planarium_mesos::api::{Capability, FrameworkInfo};
use std::sync::Arc;

impl Scheduler {
    /// The framework that the service subscribes as.
    pub fn framework_info(&self) -> FrameworkInfo {
        let spec = &self.configs.target.spec;
        let mut capabilities = vec![
            Capability::PartitionAware,
            Capability::MultiRole,
            Capability::ReservationRefinement,
            Capability::RegionAware,
        ];
        let gpus = |pod: &Arc<PodSpec>| pod.resource_sets.iter().any(|set| set.gpus.is_some());
        if spec.pods.iter().any(gpus) {
            capabilities.push(Capability::GpuResources);
        }
        let mut roles = vec![spec.role.clone()];
        for pod in &spec.pods {
            let role = reservation_role(pod, &spec.role);
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        FrameworkInfo {
            name: self.service.name.clone(),
            user: spec.user.clone(),
            roles,
            suppressed_roles: Vec::new(),
            principal: Some(spec.principal.clone()),
            capabilities,
            checkpoint: true,
            failover_ms: 1_209_600_000,
            ..FrameworkInfo::default()
        }
    }
}
