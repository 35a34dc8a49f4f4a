//! The digest of the process's state.
//!
//! *Knows*: which facts count: the tree, instances, deployments, delays, locks, kills. Prose, counters and caches do not.
//! *Must not know*: what a difference means.

use crate::instances::instance::Instance;
use crate::marathon::Marathon;
use planarium_kernel::{Digest, SimTime};

impl Marathon {
    /// Writes everything that a replay must reproduce.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        digest.write_str(&self.records.setup.settings.framework);
        digest.write_str(&self.records.setup.framework_id);
        digest.write_u64(self.records.definitions.root.version);
        digest.write_u64(self.records.definitions.root.specs.len() as u64);
        for (id, spec) in &self.records.definitions.root.specs {
            digest.write_str(id.as_str());
            digest.write_u64(spec.version.version);
            digest.write_u64(spec.version.changed);
            digest.write_u32(spec.instances);
        }
        digest.write_u64(self.records.instances.iter().count() as u64);
        for (_, instance) in self.records.instances.iter() {
            write_instance(digest, instance);
        }
        for deployment in self.deployments.iter() {
            digest.write_u32(deployment.no);
            digest.write_str(&deployment.plan.id);
            digest.write_u64(deployment.stage as u64);
            digest.write_u64(u64::from(deployment.step));
            for no in &deployment.open {
                digest.write_u32(no.0);
            }
        }
        for (no, run) in self.records.apps.iter() {
            digest.write_u32(no.0);
            digest.write_str(run.shown);
            digest.write_u64(run.lock.unwrap_or(0));
            digest.write_u64(run.stats.processed);
            digest.write_u64(run.backoff.next_end(SimTime::ZERO).unwrap_or_default().ms());
        }
        let (under_way, waiting) = self.kills.counts();
        digest.write_u64(under_way as u64);
        digest.write_u64(waiting as u64);
        digest.write_u64(self.tokens.left());
    }
}

fn write_instance(digest: &mut Digest, instance: &Instance) {
    digest.write_str(&instance.id);
    digest.write_u64(instance.spec.version.version);
    digest.write_u64(instance.goal as u64);
    digest.write_u64(instance.condition as u64);
    digest.write_u64(instance.since.ms());
    digest.write_u64(match instance.healthy {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    });
    if let Some(agent) = &instance.agent {
        digest.write_str(&agent.agent_id);
    }
    for task in &instance.tasks {
        digest.write_str(&task.id);
        digest.write_u64(task.condition as u64);
    }
}
